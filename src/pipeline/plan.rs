//! From inputs to shards: the units of work, cut by size and order alone.
//!
//! A shard is consecutive whole files that together stay within the target size, or one window of a file that is larger
//! than the target and can be entered in its middle. The target is `--shard-size`, else a 256th of all input and between
//! 32 and 256 MiB. Nothing here depends on the number of threads or on what the files hold, so that the plan of the same
//! inputs is the same everywhere; it is recorded with the output and reused when a scan is resumed.

use crate::ingest::input::{Format, Input};
use crate::ingest::{Origin, Part};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// The shards that a scan aims at when no size is given.
const SHARDS_AIMED_AT: u64 = 256;
/// The smallest target when no size is given.
const SMALLEST_TARGET: u64 = 32 << 20;
/// The largest target when no size is given.
const LARGEST_TARGET: u64 = 256 << 20;
/// More shards than anybody wants: each has files of its own in the output.
const MOST_SHARDS: u64 = 1_000_000;

/// How to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of input that a shard should have; `None` for the usual.
    pub shard_size: Option<u64>,
    /// What an input of unknown size counts as, in bytes.
    pub assume_size: u64,
}

/// The shards of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The shards by number.
    pub shards: Vec<Shard>,
    /// Bytes of input that a shard should have.
    pub shard_size: u64,
}

/// One unit of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number, from 0 over the whole scan: that of its files.
    pub number: u32,
    /// What it reads, in order.
    pub parts: Vec<ShardPart>,
}

/// What a shard reads of one input; written as `[input, start, end]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(usize, u64, Option<u64>)", into = "(usize, u64, Option<u64>)")]
pub struct ShardPart {
    /// Place of the input in the list.
    pub input: usize,
    /// First byte.
    pub start: u64,
    /// The byte after the last; `None` for the end of the file.
    pub end: Option<u64>,
}

impl From<(usize, u64, Option<u64>)> for ShardPart {
    fn from((input, start, end): (usize, u64, Option<u64>)) -> ShardPart {
        ShardPart { input, start, end }
    }
}

impl From<ShardPart> for (usize, u64, Option<u64>) {
    fn from(part: ShardPart) -> (usize, u64, Option<u64>) {
        (part.input, part.start, part.end)
    }
}

impl ShardPart {
    /// The part as a reader takes it; `None` when the plan is not one of these inputs.
    pub fn of(&self, inputs: &[Input]) -> Option<Part> {
        Some(Part { origin: inputs.get(self.input)?.origin.clone(), start: self.start, end: self.end })
    }

    /// Its bytes, where the size of the input is known.
    pub fn bytes(&self, inputs: &[Input]) -> Option<u64> {
        let end = match self.end {
            Some(end) => end,
            None => inputs.get(self.input)?.size?,
        };
        Some(end.saturating_sub(self.start))
    }
}

/// Why no plan was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The shard size is too small for this much input.
    #[error("shards of {shard_size} bytes would be more than {MOST_SHARDS}; give a larger --shard-size")]
    TooManyShards {
        /// The size asked for.
        shard_size: u64,
    },
}

impl Plan {
    /// Cuts the inputs into shards.
    pub fn new(inputs: &[Input], cut: Cut) -> Result<Plan, PlanError> {
        let size_of = |input: &Input| input.size.unwrap_or(cut.assume_size);
        let total = inputs.iter().map(size_of).fold(0, u64::saturating_add);
        let usual = (total / SHARDS_AIMED_AT).clamp(SMALLEST_TARGET, LARGEST_TARGET);
        let target = cut.shard_size.unwrap_or(usual).max(1);
        let mut shards = Shards { shards: Vec::new(), parts: Vec::new(), size: 0 };
        for (number, input) in inputs.iter().enumerate() {
            let size = size_of(input);
            if size > target && can_be_entered(input) {
                shards.close();
                for (start, end) in windows(size, target) {
                    shards.parts.push(ShardPart { input: number, start, end });
                    shards.close();
                    shards.check(target)?;
                }
            } else {
                if shards.size.saturating_add(size) > target {
                    shards.close();
                }
                shards.parts.push(ShardPart { input: number, start: 0, end: None });
                shards.size = shards.size.saturating_add(size);
                shards.check(target)?;
            }
        }
        shards.close();
        Ok(Plan { shards: shards.shards, shard_size: target })
    }
}

struct Shards {
    shards: Vec<Shard>,
    parts: Vec<ShardPart>,
    size: u64,
}

impl Shards {
    fn close(&mut self) {
        if !self.parts.is_empty() {
            let number = self.shards.len() as u32;
            self.shards.push(Shard { number, parts: std::mem::take(&mut self.parts) });
        }
        self.size = 0;
    }

    fn check(&self, shard_size: u64) -> Result<(), PlanError> {
        if self.shards.len() as u64 >= MOST_SHARDS { Err(PlanError::TooManyShards { shard_size }) } else { Ok(()) }
    }
}

