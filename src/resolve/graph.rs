//! Which capture stands for a URL, and where its redirects lead.
//!
//! URLs are keys (hashes) and captures are rows (numbers). Only the URLs that hang on a redirect are held in memory; all others are
//! settled as they pass by, and nothing of their keys remains.

use super::captures::Files;
use super::sorter::{Record, Sorted, bytes};
use crate::output::OutputError;
use rep::Reason;
use std::io::{self, Read};

/// What a capture is good for when another of the same URL competes, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// 2xx.
    Success,
    /// 3xx: the second best where it ends in 2xx, else the last but one.
    Redirect,
    /// 4xx but 429.
    ClientError,
    /// 429 and 5xx.
    ServerError,
    /// No usable answer.
    NoAnswer,
}

impl Class {
    const ALL: [Class; 5] = [Class::Success, Class::Redirect, Class::ClientError, Class::ServerError, Class::NoAnswer];

    /// The class of a capture of this reason.
    pub(super) fn of(reason: Reason) -> Class {
        match reason {
            Reason::Success | Reason::HtmlRedirect | Reason::TargetDisallowed => Class::Success,
            Reason::Redirect
            | Reason::RedirectWithoutTarget
            | Reason::RedirectLoop
            | Reason::TooManyRedirects
            | Reason::TargetNotCaptured
            | Reason::TargetOutsideInput => Class::Redirect,
            Reason::Forbidden | Reason::Unavailable => Class::ClientError,
            Reason::RateLimited | Reason::Unreachable => Class::ServerError,
            Reason::NoAnswer => Class::NoAnswer,
        }
    }
}

/// A capture as it competes with others of its URL: sorted, those of a URL stand together, the best first but for ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    key: [u32; 2],
    /// Class (3 bits), time from new to old (59 bits), two flags.
    rank: [u32; 2],
    /// Number of the capture.
    row: u32,
}

/// A capture before it becomes an [`Entry`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Hash of its URL.
    pub(super) key: u64,
    /// Number of the capture.
    pub(super) row: u32,
    /// Why its outcome is what it is.
    pub(super) reason: Reason,
    /// When it was fetched.
    pub(super) time: Option<i64>,
    /// Whether its URL is that of an origin's robots.txt.
    pub(super) is_robots: bool,
    /// Whether it names a target that can be followed.
    pub(super) has_target: bool,
}

const TIME_BITS: u32 = 59;
const FLAG_BITS: u32 = 2;
const IS_ROBOTS: u64 = 1;
const HAS_TARGET: u64 = 2;

impl Entry {
    /// How a capture competes. Times more than 9,000 years from 1970 count as that far; none is older than any.
    pub(super) fn new(of: Candidate) -> Entry {
        let half = 1_i64 << (TIME_BITS - 1);
        let age = of.time.map_or((1 << TIME_BITS) - 1, |time| (half - 1 - time.clamp(2 - half, half - 1)) as u64);
        let flags = if of.is_robots { IS_ROBOTS } else { 0 } | if of.has_target { HAS_TARGET } else { 0 };
        let rank = (Class::of(of.reason) as u64) << (TIME_BITS + FLAG_BITS) | age << FLAG_BITS | flags;
        Entry { key: split(of.key), rank: split(rank), row: of.row }
    }

    /// Class and age.
    fn order(&self) -> u64 {
        join(self.rank) >> FLAG_BITS
    }

    fn class(&self) -> Class {
        let class = join(self.rank) >> (TIME_BITS + FLAG_BITS);
        Class::ALL.get(class as usize).copied().unwrap_or(Class::NoAnswer)
    }

    fn has(&self, flag: u64) -> bool {
        join(self.rank) & flag != 0
    }
}

impl Record for Entry {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(join(self.key).to_le_bytes());
        to.extend(join(self.rank).to_le_bytes());
        to.extend(self.row.to_le_bytes());
    }

    fn decode(from: &mut impl Read) -> io::Result<Entry> {
        let bytes: [u8; 20] = bytes(from)?;
        let [a, b, c] = [0, 8, 16].map(|at| {
            let mut word = [0; 8];
            let part = &bytes[at..(at + 8).min(20)];
            word[..part.len()].copy_from_slice(part);
            u64::from_le_bytes(word)
        });
        Ok(Entry { key: split(a), rank: split(b), row: c as u32 })
    }
}

