//! `robocensus explain --jsonl`: questions on standard input, one JSON object a line, answers likewise and in order.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rep::{Agent, AgentIndex, Decisions, Dialect, Document, Paths, Selection};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{self, BufRead, Write};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question<'q> {
    /// Given back letter by letter, whatever it is.
    #[serde(borrow, default)]
    id: Option<&'q RawValue>,
    body: Option<String>,
    body_b64: Option<String>,
    #[serde(borrow)]
    agents: Vec<&'q RawValue>,
    urls: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chain {
    token: String,
    #[serde(default)]
    fallbacks: Vec<String>,
    #[serde(default = "yes")]
    follows_star: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize)]
struct Answer<'q> {
    agent: &'q str,
    url: &'q str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    verdict: &'static str,
    line: Option<u32>,
    basis: &'static str,
}

#[derive(Serialize)]
struct Refusal<'q> {
    id: Option<&'q RawValue>,
    error: String,
}

/// Answers every line; gives how many questions there were and how many of them were none.
/// With several dialects each answer names its own, dialects in the outermost loop.
pub fn run(dialects: &[&'static Dialect], input: impl BufRead, out: &mut dyn Write) -> io::Result<(u64, u64)> {
    let (mut asked, mut refused) = (0, 0);
    for (number, line) in input.split(b'\n').enumerate() {
        let line = line?;
        let line = if number == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
        if line.trim_ascii().is_empty() {
            continue;
        }
        asked += 1;
        let question = read(line);
        let answered = match &question {
            Ok(question) => match prepare(question) {
                Ok((body, agents)) => answer(question, &body, &agents, dialects, out).map(|()| true)?,
                Err(error) => refuse(question.id, format!("input line {}: {error}", number + 1), out)?,
            },
            Err(error) => refuse(id_of(line), format!("input line {}: {error}", number + 1), out)?,
        };
        refused += u64::from(!answered);
        out.flush()?;
    }
    Ok((asked, refused))
}

fn read(line: &[u8]) -> Result<Question<'_>, String> {
    // A list would be taken for the fields in order.
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err("not a JSON object".to_owned());
    }
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

/// The id of a line that is an object but no question.
fn id_of(line: &[u8]) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Id<'q> {
        #[serde(borrow, default)]
        id: Option<&'q RawValue>,
    }
    serde_json::from_slice::<Id<'_>>(line).ok()?.id
}

fn prepare(question: &Question<'_>) -> Result<(Vec<u8>, Vec<Agent>), String> {
    let body = match (&question.body, &question.body_b64) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(encoded)) => STANDARD.decode(encoded).map_err(|error| format!("body_b64: {error}"))?,
        _ => return Err("give either body or body_b64".to_owned()),
    };
    if question.agents.len() > AgentIndex::MOST {
        return Err(format!("{} agents, at most {} are answered at once", question.agents.len(), AgentIndex::MOST));
    }
    let agents = question.agents.iter().map(|agent| crawler(agent)).collect::<Result<_, _>>()?;
    Ok((body, agents))
}

/// A bare token, or an object with a chain.
fn crawler(value: &RawValue) -> Result<Agent, String> {
    let text = value.get();
    let wrong = |error: serde_json::Error| format!("agents: {error}; give a token or an object with `token`");
    if text.starts_with('"') {
        return Ok(Agent::bare(serde_json::from_str::<String>(text).map_err(wrong)?));
    }
    if !text.starts_with('{') {
        return Err(format!("agents: `{text}` is neither a token nor an object with `token`"));
    }
    let Chain { token, fallbacks, follows_star } = serde_json::from_str(text).map_err(wrong)?;
    Ok(Agent { token, fallbacks, follows_star })
}

