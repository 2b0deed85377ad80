//! WARC archives of every compression to captures (ISO 28500; the IIPC's draft for `.warc.zst`).
//!
//! - `mod`: the reader, and what it makes of a file as a whole; `kind`: what a file is
//! - `window`: stored bytes; `member`: what they are cut into; `codec`: the decoders
//! - `walk`: members and records one after the other, damage and what comes after it; `content`: members as one stream
//! - `record`, `date`, `fields`: the WARC head; `response`, `http`, `decode`: what a response holds
//!
//! The member is the truth about where a record ends, and its Content-Length a check. A sound member that holds whole
//! records is inflated at once by libdeflate and its bodies are borrowed from there. Whatever is not like that (members
//! too large, records over several members, wrong lengths, damage) is read again in pieces, which costs more and bounds
//! memory: window, kept record and two stages of decoding come to some 80 MiB at the very most, whatever the input.

mod codec;
mod content;
mod date;
mod decode;
mod fields;
mod http;
mod kind;
mod member;
mod record;
mod response;
mod walk;
mod window;

#[cfg(test)]
mod tests;

use super::{Completion, Limits, Origin, Part, Sink};
use crate::capture::{Capture, Problem, ProblemCode};
use kind::Kind;
use member::{Frames, Gzip, Members, Plain};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;
use walk::{Buffers, Walk};

/// Reads WARC archives; one a thread, reused for many files.
pub struct WarcReader {
    limits: Limits,
    gzip: Option<Gzip>,
    buffers: Buffers,
    stats: ReadStats,
}

/// What the last part held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadStats {
    /// Records of every type, with a last one that the end of the file cuts.
    pub records: u64,
    /// Those of type `response`, whatever they are a response of.
    pub responses: u64,
    /// Those that were handed over: responses of HTTP.
    pub captures: u64,
}

impl WarcReader {
    /// A reader with buffers of its own.
    pub fn new(limits: Limits) -> WarcReader {
        WarcReader { limits, gzip: None, buffers: Buffers::new(limits), stats: ReadStats::default() }
    }

    /// Reads a part of a file, or standard input. What cannot be read is told to the sink as a problem.
    ///
    /// Only gzip archives are ever read in parts: of any other kind the part that starts at 0 is the whole file, and
    /// the others hold nothing.
    pub fn read(&mut self, part: &Part, sink: &mut dyn Sink) -> Completion {
        match &part.origin {
            Origin::Stdin => self.read_from(&mut io::stdin().lock(), part.start, part.end, sink),
            Origin::File(path) => match open(path, part.start, part.start.saturating_sub(LOOK_BACK)) {
                Ok(Some(mut file)) => {
                    let at = part.start.saturating_sub(LOOK_BACK);
                    self.read_part(&mut file, at, part.start, part.end, sink)
                }
                Ok(None) => Completion::Complete,
                Err(error) => {
                    self.stats = ReadStats::default();
                    sink.problem(Problem {
                        code: ProblemCode::FileUnreadable,
                        offset: None,
                        detail: error.to_string(),
                        action: "the file was left",
                    });
                    Completion::Incomplete
                }
            },
        }
    }

    /// Reads an archive from any source whose next byte is the one at `start`.
    ///
    /// A start other than 0 says that this is gzip, and that reading begins at the first sound member; members that
    /// start at `end` or later are left to others.
    pub fn read_from(
        &mut self,
        source: &mut dyn Read,
        start: u64,
        end: Option<u64>,
        sink: &mut dyn Sink,
    ) -> Completion {
        self.read_part(source, start, start, end, sink)
    }

    /// The same, where the source's next byte is the one at `at`, and the part begins at `start`, there or later.
    fn read_part(
        &mut self,
        source: &mut dyn Read,
        at: u64,
        start: u64,
        end: Option<u64>,
        sink: &mut dyn Sink,
    ) -> Completion {
        self.stats = ReadStats::default();
        self.buffers.window.restart(at);
        self.buffers.window.fill(1, source);
        if start > 0 {
            return self.gzip(source, end, Some(start), sink);
        }
        // A pipe may give its first bytes one at a time.
        self.buffers.window.fill(4096, source);
        let window = &self.buffers.window;
        match kind::detect(window.bytes()) {
            Kind::Empty | Kind::Unknown if let Some(error) = window.error() => {
                sink.problem(Problem {
                    code: ProblemCode::FileUnreadable,
                    offset: Some(window.end_offset()),
                    detail: error.to_string(),
                    action: "the file was left",
                });
                Completion::Incomplete
            }
            Kind::Empty if window.ended() => Completion::Complete,
            Kind::Gzip => self.gzip(source, end, None, sink),
            Kind::Zstd => self.zstd(source, sink),
            Kind::Plain(skipped) => {
                self.buffers.window.consume(skipped);
                self.walk(&mut Plain::new(), source, None, None, sink)
            }
            Kind::Empty => self.walk(&mut Plain::new(), source, None, None, sink),
            Kind::Foreign => self.foreign(sink),
            Kind::Unknown => self.unknown(source, end, sink),
        }
    }