/// A redirect: from a capture to the key of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    target: [u32; 2],
    row: u32,
}

impl Edge {
    /// From the capture of this number to the URL of this hash.
    pub(super) fn new(row: u32, target: u64) -> Edge {
        Edge { target: split(target), row }
    }
}

impl Record for Edge {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(join(self.target).to_le_bytes());
        to.extend(self.row.to_le_bytes());
    }

    fn decode(from: &mut impl Read) -> io::Result<Edge> {
        Ok(Edge { target: split(u64::from_le_bytes(bytes(from)?)), row: u32::from_le_bytes(bytes(from)?) })
    }
}

/// A number in halves, the greater first: they need an alignment of four bytes alone and sort as the whole does.
fn split(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}

fn join([high, low]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The URLs that were captured as redirects and never as 2xx: which capture leads where.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// Number of the capture, the captures of a node one after the other, the newest first.
    rows: Vec<u32>,
    /// What its target is.
    tags: Vec<Tag>,
    /// A node or a row, as the tag says.
    targets: Vec<u32>,
    /// Redirects to the nearest 2xx that each node reaches; [`FAR`] when none is near enough.
    distances: Vec<u8>,
    /// The redirect of each node that leads there.
    nearest: Vec<u32>,
    max_hops: u8,
}

/// A URL.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Where its redirects begin.
    start: u32,
    /// The best capture that is no redirect, or [`NONE`].
    plain: u32,
    /// Captures (28 bits), class of `plain` (3 bits), whether it is an origin's robots.txt (1 bit).
    facts: u32,
}

const NONE: u32 = u32::MAX;
const FAR: u8 = u8::MAX;
const MOST_COUNTED: u64 = (1 << 28) - 1;

/// Redirects that a search for a 2xx looks at before it takes the shortest way: real sites need a handful.
const SEARCH_STEPS: u32 = 1_000;

/// What a redirect leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// It names no usable target.
    WithoutTarget,
    /// A URL that was not captured.
    Missing,
    /// A URL that is settled by a 2xx capture.
    Success,
    /// A URL that is settled by a capture that is neither 2xx nor redirect.
    Failure,
    /// A URL of the graph.
    Node,
}

/// What a target key turned out to be, for the redirect of this capture.
struct Link {
    row: u32,
    target: u32,
    tag: Tag,
}

/// How a chain ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// With a capture, whose own reason counts.
    Captured,
    /// With a redirect to a URL of the chain.
    Loop,
    /// With one redirect too many.
    TooMany,
    /// With a redirect to a URL that was not captured.
    Missing,
}

/// A chain from an origin's robots.txt on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Walk {
    /// How it ends.
    pub(super) end: End,
    /// Redirects followed.
    pub(super) hops: u8,
    /// Whether it ends in 2xx.
    pub(super) success: bool,
    /// The captures of the chain, in order; never empty.
    pub(super) rows: Vec<u32>,
}

impl Graph {
    /// Brings captures and redirects together. `settled` is told of every origin whose robots.txt needs no redirect: the capture
    /// that stands for it, and of how many.
    pub(super) fn build(
        mut entries: Sorted<Entry>,
        mut edges: Sorted<Edge>,
        files: &Files,
        max_hops: u8,
        mut settled: impl FnMut(u32, u32) -> Result<(), OutputError>,
    ) -> Result<Graph, OutputError> {
        let mut graph = Graph { max_hops, ..Graph::default() };
        let mut links = Vec::new();
        let mut group = Group::default();
        while let Some(first) = entries.next()? {
            group.begin(first);
            while let Some(entry) = entries.next_if(|entry| entry.key == first.key)? {
                group.add(entry, files);
            }
            let (tag, target) = match group.settled() {
                Some((row, class)) => {
                    if first.has(IS_ROBOTS) {
                        settled(row, group.counted())?;
                    }
                    (if class == Class::Success { Tag::Success } else { Tag::Failure }, row)
                }
                None => (Tag::Node, graph.add(&mut group, first.has(IS_ROBOTS), files)),
            };
            // Edges before this key lead to URLs that were not captured.
            while edges.next_if(|edge| edge.target < first.key)?.is_some() {}
            while let Some(edge) = edges.next_if(|edge| edge.target == first.key)? {
                links.push(Link { row: edge.row, target, tag });
            }
        }
        graph.attach(links);
        graph.measure();
        Ok(graph)
    }

