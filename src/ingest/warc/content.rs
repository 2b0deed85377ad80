//! The decompressed bytes of consecutive members as one stream, and where in it members end.

use super::member::{Members, Start};
use super::record;
use super::window::{LIMIT, Window};
use std::collections::VecDeque;
use std::io::Read;

/// Bytes that one record may decompress to before the member counts as one that never ends.
const ENDLESS: u64 = 4 << 30;

/// Member ends that are remembered; a record over more members than this takes its place from the last ones.
const EDGES: usize = 4096;

/// Why there is no more content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// There is more, or may be.
    More,
    /// The input ended where a member ended.
    End,
    /// The input ended inside a member.
    Truncated,
    /// What follows the last member is no member.
    Stray,
    /// A member is damaged.
    Damaged(String),
    /// A member goes on and on without a new record.
    Endless,
}

/// Where one member ends and the next starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// Position in the content.
    pub(super) at: u64,
    /// Offset in the input.
    pub(super) offset: u64,
}

/// What follows a place, line ends passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// The member's end, before anything else.
    Edge,
    /// A record that starts so many bytes into the content.
    Record(usize),
    /// Something else.
    Other,
    /// Nothing any more.
    Nothing,
}

/// Content that is in memory.
pub(super) struct Content {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes that may be in memory at most.
    cap: usize,
    /// Position of the first byte that is in memory.
    position: u64,
    edges: VecDeque<Edge>,
    state: State,
    /// Inside a member.
    open: bool,
    /// Stored bytes of the window that were decoded already; the window keeps them while the member may be searched again.
    fed: usize,
    /// Bytes decompressed since a record was last taken.
    since: u64,
}

impl Content {
    pub(super) fn new(cap: usize) -> Content {
        Content {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            cap,
            position: 0,
            edges: VecDeque::new(),
            state: State::End,
            open: false,
            fed: 0,
            since: 0,
        }
    }

    /// Starts over with the member (or the plain bytes) at the start of the window.
    pub(super) fn begin(&mut self, offset: u64) {
        let buffer = std::mem::take(&mut self.buffer);
        *self = Content { buffer, state: State::More, ..Content::new(self.cap) };
        self.edges.push_back(Edge { at: 0, offset });
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn capacity(&self) -> usize {
        self.cap
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.cap
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// The last member end from `from` up to `upto`.
    pub(super) fn edge_between(&self, from: u64, upto: u64) -> Option<Edge> {
        let before = self.edges.partition_point(|edge| edge.at <= upto);
        self.edges.get(before.checked_sub(1)?).filter(|edge| edge.at >= from).copied()
    }

    /// The first member end at or after a place.
    pub(super) fn edge_from(&self, from: u64) -> Option<Edge> {
        self.edges.get(self.edges.partition_point(|edge| edge.at < from)).copied()
    }

    /// Where the member that is being read starts.
    pub(super) fn last_edge(&self) -> Option<Edge> {
        self.edges.back().copied()
    }

    /// Whether what is in memory ends where a member ends.
    pub(super) fn ends_at_edge(&self) -> bool {
        !self.open && self.last_edge().is_some_and(|edge| edge.at == self.position + self.len() as u64)
    }

    /// Drops bytes from the front and forgets the member ends before them.
    pub(super) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.len());
        self.start += bytes;
        self.position += bytes as u64;
        while self.edges.len() > 1 && self.edges.get(1).is_some_and(|edge| edge.at < self.position) {
            self.edges.pop_front();
        }
    }

    /// A record was taken: work is counted anew.
    pub(super) fn taken(&mut self) {
        self.since = 0;
    }

    /// Takes what is in memory out, as bytes and their number; reading goes on after it in a buffer of its own.
    pub(super) fn detach(&mut self, bytes: usize) -> Vec<u8> {
        let rest = self.bytes().get(bytes..).unwrap_or_default().to_vec();
        let mut taken = std::mem::take(&mut self.buffer);
        taken.copy_within(self.start..self.end, 0);
        taken.truncate(bytes);
        self.end = rest.len();
        self.start = 0;
        self.position += bytes as u64;
        self.buffer = rest;
        taken
    }

    /// Gives the larger buffer back after [`Content::detach`].
    pub(super) fn attach(&mut self, mut buffer: Vec<u8>) {
        let bytes = self.bytes();
        if bytes.len() <= buffer.len() {
            if let Some(to) = buffer.get_mut(..bytes.len()) {
                to.copy_from_slice(bytes);
            }
            self.end -= self.start;
            self.start = 0;
            self.buffer = buffer;
        }
    }

