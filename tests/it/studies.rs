//! The classifiers of published studies: their table from outside, and how far they are from the exact answer on real files.
//!
//! `docs/studies.md` holds what is found here. With `ROBOCENSUS_WRITE=1` these tests write it there.

use crate::run::{arg, assert_same, column, folder, ok, repository, table};
use crate::shared;
use rep::{AccessClass, AccessFinder, Agent, AgentIndex, Basis, Dialect, Document, Field, Selection};
use robocensus::classify::study::{CLASSIFIERS, Comparison, Panel, Subject, Surveyor};
use robocensus::evaluate::agents::{AgentSet, Purpose};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::fs;

#[test]
fn the_table_agrees_with_itself_whoever_does_the_work() {
    let folder = folder();
    let sample = repository("datasets/sample");
    let outs = ["1", "3"].map(|threads| {
        let out = folder.path().join(threads);
        let shards = ["--threads", threads, "--shard-size", "64KiB"];
        ok(&[&["scan", arg(&sample), "-o", arg(&out), "--classifiers", "--no-verdicts"], &shards[..]].concat());
        out
    });
    assert_same(&outs[0], &outs[1]);
    let rows = table(&outs[0], "classifiers");
    let [keys, names, words, bases, agents] =
        ["body_key", "name", "class", "basis", "agents"].map(|name| column(&rows, name));
    let bodies = column(&table(&outs[0], "bodies"), "body_key");
    let known: HashSet<&String> = bodies.iter().collect();
    let mut given: HashSet<(&String, &String, String)> = HashSet::new();
    let mut files = 0;
    for row in 0..keys.len() {
        let classifier = CLASSIFIERS.iter().find(|classifier| classifier.name == names[row]).unwrap();
        assert!(known.contains(&keys[row]) && classifier.classes.iter().any(|class| class.word == words[row]));
        assert_eq!(bases[row] == "-", classifier.subject == Subject::File);
        files += usize::from(classifier.subject == Subject::File);
        for agent in agents[row].trim_matches(['[', ']']).split(' ').filter(|agent| !agent.is_empty()) {
            assert!(given.insert((&keys[row], &names[row], agent.to_owned())), "{} {agent} twice", names[row]);
        }
    }
    let of_files = CLASSIFIERS.iter().filter(|classifier| classifier.subject == Subject::File).count();
    assert_eq!(files, bodies.len() * of_files);
    // Every classifier finds something of every kind in the sample.
    let found: HashSet<(&String, &String)> = names.iter().zip(&words).collect();
    for (name, word) in
        [("consent-in-crisis", "all"), ("cc-2025", "disallow-all"), ("imc-2025", "partially_disallowed")]
    {
        assert!(found.contains(&(&name.to_owned(), &word.to_owned())), "the sample holds no {name} {word}");
    }
    let without = folder.path().join("without");
    ok(&["scan", arg(&sample), "-o", arg(&without)]);
    assert!(!without.join("classifiers").exists());
}

/// Puts a text between two marks of `docs/studies.md`, or asserts that it stands there.
fn document(mark: &str, text: &str) {
    let path = repository("docs/studies.md");
    let page = fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- {mark}: begin -->\n"), format!("<!-- {mark}: end -->"));
    let from = page.find(&begin).unwrap() + begin.len();
    let to = from + page[from..].find(&end).unwrap();
    if std::env::var_os("ROBOCENSUS_WRITE").is_some() {
        let page = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{}{text}{}", &page[..from], &page[to..])).unwrap();
    } else {
        let is_same = page[from..to] == *text;
        assert!(
            is_same,
            "docs/studies.md is out of date ({mark}): run ROBOCENSUS_WRITE=1 cargo test --release studies"
        );
    }
}

#[test]
fn the_documentation_names_every_classifier() {
    let mut text = String::new();
    for classifier in CLASSIFIERS {
        let subject = match classifier.subject {
            Subject::Agents => "each agent",
            Subject::File => "the file",
        };
        writeln!(text, "\n### `{}`\n", classifier.name).unwrap();
        writeln!(text, "{}. Speaks of {subject}. {}\n", classifier.study, classifier.about).unwrap();
        writeln!(text, "| class | what it means | taken for access |\n|---|---|---|").unwrap();
        for class in classifier.classes {
            let access = match class.access {
                None => "-".to_owned(),
                Some((closed, open)) if closed == open => format!("`{}`", closed.as_str()),
                Some((closed, open)) => format!("`{}` or `{}`", closed.as_str(), open.as_str()),
            };
            writeln!(text, "| `{}` | {} | {access} |", class.word, class.about).unwrap();
        }
        writeln!(text, "\nKnown to be wrong with it, and kept:\n").unwrap();
        classifier.defects.iter().for_each(|defect| writeln!(text, "- {defect};").unwrap());
        text.truncate(text.len() - 2);
        text.push_str(".\n");
    }
    text.push('\n');
    document("classifiers", &text);
}

