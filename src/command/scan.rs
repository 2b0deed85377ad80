//! `robocensus scan`: a snapshot in, tables out.

use super::resolve::origins;
use super::{Exit, UsageError, dialects};
use crate::classify::study::Panel;
use crate::classify::template::Templates;
use crate::cli::{LogFormat, ScanArgs, VerdictLayout};
use crate::evaluate::Questions;
use crate::evaluate::agents::AgentSet;
use crate::evaluate::probes::ProbeSet;
use crate::ingest::input::{self, Format, Inputs};
use crate::ingest::parquet::{check_named, inspect};
use crate::ingest::{Limits, Origin};
use crate::output::{Metadata, NamedSet, ShardTables};
use crate::pipeline::log::{Level, Log, escape_controls};
use crate::pipeline::plan::{Cut, Plan, Selection};
use crate::pipeline::sample::Sample;
use crate::pipeline::{Finished, Options, Setup, run as run_scan};
use crate::quantity::{counted, grouped, size};
use crate::resolve;
use anyhow::Result;
use rep::http::HttpChanges;
use rep::{Agent, Dialect};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::time::Instant;

/// More threads than any machine has a use for; starting them would take longer than the scan.
pub(super) const MOST_THREADS: usize = 1_024;

/// Runs the command; the summary goes to `out`.
pub fn run(args: &ScanArgs, out: &mut dyn Write) -> Result<Exit> {
    let since = Instant::now();
    let log = Log::new(args.log == LogFormat::Json);
    let (setup, passed_over) = setup(args, log)?;
    if !passed_over.is_empty() {
        log.say(Level::Info, "passed-over", &passed_over, json!({}));
    }
    if args.dry_run {
        dry_run(args, &setup, out)?;
        return Ok(Exit::Done);
    }
    refuse_own_input(&setup)?;
    if setup.plan.shards.iter().all(|shard| !setup.selection.takes(shard.number)) {
        let message = format!("--shard {} has no shard to do: there are {}", setup.selection, setup.plan.shards.len());
        log.say(Level::Warning, "empty-selection", &message, json!({}));
    }
    let is_whole = setup.selection == Selection::ALL;
    let mut finished = run_scan(setup)?;
    if is_whole && !args.no_resolve && finished.manifest.resolution.is_none() {
        let options = resolve::Options {
            max_hops: rep::http::MAX_HOPS as u8,
            memory: None,
            threads: args.threads,
            progress: args.progress,
            log,
        };
        finished.manifest = resolve::resolve(&args.out, &options)?.manifest;
    }
    let exit = tell_end(args, &finished, log);
    match summary(args, &finished, since, out).and_then(|()| Ok(out.flush()?)) {
        // The tables are what counts: a summary that nobody reads changes nothing about them.
        Err(error) if !crate::command::is_broken_pipe(&error) => {
            log.say(Level::Warning, "summary", &format!("the summary could not be written: {error}"), json!({}));
        }
        _ => {}
    }
    Ok(exit)
}

/// Reading from the folder that is written to would end in reading one's own output, or with `--overwrite` in removing the input.
fn refuse_own_input(setup: &Setup) -> Result<(), UsageError> {
    let Ok(out) = setup.options.out.canonicalize() else { return Ok(()) };
    let inside = setup.inputs.iter().find(|input| match &input.origin {
        Origin::File(path) => path.canonicalize().is_ok_and(|path| path.starts_with(&out)),
        Origin::Stdin => false,
    });
    match inside {
        Some(input) => {
            let out = setup.options.out.display();
            let name = &input.name;
            Err(UsageError(format!(
                "the input `{name}` lies in the output folder `{out}`; choose another output folder"
            )))
        }
        None => Ok(()),
    }
}

