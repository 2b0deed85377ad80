//! `captures`: a row an HTTP response.

use super::column::{Cell, Column, column, delta, plain, sorted};
use super::{Place, Record, Table};
use crate::capture::Repairs;

/// The table `captures`.
pub struct Captures;

/// A row of [`Captures`].
#[derive(Debug, Clone, Default)]
pub struct CaptureRow<'a> {
    /// Crawl it belongs to, where the name of the file tells.
    pub crawl: Option<&'a str>,
    /// Input file: relative to `--root`, or from `crawl-data/` on.
    pub warc_filename: &'a str,
    /// Segment of the crawl, where the name of the file tells.
    pub warc_segment: Option<&'a str>,
    /// Byte offset of the gzip member, zstd frame or plain record.
    pub warc_record_offset: Option<i64>,
    /// Bytes of that member, frame or record as stored.
    pub warc_record_length: Option<i64>,
    /// Number of the record in its file, where it has no offset of its own.
    pub record_number: Option<i64>,
    /// Row of a Parquet input.
    pub source_row: Option<i64>,
    /// URL, verbatim.
    pub url: &'a str,
    /// Scheme.
    pub url_protocol: Option<&'a str>,
    /// Host, lower case and punycode.
    pub url_host_name: Option<&'a str>,
    /// Port, unless it is the scheme's own.
    pub url_port: Option<i32>,
    /// Path.
    pub url_path: Option<&'a str>,
    /// Query without `?`.
    pub url_query: Option<&'a str>,
    /// Last label of the host.
    pub url_host_tld: Option<&'a str>,
    /// Registered domain.
    pub url_host_registered_domain: Option<&'a str>,
    /// Whether the path is exactly `/robots.txt`, without a query.
    pub is_robots_url: bool,
    /// Microseconds since 1970-01-01 UTC.
    pub fetch_time: Option<i64>,
    /// HTTP status.
    pub fetch_status: Option<i16>,
    /// `Location`, made absolute.
    pub fetch_redirect: Option<&'a str>,
    /// Media type of `Content-Type`, lower case.
    pub content_mime_type: Option<&'a [u8]>,
    /// Charset of `Content-Type`, lower case.
    pub content_charset: Option<&'a [u8]>,
    /// `WARC-Payload-Digest`.
    pub content_digest: Option<&'a str>,
    /// `WARC-Truncated`.
    pub content_truncated: Option<&'a str>,
    /// `max-age` of `Cache-Control`, in seconds.
    pub cache_max_age: Option<i64>,
    /// Outcome in the first dialect.
    pub outcome: &'static str,
    /// Reason of the outcome.
    pub reason: &'static str,
    /// Key of the body in `bodies`; `None` unless the status is 2xx.
    pub body_key: Option<i64>,
    /// Identity of the body; `None` unless the status is 2xx.
    pub body_id: Option<[u8; 16]>,
    /// Bytes of the decoded body that were looked at.
    pub body_bytes: i64,
    /// Bytes of the whole decoded body.
    pub body_total_bytes: i64,
    /// What the reader mended.
    pub repaired: Repairs,
}

impl Table for Captures {
    const NAME: &'static str = "captures";
    const ABOUT: &'static str =
        "A row an HTTP response: where it lies, what was asked for, what came back and what follows from it.";
    const PLACE: Place = Place::Parts;
}

