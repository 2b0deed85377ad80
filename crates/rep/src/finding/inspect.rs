//! Looking a document over: line by line, and as a whole.
//!
//! One pass serves counting and linting: what it finds it tells a [`Visitor`]. The lines are read exactly, as the standard
//! does; agents, rules and sitemaps come from the document's reading in [`Dialect::RFC9309`].
//! Everything here is linear in the body, or ends with its budget: bodies are strangers'.

use super::code::FindingCode;
use super::name;
use super::{Extension, preference};
use crate::dialect::{Dialect, Token};
use crate::document::{Document, Robots};
use crate::form::{self, Markup};
use crate::group::{Named, named};
use crate::line::{self, Field, Line, class};

/// One finding at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Its kind.
    pub code: FindingCode,
    /// Its line, from 1.
    pub line: u32,
    /// The first byte it is about, as an offset in the body.
    pub start: u32,
    /// The byte after the last one; never before `start`, and on the same line.
    pub end: u32,
    /// What there is to say about this one.
    pub detail: Detail,
}

/// What there is to say about one occurrence that its kind does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    None,
    /// The field that was meant.
    Meant(&'static str),
    /// The field that Google's parser takes it for, though it is no near miss.
    TakenFor(&'static str),
    /// Another line that it has to do with, from 1.
    Line(u32),
    /// A remark, without its full stop.
    Remark(&'static str),
}

impl Occurrence {
    /// A few words to stand beside the place, if there is more to say than the kind's sentence.
    pub fn label(&self) -> Option<String> {
        match (self.detail, self.code) {
            (Detail::None, _) => None,
            (Detail::Remark(remark), _) => Some(remark.to_owned()),
            (Detail::Meant(field), FindingCode::MisspeltField) => Some(format!("did you mean `{field}`?")),
            (Detail::Meant(field), FindingCode::MissingColon) => Some(format!("write `{field}:`")),
            (Detail::TakenFor(field), _) => Some(format!("Google's parser takes it for `{field}`")),
            (Detail::Meant(field), _) => Some(format!("this would be `{field}`")),
            (Detail::Line(line), code) => Some(match code {
                FindingCode::DuplicateRule => format!("line {line} matches the same already"),
                FindingCode::SitemapDisallowed => format!("closed by line {line}"),
                FindingCode::UnreachableRule => format!("line {line} wins wherever this one matches"),
                FindingCode::DuplicateGroup => format!("named in line {line} already"),
                FindingCode::AgentCase => format!("spelt otherwise in line {line}"),
                FindingCode::GroupNotClosed => format!("shares its rules with the agent of line {line}"),
                _ => format!("see line {line}"),
            }),
        }
    }
}

/// Is told what there is to find in a document.
pub trait Visitor<'a> {
    /// A finding; they come in no particular order.
    fn found(&mut self, occurrence: Occurrence);

    /// A line whose field is outside the protocol.
    fn extension(&mut self, extension: Extension<'a>) {
        let _ = extension;
    }

    /// A line with text that is neither of the protocol nor an extension.
    fn prose(&mut self) {}
}

/// Looks a document over. `standard` is its reading in [`Dialect::RFC9309`].
///
/// Of a body that is no robots.txt at all (a page, UTF-16, text without a directive) only that is told, and what its bytes are;
/// extensions and prose are told in any case.
pub fn inspect<'a>(document: &Document<'a>, standard: &Robots<'a>, visitor: &mut impl Visitor<'a>) {
    let mut inspection = Inspection { document, robots: standard, visitor, work: most_work(document) };
    let is_robots = inspection.whole();
    inspection.lines(is_robots);
    inspection.bytes();
    if is_robots {
        inspection.groups();
        inspection.sitemaps();
    }
}

/// Steps that may be spent on comparing the rules of a body with each other and with its sitemaps, a pair or a byte each: so many a
/// line that the work stays linear, and enough that ordinary files never come near.
fn most_work(document: &Document<'_>) -> u32 {
    const BASE: u32 = 20_000;
    const A_LINE: u32 = 16;
    BASE.saturating_add((document.lines().len() as u32).saturating_mul(A_LINE))
}

pub(super) struct Inspection<'v, 'a, V> {
    pub(super) document: &'v Document<'a>,
    pub(super) robots: &'v Robots<'a>,
    pub(super) visitor: &'v mut V,
    /// What is left of [`most_work`].
    pub(super) work: u32,
}

