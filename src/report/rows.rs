//! From counts to the rows of a figure.

use super::figure::{self, Base, Compute, Figure, Measure, QUANTILES};
use super::figures::{FIGURES, NAMED_TOP};
use super::interval::wilson;
use super::pass::Counted;
use super::tally::{DIMENSIONS, Key, Unit, Units};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A figure with its numbers.
pub struct Filled {
    /// What it is.
    pub figure: &'static Figure,
    /// Its rows: by stratum, unit and dimensions, each in its order.
    pub rows: Vec<Row>,
}

/// A row of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the stratum.
    pub stratum: String,
    /// What was counted.
    pub unit: Unit,
    /// A word for each dimension of the figure.
    pub dimensions: Vec<String>,
    /// The numbers.
    pub numbers: Numbers,
}

/// The numbers of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// A count, what it is of, and the 95 % interval of the share where the scan was a sample.
    Share {
        /// How many.
        count: u64,
        /// Of how many.
        total: u64,
        /// From where to where the true share lies.
        interval: Option<(f64, f64)>,
    },
    /// Quantiles in the order of [`QUANTILES`].
    Quantiles {
        /// Values.
        count: u64,
        /// Their sum.
        sum: u64,
        /// The quantiles.
        quantiles: [u64; QUANTILES.len()],
        /// The greatest value.
        max: u64,
    },
}

impl Row {
    /// Count and total of a share.
    pub fn share(&self) -> Option<(u64, u64)> {
        match self.numbers {
            Numbers::Share { count, total, .. } => Some((count, total)),
            Numbers::Quantiles { .. } => None,
        }
    }
}

/// The rows of every figure whose tables are there.
pub fn fill(counted: &Counted, is_sample: bool) -> Vec<Filled> {
    let mut by_figure: HashMap<u16, Vec<(Key, Units)>> = HashMap::new();
    for (key, units) in counted.tally.counts() {
        by_figure.entry(key.figure).or_default().push((*key, *units));
    }
    let empty = Vec::new();
    let mut filled = Vec::new();
    for (number, figure) in FIGURES.iter().enumerate() {
        if figure.compute.needs().is_some_and(|table| !counted.tables.contains(table)) {
            continue;
        }
        let counts = match figure.compute {
            Compute::Named => named(counted, by_figure.get(&figure::NAMED).unwrap_or(&empty)),
            Compute::Effective => effective(counted, by_figure.get(&figure::NAMED).unwrap_or(&empty)),
            _ => by_figure
                .get(&(number as u16))
                .unwrap_or(&empty)
                .iter()
                .map(|(key, units)| (key.stratum, key.dimensions, *units))
                .collect(),
        };
        let rows = match figure.measure {
            Measure::Quantiles => quantile_rows(counted, figure, &counts),
            Measure::Share => share_rows(counted, figure, &counts, is_sample),
        };
        filled.push(Filled { figure, rows });
    }
    filled
}

/// What was counted under a base, in a stratum.
pub fn total(counted: &Counted, base: Base, stratum: u16) -> Units {
    let stratum = if counted.strata_of_agents { 0 } else { stratum };
    base.key()
        .map_or(Units::default(), |figure| counted.tally.get(&Key { figure, stratum, dimensions: [0; DIMENSIONS] }))
}

/// Stratum, dimensions and units.
type Count = (u16, [u32; DIMENSIONS], Units);

fn share_rows(counted: &Counted, figure: &Figure, counts: &[Count], is_sample: bool) -> Vec<Row> {
    let kept = top(counted, figure, counts);
    let mut within: HashMap<(u16, [u32; DIMENSIONS]), Units> = HashMap::new();
    let first = |dimensions: &[u32; DIMENSIONS], keep: usize| {
        let mut first = *dimensions;
        first.iter_mut().skip(keep).for_each(|word| *word = 0);
        first
    };
    if let Base::Within(keep) = figure.base {
        for (stratum, dimensions, units) in counts {
            within.entry((*stratum, first(dimensions, keep))).or_default().add(*units);
        }
    }
    let mut rows = Vec::new();
    for (stratum, dimensions, units) in counts {
        if let (Some(top), Some(kept)) = (figure.top, &kept)
            && !kept.contains(&first(dimensions, top.dimensions))
        {
            continue;
        }
        let totals = match figure.base {
            Base::Within(keep) => within.get(&(*stratum, first(dimensions, keep))).copied().unwrap_or_default(),
            base => total(counted, base, *stratum),
        };
        for unit in figure.units.iter().filter(|unit| units.get(**unit) > 0) {
            let (count, total) = (units.get(*unit), totals.get(*unit));
            // A weight is no number of independent things.
            let interval = if is_sample && *unit != Unit::Weight { wilson(count, total) } else { None };
            rows.push((
                *stratum,
                Row {
                    stratum: stratum_name(counted, *stratum),
                    unit: *unit,
                    dimensions: words(counted, figure, dimensions),
                    numbers: Numbers::Share { count, total, interval },
                },
            ));
        }
    }
    in_order(figure, rows)
}