    /// Every origin whose robots.txt is in the graph: where its redirects lead, and of how many captures its own URL has.
    pub(super) fn walks(&self) -> impl Iterator<Item = (Walk, u32)> {
        let origins = self.nodes.iter().enumerate().filter(|(_, node)| node.facts & 1 == 1);
        origins.map(|(number, node)| (self.walk(number as u32), node.facts >> 4))
    }

    fn add(&mut self, group: &mut Group, is_robots: bool, files: &Files) -> u32 {
        group.redirects.sort_unstable_by(|a, b| {
            let ties = || files.place(b.row).cmp(&files.place(a.row));
            a.order().cmp(&b.order()).then_with(ties)
        });
        let number = self.nodes.len() as u32;
        let (plain, class) = group.plain.map_or((NONE, Class::NoAnswer), |entry| (entry.row, entry.class()));
        let facts = group.counted() << 4 | (class as u32) << 1 | u32::from(is_robots);
        self.nodes.push(Node { start: self.rows.len() as u32, plain, facts });
        for entry in &group.redirects {
            self.rows.push(entry.row);
            self.tags.push(if entry.has(HAS_TARGET) { Tag::Missing } else { Tag::WithoutTarget });
        }
        number
    }

    fn attach(&mut self, mut links: Vec<Link>) {
        links.sort_unstable_by_key(|link| link.row);
        self.targets = vec![NONE; self.rows.len()];
        for ((row, tag), target) in self.rows.iter().zip(&mut self.tags).zip(&mut self.targets) {
            let found = links.binary_search_by_key(row, |link| link.row).ok().and_then(|at| links.get(at));
            if let Some(link) = found {
                (*tag, *target) = (link.tag, link.target);
            }
        }
    }

    /// How far every node is from a 2xx, nearest first.
    fn measure(&mut self) {
        self.distances = vec![FAR; self.nodes.len()];
        self.nearest = vec![NONE; self.nodes.len()];
        for distance in 1..=self.max_hops {
            let mut found = false;
            for node in 0..self.nodes.len() as u32 {
                if self.distance(node) != FAR {
                    continue;
                }
                let nearest = self.redirects(node).find(|at| match self.target(*at) {
                    (Tag::Success, _) => distance == 1,
                    (Tag::Node, target) => self.distance(target) == distance - 1,
                    _ => false,
                });
                let slots = (self.distances.get_mut(node as usize), self.nearest.get_mut(node as usize));
                if let (Some(at), (Some(d), Some(n))) = (nearest, slots) {
                    (*d, *n) = (distance, at);
                    found = true;
                }
            }
            if !found {
                break;
            }
        }
    }

    fn distance(&self, node: u32) -> u8 {
        self.distances.get(node as usize).copied().unwrap_or(FAR)
    }

    /// The redirects of a node, the newest first.
    fn redirects(&self, node: u32) -> std::ops::Range<u32> {
        let start = |node: usize| self.nodes.get(node).map_or(self.rows.len() as u32, |node| node.start);
        start(node as usize)..start(node as usize + 1)
    }

    fn target(&self, redirect: u32) -> (Tag, u32) {
        let at = redirect as usize;
        match (self.tags.get(at), self.targets.get(at)) {
            (Some(tag), Some(target)) => (*tag, *target),
            _ => (Tag::Missing, NONE),
        }
    }

    fn row(&self, redirect: u32) -> u32 {
        self.rows.get(redirect as usize).copied().unwrap_or(NONE)
    }

