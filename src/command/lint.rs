//! `robocensus lint`: the findings of single files, as compilers show theirs.

use super::lint_sarif::sarif;
use super::{Exit, UsageError};
use crate::cli::{ColorWhen, LintArgs, LintFormat, LintLevel};
use crate::pipeline::log::{escape_json, escape_line, steers};
use crate::quantity::counted;
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};
use rep::{Detail, Dialect, Document, FindingCode, Occurrence, Severity, Visitor, inspect};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// Checks the files; the report goes to `out`.
pub fn run(args: &LintArgs, out: &mut dyn Write) -> Result<Exit> {
    let mut files = Vec::with_capacity(args.files.len());
    if args.files.iter().filter(|file| is_stdin(file)).count() > 1 {
        return Err(UsageError("standard input can be read only once; give `-` once".to_owned()).into());
    }
    for path in &args.files {
        files.push(Checked::new(path, read(path)?));
    }
    match args.format {
        LintFormat::Text => Page::new(args, &files).write(out)?,
        LintFormat::Json => {
            let rows = files.iter().flat_map(|file| file.shown(args.level).map(|found| as_json(file, found)));
            let rows: Vec<String> = rows.map(|row| escape_json(&row.to_string())).collect();
            let text = if rows.is_empty() { String::new() } else { format!("\n{}\n", rows.join(",\n")) };
            writeln!(out, "[{text}]")?;
        }
        LintFormat::Sarif => {
            let text = serde_json::to_string_pretty(&sarif(&files, args.level))?;
            writeln!(out, "{}", escape_json(&text))?;
        }
    }
    let fails = if args.deny_warnings { Severity::Warning } else { Severity::Error };
    let failed = files.iter().flat_map(|file| &file.found).any(|found| found.code.severity() <= fails);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// The whole of a file, as far as a document goes.
fn read(file: &Path) -> Result<Vec<u8>> {
    const MOST: u64 = 1 << 30;
    let mut body = Vec::new();
    if is_stdin(file) {
        io::stdin().lock().take(MOST).read_to_end(&mut body).context("cannot read standard input")?;
        return Ok(body);
    }
    let read = File::open(file).and_then(|file| file.take(MOST).read_to_end(&mut body));
    match read {
        Ok(_) => Ok(body),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = escape_line(&file.to_string_lossy());
            Err(UsageError(format!("no file `{name}`; name a robots.txt, or - for standard input")).into())
        }
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            let name = escape_line(&file.to_string_lossy());
            Err(UsageError(format!("`{name}` is a folder; name the robots.txt files in it, or scan archives instead"))
                .into())
        }
        Err(error) => {
            let name = escape_line(&file.to_string_lossy());
            Err(anyhow::Error::new(error).context(format!("cannot read `{name}`")))
        }
    }
}

/// A file and what was found in it, in order.
pub(super) struct Checked {
    /// As given; `-` is standard input.
    pub(super) path: PathBuf,
    pub(super) body: Vec<u8>,
    pub(super) found: Vec<Occurrence>,
}

/// Keeps every finding.
struct Collected(Vec<Occurrence>);

impl<'a> Visitor<'a> for Collected {
    fn found(&mut self, occurrence: Occurrence) {
        self.0.push(occurrence);
    }
}

impl Checked {
    pub(super) fn new(path: &Path, body: Vec<u8>) -> Checked {
        let document = Document::parse(&body);
        let mut collected = Collected(Vec::new());
        inspect(&document, &document.read(&Dialect::RFC9309), &mut collected);
        let mut found = collected.0;
        found.sort_by_key(|found| (found.line, found.start, found.code));
        Checked { path: path.to_owned(), body, found }
    }

    /// Those that are at least so grave.
    pub(super) fn shown(&self, level: LintLevel) -> impl Iterator<Item = &Occurrence> {
        self.found.iter().filter(move |found| found.code.severity() <= level.severity())
    }

    /// Its name for people.
    fn name(&self) -> String {
        if is_stdin(&self.path) { "<stdin>".to_owned() } else { escape_line(&self.path.to_string_lossy()) }
    }

