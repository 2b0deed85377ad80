//! `robocensus explain`: which group and rule of one robots.txt decide, and why.

use super::explain_why::{Difference, Reason, Why};
use super::{UsageError, dialects, explain_jsonl};
use crate::cli::{ColorWhen, ExplainArgs};
use crate::evaluate::agents::AgentSet;
use crate::pipeline::log::escape_line;
use crate::quantity::counted;
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};
use rep::{
    AccessClass, AccessFinder, Agent, AgentIndex, Basis, Decision, Decisions, Dialect, Document, Field, Named, Paths,
    Robots, Selection, Verdict, matching,
};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

/// Runs the command; explanations go to `out`.
pub fn run(args: &ExplainArgs, out: &mut dyn Write) -> Result<()> {
    let dialects = dialects(&args.dialect)?;
    if args.jsonl {
        let (lines, refused) = explain_jsonl::run(&dialects, io::stdin().lock(), out)?;
        anyhow::ensure!(refused == 0, "{refused} of {lines} lines were no question; their answers say why");
        return Ok(());
    }
    let agents = agents(args)?;
    let urls = if args.url.is_empty() { vec!["/".to_owned()] } else { args.url.clone() };
    let body = read(&args.file)?;
    let document = Document::parse(&body);
    let explanations: Vec<Explanation<'_>> =
        dialects.iter().map(|dialect| Explanation::new(&document, dialect, &agents, &urls)).collect();
    let differences = differences(&document, &dialects, &agents, &urls);
    if args.json {
        let text = serde_json::to_string_pretty(&as_json(&document, &explanations, &differences, &agents, &urls))?;
        writeln!(out, "{}", escape_c1(&text))?;
        return Ok(());
    }
    let colored = match args.color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    };
    let paint = Paint { colored };
    let (explanations, differences) = (&explanations, &differences);
    Page { document: &document, explanations, differences, agents: &agents, urls: &urls, paint }.write(out)?;
    Ok(())
}

/// Why dialects differ, for each question about which they do: agent, URL, and what is to be told.
fn differences(
    document: &Document<'_>,
    dialects: &[&'static Dialect],
    agents: &[Agent],
    urls: &[String],
) -> Vec<(usize, usize, Vec<Difference>)> {
    if dialects.len() < 2 {
        return Vec::new();
    }
    let mut why = Why::new(document, dialects, agents, urls);
    let questions = (0..agents.len()).flat_map(|agent| (0..urls.len()).map(move |url| (agent, url)));
    let told = questions.map(|(agent, url)| (agent, url, why.differences(agent, url)));
    told.filter(|(.., differences)| !differences.is_empty()).collect()
}

/// JSON lets DEL and the C1 controls stand as they are; a terminal does not.
fn escape_c1(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\u{7f}'..='\u{9f}' => safe.push_str(&format!("\\u{:04x}", character as u32)),
            other => safe.push(other),
        }
    }
    safe
}

fn agents(args: &ExplainArgs) -> Result<Vec<Agent>, UsageError> {
    let set = match &args.agents {
        Some(path) => Some(AgentSet::read(path).map_err(|e| UsageError(format!("--agents: {e}")))?),
        None => None,
    };
    if args.agent.is_empty() {
        return Err(UsageError("name a crawler, such as --agent Googlebot".to_owned()));
    }
    let known = |token: &String| {
        let entries = set.iter().flat_map(|set| &set.agents);
        entries.map(|entry| &entry.agent).find(|agent| agent.token.eq_ignore_ascii_case(token)).cloned()
    };
    Ok(args.agent.iter().map(|token| known(token).unwrap_or_else(|| Agent::bare(token.as_str()))).collect())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut body = Vec::new();
        io::stdin().lock().read_to_end(&mut body).context("cannot read standard input")?;
        return Ok(body);
    }
    fs::read(file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            UsageError(format!("no file `{}`; name a robots.txt, or - for standard input", file.display())).into()
        }
        _ => anyhow::Error::new(error).context(format!("cannot read `{}`", file.display())),
    })
}

/// One dialect's view of the questions.
struct Explanation<'a> {
    dialect: &'static Dialect,
    robots: Robots<'a>,
    paths: Paths,
    /// For each agent, in order.
    bound: Vec<Bound>,
    /// For each group its rules as read, those without effect included: line, allow.
    rules: Vec<Vec<(u32, bool)>>,
}

