//! One shard from its first byte to its commit: capture by capture into rows.
//!
//! A worker belongs to one thread at a time and is reused, so that inflater, buffers and scratch space are paid for once. All state of a
//! shard (the writers, the memo of bodies, the counts) begins and ends with it: no shard knows of another,
//! which is why the output does not depend on who does which, or when.

use super::plan::Shard;
use super::progress::Progress;
use super::sample::Sample;
use crate::capture::{Capture, Problem};
use crate::classify::address::{Address, redirect_target};
use crate::classify::body::{self, LineFacts};
use crate::classify::response::{cache_max_age, content_type};
use crate::classify::study::{Panel, Surveyor};
use crate::classify::template::{Detected, Templates};
use crate::evaluate::{Evaluation, Evaluator, NamedAccess, Questions};
use crate::ingest::input::{Format, Input, crawl_of, segment_of};
use crate::ingest::parquet::{ColumnChoice, ParquetReader};
use crate::ingest::warc::WarcReader;
use crate::ingest::{Completion, Limits, Sink};
use crate::output::{Counts, InputPart, Metadata, OutputError, ShardCommit, ShardTables, ShardWriter};
use crate::table::{
    BodyRow, CaptureRow, ClassifierRow, DisagreementRow, ExtensionRow, FindingRow, NamedAgentRow, ProblemRow, RuleRow,
    SitemapRow, VerdictLongRow, VerdictRow, body_id, body_key,
};
use rep::{Access, AccessClass, Basis, Dialect, Document, Field, Outcome, Reason, Remarks, Robots};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// What every shard of a run shares.
#[derive(Debug)]
pub struct Options {
    /// Output folder.
    pub out: PathBuf,
    /// What is asked of every body.
    pub questions: Questions,
    /// Templates that bodies are compared with.
    pub templates: Templates,
    /// Agents that the classifiers of studies are asked about, where their table is written.
    pub panel: Panel,
    /// Which optional tables are written.
    pub tables: ShardTables,
    /// Whether `bodies.content` is filled.
    pub keep_bodies: bool,
    /// Which sites are kept.
    pub sample: Sample,
    /// Limits of the readers.
    pub limits: Limits,
    /// Columns of Parquet inputs.
    pub columns: ColumnChoice,
    /// What every file says of itself.
    pub metadata: Metadata,
}

/// A thread's readers and scratch space.
pub(super) struct Worker {
    warc: WarcReader,
    parquet: ParquetReader,
    evaluator: Evaluator,
    surveyor: Surveyor,
}

impl Worker {
    pub(super) fn new(options: &Options) -> Worker {
        Worker {
            warc: WarcReader::new(options.limits),
            parquet: ParquetReader::new(options.limits, options.columns.clone()),
            evaluator: Evaluator::default(),
            surveyor: Surveyor::default(),
        }
    }

    /// Does a shard; `None` when `stop` was set before it was done, and then nothing of it remains.
    pub(super) fn run(
        &mut self,
        shard: &Shard,
        inputs: &[Input],
        options: &Options,
        progress: &Progress,
        stop: &AtomicBool,
    ) -> Result<Option<ShardCommit>, OutputError> {
        let mut rows = Rows {
            writer: ShardWriter::create(&options.out, shard.number, &options.metadata, options.tables)?,
            evaluator: &mut self.evaluator,
            surveyor: &mut self.surveyor,
            options,
            progress,
            stop,
            shard: shard.number,
            input: None,
            bodies: HashMap::default(),
            counts: Counts::default(),
            totals: Totals::default(),
            told: 0,
            last_problem: None,
            failure: None,
        };
        let mut parts = Vec::with_capacity(shard.parts.len());
        for planned in &shard.parts {
            let (Some(input), Some(part)) = (inputs.get(planned.input), planned.of(inputs)) else { continue };
            rows.input =
                Some(InputNames { name: &input.name, crawl: crawl_of(&input.name), segment: segment_of(&input.name) });
            let before = rows.totals.captures;
            rows.last_problem = None;
            let completion = match input.format {
                Format::Warc => self.warc.read(&part, &mut rows),
                Format::Parquet => self.parquet.read(&part, &mut rows),
            };
            if let Some(failure) = rows.failure.take() {
                return Err(failure);
            }
            if completion == Completion::Stopped || stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            progress.file_done(planned.end.is_none());
            parts.push(InputPart {
                name: input.name.clone(),
                start: planned.start,
                end: planned.end,
                size: input.size,
                captures: rows.totals.captures - before,
                complete: completion == Completion::Complete,
                problem: rows.last_problem.take().filter(|_| completion != Completion::Complete),
            });
        }
        let Rows { writer, mut counts, totals, .. } = rows;
        counts.totals.extend(totals.named());
        writer.commit(parts, counts).map(Some)
    }
}

