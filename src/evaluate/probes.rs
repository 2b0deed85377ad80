//! The paths and URLs that verdicts are given for: the shipped dozen, or a file of the user's.
//!
//! A file has one path (from `/` on) or absolute http(s) URL a line. `#` begins a comment: at the start of a line, and
//! elsewhere too, since a fragment is no part of what is asked for (robots-spec 6.3). A URL must not carry a user name or
//! password: probes are written to the output as they stand.

use super::SetError;
use crate::classify::address::Address;
use std::collections::HashMap;
use std::path::Path;
use url::Url;
use xxhash_rust::xxh3::Xxh3;

/// One question: a path on every origin, or on one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The line as it was written, without comment and blanks.
    pub text: String,
    /// The only origin that it concerns, as `https://host[:port]`; `None` for a path.
    pub origin: Option<String>,
    /// Path and query as they were written, from `/` on; `/` where a URL has none.
    pub path: String,
}

/// The probes of a run. A probe's id is its place among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeSet {
    /// The probes; there may be none.
    pub probes: Vec<Probe>,
    /// Name of the file, or `shipped`.
    pub name: String,
    /// xxh3-128 over everything in `probes`.
    pub hash: u128,
    /// What looks like a mistake but was taken, or left out, all the same.
    pub warnings: Vec<String>,
}

impl ProbeSet {
    /// The set that comes with the program.
    pub fn shipped() -> ProbeSet {
        // A test holds that it can be read.
        ProbeSet::parse(include_str!("../../datasets/probes.txt"), "shipped")
            .unwrap_or_else(|_| ProbeSet::of(Vec::new(), "shipped", Vec::new()))
    }

    /// The set in a file; errors name the file as it was given.
    pub fn read(path: &Path) -> Result<ProbeSet, SetError> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| SetError::Unreadable { file: file.clone(), source })?;
        let text = std::str::from_utf8(&bytes).map_err(|error| SetError::Wrong {
            file: file.clone(),
            line: memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() + 1,
            message: "the file is not UTF-8; save it as UTF-8, or write such bytes as %-escapes".to_owned(),
        })?;
        let mut set = ProbeSet::parse(text, &file)?;
        if let Some(name) = path.file_name() {
            set.name = name.to_string_lossy().into_owned();
        }
        Ok(set)
    }

    /// The set that `text` describes; `name` is how errors call it.
    pub fn parse(text: &str, name: &str) -> Result<ProbeSet, SetError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut probes = Vec::new();
        let mut warnings = Vec::new();
        let mut lines: HashMap<(Option<String>, String), usize> = HashMap::new();
        for (number, line) in text.lines().enumerate() {
            let number = number + 1;
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let probe =
                Probe::of(line).map_err(|message| SetError::Wrong { file: name.to_owned(), line: number, message })?;
            if line.starts_with("//") {
                warnings.push(format!(
                    "{name}:{number}: `{line}` is taken as a path; write https: before it if it is a URL"
                ));
            }
            let first = *lines.entry((probe.origin.clone(), probe.path.clone())).or_insert(number);
            if first == number {
                probes.push(probe);
            } else {
                warnings.push(format!("{name}:{number}: `{line}` asks the same as line {first}; it is left out"));
            }
        }
        if probes.is_empty() {
            warnings.push(format!("{name}: no probes; verdicts tell only how much is open to each agent"));
        }
        Ok(ProbeSet::of(probes, name, warnings))
    }

    fn of(probes: Vec<Probe>, name: &str, warnings: Vec<String>) -> ProbeSet {
        let mut state = Xxh3::new();
        for probe in &probes {
            for value in [&probe.text, probe.origin.as_ref().unwrap_or(&String::new()), &probe.path] {
                state.update(&(value.len() as u64).to_le_bytes());
                state.update(value.as_bytes());
            }
        }
        ProbeSet { hash: state.digest128(), probes, name: name.to_owned(), warnings }
    }
}

