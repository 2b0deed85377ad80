//! The `robocensus` binary: arguments in, exit code out.

use clap::Parser;
use robocensus::cli::{Cli, Command, LogFormat};
use robocensus::command::{self, Exit, UsageError};
use robocensus::ingest::parquet::is_decoding;
use robocensus::pipeline::log::{Level, Log};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    quiet_decoder_panics();
    let cli = Cli::parse();
    let log = Log::new(matches!(&cli.command, Command::Scan(args) if args.log == LogFormat::Json));
    match run(&cli.command) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            log.say(Level::Error, "failed", &in_words(&error), serde_json::Value::Null);
            // 1: could not do it; 2: wrong usage.
            ExitCode::from(if error.is::<UsageError>() { 2 } else { 1 })
        }
    }
}

fn run(command: &Command) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    match command {
        Command::Scan(args) => return command::scan::run(args, &mut out),
        Command::Explain(args) => command::explain::run(args, &mut out)?,
        Command::Schema(args) => command::schema::run(args, &mut out)?,
        Command::Synth(args) => command::synth::run(args, &mut out)?,
        Command::Completions(args) => command::completions::run(args, &mut out)?,
        Command::Man => command::man::run(&mut out)?,
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// The error and its causes; a cause that the text before it tells already is not told again.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain().map(|cause| cause.to_string()).filter(|cause| !cause.is_empty()) {
        if words.is_empty() {
            words = cause;
        } else if !words.contains(&cause) {
            words = format!("{words}: {cause}");
        }
    }
    words
}

/// The reader of our output went away, as `head` does: no error of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe))
}

/// A panic of the Parquet decoder is caught and becomes a row in `problems`; it need not be told twice.
fn quiet_decoder_panics() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !is_decoding() {
            tell(panic);
        }
    }));
}