/// The first dimensions of the rows that are shown; nothing when all are.
fn top(counted: &Counted, figure: &Figure, counts: &[Count]) -> Option<HashSet<[u32; DIMENSIONS]>> {
    let top = figure.top?;
    let mut sums: HashMap<[u32; DIMENSIONS], u64> = HashMap::new();
    for (_, dimensions, units) in counts.iter().filter(|(stratum, ..)| *stratum == 0) {
        let mut first = *dimensions;
        first.iter_mut().skip(top.dimensions).for_each(|word| *word = 0);
        *sums.entry(first).or_default() += units.get(Unit::Origin);
    }
    let mut order: Vec<([u32; DIMENSIONS], u64)> = sums.into_iter().filter(|(_, count)| *count > 0).collect();
    let text = |dimensions: &[u32; DIMENSIONS]| -> Vec<&str> {
        dimensions.iter().take(top.dimensions).map(|word| counted.tally.text(*word)).collect()
    };
    order.sort_unstable_by(|(a, x), (b, y)| y.cmp(x).then_with(|| text(a).cmp(&text(b))));
    Some(order.into_iter().take(top.most).map(|(dimensions, _)| dimensions).collect())
}

fn quantile_rows(counted: &Counted, figure: &Figure, counts: &[Count]) -> Vec<Row> {
    let mut values: BTreeMap<(u16, u32), Vec<(u32, Units)>> = BTreeMap::new();
    for (stratum, [measure, value, _], units) in counts {
        values.entry((*stratum, *measure)).or_default().push((*value, *units));
    }
    let mut rows = Vec::new();
    for ((stratum, measure), mut values) in values {
        values.sort_unstable_by_key(|(value, _)| *value);
        for unit in figure.units {
            let count: u64 = values.iter().map(|(_, units)| units.get(*unit)).sum();
            if count == 0 {
                continue;
            }
            let of_unit = || {
                values
                    .iter()
                    .map(|(value, units)| (u64::from(*value), units.get(*unit)))
                    .filter(|(_, count)| *count > 0)
            };
            let row = Row {
                stratum: stratum_name(counted, stratum),
                unit: *unit,
                dimensions: vec![counted.tally.text(measure).to_owned()],
                numbers: Numbers::Quantiles {
                    count,
                    sum: of_unit().fold(0, |sum: u64, (value, count)| sum.saturating_add(value.saturating_mul(count))),
                    quantiles: QUANTILES.map(|(_, percent)| quantile(of_unit(), count, percent)),
                    max: of_unit().next_back().map_or(0, |(value, _)| value),
                },
            };
            rows.push((stratum, row));
        }
    }
    in_order(figure, rows)
}

/// The least value that `percent` of all do not exceed.
fn quantile(values: impl Iterator<Item = (u64, u64)>, count: u64, percent: u64) -> u64 {
    let wanted = u64::try_from((u128::from(count) * u128::from(percent)).div_ceil(100)).unwrap_or(count).max(1);
    let mut seen = 0;
    let mut last = 0;
    for (value, times) in values {
        seen += times;
        last = value;
        if seen >= wanted {
            break;
        }
    }
    last
}

fn stratum_name(counted: &Counted, stratum: u16) -> String {
    counted.strata.get(stratum as usize).cloned().unwrap_or_default()
}

fn words(counted: &Counted, figure: &Figure, dimensions: &[u32; DIMENSIONS]) -> Vec<String> {
    dimensions.iter().take(figure.dimensions.len()).map(|word| counted.tally.text(*word).to_owned()).collect()
}

