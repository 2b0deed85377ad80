//! Why dialects differ about a question: which switch makes the difference, and which line of the file.
//!
//! A dialect is a value, so the answer is found by asking: one dialect is given a single switch of the other, and the question is
//! put again. What flips the verdict is the reason. Likewise a line: where the two agree once it is a comment, the line is to blame.

use rep::{
    Agent, AgentIndex, Decision, Decisions, Dialect, Document, Field, Paths, Robots, Selection, Setting, Verdict, named,
};
use std::collections::HashMap;

/// What some dialects decide otherwise than others, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// Names of the dialects that decide so.
    pub(super) here: Vec<&'static str>,
    /// What they decide.
    pub(super) verdict_here: Verdict,
    /// Names of the dialects, of those that decide as the first one does, which they are compared with: those that are most like them.
    pub(super) there: Vec<&'static str>,
    /// What those decide.
    pub(super) verdict_there: Verdict,
    /// The switches that make the difference.
    pub(super) reasons: Vec<Reason>,
    /// Whether it takes all of the reasons together; otherwise each makes the difference alone.
    pub(super) together: bool,
    /// The line that it hangs on, from 1.
    pub(super) line: Option<u32>,
}

/// A switch as the two have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reason {
    /// What the switch is called.
    pub(super) switch: &'static str,
    pub(super) here: Setting,
    pub(super) there: Setting,
}

/// Bytes that may be parsed again in search of the lines to blame, for a whole file: a large one with many questions would take long.
const BYTES: usize = 16 << 20;

/// Lines that are tried for one difference.
const LINES: usize = 200;

/// A dialect with some switches of another: both by their numbers, and a bit for each switch.
type Made = (usize, usize, u32);

/// Finds the reasons for the differences of dialects about one document.
pub(super) struct Why<'a> {
    document: &'a Document<'a>,
    dialects: &'a [&'static Dialect],
    agents: &'a [Agent],
    urls: &'a [String],
    /// What made-up dialects decide about all questions, agents in the outer loop.
    known: HashMap<Made, Vec<Decision>>,
    bytes_left: usize,
}

