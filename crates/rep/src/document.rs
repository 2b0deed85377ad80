//! A body, scanned once; and what one dialect reads in it.
//!
//! Parsing never fails: whatever the bytes are, there is a [`Document`], and for every dialect a [`Robots`].

use crate::dialect::{Bom, Dialect, Fields, ListEnd, MissingSlash, Precedence, Repeated, Spelling};
use crate::group::{Named, named};
use crate::line::{self, Field, Gap, Line, LineCounts, class};
use crate::path;
use crate::pattern::Pattern;
use crate::python;
use std::borrow::Cow;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A body and its lines. One scan serves every dialect.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    body: &'a [u8],
    lines: Vec<Line>,
    counts: LineCounts,
    bom: bool,
}

impl<'a> Document<'a> {
    /// Scans a body of at most 1 GiB; what is beyond is not read.
    pub fn parse(body: &'a [u8]) -> Document<'a> {
        // Offsets are 32-bit, and escaping can make three bytes of one.
        let body = &body[..body.len().min(u32::MAX as usize / 4)];
        let bom = body.starts_with(BOM);
        let partial = !bom && body.first() == Some(&BOM[0]);
        let mut lines = Vec::with_capacity(body.len() / 32 + 4);
        let counts = line::scan(body, if bom { BOM.len() } else { 0 }, partial, &mut lines);
        Document { body, lines, counts, bom }
    }

    /// The bytes it was made from.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Lines that hold more than blanks and a comment, in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// How many lines there are of which kind.
    pub fn counts(&self) -> LineCounts {
        self.counts
    }

    /// How many lines it has as people count: what follows the last line end is one only if there is something.
    pub fn line_count(&self) -> u32 {
        let open_end = !matches!(self.body.last(), None | Some(b'\n' | b'\r'));
        self.counts.lines - 1 + u32::from(open_end)
    }

    /// Whether it begins with a UTF-8 byte order mark.
    pub fn has_bom(&self) -> bool {
        self.bom
    }

    /// The text of a line, without its line end.
    pub fn text(&self, line: &Line) -> &'a [u8] {
        &self.body[line.start as usize..line.end as usize]
    }

    /// The field of a line as written, blanks trimmed; empty where there is no colon.
    pub fn field_name(&self, line: &Line) -> &'a [u8] {
        let text = self.text(line);
        match memchr::memchr(b':', text) {
            Some(colon) if line.field != Field::None => trim_blanks(&text[..colon]),
            _ => b"",
        }
    }

    /// The value of a line, blanks trimmed.
    pub fn value(&self, line: &Line) -> &'a [u8] {
        &self.body[line.value_start as usize..line.value_end as usize]
    }

    /// The line that a byte of the body stands in, from 1.
    pub fn line_at(&self, offset: usize) -> u32 {
        let before = &self.body[..offset.min(self.body.len())];
        let feeds = memchr::memchr_iter(b'\n', before).count();
        let returns = memchr::memchr_iter(b'\r', before).filter(|at| self.body.get(at + 1) != Some(&b'\n')).count();
        (feeds + returns) as u32 + 1
    }

    /// What a dialect makes of a line: its field and value, or nothing.
    pub fn entry(&self, line: &Line, dialect: &Dialect) -> Option<(Field, &'a [u8])> {
        match dialect.fields {
            Fields::Google if line.odd => {
                let mut text = self.text(line);
                if line.number == 1 && line.start == 0 && dialect.bom == Bom::PartialToo {
                    let common = text.iter().zip(BOM).take_while(|(a, b)| a == b).count();
                    text = &text[common..];
                }
                line::google_line(text).map(|read| (read.field, read.value))
            }
            // The byte order mark spoils the field name of the line that it stands in, whatever that is.
            _ if self.bom && dialect.bom == Bom::Kept && line.start as usize == BOM.len() => None,
            // Unicode blanks matter only where there may be any.
            Fields::Python
                if line.classes & (class::OUTSIDE | class::HIGH) != 0
                    || (line.odd && line::holds_python_bytes(self.text(line))) =>
            {
                line::python_line(self.text(line))
            }
            _ if line.field == Field::None => None,
            _ => Some((line.field, self.value(line))),
        }
    }

    /// The lines that a dialect reads: none that reaches beyond its limit (spec 3.7).
    pub fn lines_within(&self, dialect: &Dialect) -> Cow<'_, [Line]> {
        match dialect.body_limit {
            _ if dialect.fields == Fields::Python && line::has_python_ends(self.body) => {
                Cow::Owned(line::python_lines(self.body, if self.bom { BOM.len() } else { 0 }))
            }
            Some(limit) if self.body.len() > limit as usize => {
                Cow::Borrowed(&self.lines[..self.lines.partition_point(|line| line.end <= limit)])
            }
            _ => Cow::Borrowed(&self.lines),
        }
    }

    /// Whether a line asks for a pace, as CPython's parser knows it: crawl-delay or request-rate.
    pub(crate) fn is_delay(&self, line: &Line) -> bool {
        let name = line::python_name(self.text(line));
        [&b"crawl-delay"[..], b"request-rate"].iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Reads it in a dialect.
    pub fn read(&self, dialect: &'a Dialect) -> Robots<'a> {
        Robots::read(self, dialect)
    }
}

fn trim_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// A `user-agent` line.
#[derive(Debug, Clone, Copy)]
pub struct AgentLine<'a> {
    /// Its number, from 1.
    pub line: u32,
    /// Whom it names.
    pub named: Named<'a>,
    /// The group it belongs to: an index into [`Robots::groups`].
    pub group: u32,
}

