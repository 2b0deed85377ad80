//! Consent in Crisis (Longpre et al. 2024): how far each agent is restricted, by looking at the rules as texts.

use super::groups::{Groups, Tally};
use super::{Class, Classifier, Sorted, Subject, after, is_python_blank, lower};
use rep::{AccessClass, Basis};
use xxhash_rust::xxh3::xxh3_64;

const STUDY: &str = "Consent in Crisis (Longpre et al. 2024)";

/// What is wrong with how the study reads a file: all three classifiers have it.
macro_rules! reading_defects {
    ($($more:literal),* $(,)?) => {
        &[
            "after the first rule, crawl delay or sitemap of a file each user-agent line begins a group of its own: of stacked agents only the last gets the rules",
            "rules with a question mark are left out, so a file that closes only such paths restricts nothing",
            "`Disallow: /` beside any allow rule is `some`, even if nothing is open",
            "`Disallow: /*` is `some`, though it closes all",
            "two empty disallow rules are `some`, though they close nothing",
            "a field name with a blank before its colon is not known",
            "a byte order mark hides the first line",
            $($more,)*
        ]
    };
}

/// The study's main classifier.
pub(super) const AGENTS: Classifier = Classifier {
    name: "consent-in-crisis",
    study: STUDY,
    subject: Subject::Agents,
    about: "How far an agent is restricted: by the rules of its own name, else by those of `*`, compared as texts.",
    classes: &[
        Class {
            word: "none",
            about: "There is no disallow rule, only one empty one, or the allow rules are the same list.",
            access: Some((AccessClass::All, AccessClass::All)),
        },
        Class { word: "some", about: "Anything else.", access: Some((AccessClass::Some, AccessClass::Some)) },
        Class {
            word: "all",
            about: "One disallow rule is exactly `/` and there is no allow rule.",
            access: Some((AccessClass::None, AccessClass::None)),
        },
    ],
    defects: reading_defects!(),
};

/// The study's ladder.
pub(super) const LADDER: Classifier = Classifier {
    name: "consent-in-crisis-ladder",
    study: STUDY,
    subject: Subject::Agents,
    about: "The same in smaller steps, each told by a look at the whole file.",
    classes: &[
        Class {
            word: "none",
            about: "Restricted in nothing, and the file names neither a crawl delay nor a sitemap.",
            access: Some((AccessClass::All, AccessClass::All)),
        },
        Class {
            word: "none_sitemap",
            about: "Restricted in nothing; `Sitemap` or `sitemap` occurs in the file.",
            access: Some((AccessClass::All, AccessClass::All)),
        },
        Class {
            word: "none_crawl_delay",
            about: "Restricted in nothing; `Crawl-delay:` occurs in the file.",
            access: Some((AccessClass::All, AccessClass::All)),
        },
        Class {
            word: "some_other",
            about: "Restricted in part, in neither of the ways below.",
            access: Some((AccessClass::Some, AccessClass::Some)),
        },
        Class {
            word: "some_disallow_important_dir",
            about: "Restricted in part; the file disallows a path that begins with `/admin`, `/private` or `/confidential`.",
            access: Some((AccessClass::Some, AccessClass::Some)),
        },
        Class {
            word: "some_pattern_restrictions",
            about: "Restricted in part; the file disallows a path with a question mark.",
            access: Some((AccessClass::Some, AccessClass::Some)),
        },
        Class { word: "all", about: "Restricted in everything.", access: Some((AccessClass::None, AccessClass::None)) },
    ],
    defects: reading_defects!(
        "the step comes from anywhere in the file, comments and other agents' groups included, and minds the case of letters"
    ),
};

/// The study's aggregate over all agents.
pub(super) const ALL_AGENTS: Classifier = Classifier {
    name: "consent-in-crisis-all-agents",
    study: STUDY,
    subject: Subject::File,
    about: "How far all agents together are restricted: `*` and every name in the file.",
    classes: &[
        Class { word: "none", about: "No agent is restricted in anything.", access: None },
        Class { word: "some", about: "Some agent is restricted, but not all are in everything.", access: None },
        Class { word: "all", about: "Every agent is restricted in everything.", access: None },
    ],
    defects: reading_defects!(),
};

const NONE: usize = 0;
const SOME: usize = 1;
const ALL: usize = 2;

/// What the study's reader makes of a file.
pub(super) struct Reading {
    named: Vec<(Box<str>, usize)>,
    star: Option<usize>,
}

