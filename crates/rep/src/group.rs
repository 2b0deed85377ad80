//! Who a group of rules is for: the tokens of `user-agent` lines, and the crawlers they name.

use crate::agent::Agent;
use crate::dialect::{AgentMatch, Dialect, Token};
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
    let blank = |byte: &u8| match token {
        Token::WithDigits => matches!(byte, b' ' | b'\t'),
        Token::Google => matches!(byte, b' ' | 0x09..=0x0d),
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
                        AgentMatch::Equal => vec![id(token.as_bytes())],
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
        }
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