/// What a line of an unknown field, or of none, is.
enum Odd<'a> {
    Extension(Extension<'a>),
    Misspelt(&'static str),
    Invisible(&'static str),
    MissingColon(&'static str, &'a [u8]),
    Prose,
}

fn odd<'a>(document: &Document<'a>, line: &Line) -> Odd<'a> {
    match line.field {
        Field::Other => {
            let name = document.field_name(line);
            let value = document.value(line);
            if let Some(known) = name::extension(name) {
                return Odd::Extension(Extension { field: known.as_bytes(), known: true, value, line: line.number });
            }
            if let Some((word, rest)) = first_word(name)
                && let Some(field) = name::protocol(word)
                && (rest.starts_with(b"/") || rest.starts_with(b"*") || rest.starts_with(b"http"))
            {
                return Odd::MissingColon(field, word);
            }
            if !name::is_field_name(name) {
                let hidden = !name.is_ascii();
                return match hidden.then(|| name::protocol(name::visible(name))).flatten() {
                    Some(field) => Odd::Invisible(field),
                    None => Odd::Prose,
                };
            }
            match name::meant(name) {
                Some(field) => Odd::Misspelt(field),
                None => Odd::Extension(Extension { field: name, known: false, value, line: line.number }),
            }
        }
        Field::None => {
            let text = document.text(line);
            let word = line::trim_ascii_space(&text[..memchr::memchr(b'#', text).unwrap_or(text.len())]);
            let word = &word[..word.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(word.len())];
            name::protocol(word).map_or(Odd::Prose, |field| Odd::MissingColon(field, word))
        }
        _ => Odd::Prose,
    }
}

/// The first word of a name and what follows behind blanks, if there is more than one.
fn first_word(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = memchr::memchr2(b' ', b'\t', name)?;
    Some((&name[..blank], name[blank..].trim_ascii_start()))
}

/// What the lines of a group have had so far.
#[derive(Clone, Copy)]
struct OpenGroup {
    /// The last `user-agent` line.
    agent: Line,
    /// Whether only agents have come yet: a further one joins.
    list_open: bool,
    /// Whether another field's line has come since.
    interrupted: bool,
    /// Whether the group has something else than rules to say, or would have, were it spelt right.
    has_other: bool,
}

impl<'a, V: Visitor<'a>> Inspection<'_, 'a, V> {
    pub(super) fn found(&mut self, code: FindingCode, line: u32, (start, end): (u32, u32), detail: Detail) {
        self.visitor.found(Occurrence { code, line, start, end: end.max(start), detail });
    }

    /// A finding about the value of a line.
    fn value(&mut self, code: FindingCode, line: &Line, detail: Detail) {
        self.found(code, line.number, (line.value_start, line.value_end), detail);
    }

    /// A finding about a part of the value of a line.
    fn in_value(&mut self, code: FindingCode, line: &Line, part: (usize, usize), detail: Detail) {
        let place = (line.value_start + part.0 as u32, line.value_start + part.1 as u32);
        self.found(code, line.number, place, detail);
    }

    /// The line with this number.
    pub(super) fn line(&self, number: u32) -> Option<&Line> {
        let lines = self.document.lines();
        lines.binary_search_by_key(&number, |line| line.number).ok().map(|at| &lines[at])
    }

    /// A finding about the value of the line with this number.
    pub(super) fn value_of(&mut self, code: FindingCode, number: u32, detail: Detail) {
        if let Some(line) = self.line(number).copied() {
            self.value(code, &line, detail);
        }
    }

