//! Charts as inline SVG. Colours come from the page's style sheet, by class, so that one drawing serves light, dark and paper.
//!
//! Strangers' words stand in text nodes only, which the SVG crate escapes; every chart has a title, a description, and its numbers in the
//! table behind it.

use super::figure::{Chart, QUANTILES};
use super::rows::{Filled, Numbers, Row};
use super::strata::WHOLE;
use crate::quantity::grouped;
use std::collections::HashMap;
use svg::Document;
use svg::node::element::{Description, Group, Line, Rectangle, Text, Title};

/// Rows that a chart has room for; the table has all of them.
pub const MOST_ROWS: usize = 40;

const WIDTH: f64 = 760.0;
const LABEL: f64 = 220.0;
const VALUE: f64 = 76.0;
const ROW: f64 = 24.0;
const BAR: f64 = 16.0;
const AXIS: f64 = 24.0;

/// Colours of parts that have none of their own, in the style sheet.
const HUES: usize = 14;

/// Opacity from which numbers on a field of a heat map change their colour, so that they stay legible.
const DEEP: f64 = 0.84;

/// A chart and what belongs beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The SVG element.
    pub svg: String,
    /// Names of the parts of stacked bars, each with the class of its colour.
    pub legend: Vec<(String, String)>,
    /// What is not shown.
    pub note: String,
}

/// Draws a figure over everything, in its first unit; nothing when there is nothing to draw.
pub fn draw(filled: &Filled) -> Option<Drawing> {
    let unit = filled.figure.units.first().copied()?;
    let rows: Vec<&Row> = filled.rows.iter().filter(|row| row.stratum == WHOLE && row.unit == unit).collect();
    if rows.is_empty() {
        return None;
    }
    match filled.figure.chart {
        Chart::None => None,
        Chart::Bars => Some(bars(filled, &rows)),
        Chart::Stacked(part) => Some(stacked(filled, &rows, part)),
        Chart::Heat(word) => Some(heat(filled, &rows, word)),
        Chart::Boxes => Some(boxes(filled, &rows)),
    }
}

/// A share as people read it: more digits where it is small.
pub fn percent(count: u64, total: u64) -> String {
    if total == 0 {
        return "-".to_owned();
    }
    let share = count as f64 * 100.0 / total as f64;
    match count {
        0 => "0 %".to_owned(),
        _ if share >= 9.95 => format!("{share:.1} %"),
        _ if share >= 0.009_5 => format!("{share:.2} %"),
        _ if share >= 0.000_95 => format!("{share:.3} %"),
        _ => "< 0.001 %".to_owned(),
    }
}

/// The label of a row: its words but those of one dimension, cut to what fits.
fn label(words: &[String], characters: usize) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "-").collect();
    cut(&words.join(" \u{b7} "), characters)
}

fn cut(text: &str, characters: usize) -> String {
    // A control character is no XML.
    let text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().count() <= characters {
        return text;
    }
    let start: String = text.chars().take(characters.saturating_sub(1)).collect();
    format!("{}\u{2026}", start.trim_end())
}

fn canvas(filled: &Filled, height: f64, about: &str) -> Document {
    let id = filled.figure.id;
    Document::new()
        .set("viewBox", format!("0 0 {WIDTH} {}", number(height)))
        .set("role", "img")
        .set("aria-labelledby", format!("{id}-chart-title {id}-chart-desc"))
        .set("class", "chart")
        .add(Title::new(filled.figure.title).set("id", format!("{id}-chart-title")))
        .add(Description::new().set("id", format!("{id}-chart-desc")).add(svg::node::Text::new(about)))
}

/// A coordinate, to a tenth.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn row_label(text: String, y: f64) -> Text {
    Text::new(text).set("x", number(LABEL - 8.0)).set("y", number(y)).set("class", "label").set("text-anchor", "end")
}

fn rectangle(x: f64, y: f64, width: f64, height: f64, class: &str) -> Rectangle {
    Rectangle::new()
        .set("x", number(x))
        .set("y", number(y))
        .set("width", number(width.max(0.0)))
        .set("height", number(height))
        .set("class", class)
}