/// Whether reading can begin in the middle of a file: at a gzip member or a row group.
fn can_be_entered(input: &Input) -> bool {
    let is_file = match input.origin {
        Origin::File(_) => input.size.is_some(),
        Origin::Stdin => false,
    };
    is_file
        && match input.format {
            Format::Parquet => true,
            Format::Warc => input.name.to_ascii_lowercase().ends_with(".gz"),
        }
}

/// Windows of the target size over a file; the last has no end, and it is at least half as large as the others.
fn windows(size: u64, target: u64) -> impl Iterator<Item = (u64, Option<u64>)> {
    let (whole, tail) = (size / target, size % target);
    let count = if tail > 0 && tail >= target.div_ceil(2) { whole + 1 } else { whole };
    (0..count).map(move |window| (window * target, (window + 1 < count).then_some((window + 1) * target)))
}

/// Which shards to do: every n-th, from the i-th on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    index: u32,
    of: NonZeroU32,
}

impl Selection {
    /// Every shard.
    pub const ALL: Selection = Selection { index: 1, of: NonZeroU32::MIN };

    /// Whether the shard of this number is among them.
    pub fn takes(self, shard: u32) -> bool {
        shard % self.of == self.index - 1
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Selection, SelectionError> {
        parse_shard_selection(text)
    }
}

/// Why a text selects no shards.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// Not of the form.
    #[error("`{0}` selects no shards; write I/N, such as 3/8 for the third of eight jobs")]
    Form(String),
    /// I is not between 1 and N.
    #[error("`{text}` selects no shards: the first number goes from 1 to {of}")]
    Range {
        /// What was written.
        text: String,
        /// N.
        of: u32,
    },
}

