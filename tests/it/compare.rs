//! `compare` against a recomputation from the tables that shares no code with it, and against weeks whose changes are known.

use crate::run::{arg, assert_same, column, fails, folder, ok, robocensus, table};
use crate::shared;
use crate::weeks::{Answer, scan};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Words of a row, the population first, and count and total.
type Figure = BTreeMap<Vec<String>, (u64, u64)>;

/// A figure as its CSV has it.
fn figure(out: &Path, id: &str) -> Figure {
    let text = fs::read_to_string(out.join(format!("figures/{id}.csv"))).unwrap();
    let mut lines = text.lines();
    let numbers = 5;
    let words = lines.next().unwrap().split(',').count() - numbers;
    lines
        .map(|line| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            // Words with commas are quoted, and none of the tests has any.
            assert!(!line.contains('"'), "{line}");
            let numbers = cells.split_off(words);
            let parse = |at: usize| numbers[at].parse::<u64>().unwrap();
            (cells, (parse(0), parse(1)))
        })
        .collect()
}

/// The counts of a figure for origins: of the panel, or of all.
fn counts(out: &Path, id: &str, population: &str, unit: &str) -> BTreeMap<Vec<String>, u64> {
    let rows = figure(out, id).into_iter().filter(|(words, _)| words[0] == population && words[1] == unit);
    rows.map(|(words, (count, _))| (words[2..].to_vec(), count)).collect()
}

/// A week as its tables say, read without the code under test.
struct Week {
    name: String,
    origins: BTreeMap<String, Origin>,
    agents: Vec<String>,
}

#[derive(Clone)]
struct Origin {
    site: String,
    reason: String,
    body_id: String,
    template: String,
    managed_by: String,
    named: BTreeMap<String, String>,
    /// By agent.
    states: BTreeMap<String, String>,
}

impl Origin {
    fn has_text(&self) -> bool {
        self.reason == "success" && self.body_id != "-"
    }

    fn is_counted(&self) -> bool {
        self.reason != "target_outside_input" && self.reason != "redirect"
    }
}

const UNRESOLVED: [&str; 7] = [
    "html_redirect",
    "redirect_without_target",
    "redirect_loop",
    "too_many_redirects",
    "target_not_captured",
    "target_outside_input",
    "redirect",
];

