//! From walks to rows: fetches what the captures of a chain say, and writes the table.

use super::captures::{self, Batch, Part};
use super::graph::{Class, End};
use super::sorter::{Record, bytes};
use super::{RowSet, Run, origin_of, reason_of};
use crate::classify::address::{Address, canonical};
use crate::output::{OutputError, PartFile, TableWriter, part_name};
use crate::table::{CapturePlace, OriginRow, Origins, Table};
use arrow::datatypes::{Int16Type, Int32Type, Int64Type, TimestampMicrosecondType};
use rep::Reason;
use std::io::{self, Read};
use std::path::Path;

/// What was found out about an origin, by the capture that stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Story {
    /// The capture.
    pub(super) row: u32,
    /// Captures of its URL.
    pub(super) captures: u32,
    /// How the chain ends.
    pub(super) end: End,
    /// Redirects followed.
    pub(super) hops: u8,
    /// Whether redirects end in 2xx.
    pub(super) success: bool,
}

impl Record for Story {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.row.to_le_bytes());
        to.extend(self.captures.to_le_bytes());
        to.extend([self.end as u8, self.hops, u8::from(self.success)]);
    }

    fn decode(from: &mut impl Read) -> io::Result<Story> {
        let (row, captures) = (u32::from_le_bytes(bytes(from)?), u32::from_le_bytes(bytes(from)?));
        let [end, hops, success] = bytes(from)?;
        let end = match end {
            0 => End::Captured,
            1 => End::Loop,
            2 => End::TooMany,
            _ => End::Missing,
        };
        Ok(Story { row, captures, end, hops, success: success == 1 })
    }
}

/// A capture further down a chain, which has something to say for the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Request {
    /// The capture that is asked.
    pub(super) capture: u32,
    /// The capture that stands for the origin.
    pub(super) row: u32,
    /// Redirects before it.
    pub(super) hop: u8,
    /// Whether no other capture follows.
    pub(super) is_last: bool,
    /// Whether its redirect is followed.
    pub(super) onward: bool,
}

impl Record for Request {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.capture.to_le_bytes());
        to.extend(self.row.to_le_bytes());
        to.extend([self.hop, u8::from(self.is_last) | u8::from(self.onward) << 1]);
    }

    fn decode(from: &mut impl Read) -> io::Result<Request> {
        let (capture, row) = (u32::from_le_bytes(bytes(from)?), u32::from_le_bytes(bytes(from)?));
        let [hop, flags] = bytes(from)?;
        Ok(Request { capture, row, hop, is_last: flags & 1 == 1, onward: flags & 2 == 2 })
    }
}

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Response {
    /// The capture that stands for the origin.
    pub(super) row: u32,
    /// Redirects before the one that was asked.
    hop: u8,
    /// Where its redirect leads, if that is followed.
    target: Option<Box<str>>,
    /// What it is, if it is the last.
    last: Option<Last>,
}

/// The last capture of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Last {
    capture: u32,
    reason: u8,
    status: Option<i16>,
    body_key: Option<i64>,
    body_id: Option<[u8; 16]>,
    offset: Option<i64>,
    record_number: Option<i64>,
    source_row: Option<i64>,
}

impl Last {
    fn reason(&self) -> Reason {
        Reason::ALL.get(usize::from(self.reason)).copied().unwrap_or(Reason::NoAnswer)
    }
}

impl Record for Response {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.row.to_le_bytes());
        to.extend([self.hop, u8::from(self.target.is_some()) | u8::from(self.last.is_some()) << 1]);
        if let Some(target) = &self.target {
            to.extend((target.len() as u32).to_le_bytes());
            to.extend(target.as_bytes());
        }
        if let Some(last) = &self.last {
            to.extend(last.capture.to_le_bytes());
            to.push(last.reason);
            encode_maybe(to, last.status.map(i16::to_le_bytes));
            encode_maybe(to, last.body_key.map(i64::to_le_bytes));
            encode_maybe(to, last.body_id);
            for number in [last.offset, last.record_number, last.source_row] {
                encode_maybe(to, number.map(i64::to_le_bytes));
            }
        }
    }

    fn decode(from: &mut impl Read) -> io::Result<Response> {
        let row = u32::from_le_bytes(bytes(from)?);
        let [hop, flags] = bytes(from)?;
        let mut target = None;
        if flags & 1 == 1 {
            let mut text = vec![0; u32::from_le_bytes(bytes(from)?) as usize];
            from.read_exact(&mut text)?;
            target = Some(String::from_utf8(text).map_err(io::Error::other)?.into_boxed_str());
        }
        let mut last = None;
        if flags & 2 == 2 {
            last = Some(Last {
                capture: u32::from_le_bytes(bytes(from)?),
                reason: u8::from_le_bytes(bytes(from)?),
                status: decode_maybe(from)?.map(i16::from_le_bytes),
                body_key: decode_maybe(from)?.map(i64::from_le_bytes),
                body_id: decode_maybe(from)?,
                offset: decode_maybe(from)?.map(i64::from_le_bytes),
                record_number: decode_maybe(from)?.map(i64::from_le_bytes),
                source_row: decode_maybe(from)?.map(i64::from_le_bytes),
            });
        }
        Ok(Response { row, hop, target, last })
    }

    fn heap(&self) -> usize {
        // The allocator's own share included.
        self.target.as_ref().map_or(0, |target| target.len() + 16)
    }
}