    fn walk(&self, origin: u32) -> Walk {
        let mut rows = Vec::with_capacity(4);
        if self.distance(origin) <= self.max_hops {
            let mut search = Search { graph: self, path: Vec::with_capacity(4), rows: Vec::with_capacity(4), steps: 0 };
            rows = match search.success(origin, self.max_hops) {
                true => search.rows,
                false => self.nearest_success(origin),
            };
            return Walk { end: End::Captured, hops: (rows.len() - 1) as u8, success: true, rows };
        }
        let mut path = vec![origin];
        let mut hops = 0;
        let mut at = origin;
        let end = loop {
            let Some(node) = self.nodes.get(at as usize) else { break End::Missing };
            // A failure that says so is better than a redirect to one; no answer at all is not.
            if node.plain != NONE && node.facts >> 1 & 7 != Class::NoAnswer as u32 {
                rows.push(node.plain);
                break End::Captured;
            }
            let newest = node.start;
            rows.push(self.row(newest));
            match self.target(newest) {
                (Tag::WithoutTarget, _) => break End::Captured,
                _ if hops == self.max_hops => break End::TooMany,
                (Tag::Missing, _) => {
                    hops += 1;
                    break End::Missing;
                }
                (Tag::Success | Tag::Failure, row) => {
                    hops += 1;
                    rows.push(row);
                    break End::Captured;
                }
                (Tag::Node, target) => {
                    hops += 1;
                    if path.contains(&target) {
                        break End::Loop;
                    }
                    path.push(target);
                    at = target;
                }
            }
        };
        Walk { end, hops, success: false, rows }
    }

    /// The captures of the shortest way to a 2xx, which has no loop.
    fn nearest_success(&self, origin: u32) -> Vec<u32> {
        let mut rows = Vec::new();
        let mut at = origin;
        for _ in 0..=self.max_hops {
            let redirect = self.nearest.get(at as usize).copied().unwrap_or(NONE);
            rows.push(self.row(redirect));
            match self.target(redirect) {
                (Tag::Node, target) => at = target,
                (_, row) => {
                    rows.push(row);
                    break;
                }
            }
        }
        rows
    }
}

/// Looks for the redirects that end in a 2xx: at each URL the newest that does, without coming back to a URL of the chain.
struct Search<'g> {
    graph: &'g Graph,
    path: Vec<u32>,
    rows: Vec<u32>,
    steps: u32,
}

impl Search<'_> {
    /// Whether a 2xx is found from this node with so many redirects left; `rows` are those of the chain then.
    fn success(&mut self, node: u32, left: u8) -> bool {
        self.path.push(node);
        for redirect in self.graph.redirects(node) {
            self.steps += 1;
            if self.steps > SEARCH_STEPS || left == 0 {
                break;
            }
            self.rows.push(self.graph.row(redirect));
            match self.graph.target(redirect) {
                (Tag::Success, row) => {
                    self.rows.push(row);
                    return true;
                }
                (Tag::Node, target)
                    if self.graph.distance(target) < left
                        && !self.path.contains(&target)
                        && self.success(target, left - 1) =>
                {
                    return true;
                }
                _ => {}
            }
            self.rows.pop();
        }
        self.path.pop();
        false
    }
}

/// The captures of one URL as they come, the best first.
#[derive(Default)]
struct Group {
    captures: u64,
    /// The best 2xx.
    success: Option<Entry>,
    redirects: Vec<Entry>,
    /// The best of the others.
    plain: Option<Entry>,
}

impl Group {
    fn begin(&mut self, first: Entry) {
        self.captures = 0;
        self.success = None;
        self.plain = None;
        self.redirects.clear();
        self.keep(first);
    }

    fn add(&mut self, entry: Entry, files: &Files) {
        let slot = match entry.class() {
            Class::Success => &mut self.success,
            Class::Redirect => return self.keep(entry),
            _ => &mut self.plain,
        };
        match slot {
            Some(best) if best.order() == entry.order() && files.place(best.row) < files.place(entry.row) => {
                *best = entry;
                self.captures += 1;
            }
            Some(_) => self.captures += 1,
            None => self.keep(entry),
        }
    }

    fn keep(&mut self, entry: Entry) {
        self.captures += 1;
        match entry.class() {
            Class::Success => self.success = Some(entry),
            // Next to a 2xx no redirect counts.
            Class::Redirect if self.success.is_none() => self.redirects.push(entry),
            Class::Redirect => {}
            _ => self.plain = Some(entry),
        }
    }

    fn counted(&self) -> u32 {
        self.captures.min(MOST_COUNTED) as u32
    }

    /// The capture that stands for the URL, when no redirect has a say.
    fn settled(&self) -> Option<(u32, Class)> {
        let best = self.success.or(if self.redirects.is_empty() { self.plain } else { None })?;
        Some((best.row, best.class()))
    }
}
