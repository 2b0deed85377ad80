//! Undoes transfer and content encodings that an archive kept, with bounded memory and work.

use super::codec::{Brotli, Flate, Stream, Wrapper, Zstd};
use super::http;
use crate::capture::{Repair, Repairs};
use crate::ingest::libdeflate::Inflater;
use memchr::memchr;

/// Decoded bytes that are counted at most: what lies beyond does not change any table but `body_total_bytes`. Four times the usual
/// cap, so that a file of bombs costs seconds and not hours.
const WORK: u64 = 64 << 20;

/// Codings that are undone one after the other; a response that names more is damaged or hostile.
const CODINGS: usize = 4;

/// A body as it was before any encoding.
pub(super) struct Body<'a> {
    /// At most the cap's number of bytes.
    pub(super) bytes: &'a [u8],
    /// Bytes of the whole body; a lower bound where the encoded bytes were cut.
    pub(super) total: u64,
    pub(super) repairs: Repairs,
}

/// The decoders and their buffers, reused for every capture.
pub(super) struct Decoder {
    inflater: Option<Inflater>,
    held: Kept,
    next: Kept,
}

/// Decoded bytes: those kept, and how many there were.
#[derive(Default)]
struct Kept {
    /// Initialised once and then overwritten; `length` bytes of it count.
    buffer: Vec<u8>,
    length: usize,
    total: u64,
}

/// How undoing one coding ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undone {
    Whole,
    /// Only so far: the rest is damaged or missing.
    Partly,
    /// It was never encoded that way.
    Not,
    Unknown,
}

impl Decoder {
    pub(super) fn new() -> Decoder {
        Decoder { inflater: Inflater::new(), held: Kept::default(), next: Kept::default() }
    }

