//! The views that figures are written against, and the whole query of a figure.
//!
//! DuckDB runs them over the Parquet files as they are. A test runs every figure's query and compares its numbers with ours.

use super::figure::{Base, Figure, Measure, QUANTILES};
use super::strata::{By, MOST_TLDS, NO_TEMPLATE, NO_TEXT, NO_TLD, OTHER_TLD, RANKS, REST, RankFormat, WHOLE};
use super::tally::Unit;
use crate::table::{Place, TABLES};
use rep::Reason;
use std::collections::BTreeSet;
use std::path::Path;

/// Which engine the views are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// DuckDB 1.1 or later
    Duckdb,
    /// Spark SQL 3.4 or later: the tables and the long forms, without what only figures need
    Spark,
}

/// What the views are about.
#[derive(Debug, Clone)]
pub struct ViewOptions<'a> {
    /// The folder with the tables, as the engine is to find it.
    pub root: &'a Path,
    /// The tables that are there.
    pub tables: &'a BTreeSet<String>,
    /// The dialects of the scan, the first one first.
    pub dialects: &'a [String],
    /// The dialect that figures speak for.
    pub dialect: &'a str,
    /// What figures are split by.
    pub by: Option<By>,
    /// The list of ranks and how it is written.
    pub ranks: Option<(&'a Path, RankFormat)>,
    /// The list of weights.
    pub weights: Option<&'a Path>,
}

/// Reasons after which a redirect leads to no text: shown apart wherever statuses are folded in.
pub const UNRESOLVED: [Reason; 8] = [
    Reason::Redirect,
    Reason::HtmlRedirect,
    Reason::RedirectWithoutTarget,
    Reason::RedirectLoop,
    Reason::TooManyRedirects,
    Reason::TargetNotCaptured,
    Reason::TargetOutsideInput,
    Reason::TargetDisallowed,
];

/// Reasons that leave the denominators: what they would have come to was not read, or is counted where it was redirected to.
pub const NOT_COUNTED: [Reason; 2] = [Reason::TargetOutsideInput, Reason::Redirect];

/// A text as SQL has it.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Several texts as a list in SQL.
pub fn quoted_list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| quoted(text.as_ref())).collect();
    texts.join(", ")
}

fn reasons(reasons: &[Reason]) -> String {
    quoted_list(reasons.iter().map(|reason| reason.as_str()))
}

/// All views, each statement with a comment on what it gives.
pub fn views(engine: Engine, options: &ViewOptions<'_>) -> String {
    let mut text = format!(
        "-- robocensus {}: views over the tables of one output.\n-- Made by: robocensus views OUT{}\n",
        env!("CARGO_PKG_VERSION"),
        if engine == Engine::Spark { " --engine spark" } else { "" }
    );
    let mut view = |name: &str, about: &str, query: &str| {
        let kind = if engine == Engine::Spark { "TEMPORARY VIEW" } else { "VIEW" };
        text += &format!("\n-- {about}\nCREATE OR REPLACE {kind} {name} AS\n{}\n;\n", query.trim());
    };
    for table in TABLES {
        if options.tables.contains(table.name) {
            view(table.name, table.about, &table_query(engine, options.root, table.name, table.place));
        }
    }
    // Tables that this version does not declare but finds.
    for name in options.tables.iter().filter(|name| TABLES.iter().all(|table| table.name != name.as_str())) {
        let place = if name == "disagreements" { Place::Parts } else { Place::Single };
        view(name, &format!("The table {name}."), &table_query(engine, options.root, name, place));
    }
    let has_verdicts = options.tables.contains("verdicts");
    if has_verdicts {
        view(
            "verdict_long",
            "A row a distinct body of its shard, dialect, agent and probe: what was decided, by which line.",
            verdict_long(engine),
        );
        view(
            "access_long",
            "A row a distinct body of its shard, dialect and agent: what it may fetch, by which kind of group.",
            access_long(engine),
        );
        if options.tables.contains("origins") {
            view(
                "site_access",
                "A row an origin, dialect and agent: what it may fetch, the outcomes of statuses folded in (basis `status`, or \
                `unresolved` for redirects that led nowhere). Leave out reason `target_outside_input` in denominators.",
                &site_access(options.dialects),
            );
            view(
                "site_verdict",
                "A row an origin, dialect, agent and probe that concerns the origin: what was decided, statuses folded in.",
                &site_verdict(engine),
            );
        }
    }
    if engine == Engine::Duckdb && options.tables.contains("origins") {
        text += ASCII_LOWER;
        for (name, about, query) in figure_views(options, has_verdicts) {
            text += &format!("\n-- {about}\nCREATE OR REPLACE VIEW {name} AS\n{}\n;\n", query.trim());
        }
    }
    text
}

