//! Weeks made by hand: archives with one answer an origin, scanned and resolved.

use crate::run::{arg, ok};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;

/// An answer to the request for an origin's robots.txt.
#[derive(Debug, Clone)]
pub struct Answer {
    pub origin: String,
    pub status: u16,
    /// `Location`, for redirects.
    pub location: Option<String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(origin: &str, body: &str) -> Answer {
        Answer { origin: origin.to_owned(), status: 200, location: None, body: body.as_bytes().to_vec() }
    }

    pub fn status(origin: &str, status: u16) -> Answer {
        Answer { origin: origin.to_owned(), status, location: None, body: b"no".to_vec() }
    }

    pub fn redirect(origin: &str, to: &str) -> Answer {
        Answer { origin: origin.to_owned(), status: 301, location: Some(to.to_owned()), body: Vec::new() }
    }
}

/// Writes `path`, a `.warc.gz` with a member an answer.
pub fn archive(path: &Path, answers: &[Answer]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::create(path).unwrap();
    for (number, answer) in answers.iter().enumerate() {
        let location = answer.location.as_ref().map_or(String::new(), |to| format!("Location: {to}\r\n"));
        let mut http = format!(
            "HTTP/1.1 {} X\r\nContent-Type: text/plain\r\n{location}Content-Length: {}\r\n\r\n",
            answer.status,
            answer.body.len()
        )
        .into_bytes();
        http.extend(&answer.body);
        let mut record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}/robots.txt\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            answer.origin,
            http.len()
        )
        .into_bytes();
        record.extend(http);
        record.extend(b"\r\n\r\n");
        let mut member = GzEncoder::new(Vec::new(), Compression::fast());
        member.write_all(&record).unwrap();
        file.write_all(&member.finish().unwrap()).unwrap();
    }
}

/// Scans an archive of these answers into `out`.
pub fn scan(folder: &Path, out: &Path, answers: &[Answer], options: &[&str]) {
    let input = folder.join(format!("{}.warc.gz", out.file_name().unwrap().to_str().unwrap()));
    archive(&input, answers);
    let mut args = vec!["scan", arg(&input), "-o", arg(out), "--root", arg(folder)];
    args.extend(options);
    ok(&args);
}