fn read_week(out: &Path, dialect: &str) -> Week {
    let of = |table_name: &str, names: &[&str]| -> Vec<Vec<String>> {
        let batches = table(out, table_name);
        let columns: Vec<Vec<String>> = names.iter().map(|name| column(&batches, name)).collect();
        (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
    };
    let list = |text: &str| -> Vec<String> {
        text.trim_matches(['[', ']']).split(' ').filter(|item| !item.is_empty()).map(str::to_owned).collect()
    };
    let agents: BTreeMap<String, String> =
        of("agents", &["agent_id", "token"]).into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let outcomes: HashMap<String, String> = of("outcomes", &["dialect", "reason", "outcome"])
        .into_iter()
        .filter(|row| row[0] == dialect)
        .map(|row| (row[1].clone(), row[2].clone()))
        .collect();
    let mut access: HashMap<(String, String), String> = HashMap::new();
    for row in of("verdicts", &["body_key", "dialect", "agents", "access"]) {
        if row[1] == dialect {
            for id in list(&row[2]) {
                let word = if row[3] == "-" { "undecided" } else { &row[3] };
                access.insert((row[0].clone(), agents[&id].clone()), word.to_owned());
            }
        }
    }
    let mut bodies: HashMap<String, (String, String, BTreeMap<String, String>)> = HashMap::new();
    for row in of("bodies", &["body_key", "template", "managed_by", "agents", "body_kind"]) {
        let mut named: BTreeMap<String, String> = BTreeMap::new();
        // A struct is shown as (token,line,access).
        let shown = row[3].trim_matches(['[', ']']).trim_matches(['(', ')']).to_owned();
        for one in shown.split(") (").filter(|one| !one.is_empty() && row[4] == "robots") {
            let mut parts = one.rsplitn(3, ',');
            let access = parts.next().unwrap().replace("-", "undecided");
            let token: String = parts.nth(1).unwrap().to_ascii_lowercase().chars().take(120).collect();
            let least = named.entry(token).or_insert(access.clone());
            *least = access.min(least.clone());
        }
        bodies.insert(row[0].clone(), (row[1].clone(), row[2].clone(), named));
    }
    let mut origins = BTreeMap::new();
    for row in of("origins", &["origin", "site", "reason", "body_key", "body_id"]) {
        let outcome = &outcomes[&row[2]];
        let states = agents.values().map(|agent| {
            let state = match outcome.as_str() {
                "conditional" => {
                    access.get(&(row[3].clone(), agent.clone())).cloned().unwrap_or_else(|| "all".to_owned())
                }
                _ if UNRESOLVED.contains(&row[2].as_str()) => "unresolved".to_owned(),
                outcome => format!("no_text_{outcome}"),
            };
            (agent.clone(), state)
        });
        let is_text = row[2] == "success";
        let body = bodies.get(&row[3]).cloned().unwrap_or_else(|| ("-".into(), "-".into(), BTreeMap::new()));
        origins.insert(
            row[0].clone(),
            Origin {
                site: row[1].clone(),
                reason: row[2].clone(),
                body_id: row[4].clone(),
                template: body.0,
                managed_by: body.1,
                named: if is_text { body.2 } else { BTreeMap::new() },
                states: states.collect(),
            },
        );
    }
    Week {
        name: out.file_name().unwrap().to_str().unwrap().to_owned(),
        origins,
        agents: agents.into_values().collect(),
    }
}

fn move_of(before: &str, after: &str) -> Option<&'static str> {
    let open = |state: &str| match state {
        "all" | "no_text_full_allow" => Some(2),
        "some" => Some(1),
        "none" | "no_text_full_disallow" => Some(0),
        _ => None,
    };
    let (before, after) = (open(before)?, open(after)?);
    match (before, after) {
        _ if before == after => None,
        (_, 0) => Some("closed"),
        (0, _) => Some("opened"),
        _ if after < before => Some("narrowed"),
        _ => Some("widened"),
    }
}

fn cause(before: &Origin, after: &Origin) -> &'static str {
    match before.has_text() && after.has_text() {
        false => "status",
        true if before.body_id == after.body_id => "same_text",
        true if before.template != after.template => "template",
        true if before.managed_by != after.managed_by => "managed",
        true => "owner",
    }
}