impl Reading {
    /// Reads a text.
    pub(super) fn of(text: &str) -> Reading {
        let mut groups = Groups::<Rules>::default();
        let mut seen = false;
        for line in lines(text) {
            let line = line.split('#').next().unwrap_or_default().trim_matches(is_python_blank);
            if let Some(name) = after(line, "user-agent:") {
                if seen {
                    groups.begin();
                }
                groups.name(&lower(name.trim_matches(is_python_blank)));
            } else if let Some(value) = after(line, "disallow:") {
                seen = true;
                groups.rules().disallow(value.trim_matches(is_python_blank));
            } else if let Some(value) = after(line, "allow:") {
                seen = true;
                groups.rules().allow.push(value.trim_matches(is_python_blank));
            } else if after(line, "crawl-delay:").or(after(line, "sitemap:")).is_some() {
                seen = true;
            }
            if seen && !groups.has_names() {
                // Rules before the first agent are for nobody.
                *groups.rules() = Rules::default();
            }
        }
        let named: Vec<(Box<str>, usize)> =
            groups.finish().into_iter().map(|(name, rules)| (name, rules.class())).collect();
        let star = named.iter().find(|(name, _)| &**name == "*").map(|(_, class)| *class);
        Reading { named, star }
    }

    /// The classes of agents: the main ones, or the steps of the ladder that the labels of the file make of them.
    pub(super) fn sorted(&self, labels: Option<Labels>) -> Sorted {
        let class = |class: usize| labels.map_or(class, |labels| labels.step(class));
        Sorted {
            named: self.named.iter().map(|(name, own)| (name.clone(), class(*own))).collect(),
            star: self.star.map(class),
            others: Some(match self.star {
                Some(star) => (class(star), Basis::Wildcard),
                None => (class(NONE), Basis::None),
            }),
        }
    }

    /// The class of all agents together.
    pub(super) fn all_agents(&self) -> usize {
        let star = self.star.unwrap_or(NONE);
        let mut classes = self.named.iter().map(|(_, class)| *class).chain([star]);
        if classes.clone().all(|class| class == ALL) {
            ALL
        } else if classes.any(|class| class != NONE) {
            SOME
        } else {
            NONE
        }
    }
}

/// Lines as Python's `splitlines` cuts them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    // CR LF gives an empty line more, which says nothing.
    text.split(['\n', '\r', '\x0b', '\x0c', '\x1c', '\x1d', '\x1e', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// The rules of a name.
#[derive(Debug, Default, Clone, Copy)]
struct Rules {
    disallow: List,
    allow: List,
    /// Disallow rules without a path.
    empty: u64,
    /// Whether a disallow rule is `/`.
    root: bool,
}

impl Rules {
    fn disallow(&mut self, value: &str) {
        self.disallow.push(value);
        self.empty += u64::from(value.is_empty());
        self.root |= value == "/";
    }

    fn class(&self) -> usize {
        let closes_nothing = self.disallow.length == 0 || (self.disallow.length == 1 && self.empty == 1);
        if closes_nothing || self.allow == self.disallow {
            NONE
        } else if self.root && self.allow.length == 0 {
            ALL
        } else {
            SOME
        }
    }
}

impl Tally for Rules {
    fn add(&mut self, later: &Rules) {
        self.disallow.append(&later.disallow);
        self.allow.append(&later.allow);
        self.empty += later.empty;
        self.root |= later.root;
    }
}

/// A list of rules without those that have a question mark: its length, and a hash by which lists are compared. A polynomial modulo
/// a prime, because the hash of two lists one after the other then follows from theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct List {
    length: u64,
    hash: u64,
    power: u64,
}

impl Default for List {
    fn default() -> List {
        List { length: 0, hash: 0, power: 1 }
    }
}

const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0d5a_7c1e_93b4_6f27;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

impl List {
    fn push(&mut self, value: &str) {
        if !value.contains('?') {
            let hash = xxh3_64(value.as_bytes()) % PRIME;
            self.append(&List { length: 1, hash, power: BASE });
        }
    }

    fn append(&mut self, later: &List) {
        self.length += later.length;
        self.hash = (times(self.hash, later.power) + later.hash) % PRIME;
        self.power = times(self.power, later.power);
    }
}

/// What the ladder looks for in a whole file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Labels {
    question_mark: bool,
    important: bool,
    delay: bool,
    sitemap: bool,
}

impl Labels {
    /// Looks.
    pub(super) fn of(text: &str) -> Labels {
        let mut labels = Labels {
            question_mark: false,
            important: false,
            delay: text.contains("Crawl-delay:"),
            sitemap: text.contains("Sitemap") || text.contains("sitemap"),
        };
        // Up to here no line has a question mark: what was looked through once is not looked through again.
        let mut without = 0;
        for (at, field) in text.match_indices("Disallow:") {
            let rest = text.get(at + field.len()..).unwrap_or_default();
            let path = rest.trim_start_matches(is_python_blank);
            labels.important |= ["/admin", "/private", "/confidential"].iter().any(|start| path.starts_with(start));
            let start = text.len() - path.len();
            if !labels.question_mark && path.len() < rest.len() && path.starts_with('/') && start >= without {
                let line = path.split('\n').next().unwrap_or_default();
                labels.question_mark = line.contains('?');
                without = start + line.len();
            }
        }
        labels
    }

    fn step(self, class: usize) -> usize {
        match class {
            NONE if self.delay => 2,
            NONE => usize::from(self.sitemap),
            SOME if self.question_mark => 5,
            SOME if self.important => 4,
            SOME => 3,
            _ => 6,
        }
    }
}
