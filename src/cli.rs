//! What the user may type: argument structs only.

use crate::ingest::parquet::{ColumnChoice, Role};
use crate::pipeline::progress::ProgressMode;
use crate::report::sql::Engine;
use crate::report::strata::By;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use rep::http::{HttpChanges, Treatment};
use std::path::PathBuf;

/// Batch analytics for the robots.txt files of the whole web.
#[derive(Debug, Parser)]
#[command(name = "robocensus", version, about, max_term_width = 100, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read robots.txt captures, decide for every agent and probe, write Parquet tables
    Scan(Box<ScanArgs>),
    /// Follow redirects inside a finished scan: one row an origin, in the table `origins`
    Resolve(ResolveArgs),
    /// Show which group and rule of one robots.txt decide, and why
    Explain(ExplainArgs),
    /// Check robots.txt files for mistakes
    Lint(LintArgs),
    /// Print every kind of finding, with examples
    Findings(FindingsArgs),
    /// Print the ways to read a robots.txt and how they differ
    Dialects(DialectsArgs),
    /// Make figures from the tables: CSV, Parquet, JSON and a page
    Report(ReportArgs),
    /// Tell what changed between finished scans: figures, lists and a page
    Compare(CompareArgs),
    /// Print SQL views over the tables, for DuckDB or Spark
    Views(ViewsArgs),
    /// Print the columns of every output table
    Schema(SchemaArgs),
    /// Write a made-up snapshot in Common Crawl's layout, for trying things out
    Synth(SynthArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// How verdicts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerdictLayout {
    /// One row a body, dialect and rule set
    Compact,
    /// The compact table and also one row a body, dialect, agent and probe (large)
    Long,
    /// None
    None,
}

/// How messages are written on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// Arguments of `scan`.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// WARC or Parquet files, folders, globs, listings (`@list`, `*.paths`, `*.paths.gz`) or `-` for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Folder to write the tables to
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Folder that the names in listings and in `warc_filename` are relative to
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,

    /// Crawlers to decide for: TOML, or plain text with one product token a line [default: the shipped set]
    #[arg(long, value_name = "FILE", help_heading = "Questions")]
    pub agents: Option<PathBuf>,
    /// Paths or absolute URLs to decide about, one a line [default: the shipped dozen]
    #[arg(long, value_name = "FILE", help_heading = "Questions")]
    pub probes: Option<PathBuf>,
    /// Dialects to read with; the first is the one `outcome` speaks for
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "rfc9309", help_heading = "Questions")]
    pub dialect: Vec<String>,

    /// What HTTP results are taken for, where the dialects are to be overruled
    #[command(flatten)]
    pub http: HttpArgs,

    /// Layout of the verdicts
    #[arg(long, value_enum, default_value_t = VerdictLayout::Compact, help_heading = "Tables")]
    pub verdicts: VerdictLayout,
    /// Write no verdicts at all (as `--verdicts none`)
    #[arg(long, conflicts_with = "verdicts", help_heading = "Tables")]
    pub no_verdicts: bool,
    /// Keep the text of every distinct body in `bodies.content`
    #[arg(long, help_heading = "Tables")]
    pub keep_bodies: bool,
    /// Also write the table `rules`: every rule of every distinct body
    #[arg(long, help_heading = "Tables")]
    pub rules: bool,
    /// Also write the table `classifiers`: what the classifiers of published studies say of every distinct body
    #[arg(long, help_heading = "Tables")]
    pub classifiers: bool,

    /// Bytes of input a shard should have, such as 64MiB [default: total / 256, between 32MiB and 256MiB]
    #[arg(long, value_name = "SIZE", value_parser = crate::quantity::parse_size, help_heading = "Work")]
    pub shard_size: Option<u64>,
    /// What an input of unknown size counts as in the plan
    #[arg(long, value_name = "SIZE", value_parser = crate::quantity::parse_size, default_value = "2MiB", help_heading = "Work")]
    pub assume_size: u64,
    /// Do only every n-th shard, such as 3/8 (array jobs); part numbers stay those of the whole
    #[arg(long, value_name = "I/N", help_heading = "Work")]
    pub shard: Option<String>,
    /// Keep only a fixed share of all sites, such as 1/100: the same sites in every crawl
    #[arg(long, value_name = "1/N", help_heading = "Work")]
    pub sample: Option<String>,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Work")]
    pub threads: Option<usize>,
    /// Bytes of a decoded body to keep; the rest is counted only
    #[arg(long, value_name = "SIZE", value_parser = crate::quantity::parse_size, default_value = "16MiB", help_heading = "Work")]
    pub body_cap: u64,
    /// Input files that may fail to be read to their end before the exit code is 3
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Work")]
    pub max_errors: u64,
    /// Replace what OUT holds of another run
    #[arg(long, help_heading = "Work")]
    pub overwrite: bool,
    /// Do not write the table `origins` at the end (as with --shard); `robocensus resolve` can do it later
    #[arg(long, help_heading = "Work")]
    pub no_resolve: bool,
    /// Show the plan, and what would be read as what, and stop
    #[arg(long, help_heading = "Work")]
    pub dry_run: bool,

    /// Column of a Parquet input, each guessed from common names when not given
    #[command(flatten)]
    pub columns: ColumnArgs,

    /// How to tell progress
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto, help_heading = "Messages")]
    pub progress: ProgressMode,
    /// How to write messages
    #[arg(long, value_enum, default_value_t = LogFormat::Text, help_heading = "Messages")]
    pub log: LogFormat,
}