/// Says which inputs could not be read to their end, and decides the exit code.
fn tell_end(args: &ScanArgs, finished: &Finished, log: Log) -> Exit {
    const MOST: usize = 10;
    let incomplete = finished.incomplete();
    for input in incomplete.iter().take(MOST) {
        let why = input.problem.as_deref().unwrap_or("unknown why");
        let message = format!("`{}` could not be read to its end: {why}", input.name);
        log.say(Level::Warning, "incomplete", &message, json!({"input": input.name}));
    }
    if incomplete.len() > MOST {
        let message = format!("{} more could not be read to their end", incomplete.len() - MOST);
        log.say(Level::Warning, "incomplete", &message, json!({}));
    }
    let exit = if incomplete.len() as u64 > args.max_errors { Exit::DoneWithErrors } else { Exit::Done };
    if exit == Exit::DoneWithErrors {
        let message = format!(
            "{} could not be read to the end (--max-errors allows {}); see the table problems, mend and run the same again",
            counted(incomplete.len() as u64, "input"),
            args.max_errors
        );
        log.say(Level::Error, "too-many-errors", &message, json!({}));
    }
    if log.is_json() {
        let counts = &finished.manifest.counts;
        let fields = json!({
            "totals": counts.totals,
            "problems": counts.problems,
            "incomplete_inputs": incomplete.len(),
            "exit": exit.code(),
        });
        log.say(Level::Info, "done", "done", fields);
    }
    exit
}

/// From what was typed to what is done; the text says what was passed over on the way.
fn setup(args: &ScanArgs, log: Log) -> Result<(Setup, String)> {
    let changes = args.http.changes();
    let dialects: Vec<_> = dialects(&args.dialect)?.into_iter().map(|dialect| changed(dialect, &changes)).collect();
    let sample = match &args.sample {
        Some(text) => text.parse::<Sample>().map_err(|e| UsageError(format!("--sample: {e}")))?,
        None => Sample::ALL,
    };
    let selection = match &args.shard {
        Some(text) => text.parse::<Selection>().map_err(|e| UsageError(format!("--shard: {e}")))?,
        None => Selection::ALL,
    };
    if args.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads)) {
        return Err(UsageError(format!("--threads goes from 1 to {MOST_THREADS}")).into());
    }
    let agents = match &args.agents {
        Some(path) => AgentSet::read(path).map_err(|e| UsageError(format!("--agents: {e}")))?,
        None => AgentSet::shipped(),
    };
    let probes = match &args.probes {
        Some(path) => ProbeSet::read(path).map_err(|e| UsageError(format!("--probes: {e}")))?,
        None => ProbeSet::shipped(),
    };
    for warning in agents.warnings.iter().chain(&probes.warnings) {
        log.say(Level::Warning, "questions", warning, json!({}));
    }
    let Inputs { inputs, passed_over } = input::resolve(&args.inputs, args.root.as_deref())
        .map_err(|e| if e.is_usage() { anyhow::Error::new(UsageError(e.to_string())) } else { e.into() })?;
    check_named(&inputs, &args.columns.choice()).map_err(UsageError)?;
    let cut = Cut { shard_size: args.shard_size, assume_size: args.assume_size };
    let plan = Plan::new(&inputs, cut).map_err(|e| UsageError(e.to_string()))?;
    let layout = if args.no_verdicts { VerdictLayout::None } else { args.verdicts };
    let configuration = configuration(args, layout, &dialects, &agents, &probes, sample, &plan);
    let crawlers: Vec<Agent> = agents.agents.iter().map(|entry| entry.agent.clone()).collect();
    let paths: Vec<&str> = probes.probes.iter().map(|probe| probe.path.as_str()).collect();
    let options = Options {
        out: args.out.clone(),
        questions: Questions::new(&crawlers, &paths, &dialects),
        templates: Templates::shipped(),
        tables: ShardTables {
            verdicts: layout != VerdictLayout::None,
            verdicts_long: layout == VerdictLayout::Long,
            disagreements: layout != VerdictLayout::None && dialects.len() > 1,
            rules: args.rules,
            classifiers: args.classifiers,
        },
        panel: Panel::new(if args.classifiers { &crawlers } else { &[] }),
        keep_bodies: args.keep_bodies,
        sample,
        limits: Limits { body_cap: usize::try_from(args.body_cap).unwrap_or(usize::MAX), ..Limits::default() },
        columns: args.columns.choice(),
        metadata: Metadata {
            dialects: dialects.iter().map(|dialect| dialect.name.to_owned()).collect(),
            http: Metadata::http_words(&json!(args.http)),
            agents: NamedSet { name: agents.name.clone(), hash: hex(agents.hash) },
            probes: NamedSet { name: probes.name.clone(), hash: hex(probes.hash) },
            configuration_hash: String::new(),
        },
    };
    let setup = Setup {
        inputs,
        plan,
        selection,
        configuration,
        agents,
        probes,
        options,
        threads: args.threads,
        overwrite: args.overwrite,
        progress: args.progress,
        log,
    };
    Ok((setup, passed_over.to_string()))
}

