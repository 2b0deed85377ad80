//! `origins`: a row a scheme, host and port whose robots.txt was asked for.

use super::column::{Cell, Column, column, delta, plain};
use super::{Place, Record, Table};

/// The table `origins`.
pub struct Origins;

/// A row of [`Origins`].
#[derive(Debug, Clone, Default)]
pub struct OriginRow<'a> {
    /// `https://host[:port]`.
    pub origin: &'a str,
    /// Registered domain, else the host.
    pub site: &'a str,
    /// Scheme.
    pub url_protocol: Option<&'a str>,
    /// Host, lower case and punycode.
    pub url_host_name: Option<&'a str>,
    /// Port, unless it is the scheme's own.
    pub url_port: Option<i32>,
    /// Last label of the host.
    pub url_host_tld: Option<&'a str>,
    /// Outcome in the first dialect.
    pub outcome: &'a str,
    /// Reason of the outcome.
    pub reason: &'static str,
    /// Redirects followed.
    pub hops: i16,
    /// Status of the answer that decided.
    pub final_status: Option<i16>,
    /// The URLs asked for, in order.
    pub chain: &'a [&'a str],
    /// Whether the chain ends at another host.
    pub other_host: bool,
    /// Whether the chain ends at another site.
    pub other_site: bool,
    /// Key of the body in `bodies`.
    pub body_key: Option<i64>,
    /// Identity of the body.
    pub body_id: Option<[u8; 16]>,
    /// Captures of the origin's robots.txt.
    pub captures: i32,
    /// Why the first capture of the chain was chosen among them.
    pub capture_class: &'static str,
    /// The first capture of the chain.
    pub first: CapturePlace<'a>,
    /// Time of its fetch, in microseconds since 1970-01-01 UTC.
    pub fetch_time: Option<i64>,
    /// Its HTTP status.
    pub fetch_status: Option<i16>,
    /// The last capture of the chain.
    pub last: CapturePlace<'a>,
}

/// Where a capture lies, as in [`super::CaptureRow`].
#[derive(Debug, Clone, Copy, Default)]
pub struct CapturePlace<'a> {
    /// Input file.
    pub warc_filename: &'a str,
    /// Byte offset of the gzip member, zstd frame or plain record.
    pub warc_record_offset: Option<i64>,
    /// Number of the record in its file, where it has no offset of its own.
    pub record_number: Option<i64>,
    /// Row of a Parquet input.
    pub source_row: Option<i64>,
}

impl Table for Origins {
    const NAME: &'static str = "origins";
    const ABOUT: &'static str = "A row an origin (scheme, host and port) whose robots.txt was asked for: what its captures say once \
                                 redirects are followed, and the body whose rules are its own.";
    const PLACE: Place = Place::Resolved;
}