/// HTTP results that are taken otherwise than the dialects say. The names of the fields are those of the options, and enter the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, serde::Serialize)]
#[command(next_help_heading = "HTTP results (unavailable: as the dialect takes a 4xx; unreachable: as a 5xx)")]
pub struct HttpArgs {
    /// What 429 means, such as `unreachable` [default: as the dialect says]
    #[arg(long, value_name = "MEANING", value_parser = treatment_parser())]
    #[serde(serialize_with = "as_word", skip_serializing_if = "Option::is_none")]
    pub status_429: Option<Treatment>,
    /// What 401 and 403 mean
    #[arg(long, value_name = "MEANING", value_parser = treatment_parser(), hide_possible_values = true)]
    #[serde(serialize_with = "as_word", skip_serializing_if = "Option::is_none")]
    pub status_401_403: Option<Treatment>,
    /// What any 4xx means that has no option of its own here
    #[arg(long, value_name = "MEANING", value_parser = treatment_parser(), hide_possible_values = true)]
    #[serde(serialize_with = "as_word", skip_serializing_if = "Option::is_none")]
    pub status_4xx: Option<Treatment>,
    /// What 5xx means
    #[arg(long, value_name = "MEANING", value_parser = treatment_parser(), hide_possible_values = true)]
    #[serde(serialize_with = "as_word", skip_serializing_if = "Option::is_none")]
    pub status_5xx: Option<Treatment>,
    /// What no usable answer means: a network failure, or a status outside 200-599
    #[arg(long, value_name = "MEANING", value_parser = treatment_parser(), hide_possible_values = true)]
    #[serde(serialize_with = "as_word", skip_serializing_if = "Option::is_none")]
    pub no_answer: Option<Treatment>,
    /// What a redirect means that leads nowhere
    #[arg(long, value_name = "MEANING", value_parser = treatment_parser(), hide_possible_values = true)]
    #[serde(serialize_with = "as_word", skip_serializing_if = "Option::is_none")]
    pub lost_redirect: Option<Treatment>,
}

impl HttpArgs {
    /// What a dialect's rules are changed by.
    pub fn changes(&self) -> HttpChanges {
        HttpChanges {
            rate_limited: self.status_429,
            forbidden: self.status_401_403,
            any_4xx: self.status_4xx,
            any_5xx: self.status_5xx,
            no_answer: self.no_answer,
            lost_redirect: self.lost_redirect,
        }
    }
}

fn treatment_parser() -> impl TypedValueParser<Value = Treatment> {
    PossibleValuesParser::new(Treatment::ALL.iter().map(|treatment| treatment.as_str())).try_map(|word| {
        let known = Treatment::ALL.iter().find(|treatment| treatment.as_str() == word);
        known.copied().ok_or("no such meaning")
    })
}