impl<'a> Why<'a> {
    pub(super) fn new(
        document: &'a Document<'a>,
        dialects: &'a [&'static Dialect],
        agents: &'a [Agent],
        urls: &'a [String],
    ) -> Why<'a> {
        Why { document, dialects, agents, urls, known: HashMap::new(), bytes_left: BYTES }
    }

    /// The differences about one question: each dialect that decides otherwise than the first is compared with that dialect which
    /// decides like the first and is most like itself. What has the same reasons is told once.
    pub(super) fn differences(&mut self, agent: usize, url: usize) -> Vec<Difference> {
        let verdicts: Vec<Verdict> =
            (0..self.dialects.len()).map(|number| self.verdict((number, number, 0), agent, url)).collect();
        let Some(first) = verdicts.first() else { return Vec::new() };
        let mut differences: Vec<Difference> = Vec::new();
        for (here, verdict) in verdicts.iter().enumerate().filter(|(_, verdict)| *verdict != first) {
            let like_first = (0..verdicts.len()).filter(|number| verdicts[*number] == *first);
            let Some(there) = like_first.min_by_key(|there| self.differing_switches(here, *there).len()) else {
                continue;
            };
            let found = self.difference(here, *verdict, there, *first, agent, url);
            let alike = |known: &&mut Difference| {
                known.verdict_here == found.verdict_here
                    && (&known.reasons, known.together, known.line) == (&found.reasons, found.together, found.line)
            };
            match differences.iter_mut().find(alike) {
                Some(known) => {
                    for (names, more) in [(&mut known.here, &found.here), (&mut known.there, &found.there)] {
                        more.iter().for_each(|name| {
                            if !names.contains(name) {
                                names.push(name)
                            }
                        });
                    }
                }
                None => differences.push(found),
            }
        }
        differences
    }

    fn differing_switches(&self, here: usize, there: usize) -> Vec<usize> {
        let (here, there) = (self.dialects[here].switches(), self.dialects[there].switches());
        (0..here.len()).filter(|place| here[*place] != there[*place]).collect()
    }

    fn verdict(&mut self, made: Made, agent: usize, url: usize) -> Verdict {
        self.decision(made, agent, url).verdict
    }

    fn decision(&mut self, made: Made, agent: usize, url: usize) -> Decision {
        let Why { document, dialects, agents, urls, known, .. } = self;
        let decisions = known.entry(made).or_insert_with(|| {
            let (base, other, mask) = made;
            let mut dialect = *dialects[base];
            for place in (0..u32::BITS).filter(|place| mask & 1 << place != 0) {
                dialect = dialect.with_switch(place as usize, dialects[other]);
            }
            decide_all(document, &dialect, agents, urls)
        });
        decisions[agent * urls.len() + url]
    }

    fn difference(
        &mut self,
        here: usize,
        verdict_here: Verdict,
        there: usize,
        verdict_there: Verdict,
        agent: usize,
        url: usize,
    ) -> Difference {
        let places = self.differing_switches(here, there);
        let (mut both, mut one) = (Vec::new(), Vec::new());
        for place in &places {
            let forth = self.verdict((there, here, 1 << place), agent, url) == verdict_here;
            let back = self.verdict((here, there, 1 << place), agent, url) == verdict_there;
            if forth && back {
                both.push(*place);
            } else if forth || back {
                one.push(*place);
            }
        }
        // A switch that makes the difference both ways is the reason. One that does in one way only may be one of several, each
        // enough, or all needed; or it may do so in a dialect that nobody would make.
        let (mut chosen, mut together) = (if both.is_empty() { one } else { both }, false);
        if chosen.is_empty() {
            (chosen, together) = (self.fewest_together(&places, here, verdict_here, there, agent, url), true);
        }
        let (switches_here, switches_there) = (self.dialects[here].switches(), self.dialects[there].switches());
        let reasons = chosen
            .iter()
            .map(|place| Reason {
                switch: switches_here[*place].name,
                here: switches_here[*place].setting,
                there: switches_there[*place].setting,
            })
            .collect();
        Difference {
            here: vec![self.dialects[here].name],
            verdict_here,
            there: vec![self.dialects[there].name],
            verdict_there,
            reasons,
            together,
            line: self.line_to_blame(here, there, agent, url),
        }
    }

    /// The first switches in order that make the difference together, without those among them that are not needed.
    fn fewest_together(
        &mut self,
        places: &[usize],
        here: usize,
        verdict_here: Verdict,
        there: usize,
        agent: usize,
        url: usize,
    ) -> Vec<usize> {
        let mut mask = 0;
        for place in places {
            mask |= 1 << place;
            if self.verdict((there, here, mask), agent, url) == verdict_here {
                break;
            }
        }
        for place in places {
            let without = mask & !(1 << place);
            if without != mask && self.verdict((there, here, without), agent, url) == verdict_here {
                mask = without;
            }
        }
        places.iter().copied().filter(|place| mask & 1 << place != 0).collect()
    }

    /// The first line, of those that come into question, without which the two dialects agree.
    fn line_to_blame(&mut self, here: usize, there: usize, agent: usize, url: usize) -> Option<u32> {
        let deciding = [here, there].map(|number| self.decision((number, number, 0), agent, url).line);
        let (here, there) = (self.dialects[here], self.dialects[there]);
        let body = self.document.body();
        let (agents, urls) = (&self.agents[agent..=agent], &self.urls[url..=url]);
        let lines = physical_lines(body);
        for number in suspects(self.document, here, there, &lines, deciding).into_iter().take(LINES) {
            self.bytes_left = self.bytes_left.checked_sub(body.len())?;
            let Some((start, end)) = lines.get(number as usize - 1) else { continue };
            // A comment, not an empty line: that would end a record where blank lines do.
            let without = [&body[..*start], b"#", &body[*end..]].concat();
            let document = Document::parse(&without);
            let decided =
                |dialect| decide_all(&document, dialect, agents, urls).first().map(|decision| decision.verdict);
            if decided(here) == decided(there) {
                return Some(number);
            }
        }
        None
    }
}

