//! Which dialects read a document alike: so that one that reads it exactly as another costs nothing more.
//!
//! Most files hold nothing that dialects differ about. [`Traits`] says what a document does hold, in one pass over its lines;
//! [`Dialect::reading`] puts the standard's value in the place of every switch that then decides nothing. Equal readings give equal
//! rule sets, verdicts and lines for equal [`Paths`](crate::Paths). Where it would take work to be sure, readings are taken to differ.

use crate::dialect::{AgentMatch, Bom, Dialect, Fields, ListEnd, Precedence, Repeated, Spelling, Token};
use crate::document::Document;
use crate::group::named;
use crate::line::{self, Field, Gap, class, holds_python_bytes};
use memchr::memmem;

/// What a document holds that dialects differ about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traits {
    /// A line that Google's parser takes for another field or value than is written.
    google_lines: bool,
    /// Bytes that lines end with, or that are blank, for CPython alone; or text that is not ASCII.
    python_lines: bool,
    whole_bom: bool,
    partial_bom: bool,
    long: bool,
    /// An agent value that Google's parser cuts otherwise than the standard's reading, digits being lenient.
    token_google: bool,
    /// An agent value that is more than its token.
    token_written: bool,
    /// An agent value other than `*`, and `*` itself.
    names: bool,
    star: bool,
    groups: u32,
    /// A list of agents at the end of the file, without rules.
    open_end: bool,
    /// Between two agents of one list: a sitemap; that or any other line; a request for a pace.
    sitemap_in_list: bool,
    other_in_list: bool,
    delay_in_list: bool,
    /// Before a rule, or between two agents of one list: a blank line; an empty one.
    blank_matters: bool,
    empty_matters: bool,
    rules: u32,
    allow: bool,
    empty_rule: bool,
    trailing_star: bool,
    no_slash: bool,
    double_slash: bool,
    index_page: bool,
    /// Kinds of bytes in rules.
    classes: u8,
}

impl Traits {
    /// Looks a document over.
    pub fn of(document: &Document<'_>) -> Traits {
        let body = document.body();
        let mut traits = Traits {
            python_lines: holds_python_bytes(body),
            whole_bom: document.has_bom(),
            partial_bom: !document.has_bom() && body.first() == Some(&0xef),
            long: Dialect::RFC9309.body_limit.is_some_and(|limit| body.len() > limit as usize),
            ..Traits::default()
        };
        // Lists of agents as the standard reads them, and as Google's parser does: whether one is open, and what stood in it.
        let mut exact = List::default();
        let mut google = List::default();
        for line in document.lines() {
            exact.gap = exact.gap.max(line.gap);
            let entry = document.entry(line, &Dialect::RFC9309);
            let protocol = |entry: Option<(Field, _)>| entry.filter(|(field, _)| is_protocol(*field));
            let mut read_by_google = entry;
            if line.odd && !line::is_protocol_for_nobody(document.text(line), line.field) {
                read_by_google = document.entry(line, &Dialect::GOOGLE);
                traits.google_lines |= protocol(entry) != protocol(read_by_google);
            }
            // Google's parser may take prose for two words; to be sure costs more than to read twice.
            google.other |= line.field == Field::None;
            match read_by_google {
                Some((Field::UserAgent, _)) => {
                    traits.other_in_list |= google.open && google.other;
                    google = List { open: true, ..List::default() };
                }
                Some((Field::Allow | Field::Disallow, _)) => google = List::default(),
                Some((Field::Sitemap | Field::Other, _)) => google.other = true,
                _ => {}
            }
            match entry {
                Some((Field::UserAgent, value)) => {
                    if exact.open {
                        traits.sitemap_in_list |= exact.sitemap;
                        traits.delay_in_list |= exact.delay;
                        traits.blank_matters |= exact.gap > Gap::No;
                        traits.empty_matters |= exact.gap == Gap::Empty;
                    } else {
                        traits.groups += 1;
                    }
                    exact = List { open: true, ..List::default() };
                    traits.take_agent(value);
                }
                Some((field @ (Field::Allow | Field::Disallow), value)) => {
                    traits.blank_matters |= exact.gap > Gap::No;
                    traits.empty_matters |= exact.gap == Gap::Empty;
                    exact = List::default();
                    traits.take_rule(field == Field::Allow, value, line.classes);
                }
                Some((Field::Sitemap, _)) => exact.sitemap = true,
                Some((Field::Other, _)) if exact.open => exact.delay |= document.is_delay(line),
                _ => {}
            }
        }
        traits.open_end = exact.open;
        traits
    }

    fn take_agent(&mut self, value: &[u8]) {
        if value == b"*" {
            self.star = true;
            return;
        }
        self.names = true;
        let standard = named(value, Token::WithDigits);
        self.token_google |= named(value, Token::Google) != standard;
        self.token_written |= named(value, Token::AsWritten) != standard;
    }

    fn take_rule(&mut self, allow: bool, value: &[u8], classes: u8) {
        self.rules += 1;
        self.allow |= allow;
        self.classes |= classes;
        match value {
            [] => self.empty_rule = true,
            [b'/', b'/', ..] => self.double_slash = true,
            [b'/', ..] => {}
            _ => self.no_slash = true,
        }
        self.trailing_star |= value.ends_with(b"*");
        self.index_page |= allow && memmem::find(value, b"/index.htm").is_some();
    }
}

