//! Figures of a comparison: one entry each, from which files and page follow.

use super::join::Joined;
use super::shared::STATES;
use super::tallies::{CAUSES, MOVES, NAMING, NO_REASON, TEXT_CHANGES, Units, move_of, word_of};
use crate::report::interval::wilson;
use rep::Reason;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What is counted, and in what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Population {
    /// Origins that all outputs have and can tell about.
    Panel,
    /// Their registered domains, for each of which one of these origins stands.
    PanelDomains,
    /// All origins of an output, or of either output of a pair.
    All,
}

impl Population {
    /// Every one, in the order of [`Units`].
    pub const ALL: [Population; 3] = [Population::Panel, Population::PanelDomains, Population::All];

    /// The words for population and unit.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Population::Panel => ("panel", "origin"),
            Population::PanelDomains => ("panel", "domain"),
            Population::All => ("all", "origin"),
        }
    }

    /// What it is, for people.
    pub const fn about(self) -> &'static str {
        match self {
            Population::Panel => "Origins that every output has and whose answer every input can tell.",
            Population::PanelDomains => {
                "Registered domains with such an origin; that with https, the shortest name and the first in order stands for them."
            }
            Population::All => {
                "Of an output, all origins whose answer its input can tell; of a pair, those that either output has, but for \
                 those whose answer one of the two inputs cannot tell."
            }
        }
    }
}

/// What shares of a figure are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// All rows that are alike in so many first dimensions.
    Within(usize),
    /// The whole population of the pair or output, which the first dimensions name.
    Population,
}

/// A figure.
pub struct Figure {
    /// Its name: that of its files, and its anchor on the page.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What exactly is counted.
    pub definition: &'static str,
    /// What shares are of, for people.
    pub denominator: &'static str,
    /// Columns that tell rows apart: name, and what people call it.
    pub dimensions: &'static [(&'static str, &'static str)],
    /// What shares are of.
    pub base: Base,
    /// Whether it needs the verdicts of all outputs.
    pub needs_verdicts: bool,
    /// Which populations it is given for.
    pub populations: &'static [Population],
    /// Whether an agent that texts name is its last dimension but these, of which only the most frequent are kept.
    pub top: Option<Top>,
    count: fn(&Joined) -> Counts,
}

/// Only the rows with the most frequent words of one dimension.
#[derive(Debug, Clone, Copy)]
pub struct Top {
    /// The dimension.
    pub dimension: usize,
    /// How many of its words.
    pub most: usize,
}

/// A word and its place in an order; words of one place are in the order of the alphabet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(u32, String);

type Counts = BTreeMap<Vec<Word>, Units>;

/// A figure with its numbers.
pub struct Filled {
    /// What it is.
    pub figure: &'static Figure,
    /// Its rows, by population and dimensions, each in its order.
    pub rows: Vec<Row>,
}

/// A row of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is counted.
    pub population: Population,
    /// A word for each dimension.
    pub words: Vec<String>,
    /// How many.
    pub count: u64,
    /// Of how many.
    pub total: u64,
    /// The 95 % interval of the share, where the outputs are samples.
    pub interval: Option<(f64, f64)>,
}

/// Agents in figures that have one row each: the rest is in the table `agents`.
const MOST_NAMED: usize = 100;

const ALL_POPULATIONS: &[Population] = &Population::ALL;