fn line(x1: f64, y1: f64, x2: f64, y2: f64, class: &str) -> Line {
    Line::new()
        .set("x1", number(x1))
        .set("y1", number(y1))
        .set("x2", number(x2))
        .set("y2", number(y2))
        .set("class", class)
}

/// Grid lines at round shares, and the greatest share that the axis has.
fn axis(document: Document, top: f64, height: f64) -> (Document, f64) {
    let step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25].into_iter().find(|step| top <= step * 5.0).unwrap_or(0.25);
    let most = ((top / step).ceil() * step).clamp(step, 1.0);
    let mut document = document;
    let mut at = 0.0;
    while at <= most + 1e-9 {
        let x = LABEL + at / most * (WIDTH - LABEL - VALUE);
        let text = if step < 0.01 { format!("{:.1} %", at * 100.0) } else { format!("{:.0} %", at * 100.0) };
        document = document
            .add(line(x, AXIS - 4.0, x, height, "grid"))
            .add(Text::new(text).set("x", number(x)).set("y", "14").set("class", "tick").set("text-anchor", "middle"));
        at += step;
    }
    (document, most)
}

fn note(shown: usize, all: usize, what: &str) -> String {
    if shown < all { format!("{shown} of {all} {what} are drawn; the table has all of them.") } else { String::new() }
}

fn bars(filled: &Filled, rows: &[&Row]) -> Drawing {
    let ordered = filled.figure.dimensions.iter().all(|dimension| !(dimension.order)().is_empty());
    let mut shares: Vec<(&Row, u64, u64)> =
        rows.iter().filter_map(|row| row.share().map(|(count, total)| (*row, count, total))).collect();
    // Words that have an order of their own stay in it.
    if !ordered {
        shares.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
    }
    let all = shares.len();
    shares.truncate(MOST_ROWS);
    let height = AXIS + ROW * shares.len() as f64 + 6.0;
    let largest = shares.iter().map(|(_, count, total)| share(*count, *total)).fold(0.0, f64::max);
    let about: Vec<String> = shares
        .iter()
        .take(5)
        .map(|(row, count, total)| format!("{}: {}", label(&row.dimensions, 60), percent(*count, *total)))
        .collect();
    let (mut document, most) = axis(canvas(filled, height, &about.join("; ")), largest, height - 6.0);
    let width = WIDTH - LABEL - VALUE;
    for (at, (row, count, total)) in shares.iter().enumerate() {
        let y = AXIS + ROW * at as f64;
        let length = share(*count, *total) / most * width;
        let mut group = Group::new().add(row_label(label(&row.dimensions, 34), y + 16.0)).add(rectangle(
            LABEL,
            y + (ROW - BAR) / 2.0,
            length.max(1.0),
            BAR,
            "bar",
        ));
        let mut end = length;
        if let Numbers::Share { interval: Some((low, high)), .. } = row.numbers {
            let (from, to) = (LABEL + low / most * width, LABEL + (high / most).min(1.0) * width);
            let middle = y + ROW / 2.0;
            group = group
                .add(line(from, middle, to, middle, "whisker"))
                .add(line(from, middle - 3.0, from, middle + 3.0, "whisker"))
                .add(line(to, middle - 3.0, to, middle + 3.0, "whisker"));
            end = end.max(to - LABEL);
        }
        document = document.add(
            group.add(
                Text::new(percent(*count, *total))
                    .set("x", number(LABEL + end + 6.0))
                    .set("y", number(y + 16.0))
                    .set("class", "value"),
            ),
        );
    }
    Drawing { svg: document.to_string(), legend: Vec::new(), note: note(shares.len(), all, "rows") }
}

fn share(count: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { count as f64 / total as f64 }
}

/// The values of a dimension that occur, in its order.
fn values(filled: &Filled, rows: &[&Row], dimension: usize) -> Vec<String> {
    let order = filled.figure.dimensions.get(dimension).map(|dimension| (dimension.order)()).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for row in rows {
        if let Some(word) = row.dimensions.get(dimension).filter(|word| !found.contains(word)) {
            found.push(word.clone());
        }
    }
    found.sort_by_key(|word| (order.iter().position(|known| known == word).unwrap_or(order.len()), word.clone()));
    found
}