/// Everything that figures say, by figure, population and unit.
#[derive(Default)]
struct Expected(BTreeMap<(&'static str, &'static str, &'static str), BTreeMap<Vec<String>, u64>>);

impl Expected {
    fn add(&mut self, id: &'static str, populations: &[(&'static str, &'static str)], words: &[&str]) {
        for (population, unit) in populations {
            let figure = self.0.entry((id, population, unit)).or_default();
            *figure.entry(words.iter().map(|word| (*word).to_owned()).collect()).or_default() += 1;
        }
    }
}

fn expected(weeks: &[Week]) -> Expected {
    let mut expected = Expected::default();
    let agents: Vec<&String> =
        weeks[0].agents.iter().filter(|agent| weeks.iter().all(|week| week.agents.contains(agent))).collect();
    let origins: BTreeSet<&String> = weeks.iter().flat_map(|week| week.origins.keys()).collect();
    let in_panel =
        |origin: &str| weeks.iter().all(|week| week.origins.get(origin).is_some_and(|origin| origin.is_counted()));
    let mut stands: BTreeMap<&str, &str> = BTreeMap::new();
    for origin in origins.iter().filter(|origin| in_panel(origin)) {
        let site = &weeks[0].origins[*origin].site;
        let better = |one: &str, other: &str| {
            let key = |origin: &str| (!origin.starts_with("https:"), origin.len(), origin.to_owned());
            key(one) < key(other)
        };
        let standing = stands.entry(site).or_insert(origin);
        if better(origin, standing) {
            *standing = origin;
        }
    }
    let mut steps: Vec<(usize, usize)> = (1..weeks.len()).map(|to| (to - 1, to)).collect();
    if weeks.len() > 2 {
        steps.push((0, weeks.len() - 1));
    }
    for origin in origins {
        let mut populations = vec![("all", "origin")];
        if in_panel(origin) {
            populations.push(("panel", "origin"));
            if stands[weeks[0].origins[origin].site.as_str()] == origin {
                populations.push(("panel", "domain"));
            }
        }
        let seen: Vec<&Week> = weeks.iter().filter(|week| week.origins.contains_key(origin)).collect();
        let ends = [&seen[0].name, &seen[seen.len() - 1].name];
        expected.add("seen", &[("all", "origin")], &[ends[0], ends[1], &seen.len().to_string()]);
        for week in &seen {
            let one = &week.origins[origin];
            if one.is_counted() {
                expected.add("reasons", &populations, &[&week.name, &one.reason]);
                for agent in &agents {
                    expected.add("access", &populations, &[&week.name, agent, &one.states[*agent]]);
                }
                for agent in one.named.keys() {
                    expected.add("named", &populations, &[&week.name, agent]);
                }
            }
        }
        for (from, to) in &steps {
            let (from, to) = (&weeks[*from], &weeks[*to]);
            let (before, after) = (from.origins.get(origin), to.origins.get(origin));
            if [before, after].into_iter().flatten().any(|one| !one.is_counted()) {
                continue;
            }
            let pair = [from.name.as_str(), to.name.as_str()];
            let presence = match (before, after) {
                (Some(_), Some(_)) => "stayed",
                (None, Some(_)) => "came",
                (Some(_), None) => "went",
                (None, None) => continue,
            };
            let only_all: Vec<_> = populations.iter().filter(|one| one.0 == "all").copied().collect();
            expected.add("presence", &only_all, &[pair[0], pair[1], presence]);
            let word = |one: Option<&Origin>| one.map_or("absent", |one| one.reason.as_str()).to_owned();
            expected.add("reason_changes", &populations, &[pair[0], pair[1], &word(before), &word(after)]);
            for agent in &agents {
                let state = |one: Option<&Origin>| one.map_or("absent".to_owned(), |one| one.states[*agent].clone());
                let (old, new) = (state(before), state(after));
                expected.add("access_changes", &populations, &[pair[0], pair[1], agent, &old, &new]);
                if let (Some(before), Some(after), Some(kind)) = (before, after, move_of(&old, &new)) {
                    let words = [pair[0], pair[1], agent, kind, cause(before, after)];
                    expected.add("moves", &populations, &words);
                }
            }
            let empty = BTreeMap::new();
            let named = |one: Option<&'_ Origin>| one.map_or(empty.clone(), |one| one.named.clone());
            let (old, new) = (named(before), named(after));
            for agent in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
                let (naming, access) = match (old.get(agent), new.get(agent)) {
                    (Some(_), Some(access)) => ("kept", access),
                    (Some(access), None) => ("stopped", access),
                    (_, Some(access)) => ("started", access),
                    (None, None) => unreachable!(),
                };
                expected.add("naming_changes", &populations, &[pair[0], pair[1], agent, naming, access]);
            }
            let (text, why) = match (before, after) {
                (None, _) => ("came", "status"),
                (_, None) => ("went", "status"),
                (Some(before), Some(after)) => {
                    let text = match (before.has_text(), after.has_text()) {
                        (true, true) if before.body_id == after.body_id => "same",
                        (true, true) => "changed",
                        (false, true) => "appeared",
                        (true, false) => "vanished",
                        (false, false) => "never",
                    };
                    for (id, of) in [
                        ("templates", (|one| &one.template) as fn(&Origin) -> &String),
                        ("managed", |one| &one.managed_by),
                    ] {
                        let maker = |one: &Origin| match (one.has_text(), of(one).as_str()) {
                            (false, _) => "(no text)".to_owned(),
                            (true, "-") => "(none)".to_owned(),
                            (true, word) => word.to_owned(),
                        };
                        expected.add(id, &populations, &[pair[0], pair[1], &maker(before), &maker(after)]);
                    }
                    (text, cause(before, after))
                }
            };
            expected.add("texts", &populations, &[pair[0], pair[1], text, why]);
        }
    }
    expected
}

/// Compares every figure with what the tables say; gives the number of rows that were looked at.
fn check(weeks: &[PathBuf], out: &Path, dialect: &str) -> usize {
    let weeks: Vec<Week> = weeks.iter().map(|week| read_week(week, dialect)).collect();
    let expected = expected(&weeks);
    let mut rows = 0;
    for id in [
        "presence",
        "seen",
        "reasons",
        "reason_changes",
        "access",
        "access_changes",
        "moves",
        "texts",
        "templates",
        "managed",
        "named",
        "naming_changes",
    ] {
        for (population, unit) in [("panel", "origin"), ("panel", "domain"), ("all", "origin")] {
            let found = counts(out, id, population, unit);
            let mut wanted = expected.0.get(&(id, population, unit)).cloned().unwrap_or_default();
            if ["named", "naming_changes"].contains(&id) {
                // Of agents that texts name only the most frequent ones are in it.
                let at = if id == "named" { 1 } else { 2 };
                let kept: BTreeSet<String> = found.keys().map(|words| words[at].clone()).collect();
                wanted.retain(|words, _| kept.contains(&words[at]));
            }
            assert_eq!(found, wanted, "{id}, {population}, {unit}");
            rows += found.len();
        }
    }
    rows
}

/// Numbers that look drawn and are the same everywhere.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

const CLOUDFLARE: &str = "# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /\n\
                          # END Cloudflare Managed Content\n\n";

/// Weeks of origins that change by chance; about a third each week.
fn drawn_weeks(folder: &Path, origins: u64, weeks: u64) -> Vec<PathBuf> {
    let open = "User-agent: *\nDisallow: /search\n";
    let bodies = [
        String::new(),
        open.to_owned(),
        "User-agent: *\nDisallow: /\n".to_owned(),
        "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n".to_owned(),
        format!("{CLOUDFLARE}{open}"),
        format!("User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\n{open}"),
        format!("User-agent: GPTBot\nDisallow: /private\n\n{open}"),
        "User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /\n".to_owned(),
        "User-agent: CCBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n".to_owned(),
        "<html><body>Not found</body></html>".to_owned(),
        format!("{open}Sitemap: https://www.example.com/s.xml\nUser-agent: NewCrawler\nDisallow: /x\n"),
    ];
    let mut draw = Draw(7);
    let mut current: Vec<Option<u64>> = vec![None; origins as usize];
    (0..weeks)
        .map(|week| {
            let mut answers = Vec::new();
            for (number, state) in current.iter_mut().enumerate() {
                if week == 0 || draw.below(3) == 0 {
                    *state = Some(draw.below(17)).filter(|drawn| *drawn != 16);
                }
                // Four origins a site: both schemes, with and without www.
                let (scheme, www) = ([("https", ""), ("http", ""), ("https", "www."), ("http", "www.")])[number % 4];
                let origin =
                    format!("{scheme}://{www}site{}.example.com", number / 4).replace(".example.com", "-example.com");
                answers.push(match *state {
                    None => continue,
                    Some(at) if at < bodies.len() as u64 => Answer::text(&origin, &bodies[at as usize]),
                    Some(11) => Answer::status(&origin, 404),
                    Some(12) => Answer::status(&origin, 503),
                    Some(13) => Answer::status(&origin, 403),
                    Some(14) => Answer::redirect(&origin, "https://nowhere.example.org/robots.txt"),
                    _ => Answer::redirect(&origin, "https://site0-example.com/robots.txt"),
                });
            }
            let out = folder.join(format!("week{}", week + 1));
            scan(folder, &out, &answers, &[]);
            out
        })
        .collect()
}

fn compare(weeks: &[PathBuf], out: &Path, options: &[&str]) -> String {
    let mut args = vec!["compare"];
    args.extend(weeks.iter().map(|week| arg(week)));
    args.extend(["-o", arg(out)]);
    args.extend(options);
    ok(&args)
}

#[test]
fn figures_are_those_of_the_tables_whatever_memory_and_threads() {
    let folder = folder();
    let weeks = drawn_weeks(folder.path(), 900, 3);
    let out = folder.path().join("change");
    let said = compare(&weeks, &out, &[]);
    assert!(said.contains("in 3 outputs"), "{said}");
    let rows = check(&weeks, &out, "rfc9309");
    assert!(rows > 1_000, "{rows}");
    let two = folder.path().join("two");
    compare(&weeks[..2], &two, &[]);
    assert!(check(&weeks[..2], &two, "rfc9309") > 500);

    let small = folder.path().join("small");
    compare(&weeks, &small, &["--memory", "1MiB", "--threads", "1"]);
    assert_same(&out, &small);
    // Denominators are the sums of what they are of, or the population.
    let mut of_before: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let changes = figure(&out, "access_changes");
    changes.iter().for_each(|(words, (count, _))| *of_before.entry(words[..6].to_vec()).or_default() += count);
    assert!(changes.iter().all(|(words, (_, total))| of_before[&words[..6]] == *total));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(out.join("compare.json")).unwrap()).unwrap();
    let panel = json["totals"]["panel_origins"].as_u64().unwrap();
    let all = figure(&out, "texts").into_iter().filter(|(words, _)| words[0] == "panel" && words[1] == "origin");
    assert!(all.map(|(_, (_, total))| total).all(|total| total == panel) && panel > 300);
    // The lists say what the figures count.
    let moves = table(&out.join("lists"), "moves");
    let columns = ["from", "to", "move", "agents", "in_panel"].map(|name| column(&moves, name));
    let mut listed: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let [from, to, moves_to, agents, in_panel] = &columns;
    for (row, agents) in agents.iter().enumerate().filter(|(row, _)| in_panel[*row] == "true") {
        for agent in agents.trim_matches(['[', ']']).split(' ') {
            let words = [&from[row], &to[row], agent, &moves_to[row]];
            *listed.entry(words.iter().map(|word| (*word).to_owned()).collect()).or_default() += 1;
        }
    }
    let mut counted: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for (words, count) in counts(&out, "moves", "panel", "origin") {
        *counted.entry(words[..4].to_vec()).or_default() += count;
    }
    assert_eq!(listed, counted);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(
        page.contains("<svg")
            && page.contains("Transitions of access")
            && !page.contains("src=\"http")
            && !page.contains("href=\"http"),
        "no other file is needed"
    );
}