    /// Spends work; whether there was enough left.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.work.checked_sub(steps.min(u32::MAX as usize) as u32) {
            Some(left) => {
                self.work = left;
                true
            }
            None => {
                self.work = 0;
                false
            }
        }
    }

    /// Tells what the file is, if it is none to read; whether it is one.
    fn whole(&mut self) -> bool {
        let body = self.document.body();
        let lines = self.document.lines();
        // Ordinary files begin with a letter or a comment, and soon have a line of the protocol.
        let has_agent = lines.iter().any(|line| line.field == Field::UserAgent);
        if has_agent && matches!(body.first(), Some(b'#' | b'A'..=b'Z' | b'a'..=b'z')) && body.get(1) != Some(&0) {
            return true;
        }
        let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
        let first_line = |code, inspection: &mut Self| {
            let start = (body.len() - text.len()) as u32;
            let length = memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len()) as u32;
            inspection.found(code, inspection.document.line_at(start as usize), (start, start + length), Detail::None);
        };
        if form::wide(body).is_some() {
            // NUL bytes alone may pad an empty body.
            if body.iter().any(|byte| byte.is_ascii_alphanumeric()) {
                first_line(FindingCode::Utf16, self);
            }
            return false;
        }
        match form::leading_markup(text) {
            Markup::Page => {
                first_line(FindingCode::HtmlBody, self);
                return false;
            }
            Markup::Html if !has_agent => {
                first_line(FindingCode::HtmlBody, self);
                return false;
            }
            _ => {}
        }
        let is_directive = |line: &Line| match line.field {
            Field::Other | Field::None => match odd(self.document, line) {
                Odd::Extension(extension) => extension.known,
                Odd::Misspelt(_) | Odd::Invisible(_) | Odd::MissingColon(..) => true,
                Odd::Prose => false,
            },
            _ => true,
        };
        if has_agent || lines.is_empty() || lines.iter().any(is_directive) {
            return true;
        }
        let (number, place) = (lines[0].number, (lines[0].start, lines[0].end));
        self.found(FindingCode::NoDirective, number, place, Detail::None);
        false
    }

    /// Every line by itself, and where groups begin and end.
    fn lines(&mut self, is_robots: bool) {
        let document = self.document;
        let limit = Dialect::RFC9309.body_limit.unwrap_or(u32::MAX);
        let mut group: Option<OpenGroup> = None;
        // Agents that join a group that looks ended, told once it has a rule that matters: each with the agent line before it.
        let mut joined: Vec<(&Line, u32)> = Vec::new();
        for line in document.lines() {
            match line.field {
                Field::Allow | Field::Disallow => {
                    if !is_robots {
                        continue;
                    }
                    match &mut group {
                        Some(group) => group.list_open = false,
                        None => {
                            self.found(FindingCode::RuleBeforeAgent, line.number, self.span(line), Detail::None);
                            continue;
                        }
                    }
                    if !joined.is_empty() && line.value_end > line.value_start {
                        for (agent, before) in joined.drain(..) {
                            self.value(FindingCode::GroupNotClosed, agent, Detail::Line(before));
                        }
                    }
                    self.rule(line);
                }
                Field::UserAgent => {
                    if !is_robots {
                        continue;
                    }
                    match group {
                        Some(OpenGroup { agent, list_open: true, interrupted: true, .. }) => {
                            joined.push((line, agent.number));
                        }
                        Some(OpenGroup { list_open: true, .. }) => {}
                        _ => joined.clear(),
                    }
                    group = Some(OpenGroup { agent: *line, list_open: true, interrupted: false, has_other: false });
                    self.agent(line);
                }
                Field::Sitemap => {
                    if !is_robots {
                        continue;
                    }
                    if let Some(group) = &mut group {
                        group.interrupted = true;
                    }
                    // A field that was never filled in harms nobody.
                    let value = document.value(line);
                    if !value.is_empty() && !is_absolute(value) {
                        self.value(FindingCode::RelativeSitemap, line, Detail::None);
                    }
                }
                Field::Other | Field::None => match odd(document, line) {
                    Odd::Extension(extension) => {
                        self.visitor.extension(extension);
                        if is_robots {
                            if let Some(group) = &mut group {
                                group.interrupted = true;
                                group.has_other = true;
                            }
                            self.extension(line, &extension, group.is_some());
                        }
                    }
                    _ if !is_robots => self.visitor.prose(),
                    Odd::Misspelt(field) => {
                        if let Some(group) = &mut group {
                            group.has_other = true;
                        }
                        let name = self.place(document.field_name(line));
                        let is_near = name::is_near(document.field_name(line), field);
                        let detail = if is_near { Detail::Meant(field) } else { Detail::TakenFor(field) };
                        self.found(FindingCode::MisspeltField, line.number, name, detail);
                    }
                    Odd::Invisible(field) => {
                        if let Some(group) = &mut group {
                            group.has_other = true;
                        }
                        let name = document.field_name(line);
                        let (start, _) = self.place(name);
                        let (from, to) = name::invisible(name).unwrap_or((0, name.len()));
                        let place = (start + from as u32, start + to as u32);
                        self.found(FindingCode::InvisibleCharacter, line.number, place, Detail::Meant(field));
                    }
                    Odd::MissingColon(field, word) => {
                        if let Some(group) = &mut group {
                            group.has_other = true;
                        }
                        self.found(FindingCode::MissingColon, line.number, self.place(word), Detail::Meant(field));
                    }
                    Odd::Prose => {
                        self.visitor.prose();
                        self.control_byte(line);
                        self.found(FindingCode::IgnoredLine, line.number, self.span(line), Detail::None);
                    }
                },
            }
            if is_robots && line.classes & class::OUTSIDE != 0 {
                self.control_byte(line);
            }
            let is_long = line.end - line.start > line::GOOGLE_LINE_BYTES as u32;
            if (is_long || line.end > limit) && is_robots {
                if is_long {
                    let from = line.start + line::GOOGLE_LINE_BYTES as u32;
                    self.found(FindingCode::LongLine, line.number, (from, line.end), Detail::None);
                }
                if line.end > limit && line.field != Field::None && line.field != Field::Other {
                    self.found(FindingCode::RuleBeyondLimit, line.number, self.span(line), Detail::None);
                }
            }
        }
        if let Some(OpenGroup { agent, list_open: true, has_other: false, .. }) = group {
            self.value(FindingCode::EmptyGroup, &agent, Detail::None);
        }
    }

    /// Where a text that is part of the body stands in it.
    fn place(&self, text: &[u8]) -> (u32, u32) {
        let start = (text.as_ptr() as usize).saturating_sub(self.document.body().as_ptr() as usize) as u32;
        (start, start + text.len() as u32)
    }

    /// Where the text of a line stands: from its first character to the end of its value, or to its comment.
    fn span(&self, line: &Line) -> (u32, u32) {
        let text = self.document.text(line);
        let text = &text[..memchr::memchr(b'#', text).unwrap_or(text.len())];
        self.place(line::trim_ascii_space(text))
    }

    /// A `user-agent` line.
    fn agent(&mut self, line: &Line) {
        let value = self.document.value(line);
        let plain = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
        if value == b"*" || (!value.is_empty() && value.iter().all(plain)) {
            return;
        }
        if let Some((from, to)) = name::hidden(value) {
            self.in_value(FindingCode::InvisibleCharacter, line, (from, to), Detail::None);
        } else if let Some((from, to, field)) = second_field(value) {
            self.in_value(FindingCode::TwoFieldsInLine, line, (from, to), Detail::Meant(field));
        } else if is_list(value) {
            let comma = memchr::memchr(b',', value).unwrap_or(0);
            self.in_value(FindingCode::AgentList, line, (comma, value.len()), Detail::Remark("not read"));
        } else {
            match named(value, Token::WithDigits) {
                Named::Nobody if value.is_empty() => {
                    self.value(FindingCode::NamelessAgent, line, Detail::Remark("it has no value"));
                }
                Named::Nobody => self.value(FindingCode::NamelessAgent, line, Detail::None),
                Named::Everybody => {
                    let rest = Detail::Remark("not compared");
                    self.in_value(FindingCode::TokenOutsideGrammar, line, (1, value.len()), rest);
                }
                Named::Token(token) if token.len() < value.len() => {
                    let rest = Detail::Remark("not compared");
                    self.in_value(FindingCode::TokenOutsideGrammar, line, (token.len(), value.len()), rest);
                }
                Named::Token(_) => {
                    let digit = value.iter().position(u8::is_ascii_digit).unwrap_or(0);
                    let rest = Detail::Remark("Google's parser cuts the name here");
                    self.in_value(FindingCode::TokenOutsideGrammar, line, (digit, value.len()), rest);
                }
            }
        }
    }

    /// An `allow` or `disallow` line in a group.
    fn rule(&mut self, line: &Line) {
        // A comment that begins where the value ends: the byte is beyond the value, but in the line.
        let body = self.document.body();
        // With a blank behind it, it is meant as one.
        let end = line.value_end as usize;
        if line.value_end > line.value_start
            && body.get(end) == Some(&b'#')
            && !matches!(body.get(end + 1), Some(b' ' | b'\t'))
        {
            self.found(FindingCode::HashInPath, line.number, (line.value_end, line.end), Detail::Remark("comment"));
        }
        let value = self.document.value(line);
        let Some(first) = value.first() else { return };
        const ODD: u8 = class::DOLLAR | class::PERCENT | class::OUTSIDE | class::HIGH;
        if *first == b'/' && line.classes & ODD == 0 {
            return;
        }
        let second = if line.classes & class::OUTSIDE == 0 { None } else { second_field(value) };
        if let Some((from, to, field)) = second {
            self.in_value(FindingCode::TwoFieldsInLine, line, (from, to), Detail::Meant(field));
            return;
        }
        if line.classes & class::HIGH != 0
            && let Some((from, to)) = name::hidden(value)
        {
            self.in_value(FindingCode::InvisibleCharacter, line, (from, to), Detail::None);
            return;
        }
        match first {
            b'/' => {}
            b'*' => {
                let everything = value.iter().all(|byte| *byte == b'*');
                if everything && line.field == Field::Disallow {
                    self.value(FindingCode::DisallowStar, line, Detail::None);
                } else {
                    self.in_value(FindingCode::LeadingWildcard, line, (0, 1), Detail::None);
                }
            }
            _ if is_absolute(value) => {
                self.value(FindingCode::AbsoluteUrlRule, line, Detail::None);
                return;
            }
            _ => {
                self.value(FindingCode::PathWithoutSlash, line, Detail::None);
                return;
            }
        }
        if line.classes & class::DOLLAR != 0
            && let Some(at) = memchr::memchr_iter(b'$', value).find(|at| looks_like_anchor(&value[at + 1..]))
        {
            self.in_value(FindingCode::DollarInMiddle, line, (at, at + 1), Detail::None);
        }
        if line.classes & class::PERCENT != 0
            && let Some(at) = memchr::memchr_iter(b'%', value).find(|at| !is_escape(&value[*at..]))
        {
            let to = value.len().min(at + 3);
            self.in_value(FindingCode::BadEscape, line, (at, to), Detail::None);
        }
        if line.classes & class::OUTSIDE != 0
            && let Some(at) = memchr::memchr2(b' ', b'\t', value)
        {
            self.in_value(FindingCode::BlankInPath, line, (at, value.len()), Detail::None);
        }
    }

    /// A line of a field outside the protocol.
    fn extension(&mut self, line: &Line, extension: &Extension<'a>, in_group: bool) {
        if !extension.known {
            let name = self.place(extension.field);
            self.found(FindingCode::UnknownField, line.number, name, Detail::None);
            return;
        }
        if extension.field == name::CRAWL_DELAY.as_bytes() {
            if !is_seconds(extension.value) {
                self.value(FindingCode::BadCrawlDelay, line, Detail::None);
            }
        } else if extension.field == name::NOINDEX.as_bytes() {
            let name = self.place(self.document.field_name(line));
            self.found(FindingCode::Noindex, line.number, name, Detail::None);
        } else if let Some(vocabulary) = preference::vocabulary(extension.field) {
            self.preference(line, vocabulary, extension.value, in_group);
        }
    }

    fn preference(
        &mut self,
        line: &Line,
        vocabulary: &'static preference::Vocabulary,
        value: &'a [u8],
        in_group: bool,
    ) {
        let code = vocabulary.code;
        if !in_group {
            let name = self.place(self.document.field_name(line));
            self.found(code, line.number, name, Detail::Remark("it stands before any user-agent line"));
        }
        let read = preference::read(value, vocabulary);
        for problem in &read.problems {
            self.in_value(code, line, (problem.start, problem.end), Detail::Remark(problem.remark));
        }
        if let Some((from, to)) = read.grant
            && let Some(group) = self.robots.group_at(line.number)
            && self.is_closed(group, read.path)
        {
            self.in_value(FindingCode::ContradictedPreference, line, (from, to), Detail::None);
        }
    }

    /// What the bytes are, whatever the lines say.
    fn bytes(&mut self) {
        let body = self.document.body();
        if self.document.has_bom() {
            self.found(FindingCode::ByteOrderMark, 1, (0, 3), Detail::None);
        }
        // Nearly every body is ASCII, and that is told faster.
        let ascii = body.is_ascii();
        if !ascii
            && form::wide(body).is_none()
            && let Err(error) = std::str::from_utf8(body)
        {
            let from = error.valid_up_to();
            let to = from + error.error_len().unwrap_or(body.len() - from);
            self.found(FindingCode::NotUtf8, self.document.line_at(from), (from as u32, to as u32), Detail::None);
        }
        let limit = Dialect::RFC9309.body_limit.map_or(usize::MAX, |limit| limit as usize);
        if body.len() > limit {
            let line = self.document.line_at(limit);
            self.found(FindingCode::OverLimit, line, (limit as u32, limit as u32), Detail::None);
        }
    }

    /// The first run of control characters before the comment of a line.
    fn control_byte(&mut self, line: &Line) {
        let text = self.document.text(line);
        let text = &text[..memchr::memchr(b'#', text).unwrap_or(text.len())];
        if let Some(at) = text.iter().position(|byte| is_control(*byte)) {
            let run = text[at..].iter().take_while(|byte| is_control(**byte)).count();
            let start = line.start + at as u32;
            self.found(FindingCode::ControlByte, line.number, (start, start + run as u32), Detail::None);
        }
    }
}