/// Words are compared without the case of their ASCII letters, as the standard compares tokens.
const ASCII_LOWER: &str = "\n-- A text with its ASCII letters in lower case, and no others changed.\n\
    CREATE OR REPLACE MACRO ascii_lower(t) AS\ntranslate(t, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')\n;\n";

fn table_query(engine: Engine, root: &Path, name: &str, place: Place) -> String {
    let file = match place {
        Place::Single => format!("{name}.parquet"),
        _ => format!("{name}/part-*.parquet"),
    };
    let path = format!("{}/{file}", root.display());
    match engine {
        Engine::Duckdb => format!("SELECT * FROM read_parquet({})", quoted(&path)),
        Engine::Spark => format!("SELECT * FROM parquet.`{}`", path.replace('`', "``")),
    }
}

fn verdict_long(engine: Engine) -> &'static str {
    match engine {
        Engine::Duckdb => {
            "
SELECT v.body_key, b.body_id, v.dialect, g.agent_id, g.token AS agent, p.probe_id, p.probe,
       CASE WHEN list_contains(v.disallowed, p.probe_id) THEN 'disallow'
            WHEN list_contains(v.undefined, p.probe_id) THEN 'undefined'
            ELSE 'allow' END AS verdict,
       v.lines[p.probe_id + 1] AS line, v.basis
FROM verdicts v
JOIN bodies b ON b.body_key = v.body_key
CROSS JOIN unnest(v.agents) AS u(agent_id)
JOIN agents g ON g.agent_id = u.agent_id
CROSS JOIN probes p"
        }
        Engine::Spark => {
            "
SELECT v.body_key, b.body_id, v.dialect, g.agent_id, g.token AS agent, p.probe_id, p.probe,
       CASE WHEN array_contains(v.disallowed, p.probe_id) THEN 'disallow'
            WHEN array_contains(v.undefined, p.probe_id) THEN 'undefined'
            ELSE 'allow' END AS verdict,
       v.lines[p.probe_id] AS line, v.basis
FROM (SELECT *, explode(agents) AS agent_id FROM verdicts) v
JOIN bodies b ON b.body_key = v.body_key
JOIN agents g ON g.agent_id = v.agent_id
CROSS JOIN probes p"
        }
    }
}

fn access_long(engine: Engine) -> &'static str {
    match engine {
        Engine::Duckdb => {
            "
SELECT v.body_key, b.body_id, v.dialect, g.agent_id, g.token AS agent,
       coalesce(v.access, 'undecided') AS access, v.basis
FROM verdicts v
JOIN bodies b ON b.body_key = v.body_key
CROSS JOIN unnest(v.agents) AS u(agent_id)
JOIN agents g ON g.agent_id = u.agent_id"
        }
        Engine::Spark => {
            "
SELECT v.body_key, b.body_id, v.dialect, g.agent_id, g.token AS agent,
       coalesce(v.access, 'undecided') AS access, v.basis
FROM (SELECT *, explode(agents) AS agent_id FROM verdicts) v
JOIN bodies b ON b.body_key = v.body_key
JOIN agents g ON g.agent_id = v.agent_id"
        }
    }
}

