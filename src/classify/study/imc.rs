//! Somesite I Used to Crawl (Liu et al., IMC 2025): every path that a file names is put to Google's parser.

use super::{Class, Classifier, Panel, Sorter, Subject, is_python_blank};
use rep::{AccessClass, AccessFinder, Basis, Decisions, Dialect, Document, Paths, Selection, Verdict};
use std::collections::HashSet;

/// The study's classifier.
pub(super) const CLASSIFIER: Classifier = Classifier {
    name: "imc-2025",
    study: "Somesite I Used to Crawl (Liu et al., IMC 2025)",
    subject: Subject::Agents,
    about: "What Google's parser says of `/`, of a made-up path and of every path in the file, other agents' included.",
    classes: &[
        Class {
            word: "fully_disallowed",
            about: "`/` is disallowed, and so is every other path.",
            access: Some((AccessClass::None, AccessClass::None)),
        },
        Class {
            word: "partially_disallowed",
            about: "`/` and another path differ.",
            access: Some((AccessClass::Some, AccessClass::Some)),
        },
        Class {
            word: "no_restrictions",
            about: "`/` is allowed, and so is every other path.",
            access: Some((AccessClass::All, AccessClass::All)),
        },
        Class {
            word: "undecided",
            about: "The file names so many paths and rules that asking was given up; the study knows no such class.",
            access: None,
        },
    ],
    defects: &[
        "paths are asked about as the rules have them: `*` literally and the `$` at the end cut off, so what only a wildcard opens or closes is overlooked",
        "the path of a rule is its second word, so one behind a comment sign or a field with a blank before its colon is no path",
        "Google's parser cuts names at their first digit: MJ12bot is never found by name",
    ],
};

const FULLY: usize = 0;
const PARTIALLY: usize = 1;
const NOTHING: usize = 2;
const UNDECIDED: usize = 3;

/// The site that the paths are of: any does.
const SITE: &str = "http://site.example";

/// The path that no file names.
const MADE_UP: &str = "/dummy-testing-path-54321";

/// Times that a rule may meet a path, for one body: some 50 ms. Real files need a hundredth.
const MEETINGS: usize = 10_000_000;

/// Rule sets x paths that are asked about at a time: a bound on memory.
const CELLS: usize = 1 << 17;

/// Asks about paths. Scratch space of a worker.
#[derive(Debug, Default)]
pub(super) struct Prober {
    selection: Selection,
    decisions: Decisions,
    finder: AccessFinder,
}

/// A rule set that is not settled.
struct Open {
    set: usize,
    root: Verdict,
}

impl Prober {
    /// Puts every agent into a class.
    pub(super) fn judge(&mut self, panel: &Panel, document: &Document<'_>, text: &str, sorter: &mut Sorter) {
        let robots = document.read(&Dialect::GOOGLE);
        self.selection.select(&robots, &panel.google);
        let count = self.selection.sets().len();
        let mut classes = vec![NOTHING; count];
        // Where all or nothing is open, no path need be asked about.
        self.finder.begin(&robots);
        let mut open: Vec<Open> = Vec::new();
        for (number, set) in self.selection.sets().iter().enumerate() {
            match self.finder.of(&robots, self.selection.groups_of(set)).class {
                AccessClass::All => {}
                AccessClass::None => classes[number] = FULLY,
                _ => open.push(Open { set: number, root: Verdict::Undefined }),
            }
        }
        if !open.is_empty() {
            let paths = paths(text);
            let mut left = MEETINGS;
            let mut asked = 0;
            let mut chunk = 8;
            while asked < paths.len() && !open.is_empty() {
                let end = paths.len().min(asked + chunk);
                let cost = (robots.rules.len() + robots.agents.len() + count).saturating_mul(end - asked);
                let Some(rest) = left.checked_sub(cost) else { break };
                left = rest;
                let urls: Vec<String> = paths[asked..end].iter().map(|path| format!("{SITE}{path}")).collect();
                let prepared = Paths::new(urls.iter().map(|url| url.as_bytes()), &Dialect::GOOGLE);
                self.decisions.evaluate(&robots, &self.selection, &prepared);
                open.retain_mut(|rules| {
                    let decided = self.decisions.of_set(rules.set);
                    if asked == 0 {
                        rules.root = decided.first().map_or(Verdict::Allow, |decision| decision.verdict);
                        classes[rules.set] = if rules.root == Verdict::Disallow { FULLY } else { NOTHING };
                    }
                    let differs = decided.iter().any(|decision| decision.verdict != rules.root);
                    if differs {
                        classes[rules.set] = PARTIALLY;
                    }
                    !differs
                });
                asked = end;
                chunk = (chunk * 4).min(1 + CELLS / count.max(1));
            }
            if asked < paths.len() {
                open.iter().for_each(|rules| classes[rules.set] = UNDECIDED);
            }
        }
        for (set, class) in self.selection.sets().iter().zip(classes) {
            for agent in self.selection.agents_of(set) {
                sorter.put(*agent, class, set.basis);
                if *agent as usize == panel.count && set.basis == Basis::Wildcard {
                    sorter.star = Some(class);
                }
            }
        }
    }
}

/// The paths that the study asks about, `/` first, each once.
fn paths(text: &str) -> Vec<&str> {
    let mut paths = vec!["/", MADE_UP];
    let mut seen: HashSet<&str> = paths.iter().copied().collect();
    for line in text.split('\n') {
        let Some(path) = path_of(line) else { continue };
        let path = path.strip_suffix('$').unwrap_or(path);
        if seen.insert(path) {
            paths.push(path);
        }
    }
    paths
}

/// The path of a line that has `allow:` in it: its second word, or where no blank follows, what stands behind the first colon.
fn path_of(line: &str) -> Option<&str> {
    let mut has_field = false;
    for at in memchr::memchr_iter(b':', line.as_bytes()) {
        let is_allow = at
            .checked_sub(5)
            .and_then(|from| line.as_bytes().get(from..at))
            .is_some_and(|word| word.eq_ignore_ascii_case(b"allow"));
        if is_allow && line.as_bytes().get(at + 1) == Some(&b' ') {
            return line.split(is_python_blank).filter(|word| !word.is_empty()).nth(1);
        }
        has_field |= is_allow;
    }
    if has_field { line.split(':').nth(1) } else { None }
}
