//! Where dialects disagree: the table against the verdicts that it is about, paths against the library, and `explain` against `scan`.

use crate::run::{arg, column, folder, ok, repository, robocensus, table};
use rep::{Agent, Dialect, Document, ask};
use robocensus::evaluate::{Evaluator, Questions};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// The numbers of a list as the tables are read here.
fn list(text: &str) -> Vec<usize> {
    text.trim_matches(['[', ']']).split(' ').filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect()
}

/// Columns of a table, by name.
fn columns<const N: usize>(out: &Path, name: &str, names: [&str; N]) -> [Vec<String>; N] {
    let batches = table(out, name);
    names.map(|name| column(&batches, name))
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Body, dialect and agent.
type Who = (String, String, usize);

/// What a scan says of an agent: verdict and line of each probe, basis, access.
#[derive(Debug)]
struct Said {
    verdicts: Vec<(&'static str, String)>,
    basis: String,
    access: String,
}

fn said(out: &Path) -> BTreeMap<Who, Said> {
    let names = [
        "body_key",
        "dialect",
        "agents",
        "disallowed",
        "undefined",
        "lines",
        "basis",
        "access",
        "witness_allowed",
        "witness_denied",
    ];
    let [keys, dialects, agents, disallowed, undefined, lines, basis, access, allowed, denied] =
        columns(out, "verdicts", names);
    let mut said = BTreeMap::new();
    for row in 0..keys.len() {
        let (disallowed, undefined) = (list(&disallowed[row]), list(&undefined[row]));
        let verdict = |probe: usize| match (disallowed.contains(&probe), undefined.contains(&probe)) {
            (true, false) => "disallow",
            (false, true) => "undefined",
            _ => "allow",
        };
        let witnesses = (allowed[row] != "-", denied[row] != "-");
        match access[row].as_str() {
            "all" => assert_eq!(witnesses, (true, false)),
            "none" => assert_eq!(witnesses, (false, true)),
            "some" => assert_eq!(witnesses, (true, true)),
            "undefined" => {}
            other => panic!("access {other}"),
        }
        for agent in list(&agents[row]) {
            let verdicts =
                list(&lines[row]).iter().enumerate().map(|(n, line)| (verdict(n), line.to_string())).collect();
            let told = Said { verdicts, basis: basis[row].clone(), access: access[row].clone() };
            let known = said.insert((keys[row].clone(), dialects[row].clone(), agent), told);
            assert!(known.is_none(), "an agent in two rule sets");
        }
    }
    said
}

#[test]
fn the_table_holds_exactly_the_differences() {
    let folder = folder();
    let out = folder.path().join("out");
    let printed =
        ok(&["scan", arg(&repository("datasets/sample")), "-o", arg(&out), "--dialect", "all", "--keep-bodies"]);
    let said = said(&out);
    let [keys, contents] = columns(&out, "bodies", ["body_key", "content"]);
    let bodies: HashMap<String, Vec<u8>> = keys.iter().cloned().zip(contents.iter().map(|text| bytes(text))).collect();
    let [tokens] = columns(&out, "agents", ["token"]);

    // Body, pair of dialects, agent and probe, with both verdicts and lines: from the verdicts, by the plainest loop there is.
    let mut expected = HashSet::new();
    let mut access_differs = HashSet::new();
    for ((key, dialect, agent), one) in &said {
        let later = Dialect::ALL.iter().map(|d| d.name).skip_while(|name| name != dialect).skip(1);
        for other_dialect in later {
            let other = &said[&(key.clone(), other_dialect.to_owned(), *agent)];
            for (probe, (one, other)) in one.verdicts.iter().zip(&other.verdicts).enumerate() {
                if one.0 != other.0 {
                    expected.insert(format!("{key} {dialect} {other_dialect} {agent} {probe} {one:?} {other:?}"));
                }
            }
            if one.access != other.access {
                access_differs
                    .insert(format!("{key} {dialect} {other_dialect} {agent} {} {}", one.access, other.access));
            }
        }
    }
    let names = ["body_key", "dialect_a", "dialect_b", "agents", "probes", "verdict_a", "verdict_b"];
    let [keys, one, other, agents, probes, verdict_a, verdict_b] = columns(&out, "disagreements", names);
    let names = ["lines_a", "lines_b", "access_a", "access_b", "path", "path_line_a", "path_line_b"];
    let [lines_a, lines_b, access_a, access_b, path, path_line_a, path_line_b] = columns(&out, "disagreements", names);
    let (mut found, mut access_found, mut paths) = (HashSet::new(), HashSet::new(), 0);
    for row in 0..keys.len() {
        let about = format!("{} {} {}", keys[row], one[row], other[row]);
        assert!(verdict_a[row] != verdict_b[row] && verdict_a[row] != "-", "{about}");
        let lines: Vec<_> = list(&lines_a[row]).into_iter().zip(list(&lines_b[row])).collect();
        for agent in list(&agents[row]) {
            for (probe, (line_a, line_b)) in list(&probes[row]).iter().zip(&lines) {
                let (line_a, line_b) = (line_a.to_string(), line_b.to_string());
                let (a, b) = ((verdict_a[row].as_str(), line_a), (verdict_b[row].as_str(), line_b));
                assert!(found.insert(format!("{about} {agent} {probe} {a:?} {b:?}")), "told twice: {about}");
            }
            if path[row] != "-" {
                let (a, b) = (&access_a[row], &access_b[row]);
                assert!(access_found.insert(format!("{about} {agent} {a} {b}")), "two paths: {about}");
            }
        }
        if path[row] == "-" {
            assert!(!probes[row].is_empty(), "{about} shows nothing");
            continue;
        }
        // The path shows what it is said to show.
        paths += 1;
        let url = format!("http://a{}", path[row]);
        let agent = list(&agents[row])[0];
        let agent = robocensus::evaluate::agents::AgentSet::shipped().agents[agent].agent.clone();
        for (dialect, verdict, line) in
            [(&one[row], &verdict_a[row], &path_line_a[row]), (&other[row], &verdict_b[row], &path_line_b[row])]
        {
            let answer = ask(&bodies[&keys[row]], &agent, url.as_bytes(), Dialect::named(dialect).unwrap());
            let answer = (answer.decision.verdict.as_str(), answer.decision.line.to_string());
            assert_eq!(answer, (verdict.as_str(), line.clone()), "{about} {} {}", agent.token, path[row]);
        }
    }
    assert_eq!(found, expected);
    assert_eq!(access_found, access_differs);
    assert!(expected.len() > 1_000 && access_differs.len() > 500 && paths > 100, "{} {paths}", expected.len());
    assert!(printed.contains("disagree") && printed.contains("undefined"), "{printed}");
    assert!(!tokens.is_empty());
}

#[test]
fn one_dialect_or_no_verdicts_have_no_such_table() {
    let folder = folder();
    let sample = repository("datasets/sample");
    for (name, more) in [("one", &["--dialect", "google"][..]), ("none", &["--dialect", "all", "--no-verdicts"])] {
        let out = folder.path().join(name);
        ok(&[&["scan", arg(&sample), "-o", arg(&out)], more].concat());
        assert!(!out.join("disagreements").exists());
        // Agents that bodies name have their access all the same.
        let agents = column(&table(&out, "bodies"), "agents");
        assert!(agents.iter().any(|list| list.contains(",none)") && list.contains(",some)")), "{name}");
    }
}

#[test]
fn named_agents_have_the_access_of_a_crawler_of_that_name() {
    let folder = folder();
    let out = folder.path().join("out");
    let agents = folder.path().join("agents.txt");
    fs::write(&agents, "GPTBot\nBadBot\nGooglebot\nMJ\nMJ12bot\nzzz\n").unwrap();
    ok(&["scan", arg(&repository("datasets/sample")), "-o", arg(&out), "--dialect", "all", "--agents", arg(&agents)]);
    let said = said(&out);
    let tokens = ["gptbot", "badbot", "googlebot", "mj", "mj12bot", "*"];
    let [keys, named] = columns(&out, "bodies", ["body_key", "agents"]);
    let mut compared = 0;
    for (key, named) in keys.iter().zip(&named) {
        for agent in named.trim_matches(['[', ']']).split(") (") {
            let cells: Vec<&str> = agent.trim_matches(['(', ')']).split(',').collect();
            let [token, _, access] = cells[..] else { continue };
            // A crawler that nobody names stands for the star.
            if let Some(agent) = tokens.iter().position(|known| known.eq_ignore_ascii_case(token)) {
                assert_eq!(access, said[&(key.clone(), "rfc9309".to_owned(), agent)].access, "{key} {token}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

/// Texts that are not among the odd ones: put together from lines that dialects differ about.
fn made_up() -> Vec<Vec<u8>> {
    const LINES: [&str; 22] = [
        "User-agent: *",
        "User-agent: GPTBot",
        "User-agent: Google",
        "user-agent: MJ12bot/1.0",
        "",
        "Disallow: /",
        "Disallow:",
        "Allow: /",
        "Allow: /wp-admin/admin-ajax.php",
        "Disallow: /wp-admin/",
        "Disallow: /*?",
        "Disallow: /*.php$",
        "Allow: /*.js",
        "Disallow: wp-admin",
        "Disalow: /search",
        "disallow /feed",
        "Disallow: /%61",
        "Disallow: /a b",
        "Sitemap: https://e.example/s.xml",
        "Crawl-delay: 3",
        "Allow: /index.html",
        "Disallow: /robots.txt",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let mut body = || {
        let mut text = String::from(["User-agent: *\n", "User-agent: GPTBot\n", "\u{feff}"][random(3)]);
        for _ in 0..random(12) {
            text.push_str(LINES[random(LINES.len())]);
            text.push_str(["\n", "\r\n", "\r"][random(3)]);
        }
        text.into_bytes()
    };
    (0..150).map(|_| body()).collect()
}

/// An archive of these bodies, uncompressed.
fn archive(bodies: &[Vec<u8>], file: &Path) {
    let mut warc = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let mut http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n", body.len())
            .into_bytes();
        http.extend_from_slice(body);
        write!(
            warc,
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n\
             WARC-Date: 2026-10-12T00:00:00Z\r\nWARC-Target-URI: https://h{number}.example/robots.txt\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            http.len()
        )
        .unwrap();
        warc.extend_from_slice(&http);
        warc.extend_from_slice(b"\r\n\r\n");
    }
    fs::write(file, warc).unwrap();
}

#[test]
fn explain_says_what_scan_says() {
    let folder = folder();
    let mut bodies = made_up();
    for entry in fs::read_dir(repository("datasets/odd")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind != "toml" && kind != "md") {
            bodies.push(fs::read(path).unwrap());
        }
    }
    assert!(bodies.len() > 250);
    let (warc, out) = (folder.path().join("made.warc"), folder.path().join("out"));
    archive(&bodies, &warc);
    ok(&["scan", arg(&warc), "-o", arg(&out), "--dialect", "all", "--keep-bodies"]);
    let said = said(&out);
    let [tokens] = columns(&out, "agents", ["token"]);
    let [probes] = columns(&out, "probes", ["probe"]);
    let asked = ["GPTBot", "Googlebot", "Googlebot-News", "MJ12bot", "AdsBot-Google", "Bingbot"];
    let asked: Vec<(usize, &str)> = asked
        .iter()
        .map(|token| (tokens.iter().position(|known| known.eq_ignore_ascii_case(token)).expect(token), *token))
        .collect();
    let agents = repository("datasets/agents.toml");
    let mut args = vec!["explain", "-", "--json", "--dialect", "all", "--agents", arg(&agents)];
    asked.iter().for_each(|(_, token)| args.extend(["--agent", token]));
    probes.iter().for_each(|probe| args.extend(["--url", probe]));
    let [keys, contents] = columns(&out, "bodies", ["body_key", "content"]);
    let mut compared = 0;
    for (key, content) in keys.iter().zip(&contents) {
        let mut child = robocensus().args(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&bytes(content)).unwrap();
        let explained = child.wait_with_output().unwrap();
        assert!(explained.status.success());
        let explained: serde_json::Value = serde_json::from_slice(&explained.stdout).unwrap();
        for dialect in explained["dialects"].as_array().unwrap() {
            let name = dialect["dialect"].as_str().unwrap();
            let mut answers = dialect["answers"].as_array().unwrap().iter();
            for ((agent, token), access) in asked.iter().zip(dialect["agents"].as_array().unwrap()) {
                let said = &said[&(key.clone(), name.to_owned(), *agent)];
                let about = format!("{name} {token}:\n{}", String::from_utf8_lossy(&bytes(content)));
                assert_eq!(access["access"], said.access, "{about}");
                for (verdict, line) in &said.verdicts {
                    let answer = answers.next().unwrap();
                    let line_told = answer["line"].as_u64().unwrap_or(0).to_string();
                    assert_eq!((&answer["verdict"], &line_told), (&(*verdict).into(), line), "{about}");
                    assert_eq!((&answer["basis"], &answer["agent"]), (&said.basis.as_str().into(), &(*token).into()));
                    compared += 1;
                }
            }
            assert!(answers.next().is_none());
        }
        // Where dialects differ, and only there, reasons are told.
        for difference in explained["differences"].as_array().unwrap() {
            assert_ne!(difference["here"]["verdict"], difference["there"]["verdict"]);
            assert!(!difference["reasons"].as_array().unwrap().is_empty(), "{difference}");
        }
    }
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn reasons_are_told_in_words() {
    // A file, a question, and pieces of what is told.
    let cases: [(&str, &str, &str, &[&str]); 14] = [
        (
            "sitemap-between-agents.txt",
            "Googlebot",
            "/",
            &[
                "google-before-2021 allows it, google disallows it, because of line 2: Sitemap:",
                "google-doc-legacy allows it, google-doc-2019 disallows it, because of line 2: Sitemap:",
                "    end of a list of agents\n      google-before-2021: A rule, a sitemap, or",
            ],
        ),
        (
            "agent-digits.txt",
            "MJ12bot",
            "/mj",
            &[
                "google and google-before-2021 allow it, rfc9309 disallows it, because of line 1: User-agent: MJ12bot\n",
                "agent value\n",
            ],
        ),
        ("misspelt.txt", "a", "/a", &["google and google-before-2021 disallow it, rfc9309 allows it", "field names\n"]),
        ("missing-colon.txt", "a", "/a", &["because of line 2: Disallow /a\n", "field names\n"]),
        ("bom.txt", "a", "/marked/", &["python allows it", "because of line 1: User-agent: *\n", "byte order mark\n"]),
        (
            "slashless.txt",
            "a",
            "/fish",
            &[
                "google-doc-legacy disallows it, google-doc-2019 allows it, because of line 2: Disallow: fish\n",
                "pattern without / or * first\n",
            ],
        ),
        ("index-page.txt", "a", "/shop/", &["because of line 3: Allow: /shop/index.html\n", "index page\n"]),
        (
            "blank-in-group.txt",
            "a",
            "/two",
            &[
                "rep-1994 allows it, rfc9309 disallows it, because of line 3: (blank)",
                "python allows it, google disallows it",
            ],
        ),
        (
            "wildcards.txt",
            "a",
            "/x.php",
            &["rep-1994 and python allow it, rfc9309 and google disallow it", "wildcards\n"],
        ),
        ("percent-reserved.txt", "a", "/a%2fb", &["rep-1994 allows it, python disallows it", "percent-encoding\n"]),
        (
            "delay-between-agents.txt",
            "Bingbot",
            "/",
            &["google-before-2021 allows it, google disallows it, because of line 2: Crawl-delay: 10\n"],
        ),
        (
            "merged-groups.txt",
            "GPTBot",
            "/second",
            &["rep-1994 allows it, rfc9309 disallows it, because of line 8: Disallow: /second\n    same agent twice\n"],
        ),
        ("tie.txt", "a", "/page.htm", &["google-doc-2019 leaves it open, rfc9309 disallows it", "which rule wins\n"]),
        ("only-root.txt", "a", "/robots.txt", &["    /robots.txt\n"]),
    ];
    for (file, agent, url, expected) in cases {
        let path = repository("datasets/odd").join(file);
        let said = ok(&["explain", arg(&path), "--agent", agent, "--url", url, "--dialect", "all"]);
        for piece in expected {
            assert!(said.contains(piece), "{file}: no `{piece}` in:\n{said}");
        }
    }
}

#[test]
fn a_body_made_to_have_many_differences_is_bounded() {
    // Each of 2,500 agents has a group of its own, and in each the wildcard matters to the written texts.
    let letters = |mut n: usize| {
        let mut name = String::from("bot-");
        (0..3).for_each(|_| {
            name.push((b'a' + (n % 26) as u8) as char);
            n /= 26;
        });
        name
    };
    let names: Vec<String> = (0..2_500).map(letters).collect();
    let agents: Vec<Agent> = names.iter().map(Agent::bare).collect();
    let group = |name: &String| format!("user-agent: {name}\nallow: /x\ndisallow: /*1\n\n");
    let body: String = names.iter().map(group).collect();
    let dialects: Vec<&'static Dialect> = Dialect::ALL.iter().collect();
    let questions = Questions::new(&agents, &["/", "/x1", "/y22"], &dialects);
    let document = Document::parse(body.as_bytes());
    let first = document.read(dialects[0]);
    let mut evaluator = Evaluator::default();
    let mut rows = 0;
    let mut evaluation = evaluator.evaluate(&questions, &document, &first);
    let left_out = evaluation
        .each_disagreement(|found| {
            rows += 1;
            assert!(!found.agents.is_empty());
            Ok::<(), ()>(())
        })
        .unwrap();
    assert_eq!(rows, 10_000);
    assert!(left_out > 1_000, "{left_out}");
}