fn site_access(dialects: &[String]) -> String {
    format!(
        "
SELECT o.origin, o.site, g.agent_id, g.token AS agent, s.dialect,
       CASE s.outcome WHEN 'full_allow' THEN 'all'
                      WHEN 'full_disallow' THEN 'none'
                      WHEN 'conditional' THEN coalesce(v.access, 'all')
                      ELSE 'undefined' END AS access,
       CASE WHEN s.outcome = 'conditional' THEN coalesce(v.basis, 'none')
            WHEN o.reason IN ({unresolved}) THEN 'unresolved'
            ELSE 'status' END AS basis,
       s.outcome, o.reason
FROM origins o
JOIN outcomes s ON s.reason = o.reason AND s.dialect IN ({dialects})
CROSS JOIN agents g
LEFT JOIN access_long v
       ON s.outcome = 'conditional' AND v.body_key = o.body_key AND v.dialect = s.dialect AND v.agent_id = g.agent_id",
        unresolved = reasons(&UNRESOLVED),
        dialects = quoted_list(dialects),
    )
}

fn site_verdict(engine: Engine) -> String {
    let line = match engine {
        Engine::Duckdb => "v.lines[p.probe_id + 1]",
        Engine::Spark => "v.lines[p.probe_id]",
    };
    let (holds, rows) = match engine {
        Engine::Duckdb => {
            ("list_contains", "(SELECT w.*, u.agent_id FROM verdicts w CROSS JOIN unnest(w.agents) AS u(agent_id))")
        }
        Engine::Spark => ("array_contains", "(SELECT *, explode(agents) AS agent_id FROM verdicts)"),
    };
    format!(
        "
SELECT s.origin, s.site, s.agent_id, s.agent, s.dialect, p.probe_id, p.probe,
       CASE WHEN s.outcome = 'full_allow' THEN 'allow'
            WHEN s.outcome = 'full_disallow' THEN 'disallow'
            WHEN s.outcome = 'undefined' THEN 'undefined'
            WHEN {holds}(v.disallowed, p.probe_id) THEN 'disallow'
            WHEN {holds}(v.undefined, p.probe_id) THEN 'undefined'
            ELSE 'allow' END AS verdict,
       {line} AS line, s.basis, s.outcome, s.reason
FROM site_access s
JOIN origins o ON o.origin = s.origin
JOIN probes p ON p.origin IS NULL OR p.origin = s.origin
LEFT JOIN {rows} v
       ON s.outcome = 'conditional' AND v.body_key = o.body_key AND v.dialect = s.dialect AND v.agent_id = s.agent_id"
    )
}