impl Probe {
    /// The probe that a line describes, or what is wrong with it.
    fn of(line: &str) -> Result<Probe, String> {
        if line.starts_with('/') {
            return Ok(Probe { text: line.to_owned(), origin: None, path: line.to_owned() });
        }
        let is_http = |scheme: &str| line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if !is_http("http://") && !is_http("https://") {
            let cure = format!("write a path such as `/{line}` or a URL such as `https://example.com/`");
            return Err(format!("probe `{line}` starts with neither / nor http:// nor https://; {cure}"));
        }
        if Url::parse(line).is_ok_and(|url| !url.username().is_empty() || url.password().is_some()) {
            // The message goes to logs, so it does not repeat them.
            let cure = "leave out what stands between // and @, since probes are written to the output as they stand";
            return Err(format!("the URL carries a user name or password, which a probe must not; {cure}"));
        }
        let address = Address::parse(line);
        let (Some(protocol), Some(path), false) = (&address.protocol, address.path, address.host.is_empty()) else {
            return Err(format!("`{line}` is no URL; check its host and port"));
        };
        if !path.is_empty() && !path.starts_with('/') {
            return Err(format!("`{line}` has a path that does not start with /; write / for \\"));
        }
        let mut origin = format!("{protocol}://{}", address.host);
        if let Some(port) = address.port {
            origin += &format!(":{port}");
        }
        let path = if path.is_empty() { "/" } else { path };
        let path = match address.query {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        };
        Ok(Probe { text: line.to_owned(), origin: Some(origin), path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(text: &str) -> Probe {
        let set = ProbeSet::parse(text, "p").unwrap();
        assert_eq!(set.probes.len(), 1, "{text}");
        set.probes[0].clone()
    }

    #[test]
    fn the_shipped_probes_are_a_dozen_paths() {
        let set = ProbeSet::parse(include_str!("../../datasets/probes.txt"), "shipped").unwrap();
        assert_eq!(set, ProbeSet::shipped());
        assert!((12..=16).contains(&set.probes.len()), "{}", set.probes.len());
        assert!(set.probes.iter().all(|probe| probe.origin.is_none()));
        assert_eq!((set.probes[0].path.as_str(), set.warnings.len()), ("/", 0));
    }

    #[test]
    fn paths_stay_as_written_and_urls_name_their_origin() {
        let rows = [
            ("/a", None, "/a"),
            ("  /a b?c \t", None, "/a b?c"),
            ("/a#fragment", None, "/a"),
            ("/a # why", None, "/a"),
            ("/%7eä/../x", None, "/%7eä/../x"),
            ("https://example.com", Some("https://example.com"), "/"),
            ("https://example.com?q", Some("https://example.com"), "/?q"),
            ("HTTP://Example.COM:80/A?b#c", Some("http://example.com"), "/A?b"),
            ("https://müller.eu:8443/ä", Some("https://xn--mller-kva.eu:8443"), "/ä"),
            ("http://[::1]:80/", Some("http://[::1]"), "/"),
            ("https://example.com/@a:b@c", Some("https://example.com"), "/@a:b@c"),
        ];
        for (line, origin, path) in rows {
            let probe = probe(line);
            assert_eq!((probe.origin.as_deref(), probe.path.as_str()), (origin, path), "{line}");
        }
    }

    #[test]
    fn mistakes_are_told_with_file_line_and_cure() {
        let rows = [
            ("/a\n\nfoo\n", 3, "probe `foo` starts with neither / nor http"),
            ("*.pdf", 1, "`/*.pdf`"),
            ("ftp://example.com/", 1, "neither"),
            ("https://", 1, "no URL"),
            ("https://a b/", 1, "no URL"),
            ("https://a:99999/", 1, "no URL"),
            ("https://a\\b", 1, "write / for \\"),
        ];
        for (text, line, message) in rows {
            let error = ProbeSet::parse(text, "p.txt").unwrap_err().to_string();
            assert!(error.starts_with(&format!("p.txt:{line}: ")) && error.contains(message), "{error}");
        }
    }

    #[test]
    fn credentials_are_refused_and_not_repeated() {
        for line in [
            "https://user:secret@example.com/p",
            "HTTP://secret@example.com",
            "https://:secret@example.com",
            "https:///secret@example.com/",
        ] {
            let error = ProbeSet::parse(&format!("/a\n{line}"), "p.txt").unwrap_err().to_string();
            assert!(error.starts_with("p.txt:2: ") && error.contains("user name or password"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn what_is_asked_twice_is_asked_once() {
        let set = ProbeSet::parse("/a\r\n# no\r\n/a#b\nhttps://a.com/\nhttps://A.com:443\n//b.com/\n", "p").unwrap();
        let texts: Vec<&str> = set.probes.iter().map(|probe| probe.text.as_str()).collect();
        assert_eq!(texts, ["/a", "https://a.com/", "//b.com/"]);
        assert_eq!(set.warnings.len(), 3, "{:?}", set.warnings);
        assert!(set.warnings[0].contains("p:3: ") && set.warnings[0].contains("line 1"), "{:?}", set.warnings);
        assert_eq!(ProbeSet::parse("# none", "p").unwrap().warnings.len(), 1);
        assert_ne!(ProbeSet::parse("/a\n/b", "p").unwrap().hash, ProbeSet::parse("/b\n/a", "p").unwrap().hash);
    }

    #[test]
    fn files_are_read_or_told_about() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.txt");
        std::fs::write(&path, "/a\n").unwrap();
        assert_eq!(ProbeSet::read(&path).unwrap().name, "mine.txt");
        std::fs::write(&path, b"/a\n/\xff\n").unwrap();
        assert!(ProbeSet::read(&path).unwrap_err().to_string().contains("mine.txt:2: the file is not UTF-8"));
        assert!(ProbeSet::read(&folder.path().join("none")).unwrap_err().to_string().contains("cannot be read"));
    }
}
