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
    /// CPython's: names exact, but text is Unicode: its line ends, its blanks, and values with their escapes undone.
    Python,
}

/// What becomes of a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bom {
    /// It is ignored (spec 3.3).
    Ignored,
    /// As much of it as stands there is ignored (Google's parser).
    PartialToo,
    /// It is part of the first line.
    Kept,
}

/// What is read of the text after `user-agent:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Letters, digits, `_` and `-` up to the first other byte. RFC 9309, 2.2.1, knows no digits; the leniency is counted.
    WithDigits,
    /// Google's parser: letters, `_` and `-` up to the first other byte; nothing left is a token too, the empty one.
    Google,
    /// The whole value as written; an empty one names nobody (the convention of 1994).
    AsWritten,
    /// The whole value with its escapes undone; an empty one names everyone whom no earlier record names (CPython).
    Unquoted,
}

/// Which of a file's tokens name a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentMatch {
    /// The one equal to it but for case (RFC 9309, 2.2.1).
    Equal,
    /// The longest that begins its name (Google's texts up to 2019).
    LongestPrefix,
    /// The first that stands anywhere in its name (the convention of 1994: "a case insensitive substring match").
    Substring,
    /// The same in its name up to the first `/` (CPython).
    SubstringBeforeSlash,
}

/// What becomes of several groups for one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// They are one (RFC 9309, 2.2.1; spec 4.5).
    Merged,
    /// The first counts.
    First,
    /// The first counts, and a group that names `*` names nobody else (CPython).
    FirstAndStarAlone,
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
    /// A rule or a blank line; after a blank line a rule belongs to nobody (the convention of 1994).
    RuleOrBlank,
    /// The same, or a crawl-delay or request-rate line; agents with none of these before the blank line are forgotten (CPython).
    RuleDelayOrBlank,
}

/// What becomes of a path pattern that starts with neither `/` nor `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingSlash {
    /// It matches nothing (spec 6.2).
    NoEffect,
    /// A `/` is put before it, before a `*` too (spec 6.2, before 2019).
    SlashAdded,
    /// It is compared as it is.
    AsWritten,
}

/// How two spellings of one path are made equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Both sides are brought to one form (RFC 9309, 2.2.2).
    MadeEqual,
    /// Google's parser: the rule is escaped, the URL taken as given.
    RuleEscaped,
    /// Nothing is touched.
    AsWritten,
    /// Escapes of both are undone, both are taken apart as URLs, put together and escaped again (CPython).
    Requoted,
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
    /// The first in the file. Where nothing can be allowed, that is any.
    First,
}

/// A way to read robots.txt files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// Its name, as users type it and tables carry it.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// How lines are read.
    pub fields: Fields,
    /// What becomes of a byte order mark.
    pub bom: Bom,
    /// What a `user-agent` value names.
    pub token: Token,
    /// Which tokens name a crawler.
    pub agent_match: AgentMatch,
    /// What ends a list of agents.
    pub list_end: ListEnd,
    /// What becomes of several groups for one agent.
    pub repeated: Repeated,
    /// Whether `allow` is a field of the protocol.
    pub knows_allow: bool,
    /// Whether `*` and a final `$` are special in patterns.
    pub wildcards: bool,
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
        bom: Bom::Ignored,
        token: Token::WithDigits,
        agent_match: AgentMatch::Equal,
        list_end: ListEnd::Rule,
        repeated: Repeated::Merged,
        knows_allow: true,
        wildcards: true,
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
        bom: Bom::PartialToo,
        token: Token::Google,
        spelling: Spelling::RuleEscaped,
        empty_rule_counts: true,
        index_page: true,
        robots_txt_allowed: false,
        body_limit: None,
        http: HttpRules::GOOGLE,
        ..Dialect::RFC9309
    };

    /// Google's published parser as it was before November 2021.
    pub const GOOGLE_BEFORE_2021: Dialect = Dialect {
        name: "google-before-2021",
        about: "Google's published parser as it behaved until November 2021",
        list_end: ListEnd::RuleOrAnyOther,
        ..Dialect::GOOGLE
    };

    /// Google's text of July 2019.
    pub const GOOGLE_DOC_2019: Dialect = Dialect {
        name: "google-doc-2019",
        about: "Google's written text of July 2019",
        agent_match: AgentMatch::LongestPrefix,
        precedence: Precedence::LongestUnlessWildcard,
        trailing_wildcard_counts: false,
        robots_txt_allowed: false,
        http: HttpRules::GOOGLE,
        ..Dialect::RFC9309
    };

    /// Google's text before July 2019.
    pub const GOOGLE_DOC_LEGACY: Dialect = Dialect {
        name: "google-doc-legacy",
        about: "Google's written text until July 2019",
        list_end: ListEnd::RuleOrSitemap,
        missing_slash: MissingSlash::SlashAdded,
        precedence: Precedence::UndefinedWithWildcard,
        http: HttpRules::GOOGLE_LEGACY,
        ..Dialect::GOOGLE_DOC_2019
    };

    /// The convention of 1994.
    pub const REP_1994: Dialect = Dialect {
        name: "rep-1994",
        about: "the original convention of 1994: disallow only, no wildcards",
        token: Token::AsWritten,
        agent_match: AgentMatch::Substring,
        list_end: ListEnd::RuleOrBlank,
        repeated: Repeated::First,
        knows_allow: false,
        wildcards: false,
        missing_slash: MissingSlash::AsWritten,
        spelling: Spelling::AsWritten,
        precedence: Precedence::First,
        robots_txt_allowed: false,
        body_limit: None,
        http: HttpRules::REP_1994,
        ..Dialect::RFC9309
    };

    /// CPython's `urllib.robotparser`, up to version 3.14.
    pub const PYTHON: Dialect = Dialect {
        name: "python",
        about: "CPython's urllib.robotparser as it behaves up to version 3.14",
        fields: Fields::Python,
        bom: Bom::Kept,
        token: Token::Unquoted,
        agent_match: AgentMatch::SubstringBeforeSlash,
        list_end: ListEnd::RuleDelayOrBlank,
        repeated: Repeated::FirstAndStarAlone,
        knows_allow: true,
        spelling: Spelling::Requoted,
        empty_rule_counts: true,
        http: HttpRules::PYTHON,
        ..Dialect::REP_1994
    };

    /// Every dialect, the default first.
    pub const ALL: &[Dialect] = &[
        Dialect::RFC9309,
        Dialect::GOOGLE,
        Dialect::GOOGLE_BEFORE_2021,
        Dialect::GOOGLE_DOC_2019,
        Dialect::GOOGLE_DOC_LEGACY,
        Dialect::REP_1994,
        Dialect::PYTHON,
    ];

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
