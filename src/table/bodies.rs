//! `bodies`: a row a distinct body in its shard.

use super::column::{Cell, Column, Structs, column, delta};
use super::{Place, Record, Table};

/// The table `bodies`.
pub struct Bodies;

/// A row of [`Bodies`]. Numbers that depend on how a file is read are those of the first dialect.
#[derive(Debug, Clone, Default)]
pub struct BodyRow<'a> {
    /// Key in the whole output: [`super::body_key`].
    pub body_key: i64,
    /// Identity: [`super::body_id`].
    pub body_id: [u8; 16],
    /// Bytes, decoded.
    pub body_bytes: i64,
    /// What it is.
    pub body_kind: &'static str,
    /// Character encoding.
    pub encoding: &'static str,
    /// How its lines end.
    pub line_ending: &'static str,
    /// Lines.
    pub lines: i32,
    /// Groups.
    pub groups: i32,
    /// Allow rules.
    pub allow_rules: i32,
    /// Disallow rules.
    pub disallow_rules: i32,
    /// Rules with a `*` that means something.
    pub wildcard_rules: i32,
    /// Rules that end in `$`.
    pub anchored_rules: i32,
    /// Sitemap lines.
    pub sitemaps: i32,
    /// Every agent that some group names, in file order.
    pub agents: &'a [NamedAgentRow<'a>],
    /// Lines of other fields, in file order.
    pub extensions: &'a [ExtensionRow<'a>],
    /// What is odd about it.
    pub findings: &'a [FindingRow],
    /// Template it was made from.
    pub template: Option<&'a str>,
    /// Service that manages a block of it.
    pub managed_by: Option<&'a str>,
    /// Whether it goes on past the dialect's limit.
    pub over_limit: bool,
    /// The body itself, with `--keep-bodies`.
    pub content: Option<&'a [u8]>,
}

impl Table for Bodies {
    const NAME: &'static str = "bodies";
    const ABOUT: &'static str =
        "A row a distinct body of its shard: what it is, what it holds, and every agent, extension and finding in it.";
    const PLACE: Place = Place::Parts;
}

impl Record for Bodies {
    type Row<'a> = BodyRow<'a>;
    const COLUMNS: &'static [Column<Bodies>] = &[
        delta(
            "body_key",
            "Key of the body in the whole output (shard << 32 | row): what the other tables join on.",
            "4294967301",
            Cell::I64(|row| row.body_key),
        ),
        column(
            "body_id",
            "xxh3-128 of the decoded body; the same body has one row in each shard that met it.",
            "99aa06d3014798d86001c324468d497f",
            Cell::Bytes16(|row| &row.body_id),
        ),
        delta("body_bytes", "Bytes of the decoded body.", "1070", Cell::I64(|row| row.body_bytes)),
        column(
            "body_kind",
            "What it is: robots, empty, comments_only, html, xml, json, binary or other_text.",
            "robots",
            Cell::Label(|row| row.body_kind),
        ),
        column("encoding", "Character encoding it is written in.", "utf-8", Cell::Label(|row| row.encoding)),
        column("line_ending", "How its lines end.", "crlf", Cell::Label(|row| row.line_ending)),
        column("lines", "Lines; nothing after the last line end is none.", "24", Cell::I32(|row| row.lines)),
        column("groups", "Groups, before those for one agent are merged.", "2", Cell::I32(|row| row.groups)),
        column(
            "allow_rules",
            "Rules that allow; lines without a path are none.",
            "1",
            Cell::I32(|row| row.allow_rules),
        ),
        column(
            "disallow_rules",
            "Rules that disallow; lines without a path are none.",
            "11",
            Cell::I32(|row| row.disallow_rules),
        ),
        column("wildcard_rules", "Rules with a * in their pattern.", "3", Cell::I32(|row| row.wildcard_rules)),
        column("anchored_rules", "Rules whose pattern ends in $.", "1", Cell::I32(|row| row.anchored_rules)),
        column("sitemaps", "Sitemap lines; the table sitemaps has them.", "1", Cell::I32(|row| row.sitemaps)),
        column(
            "agents",
            "Every agent that some group names, in the agent set or not, in file order.",
            "[{token: GPTBot, line: 12, access: none}]",
            Cell::Structs(&Structs::<Bodies, NamedAgent>(|row| row.agents)),
        ),
        column(
            "extensions",
            "Lines of fields that the standard does not define (Crawl-delay, Content-Signal, Host, unknown ones), with their values as written.",
            "[{field: crawl-delay, value: 10, line: 3, group: 1}]",
            Cell::Structs(&Structs::<Bodies, Extension>(|row| row.extensions)),
        ),
        column(
            "findings",
            "What is odd about the text.",
            "[{code: misspelt-field, count: 2, line: 7}]",
            Cell::Structs(&Structs::<Bodies, FindingTally>(|row| row.findings)),
        ),
        column(
            "template",
            "Template that it was made from; null when none is recognised.",
            "wordpress",
            Cell::MaybeText(|row| row.template),
        ),
        column(
            "managed_by",
            "Service that manages a block of it; null when none is recognised.",
            "cloudflare",
            Cell::MaybeText(|row| row.managed_by),
        ),
        column(
            "over_limit",
            "Whether it is longer than the first dialect reads.",
            "false",
            Cell::Bool(|row| row.over_limit),
        ),
        column(
            "content",
            "The body itself, byte for byte; null unless --keep-bodies was given.",
            "User-agent: *\\nDisallow: /private/",
            Cell::MaybeBytes(|row| row.content),
        ),
    ];
}