/// Consecutive `user-agent` lines and the rules they share; ranges of [`Robots::agents`] and [`Robots::rules`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Line of its first agent, from 1.
    pub line: u32,
    /// First agent line.
    pub first_agent: u32,
    /// First rule.
    pub first_rule: u32,
    /// Rule after the last one.
    pub end_rule: u32,
    /// The line from which on nothing belongs to it: where the next group begins, or where a blank line ends it.
    pub end_line: u32,
}

/// A rule that can match something, compiled.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub(crate) pattern: Pattern,
    /// How strong it is when it matches: more wins; 0 is never used. See [`Decisions`](crate::evaluate::Decisions).
    pub(crate) rank: u32,
    /// Bytes as the dialect compares it, a final `$` and trailing wildcards included, and how many of these there are.
    length: u32,
    trailing: u32,
    /// Its line, from 1.
    pub line: u32,
    /// Whether it allows.
    pub allow: bool,
    /// Whether a wildcard stands in it before its end.
    pub(crate) inner_wildcard: bool,
    /// Whether it is the second form of an allow rule for an index page: its folder, and nothing else (Google's parser).
    pub is_folder_form: bool,
}

impl Rule {
    /// Twice the length, and one more without a wildcard where that decides between equally long rules of one kind; at least 1.
    /// Where the first rule wins, less from rule to rule.
    fn rank_in(&self, dialect: &Dialect, order: usize) -> u32 {
        let plain = match dialect.precedence {
            Precedence::First => return u32::MAX - order as u32,
            Precedence::Longest => 1,
            _ => u32::from(!self.inner_wildcard),
        };
        let length = self.length - if dialect.trailing_wildcard_counts { 0 } else { self.trailing };
        length.saturating_mul(2).saturating_add(plain).max(1)
    }
}

/// Counts of rules as written: those whose pattern can match nothing included, lines without a path not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleCounts {
    /// `allow` lines in groups.
    pub allow: u32,
    /// `disallow` lines in groups.
    pub disallow: u32,
    /// Of both, those with a `*`.
    pub wildcard: u32,
    /// Of both, those that end in `$`.
    pub anchored: u32,
    /// Rules before any `user-agent` line: in no group.
    pub outside: u32,
}

