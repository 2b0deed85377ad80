//! How often dialects differ on real bodies: the measured part of `docs/dialects.md`.

use crate::bodies;
use crate::run::{ok, repository};
use crate::shared;
use rep::{AgentIndex, Dialect, Verdict};
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;

/// Agents asked about: the first ones of the shipped set.
const AGENTS: usize = 50;

/// URLs made of a body's own rules, at most.
const RULE_URLS: usize = 12;

/// What the measured part of the document begins with.
const HEADING: &str = "\n## How often they differ\n";

/// How often two dialects differ, over some bodies and one set of questions.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    bodies: u64,
    popular: u64,
    captures: u64,
    verdicts: u64,
    captured_verdicts: u64,
    /// The same where one of the two leaves it undefined, and the other does not.
    open_bodies: u64,
    open_verdicts: u64,
}

impl Tally {
    /// Counts a body; `weight` is how often it was captured.
    fn add(&mut self, differ: u64, open: u64, weight: u64, is_popular: bool) {
        self.bodies += u64::from(differ > 0);
        self.popular += u64::from(differ > 0 && is_popular);
        self.captures += if differ > 0 { weight } else { 0 };
        self.verdicts += differ;
        self.captured_verdicts += differ * weight;
        self.open_bodies += u64::from(open > 0);
        self.open_verdicts += open;
    }
}

/// How often each body was captured.
fn captures() -> Option<HashMap<String, u64>> {
    let mut counts = HashMap::new();
    for line in shared::zst_lines(&shared::path("data/robots-captures.tsv.zst")?).skip(1) {
        *counts.entry(line.split('\t').nth(5).unwrap().to_owned()).or_default() += 1;
    }
    Some(counts)
}

/// Verdicts as bytes, in the order of `decisions`.
fn verdicts(bytes: &[u8], indexes: &[AgentIndex], urls: &[String]) -> Vec<Vec<u8>> {
    let read = |(dialect, index): (&'static Dialect, &AgentIndex)| {
        let decisions = bodies::decisions(bytes, index, urls, dialect);
        let byte = |verdict| match verdict {
            Verdict::Allow => 0,
            Verdict::Disallow => 1,
            Verdict::Undefined => 2,
        };
        decisions.iter().map(|decision| byte(decision.verdict)).collect()
    };
    Dialect::ALL.iter().zip(indexes).map(read).collect()
}

/// Places where both decide and differ, and places where one of them does not decide.
fn differences(left: &[u8], right: &[u8]) -> (u64, u64) {
    let count = |differs: fn(u8, u8) -> bool| left.iter().zip(right).filter(|(l, r)| differs(**l, **r)).count() as u64;
    (count(|left, right| left ^ right == 1), count(|left, right| left != right && left | right >= 2))
}

/// The three sets of questions.
#[derive(Default)]
struct Measured {
    probes: Vec<Tally>,
    with_robots_txt: Vec<Tally>,
    rule_urls: Vec<Tally>,
    bodies: u64,
    popular: u64,
    captures: u64,
    probe_verdicts: u64,
    captured_probe_verdicts: u64,
    rule_verdicts: u64,
    captured_rule_verdicts: u64,
    /// Verdicts that are undefined, by dialect: on probes, on rule URLs.
    undefined: Vec<(u64, u64)>,
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..Dialect::ALL.len()).flat_map(|left| (left + 1..Dialect::ALL.len()).map(move |right| (left, right)))
}

fn measure() -> Option<Measured> {
    let captures = captures()?;
    let agents = bodies::agents(AGENTS);
    let indexes: Vec<AgentIndex> = Dialect::ALL.iter().map(|dialect| bodies::index(&agents, dialect)).collect();
    let probes = bodies::probes();
    let robots_txt = ["/robots.txt".to_owned()];
    let none = vec![Tally::default(); pairs().count()];
    let mut measured = Measured {
        probes: none.clone(),
        with_robots_txt: none.clone(),
        rule_urls: none,
        undefined: vec![(0, 0); Dialect::ALL.len()],
        ..Measured::default()
    };
    for body in bodies::real()? {
        let weight = captures.get(&body.id).copied().unwrap_or(0);
        measured.bodies += 1;
        measured.popular += u64::from(body.is_popular);
        measured.captures += weight;
        let rule_urls = bodies::rule_urls(&body.bytes, RULE_URLS);
        let of_probes = verdicts(&body.bytes, &indexes, &probes);
        let of_robots_txt = verdicts(&body.bytes, &indexes, &robots_txt);
        let of_rules = verdicts(&body.bytes, &indexes, &rule_urls);
        let (probe_count, rule_count) = (of_probes[0].len() as u64, of_rules[0].len() as u64);
        measured.probe_verdicts += probe_count;
        measured.captured_probe_verdicts += probe_count * weight;
        measured.rule_verdicts += rule_count;
        measured.captured_rule_verdicts += rule_count * weight;
        for (at, counts) in measured.undefined.iter_mut().enumerate() {
            let undefined = |verdicts: &[u8]| verdicts.iter().filter(|verdict| **verdict == 2).count() as u64;
            counts.0 += undefined(&of_probes[at]);
            counts.1 += undefined(&of_rules[at]);
        }
        for (at, (left, right)) in pairs().enumerate() {
            let (differ, open) = differences(&of_probes[left], &of_probes[right]);
            let (of_file, open_of_file) = differences(&of_robots_txt[left], &of_robots_txt[right]);
            measured.probes[at].add(differ, open, weight, body.is_popular);
            measured.with_robots_txt[at].add(differ + of_file, open + open_of_file, weight, body.is_popular);
            let (differ, open) = differences(&of_rules[left], &of_rules[right]);
            measured.rule_urls[at].add(differ, open, weight, body.is_popular);
        }
    }
    Some(measured)
}

