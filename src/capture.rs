//! One archived HTTP response, and what was wrong on the way to it: the plain values that flow from reading to writing.
//!
//! Nothing here reads or judges. A [`Capture`] borrows the reader's buffers and lives only while it is handed over.

use std::borrow::Cow;

/// Where a capture lies, so that anybody can read the same bytes again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// Byte offset of the gzip member, zstd frame or plain record in its file; `None` where it has none of its own
    /// (one member that holds many records) and for Parquet input.
    pub offset: Option<u64>,
    /// Bytes of that member, frame or record as stored; `None` exactly when `offset` is.
    pub length: Option<u64>,
    /// Number of the record in its file, from 0, where `offset` is `None` in a WARC.
    pub record_number: Option<u64>,
    /// Row of a Parquet file, from 0 over the whole file.
    pub source_row: Option<u64>,
}

/// An HTTP response as its archive holds it, decoded.
///
/// Header values are bytes as received with outer blanks removed; the first of a repeated header counts.
#[derive(Debug, Clone)]
pub struct Capture<'a> {
    /// Where it lies.
    pub place: Place,
    /// The target URI, verbatim but for `<...>` around it; bytes that are not UTF-8 became U+FFFD (`Repair::UrlNotUtf8`).
    pub url: Cow<'a, str>,
    /// Time of the fetch in microseconds since 1970-01-01 UTC.
    pub fetch_time: Option<i64>,
    /// HTTP status, `None` when there was no status line or no number in it; may be outside 200-599.
    pub status: Option<i16>,
    /// `Location`.
    pub location: Option<&'a [u8]>,
    /// `Content-Type` of the HTTP response.
    pub content_type: Option<&'a [u8]>,
    /// `Cache-Control`; several fields joined by `, `.
    pub cache_control: Option<Cow<'a, [u8]>>,
    /// `WARC-Payload-Digest` without a leading `sha1:`; other algorithms keep theirs.
    pub digest: Option<Cow<'a, str>>,
    /// `WARC-Truncated`: why the archive holds less than the server sent.
    pub truncated: Option<Cow<'a, str>>,
    /// The payload, transfer and content encodings undone, at most `body_cap` bytes of it.
    pub body: &'a [u8],
    /// Bytes of the whole decoded payload; more than `body.len()` when the cap cut it.
    pub body_total_bytes: u64,
    /// What the reader had to mend to get here.
    pub repaired: Repairs,
}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident => $code:literal, $about:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $(#[doc = $about] $variant,)* }

        impl $name {
            /// Every code, in order.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The stable code that tables carry.
            pub const fn code(self) -> &'static str {
                match self { $($name::$variant => $code,)* }
            }

            /// One sentence on what it means.
            pub const fn about(self) -> &'static str {
                match self { $($name::$variant => $about,)* }
            }
        }
    };
}

codes! {
    /// Something about one capture that the reader mended; the capture is complete all the same.
    Repair {
        LineFeedHead => "lf-head", "the record's or response's head ends its lines with LF alone";
        ContentLengthMissing => "content-length-missing", "the record states no Content-Length; the member or the next record decides where it ends";
        ContentLengthWrong => "content-length-wrong", "the stated Content-Length disagrees with where the record ends";
        RecordSeparator => "record-separator", "the two line ends after a record are missing or more than two";
        BracketedUri => "bracketed-uri", "the target URI stands in angle brackets";
        SpaceInUri => "space-in-uri", "the target URI holds blanks";
        UrlNotUtf8 => "url-not-utf8", "the target URI holds bytes that are not UTF-8";
        FoldedHeader => "folded-header", "a header goes on in the next line";
        HeaderWithoutColon => "header-without-colon", "a header line has no colon and was skipped";
        StatusLine => "status-line", "the HTTP status line is not of the standard's form";
        ExtraBlankLine => "extra-blank-line", "one line end too many stands between HTTP head and body";
        DateOdd => "date-odd", "the record's date is not of the standard's form";
        NotChunked => "not-chunked", "the response says chunked and is not";
        ChunksBroken => "chunks-broken", "the chunks are damaged; what could be read of them is kept";
        NotEncoded => "not-encoded", "the response names a content encoding and is not encoded";
        EncodingBroken => "encoding-broken", "the content encoding is damaged; what could be decoded is kept";
        EncodingUnknown => "encoding-unknown", "the response names a content encoding that is not known; the bytes are kept as they are";
        EncodedTwice => "encoded-twice", "the response was encoded more often than it says";
        BodyCapped => "body-capped", "the body is longer than the cap; the rest is counted, not kept";
        HttpHeadMissing => "http-head-missing", "the response has no HTTP head; all of it is taken as the body";
        SplitOverMembers => "split-over-members", "the record is spread over several gzip members";
        LengthShort => "length-short", "the record ends before its stated length; what is there is kept";
    }
}

codes! {
    /// What was wrong with an input file: a row in `problems`.
    ProblemCode {
        FileUnreadable => "file-unreadable", "the file could not be opened or read; captures after this place are missing";
        FileTruncated => "file-truncated", "the file ends inside a record";
        MemberDamaged => "member-damaged", "a compressed member is damaged; reading went on at the next one";
        BytesSkipped => "bytes-skipped", "bytes between two records belong to no record";
        RecordUnreadable => "record-unreadable", "a record has no readable head; reading went on at the next one";
        RecordTooLarge => "record-too-large", "a record's head or frame is larger than any real one; it was passed over";
        NotAWarc => "not-a-warc", "the file is of no kind that is read here";
        DictionaryMissing => "dictionary-missing", "a zstd frame needs a dictionary that the file does not hold";
        UrlMissing => "url-missing", "a response has no target URI";
        ColumnMissing => "column-missing", "a Parquet file lacks a column, or has one whose type cannot serve";
        RowUnreadable => "row-unreadable", "a Parquet row could not be read";
        RowGroupUnreadable => "row-group-unreadable", "a Parquet row group could not be read; reading went on at the next one";
        RecordRepaired => "record-repaired", "a record was read only after mending it";
    }
}

/// A set of [`Repair`]s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repairs(u32);

impl Repairs {
    /// Adds a repair.
    pub const fn add(&mut self, repair: Repair) {
        self.0 |= 1 << repair as u32;
    }

    /// Whether it holds none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it holds this one.
    pub const fn contains(self, repair: Repair) -> bool {
        self.0 & (1 << repair as u32) != 0
    }

    /// Those in it, in the order of the list.
    pub fn iter(self) -> impl Iterator<Item = Repair> {
        Repair::ALL.iter().copied().filter(move |r| self.contains(*r))
    }
}

/// Something wrong with an input: what, where, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of thing.
    pub code: ProblemCode,
    /// Byte offset in the file as stored, or row of a Parquet file, where it begins.
    pub offset: Option<u64>,
    /// What exactly was found.
    pub detail: String,
    /// What was done about it.
    pub action: &'static str,
}
