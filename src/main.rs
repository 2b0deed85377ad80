//! The `robocensus` binary: arguments in, exit code out.

use clap::Parser;
use robocensus::cli::{Cli, Command};
use robocensus::command::{self, Exit, UsageError};
use robocensus::ingest::parquet::is_decoding;
use robocensus::pipeline::log::{Level, Log};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let log = Log::new(wants_json(std::env::args_os()));
    panics_to(log);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are no errors and go to standard output.
        Err(error) if !error.use_stderr() || !log.is_json() => error.exit(),
        Err(error) => {
            log.say(Level::Error, "usage", error.to_string().trim_end(), serde_json::Value::Null);
            return ExitCode::from(2);
        }
    };
    match run(&cli.command) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(error) if command::is_broken_pipe(&error) => ExitCode::SUCCESS,
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
        Command::Resolve(args) => command::resolve::run(args, &mut out)?,
        Command::Explain(args) => command::explain::run(args, &mut out)?,
        Command::Lint(args) => {
            let exit = command::lint::run(args, &mut out)?;
            out.flush()?;
            return Ok(exit);
        }
        Command::Findings(args) => command::findings::run(args, &mut out)?,
        Command::Dialects(args) => command::dialects::run(args, &mut out)?,
        Command::Report(args) => command::report::run(args, &mut out)?,
        Command::Compare(args) => command::compare::run(args, &mut out)?,
        Command::Views(args) => command::views::run(args, &mut out)?,
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

/// Whether messages are to be JSON: known before the arguments are, since they may be wrong.
fn wants_json(args: impl Iterator<Item = OsString>) -> bool {
    let args: Vec<OsString> = args.collect();
    args.iter().any(|arg| arg == "--log=json") || args.windows(2).any(|pair| pair[0] == "--log" && pair[1] == "json")
}

/// A panic of the Parquet decoder is caught and becomes a row in `problems`; it need not be told twice. Any other is a defect,
/// and told like every message.
fn panics_to(log: Log) {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if is_decoding() {
            return;
        }
        if log.is_json() {
            log.say(Level::Error, "panic", &panic.to_string(), serde_json::Value::Null);
        } else {
            tell(panic);
        }
    }));
}