fn percent(part: u64, whole: u64) -> String {
    match part {
        0 => "0".to_owned(),
        _ => format!("{:.3}", 100.0 * part as f64 / whole as f64),
    }
}

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    robocensus::quantity::grouped(number)
}

fn names((left, right): (usize, usize)) -> String {
    format!("`{}` - `{}`", Dialect::ALL[left].name, Dialect::ALL[right].name)
}

/// The measured part of the document.
fn section(m: &Measured) -> String {
    let mut text = HEADING.to_owned();
    write!(
        text,
        "\nMeasured by `scripts/dialect_differences.sh` on a collection of {} distinct real bodies ({} of them of popular sites), which were \
         captured {} times; it is not part of the repository. Asked about are the first {AGENTS} agents of `datasets/agents.toml`. \
         HTTP results do not enter: every body counts as received with status 200.\n\n\
         Columns are percentages. *Bodies* have at least one verdict that one of the two dialects allows and the other disallows; *captures* weighs \
         each body by how often it was captured; *verdicts* are agents x URLs, bodies once each, and weighed by captures in brackets. Where one of the two leaves \
         a verdict undefined and the other does not, this is counted apart, as *open*, and in no other column.\n",
        grouped(m.bodies),
        grouped(m.popular),
        grouped(m.captures),
    )
    .unwrap();
    write!(
        text,
        "\n### On the shipped probes\n\n{} verdicts in each dialect. One column has `/robots.txt` itself as a fifteenth probe, which `rfc9309` always allows.\n\n\
         | | bodies | captures | verdicts | open bodies | open verdicts | bodies, with `/robots.txt` |\n|---|---|---|---|---|---|---|\n",
        grouped(m.probe_verdicts)
    )
    .unwrap();
    for (at, pair) in pairs().enumerate() {
        let t = &m.probes[at];
        writeln!(
            text,
            "| {} | {} | {} | {} ({}) | {} | {} | {} |",
            names(pair),
            percent(t.bodies, m.bodies),
            percent(t.captures, m.captures),
            percent(t.verdicts, m.probe_verdicts),
            percent(t.captured_verdicts, m.captured_probe_verdicts),
            percent(t.open_bodies, m.bodies),
            percent(t.open_verdicts, m.probe_verdicts),
            percent(m.with_robots_txt[at].bodies, m.bodies),
        )
        .unwrap();
    }
    write!(
        text,
        "\n### On URLs that each body's rules are about\n\nUp to {RULE_URLS} patterns of each body, spread over the file, with their wildcards filled: {} verdicts in each dialect. A body without \
         rules has none, and counts as one that does not differ. *Popular* are the bodies of popular sites alone.\n\n\
         | | bodies | popular | captures | verdicts | open bodies | open verdicts |\n|---|---|---|---|---|---|---|\n",
        grouped(m.rule_verdicts)
    )
    .unwrap();
    for (at, pair) in pairs().enumerate() {
        let t = &m.rule_urls[at];
        writeln!(
            text,
            "| {} | {} | {} | {} | {} ({}) | {} | {} |",
            names(pair),
            percent(t.bodies, m.bodies),
            percent(t.popular, m.popular),
            percent(t.captures, m.captures),
            percent(t.verdicts, m.rule_verdicts),
            percent(t.captured_verdicts, m.captured_rule_verdicts),
            percent(t.open_bodies, m.bodies),
            percent(t.open_verdicts, m.rule_verdicts),
        )
        .unwrap();
    }
    text += "\n### Undefined verdicts\n\n| | on the shipped probes | on rule URLs |\n|---|---|---|\n";
    for (dialect, (probes, rules)) in Dialect::ALL.iter().zip(&m.undefined) {
        let (probes, rules) = (percent(*probes, m.probe_verdicts), percent(*rules, m.rule_verdicts));
        writeln!(text, "| `{}` | {probes} | {rules} |", dialect.name).unwrap();
    }
    text
}

/// With `ROBOCENSUS_WRITE` set, `docs/dialects.md` is written anew instead of compared.
#[test]
fn the_documented_table_is_current() {
    let Some(measured) = measure() else { return };
    assert_eq!((measured.bodies, measured.captures), (25_867, 53_384));
    let path = repository("docs/dialects.md");
    let section = section(&measured);
    if std::env::var_os("ROBOCENSUS_WRITE").is_some() {
        fs::write(&path, ok(&["dialects", "--markdown"]) + &section).unwrap();
        return;
    }
    let text = fs::read_to_string(&path).unwrap();
    let found = text.find(HEADING).map_or("", |at| &text[at..]);
    assert!(found == section, "docs/dialects.md is out of date: run scripts/dialect_differences.sh");
}
