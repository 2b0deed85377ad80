//! The page: one HTML file that needs nothing else. Every text in it goes through the template engine, which escapes it; only the
//! style sheet, the script and the charts, which are ours, are put in as they are.

use super::chart::{self, percent};
use super::figure::{Base, Chart, Compute, Figure, Measure, QUANTILES};
use super::pass::Counted;
use super::rows::{Filled, Numbers, Row, total};
use super::source::Source;
use super::strata::WHOLE;
use super::tally::Unit;
use super::{ReportError, sql};
use crate::quantity::grouped;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

const TEMPLATE: &str = include_str!("page.html");
/// The style sheet of pages.
pub const STYLE: &str = include_str!("page.css");
/// The script of pages, which are whole without it.
pub const SCRIPT: &str = include_str!("page.js");

/// Cells after which a table by stratum is left to the CSV.
const MOST_CELLS: usize = 6_000;

/// Rows after which a table is left to the CSV.
const MOST_ROWS: usize = 2_000;

/// Renders the page of a report.
pub fn render(source: &Source, counted: &Counted, filled: &[Filled]) -> Result<String, ReportError> {
    let heading = heading(source);
    let context = context! {
        title => heading,
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        tool_version => env!("CARGO_PKG_VERSION"),
        about => seen(about(source, counted)),
        totals => seen(totals(counted)),
        headlines => seen(headlines(counted, filled)),
        sections => seen(sections(counted, filled)),
        notes => seen(notes(source, counted)),
    };
    page(TEMPLATE, &context)
}

/// A text of ours in which `words` stand for code.
fn marked(text: &str) -> Value {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts: Vec<String> = escaped
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() })
        .collect();
    Value::from_safe_string(parts.concat())
}

/// A value as the template sees it.
pub fn seen(value: impl Serialize) -> Value {
    Value::from(Serde(value))
}

/// Fills a template; everything that goes into it is escaped unless it is safe already.
pub fn page(template: &str, context: &Value) -> Result<String, ReportError> {
    let failed = |error: minijinja::Error| ReportError::Page(error.to_string());
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let blocks = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(failed)?;
    environment.set_syntax(blocks);
    environment.add_template("page", template).map_err(failed)?;
    environment.get_template("page").and_then(|template| template.render(context)).map_err(failed)
}

/// What the page is about: the crawls that the inputs name, or nothing in particular.
fn heading(source: &Source) -> String {
    let crawls: BTreeSet<&str> = source
        .manifest
        .inputs
        .iter()
        .filter_map(|input| input.name.split('/').find(|part| part.starts_with("CC-MAIN-") && part.len() == 15))
        .collect();
    match crawls.into_iter().collect::<Vec<_>>().as_slice() {
        [] => "robots.txt census".to_owned(),
        [one] => format!("robots.txt census of {one}"),
        [first, .., last] => format!("robots.txt census of {first} to {last}"),
    }
}

#[derive(Serialize)]
struct Total {
    number: String,
    noun: &'static str,
}

fn totals(counted: &Counted) -> Vec<Total> {
    let totals = counted.totals;
    let mut list = vec![
        Total { number: grouped(totals.origins), noun: "origins (scheme, host and port)" },
        Total { number: grouped(totals.domains), noun: "registered domains" },
        Total { number: grouped(totals.captures), noun: "captures" },
        Total { number: grouped(totals.bodies), noun: "texts, distinct in their shards" },
    ];
    if totals.weight > 0 {
        list.push(Total { number: grouped(totals.weight), noun: "weight of all origins" });
    }
    list
}

