//! The physical floor of reading archives: walking every gzip member with libdeflate and dropping the bytes.

use robocensus::ingest::libdeflate::{Failure, Inflater};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Every `.warc.gz` below a folder.
pub(crate) fn archives(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            archives(&path, found);
        } else if path.to_string_lossy().ends_with(".warc.gz") {
            found.push(path);
        }
    }
}

/// Reads each file whole into one buffer and inflates it member by member into another.
pub(crate) fn floor(files: &[PathBuf], inflater: &mut Inflater, input: &mut Vec<u8>, output: &mut Vec<u8>) -> u64 {
    let mut inflated = 0;
    for path in files {
        input.clear();
        File::open(path).unwrap().read_to_end(input).unwrap();
        let mut at = 0;
        while at < input.len() {
            match inflater.gzip(&input[at..], output) {
                Ok(member) => {
                    at += member.used;
                    inflated += member.produced as u64;
                }
                Err(Failure::OutputFull) => output.resize(output.len() * 2, 0),
                Err(Failure::Bad) => break,
            }
        }
    }
    inflated
}
