//! The dialect `rfc9309` against `texting_robots` and `robotxt`: on real bodies where they are there, and on made-up ones.
//!
//! Both depart from the standard in ways of their own. Each such way is a rule here, with a name and a reason, and questions that it
//! touches are left out and counted. Of the others none may differ.

// Tests say what they expect with unwrap and panics; there a panic is the report.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stderr, unreachable_pub, dead_code)]

#[path = "../../../tests/it/bodies.rs"]
mod bodies;
#[path = "../../../tests/it/shared.rs"]
mod shared;

use bodies::{Body, EVERYTHING, Seeded};
use rep::{Dialect, Document, Field, Line, Named, Selection, Token, Verdict, named};
use std::collections::BTreeMap;

/// What a peer answers for paths; `None` where it does not take the file for this agent.
type Peer = fn(&[u8], &str, &[String]) -> Option<Vec<bool>>;

fn texting_robots(bytes: &[u8], agent: &str, paths: &[String]) -> Option<Vec<bool>> {
    let robot = texting_robots::Robot::new(agent, bytes).ok()?;
    Some(paths.iter().map(|path| robot.allowed(path)).collect())
}

fn robotxt(bytes: &[u8], agent: &str, paths: &[String]) -> Option<Vec<bool>> {
    let robots = robotxt::Robots::from_bytes(bytes, agent);
    Some(paths.iter().map(|path| robots.is_relative_allowed(path)).collect())
}

/// A body and an agent, as `rfc9309` sees them.
struct Case<'a> {
    document: &'a Document<'a>,
    agent: &'a str,
    /// Rule lines of the groups that the agent follows.
    mine: Vec<&'a Line>,
}

impl Case<'_> {
    fn values(&self, field: Field) -> impl Iterator<Item = &[u8]> {
        self.document.lines().iter().filter(move |line| line.field == field).map(|line| self.document.value(line))
    }

    fn patterns(&self) -> impl Iterator<Item = &[u8]> {
        self.mine.iter().map(|line| self.document.value(line))
    }
}

