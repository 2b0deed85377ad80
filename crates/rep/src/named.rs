//! Every agent that a file names, and the groups that a crawler of exactly that name would follow.

use crate::dialect::{AgentMatch, Repeated};
use crate::document::Robots;
use crate::evaluate::push_star_groups;
use crate::group::{Named, name_part, value_part};
use memchr::memmem;
use std::ops::Range;

/// An agent that a file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedAgent<'a, 'n> {
    /// Its token as the file first spells it; `*` too.
    pub token: &'a [u8],
    /// The line that names it first, from 1.
    pub line: u32,
    /// The groups that it follows: ascending indices into [`Robots::groups`]. `None` where the file names too many to find out.
    pub groups: Option<&'n [u32]>,
}

/// Work for one body where a file's value names the crawlers in whose names it stands: a step is a value looked for in 32 bytes of a
/// name. Every name meets every value, so a body of a hundred thousand names would take hours; this ends after some 10 ms.
const STEPS: usize = 200_000;

/// Finds the agents that a file names. Scratch space of a worker, reused from body to body.
#[derive(Debug, Default)]
pub struct NamedAgents {
    found: Vec<Found>,
    groups: Vec<u32>,
    /// Tokens in lower case, one after the other, and where each agent line's is.
    lower: Vec<u8>,
    tokens: Vec<(Range<usize>, u32)>,
}

#[derive(Debug)]
struct Found {
    /// Index into [`Robots::agents`] of the first line that names it.
    agent: u32,
    groups: Option<Range<usize>>,
}

impl NamedAgents {
    /// Finds them all: each once, whatever its case, in file order.
    pub fn find<'a, 'n>(&'n mut self, robots: &'n Robots<'a>) -> impl Iterator<Item = NamedAgent<'a, 'n>> {
        self.found.clear();
        self.groups.clear();
        let parts = matches!(robots.dialect.agent_match, AgentMatch::Substring | AgentMatch::SubstringBeforeSlash);
        match robots.agents.as_slice() {
            [] => {}
            // Most files name one agent.
            [only] if !parts && only.named != Named::Nobody && only.named != Named::Token(b"") => {
                self.groups.push(only.group);
                self.found.push(Found { agent: 0, groups: Some(0..1) });
            }
            _ => {
                self.find_tokens(robots);
                if parts {
                    self.follow_first_part(robots);
                }
                if let Some(star) = robots.agents.iter().position(|agent| agent.named == Named::Everybody) {
                    let first = self.groups.len();
                    push_star_groups(robots, &mut self.groups);
                    self.found.push(Found { agent: star as u32, groups: Some(first..self.groups.len()) });
                }
                self.found.sort_unstable_by_key(|found| found.agent);
            }
        }
        let groups = &self.groups;
        self.found.iter().map(move |found| {
            let agent = &robots.agents[found.agent as usize];
            let token = match agent.named {
                Named::Token(token) => token,
                Named::Everybody | Named::Nobody => b"*",
            };
            let groups = found.groups.as_ref().map(|range| &groups[range.clone()]);
            NamedAgent { token, line: agent.line, groups }
        })
    }

    /// The distinct tokens, each with the groups that say it.
    fn find_tokens(&mut self, robots: &Robots<'_>) {
        let Self { found, groups, lower, tokens } = self;
        lower.clear();
        tokens.clear();
        for (number, agent) in robots.agents.iter().enumerate() {
            let Named::Token(token) = agent.named else { continue };
            if !token.is_empty() {
                let start = lower.len();
                lower.extend_from_slice(token);
                lower[start..].make_ascii_lowercase();
                tokens.push((start..lower.len(), number as u32));
            }
        }
        tokens.sort_unstable_by(|(one, number), (other, later)| {
            lower[one.clone()].cmp(&lower[other.clone()]).then(number.cmp(later))
        });
        for same in tokens.chunk_by(|(one, _), (other, _)| lower[one.clone()] == lower[other.clone()]) {
            let first = groups.len();
            for (_, number) in same {
                let group = robots.agents[*number as usize].group;
                // Lines come in order, and a group may name an agent twice.
                if groups[first..].last() != Some(&group) {
                    groups.push(group);
                }
            }
            if robots.dialect.repeated != Repeated::Merged {
                groups.truncate(first + 1);
            }
            if let Some((_, number)) = same.first() {
                found.push(Found { agent: *number, groups: Some(first..groups.len()) });
            }
        }
    }