/// Every figure, in the order that it is shown in.
pub const FIGURES: &[Figure] = &[
    Figure {
        id: "presence",
        title: "Origins that came, stayed and went",
        definition: "Origins of either output of a pair, by whether both have them.",
        denominator: "All origins of the pair.",
        dimensions: &[("from", "From"), ("to", "To"), ("presence", "Presence")],
        base: Base::Within(2),
        needs_verdicts: false,
        populations: &[Population::All],
        top: None,
        count: |joined| {
            let texts = joined.tallies.texts.iter();
            collect(texts.map(|((step, change, _), units)| {
                let place = usize::from(change.saturating_sub(4));
                (vec![from(joined, *step), to(joined, *step), placed(&["stayed", "came", "went"], place)], *units)
            }))
        },
    },
    Figure {
        id: "seen",
        title: "First and last seen",
        definition: "Origins by the first and the last output that has them, and by how many have them. Those whose answer an \
                     input cannot tell are in it.",
        denominator: "All origins of all outputs.",
        dimensions: &[("first_seen", "First seen"), ("last_seen", "Last seen"), ("outputs", "In how many outputs")],
        base: Base::Within(0),
        needs_verdicts: false,
        populations: &[Population::All],
        top: None,
        count: |joined| {
            collect(joined.tallies.seen.iter().map(|((first, last, times), count)| {
                let times = Word(u32::from(*times), times.to_string());
                (vec![snapshot(joined, *first), snapshot(joined, *last), times], Units([0, 0, *count]))
            }))
        },
    },
    Figure {
        id: "reasons",
        title: "How requests for robots.txt ended",
        definition: "Origins of each output by the reason of their outcome.",
        denominator: "The population of the output.",
        dimensions: &[("snapshot", "Snapshot"), ("reason", "Reason")],
        base: Base::Population,
        needs_verdicts: false,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| {
            let levels = joined.tallies.reason_levels.iter();
            collect(levels.map(|((at, why), units)| (vec![snapshot(joined, *at), reason(*why)], *units)))
        },
    },
    Figure {
        id: "reason_changes",
        title: "How the ends of requests changed",
        definition: "Origins by the reason of their outcome in the one output and in the other; absent where it is not there.",
        denominator: "Those with the same reason before.",
        dimensions: &[("from", "From"), ("to", "To"), ("before", "Before"), ("after", "After")],
        base: Base::Within(3),
        needs_verdicts: false,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| {
            collect(joined.tallies.reasons.iter().map(|((step, before, after), units)| {
                (vec![from(joined, *step), to(joined, *step), reason(*before), reason(*after)], *units)
            }))
        },
    },
    Figure {
        id: "access",
        title: "What agents may fetch, output by output",
        definition: "What each agent may fetch of an origin: all, some or none of its paths by the text, undefined or undecided by \
                     it; no_text_full_allow, no_text_full_disallow or no_text_undefined where a status decides; unresolved where \
                     redirects led nowhere.",
        denominator: "The population of the output.",
        dimensions: &[("snapshot", "Snapshot"), ("agent", "Agent"), ("access", "Access")],
        base: Base::Population,
        needs_verdicts: true,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| {
            collect(joined.tallies.answer_levels.iter().map(|((at, who, answer), units)| {
                (vec![snapshot(joined, *at), agent(joined, *who), state(joined, *answer)], *units)
            }))
        },
    },
    Figure {
        id: "access_changes",
        title: "Transitions of access",
        definition: "What each agent may fetch of an origin in the one output and in the other, as in the figure access; absent where \
                     the origin is not there.",
        denominator: "Those with the same access of the agent before.",
        dimensions: &[("from", "From"), ("to", "To"), ("agent", "Agent"), ("before", "Before"), ("after", "After")],
        base: Base::Within(4),
        needs_verdicts: true,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| {
            collect(joined.tallies.answers.iter().map(|((step, who, before, after, _), units)| {
                let words = [from(joined, *step), to(joined, *step), agent(joined, *who)].into_iter();
                (words.chain([state(joined, *before), state(joined, *after)]).collect(), *units)
            }))
        },
    },
    Figure {
        id: "moves",
        title: "Who opened and who closed",
        definition: "Origins where an agent's access moved. Closed: it could fetch some or all before and nothing after, by text or \
                     status. Opened: the reverse. Narrowed: all before, some after. Widened: the reverse. The cause is what the \
                     move came with: a status (one of the two has no text that decides), another template, another managed block, \
                     else the owner's own change; same_text where the text is the same and only its reading differs.",
        denominator: "The population of the pair.",
        dimensions: &[("from", "From"), ("to", "To"), ("agent", "Agent"), ("move", "Move"), ("cause", "Cause")],
        base: Base::Population,
        needs_verdicts: true,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| {
            let of = |answer| joined.catalogue.answer(answer).map_or(u8::MAX, |answer| answer.state);
            let answers = joined.tallies.answers.iter();
            collect(answers.filter_map(|((step, who, before, after, cause), units)| {
                let moved = move_of(of(*before), of(*after))?;
                let words = [from(joined, *step), to(joined, *step), agent(joined, *who)].into_iter();
                let words = words.chain([placed(&MOVES, usize::from(moved)), placed(&CAUSES, usize::from(*cause))]);
                Some((words.collect(), *units))
            }))
        },
    },
    Figure {
        id: "probes",
        title: "Transitions of single paths",
        definition: "Whether an agent may fetch a path of an origin, in the one output and in the other: allow, disallow or undefined \
                     by text or status; unresolved where redirects led nowhere; absent where the origin is not there.",
        denominator: "Those with the same answer for the agent and path before.",
        dimensions: &[
            ("from", "From"),
            ("to", "To"),
            ("agent", "Agent"),
            ("probe", "Path"),
            ("before", "Before"),
            ("after", "After"),
        ],
        base: Base::Within(5),
        needs_verdicts: true,
        populations: ALL_POPULATIONS,
        top: None,
        count: probes,
    },
    Figure {
        id: "texts",
        title: "Texts that changed",
        definition: "Origins by what became of their robots.txt: the same to the byte, changed, appeared (no 2xx answer before), \
                     vanished, never there; came or went where the origin did. The cause is that of the figure moves.",
        denominator: "The population of the pair.",
        dimensions: &[("from", "From"), ("to", "To"), ("text", "Text"), ("cause", "Cause")],
        base: Base::Population,
        needs_verdicts: false,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| {
            collect(joined.tallies.texts.iter().map(|((step, change, cause), units)| {
                let words = [from(joined, *step), to(joined, *step)].into_iter();
                let words =
                    words.chain([placed(&TEXT_CHANGES, usize::from(*change)), placed(&CAUSES, usize::from(*cause))]);
                (words.collect(), *units)
            }))
        },
    },
    Figure {
        id: "templates",
        title: "Transitions of templates",
        definition: "Origins that both outputs have, by the template of their text in each: (none) where none is recognised, (no text) \
                     without a 2xx answer.",
        denominator: "Those with the same template before.",
        dimensions: &[("from", "From"), ("to", "To"), ("before", "Before"), ("after", "After")],
        base: Base::Within(3),
        needs_verdicts: false,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| makers(joined, &joined.tallies.templates),
    },
    Figure {
        id: "managed",
        title: "Transitions of managed blocks",
        definition: "Origins that both outputs have, by the service that manages a block of their text in each: (none) where none is \
                     recognised, (no text) without a 2xx answer.",
        denominator: "Those with the same service before.",
        dimensions: &[("from", "From"), ("to", "To"), ("before", "Before"), ("after", "After")],
        base: Base::Within(3),
        needs_verdicts: false,
        populations: ALL_POPULATIONS,
        top: None,
        count: |joined| makers(joined, &joined.tallies.managed),
    },
    Figure {
        id: "named",
        title: "Agents that texts name, output by output",
        definition: "Origins whose robots.txt (body_kind robots, 2xx) has a group for the agent; for the hundred that most origins name \
                     in any output. The table agents has all of them.",
        denominator: "The population of the output.",
        dimensions: &[("snapshot", "Snapshot"), ("agent", "Agent")],
        base: Base::Population,
        needs_verdicts: false,
        populations: ALL_POPULATIONS,
        top: Some(Top { dimension: 1, most: MOST_NAMED }),
        count: |joined| {
            let levels = joined.tallies.naming_levels.iter();
            collect(levels.map(|((at, word), units)| (vec![snapshot(joined, *at), named(joined, *word)], *units)))
        },
    },
    Figure {
        id: "naming_changes",
        title: "Agents that texts began or ceased to name",
        definition: "Origins whose robots.txt names an agent in the one output and not in the other, or in both, with what the agent's \
                     own group lets it fetch (in the first dialect of its scan; after a stop, before it). For the hundred agents \
                     that most origins began or ceased to name.",
        denominator: "The population of the pair.",
        dimensions: &[("from", "From"), ("to", "To"), ("agent", "Agent"), ("naming", "Naming"), ("access", "Access")],
        base: Base::Population,
        needs_verdicts: false,
        populations: ALL_POPULATIONS,
        top: Some(Top { dimension: 2, most: MOST_NAMED }),
        count: |joined| {
            collect(joined.tallies.naming.iter().map(|((step, word, naming, access), units)| {
                let words = [from(joined, *step), to(joined, *step), named(joined, *word)].into_iter();
                let access = placed(&STATES, usize::from(*access));
                (words.chain([placed(&NAMING, usize::from(*naming)), access]).collect(), *units)
            }))
        },
    },
    Figure {
        id: "newly_named",
        title: "Agents that nobody named before",
        definition: "Agents that no origin of the first output names, with the first and the last output of which an origin does, by \
                     the origins that name them in that last one; the hundred with most of them.",
        denominator: "The population of that last output.",
        dimensions: &[("first_seen", "First seen"), ("last_seen", "Last seen"), ("agent", "Agent")],
        base: Base::Population,
        needs_verdicts: false,
        populations: &[Population::Panel, Population::All],
        top: Some(Top { dimension: 2, most: MOST_NAMED }),
        count: newly_named,
    },
];

