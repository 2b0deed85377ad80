//! Who a group of rules is for: the tokens of `user-agent` lines, and the crawlers they name.

use crate::agent::Agent;
use crate::dialect::{AgentMatch, Dialect, Token};
use crate::python;
use memchr::memmem;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Whom a `user-agent` line names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named<'a> {
    /// Everybody without a group of their own: `*`.
    Everybody,
    /// The crawler with this token, as written.
    Token(&'a [u8]),
    /// Nobody: the value holds no token.
    Nobody,
}

/// Reads the value of a `user-agent` line (spec 5.3; RFC 9309, 2.2.1).
pub fn named(value: &[u8], token: Token) -> Named<'_> {
    match token {
        Token::WithDigits | Token::Google => {}
        Token::AsWritten if value.is_empty() => return Named::Nobody,
        Token::AsWritten | Token::Unquoted if value == b"*" => return Named::Everybody,
        Token::Unquoted if value.eq_ignore_ascii_case(b"%2a") => return Named::Everybody,
        Token::AsWritten | Token::Unquoted => return Named::Token(value),
    }
    let blank = |byte: &u8| match token {
        Token::WithDigits => matches!(byte, b' ' | b'\t'),
        _ => matches!(byte, b' ' | 0x09..=0x0d),
    };
    if let [b'*', rest @ ..] = value
        && rest.first().is_none_or(blank)
    {
        return Named::Everybody;
    }
    let in_token = |byte: &&u8| {
        byte.is_ascii_alphabetic()
            || matches!(byte, b'-' | b'_')
            || (token == Token::WithDigits && byte.is_ascii_digit())
    };
    let length = value.iter().take_while(in_token).count();
    match (length, token) {
        // Google's parser compares the empty token like any other.
        (0, Token::WithDigits) => Named::Nobody,
        _ => Named::Token(&value[..length]),
    }
}

/// A crawler's name as files' values are looked for in it.
pub(crate) fn name_part(token: &str, agent_match: AgentMatch) -> String {
    match agent_match {
        AgentMatch::SubstringBeforeSlash => token.split('/').next().unwrap_or("").to_lowercase(),
        _ => token.to_ascii_lowercase(),
    }
}

/// A file's value as it is looked for in names.
pub(crate) fn value_part(value: &[u8], agent_match: AgentMatch) -> Cow<'_, [u8]> {
    match agent_match {
        AgentMatch::SubstringBeforeSlash if value.iter().any(|byte| *byte == b'%' || !byte.is_ascii()) => {
            Cow::Owned(python::unquoted(value).to_lowercase().into_bytes())
        }
        _ if value.iter().any(u8::is_ascii_uppercase) => Cow::Owned(value.to_ascii_lowercase()),
        _ => Cow::Borrowed(value),
    }
}

/// A cheap hash for short keys of the user's own choice; strangers' texts are only looked up, never stored.
#[derive(Debug, Default, Clone)]
pub(crate) struct ShortHasher(u64);

impl Hasher for ShortHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

/// All names of crawlers in one text, for finding those that a file's value stands in.
///
/// Names are searched and not indexed by their parts, because a user's token may be long and has too many of those.
#[derive(Debug, Clone, Default)]
struct Names {
    text: Vec<u8>,
    /// Where each name ends in the text, whose it is, and its place in the chain. Ascending.
    ends: Vec<(usize, i16, u32)>,
}

impl Names {
    fn push(&mut self, name: &[u8], agent: i16, place: u32) {
        self.text.extend_from_slice(name);
        self.ends.push((self.text.len(), agent, place));
        // Keeps hits across two names rare; they are told by the ends.
        self.text.push(0xff);
    }

