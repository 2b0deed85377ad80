//! A scan from plan to manifest.

use super::configuration::{PlanRecord, PlannedInput, describe, differences};
use super::log::{Level, Log};
use super::plan::{Plan, Selection, Shard};
use super::progress::{Display, Progress, ProgressMode};
use super::worker::{Options, Worker, outcomes};
use crate::evaluate::agents::AgentSet;
use crate::evaluate::probes::ProbeSet;
use crate::ingest::input::Input;
use crate::output::{
    InputFile, Manifest, OutputError, PartFile, ShardCommit, clean_leftovers, lock, plan_path, prepare, read_commits,
    read_json, remove_orphans, remove_output, write_json, write_single,
};
use crate::quantity::counted;
use crate::table::{AgentRow, Agents, OutcomeRow, Outcomes, ProbeRow, Probes};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a scan is told.
#[derive(Debug)]
pub struct Setup {
    /// What to read, in order.
    pub inputs: Vec<Input>,
    /// How it is cut into shards.
    pub plan: Plan,
    /// Which shards to do.
    pub selection: Selection,
    /// Everything else that decides what is written, by name.
    pub configuration: Map<String, Value>,
    /// The crawlers.
    pub agents: AgentSet,
    /// The probes.
    pub probes: ProbeSet,
    /// What shards share; its metadata is completed here.
    pub options: Options,
    /// Worker threads; `None` takes all cores.
    pub threads: Option<usize>,
    /// Whether another run's output in OUT is replaced.
    pub overwrite: bool,
    /// How progress is told.
    pub progress: ProgressMode,
    /// Where messages go.
    pub log: Log,
}

/// A finished scan.
#[derive(Debug)]
pub struct Finished {
    /// The manifest that was written.
    pub manifest: Manifest,
    /// Shards that an earlier run had done.
    pub resumed: usize,
    /// Whether OUT was finished before.
    pub was_complete: bool,
}

impl Finished {
    /// The inputs that could not be read to their end.
    pub fn incomplete(&self) -> Vec<&InputFile> {
        self.manifest.inputs.iter().filter(|input| !input.complete).collect()
    }
}

/// Why a scan was not done.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// Writing failed.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// OUT holds another run.
    #[error(
        "`{}` holds another run:\n  {}\nuse another output folder, the same arguments as then, or --overwrite",
        out.display(), differences.join("\n  ")
    )]
    OtherRun {
        /// The output folder.
        out: PathBuf,
        /// What differs, a line each.
        differences: Vec<String>,
    },
    /// OUT holds a run on an input that cannot be recognised again.
    #[error(
        "`{}` holds what an earlier run made of `{input}`, and whether that is the same now nobody can tell; \
         use another output folder or --overwrite",
        out.display()
    )]
    Unknown {
        /// The output folder.
        out: PathBuf,
        /// The input.
        input: String,
    },
    /// The pool of threads could not be made.
    #[error("cannot start {0} threads: {1}")]
    Threads(usize, String),
    /// A shard panicked: a defect of this program.
    #[error("internal error in shard {shard} (reading {files}): {what}; please report it, other shards are kept")]
    Internal {
        /// Its number.
        shard: u32,
        /// What it was reading.
        files: String,
        /// The panic's message.
        what: String,
    },
}

/// Runs a scan, or goes on with one that was ended, until OUT is finished.
pub fn run(mut setup: Setup) -> Result<Finished, ScanError> {
    let out = setup.options.out.clone();
    let record = record(&setup);
    setup.options.metadata.configuration_hash.clone_from(&record.configuration_hash);

    if let Some(manifest) = finished_before(&out, &record, &setup)? {
        return Ok(Finished { manifest, resumed: 0, was_complete: true });
    }
    prepare(&out)?;
    let _lock = lock(&out)?;
    let mut commits = begin(&out, &record, &setup)?;
    let resumed = commits.len();
    let pending: Vec<&Shard> = setup
        .plan
        .shards
        .iter()
        .filter(|shard| setup.selection.takes(shard.number))
        .filter(|shard| !commits.contains_key(&shard.number))
        .collect();
    if resumed > 0 {
        let done = counted(resumed as u64, "shard");
        let message = format!("going on with `{}`: {done} done, {} to do", out.display(), pending.len());
        setup.log.say(Level::Info, "resume", &message, json!({"done": resumed, "pending": pending.len()}));
    }
    for commit in do_shards(&pending, &setup)? {
        commits.insert(commit.shard, commit);
    }
    let manifest = finish(&out, record, &commits, &setup)?;
    Ok(Finished { manifest, resumed, was_complete: false })
}

