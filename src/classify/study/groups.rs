//! Which rules a reader counts for which name: the part that the studies' readers have in common.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What a reader keeps of some rules: enough for its classes, and little enough to be added up.
pub(super) trait Tally: Default + Copy {
    /// Adds rules that come after.
    fn add(&mut self, later: &Self);
}

/// Rules by name, while a file is read.
///
/// The rules of a block are tallied once and added to each of its names when it ends, so that a thousand names over a thousand
/// rules are two thousand steps.
#[derive(Debug, Default)]
pub(super) struct Groups<T> {
    numbers: HashMap<Box<str>, usize>,
    /// For each name its rules, and the last list of names that it is in.
    tallies: Vec<(T, usize)>,
    /// The names that rules are for at the moment.
    current: Vec<usize>,
    /// How many lists there were.
    lists: usize,
    block: T,
}

impl<T: Tally> Groups<T> {
    /// Ends a list of names: the next name begins another.
    pub(super) fn begin(&mut self) {
        self.flush();
        self.current.clear();
        self.lists += 1;
    }

    /// Adds a name to the list. Rules count as often as it is there.
    pub(super) fn name(&mut self, name: &str) {
        let number = self.number(name);
        self.current.push(number);
    }

    /// Adds a name to the list, unless it is there.
    pub(super) fn name_once(&mut self, name: &str) {
        let number = self.number(name);
        let list = self.lists + 1;
        if let Some((_, last)) = self.tallies.get_mut(number)
            && *last != list
        {
            *last = list;
            self.current.push(number);
        }
    }

    /// Where rules for the names of the list are counted.
    pub(super) fn rules(&mut self) -> &mut T {
        &mut self.block
    }

    /// Whether the list has names.
    pub(super) fn has_names(&self) -> bool {
        !self.current.is_empty()
    }

    /// Every name with its rules, in the order in which they came.
    pub(super) fn finish(mut self) -> Vec<(Box<str>, T)> {
        self.flush();
        let mut names: Vec<(Box<str>, usize)> = self.numbers.into_iter().collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        names.into_iter().zip(self.tallies).map(|((name, _), (tally, _))| (name, tally)).collect()
    }

    fn number(&mut self, name: &str) -> usize {
        let next = self.tallies.len();
        match self.numbers.entry(name.into()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                new.insert(next);
                self.tallies.push((T::default(), 0));
                next
            }
        }
    }

    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        for number in &self.current {
            if let Some((tally, _)) = self.tallies.get_mut(*number) {
                tally.add(&block);
            }
        }
    }
}