/// The class of a part's colour: words of access have theirs everywhere.
fn class(word: &str, at: usize) -> String {
    match word {
        "all" | "some" | "none" | "undefined" | "undecided" => format!("part access-{word}"),
        _ => format!("part hue-{}", at % HUES),
    }
}

fn stacked(filled: &Filled, rows: &[&Row], part: usize) -> Drawing {
    let parts = values(filled, rows, part);
    // Where `all` means all closed and not all allowed, the colours must not say the opposite.
    let closes = filled.figure.dimensions.get(part).is_some_and(|dimension| dimension.name == "closed");
    let classes: Vec<String> = parts
        .iter()
        .enumerate()
        .map(|(at, word)| match (closes, word.as_str()) {
            (true, "all") => class("none", at),
            (true, "none") => class("all", at),
            _ => class(word, at),
        })
        .collect();
    let first = usize::from(part == 0);
    let mut bars: Vec<(String, Vec<u64>, u64)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        let (Some((count, total)), Some(name)) = (row.share(), row.dimensions.get(first)) else { continue };
        let place = *places.entry(name).or_insert_with(|| {
            bars.push((name.clone(), vec![0; parts.len()], total));
            bars.len() - 1
        });
        let at = row.dimensions.get(part).and_then(|word| parts.iter().position(|known| known == word));
        if let (Some(at), Some(bar)) = (at, bars.get_mut(place)) {
            bar.1[at] += count;
        }
    }
    let ordered = filled.figure.dimensions.get(first).is_some_and(|dimension| !(dimension.order)().is_empty());
    if !ordered && !is_numeric(&bars) {
        // Those that say most, then those that close most.
        let closed = parts.iter().position(|word| word == "none");
        let weight = |bar: &(String, Vec<u64>, u64)| -> (u64, u64) {
            let sum: u64 = bar.1.iter().sum();
            (if sum == bar.2 { 0 } else { sum }, closed.and_then(|at| bar.1.get(at).copied()).unwrap_or(0))
        };
        bars.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.0.cmp(&b.0)));
    }
    let all = bars.len();
    bars.truncate(MOST_ROWS);
    let height = AXIS + ROW * bars.len() as f64 + 6.0;
    let largest = bars.iter().map(|(_, counts, total)| share(counts.iter().sum(), *total)).fold(0.0, f64::max);
    let about: Vec<String> = bars
        .iter()
        .take(3)
        .map(|(name, counts, total)| {
            let parts: Vec<String> = parts
                .iter()
                .zip(counts)
                .filter(|(_, count)| **count > 0)
                .map(|(word, count)| format!("{word} {}", percent(*count, *total)))
                .collect();
            format!("{}: {}", cut(name, 60), parts.join(", "))
        })
        .collect();
    let (mut document, most) = axis(canvas(filled, height, &about.join("; ")), largest, height - 6.0);
    let width = WIDTH - LABEL - VALUE;
    for (at, (name, counts, total)) in bars.iter().enumerate() {
        let y = AXIS + ROW * at as f64;
        let mut x = LABEL;
        let mut group = Group::new().add(row_label(cut(name, 34), y + 16.0));
        for (count, class) in counts.iter().zip(&classes).filter(|(count, _)| **count > 0) {
            let length = share(*count, *total) / most * width;
            group = group.add(rectangle(x, y + (ROW - BAR) / 2.0, length, BAR, class));
            x += length;
        }
        let sum: u64 = counts.iter().sum();
        let value = if sum == *total { grouped(*total) } else { percent(sum, *total) };
        document = document.add(
            group.add(Text::new(value).set("x", number(x + 6.0)).set("y", number(y + 16.0)).set("class", "value")),
        );
    }
    let what = match filled.figure.dimensions.get(first) {
        Some(dimension) if dimension.name == "agent" => "agents",
        _ => "rows",
    };
    Drawing {
        svg: document.to_string(),
        legend: parts.into_iter().zip(classes).collect(),
        note: note(bars.len(), all, what),
    }
}

fn is_numeric(bars: &[(String, Vec<u64>, u64)]) -> bool {
    bars.iter().all(|(name, ..)| name.parse::<u64>().is_ok())
}