#[test]
fn known_changes_come_out_with_their_causes() {
    let folder = folder();
    let text = "User-agent: *\nDisallow: /search\n";
    let closed = format!("User-agent: GPTBot\nDisallow: /\n\n{text}");
    let managed = format!("{CLOUDFLARE}{text}");
    let week = |answers: &[(&str, Option<&str>)]| -> Vec<Answer> {
        answers
            .iter()
            .map(|(origin, body)| match body {
                Some(body) => Answer::text(origin, body),
                None => Answer::status(origin, 404),
            })
            .collect()
    };
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let first = week(&[
        ("https://owner.example", Some(text)),
        ("https://managed.example", Some(text)),
        ("https://status.example", None),
        ("https://same.example", Some(&closed)),
        ("https://opens.example", Some(&closed)),
        ("https://goes.example", Some(&closed)),
    ]);
    let second = week(&[
        ("https://owner.example", Some(&closed)),
        ("https://managed.example", Some(&managed)),
        ("https://status.example", Some(&closed)),
        ("https://same.example", Some(&closed)),
        ("https://opens.example", Some(text)),
        ("https://comes.example", Some(text)),
    ]);
    scan(folder.path(), &one, &first, &[]);
    scan(folder.path(), &two, &second, &[]);
    let out = folder.path().join("change");
    compare(&[one, two], &out, &[]);
    let moves = counts(&out, "moves", "panel", "origin");
    let of = |agent: &str| -> BTreeMap<(String, String), u64> {
        let rows = moves.iter().filter(|(words, _)| words[2] == agent);
        rows.map(|(words, count)| ((words[3].clone(), words[4].clone()), *count)).collect()
    };
    let row = |kind: &str, cause: &str, count| ((kind.to_owned(), cause.to_owned()), count);
    let expected =
        [row("closed", "owner", 1), row("closed", "managed", 1), row("closed", "status", 1), row("opened", "owner", 1)];
    assert_eq!(of("GPTBot"), BTreeMap::from(expected));
    assert_eq!(of("CCBot"), BTreeMap::from([row("closed", "managed", 1), row("narrowed", "status", 1)]));
    let lists = table(&out.join("lists"), "moves");
    let listed: BTreeSet<(String, String)> =
        column(&lists, "origin").into_iter().zip(column(&lists, "move")).filter(|(_, kind)| kind == "opened").collect();
    assert_eq!(listed, BTreeSet::from([("https://opens.example".to_owned(), "opened".to_owned())]));
    let presence = table(&out.join("lists"), "presence");
    let seen: BTreeMap<String, String> =
        column(&presence, "origin").into_iter().zip(column(&presence, "seen")).collect();
    let row = |origin: &str, seen: &str| (origin.to_owned(), seen.to_owned());
    assert_eq!(seen, BTreeMap::from([row("https://comes.example", "[two]"), row("https://goes.example", "[one]")]));
    let agents = table(&out.join("lists"), "agents");
    let names: Vec<(String, String, String)> = column(&agents, "agent")
        .into_iter()
        .zip(column(&agents, "first_seen"))
        .zip(column(&agents, "started"))
        .map(|((agent, first), started)| (agent, first, started))
        .filter(|(agent, ..)| agent == "ccbot")
        .collect();
    assert_eq!(names, [("ccbot".to_owned(), "two".to_owned(), "1".to_owned())]);
}