/// A robots.txt as one dialect reads it.
#[derive(Debug, Clone)]
pub struct Robots<'a> {
    /// The dialect.
    pub dialect: &'a Dialect,
    /// All `user-agent` lines that were read, in order.
    pub agents: Vec<AgentLine<'a>>,
    /// All groups, in order.
    pub groups: Vec<Group>,
    /// All rules that can match, in order.
    pub rules: Vec<Rule>,
    /// Sitemap values with their lines, in order.
    pub sitemaps: Vec<(u32, &'a [u8])>,
    /// Rules by kind.
    pub counts: RuleCounts,
    body: &'a [u8],
    arena: Vec<u8>,
}

impl<'a> Robots<'a> {
    fn read(document: &Document<'a>, dialect: &'a Dialect) -> Robots<'a> {
        let lines = document.lines_within(dialect);
        let mut robots = Robots {
            dialect,
            agents: Vec::with_capacity(4),
            groups: Vec::with_capacity(4),
            rules: Vec::with_capacity(lines.len()),
            sitemaps: Vec::new(),
            counts: RuleCounts::default(),
            body: document.body,
            arena: Vec::new(),
        };
        // Whether a further agent line joins the last group, and whether rules have a group to join.
        let (mut list_open, mut in_group) = (false, false);
        for line in lines.iter() {
            match dialect.list_end {
                ListEnd::RuleOrBlank if line.gap > Gap::No => {
                    robots.end_group(in_group, line.number);
                    (list_open, in_group) = (false, false);
                }
                ListEnd::RuleDelayOrBlank if line.gap == Gap::Empty => {
                    robots.end_group(in_group, line.number);
                    if list_open {
                        robots.forget_last_group();
                    }
                    (list_open, in_group) = (false, false);
                }
                _ => {}
            }
            let Some((field, value)) = document.entry(line, dialect) else { continue };
            match field {
                Field::Allow if !dialect.knows_allow => {}
                Field::UserAgent => {
                    if !list_open {
                        robots.end_group(in_group, line.number);
                        (list_open, in_group) = (true, true);
                        robots.groups.push(Group {
                            line: line.number,
                            first_agent: robots.agents.len() as u32,
                            first_rule: robots.rules.len() as u32,
                            end_rule: robots.rules.len() as u32,
                            end_line: u32::MAX,
                        });
                    }
                    let group = robots.groups.len() as u32 - 1;
                    robots.agents.push(AgentLine { line: line.number, named: named(value, dialect.token), group });
                }
                Field::Allow | Field::Disallow => {
                    list_open = false;
                    if !in_group {
                        // RFC 9309, 2.2.1: rules before any group are ignored (spec 4.2).
                        robots.counts.outside += 1;
                        continue;
                    }
                    let classes = if line.odd { classes(value) } else { line.classes };
                    robots.push_rule(field == Field::Allow, value, classes, line.number);
                }
                Field::Sitemap => {
                    list_open &= !matches!(dialect.list_end, ListEnd::RuleOrSitemap | ListEnd::RuleOrAnyOther);
                    robots.sitemaps.push((line.number, value));
                }
                Field::Other => match dialect.list_end {
                    ListEnd::RuleOrAnyOther => list_open = false,
                    ListEnd::RuleDelayOrBlank if list_open && document.is_delay(line) => list_open = false,
                    _ => {}
                },
                Field::None => {}
            }
        }
        if list_open && dialect.list_end == ListEnd::RuleDelayOrBlank {
            robots.forget_last_group();
        }
        if dialect.repeated == Repeated::FirstAndStarAlone {
            robots.leave_star_alone();
        }
        robots
    }

    fn end_group(&mut self, in_group: bool, line: u32) {
        if let Some(group) = self.groups.last_mut().filter(|_| in_group) {
            group.end_line = line;
        }
    }

    /// Agents without rules are nobody's group (CPython).
    fn forget_last_group(&mut self) {
        if let Some(group) = self.groups.pop() {
            self.agents.truncate(group.first_agent as usize);
        }
    }

    /// A group for `*` is for nobody else (CPython).
    fn leave_star_alone(&mut self) {
        for group in 0..self.groups.len() {
            let first = self.groups[group].first_agent as usize;
            let end = first + self.agents_of(group).len();
            let agents = &mut self.agents[first..end];
            if agents.iter().any(|agent| agent.named == Named::Everybody) {
                for agent in agents.iter_mut().filter(|agent| agent.named != Named::Everybody) {
                    agent.named = Named::Nobody;
                }
            }
        }
    }

    fn push_rule(&mut self, allow: bool, value: &'a [u8], classes: u8, line: u32) {
        let dialect = self.dialect;
        let anchored = dialect.wildcards && classes & class::DOLLAR != 0 && value.ends_with(b"$");
        let starred = dialect.wildcards && classes & class::STAR != 0;
        let counts = &mut self.counts;
        // Without a path a line is no rule (spec 6.1), whatever its number may be told for.
        *(if allow { &mut counts.allow } else { &mut counts.disallow }) += u32::from(!value.is_empty());
        counts.wildcard += u32::from(starred);
        counts.anchored += u32::from(anchored);

        if value.is_empty() && !dialect.empty_rule_counts {
            return;
        }
        let slash_missing = !value.is_empty() && value[0] != b'/';
        let add_slash = slash_missing && dialect.missing_slash == MissingSlash::SlashAdded;
        if slash_missing && dialect.missing_slash == MissingSlash::NoEffect && value[0] != b'*' {
            return;
        }
        // "An empty value means allow all" (CPython).
        let allow = allow || (value.is_empty() && dialect.precedence == Precedence::First);

        // Bring the text into the form that paths have. Most rules have it already and stay where they are.
        let star = match dialect.spelling {
            Spelling::MadeEqual => 0,
            _ => b'*',
        };
        let rewrite = match dialect.spelling {
            Spelling::MadeEqual => classes & (class::PERCENT | class::OUTSIDE | class::HIGH) != 0,
            Spelling::RuleEscaped => classes & (class::PERCENT | class::HIGH) != 0,
            Spelling::AsWritten => false,
            Spelling::Requoted => {
                classes & (class::RESERVED | class::OUTSIDE | class::HIGH) != 0
                    || slash_missing
                    || value.starts_with(b"//")
            }
        };
        // A raw `$` at the end is the anchor; an escaped one is a plain character, so this is decided before escapes are undone.
        let (text, star, start, in_arena) = if rewrite || add_slash {
            let start = self.arena.len();
            if add_slash {
                self.arena.push(b'/');
            }
            let unpinned = if anchored { &value[..value.len() - 1] } else { value };
            match dialect.spelling {
                Spelling::MadeEqual => path::push_equal(unpinned, star, &mut self.arena),
                Spelling::RuleEscaped => path::push_google_escaped(unpinned, &mut self.arena),
                Spelling::AsWritten => self.arena.extend_from_slice(unpinned),
                Spelling::Requoted => {
                    // A text that CPython's URL parser refuses makes the whole parser fail; here it costs that rule alone.
                    if !python::push_rule(unpinned, classes, &mut self.arena) {
                        return;
                    }
                    if starred {
                        // CPython knows no wildcards; a dialect that does and quotes like it must find them again.
                        self.unquote_stars(start);
                    }
                }
            }
            (&self.arena[start..], star, start, true)
        } else {
            let start = value.as_ptr() as usize - self.body.as_ptr() as usize;
            (if anchored { &value[..value.len() - 1] } else { value }, b'*', start, false)
        };
        let length = (text.len() + usize::from(anchored)) as u32;
        let (mut trailing, mut inner_wildcard) = (0, false);
        if starred {
            if !anchored {
                trailing = text.iter().rev().take_while(|byte| **byte == star).count();
            }
            inner_wildcard = memchr::memchr(star, &text[..text.len() - trailing]).is_some();
        }
        // `/index.htm...` in an allow rule also opens its folder (Google's parser).
        let folder = (dialect.index_page && allow)
            .then(|| memchr::memrchr(b'/', text))
            .flatten()
            .filter(|slash| text[*slash..].starts_with(b"/index.htm"))
            .map(|slash| (Pattern::new(&text[..=slash], star, true, start as u32, in_arena), slash as u32 + 2));
        let pattern = match starred {
            true => Pattern::new(text, star, anchored, start as u32, in_arena),
            false => Pattern::plain(text, anchored, start as u32, in_arena),
        };
        let trailing = trailing as u32;
        let rule = Rule { pattern, rank: 0, length, trailing, line, allow, inner_wildcard, is_folder_form: false };
        self.push_ranked(rule);
        if let Some((pattern, length)) = folder {
            self.push_ranked(Rule { pattern, length, trailing: 0, is_folder_form: true, ..rule });
        }
        if let Some(group) = self.groups.last_mut() {
            group.end_rule = self.rules.len() as u32;
        }
    }

    fn push_ranked(&mut self, rule: Rule) {
        let rank = rule.rank_in(self.dialect, self.rules.len());
        self.rules.push(Rule { rank, ..rule });
    }

    /// The same rules, as strong as another dialect takes them: one whose [`Reading`](crate::Reading) has the same rules.
    pub fn ranked_by(&self, dialect: &'a Dialect) -> Robots<'a> {
        let mut robots = Robots { dialect, ..self.clone() };
        for (order, rule) in robots.rules.iter_mut().enumerate() {
            rule.rank = rule.rank_in(dialect, order);
        }
        robots
    }

    /// Makes each quoted star at the end of the arena a plain one.
    fn unquote_stars(&mut self, start: usize) {
        let quoted = self.arena.split_off(start);
        let mut rest = quoted.as_slice();
        while let Some(at) = memchr::memmem::find(rest, b"%2A") {
            self.arena.extend_from_slice(&rest[..at]);
            self.arena.push(b'*');
            rest = &rest[at + 3..];
        }
        self.arena.extend_from_slice(rest);
    }

    /// The length of a rule as the dialect counts it: the longest of the rules that match wins. None where the first one wins.
    pub fn length(&self, rule: &Rule) -> Option<u32> {
        (self.dialect.precedence != Precedence::First).then_some(rule.rank / 2)
    }

    /// The text of a compiled pattern.
    pub(crate) fn text(&self, pattern: &Pattern) -> &[u8] {
        let store: &[u8] = if pattern.in_arena { &self.arena } else { self.body };
        &store[pattern.start as usize..(pattern.start + pattern.length) as usize]
    }

    /// The pattern of a rule as it is compared with paths: spelling made equal, a final `$` back in its place.
    pub fn compared(&self, rule: &Rule) -> Vec<u8> {
        let mut text: Vec<u8> = self.text(&rule.pattern).to_vec();
        for byte in &mut text {
            if rule.pattern.wild && *byte == rule.pattern.star {
                *byte = b'*';
            }
        }
        if rule.pattern.pinned {
            text.push(b'$');
        }
        text
    }

    /// The agent lines of a group.
    pub fn agents_of(&self, group: usize) -> &[AgentLine<'a>] {
        let end = self.groups.get(group + 1).map_or(self.agents.len(), |next| next.first_agent as usize);
        &self.agents[self.groups[group].first_agent as usize..end]
    }

    /// The rules of a group.
    pub fn rules_of(&self, group: usize) -> &[Rule] {
        let group = &self.groups[group];
        &self.rules[group.first_rule as usize..group.end_rule as usize]
    }

    /// The group in whose lines a line stands, by position alone; `None` where there is none.
    pub fn group_at(&self, line: u32) -> Option<usize> {
        let group = self.groups.partition_point(|group| group.line <= line).checked_sub(1)?;
        (line < self.groups[group].end_line).then_some(group)
    }
}

/// Kinds of bytes in a value.
pub(crate) fn classes(value: &[u8]) -> u8 {
    value.iter().fold(0, |all, byte| all | class::OF[*byte as usize])
}
