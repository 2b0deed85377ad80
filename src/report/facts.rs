//! What figures are computed from: one answer, one text, or one policy at a time.

use super::ReportError;
use super::source::{Batch, Structs, maybe};
use arrow::array::{Array, BooleanArray, Int32Array, Int64Array, StringArray};
use rep::{Outcome, Reason};

/// What an agent may fetch, as `verdicts.access` says it, in the order of figures.
pub const ACCESS: [&str; 5] = ["all", "some", "none", "undefined", "undecided"];

/// Places in [`ACCESS`].
pub const ALL: u8 = 0;
pub(super) const NONE: u8 = 2;
pub(super) const UNDEFINED: u8 = 3;
pub(super) const UNDECIDED: u8 = 4;

/// What decides about an agent: a group that names it, that for `*`, no group, a status, or a redirect that led nowhere.
pub const BASES: [&str; 5] = ["named", "wildcard", "none", "status", "unresolved"];

/// Places in [`BASES`].
pub const NAMED: u8 = 0;
pub(super) const WILDCARD: u8 = 1;
pub(super) const NO_GROUP: u8 = 2;
pub(super) const STATUS: u8 = 3;
pub(super) const UNRESOLVED_BASIS: u8 = 4;

/// What all figures of a report share.
#[derive(Debug, Default)]
pub struct Context {
    /// The agents, in the order of their ids.
    pub agents: Vec<AgentInfo>,
    /// The paths of probes that concern every origin, by id; nothing for those that concern one only.
    pub probes: Vec<Option<String>>,
    /// The names of the scan's dialects, in alphabetical order, each with its outcome of every reason.
    pub dialects: Vec<(String, Vec<Outcome>)>,
    /// The outcome of every reason in the dialect that figures speak for.
    pub outcomes: Vec<Outcome>,
}

/// An agent as the table `agents` has it.
#[derive(Debug, Clone)]
pub struct AgentInfo {
    /// Its token.
    pub token: String,
    /// Who runs it.
    pub operator: Option<String>,
    /// What it is for; `(none given)` when that is not known.
    pub purpose: String,
}

impl AgentInfo {
    /// Whether it serves some kind of artificial intelligence.
    pub fn is_ai(&self) -> bool {
        self.purpose.starts_with(AI)
    }
}

/// What the purposes of agents that serve artificial intelligence begin with.
pub const AI: &str = "ai-";

/// An answer that stands for an origin, a registered domain or a capture.
#[derive(Debug, Clone, Copy)]
pub struct AnswerFacts<'a> {
    /// Why the outcome is what it is.
    pub reason: Reason,
    /// The last status; none when there was none that can be read.
    pub status: Option<i16>,
    /// Redirects that were followed.
    pub hops: u8,
    /// Whether the last one led to another host.
    pub other_host: bool,
    /// Whether it led to another registered domain.
    pub other_site: bool,
    /// Top-level domain.
    pub tld: Option<&'a str>,
    /// Whether it is in denominators.
    pub is_counted: bool,
}

/// What one policy lets each agent fetch.
#[derive(Debug, Clone, Copy)]
pub struct PolicyFacts<'a> {
    /// For each agent its place in [`ACCESS`].
    pub access: &'a [u8],
    /// For each agent its place in [`BASES`].
    pub basis: &'a [u8],
    /// Where the text comes from; nothing where a status or lost redirect decides.
    pub text: Option<Making>,
}

/// How a text was made, as far as it can be told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Making {
    /// From a template.
    pub template: bool,
    /// With a block that a service manages.
    pub managed: bool,
}

/// The facts of one text.
pub struct TextFacts<'a> {
    columns: &'a BodyColumns<'a>,
    row: usize,
    /// Sitemap lines whose value is no absolute URL.
    pub relative_sitemaps: u32,
}

/// The columns of a batch of `bodies` that figures use.
pub struct BodyColumns<'a> {
    key: &'a Int64Array,
    kind: &'a StringArray,
    encoding: &'a StringArray,
    line_ending: &'a StringArray,
    bytes: &'a Int64Array,
    counts: [&'a Int32Array; 7],
    over_limit: &'a BooleanArray,
    agents: Structs<'a>,
    tokens: &'a StringArray,
    access: &'a StringArray,
    extensions: Structs<'a>,
    fields: &'a StringArray,
    values: &'a StringArray,
    findings: Structs<'a>,
    codes: &'a StringArray,
    template: &'a StringArray,
    managed_by: &'a StringArray,
}

/// Columns of `bodies` that are counts, in the order of [`BodyColumns`].
const COUNTS: [&str; 7] =
    ["lines", "groups", "allow_rules", "disallow_rules", "wildcard_rules", "anchored_rules", "sitemaps"];

impl<'a> BodyColumns<'a> {
    /// The columns to read.
    pub const NAMES: [&'static str; 20] = [
        "body_key",
        "body_kind",
        "encoding",
        "line_ending",
        "body_bytes",
        COUNTS[0],
        COUNTS[1],
        COUNTS[2],
        COUNTS[3],
        COUNTS[4],
        COUNTS[5],
        COUNTS[6],
        "over_limit",
        "agents.list.element.token",
        "agents.list.element.access",
        "extensions.list.element.field",
        "extensions.list.element.value",
        "findings.list.element.code",
        "template",
        "managed_by",
    ];

