//! `sitemaps`: a row a sitemap line of a distinct body.

use super::column::{Cell, Column, column, delta, plain};
use super::{Place, Record, Table};

/// The table `sitemaps`.
pub struct Sitemaps;

/// A row of [`Sitemaps`].
#[derive(Debug, Clone, Copy, Default)]
pub struct SitemapRow<'a> {
    /// Key of the body.
    pub body_key: i64,
    /// Value as written.
    pub url: &'a [u8],
    /// Line, from 1.
    pub line: i32,
    /// Whether the value is an absolute URL, as it ought to be.
    pub is_absolute: bool,
}

impl Table for Sitemaps {
    const NAME: &'static str = "sitemaps";
    const ABOUT: &'static str = "A row a sitemap line of a distinct body.";
    const PLACE: Place = Place::Parts;
}

impl Record for Sitemaps {
    type Row<'a> = SitemapRow<'a>;
    const COLUMNS: &'static [Column<Sitemaps>] = &[
        delta("body_key", "Key of the body.", "4294967301", Cell::I64(|row| row.body_key)),
        plain(
            "url",
            "Value as written, relative ones included.",
            "https://www.example.com/sitemap.xml",
            Cell::Lossy(|row| row.url),
        ),
        column("line", "Line, from 1.", "24", Cell::I32(|row| row.line)),
        column(
            "is_absolute",
            "Whether the value is an absolute URL, as it ought to be.",
            "true",
            Cell::Bool(|row| row.is_absolute),
        ),
    ];
}
