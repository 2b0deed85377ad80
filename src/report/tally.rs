//! Counts that can be merged: how many origins, registered domains, captures and how much weight fall on each key.
//!
//! A key is a figure, a stratum and up to three words or numbers. Words are kept once and stood for by numbers, which differ from
//! one tally to the next; [`Tally::merge`] translates them, so that the result does not depend on who counted what.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Scheme, host and port.
    Origin,
    /// A registered domain, for which one of its origins stands.
    Domain,
    /// An HTTP answer to the request for `/robots.txt`.
    Capture,
    /// What `--weights` gives the host of an origin: pages, tokens.
    Weight,
}

impl Unit {
    /// Every unit, in the order of [`Units`].
    pub const ALL: [Unit; 4] = [Unit::Origin, Unit::Domain, Unit::Capture, Unit::Weight];

    /// The word that tables use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Unit::Origin => "origin",
            Unit::Domain => "domain",
            Unit::Capture => "capture",
            Unit::Weight => "weight",
        }
    }

    /// Several of them, for people.
    pub const fn plural(self) -> &'static str {
        match self {
            Unit::Origin => "origins",
            Unit::Domain => "registered domains",
            Unit::Capture => "captures",
            Unit::Weight => "weight",
        }
    }
}

/// A count in each unit. They stop at the greatest number there is instead of overflowing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Units(pub [u64; 4]);

impl Units {
    /// That many of one unit and none of the others.
    pub const fn of(unit: Unit, count: u64) -> Units {
        let mut units = Units([0; 4]);
        units.0[unit as usize] = count;
        units
    }

    /// The count in one unit.
    pub fn get(self, unit: Unit) -> u64 {
        self.0[unit as usize]
    }

    /// Adds another count.
    pub fn add(&mut self, other: Units) {
        for (mine, others) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(others);
        }
    }

    /// This one less another; nothing where that is more.
    pub fn minus(mut self, other: Units) -> Units {
        for (mine, others) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_sub(others);
        }
        self
    }

    /// Whether nothing was counted in any unit.
    pub fn is_zero(self) -> bool {
        self.0 == [0; 4]
    }
}

/// Most words or numbers that a key has.
pub const DIMENSIONS: usize = 3;

/// What is counted under: words (as [`Tally`] numbers them) or numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Number of the figure.
    pub figure: u16,
    /// Number of the stratum; 0 is the whole.
    pub stratum: u16,
    /// The words or numbers; those that the figure does not have are 0.
    pub dimensions: [u32; DIMENSIONS],
}

/// Counts by key, and the words in the keys.
#[derive(Debug, Default)]
pub struct Tally {
    counts: HashMap<Key, Units, Mix>,
    words: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32, Seeded>,
}

impl Tally {
    /// The number of a word.
    pub fn word(&mut self, word: &str) -> u32 {
        match self.numbers.get(word) {
            Some(number) => *number,
            None => {
                let word: Arc<str> = Arc::from(word);
                let number = self.words.len() as u32;
                self.words.push(word.clone());
                self.numbers.insert(word, number);
                number
            }
        }
    }

    /// The number of a word that was met before.
    pub fn known(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// The word of a number.
    pub fn text(&self, number: u32) -> &str {
        self.words.get(number as usize).map_or("", |word| word)
    }

    /// Counts.
    pub fn add(&mut self, key: Key, units: Units) {
        if !units.is_zero() {
            self.counts.entry(key).or_default().add(units);
        }
    }

    /// The counts, in no order.
    pub fn counts(&self) -> impl Iterator<Item = (&Key, &Units)> {
        self.counts.iter()
    }

    /// What was counted under a key.
    pub fn get(&self, key: &Key) -> Units {
        self.counts.get(key).copied().unwrap_or_default()
    }

    /// Adds what another one counted; `is_word` says which of a figure's dimensions are words.
    pub fn merge(&mut self, other: &Tally, is_word: impl Fn(u16, usize) -> bool) {
        let translation: Vec<u32> = other.words.iter().map(|word| self.word(word)).collect();
        for (key, units) in &other.counts {
            let mut key = *key;
            for (at, dimension) in key.dimensions.iter_mut().enumerate() {
                if is_word(key.figure, at) {
                    *dimension = translation.get(*dimension as usize).copied().unwrap_or_default();
                }
            }
            self.add(key, *units);
        }
    }
}

/// Hashes keys of small numbers of our own making: two multiplications a word. Strangers choose none of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mix;

impl BuildHasher for Mix {
    type Hasher = MixHasher;

    fn build_hasher(&self) -> MixHasher {
        MixHasher(0)
    }
}

/// See [`Mix`].
#[derive(Debug, Clone, Copy)]
pub struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = u128::from(self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        self.0 = (mixed >> 64) as u64 ^ mixed as u64;
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(u64::from(word));
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

/// Hashes words from strangers: fast, and with a seed that nobody outside knows.
#[derive(Debug, Clone, Copy)]
pub struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Seeded {
        static SEED: OnceLock<u64> = OnceLock::new();
        Seeded(*SEED.get_or_init(|| RandomState::new().build_hasher().finish()))
    }
}

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;

    fn build_hasher(&self) -> SeededHasher {
        SeededHasher(self.0)
    }
}

/// See [`Seeded`].
#[derive(Debug, Clone, Copy)]
pub struct SeededHasher(u64);

impl Hasher for SeededHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(words: &[(&str, u32, u64)]) -> Tally {
        let mut tally = Tally::default();
        for (word, number, count) in words {
            let word = tally.word(word);
            let key = Key { figure: 3, stratum: 0, dimensions: [word, *number, 0] };
            tally.add(key, Units::of(Unit::Origin, *count));
        }
        tally
    }

    fn sorted(tally: &Tally) -> Vec<(String, u32, u64)> {
        let mut rows: Vec<_> = tally
            .counts()
            .map(|(key, units)| (tally.text(key.dimensions[0]).to_owned(), key.dimensions[1], units.get(Unit::Origin)))
            .collect();
        rows.sort();
        rows
    }

    #[test]
    fn merging_is_counting_together_in_any_order() {
        let parts = [counted(&[("b", 1, 2), ("a", 0, 1)]), counted(&[("a", 0, 5), ("c", 9, 1)]), counted(&[])];
        let expected = vec![("a".to_owned(), 0, 6), ("b".to_owned(), 1, 2), ("c".to_owned(), 9, 1)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let mut whole = Tally::default();
            for part in order {
                whole.merge(&parts[part], |figure, at| figure == 3 && at == 0);
            }
            assert_eq!(sorted(&whole), expected, "{order:?}");
        }
    }

    #[test]
    fn nothing_is_no_entry_and_counts_do_not_overflow() {
        let mut tally = Tally::default();
        let key = Key { figure: 0, stratum: 0, dimensions: [0; 3] };
        tally.add(key, Units::default());
        assert_eq!(tally.counts().count(), 0);
        tally.add(key, Units::of(Unit::Weight, u64::MAX));
        tally.add(key, Units::of(Unit::Weight, 7));
        assert_eq!(tally.get(&key).get(Unit::Weight), u64::MAX);
        assert_eq!(Units::of(Unit::Domain, 3).minus(Units::of(Unit::Domain, 5)), Units::default());
    }
}
