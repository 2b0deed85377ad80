//! `probes`: a row a path or URL that was asked about.

use super::column::{Cell, Column, column};
use super::{Place, Record, Table};

/// The table `probes`.
pub struct Probes;

/// A row of [`Probes`].
#[derive(Debug, Clone, Copy, Default)]
pub struct ProbeRow<'a> {
    /// Id: its place in the probe set, from 0.
    pub probe_id: i32,
    /// As written.
    pub probe: &'a str,
    /// Origin that an absolute probe concerns.
    pub origin: Option<&'a str>,
    /// Path and query that the rules were asked about.
    pub path: &'a str,
}

impl Table for Probes {
    const NAME: &'static str = "probes";
    const ABOUT: &'static str = "A row a path or URL that verdicts were given for.";
    const PLACE: Place = Place::Single;
}

impl Record for Probes {
    type Row<'a> = ProbeRow<'a>;
    const COLUMNS: &'static [Column<Probes>] = &[
        column(
            "probe_id",
            "Id in verdicts.disallowed and undefined, and place in lines: the place in the probe set, from 0.",
            "2",
            Cell::I32(|row| row.probe_id),
        ),
        column("probe", "The probe as written.", "https://www.example.com/search?q=a", Cell::Text(|row| row.probe)),
        column(
            "origin",
            "Origin that an absolute probe concerns, and no other; null for a path, which concerns them all.",
            "https://www.example.com",
            Cell::MaybeText(|row| row.origin),
        ),
        column("path", "Path and query that the rules were asked about.", "/search?q=a", Cell::Text(|row| row.path)),
    ];
}