/// Views for figures: name, what a row is, query.
fn figure_views(options: &ViewOptions<'_>, has_verdicts: bool) -> Vec<(&'static str, &'static str, String)> {
    let mut views = Vec::new();
    if let Some((path, format)) = options.ranks {
        let path = quoted(&path.display().to_string());
        let query = match format {
            RankFormat::Tranco => format!(
                "SELECT try_cast(rank AS BIGINT) AS rank, ascii_lower(trim(host)) AS host\n\
                FROM read_csv({path}, header = false, delim = ',', columns = {{'rank': 'VARCHAR', 'host': 'VARCHAR'}})\n\
                WHERE try_cast(rank AS BIGINT) IS NOT NULL"
            ),
            RankFormat::CommonCrawl => format!(
                "SELECT try_cast(column0 AS BIGINT) AS rank,\n       ascii_lower(array_to_string(list_reverse(string_split(trim(column4), '.')), '.')) AS host\n\
                FROM read_csv({path}, header = false, delim = '\\t', quote = '', all_varchar = true)\n\
                WHERE try_cast(column0 AS BIGINT) IS NOT NULL"
            ),
        };
        views.push(("ranks", "A row a line of the list of ranks.", query));
        views.push((
            "best_ranks",
            "A row a host or registered domain of the list of ranks, with its best rank.",
            "SELECT host, min(rank) AS rank FROM ranks GROUP BY host".to_owned(),
        ));
    }
    if let Some(path) = options.weights {
        let path = quoted(&path.display().to_string());
        views.push((
            "weights",
            "A row a host with its weight.",
            format!(
                "SELECT ascii_lower(trim(host)) AS host, sum(try_cast(weight AS BIGINT))::BIGINT AS weight\n\
                FROM read_csv({path}, header = false, columns = {{'host': 'VARCHAR', 'weight': 'VARCHAR'}})\n\
                WHERE try_cast(weight AS BIGINT) IS NOT NULL GROUP BY ALL"
            ),
        ));
    }
    views.push((
        "resolved",
        "A row an origin; stands_for_site: the one that stands for its registered domain. Those with an answer in the input come \
        first, then those with a text, https, the shorter name, the alphabet.",
        "SELECT *, row_number() OVER (\n           PARTITION BY site\n           \
        ORDER BY reason = 'target_outside_input', reason <> 'success', origin NOT LIKE 'https:%', strlen(origin), origin\n       \
        ) = 1 AS stands_for_site\nFROM origins"
            .to_owned(),
    ));
    views.push((
        "units",
        "A row a unit (origin, registered domain, capture, or an origin with its weight) and the answer that stands for it.",
        units(options),
    ));
    if options.by == Some(By::Tld) {
        views.push((
            "top_tlds",
            "The top-level domains that are strata of their own.",
            format!(
                "SELECT tld FROM units WHERE unit = 'origin' AND tld IS NOT NULL\nGROUP BY tld ORDER BY sum(n) DESC, tld LIMIT {MOST_TLDS}"
            ),
        ));
    }
    views.push((
        "answers",
        "The same with stratum, the dialect's outcome, and the policy that follows: the key of a body, or a negative number for what a \
        status means. Rows that are not counted are those whose target lies outside the input, and captures that redirect.",
        answers(options),
    ));
    views.push((
        "texts",
        "Answers of 2xx with the facts about their text.",
        "SELECT a.*, b.* EXCLUDE (body_key)\nFROM answers a JOIN bodies b ON b.body_key = a.body_key\nWHERE a.reason = 'success'".to_owned(),
    ));
    if has_verdicts {
        views.push((
            "policy_access",
            "A row a policy and agent: what the policy lets it fetch, and why.",
            format!(
                "SELECT v.body_key AS policy, v.agent_id, v.agent, coalesce(g.purpose, '(none given)') AS purpose, v.access, v.basis\n\
                FROM access_long v JOIN agents g ON g.agent_id = v.agent_id\nWHERE v.dialect = {}\nUNION ALL\n\
                SELECT s.policy, g.agent_id, g.token, coalesce(g.purpose, '(none given)'), s.access, s.basis\n\
                FROM agents g CROSS JOIN (VALUES (-1, 'all', 'status'), (-2, 'none', 'status'), (-3, 'undefined', 'status'),\n    \
                (-4, 'all', 'unresolved'), (-5, 'none', 'unresolved'), (-6, 'undefined', 'unresolved'), (-7, 'all', 'none')\n\
                ) s(policy, access, basis)",
                quoted(options.dialect)
            ),
        ));
        let strata = match options.by {
            Some(By::Purpose) => {
                "SELECT agent_id, 'all' AS stratum FROM agents\nUNION ALL\nSELECT agent_id, coalesce(purpose, '(none given)') FROM agents"
            }
            _ => "SELECT agent_id, 'all' AS stratum FROM agents",
        };
        views.push(("agent_strata", "The strata that an agent is in.", strata.to_owned()));
        views.push((
            "policy_answers",
            "How many answers that are counted have which policy.",
            "SELECT stratum, unit, policy, sum(n)::BIGINT AS n FROM answers WHERE counted GROUP BY ALL".to_owned(),
        ));
    }
    views.push(("totals", "The denominators.", totals(options, has_verdicts)));
    views
}