/// The figure of this name.
pub fn named_figure(id: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.id == id)
}

/// The rows of every figure that can be told.
pub fn fill(joined: &Joined) -> Vec<Filled> {
    let figures = FIGURES.iter().filter(|figure| joined.shared.has_verdicts || !figure.needs_verdicts);
    figures.map(|figure| Filled { figure, rows: rows(joined, figure) }).collect()
}

fn rows(joined: &Joined, figure: &'static Figure) -> Vec<Row> {
    let mut counts = (figure.count)(joined);
    if let Some(top) = figure.top {
        keep_top(&mut counts, top, figure.id == "naming_changes");
    }
    let mut within: HashMap<&[Word], Units> = HashMap::new();
    if let Base::Within(keep) = figure.base {
        for (words, units) in &counts {
            within.entry(words.get(..keep).unwrap_or_default()).or_default().add(*units);
        }
    }
    let is_sample = joined.shared.sample.is_some();
    let mut rows = Vec::new();
    for population in figure.populations {
        let of = |units: Units| units.0[*population as usize];
        for (words, units) in counts.iter().filter(|(_, units)| of(**units) > 0) {
            let totals = match figure.base {
                Base::Within(keep) => within.get(words.get(..keep).unwrap_or_default()).copied().unwrap_or_default(),
                Base::Population => population_of(joined, figure, words),
            };
            let (count, total) = (of(*units), of(totals));
            rows.push(Row {
                population: *population,
                words: words.iter().map(|word| word.1.clone()).collect(),
                count,
                total,
                interval: if is_sample { wilson(count, total) } else { None },
            });
        }
    }
    rows
}