/// Start and end of each line as people count them, line ends left out.
fn physical_lines(body: &[u8]) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < body.len() {
        let end = memchr::memchr2(b'\n', b'\r', &body[start..]).map_or(body.len(), |length| start + length);
        lines.push((start, end));
        start = end + if body[end..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    lines
}

/// How likely a line is to be why two dialects differ, the likeliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Suspicion {
    /// They read it as something else.
    ReadOtherwise,
    /// It is blank, or neither an agent nor a rule: all it can do is to end something.
    Between,
    /// One of the two has it for a rule.
    OneSided,
    /// A rule of both.
    Rule,
}

/// Lines that two dialects may differ about, the likeliest first; of equally likely ones those that decide.
fn suspects(
    document: &Document<'_>,
    here: &Dialect,
    there: &Dialect,
    lines: &[(usize, usize)],
    deciding: [u32; 2],
) -> Vec<u32> {
    let rules = [here, there].map(|dialect| compiled(&document.read(dialect)));
    let mut suspects = Vec::new();
    let mut at = 0;
    for (number, (start, end)) in (1..).zip(lines) {
        while document.lines().get(at).is_some_and(|line| line.number < number) {
            at += 1;
        }
        let suspicion = match document.lines().get(at).filter(|line| line.number == number) {
            Some(line) => {
                let entries = [here, there]
                    .map(|dialect| document.entry(line, dialect).filter(|(field, _)| *field != Field::None));
                let named = |side: usize, dialect: &Dialect| match entries[side] {
                    Some((Field::UserAgent, value)) => Some(named(value, dialect.token)),
                    _ => None,
                };
                let is_agent = matches!(entries[0], Some((Field::UserAgent, _)));
                let is_rule = matches!(entries[0], Some((Field::Allow | Field::Disallow, _)));
                match [rules[0].get(&number), rules[1].get(&number)] {
                    _ if entries[0] != entries[1] || named(0, here) != named(1, there) => Suspicion::ReadOtherwise,
                    [Some(one), Some(other)] if one != other => Suspicion::ReadOtherwise,
                    _ if is_agent => continue,
                    _ if !is_rule => Suspicion::Between,
                    [Some(_), Some(_)] => Suspicion::Rule,
                    [None, None] => continue,
                    _ => Suspicion::OneSided,
                }
            }
            // What is no line of the document is blank or a comment, and a comment changes nothing.
            None if document.body()[*start..*end].iter().all(u8::is_ascii_whitespace) => Suspicion::Between,
            None => continue,
        };
        suspects.push((suspicion, !deciding.contains(&number), number));
    }
    suspects.sort_unstable();
    suspects.into_iter().map(|(.., number)| number).collect()
}

/// The rules of each line as they are compared: several where a rule has a second form.
fn compiled(robots: &Robots<'_>) -> HashMap<u32, Vec<(bool, Vec<u8>)>> {
    let mut rules: HashMap<u32, Vec<(bool, Vec<u8>)>> = HashMap::new();
    for rule in &robots.rules {
        rules.entry(rule.line).or_default().push((rule.allow, robots.compared(rule)));
    }
    rules
}

