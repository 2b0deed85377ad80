//! The shared collection beside the repository: real bodies, archives, golden verdicts. It is not part of the project.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A path in the shared collection, or `None` and a note that the test was skipped.
pub fn path(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: the shared collection has no {name} here");
    None
}

/// The lines of a zstd-compressed text.
pub fn zst_lines(path: &Path) -> impl Iterator<Item = String> {
    let file = File::open(path).unwrap();
    BufReader::new(zstd::Decoder::new(file).unwrap()).lines().map(Result::unwrap)
}