impl Record for Captures {
    type Row<'a> = CaptureRow<'a>;
    const COLUMNS: &'static [Column<Captures>] = &[
        sorted(
            "crawl",
            "Crawl the capture is part of; null when the file's name does not tell.",
            "CC-MAIN-2026-43",
            Cell::MaybeText(|row| row.crawl),
        ),
        sorted(
            "warc_filename",
            "Input file (WARC or Parquet), relative to --root or from crawl-data/ on.",
            "crawl-data/CC-MAIN-2026-43/segments/1760000000000.1/robotstxt/CC-MAIN-20261010101010-20261010131010-00000.warc.gz",
            Cell::Text(|row| row.warc_filename),
        ),
        sorted(
            "warc_segment",
            "Segment of the crawl that the file belongs to; null when the file's name does not tell.",
            "1760000000000.1",
            Cell::MaybeText(|row| row.warc_segment),
        ),
        delta(
            "warc_record_offset",
            "Byte offset of the gzip member, zstd frame or plain record; null where the record has none of its own.",
            "397346194",
            Cell::MaybeI64(|row| row.warc_record_offset),
        ),
        delta(
            "warc_record_length",
            "Bytes of that member, frame or record as stored; null exactly when the offset is.",
            "1587",
            Cell::MaybeI64(|row| row.warc_record_length),
        ),
        delta(
            "record_number",
            "Number of the WARC record, from 0, in the part of its file that the shard read, where it has no offset; else null.",
            "17",
            Cell::MaybeI64(|row| row.record_number),
        ),
        delta(
            "source_row",
            "Row of a Parquet input, from 0 over the whole file; null for WARC input.",
            "4711",
            Cell::MaybeI64(|row| row.source_row),
        ),
        plain("url", "URL as captured, verbatim.", "https://www.example.com/robots.txt", Cell::Text(|row| row.url)),
        column(
            "url_protocol",
            "Protocol of the URL; null, like the parts after it, when it cannot be read as a URL.",
            "https",
            Cell::MaybeText(|row| row.url_protocol),
        ),
        plain(
            "url_host_name",
            "Host, lower case and in punycode, addresses included.",
            "www.example.com",
            Cell::MaybeText(|row| row.url_host_name),
        ),
        column(
            "url_port",
            "Port of the URL; null when it is the protocol's standard port.",
            "8443",
            Cell::MaybeI32(|row| row.url_port),
        ),
        column("url_path", "Path of the URL.", "/robots.txt", Cell::MaybeText(|row| row.url_path)),
        column(
            "url_query",
            "Query of the URL without its question mark; null when there is none.",
            "lang=en",
            Cell::MaybeText(|row| row.url_query),
        ),
        column(
            "url_host_tld",
            "Last label of the host; null for addresses.",
            "com",
            Cell::MaybeText(|row| row.url_host_tld),
        ),
        plain(
            "url_host_registered_domain",
            "Domain one level below the public suffix (ICANN section of the Public Suffix List); null for addresses and single labels.",
            "example.com",
            Cell::MaybeText(|row| row.url_host_registered_domain),
        ),
        column(
            "is_robots_url",
            "Whether the path is exactly /robots.txt and there is no query.",
            "true",
            Cell::Bool(|row| row.is_robots_url),
        ),
        delta(
            "fetch_time",
            "Time of the fetch in UTC; null when the record has no readable date.",
            "2026-10-10T10:11:12Z",
            Cell::MaybeTime(|row| row.fetch_time),
        ),
        column(
            "fetch_status",
            "HTTP status; null when the response has none that can be read.",
            "200",
            Cell::MaybeI16(|row| row.fetch_status),
        ),
        plain(
            "fetch_redirect",
            "Target of the redirect, made absolute; null when the response names none.",
            "https://www.example.com/robots.txt",
            Cell::MaybeText(|row| row.fetch_redirect),
        ),
        column(
            "content_mime_type",
            "Media type of the HTTP Content-Type, lower case.",
            "text/plain",
            Cell::MaybeLossy(|row| row.content_mime_type),
        ),
        column(
            "content_charset",
            "Charset of the HTTP Content-Type, lower case.",
            "utf-8",
            Cell::MaybeLossy(|row| row.content_charset),
        ),
        plain(
            "content_digest",
            "Digest of the payload (WARC-Payload-Digest), SHA-1 in base 32 unless it names another algorithm.",
            "CH7IV3XAD3M7A42JARKRLJ3T5PGGCGXD",
            Cell::MaybeText(|row| row.content_digest),
        ),
        column(
            "content_truncated",
            "Why the archive holds less than the server sent (WARC-Truncated); null when it holds all.",
            "length",
            Cell::MaybeText(|row| row.content_truncated),
        ),
        column(
            "cache_max_age",
            "Seconds of max-age in Cache-Control; null when there is none.",
            "86400",
            Cell::MaybeI64(|row| row.cache_max_age),
        ),
        column(
            "outcome",
            "What the response means for crawlers in the first dialect; redirects are resolved later.",
            "conditional",
            Cell::Label(|row| row.outcome),
        ),
        column("reason", "Why the outcome is what it is.", "success", Cell::Label(|row| row.reason)),
        delta(
            "body_key",
            "Key of the body in bodies, verdicts, sitemaps and rules; null unless the status is 2xx.",
            "4294967301",
            Cell::MaybeI64(|row| row.body_key),
        ),
        column(
            "body_id",
            "xxh3-128 of the decoded body, to compare across shards and crawls; null unless the status is 2xx.",
            "99aa06d3014798d86001c324468d497f",
            Cell::MaybeBytes16(|row| row.body_id.as_ref()),
        ),
        delta("body_bytes", "Bytes of the decoded body that were looked at.", "1070", Cell::I64(|row| row.body_bytes)),
        delta(
            "body_total_bytes",
            "Bytes of the whole decoded body, counted up to 64 MiB where it was encoded; more than body_bytes when a cap cut it.",
            "1070",
            Cell::I64(|row| row.body_total_bytes),
        ),
        column(
            "repaired",
            "Codes of what the reader had to mend; empty for most captures.",
            "[lf-head]",
            Cell::Texts(|row, texts| row.repaired.iter().for_each(|repair| texts.push(repair.code()))),
        ),
    ];
}
