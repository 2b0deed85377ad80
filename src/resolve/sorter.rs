//! Sorts more records than fit in memory: sorted runs go to temporary files and are merged when they are read.
//!
//! The files have no name (where the system allows it), so a process that is killed leaves nothing behind.

use crate::output::OutputError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A record that can be written to a run and read back.
pub(super) trait Record: Ord + Send {
    /// Appends its bytes.
    fn encode(&self, to: &mut Vec<u8>);
    /// Reads what [`Record::encode`] wrote.
    fn decode(from: &mut impl Read) -> io::Result<Self>
    where
        Self: Sized;
    /// Bytes that it holds outside itself.
    fn heap(&self) -> usize {
        0
    }
}

/// Takes records in any order.
pub(super) struct Sorter<R> {
    buffer: Vec<R>,
    /// Bytes that the buffer's records hold outside of it.
    heap: usize,
    /// Bytes after which the buffer becomes a run.
    limit: usize,
    /// All runs, one after the other.
    file: Option<File>,
    /// Where each run ends in the file.
    ends: Vec<u64>,
    folder: PathBuf,
}

/// Bytes of a run that are encoded before they are written.
const BLOCK: usize = 256 << 10;
/// Bytes of a run that are read at once: the least, when there are many runs, and the most.
const READ: RangeInclusive<usize> = 8 << 10..=256 << 10;

impl<R: Record> Sorter<R> {
    /// A sorter that holds about `limit` bytes and puts the rest in a file in `folder`.
    pub(super) fn new(folder: &Path, limit: usize) -> Sorter<R> {
        Sorter { buffer: Vec::new(), heap: 0, limit, file: None, ends: Vec::new(), folder: folder.to_owned() }
    }

    /// Adds a record.
    pub(super) fn push(&mut self, record: R) -> Result<(), OutputError> {
        let most = (self.limit / size_of::<R>()).max(1);
        if self.buffer.len() >= most || self.heap >= self.limit {
            self.spill()?;
        }
        // A vector that doubles would end up to twice as large as it may be.
        if self.buffer.len() == self.buffer.capacity() && self.buffer.capacity() > most / 2 {
            self.buffer.reserve_exact(most - self.buffer.len());
        }
        self.heap += record.heap();
        self.buffer.push(record);
        Ok(())
    }

    /// Adds many.
    pub(super) fn extend(&mut self, records: impl IntoIterator<Item = R>) -> Result<(), OutputError> {
        records.into_iter().try_for_each(|record| self.push(record))
    }

    /// All records in order. Once some are in the file all are, and the memory is freed.
    pub(super) fn sorted(mut self) -> Result<Sorted<R>, OutputError> {
        if self.file.is_some() {
            self.spill()?;
            self.buffer = Vec::new();
        }
        self.buffer.sort_unstable();
        let read = (self.limit / self.ends.len().max(1)).clamp(*READ.start(), *READ.end());
        let mut runs = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for end in self.ends {
            runs.push(Run { at: start, end, buffer: Vec::new(), used: 0, read });
            start = end;
        }
        let mut merge = Merge { file: self.file, runs, heap: BinaryHeap::new() };
        let folder = self.folder;
        merge.start().map_err(|source| OutputError::io(&folder, source))?;
        let mut sorted = Sorted { next: None, memory: self.buffer.into_iter(), merge, folder };
        sorted.next = sorted.take();
        Ok(sorted)
    }

    /// Makes a run of the buffer and empties it.
    fn spill(&mut self) -> Result<(), OutputError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.buffer.sort_unstable();
        let end = self.write_run().map_err(|source| OutputError::io(&self.folder, source))?;
        self.ends.push(end);
        self.heap = 0;
        Ok(())
    }

    fn write_run(&mut self) -> io::Result<u64> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder)?),
        };
        let mut block = Vec::with_capacity(BLOCK + BLOCK / 4);
        for record in self.buffer.drain(..) {
            record.encode(&mut block);
            if block.len() >= BLOCK {
                file.write_all(&block)?;
                block.clear();
            }
        }
        file.write_all(&block)?;
        file.stream_position()
    }
}

/// Gives records in order.
pub(super) struct Sorted<R> {
    next: Option<io::Result<R>>,
    memory: std::vec::IntoIter<R>,
    merge: Merge<R>,
    folder: PathBuf,
}

impl<R: Record> Sorted<R> {
    /// The next record; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<R>, OutputError> {
        let following = if self.next.is_some() { self.take() } else { None };
        let current = std::mem::replace(&mut self.next, following);
        current.transpose().map_err(|source| OutputError::io(&self.folder, source))
    }

    /// The next record if it is as wished. An error is given whatever was wished.
    pub(super) fn next_if(&mut self, wanted: impl FnOnce(&R) -> bool) -> Result<Option<R>, OutputError> {
        match &self.next {
            Some(Ok(record)) if !wanted(record) => Ok(None),
            _ => self.next(),
        }
    }

    /// Bytes that went through the file.
    pub(super) fn spilled(&self) -> u64 {
        self.merge.runs.last().map_or(0, |run| run.end)
    }

    fn take(&mut self) -> Option<io::Result<R>> {
        self.memory.next().map(Ok).or_else(|| self.merge.next())
    }
}