fn units(options: &ViewOptions<'_>) -> String {
    let columns = "origin, site, url_host_name AS host, url_host_tld AS tld, reason, final_status AS status, hops, other_host, \
        other_site, body_key";
    let mut query = format!(
        "SELECT 'origin' AS unit, {columns}, 1::BIGINT AS n FROM resolved\nUNION ALL\n\
        SELECT 'domain', {columns}, 1 FROM resolved WHERE stands_for_site\nUNION ALL\n\
        SELECT 'capture', NULL, url_host_registered_domain, url_host_name, url_host_tld, reason, fetch_status, 0, false, false, body_key, 1\n\
        FROM captures WHERE is_robots_url"
    );
    if options.weights.is_some() {
        query += &format!(
            "\nUNION ALL\nSELECT 'weight', {}, w.weight FROM resolved r JOIN weights w ON w.host = r.url_host_name",
            columns.split(", ").map(|column| format!("r.{column}")).collect::<Vec<_>>().join(", ")
        );
    }
    query
}

fn answers(options: &ViewOptions<'_>) -> String {
    let (stratum, join) = match options.by {
        None | Some(By::Purpose) => (None, String::new()),
        Some(By::Tld) => (
            Some(format!(
                "CASE WHEN u.tld IS NULL THEN {} WHEN u.tld IN (SELECT tld FROM top_tlds) THEN u.tld ELSE {} END",
                quoted(NO_TLD),
                quoted(OTHER_TLD)
            )),
            String::new(),
        ),
        Some(By::Rank) => {
            let cases: Vec<String> = RANKS
                .iter()
                .map(|(name, last)| format!("WHEN least(h.rank, d.rank) <= {last} THEN {}", quoted(name)))
                .collect();
            (
                Some(format!("CASE {} ELSE {} END", cases.join(" "), quoted(REST))),
                "\nLEFT JOIN best_ranks h ON h.host = u.host\nLEFT JOIN best_ranks d ON d.host = u.site".to_owned(),
            )
        }
        Some(By::Template) => (
            Some(format!(
                "CASE WHEN b.body_key IS NULL THEN {} ELSE coalesce(b.template, {}) END",
                quoted(NO_TEXT),
                quoted(NO_TEMPLATE)
            )),
            "\nLEFT JOIN bodies b ON b.body_key = u.body_key".to_owned(),
        ),
    };
    let from = format!(
        "u.*, s.outcome, u.reason NOT IN ({not_counted}) AS counted,\n       \
        CASE WHEN s.outcome = 'conditional' THEN coalesce(u.body_key, -7)\n            \
        WHEN u.reason IN ({unresolved}) THEN CASE s.outcome WHEN 'full_allow' THEN -4 WHEN 'full_disallow' THEN -5 ELSE -6 END\n            \
        ELSE CASE s.outcome WHEN 'full_allow' THEN -1 WHEN 'full_disallow' THEN -2 ELSE -3 END END AS policy\n\
        FROM units u JOIN outcomes s ON s.reason = u.reason AND s.dialect = {dialect}",
        not_counted = reasons(&NOT_COUNTED),
        unresolved = reasons(&UNRESOLVED),
        dialect = quoted(options.dialect),
    );
    let mut query = format!("SELECT {} AS stratum, {from}", quoted(WHOLE));
    if let Some(stratum) = stratum {
        query += &format!("\nUNION ALL\nSELECT {stratum}, {from}{join}");
    }
    query
}