/// Reads `I/N`, I from 1 to N: the shards whose number leaves I - 1 when divided by N.
pub fn parse_shard_selection(text: &str) -> Result<Selection, SelectionError> {
    let number = |digits: &str| -> Option<u32> {
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let parts = text.trim().split_once('/').and_then(|(index, of)| Some((number(index)?, number(of)?)));
    let Some((index, of)) = parts else { return Err(SelectionError::Form(text.to_owned())) };
    match NonZeroU32::new(of) {
        Some(count) if (1..=of).contains(&index) => Ok(Selection { index, of: count }),
        Some(_) => Err(SelectionError::Range { text: text.to_owned(), of }),
        None => Err(SelectionError::Form(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn input(name: &str, size: Option<u64>) -> Input {
        let format = if name.ends_with(".parquet") { Format::Parquet } else { Format::Warc };
        Input { name: name.to_owned(), origin: Origin::File(name.into()), size, modified: size.map(|_| 0), format }
    }

    fn plan(inputs: &[Input], shard_size: Option<u64>) -> Plan {
        Plan::new(inputs, Cut { shard_size, assume_size: 2 * MIB }).unwrap()
    }

    fn parts(plan: &Plan) -> Vec<Vec<(usize, u64, Option<u64>)>> {
        plan.shards.iter().map(|shard| shard.parts.iter().map(|part| (*part).into()).collect()).collect()
    }

    #[test]
    fn whole_files_fill_shards_in_order() {
        let sizes = [3, 3, 3, 9, 1, 1, 20, 1];
        let inputs: Vec<Input> = sizes.iter().map(|size| input("x.warc.zst", Some(*size))).collect();
        let whole = |numbers: &[usize]| numbers.iter().map(|n| (*n, 0, None)).collect::<Vec<_>>();
        let expected = [whole(&[0, 1, 2]), whole(&[3]), whole(&[4, 5]), whole(&[6]), whole(&[7])];
        assert_eq!(parts(&plan(&inputs, Some(9))), expected);
    }

    #[test]
    fn large_files_are_cut_where_they_can_be_entered() {
        for (name, size, expected) in [
            ("x.warc.gz", 10, vec![(0, None)]),
            ("x.warc.gz", 11, vec![(0, None)]),
            ("x.warc.gz", 14, vec![(0, None)]),
            ("x.warc.gz", 15, vec![(0, Some(10)), (10, None)]),
            ("x.warc.gz", 24, vec![(0, Some(10)), (10, None)]),
            ("x.parquet", 35, vec![(0, Some(10)), (10, Some(20)), (20, Some(30)), (30, None)]),
            ("x.warc.zst", 35, vec![(0, None)]),
            ("x.warc", 35, vec![(0, None)]),
        ] {
            let plan = plan(&[input(name, Some(size))], Some(10));
            let found: Vec<_> = plan.shards.iter().map(|shard| (shard.parts[0].start, shard.parts[0].end)).collect();
            assert_eq!(found, expected, "{name} {size}");
            assert!(plan.shards.iter().all(|shard| shard.parts.len() == 1));
        }
    }

    #[test]
    fn the_usual_target_is_a_256th_within_bounds() {
        assert_eq!(plan(&[input("a.warc.gz", Some(MIB))], None).shard_size, 32 * MIB);
        assert_eq!(plan(&[input("a.warc.gz", Some(25_600 * MIB))], None).shard_size, 100 * MIB);
        assert_eq!(plan(&[input("a.warc.gz", Some(1 << 46))], None).shard_size, 256 * MIB);
        assert_eq!(
            plan(&[input("a.warc", Some(u64::MAX)), input("b.warc", Some(u64::MAX))], None).shard_size,
            256 * MIB
        );
    }

    #[test]
    fn unknown_sizes_count_as_assumed_and_are_not_cut() {
        let stdin = Input { origin: Origin::Stdin, ..input("-", None) };
        let inputs = [input("a.warc.gz", None), input("b.warc.gz", None), stdin];
        assert_eq!(parts(&plan(&inputs, Some(4 * MIB))), [vec![(0, 0, None), (1, 0, None)], vec![(2, 0, None)]]);
        assert_eq!(plan(&inputs, Some(1)).shards.len(), 3);
        let shard = &plan(&inputs, Some(1)).shards[2];
        assert_eq!(shard.parts[0].of(&inputs), Some(Part { origin: Origin::Stdin, start: 0, end: None }));
        assert_eq!(shard.parts[0].bytes(&inputs), None);
        assert_eq!(shard.parts[0].of(&inputs[..1]), None);
    }

    #[test]
    fn too_many_shards_are_refused_before_they_are_made() {
        let cut = Cut { shard_size: Some(1), assume_size: 1 };
        let error = Plan::new(&[input("a.warc.gz", Some(1 << 60))], cut).unwrap_err();
        assert!(error.to_string().contains("--shard-size"), "{error}");
    }

    #[test]
    fn a_plan_survives_being_recorded() {
        let inputs = [input("a.warc.gz", Some(35)), input("b.warc.gz", Some(5)), input("c.warc.gz", Some(0))];
        let plan = plan(&inputs, Some(10));
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        assert!(text.contains("{\"number\":0,\"parts\":[[0,0,10]]}"), "{text}");
    }

    /// Numbers that look random and are the same in every run.
    fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    #[test]
    fn every_byte_of_every_input_belongs_to_one_shard() {
        for seed in 0..500 {
            let mut next = numbers(seed);
            let inputs: Vec<Input> = (0..next(40))
                .map(|i| {
                    let size = [next(10), next(1_000), next(100_000)][next(3) as usize];
                    let name = ["a.warc.gz", "b.warc.zst", "c.parquet", "d.warc"][next(4) as usize];
                    input(&format!("{i}{name}"), (next(10) > 0).then_some(size))
                })
                .collect();
            let target = 1 + next(20_000);
            let cut = Cut { shard_size: Some(target), assume_size: next(5_000) };
            let plan = Plan::new(&inputs, cut).unwrap();
            assert_eq!(plan, Plan::new(&inputs, cut).unwrap());
            let mut expected = 0;
            let mut reached = 0;
            for (i, shard) in plan.shards.iter().enumerate() {
                assert_eq!(shard.number as usize, i);
                assert!(!shard.parts.is_empty());
                for part in &shard.parts {
                    assert_eq!((part.input, part.start), (expected, reached), "in order, without gap or overlap");
                    match part.end {
                        Some(end) => {
                            assert_eq!(end - part.start, target);
                            assert!(inputs[part.input].size.unwrap() > target, "no file within the target is cut");
                            reached = end;
                        }
                        None => {
                            if let (1.., Some(size)) = (part.start, inputs[part.input].size) {
                                assert!(size - part.start >= target.div_ceil(2), "no small tail");
                            }
                            (expected, reached) = (expected + 1, 0);
                        }
                    }
                }
                let bytes: Option<u64> = shard.parts.iter().map(|part| part.bytes(&inputs)).sum();
                if let (2.., Some(bytes)) = (shard.parts.len(), bytes) {
                    assert!(bytes <= target);
                }
            }
            assert_eq!((expected, reached), (inputs.len(), 0));
        }
    }

    #[test]
    fn selections_share_the_shards_out() {
        for (text, shards) in [("1/1", vec![0, 1, 2, 3, 4, 5]), ("3/4", vec![2]), ("1/4", vec![0, 4]), ("7/9", vec![])]
        {
            let selection = parse_shard_selection(text).unwrap();
            assert_eq!((0..6).filter(|shard| selection.takes(*shard)).collect::<Vec<_>>(), shards, "{text}");
            assert_eq!(selection.to_string(), text);
        }
        assert!((0..9).all(|shard| Selection::ALL.takes(shard)));
        for text in ["", "3", "3/", "/8", "a/8", "3/8/2", "-1/8", "+1/8", "1/0", "1/4294967296"] {
            let error = parse_shard_selection(text).unwrap_err().to_string();
            assert!(error.contains("such as 3/8"), "{text}: {error}");
        }
        for text in ["0/8", "9/8"] {
            let error = parse_shard_selection(text).unwrap_err().to_string();
            assert!(error.contains("from 1 to 8"), "{text}: {error}");
        }
    }
}