#[test]
fn outputs_that_differ_are_compared_on_what_they_share_or_refused() {
    let folder = folder();
    let answers: Vec<Answer> = (0..60)
        .map(|at| Answer::text(&format!("https://site{at}.example"), &format!("User-agent: *\nDisallow: /{at}\n")))
        .collect();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let (agents_one, agents_two) = (file("one.txt", "GPTBot\nCCBot\n"), file("two.txt", "OtherBot\nGPTBot\n"));
    let (probes_one, probes_two) = (file("p1.txt", "/\n/1\n"), file("p2.txt", "/2\n/\n"));
    let [one, two, google, half, third] =
        ["one", "two", "google", "half", "third"].map(|name| folder.path().join(name));
    scan(folder.path(), &one, &answers, &["--agents", arg(&agents_one), "--probes", arg(&probes_one)]);
    scan(folder.path(), &two, &answers, &["--agents", arg(&agents_two), "--probes", arg(&probes_two), "--no-verdicts"]);
    scan(folder.path(), &google, &answers, &["--dialect", "google"]);
    scan(
        folder.path(),
        &half,
        &answers,
        &["--sample", "1/2", "--agents", arg(&agents_two), "--probes", arg(&probes_two)],
    );
    scan(folder.path(), &third, &answers, &["--sample", "1/3", "--dialect", "google,rfc9309"]);

    let out = folder.path().join("a");
    let output = robocensus().args(["compare", arg(&one), arg(&half), "-o", arg(&out)]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    for word in ["agents differ: CCBot, OtherBot", "probes differ: /1, /2", "sample differ"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let json: serde_json::Value = serde_json::from_slice(&fs::read(out.join("compare.json")).unwrap()).unwrap();
    assert_eq!(json["agents"], serde_json::json!(["GPTBot"]));
    assert_eq!(json["probes"], serde_json::json!(["/"]));
    assert_eq!(json["sample"], "1/2");
    let kept = json["totals"]["origins"].as_u64().unwrap();
    assert!(kept > 10 && kept < 50 && json["totals"]["panel_origins"] == kept, "{}", json["totals"]);

    let out = folder.path().join("b");
    let output = robocensus().args(["compare", arg(&half), arg(&third), "-o", arg(&out)]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("the sites of 1/6 are compared"), "{said}");
    assert!(said.contains("rfc9309 is compared"), "{said}");

    let out = folder.path().join("c");
    let output = robocensus().args(["compare", arg(&one), arg(&two), "-o", arg(&out)]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("two without the table verdicts"), "{said}");
    assert!(out.join("figures/texts.csv").is_file() && !out.join("figures/moves.csv").exists());

    let out = folder.path().join("d");
    let said = fails(&["compare", arg(&one), arg(&google), "-o", arg(&out)], 1);
    assert!(
        said.contains("no dialect is common to all: one was read with rfc9309; google was read with google"),
        "{said}"
    );
    let said = fails(&["compare", arg(&google), arg(&third), "--dialect", "rfc9309", "-o", arg(&out)], 1);
    assert!(said.contains("not all have the dialect `rfc9309`"), "{said}");
    assert!(fails(&["compare", arg(&one), arg(&one), "-o", arg(&out)], 2).contains("is named twice"));
    assert!(fails(&["compare", arg(&one), "-o", arg(&out)], 2).contains("OUT"));
    assert!(fails(&["compare", arg(&one), arg(&half), "-o", arg(&one)], 2).contains("is a folder of tables"));
    let nothing = folder.path().join("nothing");
    fs::create_dir(&nothing).unwrap();
    assert!(fails(&["compare", arg(&one), arg(&nothing), "-o", arg(&out)], 1).contains("no finished scan"));
    let manifest = google.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let version = r#""schema_version": "#;
    assert!(text.contains(version));
    fs::write(&manifest, text.replace(version, r#""schema_version": 9"#)).unwrap();
    assert!(
        fails(&["compare", arg(&third), arg(&google), "-o", arg(&out)], 1)
            .contains("the tables of google have version 9")
    );
    assert!(!out.exists(), "nothing is written when it is refused");
}

#[test]
fn real_sites_over_two_years() {
    let (Some(captures), Some(bodies)) = (shared::path("data/robots-captures.tsv.zst"), shared::bodies_by_id()) else {
        return;
    };
    // The last version of each site before a day is what it said on that day.
    let mut versions: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for line in shared::zst_lines(&captures) {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[0] == "bharath06/robotstxt" {
            versions.entry(cells[3].to_owned()).or_default().insert(cells[4].to_owned(), cells[5].to_owned());
        }
    }
    let folder = folder();
    let days = ["2022-09-01", "2023-08-01", "2023-12-01", "2024-07-31"];
    let weeks: Vec<PathBuf> = days
        .iter()
        .map(|day| {
            let mut answers = Vec::new();
            for (site, versions) in &versions {
                let Some((_, id)) = versions.range(..(*day).to_owned()).next_back() else { continue };
                let Some(body) = bodies.get(id) else { continue };
                let body = STANDARD.decode(body).unwrap();
                answers.push(Answer { body, ..Answer::text(&format!("https://{site}"), "") });
            }
            let out = folder.path().join(day);
            scan(folder.path(), &out, &answers, &[]);
            out
        })
        .collect();
    let out = folder.path().join("change");
    compare(&weeks, &out, &[]);
    assert!(check(&weeks, &out, "rfc9309") > 1_000);
    // GPTBot was announced in August 2023.
    let named = counts(&out, "named", "panel", "origin");
    let gptbot = |day: &str| named.get(&vec![day.to_owned(), "gptbot".to_owned()]).copied().unwrap_or_default();
    assert_eq!((gptbot(days[0]), gptbot(days[1])), (0, 0));
    assert!(gptbot(days[3]) > gptbot(days[2]) && gptbot(days[2]) > 50, "{} {}", gptbot(days[2]), gptbot(days[3]));
}
