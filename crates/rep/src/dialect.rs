//! Dialects: named ways to read a robots.txt, as values of one set of switches.
//!
//! A new dialect is a new constant and no new code path. Each switch names what it decides; its values say where they stand
//! in the texts (spec: the project's reading of the five documents and RFC 9309).

use crate::http::HttpRules;

/// How field names and the shape of a line are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// A field name as it is spelt, in any case (RFC 9309, 2.2; spec 3.5).
    Exact,
    /// Google's parser: a prefix test, its list of misspellings, a missing colon, lines cut at a NUL and at its buffer.
    Google,
}

/// What is read of the text after `user-agent:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Letters, digits, `_` and `-` up to the first other byte. RFC 9309, 2.2.1, knows no digits; the leniency is counted.
    WithDigits,
    /// Google's parser: letters, `_` and `-` up to the first other byte; nothing left is a token too, the empty one.
    Google,
}

/// Which of a file's tokens name a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentMatch {
    /// The one equal to it but for case (RFC 9309, 2.2.1).
    Equal,
    /// The longest that begins its name (Google's texts up to 2019).
    LongestPrefix,
}

/// What ends a list of `user-agent` lines, so that the next one starts a new group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEnd {
    /// A rule (RFC 9309, 2.2.1; spec 4.1).
    Rule,
    /// A rule or a sitemap (spec 4.4: the BNF before 2019).
    RuleOrSitemap,
    /// A rule, a sitemap or a line of an unknown field (Google's parser before November 2021).
    RuleOrAnyOther,
}

/// What becomes of a path pattern that starts with neither `/` nor `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingSlash {
    /// It matches nothing (spec 6.2).
    NoEffect,
    /// A `/` is put before it, before a `*` too (spec 6.2, before 2019).
    SlashAdded,
}

/// How two spellings of one path are made equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Both sides are brought to one form (RFC 9309, 2.2.2).
    MadeEqual,
    /// Google's parser: the rule is escaped, the URL taken as given.
    RuleEscaped,
}

/// Which of the rules that match wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precedence {
    /// The longest; a tie allows (RFC 9309, 2.2.2; spec 7.1, 7.2).
    Longest,
    /// The same by the text of 2019: of unequal length with a wildcard in one of the two best, it is undefined (spec 7.3).
    LongestUnlessWildcard,
    /// The same before 2019: with a wildcard in one of the two best, it is undefined (spec 7.3).
    UndefinedWithWildcard,
}

/// A way to read robots.txt files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dialect {
    /// Its name, as users type it and tables carry it.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// How lines are read.
    pub fields: Fields,
    /// Whether a cut byte order mark is ignored as a whole one is.
    pub partial_bom: bool,
    /// What a `user-agent` value names.
    pub token: Token,
    /// Which tokens name a crawler.
    pub agent_match: AgentMatch,
    /// What ends a list of agents.
    pub list_end: ListEnd,
    /// What a pattern without its slash does.
    pub missing_slash: MissingSlash,
    /// How spellings are made equal.
    pub spelling: Spelling,
    /// Which rule wins.
    pub precedence: Precedence,
    /// Whether a rule without a path is a rule of length 0 (its line can be told) or nothing at all.
    pub empty_rule_counts: bool,
    /// Whether the wildcards at the end of a pattern count for its length.
    pub trailing_wildcard_counts: bool,
    /// Whether `/index.htm...` at the end of an allow rule also opens its folder.
    pub index_page: bool,
    /// Whether `/robots.txt` is always allowed (RFC 9309, 2.2.2).
    pub robots_txt_allowed: bool,
    /// Bytes of the body that are read; a line that the limit cuts is dropped whole (spec 3.7).
    pub body_limit: Option<u32>,
    /// What HTTP results mean.
    pub http: HttpRules,
}

/// 500 KiB (RFC 9309, 2.5; spec 3.7).
const LIMIT: u32 = 500 * 1024;

impl Dialect {
    /// RFC 9309, the standard.
    pub const RFC9309: Dialect = Dialect {
        name: "rfc9309",
        about: "RFC 9309, the standard",
        fields: Fields::Exact,
        partial_bom: false,
        token: Token::WithDigits,
        agent_match: AgentMatch::Equal,
        list_end: ListEnd::Rule,
        missing_slash: MissingSlash::NoEffect,
        spelling: Spelling::MadeEqual,
        precedence: Precedence::Longest,
        empty_rule_counts: false,
        trailing_wildcard_counts: true,
        index_page: false,
        robots_txt_allowed: true,
        body_limit: Some(LIMIT),
        http: HttpRules::RFC9309,
    };

    /// Google's published parser as it behaves since November 2021.
    pub const GOOGLE: Dialect = Dialect {
        name: "google",
        about: "Google's published parser as it behaves today",
        fields: Fields::Google,
        partial_bom: true,
        token: Token::Google,
        spelling: Spelling::RuleEscaped,
        empty_rule_counts: true,
        index_page: true,
        robots_txt_allowed: false,
        body_limit: None,
        http: HttpRules::GOOGLE,
        ..Dialect::RFC9309
    };

    /// Every dialect, the default first.
    pub const ALL: &[Dialect] = &[Dialect::RFC9309, Dialect::GOOGLE];

    /// The dialect of this name.
    pub fn named(name: &str) -> Option<&'static Dialect> {
        Dialect::ALL.iter().find(|dialect| dialect.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.name), Some(dialect));
        }
        assert_eq!(Dialect::named("RFC"), None);
    }
}