fn about(source: &Source, counted: &Counted) -> Vec<[String; 2]> {
    let set = |name: &str| {
        let set = source.configured(name);
        format!("{} ({})", set["name"].as_str().unwrap_or("unnamed"), set["count"])
    };
    let mut list = vec![
        ["Dialect".to_owned(), counted.dialect.clone()],
        ["Dialects of the scan".to_owned(), counted.dialects.join(", ")],
        ["Crawlers".to_owned(), set("agents")],
        ["Probes".to_owned(), set("probes")],
        ["Inputs".to_owned(), grouped(source.manifest.inputs.len() as u64)],
        ["Configuration".to_owned(), source.manifest.configuration_hash.clone()],
        ["Scanned by".to_owned(), format!("robocensus {}", source.manifest.tool_version)],
    ];
    if let Some(sample) = source.sample() {
        list.insert(0, ["Sample".to_owned(), format!("{sample} of all sites")]);
    }
    if let Some(selection) = &source.manifest.selection {
        list.insert(0, ["Part".to_owned(), format!("shards {selection} of the run")]);
    }
    list
}

fn notes(source: &Source, counted: &Counted) -> Vec<String> {
    let count = |id_base: Base| total(counted, id_base, 0).get(Unit::Origin);
    let mut notes = vec![format!(
        "Unless a table says otherwise, shares are of origins. {} of {} origins are in denominators; the first figure tells what is not.",
        grouped(count(Base::Counted)),
        grouped(counted.totals.origins)
    )];
    if source.sample().is_some() {
        notes.push(
            "The scan was a sample of sites: shares come with their 95 % interval (Wilson). Origins and captures of one site are not \
            independent of each other, so their intervals are somewhat too narrow; those of registered domains are not."
                .to_owned(),
        );
    }
    if counted.totals.weight > 0 {
        notes.push("Weighted shares have no interval: a weight is no number of independent things.".to_owned());
    }
    notes
}

#[derive(Serialize)]
struct Headline {
    share: String,
    text: String,
    of: String,
    figure: &'static str,
}

/// The handful of shares that people look for first.
fn headlines(counted: &Counted, filled: &[Filled]) -> Vec<Headline> {
    let mut list = Vec::new();
    let count = |id: &str, takes: &dyn Fn(&[String]) -> bool| -> Option<(u64, u64)> {
        let filled = filled.iter().find(|filled| filled.figure.id == id)?;
        let rows = filled.rows.iter().filter(|row| row.stratum == WHOLE && row.unit == Unit::Origin);
        let total = rows.clone().find_map(|row| row.share().map(|(_, total)| total))?;
        let count =
            rows.filter(|row| takes(&row.dimensions)).filter_map(|row| row.share().map(|(count, _)| count)).sum();
        Some((count, total))
    };
    let mut say = |figure: &'static str, share: Option<(u64, u64)>, text: String, of: &str| {
        if let Some((count, total)) = share {
            list.push(Headline {
                share: percent(count, total),
                text,
                of: format!("{} of {} {of}", grouped(count), grouped(total)),
                figure,
            });
        }
    };
    let is = |words: &[String], at: usize, word: &str| words.get(at).is_some_and(|found| found == word);
    let base = |base| total(counted, base, 0).get(Unit::Origin);
    let robots = (base(Base::Robots), base(Base::Counted));
    say("body_kinds", (robots.1 > 0).then_some(robots), "have a robots.txt".to_owned(), "origins");
    say(
        "ai_closed",
        count("ai_closed", &|words| (is(words, 0, "all") || is(words, 0, "some")) && is(words, 1, "named")),
        "close an AI crawler out by its name".to_owned(),
        "origins",
    );
    let ai: Vec<&str> =
        counted.context.agents.iter().filter(|agent| agent.is_ai()).map(|agent| agent.token.as_str()).collect();
    let closed_of = |agent: &str| count("agent_access", &|words| is(words, 0, agent) && is(words, 1, "none"));
    // The one that most keep out; the first of the set where several are level.
    let mut most: Option<(&str, (u64, u64))> = None;
    for agent in ai {
        if let Some(share) = closed_of(agent).filter(|(closed, _)| most.is_none_or(|(_, (best, _))| *closed > best)) {
            most = Some((agent, share));
        }
    }
    if let Some((agent, share)) = most {
        say(
            "agent_access",
            Some(share),
            format!("close {agent} out: of the AI crawlers the one that most do"),
            "origins",
        );
    }
    say(
        "agent_access",
        closed_of("Googlebot").filter(|_| counted.context.agents.iter().any(|agent| agent.token == "Googlebot")),
        "close Googlebot out".to_owned(),
        "origins",
    );
    say(
        "findings",
        count("features", &|words| is(words, 0, "a finding")),
        "have at least one finding".to_owned(),
        "robots.txt files",
    );
    say(
        "templates",
        count("templates", &|words| !is(words, 0, "(none)")),
        "come from a known template".to_owned(),
        "texts",
    );
    list
}