/// Writes the answers as they are found: a question may have millions of them.
fn answer(
    question: &Question<'_>,
    body: &[u8],
    agents: &[Agent],
    dialects: &[&'static Dialect],
    out: &mut dyn Write,
) -> io::Result<()> {
    let document = Document::parse(body);
    let (mut selection, mut decisions) = (Selection::default(), Decisions::default());
    let mut before = "";
    write!(out, "{{\"id\":{},\"results\":[", question.id.map_or("null", RawValue::get))?;
    for dialect in dialects {
        let robots = document.read(dialect);
        selection.select(&robots, &AgentIndex::new(agents, dialect));
        decisions.evaluate(&robots, &selection, &Paths::new(question.urls.iter().map(|url| url.as_bytes()), dialect));
        let mut set_of = vec![0; agents.len()];
        for (number, set) in selection.sets().iter().enumerate() {
            for agent in selection.agents_of(set) {
                set_of[*agent as usize] = number;
            }
        }
        for (agent, number) in agents.iter().zip(set_of) {
            let basis = selection.sets()[number].basis.as_str();
            for (url, decision) in question.urls.iter().zip(decisions.of_set(number)) {
                out.write_all(before.as_bytes())?;
                before = ",";
                let answer = Answer {
                    agent: &agent.token,
                    url,
                    dialect: (dialects.len() > 1).then_some(dialect.name),
                    verdict: decision.verdict.as_str(),
                    line: (decision.line > 0).then_some(decision.line),
                    basis,
                };
                serde_json::to_writer(&mut *out, &answer)?;
            }
        }
    }
    out.write_all(b"]}\n")
}

/// Says why a line is not answered; gives `false`.
fn refuse(id: Option<&RawValue>, error: String, out: &mut dyn Write) -> io::Result<bool> {
    serde_json::to_writer(&mut *out, &Refusal { id, error })?;
    out.write_all(b"\n")?;
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn text(input: &str, dialects: &[&'static Dialect]) -> (String, (u64, u64)) {
        let mut out = Vec::new();
        let counts = run(dialects, input.as_bytes(), &mut out).unwrap();
        (String::from_utf8(out).unwrap(), counts)
    }

    fn answers(input: &str, dialects: &[&'static Dialect]) -> Vec<Value> {
        text(input, dialects).0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn agents_are_in_the_outer_loop() {
        let input = concat!(
            r#"{"id": 7, "body": "user-agent: *\ndisallow: /x\n", "urls": ["/x", "http://e.example/y"], "#,
            r#""agents": ["a", {"token": "AdsBot", "follows_star": false}]}"#
        );
        let found = answers(input, &[&Dialect::RFC9309]);
        let expected = serde_json::json!([{"id": 7, "results": [
            {"agent": "a", "url": "/x", "verdict": "disallow", "line": 2, "basis": "wildcard"},
            {"agent": "a", "url": "http://e.example/y", "verdict": "allow", "line": null, "basis": "wildcard"},
            {"agent": "AdsBot", "url": "/x", "verdict": "allow", "line": null, "basis": "none"},
            {"agent": "AdsBot", "url": "http://e.example/y", "verdict": "allow", "line": null, "basis": "none"},
        ]}]);
        assert_eq!(Value::Array(found), expected);
    }

    #[test]
    fn a_bad_line_is_answered_and_the_next_one_too() {
        let input =
            "{\"id\": 1}\nnonsense\n\n{\"id\": 2, \"body_b64\": \"/w==\", \"agents\": [\"a\"], \"urls\": [\"/\"]}\n";
        let found = answers(input, &[&Dialect::RFC9309, &Dialect::GOOGLE]);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0]["id"], 1);
        assert!(found[0]["error"].as_str().unwrap().contains("agents"), "{}", found[0]);
        assert!(found[1]["error"].as_str().unwrap().contains("input line 2"), "{}", found[1]);
        assert_eq!(found[2]["results"][1]["dialect"], "google");
    }

    #[test]
    fn ids_come_back_letter_by_letter() {
        let question = r#""body": "", "agents": [], "urls": []}"#;
        for id in ["123456789012345678901234567890", "1.10", r#"{"b":1,"a":2}"#, r#""x""#, "null"] {
            let (said, _) = text(&format!("{{\"id\": {id}, {question}"), &[&Dialect::RFC9309]);
            assert_eq!(said, format!("{{\"id\":{id},\"results\":[]}}\n"));
        }
    }

    #[test]
    fn what_is_no_question_is_refused() {
        let many = format!(r#"{{"body": "", "urls": [], "agents": [{}"a"]}}"#, r#""a","#.repeat(40_000));
        let cases = [
            (r#"[1, "user-agent: *", null, ["a"], ["/"]]"#, "not a JSON object"),
            (r#"{"body": "", "urls": [], "agents": [["a"]]}"#, "neither a token nor an object"),
            (r#"{"body": "", "urls": [], "agents": [{"tokn": "a"}]}"#, "give a token or an object"),
            (r#"{"body": "", "body_b64": "", "urls": [], "agents": []}"#, "either body or body_b64"),
            (many.as_str(), "40001 agents, at most 32767"),
        ];
        for (line, expected) in cases {
            let (said, counts) = text(line, &[&Dialect::RFC9309]);
            assert!(said.contains(expected), "{line:.80}: {said:.200}");
            assert_eq!(counts, (1, 1));
        }
    }
}