/// A dialect with its HTTP rules changed. It lives as long as the program, as the shipped ones do; a run makes at most one of each.
fn changed(dialect: &'static Dialect, changes: &HttpChanges) -> &'static Dialect {
    if *changes == HttpChanges::default() {
        return dialect;
    }
    Box::leak(Box::new(Dialect { http: dialect.http.with(changes), ..*dialect }))
}

/// All that decides what is written but the inputs, which the pipeline adds.
fn configuration(
    args: &ScanArgs,
    layout: VerdictLayout,
    dialects: &[&'static Dialect],
    agents: &AgentSet,
    probes: &ProbeSet,
    sample: Sample,
    plan: &Plan,
) -> Map<String, Value> {
    let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name).collect();
    let layout = match layout {
        VerdictLayout::Compact => "compact",
        VerdictLayout::Long => "long",
        VerdictLayout::None => "none",
    };
    let entries = [
        ("tool_version", json!(env!("CARGO_PKG_VERSION"))),
        ("dialects", json!(names)),
        ("http", json!(args.http)),
        ("agents", json!({"name": agents.name, "count": agents.agents.len(), "hash": hex(agents.hash)})),
        ("probes", json!({"name": probes.name, "count": probes.probes.len(), "hash": hex(probes.hash)})),
        ("verdicts", json!(layout)),
        ("keep_bodies", json!(args.keep_bodies)),
        ("rules", json!(args.rules)),
        ("classifiers", json!(args.classifiers)),
        ("sample", json!(sample.to_string())),
        ("body_cap", json!(args.body_cap)),
        ("shard_size", json!(plan.shard_size)),
        ("shards", json!(plan.shards.len())),
        ("columns", json!(args.columns)),
    ];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A hash as the output writes it.
fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

/// Says what would be read, as what, and how it would be cut.
fn dry_run(args: &ScanArgs, setup: &Setup, out: &mut dyn Write) -> Result<()> {
    let bytes: u64 = setup.inputs.iter().filter_map(|input| input.size).sum();
    let unknown = setup.inputs.iter().filter(|input| input.size.is_none()).count();
    writeln!(out, "{}, {}", counted(setup.inputs.len() as u64, "input"), size(bytes))?;
    if unknown > 0 {
        writeln!(out, "{unknown} of unknown size, planned as {} each", size(args.assume_size))?;
    }
    for input in setup.inputs.iter().take(5) {
        let bytes = input.size.map_or("unknown size".to_owned(), size);
        writeln!(out, "  {}  {bytes}", escape_controls(&input.name))?;
    }
    if setup.inputs.len() > 5 {
        writeln!(out, "  ... and {} more", setup.inputs.len() - 5)?;
    }
    let selected = setup.plan.shards.iter().filter(|shard| setup.selection.takes(shard.number)).count();
    writeln!(
        out,
        "{} of about {}, {selected} for this run",
        counted(setup.plan.shards.len() as u64, "shard"),
        size(setup.plan.shard_size)
    )?;
    writeln!(
        out,
        "{} ({}) x {} ({}) in {}",
        counted(setup.agents.agents.len() as u64, "agent"),
        setup.agents.name,
        counted(setup.probes.probes.len() as u64, "probe"),
        setup.probes.name,
        setup.options.metadata.dialects.join(", ")
    )?;
    for input in setup.inputs.iter().filter(|input| input.format == Format::Parquet && input.size.is_some()).take(5) {
        let Origin::File(path) = &input.origin else { continue };
        writeln!(out, "columns of {}:", escape_controls(&input.name))?;
        match inspect(path, &setup.options.columns) {
            Ok(found) => {
                for line in found.mapping.to_string().lines() {
                    writeln!(out, "  {}", escape_controls(line))?;
                }
                writeln!(out, "  {} in {}", counted(found.rows, "row"), counted(found.row_groups as u64, "row group"))?;
            }
            Err(error) => writeln!(out, "  {}", escape_controls(&error.to_string()))?,
        }
    }
    Ok(())
}

/// What was done, for people.
fn summary(args: &ScanArgs, finished: &Finished, since: Instant, out: &mut dyn Write) -> Result<()> {
    let manifest = &finished.manifest;
    let total = |name: &str| manifest.counts.totals.get(name).copied().unwrap_or(0);
    let bytes: u64 = manifest.inputs.iter().filter_map(|input| input.size).sum();
    let place = args.out.display();
    if finished.was_complete {
        writeln!(out, "`{place}` was finished before with the same configuration; nothing to do")?;
    }
    writeln!(
        out,
        "{} from {} ({}) in {}",
        counted(total("captures"), "capture"),
        counted(manifest.inputs.len() as u64, "input"),
        size(bytes),
        seconds(since)
    )?;
    let mut row = |name: &str, text: String| writeln!(out, "  {name:<10} {text}");
    let statuses = [
        ("2xx", "captures_2xx"),
        ("3xx", "captures_3xx"),
        ("4xx", "captures_4xx"),
        ("5xx", "captures_5xx"),
        ("other", "captures_other"),
    ];
    let statuses: Vec<String> = statuses
        .iter()
        .filter(|(_, name)| total(name) > 0)
        .map(|(word, name)| format!("{word} {}", grouped(total(name))))
        .collect();
    row("status", statuses.join(", "))?;
    row(
        "bodies",
        format!("{} (distinct in their shards), {}", grouped(total("distinct_bodies")), size(total("body_bytes"))),
    )?;
    if total("verdicts") > 0 {
        row("verdicts", format!("{} in {}", grouped(total("verdicts")), counted(total("rule_sets"), "rule set")))?;
    }
    if total("undefined_verdicts") + total("undefined_access") > 0 {
        let verdicts = counted(total("undefined_verdicts"), "verdict");
        row("undefined", format!("{verdicts}, access of {}", counted(total("undefined_access"), "rule set")))?;
    }
    if total("undecided_access") > 0 {
        let sets = counted(total("undecided_access"), "rule set");
        row("undecided", format!("access of {sets}: too much work"))?;
    }
    if total("disagreements") > 0 {
        let bodies = match total("disagreeing_bodies") {
            1 => "1 body".to_owned(),
            more => format!("{} bodies", grouped(more)),
        };
        row("disagree", format!("{} on {bodies}", counted(total("disagreements"), "verdict pair")))?;
    }
    if total("disagreements_left_out") > 0 {
        let rows = counted(total("disagreements_left_out"), "row");
        row("left out", format!("{rows} of disagreements, beyond the most for one body"))?;
    }
    if total("left_out_by_sample") > 0 {
        row("sample", format!("{} left out", counted(total("left_out_by_sample"), "capture")))?;
    }
    if total("captures_repaired") > 0 {
        row("repaired", format!("{} mended (column repaired)", counted(total("captures_repaired"), "capture")))?;
    }
    let problems: Vec<String> =
        manifest.counts.problems.iter().map(|(code, count)| format!("{code} {}", grouped(*count))).collect();
    row("problems", if problems.is_empty() { "none".to_owned() } else { problems.join(", ") })?;
    let tables: u64 = manifest.tables.iter().map(|table| table.bytes).sum();
    row("tables", format!("{} in `{place}` ({})", size(tables), counted(manifest.shards, "shard")))?;
    if let Some(resolution) = &manifest.resolution {
        origins(resolution, out)?;
    }
    Ok(())
}

fn seconds(since: Instant) -> String {
    let seconds = since.elapsed().as_secs_f64();
    if seconds < 100.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", seconds as u64 / 60, seconds as u64 % 60)
    }
}