#[derive(Serialize)]
struct Section {
    id: String,
    title: &'static str,
    figures: Vec<Entry>,
    /// Whether it has tables of agents.
    has_agents: bool,
}

#[derive(Serialize)]
struct Entry {
    id: &'static str,
    title: &'static str,
    definition: Value,
    denominator: String,
    apart: String,
    sql: String,
    chart: Option<Value>,
    legend: Vec<(String, String)>,
    note: String,
    tables: Vec<Table>,
    by_agent: bool,
    rows: String,
}

#[derive(Serialize)]
struct Table {
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Line>,
    left_out: bool,
}

#[derive(Serialize)]
struct Column {
    title: String,
    is_number: bool,
}

#[derive(Serialize)]
struct Line {
    head: String,
    cells: Vec<Cell>,
}

#[derive(Serialize, Default, Clone)]
struct Cell {
    text: String,
    /// What to sort by.
    sort: String,
    is_number: bool,
    /// A second line, in small.
    small: String,
}

impl Cell {
    fn word(text: &str) -> Cell {
        Cell { text: visible(text), ..Cell::default() }
    }

    fn count(number: u64) -> Cell {
        Cell { text: grouped(number), sort: number.to_string(), is_number: true, small: String::new() }
    }

    fn share(count: u64, total: u64, interval: Option<(f64, f64)>) -> Cell {
        let small =
            interval.map_or(String::new(), |(low, high)| format!("{:.2}\u{2013}{:.2}", low * 100.0, high * 100.0));
        let part = if total == 0 { 0.0 } else { count as f64 / total as f64 };
        Cell { text: percent(count, total), sort: format!("{part:.9}"), is_number: true, small }
    }

    fn nothing() -> Cell {
        Cell { text: "\u{2013}".to_owned(), sort: "0".to_owned(), is_number: true, small: String::new() }
    }
}

/// A stranger's text with its control characters to be seen.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn sections(counted: &Counted, filled: &[Filled]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for filled in filled {
        let title = filled.figure.section;
        if sections.last().is_none_or(|section| section.title != title) {
            let id = format!("part-{}", sections.len() + 1);
            sections.push(Section { id, title, figures: Vec::new(), has_agents: false });
        }
        if let Some(section) = sections.last_mut() {
            let entry = entry(counted, filled);
            section.has_agents |= entry.by_agent;
            section.figures.push(entry);
        }
    }
    sections
}

fn entry(counted: &Counted, filled: &Filled) -> Entry {
    let figure = filled.figure;
    let drawing = chart::draw(filled);
    let by_agent = figure.dimensions.first().is_some_and(|dimension| dimension.name == "agent");
    let (chart, legend, note) = match drawing {
        Some(drawing) => (Some(Value::from_safe_string(drawing.svg)), drawing.legend, drawing.note),
        None => (None, Vec::new(), String::new()),
    };
    let note = match figure.dimensions {
        [first, more @ ..] if figure.chart == Chart::Bars && !more.is_empty() => {
            let titles: Vec<&str> = more.iter().map(|dimension| dimension.title).collect();
            format!("Rows: {} \u{b7} {}. {note}", first.title, titles.join(" \u{b7} ")).trim().to_owned()
        }
        _ => note,
    };
    let mut tables = vec![match figure.measure {
        Measure::Quantiles => quantiles(filled),
        Measure::Share if figure.dimensions.len() > 1 && !matches!(figure.chart, Chart::Bars) => {
            spread(counted, filled)
        }
        Measure::Share => by_unit(filled),
    }];
    if counted.strata.len() > 1 && !counted.strata_of_agents && figure.measure == Measure::Share {
        tables.extend(by_stratum(counted, filled));
    }
    Entry {
        id: figure.id,
        title: figure.title,
        definition: marked(figure.definition),
        denominator: denominator(counted, figure),
        apart: apart(counted, figure.base),
        sql: sql::query(figure, &counted.dialect, &counted.dialects),
        chart,
        legend,
        note,
        tables,
        by_agent,
        rows: grouped(filled.rows.len() as u64),
    }
}