/// An agent that a body names: an element of `bodies.agents`.
pub struct NamedAgent;

/// A row of [`NamedAgent`].
#[derive(Debug, Clone, Copy)]
pub struct NamedAgentRow<'a> {
    /// Its token as the file spells it.
    pub token: &'a [u8],
    /// Line that names it first, from 1.
    pub line: i32,
    /// What it may fetch.
    pub access: &'static str,
}

impl Record for NamedAgent {
    type Row<'a> = NamedAgentRow<'a>;
    const COLUMNS: &'static [Column<NamedAgent>] = &[
        column("token", "Its token as the file spells it.", "GPTBot", Cell::Lossy(|row| row.token)),
        column("line", "Line that names it first, from 1.", "12", Cell::I32(|row| row.line)),
        column(
            "access",
            "What a crawler of exactly that name may fetch in the first dialect, as verdicts.access.",
            "none",
            Cell::Label(|row| row.access),
        ),
    ];
}

/// A line that is neither a group's nor a sitemap: an element of `bodies.extensions`.
pub struct Extension;

/// A row of [`Extension`].
#[derive(Debug, Clone, Copy)]
pub struct ExtensionRow<'a> {
    /// Name of the field, lower case.
    pub field: &'a [u8],
    /// Value as written.
    pub value: &'a [u8],
    /// Line, from 1.
    pub line: i32,
    /// Group that it stands in, as in `rules.group`.
    pub group: Option<i32>,
}

impl Record for Extension {
    type Row<'a> = ExtensionRow<'a>;
    const COLUMNS: &'static [Column<Extension>] = &[
        column("field", "Name of the field, lower case.", "crawl-delay", Cell::Lossy(|row| row.field)),
        column("value", "Value as written.", "10", Cell::Lossy(|row| row.value)),
        column("line", "Line, from 1.", "3", Cell::I32(|row| row.line)),
        column(
            "group",
            "Group that it stands in (as rules.group, from 1); null before the first one.",
            "1",
            Cell::MaybeI32(|row| row.group),
        ),
    ];
}

/// Something odd about a body and how often: an element of `bodies.findings`.
pub struct FindingTally;

/// A row of [`FindingTally`].
#[derive(Debug, Clone, Copy)]
pub struct FindingRow {
    /// Stable code.
    pub code: &'static str,
    /// How often.
    pub count: i32,
    /// First line, from 1; 0 when it is about the whole body.
    pub line: i32,
}

impl Record for FindingTally {
    type Row<'a> = FindingRow;
    const COLUMNS: &'static [Column<FindingTally>] = &[
        column("code", "Stable code of the finding.", "misspelt-field", Cell::Label(|row| row.code)),
        column("count", "How often it was met.", "2", Cell::I32(|row| row.count)),
        column(
            "line",
            "First line it was met in, from 1; 0 when it is about the whole body.",
            "7",
            Cell::I32(|row| row.line),
        ),
    ];
}