fn record(setup: &Setup) -> PlanRecord {
    let inputs: Vec<PlannedInput> = setup.inputs.iter().map(PlannedInput::of).collect();
    let (configuration, configuration_hash) = describe(setup.configuration.clone(), &inputs);
    PlanRecord {
        configuration,
        configuration_hash,
        selection: (setup.selection != Selection::ALL).then(|| setup.selection.to_string()),
        inputs,
        plan: setup.plan.clone(),
    }
}

/// The manifest of OUT if it is finished, is of this run, and nothing of it is missing.
///
/// Inputs that could not be read to their end get another chance: what kept them from it may have gone.
fn finished_before(out: &Path, record: &PlanRecord, setup: &Setup) -> Result<Option<Manifest>, ScanError> {
    if setup.overwrite {
        return Ok(None);
    }
    let (Ok(Some(manifest)), Ok(Some(before))) = (Manifest::read(out), read_json::<PlanRecord>(&plan_path(out))) else {
        return Ok(None);
    };
    refuse_another(out, &before, record)?;
    refuse_unknown(out, setup)?;
    let is_finished = manifest.is_whole(out) && manifest.inputs.iter().all(|input| input.complete);
    Ok(is_finished.then_some(manifest))
}

fn refuse_another(out: &Path, before: &PlanRecord, record: &PlanRecord) -> Result<(), ScanError> {
    match differences(before, record) {
        differences if differences.is_empty() => Ok(()),
        differences => Err(ScanError::OtherRun { out: out.to_owned(), differences }),
    }
}

/// Of standard input nobody can say whether it is the same as before.
fn refuse_unknown(out: &Path, setup: &Setup) -> Result<(), ScanError> {
    match setup.inputs.iter().find(|input| input.size.is_none()) {
        Some(input) => Err(ScanError::Unknown { out: out.to_owned(), input: input.name.clone() }),
        None => Ok(()),
    }
}

/// Looks at what OUT holds (nothing, this run, or another one) and makes it ready; gives the shards that are done.
fn begin(out: &Path, record: &PlanRecord, setup: &Setup) -> Result<BTreeMap<u32, ShardCommit>, ScanError> {
    if setup.overwrite {
        remove_output(out)?;
    }
    let before: Option<PlanRecord> = match read_json(&plan_path(out)) {
        Ok(before) => before,
        // Without a plan that can be read nobody knows what the shards are of.
        Err(OutputError::Damaged { .. }) => None,
        Err(other) => return Err(other.into()),
    };
    let mut commits = read_commits(out)?;
    match &before {
        Some(before) => refuse_another(out, before, record)?,
        None if out_has_manifest(out) || !commits.is_empty() => {
            let differences = vec!["its plan (_shards/plan.json) is missing or damaged".to_owned()];
            return Err(ScanError::OtherRun { out: out.to_owned(), differences });
        }
        None => {}
    }
    if !commits.is_empty() {
        refuse_unknown(out, setup)?;
    }
    commits.retain(|_, commit| commit.configuration_hash == record.configuration_hash);
    // What could not be read to its end is tried again.
    commits.retain(|_, commit| commit.inputs.iter().all(|input| input.complete));
    Manifest::remove(out)?;
    clean_leftovers(out, None)?;
    remove_orphans(out, &commits)?;
    write_json(&plan_path(out), record)?;
    Ok(commits)
}