    /// Calls back with agent and place for each name that a value stands in.
    fn holding(&self, value: &[u8], mut found: impl FnMut(i16, u32)) {
        if value.is_empty() {
            self.ends.iter().for_each(|(_, agent, place)| found(*agent, *place));
            return;
        }
        let finder = memmem::Finder::new(value);
        let mut from = 0;
        while let Some(at) = finder.find(&self.text[from..]).map(|at| from + at) {
            let name = self.ends.partition_point(|(end, ..)| *end <= at);
            let start = name.checked_sub(1).map_or(0, |before| self.ends[before].0 + 1);
            let Some((end, agent, place)) = self.ends.get(name).copied() else { return };
            if (start..=end).contains(&at) && at + value.len() <= end {
                found(agent, place);
                from = end;
            } else {
                from = at + 1;
            }
        }
    }
}

/// Number of a token in an [`AgentIndex`].
pub(crate) type TokenId = u32;

/// All crawlers of a run, found by the tokens of a file in one look-up each.
///
/// A file's token can name a crawler in one way only, given the dialect: by being equal to a token of its chain, or by beginning it.
/// So the index holds every text that would.
#[derive(Debug, Clone)]
pub struct AgentIndex {
    tokens: HashMap<Box<[u8]>, TokenId, BuildHasherDefault<ShortHasher>>,
    /// For each agent and each token of its chain, most specific first: the tokens of a file that name it, best first.
    chains: Vec<Vec<Vec<TokenId>>>,
    /// For each agent its chain as its owner spells it, with a number that is the same for spellings that differ by case alone.
    names: Vec<Vec<(TokenId, Box<str>)>>,
    follows_star: Vec<bool>,
    /// Agents that follow `*`, and the others, ascending.
    followers: Vec<i16>,
    others: Vec<i16>,
    longest: usize,
    /// Where a file's value names the crawlers in whose names it stands: those names.
    parts_of: Option<Names>,
    agent_match: AgentMatch,
    /// By token: whether it only begins the name of some agent.
    begins: Vec<bool>,
}

impl AgentIndex {
    /// How many agents an index holds: their numbers are 16-bit integers in the tables.
    pub const MOST: usize = i16::MAX as usize;

    /// Indexes at most [`AgentIndex::MOST`] agents for a dialect; their numbers are their positions. Later ones are left out.
    pub fn new(agents: &[Agent], dialect: &Dialect) -> AgentIndex {
        let agents = &agents[..agents.len().min(AgentIndex::MOST)];
        let mut tokens = HashMap::default();
        let mut id = |text: &[u8]| {
            let next = tokens.len() as TokenId;
            *tokens.entry(text.to_ascii_lowercase().into_boxed_slice()).or_insert(next)
        };
        let chains: Vec<Vec<Vec<TokenId>>> = agents
            .iter()
            .map(|agent| {
                agent
                    .chain()
                    .map(|token| match dialect.agent_match {
                        AgentMatch::Equal | AgentMatch::Substring | AgentMatch::SubstringBeforeSlash => {
                            vec![id(token.as_bytes())]
                        }
                        AgentMatch::LongestPrefix => {
                            (1..=token.len()).rev().map(|length| id(&token.as_bytes()[..length])).collect()
                        }
                    })
                    .collect()
            })
            .collect();
        let names = agents
            .iter()
            .map(|agent| agent.chain().map(|token| (id(token.as_bytes()), token.into())).collect())
            .collect();
        let mut begins = vec![false; tokens.len()];
        for token in chains.iter().flatten().flat_map(|tokens| tokens.iter().skip(1)) {
            begins[*token as usize] = true;
        }
        let parts_of =
            matches!(dialect.agent_match, AgentMatch::Substring | AgentMatch::SubstringBeforeSlash).then(|| {
                let mut parts_of = Names::default();
                for (number, agent) in agents.iter().enumerate() {
                    for (place, token) in agent.chain().enumerate() {
                        let name = name_part(token, dialect.agent_match);
                        parts_of.push(name.as_bytes(), number as i16, place as u32);
                    }
                }
                parts_of
            });
        let follows_star: Vec<bool> = agents.iter().map(|agent| agent.follows_star).collect();
        let having = |follows: bool| {
            (0..agents.len() as i16).filter(|agent| follows_star[*agent as usize] == follows).collect::<Vec<_>>()
        };
        AgentIndex {
            longest: tokens.keys().map(|token| token.len()).max().unwrap_or(0),
            names,
            followers: having(true),
            others: having(false),
            tokens,
            chains,
            follows_star,
            parts_of,
            agent_match: dialect.agent_match,
            begins,
        }
    }

