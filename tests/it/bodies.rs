//! Bodies to compare parsers on: real ones, those of `datasets/odd`, and made-up ones with everything odd in them; and what to ask of them.

use crate::shared;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rep::{Agent, AgentIndex, Decision, Decisions, Dialect, Document, Field, Paths, Selection};
use std::path::{Path, PathBuf};
use std::{fs, iter};

/// A body and what it is called.
pub struct Body {
    pub id: String,
    pub bytes: Vec<u8>,
    /// Whether it is of the collection of popular sites.
    pub is_popular: bool,
}

/// All distinct real bodies, in the order of their files; `None` where the shared collection is not there.
pub fn real() -> Option<impl Iterator<Item = Body>> {
    let files = ["licensed", "nolicense"].map(|file| shared::path(&format!("data/robots-bodies-{file}.jsonl.zst")));
    let [Some(licensed), Some(nolicense)] = files else { return None };
    let rows = shared::zst_lines(&licensed).chain(shared::zst_lines(&nolicense));
    Some(rows.map(|line| {
        let row: serde_json::Value = serde_json::from_str(&line).unwrap();
        Body {
            id: row["id"].as_str().unwrap().to_owned(),
            bytes: STANDARD.decode(row["body_b64"].as_str().unwrap()).unwrap(),
            is_popular: row["source"].as_str().unwrap().starts_with("scrapy/protego@"),
        }
    }))
}

/// The repository's root, whichever of its packages asks.
fn repository() -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.find(|folder| folder.join("datasets/odd").exists()).unwrap().to_owned()
}

/// The bodies written by hand for every odd case.
pub fn odd() -> Vec<Body> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(repository().join("datasets/odd")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let body = |path: &PathBuf| Body {
        id: path.file_name().unwrap().to_str().unwrap().to_owned(),
        bytes: fs::read(path).unwrap(),
        is_popular: false,
    };
    files.iter().map(body).collect()
}

/// The first so many tokens of the shipped set.
pub fn agents(count: usize) -> Vec<String> {
    let text = fs::read_to_string(repository().join("datasets/agents.toml")).unwrap();
    let tokens = text.lines().filter_map(|line| Some(line.strip_prefix("token = \"")?.strip_suffix('"')?.to_owned()));
    let tokens: Vec<String> = tokens.take(count).collect();
    assert_eq!(tokens.len(), count);
    tokens
}

/// The shipped probes.
pub fn probes() -> Vec<String> {
    let text = fs::read_to_string(repository().join("datasets/probes.txt")).unwrap();
    text.lines().filter(|line| line.starts_with('/')).map(str::to_owned).collect()
}

/// URLs that the rules of a body are about, at most so many, spread over the file: each pattern with its wildcards filled, and every second
/// time a little more, so that what is pinned is missed, too. Whatever is no text is left out.
pub fn rule_urls(bytes: &[u8], most: usize) -> Vec<String> {
    let document = Document::parse(bytes);
    let patterns: Vec<&str> = document
        .lines()
        .iter()
        .filter(|line| matches!(line.field, Field::Allow | Field::Disallow))
        .filter_map(|line| std::str::from_utf8(document.value(line)).ok())
        .filter(|pattern| !pattern.is_empty())
        .collect();
    let step = patterns.len().div_ceil(most.max(1)).max(1);
    let mut urls: Vec<String> = Vec::new();
    for (number, pattern) in patterns.iter().step_by(step).enumerate() {
        let filled = pattern.trim_end_matches('$').replace('*', if number % 3 == 0 { "" } else { "x" });
        let slash = if filled.starts_with('/') { "" } else { "/" };
        let more = if number % 2 == 0 { "" } else { "z.html" };
        let url = format!("http://e.example{slash}{filled}{more}");
        if !url.contains(['\n', '\r']) && !urls.contains(&url) {
            urls.push(url);
        }
    }
    urls
}

/// All agents of these names, as one dialect finds them.
pub fn index(agents: &[String], dialect: &Dialect) -> AgentIndex {
    let agents: Vec<Agent> = agents.iter().map(|agent| Agent::bare(agent.as_str())).collect();
    AgentIndex::new(&agents, dialect)
}

/// Decisions for agents x URLs of one body; agents in the outer loop.
pub fn decisions(bytes: &[u8], agents: &AgentIndex, urls: &[String], dialect: &'static Dialect) -> Vec<Decision> {
    let robots = Document::parse(bytes).read(dialect);
    let mut selection = Selection::default();
    selection.select(&robots, agents);
    let mut decisions = Decisions::default();
    decisions.evaluate(&robots, &selection, &Paths::new(urls.iter().map(|url| url.as_bytes()), dialect));
    let mut answers = vec![None; agents.len() * urls.len()];
    for (number, set) in selection.sets().iter().enumerate() {
        for agent in selection.agents_of(set) {
            for (url, decision) in decisions.of_set(number).iter().enumerate() {
                answers[*agent as usize * urls.len() + url] = Some(*decision);
            }
        }
    }
    answers.into_iter().map(|answer| answer.expect("an agent in no rule set")).collect()
}