/// Names of the input that is being read, as tables carry them.
struct InputNames<'i> {
    name: &'i str,
    crawl: Option<&'i str>,
    segment: Option<&'i str>,
}

macro_rules! totals {
    ($($field:ident),* $(,)?) => {
        /// What a shard counts.
        #[derive(Default)]
        struct Totals { $($field: u64,)* }

        impl Totals {
            fn named(&self) -> impl Iterator<Item = (String, u64)> {
                [$((stringify!($field).to_owned(), self.$field)),*].into_iter()
            }
        }
    };
}

totals! {
    captures,
    captures_2xx,
    captures_3xx,
    captures_4xx,
    captures_5xx,
    captures_other,
    captures_repaired,
    left_out_by_sample,
    robots_urls,
    distinct_bodies,
    body_bytes,
    rule_sets,
    verdicts,
    undefined_verdicts,
    undefined_access,
    undecided_access,
    disagreements,
    disagreeing_bodies,
    disagreements_left_out,
}

/// Looks up keys that are hashes already.
#[derive(Default)]
struct TakeHash(u64);

impl std::hash::Hasher for TakeHash {
    fn write(&mut self, bytes: &[u8]) {
        // A u128 comes in one piece; its lower half will do.
        let mut low = [0; 8];
        let length = bytes.len().min(8);
        low[..length].copy_from_slice(&bytes[..length]);
        self.0 = u64::from_le_bytes(low);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A body that this shard has met before.
#[derive(Clone, Copy)]
struct Known {
    row: u32,
    redirects_in_html: bool,
}

/// Turns captures into rows.
struct Rows<'r> {
    writer: ShardWriter,
    evaluator: &'r mut Evaluator,
    surveyor: &'r mut Surveyor,
    options: &'r Options,
    progress: &'r Progress,
    stop: &'r AtomicBool,
    shard: u32,
    input: Option<InputNames<'r>>,
    bodies: HashMap<u128, Known, std::hash::BuildHasherDefault<TakeHash>>,
    counts: Counts,
    totals: Totals,
    /// Captures that progress knows of.
    told: u64,
    /// What was last wrong with the part that is being read.
    last_problem: Option<String>,
    failure: Option<OutputError>,
}

impl Sink for Rows<'_> {
    fn capture(&mut self, capture: &Capture<'_>) -> ControlFlow<()> {
        match self.add(capture) {
            Ok(()) if self.stop.load(Ordering::Relaxed) => ControlFlow::Break(()),
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn problem(&mut self, problem: Problem) {
        *self.counts.problems.entry(problem.code.code().to_owned()).or_default() += 1;
        self.progress.problem();
        self.last_problem = Some(format!("{}: {}", problem.code.code(), problem.detail));
        let name = self.input.as_ref().map_or("", |input| input.name);
        if let Err(failure) = self.writer.problems.push(&ProblemRow::new(name, &problem)) {
            self.failure.get_or_insert(failure);
        }
    }

    fn progress(&mut self, bytes: u64) {
        self.progress.advance(bytes, self.totals.captures - self.told);
        self.told = self.totals.captures;
    }
}

impl Rows<'_> {
    fn add(&mut self, capture: &Capture<'_>) -> Result<(), OutputError> {
        let address = Address::parse(&capture.url);
        if !self.options.sample.keeps(address.registered_domain(), &address.host) {
            self.totals.left_out_by_sample += 1;
            return Ok(());
        }
        self.count(capture, &address);
        let redirect = match capture.status {
            Some(300..=399) => capture.location.and_then(|to| redirect_target(&capture.url, to)),
            _ => None,
        };
        let mut reason = rep::http::reason(capture.status, redirect.is_some());
        let mut body = None;
        if reason == Reason::Success {
            let id = body_id(capture.body);
            let known = self.body(id, capture.body)?;
            if known.redirects_in_html {
                reason = Reason::HtmlRedirect;
            }
            body = Some((body_key(self.shard, known.row), id));
        }
        let http = &self.first_dialect().http;
        let outcome = if reason == Reason::Redirect { "redirect" } else { http.outcome(reason).as_str() };
        let media = capture.content_type.map(content_type).unwrap_or_default();
        let input = self.input.as_ref();
        self.writer.captures.push(&CaptureRow {
            crawl: input.and_then(|input| input.crawl),
            warc_filename: input.map_or("", |input| input.name),
            warc_segment: input.and_then(|input| input.segment),
            warc_record_offset: signed(capture.place.offset),
            warc_record_length: signed(capture.place.length),
            record_number: signed(capture.place.record_number),
            source_row: signed(capture.place.source_row),
            url: &capture.url,
            url_protocol: address.protocol.as_deref(),
            url_host_name: Some(&*address.host).filter(|host| !host.is_empty()),
            url_port: address.port.map(i32::from),
            url_path: address.path,
            url_query: address.query,
            url_host_tld: address.tld(),
            url_host_registered_domain: address.registered_domain(),
            is_robots_url: address.is_robots_url,
            fetch_time: capture.fetch_time,
            fetch_status: capture.status,
            fetch_redirect: redirect.as_deref(),
            content_mime_type: media.mime.as_deref().map(str::as_bytes),
            content_charset: media.charset.as_deref().map(str::as_bytes),
            content_digest: capture.digest.as_deref(),
            content_truncated: capture.truncated.as_deref(),
            cache_max_age: capture.cache_control.as_deref().and_then(cache_max_age),
            outcome,
            reason: reason.as_str(),
            body_key: body.map(|(key, _)| key),
            body_id: body.map(|(_, id)| id),
            body_bytes: capture.body.len() as i64,
            body_total_bytes: capture.body_total_bytes as i64,
            repaired: capture.repaired,
        })
    }

    fn count(&mut self, capture: &Capture<'_>, address: &Address<'_>) {
        let totals = &mut self.totals;
        totals.captures += 1;
        totals.captures_repaired += u64::from(!capture.repaired.is_empty());
        totals.robots_urls += u64::from(address.is_robots_url);
        *(match capture.status {
            Some(200..=299) => &mut totals.captures_2xx,
            Some(300..=399) => &mut totals.captures_3xx,
            Some(400..=499) => &mut totals.captures_4xx,
            Some(500..=599) => &mut totals.captures_5xx,
            _ => &mut totals.captures_other,
        }) += 1;
    }

    fn first_dialect(&self) -> &'static Dialect {
        self.options.questions.dialects().next().unwrap_or(&Dialect::RFC9309)
    }

