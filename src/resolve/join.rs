//! Joins the outputs of `scan --shard i/n` runs into one.

use super::ResolveError;
use crate::output::{
    Manifest, PartFile, ShardCommit, adopt_file, adopt_shard, clean_leftovers, lock, plan_path, prepare, read_commits,
    read_json, remove_orphans, write_json,
};
use crate::pipeline::configuration::{PlanRecord, differences};
use crate::table::{Place, SCHEMA_VERSION, TABLES};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One of the outputs.
struct Job {
    out: PathBuf,
    record: PlanRecord,
    manifest: Manifest,
    commits: BTreeMap<u32, ShardCommit>,
}

/// Makes `dir` what one scan of all shards would have left: the files of all outputs (linked where the file system can, copied
/// where not), their commits, one manifest. Origins come later.
///
/// The outputs have to be of one configuration and, together, all of `--shard 1/n` to `n/n`, none twice. A join that was ended
/// goes on when it is run again.
pub fn join(outs: &[PathBuf], dir: &Path) -> Result<Manifest, ResolveError> {
    let jobs = outs.iter().map(|out| Job::read(out)).collect::<Result<Vec<Job>, ResolveError>>()?;
    let Some(first) = jobs.first() else { return Err(ResolveError::NoJoin("there is nothing to join".to_owned())) };
    for job in &jobs {
        job.check_like(first)?;
    }
    check_complete(&jobs)?;
    prepare(dir)?;
    let _lock = lock(dir)?;
    let whole = PlanRecord { selection: None, ..first.record.clone() };
    if let Some(before) = read_json::<PlanRecord>(&plan_path(dir))? {
        let differences = differences(&before, &whole);
        if !differences.is_empty() {
            return Err(no_join(format!(
                "`{}` holds another run:\n  {}\nuse another folder for -o",
                dir.display(),
                differences.join("\n  ")
            )));
        }
    }
    let mut commits = read_commits(dir)?;
    commits.retain(|_, commit| commit.configuration_hash == whole.configuration_hash);
    if let Some(manifest) = Manifest::read(dir)?
        && manifest.configuration_hash == whole.configuration_hash
        && manifest.is_whole(dir)
        && commits.len() == whole.plan.shards.len()
    {
        return Ok(manifest);
    }
    Manifest::remove(dir)?;
    clean_leftovers(dir, None)?;
    remove_orphans(dir, &commits)?;
    write_json(&plan_path(dir), &whole)?;
    for job in &jobs {
        for (shard, commit) in &job.commits {
            if !commits.contains_key(shard) {
                adopt_shard(dir, &job.out, commit)?;
                commits.insert(*shard, commit.clone());
            }
        }
    }
    let singles = first.singles();
    for file in &singles {
        adopt_file(dir, &first.out, file)?;
    }
    let PlanRecord { configuration, configuration_hash, .. } = whole;
    let manifest = Manifest::new(configuration, configuration_hash, None, &commits, &singles);
    manifest.write(dir)?;
    Ok(manifest)
}

fn no_join(message: String) -> ResolveError {
    ResolveError::NoJoin(message)
}

impl Job {
    fn read(out: &Path) -> Result<Job, ResolveError> {
        let not_finished = |why: &str| ResolveError::NotFinished { out: out.to_owned(), why: why.to_owned() };
        if !out.is_dir() {
            return Err(not_finished("there is no such folder"));
        }
        let Some(record) = read_json::<PlanRecord>(&plan_path(out))? else {
            return Err(not_finished("it has no _shards/plan.json"));
        };
        let again = || match &record.selection {
            Some(selection) => format!("its run with `--shard {selection}` was not finished; run it again"),
            None => "its run was not finished; run it again".to_owned(),
        };
        let Some(manifest) = Manifest::read(out)? else { return Err(not_finished(&again())) };
        if manifest.schema_version != SCHEMA_VERSION {
            return Err(ResolveError::OtherSchema { out: out.to_owned(), found: manifest.schema_version });
        }
        let commits = read_commits(out)?;
        if commits.len() as u64 != manifest.shards {
            return Err(not_finished(&again()));
        }
        Ok(Job { out: out.to_owned(), record, manifest, commits })
    }

    fn check_like(&self, first: &Job) -> Result<(), ResolveError> {
        let (theirs, ours) = (
            PlanRecord { selection: None, ..first.record.clone() },
            PlanRecord { selection: None, ..self.record.clone() },
        );
        let differences = differences(&theirs, &ours);
        if differences.is_empty() && first.manifest.configuration_hash == self.manifest.configuration_hash {
            return Ok(());
        }
        Err(no_join(format!(
            "`{}` is of another configuration than `{}` (there: the latter):\n  {}\nscan it again with the same arguments, \
             or leave it out",
            self.out.display(),
            first.out.display(),
            differences.join("\n  ")
        )))
    }

    /// The tables of one file.
    fn singles(&self) -> Vec<PartFile> {
        let is_single = |name: &str| TABLES.iter().any(|table| table.name == name && table.place == Place::Single);
        let tables = self.manifest.tables.iter().filter(|table| is_single(&table.name));
        tables.flat_map(|table| &table.files).cloned().collect()
    }
}

/// Whether every shard of the plan is in exactly one of the outputs.
fn check_complete(jobs: &[Job]) -> Result<(), ResolveError> {
    let mut of: BTreeMap<u32, &Job> = BTreeMap::new();
    for job in jobs {
        for shard in job.commits.keys() {
            if let Some(other) = of.insert(*shard, job) {
                let (a, b) = (other.out.display(), job.out.display());
                return Err(no_join(format!("`{a}` and `{b}` both hold shard {shard}; leave one of them out")));
            }
        }
    }
    let Some(first) = jobs.first() else { return Ok(()) };
    let missing: Vec<u32> =
        first.record.plan.shards.iter().map(|shard| shard.number).filter(|shard| !of.contains_key(shard)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    // The jobs of an array say of how many they are, and so which of them are missing.
    let parse = |job: &Job| {
        let (index, count) = job.record.selection.as_deref()?.split_once('/')?;
        Some((index.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
    };
    let selections: Option<Vec<(u32, u32)>> = jobs.iter().map(parse).collect();
    let jobs_missing = selections.and_then(|selections| {
        let count = selections.first()?.1;
        let same = selections.iter().all(|(_, of)| *of == count);
        let there = |index: &u32| selections.iter().any(|(there, _)| there == index);
        same.then(|| {
            (1..=count).filter(|index| !there(index)).map(|index| format!("{index}/{count}")).collect::<Vec<_>>()
        })
    });
    Err(no_join(match jobs_missing {
        Some(jobs) if !jobs.is_empty() => format!(
            "the output of --shard {} is missing: run `robocensus scan` with the arguments of the others and `--shard {}`, \
             and name its folder too",
            jobs.join(", "),
            jobs.first().map_or("", String::as_str)
        ),
        _ => {
            let numbers: Vec<String> = missing.iter().take(10).map(u32::to_string).collect();
            let more = if missing.len() > 10 { ", ..." } else { "" };
            format!(
                "shards {}{more} are in none of these outputs ({} of {} are missing); name the outputs of all `--shard` runs",
                numbers.join(", "),
                missing.len(),
                first.record.plan.shards.len()
            )
        }
    }))
}