fn encode_maybe<const N: usize>(to: &mut Vec<u8>, value: Option<[u8; N]>) {
    to.push(u8::from(value.is_some()));
    to.extend(value.into_iter().flatten());
}

fn decode_maybe<const N: usize>(from: &mut impl Read) -> io::Result<Option<[u8; N]>> {
    match bytes(from)? {
        [0] => Ok(None),
        _ => bytes(from).map(Some),
    }
}

/// Columns that [`last`] looks at.
const LAST: [&str; 7] =
    ["reason", "fetch_status", "body_key", "body_id", "warc_record_offset", "record_number", "source_row"];

/// The rows of a batch as last captures of a chain.
fn last<'b>(batch: &'b Batch<'_>, first: u32) -> Result<impl Fn(usize) -> Last + use<'b>, OutputError> {
    let (reasons, statuses) = (batch.text("reason")?, batch.numbers::<Int16Type>("fetch_status")?);
    let (body_keys, body_ids) = (batch.numbers::<Int64Type>("body_key")?, batch.hashes("body_id")?);
    let (offsets, numbers, rows) = (
        batch.numbers::<Int64Type>("warc_record_offset")?,
        batch.numbers::<Int64Type>("record_number")?,
        batch.numbers::<Int64Type>("source_row")?,
    );
    Ok(move |at: usize| Last {
        capture: first + at as u32,
        reason: reasons.get(at).and_then(reason_of).unwrap_or(Reason::NoAnswer) as u8,
        status: statuses.get(at),
        body_key: body_keys.get(at),
        body_id: body_ids.get(at),
        offset: offsets.get(at),
        record_number: numbers.get(at),
        source_row: rows.get(at),
    })
}

/// Asks the captures of a part; the requests are in the order of its rows.
pub(super) fn answer(part: &Part, asked: &[Request]) -> Result<Vec<Response>, OutputError> {
    let mut told = Vec::with_capacity(asked.len());
    if asked.is_empty() {
        return Ok(told);
    }
    let mut asked = asked.iter().peekable();
    let columns = [&LAST[..], &["fetch_redirect"]].concat();
    captures::read(part, &columns, |first, batch| {
        let redirects = batch.text("fetch_redirect")?;
        let last = last(batch, first)?;
        let end = first + batch.rows() as u32;
        while let Some(request) = asked.next_if(|request| request.capture < end) {
            let at = request.capture.saturating_sub(first) as usize;
            told.push(Response {
                row: request.row,
                hop: request.hop,
                target: redirects.get(at).filter(|_| request.onward).map(|to| canonical(to).into()),
                last: request.is_last.then(|| last(at)),
            });
        }
        Ok(())
    })?;
    Ok(told)
}

/// What is known of the origins of a part before it is read for the last time.
pub(super) struct Rows {
    /// The part.
    pub(super) part: Part,
    /// In the order of its rows.
    pub(super) stories: Vec<Story>,
    /// In the order of its rows and, for one, of the chain.
    pub(super) responses: Vec<Response>,
}