fn denominator(counted: &Counted, figure: &Figure) -> String {
    let about = figure.denominator();
    let units = total(counted, figure.base, 0);
    let counts: Vec<String> = Unit::ALL
        .iter()
        .filter(|unit| units.get(**unit) > 0)
        .map(|unit| format!("{} {}", grouped(units.get(*unit)), unit.plural()))
        .collect();
    if counts.is_empty() { about } else { format!("{about} {}.", counts.join(", ")) }
}

/// What a figure of texts leaves aside, so that nobody takes a share of texts for one of all.
fn apart(counted: &Counted, base: Base) -> String {
    if !matches!(base, Base::Text | Base::Robots | Base::GeneralBlock) {
        return String::new();
    }
    let origins = |base| total(counted, base, 0).get(Unit::Origin);
    let unresolved = counted.unresolved.get(Unit::Origin);
    let outside = counted.totals.origins.saturating_sub(origins(Base::Counted));
    format!(
        "Not among them, of {} origins: {} whose redirects lead nowhere, {} whose target lies outside the input.",
        grouped(counted.totals.origins),
        grouped(unresolved),
        grouped(outside)
    )
}

fn whole(filled: &Filled) -> impl Iterator<Item = &Row> {
    filled.rows.iter().filter(|row| row.stratum == WHOLE)
}

fn head(row: &Row, dimensions: usize) -> Vec<String> {
    row.dimensions.iter().take(dimensions).cloned().collect()
}

/// A row a value of the dimensions, a column a unit.
fn by_unit(filled: &Filled) -> Table {
    let figure = filled.figure;
    let units: Vec<Unit> =
        figure.units.iter().copied().filter(|unit| whole(filled).any(|row| row.unit == *unit)).collect();
    let mut lines: Vec<(Vec<String>, Vec<Cell>)> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    for row in whole(filled) {
        let Numbers::Share { count, total, interval } = row.numbers else { continue };
        let key = head(row, figure.dimensions.len());
        let place = *places.entry(key.clone()).or_insert_with(|| {
            lines.push((key, vec![Cell::nothing(); units.len() * 2]));
            lines.len() - 1
        });
        if let (Some(at), Some((_, cells))) = (units.iter().position(|unit| *unit == row.unit), lines.get_mut(place)) {
            cells[at * 2] = Cell::count(count);
            cells[at * 2 + 1] = Cell::share(count, total, interval);
        }
    }
    let mut columns: Vec<Column> = figure
        .dimensions
        .iter()
        .map(|dimension| Column { title: dimension.title.to_owned(), is_number: false })
        .collect();
    for unit in &units {
        let mut name = unit.plural().to_owned();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        columns.push(Column { title: name, is_number: true });
        columns.push(Column { title: "share".to_owned(), is_number: true });
    }
    finish(format!("{}, by unit", figure.title), columns, lines)
}