fn as_word<S: serde::Serializer>(treatment: &Option<Treatment>, serializer: S) -> Result<S::Ok, S::Error> {
    match treatment {
        Some(treatment) => serializer.serialize_str(treatment.as_str()),
        None => serializer.serialize_none(),
    }
}

/// Arguments of `resolve`.
#[derive(Debug, Args)]
pub struct ResolveArgs {
    /// Finished output folders: one, or all those of `scan --shard i/n` runs
    #[arg(required = true, value_name = "OUT")]
    pub outs: Vec<PathBuf>,
    /// Folder to join the outputs in; needed for more than one
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    pub into: Option<PathBuf>,
    /// Redirects to follow
    #[arg(long, value_name = "N", default_value_t = rep::http::MAX_HOPS as u8, value_parser = clap::value_parser!(u8).range(0..=i64::from(crate::resolve::MOST_HOPS)))]
    pub max_hops: u8,
    /// Memory for what grows with the captures, such as 1GiB; less means more temporary files [default: 24 bytes a capture]
    #[arg(long, value_name = "SIZE", value_parser = crate::quantity::parse_size)]
    pub memory: Option<u64>,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How to tell progress
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto, help_heading = "Messages")]
    pub progress: ProgressMode,
    /// How to write messages
    #[arg(long, value_enum, default_value_t = LogFormat::Text, help_heading = "Messages")]
    pub log: LogFormat,
}

/// Which columns of a Parquet input hold what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, serde::Serialize)]
pub struct ColumnArgs {
    /// Column with the body of the robots.txt
    #[arg(long, value_name = "NAME", help_heading = "Parquet input")]
    pub body_column: Option<String>,
    /// Column with the URL
    #[arg(long, value_name = "NAME", help_heading = "Parquet input")]
    pub url_column: Option<String>,
    /// Column with the host, where there is no URL
    #[arg(long, value_name = "NAME", help_heading = "Parquet input")]
    pub host_column: Option<String>,
    /// Column with the HTTP status
    #[arg(long, value_name = "NAME", help_heading = "Parquet input")]
    pub status_column: Option<String>,
    /// Column with the time of the fetch
    #[arg(long, value_name = "NAME", help_heading = "Parquet input")]
    pub time_column: Option<String>,
    /// Column with the content type
    #[arg(long, value_name = "NAME", help_heading = "Parquet input")]
    pub content_type_column: Option<String>,
    /// Column with the redirect target
    #[arg(long, value_name = "NAME", help_heading = "Parquet input")]
    pub location_column: Option<String>,
}