    /// What the last part read held.
    pub fn stats(&self) -> ReadStats {
        self.stats
    }

    fn gzip(
        &mut self,
        source: &mut dyn Read,
        end: Option<u64>,
        inside: Option<u64>,
        sink: &mut dyn Sink,
    ) -> Completion {
        let Some(mut gzip) = self.gzip.take().or_else(Gzip::new) else { return no_memory(sink) };
        let completion = self.walk(&mut gzip, source, end, inside, sink);
        self.gzip = Some(gzip);
        completion
    }

    fn zstd(&mut self, source: &mut dyn Read, sink: &mut dyn Sink) -> Completion {
        let Some(mut frames) = Frames::new() else { return no_memory(sink) };
        let window = &mut self.buffers.window;
        if Frames::has_dictionary_frame(window.bytes())
            && let Some(length) = Frames::skippable(window.bytes())
        {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            window.fill(length, source);
            let loaded = match window.bytes().get(8..length) {
                Some(dictionary) => frames.load_dictionary(dictionary),
                None => Err("it is cut off or larger than any real one".to_owned()),
            };
            if let Err(why) = loaded {
                sink.problem(Problem {
                    code: ProblemCode::DictionaryMissing,
                    offset: Some(0),
                    detail: format!("the file's dictionary cannot be used: {why}"),
                    action: "the file was left",
                });
                return Completion::Incomplete;
            }
        }
        self.walk(&mut frames, source, None, None, sink)
    }

    fn walk<M: Members>(
        &mut self,
        members: &mut M,
        source: &mut dyn Read,
        end: Option<u64>,
        inside: Option<u64>,
        sink: &mut dyn Sink,
    ) -> Completion {
        let WarcReader { limits, buffers, stats, .. } = self;
        Walk::new(members, source, sink, buffers, stats, limits.head_cap, end).run(inside)
    }

    /// A file that starts with nothing known: an archive with damaged first bytes is still read.
    fn unknown(&mut self, source: &mut dyn Read, end: Option<u64>, sink: &mut dyn Sink) -> Completion {
        self.buffers.window.fill(window::LIMIT, source);
        if !holds_member(self.buffers.window.bytes()) {
            return self.foreign(sink);
        }
        let mut held = Held { sink, problems: Vec::new() };
        let completion = self.gzip(source, end, None, &mut held);
        let Held { sink, problems } = held;
        if self.stats.records == 0 && completion != Completion::Stopped {
            return self.foreign(sink);
        }
        problems.into_iter().for_each(|problem| sink.problem(problem));
        completion
    }

    fn foreign(&mut self, sink: &mut dyn Sink) -> Completion {
        let detail = match self.buffers.window.offset() {
            0 => format!("it looks like {}", kind::describe(self.buffers.window.bytes())),
            _ => "nothing in it can be read".to_owned(),
        };
        sink.problem(Problem { code: ProblemCode::NotAWarc, offset: Some(0), detail, action: "the file was left" });
        Completion::Incomplete
    }
}

/// Passes captures on and keeps problems back until it is known what kind of file they are about.
struct Held<'s> {
    sink: &'s mut dyn Sink,
    problems: Vec<Problem>,
}

impl Sink for Held<'_> {
    fn capture(&mut self, capture: &Capture<'_>) -> ControlFlow<()> {
        self.problems.drain(..).for_each(|problem| self.sink.problem(problem));
        self.sink.capture(capture)
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn progress(&mut self, bytes: u64) {
        self.sink.progress(bytes);
    }
}

/// Bytes before a part from which on its members are walked, so that its first one is found for what it is: more than any stored member
/// of a robots.txt crawl has, and 3 % of the smallest usual part.
const LOOK_BACK: u64 = 1 << 20;

/// Opens a file for a part; `None` when the part is inside a file that is never read in parts. Which kind it is is decided by its
/// first bytes, as the part that starts with them does.
fn open(path: &Path, part_start: u64, at: u64) -> io::Result<Option<File>> {
    let mut file = File::open(path)?;
    if part_start > 0 {
        let mut first = Vec::with_capacity(4096);
        (&mut file).take(4096).read_to_end(&mut first)?;
        let is_gzip = match kind::detect(&first) {
            Kind::Gzip => true,
            Kind::Unknown => {
                (&mut file).take((window::LIMIT - 4096) as u64).read_to_end(&mut first)?;
                holds_member(&first)
            }
            _ => false,
        };
        if !is_gzip {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(at))?;
    }
    Ok(Some(file))
}

/// Whether something like a gzip member begins somewhere in these bytes.
fn holds_member(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, Gzip::MAGIC).any(|at| Gzip::looks_real(bytes.get(at..).unwrap_or_default()))
}

fn no_memory(sink: &mut dyn Sink) -> Completion {
    sink.problem(Problem {
        code: ProblemCode::FileUnreadable,
        offset: None,
        detail: "no memory for a decompressor".to_owned(),
        action: "the file was left",
    });
    Completion::Incomplete
}
