//! `robocensus schema`: the columns of every output table, for people or as Markdown (`docs/tables.md`).

use super::UsageError;
use crate::classify::study::CLASSIFIERS;
use crate::cli::SchemaArgs;
use crate::output::Metadata;
use crate::table::{Classifiers, Place, SCHEMA_VERSION, TABLES, Table, TableEntry};
use anyhow::bail;
use arrow::datatypes::DataType;
use std::io::Write;

/// Prints the tables, or the one that was asked for.
pub fn run(args: &SchemaArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let tables: Vec<&TableEntry> = match &args.table {
        None => TABLES.iter().collect(),
        Some(name) => TABLES.iter().filter(|table| table.name == name).collect(),
    };
    if tables.is_empty() {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let wanted = args.table.as_deref().unwrap_or_default();
        bail!(UsageError(format!("there is no table `{wanted}`; there are {}", names.join(", "))));
    }
    let whole = args.table.is_none();
    if args.markdown && whole {
        out.write_all(introduction().as_bytes())?;
    }
    for (i, table) in tables.into_iter().enumerate() {
        let text = match (args.markdown, i > 0) {
            (true, _) => markdown(table),
            (false, true) => format!("\n{}", listing(table, !whole)),
            (false, false) => listing(table, !whole),
        };
        out.write_all(text.as_bytes())?;
    }
    if !args.markdown {
        out.write_all(b"\nA type with ? may be null.\n")?;
    }
    Ok(())
}

/// A type as people say it.
fn kind(data_type: &DataType) -> String {
    match data_type {
        DataType::Boolean => "bool".to_owned(),
        DataType::Int16 => "int16".to_owned(),
        DataType::Int32 => "int32".to_owned(),
        DataType::Int64 => "int64".to_owned(),
        DataType::Utf8 => "string".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::FixedSizeBinary(width) => format!("binary({width})"),
        DataType::Timestamp(..) => "timestamp".to_owned(),
        DataType::Struct(_) => "struct".to_owned(),
        DataType::List(element) => format!("list<{}>", kind(element.data_type())),
        other => other.to_string(),
    }
}

/// When a table is there, after the name of its files.
fn when(table: &TableEntry) -> String {
    match table.place {
        Place::PartsWith(option) => format!("with `{option}`"),
        Place::Resolved => "by `robocensus resolve`".to_owned(),
        Place::Parts | Place::Single => String::new(),
    }
}

/// Width that descriptions are wrapped at.
const WIDTH: usize = 110;

fn listing(table: &TableEntry, with_examples: bool) -> String {
    let lines = (table.columns)();
    let kinds: Vec<String> = lines.iter().map(|line| kind(&line.kind) + if line.nullable { "?" } else { "" }).collect();
    let name_width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let kind_width = kinds.iter().map(String::len).max().unwrap_or(0);
    let indent = 2 + name_width + 2 + kind_width + 2;

    let files = format!("{}  {}  {}", table.name, table.files(), when(table).replace('`', ""));
    let mut text = format!("{}\n", files.trim_end());
    for part in wrap(table.about, WIDTH - 2) {
        text += &format!("  {part}\n");
    }
    text.push('\n');
    for (line, kind) in lines.iter().zip(&kinds) {
        let mut parts = wrap(line.about, WIDTH.saturating_sub(indent).max(40));
        if with_examples {
            parts.push(format!("e.g. {}", line.example));
        }
        for (i, part) in parts.iter().enumerate() {
            let (name, kind) = if i == 0 { (line.name.as_str(), kind.as_str()) } else { ("", "") };
            text += &format!("  {name:name_width$}  {kind:kind_width$}  {part}\n");
        }
    }
    text
}

/// Breaks a text at blanks into lines of at most so many characters, longer words excepted.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