/// A list of agents on the way: whether it is open, and what stood in it since its last agent.
#[derive(Debug, Clone, Copy)]
struct List {
    open: bool,
    sitemap: bool,
    delay: bool,
    other: bool,
    gap: Gap,
}

impl Default for List {
    fn default() -> List {
        List { open: false, sitemap: false, delay: false, other: false, gap: Gap::No }
    }
}

const fn is_protocol(field: Field) -> bool {
    matches!(field, Field::UserAgent | Field::Allow | Field::Disallow | Field::Sitemap)
}

/// How a dialect reads a document: its switches, with the standard's value for each that decides nothing there.
///
/// Packed into numbers, because seven of them are compared with each other for every document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// All but what makes one rule stronger than another.
    rules: u64,
    /// That.
    strength: u8,
}

impl Reading {
    /// Whether two dialects find the same groups and rules, though maybe not equally strong ones:
    /// see [`Robots::ranked_by`](crate::Robots::ranked_by).
    pub fn has_rules_of(&self, other: &Reading) -> bool {
        self.rules == other.rules
    }
}

impl Dialect {
    /// How it reads documents of these traits. `prefix_matters` says whether the document has a token that only begins the
    /// name of an agent that is asked about: see [`AgentIndex::begins_a_name`](crate::AgentIndex::begins_a_name).
    pub fn reading(&self, traits: &Traits, prefix_matters: bool) -> Reading {
        let standard = &Dialect::RFC9309;
        let has = |classes: u8| traits.classes & classes != 0;
        let several_rules = traits.rules > 1;
        let fields_differ = match self.fields {
            Fields::Exact => false,
            Fields::Google => traits.google_lines,
            Fields::Python => traits.python_lines,
        };
        let bom_differs = match self.bom {
            Bom::Ignored => false,
            Bom::PartialToo => traits.partial_bom,
            Bom::Kept => traits.whole_bom,
        };
        let token_differs = match self.token {
            Token::WithDigits => false,
            Token::Google => traits.token_google,
            Token::AsWritten | Token::Unquoted => traits.token_written,
        };
        let match_differs = match self.agent_match {
            AgentMatch::Equal => false,
            AgentMatch::LongestPrefix => prefix_matters,
            AgentMatch::Substring | AgentMatch::SubstringBeforeSlash => traits.names,
        };
        let list_differs = match self.list_end {
            ListEnd::Rule => false,
            ListEnd::RuleOrSitemap => traits.sitemap_in_list,
            ListEnd::RuleOrAnyOther => traits.other_in_list,
            ListEnd::RuleOrBlank => traits.blank_matters,
            ListEnd::RuleDelayOrBlank => traits.empty_matters || traits.delay_in_list || traits.open_end,
        };
        let repeated_differs = match self.repeated {
            Repeated::Merged => false,
            Repeated::First => traits.groups > 1,
            Repeated::FirstAndStarAlone => traits.groups > 1 || (traits.names && traits.star),
        };
        let slash_differs = self.missing_slash != standard.missing_slash && traits.no_slash;
        let spelling_differs = match self.spelling {
            Spelling::MadeEqual => false,
            Spelling::RuleEscaped | Spelling::AsWritten => has(class::PERCENT | class::OUTSIDE | class::HIGH),
            Spelling::Requoted => {
                has(class::RESERVED | class::OUTSIDE | class::HIGH) || traits.no_slash || traits.double_slash
            }
        };
        let precedence_differs = match self.precedence {
            Precedence::Longest => false,
            Precedence::LongestUnlessWildcard | Precedence::UndefinedWithWildcard => has(class::STAR) && several_rules,
            Precedence::First => several_rules,
        };
        let choose = |differs: bool| if differs { self } else { standard };
        let precedence = choose(precedence_differs).precedence;
        // Where the first rule wins, one without a path allows; the others differ in strength alone.
        let first_wins = precedence == Precedence::First;
        // What paths are, `/robots.txt` among them, is compared by itself.
        let rules = [
            choose(fields_differ).fields as u64,
            choose(bom_differs).bom as u64,
            choose(token_differs).token as u64,
            choose(match_differs).agent_match as u64,
            choose(list_differs).list_end as u64,
            choose(repeated_differs).repeated as u64,
            u64::from(choose(traits.allow).knows_allow),
            u64::from(choose(has(class::STAR | class::DOLLAR)).wildcards),
            choose(slash_differs).missing_slash as u64,
            choose(spelling_differs).spelling as u64,
            u64::from(first_wins),
            u64::from(choose(traits.empty_rule).empty_rule_counts),
            u64::from(choose(traits.index_page).index_page),
            u64::from(choose(traits.long).body_limit.is_some()),
        ];
        let trailing = choose(traits.trailing_star && several_rules).trailing_wildcard_counts;
        Reading {
            // No switch has more than eight values.
            rules: rules.iter().fold(0, |key, value| key << 3 | value),
            strength: (precedence as u8) << 1 | u8::from(trailing),
        }
    }
}