/// Control characters but the blanks and line ends that a line may have.
const fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != b'\r') || byte == 0x7f
}

/// Whether a text begins with `%` and two hexadecimal digits.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// Whether what follows a `$` lets it look like the end of a pattern, and not like a part of a name such as `$FILE`.
fn looks_like_anchor(rest: &[u8]) -> bool {
    match rest {
        [] => false,
        [b'%', ..] => !is_escape(rest),
        [first, ..] => !(first.is_ascii_alphanumeric() || matches!(first, b'_' | b'-' | b'(' | b'{' | b'/' | b'=')),
    }
}

/// Whether a text begins with a scheme, `://` and a host.
fn is_absolute(text: &[u8]) -> bool {
    let scheme =
        text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')).count();
    match text[scheme..].strip_prefix(b"://") {
        Some([first, ..]) => scheme > 0 && text[0].is_ascii_alphabetic() && !matches!(first, b'/' | b'?' | b'#'),
        _ => false,
    }
}

/// Whether a value is a plain number of seconds, maybe with a fraction.
fn is_seconds(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let points = value.iter().filter(|byte| **byte == b'.').count();
    digits > 0 && points <= 1 && digits + points == value.len()
}

/// A field of the protocol or a crawl-delay with its colon, inside a value and behind a blank: where it stands, and which.
fn second_field(value: &[u8]) -> Option<(usize, usize, &'static str)> {
    memchr::memchr_iter(b':', value).find_map(|colon| {
        // No name that is looked for is longer; this bounds what a value full of colons costs.
        const LONGEST: usize = 14;
        let floor = colon.saturating_sub(LONGEST);
        let before = value[floor..colon].trim_ascii_end();
        let blank = before.iter().rposition(|byte| matches!(byte, b' ' | b'\t'))?;
        let word = &before[blank + 1..];
        let field = name::protocol(word).or_else(|| name::extension(word).filter(|name| *name == name::CRAWL_DELAY))?;
        Some((floor + blank + 1, colon + 1, field))
    })
}