/// Numbers that look random and are the same everywhere (splitmix64).
pub struct Seeded(u64);

impl Seeded {
    pub fn new(seed: u64) -> Seeded {
        Seeded(seed)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    pub fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// What made-up bodies and URLs are made of.
pub struct Pieces {
    pub names: &'static [&'static [u8]],
    pub agents: &'static [&'static [u8]],
    pub paths: &'static [&'static [u8]],
    pub line_ends: &'static [&'static [u8]],
    pub blanks: &'static [&'static [u8]],
}

/// Everything that any of the parsers treats in a way of its own.
pub const EVERYTHING: Pieces = Pieces {
    names: &[
        b"user-agent",
        b"User-Agent",
        b"USER-AGENT",
        b"user-agent",
        b"disallow",
        b"Disallow",
        b"disallow",
        b"DISALLOW",
        b"allow",
        b"Allow",
        b"allow",
        b"crawl-delay",
        b"Crawl-Delay",
        b"request-rate",
        b"sitemap",
        b"noindex",
        b"useragent",
        b"user agent",
        b"dissallow",
        b"disallowed",
        b"Allowance",
        b"",
        b"x",
        "diſallow".as_bytes(),
        "DİSALLOW".as_bytes(),
        b"\xef\xbb\xbfuser-agent",
        b"%64isallow",
    ],
    agents: &[
        b"*",
        b"*",
        b"*",
        b"foobot",
        b"FooBot",
        b"barbot",
        b"foo",
        b"Bar",
        b"bot",
        b"foobot/2.1",
        b"foo%42ot",
        b"%2A",
        b"%2a",
        b"",
        b"*bot",
        b"foobot*",
        b"* all",
        b"foo2bot",
        b"foobot barbot",
        b"foobot, barbot",
        b"qux",
        "fööbot".as_bytes(),
        b"f%C3%B6%C3%B6bot",
        "FÖÖBOT".as_bytes(),
        b"o",
        b"/",
        b"f\xf6\xf6bot",
        "İbot".as_bytes(),
        "ΣΑΣ".as_bytes(),
        b"foobot%",
        b"foobot%2",
        b"foobot%2f2",
        b"**",
        b"% 2A",
        "\u{fffd}".as_bytes(),
        "K".as_bytes(),
    ],
    paths: &[
        b"/",
        b"/",
        b"",
        b"a",
        b"b",
        b"/a",
        b"/a/",
        b"/b",
        b"/b/c",
        b"*",
        b"/*",
        b"$",
        b"%",
        b"%41",
        b"%2f",
        b"%2F",
        b"%2A",
        b"%24",
        b"%3f",
        b"%3F",
        b"%23",
        b"%3b",
        b"%C3%A9",
        b"%c3%a9",
        b"%C3",
        b"%e9",
        b"%0a",
        b"%0D",
        b"%09",
        b"%20",
        b"%00",
        b"%zz",
        b"%4",
        b"%25",
        b"%2541",
        "é".as_bytes(),
        b"\xe9",
        b"\xc3",
        b"\xe2\x80",
        b"\xf0\x9f\x98\x80",
        b"//",
        b"///",
        b"//h",
        b"//h/a",
        b"//[::1]/a",
        b"//[x",
        b"//]",
        b"[",
        b"]",
        b"?",
        b"?a=b",
        b"??",
        b";",
        b";p",
        b";p;q",
        b";/",
        b"http:",
        b"http://",
        b"http://h/a",
        b"https://e.example/a",
        b"HTTP://h/",
        b"mailto:a",
        b"javascript:a",
        b"file:",
        b"sip:a;b",
        b"x-y+z.1:",
        b"1a:",
        b":",
        b"::",
        b"@",
        b"a@b:80/c",
        b"&",
        b"=",
        b"+",
        b"~",
        b"%7E",
        b"%7e",
        b"-",
        b"_",
        b".",
        b"/./",
        b"/../",
        b"..",
        b"index.htm",
        b"/index.html",
        b"/index.htmFOO",
        b"\t",
        b" ",
        b"  ",
        b"!",
        b"'",
        b"(",
        b")",
        b",",
        b"\\",
        b"^",
        b"|",
        b"{",
        b"}",
        b"<",
        b">",
        b"\"",
        b"`",
        "\u{2100}".as_bytes(),
        "//\u{ff0f}".as_bytes(),
        "//\u{2048}a".as_bytes(),
        b"//v1.a",
        b"//[v1.a]/",
        b"//[v.a]",
        b"//[fe80::1%25e]/",
        b"//[1::1%e]/a",
        b"//[::ffff:1.2.3.4]/",
        b"//[::1].x",
        b"//a[::1]",
        b"\x7f",
        b"\x01",
        b"\x1f",
        "\u{ad}".as_bytes(),
        "\u{fffd}".as_bytes(),
        b"%ef%bf%bd",
    ],
    line_ends: &[
        b"\n",
        b"\n",
        b"\n",
        b"\n",
        b"\n",
        b"\n",
        b"\n\n",
        b"\r\n",
        b"\r\n",
        b"\r\n\r\n",
        b"\r",
        b"\r\r\n",
        b"\n \n",
        b"\n\t\n",
        b"\n#\n",
        b"\n # c\n",
        b"\n\x0b\n",
        b"\x0b",
        b"\x0c",
        b"\x1c",
        b"\x1d",
        b"\x1e",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\xe2\x80\xa9",
        b"\n\xc2\xa0\n",
        b"\n\xe3\x80\x80\n",
        b"\n\0\n",
        b"\n\x1f\n",
        b"\xc2\x85\xc2\x85",
        b"\x0c\x0b",
        b"\n\x0c\n",
        b"\r\x0b\n",
    ],
    blanks: &[
        b"",
        b"",
        b"",
        b"",
        b" ",
        b" ",
        b" ",
        b"\t",
        b"  ",
        b"\xc2\xa0",
        b"\xe2\x80\x83",
        b"\x1f",
        b"\x0b",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xe3\x80\x80",
        b"\xe2\x80\x8b",
        b"\xc2",
        b"\x0c",
        b"\x1c",
        b"\xc2\x85",
    ],
};