    /// The row of a body in this shard: parsed, classified and evaluated when it is met first.
    fn body(&mut self, id: [u8; 16], body: &[u8]) -> Result<Known, OutputError> {
        let key = u128::from_le_bytes(id);
        if let Some(known) = self.bodies.get(&key) {
            return Ok(*known);
        }
        let row = self.bodies.len() as u32;
        let redirects_in_html = self.describe(body_key(self.shard, row), id, body)?;
        let known = Known { row, redirects_in_html };
        self.bodies.insert(key, known);
        Ok(known)
    }

    /// Writes all rows of a body; whether it is a page that redirects.
    fn describe(&mut self, key: i64, id: [u8; 16], bytes: &[u8]) -> Result<bool, OutputError> {
        let document = Document::parse(bytes);
        let dialect = self.first_dialect();
        let robots = document.read(dialect);
        // Findings rest on the standard's reading, which most often is at hand; what HTTP results mean is no matter here.
        let remarks = match *dialect == (Dialect { http: dialect.http, ..Dialect::RFC9309 }) {
            true => Remarks::with(&document, &robots),
            false => Remarks::of(&document),
        };
        let body = NewBody { key, id, document: &document, robots: &robots };
        let Rows { writer, evaluator, surveyor, options, totals, .. } = self;
        totals.distinct_bodies += 1;
        totals.body_bytes += bytes.len() as u64;
        let mut asking = evaluator.begin(&robots);
        let kind = body.write(&remarks, &asking.named_agents(), options, writer)?;
        body.write_sitemaps(writer)?;
        body.write_rules(writer)?;
        body.write_classes(surveyor, &options.panel, writer)?;
        if writer.verdicts.is_some() {
            let mut evaluation = asking.evaluate(&options.questions, &document);
            write_verdicts(key, &mut evaluation, writer, totals)?;
            write_disagreements(key, &mut evaluation, writer, totals)?;
        }
        Ok(kind == body::BodyKind::Html && rep::http::redirects_in_html(bytes))
    }
}

/// A body that the shard has not met before.
struct NewBody<'b, 'a> {
    key: i64,
    id: [u8; 16],
    document: &'b Document<'a>,
    /// How the first dialect reads it.
    robots: &'b Robots<'a>,
}

