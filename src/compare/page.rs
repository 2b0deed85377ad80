//! The page of a comparison: one file that needs no other, whole without its script.

use super::figure::{Figure, Filled, Population, Row, named_figure};
use super::join::Joined;
use super::lists::{Move, Shown};
use super::shared::STATES;
use super::tallies::{CAUSES, MOVES, NAMING};
use crate::quantity::grouped;
use crate::report::ReportError;
use crate::report::page::{SCRIPT, STYLE, page as fill_template, seen};
use minijinja::{Value, context};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use svg::Document;
use svg::node::element::{Description, Line, Polyline, Rectangle, Text, Title};

const TEMPLATE: &str = include_str!("page/page.html");
const MORE_STYLE: &str = include_str!("page/compare.css");

/// Rows of a table on the page; the files have all of them.
const MOST_ROWS: usize = 60;

/// Agents in a chart.
const MOST_DRAWN: usize = 25;

/// Lines in a chart.
const MOST_LINES: usize = 8;

/// The page, whole: no file beside it is needed.
pub fn render(joined: &Joined, filled: &[Filled], shown: &[Shown]) -> Result<String, ReportError> {
    let page = Page { joined, filled };
    let (first, last) = (page.name(0), page.name(joined.snapshots.len().saturating_sub(1)));
    let totals = &joined.totals;
    let totals = [
        (joined.snapshots.len() as u64, "outputs"),
        (totals.origins, "origins in any of them"),
        (totals.panel_origins, "origins in all of them"),
        (totals.panel_domains, "registered domains of these"),
    ];
    let mut notes = vec![
        "Tables and charts are of origins in all outputs unless they say otherwise; with more than two outputs they set the first \
         against the last. All pairs, populations and units are in the files."
            .to_owned(),
    ];
    if let Some(sample) = joined.shared.sample {
        notes.push(format!("A sample, {sample} of all sites: the files have 95 % intervals (Wilson) of every share."));
    }
    let mut about = vec![("Dialect".to_owned(), joined.shared.dialect.clone())];
    about.push(("Crawlers".to_owned(), grouped(joined.shared.agents.len() as u64)));
    about.push(("Probes".to_owned(), grouped(joined.shared.probes.len() as u64)));
    about.extend(Population::ALL.iter().map(|population| {
        let (name, unit) = population.words();
        (format!("{name}, {unit}s"), population.about().to_owned())
    }));
    let context = context! {
        title => format!("robots.txt: what changed from {first} to {last}"),
        tool_version => env!("CARGO_PKG_VERSION"),
        style => Value::from_safe_string(STYLE.to_owned()),
        more_style => Value::from_safe_string(MORE_STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        totals => seen(totals.map(|(number, noun)| (grouped(number), noun))),
        compared => seen(page.compared()),
        notes => seen(notes),
        about => seen(about),
        differences => seen(&joined.shared.differences),
        sections => seen(page.sections(shown)),
    };
    fill_template(TEMPLATE, &context)
}

/// A heading with figures under it.
#[derive(Debug, Serialize)]
struct Group {
    id: &'static str,
    title: &'static str,
    figures: Vec<Section>,
}

/// A figure as it is shown.
#[derive(Debug, Default, Serialize)]
struct Section {
    id: &'static str,
    title: &'static str,
    definition: &'static str,
    denominator: &'static str,
    files: Vec<String>,
    svg: String,
    legend: Vec<(String, String)>,
    note: String,
    by_agent: bool,
    tables: Vec<Table>,
}

/// The head of a column.
#[derive(Debug, Serialize)]
struct Head {
    title: String,
    is_number: bool,
}

/// Heads of columns, of which so many have words and the others numbers.
fn heads<T: Into<String>>(titles: impl IntoIterator<Item = T>, words: usize) -> Vec<Head> {
    titles.into_iter().enumerate().map(|(at, title)| Head { title: title.into(), is_number: at >= words }).collect()
}

#[derive(Debug, Default, Serialize)]
struct Table {
    caption: String,
    /// What it is folded under; the caption when empty.
    summary: String,
    head: Vec<Head>,
    rows: Vec<Vec<Cell>>,
    note: String,
    is_open: bool,
}

#[derive(Debug, Serialize)]
struct Cell {
    text: String,
    value: Option<f64>,
}

impl Cell {
    fn word(text: &str) -> Cell {
        Cell { text: text.to_owned(), value: None }
    }

    fn count(count: u64) -> Cell {
        Cell { text: grouped(count), value: Some(count as f64) }
    }

    fn share(count: u64, total: u64) -> Cell {
        if total == 0 {
            return Cell { text: "-".to_owned(), value: Some(0.0) };
        }
        let share = count as f64 * 100.0 / total as f64;
        let text = match share {
            share if count > 0 && share < 0.01 => "< 0.01 %".to_owned(),
            share if share < 10.0 => format!("{share:.2} %"),
            share => format!("{share:.1} %"),
        };
        Cell { text, value: Some(share) }
    }
}

/// A row of words, with the count and share of a figure's row.
fn with_numbers<T: AsRef<str>>(words: &[T], row: &Row) -> Vec<Cell> {
    let words = words.iter().map(|word| Cell::word(word.as_ref()));
    words.chain([Cell::count(row.count), Cell::share(row.count, row.total)]).collect()
}

/// Keeps the first rows and says so.
fn cut(mut table: Table) -> Table {
    if table.rows.len() > MOST_ROWS {
        table.note = format!("{MOST_ROWS} of {} rows; the files have all of them.", grouped(table.rows.len() as u64));
        table.rows.truncate(MOST_ROWS);
    }
    table
}

/// Ways in which access moves, with the classes of their colours: those to less first, from the middle outwards.
const PARTS: [(&str, &str); 4] = [
    ("closed", "part access-none"),
    ("narrowed", "part access-some"),
    ("opened", "part access-all"),
    ("widened", "part hue-0"),
];

struct Page<'a> {
    joined: &'a Joined,
    filled: &'a [Filled],
}