/// A row a value of the first dimension, a column a combination of the others that occurs; of the first unit.
fn spread(counted: &Counted, filled: &Filled) -> Table {
    let figure = filled.figure;
    let unit = figure.units.first().copied().unwrap_or(Unit::Origin);
    let rows: Vec<&Row> = whole(filled).filter(|row| row.unit == unit).collect();
    let mut combinations: Vec<Vec<String>> = Vec::new();
    for row in &rows {
        let rest: Vec<String> = row.dimensions.iter().skip(1).cloned().collect();
        if !combinations.contains(&rest) {
            combinations.push(rest);
        }
    }
    let place = |words: &[String]| -> Vec<(usize, String)> {
        words
            .iter()
            .zip(figure.dimensions.iter().skip(1))
            .map(|(word, dimension)| {
                let order = (dimension.order)();
                (order.iter().position(|known| known == word).unwrap_or(order.len()), word.clone())
            })
            .collect()
    };
    combinations.sort_by_cached_key(|words| place(words));
    let is_set = figure.compute.is_by_agent();
    let extra = if is_set { 2 } else { 0 };
    let mut lines: Vec<(Vec<String>, Vec<Cell>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in &rows {
        let (Numbers::Share { count, total, interval }, Some(name)) = (&row.numbers, row.dimensions.first()) else {
            continue;
        };
        let place = *places.entry(name).or_insert_with(|| {
            let mut cells = Vec::new();
            if is_set {
                let info = counted.context.agents.iter().find(|agent| agent.token == *name);
                cells.push(Cell::word(info.and_then(|info| info.operator.as_deref()).unwrap_or("")));
                cells.push(Cell::word(info.map_or("", |info| &info.purpose)));
            }
            cells.extend(vec![Cell::nothing(); combinations.len()]);
            lines.push((vec![name.clone()], cells));
            lines.len() - 1
        });
        let at = combinations.iter().position(|words| row.dimensions.get(1..) == Some(words.as_slice()));
        if let (Some(at), Some((_, cells))) = (at, lines.get_mut(place)) {
            let mut cell = Cell::share(*count, *total, *interval);
            if cell.small.is_empty() && !is_set {
                cell.small = grouped(*count);
            }
            cells[extra + at] = cell;
        }
    }
    let first = figure.dimensions.first().map_or("", |dimension| dimension.title);
    let mut columns = vec![Column { title: first.to_owned(), is_number: false }];
    if is_set {
        columns.push(Column { title: "Operator".to_owned(), is_number: false });
        columns.push(Column { title: "Purpose".to_owned(), is_number: false });
    }
    columns
        .extend(combinations.iter().map(|words| Column { title: visible(&words.join(" \u{b7} ")), is_number: true }));
    let what: Vec<&str> = figure.dimensions.iter().skip(1).map(|dimension| dimension.title).collect();
    finish(format!("{}: shares by {}, of {}", figure.title, what.join(" and "), unit.plural()), columns, lines)
}

/// A row a value of the dimensions, a column a stratum.
fn by_stratum(counted: &Counted, filled: &Filled) -> Option<Table> {
    let figure = filled.figure;
    // The whole matrix of agents would fill pages: what is closed says most.
    let closed_only = matches!(figure.compute, Compute::AgentAccess);
    let unit = figure.units.first().copied()?;
    // Words of a row, and count and total in each stratum.
    type Line = (Vec<String>, Vec<(u64, u64)>);
    let mut lines: Vec<Line> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    let numbers: HashMap<&str, usize> =
        counted.strata.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    for row in filled.rows.iter().filter(|row| row.unit == unit) {
        let Some((count, total)) = row.share() else { continue };
        if closed_only && row.dimensions.get(1).is_none_or(|access| access != "none") {
            continue;
        }
        let key = head(row, if closed_only { 1 } else { figure.dimensions.len() });
        let place = *places.entry(key.clone()).or_insert_with(|| {
            lines.push((key, vec![(0, 0); counted.strata.len()]));
            lines.len() - 1
        });
        let at = numbers.get(row.stratum.as_str());
        if let (Some(cell), Some((_, cells))) = (at, lines.get_mut(place))
            && let Some(cell) = cells.get_mut(*cell)
        {
            *cell = (cell.0 + count, total);
        }
    }
    let mut columns: Vec<Column> = figure
        .dimensions
        .iter()
        .take(if closed_only { 1 } else { figure.dimensions.len() })
        .map(|dimension| Column { title: dimension.title.to_owned(), is_number: false })
        .collect();
    columns.extend(counted.strata.iter().map(|name| Column { title: visible(name), is_number: true }));
    let caption = if closed_only {
        format!("{}: closed out (access none), by stratum, of {}", figure.title, unit.plural())
    } else {
        format!("{}: shares by stratum, of {}", figure.title, unit.plural())
    };
    if lines.len() * counted.strata.len() > MOST_CELLS {
        return None;
    }
    let lines = lines
        .into_iter()
        .map(|(key, cells)| {
            let cells = cells.into_iter().map(|(count, total)| match total {
                0 => Cell::nothing(),
                _ => Cell::share(count, total, None),
            });
            (key, cells.collect())
        })
        .collect();
    Some(finish(caption, columns, lines))
}

fn quantiles(filled: &Filled) -> Table {
    let figure = filled.figure;
    let mut columns: Vec<Column> = figure
        .dimensions
        .iter()
        .map(|dimension| Column { title: dimension.title.to_owned(), is_number: false })
        .collect();
    columns.push(Column { title: "Unit".to_owned(), is_number: false });
    for name in ["number", "mean"].into_iter().chain(QUANTILES.iter().map(|(name, _)| *name)).chain(["max"]) {
        columns.push(Column { title: name.to_owned(), is_number: true });
    }
    let lines = whole(filled)
        .filter_map(|row| {
            let Numbers::Quantiles { count, sum, quantiles, max } = &row.numbers else { return None };
            let mean = *sum as f64 / (*count).max(1) as f64;
            let mean =
                Cell { text: format!("{mean:.1}"), sort: format!("{mean:.6}"), is_number: true, small: String::new() };
            let mut cells = vec![Cell::word(row.unit.plural()), Cell::count(*count), mean];
            cells.extend(quantiles.iter().chain([max]).map(|number| Cell::count(*number)));
            Some((row.dimensions.clone(), cells))
        })
        .collect();
    finish(format!("{}, by unit", figure.title), columns, lines)
}

fn finish(caption: String, columns: Vec<Column>, mut lines: Vec<(Vec<String>, Vec<Cell>)>) -> Table {
    let left_out = lines.len() > MOST_ROWS;
    lines.truncate(MOST_ROWS);
    let rows = lines
        .into_iter()
        .map(|(words, cells)| {
            let mut words = words.iter().map(|word| visible(word));
            let head = words.next().unwrap_or_default();
            let cells = words.map(|word| Cell { text: word, ..Cell::default() }).chain(cells).collect();
            Line { head, cells }
        })
        .collect();
    Table { caption, columns, rows, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_words_are_escaped_everywhere() {
        let evil = "</td><script>alert(1)</script>\"' onload=x";
        let cell = || Cell { text: evil.to_owned(), sort: evil.to_owned(), is_number: true, small: evil.to_owned() };
        let table = Table {
            caption: evil.to_owned(),
            columns: vec![Column { title: evil.to_owned(), is_number: false }],
            rows: vec![Line { head: evil.to_owned(), cells: vec![cell()] }],
            left_out: true,
        };
        let entry = Entry {
            id: "x",
            title: "x",
            definition: marked("a `b` <c>"),
            denominator: evil.to_owned(),
            apart: evil.to_owned(),
            sql: evil.to_owned(),
            chart: None,
            legend: vec![(evil.to_owned(), "part hue-0".to_owned())],
            note: evil.to_owned(),
            tables: vec![table],
            by_agent: true,
            rows: evil.to_owned(),
        };
        let section = Section { id: "part-1".to_owned(), title: "x", figures: vec![entry], has_agents: true };
        let headline = Headline { share: evil.to_owned(), text: evil.to_owned(), of: evil.to_owned(), figure: "x" };
        let html = page(
            TEMPLATE,
            &context! {
                title => evil,
                about => seen(vec![[evil, evil]]),
                totals => seen(Vec::<Total>::new()),
                headlines => seen(vec![headline]),
                sections => seen(vec![section]),
                notes => seen(vec![evil]),
            },
        )
        .unwrap();
        assert!(!html.contains("<script>alert") && !html.contains("\"' onload"), "{html}");
        assert!(html.contains("&lt;script&gt;alert") && html.contains("a <code>b</code> &lt;c&gt;"), "{html}");
    }

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        for text in [TEMPLATE, STYLE, SCRIPT] {
            for reference in ["http:", "https:", "@import", "url(", "fetch(", " src="] {
                assert!(!text.contains(reference), "{reference}");
            }
        }
    }
}