impl ColumnArgs {
    /// The named columns as the Parquet reader takes them.
    pub fn choice(&self) -> ColumnChoice {
        ColumnChoice::new([
            (Role::Body, self.body_column.clone()),
            (Role::Url, self.url_column.clone()),
            (Role::Host, self.host_column.clone()),
            (Role::Status, self.status_column.clone()),
            (Role::Time, self.time_column.clone()),
            (Role::ContentType, self.content_type_column.clone()),
            (Role::Location, self.location_column.clone()),
        ])
    }
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A robots.txt, or `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// Product token of a crawler (repeatable)
    #[arg(short, long = "agent", value_name = "TOKEN")]
    pub agent: Vec<String>,
    /// URL or path to decide about (repeatable)
    #[arg(short, long = "url", value_name = "URL")]
    pub url: Vec<String>,
    /// Take chains, operators and purposes of the agents from this file
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,
    /// Dialects to read with, or `all`
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "rfc9309")]
    pub dialect: Vec<String>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "jsonl")]
    pub json: bool,
    /// Answer questions from standard input, one JSON object a line each way; agents and URLs are in the questions
    #[arg(long, conflicts_with_all = ["agent", "url", "agents"])]
    pub jsonl: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = ColorWhen::Auto)]
    pub color: ColorWhen,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How `lint` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// As compilers do, with the line and a caret
    Text,
    /// An array with one object a finding, each on a line of its own
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// What `lint` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LintLevel {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// All findings
    Note,
}

impl LintLevel {
    /// The least severity that is shown.
    pub const fn severity(self) -> rep::Severity {
        match self {
            LintLevel::Error => rep::Severity::Error,
            LintLevel::Warning => rep::Severity::Warning,
            LintLevel::Note => rep::Severity::Note,
        }
    }
}

/// Arguments of `lint`. Exit code 3 when an error is found.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing of severity error; 3 an error (with -W a warning too), shown or not; 2 wrong usage; 1 could not do it."
)]
pub struct LintArgs {
    /// robots.txt files, or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// The least severity to show
    #[arg(long, value_enum, default_value_t = LintLevel::Note)]
    pub level: LintLevel,
    /// Exit with code 3 for warnings too
    #[arg(short = 'W', long)]
    pub deny_warnings: bool,
    /// Show every finding of a kind, not only the first few in each file
    #[arg(long)]
    pub all: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = ColorWhen::Auto)]
    pub color: ColorWhen,
}

/// Arguments of `findings`.
#[derive(Debug, Args)]
pub struct FindingsArgs {
    /// Only this one, with an example
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
    /// Print Markdown, as in docs/findings.md
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `dialects`.
#[derive(Debug, Args)]
pub struct DialectsArgs {
    /// Only this dialect, with the sources of its switches
    #[arg(value_name = "NAME")]
    pub dialect: Option<String>,
    /// Print Markdown, as in docs/dialects.md
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Only this table
    #[arg(value_name = "TABLE")]
    pub table: Option<String>,
    /// Print Markdown, as in docs/tables.md
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folder with the tables of a finished scan
    #[arg(value_name = "OUT")]
    pub tables: PathBuf,
    /// Folder to write the report to
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// How to split figures and views
    #[command(flatten)]
    pub split: SplitArgs,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How to write messages
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log: LogFormat,
}

/// What figures speak for, and what they are split by.
#[derive(Debug, Clone, Default, Args)]
pub struct SplitArgs {
    /// Dialect that figures speak for [default: the first one of the scan]
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// Split every figure by this as well
    #[arg(long, value_enum)]
    pub by: Option<By>,
    /// Ranks for `--by rank`: Tranco's CSV or Common Crawl's host or domain ranks, also with gzip
    #[arg(long, value_name = "FILE")]
    pub ranks: Option<PathBuf>,
    /// Also count every origin by the weight of its host: CSV of host and a whole number, such as pages or tokens
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Folders with the tables of finished and resolved scans, oldest first
    #[arg(required = true, num_args = 2.., value_name = "OUT")]
    pub outs: Vec<PathBuf>,
    /// Folder to write the comparison to
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Dialect that figures speak for [default: the first one that all scans have]
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// Memory for the origins that are joined at a time; less means reading their tables more often
    #[arg(long, value_name = "SIZE", value_parser = crate::quantity::parse_size, default_value = "1GiB")]
    pub memory: u64,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How to write messages
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log: LogFormat,
}

/// Arguments of `views`.
#[derive(Debug, Args)]
pub struct ViewsArgs {
    /// Folder with the tables of a finished scan
    #[arg(value_name = "OUT")]
    pub tables: PathBuf,
    /// Engine to write for
    #[arg(long, value_enum, default_value_t = Engine::Duckdb)]
    pub engine: Engine,
    /// Print the query of this figure instead, or of all with `all`; it runs over the views
    #[arg(long, value_name = "ID")]
    pub figure: Option<String>,
    /// What the views for figures are to be like
    #[command(flatten)]
    pub split: SplitArgs,
}

/// File format of a made-up snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SynthFormat {
    /// .warc.gz, one member a record
    Warc,
    /// Parquet with a body column
    Parquet,
}

/// Arguments of `synth`.
#[derive(Debug, Args)]
pub struct SynthArgs {
    /// Folder to write to
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Captures to write
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub captures: u64,
    /// Seed: the same seed gives the same bytes
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Files to spread them over [default: about 1,000 captures a file]
    #[arg(long, value_name = "N")]
    pub files: Option<u64>,
    /// Name of the crawl
    #[arg(long, value_name = "NAME", default_value = "CC-MAIN-2026-43")]
    pub crawl: String,
    /// What to write
    #[arg(long, value_enum, default_value_t = SynthFormat::Warc)]
    pub format: SynthFormat,
    /// Also write bodies by hand for every odd case, from this folder
    #[arg(long, value_name = "DIR")]
    pub odd: Option<PathBuf>,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: clap_complete::Shell,
}
