//! The shared collection beside the repository: real bodies, archives, golden verdicts. It is not part of the project.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A path in the shared collection, or `None` and a note that the test was skipped.
pub fn path(name: &str) -> Option<PathBuf> {
    // Beside the repository, whichever of its packages asks.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
    if let Some(path) = above.map(|folder| folder.join("shared").join(name)).find(|path| path.exists()) {
        return Some(path);
    }
    eprintln!("skipped: the shared collection has no {name} here");
    None
}

/// The lines of a zstd-compressed text.
pub fn zst_lines(path: &Path) -> impl Iterator<Item = String> + use<> {
    let file = File::open(path).unwrap();
    BufReader::new(zstd::Decoder::new(file).unwrap()).lines().map(Result::unwrap)
}

/// The real bodies, each with its name.
pub fn bodies() -> Option<impl Iterator<Item = (String, Vec<u8>)>> {
    let licensed = path("data/robots-bodies-licensed.jsonl.zst")?;
    let others = path("data/robots-bodies-nolicense.jsonl.zst")?;
    let body = |line: String| {
        let row: serde_json::Value = serde_json::from_str(&line).unwrap();
        let body = STANDARD.decode(row["body_b64"].as_str().unwrap()).unwrap();
        (row["id"].as_str().unwrap().to_owned(), body)
    };
    Some(zst_lines(&licensed).chain(zst_lines(&others)).map(body))
}

/// The real bodies by their ids, in base 64.
pub fn bodies_by_id() -> Option<std::collections::HashMap<String, String>> {
    let paths = [path("data/robots-bodies-licensed.jsonl.zst")?, path("data/robots-bodies-nolicense.jsonl.zst")?];
    let rows = paths.iter().flat_map(|path| zst_lines(path));
    let rows = rows.map(|line| serde_json::from_str::<serde_json::Value>(&line).unwrap());
    Some(
        rows.map(|row| ["id", "body_b64"].map(|name| row[name].as_str().unwrap().to_owned()))
            .map(|[id, body]| (id, body))
            .collect(),
    )
}
