//! Walks an archive: whole members at a time where they are sound, piece by piece where they are not.

use super::content::{Content, Edge, Follows, State, skip};
use super::member::{Members, Start};
use super::record::{self, HeadEnd, Kind, Length};
use super::response::{Block, Responses};
use super::window::{LIMIT, Window};
use super::{ReadStats, kind};
use crate::capture::{Place, Problem, ProblemCode, Repair, Repairs};
use crate::ingest::libdeflate::Failure;
use crate::ingest::{Completion, Limits, Sink};
use std::io::Read;
use std::ops::ControlFlow;

/// Stored bytes that are in memory before a member is taken as a whole; longer ones are read in pieces.
const AHEAD: usize = 128 << 10;

/// Bytes that a member may inflate to and still be taken as a whole.
const WHOLE: usize = 4 << 20;

/// Room beyond a record's kept bytes, to see what follows it.
const SLACK: usize = 64 << 10;

/// Bytes of work that the search for members may cost before its share of the input is counted.
const SEARCH: u64 = 256 << 20;

/// Bytes of work that every byte searched allows.
const SEARCH_SHARE: u64 = 16;

/// What looking at one candidate counts at least.
const CANDIDATE: u64 = 4 << 10;

const PASSED_OVER: &str = "passed over; reading went on at the next sound member";
const NOTHING_AFTER: &str = "passed over; nothing readable comes after it";

/// The buffers of a reader, reused for every file.
pub(super) struct Buffers {
    pub(super) window: Window,
    output: Vec<u8>,
    content: Content,
    responses: Responses,
    unfolded: Vec<u8>,
}

impl Buffers {
    pub(super) fn new(limits: Limits) -> Buffers {
        let cap = limits.head_cap.saturating_mul(2).saturating_add(limits.body_cap).saturating_add(SLACK);
        Buffers {
            window: Window::new(),
            output: vec![0; 256 << 10],
            content: Content::new(cap),
            responses: Responses::new(limits),
            unfolded: Vec::new(),
        }
    }
}

/// One part of one archive.
pub(super) struct Walk<'w, M> {
    members: &'w mut M,
    source: &'w mut dyn Read,
    sink: &'w mut dyn Sink,
    window: &'w mut Window,
    output: &'w mut Vec<u8>,
    content: &'w mut Content,
    responses: &'w mut Responses,
    unfolded: &'w mut Vec<u8>,
    stats: &'w mut ReadStats,
    head_cap: usize,
    end: Option<u64>,
    /// Records so far, in the sense of `Place::record_number`.
    number: u64,
    /// Offset up to which progress was told.
    told: u64,
    /// Work that the search for members may still do.
    budget: u64,
    /// Whether the record that the end of the file cuts was handed over as far as it goes.
    cut_delivered: bool,
}

/// What was done about a response that the end of the file cuts.
const HANDED_OVER: &str = "the record was handed over as far as it goes";

/// How the walk goes on.
enum Flow {
    /// With the member at the start of the window.
    On,
    Done(Completion),
}

/// Why a member could not be read.
enum Cause {
    Stray,
    Truncated,
    Damaged(String),
    Endless,
}

/// Where a record ends.
enum Fate {
    /// Its block ends so many bytes into the content.
    Ends(usize, Repairs),
    /// It is larger than what is kept; so many bytes of it are left, or nobody knows how many.
    Large(Option<u64>, Repairs),
    /// Its end is missing or damaged.
    Lost,
}

/// What ends a record whose length is not to be trusted.
enum Bound {
    Edge(usize),
    Start(usize),
    End(usize),
    /// Nothing within the bytes that are kept.
    Far,
}

