//! Dialects: named ways to read a robots.txt, as values of one set of switches.
//!
//! A new dialect is a new constant and no new code path. Each switch names what it decides; its values say where they stand
//! in the texts (spec: the project's reading of the five documents and RFC 9309).

use crate::http::HttpRules;

/// A value of a switch, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// A few words, for tables.
    pub word: &'static str,
    /// What it means, in a sentence.
    pub about: &'static str,
    /// The document, and where it can be told the place in it, that it rests on.
    pub source: &'static str,
}

/// A switch of a dialect as it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch {
    /// What it is called.
    pub name: &'static str,
    /// What it decides.
    pub about: &'static str,
    /// How it is set.
    pub setting: Setting,
}

/// Declares a switch whose values have names: each with a few words, a sentence and a source.
macro_rules! switch {
    ($(#[$meta:meta])* $name:ident { $($variant:ident => $word:literal, $about:literal, $source:literal;)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $(#[doc = concat!($about, " Source: ", $source, ".")] $variant,)* }

        impl $name {
            /// This value, for people.
            pub const fn setting(self) -> Setting {
                match self { $($name::$variant => Setting { word: $word, about: $about, source: $source },)* }
            }
        }
    };
}

switch! {
    /// How field names and the shape of a line are read.
    Fields {
        Exact => "exact",
            "A field name is read as it is spelt, in any case, up to a colon.",
            "RFC 9309, 2.2; Google's texts";
        Google => "by prefix",
            "What begins with a field name is that field, listed misspellings are accepted and the colon may be missing; a NUL ends a line, and so does the end of the line buffer.",
            "Google's parser (robots.cc: ParsedRobotsKey, GetKeyAndValueFrom)";
        Python => "exact, in Unicode",
            "Names are exact, but the text is Unicode: its line ends and blanks count, and escapes in every value are undone.",
            "CPython (urllib/robotparser.py: parse)";
    }
}

switch! {
    /// What becomes of a byte order mark.
    Bom {
        Ignored => "ignored", "A byte order mark at the start is ignored.", "Google's texts; RFC 9309, 2.2, asks for plain UTF-8";
        PartialToo => "ignored, also a part", "As much of it as stands at the start is ignored.", "Google's parser (robots.cc: Parse)";
        Kept => "spoils the first line", "It is part of the first line, whose field is then unknown.", "CPython (urllib/robotparser.py: read)";
    }
}

switch! {
    /// What is read of the text after `user-agent:`.
    Token {
        WithDigits => "letters, digits, _ and -",
            "The token ends at the first byte that is no letter, digit, _ or -; digits are a leniency, which a finding counts.",
            "RFC 9309, 2.2.1 (without digits)";
        Google => "letters, _ and -",
            "The token ends at the first byte that is no letter, _ or -; nothing left is a token too, the empty one.",
            "Google's parser (robots.cc: ExtractUserAgent)";
        AsWritten => "as written", "The whole value is the name; an empty one names nobody.", "the convention of 1994: User-agent";
        Unquoted => "whole, escapes undone",
            "The whole value with its escapes undone is the name; an empty one stands in every name.",
            "CPython (urllib/robotparser.py: parse)";
    }
}

switch! {
    /// Which of a file's tokens name a crawler.
    AgentMatch {
        Equal => "equal", "The token that equals the crawler's but for case.", "RFC 9309, 2.2.1; Google's parser";
        LongestPrefix => "longest prefix", "The longest token that begins the crawler's name, whatever the case.", "Google's texts: order of precedence for user agents";
        Substring => "substring",
            "The first value that stands anywhere in the crawler's name, whatever the case.",
            "the convention of 1994: \"a case insensitive substring match of the name without version information is recommended\"";
        SubstringBeforeSlash => "substring before /",
            "The first value that stands in the crawler's name up to its first slash, whatever the case.",
            "CPython (urllib/robotparser.py: Entry.applies_to)";
    }
}

switch! {
    /// What becomes of several groups for one agent.
    Repeated {
        Merged => "merged", "Several groups for one agent are one.", "RFC 9309, 2.2.1; Google's text of 2019: grouping";
        First => "first", "The first group for an agent counts, later ones do not.", "the convention of 1994: one record for * at most";
        FirstAndStarAlone => "first, * alone",
            "The first group for an agent counts, and a group that names * names nobody else.",
            "CPython (urllib/robotparser.py: _add_entry, can_fetch)";
    }
}

switch! {
    /// What ends a list of `user-agent` lines, so that the next one starts a new group.
    ListEnd {
        Rule => "a rule", "A rule; blank lines and other fields do not.", "RFC 9309, 2.2.1; Google's parser since November 2021; Google's text of 2019";
        RuleOrSitemap => "a rule or sitemap", "A rule or a sitemap line.", "Google's text before July 2019: file format, BNF";
        RuleOrAnyOther => "a rule, sitemap or unknown line",
            "A rule, a sitemap, or a line of a field that it does not know, such as crawl-delay.",
            "Google's parser before November 2021";
        RuleOrBlank => "a rule or blank line",
            "A rule or a blank line, after which a rule belongs to nobody; a comment is no blank line.",
            "the convention of 1994: records are separated by blank lines";
        RuleDelayOrBlank => "a rule, delay or empty line",
            "A rule, a crawl-delay, a request-rate or an empty line; agents that have none of these before the empty line are forgotten.",
            "CPython (urllib/robotparser.py: parse)";
    }
}

switch! {
    /// What becomes of a path pattern that starts with neither `/` nor `*`.
    MissingSlash {
        NoEffect => "no effect", "It matches nothing.", "RFC 9309, 2.2.2; Google's text of 2019; Google's parser";
        SlashAdded => "/ put before it", "A slash is put before it, before a * too.", "Google's text before July 2019: path values";
        AsWritten => "compared as it is", "It is compared as it is, and no path begins with it.", "the convention of 1994; CPython";
    }
}

switch! {
    /// How two spellings of one path are made equal.
    Spelling {
        MadeEqual => "both sides made equal",
            "Bytes outside the printable ASCII characters are escaped, escapes of unreserved characters undone, and %2A and %24 are the plain characters.",
            "RFC 9309, 2.2.2 and 2.2.3";
        RuleEscaped => "rule escaped, URL as given",
            "In rules, high bytes are escaped and hex digits raised; the URL is taken as it is.",
            "Google's parser (robots.cc: MaybeEscapePattern)";
        AsWritten => "none", "Both are compared byte by byte.", "the convention of 1994 says nothing of it";
        Requoted => "both undone and escaped again",
            "Escapes of both are undone, both are taken apart as URLs, put together and escaped again; a fragment stays, an empty query goes.",
            "CPython (urllib/robotparser.py: RuleLine, can_fetch)";
    }
}

switch! {
    /// Which of the rules that match wins.
    Precedence {
        Longest => "longest, a tie allows", "The rule with the most octets; of equally long ones the allow.", "RFC 9309, 2.2.2; Google's parser";
        LongestUnlessWildcard => "longest; unequal with a wildcard: undefined",
            "The longest, a tie allows; where the best allow and the best disallow differ in length and one has a wildcard, it is undefined.",
            "Google's text of July 2019: order of precedence for rules";
        UndefinedWithWildcard => "longest; with a wildcard: undefined",
            "The longest, a tie allows; where the best allow or the best disallow has a wildcard, it is undefined.",
            "Google's text before July 2019: order of precedence for group-member records";
        First => "first", "The first in the file.", "CPython; the convention of 1994, which has one kind of rule";
    }
}

/// A switch that is on or off: what both mean.
struct OnOff {
    on: Setting,
    off: Setting,
}

impl OnOff {
    const fn setting(&self, value: bool) -> Setting {
        if value { self.on } else { self.off }
    }
}

const KNOWS_ALLOW: OnOff = OnOff {
    on: Setting { word: "known", about: "Allow rules count.", source: "RFC 9309, 2.2.2; Google's texts; CPython" },
    off: Setting {
        word: "unknown",
        about: "It is an unknown field, which is ignored.",
        source: "the convention of 1994: unrecognised headers are ignored",
    },
};

const WILDCARDS: OnOff = OnOff {
    on: Setting {
        word: "* and final $",
        about: "A * stands for any characters, a $ at the end for the end of the URL.",
        source: "RFC 9309, 2.2.3; Google's texts",
    },
    off: Setting {
        word: "none",
        about: "Every character stands for itself: a pattern is a prefix.",
        source: "the convention of 1994: Disallow; CPython",
    },
};

const EMPTY_RULE_COUNTS: OnOff = OnOff {
    on: Setting {
        word: "a rule of length 0",
        about: "It is a rule that loses to every other, whose line can be told; where the first rule counts, it matches every path and allows it.",
        source: "Google's parser (robots.cc: RobotsMatcher); CPython (urllib/robotparser.py: RuleLine)",
    },
    off: Setting {
        word: "no rule",
        about: "It says nothing, though it belongs to its group.",
        source: "RFC 9309, 2.2.2; Google's texts; the convention of 1994: an empty value means that all may be fetched",
    },
};

const TRAILING_WILDCARD_COUNTS: OnOff = OnOff {
    on: Setting {
        word: "counts",
        about: "Wildcards at the end of a pattern are part of its length.",
        source: "RFC 9309, 2.2.2: octets; Google's parser",
    },
    off: Setting {
        word: "ignored",
        about: "Wildcards at the end of a pattern are no part of its length.",
        source: "Google's texts: the trailing wildcard is ignored",
    },
};

const INDEX_PAGE: OnOff = OnOff {
    on: Setting {
        word: "opens its folder",
        about: "An allow rule that ends in /index.htm and anything also allows its folder's own URL.",
        source: "Google's parser (robots.cc: HandleAllow)",
    },
    off: Setting { word: "like any other", about: "It has no meaning of its own.", source: "no text has it" },
};

const ROBOTS_TXT_ALLOWED: OnOff = OnOff {
    on: Setting { word: "always allowed", about: "The file itself may always be fetched.", source: "RFC 9309, 2.2.2" },
    off: Setting {
        word: "like any other",
        about: "The file itself is a path like any other.",
        source: "no other text has it",
    },
};

const BODY_LIMIT: OnOff = OnOff {
    on: Setting {
        word: "512,000 bytes",
        about: "What is beyond 500 KiB is not read; a line that the limit cuts is dropped whole.",
        source: "RFC 9309, 2.5; Google's texts: file size",
    },
    off: Setting {
        word: "none",
        about: "All of it is read.",
        source: "Google's parser; CPython; the convention of 1994",
    },
};

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

/// A kind of switch: what it is called and decides, and where a dialect has it.
struct Kind {
    name: &'static str,
    about: &'static str,
    setting: fn(&Dialect) -> Setting,
    take: fn(&mut Dialect, &Dialect),
}

/// Every switch but those of HTTP.
const KINDS: &[Kind] = &[
    Kind {
        name: "byte order mark",
        about: "What becomes of a UTF-8 byte order mark.",
        setting: |of| of.bom.setting(),
        take: |to, from| to.bom = from.bom,
    },
    Kind {
        name: "field names",
        about: "How a line is read.",
        setting: |of| of.fields.setting(),
        take: |to, from| to.fields = from.fields,
    },
    Kind {
        name: "agent value",
        about: "What is read of the text after user-agent.",
        setting: |of| of.token.setting(),
        take: |to, from| to.token = from.token,
    },
    Kind {
        name: "agent match",
        about: "Which group names a crawler.",
        setting: |of| of.agent_match.setting(),
        take: |to, from| to.agent_match = from.agent_match,
    },
    Kind {
        name: "end of a list of agents",
        about: "After what the next user-agent line starts a new group.",
        setting: |of| of.list_end.setting(),
        take: |to, from| to.list_end = from.list_end,
    },
    Kind {
        name: "same agent twice",
        about: "What becomes of several groups for one agent.",
        setting: |of| of.repeated.setting(),
        take: |to, from| to.repeated = from.repeated,
    },
    Kind {
        name: "allow",
        about: "Whether it is a field of the protocol.",
        setting: |of| KNOWS_ALLOW.setting(of.knows_allow),
        take: |to, from| to.knows_allow = from.knows_allow,
    },
    Kind {
        name: "wildcards",
        about: "Which characters of a pattern are special.",
        setting: |of| WILDCARDS.setting(of.wildcards),
        take: |to, from| to.wildcards = from.wildcards,
    },
    Kind {
        name: "pattern without / or * first",
        about: "What it matches.",
        setting: |of| of.missing_slash.setting(),
        take: |to, from| to.missing_slash = from.missing_slash,
    },
    Kind {
        name: "rule without a path",
        about: "What it says.",
        setting: |of| EMPTY_RULE_COUNTS.setting(of.empty_rule_counts),
        take: |to, from| to.empty_rule_counts = from.empty_rule_counts,
    },
    Kind {
        name: "percent-encoding",
        about: "How spellings of one path are made equal.",
        setting: |of| of.spelling.setting(),
        take: |to, from| to.spelling = from.spelling,
    },
    Kind {
        name: "which rule wins",
        about: "Among those that match.",
        setting: |of| of.precedence.setting(),
        take: |to, from| to.precedence = from.precedence,
    },
    Kind {
        name: "wildcard at the end",
        about: "Whether it makes a pattern longer.",
        setting: |of| TRAILING_WILDCARD_COUNTS.setting(of.trailing_wildcard_counts),
        take: |to, from| to.trailing_wildcard_counts = from.trailing_wildcard_counts,
    },
    Kind {
        name: "index page",
        about: "What an allow for it opens.",
        setting: |of| INDEX_PAGE.setting(of.index_page),
        take: |to, from| to.index_page = from.index_page,
    },
    Kind {
        name: "/robots.txt",
        about: "Whether rules close it.",
        setting: |of| ROBOTS_TXT_ALLOWED.setting(of.robots_txt_allowed),
        take: |to, from| to.robots_txt_allowed = from.robots_txt_allowed,
    },
    Kind {
        name: "body limit",
        about: "How much of a body is read.",
        setting: |of| BODY_LIMIT.setting(of.body_limit.is_some()),
        take: |to, from| to.body_limit = from.body_limit,
    },
];

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

    /// CPython's `urllib.robotparser` in 3.11. Patch releases of 3.13 and 3.14 and all of 3.15 have it rewritten after RFC 9309 (2026).
    pub const PYTHON: Dialect = Dialect {
        name: "python",
        about: "CPython's urllib.robotparser as it behaves in 3.11, before its rewriting in 2026",
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

    /// Its switches but those of HTTP, always the same ones in the same order.
    pub fn switches(&self) -> Vec<Switch> {
        let set = |kind: &Kind| Switch { name: kind.name, about: kind.about, setting: (kind.setting)(self) };
        KINDS.iter().map(set).collect()
    }

    /// This dialect, but with the switch at this place of [`Dialect::switches`] as another one has it: a way to read that nobody
    /// uses, for asking what a switch is responsible for. Its name is still this one's.
    pub fn with_switch(&self, place: usize, other: &Dialect) -> Dialect {
        let mut made = *self;
        if let Some(kind) = KINDS.get(place) {
            (kind.take)(&mut made, other);
        }
        made
    }

    /// The dialect of this name.
    pub fn named(name: &str) -> Option<&'static Dialect> {
        Dialect::ALL.iter().find(|dialect| dialect.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_say_how_dialects_differ() {
        let standard = Dialect::RFC9309.switches();
        for dialect in &Dialect::ALL[1..] {
            let switches = dialect.switches();
            let names = |switches: &[Switch]| switches.iter().map(|switch| switch.name).collect::<Vec<_>>();
            assert_eq!(names(&switches), names(&standard));
            assert_ne!(switches, standard, "{}", dialect.name);
            for switch in switches {
                let Setting { word, about, source } = switch.setting;
                assert!(about.ends_with('.') && !word.is_empty() && !source.is_empty(), "{switch:?}");
            }
        }
        let words: Vec<&str> =
            Dialect::GOOGLE_BEFORE_2021.switches().iter().map(|switch| switch.setting.word).collect();
        assert!(words.contains(&"a rule, sitemap or unknown line"));
        // The sentence and the constant must not drift apart.
        assert_eq!(LIMIT, 512_000);
    }

    #[test]
    fn switches_are_taken_one_by_one() {
        for one in Dialect::ALL {
            for other in Dialect::ALL {
                let mut made = *one;
                for (place, switch) in other.switches().iter().enumerate() {
                    let before = made.switches();
                    made = made.with_switch(place, other);
                    let after = made.switches();
                    assert_eq!(after[place], *switch);
                    assert!((0..after.len()).all(|at| at == place || after[at] == before[at]), "{}", switch.name);
                }
                // Nothing but the names and HTTP is left of the one.
                let rest = Dialect { name: other.name, about: other.about, http: other.http, ..made };
                assert_eq!(rest, *other);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.name), Some(dialect));
        }
        assert_eq!(Dialect::named("RFC"), None);
    }
}