    /// The columns of a batch.
    pub fn new(batch: &Batch<'a>) -> Result<BodyColumns<'a>, ReportError> {
        let (agents, extensions, findings) =
            (batch.structs("agents")?, batch.structs("extensions")?, batch.structs("findings")?);
        let mut counts = [batch.ints(COUNTS[0])?; COUNTS.len()];
        for (column, name) in counts.iter_mut().zip(COUNTS) {
            *column = batch.ints(name)?;
        }
        Ok(BodyColumns {
            key: batch.longs("body_key")?,
            kind: batch.texts("body_kind")?,
            encoding: batch.texts("encoding")?,
            line_ending: batch.texts("line_ending")?,
            bytes: batch.longs("body_bytes")?,
            counts,
            over_limit: batch.flags("over_limit")?,
            tokens: agents.texts("token")?,
            access: agents.texts("access")?,
            agents,
            fields: extensions.texts("field")?,
            values: extensions.texts("value")?,
            extensions,
            codes: findings.texts("code")?,
            findings,
            template: batch.texts("template")?,
            managed_by: batch.texts("managed_by")?,
        })
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Key of the body in a row.
    pub fn key(&self, row: usize) -> i64 {
        self.key.value(row)
    }

    /// How the text of a row was made.
    pub fn making(&self, row: usize) -> Making {
        Making { template: !self.template.is_null(row), managed: !self.managed_by.is_null(row) }
    }

    /// The text of a row.
    pub fn text(&'a self, row: usize, relative_sitemaps: u32) -> TextFacts<'a> {
        TextFacts { columns: self, row, relative_sitemaps }
    }
}

/// An agent that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedAgent<'a> {
    /// Its token as written.
    pub token: &'a str,
    /// What its own group lets it fetch, or `undecided`.
    pub access: &'a str,
}

impl<'a> TextFacts<'a> {
    /// What it is: `bodies.body_kind`.
    pub fn kind(&self) -> &'a str {
        self.columns.kind.value(self.row)
    }

    /// Whether it is a robots.txt.
    pub fn is_robots(&self) -> bool {
        self.kind() == "robots"
    }

    /// Character encoding.
    pub fn encoding(&self) -> &'a str {
        self.columns.encoding.value(self.row)
    }

    /// How lines end.
    pub fn line_ending(&self) -> &'a str {
        self.columns.line_ending.value(self.row)
    }

    /// Bytes.
    pub fn bytes(&self) -> i64 {
        self.columns.bytes.value(self.row)
    }

    /// Lines.
    pub fn lines(&self) -> i64 {
        self.count(0)
    }

    /// Groups.
    pub fn groups(&self) -> i64 {
        self.count(1)
    }

    /// Allow rules.
    pub fn allow_rules(&self) -> i64 {
        self.count(2)
    }

    /// Disallow rules.
    pub fn disallow_rules(&self) -> i64 {
        self.count(3)
    }

    /// Rules with a wildcard.
    pub fn wildcard_rules(&self) -> i64 {
        self.count(4)
    }

    /// Rules that end in `$`.
    pub fn anchored_rules(&self) -> i64 {
        self.count(5)
    }

    /// Sitemap lines.
    pub fn sitemaps(&self) -> i64 {
        self.count(6)
    }

    /// Agents that are named, `*` included.
    pub fn agent_count(&self) -> i64 {
        self.columns.agents.row(self.row).len() as i64
    }

    /// Whether it is longer than the dialect reads.
    pub fn over_limit(&self) -> bool {
        self.columns.over_limit.value(self.row)
    }

    /// Template it was made from.
    pub fn template(&self) -> Option<&'a str> {
        maybe(self.columns.template, self.row)
    }

    /// Service that manages a block of it.
    pub fn managed_by(&self) -> Option<&'a str> {
        maybe(self.columns.managed_by, self.row)
    }

    /// The agents that it names, `*` included.
    pub fn agents(&self) -> impl Iterator<Item = NamedAgent<'a>> + use<'a> {
        let columns = self.columns;
        columns.agents.row(self.row).map(|at| NamedAgent {
            token: columns.tokens.value(at),
            access: maybe(columns.access, at).unwrap_or(ACCESS[UNDECIDED as usize]),
        })
    }

    /// Fields that the standard does not define, each line with its value.
    pub fn extensions(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let columns = self.columns;
        columns.extensions.row(self.row).map(|at| (columns.fields.value(at), columns.values.value(at)))
    }

    /// Codes of what is odd about it.
    pub fn findings(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let columns = self.columns;
        columns.findings.row(self.row).map(|at| columns.codes.value(at))
    }

    fn count(&self, at: usize) -> i64 {
        i64::from(self.columns.counts[at].value(self.row))
    }
}

/// Characters of a stranger's text that figures tell apart: the rest would only fill memory.
pub const MOST_CHARACTERS: usize = 120;

/// The beginning of a text.
pub fn beginning(text: &str) -> &str {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The place of a word in a list; `or` when it is not in it.
pub fn place(list: &[&str], word: &str, or: u8) -> u8 {
    list.iter().position(|known| *known == word).map_or(or, |at| at as u8)
}

/// The place of a reason in [`Reason::ALL`].
pub fn reason_number(word: &str) -> Option<u8> {
    Reason::ALL.iter().position(|reason| reason.as_str() == word).map(|at| at as u8)
}
