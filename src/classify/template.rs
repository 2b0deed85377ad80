//! Recognises robots.txt files that software wrote: the defaults of site builders and shops (templates), and blocks
//! that a service keeps in a file between two marks (managed). What distinguishes them is data: `datasets/templates.toml`.

use memchr::{memchr, memchr2, memchr2_iter};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// What software wrote of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Detected<'t> {
    /// Whose default the file was made from.
    pub template: Option<&'t str>,
    /// Who keeps a block in it.
    pub managed_by: Option<&'t str>,
}

/// Why a list of templates cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TemplateError {
    /// Line in the list, from 1.
    pub line: usize,
    /// What is wrong there and how to mend it.
    pub message: String,
}

/// Whether an entry is about a whole file or about a block in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TemplateKind {
    /// A default that the file was made from.
    Template,
    /// A block that a service keeps between two marks.
    Managed,
}

/// One entry of the list, without the lines that it is recognised by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The word that tables carry; entries for versions of one default share it.
    pub name: String,
    /// File or block.
    pub kind: TemplateKind,
    /// Whose software it is.
    pub vendor: String,
    /// What to know about it.
    pub note: Option<String>,
    /// Bits of the lines that all have to be there.
    all: u64,
    /// Bits of the lines none of which may be there.
    none: u64,
    /// How many rules besides its own the file may have, if there is a limit.
    max_other_rules: Option<usize>,
}

/// A list of templates, ready to look for: every line of a body costs one look-up, however many entries there are.
#[derive(Debug, Clone)]
pub struct Templates {
    entries: Vec<Template>,
    lines: Vec<Known>,
    /// Open addressing by the high bits of a line's hash: index into `lines`, or `FREE`.
    slots: Vec<u16>,
    shift: u32,
    /// One bit a known line, by [`filter_bit`].
    filter: [u64; FILTER_WORDS],
}

/// Words of 64 bits in the filter: few enough to stay in the first cache, enough for 3 false alarms in 100 lines.
const FILTER_WORDS: usize = 64;

/// What was found of each entry.
struct Tally {
    seen: [u64; MOST_ENTRIES],
    own_rules: [usize; MOST_ENTRIES],
}

impl Default for Tally {
    fn default() -> Tally {
        Tally { seen: [0; MOST_ENTRIES], own_rules: [0; MOST_ENTRIES] }
    }
}

/// More entries than bits are of no use to anybody; the limit keeps a body's tally on the stack.
const MOST_ENTRIES: usize = 64;

const FREE: u16 = u16::MAX;

/// Sets bit 5 of eight bytes, which folds ASCII case, and a few marks with it.
const FOLD: u64 = 0x2020_2020_2020_2020;

/// An odd number with bits spread evenly (the golden ratio), to multiply with.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// A line that some entry asks for.
#[derive(Debug, Clone)]
struct Known {
    hash: u64,
    field: Vec<u8>,
    value: Vec<u8>,
    is_rule: bool,
    uses: Vec<Use>,
}

/// What a line means to an entry.
#[derive(Debug, Clone, Copy)]
struct Use {
    entry: usize,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Its bit in `all` or `none`; 0 for a line that may be there.
    Part(u64),
    /// A managed block begins.
    Begin,
    /// It ends.
    End,
}

/// A line as it is compared: blanks around field and value are dropped, ASCII case is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line<'b> {
    /// What stands before the colon; `#` for a comment, nothing for a line without a colon.
    field: &'b [u8],
    value: &'b [u8],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    template: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Spanned<String>,
    kind: TemplateKind,
    vendor: String,
    note: Option<String>,
    #[serde(default)]
    all: Vec<Spanned<String>>,
    #[serde(default)]
    also: Vec<Spanned<String>>,
    #[serde(default)]
    none: Vec<Spanned<String>>,
    begin: Option<Spanned<String>>,
    end: Option<Spanned<String>>,
    max_other_rules: Option<u16>,
}

impl Templates {
    /// The list that comes with the program.
    pub fn shipped() -> Templates {
        match Templates::parse(include_str!("../../datasets/templates.toml")) {
            Ok(templates) => templates,
            // A test holds that it can be read; without a list nothing is recognised.
            Err(_) => Templates::empty(),
        }
    }

