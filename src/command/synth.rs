//! `robocensus synth`: writes a made-up snapshot and says what is in it.

use crate::cli::{SynthArgs, SynthFormat};
use crate::synth::{self, Format, Options};
use std::io::Write;

/// Writes the snapshot that `args` describe and prints its counts to `out`. Fails when the folder is not empty, the
/// crawl's name cannot be a folder, or something cannot be read or written.
pub fn run(args: &SynthArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let options = Options {
        captures: args.captures,
        seed: args.seed,
        files: args.files,
        crawl: args.crawl.clone(),
        format: match args.format {
            SynthFormat::Warc => Format::Warc,
            SynthFormat::Parquet => Format::Parquet,
        },
        odd: args.odd.clone(),
    };
    let summary = synth::write(&args.out, &options)?;
    write!(out, "{summary}")?;
    Ok(())
}
