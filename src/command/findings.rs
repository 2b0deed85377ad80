//! `robocensus findings`: every kind of finding there is, for people or as Markdown (`docs/findings.md`).

use super::UsageError;
use super::schema::wrap;
use crate::cli::FindingsArgs;
use anyhow::bail;
use rep::{FindingCode, Severity};
use std::io::Write;

/// Prints the list, or all about the one that was asked for.
pub fn run(args: &FindingsArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let one = match &args.code {
        None => None,
        Some(name) => match FindingCode::named(name) {
            None => bail!(UsageError(format!("there is no finding `{name}`; `robocensus findings` lists them"))),
            found => found,
        },
    };
    let text = match (one, args.markdown) {
        (None, false) => listing(),
        (None, true) => markdown(),
        (Some(code), false) => details(code),
        (Some(code), true) => section(code),
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// What a severity means to the owner of a file.
const fn meaning(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => {
            "The file does not do what its author evidently meant, for crawlers that follow the standard."
        }
        Severity::Warning => "Some crawlers read it otherwise than others, or it may not do what was meant.",
        Severity::Note => "Harmless, but good to know.",
    }
}

fn of(severity: Severity) -> impl Iterator<Item = FindingCode> {
    FindingCode::ALL.iter().copied().filter(move |code| code.severity() == severity)
}

/// Width that sentences are wrapped at.
const WIDTH: usize = 110;

fn listing() -> String {
    let mut text = String::new();
    let longest = FindingCode::ALL.iter().map(|code| code.code().len()).max().unwrap_or(0);
    for severity in Severity::ALL {
        text += &format!("{}  {}\n", severity.as_str(), meaning(severity));
        for code in of(severity) {
            for (at, part) in wrap(code.about(), WIDTH - longest - 4).iter().enumerate() {
                let name = if at == 0 { code.code() } else { "" };
                text += &format!("  {name:longest$}  {part}\n");
            }
        }
        text.push('\n');
    }
    text + "`robocensus findings CODE` shows an example and what to do.\n"
}

fn details(code: FindingCode) -> String {
    let mut text = format!("{}[{}]\n", code.severity().as_str(), code.code());
    for (name, sentence) in [("", code.about()), ("Do: ", code.suggestion()), ("Clause: ", code.clause())] {
        let lines = wrap(&format!("{name}{}", capital_where(name, sentence)), WIDTH - 2);
        lines.iter().for_each(|line| text += &format!("  {line}\n"));
    }
    text += &format!("\n  Example (line {}):\n", code.example().line);
    example(code).iter().for_each(|line| text += &format!("    {line}\n"));
    text
}

fn capital_where(name: &str, sentence: &str) -> String {
    if name.is_empty() { sentence_of(sentence) } else { sentence.to_owned() }
}

/// The lines of an example; bytes that are no printable ASCII are escaped.
fn example(code: FindingCode) -> Vec<String> {
    let text = code.example().text;
    let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n');
    let escaped = |line: &[u8]| -> String {
        line.iter()
            .map(|byte| match byte {
                0x20..=0x7e => char::from(*byte).to_string(),
                0 => "\\0".to_owned(),
                byte => format!("\\x{byte:02x}"),
            })
            .collect()
    };
    lines.map(escaped).collect()
}

fn markdown() -> String {
    let mut text = "<!-- Generated: robocensus findings --markdown > docs/findings.md -->\n\n\
        # Findings\n\n\
        What can be odd about the text of a robots.txt: `bodies.findings` counts these per body with the first line, and \
        `robocensus lint` shows each one at its place. Findings are about the text, whatever the dialect, and never change a \
        verdict. Groups, agents and rules are those that the standard (RFC 9309) reads. Of a body that is no robots.txt at all \
        (a page, UTF-16, text without a directive) only that is said.\n\n\
        In the examples `\\0` and `\\xNN` stand for single bytes and `{20 x a}` for twenty times `a`.\n"
        .to_owned();
    for severity in Severity::ALL {
        text += &format!("\n**{}**: {}\n\n", severity.as_str(), meaning(severity));
        text += "| code | meaning |\n|---|---|\n";
        for code in of(severity) {
            text += &format!("| [{0}](#{0}) | {1} |\n", code.code(), cell(code.about()));
        }
    }
    FindingCode::ALL.iter().for_each(|code| text += &format!("\n{}", section(*code)));
    text
}

fn section(code: FindingCode) -> String {
    format!(
        "## {}\n\n{} ({}): {}\n\nDo: {}\n\nLine {} of\n\n```text\n{}\n```\n",
        code.code(),
        sentence_of(code.severity().as_str()).trim_end_matches('.'),
        code.clause(),
        cell(&(code.about().to_owned() + ".")),
        cell(&(code.suggestion().to_owned() + ".")),
        code.example().line,
        example(code).join("\n")
    )
}

/// A sentence that begins with a capital letter and ends in a full stop.
pub(super) fn sentence_of(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

/// A text in a cell of a Markdown table: a bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(code: Option<&str>, markdown: bool) -> String {
        let mut out = Vec::new();
        run(&FindingsArgs { code: code.map(str::to_owned), markdown }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_documentation_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/findings.md");
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == printed(None, true),
            "docs/findings.md is out of date: run `cargo run --release -- findings --markdown > docs/findings.md`"
        );
    }

    #[test]
    fn every_code_is_listed_and_told_about() {
        let (list, document) = (printed(None, false), printed(None, true));
        assert!(list.lines().all(|line| line.chars().count() <= WIDTH && line.trim_end() == line), "{list}");
        for code in FindingCode::ALL {
            assert!(list.contains(&format!("\n  {} ", code.code())), "{}", code.code());
            assert!(document.contains(&format!("\n## {}\n", code.code())), "{}", code.code());
            assert!(printed(Some(code.code()), false).contains("Example (line "), "{}", code.code());
        }
        assert!(printed(Some("not-utf-8"), true).contains("/caf\\xe9/"));
    }

    #[test]
    fn an_unknown_code_is_a_mistake() {
        let args = FindingsArgs { code: Some("typo".to_owned()), markdown: false };
        let error = run(&args, &mut Vec::new()).unwrap_err();
        assert!(error.is::<UsageError>() && error.to_string().contains("`typo`"), "{error}");
    }
}
