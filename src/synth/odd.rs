//! Bodies written by hand, one for every odd case: a folder with `index.toml` and the files it names.

use super::exchange::{Exchange, Transport, reason};
use super::rng::Rng;
use super::{Error, words};
use serde::Deserialize;
use std::path::Path;

/// Bytes that one entry may be repeated to.
const LIMIT: usize = 64 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    capture: Vec<Entry>,
}

/// One capture of `index.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// URL it is served at.
    url: String,
    /// What it is there to show.
    shows: String,
    /// File with the body; none for an empty one.
    file: Option<String>,
    /// Text that follows the file, many times over.
    repeat: Option<Repeat>,
    /// Text that follows that.
    tail: Option<String>,
    /// HTTP status.
    #[serde(default = "ok")]
    status: u16,
    /// The status line, where it is not the usual one of the status.
    status_line: Option<String>,
    /// `Content-Type`; `""` for none.
    #[serde(default = "plain")]
    content_type: String,
    /// `Location`.
    location: Option<String>,
    /// Further header lines.
    #[serde(default)]
    headers: Vec<String>,
    /// `WARC-Truncated`.
    truncated: Option<Why>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeat {
    /// What is repeated; `{n}` in it is the number of the repetition, from 1.
    text: String,
    /// How often.
    times: usize,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Why {
    Length,
    Time,
    Disconnect,
    Unspecified,
}

const fn ok() -> u16 {
    200
}

fn plain() -> String {
    "text/plain".to_owned()
}

/// Reads `folder/index.toml` and makes its captures, a minute apart from `start` (seconds since 1970) on.
pub(super) fn read(folder: &Path, rng: &mut Rng, start: i64) -> Result<Vec<Exchange>, Error> {
    let index = folder.join("index.toml");
    let text = std::fs::read_to_string(&index).map_err(|source| Error::Read { path: index.clone(), source })?;
    let bad = |what: String| Error::Index { path: index.clone(), what };
    let parsed: Index = toml::from_str(&text).map_err(|e| bad(e.to_string()))?;
    let mut exchanges = Vec::with_capacity(parsed.capture.len());
    for (minute, entry) in (0i64..).zip(parsed.capture) {
        if entry.shows.trim().is_empty() {
            return Err(bad(format!("{} does not say what it shows", entry.url)));
        }
        let mut body = match &entry.file {
            // A name, not a path: nothing outside the folder is read.
            Some(name) if name.contains(['/', '\\']) || name.starts_with('.') => {
                return Err(bad(format!("`{name}` is not the name of a file in this folder")));
            }
            Some(name) => {
                let path = folder.join(name);
                std::fs::read(&path).map_err(|source| Error::Read { path, source })?
            }
            None => Vec::new(),
        };
        if let Some(repeat) = &entry.repeat {
            for number in 1..=repeat.times {
                if body.len() + repeat.text.len() > LIMIT {
                    return Err(bad(format!("{} is repeated to more than {LIMIT} bytes", entry.url)));
                }
                body.extend_from_slice(repeat.text.replace("{n}", &number.to_string()).as_bytes());
            }
        }
        body.extend_from_slice(entry.tail.as_deref().unwrap_or_default().as_bytes());
        exchanges.push(exchange(entry, body, rng, start + 60 * minute));
    }
    Ok(exchanges)
}

fn exchange(entry: Entry, body: Vec<u8>, rng: &mut Rng, time: i64) -> Exchange {
    let transport = if entry.url.starts_with("https:") { Transport::Tls } else { Transport::Plain };
    let content_type = Some(entry.content_type).filter(|t| !t.is_empty());
    let status_line =
        entry.status_line.unwrap_or_else(|| format!("HTTP/1.1 {} {}", entry.status, reason(entry.status)));
    let mut head =
        format!("{status_line}\r\nDate: {}\r\nServer: made-up\r\n", super::calendar::Moment::new(time).http());
    let named = [("Content-Type", content_type.as_deref()), ("Location", entry.location.as_deref())];
    for (name, value) in named {
        if let Some(value) = value {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    for line in &entry.headers {
        head.push_str(line);
        head.push_str("\r\n");
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    let truncated = entry.truncated.map(|why| match why {
        Why::Length => "length",
        Why::Time => "time",
        Why::Disconnect => "disconnect",
        Why::Unspecified => "unspecified",
    });
    Exchange {
        url: entry.url,
        time,
        status: entry.status,
        location: entry.location,
        content_type,
        head: head.into_bytes(),
        body,
        truncated,
        transport,
        peer: words::peer(rng),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_cases_are_whole_and_no_file_is_left_over() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/odd");
        let made = read(&folder, &mut Rng::keyed(1, 1, 1), 0).unwrap();
        let urls: std::collections::HashSet<&str> = made.iter().map(|e| e.url.as_str()).collect();
        assert_eq!(urls.len(), made.len(), "a URL is in the index twice");
        let index: Index = toml::from_str(&std::fs::read_to_string(folder.join("index.toml")).unwrap()).unwrap();
        let named: std::collections::HashSet<&str> = index.capture.iter().filter_map(|e| e.file.as_deref()).collect();
        for file in std::fs::read_dir(&folder).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(
                named.contains(name.as_str()) || ["index.toml", "README.md"].contains(&name.as_str()),
                "{name} is not in the index"
            );
        }
        let of = |url: &str| made.iter().find(|e| e.url == url).unwrap();
        assert!(of("https://over-limit.example/robots.txt").body.len() > 512_000);
        assert!(of("https://over-limit-rules.example/robots.txt").body.len() > 512_000);
        assert_eq!(of("https://stars.example/robots.txt").body.iter().filter(|b| **b == b'*').count(), 8_001);
        assert_eq!(of("https://status-0.example/robots.txt").status, 0);
        assert!(of("https://empty.example/robots.txt").body.is_empty());
    }

    #[test]
    fn an_index_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            std::fs::write(folder.path().join("index.toml"), text).unwrap();
            read(folder.path(), &mut Rng::keyed(1, 1, 1), 0)
        };
        let told = |text: &str| read(text).unwrap_err().to_string();
        assert!(told("capture = 1").contains("index.toml"));
        assert!(told("[[capture]]\nurl = 'u'\nshows = ' '").contains("does not say"));
        assert!(told("[[capture]]\nurl = 'u'\nshows = 's'\nfile = '../x'").contains("not the name of a file"));
        assert!(told("[[capture]]\nurl = 'u'\nshows = 's'\nfile = 'gone.txt'").contains("gone.txt"));
        assert!(told("[[capture]]\nurl = 'u'\nshows = 's'\nsurprise = 1").contains("surprise"));
        let made = read(
            "[[capture]]\nurl = 'https://a.example/robots.txt'\nshows = 's'\nstatus = 301\nlocation = '/x'\n\
             repeat = { text = \"{n}\\n\", times = 3 }\ntail = 'end'\nheaders = ['X: y']\ntruncated = 'time'",
        )
        .unwrap();
        assert_eq!(made[0].body, b"1\n2\n3\nend");
        let head = String::from_utf8(made[0].head.clone()).unwrap();
        assert!(
            head.starts_with("HTTP/1.1 301 Moved Permanently\r\n") && head.contains("\r\nLocation: /x\r\nX: y\r\n")
        );
        assert_eq!(made[0].truncated, Some("time"));
    }
}