impl Run<'_> {
    /// Writes the origins that captures of this part stand for; gives the file and the origins of every reason.
    pub(super) fn write(
        &self,
        folder: &Path,
        rows: Rows,
        chosen: &RowSet,
    ) -> Result<(PartFile, Vec<u64>), OutputError> {
        let Rows { part, stories, responses } = rows;
        let name = part_name(part.shard);
        let mut writer = TableWriter::<Origins>::create(&folder.join(&name), &self.metadata)?;
        let mut counts = vec![0_u64; Reason::ALL.len()];
        let mut stories = stories.iter().peekable();
        let mut responses = responses.iter().peekable();
        let own = ["url", "url_protocol", "url_host_name", "url_port", "url_host_tld", "url_host_registered_domain"];
        let columns = [&own[..], &["fetch_time", "fetch_redirect"], &LAST[..]].concat();
        captures::read(&part, &columns, |first, batch| {
            let [urls, protocols, hosts, tlds, domains, redirects] =
                [own[0], own[1], own[2], own[4], own[5], "fetch_redirect"].map(|name| batch.text(name));
            let (urls, protocols, hosts, tlds, domains, redirects) =
                (urls?, protocols?, hosts?, tlds?, domains?, redirects?);
            let ports = batch.numbers::<Int32Type>("url_port")?;
            let times = batch.numbers::<TimestampMicrosecondType>("fetch_time")?;
            let last = last(batch, first)?;
            for at in 0..batch.rows() {
                let row = first + at as u32;
                if !chosen.contains(row) {
                    continue;
                }
                let url = canonical(urls.get(at).unwrap_or_default());
                let story = stories.next_if(|story| story.row == row).copied();
                let story = story.unwrap_or(Story { row, captures: 1, end: End::Captured, hops: 0, success: false });
                let target = redirects.get(at).filter(|_| story.hops > 0).map(canonical);
                let mut chain = vec![&*url];
                chain.extend(target.as_deref());
                let own = last(at);
                let mut end = own;
                while let Some(response) = responses.next_if(|response| response.row == row) {
                    chain.extend(response.target.as_deref());
                    end = response.last.unwrap_or(end);
                }
                let origin = origin_of(&url).unwrap_or(&url);
                let host = hosts.get(at).unwrap_or_default();
                let site = domains.get(at).unwrap_or(host);
                let there = chain.last().filter(|_| story.hops > 0).map(|url| Address::parse(url));
                let reason = match story.end {
                    End::Captured => end.reason(),
                    End::Loop => Reason::RedirectLoop,
                    End::TooMany => Reason::TooManyRedirects,
                    End::Missing => {
                        let may_lack = |to: &Address<'_>| self.coverage.may_lack(&to.host, to.registered_domain());
                        let outside = there.as_ref().is_some_and(may_lack);
                        if outside { Reason::TargetOutsideInput } else { Reason::TargetNotCaptured }
                    }
                };
                let place = |of: &Last| CapturePlace {
                    warc_filename: self.files.name(of.capture),
                    warc_record_offset: of.offset,
                    record_number: of.record_number,
                    source_row: of.source_row,
                };
                let outcome = self.outcomes.get(reason as usize).map_or("", String::as_str);
                if let Some(count) = counts.get_mut(reason as usize) {
                    *count += 1;
                }
                writer.push(&OriginRow {
                    origin,
                    site,
                    url_protocol: protocols.get(at),
                    url_host_name: hosts.get(at),
                    url_port: ports.get(at),
                    url_host_tld: tlds.get(at),
                    outcome,
                    reason: reason.as_str(),
                    hops: i16::from(story.hops),
                    final_status: end.status.filter(|_| matches!(story.end, End::Captured | End::TooMany)),
                    chain: &chain,
                    other_host: there.as_ref().is_some_and(|there| there.host != host),
                    other_site: there
                        .as_ref()
                        .is_some_and(|there| there.registered_domain().unwrap_or(&there.host) != site),
                    body_key: end.body_key,
                    body_id: end.body_id,
                    captures: story.captures as i32,
                    capture_class: class_name(own.reason(), story.success),
                    first: place(&own),
                    fetch_time: times.get(at),
                    fetch_status: own.status,
                    last: place(&end),
                })?;
            }
            Ok(())
        })?;
        let file = writer.publish(format!("{}/{name}", Origins::NAME))?;
        Ok((file, counts))
    }
}

/// Why a capture was chosen.
fn class_name(reason: Reason, leads_to_success: bool) -> &'static str {
    match Class::of(reason) {
        Class::Success => "success",
        Class::Redirect if leads_to_success => "redirect_to_success",
        Class::Redirect => "redirect",
        Class::ClientError => "client_error",
        Class::ServerError => "server_error",
        Class::NoAnswer => "no_answer",
    }
}