/// A way in which a peer departs from the standard.
struct Deviation {
    name: &'static str,
    /// Why the answers may differ.
    why: &'static str,
    touches: fn(&Case<'_>) -> bool,
}

const OVER_LIMIT: Deviation = Deviation {
    name: "over-limit",
    why: "what stands at the limit is read otherwise: no limit, or the front part of the line that it cuts",
    touches: |case| case.document.body().len() > 512_000,
};

const NUL: Deviation =
    Deviation { name: "nul", why: "a NUL ends a line for both", touches: |case| case.document.body().contains(&0) };

const PARTIAL_BOM: Deviation = Deviation {
    name: "partial-bom",
    why: "bytes of a byte order mark are dropped one by one, whether or not it is whole",
    touches: |case| {
        let body = case.document.body();
        !case.document.has_bom() && matches!(body, [0xef | 0xbb | 0xbf, ..])
    },
};

/// Fields that either of them accepts besides the right ones, or with blanks for the colon.
const LENIENT_FIELDS: [&str; 19] = [
    "user-agent",
    "user agent",
    "useragent",
    "allow",
    "alow",
    "allaw",
    "disallow",
    "dissallow",
    "dissalow",
    "disalow",
    "diasllow",
    "disallaw",
    "crawl-delay",
    "crawl delay",
    "crawldelay",
    "sitemap",
    "site-map",
    "site map",
    "delay",
];

const LENIENT_FIELD: Deviation = Deviation {
    name: "lenient-field",
    why: "misspelt fields and blanks in place of the colon are accepted",
    touches: |case| {
        let mut lines = case.document.lines().iter().filter(|line| matches!(line.field, Field::Other | Field::None));
        lines.any(|line| {
            let text = case.document.text(line).trim_ascii_start().to_ascii_lowercase();
            LENIENT_FIELDS.iter().any(|field| {
                let rest = text.strip_prefix(field.as_bytes()).unwrap_or(b"x");
                // A crawl-delay that is spelt right is another matter.
                matches!(rest, [b' ' | b'\t' | b':', ..]) && !(*field == "crawl-delay" && line.field == Field::Other)
            })
        })
    },
};

const WHOLE_TOKEN: Deviation = Deviation {
    name: "whole-token",
    why: "the whole value of a user-agent line is the name, so that nobody is named where the standard's token is followed by more",
    touches: |case| {
        case.values(Field::UserAgent).any(|value| match named(value, Token::WithDigits) {
            Named::Everybody => value != b"*",
            Named::Token(token) => token.len() < value.len() && token.eq_ignore_ascii_case(case.agent.as_bytes()),
            Named::Nobody => false,
        })
    },
};

const PREFIX_TOKEN: Deviation = Deviation {
    name: "prefix-token",
    why: "the longest value that the agent's name begins with names it, the empty one included",
    touches: |case| {
        let agent = case.agent.to_lowercase();
        case.values(Field::UserAgent).any(|value| {
            let value = String::from_utf8_lossy(value).to_lowercase();
            let value = value.trim();
            value.len() < agent.len() && agent.starts_with(value)
        })
    },
};

const NO_AGENTS: Deviation = Deviation {
    name: "no-agents",
    why: "without any user-agent line the rules are for everybody",
    touches: |case| {
        let lines = case.document.lines();
        let has = |field| lines.iter().any(|line| line.field == field);
        !has(Field::UserAgent) && (has(Field::Allow) || has(Field::Disallow))
    },
};

const BEFORE_AGENTS: Deviation = Deviation {
    name: "before-agents",
    why: "rules before the first user-agent line are for everybody without a group",
    touches: |case| {
        let first = case
            .document
            .lines()
            .iter()
            .find(|line| !matches!(line.field, Field::Other | Field::None | Field::Sitemap));
        first.is_some_and(|line| line.field != Field::UserAgent)
    },
};

const DELAY_ENDS_LIST: Deviation = Deviation {
    name: "delay-ends-list",
    why: "a crawl-delay ends a list of agents, and for one of them starts what is read of a group",
    touches: |case| {
        let mut list_open = false;
        let mut delay = false;
        for line in case.document.lines() {
            match line.field {
                Field::UserAgent if list_open && delay => return true,
                Field::UserAgent => (list_open, delay) = (true, false),
                Field::Allow | Field::Disallow => list_open = false,
                _ => delay |= case.document.field_name(line).eq_ignore_ascii_case(b"crawl-delay"),
            }
        }
        false
    },
};

const DOLLAR_INSIDE: Deviation = Deviation {
    name: "dollar-inside",
    why: "a $ before the end is an anchor too, or makes the rule invalid",
    touches: |case| case.patterns().any(|pattern| pattern.iter().rev().skip(1).any(|byte| *byte == b'$')),
};

const NOT_UTF8: Deviation = Deviation {
    name: "not-utf8",
    why: "a rule that is not UTF-8 is left out",
    touches: |case| case.patterns().any(|pattern| std::str::from_utf8(pattern).is_err()),
};

const AGENT_NOT_UTF8: Deviation = Deviation {
    name: "agent-not-utf8",
    why: "a user-agent line that is not UTF-8 is passed over, so that it starts no group",
    touches: |case| case.values(Field::UserAgent).any(|value| std::str::from_utf8(value).is_err()),
};

const ESCAPES: Deviation = Deviation {
    name: "escapes",
    why: "escapes are neither undone nor raised, and some printable characters are escaped, which makes them longer",
    touches: |case| case.patterns().any(|pattern| pattern.iter().any(|byte| b"%\"<>`".contains(byte))),
};

const UNICODE_BLANKS: Deviation = Deviation {
    name: "unicode-blanks",
    why: "values are trimmed of every kind of blank",
    touches: |case| {
        let mut lines = case.document.lines().iter();
        lines.any(|line| {
            let value = String::from_utf8_lossy(case.document.value(line));
            value.trim().len() != value.len()
        })
    },
};

const MISSING_SLASH: Deviation = Deviation {
    name: "missing-slash",
    why: "a / is put before a pattern that does not start with one, a * included",
    touches: |case| case.patterns().any(|pattern| !pattern.is_empty() && !pattern.starts_with(b"/")),
};

const EMPTY_RULE: Deviation = Deviation {
    name: "empty-rule",
    why: "a rule without a path is `allow: /`, which ties with a disallow of one character",
    touches: |case| case.patterns().any(<[u8]>::is_empty) && case.patterns().any(|pattern| pattern.len() == 1),
};

const REGEX_LIMIT: Deviation = Deviation {
    name: "regex-limit",
    why: "a pattern with both * and $ is a regular expression, refused when it is too large",
    touches: |case| {
        case.patterns().any(|pattern| pattern.len() > 150 && pattern.contains(&b'*') && pattern.ends_with(b"$"))
    },
};

const TEXTING_ROBOTS: [&Deviation; 13] = [
    &OVER_LIMIT,
    &NUL,
    &PARTIAL_BOM,
    &LENIENT_FIELD,
    &WHOLE_TOKEN,
    &NO_AGENTS,
    &DELAY_ENDS_LIST,
    &DOLLAR_INSIDE,
    &NOT_UTF8,
    &ESCAPES,
    &UNICODE_BLANKS,
    &EMPTY_RULE,
    &REGEX_LIMIT,
];

const ROBOTXT: [&Deviation; 17] = [
    &OVER_LIMIT,
    &NUL,
    &PARTIAL_BOM,
    &LENIENT_FIELD,
    &WHOLE_TOKEN,
    &PREFIX_TOKEN,
    &NO_AGENTS,
    &BEFORE_AGENTS,
    &DELAY_ENDS_LIST,
    &DOLLAR_INSIDE,
    &NOT_UTF8,
    &AGENT_NOT_UTF8,
    &ESCAPES,
    &UNICODE_BLANKS,
    &MISSING_SLASH,
    &EMPTY_RULE,
    &REGEX_LIMIT,
];

/// How a comparison went.
#[derive(Default)]
struct Tally {
    bodies: usize,
    /// Pairs of body and agent.
    pairs: usize,
    answers: usize,
    denied: usize,
    /// Pairs left out, by the first rule that touches them.
    left_out: BTreeMap<&'static str, usize>,
    differences: Vec<String>,
}

impl Tally {
    fn add(&mut self, peer: Peer, deviations: &[&Deviation], body: &Body, agents: &[String], paths: &[String]) {
        self.bodies += 1;
        let document = Document::parse(&body.bytes);
        let robots = document.read(&Dialect::RFC9309);
        let index = bodies::index(agents, &Dialect::RFC9309);
        let urls: Vec<String> = paths.iter().map(|path| format!("http://e.example{path}")).collect();
        let ours = bodies::decisions(&body.bytes, &index, &urls, &Dialect::RFC9309);
        let mut selection = Selection::default();
        selection.select(&robots, &index);
        for set in selection.sets() {
            let groups = selection.groups_of(set);
            let is_mine = |line: &&Line| {
                matches!(line.field, Field::Allow | Field::Disallow)
                    && robots.group_at(line.number).is_some_and(|group| groups.contains(&(group as u32)))
            };
            for at in selection.agents_of(set) {
                let at = *at as usize;
                let mine = document.lines().iter().filter(is_mine).collect();
                let case = Case { document: &document, agent: &agents[at], mine };
                if let Some(deviation) = deviations.iter().find(|deviation| (deviation.touches)(&case)) {
                    *self.left_out.entry(deviation.name).or_default() += 1;
                    continue;
                }
                let Some(theirs) = peer(&body.bytes, &agents[at], paths) else {
                    self.differences.push(format!("{} {}: refused", body.id, agents[at]));
                    continue;
                };
                self.pairs += 1;
                for (path, theirs) in theirs.iter().enumerate() {
                    let ours = ours[at * paths.len() + path].verdict == Verdict::Allow;
                    self.answers += 1;
                    self.denied += usize::from(!ours);
                    if ours == *theirs {
                        continue;
                    }
                    let question = (&body.id, &agents[at], &paths[path]);
                    self.differences.push(format!("{question:?}: we say {}, it says {}", word(ours), word(*theirs)));
                }
            }
        }
    }