    /// Where the line that a finding stands in begins and ends, without its line end and without a byte order mark.
    pub(super) fn line(&self, found: &Occurrence) -> (usize, usize) {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let at = (found.start as usize).min(self.body.len());
        let start = self.body[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
        let end = self.body[at..].iter().position(is_end).map_or(self.body.len(), |end| at + end);
        let has_mark = start == 0 && self.body.starts_with(b"\xef\xbb\xbf");
        (if has_mark { 3.min(end) } else { start }, end)
    }

    /// The columns of a finding, from 1, the second one after its last; `width` says how many columns a text takes.
    pub(super) fn columns(&self, found: &Occurrence, width: impl Fn(&str) -> usize) -> (usize, usize) {
        let (start, _) = self.line(found);
        let text = |to: u32| String::from_utf8_lossy(self.body.get(start..to as usize).unwrap_or_default());
        (width(&text(found.start)) + 1, width(&text(found.end)) + 1)
    }
}

fn as_json(file: &Checked, found: &Occurrence) -> Value {
    let (column, end_column) = file.columns(found, |text| text.chars().count());
    let text = &file.body[found.start as usize..found.end as usize];
    json!({
        "file": if is_stdin(&file.path) { "-".into() } else { file.path.to_string_lossy() },
        "line": found.line,
        "column": column,
        "end_column": end_column,
        "start_byte": found.start,
        "end_byte": found.end,
        "code": found.code.code(),
        "severity": found.code.severity().as_str(),
        "message": found.code.about(),
        "detail": found.label(),
        "other_line": match found.detail {
            Detail::Line(line) => Some(line),
            _ => None,
        },
        "text": String::from_utf8_lossy(&text[..text.len().min(MOST_TEXT)]),
        "suggestion": found.code.suggestion(),
        "clause": found.code.clause(),
    })
}

/// Bytes of a text that a program is shown: whole lines nearly always.
const MOST_TEXT: usize = 2048;

/// The report as people read it.
struct Page<'a> {
    args: &'a LintArgs,
    files: &'a [Checked],
    colored: bool,
}

/// Findings of one kind in one file that are shown before the rest is only counted.
const MOST_OF_A_KIND: usize = 5;

impl<'a> Page<'a> {
    fn new(args: &'a LintArgs, files: &'a [Checked]) -> Page<'a> {
        let colored = match args.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Page { args, files, colored }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colored { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn severity(&self, severity: Severity, text: &str) -> String {
        let color = match severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Note => AnsiColor::Cyan,
        };
        self.paint(Style::new().bold().fg_color(Some(color.into())), text)
    }

    fn gutter(&self, text: &str) -> String {
        self.paint(Style::new().bold().fg_color(Some(AnsiColor::Blue.into())), text)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // What to do is said once for each kind.
        let mut told: Vec<FindingCode> = Vec::new();
        for file in self.files {
            let mut counts: BTreeMap<FindingCode, usize> = BTreeMap::new();
            for found in file.shown(self.args.level) {
                let count = counts.entry(found.code).or_default();
                *count += 1;
                if !self.args.all && *count > MOST_OF_A_KIND {
                    continue;
                }
                let is_first = !told.contains(&found.code);
                if is_first {
                    told.push(found.code);
                }
                self.write_one(file, found, is_first, out)?;
            }
            if !self.args.all {
                for (code, count) in counts.into_iter().filter(|(_, count)| *count > MOST_OF_A_KIND) {
                    let more = count - MOST_OF_A_KIND;
                    let name =
                        self.severity(code.severity(), &format!("{}[{}]", code.severity().as_str(), code.code()));
                    writeln!(out, "{name}: {} more in {} (--all shows them)", more, file.name())?;
                }
            }
        }
        self.write_summary(out)
    }

    fn write_one(&self, file: &Checked, found: &Occurrence, with_help: bool, out: &mut dyn Write) -> io::Result<()> {
        let code = found.code;
        let severity = code.severity();
        let head = self.severity(severity, &format!("{}[{}]", severity.as_str(), code.code()));
        let message = self.paint(Style::new().bold(), code.about());
        writeln!(out, "{head}: {message}")?;
        let number = found.line.to_string();
        let margin = " ".repeat(number.len());
        let (column, _) = file.columns(found, |text| text.chars().count());
        writeln!(out, "{margin}{} {}:{number}:{column}", self.gutter("-->"), file.name())?;
        let excerpt = Excerpt::new(file, found);
        let bar = self.gutter("|");
        writeln!(out, "{margin} {bar}")?;
        writeln!(out, "{} {bar} {}", self.gutter(&number), excerpt.text)?;
        let label = found.label().map(|label| format!(" {label}")).unwrap_or_default();
        let carets = self.severity(severity, &format!("{}{label}", "^".repeat(excerpt.carets)));
        writeln!(out, "{margin} {bar} {}{carets}", " ".repeat(excerpt.indent))?;
        if with_help {
            writeln!(out, "{margin} {bar}")?;
            let (equals, help) = (self.gutter("="), self.paint(Style::new().bold(), "help"));
            writeln!(out, "{margin} {equals} {help}: {} ({})", code.suggestion(), code.clause())?;
        }
        writeln!(out)
    }