    /// Undoes what `head` names where the bytes really are encoded that way. `wire` borrows through when they are not.
    /// `wire_total` counts the encoded bytes, also those the archive's reader did not keep.
    pub(super) fn decode<'a>(
        &'a mut self,
        wire: &'a [u8],
        wire_total: u64,
        head: &http::Head<'_>,
        cap: usize,
    ) -> Body<'a> {
        let mut repairs = Repairs::default();
        let mut decoded = false;
        let codings = |list: &'_ [&'_ [u8]]| list.iter().any(|value| !value.is_empty());
        if codings(&head.transfer_encoding) || codings(&head.content_encoding) {
            decoded = self.undo_all(wire, head, cap, &mut repairs);
        }
        let (bytes, total) = match decoded {
            true => (self.held.bytes(), self.held.total),
            false => (wire.get(..cap).unwrap_or(wire), wire_total),
        };
        if total > bytes.len() as u64 || wire_total > wire.len() as u64 {
            repairs.add(Repair::BodyCapped);
        }
        Body { bytes, total, repairs }
    }

    fn undo_all(&mut self, wire: &[u8], head: &http::Head<'_>, cap: usize, repairs: &mut Repairs) -> bool {
        let mut decoded = false;
        let names = |list: &[&[u8]]| -> Vec<Vec<u8>> {
            list.iter()
                .flat_map(|value| value.split(|b| *b == b','))
                .map(|name| name.trim_ascii().to_ascii_lowercase())
                .filter(|name| !matches!(name.as_slice(), b"" | b"identity" | b"none"))
                .collect()
        };
        // The last coding named was applied last; transfer codings surround content codings (RFC 9110, 8.4).
        let content = names(&head.content_encoding);
        let transfer = names(&head.transfer_encoding);
        for name in transfer.iter().rev().take(CODINGS) {
            let undone =
                if name == b"chunked" { self.chunks(decoded, wire, cap) } else { self.undo(name, decoded, wire, cap) };
            match undone {
                Undone::Whole => decoded = self.take(),
                Undone::Partly => {
                    decoded = self.take();
                    repairs.add(if name == b"chunked" { Repair::ChunksBroken } else { Repair::EncodingBroken });
                }
                Undone::Not => repairs.add(if name == b"chunked" { Repair::NotChunked } else { Repair::NotEncoded }),
                Undone::Unknown => repairs.add(Repair::EncodingUnknown),
            }
        }
        let mut gzipped = false;
        for name in content.iter().rev().take(CODINGS) {
            match self.undo(name, decoded, wire, cap) {
                Undone::Whole => decoded = self.take(),
                Undone::Partly => {
                    decoded = self.take();
                    repairs.add(Repair::EncodingBroken);
                }
                Undone::Not => {
                    repairs.add(Repair::NotEncoded);
                    continue;
                }
                Undone::Unknown => {
                    repairs.add(Repair::EncodingUnknown);
                    break;
                }
            }
            gzipped |= matches!(name.as_slice(), b"gzip" | b"x-gzip");
        }
        // Servers that compress behind a proxy that compresses again announce it once. A file that is an archive
        // by its own type stays one.
        let archive = head.content_type.is_some_and(|kind| memchr::memmem::find(kind, b"gzip").is_some());
        if gzipped
            && !archive
            && self.held.bytes().starts_with(&[0x1f, 0x8b, 8])
            && self.undo(b"gzip", true, wire, cap) == Undone::Whole
        {
            decoded = self.take();
            repairs.add(Repair::EncodedTwice);
        }
        decoded
    }

    /// Makes the bytes just decoded the ones that are held.
    fn take(&mut self) -> bool {
        std::mem::swap(&mut self.held, &mut self.next);
        true
    }

    fn undo(&mut self, name: &[u8], decoded: bool, wire: &[u8], cap: usize) -> Undone {
        let Decoder { inflater, held, next } = self;
        let input = if decoded { held.bytes() } else { wire };
        next.clear();
        if input.is_empty() {
            // An empty body is the same however it is encoded.
            return Undone::Whole;
        }
        match name {
            b"gzip" | b"x-gzip" => gzip(input, next, cap, inflater.as_mut()),
            b"deflate" => deflate(input, next, cap),
            b"br" => next.run(&mut Brotli::new(), input, cap).undone_or_not(input, next),
            b"zstd" if input.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => match Zstd::new() {
                Some(mut zstd) => next.run(&mut zstd, input, cap).undone(),
                None => Undone::Unknown,
            },
            b"zstd" => Undone::Not,
            _ => Undone::Unknown,
        }
    }

    /// Chunks (RFC 9112, 7.1), extensions and trailers dropped.
    fn chunks(&mut self, decoded: bool, wire: &[u8], cap: usize) -> Undone {
        let Decoder { held, next, .. } = self;
        let mut rest = if decoded { held.bytes() } else { wire };
        next.clear();
        let mut first = true;
        if rest.is_empty() {
            return Undone::Whole;
        }
        loop {
            let Some((size, line)) = chunk_size(rest) else {
                return if first { Undone::Not } else { Undone::Partly };
            };
            let data = rest.get(line..).unwrap_or_default();
            if size == 0 {
                return Undone::Whole;
            }
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            let Some((chunk, after)) = data.split_at_checked(size) else {
                next.push(data, cap);
                return Undone::Partly;
            };
            let ends = usize::from(after.first() == Some(&b'\r'));
            let ends = if after.get(ends) == Some(&b'\n') { ends + 1 } else { 0 };
            if ends == 0 && first && !after.is_empty() {
                return Undone::Not;
            }
            next.push(chunk, cap);
            if ends == 0 {
                return Undone::Partly;
            }
            first = false;
            rest = after.get(ends..).unwrap_or_default();
        }
    }
}

/// The size of the chunk at the start of `rest`, and the bytes of its line.
fn chunk_size(rest: &[u8]) -> Option<(u64, usize)> {
    // The line may hold extensions, but no real one is longer than this.
    let line = rest.get(..rest.len().min(4096)).unwrap_or(rest);
    // A size has a digit: an empty line is the body's own.
    if !line.iter().find(|byte| **byte != b' ').is_some_and(u8::is_ascii_hexdigit) {
        return None;
    }
    match httparse::parse_chunk_size(line) {
        Ok(httparse::Status::Complete((length, size))) => Some((size, length)),
        _ => {
            // Line feeds alone and blanks around the size are read as well.
            let end = memchr(b'\n', line)?;
            let text = line.get(..end)?;
            let digits = text.split(|b| *b == b';').next()?.trim_ascii();
            if digits.is_empty() || digits.len() > 16 {
                return None;
            }
            let size =
                digits.iter().try_fold(0u64, |sum, b| Some(sum << 4 | u64::from(char::from(*b).to_digit(16)?)))?;
            Some((size, end + 1))
        }
    }
}

