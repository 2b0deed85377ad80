//! `robocensus completions`: shell completions, made from the argument structs.

use crate::cli::{Cli, CompletionsArgs};
use clap::CommandFactory;
use std::io::{self, Write};

/// Writes the completions of a shell.
pub fn run(args: &CompletionsArgs, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "robocensus", &mut text);
    out.write_all(&text)
}