    fn write_summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let place = match self.files {
            [file] => file.name(),
            files => counted(files.len() as u64, "file"),
        };
        let count = |severity: Severity| {
            self.files.iter().flat_map(|file| &file.found).filter(|found| found.code.severity() == severity).count()
        };
        let mut parts = Vec::new();
        let mut hidden = 0;
        for severity in Severity::ALL {
            let count = count(severity);
            if count > 0 && severity <= self.args.level.severity() {
                parts.push(self.severity(severity, &counted(count as u64, severity.as_str())));
            } else {
                hidden += count;
            }
        }
        let found = if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") };
        let hidden = match hidden {
            0 => String::new(),
            hidden => format!(" ({} below --level {} not shown)", hidden, self.args.level.severity().as_str()),
        };
        writeln!(out, "{found} in {place}{hidden}")
    }
}

/// A line as it is shown, with the place of a finding in it. Nothing in it can steer a terminal, and it is clipped to what
/// can be read.
struct Excerpt {
    text: String,
    /// Columns before the carets.
    indent: usize,
    carets: usize,
}

/// Columns that are shown of a line, and of them before the place.
const MOST_COLUMNS: usize = 100;
const COLUMNS_BEFORE: usize = 40;
const CUT: &str = "...";

impl Excerpt {
    fn new(file: &Checked, found: &Occurrence) -> Excerpt {
        let (mut start, end) = file.line(found);
        // The mark itself is shown when it is what the finding is about.
        start = start.min(found.start as usize);
        // However long the line is, only what stands around the place is looked at.
        let reach = 8 * MOST_COLUMNS;
        let (at, to) = (found.start as usize, (found.end as usize).min(end).max(found.start as usize));
        let from = character_start(&file.body, start, at.saturating_sub(reach).max(start));
        let until = (at + reach).min(end);
        let mut pieces = Vec::new();
        pieces_of(&file.body[from..at], &mut pieces);
        let before = pieces.len();
        pieces_of(&file.body[at..to.min(until)], &mut pieces);
        let inside = pieces.len();
        pieces_of(&file.body[to.min(until)..until], &mut pieces);

        let width = |pieces: &[Piece]| pieces.iter().map(|piece| piece.columns).sum::<usize>();
        let is_short = from == start && until == end && width(&pieces) <= MOST_COLUMNS;
        let (mut first, mut last) = (0, pieces.len());
        if !is_short {
            if width(&pieces[..before]) > COLUMNS_BEFORE {
                first = before;
                while first > 0 && width(&pieces[first - 1..before]) <= COLUMNS_BEFORE {
                    first -= 1;
                }
            }
            last = first;
            while last < pieces.len() && width(&pieces[first..=last]) <= MOST_COLUMNS {
                last += 1;
            }
            last = last.max((before + 1).min(pieces.len()));
        }
        let (cut_before, cut_after) = (first > 0 || from > start, last < pieces.len() || until < end);
        let mut text = if cut_before { CUT.to_owned() } else { String::new() };
        let indent = text.len() + width(&pieces[first..before]);
        pieces[first..last].iter().for_each(|piece| text += &piece.text);
        if cut_after {
            text += CUT;
        }
        let carets = width(&pieces[before..inside.min(last)]).max(1);
        Excerpt { text: text.trim_end().to_owned(), indent, carets }
    }
}

/// The start of the character that a byte belongs to, but no byte before `least`.
fn character_start(body: &[u8], least: usize, mut at: usize) -> usize {
    let floor = at.saturating_sub(3).max(least);
    while at > floor && body.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
        at -= 1;
    }
    at
}

/// A character as it is shown.
struct Piece {
    text: String,
    columns: usize,
}

fn pieces_of(bytes: &[u8], pieces: &mut Vec<Piece>) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let text: String = match character {
                '\t' => "    ".to_owned(),
                '\0' => "\\0".to_owned(),
                character if steers(character) || is_invisible(character) => character.escape_unicode().collect(),
                character => character.to_string(),
            };
            let columns = if text.starts_with(character) { columns_of(character) } else { text.len() };
            pieces.push(Piece { text, columns });
        }
        for byte in chunk.invalid() {
            pieces.push(Piece { text: format!("\\x{byte:02x}"), columns: 4 });
        }
    }
}

/// Characters that a reader of the report would not see.
const fn is_invisible(character: char) -> bool {
    matches!(character, '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{2060}'..='\u{2064}' | '\u{3000}' | '\u{feff}')
}