/// What a dialect decides about all questions, agents in the outer loop.
fn decide_all(document: &Document<'_>, dialect: &Dialect, agents: &[Agent], urls: &[String]) -> Vec<Decision> {
    let robots = document.read(dialect);
    let paths = Paths::new(urls.iter().map(|url| url.as_bytes()), dialect);
    let (mut selection, mut decisions) = (Selection::default(), Decisions::default());
    selection.select(&robots, &AgentIndex::new(agents, dialect));
    decisions.evaluate(&robots, &selection, &paths);
    let nothing: &[Decision] = &[];
    let mut of_agents = vec![nothing; agents.len()];
    for (number, set) in selection.sets().iter().enumerate() {
        for agent in selection.agents_of(set) {
            of_agents[*agent as usize] = decisions.of_set(number);
        }
    }
    of_agents.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body, a question, dialects, and what is to be told: who differs from whom, by which switches, at which line.
    struct Case {
        body: &'static str,
        url: &'static str,
        dialects: &'static str,
        told: &'static [&'static str],
    }

    const CASES: &[Case] = &[
        Case {
            body: "User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /\n",
            url: "/",
            dialects: "google,google-before-2021",
            told: &["google-before-2021 allow, google disallow: end of a list of agents, line 2"],
        },
        Case {
            body: "User-agent: a\nDisalow: /x\n",
            url: "/x",
            dialects: "rfc9309,google,google-before-2021",
            told: &["google+google-before-2021 disallow, rfc9309 allow: field names, line 2"],
        },
        Case {
            body: "User-agent: a1\nDisallow: /x\n",
            url: "/x",
            dialects: "rfc9309,google",
            told: &["google disallow, rfc9309 allow: agent value, line 1"],
        },
        Case {
            body: "User-agent: *\nAllow: /x\nDisallow: /\n",
            url: "/x",
            dialects: "rfc9309,rep-1994",
            told: &["rep-1994 disallow, rfc9309 allow: allow, line 2"],
        },
        Case {
            body: "User-agent: *\nDisallow: /*x\n",
            url: "/ax",
            dialects: "rfc9309,python",
            told: &["python allow, rfc9309 disallow: wildcards, line 2"],
        },
        Case {
            body: "User-agent: *\n\nDisallow: /x\n",
            url: "/x",
            dialects: "google-doc-2019,rep-1994",
            told: &["rep-1994 allow, google-doc-2019 disallow: end of a list of agents, line 2"],
        },
        Case {
            body: "User-agent: *\nAllow: /p\nDisallow: /*.htm\n",
            url: "/p.htm",
            dialects: "google,google-doc-legacy,google-doc-2019",
            told: &[
                "google-doc-legacy undefined, google disallow: which rule wins, line 3",
                "google-doc-2019 undefined, google disallow: which rule wins, line 3",
            ],
        },
        Case {
            body: "User-agent: *\nDisallow: x\n",
            url: "/x",
            dialects: "google-doc-2019,google-doc-legacy",
            told: &["google-doc-legacy disallow, google-doc-2019 allow: pattern without / or * first, line 2"],
        },
        Case {
            body: "User-agent: *\nDisallow: /\n",
            url: "/robots.txt",
            dialects: "rfc9309,google",
            told: &["google disallow, rfc9309 allow: /robots.txt, line 2"],
        },
        Case {
            body: "User-agent: *\nDisallow: /\nAllow: /index.html\n",
            url: "/",
            dialects: "rfc9309,google",
            told: &["google allow, rfc9309 disallow: index page, line 3"],
        },
        Case {
            body: "\u{feff}User-agent: *\nDisallow: /\n",
            url: "/",
            dialects: "rfc9309,python",
            told: &["python allow, rfc9309 disallow: byte order mark, line 1"],
        },
        Case { body: "User-agent: aa\nDisallow: /\n", url: "/", dialects: "rfc9309,rep-1994", told: &[] },
    ];

    fn told(case: &Case) -> Vec<String> {
        let document = Document::parse(case.body.as_bytes());
        let dialects: Vec<&'static Dialect> = case.dialects.split(',').filter_map(Dialect::named).collect();
        let (agents, urls) = ([Agent::bare("a")], [case.url.to_owned()]);
        let mut why = Why::new(&document, &dialects, &agents, &urls);
        let text = |found: Difference| {
            let reasons: Vec<&str> = found.reasons.iter().map(|reason| reason.switch).collect();
            let (here, there) = (found.here.join("+"), found.there.join("+"));
            let line = found.line.map_or("no line".to_owned(), |line| format!("line {line}"));
            let (verdict_here, verdict_there) = (found.verdict_here.as_str(), found.verdict_there.as_str());
            let joint = if found.together { " & " } else { " | " };
            format!("{here} {verdict_here}, {there} {verdict_there}: {}, {line}", reasons.join(joint))
        };
        why.differences(0, 0).into_iter().map(text).collect()
    }

    #[test]
    fn the_switch_and_the_line_are_found() {
        for case in CASES {
            assert_eq!(told(case), case.told, "{}\n{}", case.dialects, case.body);
        }
    }

    #[test]
    fn lines_are_those_that_people_count() {
        let lines = physical_lines(b"a\r\n\rb\n\nc");
        assert_eq!(lines, [(0, 1), (3, 3), (4, 5), (6, 6), (7, 8)]);
        assert_eq!(physical_lines(b""), []);
    }
}