fn heat(filled: &Filled, rows: &[&Row], word: &str) -> Drawing {
    let columns = values(filled, rows, 1);
    let mut lines: Vec<(String, Vec<f64>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in rows.iter().filter(|row| row.dimensions.get(2).is_some_and(|third| third == word)) {
        let (Some((count, total)), [name, column, ..]) = (row.share(), row.dimensions.as_slice()) else { continue };
        let place = *places.entry(name).or_insert_with(|| {
            lines.push((name.clone(), vec![0.0; columns.len()]));
            lines.len() - 1
        });
        if let (Some(at), Some(line)) = (columns.iter().position(|known| known == column), lines.get_mut(place)) {
            line.1[at] = share(count, total);
        }
    }
    let sum = |line: &(String, Vec<f64>)| line.1.iter().sum::<f64>();
    lines.sort_by(|a, b| sum(b).total_cmp(&sum(a)).then_with(|| a.0.cmp(&b.0)));
    let all = lines.len();
    lines.truncate(MOST_ROWS);
    let top = 150.0;
    // The last label leans out to the right.
    let cell = (WIDTH - LABEL - 90.0) / columns.len().max(1) as f64;
    let height = top + 20.0 * lines.len() as f64 + 2.0;
    let most = lines.iter().flat_map(|line| &line.1).copied().fold(0.0, f64::max);
    let about = format!(
        "{} crawlers by {} probes; from 0 (lightest) to {:.1} % (darkest) close a probe to a crawler.",
        lines.len(),
        columns.len(),
        most * 100.0
    );
    let mut document = canvas(filled, height, &about);
    for (at, column) in columns.iter().enumerate() {
        let (x, y) = (LABEL + cell * (at as f64 + 0.5), top - 8.0);
        document = document.add(
            Text::new(cut(column, 22))
                .set("transform", format!("translate({} {}) rotate(-50)", number(x), number(y)))
                .set("class", "label"),
        );
    }
    for (at, (name, shares)) in lines.iter().enumerate() {
        let y = top + 20.0 * at as f64;
        let mut group = Group::new().add(row_label(cut(name, 34), y + 14.0));
        for (at, share) in shares.iter().enumerate() {
            let opacity = 0.06 + 0.94 * if most > 0.0 { share / most } else { 0.0 };
            let fill = rectangle(LABEL + cell * at as f64, y, cell - 1.0, 19.0, "heat")
                .set("fill-opacity", format!("{opacity:.2}"));
            let text = Text::new(format!("{:.1}", share * 100.0))
                .set("x", number(LABEL + cell * (at as f64 + 0.5)))
                .set("y", number(y + 13.5))
                .set("text-anchor", "middle")
                .set("class", if opacity > DEEP { "cell deep" } else { "cell" });
            group = group.add(fill).add(text);
        }
        document = document.add(group);
    }
    Drawing {
        svg: document.to_string(),
        legend: Vec::new(),
        note: [note(lines.len(), all, "crawlers"), "Numbers are percent.".to_owned()].join(" ").trim().to_owned(),
    }
}

fn boxes(filled: &Filled, rows: &[&Row]) -> Drawing {
    let height = AXIS + 30.0 * rows.len() as f64 + 6.0;
    let most = rows.iter().filter_map(|row| quantile(row, "p99")).max().unwrap_or(1).max(10);
    let decades = (most as f64 + 1.0).log10().ceil();
    let width = WIDTH - LABEL - VALUE;
    let x = |value: u64| LABEL + (value as f64 + 1.0).log10() / decades * width;
    let about: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("{}: median {}", label(&row.dimensions, 40), grouped(quantile(row, "p50")?))))
        .collect();
    let mut document = canvas(filled, height, &about.join("; "));
    for decade in 0..=decades as u32 {
        let value = if decade == 0 { 0 } else { 10u64.saturating_pow(decade) };
        let at = x(value).min(LABEL + width);
        document = document.add(line(at, AXIS - 4.0, at, height - 6.0, "grid")).add(
            Text::new(grouped(value))
                .set("x", number(at))
                .set("y", "14")
                .set("class", "tick")
                .set("text-anchor", "middle"),
        );
    }
    for (at, row) in rows.iter().enumerate() {
        let y = AXIS + 30.0 * at as f64 + 15.0;
        let quantiles = ["p1", "p25", "p50", "p75", "p99"].map(|name| quantile(row, name));
        let [Some(p1), Some(p25), Some(p50), Some(p75), Some(p99)] = quantiles else { continue };
        document = document.add(
            Group::new()
                .add(row_label(label(&row.dimensions, 34), y + 4.0))
                .add(line(x(p1), y, x(p99), y, "whisker"))
                .add(rectangle(x(p25), y - 8.0, (x(p75) - x(p25)).max(1.0), 16.0, "box"))
                .add(line(x(p50), y - 10.0, x(p50), y + 10.0, "median"))
                .add(
                    Text::new(grouped(p50))
                        .set("x", number(x(p99) + 8.0))
                        .set("y", number(y + 4.0))
                        .set("class", "value"),
                ),
        );
    }
    Drawing {
        svg: document.to_string(),
        legend: Vec::new(),
        note: "Line: p1 to p99; box: p25 to p75; bar and number: median. The scale is logarithmic.".to_owned(),
    }
}