fn totals(options: &ViewOptions<'_>, has_verdicts: bool) -> String {
    let mut query =
        "SELECT 'counted' AS base, stratum, unit, sum(n)::BIGINT AS total FROM answers WHERE counted GROUP BY ALL\n\
        UNION ALL\nSELECT 'text', stratum, unit, sum(n)::BIGINT FROM answers WHERE reason = 'success' GROUP BY ALL\n\
        UNION ALL\nSELECT 'robots', stratum, unit, sum(n)::BIGINT FROM texts WHERE body_kind = 'robots' GROUP BY ALL"
            .to_owned();
    if has_verdicts {
        query += &format!(
            "\nUNION ALL\nSELECT 'general_block', stratum, unit, sum(n)::BIGINT FROM policy_answers\n\
            WHERE policy IN (SELECT body_key FROM verdicts WHERE dialect = {} AND basis = 'wildcard' AND access = 'none') GROUP BY ALL",
            quoted(options.dialect)
        );
    }
    if options.by == Some(By::Purpose) {
        query = format!(
            "WITH whole AS (\n{query}\n)\nSELECT * FROM whole\nUNION ALL\nSELECT w.base, p.purpose, w.unit, w.total\n\
            FROM whole w CROSS JOIN (SELECT DISTINCT coalesce(purpose, '(none given)') AS purpose FROM agents) p"
        );
    }
    query
}

/// The query of a figure: rows with `stratum`, `unit`, the figure's dimensions, and its numbers.
pub fn query(figure: &Figure, dialect: &str, dialects: &[String]) -> String {
    let core =
        (figure.sql)().trim().replace("{dialect}", &quoted(dialect)).replace("{dialects}", &quoted_list(dialects));
    let units = quoted_list(figure.units.iter().map(|unit| unit.as_str()));
    match figure.measure {
        Measure::Quantiles => {
            let quantiles: Vec<String> = QUANTILES
                .iter()
                .map(|(name, percent)| format!("quantile_disc(value, 0.{percent:02}) AS {name}"))
                .collect();
            let dimensions = names(figure).join(", ");
            format!(
                "WITH f AS (\n{core}\n)\nSELECT stratum, unit, {dimensions}, count(*) AS count, sum(value)::BIGINT AS sum,\n       \
                {},\n       max(value) AS max\nFROM f WHERE unit IN ({units}) GROUP BY ALL",
                quantiles.join(", ")
            )
        }
        Measure::Share => {
            let top = match figure.top {
                None => String::new(),
                Some(top) => {
                    let columns = names(figure)[..top.dimensions.min(figure.dimensions.len())].join(", ");
                    format!(
                        "\n  AND ({columns}) IN (\n    SELECT ({columns}) FROM f WHERE stratum = {} AND unit = {}\n    GROUP BY {columns} \
                        ORDER BY sum(count) DESC, {columns} LIMIT {}\n  )",
                        quoted(WHOLE),
                        quoted(Unit::Origin.as_str()),
                        top.most
                    )
                }
            };
            match figure.base {
                Base::Within(dimensions) => {
                    let mut within = vec!["stratum", "unit"];
                    within.extend(figure.dimensions.iter().take(dimensions).map(|dimension| dimension.name));
                    format!(
                        "WITH f AS (\n{core}\n), g AS (\n  SELECT f.*, sum(count) OVER (PARTITION BY {})::BIGINT AS total FROM f\n)\n\
                        SELECT * FROM g\nWHERE count > 0 AND unit IN ({units}){top}",
                        within.join(", ")
                    )
                }
                base => format!(
                    "WITH f AS (\n{core}\n)\nSELECT f.*, t.total\nFROM f JOIN totals t ON t.stratum = f.stratum AND t.unit = f.unit\n\
                    WHERE t.base = {} AND f.count > 0 AND f.unit IN ({units}){top}",
                    quoted(base.name())
                ),
            }
        }
    }
}

fn names(figure: &Figure) -> Vec<&'static str> {
    figure.dimensions.iter().map(|dimension| dimension.name).collect()
}