/// How often a classifier says what, of agents that a file names.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    agrees: u64,
    more_closed: u64,
    more_open: u64,
    no_class: u64,
}

impl Tally {
    fn count(&mut self, comparison: Option<Comparison>) {
        *(match comparison {
            Some(Comparison::Agrees) => &mut self.agrees,
            Some(Comparison::MoreClosed) => &mut self.more_closed,
            Some(Comparison::MoreOpen) => &mut self.more_open,
            None => &mut self.no_class,
        }) += 1;
    }

    fn all(&self) -> u64 {
        self.agrees + self.more_closed + self.more_open + self.no_class
    }
}

/// What one look at all real files gives.
#[derive(Debug, Default)]
struct Matrix {
    bodies: u64,
    with_agents: u64,
    /// By classifier and group of agents.
    tallies: BTreeMap<(usize, usize), Tally>,
    /// By classifier: bodies where some agent or `*` gets another class than the exact answer agrees with.
    wrong_bodies: BTreeMap<usize, u64>,
}

/// The group of `*`, before those of the purposes.
const STAR: usize = 0;

fn matrix(bodies: impl Iterator<Item = (String, Vec<u8>)>, mut off: impl FnMut(&str, usize, Comparison)) -> Matrix {
    let set = AgentSet::shipped();
    let agents: Vec<Agent> = set.agents.iter().map(|entry| Agent::bare(entry.agent.token.as_str())).collect();
    let groups: Vec<usize> = set
        .agents
        .iter()
        .map(|entry| {
            1 + Purpose::ALL.iter().position(|purpose| entry.purpose.as_deref() == Some(purpose.as_str())).unwrap()
        })
        .collect();
    // The last one is nobody: no group can name it, so it stands for `*`.
    let nobody = agents.len() as i16;
    let agents = [&agents[..], &[Agent::bare(" ")]].concat();
    let panel = Panel::new(&agents);
    let index = AgentIndex::new(&agents, &Dialect::RFC9309);
    let (mut selection, mut finder, mut surveyor) =
        (Selection::default(), AccessFinder::default(), Surveyor::default());
    let mut matrix = Matrix::default();
    for (id, body) in bodies {
        matrix.bodies += 1;
        let document = Document::parse(&body);
        let robots = document.read(&Dialect::RFC9309);
        if robots.agents.is_empty() {
            continue;
        }
        matrix.with_agents += 1;
        selection.select(&robots, &index);
        finder.begin(&robots);
        // The exact answer for every agent that the file names, and for `*`.
        let mut exact: Vec<(i16, AccessClass)> = Vec::new();
        for rules in selection.sets() {
            let access = finder.of(&robots, selection.groups_of(rules)).class;
            assert!(!matches!(access, AccessClass::Undefined | AccessClass::Undecided), "{id}: {access:?}");
            match rules.basis {
                Basis::Named => exact.extend(selection.agents_of(rules).iter().map(|agent| (*agent, access))),
                Basis::Wildcard => exact.push((nobody, access)),
                Basis::None => {}
            }
        }
        let mut given: HashMap<(usize, i16), Option<Comparison>> = HashMap::new();
        let answer = |agent: i16| exact.iter().find(|(known, _)| *known == agent).map(|(_, access)| *access);
        let survey = surveyor.survey(&panel, &document, |judgement| {
            let number = CLASSIFIERS.iter().position(|known| known.name == judgement.classifier.name).unwrap();
            let star = (judgement.basis == Some(Basis::Wildcard)).then_some(nobody);
            for agent in judgement.agents.iter().copied().chain(star) {
                assert_ne!(judgement.class.word, "undecided", "{id}");
                if let Some(access) = answer(agent) {
                    given.insert((number, agent), judgement.class.compare(access));
                }
            }
            Ok::<(), ()>(())
        });
        assert_eq!(survey, Ok(()));
        for (number, classifier) in CLASSIFIERS.iter().enumerate() {
            if classifier.subject == Subject::File {
                continue;
            }
            let mut is_wrong = false;
            for (agent, _) in &exact {
                let comparison = given.get(&(number, *agent)).copied().flatten();
                let group = groups.get(*agent as usize).copied().unwrap_or(STAR);
                matrix.tallies.entry((number, group)).or_default().count(comparison);
                is_wrong |= comparison != Some(Comparison::Agrees);
                if let Some(comparison) = comparison {
                    off(&id, number, comparison);
                }
            }
            *matrix.wrong_bodies.entry(number).or_default() += u64::from(is_wrong);
        }
    }
    matrix
}

/// A share in per cent, with two digits after the point.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.2}", 100.0 * part as f64 / whole as f64) }
}

/// A collection of which the published count of stacked agents was made, by the name of its source.
const COUNTED: &str = "egonkm/Robots.txt";