    /// Where a value names the crawlers in whose names it stands, the first one in the file counts, whoever it was written for.
    fn follow_first_part(&mut self, robots: &Robots<'_>) {
        let agent_match = robots.dialect.agent_match;
        let mut values = Vec::new();
        for agent in &robots.agents {
            if let Named::Token(value) = agent.named {
                values.push((value_part(value, agent_match), agent.group));
            }
        }
        let star = self.groups.len();
        push_star_groups(robots, &mut self.groups);
        let star = star..self.groups.len();
        let mut steps = STEPS;
        self.found.iter_mut().for_each(|found| found.groups = None);
        for found in &mut self.found {
            let Named::Token(token) = robots.agents[found.agent as usize].named else { continue };
            let token = String::from_utf8_lossy(token);
            let name = name_part(&token, agent_match);
            let cost = 1 + name.len() / 32;
            let looked_for = values.len().min(steps / cost);
            let holds = |value: &[u8]| value.len() <= name.len() && memmem::find(name.as_bytes(), value).is_some();
            let first = values.iter().take(looked_for).position(|(value, _)| holds(value));
            steps -= first.map_or(looked_for, |at| at + 1) * cost;
            match first {
                Some(at) => {
                    self.groups.push(values[at].1);
                    found.groups = Some(self.groups.len() - 1..self.groups.len());
                }
                None if looked_for == values.len() => found.groups = Some(star.clone()),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, AgentIndex, Dialect, Document, Selection};

    /// What a selection says of a crawler of that name.
    fn followed(robots: &Robots<'_>, token: &[u8]) -> Vec<u32> {
        let agent = Agent::bare(String::from_utf8_lossy(token));
        let mut selection = Selection::default();
        selection.select(robots, &AgentIndex::new(&[agent], robots.dialect));
        selection.groups_of(&selection.sets()[0]).to_vec()
    }

    #[test]
    fn agents_follow_what_a_selection_says() {
        let bodies: [&[u8]; 10] = [
            b"",
            b"user-agent: a\ndisallow: /",
            b"user-agent: *\ndisallow: /\n\nuser-agent: *\nallow: /x\n",
            b"user-agent: Foo/1.0\ndisallow: /\n\nuser-agent: *\nallow: /x\n",
            b"user-agent: b\nuser-agent: B\nuser-agent: ab\ndisallow: /\n\nuser-agent: aB\nallow: /x\n\nuser-agent: c\ndisallow: /c\n",
            b"user-agent: *\nuser-agent: a\ndisallow: /\n\nuser-agent: a\ndisallow: /x\n",
            b"user-agent:\ndisallow: /\n\nuser-agent: a\ndisallow: /x\n",
            b"user-agent: Google\ndisallow: /\n\nuser-agent: Googlebot\nuser-agent: Googlebot-News\ndisallow: /x\n",
            b"user-agent: MJ12bot\ndisallow: /\n\nuser-agent: MJ\ndisallow: /x\n\nuser-agent: 360\nallow: /\n",
            b"user-agent: \xe9bot\ndisallow: /\n\nuser-agent: caf\xc3\xa9\ndisallow: /x\n\nuser-agent: %61\nallow: /\n",
        ];
        let mut named = NamedAgents::default();
        let mut compared = 0;
        for body in bodies {
            for dialect in Dialect::ALL {
                let robots = Document::parse(body).read(dialect);
                let mut seen = Vec::new();
                for agent in named.find(&robots) {
                    // A crawler that is called like the star is nobody.
                    let expected =
                        if agent.token == b"*" { followed(&robots, b"zzz") } else { followed(&robots, agent.token) };
                    let empty_names_all = robots.agents.iter().any(|line| line.named == Named::Token(b""));
                    if agent.token != b"*" || !empty_names_all {
                        let text = String::from_utf8_lossy(body);
                        assert_eq!(agent.groups, Some(&*expected), "{} {:?}\n{text}", dialect.name, agent.token);
                    }
                    seen.push(agent.token.to_ascii_lowercase());
                    compared += 1;
                }
                let count = seen.len();
                seen.sort();
                seen.dedup();
                assert_eq!(seen.len(), count, "an agent twice");
            }
        }
        assert!(compared > 100, "{compared}");
    }

    #[test]
    fn a_hundred_thousand_names_cost_no_quadratic_time() {
        let body: String = (0..100_000).map(|n| format!("user-agent: bot{n}x\n")).collect::<String>() + "disallow: /\n";
        let document = Document::parse(body.as_bytes());
        let mut named = NamedAgents::default();
        for dialect in Dialect::ALL {
            let robots = document.read(dialect);
            let known = named.find(&robots).filter(|agent| agent.groups.is_some()).count();
            let parts = matches!(dialect.agent_match, AgentMatch::Substring | AgentMatch::SubstringBeforeSlash);
            if parts {
                assert!(known > 0 && known < 100_000, "{}: {known}", dialect.name);
            } else {
                // Google's parser cuts them all to one.
                assert!(known == robots.agents.len() || known == 1, "{}: {known}", dialect.name);
            }
        }
    }
}