/// The population that the first dimensions of a figure name: a pair, or a snapshot.
fn population_of(joined: &Joined, figure: &Figure, words: &[Word]) -> Units {
    let place = |name: &str| {
        let at = figure.dimensions.iter().position(|(dimension, _)| *dimension == name)?;
        words.get(at).map(|word| word.0)
    };
    if let Some(snapshot) = place("snapshot").or_else(|| place("last_seen")) {
        return joined.tallies.snapshots.get(snapshot as usize).copied().unwrap_or_default();
    }
    let step = place("from").zip(place("to")).and_then(|(from, to)| {
        joined.steps.iter().position(|step| (u32::from(step.0), u32::from(step.1)) == (from, to))
    });
    step.and_then(|step| joined.tallies.steps.get(step)).copied().unwrap_or_default()
}

/// Keeps the words with the greatest count of all origins, those that are equal in the order of the alphabet.
fn keep_top(counts: &mut Counts, top: Top, only_changes: bool) {
    let mut of_words: HashMap<&Word, u64> = HashMap::new();
    let is_kept = placed(&NAMING, 2);
    for (words, units) in &*counts {
        let counts_too = !(only_changes && words.contains(&is_kept));
        if let Some(word) = words.get(top.dimension) {
            *of_words.entry(word).or_default() += if counts_too { units.0[Population::All as usize] } else { 0 };
        }
    }
    let mut words: Vec<(&Word, u64)> = of_words.into_iter().filter(|(_, count)| *count > 0).collect();
    words.sort_unstable_by_key(|(word, count)| (Reverse(*count), *word));
    let kept: HashSet<Word> = words.into_iter().take(top.most).map(|(word, _)| word.clone()).collect();
    counts.retain(|words, _| words.get(top.dimension).is_some_and(|word| kept.contains(word)));
}

fn collect(counts: impl Iterator<Item = (Vec<Word>, Units)>) -> Counts {
    let mut collected = Counts::new();
    for (words, units) in counts {
        collected.entry(words).or_default().add(units);
    }
    collected
}

fn placed(words: &[&str], place: usize) -> Word {
    Word(place as u32, words.get(place).copied().unwrap_or_default().to_owned())
}

fn snapshot(joined: &Joined, number: u8) -> Word {
    Word(u32::from(number), joined.snapshots.get(usize::from(number)).map_or_else(String::new, |s| s.name.clone()))
}

fn from(joined: &Joined, step: u8) -> Word {
    snapshot(joined, joined.steps.get(usize::from(step)).map_or(0, |step| step.0))
}

fn to(joined: &Joined, step: u8) -> Word {
    snapshot(joined, joined.steps.get(usize::from(step)).map_or(0, |step| step.1))
}

fn reason(number: u8) -> Word {
    let word =
        if number == NO_REASON { Some("absent") } else { Reason::ALL.get(usize::from(number)).map(|r| r.as_str()) };
    Word(u32::from(number), word.unwrap_or_default().to_owned())
}

fn agent(joined: &Joined, number: u16) -> Word {
    Word(u32::from(number), joined.shared.agents.get(usize::from(number)).cloned().unwrap_or_default())
}