/// Whether a value is a list of names with commas between, and not, say, a browser's whole name with a comment.
fn is_list(value: &[u8]) -> bool {
    let is_word = |word: &[u8]| {
        let in_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'*');
        word == b"*" || (word.first().is_some_and(u8::is_ascii_alphanumeric) && word.iter().all(in_word))
    };
    let is_name = |part: &[u8]| {
        let part = part.trim_ascii();
        !part.is_empty() && part.split(|byte| *byte == b' ').all(is_word)
    };
    let names = value.strip_suffix(b",").unwrap_or(value);
    names.contains(&b',') && names.split(|byte| *byte == b',').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart() {
        for (text, expected) in [
            ("10", true),
            ("0.5", true),
            (".5", true),
            ("", false),
            (".", false),
            ("1.2.3", false),
            ("-1", false),
            ("10s", false),
        ] {
            assert_eq!(is_seconds(text.as_bytes()), expected, "{text}");
        }
        for (text, expected) in [
            ("https://a.example/", true),
            ("HTTP://a", true),
            ("ftp://a/b", true),
            ("//a.example/", false),
            ("https:///x", false),
            ("https://", false),
            ("://a", false),
            ("1://a", false),
            ("a.example/x", false),
            ("", false),
        ] {
            assert_eq!(is_absolute(text.as_bytes()), expected, "{text}");
        }
        for (text, expected) in [
            ("a, b", true),
            ("Googlebot,bingbot/2.0, Offline Explorer", true),
            ("*, a", true),
            ("a, b,", true),
            ("a,", false),
            ("a,,b", false),
            ("Mozilla/5.0 (X, like Y)", false),
            ("a b", false),
            ("a b - www,c", false),
        ] {
            assert_eq!(is_list(text.as_bytes()), expected, "{text}");
        }
        let second = |text: &'static str| second_field(text.as_bytes());
        assert_eq!(second("a disallow: /"), Some((2, 11, "disallow")));
        assert_eq!(second("/x Crawl-delay : 1"), Some((3, 16, "crawl-delay")));
        assert_eq!(second("/a:b disallow"), None);
        assert_eq!(second("disallow: /"), None);
        assert_eq!(second("/a xdisallow: /"), None);
    }
}