/// What binds an agent, and what that decides for each URL.
struct Bound {
    basis: Basis,
    tokens: Vec<String>,
    groups: Vec<u32>,
    decisions: Vec<Decision>,
    access: AccessClass,
    witness_allowed: Option<String>,
    witness_denied: Option<String>,
}

/// A rule that matched a URL.
struct Matched {
    line: u32,
    allow: bool,
    length: Option<u32>,
    wins: bool,
    /// What was compared, where that is not the pattern as written.
    compared: Option<String>,
}

impl<'a> Explanation<'a> {
    fn new(document: &Document<'a>, dialect: &'static Dialect, agents: &[Agent], urls: &[String]) -> Explanation<'a> {
        let robots = document.read(dialect);
        let paths = Paths::new(urls.iter().map(|url| url.as_bytes()), dialect);
        let mut finder = AccessFinder::default();
        finder.begin(&robots);
        let bound = agents.iter().map(|agent| Explanation::bind(&robots, &paths, &mut finder, agent)).collect();
        let rules = rules_by_group(document, &robots);
        Explanation { dialect, robots, paths, bound, rules }
    }

    fn bind(robots: &Robots<'_>, paths: &Paths, finder: &mut AccessFinder, agent: &Agent) -> Bound {
        let index = AgentIndex::new(std::slice::from_ref(agent), robots.dialect);
        let (mut selection, mut decisions) = (Selection::default(), Decisions::default());
        selection.select(robots, &index);
        decisions.evaluate(robots, &selection, paths);
        // One agent has one rule set.
        let set = selection.sets().first();
        let access = finder.of(robots, set.map_or(&[], |set| selection.groups_of(set)));
        let witness = |path: Option<&[u8]>| path.map(|path| String::from_utf8_lossy(path).into_owned());
        Bound {
            basis: set.map_or(Basis::None, |set| set.basis),
            tokens: set.map_or(Vec::new(), |set| selection.tokens_of(set, &index).map(str::to_owned).collect()),
            groups: set.map_or(Vec::new(), |set| selection.groups_of(set).to_vec()),
            decisions: if set.is_some() { decisions.of_set(0).to_vec() } else { Vec::new() },
            access: access.class,
            witness_allowed: witness(access.allowed),
            witness_denied: witness(access.denied),
        }
    }

    /// Lines with text that the dialect does not read, because they reach beyond its limit.
    fn beyond_limit(&self, document: &Document<'_>) -> usize {
        document.lines().len() - document.lines_within(self.dialect).len()
    }

    fn matched(&self, document: &Document<'_>, bound: &Bound, url: usize) -> Vec<Matched> {
        let decided = bound.decisions[url].line;
        let mut all: Vec<Matched> = Vec::new();
        for group in &bound.groups {
            for rule in matching(&self.robots, *group as usize, &self.paths, url) {
                // A rule can match in two ways (its own, and for an index page's folder); it is one rule to its reader.
                if all.last().is_none_or(|last| last.line != rule.line) {
                    let wins = rule.line == decided && !self.paths.is_always_allowed(url);
                    let compared = String::from_utf8_lossy(&self.robots.compared(rule)).into_owned();
                    let written = pattern_at(document, self.dialect, rule.line);
                    let differs =
                        rule.is_folder_form || compared.trim_end_matches('*') != written.trim_end_matches('*');
                    all.push(Matched {
                        line: rule.line,
                        allow: rule.allow,
                        length: self.robots.length(rule),
                        wins,
                        compared: differs.then_some(compared),
                    });
                }
            }
        }
        all
    }
}

/// The text of a line's value, as shown.
fn pattern_at(document: &Document<'_>, dialect: &Dialect, number: u32) -> String {
    let lines = document.lines();
    let line = lines.binary_search_by_key(&number, |line| line.number).ok().map(|at| &lines[at]);
    let value = line.and_then(|line| document.entry(line, dialect)).map_or(&b""[..], |(_, value)| value);
    String::from_utf8_lossy(value).into_owned()
}

/// The rules of every group as the dialect reads them, in one pass: a file may have a hundred thousand groups.
fn rules_by_group(document: &Document<'_>, robots: &Robots<'_>) -> Vec<Vec<(u32, bool)>> {
    let mut rules = vec![Vec::new(); robots.groups.len()];
    for line in document.lines_within(robots.dialect).iter() {
        let Some(group) = robots.group_at(line.number) else { continue };
        match document.entry(line, robots.dialect) {
            Some((Field::Allow, _)) => rules[group].push((line.number, true)),
            Some((Field::Disallow, _)) => rules[group].push((line.number, false)),
            _ => {}
        }
    }
    rules
}