fn state(joined: &Joined, answer: u32) -> Word {
    placed(&STATES, joined.catalogue.answer(answer).map_or(usize::MAX, |answer| usize::from(answer.state)))
}

fn named(joined: &Joined, word: u32) -> Word {
    Word(0, joined.catalogue.text(word).map_or_else(String::new, |word| word.to_string()))
}

fn makers<S: std::hash::BuildHasher>(joined: &Joined, counts: &HashMap<(u8, u32, u32), Units, S>) -> Counts {
    let word = |word: u32| Word(0, word_of(&joined.catalogue, word));
    collect(counts.iter().map(|((step, before, after), units)| {
        (vec![from(joined, *step), to(joined, *step), word(*before), word(*after)], *units)
    }))
}

/// Words for the answer about a path.
const PROBE_ANSWERS: [&str; 5] = ["allow", "disallow", "undefined", "unresolved", "absent"];

fn probes(joined: &Joined) -> Counts {
    // Answers are few, however many origins have them.
    let mut of_pairs: HashMap<(u8, u16, u32, u32), Units> = HashMap::new();
    for ((step, agent, before, after, _), units) in &joined.tallies.answers {
        of_pairs.entry((*step, *agent, *before, *after)).or_default().add(*units);
    }
    let answer_to = |answer: u32, probe: u16| -> usize {
        let Some(answer) = joined.catalogue.answer(answer) else { return PROBE_ANSWERS.len() };
        match STATES.get(usize::from(answer.state)) {
            Some(&"unresolved") => 3,
            Some(&"absent") => 4,
            _ if answer.disallowed.binary_search(&probe).is_ok() => 1,
            _ if answer.undefined.binary_search(&probe).is_ok() => 2,
            _ => 0,
        }
    };
    let mut counts: HashMap<(u8, u16, u16, usize, usize), Units> = HashMap::new();
    for ((step, agent, before, after), units) in of_pairs {
        for probe in 0..joined.shared.probes.len() as u16 {
            let key = (step, agent, probe, answer_to(before, probe), answer_to(after, probe));
            counts.entry(key).or_default().add(units);
        }
    }
    collect(counts.into_iter().map(|((step, who, probe, before, after), units)| {
        let path = joined.shared.probes.get(usize::from(probe)).cloned().unwrap_or_default();
        let words =
            [from(joined, step), to(joined, step), agent(joined, who), Word(u32::from(probe), path)].into_iter();
        (words.chain([placed(&PROBE_ANSWERS, before), placed(&PROBE_ANSWERS, after)]).collect(), units)
    }))
}

/// The first and the last snapshot in which any origin names each agent, by word.
pub fn naming_spans(joined: &Joined) -> HashMap<u32, (u8, u8)> {
    let mut spans: HashMap<u32, (u8, u8)> = HashMap::new();
    for (at, word) in joined.tallies.naming_levels.keys() {
        let span = spans.entry(*word).or_insert((*at, *at));
        *span = (span.0.min(*at), span.1.max(*at));
    }
    spans
}

fn newly_named(joined: &Joined) -> Counts {
    let spans = naming_spans(joined).into_iter().filter(|(_, (first, _))| *first > 0);
    collect(spans.map(|(word, (first, last))| {
        let units = joined.tallies.naming_levels.get(&(last, word)).copied().unwrap_or_default();
        (vec![snapshot(joined, first), snapshot(joined, last), named(joined, word)], units)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_described_once() {
        let ids: HashSet<&str> = FIGURES.iter().map(|figure| figure.id).collect();
        assert_eq!(ids.len(), FIGURES.len());
        for figure in FIGURES {
            assert!(figure.definition.ends_with('.') && figure.denominator.ends_with('.'), "{}", figure.id);
            if let Base::Within(keep) = figure.base {
                assert!(keep < figure.dimensions.len(), "{}", figure.id);
            }
        }
    }

    #[test]
    fn the_most_frequent_words_are_kept() {
        let word = |text: &str| Word(0, text.to_owned());
        let counts =
            [("a", "started", 1), ("a", "kept", 90), ("b", "started", 5), ("c", "stopped", 5), ("d", "kept", 99)];
        let mut counts = collect(counts.into_iter().map(|(agent, naming, count)| {
            let naming = placed(&NAMING, NAMING.iter().position(|word| *word == naming).unwrap());
            (vec![word(agent), naming], Units([0, 0, count]))
        }));
        keep_top(&mut counts, Top { dimension: 0, most: 2 }, true);
        let left: Vec<&str> = counts.keys().map(|words| words[0].1.as_str()).collect();
        assert_eq!(left, ["b", "c"]);
    }
}
