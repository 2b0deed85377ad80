//! `robocensus man`: the manual page, made from the argument structs.

use crate::cli::Cli;
use clap::{Command, CommandFactory};
use std::io::{self, Write};

/// Writes one page with a section for each verb.
pub fn run(out: &mut dyn Write) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(out)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        section(verb, out)?;
    }
    Ok(())
}

fn section(verb: &Command, out: &mut dyn Write) -> io::Result<()> {
    let name = verb.get_name().to_uppercase();
    writeln!(out, ".SH {name}")?;
    let page = clap_mangen::Man::new(verb.clone());
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)
}