impl Page<'_> {
    fn name(&self, snapshot: usize) -> &str {
        self.joined.snapshots.get(snapshot).map_or("", |snapshot| &snapshot.name)
    }

    fn rows(&self, id: &str) -> impl Iterator<Item = &Row> {
        self.filled.iter().filter(move |filled| filled.figure.id == id).flat_map(|filled| &filled.rows)
    }

    /// The rows of a figure of pairs, for the panel and the last pair: with more than two outputs, the first and the last.
    fn of_last_pair(&self, id: &str, population: Population) -> impl Iterator<Item = &Row> {
        let (from, to) = self.pair();
        self.rows(id).filter(move |row| {
            row.population == population && row.words.first() == Some(&from) && row.words.get(1) == Some(&to)
        })
    }

    fn pair(&self) -> (String, String) {
        self.joined.step_names(self.joined.steps.len().saturating_sub(1) as u8)
    }

    fn caption(&self, what: &str) -> String {
        let (from, to) = self.pair();
        format!("{what}, {from} to {to}")
    }

    fn compared(&self) -> Table {
        let totals = &self.joined.totals;
        let rows = self.joined.snapshots.iter().zip(totals.snapshot_origins.iter().zip(&totals.snapshot_counted));
        Table {
            caption: "The outputs, oldest first".to_owned(),
            head: heads(["Output", "Origins", "Whose answer can be told"], 1),
            rows: rows
                .map(|(snapshot, (origins, told))| {
                    vec![Cell::word(&snapshot.name), Cell::count(*origins), Cell::count(*told)]
                })
                .collect(),
            ..Table::default()
        }
    }

    fn sections(&self, shown: &[Shown]) -> Vec<Group> {
        let access = match self.joined.shared.has_verdicts {
            true => vec![
                self.moves(),
                self.causes(),
                self.closed_over_time(),
                self.matrices(),
                self.probes(),
                self.listed(shown),
            ],
            false => Vec::new(),
        };
        let groups = [
            ("access-group", "Access", access),
            ("naming-group", "Agents that are named", vec![self.naming(), self.newly_named()]),
            ("texts-group", "Texts", vec![self.texts(), self.makers("templates"), self.makers("managed")]),
            ("origins-group", "Origins", vec![self.reasons(), self.as_it_is("presence"), self.as_it_is("seen")]),
        ];
        let groups = groups.into_iter().filter(|(.., figures)| !figures.is_empty());
        groups.map(|(id, title, figures)| Group { id, title, figures }).collect()
    }

    fn section(&self, id: &'static str) -> Section {
        let Some(figure) = named_figure(id) else { return Section::default() };
        let Figure { title, definition, denominator, .. } = *figure;
        let files = vec![format!("figures/{id}.csv"), format!("figures/{id}.parquet")];
        Section { id, title, definition, denominator, files, ..Section::default() }
    }

    /// Counts of moves by agent, in the order of [`MOVES`], and what they are of.
    fn moves_by_agent(&self) -> Vec<(String, [u64; 4], u64)> {
        let mut agents: BTreeMap<String, ([u64; 4], u64)> = BTreeMap::new();
        for row in self.of_last_pair("moves", Population::Panel) {
            let [_, _, agent, kind, _] = row.words.as_slice() else { continue };
            let one = agents.entry(agent.clone()).or_default();
            one.1 = row.total;
            if let Some(slot) = MOVES.iter().position(|known| known == kind).and_then(|at| one.0.get_mut(at)) {
                *slot += row.count;
            }
        }
        let mut agents: Vec<_> = agents.into_iter().map(|(agent, (counts, total))| (agent, counts, total)).collect();
        agents.sort_by_key(|(agent, counts, _)| (Reverse(counts.iter().sum::<u64>()), agent.clone()));
        agents
    }

    fn moves(&self) -> Section {
        let agents = self.moves_by_agent();
        let rows = agents.iter().map(|(agent, [closed, opened, narrowed, widened], total)| {
            vec![
                Cell::word(agent),
                Cell::count(*closed),
                Cell::share(*closed, *total),
                Cell::count(*opened),
                Cell::share(*opened, *total),
                Cell::count(*narrowed),
                Cell::count(*widened),
                Cell { text: net(*closed, *opened), value: Some(*closed as f64 - *opened as f64) },
            ]
        });
        let titles = ["Agent", "Closed", "share", "Opened", "share", "Narrowed", "Widened", "Closed less opened"];
        let table = Table {
            caption: self.caption("Origins in all outputs where access moved"),
            head: heads(titles, 1),
            rows: rows.collect(),
            is_open: true,
            ..Table::default()
        };
        Section {
            svg: draw_moves(&agents),
            legend: PARTS.map(|(name, class)| (name.to_owned(), class.to_owned())).to_vec(),
            note: match agents.len() > MOST_DRAWN {
                true => format!("{MOST_DRAWN} of {} agents are drawn.", agents.len()),
                false => String::new(),
            },
            by_agent: true,
            tables: vec![table],
            ..self.section("moves")
        }
    }

    /// What moves came with, by agent.
    fn causes(&self) -> Section {
        let mut agents: BTreeMap<&str, ([u64; CAUSES.len()], [u64; CAUSES.len()])> = BTreeMap::new();
        for row in self.of_last_pair("moves", Population::Panel) {
            let [_, _, agent, kind, cause] = row.words.as_slice() else { continue };
            let one = agents.entry(agent).or_default();
            let counts = if kind == MOVES[0] || kind == MOVES[2] { &mut one.0 } else { &mut one.1 };
            if let Some(slot) = CAUSES.iter().position(|known| known == cause).and_then(|at| counts.get_mut(at)) {
                *slot += row.count;
            }
        }
        let mut agents: Vec<_> = agents.into_iter().collect();
        agents.sort_by_key(|(agent, (less, more))| (Reverse(less.iter().chain(more).sum::<u64>()), *agent));
        let of = |way: &'static str| CAUSES.iter().map(move |cause| format!("{way}: {}", cause.replace('_', " ")));
        let table = Table {
            caption: self.caption("Origins in all outputs by what a move to less (closed, narrowed) or more came with"),
            head: heads(["Agent".to_owned()].into_iter().chain(of("less")).chain(of("more")), 1),
            rows: agents
                .into_iter()
                .map(|(agent, (less, more))| {
                    [Cell::word(agent)].into_iter().chain(less.into_iter().chain(more).map(Cell::count)).collect()
                })
                .collect(),
            is_open: true,
            ..Table::default()
        };
        Section {
            id: "causes",
            title: "Templates, services and owners",
            definition: "The moves above by what they came with: another template or managed block, or the owner's own change.",
            by_agent: true,
            tables: vec![table],
            ..self.section("moves")
        }
    }

    /// Shares of the panel that let an agent fetch nothing, output by output.
    fn closed_over_time(&self) -> Section {
        let mut agents: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
        let places: BTreeMap<&str, usize> =
            self.joined.snapshots.iter().enumerate().map(|(at, snapshot)| (snapshot.name.as_str(), at)).collect();
        for row in self.rows("access").filter(|row| row.population == Population::Panel) {
            let [snapshot, agent, access] = row.words.as_slice() else { continue };
            let series = agents.entry(agent.clone()).or_insert_with(|| vec![(0, 0); places.len()]);
            if let Some(one) = places.get(snapshot.as_str()).and_then(|at| series.get_mut(*at)) {
                one.1 = row.total;
                one.0 += if access == STATES[2] || access == STATES[6] { row.count } else { 0 };
            }
        }
        let mut agents: Vec<(String, Vec<(u64, u64)>)> = agents.into_iter().collect();
        agents.sort_by_key(|(agent, series)| (Reverse(series.last().map_or(0, |last| last.0)), agent.clone()));
        let names = self.joined.snapshots.iter().map(|one| one.name.clone());
        let rows = agents.iter().map(|(agent, series)| {
            let shares = series.iter().map(|(count, total)| Cell::share(*count, *total));
            [Cell::word(agent)].into_iter().chain(shares).collect()
        });
        let table = Table {
            caption: "Share of origins in all outputs that let the agent fetch nothing, by text or status".to_owned(),
            head: heads(["Agent".to_owned()].into_iter().chain(names), 1),
            rows: rows.collect(),
            ..Table::default()
        };
        agents.truncate(MOST_LINES);
        let is_drawn = self.joined.snapshots.len() > 2;
        let legend = agents.iter().enumerate().filter(|_| is_drawn);
        Section {
            legend: legend.map(|(at, (agent, _))| (agent.clone(), format!("hue-{at}"))).collect(),
            svg: if is_drawn { self.draw_lines(&agents) } else { String::new() },
            by_agent: true,
            tables: vec![table],
            ..self.section("access")
        }
    }

    fn matrices(&self) -> Section {
        let mut agents: BTreeMap<&str, BTreeMap<(usize, usize), u64>> = BTreeMap::new();
        let place = |word: &str| STATES.iter().position(|state| *state == word).unwrap_or(STATES.len());
        for row in self.of_last_pair("access_changes", Population::Panel) {
            let [_, _, agent, before, after] = row.words.as_slice() else { continue };
            *agents.entry(agent).or_default().entry((place(before), place(after))).or_default() += row.count;
        }
        let order = |agent: &str| self.joined.shared.agents.iter().position(|known| known == agent);
        let mut agents: Vec<_> = agents.into_iter().collect();
        agents.sort_by_key(|(agent, _)| order(agent));
        let word = |at: usize| STATES.get(at).copied().unwrap_or_default();
        let tables = agents.into_iter().map(|(agent, counts)| {
            let used: BTreeSet<usize> = counts.keys().flat_map(|(before, after)| [*before, *after]).collect();
            let rows = used.iter().map(|before| {
                let of = |after: usize| counts.get(&(*before, after)).copied().unwrap_or_default();
                let total: u64 = used.iter().map(|after| of(*after)).sum();
                let counts = used.iter().map(|after| Cell::count(of(*after))).chain([Cell::count(total)]);
                [Cell::word(word(*before))].into_iter().chain(counts).collect()
            });
            let titles = ["Before"].into_iter().chain(used.iter().map(|at| word(*at))).chain(["all of them"]);
            Table {
                caption: self.caption(&format!("{agent}: a row is the access before, a column that after")),
                summary: agent.to_owned(),
                head: heads(titles, 1),
                rows: rows.collect(),
                ..Table::default()
            }
        });
        Section { tables: tables.collect(), ..self.section("access_changes") }
    }

    /// The paths that became open or closed to some agent most often.
    fn probes(&self) -> Section {
        let mut paths: BTreeMap<(&str, &str), [u64; 2]> = BTreeMap::new();
        for row in self.of_last_pair("probes", Population::Panel) {
            let [_, _, agent, probe, before, after] = row.words.as_slice() else { continue };
            let [closed, opened] = paths.entry((agent, probe)).or_default();
            match (before.as_str(), after.as_str()) {
                ("allow", "disallow") => *closed += row.count,
                ("disallow", "allow") => *opened += row.count,
                _ => {}
            }
        }
        let mut paths: Vec<_> = paths.into_iter().filter(|(_, counts)| *counts != [0, 0]).collect();
        paths.sort_by_key(|(names, [closed, opened])| (Reverse(closed + opened), *names));
        let rows = paths.into_iter().map(|((agent, probe), [closed, opened])| {
            vec![Cell::word(agent), Cell::word(probe), Cell::count(closed), Cell::count(opened)]
        });
        let table = Table {
            caption: self.caption("Origins in all outputs where a path became disallowed, or allowed"),
            head: heads(["Agent", "Path", "Disallowed now", "Allowed now"], 2),
            rows: rows.collect(),
            ..Table::default()
        };
        Section { by_agent: true, tables: vec![cut(table)], ..self.section("probes") }
    }

    fn listed(&self, shown: &[Shown]) -> Section {
        let tables = MOVES.iter().zip(shown).take(2).map(|(kind, shown)| {
            let rows = shown.rows.iter().map(|one: &Move| {
                let in_panel = if one.in_panel { "yes" } else { "no" };
                let agents = few(&one.agents);
                [one.origin.as_str(), one.before, one.after, one.cause, in_panel, &agents].map(Cell::word).into()
            });
            let titles = ["Origin", "Before", "After", "Cause", "In all outputs", "Agents"];
            Table {
                caption: self.caption(&format!("Origins that {kind}")),
                head: heads(titles, titles.len()),
                rows: rows.collect(),
                note: format!("{} of {} rows.", shown.rows.len(), grouped(shown.total)),
                ..Table::default()
            }
        });
        Section {
            id: "listed",
            title: "Origins that closed or opened",
            definition: "A row an origin and way in which the access of some agents moved, in the order of the newer output.",
            files: vec!["lists/moves.parquet".to_owned()],
            tables: tables.collect(),
            ..Section::default()
        }
    }

    fn naming(&self) -> Section {
        let mut agents: BTreeMap<&str, ([u64; 3], u64, u64)> = BTreeMap::new();
        for row in self.of_last_pair("naming_changes", Population::Panel) {
            let [_, _, agent, naming, access] = row.words.as_slice() else { continue };
            let one = agents.entry(agent).or_default();
            one.2 = row.total;
            if let Some(slot) = NAMING.iter().position(|known| known == naming).and_then(|at| one.0.get_mut(at)) {
                *slot += row.count;
            }
            if naming == NAMING[0] && access == STATES[2] {
                one.1 += row.count;
            }
        }
        let mut agents: Vec<_> = agents.into_iter().collect();
        agents.sort_by_key(|(agent, ([started, stopped, _], ..))| (Reverse(started + stopped), *agent));
        let rows = agents.into_iter().map(|(agent, ([started, stopped, kept], none, total))| {
            vec![
                Cell::word(agent),
                Cell::count(started),
                Cell::share(started, total),
                Cell::count(none),
                Cell::count(stopped),
                Cell::share(stopped, total),
                Cell::count(kept),
            ]
        });
        let titles = ["Agent", "Began", "share", "of them with nothing allowed", "Ceased", "share", "Kept"];
        let table = Table {
            caption: self.caption("Origins in all outputs that began, ceased or went on to name the agent"),
            head: heads(titles, 1),
            rows: rows.collect(),
            is_open: true,
            ..Table::default()
        };
        let mut section = self.section("naming_changes");
        section.files.push("lists/agents.parquet".to_owned());
        Section { by_agent: true, tables: vec![cut(table)], ..section }
    }

    fn newly_named(&self) -> Section {
        let mut rows: Vec<&Row> = self.rows("newly_named").filter(|row| row.population == Population::All).collect();
        rows.sort_by_key(|row| (Reverse(row.count), row.words.clone()));
        let rows = rows.into_iter().filter_map(|row| {
            let [first, last, agent] = row.words.as_slice() else { return None };
            Some(with_numbers(&[agent, first, last], row))
        });
        let table = Table {
            caption: "Agents that the first output does not name, all origins".to_owned(),
            head: heads(["Agent", "First seen", "Last seen", "Origins", "share"], 3),
            rows: rows.collect(),
            is_open: true,
            ..Table::default()
        };
        Section { by_agent: true, tables: vec![cut(table)], ..self.section("newly_named") }
    }

    fn texts(&self) -> Section {
        let tables = [Population::Panel, Population::All].map(|population| {
            let rows = self.of_last_pair("texts", population).filter_map(|row| {
                let [_, _, text, cause] = row.words.as_slice() else { return None };
                Some(with_numbers(&[text.as_str(), if text == "changed" { cause } else { "-" }], row))
            });
            let is_panel = population == Population::Panel;
            Table {
                caption: self.caption(if is_panel { "Origins in all outputs" } else { "All origins" }),
                head: heads(["Text", "Cause", "Origins", "share"], 2),
                rows: rows.collect(),
                is_open: is_panel,
                ..Table::default()
            }
        });
        Section { tables: tables.into(), ..self.section("texts") }
    }

    fn makers(&self, id: &'static str) -> Section {
        let mut rows: Vec<&Row> =
            self.of_last_pair(id, Population::Panel).filter(|row| row.words.get(2) != row.words.get(3)).collect();
        rows.sort_by_key(|row| (Reverse(row.count), row.words.clone()));
        let table = Table {
            caption: self.caption("Origins in all outputs where it changed"),
            head: heads(["Before", "After", "Origins", "share"], 2),
            rows: rows.into_iter().map(|row| with_numbers(row.words.get(2..).unwrap_or_default(), row)).collect(),
            ..Table::default()
        };
        Section { tables: vec![cut(table)], ..self.section(id) }
    }

    fn reasons(&self) -> Section {
        let rows = self.of_last_pair("reason_changes", Population::All);
        let table = Table {
            caption: self.caption("All origins"),
            head: heads(["Before", "After", "Origins", "share"], 2),
            rows: rows.map(|row| with_numbers(row.words.get(2..).unwrap_or_default(), row)).collect(),
            ..Table::default()
        };
        let mut section = self.section("reason_changes");
        section.files.push("figures/reasons.csv".to_owned());
        Section { tables: vec![table], ..section }
    }

    /// A figure with all its dimensions.
    fn as_it_is(&self, id: &'static str) -> Section {
        let dimensions = named_figure(id).map_or(&[][..], |figure| figure.dimensions);
        let titles = dimensions.iter().map(|(_, title)| *title).chain(["Origins", "share"]);
        let table = Table {
            caption: "All origins".to_owned(),
            head: heads(titles, dimensions.len()),
            rows: self.rows(id).map(|row| with_numbers(&row.words, row)).collect(),
            ..Table::default()
        };
        let mut section = self.section(id);
        if id == "seen" {
            section.files.push("lists/presence.parquet".to_owned());
        }
        Section { tables: vec![cut(table)], ..section }
    }

    fn draw_lines(&self, agents: &[(String, Vec<(u64, u64)>)]) -> String {
        let (left, right, top, height) = (52.0, 12.0, 12.0, 240.0);
        let share = |(count, total): (u64, u64)| if total == 0 { 0.0 } else { count as f64 / total as f64 };
        let shares = agents.iter().flat_map(|(_, series)| series.iter().map(|one| share(*one)));
        let most = shares.fold(0.0, f64::max).max(0.01);
        let last = self.joined.snapshots.len().saturating_sub(1).max(1) as f64;
        let x = |at: usize| left + (WIDTH - left - right) * at as f64 / last;
        let y = |share: f64| top + height * (1.0 - share / most);
        let about: Vec<String> = agents
            .iter()
            .map(|(agent, series)| {
                let ends = [series.first(), series.last()].map(|one| share(one.copied().unwrap_or_default()) * 100.0);
                format!("{agent}: {:.2} % to {:.2} %", ends[0], ends[1])
            })
            .collect();
        let mut document =
            canvas("access", "Closed to agents, output by output", &about.join("; "), top + height + 26.0);
        for part in 0..=4 {
            let value = most * f64::from(part) / 4.0;
            document = document.add(line(left, y(value), WIDTH - right, y(value), "grid")).add(text(
                format!("{:.1} %", value * 100.0),
                left - 6.0,
                y(value) + 4.0,
                "tick",
                "end",
            ));
        }
        for (at, anchor) in [(0, "start"), (self.joined.snapshots.len().saturating_sub(1), "end")] {
            document = document.add(text(self.name(at).to_owned(), x(at), top + height + 18.0, "tick", anchor));
        }
        for (number, (_, series)) in agents.iter().enumerate() {
            let points = series.iter().enumerate().map(|(at, one)| format!("{:.1},{:.1}", x(at), y(share(*one))));
            let points: Vec<String> = points.collect();
            document = document
                .add(Polyline::new().set("points", points.join(" ")).set("class", format!("line hue-{number}")));
        }
        document.to_string()
    }
}