impl<'w, M: Members> Walk<'w, M> {
    pub(super) fn new(
        members: &'w mut M,
        source: &'w mut dyn Read,
        sink: &'w mut dyn Sink,
        buffers: &'w mut Buffers,
        stats: &'w mut ReadStats,
        head_cap: usize,
        end: Option<u64>,
    ) -> Walk<'w, M> {
        let Buffers { window, output, content, responses, unfolded } = buffers;
        let told = window.offset();
        Walk {
            members,
            source,
            sink,
            window,
            output,
            content,
            responses,
            unfolded,
            stats,
            head_cap,
            end,
            number: 0,
            told,
            budget: SEARCH,
            cut_delivered: false,
        }
    }

    /// Reads the part; with `inside` it starts somewhere in the file, and its first member, at that place or later, has to be found.
    pub(super) fn run(mut self, inside: Option<u64>) -> Completion {
        let mut completion = None;
        if let Some(own) = inside {
            self.told = own;
            if !self.find_start(own) {
                completion = Some(Completion::Complete);
            }
        }
        let completion = loop {
            match completion {
                Some(completion) => break completion,
                None => {
                    completion = match self.step() {
                        Flow::On => None,
                        Flow::Done(completion) => Some(completion),
                    }
                }
            }
        };
        self.tell(0);
        match self.window.error() {
            Some(error) if completion != Completion::Stopped => {
                let detail = error.to_string();
                let offset = Some(self.window.end_offset());
                self.problem(ProblemCode::FileUnreadable, offset, detail, "what came before was read");
                Completion::Incomplete
            }
            _ => completion,
        }
    }

    /// The member at the start of the window.
    fn step(&mut self) -> Flow {
        self.window.fill(AHEAD, self.source);
        self.tell(AHEAD as u64);
        if self.window.len() == 0 {
            return Flow::Done(Completion::Complete);
        }
        match self.members.start(self.window.bytes()) {
            Start::Member => {}
            Start::Skip(bytes) => {
                skip(self.window, self.source, bytes);
                return Flow::On;
            }
            Start::No => return self.recover(Cause::Stray),
        }
        if self.members.lacks_dictionary(self.window.bytes()) {
            let offset = Some(self.window.offset());
            let detail = "the frame names a dictionary and the file does not start with one".to_owned();
            self.problem(ProblemCode::DictionaryMissing, offset, detail, "the file was left");
            return Flow::Done(Completion::Incomplete);
        }
        let foreign = self.end.is_some_and(|end| self.window.offset() >= end);
        let inflated = loop {
            match self.members.whole(self.window.bytes(), self.output) {
                Err(Failure::OutputFull) if self.output.len() < WHOLE => {
                    // A fresh buffer instead of a grown one: nothing in it is worth copying.
                    *self.output = vec![0; self.output.len() * 4];
                }
                Err(_) => break None,
                Ok(inflated) => break Some(inflated),
            }
        };
        let Some(inflated) = inflated else {
            // What the next part would not find belongs to this one, so that damage at the border is told once.
            if foreign && self.is_sound() {
                return Flow::Done(Completion::Complete);
            }
            return self.slow(0);
        };
        if inflated.produced == 0 {
            self.window.consume(inflated.used);
            return Flow::On;
        }
        if foreign {
            let content = self.output.get(..inflated.produced).unwrap_or_default();
            let rest = content.get(record::line_ends(content)..).unwrap_or_default();
            if rest.starts_with(record::START) {
                return Flow::Done(Completion::Complete);
            }
        }
        self.whole(inflated.used, inflated.produced)
    }

    /// The records of a member that inflated as a whole. Whatever is not as it should be goes the slow way.
    fn whole(&mut self, used: usize, produced: usize) -> Flow {
        let offset = self.window.offset();
        let content = self.output.get(..produced).unwrap_or_default();
        let mut at = record::line_ends(content);
        let mut shared = false;
        while at < produced {
            let rest = content.get(at..).unwrap_or_default();
            let seen = rest.get(..self.head_cap).unwrap_or(rest);
            let head = rest.starts_with(record::START).then(|| record::head(seen, self.unfolded)).flatten();
            let Some(head) = head else { return self.slow(at) };
            let Length::Stated(length) = head.length else { return self.slow(at) };
            let Some((block, after)) =
                usize::try_from(length).ok().and_then(|length| rest.get(head.end..)?.split_at_checked(length))
            else {
                return self.slow(at);
            };
            let gap = record::line_ends(after);
            if gap < after.len() {
                if !after.get(gap..).unwrap_or_default().starts_with(record::START) {
                    return self.slow(at);
                }
                shared = true;
            }
            self.stats.records += 1;
            if head.kind == Kind::Response {
                self.stats.responses += 1;
                let mut repairs = Repairs::default();
                if after.get(..gap) != Some(record::SEPARATOR) {
                    repairs.add(Repair::RecordSeparator);
                }
                let place = match shared {
                    true => Place { record_number: Some(self.number), ..Place::default() },
                    false => Place { offset: Some(offset), length: Some(used as u64), ..Place::default() },
                };
                let block = Block { bytes: block, total: length, place, offset, repairs };
                match self.responses.hand_over(&head, block, self.sink) {
                    ControlFlow::Continue(captured) => self.stats.captures += u64::from(captured),
                    ControlFlow::Break(()) => {
                        self.window.consume(used);
                        return Flow::Done(Completion::Stopped);
                    }
                }
            }
            self.number += 1;
            at = produced - after.len() + gap;
        }
        self.window.consume(used);
        Flow::On
    }

    /// Reads the member at the start of the window, and those after it, as one stream of content, from `passed` bytes
    /// on, until a record starts where a member does.
    fn slow(&mut self, passed: usize) -> Flow {
        let base = self.window.offset();
        self.content.begin(base);
        let mut left = passed;
        while left > 0 {
            if self.content.len() == 0 && !self.advance() {
                return self.ended();
            }
            let bytes = left.min(self.content.len());
            self.content.consume(bytes);
            left -= bytes;
        }
        loop {
            let before = self.content.position();
            loop {
                let ends = record::line_ends(self.content.bytes());
                self.content.consume(ends);
                if self.content.len() > 0 || self.back_to_whole(before, base) || !self.advance() {
                    break;
                }
            }
            self.tell(AHEAD as u64);
            if self.back_to_whole(before, base) {
                return Flow::On;
            }
            if self.content.len() == 0 {
                return self.ended();
            }
            let own = self.content.edge_between(before, self.content.position());
            // A member that starts beyond the part's end is somebody else's, as it is when members are read whole.
            if let (Some(own), Some(end)) = (own, self.end)
                && own.offset >= end
                && self.content.bytes().starts_with(record::START)
            {
                return Flow::Done(Completion::Complete);
            }
            if self.follows(0, true) != Follows::Record(0) {
                if *self.content.state() != State::More && record::START.starts_with(self.content.bytes()) {
                    return self.lost(self.offset_here(base));
                }
                if let Some(done) = self.junk(base) {
                    return done;
                }
                continue;
            }
            if let Some(flow) = self.record(own, base) {
                return flow;
            }
            self.content.taken();
        }
    }

    /// Whether the next record starts with a member, and the window still has that member: it can be taken as a whole.
    fn back_to_whole(&self, before: u64, base: u64) -> bool {
        M::FRAMED
            && self
                .content
                .edge_between(before, self.content.position())
                .is_some_and(|edge| edge.offset > base && self.content.back_at(edge, self.window))
    }

    /// Content where a record should start and none does.
    fn junk(&mut self, base: u64) -> Option<Flow> {
        let offset = self.offset_here(base);
        if self.stats.records == 0 && offset == 0 {
            let detail = format!("the content looks like {}", kind::describe(self.content.bytes()));
            self.problem(ProblemCode::NotAWarc, Some(offset), detail, "the file was left");
            return Some(Flow::Done(Completion::Incomplete));
        }
        let bytes = self.seek();
        let detail = format!("{bytes} bytes of content that belong to no record");
        self.problem(ProblemCode::BytesSkipped, Some(offset), detail, "passed over; reading went on after them");
        None
    }

    /// The record at the start of the content; `Some` when reading the content ends with it.
    fn record(&mut self, own: Option<Edge>, base: u64) -> Option<Flow> {
        let offset = own.filter(|_| M::FRAMED).map_or_else(|| self.offset_here(base), |edge| edge.offset);
        let head_end = match self.find_head() {
            Ok(end) => end,
            Err(code) => return self.without_head(code, offset),
        };
        let seen = self.content.bytes().get(..head_end).unwrap_or_default();
        let head = record::head(seen, self.unfolded).map(|head| (head.kind, head.length));
        let Some((kind, length)) = head else { return self.without_head(ProblemCode::RecordUnreadable, offset) };
        match self.find_end(head_end, length) {
            Fate::Lost => {
                self.count_cut(kind);
                let flow = match kind {
                    Kind::Response => self.deliver_cut(None, own, base, offset),
                    Kind::Other => None,
                };
                Some(flow.unwrap_or_else(|| self.lost(offset)))
            }
            Fate::Ends(end, repairs) => {
                let (place, repairs) = self.place(own, base, end, 0, repairs);
                let flow = match kind {
                    Kind::Other => None,
                    Kind::Response => {
                        let bytes = self.content.bytes().get(..end).unwrap_or_default();
                        let total = (end - head_end) as u64;
                        self.stats.responses += 1;
                        deliver(
                            self.responses,
                            self.unfolded,
                            self.stats,
                            self.sink,
                            bytes,
                            total,
                            place,
                            offset,
                            repairs,
                        )
                    }
                };
                self.stats.records += 1;
                self.number += 1;
                self.content.consume(end);
                flow
            }
            Fate::Large(left, repairs) => self.large(kind, head_end, left, repairs, own, base, offset),
        }
    }

    /// A record with more bytes than are kept: the first ones are delivered, the rest is counted.
    #[expect(clippy::too_many_arguments, reason = "one place calls it, with what it knows of one record")]
    fn large(
        &mut self,
        kind: Kind,
        head_end: usize,
        left: Option<u64>,
        mut repairs: Repairs,
        own: Option<Edge>,
        base: u64,
        offset: u64,
    ) -> Option<Flow> {
        let keep = self.content.len();
        let start = self.content.position();
        let kept = match kind {
            Kind::Response => self.content.detach(keep),
            Kind::Other => {
                self.content.consume(keep);
                Vec::new()
            }
        };
        let mut total = (keep - head_end) as u64;
        let mut lost = false;
        match left {
            None => total += self.seek(),
            Some(mut left) => {
                while left > 0 {
                    if self.content.len() == 0 && self.content.ends_at_edge() {
                        match self.follows(0, true) {
                            Follows::Record(start) if (start as u64) < left => {
                                repairs.add(Repair::LengthShort);
                                break;
                            }
                            Follows::Nothing if (self.content.len() as u64) < left => {
                                repairs.add(Repair::LengthShort);
                                break;
                            }
                            _ => repairs.add(Repair::SplitOverMembers),
                        }
                    } else if self.content.len() == 0 && !self.advance() {
                        lost = true;
                        break;
                    }
                    let bytes = self.content.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    self.content.consume(bytes);
                    total += bytes as u64;
                    left -= bytes as u64;
                    self.tell(LIMIT as u64);
                }
            }
        }
        if !lost {
            match self.follows(0, false) {
                Follows::Edge | Follows::Record(_) => {}
                Follows::Nothing => lost = !self.is_proved(0),
                Follows::Other => repairs.add(Repair::ContentLengthWrong),
            }
        }
        let mut flow = None;
        if !lost {
            let passed = self.content.position() - start;
            let (place, repairs) = self.place(own, base, 0, passed, repairs);
            if kind == Kind::Response {
                self.stats.responses += 1;
                flow =
                    deliver(self.responses, self.unfolded, self.stats, self.sink, &kept, total, place, offset, repairs);
            }
            self.stats.records += 1;
            self.number += 1;
        }
        if lost {
            self.count_cut(kind);
            if kind == Kind::Response {
                flow = self.deliver_cut(Some((&kept, total, start)), own, base, offset);
            }
        }
        if kind == Kind::Response {
            self.content.attach(kept);
        }
        if lost {
            return Some(flow.unwrap_or_else(|| self.lost(offset)));
        }
        flow
    }

    /// Hands over a response that the end of the file cuts, as far as it goes: its HTTP head must be whole. It is marked,
    /// and the problem is told all the same. `large` is the part of a large one that is kept, how much of it there was
    /// after its head, and where it began.
    fn deliver_cut(
        &mut self,
        large: Option<(&[u8], u64, u64)>,
        own: Option<Edge>,
        base: u64,
        offset: u64,
    ) -> Option<Flow> {
        let is_cut = matches!(self.content.state(), State::More | State::End | State::Truncated);
        if !is_cut || self.window.error().is_some() {
            return None;
        }
        let mut repairs = Repairs::default();
        repairs.add(Repair::LengthShort);
        let end = self.content.len();
        let passed = large.map_or(0, |(.., start)| self.content.position() - start);
        let place = match own.filter(|_| M::FRAMED) {
            Some(own) => {
                let length = self.window.end_offset().saturating_sub(own.offset);
                Place { offset: Some(own.offset), length: Some(length), ..Place::default() }
            }
            None => self.place(own, base, end, passed, Repairs::default()).0,
        };
        let bytes = large.map_or(self.content.bytes(), |(kept, ..)| kept);
        let head = record::head(bytes, self.unfolded)?.end;
        let block = bytes.get(head..).unwrap_or_default();
        if !block.starts_with(b"HTTP/") || !matches!(record::head_end(block, 0), HeadEnd::Blank(_)) {
            return None;
        }
        let total = large.map_or(block.len() as u64, |(_, total, _)| total);
        self.cut_delivered = true;
        deliver(self.responses, self.unfolded, self.stats, self.sink, bytes, total, place, offset, repairs)
    }

    /// Counts a record that the end of the file cuts: others count it too.
    fn count_cut(&mut self, kind: Kind) {
        if matches!(self.content.state(), State::More | State::End | State::Truncated) {
            self.stats.records += 1;
            self.stats.responses += u64::from(kind == Kind::Response);
        }
    }

    /// Bytes of the head at the start of the content, its blank line included.
    fn find_head(&mut self) -> Result<usize, ProblemCode> {
        let mut searched = 0;
        loop {
            let bytes = self.content.bytes();
            let bytes = bytes.get(..self.head_cap).unwrap_or(bytes);
            match record::head_end(bytes, searched) {
                HeadEnd::Blank(end) => return Ok(end),
                // The head of another record begins before this one ends.
                HeadEnd::Version => return Err(ProblemCode::RecordUnreadable),
                HeadEnd::More(upto) => searched = upto,
            }
            if self.content.len() >= self.head_cap {
                return Err(ProblemCode::RecordTooLarge);
            }
            if self.content.ends_at_edge() {
                if matches!(self.follows(self.content.len(), true), Follows::Record(_) | Follows::Nothing) {
                    return Err(ProblemCode::RecordUnreadable);
                }
            } else if !self.advance() {
                return Err(ProblemCode::FileTruncated);
            }
        }
    }

    /// A version line without a head that can be read.
    fn without_head(&mut self, code: ProblemCode, offset: u64) -> Option<Flow> {
        if code == ProblemCode::FileTruncated {
            return Some(self.lost(offset));
        }
        let detail = match code {
            ProblemCode::RecordTooLarge => format!("a record's head is longer than {} bytes", self.head_cap),
            _ => "a record's head has no end".to_owned(),
        };
        self.problem(code, Some(offset), detail, "passed over; reading went on at the next record");
        // Without a blank line no record ends here, so half of what was searched can be left for good.
        let passed = if code == ProblemCode::RecordTooLarge { self.head_cap / 2 } else { 0 };
        self.content.consume(passed.max(record::START.len()));
        self.seek();
        None
    }

    /// Where the block of the record at the start of the content ends. The member is the truth where there is one.
    fn find_end(&mut self, head_end: usize, length: Length) -> Fate {
        let mut repairs = Repairs::default();
        let keep = self.content.capacity() - SLACK;
        let Length::Stated(stated) = length else {
            repairs.add(match length {
                Length::Missing => Repair::ContentLengthMissing,
                _ => Repair::ContentLengthWrong,
            });
            return match self.bound(head_end, &mut repairs) {
                Bound::Edge(at) | Bound::Start(at) => Fate::Ends(self.trimmed(head_end, at).0, repairs),
                Bound::End(at) if self.is_whole() => Fate::Ends(self.trimmed(head_end, at).0, repairs),
                Bound::End(_) => Fate::Lost,
                Bound::Far => Fate::Large(None, repairs),
            };
        };
        let target = usize::try_from(stated).unwrap_or(usize::MAX).saturating_add(head_end);
        while self.content.len() < target.min(keep) {
            if self.content.ends_at_edge() {
                let at = self.content.len();
                let follows = self.follows(at, true);
                match follows {
                    // What the length still misses may be line ends, and those were just passed over.
                    Follows::Other => repairs.add(Repair::SplitOverMembers),
                    Follows::Record(start) if start >= target => repairs.add(Repair::SplitOverMembers),
                    Follows::Nothing if self.content.len() >= target => repairs.add(Repair::SplitOverMembers),
                    _ => {
                        if let Some(at) =
                            self.content.bytes().get(..at).and_then(|seen| record::next_start(seen, head_end))
                        {
                            repairs.add(Repair::ContentLengthWrong);
                            return Fate::Ends(self.trimmed(head_end, at).0, repairs);
                        }
                        // The member's end decides; without a separator before it the record itself was cut.
                        let (end, whole) = self.trimmed(head_end, at);
                        if !whole && follows == Follows::Nothing && !self.is_whole() {
                            return Fate::Lost;
                        }
                        repairs.add(if whole { Repair::ContentLengthWrong } else { Repair::LengthShort });
                        return Fate::Ends(end, repairs);
                    }
                }
            } else if !self.advance() {
                return match record::next_start(self.content.bytes(), head_end) {
                    Some(at) => {
                        repairs.add(Repair::ContentLengthWrong);
                        Fate::Ends(self.trimmed(head_end, at).0, repairs)
                    }
                    None => Fate::Lost,
                };
            }
        }
        if target > keep && self.content.len() < target {
            return Fate::Large(Some(stated.saturating_sub((self.content.len() - head_end) as u64)), repairs);
        }
        match self.follows(target, false) {
            Follows::Edge | Follows::Record(_) => return Fate::Ends(target, repairs),
            Follows::Nothing if self.is_proved(target) => return Fate::Ends(target, repairs),
            Follows::Nothing => return Fate::Lost,
            Follows::Other => {}
        }
        // A record that starts inside the stated length, or one that starts later than it says.
        let inside = self.content.bytes().get(..target).and_then(|bytes| record::next_start(bytes, head_end));
        if let Some(at) = inside {
            repairs.add(Repair::ContentLengthWrong);
            return Fate::Ends(self.trimmed(head_end, at).0, repairs);
        }
        let rest = self.content.bytes().get(target..).unwrap_or_default();
        let separated = rest.starts_with(record::SEPARATOR) || rest.starts_with(b"\n\n");
        match self.bound(target, &mut repairs) {
            Bound::Edge(at) => {
                repairs.add(Repair::ContentLengthWrong);
                Fate::Ends(self.trimmed(head_end, at).0, repairs)
            }
            Bound::End(_) if !self.is_proved(target) => Fate::Lost,
            Bound::Start(at) | Bound::End(at) if !separated => {
                repairs.add(Repair::ContentLengthWrong);
                Fate::Ends(self.trimmed(head_end, at).0, repairs)
            }
            // A block that ends as it says, and bytes of nobody after it.
            _ => Fate::Ends(target, repairs),
        }
    }

    /// The first place from `from` on where a record must have ended.
    fn bound(&mut self, from: usize, repairs: &mut Repairs) -> Bound {
        let mut searched = from;
        loop {
            if let Some(at) = record::next_start(self.content.bytes(), searched) {
                return Bound::Start(at);
            }
            let length = self.content.len();
            // A version line may have been cut by the end of what is in memory.
            searched = length.saturating_sub(16).max(from);
            if length >= from && self.content.ends_at_edge() {
                match self.follows(length, true) {
                    Follows::Other => repairs.add(Repair::SplitOverMembers),
                    _ => return Bound::Edge(length),
                }
            } else if self.content.is_full() {
                return Bound::Far;
            } else if !self.advance() {
                return Bound::End(length);
            }
        }
    }

    /// The end of a block that goes up to `at`, its separator not counted, and whether there was one.
    fn trimmed(&self, head_end: usize, at: usize) -> (usize, bool) {
        let block = self.content.bytes().get(head_end..at).unwrap_or_default();
        let (block, separated) = record::without_separator(block);
        (head_end + block.len(), separated)
    }

    /// Where the record lies whose block ends `end` bytes into the content; `passed` bytes of it were dropped before.
    fn place(&self, own: Option<Edge>, base: u64, end: usize, passed: u64, mut repairs: Repairs) -> (Place, Repairs) {
        let rest = self.content.bytes().get(end..).unwrap_or_default();
        let gap = record::line_ends(rest);
        if rest.get(..gap) != Some(record::SEPARATOR) {
            repairs.add(Repair::RecordSeparator);
        }
        let here = self.content.position() + end as u64;
        let numbered = Place { record_number: Some(self.number), ..Place::default() };
        if !M::FRAMED {
            let separator = if rest.starts_with(b"\n\n") { 2 } else { gap.min(record::SEPARATOR.len()) };
            let start = self.content.position() - passed;
            let place = Place {
                offset: Some(base + start),
                length: Some(passed + (end + separator) as u64),
                ..Place::default()
            };
            return (place, repairs);
        }
        let Some(own) = own else { return (numbered, repairs) };
        let after = self.content.edge_from(here).filter(|edge| edge.at <= here + gap as u64).map(|edge| edge.offset);
        let upto = after.or_else(|| (*self.content.state() == State::Truncated).then(|| self.window.end_offset()));
        match upto {
            Some(upto) => {
                let place = Place {
                    offset: Some(own.offset),
                    length: Some(upto.saturating_sub(own.offset)),
                    ..Place::default()
                };
                (place, repairs)
            }
            None => (numbered, repairs),
        }
    }

    /// Whether nothing was damaged up to the end of a block that ends at `end`.
    fn is_proved(&self, end: usize) -> bool {
        let damaged = matches!(self.content.state(), State::Damaged(_) | State::Endless);
        !damaged || self.content.edge_from(self.content.position() + end as u64).is_some()
    }

    /// Whether the content ended where it should: at the end of a member or of a plain file.
    fn is_whole(&self) -> bool {
        matches!(self.content.state(), State::More | State::End | State::Stray)
    }

    /// Drops content up to the next record; returns how much.
    fn seek(&mut self) -> u64 {
        let start = self.content.position();
        let mut searched = 0;
        loop {
            if let Some(at) = record::next_start(self.content.bytes(), searched) {
                self.content.consume(at);
                break;
            }
            let length = self.content.len();
            if self.content.ends_at_edge() && self.content.position() + length as u64 > start {
                if matches!(self.follows(length, true), Follows::Record(_) | Follows::Nothing) {
                    self.content.consume(length);
                    break;
                }
                continue;
            }
            // The line end before a version line stays, so that it is known for one.
            let kept = length.min(16);
            self.content.consume(length - kept);
            searched = usize::from(kept > 0);
            if !self.advance() {
                self.content.consume(kept);
                break;
            }
        }
        self.content.position() - start
    }

    /// The content ended where no record was.
    fn ended(&mut self) -> Flow {
        match self.content.state().clone() {
            State::More | State::End => Flow::Done(Completion::Complete),
            State::Stray => self.recover(Cause::Stray),
            State::Truncated => self.recover(Cause::Truncated),
            State::Damaged(detail) => self.recover(Cause::Damaged(detail)),
            State::Endless => self.recover(Cause::Endless),
        }
    }

    /// The content ended inside a record.
    fn lost(&mut self, offset: u64) -> Flow {
        if !matches!(self.content.state(), State::More | State::End) {
            return self.ended();
        }
        if self.window.error().is_none() {
            let detail = "the file ends inside a record".to_owned();
            let action = if self.cut_delivered { HANDED_OVER } else { "the record was left out" };
            self.problem(ProblemCode::FileTruncated, Some(offset), detail, action);
        }
        Flow::Done(Completion::Incomplete)
    }

    /// Looks for the next sound member after one that is not, and tells.
    fn recover(&mut self, cause: Cause) -> Flow {
        let at = match (&cause, self.content.last_edge()) {
            (Cause::Truncated | Cause::Damaged(_) | Cause::Endless, Some(edge)) => edge.offset,
            _ => self.window.offset(),
        };
        if self.window.error().is_some() {
            return Flow::Done(Completion::Incomplete);
        }
        let mut cause = cause;
        if self.window.offset() <= at {
            // Bytes that only happen to start like a member are not the cut end of a file.
            let bytes = self.window.bytes();
            if matches!(cause, Cause::Truncated) && bytes.len() >= 18 && !M::looks_real(bytes) {
                cause = Cause::Stray;
            }
            self.window.consume(1);
        }
        let found = self.search();
        let name = M::NAME;
        let bytes = self.window.offset().saturating_sub(at);
        let action = if found { PASSED_OVER } else { NOTHING_AFTER };
        let (code, detail) = match cause {
            Cause::Stray => (ProblemCode::BytesSkipped, format!("{bytes} bytes that are no {name}")),
            Cause::Truncated if !found => {
                (ProblemCode::FileTruncated, format!("the file ends {bytes} bytes into a {name}"))
            }
            Cause::Truncated => (ProblemCode::MemberDamaged, format!("a {name} that does not end; {bytes} bytes lost")),
            Cause::Damaged(why) => {
                (ProblemCode::MemberDamaged, format!("a damaged {name} ({why}); {bytes} bytes lost"))
            }
            Cause::Endless => (ProblemCode::RecordTooLarge, format!("a {name} that goes on and on without a record")),
        };
        let truncated = code == ProblemCode::FileTruncated;
        let action = if truncated && self.cut_delivered { HANDED_OVER } else { action };
        self.problem(code, Some(at), detail, action);
        if found {
            return Flow::On;
        }
        // A file of which nothing could be read does not count as read.
        let read = self.stats.records > 0 && !truncated && self.budget > 0 && self.window.error().is_none();
        Flow::Done(if read { Completion::Complete } else { Completion::Incomplete })
    }

    /// Moves the window to the first sound member of this part, which begins at `own`; `false` when it has none.
    ///
    /// The window may begin before that: members found there are walked over, so that an archive inside a member that is
    /// stored and not deflated is not taken for the archive itself.
    fn find_start(&mut self, own: u64) -> bool {
        let end = self.end.unwrap_or(u64::MAX);
        let mut found = self.search_until(end);
        while found && (self.window.offset() < own || !self.is_sound()) {
            found = if self.pass_member() { self.window.offset() < end } else { self.search_until(end) };
        }
        found && self.window.offset() < end
    }

    /// Passes over the member at the window; `false` when none is there to its end, and then the window is somewhere behind its start.
    fn pass_member(&mut self) -> bool {
        self.window.fill(CANDIDATE as usize, self.source);
        if !M::could_be(self.window.bytes()) {
            self.window.consume(1);
            return false;
        }
        let mut content = [0u8; 16 << 10];
        self.members.stream().restart();
        loop {
            if self.window.len() == 0 && !self.window.read_on(self.source) {
                return false;
            }
            let Ok(step) = self.members.stream().step(self.window.bytes(), &mut content) else {
                self.window.consume(1);
                return false;
            };
            self.window.consume(step.used);
            if step.ended {
                return true;
            }
            if step.used == 0 && step.produced == 0 && !self.window.read_on(self.source) {
                return false;
            }
        }
    }

    /// Moves the window to the next sound member; `false` when there is none or the search has become too costly.
    fn search(&mut self) -> bool {
        self.search_until(u64::MAX)
    }

    fn search_until(&mut self, end: u64) -> bool {
        let finder = memchr::memmem::Finder::new(M::MAGIC);
        loop {
            let bytes = self.window.bytes();
            let found = finder.find(bytes);
            let passed = found.unwrap_or_else(|| bytes.len().saturating_sub(M::MAGIC.len() - 1));
            self.window.consume(passed);
            self.budget = self.budget.saturating_add(passed as u64 * SEARCH_SHARE);
            self.tell(LIMIT as u64);
            if self.budget == 0 || self.window.offset() >= end {
                return false;
            }
            if found.is_some() {
                if self.is_sound() {
                    return true;
                }
                self.window.consume(1);
            } else if !self.window.read_on(self.source) {
                let left = self.window.len();
                self.window.consume(left);
                return false;
            }
        }
    }

    /// Whether a member starts at the window that holds a record's start and goes on without damage: to its end with
    /// the right checksum, or as far as the window or the file goes.
    fn is_sound(&mut self) -> bool {
        self.window.fill(CANDIDATE as usize, self.source);
        if !M::could_be(self.window.bytes()) {
            return false;
        }
        self.budget = self.budget.saturating_sub(CANDIDATE);
        let mut content = [0u8; 8 << 10];
        let (mut used, mut kept, mut is_record) = (0, 0, false);
        self.members.stream().restart();
        loop {
            let input = self.window.bytes().get(used..).unwrap_or_default();
            if input.is_empty() {
                if self.window.read_on(self.source) {
                    continue;
                }
                return is_record;
            }
            let room = content.get_mut(kept..).unwrap_or_default();
            let Ok(step) = self.members.stream().step(input, room) else { return false };
            used += step.used;
            self.budget = self.budget.saturating_sub((step.used + step.produced) as u64);
            if !is_record {
                kept += step.produced;
                let seen = content.get(..kept).unwrap_or_default();
                let rest = seen.get(record::line_ends(seen)..).unwrap_or_default();
                if rest.starts_with(record::START) {
                    (is_record, kept) = (true, 0);
                } else if rest.len() >= record::START.len() || kept == content.len() {
                    return false;
                }
            }
            if step.ended {
                return is_record;
            }
            if step.used == 0 && step.produced == 0 || self.budget == 0 {
                return false;
            }
        }
    }

    /// Where the first byte of the content lies: its member, or in a plain file itself.
    fn offset_here(&self, base: u64) -> u64 {
        if M::FRAMED {
            self.content.edge_between(0, self.content.position()).map_or(base, |edge| edge.offset)
        } else {
            base + self.content.position()
        }
    }

    fn advance(&mut self) -> bool {
        self.content.advance(self.members, self.window, self.source)
    }

    fn follows(&mut self, rel: usize, beyond: bool) -> Follows {
        self.content.follows(rel, beyond, self.members, self.window, self.source)
    }

    fn problem(&mut self, code: ProblemCode, offset: Option<u64>, detail: String, action: &'static str) {
        self.sink.problem(Problem { code, offset, detail, action });
    }

    /// Tells progress when it has come to at least so many bytes.
    fn tell(&mut self, least: u64) {
        let upto = self.window.offset().min(self.end.unwrap_or(u64::MAX));
        let bytes = upto.saturating_sub(self.told);
        if bytes >= least.max(1) {
            self.told = upto;
            self.sink.progress(bytes);
        }
    }
}

/// Hands a response over that was found the slow way; `bytes` are its head and as much of its block as is kept.
#[expect(clippy::too_many_arguments, reason = "the fields of a walk that the content does not borrow")]
fn deliver(
    responses: &mut Responses,
    unfolded: &mut Vec<u8>,
    stats: &mut ReadStats,
    sink: &mut dyn Sink,
    bytes: &[u8],
    total: u64,
    place: Place,
    offset: u64,
    repairs: Repairs,
) -> Option<Flow> {
    let head = record::head(bytes, unfolded)?;
    let block = bytes.get(head.end..).unwrap_or_default();
    match responses.hand_over(&head, Block { bytes: block, total, place, offset, repairs }, sink) {
        ControlFlow::Continue(captured) => {
            stats.captures += u64::from(captured);
            None
        }
        ControlFlow::Break(()) => Some(Flow::Done(Completion::Stopped)),
    }
}