/// Columns that a terminal takes for a character: two for most of East Asia and for pictures, none for what combines.
const fn columns_of(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(body: &[u8]) -> Checked {
        Checked::new(Path::new("robots.txt"), body.to_vec())
    }

    fn report(body: &[u8], all: bool) -> String {
        let args = LintArgs {
            files: vec!["robots.txt".into()],
            format: LintFormat::Text,
            level: LintLevel::Note,
            deny_warnings: false,
            all,
            color: ColorWhen::Never,
        };
        let mut out = Vec::new();
        Page::new(&args, &[checked(body)]).write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_finding_looks_like_a_compilers() {
        let expected = "\
error[misspelt-field]: a field name is a near miss of user-agent, allow, disallow or sitemap; only some crawlers take it as that
 --> robots.txt:2:3
  |
2 |   Dissalow: /x
  |   ^^^^^^^^ did you mean `disallow`?
  |
  = help: correct the spelling (RFC 9309, 2.2)

1 error in robots.txt
";
        assert_eq!(report(b"user-agent: *\n  Dissalow: /x\n", false), expected);
        assert_eq!(report(b"user-agent: *\ndisallow: /x\n", false), "no findings in robots.txt\n");
    }

    #[test]
    fn the_rest_of_a_kind_is_counted() {
        let body = [b"user-agent: *\nallow: /\n".as_slice(), &b"x: y\n".repeat(12)].concat();
        let said = report(&body, false);
        assert!(
            said.contains("\nnote[unknown-field]: 7 more in robots.txt (--all shows them)\n12 notes in robots.txt\n"),
            "{said}"
        );
        assert_eq!(said.matches("help:").count(), 1);
        assert_eq!(report(&body, true).matches("note[unknown-field]").count(), 12);
    }

    #[test]
    fn carets_stand_under_the_place() {
        let lines = |body: &[u8]| -> (String, String) {
            let said = report(body, true);
            let at = said.find(" | ").unwrap();
            let mut lines = said[said[..at].rfind('\n').unwrap() + 1..].lines();
            (lines.next().unwrap().to_owned(), lines.next().unwrap().to_owned())
        };
        let cases: [(&str, &str, &str); 5] = [
            ("user-agent: *\n\tallow\t: x\n", "2 |     allow    : x", "  |                ^"),
            ("user-agent: *\nallow: \u{4e2d}\u{6587}\n", "2 | allow: \u{4e2d}\u{6587}", "  |        ^^^^"),
            ("user-agent: *\nallow: /a\u{a0}\n", "2 | allow: /a\\u{a0}", "  |          ^^^^^^"),
            ("user-agent: *\nallow: /\u{202e}%\n", "2 | allow: /\\u{202e}%", "  |         ^^^^^^^^"),
            ("user-agent:\nallow: /\n", "1 | user-agent:", "  |            ^ it has no value"),
        ];
        for (body, line, carets) in cases {
            assert_eq!(lines(body.as_bytes()), (line.to_owned(), carets.to_owned()), "{body:?}");
        }
    }

    #[test]
    fn hostile_lines_are_escaped_and_clipped() {
        let mut body = b"user-agent: *\ndisallow: /".to_vec();
        body.extend_from_slice("\u{4e2d}\x1b[2J".repeat(10_000).as_bytes());
        body.extend_from_slice(b"%zz\x9b");
        body.extend_from_slice("x\u{202e}".repeat(10_000).as_bytes());
        for line in report(&body, true).lines().filter(|line| line.contains('|') && !line.contains("help")) {
            assert!(line.chars().count() < 220 && !line.chars().any(steers), "{line}");
        }
        // Any bytes at all.
        let mut state = 7u32;
        for length in 0..400 {
            let mut body = b"user-agent: *\nallow: ".to_vec();
            for _ in 0..length {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                body.push((state >> 24) as u8);
            }
            assert!(!report(&body, true).chars().any(|c| c != '\n' && steers(c)));
            let file = checked(&body);
            file.found.iter().for_each(|found| drop(as_json(&file, found)));
        }
    }

    #[test]
    fn columns_count_what_they_are_asked_to() {
        let file = checked("user-agent: *\nallow: /\u{1f600}%zz\n".as_bytes());
        assert_eq!(file.columns(&file.found[0], |text| text.chars().count()), (10, 13));
        assert_eq!(file.columns(&file.found[0], |text| text.encode_utf16().count()), (11, 14));
        let marked = checked(b"\xef\xbb\xbfdissalow: /\nuser-agent: *\nallow: /");
        let columns: Vec<_> = marked.found.iter().map(|f| marked.columns(f, |text| text.chars().count())).collect();
        assert_eq!(columns, [(1, 1), (1, 9)]);
    }
}
