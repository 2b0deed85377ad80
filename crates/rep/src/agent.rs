//! A crawler as the protocol sees it: the tokens it answers to.

/// A crawler: its product token, the more general tokens it falls back on, and whether it obeys `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its own product token, such as `Googlebot-News`.
    pub token: String,
    /// Tokens to fall back on, most specific first (`Googlebot`); the first of the chain that some group names counts.
    pub fallbacks: Vec<String>,
    /// Whether the group for `*` binds it when no group names it (the AdsBot crawlers do not follow it).
    pub follows_star: bool,
}

impl Agent {
    /// A bare token: no chain, follows `*`.
    pub fn bare(token: impl Into<String>) -> Agent {
        Agent { token: token.into(), fallbacks: Vec::new(), follows_star: true }
    }

    /// Its tokens, most specific first.
    pub fn chain(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.token.as_str()).chain(self.fallbacks.iter().map(String::as_str))
    }
}