fn out_has_manifest(out: &Path) -> bool {
    !matches!(Manifest::read(out), Ok(None))
}

/// Does the shards, one rayon task each. The first failure ends the others at their next capture; shards that are done stay done.
fn do_shards(pending: &[&Shard], setup: &Setup) -> Result<Vec<ShardCommit>, ScanError> {
    let parts = || pending.iter().flat_map(|shard| &shard.parts);
    let bytes = parts().filter_map(|part| part.bytes(&setup.inputs)).sum();
    let files = parts().filter(|part| part.end.is_none()).count() as u64;
    let progress = Arc::new(Progress::new(bytes, files));
    let threads = setup.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    // A thread without a shard would only be started and ended.
    let threads = threads.min(pending.len()).max(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("worker-{number}"))
        .build()
        .map_err(|source| ScanError::Threads(threads, source.to_string()))?;
    let _display = Display::start(&progress, setup.progress, setup.log);
    let stop = AtomicBool::new(false);
    // A worker is taken for a shard and given back, so there are never more than threads.
    let idle: Mutex<Vec<Worker>> = Mutex::new(Vec::new());
    let take = || idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let give = |worker| idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    let done: Result<Vec<Option<ShardCommit>>, ScanError> = pool.install(|| {
        pending
            .par_iter()
            .with_max_len(1)
            .map(|shard| {
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                let mut worker = take().unwrap_or_else(|| Worker::new(&setup.options));
                let run = || worker.run(shard, &setup.inputs, &setup.options, &progress, &stop);
                let result = match catch_unwind(AssertUnwindSafe(run)) {
                    Ok(result) => {
                        give(worker);
                        result.map_err(ScanError::from)
                    }
                    Err(panic) => Err(internal(shard, &setup.inputs, &*panic)),
                };
                if result.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                result
            })
            .collect()
    });
    Ok(done?.into_iter().flatten().collect())
}

fn internal(shard: &Shard, inputs: &[Input], panic: &(dyn Any + Send)) -> ScanError {
    let what = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown".to_owned());
    let names: Vec<&str> =
        shard.parts.iter().take(3).filter_map(|part| Some(inputs.get(part.input)?.name.as_str())).collect();
    ScanError::Internal { shard: shard.number, files: names.join(", "), what }
}

/// Writes the tables of one file and, last, the manifest.
fn finish(
    out: &Path,
    record: PlanRecord,
    commits: &BTreeMap<u32, ShardCommit>,
    setup: &Setup,
) -> Result<Manifest, ScanError> {
    let metadata = &setup.options.metadata;
    let agents = setup.agents.agents.iter().enumerate().map(|(id, entry)| AgentRow {
        agent_id: id as i16,
        token: &entry.agent.token,
        fallbacks: &entry.agent.fallbacks,
        follows_star: entry.agent.follows_star,
        operator: entry.operator.as_deref(),
        purpose: entry.purpose.as_deref(),
        note: entry.note.as_deref(),
    });
    let probes = setup.probes.probes.iter().enumerate().map(|(id, probe)| ProbeRow {
        probe_id: id as i32,
        probe: &probe.text,
        origin: probe.origin.as_deref(),
        path: &probe.path,
    });
    let outcomes = outcomes(setup.options.questions.dialects()).map(|(dialect, reason, outcome)| OutcomeRow {
        dialect: dialect.name,
        reason: reason.as_str(),
        outcome: outcome.as_str(),
    });
    let singles: [PartFile; 3] = [
        write_single::<Agents>(out, agents, metadata)?,
        write_single::<Probes>(out, probes, metadata)?,
        write_single::<Outcomes>(out, outcomes, metadata)?,
    ];
    let PlanRecord { configuration, configuration_hash, selection, .. } = record;
    let manifest = Manifest::new(configuration, configuration_hash, selection, commits, &singles);
    manifest.write(out)?;
    Ok(manifest)
}