    /// Whether a file's value names the crawlers in whose names it stands.
    pub(crate) fn finds_parts(&self) -> bool {
        self.parts_of.is_some()
    }

    /// A file's value as it is looked for in names.
    pub(crate) fn part<'v>(&self, value: &'v [u8]) -> Cow<'v, [u8]> {
        value_part(value, self.agent_match)
    }

    /// Calls back with an agent and the place in its chain for every name that holds a part.
    pub(crate) fn holding(&self, part: &[u8], found: impl FnMut(i16, u32)) {
        if let Some(parts_of) = &self.parts_of {
            parts_of.holding(part, found);
        }
    }

    /// Whether this token of a file is only the beginning of some agent's name: then matching by prefix is not matching by equality.
    pub fn begins_a_name(&self, token: &[u8]) -> bool {
        self.find(token).is_some_and(|token| self.begins[token as usize])
    }

    /// How many agents it holds.
    pub fn len(&self) -> usize {
        self.chains.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    /// The number of a file's token, if it could name any of the agents.
    pub(crate) fn find(&self, token: &[u8]) -> Option<TokenId> {
        // No token of the user's is longer, so nothing longer can be equal: this also bounds the work a stranger can cause.
        if token.len() > self.longest {
            return None;
        }
        let mut lower = [0; 64];
        match lower.get_mut(..token.len()) {
            Some(lower) => {
                lower.copy_from_slice(token);
                lower.make_ascii_lowercase();
                self.tokens.get(&*lower).copied()
            }
            None => self.tokens.get(token.to_ascii_lowercase().as_slice()).copied(),
        }
    }

    pub(crate) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn chain(&self, agent: usize) -> &[Vec<TokenId>] {
        &self.chains[agent]
    }

    /// The token at a place of an agent's chain, as its owner spells it.
    pub(crate) fn name(&self, agent: i16, place: u32) -> (TokenId, &str) {
        let (id, name) = &self.names[agent as usize][place as usize];
        (*id, name)
    }

    pub(crate) fn follows_star(&self, agent: usize) -> bool {
        self.follows_star[agent]
    }

    /// The agents that follow `*`, ascending.
    pub(crate) fn followers(&self) -> &[i16] {
        &self.followers
    }

    /// The agents that do not, ascending.
    pub(crate) fn others(&self) -> &[i16] {
        &self.others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_name_whom_the_texts_say() {
        let rfc = |value: &'static str| named(value.as_bytes(), Token::WithDigits);
        assert_eq!(rfc("*"), Named::Everybody);
        assert_eq!(rfc("* all robots"), Named::Everybody);
        assert_eq!(rfc("*bot"), Named::Nobody);
        assert_eq!(rfc(""), Named::Nobody);
        assert_eq!(rfc("googlebot*"), Named::Token(b"googlebot"));
        assert_eq!(rfc("MJ12bot/1.0"), Named::Token(b"MJ12bot"));
        assert_eq!(rfc("360Spider"), Named::Token(b"360Spider"));
        let google = |value: &'static str| named(value.as_bytes(), Token::Google);
        assert_eq!(google("MJ12bot"), Named::Token(b"MJ"));
        assert_eq!(google("360Spider"), Named::Token(b""));
        assert_eq!(google("*\x0bx"), Named::Everybody);
        assert_eq!(google("*bot"), Named::Token(b""));
    }

    #[test]
    fn long_tokens_are_found_too() {
        let long = "A".repeat(100);
        let index = AgentIndex::new(&[Agent::bare(long.clone())], &Dialect::RFC9309);
        assert_eq!(index.find(long.to_ascii_lowercase().as_bytes()), Some(0));
        assert_eq!(index.find("a".repeat(101).as_bytes()), None);
        assert_eq!(index.find(b""), None);
    }
}
