//! `robocensus explain --jsonl`: questions on standard input, one JSON object a line, answers likewise and in order.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rep::{Agent, AgentIndex, Decisions, Dialect, Document, Paths, Selection};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufRead, Write};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    #[serde(default)]
    id: Value,
    body: Option<String>,
    body_b64: Option<String>,
    agents: Vec<Crawler>,
    urls: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Crawler {
    Token(String),
    Chain(Chain),
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
struct Reply<'q> {
    id: &'q Value,
    results: Vec<Answer<'q>>,
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
    id: &'q Value,
    error: String,
}

/// Answers every line; gives how many lines there were and how many of them were no question.
/// With several dialects each answer names its own, dialects in the outermost loop.
pub(super) fn run(dialects: &[&'static Dialect], input: impl BufRead, out: &mut dyn Write) -> io::Result<(u64, u64)> {
    let (mut lines, mut refused) = (0, 0);
    for line in input.split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        lines += 1;
        match serde_json::from_slice::<Question>(&line) {
            Ok(question) => match body(&question) {
                Ok(body) => write(&reply(&question, &body, dialects), out)?,
                Err(error) => {
                    refused += 1;
                    write(&Refusal { id: &question.id, error }, out)?;
                }
            },
            Err(error) => {
                refused += 1;
                let value = serde_json::from_slice::<Value>(&line).unwrap_or_default();
                let id = value.get("id").cloned().unwrap_or_default();
                write(&Refusal { id: &id, error: format!("input line {lines}: {error}") }, out)?;
            }
        }
        out.flush()?;
    }
    Ok((lines, refused))
}

fn body(question: &Question) -> Result<Vec<u8>, String> {
    match (&question.body, &question.body_b64) {
        (Some(text), None) => Ok(text.as_bytes().to_vec()),
        (None, Some(encoded)) => STANDARD.decode(encoded).map_err(|error| format!("body_b64: {error}")),
        _ => Err("give either body or body_b64".to_owned()),
    }
}

fn reply<'q>(question: &'q Question, body: &[u8], dialects: &[&'static Dialect]) -> Reply<'q> {
    let agents: Vec<Agent> = question
        .agents
        .iter()
        .map(|crawler| match crawler {
            Crawler::Token(token) => Agent::bare(token.as_str()),
            Crawler::Chain(chain) => Agent {
                token: chain.token.clone(),
                fallbacks: chain.fallbacks.clone(),
                follows_star: chain.follows_star,
            },
        })
        .collect();
    let names = |number: usize| match &question.agents[number] {
        Crawler::Token(token) => token.as_str(),
        Crawler::Chain(chain) => chain.token.as_str(),
    };
    let document = Document::parse(body);
    let (mut selection, mut decisions) = (Selection::default(), Decisions::default());
    let mut results = Vec::with_capacity(dialects.len() * agents.len() * question.urls.len());
    for dialect in dialects {
        let robots = document.read(dialect);
        selection.select(&robots, &AgentIndex::new(&agents, dialect));
        decisions.evaluate(&robots, &selection, &Paths::new(question.urls.iter().map(|url| url.as_bytes()), dialect));
        let mut set_of = vec![None; agents.len()];
        for (number, set) in selection.sets().iter().enumerate() {
            for agent in selection.agents_of(set) {
                set_of[*agent as usize] = Some((number, set.basis));
            }
        }
        for (agent, set) in set_of.iter().enumerate() {
            let Some((number, basis)) = set else { continue };
            for (url, decision) in question.urls.iter().zip(decisions.of_set(*number)) {
                results.push(Answer {
                    agent: names(agent),
                    url,
                    dialect: (dialects.len() > 1).then_some(dialect.name),
                    verdict: decision.verdict.as_str(),
                    line: (decision.line > 0).then_some(decision.line),
                    basis: basis.as_str(),
                });
            }
        }
    }
    Reply { id: &question.id, results }
}

fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &str, dialects: &[&'static Dialect]) -> Vec<Value> {
        let mut out = Vec::new();
        run(dialects, input.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
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
        assert!(found[1]["error"].is_string());
        assert_eq!(found[2]["results"][1]["dialect"], "google");
    }
}