impl NewBody<'_, '_> {
    /// Writes its row in `bodies`; what it is.
    fn write(
        &self,
        remarks: &Remarks<'_>,
        agents: &[NamedAccess<'_>],
        options: &Options,
        writer: &mut ShardWriter,
    ) -> Result<body::BodyKind, OutputError> {
        let NewBody { document, robots, .. } = self;
        let bytes = document.body();
        let kind = body::kind(bytes, line_facts(document, remarks));
        // Templates are of robots.txt files; a page or picture that was sent in its place is none, and often large.
        let detected = match kind {
            body::BodyKind::Robots | body::BodyKind::CommentsOnly | body::BodyKind::OtherText => {
                options.templates.detect(bytes)
            }
            _ => Detected::default(),
        };
        let agents: Vec<NamedAgentRow<'_>> = agents
            .iter()
            .map(|agent| NamedAgentRow { token: agent.token, line: agent.line as i32, access: agent.access.as_str() })
            .collect();
        let fields: Vec<Vec<u8>> = remarks.extensions.iter().map(|e| e.field.to_ascii_lowercase()).collect();
        let extensions: Vec<ExtensionRow<'_>> = remarks
            .extensions
            .iter()
            .zip(&fields)
            .map(|(extension, field)| ExtensionRow {
                field,
                value: extension.value,
                line: extension.line as i32,
                group: robots.group_at(extension.line).map(|group| group as i32 + 1),
            })
            .collect();
        let findings: Vec<FindingRow> = remarks
            .findings
            .iter()
            .map(|finding| FindingRow {
                code: finding.code.code(),
                count: finding.count as i32,
                line: finding.line as i32,
            })
            .collect();
        writer.bodies.push(&BodyRow {
            body_key: self.key,
            body_id: self.id,
            body_bytes: bytes.len() as i64,
            body_kind: kind.as_str(),
            encoding: body::encoding(bytes).as_str(),
            line_ending: body::line_ending(bytes).as_str(),
            lines: document.line_count() as i32,
            groups: robots.groups.len() as i32,
            allow_rules: robots.counts.allow as i32,
            disallow_rules: robots.counts.disallow as i32,
            wildcard_rules: robots.counts.wildcard as i32,
            anchored_rules: robots.counts.anchored as i32,
            sitemaps: robots.sitemaps.len() as i32,
            agents: &agents,
            extensions: &extensions,
            findings: &findings,
            template: detected.template,
            managed_by: detected.managed_by,
            over_limit: robots.dialect.body_limit.is_some_and(|limit| bytes.len() > limit as usize),
            content: options.keep_bodies.then_some(bytes),
        })?;
        Ok(kind)
    }

    fn write_sitemaps(&self, writer: &mut ShardWriter) -> Result<(), OutputError> {
        for (line, url) in &self.robots.sitemaps {
            let is_absolute = std::str::from_utf8(url).is_ok_and(|url| !Address::parse(url).host.is_empty());
            writer.sitemaps.push(&SitemapRow { body_key: self.key, url, line: *line as i32, is_absolute })?;
        }
        Ok(())
    }

    fn write_rules(&self, writer: &mut ShardWriter) -> Result<(), OutputError> {
        let Some(writer) = &mut writer.rules else { return Ok(()) };
        let NewBody { document, robots, .. } = self;
        for line in document.lines_within(robots.dialect).iter() {
            let Some((field @ (Field::Allow | Field::Disallow), pattern)) = document.entry(line, robots.dialect) else {
                continue;
            };
            let Some(group) = robots.group_at(line.number) else { continue };
            writer.push(&RuleRow {
                body_key: self.key,
                group: group as i32 + 1,
                line: line.number as i32,
                kind: if field == Field::Allow { "allow" } else { "disallow" },
                pattern,
            })?;
        }
        Ok(())
    }

    fn write_classes(
        &self,
        surveyor: &mut Surveyor,
        panel: &Panel,
        writer: &mut ShardWriter,
    ) -> Result<(), OutputError> {
        let Some(writer) = &mut writer.classifiers else { return Ok(()) };
        surveyor.survey(panel, self.document, |judgement| {
            writer.push(&ClassifierRow {
                body_key: self.key,
                name: judgement.classifier.name,
                class: judgement.class.word,
                basis: judgement.basis.map(Basis::as_str),
                agents: judgement.agents,
            })
        })
    }
}

/// Writes the rows of a body in `verdicts` and, where they are wanted, in `verdicts_long`.
fn write_verdicts(
    body_key: i64,
    evaluation: &mut Evaluation<'_, '_>,
    writer: &mut ShardWriter,
    totals: &mut Totals,
) -> Result<(), OutputError> {
    let ShardWriter { verdicts, verdicts_long, .. } = writer;
    let Some(verdicts) = verdicts else { return Ok(()) };
    evaluation.each(|answers| {
        totals.rule_sets += 1;
        let Access { class, allowed, denied } = answers.access;
        let agents = answers.agents.len() as u64;
        totals.verdicts += agents * answers.lines.len() as u64;
        totals.undefined_verdicts += agents * answers.undefined.len() as u64;
        totals.undefined_access += u64::from(class == AccessClass::Undefined);
        totals.undecided_access += u64::from(class == AccessClass::Undecided);
        verdicts.push(&VerdictRow {
            body_key,
            dialect: answers.dialect.name,
            agents: answers.agents,
            basis: answers.set.basis.as_str(),
            token: (answers.set.basis == Basis::Named).then_some(answers.token),
            access: class.as_str(),
            witness_allowed: allowed,
            witness_denied: denied,
            disallowed: answers.disallowed,
            undefined: answers.undefined,
            lines: answers.lines,
        })?;
        let Some(long) = verdicts_long else { return Ok(()) };
        for agent_id in answers.agents {
            for (probe, line) in answers.lines.iter().enumerate() {
                let probe_id = probe as i32;
                let is_in = |list: &[i32]| list.binary_search(&probe_id).is_ok();
                let verdict = match (is_in(answers.disallowed), is_in(answers.undefined)) {
                    (true, _) => rep::Verdict::Disallow,
                    (_, true) => rep::Verdict::Undefined,
                    _ => rep::Verdict::Allow,
                };
                long.push(&VerdictLongRow {
                    body_key,
                    dialect: answers.dialect.name,
                    agent_id: *agent_id,
                    probe_id,
                    verdict: verdict.as_str(),
                    line: *line,
                    basis: answers.set.basis.as_str(),
                })?;
            }
        }
        Ok(())
    })
}

/// Writes the rows of a body in `disagreements`, where they are wanted.
fn write_disagreements(
    body_key: i64,
    evaluation: &mut Evaluation<'_, '_>,
    writer: &mut ShardWriter,
    totals: &mut Totals,
) -> Result<(), OutputError> {
    let Some(disagreements) = &mut writer.disagreements else { return Ok(()) };
    let before = disagreements.rows();
    let left_out = evaluation.each_disagreement(|found| {
        totals.disagreements += (found.agents.len() * found.probes.len()) as u64;
        let [dialect_a, dialect_b] = found.dialects.map(|dialect| dialect.name);
        let verdict = |side: usize| found.verdicts.map(|verdicts| verdicts[side].as_str());
        let [access_a, access_b] = found.access.map(AccessClass::as_str);
        disagreements.push(&DisagreementRow {
            body_key,
            dialect_a,
            dialect_b,
            agents: found.agents,
            probes: found.probes,
            verdict_a: verdict(0),
            verdict_b: verdict(1),
            lines_a: found.lines[0],
            lines_b: found.lines[1],
            access_a,
            access_b,
            path: found.path.map(|(path, _)| path),
            path_line_a: found.path.map(|(_, lines)| lines[0]),
            path_line_b: found.path.map(|(_, lines)| lines[1]),
        })
    })?;
    totals.disagreements_left_out += left_out;
    totals.disagreeing_bodies += u64::from(disagreements.rows() > before);
    Ok(())
}

fn line_facts(document: &Document<'_>, remarks: &Remarks<'_>) -> LineFacts {
    let mut facts = LineFacts { comments: document.counts().comments, ..LineFacts::default() };
    for line in document.lines() {
        match line.field {
            Field::Allow | Field::Disallow => facts.rules += 1,
            Field::UserAgent => facts.agents += 1,
            Field::Sitemap => facts.sitemaps += 1,
            Field::Other | Field::None => facts.other_lines += 1,
        }
    }
    facts.extensions = remarks.extensions.iter().filter(|extension| extension.known).count() as u32;
    facts.other_lines = facts.other_lines.saturating_sub(facts.extensions);
    facts
}

fn signed(number: Option<u64>) -> Option<i64> {
    number.and_then(|number| i64::try_from(number).ok())
}

/// The rows of the table `outcomes`: what each reason means in each dialect.
pub(super) fn outcomes<'q>(
    dialects: impl Iterator<Item = &'static Dialect> + 'q,
) -> impl Iterator<Item = (&'static Dialect, Reason, Outcome)> + 'q {
    dialects.flat_map(|dialect| Reason::ALL.iter().map(move |reason| (dialect, *reason, dialect.http.outcome(*reason))))
}