    fn tell(&self, peer: &str, what: &str, deviations: &[&Deviation]) {
        eprintln!(
            "{peer}, {what}: {} bodies, {} pairs of body and agent, {} answers ({} deny), {} differences",
            self.bodies,
            self.pairs,
            self.answers,
            self.denied,
            self.differences.len(),
        );
        for deviation in deviations {
            let count = self.left_out.get(deviation.name).unwrap_or(&0);
            eprintln!("  left out {count:>6} pairs by {}: {}", deviation.name, deviation.why);
        }
        let told = &self.differences[..self.differences.len().min(20)];
        assert!(told.is_empty(), "{} differences:\n{}", self.differences.len(), told.join("\n"));
    }
}

fn word(allowed: bool) -> &'static str {
    if allowed { "allow" } else { "disallow" }
}

const PEERS: [(&str, Peer, &[&Deviation]); 2] =
    [("texting_robots", texting_robots, &TEXTING_ROBOTS), ("robotxt", robotxt, &ROBOTXT)];

/// Some agents that the body names, and two of the others; each costs the peers a parsing of its own.
fn asked(all: &[String], bytes: &[u8]) -> Vec<String> {
    let document = Document::parse(bytes);
    let is_named = |agent: &String| {
        let mut lines = document.lines().iter().filter(|line| line.field == Field::UserAgent);
        lines.any(|line| document.value(line).eq_ignore_ascii_case(agent.as_bytes()))
    };
    let (named, others): (Vec<&String>, Vec<&String>) = all.iter().partition(|agent| is_named(agent));
    named.into_iter().take(6).chain(others.into_iter().take(2)).cloned().collect()
}