fn in_order(figure: &Figure, mut rows: Vec<(u16, Row)>) -> Vec<Row> {
    let orders: Vec<Vec<&str>> = figure.dimensions.iter().map(|dimension| (dimension.order)()).collect();
    rows.sort_by_cached_key(|(stratum, row)| {
        let places: Vec<(usize, String)> = row
            .dimensions
            .iter()
            .zip(&orders)
            .map(|(word, order)| (order.iter().position(|known| known == word).unwrap_or(order.len()), word.clone()))
            .collect();
        (*stratum, row.unit, places)
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Agents that are named by the access of their own groups, whatever `*` may fetch.
fn named(_: &Counted, raw: &[(Key, Units)]) -> Vec<Count> {
    let mut sums: HashMap<(u16, u32, u32), Units> = HashMap::new();
    for (key, units) in raw {
        let [agent, access, _] = key.dimensions;
        sums.entry((key.stratum, agent, access)).or_default().add(*units);
    }
    sums.into_iter().map(|((stratum, agent, access), units)| (stratum, [agent, access, 0], units)).collect()
}

/// The agents that are named most, with the access of `*` where they are not named, and `all` where neither is.
fn effective(counted: &Counted, raw: &[(Key, Units)]) -> Vec<Count> {
    let tally = &counted.tally;
    let Some(star) = tally.known("*") else { return Vec::new() };
    let mut origins: HashMap<u32, u64> = HashMap::new();
    // By stratum: all texts whose `*` may fetch this.
    let mut of_star: HashMap<(u16, u32), Units> = HashMap::new();
    // By stratum and agent: texts that name it, by the access of `*`, and by its own.
    let mut own: HashMap<(u16, u32, u32), Units> = HashMap::new();
    let mut star_beside: HashMap<(u16, u32, u32), Units> = HashMap::new();
    for (key, units) in raw {
        let [agent, access, beside] = key.dimensions;
        if key.stratum == 0 {
            *origins.entry(agent).or_default() += units.get(Unit::Origin);
        }
        if agent == star {
            of_star.entry((key.stratum, access)).or_default().add(*units);
        }
        own.entry((key.stratum, agent, access)).or_default().add(*units);
        star_beside.entry((key.stratum, agent, beside)).or_default().add(*units);
    }
    let mut agents: Vec<(u32, u64)> = origins.into_iter().filter(|(_, count)| *count > 0).collect();
    agents.sort_unstable_by_key(|(agent, count)| (Reverse(*count), tally.text(*agent)));
    agents.truncate(NAMED_TOP.most);
    agents.retain(|(agent, _)| *agent != star);

    let absent = tally.known("-");
    let all = tally.known(super::facts::ACCESS[0]);
    let words: Vec<Option<u32>> = super::facts::ACCESS.iter().map(|access| tally.known(access)).collect();
    let mut counts = Vec::new();
    for stratum in 0..counted.strata.len() as u16 {
        let robots = counted.tally.get(&Key {
            figure: Base::Robots.key().unwrap_or_default(),
            stratum,
            dimensions: [0; DIMENSIONS],
        });
        let mut without_star = robots;
        words.iter().flatten().for_each(|access| {
            without_star = without_star.minus(of_star.get(&(stratum, *access)).copied().unwrap_or_default());
        });
        for (agent, _) in &agents {
            for (at, access) in words.iter().enumerate() {
                // A word that was never met counts nothing, unless it is that for texts that name neither.
                let mut units = Units::default();
                if let Some(access) = access {
                    let of = |map: &HashMap<(u16, u32, u32), Units>| {
                        map.get(&(stratum, *agent, *access)).copied().unwrap_or_default()
                    };
                    units = of_star.get(&(stratum, *access)).copied().unwrap_or_default().minus(of(&star_beside));
                    units.add(of(&own));
                }
                if at == 0 {
                    let beside = absent.and_then(|absent| star_beside.get(&(stratum, *agent, absent)).copied());
                    units.add(without_star.minus(beside.unwrap_or_default()));
                }
                let word = if at == 0 { all } else { *access };
                if let Some(word) = word {
                    counts.push((stratum, [*agent, word, 0], units));
                }
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_discrete() {
        let of = |values: &[(u64, u64)], percent| {
            let count = values.iter().map(|(_, times)| times).sum();
            quantile(values.iter().copied(), count, percent)
        };
        let one_to_four = [(1, 1), (2, 1), (3, 1), (4, 1)];
        assert_eq!([1, 25, 50, 75, 99].map(|percent| of(&one_to_four, percent)), [1, 1, 2, 3, 4]);
        assert_eq!([1, 50, 90].map(|percent| of(&[(0, 9), (100, 1)], percent)), [0, 0, 0]);
        assert_eq!(of(&[(0, 9), (100, 1)], 99), 100);
        assert_eq!(of(&[(7, 1)], 50), 7);
    }
}
