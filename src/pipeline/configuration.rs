//! What a run is: everything that decides which bytes it writes, and the record of its plan.
//!
//! Threads, progress and the place of OUT are no part of it. A run may go on with what another began exactly when the two
//! configurations are equal.

use super::plan::Plan;
use crate::ingest::input::Input;
use crate::output::hash_hex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One input as the plan records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedInput {
    /// Name, as in `captures.warc_filename`.
    pub name: String,
    /// Bytes, where known.
    pub size: Option<u64>,
    /// When it was last modified, in nanoseconds since 1970-01-01 UTC, where known.
    pub modified: Option<i64>,
}

impl PlannedInput {
    /// How the plan records an input.
    pub fn of(input: &Input) -> PlannedInput {
        PlannedInput { name: input.name.clone(), size: input.size, modified: input.modified }
    }
}

/// `OUT/_shards/plan.json`: written first, so that a run that was ended can go on as it was planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// The configuration.
    pub configuration: Value,
    /// Its hash.
    pub configuration_hash: String,
    /// Which shards this OUT is to hold: `3/8`, or null for all.
    pub selection: Option<String>,
    /// The inputs, in order.
    pub inputs: Vec<PlannedInput>,
    /// How they are cut.
    pub plan: Plan,
}

/// The configuration with the inputs as counts and one hash, which is what files and the manifest carry.
pub fn describe(mut configuration: Map<String, Value>, inputs: &[PlannedInput]) -> (Value, String) {
    let list = serde_json::to_vec(inputs).unwrap_or_default();
    let bytes: u64 = inputs.iter().filter_map(|input| input.size).sum();
    configuration.insert("inputs".to_owned(), json!({"count": inputs.len(), "bytes": bytes, "hash": hash_hex(&list)}));
    let configuration = Value::Object(configuration);
    let hash = hash_hex(configuration.to_string().as_bytes());
    (configuration, hash)
}

/// What differs between the run that OUT holds and this one, a line each; empty when nothing does.
pub fn differences(theirs: &PlanRecord, ours: &PlanRecord) -> Vec<String> {
    let mut lines = Vec::new();
    let empty = Map::new();
    let (their_values, our_values) =
        (theirs.configuration.as_object().unwrap_or(&empty), ours.configuration.as_object().unwrap_or(&empty));
    let mut names: Vec<&String> = their_values.keys().chain(our_values.keys()).collect();
    names.sort();
    names.dedup();
    for name in names.into_iter().filter(|name| *name != "inputs") {
        let (before, now) = (their_values.get(name), our_values.get(name));
        if before != now {
            let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            lines.push(format!("{name}: {} there, {} now", show(before), show(now)));
        }
    }
    if theirs.selection != ours.selection {
        let show = |selection: &Option<String>| selection.clone().unwrap_or("all".to_owned());
        lines.push(format!("shards: {} there, {} now", show(&theirs.selection), show(&ours.selection)));
    }
    if theirs.inputs != ours.inputs {
        lines.push(input_difference(&theirs.inputs, &ours.inputs));
    } else if theirs.plan != ours.plan && lines.is_empty() {
        let (before, now) = (theirs.plan.shards.len(), ours.plan.shards.len());
        lines.push(format!("plan: cut into {before} shards there, otherwise into {now} now"));
    }
    lines
}

/// The first thing that differs between two lists of inputs.
fn input_difference(theirs: &[PlannedInput], ours: &[PlannedInput]) -> String {
    let pair = theirs.iter().zip(ours).find(|(before, now)| before != now);
    match pair {
        Some((before, now)) if before.name != now.name => {
            format!(
                "inputs: `{}` there, `{}` now ({} inputs there, {} now)",
                before.name,
                now.name,
                theirs.len(),
                ours.len()
            )
        }
        Some((before, now)) if before.size != now.size => {
            let show = |size: Option<u64>| size.map_or("unknown".to_owned(), |size| format!("{size} bytes"));
            format!("input `{}`: {} there, {} now", now.name, show(before.size), show(now.size))
        }
        Some((_, now)) => format!("input `{}`: modified since", now.name),
        None => format!("inputs: {} there, {} now", theirs.len(), ours.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(dialect: &str, inputs: &[(&str, u64, i64)]) -> PlanRecord {
        let inputs: Vec<PlannedInput> = inputs
            .iter()
            .map(|(name, size, modified)| PlannedInput {
                name: (*name).to_owned(),
                size: Some(*size),
                modified: Some(*modified),
            })
            .collect();
        let mut map = Map::new();
        map.insert("dialects".to_owned(), json!([dialect]));
        let (configuration, configuration_hash) = describe(map, &inputs);
        PlanRecord {
            configuration,
            configuration_hash,
            selection: None,
            inputs,
            plan: Plan { shards: Vec::new(), shard_size: 1 },
        }
    }

    #[test]
    fn differences_are_named() {
        let base = record("rfc9309", &[("a", 1, 1), ("b", 2, 1)]);
        assert_eq!(differences(&base, &base), Vec::<String>::new());
        let other = record("google", &[("a", 1, 1), ("b", 2, 1)]);
        assert_ne!(base.configuration_hash, other.configuration_hash);
        assert_eq!(differences(&base, &other), [r#"dialects: ["rfc9309"] there, ["google"] now"#]);
        let grown = record("rfc9309", &[("a", 1, 1), ("b", 3, 1)]);
        assert_eq!(differences(&base, &grown), ["input `b`: 2 bytes there, 3 bytes now"]);
        let touched = record("rfc9309", &[("a", 1, 9), ("b", 2, 1)]);
        assert_eq!(differences(&base, &touched), ["input `a`: modified since"]);
        let fewer = record("rfc9309", &[("a", 1, 1)]);
        assert_eq!(differences(&base, &fewer), ["inputs: 2 there, 1 now"]);
    }
}