    /// Goes back to the member end at the front, if the window still stands there: the member is then read anew.
    pub(super) fn back_at(&self, edge: Edge, window: &Window) -> bool {
        edge.offset == window.offset() && self.last_edge().is_some_and(|last| last.offset == edge.offset)
    }

    /// Decodes some more; `false` when there is no more or no room.
    pub(super) fn advance<M: Members>(&mut self, members: &mut M, window: &mut Window, source: &mut dyn Read) -> bool {
        if self.state != State::More || !self.make_room() {
            return false;
        }
        // A header must be in sight as a whole to be judged.
        while window.len() - self.fed < if self.open { 1 } else { 18 } {
            if window.read_on(source) {
                continue;
            }
            if window.ended() {
                break;
            }
            window.consume(self.fed);
            self.fed = 0;
        }
        let input = window.bytes().get(self.fed..).unwrap_or_default();
        if input.is_empty() {
            self.state = if M::FRAMED && self.open { State::Truncated } else { State::End };
            return false;
        }
        if !self.open {
            match members.start(input) {
                Start::Member => {
                    members.stream().restart();
                    self.open = true;
                }
                Start::Skip(bytes) => {
                    skip(window, source, bytes);
                    self.edge(window.offset());
                    return true;
                }
                Start::No => {
                    self.state = State::Stray;
                    return false;
                }
            }
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        match members.stream().step(input, room) {
            Err(detail) => self.state = State::Damaged(detail),
            Ok(step) => {
                self.fed += step.used;
                self.end += step.produced;
                self.since += step.produced as u64;
                if step.ended {
                    self.open = false;
                    window.consume(self.fed);
                    self.fed = 0;
                    self.edge(window.offset());
                } else if step.used == 0 && step.produced == 0 {
                    self.state = State::Damaged("the data does not go on".to_owned());
                } else if M::FRAMED && self.since > ENDLESS {
                    self.state = State::Endless;
                } else if !M::FRAMED {
                    window.consume(self.fed);
                    self.fed = 0;
                }
            }
        }
        self.state == State::More
    }

    fn edge(&mut self, offset: u64) {
        let edge = Edge { at: self.position + self.len() as u64, offset };
        // Of many empty members in a row the first edge ends what is before them, the last starts what is after.
        let repeated = self.edges.len() >= 2 && self.edges.iter().rev().take(2).all(|known| known.at == edge.at);
        if repeated || self.edges.len() >= EDGES {
            self.edges.pop_back();
        }
        self.edges.push_back(edge);
    }

    fn make_room(&mut self) -> bool {
        if self.end < self.buffer.len() {
            return true;
        }
        if self.start > 0 && self.start >= self.len() / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() && self.buffer.len() < self.cap + self.start {
            let grown = (self.buffer.len() * 2).max(64 << 10).min(self.cap + self.start);
            self.buffer.resize(grown, 0);
        }
        self.end < self.buffer.len()
    }

    /// What follows the byte at `rel`, line ends passed over; with `beyond` member ends are passed over too.
    pub(super) fn follows<M: Members>(
        &mut self,
        rel: usize,
        beyond: bool,
        members: &mut M,
        window: &mut Window,
        source: &mut dyn Read,
    ) -> Follows {
        let mut at = rel;
        loop {
            let rest = self.bytes().get(at..).unwrap_or_default();
            if !beyond {
                let edge = self.edge_from(self.position + rel as u64);
                let ends = record::line_ends(rest);
                if edge.is_some_and(|edge| edge.at <= self.position + (at + ends) as u64) {
                    return Follows::Edge;
                }
            }
            at += record::line_ends(rest);
            let rest = self.bytes().get(at..).unwrap_or_default();
            let seen = rest.len().min(record::START.len());
            if rest.get(..seen) != record::START.get(..seen) {
                return Follows::Other;
            }
            if seen == record::START.len() {
                return Follows::Record(at);
            }
            if !self.advance(members, window, source) {
                // An edge may just have been met.
                let edge = self.edge_from(self.position + at as u64);
                return match (seen, beyond, edge) {
                    (0, false, Some(_)) => Follows::Edge,
                    (0, ..) => Follows::Nothing,
                    _ => Follows::Other,
                };
            }
        }
    }
}

/// Passes over stored bytes.
pub(super) fn skip(window: &mut Window, source: &mut dyn Read, bytes: u64) {
    let mut left = bytes;
    loop {
        let step = usize::try_from(left).unwrap_or(usize::MAX).min(window.len());
        window.consume(step);
        left -= step as u64;
        if left == 0 || !window.read_on(source) && window.len() == 0 {
            return;
        }
    }
}

const _: () = assert!(LIMIT >= 1 << 20, "the search for damaged members needs some room");
