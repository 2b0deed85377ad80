//! A sliding window over the stored bytes of one input.

use std::io::{self, ErrorKind, Read};

/// Bytes that are asked of the source at once. Small enough to stay in the second-level cache between the kernel's copy
/// and inflating: 64 KiB and 1 MiB measured some 4 % slower (three runs each, busy machine).
const READ: usize = 256 << 10;

/// Bytes that the window may grow to.
pub(super) const LIMIT: usize = 8 << 20;

/// The bytes of an input that are in memory, and where they stand in it.
pub(super) struct Window {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset in the input of the byte at `start`.
    offset: u64,
    /// The source has no more.
    ended: bool,
    /// Why the source ended early.
    error: Option<io::Error>,
}

impl Window {
    pub(super) fn new() -> Window {
        Window { buffer: Vec::new(), start: 0, end: 0, offset: 0, ended: false, error: None }
    }

    /// Forgets everything; the next byte read stands at `offset`.
    pub(super) fn restart(&mut self, offset: u64) {
        *self =
            Window { buffer: std::mem::take(&mut self.buffer), start: 0, end: 0, offset, ended: false, error: None };
    }

    /// What is in memory.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Offset in the input of the first byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Offset in the input of the end of what is in memory.
    pub(super) fn end_offset(&self) -> u64 {
        self.offset + self.len() as u64
    }

    /// Whether the source has no more than what is in memory.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// The error that ended the source, if one did.
    pub(super) fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Drops bytes from the front.
    pub(super) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.len());
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Reads on until `wanted` bytes are in memory, the source ends or the window is as large as it may be.
    pub(super) fn fill(&mut self, wanted: usize, source: &mut dyn Read) {
        while self.len() < wanted.min(LIMIT) && !self.ended {
            self.read_on(source);
        }
    }

    /// Reads some more, keeping what there is; `false` when nothing came or the window is full.
    pub(super) fn read_on(&mut self, source: &mut dyn Read) -> bool {
        if self.ended || self.len() >= LIMIT {
            return false;
        }
        if self.buffer.len() - self.end < READ / 2 {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.buffer.len() - self.end < READ / 2 {
                let grown = (self.buffer.len() * 2).clamp(READ * 2, LIMIT + READ);
                self.buffer.resize(grown, 0);
            }
        }
        let upto = self.buffer.len().min(self.end + READ);
        loop {
            let room = self.buffer.get_mut(self.end..upto).unwrap_or_default();
            match source.read(room) {
                Ok(0) => self.ended = true,
                // A source that claims more than it was given room for is not believed.
                Ok(bytes) => self.end = (self.end + bytes).min(upto),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.ended = true;
                    self.error = Some(error);
                }
            }
            return !self.ended;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_slides_and_keeps_its_place() {
        let data: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
        let mut source = data.as_slice();
        let mut window = Window::new();
        window.restart(7);
        let mut at = 0;
        loop {
            window.fill(100_000, &mut source);
            let got = window.len();
            if got == 0 {
                break;
            }
            let step = got.min(77_777);
            assert_eq!(&window.bytes()[..step], &data[at..at + step]);
            assert_eq!(window.offset(), 7 + at as u64);
            window.consume(step);
            at += step;
        }
        assert_eq!(at, data.len());
        assert!(window.ended() && window.error().is_none());
    }

    #[test]
    fn it_never_grows_past_its_limit() {
        let mut source = io::repeat(1);
        let mut window = Window::new();
        window.fill(usize::MAX, &mut source);
        assert!(window.len() >= LIMIT && window.buffer.len() <= LIMIT + READ);
        assert!(!window.read_on(&mut source));
    }
}