fn kind(allow: bool) -> &'static str {
    if allow { "allow" } else { "disallow" }
}

/// Whom a line names: a token, `*`, or nobody.
fn token_of(named: Named<'_>) -> Option<String> {
    match named {
        Named::Everybody => Some("*".to_owned()),
        Named::Token(token) => Some(String::from_utf8_lossy(token).into_owned()),
        Named::Nobody => None,
    }
}

fn named_text(named: Named<'_>) -> String {
    match token_of(named) {
        Some(token) if token.is_empty() => "(empty token)".to_owned(),
        Some(token) => escape_line(&token),
        None => "(nobody)".to_owned(),
    }
}

fn as_json(
    document: &Document<'_>,
    explanations: &[Explanation<'_>],
    differences: &[(usize, usize, Vec<Difference>)],
    agents: &[Agent],
    urls: &[String],
) -> Value {
    let dialects: Vec<Value> = explanations
        .iter()
        .map(|explanation| {
            let robots = &explanation.robots;
            let groups: Vec<Value> = (0..robots.groups.len())
                .map(|group| {
                    let named: Vec<Value> = robots
                        .agents_of(group)
                        .iter()
                        .map(|agent| json!({"line": agent.line, "token": token_of(agent.named)}))
                        .collect();
                    let rules: Vec<Value> = explanation.rules[group]
                        .iter()
                        .map(|(line, allow)| {
                            let pattern = pattern_at(document, explanation.dialect, *line);
                            json!({"line": line, "kind": kind(*allow), "pattern": pattern})
                        })
                        .collect();
                    json!({"group": group + 1, "line": robots.groups[group].line, "agents": named, "rules": rules})
                })
                .collect();
            let mut answers = Vec::new();
            for (agent, bound) in agents.iter().zip(&explanation.bound) {
                for (number, url) in urls.iter().enumerate() {
                    let decision = bound.decisions[number];
                    let matched: Vec<Value> = explanation
                        .matched(document, bound, number)
                        .iter()
                        .map(|rule| {
                            json!({
                                "line": rule.line, "kind": kind(rule.allow), "length": rule.length, "wins": rule.wins,
                                "pattern": pattern_at(document, explanation.dialect, rule.line),
                                "compared": rule.compared,
                            })
                        })
                        .collect();
                    answers.push(json!({
                        "agent": agent.token,
                        "url": url,
                        "path": String::from_utf8_lossy(explanation.paths.text(number)),
                        "verdict": decision.verdict.as_str(),
                        "line": (decision.line > 0).then_some(decision.line),
                        "basis": bound.basis.as_str(),
                        "token": bound.tokens.first(),
                        "groups": bound.groups.iter().map(|group| group + 1).collect::<Vec<_>>(),
                        "matched": matched,
                    }));
                }
            }
            let bound: Vec<Value> = agents
                .iter()
                .zip(&explanation.bound)
                .map(|(agent, bound)| {
                    json!({
                        "agent": agent.token,
                        "access": bound.access.as_str(),
                        "witness_allowed": bound.witness_allowed,
                        "witness_denied": bound.witness_denied,
                    })
                })
                .collect();
            json!({
                "dialect": explanation.dialect.name,
                "lines_beyond_limit": explanation.beyond_limit(document),
                "groups": groups,
                "agents": bound,
                "answers": answers,
            })
        })
        .collect();
    let differences: Vec<Value> = differences
        .iter()
        .flat_map(|(agent, url, differences)| differences.iter().map(|found| (*agent, *url, found)))
        .map(|(agent, url, found)| difference_as_json(&agents[agent], &urls[url], found))
        .collect();
    json!({
        "body_bytes": document.body().len(),
        "lines": document.line_count(),
        "dialects": dialects,
        "differences": differences,
    })
}

fn difference_as_json(agent: &Agent, url: &str, found: &Difference) -> Value {
    let reasons: Vec<Value> = found
        .reasons
        .iter()
        .map(|Reason { switch, here, there }| {
            json!({
                "switch": switch,
                "here": {"about": here.about, "source": here.source},
                "there": {"about": there.about, "source": there.source},
            })
        })
        .collect();
    json!({
        "agent": agent.token,
        "url": url,
        "here": {"dialects": found.here, "verdict": found.verdict_here.as_str()},
        "there": {"dialects": found.there, "verdict": found.verdict_there.as_str()},
        "line": found.line,
        "reasons": reasons,
        "together": found.together,
    })
}

/// Colours, where they are wanted; everything is legible without.
#[derive(Clone, Copy)]
struct Paint {
    colored: bool,
}

impl Paint {
    fn with(self, style: Style, text: &str) -> String {
        if self.colored { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    fn verdict(self, verdict: Verdict, text: &str) -> String {
        let color = match verdict {
            Verdict::Allow => AnsiColor::Green,
            Verdict::Disallow => AnsiColor::Red,
            Verdict::Undefined => AnsiColor::Yellow,
        };
        self.with(Style::new().bold().fg_color(Some(color.into())), text)
    }
}

/// The explanation as people read it.
struct Page<'a> {
    document: &'a Document<'a>,
    explanations: &'a [Explanation<'a>],
    differences: &'a [(usize, usize, Vec<Difference>)],
    agents: &'a [Agent],
    urls: &'a [String],
    paint: Paint,
}

impl Page<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_groups(out)?;
        if self.explanations.len() > 1 {
            self.write_side_by_side(out)?;
        }
        self.write_differences(out)?;
        for (number, agent) in self.agents.iter().enumerate() {
            for url in 0..self.urls.len() {
                self.write_answer(number, agent, url, out)?;
            }
        }
        Ok(())
    }

    /// The groups of each dialect; dialects that see the same ones are told together.
    fn write_groups(&self, out: &mut dyn Write) -> io::Result<()> {
        let bytes = counted(self.document.body().len() as u64, "byte");
        writeln!(out, "{bytes}, {}", counted(u64::from(self.document.line_count()), "line"))?;
        let mut told: Vec<(Vec<&str>, String)> = Vec::new();
        for explanation in self.explanations {
            let text = self.groups_text(explanation);
            match told.iter_mut().find(|(_, known)| *known == text) {
                Some((names, _)) => names.push(explanation.dialect.name),
                None => told.push((vec![explanation.dialect.name], text)),
            }
        }
        for (names, text) in told {
            writeln!(out, "\n{}", self.paint.bold(&format!("groups ({})", names.join(", "))))?;
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn groups_text(&self, explanation: &Explanation<'_>) -> String {
        // A person reads some groups, and first of all those that bind somebody.
        const MOST: usize = 20;
        let robots = &explanation.robots;
        let mut text = String::new();
        if let (beyond @ 1.., Some(limit)) = (explanation.beyond_limit(self.document), explanation.dialect.body_limit) {
            let beyond = counted(beyond as u64, "line");
            text.push_str(&format!("  {beyond} beyond {limit} bytes not read, as the dialect demands\n"));
        }
        if robots.groups.is_empty() {
            return text + "  none: everything is allowed\n";
        }
        let (mut shown, mut left_out) = ([0, 0], 0u64);
        for group in 0..robots.groups.len() {
            let binds: Vec<&str> = self
                .agents
                .iter()
                .zip(&explanation.bound)
                .filter(|(_, bound)| bound.groups.binary_search(&(group as u32)).is_ok())
                .map(|(agent, _)| agent.token.as_str())
                .collect();
            let shown = &mut shown[usize::from(binds.is_empty())];
            if *shown == MOST {
                left_out += 1;
                continue;
            }
            *shown += 1;
            let named: Vec<String> =
                robots.agents_of(group).iter().take(8).map(|agent| named_text(agent.named)).collect();
            let more = robots.agents_of(group).len().saturating_sub(named.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let rules = &explanation.rules[group];
            let allows = rules.iter().filter(|(_, allow)| *allow).count();
            let line = format!(
                "  group {} from line {}: {}{more}; {allows} allow, {} disallow",
                group + 1,
                robots.groups[group].line,
                named.join(", "),
                rules.len() - allows,
            );
            text.push_str(&if binds.is_empty() {
                self.paint.dim(&line)
            } else {
                format!("{line} {}", self.paint.bold(&format!("<- {}", escape_line(&binds.join(", ")))))
            });
            text.push('\n');
        }
        if left_out > 0 {
            text.push_str(&format!("  ... and {}\n", counted(left_out, "more group")));
        }
        text
    }

    /// One row a question, one column a dialect.
    fn write_side_by_side(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut rows = vec![(String::new(), Vec::new())];
        for explanation in self.explanations {
            rows[0].1.push((None, explanation.dialect.name.to_owned()));
        }
        for (number, agent) in self.agents.iter().enumerate() {
            for (url, shown) in self.urls.iter().enumerate() {
                let cells = self.explanations.iter().map(|explanation| {
                    let decision = explanation.bound[number].decisions[url];
                    let line = if decision.line > 0 { format!(" line {}", decision.line) } else { String::new() };
                    (Some(decision.verdict), format!("{}{line}", decision.verdict.as_str()))
                });
                let name = format!("{} {}", escape_line(&agent.token), escape_line(shown));
                rows.push((name, cells.collect()));
            }
        }
        let first = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.explanations.len())
            .map(|column| rows.iter().map(|(_, cells)| cells[column].1.len()).max().unwrap_or(0))
            .collect();
        writeln!(out)?;
        for (name, cells) in &rows {
            write!(out, "{name:first$}")?;
            for ((verdict, text), width) in cells.iter().zip(&widths) {
                let padded = format!("{text:width$}");
                let shown = match verdict {
                    Some(verdict) => self.paint.verdict(*verdict, &padded),
                    None => self.paint.bold(&padded),
                };
                write!(out, "  {shown}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Why dialects differ.
    fn write_differences(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = Vec::new();
        for (agent, url, differences) in self.differences {
            let question = format!("{} {}", escape_line(&self.agents[*agent].token), escape_line(&self.urls[*url]));
            lines.push(format!("\n{}", self.paint.bold(&format!("why they differ about {question}"))));
            for found in differences {
                let here = who_decides(
                    &found.here,
                    self.paint.verdict(found.verdict_here, verb(found.verdict_here, &found.here)),
                );
                let there = who_decides(
                    &found.there,
                    self.paint.verdict(found.verdict_there, verb(found.verdict_there, &found.there)),
                );
                let because = found
                    .line
                    .map_or(String::new(), |line| format!(", because of line {line}: {}", self.line_text(line)));
                lines.push(format!("  {here}, {there}{because}"));
                match found.reasons.len() {
                    0 | 1 => {}
                    _ if found.together => lines.push("    it takes all of these:".to_owned()),
                    _ => lines.push("    each of these makes a difference:".to_owned()),
                }
                for Reason { switch, here, there } in &found.reasons {
                    lines.push(format!("    {switch}"));
                    lines.push(format!("      {}: {}", found.here.join(", "), here.about));
                    lines.push(format!("      {}: {}", found.there.join(", "), there.about));
                }
            }
        }
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// The text of a line, as much of it as people read.
    fn line_text(&self, number: u32) -> String {
        const MOST: usize = 80;
        let lines = self.document.lines();
        let Ok(at) = lines.binary_search_by_key(&number, |line| line.number) else { return "(blank)".to_owned() };
        let text = String::from_utf8_lossy(self.document.text(&lines[at])).trim().to_owned();
        let shown: String = text.chars().take(MOST).collect();
        escape_line(&shown) + if shown.len() < text.len() { "..." } else { "" }
    }

    /// One question; dialects that see it alike in every respect are told together.
    fn write_answer(&self, number: usize, agent: &Agent, url: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut told: Vec<(Vec<&str>, Verdict, String)> = Vec::new();
        for explanation in self.explanations {
            let verdict = explanation.bound[number].decisions[url].verdict;
            let text = self.reasons(explanation, number, agent, url);
            match told.iter_mut().find(|(_, known, reasons)| *known == verdict && *reasons == text) {
                Some((names, ..)) => names.push(explanation.dialect.name),
                None => told.push((vec![explanation.dialect.name], verdict, text)),
            }
        }
        for (names, verdict, text) in told {
            writeln!(
                out,
                "\n{} {}: {} {}",
                self.paint.bold(&escape_line(&agent.token)),
                escape_line(&self.urls[url]),
                self.paint.verdict(verdict, verdict.as_str()),
                self.paint.dim(&format!("({})", names.join(", "))),
            )?;
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// Why a dialect decides as it does, a line each.
    fn reasons(&self, explanation: &Explanation<'_>, number: usize, agent: &Agent, url: usize) -> String {
        let bound = &explanation.bound[number];
        let mut lines = vec![bound_by(bound, agent), access_text(bound)];
        let path = String::from_utf8_lossy(explanation.paths.text(url)).into_owned();
        if explanation.paths.is_always_allowed(url) {
            lines.push(format!("{} itself is always allowed", escape_line(&path)));
        } else {
            if path != self.urls[url] {
                lines.push(format!("compared as {}", escape_line(&path)));
            }
            lines.extend(self.matched_lines(explanation, bound, url));
        }
        lines.iter().map(|line| format!("  {line}\n")).collect()
    }

    /// The rules that match, the one that decides first.
    fn matched_lines(&self, explanation: &Explanation<'_>, bound: &Bound, url: usize) -> Vec<String> {
        const MOST: usize = 12;
        let mut matched = explanation.matched(self.document, bound, url);
        if matched.is_empty() {
            return vec!["no rule matches it".to_owned()];
        }
        matched.sort_by_key(|rule| (!rule.wins, std::cmp::Reverse(rule.length), rule.line));
        let shown = matched.iter().take(MOST).map(|rule| {
            let pattern = escape_line(&pattern_at(self.document, explanation.dialect, rule.line));
            let compared = rule.compared.as_ref().map(|text| format!(", compared as {}", escape_line(text)));
            let compared = compared.unwrap_or_default();
            let length = rule.length.map_or("first".to_owned(), |length| format!("length {length}"));
            let length = if rule.length.is_some() || rule.wins { length } else { "later".to_owned() };
            let text = format!("line {}: {}: {pattern} ({length}{compared})", rule.line, kind(rule.allow));
            if rule.wins && rule.length == Some(0) {
                format!("no rule with a path matches it; reported is {text}, which decides nothing")
            } else if rule.wins {
                let verdict = if rule.allow { Verdict::Allow } else { Verdict::Disallow };
                format!("{} {text}", self.paint.verdict(verdict, "decides"))
            } else {
                format!("matches {}", self.paint.dim(&text))
            }
        });
        let mut lines: Vec<String> = shown.collect();
        if matched.len() > MOST {
            lines.push(format!("... and {} more that match", matched.len() - MOST));
        }
        lines
    }
}

/// Some dialects, and what they do.
fn who_decides(names: &[&str], verb: String) -> String {
    let names = match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    };
    format!("{names} {verb}")
}

fn verb(verdict: Verdict, subjects: &[&str]) -> &'static str {
    match (verdict, subjects.len()) {
        (Verdict::Allow, 1) => "allows it",
        (Verdict::Allow, _) => "allow it",
        (Verdict::Disallow, 1) => "disallows it",
        (Verdict::Disallow, _) => "disallow it",
        (Verdict::Undefined, 1) => "leaves it open",
        (Verdict::Undefined, _) => "leave it open",
    }
}

/// How much of a site is open to an agent, with paths that show it.
fn access_text(bound: &Bound) -> String {
    let witness = |word: &str, path: &Option<String>| {
        path.as_ref().map_or(String::new(), |path| format!("{word} {}", escape_line(path)))
    };
    let shown = match bound.access {
        AccessClass::All => "all".to_owned(),
        AccessClass::None => "none".to_owned(),
        class => format!(
            "{}; {}",
            class.as_str(),
            [witness("allowed", &bound.witness_allowed), witness("denied", &bound.witness_denied)]
                .iter()
                .filter(|text| !text.is_empty())
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    format!("access: {}", shown.trim_end_matches("; "))
}

/// Which groups bind an agent, and why those.
fn bound_by(bound: &Bound, agent: &Agent) -> String {
    let groups: Vec<String> = bound.groups.iter().take(8).map(|group| (group + 1).to_string()).collect();
    let more = if bound.groups.len() > groups.len() { ", ..." } else { "" };
    let list = match groups.as_slice() {
        [group] => format!("group {group}"),
        groups => format!("groups {}{more} together", groups.join(", ")),
    };
    match bound.basis {
        Basis::Named => {
            format!("bound by {list}, for {}", escape_line(bound.tokens.first().map_or("", String::as_str)))
        }
        Basis::Wildcard => format!("bound by {list}, for *: no group names it"),
        Basis::None if !agent.follows_star => "bound by none: no group names it, and it does not follow *".to_owned(),
        Basis::None => "bound by none: no group names it and there is none for *".to_owned(),
    }
}
