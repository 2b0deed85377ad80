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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;
    use std::collections::BTreeMap;
    use std::path::Path;

    fn tree(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>, below: &str) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{below}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                tree(&entry.path(), files, &name);
            } else {
                files.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }

    #[test]
    fn the_shipped_samples_are_what_the_script_makes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let script = std::fs::read_to_string(root.join("scripts/make_sample.sh")).unwrap();
        let mut seen = 0;
        let mut bytes = 0;
        for line in script.lines().filter(|line| line.starts_with("robocensus synth ")) {
            let Command::Synth(mut args) = Cli::try_parse_from(line.split_whitespace()).unwrap().command else {
                panic!("{line}")
            };
            let shipped = root.join(&args.out);
            let scratch = tempfile::tempdir().unwrap();
            args.out = scratch.path().join("made");
            args.odd = args.odd.map(|odd| root.join(odd));
            let mut told = Vec::new();
            run(&args, &mut told).unwrap();
            assert!(told.starts_with(b"captures "));
            let (mut want, mut made) = (BTreeMap::new(), BTreeMap::new());
            tree(&shipped, &mut want, "");
            tree(&args.out, &mut made, "");
            assert_eq!(want.keys().collect::<Vec<_>>(), made.keys().collect::<Vec<_>>());
            for (name, content) in &want {
                assert!(made[name] == *content, "{name} differs: run scripts/make_sample.sh and check the change in");
            }
            bytes += want.values().map(Vec::len).sum::<usize>();
            seen += 1;
        }
        assert_eq!(seen, 2);
        assert!(bytes < 3 << 20, "{bytes}");
    }

    #[test]
    fn a_folder_that_holds_something_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("precious"), "x").unwrap();
        let path = folder.path().to_str().unwrap();
        let Command::Synth(args) = Cli::try_parse_from(["robocensus", "synth", path]).unwrap().command else {
            panic!()
        };
        let told = run(&args, &mut Vec::new()).unwrap_err().to_string();
        assert!(told.contains("is not empty"), "{told}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