fn introduction() -> String {
    let keys: Vec<String> = Metadata::default().entries().iter().map(|(key, _)| format!("`{key}`")).collect();
    let tables: Vec<String> =
        TABLES.iter().map(|table| format!("| [{0}](#{0}) | {1} |\n", table.name, cell(table.about))).collect();
    format!(
        "<!-- Generated: robocensus schema --markdown > docs/tables.md -->\n\n\
        # Tables\n\n\
        What `robocensus scan` writes, schema version {SCHEMA_VERSION}. Columns bear the names of Common Crawl's index where it has \
        them. `body_key` joins captures, bodies, verdicts, sitemaps, rules and classifiers; `body_id` compares bodies across shards and crawls.\n\n\
        | table | a row |\n|---|---|\n{}\n\
        A table of parts has one file a shard, numbered as the shards are, also where it has no rows. Rows are in the order of \
        the input. What bears a final name is complete; the shards in `_shards/` are those that are done, and `manifest.json` is \
        there when all of them are, or all that `--shard` selects, which it then names.\n\n\
        Types are Parquet's as every engine reads them: signed integers, UTC timestamps in microseconds, UTF-8 strings (also for \
        enumerations), lists, and 16-byte binary for hashes. Bytes of a robots.txt that are not UTF-8 are U+FFFD in strings. Lists and \
        what is in them are never null. Each column carries its description as Arrow field metadata, and each \
        file says how it was made in its key-value metadata: {}.\n",
        tables.concat(),
        keys.join(", ")
    )
}

fn markdown(table: &TableEntry) -> String {
    let mut text = format!("\n## {}\n\n{}\n\n`{}` {}", table.name, table.about, table.files(), when(table));
    text.truncate(text.trim_end().len());
    text += "\n\n| column | type | null | description | example |\n|---|---|---|---|---|\n";
    for line in (table.columns)() {
        let null = if line.nullable { "yes" } else { "" };
        text += &format!(
            "| `{}` | {} | {null} | {} | `{}` |\n",
            line.name,
            kind(&line.kind).replace('<', "&lt;").replace('>', "&gt;"),
            cell(line.about),
            line.example.replace('|', "\\|")
        );
    }
    if table.name == Classifiers::NAME {
        text += &classifiers();
    }
    text
}

/// The classifiers with their classes.
fn classifiers() -> String {
    let mut text = "\n| classifier | class | what it means |\n|---|---|---|\n".to_owned();
    for classifier in CLASSIFIERS {
        text += &format!("| `{}` | | {}: {} |\n", classifier.name, cell(classifier.study), cell(classifier.about));
        for class in classifier.classes {
            text += &format!("| | `{}` | {} |\n", class.word, cell(class.about));
        }
    }
    text
}

/// A text in a cell of a Markdown table: a bar would end the cell, a star begin emphasis.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(" * ", " \\* ").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(table: Option<&str>, markdown: bool) -> String {
        let mut out = Vec::new();
        run(&SchemaArgs { table: table.map(str::to_owned), markdown }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_documentation_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tables.md");
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == printed(None, true),
            "docs/tables.md is out of date: run `cargo run --release -- schema --markdown > docs/tables.md`"
        );
    }

    #[test]
    fn listings_are_aligned_and_name_every_column() {
        let text = printed(None, false);
        for table in TABLES {
            assert!(text.contains(&format!("\n{}  ", table.name)) || text.starts_with(table.name), "{}", table.name);
            for field in (table.schema)().fields() {
                assert!(text.contains(&format!("\n  {} ", field.name())), "{}.{}", table.name, field.name());
            }
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH && line.trim_end() == line));
    }

    #[test]
    fn one_table_comes_with_examples() {
        let text = printed(Some("sitemaps"), false);
        assert!(text.starts_with("sitemaps  sitemaps/part-*.parquet\n"), "{text}");
        assert!(text.contains("e.g. https://www.example.com/sitemap.xml"), "{text}");
        assert!(!printed(Some("sitemaps"), true).contains("# Tables"));
    }

    #[test]
    fn an_unknown_table_is_told_with_those_there_are() {
        let args = SchemaArgs { table: Some("capture".to_owned()), markdown: false };
        let error = run(&args, &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("`capture`") && error.contains("captures, bodies"), "{error}");
    }
}