const WIDTH: f64 = 760.0;

fn canvas(id: &str, title: &str, about: &str, height: f64) -> Document {
    Document::new()
        .set("viewBox", format!("0 0 {WIDTH} {height:.0}"))
        .set("role", "img")
        .set("aria-labelledby", format!("{id}-chart-title {id}-chart-desc"))
        .set("class", "chart")
        .add(Title::new(title).set("id", format!("{id}-chart-title")))
        .add(Description::new().set("id", format!("{id}-chart-desc")).add(svg::node::Text::new(plain(about))))
}

fn line(x1: f64, y1: f64, x2: f64, y2: f64, class: &str) -> Line {
    let place = |value: f64| format!("{value:.1}");
    let ends = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)];
    ends.into_iter().fold(Line::new().set("class", class), |line, (name, value)| line.set(name, place(value)))
}

fn text(words: String, x: f64, y: f64, class: &str, anchor: &str) -> Text {
    Text::new(plain(&words))
        .set("x", format!("{x:.1}"))
        .set("y", format!("{y:.1}"))
        .set("class", class)
        .set("text-anchor", anchor)
}

/// A control character is no XML.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Less access to the left, more to the right.
fn draw_moves(agents: &[(String, [u64; 4], u64)]) -> String {
    let drawn = agents.get(..MOST_DRAWN.min(agents.len())).unwrap_or_default();
    let sides =
        drawn.iter().flat_map(|(_, [closed, opened, narrowed, widened], _)| [closed + narrowed, opened + widened]);
    let most = sides.max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let (label, row, bar) = (190.0, 24.0, 16.0);
    let half = (WIDTH - label - 110.0) / 2.0;
    let zero = label + 50.0 + half;
    let about: Vec<String> = drawn
        .iter()
        .take(5)
        .map(|(agent, [closed, opened, narrowed, widened], _)| {
            format!("{agent}: {closed} closed, {narrowed} narrowed, {opened} opened, {widened} widened")
        })
        .collect();
    let height = row * drawn.len() as f64 + 8.0;
    let mut document = canvas("moves", "Who opened and who closed", &about.join("; "), height);
    for (at, (agent, [closed, opened, narrowed, widened], _)) in drawn.iter().enumerate() {
        let y = row * at as f64 + 4.0;
        document = document.add(text(agent.chars().take(28).collect(), label - 8.0, y + 13.0, "label", "end"));
        let length = |count: u64| count as f64 / most as f64 * half;
        let mut end = zero;
        for (count, class) in [(*closed, PARTS[0].1), (*narrowed, PARTS[1].1)] {
            end -= length(count);
            document = document.add(rectangle(end, y, length(count), bar, class));
        }
        if closed + narrowed > 0 {
            document = document.add(text(grouped(closed + narrowed), end - 4.0, y + 13.0, "value", "end"));
        }
        let mut end = zero;
        for (count, class) in [(*opened, PARTS[2].1), (*widened, PARTS[3].1)] {
            document = document.add(rectangle(end, y, length(count), bar, class));
            end += length(count);
        }
        if opened + widened > 0 {
            document = document.add(text(grouped(opened + widened), end + 4.0, y + 13.0, "value", "start"));
        }
    }
    document.add(line(zero, 0.0, zero, height, "zero")).to_string()
}

fn rectangle(x: f64, y: f64, width: f64, height: f64, class: &str) -> Rectangle {
    let sizes = [("x", x), ("y", y), ("width", width), ("height", height)];
    let empty = Rectangle::new().set("class", class);
    sizes.into_iter().fold(empty, |rectangle, (name, value)| rectangle.set(name, format!("{value:.1}")))
}

fn net(closed: u64, opened: u64) -> String {
    match closed.cmp(&opened) {
        std::cmp::Ordering::Less => format!("\u{2212}{}", grouped(opened - closed)),
        std::cmp::Ordering::Equal => "0".to_owned(),
        std::cmp::Ordering::Greater => format!("+{}", grouped(closed - opened)),
    }
}

/// Some names, and how many more.
fn few(names: &[String]) -> String {
    const SPELT_OUT: usize = 6;
    let mut text = names.iter().take(SPELT_OUT).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SPELT_OUT {
        text += &format!(" and {} more", names.len() - SPELT_OUT);
    }
    text
}