/// Made-up bodies: the same ones every time.
pub fn made_up(pieces: &'static Pieces, count: usize, seed: u64) -> impl Iterator<Item = Body> {
    let mut rng = Seeded::new(seed);
    iter::repeat_with(move || made(pieces, &mut rng)).take(count).enumerate().map(move |(number, bytes)| Body {
        id: format!("made-{seed}-{number}"),
        bytes,
        is_popular: false,
    })
}

/// A body. Most of its lines are ordinary, so that the odd ones have something to spoil.
fn made(pieces: &Pieces, rng: &mut Seeded) -> Vec<u8> {
    let mut out = Vec::new();
    let odds = 2 + rng.below(30);
    match rng.below(40) {
        0 => out.extend(b"\xef\xbb\xbf"),
        1 => out.extend(b"\xef\xbb"),
        2 => out.extend(b"\xef\xbb\xbf\xef\xbb\xbf"),
        3 => out.extend(b"\n"),
        _ => {}
    }
    for _ in 0..1 + rng.below(12) {
        let blank = |out: &mut Vec<u8>, usual: &[u8], rng: &mut Seeded| {
            out.extend(if rng.once_in(odds) { rng.of(pieces.blanks) } else { usual });
        };
        blank(&mut out, b"", rng);
        let name: &[u8] = if rng.once_in(odds) { rng.of(pieces.names) } else { rng.of(&pieces.names[..11]) };
        out.extend(name);
        blank(&mut out, b"", rng);
        if !rng.once_in(odds * 3) {
            out.push(b':');
        }
        blank(&mut out, b" ", rng);
        match name.to_ascii_lowercase().as_slice() {
            b"user-agent" => {
                out.extend(if rng.once_in(odds) { rng.of(pieces.agents) } else { rng.of(&pieces.agents[..9]) });
            }
            b"crawl-delay" => {
                out.extend(rng.of(&[&b"1"[..], b"0.5", b"x", b"", "²".as_bytes(), "٣".as_bytes(), b"%31", b"1 0"]))
            }
            b"request-rate" => out.extend(rng.of(&[&b"1/5"[..], b"1", b"x/y", b"1/5m", "²/1".as_bytes(), b"1/2/3"])),
            _ => {
                if !rng.once_in(8) {
                    out.push(b'/');
                }
                for _ in 0..rng.below(4) {
                    out.extend(if rng.once_in(3) { rng.of(pieces.paths) } else { rng.of(&pieces.paths[..14]) });
                }
            }
        }
        blank(&mut out, b"", rng);
        if rng.once_in(odds) {
            out.extend(rng.of(&[&b"# c"[..], b"#", b" #x:y", b"#\xe9"]));
        }
        out.extend(if rng.once_in(odds) { rng.of(pieces.line_ends) } else { rng.of(&pieces.line_ends[..9]) });
    }
    out
}

/// A URL from the same pieces; only what is text.
pub fn made_url(pieces: &Pieces, rng: &mut Seeded) -> String {
    let mut out = rng.of(&[&b"http://e.example/"[..], b"http://e.example", b"/", b"https://e.example/a", b""]).to_vec();
    for _ in 0..rng.below(4) {
        out.extend(rng.of(pieces.paths));
    }
    if rng.once_in(5) {
        out.extend(b"#f");
    }
    String::from_utf8_lossy(&out).into_owned()
}