/// The path of a URL of the kind that `rule_urls` makes, where it is one that needs no normalising.
fn plain_path(url: &str) -> Option<String> {
    let path = url.strip_prefix("http://e.example").unwrap_or(url);
    let plain =
        path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic() && !b"%\"<>`#\\^{|}'".contains(&byte));
    plain.then(|| path.to_owned())
}

#[test]
fn real_bodies() {
    let agents = bodies::agents(50);
    for (name, peer, deviations) in PEERS {
        let Some(bodies) = bodies::real() else { return };
        let mut tally = Tally::default();
        for body in bodies {
            let urls = bodies::probes().into_iter().chain(bodies::rule_urls(&body.bytes, 12));
            let mut paths: Vec<String> = urls.filter_map(|url| plain_path(&url)).collect();
            paths.push("/robots.txt".to_owned());
            tally.add(peer, deviations, &body, &asked(&agents, &body.bytes), &paths);
        }
        tally.tell(name, "real bodies", deviations);
        assert_eq!(tally.bodies, 25_867);
        // What is left out must stay the exception.
        assert!(tally.left_out.values().sum::<usize>() * 3 < tally.pairs, "{:?}", tally.left_out);
    }
}

#[test]
fn made_up_bodies() {
    let agents: Vec<String> = ["FooBot", "barbot", "foo", "Qux", "bot"].map(str::to_owned).to_vec();
    for (name, peer, deviations) in PEERS {
        let mut rng = Seeded::new(5);
        let mut tally = Tally::default();
        for body in bodies::odd().into_iter().chain(bodies::made_up(&EVERYTHING, 6_000, 12)) {
            let made = std::iter::repeat_with(|| bodies::made_url(&EVERYTHING, &mut rng)).take(8);
            let urls: Vec<String> = bodies::rule_urls(&body.bytes, 6).into_iter().chain(made).collect();
            let paths: Vec<String> = urls.iter().filter_map(|url| plain_path(url)).collect();
            tally.add(peer, deviations, &body, &agents, &paths);
        }
        tally.tell(name, "made-up bodies", deviations);
        assert!(tally.answers > 10_000, "{}", tally.answers);
    }
}
