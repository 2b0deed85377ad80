//! A witness of access really is one, and no question contradicts the class.
#![no_main]

mod questions;

use libfuzzer_sys::fuzz_target;
use rep::{AccessClass, AccessFinder, Agent, AgentIndex, Decisions, Dialect, Document, Paths, Selection, Verdict};

fuzz_target!(|bytes: &[u8]| {
    let (tokens, urls, body) = questions::questions(bytes);
    let agents: Vec<Agent> = tokens.iter().map(|token| Agent::bare(token.as_str())).collect();
    let document = Document::parse(body);
    let mut finder = AccessFinder::default();
    for dialect in Dialect::ALL {
        let robots = document.read(dialect);
        let mut selection = Selection::default();
        selection.select(&robots, &AgentIndex::new(&agents, dialect));
        finder.begin(&robots);
        for (number, set) in selection.sets().iter().enumerate() {
            let access = finder.of(&robots, selection.groups_of(set));
            // An origin before the path: one that begins with two slashes would be taken for a host.
            let url = |path: &[u8]| [b"http://x.example", path].concat();
            for (witness, verdict) in [(access.allowed, Verdict::Allow), (access.denied, Verdict::Disallow)] {
                let Some(witness) = witness else { continue };
                let mut decisions = Decisions::default();
                decisions.evaluate(&robots, &selection, &Paths::new([url(witness).as_slice()], dialect));
                assert_eq!(
                    decisions.of_set(number)[0].verdict,
                    verdict,
                    "{} {:?} {:?}",
                    dialect.name,
                    access.class,
                    String::from_utf8_lossy(witness)
                );
            }
            // Only paths that a URL can carry count, so only plain ones are asked.
            let plain = |url: &&String| {
                url.starts_with('/') && url.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'?' | b'.' | b'*' | b'$' | b'-'))
            };
            for path in urls.iter().filter(plain).filter(|path| !path.starts_with("/robots.txt")) {
                let mut decisions = Decisions::default();
                decisions.evaluate(&robots, &selection, &Paths::new([url(path.as_bytes()).as_slice()], dialect));
                let verdict = decisions.of_set(number)[0].verdict;
                let impossible = match access.class {
                    AccessClass::All => verdict == Verdict::Disallow,
                    AccessClass::None => verdict == Verdict::Allow,
                    _ => false,
                };
                assert!(!impossible, "{} {:?} {path}: {verdict:?}", dialect.name, access.class);
            }
        }
    }
});