fn gzip(input: &[u8], next: &mut Kept, cap: usize, inflater: Option<&mut Inflater>) -> Undone {
    if !input.starts_with(&[0x1f, 0x8b]) {
        return Undone::Not;
    }
    if let Some(inflater) = inflater {
        let room = next.room(input.len().saturating_mul(8).clamp(64 << 10, 1 << 20).min(cap));
        if let Ok(inflated) = inflater.gzip(input, room)
            && inflated.used == input.len()
        {
            next.count(inflated.produced);
            return Undone::Whole;
        }
        next.clear();
    }
    // Large, damaged, of several members, or with something behind it.
    let mut rest = input;
    let mut stream = Flate::giving_rest(Wrapper::Gzip);
    loop {
        match next.run(&mut stream, rest, cap) {
            Run::Ended(used) => rest = rest.get(used..).unwrap_or_default(),
            // Bytes that only begin like an archive stay as they are.
            Run::Broken | Run::Short if next.total == 0 => return Undone::Not,
            Run::Broken | Run::Short => return Undone::Partly,
        }
        if !rest.starts_with(&[0x1f, 0x8b]) || next.total >= WORK {
            return Undone::Whole;
        }
        stream.restart();
    }
}

/// `deflate` means zlib (RFC 9110, 8.4.1.2), and many servers send it without that wrapper.
fn deflate(input: &[u8], next: &mut Kept, cap: usize) -> Undone {
    if let [first, second, ..] = input
        && first & 0x0f == 8
        && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0
    {
        let run = next.run(&mut Flate::giving_rest(Wrapper::Zlib), input, cap);
        if next.total > 0 || matches!(run, Run::Ended(_)) {
            return run.undone();
        }
    }
    next.clear();
    next.run(&mut Flate::giving_rest(Wrapper::Raw), input, cap).undone_or_not(input, next)
}

/// How running a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    /// At its end, after so many bytes of input.
    Ended(usize),
    Broken,
    /// The input ended first.
    Short,
}

impl Run {
    fn undone(self) -> Undone {
        match self {
            Run::Ended(_) => Undone::Whole,
            Run::Broken | Run::Short => Undone::Partly,
        }
    }

    /// For codings without a magic number: damage in bytes that read as text means that they never were encoded.
    fn undone_or_not(self, input: &[u8], next: &Kept) -> Undone {
        match self {
            Run::Ended(used) if used == input.len() || !is_text(input) => Undone::Whole,
            _ if is_text(input) || next.total == 0 => Undone::Not,
            Run::Ended(_) => Undone::Whole,
            Run::Broken | Run::Short => Undone::Partly,
        }
    }
}

/// No control bytes but blanks and line ends in the first KiB, as no compressed data of some length has it.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().take(1024).all(|b| !matches!(b, 0..=8 | 14..=26 | 28..=31 | 127))
}

impl Kept {
    fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or_default()
    }

    fn clear(&mut self) {
        self.length = 0;
        self.total = 0;
    }

    /// At least `bytes` of initialised space after what is kept.
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        let wanted = self.length + bytes;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        self.buffer.get_mut(self.length..wanted).unwrap_or_default()
    }

    fn count(&mut self, bytes: usize) {
        self.length += bytes;
        self.total += bytes as u64;
    }

    fn push(&mut self, bytes: &[u8], cap: usize) {
        let fits = bytes.len().min(cap.saturating_sub(self.length));
        if let Some(from) = bytes.get(..fits) {
            self.room(fits).copy_from_slice(from);
            self.length += fits;
        }
        self.total += bytes.len() as u64;
    }

    /// Decodes `input`, keeping at most `cap` bytes in all and counting the rest up to the limit of work.
    fn run(&mut self, stream: &mut dyn Stream, input: &[u8], cap: usize) -> Run {
        let mut used = 0;
        let mut spill = [0u8; 16 << 10];
        while self.total < WORK {
            let left = cap.saturating_sub(self.length);
            let rest = input.get(used..).unwrap_or_default();
            let piece = left.min(self.length.max(64 << 10));
            let step = match left {
                0 => stream.step(rest, &mut spill),
                _ => stream.step(rest, self.room(piece)),
            };
            let Ok(step) = step else { return Run::Broken };
            used += step.used;
            self.total += step.produced as u64;
            if left > 0 {
                self.length += step.produced;
            }
            if step.ended {
                return Run::Ended(used);
            }
            if step.used == 0 && step.produced == 0 {
                return if used == input.len() { Run::Short } else { Run::Broken };
            }
        }
        // Enough is known of it: a bomb counts as whole, and the cap tells that it was cut.
        Run::Ended(input.len())
    }
}