/// Merges the runs of a file.
struct Merge<R> {
    file: Option<File>,
    runs: Vec<Run>,
    /// The next record of every run that has one.
    heap: BinaryHeap<Reverse<(R, usize)>>,
}

impl<R: Record> Merge<R> {
    fn start(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        for (number, run) in self.runs.iter_mut().enumerate() {
            if let Some(record) = run.next(file)? {
                self.heap.push(Reverse((record, number)));
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<io::Result<R>> {
        let mut least = self.heap.peek_mut()?;
        let number = least.0.1;
        let (Some(run), Some(file)) = (self.runs.get_mut(number), &mut self.file) else { return None };
        match run.next(file) {
            Ok(Some(record)) => {
                // Replaced in its place: one sift instead of two.
                let taken = std::mem::replace(&mut *least, Reverse((record, number)));
                Some(Ok(taken.0.0))
            }
            Ok(None) => Some(Ok(PeekMut::pop(least).0.0)),
            Err(source) => Some(Err(source)),
        }
    }
}

/// A run, and how far it was read.
struct Run {
    /// Where to read on in the file.
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were taken.
    used: usize,
    /// Bytes to read at once.
    read: usize,
}

impl Run {
    fn next<R: Record>(&mut self, file: &mut File) -> io::Result<Option<R>> {
        if self.used == self.buffer.len() && self.at == self.end {
            return Ok(None);
        }
        R::decode(&mut RunReader { run: self, file }).map(Some)
    }

    fn refill(&mut self, file: &mut File) -> io::Result<()> {
        let bytes = self.read.min(usize::try_from(self.end - self.at).unwrap_or(usize::MAX));
        self.buffer.resize(bytes, 0);
        self.used = 0;
        file.seek(SeekFrom::Start(self.at))?;
        file.read_exact(&mut self.buffer)?;
        self.at += bytes as u64;
        Ok(())
    }
}

/// Reads the bytes of a run; all runs share the file, so that no number of them runs into the limit of open files.
struct RunReader<'r> {
    run: &'r mut Run,
    file: &'r mut File,
}

impl Read for RunReader<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.run.used == self.run.buffer.len() {
            self.run.refill(self.file)?;
        }
        let rest = self.run.buffer.get(self.run.used..).unwrap_or_default();
        let bytes = rest.len().min(to.len());
        to[..bytes].copy_from_slice(&rest[..bytes]);
        self.run.used += bytes;
        Ok(bytes)
    }
}

/// Reads so many bytes.
pub(super) fn bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Text(u32, Vec<u8>);

    impl Record for Text {
        fn encode(&self, to: &mut Vec<u8>) {
            to.extend(self.0.to_le_bytes());
            to.extend((self.1.len() as u32).to_le_bytes());
            to.extend(&self.1);
        }

        fn decode(from: &mut impl Read) -> io::Result<Text> {
            let number = u32::from_le_bytes(bytes(from)?);
            let mut text = vec![0; u32::from_le_bytes(bytes(from)?) as usize];
            from.read_exact(&mut text)?;
            Ok(Text(number, text))
        }

        fn heap(&self) -> usize {
            self.1.len()
        }
    }

    #[test]
    fn any_limit_gives_the_same_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = 7_u32;
        let records: Vec<Text> = (0..5_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                Text(state >> 22, vec![b'x'; (state >> 8) as usize % 60])
            })
            .collect();
        let mut expected = records.clone();
        expected.sort();
        for limit in [0, 1, 500, 10_000, 100_000, 1 << 30] {
            let mut sorter = Sorter::new(folder.path(), limit);
            sorter.extend(records.iter().take(if limit < 500 { 200 } else { 5_000 }).cloned()).unwrap();
            let mut sorted = sorter.sorted().unwrap();
            assert_eq!(sorted.spilled() > 0, limit < 1 << 30, "{limit}");
            let mut found = Vec::new();
            let mut number = 0;
            while number < 1 << 10 {
                match sorted.next_if(|record| record.0 == number).unwrap() {
                    Some(record) => found.push(record),
                    None => number += 1,
                }
            }
            assert_eq!(sorted.next().unwrap(), None);
            if limit < 500 {
                let mut few = records[..200].to_vec();
                few.sort();
                assert_eq!(found, few, "{limit}");
            } else {
                assert_eq!(found, expected, "{limit}");
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "runs have no name");
    }

    #[test]
    fn nothing_sorts_to_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorted = Sorter::<Text>::new(folder.path(), 10).sorted().unwrap();
        assert_eq!(sorted.next_if(|_| true).unwrap(), None);
        assert_eq!(sorted.next().unwrap(), None);
    }

    #[test]
    fn a_folder_that_is_gone_is_an_error() {
        let mut sorter = Sorter::new(Path::new("/no/such/folder"), 1);
        sorter.push(Text(1, Vec::new())).unwrap();
        assert!(sorter.push(Text(2, Vec::new())).is_err());
    }
}