    /// Reads a list of `[[template]]` entries; its format stands at the top of `datasets/templates.toml`.
    pub fn parse(text: &str) -> Result<Templates, TemplateError> {
        let at = |span: Range<usize>| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
        let list: List = toml::from_str(text)
            .map_err(|error| TemplateError { line: error.span().map_or(1, at), message: error.message().to_owned() })?;
        let mut templates = Templates::empty();
        for entry in list.template {
            let line = at(entry.name.span());
            templates
                .add(entry, &at)
                .map_err(|(span, message)| TemplateError { line: span.map_or(line, at), message })?;
        }
        templates.index();
        Ok(templates)
    }

    fn empty() -> Templates {
        let slots = vec![FREE; 2];
        Templates { entries: Vec::new(), lines: Vec::new(), slots, shift: 63, filter: [0; FILTER_WORDS] }
    }

    /// The entries, in the order of the list.
    pub fn entries(&self) -> &[Template] {
        &self.entries
    }

    /// What software wrote of `body`. Of several templates the first of the list counts, of several managed blocks the
    /// first that is whole. Lines inside a managed block say nothing about the rest of the file.
    pub fn detect(&self, body: &[u8]) -> Detected<'_> {
        let mut tally: Option<Tally> = None;
        let mut open: Option<(usize, usize)> = None;
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut managed_by = None;
        for (at, raw) in lines(body) {
            let text = trim(raw);
            if text.is_empty() || !self.may_know(text) {
                continue;
            }
            let Some(known) = Line::of(text).and_then(|line| self.find(line)) else { continue };
            for Use { entry, role } in &known.uses {
                match (role, open) {
                    (Role::Part(bit), None) => {
                        let tally = tally.get_or_insert_default();
                        tally.seen[*entry] |= bit;
                        tally.own_rules[*entry] += usize::from(known.is_rule);
                    }
                    (Role::Begin, None) => open = Some((*entry, at)),
                    (Role::End, Some((begun, from))) if begun == *entry => {
                        managed_by = managed_by.or(Some(self.entries[begun].name.as_str()));
                        blocks.push(from..at);
                        open = None;
                    }
                    _ => {}
                }
            }
        }
        let is_it = |tally: &Tally, at: usize, entry: &Template| {
            entry.kind == TemplateKind::Template
                && tally.seen[at] & entry.all == entry.all
                && tally.seen[at] & entry.none == 0
                && entry.max_other_rules.is_none_or(|most| at_most_rules(body, &blocks, most + tally.own_rules[at]))
        };
        let template = tally.and_then(|tally| {
            self.entries
                .iter()
                .enumerate()
                .find(|(at, entry)| is_it(&tally, *at, entry))
                .map(|(_, entry)| entry.name.as_str())
        });
        Detected { template, managed_by }
    }

    /// Whether a line that is not blank can be one of the known; nearly all of those that cannot end here.
    fn may_know(&self, text: &[u8]) -> bool {
        let (word, bit) = filter_bit(text);
        self.filter[word] & bit != 0
    }

    fn find(&self, line: Line<'_>) -> Option<&Known> {
        let hash = line.hash();
        let mut slot = (hash >> self.shift) as usize;
        loop {
            let known = self.lines.get(usize::from(self.slots[slot]))?;
            if known.hash == hash && line.equals(&known.field, &known.value) {
                return Some(known);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }

    /// Adds an entry; an error comes with the place of the value it is about.
    fn add(&mut self, entry: Entry, at: &impl Fn(Range<usize>) -> usize) -> Result<(), (Option<Range<usize>>, String)> {
        let index = self.entries.len();
        let name = entry.name.into_inner();
        if index == MOST_ENTRIES {
            return Err((None, format!("`{name}` is one entry too many: at most {MOST_ENTRIES}")));
        }
        if name.trim().is_empty() {
            return Err((None, "name is empty".to_owned()));
        }
        let is_block = entry.begin.is_some() || entry.end.is_some();
        match entry.kind {
            TemplateKind::Template if is_block => {
                return Err((None, format!("`{name}`: only a managed block has begin and end")));
            }
            TemplateKind::Template if entry.all.is_empty() => {
                return Err((None, format!("`{name}`: `all` lists no line to know it by")));
            }
            TemplateKind::Managed if entry.begin.is_none() || entry.end.is_none() => {
                return Err((None, format!("`{name}`: a managed block needs both begin and end")));
            }
            TemplateKind::Managed if !entry.all.is_empty() || !entry.also.is_empty() || !entry.none.is_empty() => {
                return Err((None, format!("`{name}`: a managed block is known by begin and end alone")));
            }
            _ => {}
        }
        if entry.all.len() + entry.none.len() > 64 || entry.also.len() > 512 {
            return Err((None, format!("`{name}`: at most 64 lines in `all` and `none`, and 512 in `also`")));
        }
        let mut bit = 1u64;
        let mut masks = [0u64; 2];
        let mut listed: Vec<(Spanned<String>, Role)> = Vec::new();
        for (lines, mask) in [entry.all, entry.none].into_iter().zip(&mut masks) {
            for line in lines {
                listed.push((line, Role::Part(bit)));
                *mask |= bit;
                bit = bit.wrapping_shl(1);
            }
        }
        listed.extend(entry.also.into_iter().map(|line| (line, Role::Part(0))));
        listed.extend(entry.begin.map(|line| (line, Role::Begin)));
        listed.extend(entry.end.map(|line| (line, Role::End)));
        for (text, role) in listed {
            let span = text.span();
            let text = text.into_inner();
            let Some(line) = Line::of(trim(text.as_bytes())).filter(|_| !text.contains(['\n', '\r'])) else {
                return Err((Some(span), format!("`{name}`: {text:?} is not one line")));
            };
            let (word, bit) = filter_bit(trim(text.as_bytes()));
            self.filter[word] |= bit;
            if !self.learn(line, Use { entry: index, role }) {
                let place = at(span.clone());
                return Err((Some(span), format!("`{name}`: {text:?} in line {place} is listed twice")));
            }
        }
        self.entries.push(Template {
            name,
            kind: entry.kind,
            vendor: entry.vendor,
            note: entry.note,
            all: masks[0],
            none: masks[1],
            max_other_rules: entry.max_other_rules.map(usize::from),
        });
        Ok(())
    }

    /// Notes what a line means; `false` when the entry has it already.
    fn learn(&mut self, line: Line<'_>, new: Use) -> bool {
        if let Some(known) = self.lines.iter_mut().find(|known| line.equals(&known.field, &known.value)) {
            let is_new = known.uses.iter().all(|old| old.entry != new.entry);
            known.uses.push(new);
            return is_new;
        }
        let (field, value) = (line.field.to_vec(), line.value.to_vec());
        let is_rule = line.is_rule();
        self.lines.push(Known { hash: line.hash(), field, value, is_rule, uses: vec![new] });
        true
    }

    /// Builds the slots: four for a line, so that most lines of a body meet a free one at once.
    fn index(&mut self) {
        let size = (self.lines.len() * 4).next_power_of_two().max(2);
        self.shift = 64 - size.trailing_zeros();
        self.slots = vec![FREE; size];
        for (at, known) in self.lines.iter().enumerate() {
            let mut slot = (known.hash >> self.shift) as usize;
            while self.slots[slot] != FREE {
                slot = (slot + 1) % size;
            }
            self.slots[slot] = u16::try_from(at).unwrap_or(FREE);
        }
    }
}

impl<'b> Line<'b> {
    /// The line as compared, without blanks around it; `None` when it is empty. A comment behind a rule is dropped.
    fn of(text: &'b [u8]) -> Option<Line<'b>> {
        match text.first()? {
            b'#' => {
                let start = text.iter().position(|byte| *byte != b'#').unwrap_or(text.len());
                Some(Line { field: b"#", value: trim(&text[start..]) })
            }
            _ => {
                let text = memchr(b'#', text).map_or(text, |at| &text[..at]);
                Some(match memchr(b':', text) {
                    Some(colon) => Line { field: trim(&text[..colon]), value: trim(&text[colon + 1..]) },
                    None => Line { field: b"", value: trim(text) },
                })
            }
        }
    }

    /// Whether it is an allow or disallow with a path.
    fn is_rule(self) -> bool {
        let is = |word: &[u8]| self.field.eq_ignore_ascii_case(word);
        !self.value.is_empty() && (is(b"disallow") || is(b"allow"))
    }

    fn equals(self, field: &[u8], value: &[u8]) -> bool {
        self.field.eq_ignore_ascii_case(field) && self.value.eq_ignore_ascii_case(value)
    }

    /// The same for lines that are equal.
    fn hash(self) -> u64 {
        let mut hash = (self.field.len() as u64) << 32 | self.value.len() as u64;
        for part in [self.field, self.value] {
            let (chunks, rest) = part.as_chunks::<8>();
            for chunk in chunks {
                hash = (hash.rotate_left(23) ^ (u64::from_le_bytes(*chunk) | FOLD)).wrapping_mul(MIX);
            }
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            hash = (hash.rotate_left(23) ^ (u64::from_le_bytes(last) | FOLD)).wrapping_mul(MIX);
        }
        hash ^ hash >> 29
    }
}

/// The lines of a body with the places they start at, blank ones included, without the byte order mark.
fn lines(body: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = if body.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    memchr2_iter(b'\n', b'\r', body).chain(std::iter::once(body.len())).filter_map(move |end| {
        let line = (start, body.get(start..end)?);
        start = end + 1;
        Some(line)
    })
}

/// Whether a body has at most so many rules with a path outside these blocks.
fn at_most_rules(body: &[u8], blocks: &[Range<usize>], most: usize) -> bool {
    let outside = |at: usize| blocks.iter().all(|block| !block.contains(&at));
    let is_rule = |text: &[u8]| Line::of(trim(text)).is_some_and(Line::is_rule);
    lines(body).filter(|(at, text)| is_rule(text) && outside(*at)).nth(most).is_none()
}

/// Word and bit of the filter that belong to a line (not empty, no blanks around it): by the first eight bytes of its
/// value. Lines that are equal have the same, however they are written.
fn filter_bit(text: &[u8]) -> (usize, u64) {
    let is_comment = text.first() == Some(&b'#');
    let mut value = &text[value_start(text)..];
    while let [b' ' | b'\t', rest @ ..] = value {
        value = rest;
    }
    let mut word = match value.first_chunk::<8>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => value.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    if !is_comment {
        // A blank or a comment ends the value that is compared here: a blank inside one only makes the filter coarser.
        let ends = bytes_equal(word, b' ') | bytes_equal(word, b'\t') | bytes_equal(word, b'#');
        if ends != 0 {
            word &= (1u64 << (ends.trailing_zeros() & !7)) - 1;
        }
    }
    let hash = (word | FOLD).wrapping_mul(MIX);
    ((hash >> 58) as usize, 1 << (hash >> 52 & 63))
}

/// Where the value of a line begins: behind its colon, behind the marks of a comment, or at its start.
fn value_start(text: &[u8]) -> usize {
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGENT: u64 = u64::from_le_bytes(*b"user-age");
    const ALLOW: u64 = u64::from_le_bytes(*b"allow:\0\0");
    // Nearly every line begins with one of three words: one comparison each.
    let head = text.first_chunk::<8>().map_or(0, |head| u64::from_le_bytes(*head) | FOLD);
    if head == DISALLOW && text.get(8) == Some(&b':') {
        return 9;
    }
    if head & (u64::MAX >> 16) == ALLOW {
        return 6;
    }
    if head == USER_AGENT && text.get(8..11).is_some_and(|rest| rest.eq_ignore_ascii_case(b"nt:")) {
        return 11;
    }
    if text.first() == Some(&b'#') {
        return text.iter().position(|byte| *byte != b'#').unwrap_or(text.len());
    }
    memchr2(b':', b'#', text).filter(|at| text[*at] == b':').map_or(0, |at| at + 1)
}

/// A set high bit at the lowest byte of `word` that equals `byte`, and perhaps at some above it.
const fn bytes_equal(word: u64, byte: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let different = word ^ (ONES * byte as u64);
    different.wrapping_sub(ONES) & !different & (ONES << 7)
}

/// Without the spaces and tabs around it.
fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r##"
        [[template]]
        name = "shop"
        kind = "template"
        vendor = "Shop"
        all = ["# made by Shop", "Disallow: /cart"]
        also = ["Disallow: /basket"]
        none = ["Disallow: /"]
        max_other_rules = 1

        [[template]]
        name = "blog"
        kind = "template"
        vendor = "Blog"
        all = ["Disallow: /cart"]

        [[template]]
        name = "guard"
        kind = "managed"
        vendor = "Guard"
        begin = "# BEGIN Guard"
        end = "# END Guard"
    "##;

    #[test]
    fn lines_and_limits_decide() {
        let templates = Templates::parse(LIST).unwrap();
        let rows: &[(&str, Option<&str>, Option<&str>)] = &[
            ("", None, None),
            ("User-agent: *\nDisallow: /x\n", None, None),
            ("# Made by shop\nDisallow: /cart", Some("shop"), None),
            ("\u{feff}#made by Shop\r\ndisallow:/Cart # why\r\n", Some("shop"), None),
            ("## Made by shop\rDISALLOW :\t/cart\r", Some("shop"), None),
            ("# made by Shop\nDisallow: /cart\nDisallow: /basket\nAllow: /a\nAllow:\n", Some("shop"), None),
            ("# made by Shop\nDisallow: /cart\nAllow: /a\nAllow: /b\n", Some("blog"), None),
            ("# made by Shop\nDisallow: /cart\nDisallow: /\n", Some("blog"), None),
            ("# made by Shop\n", None, None),
            ("Disallow: /cart\nDisallow: /cart\n", Some("blog"), None),
            ("Disallow: /carts\n", None, None),
            ("# begin guard\nDisallow: /cart\n# end guard\n", None, Some("guard")),
            (
                "# BEGIN Guard\nAllow: /a\nAllow: /b\n# END Guard\n# made by Shop\nDisallow: /cart\n",
                Some("shop"),
                Some("guard"),
            ),
            ("# BEGIN Guard\nAllow: /a\n", None, None),
            ("# END Guard\n# BEGIN Guard\n", None, None),
        ];
        for (body, template, managed_by) in rows {
            let detected = templates.detect(body.as_bytes());
            assert_eq!((detected.template, detected.managed_by), (*template, *managed_by), "{body:?}");
        }
    }

    #[test]
    fn mistakes_in_a_list_are_told_with_their_line() {
        let head = "[[template]]\nname = \"a\"\nkind = \"template\"\nvendor = \"A\"\n";
        let rows = [
            ("x = 1", 1, "unknown field `x`"),
            ("[[template]]\nname = \"a\"\nkind = \"other\"", 3, "unknown variant `other`"),
            (&format!("{head}all = [\"a\"]\nalll = []"), 6, "unknown field `alll`"),
            (head, 2, "`all` lists no line"),
            (&format!("{head}all = [\"a\",\n\" A \"]"), 6, "listed twice"),
            (&format!("{head}all = [\"\"]"), 5, "is not one line"),
            (&format!("{head}all = [\"a\\nb\"]"), 5, "is not one line"),
            (&format!("{head}all = [\"a\"]\nbegin = \"b\""), 2, "only a managed block"),
            ("[[template]]\nname = \"a\"\nkind = \"managed\"\nvendor = \"A\"\nbegin = \"b\"", 2, "both begin and end"),
        ];
        for (text, line, message) in rows {
            let error = Templates::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(message), "{error}");
        }
        let many: String = (0..65).map(|n| format!("{head}all = [\"a{n}\"]\n")).collect();
        assert!(Templates::parse(&many).unwrap_err().message.contains("one entry too many"));
        assert_eq!(Templates::parse("template = []").unwrap().detect(b"Allow: /a").template, None);
    }

    #[test]
    fn the_shipped_list_is_read_and_knows_the_great_ones() {
        let templates = Templates::shipped();
        let names: Vec<&str> = templates.entries().iter().map(|entry| entry.name.as_str()).collect();
        for name in ["wordpress", "yoast", "shopify", "wix", "squarespace", "drupal", "joomla", "magento", "blogger"] {
            assert!(names.contains(&name), "{name}");
        }
        let body = b"# BEGIN Cloudflare Managed content\n\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\n\
            User-agent: GPTBot\nDisallow: /\n\n# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /wp-admin/\n\
            Allow: /wp-admin/admin-ajax.php\n\nSitemap: https://example.com/wp-sitemap.xml\n";
        let detected = templates.detect(body);
        assert_eq!((detected.template, detected.managed_by), (Some("wordpress"), Some("cloudflare")));
        let body = b"User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\nDisallow: /private/\n";
        assert_eq!(templates.detect(body), Detected::default());
    }

    #[test]
    fn every_entry_recognises_its_own_lines() {
        let templates = Templates::shipped();
        for (at, entry) in templates.entries().iter().enumerate().filter(|(_, e)| e.kind == TemplateKind::Template) {
            let mut body = Vec::new();
            for line in &templates.lines {
                let wanted = |u: &Use| u.entry == at && matches!(u.role, Role::Part(bit) if bit & entry.all != 0);
                if line.uses.iter().any(wanted) {
                    body.extend_from_slice(&line.field);
                    body.extend_from_slice(if line.field == b"#" { b" " } else { b": " });
                    body.extend_from_slice(&line.value);
                    body.push(b'\n');
                }
            }
            let found = templates.detect(&body).template;
            assert!(found.is_some(), "{}", entry.name);
            let of_vendor = |e: &&Template| Some(e.name.as_str()) == found && e.vendor == entry.vendor;
            assert!(templates.entries().iter().any(|e| of_vendor(&e)), "{} is taken for {found:?}", entry.name);
        }
    }

    #[test]
    fn no_way_to_write_a_line_escapes_the_filter() {
        let templates = Templates::shipped();
        for known in &templates.lines {
            let field = String::from_utf8(known.field.clone()).unwrap();
            let value = String::from_utf8(known.value.clone()).unwrap();
            let forms = match field.as_str() {
                "#" => vec![format!("#{value}"), format!("##  {value}\t"), format!("# {}", value.to_uppercase())],
                _ => vec![
                    format!("{field}:{value}"),
                    format!(" {field}\t: {value} "),
                    format!("{}:\t{}#why", field.to_uppercase(), value.to_uppercase()),
                    format!("{field}: {value} # a: b"),
                ],
            };
            for form in forms {
                let text = trim(form.as_bytes());
                assert!(templates.may_know(text), "{form:?}");
                assert!(Line::of(text).and_then(|line| templates.find(line)).is_some(), "{form:?}");
            }
        }
    }

    /// Real bodies are no part of the repository; where they lie beside it, each great default has to be found.
    #[test]
    fn real_bodies_are_recognised() {
        use base64::Engine as _;
        use std::io::{BufRead as _, BufReader};
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/robots-bodies-nolicense.jsonl.zst");
        let Ok(file) = std::fs::File::open(&path) else {
            println!("skipped: no {}", path.display());
            return;
        };
        let templates = Templates::shipped();
        let mut found = std::collections::BTreeMap::<&str, u32>::new();
        for line in BufReader::new(zstd::Decoder::new(file).unwrap()).lines() {
            let record: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            let body = record["body_b64"].as_str().unwrap();
            let body = base64::engine::general_purpose::STANDARD.decode(body).unwrap();
            let detected = templates.detect(&body);
            for name in [detected.template, detected.managed_by].into_iter().flatten() {
                *found.entry(name).or_default() += 1;
            }
        }
        println!("{found:?}");
        for name in ["wordpress", "yoast", "shopify", "wix", "squarespace", "drupal", "joomla", "magento", "blogger"] {
            assert!(found.get(name).is_some_and(|bodies| *bodies >= 20), "{name}: {:?}", found.get(name));
        }
    }
}
