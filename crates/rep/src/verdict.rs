//! What is decided, and on what ground.

/// May the crawler fetch the URL?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Yes.
    Allow,
    /// No.
    Disallow,
    /// The dialect's text leaves it open.
    Undefined,
}

/// Which kind of group bound the crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// A group that names it.
    Named,
    /// The group for `*`.
    Wildcard,
    /// None: nothing is forbidden.
    None,
}

impl Verdict {
    /// The word that tables and programs use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Disallow => "disallow",
            Verdict::Undefined => "undefined",
        }
    }
}

impl Basis {
    /// The word that tables and programs use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Basis::Named => "named",
            Basis::Wildcard => "wildcard",
            Basis::None => "none",
        }
    }
}

/// A verdict with the line that decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// What was decided.
    pub verdict: Verdict,
    /// Line of the deciding rule, from 1; 0 when no rule matched.
    pub line: u32,
}