/// Whether two agents or more share a group, and whether some do so after a rule. Only rules end a list of agents.
fn stacks(body: &[u8]) -> (bool, bool) {
    let document = Document::parse(body);
    let (mut stacked, mut after_rule, mut open, mut seen) = (false, false, false, false);
    for line in document.lines() {
        match document.entry(line, &Dialect::RFC9309) {
            Some((Field::UserAgent, _)) => {
                stacked |= open;
                after_rule |= open && seen;
                open = true;
            }
            Some((Field::Allow | Field::Disallow, _)) => (open, seen) = (false, true),
            _ => {}
        }
    }
    (stacked, after_rule)
}

/// Whether a body says anything that a robots.txt would.
fn is_like_robots(body: &[u8]) -> bool {
    let lower = body.to_ascii_lowercase();
    ["user-agent", "disallow", "sitemap"].iter().any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
}

#[test]
fn real_files_against_the_exact_answer() {
    let Some(captures) = shared::path("data/robots-captures.tsv.zst") else { return };
    let Some(bodies) = shared::bodies() else { return };
    let counted: HashSet<String> = shared::zst_lines(&captures)
        .skip(1)
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            (cells[0] == COUNTED).then(|| cells[5].to_owned())
        })
        .collect();
    let mut like_robots = [0; 2];
    let mut stacked = [0; 2];
    let mut after_rule: [HashSet<String>; 2] = Default::default();
    let seen = bodies.inspect(|(id, body)| {
        if !is_like_robots(body) {
            return;
        }
        let (stacks, after) = stacks(body);
        for place in if counted.contains(id) { &[0, 1][..] } else { &[1] } {
            like_robots[*place] += 1;
            stacked[*place] += u32::from(stacks);
            if after {
                after_rule[*place].insert(id.clone());
            }
        }
    });
    let mut too_open: BTreeMap<usize, HashSet<String>> = BTreeMap::new();
    let matrix = matrix(seen, |id, number, comparison| {
        if comparison == Comparison::MoreOpen {
            too_open.entry(number).or_default().insert(id.to_owned());
        }
    });
    assert_eq!(matrix.bodies, 25_867);
    // The published figure, exactly.
    assert_eq!((like_robots[0], stacked[0], after_rule[0].len()), (11_741, 907, 637));

    let mut text = String::from("\n");
    let of_agents = || CLASSIFIERS.iter().enumerate().filter(|(_, classifier)| classifier.subject == Subject::Agents);
    writeln!(
        text,
        "{} distinct bodies, {} of them with a `user-agent` line. In per cent: agrees / says more closed / says more open / has no class.\n",
        matrix.bodies, matrix.with_agents
    )
    .unwrap();
    text.push_str("| agents | pairs |");
    of_agents().for_each(|(_, classifier)| write!(text, " `{}` |", classifier.name).unwrap());
    text.push_str("\n|---|---|");
    of_agents().for_each(|_| text.push_str("---|"));
    text.push('\n');
    for group in 0..=Purpose::ALL.len() {
        let name = if group == STAR { "`*`" } else { Purpose::ALL[group - 1].as_str() };
        let pairs = matrix.tallies.get(&(0, group)).map_or(0, Tally::all);
        write!(text, "| {name} | {pairs} |").unwrap();
        for (number, _) in of_agents() {
            let tally = matrix.tallies.get(&(number, group)).copied().unwrap_or_default();
            assert_eq!(tally.all(), pairs);
            let shares =
                [tally.agrees, tally.more_closed, tally.more_open, tally.no_class].map(|part| percent(part, pairs));
            write!(text, " {} |", shares.join(" / ")).unwrap();
        }
        text.push('\n');
    }
    write!(text, "| bodies where it is off for any | {} |", matrix.with_agents).unwrap();
    for (number, _) in of_agents() {
        let wrong = matrix.wrong_bodies[&number];
        write!(text, " {wrong} ({} %) |", percent(wrong, matrix.with_agents)).unwrap();
    }
    text.push_str("\n\n");
    document("matrix", &text);

    let mut text = String::from("\n| | link walk 2024 | all real files |\n|---|---|---|\n");
    let mut row = |name: &str, cells: [String; 2]| writeln!(text, "| {name} | {} | {} |", cells[0], cells[1]).unwrap();
    row("distinct bodies that hold `user-agent`, `disallow` or `sitemap`", like_robots.map(|count| count.to_string()));
    row("of these, with several agents to a group", stacked.map(|count| count.to_string()));
    row("of these, with such a group after a rule", [0, 1].map(|place| after_rule[place].len().to_string()));
    for name in ["consent-in-crisis", "cc-2025"] {
        let number = CLASSIFIERS.iter().position(|classifier| classifier.name == name).unwrap();
        let cells = [0, 1].map(|place| after_rule[place].intersection(&too_open[&number]).count().to_string());
        row(&format!("of these, where `{name}` takes a shipped agent for more open than it is"), cells);
    }
    text.push('\n');
    document("stacked", &text);
}