fn quantile(row: &Row, name: &str) -> Option<u64> {
    let Numbers::Quantiles { quantiles, .. } = &row.numbers else { return None };
    QUANTILES.iter().position(|(known, _)| *known == name).and_then(|at| quantiles.get(at).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figures::{FIGURES, named};
    use crate::report::tally::Unit;

    fn row(unit: Unit, dimensions: &[&str], count: u64, total: u64) -> Row {
        Row {
            stratum: WHOLE.to_owned(),
            unit,
            dimensions: dimensions.iter().map(|word| (*word).to_owned()).collect(),
            numbers: Numbers::Share { count, total, interval: Some((0.1, 0.4)) },
        }
    }

    #[test]
    fn strangers_words_are_escaped_and_cut() {
        let evil = "<script>alert(\"1\")</script>&\u{0}";
        let figure = named("named_agents").unwrap();
        let filled = Filled { figure, rows: vec![row(Unit::Origin, &[evil, "none"], 1, 4)] };
        let drawing = draw(&filled).unwrap();
        assert!(!drawing.svg.contains("<script"), "{}", drawing.svg);
        assert!(drawing.svg.contains("&lt;script&gt;") && !drawing.svg.contains('\0'), "{}", drawing.svg);
        assert_eq!(cut(&"x".repeat(99), 10).chars().count(), 10);
    }

    #[test]
    fn every_kind_is_drawn_with_title_and_description() {
        for figure in FIGURES.iter().filter(|figure| figure.chart != Chart::None) {
            let words: Vec<&str> = figure.dimensions.iter().map(|_| "disallow").collect();
            let mut row = row(figure.units[0], &words, 1, 3);
            if figure.chart == Chart::Boxes {
                row.numbers = Numbers::Quantiles { count: 3, sum: 9, quantiles: [0, 1, 2, 3, 4, 5, 90], max: 99 };
            }
            let drawing = draw(&Filled { figure, rows: vec![row] }).unwrap();
            let id = figure.id;
            for part in
                [format!("id=\"{id}-chart-title\""), format!("id=\"{id}-chart-desc\""), "role=\"img\"".to_owned()]
            {
                assert!(drawing.svg.contains(&part), "{id}: {part}");
            }
            assert!(!drawing.svg.contains("NaN") && !drawing.svg.contains("inf"), "{}", drawing.svg);
        }
    }

    #[test]
    fn nothing_to_draw_is_no_chart() {
        let figure = named("coverage").unwrap();
        assert_eq!(draw(&Filled { figure, rows: Vec::new() }), None);
        assert_eq!(draw(&Filled { figure, rows: vec![row(Unit::Capture, &["a", "b"], 1, 2)] }), None);
    }

    #[test]
    fn shares_have_digits_that_say_something() {
        let of = |count| percent(count, 1_000_000);
        assert_eq!(
            [0, 1, 20, 1_000, 33_333, 333_333, 1_000_000].map(of),
            ["0 %", "< 0.001 %", "0.002 %", "0.10 %", "3.33 %", "33.3 %", "100.0 %"]
        );
        assert_eq!(percent(0, 0), "-");
    }
}
