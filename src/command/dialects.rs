//! `robocensus dialects`: the ways to read a robots.txt and how they differ, for people or as Markdown (`docs/dialects.md`).

use super::schema::{cell, wrap};
use crate::cli::DialectsArgs;
use rep::http::{HttpRules, LONG_TIME_DAYS};
use rep::{Dialect, Reason, Setting, Switch};
use std::io::Write;

/// Prints all dialects, or the one that was asked for.
pub fn run(args: &DialectsArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let wanted = match &args.dialect {
        Some(name) => super::dialects(std::slice::from_ref(name))?,
        None => Dialect::ALL.iter().collect(),
    };
    let text = match wanted.as_slice() {
        all if args.markdown => markdown(all),
        [only] => description(only),
        all => comparison(all),
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// Width that sentences are wrapped at.
const WIDTH: usize = 110;

/// What an HTTP result means: what it is, its word where tables have one, and the outcome.
struct HttpRow {
    name: String,
    about: String,
    outcome: &'static str,
}

/// All HTTP results, in one order for every dialect.
fn http_rows(rules: &HttpRules) -> Vec<HttpRow> {
    let mut rows: Vec<HttpRow> = Reason::ALL
        .iter()
        .map(|reason| HttpRow {
            name: reason.as_str().to_owned(),
            about: reason.about().to_owned(),
            outcome: rules.outcome(*reason).as_str(),
        })
        .collect();
    let more = [
        (format!("unreachable for over {LONG_TIME_DAYS} days"), "5xx all that time", rules.long_unreachable.about()),
        (
            format!("no_answer for over {LONG_TIME_DAYS} days"),
            "no usable answer all that time",
            rules.long_no_answer.about(),
        ),
        (
            "unreachable, pages missing".to_owned(),
            "5xx from a site known to answer so for pages that do not exist",
            if rules.missing_is_unavailable { "as unavailable" } else { "as unreachable" },
        ),
    ];
    rows.extend(more.map(|(name, about, outcome)| HttpRow { name, about: about.to_owned(), outcome }));
    rows
}

fn title(dialect: &Dialect) -> String {
    let default = if *dialect == Dialect::RFC9309 { " (default)" } else { "" };
    format!("{}{default}: {}\n", dialect.name, dialect.about)
}

/// A name, what it is set to, and sentences below it.
fn entry(name: &str, width: usize, word: &str, sentences: &[&str]) -> String {
    let mut text = format!("  {name:width$}  {word}\n");
    let indent = width + 4;
    for line in sentences.iter().flat_map(|sentence| wrap(sentence, WIDTH - indent)) {
        text += &format!("{:indent$}{line}\n", "");
    }
    text
}

fn name_width(switches: &[Switch], rows: &[HttpRow]) -> usize {
    let names = switches.iter().map(|switch| switch.name.len()).chain(rows.iter().map(|row| row.name.len()));
    names.max().unwrap_or(0)
}

/// One dialect with all its switches, what they mean and where that stands.
fn description(dialect: &Dialect) -> String {
    let (switches, rows) = (dialect.switches(), http_rows(&dialect.http));
    let width = name_width(&switches, &rows);
    let mut text = title(dialect) + "\n";
    for Switch { name, setting: Setting { word, about, source }, .. } in &switches {
        text += &entry(name, width, word, &[about, &format!("[{source}]")]);
    }
    text += "\nHTTP results\n";
    for line in wrap(&format!("[{}]", dialect.http.source), WIDTH - 2) {
        text += &format!("  {line}\n");
    }
    for row in &rows {
        text += &entry(&row.name, width, row.outcome, &[&row.about]);
    }
    text
}

/// The first dialect with all its switches, of each other one what it does otherwise.
fn comparison(dialects: &[&Dialect]) -> String {
    let Some((first, others)) = dialects.split_first() else { return String::new() };
    let (switches, rows) = (first.switches(), http_rows(&first.http));
    let width = name_width(&switches, &rows);
    let mut text = title(first);
    for switch in &switches {
        text += &entry(switch.name, width, switch.setting.word, &[switch.setting.about]);
    }
    text += &row_words(&rows, None, width);
    for dialect in others {
        text += &format!("\n{}  as {} but for\n", title(dialect), first.name);
        for (switch, standard) in dialect.switches().iter().zip(&switches).filter(|(mine, first)| mine != first) {
            let word = format!("{} (not: {})", switch.setting.word, standard.setting.word);
            text += &entry(switch.name, width, &word, &[switch.setting.about]);
        }
        text += &row_words(&http_rows(&dialect.http), Some(&rows), width);
    }
    text + "\n`robocensus dialects NAME` tells all switches of one with their sources.\n"
}

/// HTTP results, a line each; beside others only those that differ.
fn row_words(rows: &[HttpRow], others: Option<&[HttpRow]>, width: usize) -> String {
    let differs = |at: usize| others.is_none_or(|others| others[at].outcome != rows[at].outcome);
    let kept = (0..rows.len()).filter(|at| differs(*at));
    kept.map(|at| entry(&rows[at].name, width, rows[at].outcome, &[])).collect()
}

/// Cells of a row of a table.
fn row(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

fn header(first: &str, dialects: &[&Dialect]) -> String {
    let names = dialects.iter().map(|dialect| format!("`{}`", dialect.name));
    row([first.to_owned()].into_iter().chain(names)) + &format!("|{}\n", "---|".repeat(dialects.len() + 1))
}

fn markdown(dialects: &[&Dialect]) -> String {
    let mut text = format!("{INTRODUCTION}\n## What they are\n\n");
    for dialect in dialects {
        text += &format!("- `{}`: {}.\n", dialect.name, dialect.about);
    }
    text += &format!("\n## Switches\n\n{}", header("", dialects));
    let settings: Vec<Vec<Switch>> = dialects.iter().map(|dialect| dialect.switches()).collect();
    let count = settings.first().map_or(0, Vec::len);
    for at in 0..count {
        let words = settings.iter().map(|switches| cell(switches[at].setting.word));
        text += &row([settings[0][at].name.to_owned()].into_iter().chain(words));
    }
    text += "\n## What the switches mean\n";
    for at in 0..count {
        let switch = &settings[0][at];
        text += &format!("\n**{}**: {}\n\n", switch.name, switch.about);
        let mut told = Vec::new();
        for Switch { setting, .. } in settings.iter().map(|switches| switches[at]) {
            if !told.contains(&setting) {
                told.push(setting);
                let Setting { word, about, source } = setting;
                text += &format!("- *{}*: {} ({})\n", escaped(word), escaped(about), escaped(source));
            }
        }
    }
    text += &format!("\n## HTTP results\n\n{}", header("reason", dialects));
    let rows: Vec<Vec<HttpRow>> = dialects.iter().map(|dialect| http_rows(&dialect.http)).collect();
    for at in 0..rows.first().map_or(0, Vec::len) {
        let first = &rows[0][at];
        let outcomes = rows.iter().map(|rows| rows[at].outcome.to_owned());
        text += &row([format!("`{}`: {}", first.name, cell(&first.about))].into_iter().chain(outcomes));
    }
    text += "\n`scan` overrules them with `--status-429`, `--status-401-403`, `--status-4xx`, `--status-5xx`, `--no-answer` and \
        `--lost-redirect`. Where they stand:\n\n";
    for dialect in dialects {
        text += &format!("- `{}`: {}\n", dialect.name, escaped(dialect.http.source));
    }
    text
}

/// Text outside of tables: stars and underscores would begin emphasis.
fn escaped(text: &str) -> String {
    text.replace('*', "\\*").replace('_', "\\_")
}

const INTRODUCTION: &str = "\
<!-- Up to the line of the measurement, generated: robocensus dialects --markdown. scripts/dialect_differences.sh writes the whole file. -->

# Dialects

A dialect is a way to read robots.txt, named by what it follows. It is a value of one set of switches; `scan --dialect` takes any number
of them, and a body is still scanned only once. The first one named is the one that `captures.outcome` speaks for.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(dialect: Option<&str>, markdown: bool) -> String {
        let mut out = Vec::new();
        run(&DialectsArgs { dialect: dialect.map(str::to_owned), markdown }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_documentation_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dialects.md");
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            found.starts_with(&printed(None, true)),
            "docs/dialects.md is out of date: run scripts/dialect_differences.sh"
        );
    }

    #[test]
    fn every_dialect_is_told_with_what_it_does_otherwise() {
        let text = printed(None, false);
        for dialect in Dialect::ALL {
            assert!(text.contains(&title(dialect)), "{}", dialect.name);
        }
        assert!(text.contains("a rule, sitemap or unknown line (not: a rule)"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH + 10 && line.trim_end() == line), "{text}");
        // Between these two, one switch differs: the first line of an entry starts with two blanks.
        let entries = |name: &str| {
            let section = text.split(&format!("\n{name}: ")).nth(1).unwrap().split("\n\n").next().unwrap();
            let is_first = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
            section.lines().filter(is_first).map(str::to_owned).collect::<Vec<_>>()
        };
        let (google, before) = (entries("google"), entries("google-before-2021"));
        let added: Vec<&String> = before.iter().filter(|entry| !google.contains(entry)).collect();
        assert!(
            added.len() == 1 && before.len() == google.len() + 1 && added[0].contains("end of a list"),
            "{added:?}"
        );
    }

    #[test]
    fn one_dialect_comes_with_sources() {
        let text = printed(Some("python"), false);
        assert!(
            text.starts_with("python: ") && text.contains("[CPython (urllib/robotparser.py: Entry.applies_to)]"),
            "{text}"
        );
        assert!(text.contains("forbidden") && text.contains("full_disallow"), "{text}");
        let error =
            run(&DialectsArgs { dialect: Some("bing".to_owned()), markdown: false }, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("choose from rfc9309"), "{error}");
    }
}