impl Record for Origins {
    type Row<'a> = OriginRow<'a>;
    const COLUMNS: &'static [Column<Origins>] = &[
        plain(
            "origin",
            "Scheme, host and port without a slash at the end; a standard port is left out.",
            "https://www.example.com",
            Cell::Text(|row| row.origin),
        ),
        plain(
            "site",
            "Registered domain of the host (ICANN section of the Public Suffix List), else the host itself: the same for http and https, \
             with and without www.",
            "example.com",
            Cell::Text(|row| row.site),
        ),
        column("url_protocol", "Protocol of the origin.", "https", Cell::MaybeText(|row| row.url_protocol)),
        plain(
            "url_host_name",
            "Host, lower case and in punycode, addresses included.",
            "www.example.com",
            Cell::MaybeText(|row| row.url_host_name),
        ),
        column(
            "url_port",
            "Port of the origin; null when it is the protocol's standard port.",
            "8443",
            Cell::MaybeI32(|row| row.url_port),
        ),
        column(
            "url_host_tld",
            "Last label of the host; null for addresses.",
            "com",
            Cell::MaybeText(|row| row.url_host_tld),
        ),
        column(
            "outcome",
            "What a crawler may do with the origin in the first dialect: conditional means that the body decides.",
            "conditional",
            Cell::Text(|row| row.outcome),
        ),
        column(
            "reason",
            "Why the outcome is what it is; outcomes gives that of every other dialect for the same reason.",
            "success",
            Cell::Label(|row| row.reason),
        ),
        column(
            "hops",
            "Redirects followed, one to a target that is missing or closes a loop included.",
            "2",
            Cell::I16(|row| row.hops),
        ),
        column(
            "final_status",
            "HTTP status of the answer that decided; null when there is none, as in a loop or at a target that was not captured.",
            "200",
            Cell::MaybeI16(|row| row.final_status),
        ),
        plain(
            "chain",
            "URLs asked for, in order: that of the origin's robots.txt, then one a hop, as WHATWG serialises them, without fragments.",
            "[http://example.com/robots.txt https://www.example.com/robots.txt]",
            Cell::Texts(|row, texts| row.chain.iter().for_each(|url| texts.push(url))),
        ),
        column(
            "other_host",
            "Whether the last URL of the chain has another host than the origin.",
            "true",
            Cell::Bool(|row| row.other_host),
        ),
        column(
            "other_site",
            "Whether the last URL of the chain has another site than the origin.",
            "false",
            Cell::Bool(|row| row.other_site),
        ),
        column(
            "body_key",
            "Key of the body whose rules count, in bodies, verdicts, sitemaps and rules; null unless the final status is 2xx.",
            "4294967301",
            Cell::MaybeI64(|row| row.body_key),
        ),
        column(
            "body_id",
            "xxh3-128 of that body, to compare across shards and crawls; null unless the final status is 2xx.",
            "99aa06d3014798d86001c324468d497f",
            Cell::MaybeBytes16(|row| row.body_id.as_ref()),
        ),
        column(
            "captures",
            "Captures of the origin's robots.txt, of which one was chosen.",
            "1",
            Cell::I32(|row| row.captures),
        ),
        column(
            "capture_class",
            "Class of the chosen capture, of which the first there is counts, and in it the newest capture: success, redirect_to_success, \
             client_error, server_error (429 too), redirect, no_answer.",
            "redirect_to_success",
            Cell::Label(|row| row.capture_class),
        ),
        column(
            "warc_filename",
            "Input file of the chosen capture, as in captures.",
            "crawl-data/CC-MAIN-2026-43/segments/1760000000000.1/robotstxt/CC-MAIN-20261010101010-20261010131010-00000.warc.gz",
            Cell::Text(|row| row.first.warc_filename),
        ),
        delta(
            "warc_record_offset",
            "Byte offset of the chosen capture in its file; null where the record has none of its own.",
            "397346194",
            Cell::MaybeI64(|row| row.first.warc_record_offset),
        ),
        delta(
            "record_number",
            "Number of the chosen capture's record, as in captures, where it has no offset; else null.",
            "17",
            Cell::MaybeI64(|row| row.first.record_number),
        ),
        delta(
            "source_row",
            "Row of the chosen capture in a Parquet input, from 0; null for WARC input.",
            "4711",
            Cell::MaybeI64(|row| row.first.source_row),
        ),
        delta(
            "fetch_time",
            "Time of the chosen capture in UTC; null when the record has no readable date.",
            "2026-10-10T10:11:12Z",
            Cell::MaybeTime(|row| row.fetch_time),
        ),
        column(
            "fetch_status",
            "HTTP status of the chosen capture; null when the response has none that can be read.",
            "301",
            Cell::MaybeI16(|row| row.fetch_status),
        ),
        column(
            "final_warc_filename",
            "Input file of the last capture of the chain; that of the chosen capture when no redirect was followed to another.",
            "crawl-data/CC-MAIN-2026-43/segments/1760000000000.1/robotstxt/CC-MAIN-20261010101010-20261010131010-00001.warc.gz",
            Cell::Text(|row| row.last.warc_filename),
        ),
        column(
            "final_warc_record_offset",
            "Byte offset of the last capture of the chain; null where the record has none of its own.",
            "18446744",
            Cell::MaybeI64(|row| row.last.warc_record_offset),
        ),
        column(
            "final_record_number",
            "Record number of the last capture of the chain, where it has no offset; else null.",
            "18",
            Cell::MaybeI64(|row| row.last.record_number),
        ),
        column(
            "final_source_row",
            "Row of the last capture of the chain in a Parquet input; null for WARC input.",
            "4712",
            Cell::MaybeI64(|row| row.last.source_row),
        ),
    ];
}
