//! `explain`, and the small commands.

use crate::run::{arg, fails, folder, ok, repository, robocensus};
use std::fs;
use std::io::Write;
use std::process::Stdio;

const BODY: &str =
    "User-agent: *\nDisallow: /private\nAllow: /private/press$\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n";

#[test]
fn people_see_group_rule_and_winner() {
    let folder = folder();
    let file = folder.path().join("robots.txt");
    fs::write(&file, BODY).unwrap();
    let said = ok(&[
        "explain",
        arg(&file),
        "--agent",
        "GPTBot",
        "--agent",
        "Other",
        "--url",
        "https://e.example/private/press",
        "--dialect",
        "rfc9309,google",
    ]);
    for expected in [
        "groups (rfc9309, google)",
        "group 2 from line 5: GPTBot, CCBot; 0 allow, 1 disallow <- GPTBot",
        "GPTBot https://e.example/private/press  disallow line 7  disallow line 7",
        "Other https://e.example/private/press   allow line 3     allow line 3",
        "bound by group 1, for *: no group names it",
        "decides line 3: allow: /private/press$ (length 15)",
        "matches line 2: disallow: /private (length 8)",
        "compared as /private/press",
    ] {
        assert!(said.contains(expected), "no `{expected}` in:\n{said}");
    }
    assert!(!said.contains('\x1b'), "colours in a pipe");
    let colored = ok(&["explain", arg(&file), "--agent", "a", "--color", "always"]);
    assert!(colored.contains('\x1b'));
}

#[test]
fn programs_get_json() {
    let folder = folder();
    let file = folder.path().join("robots.txt");
    fs::write(&file, BODY).unwrap();
    let said = ok(&["explain", arg(&file), "--agent", "CCBot", "--url", "/x", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let answer = &said["dialects"][0]["answers"][0];
    assert_eq!(answer["verdict"], "disallow");
    assert_eq!(answer["line"], 7);
    assert_eq!(answer["groups"], serde_json::json!([2]));
    assert_eq!(answer["matched"][0]["wins"], true);
    assert_eq!(said["dialects"][0]["groups"][1]["agents"][1]["token"], "CCBot");
}

#[test]
fn a_chain_comes_from_the_agent_file() {
    let folder = folder();
    let file = folder.path().join("robots.txt");
    fs::write(&file, "user-agent: googlebot\ndisallow: /\n").unwrap();
    let agents = repository("datasets/agents.toml");
    let said = ok(&["explain", arg(&file), "--agent", "Googlebot-News", "--agents", arg(&agents)]);
    assert!(said.contains("bound by group 1, for Googlebot"), "{said}");
    let said = ok(&["explain", arg(&file), "--agent", "Googlebot-News"]);
    assert!(said.contains("bound by none"), "{said}");
}

#[test]
fn lines_are_answered_in_order() {
    let mut child =
        robocensus().args(["explain", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for id in 0..200 {
        writeln!(
            stdin,
            r#"{{"id": {id}, "body": "user-agent: *\ndisallow: /{id}\n", "agents": ["a"], "urls": ["/{id}", "/x"]}}"#
        )
        .unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 200);
    for (id, line) in lines.iter().enumerate() {
        assert_eq!(line["id"], id);
        let verdicts = [&line["results"][0]["verdict"], &line["results"][1]["verdict"]];
        assert_eq!(verdicts, ["disallow", "allow"]);
    }
}

#[test]
fn mistakes_name_the_fix() {
    assert!(fails(&["explain", "/dev/null"], 2).contains("--agent"));
    assert!(fails(&["explain", "no-such-file", "--agent", "a"], 2).contains("no-such-file"));
    assert!(fails(&["schema", "no-such-table"], 2).contains("captures"));
}

#[test]
fn small_commands_print() {
    assert!(ok(&["completions", "bash"]).contains("robocensus"));
    assert!(ok(&["man"]).contains(".SH SCAN"));
    assert!(ok(&["schema", "verdicts"]).contains("disallowed"));
    assert_eq!(ok(&["--version"]).trim(), concat!("robocensus ", env!("CARGO_PKG_VERSION")));
}
