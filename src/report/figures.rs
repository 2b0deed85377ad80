//! Every figure, once. Tables, page, queries and tests are derived from this list.

use super::facts::{ACCESS, AI, BASES, Context, NamedAgent, PolicyFacts, TextFacts, beginning};
use super::facts::{NAMED, NONE, UNDECIDED, UNDEFINED, UNRESOLVED_BASIS, WILDCARD};
use super::figure::{Base, Chart, Compute, Dimension, Figure, Measure, Top};
use super::sql::{NOT_COUNTED, UNRESOLVED, quoted, quoted_list};
use super::tally::Unit;
use crate::evaluate::agents::Purpose;
use rep::{Outcome, Reason};

const ALL: &[Unit] = &Unit::ALL;
const WITHOUT_CAPTURES: &[Unit] = &[Unit::Origin, Unit::Domain, Unit::Weight];
const WITHOUT_WEIGHT: &[Unit] = &[Unit::Origin, Unit::Domain, Unit::Capture];

const HTTP: &str = "What the servers answered";
const TEXTS: &str = "What the texts are";
const AGENTS: &str = "Who is named, and who may fetch what";
const MORE: &str = "What else the texts say";
const MAKERS: &str = "Who made the texts";

/// Every figure, in the order of the page.
pub static FIGURES: &[Figure] = &[
    Figure {
        id: "counted",
        section: HTTP,
        title: "What the denominators hold",
        definition: "Every origin, registered domain and capture of a /robots.txt, by whether it is in denominators. A redirect whose target lies \
            in a part of the input that was not read leaves them; so do captures that redirect, because their target is counted. Redirects \
            that lead nowhere stay in them and are shown apart, as `unresolved`, in every figure about access.",
        base: Base::Within(0),
        units: ALL,
        dimensions: &[Dimension::ordered("part", "Part", || PARTS.to_vec())],
        top: None,
        measure: Measure::Share,
        compute: Compute::Answers(|answer, _, emit| {
            let unresolved = UNRESOLVED.contains(&answer.reason);
            emit.words(&[match answer.reason {
                Reason::TargetOutsideInput => PARTS[2],
                Reason::Redirect => PARTS[3],
                _ => PARTS[usize::from(unresolved)],
            }]);
        }),
        sql: || {
            format!(
                "SELECT stratum, unit,\n       CASE reason WHEN 'target_outside_input' THEN {} WHEN 'redirect' THEN {}\n            \
                ELSE CASE WHEN reason IN ({}) THEN {} ELSE {} END END AS part,\n       sum(n)::BIGINT AS count\nFROM answers GROUP BY ALL",
                quoted(PARTS[2]),
                quoted(PARTS[3]),
                quoted_list(UNRESOLVED.iter().map(|reason| reason.as_str())),
                quoted(PARTS[1]),
                quoted(PARTS[0]),
            )
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "coverage",
        section: HTTP,
        title: "Outcomes and reasons",
        definition: "What the answer for /robots.txt means for crawlers (outcome, in the dialect of the report), and why (reason), at the end of \
            its redirects.",
        base: Base::Counted,
        units: ALL,
        dimensions: &[Dimension::new("outcome", "Outcome"), Dimension::ordered("reason", "Reason", reasons)],
        top: None,
        measure: Measure::Share,
        compute: Compute::Answers(|answer, context, emit| {
            if answer.is_counted {
                let outcome = context.outcomes.get(answer.reason as usize).copied().unwrap_or(Outcome::Undefined);
                emit.words(&[outcome.as_str(), answer.reason.as_str()]);
            }
        }),
        sql: || {
            "SELECT stratum, unit, outcome, reason, sum(n)::BIGINT AS count FROM answers WHERE counted GROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "statuses",
        section: HTTP,
        title: "HTTP statuses",
        definition: "The last HTTP status: of origins and registered domains at the end of their redirects, of captures the one that was \
            captured; `(none)` where there was none that can be read.",
        base: Base::Counted,
        units: ALL,
        dimensions: &[Dimension::new("status", "Status")],
        top: None,
        measure: Measure::Share,
        compute: Compute::Answers(|answer, _, emit| {
            if answer.is_counted {
                emit.words(&[answer.status.map_or("(none)".to_owned(), |status| status.to_string())]);
            }
        }),
        sql: || {
            "SELECT stratum, unit, coalesce(status::VARCHAR, '(none)') AS status, sum(n)::BIGINT AS count\n\
            FROM answers WHERE counted GROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "redirect_hops",
        section: HTTP,
        title: "Yield of redirects by hop",
        definition: "Redirects that were followed, and what the answer at their end was. Shares are of all with as many hops.",
        base: Base::Within(1),
        units: WITHOUT_CAPTURES,
        dimensions: &[Dimension::new("hops", "Hops"), Dimension::ordered("reason", "Reason", reasons)],
        top: None,
        measure: Measure::Share,
        compute: Compute::Answers(|answer, _, emit| {
            if answer.is_counted {
                emit.words(&[&answer.hops.to_string(), answer.reason.as_str()]);
            }
        }),
        sql: || {
            "SELECT stratum, unit, hops::VARCHAR AS hops, reason, sum(n)::BIGINT AS count\nFROM answers WHERE counted GROUP BY ALL".to_owned()
        },
        chart: Chart::Stacked(1),
    },
    Figure {
        id: "redirect_targets",
        section: HTTP,
        title: "Where redirects lead",
        definition: "Of those that were redirected at least once: whether the last target is on the same host, on another one of the same \
            registered domain, or elsewhere.",
        base: Base::Within(0),
        units: WITHOUT_CAPTURES,
        dimensions: &[Dimension::ordered("leads_to", "Leads to", || LEADS_TO.to_vec())],
        top: None,
        measure: Measure::Share,
        compute: Compute::Answers(|answer, _, emit| {
            if answer.is_counted && answer.hops > 0 {
                emit.words(&[LEADS_TO[if answer.other_site { 2 } else { usize::from(answer.other_host) }]]);
            }
        }),
        sql: || {
            format!(
                "SELECT stratum, unit, CASE WHEN other_site THEN {} WHEN other_host THEN {} ELSE {} END AS leads_to,\n       \
                sum(n)::BIGINT AS count\nFROM answers WHERE counted AND hops > 0 GROUP BY ALL",
                quoted(LEADS_TO[2]),
                quoted(LEADS_TO[1]),
                quoted(LEADS_TO[0])
            )
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "siblings",
        section: HTTP,
        title: "Siblings: http and https, www and apex",
        definition: "Pairs of origins of one registered domain (no other port) that are both counted: whether both have a text, and the same \
            one, byte for byte. Shares are of all such pairs.",
        base: Base::Within(1),
        units: &[Unit::Domain],
        dimensions: &[
            Dimension::ordered("pair", "Pair", || SIBLINGS.iter().map(|pair| pair.0).collect()),
            Dimension::ordered("agreement", "Agreement", || AGREEMENTS.to_vec()),
        ],
        top: None,
        measure: Measure::Share,
        compute: Compute::Siblings,
        sql: siblings_sql,
        chart: Chart::Stacked(1),
    },
    Figure {
        id: "tlds",
        section: HTTP,
        title: "Top-level domains",
        definition: "Reasons by the last label of the host, for the fifty with most origins; addresses are left out. Shares are of all under the same \
            top-level domain.",
        base: Base::Within(1),
        units: WITHOUT_CAPTURES,
        dimensions: &[Dimension::new("tld", "Top-level domain"), Dimension::ordered("reason", "Reason", reasons)],
        top: Some(Top { most: 50, dimensions: 1 }),
        measure: Measure::Share,
        compute: Compute::Answers(|answer, _, emit| {
            if let Some(tld) = answer.tld.filter(|_| answer.is_counted) {
                emit.words(&[tld, answer.reason.as_str()]);
            }
        }),
        sql: || {
            "SELECT stratum, unit, tld, reason, sum(n)::BIGINT AS count\nFROM answers WHERE counted AND tld IS NOT NULL GROUP BY ALL".to_owned()
        },
        chart: Chart::None,
    },
    Figure {
        id: "body_kinds",
        section: TEXTS,
        title: "Kinds of bodies",
        definition: "What the body of a 2xx answer is, whatever its content type claims.",
        base: Base::Text,
        units: ALL,
        dimensions: &[Dimension::new("body_kind", "Kind")],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| emit.words(&[text.kind()])),
        sql: || "SELECT stratum, unit, body_kind, sum(n)::BIGINT AS count FROM texts GROUP BY ALL".to_owned(),
        chart: Chart::Bars,
    },
    Figure {
        id: "sizes",
        section: TEXTS,
        title: "Sizes",
        definition: "Bytes of the decoded body, in the steps of the Web Almanac (KiB); RFC 9309 lets crawlers stop after 500 KiB.",
        base: Base::Text,
        units: ALL,
        dimensions: &[Dimension::ordered("size", "Size", || words(&SIZES))],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| emit.words(&[step(&SIZES, text.bytes())])),
        sql: || steps_sql("size", "body_bytes", &SIZES, "texts"),
        chart: Chart::Bars,
    },
    Figure {
        id: "file_statistics",
        section: TEXTS,
        title: "Quantiles of files",
        definition: "How large files are: bytes, lines, groups, agents named (`*` included) and rules, as quantiles (the least value that so \
            many percent do not exceed). Texts that are a robots.txt.",
        base: Base::Robots,
        units: WITHOUT_WEIGHT,
        dimensions: &[Dimension::ordered("measure", "Measure", || MEASURES.iter().map(|measure| measure.0).collect())],
        top: None,
        measure: Measure::Quantiles,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                MEASURES.iter().for_each(|(name, _, of)| emit.number(name, of(text)));
            }
        }),
        sql: || {
            let measures: Vec<String> = MEASURES
                .iter()
                .map(|(name, column, _)| {
                    format!(
                        "SELECT stratum, unit, {} AS measure, {column}::BIGINT AS value FROM texts WHERE body_kind = 'robots'",
                        quoted(name)
                    )
                })
                .collect();
            measures.join("\nUNION ALL\n")
        },
        chart: Chart::Boxes,
    },
    Figure {
        id: "features",
        section: TEXTS,
        title: "Rules, wildcards and large files",
        definition: "Texts that are a robots.txt, by what they have; one text can have several.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::ordered("feature", "Feature", || FEATURES.iter().map(|feature| feature.0).collect())],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                FEATURES.iter().filter(|(_, _, has)| has(text)).for_each(|(name, ..)| emit.words(&[name]));
            }
        }),
        sql: || {
            let features: Vec<String> = FEATURES
                .iter()
                .map(|(name, condition, _)| {
                    format!(
                        "SELECT stratum, unit, {} AS feature, sum(n)::BIGINT AS count FROM texts\n\
                        WHERE body_kind = 'robots' AND ({condition}) GROUP BY ALL",
                        quoted(name)
                    )
                })
                .collect();
            features.join("\nUNION ALL\n")
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "text_form",
        section: TEXTS,
        title: "Encodings and line ends",
        definition: "How the characters and lines of texts that are a robots.txt are written.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::new("encoding", "Encoding"), Dimension::new("line_ending", "Line ends")],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                emit.words(&[text.encoding(), text.line_ending()]);
            }
        }),
        sql: || {
            "SELECT stratum, unit, encoding, line_ending, sum(n)::BIGINT AS count\nFROM texts WHERE body_kind = 'robots' GROUP BY ALL".to_owned()
        },
        chart: Chart::None,
    },
    Figure {
        id: "named_agents",
        section: AGENTS,
        title: "Agents that are named",
        definition: "The hundred tokens that most texts name (case aside; in the agent set or not), by what the groups that name them let such a crawler \
            fetch, in the first dialect of the scan.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::new("agent", "Agent"), Dimension::ordered("access", "Access", || ACCESS.to_vec())],
        top: Some(NAMED_TOP),
        measure: Measure::Share,
        compute: Compute::Named,
        sql: || named_sql().to_owned(),
        chart: Chart::Stacked(1),
    },
    Figure {
        id: "effective_access",
        section: AGENTS,
        title: "The same agents with the rules for *",
        definition: "What crawlers with these names may fetch: by their own groups where a text names them, else by those for `*`, else everything. \
            Crawlers that do not follow `*` are treated as if they did.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::new("agent", "Agent"), Dimension::ordered("access", "Access", || ACCESS.to_vec())],
        top: None,
        measure: Measure::Share,
        compute: Compute::Effective,
        sql: effective_sql,
        chart: Chart::Stacked(1),
    },
    Figure {
        id: "agent_access",
        section: AGENTS,
        title: "Access of each crawler",
        definition: "What each crawler of the agent set may fetch of all paths, and what decides: a group that names it (or a token that it falls back \
            on), that for `*`, no group, a status, or a redirect that led nowhere (unresolved).",
        base: Base::Counted,
        units: ALL,
        dimensions: &[
            Dimension::new("agent", "Crawler"),
            Dimension::ordered("access", "Access", || ACCESS.to_vec()),
            Dimension::ordered("basis", "Basis", || BASES.to_vec()),
        ],
        top: None,
        measure: Measure::Share,
        compute: Compute::AgentAccess,
        sql: || {
            "SELECT CASE WHEN s.stratum = 'all' THEN a.stratum ELSE s.stratum END AS stratum, a.unit, p.agent, p.access, p.basis,\n       \
            sum(a.n)::BIGINT AS count\nFROM policy_answers a\nJOIN policy_access p ON p.policy = a.policy\n\
            JOIN agent_strata s ON s.agent_id = p.agent_id\nGROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Stacked(1),
    },
    Figure {
        id: "purpose_access",
        section: AGENTS,
        title: "Crawlers closed out, by purpose",
        definition: "For each purpose: whether all, some or none of its crawlers may fetch nothing (access none), and by what: basis is `named` where \
            a group names one of those, else `wildcard` where rules for `*` close one, else `status`; undefined: none is closed, but access of some is \
            undefined or undecided.",
        base: Base::Counted,
        units: ALL,
        dimensions: &[
            Dimension::ordered("purpose", "Purpose", || Purpose::ALL.iter().map(|purpose| purpose.as_str()).collect()),
            Dimension::ordered("closed", "Closed", || CLOSED.to_vec()),
            Dimension::ordered("basis", "Basis", || CLOSED_BY.to_vec()),
        ],
        top: None,
        measure: Measure::Share,
        compute: Compute::Policies(|policy, context, emit| {
            let mut purposes: Vec<(&str, Closing)> = Vec::new();
            for (agent, info) in context.agents.iter().enumerate() {
                let at = match purposes.iter().position(|(purpose, _)| *purpose == info.purpose) {
                    Some(at) => at,
                    None => {
                        purposes.push((&info.purpose, Closing::default()));
                        purposes.len() - 1
                    }
                };
                if let Some((_, closing)) = purposes.get_mut(at) {
                    closing.add(policy, agent);
                }
            }
            for (purpose, closing) in purposes {
                let [closed, basis] = closing.words();
                emit.words(&[purpose, closed, basis]);
            }
        }),
        sql: || {
            format!(
                "WITH p AS (\n  SELECT policy, purpose, {} FROM policy_access GROUP BY policy, purpose\n)\n\
                SELECT a.stratum, a.unit, p.purpose, p.closed, p.basis, sum(a.n)::BIGINT AS count\n\
                FROM policy_answers a JOIN p ON p.policy = a.policy GROUP BY ALL",
                closing_sql()
            )
        },
        chart: Chart::Stacked(1),
    },
    Figure {
        id: "ai_closed",
        section: AGENTS,
        title: "Any AI crawler closed out",
        definition: "The same for all crawlers whose purpose is AI training, AI search or fetching for the user of an AI, taken together.",
        base: Base::Counted,
        units: ALL,
        dimensions: &[
            Dimension::ordered("closed", "AI crawlers closed", || CLOSED.to_vec()),
            Dimension::ordered("basis", "Basis", || CLOSED_BY.to_vec()),
        ],
        top: None,
        measure: Measure::Share,
        compute: Compute::Policies(|policy, context, emit| {
            if let Some(words) = Closing::of_ai(policy, context) {
                emit.words(&words);
            }
        }),
        sql: || {
            format!(
                "WITH p AS (\n  SELECT policy, {} FROM policy_access WHERE purpose LIKE '{AI}%' GROUP BY policy\n)\n\
                SELECT a.stratum, a.unit, p.closed, p.basis, sum(a.n)::BIGINT AS count\n\
                FROM policy_answers a JOIN p ON p.policy = a.policy GROUP BY ALL",
                closing_sql()
            )
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "allow_lists",
        section: AGENTS,
        title: "Allow lists under a general block",
        definition: "Where the rules for `*` close every path: crawlers that a group names and lets in, everywhere (all) or in part (some).",
        base: Base::GeneralBlock,
        units: ALL,
        dimensions: &[Dimension::new("agent", "Crawler"), Dimension::ordered("access", "Access", || ACCESS.to_vec())],
        top: None,
        measure: Measure::Share,
        compute: Compute::AllowLists,
        sql: || {
            "SELECT CASE WHEN s.stratum = 'all' THEN a.stratum ELSE s.stratum END AS stratum, a.unit, p.agent, p.access,\n       \
            sum(a.n)::BIGINT AS count\nFROM policy_answers a\n\
            JOIN policy_access p ON p.policy = a.policy AND p.basis = 'named' AND p.access IN ('all', 'some')\n\
            JOIN agent_strata s ON s.agent_id = p.agent_id\nWHERE a.policy IN (\n  SELECT body_key FROM verdicts WHERE dialect = {dialect} \
            AND basis = 'wildcard' AND access = 'none'\n)\nGROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Stacked(1),
    },
    Figure {
        id: "probes",
        section: AGENTS,
        title: "Crawlers by probe",
        definition: "How many close a probe (a path that stands for a kind of page) to a crawler, statuses folded in; undefined where the dialect leaves it \
            open. Probes that are URLs of one origin are not in it.",
        base: Base::Counted,
        units: ALL,
        dimensions: &[
            Dimension::new("agent", "Crawler"),
            Dimension::new("probe", "Probe"),
            Dimension::new("verdict", "Verdict"),
        ],
        top: None,
        measure: Measure::Share,
        compute: Compute::Probes,
        sql: || {
            "WITH v AS (\n  SELECT v.body_key AS policy, u.agent_id, p.probe,\n         \
            CASE WHEN list_contains(v.disallowed, p.probe_id) THEN 'disallow' ELSE 'undefined' END AS verdict\n  \
            FROM verdicts v CROSS JOIN unnest(v.agents) AS u(agent_id) CROSS JOIN probes p\n  \
            WHERE v.dialect = {dialect} AND p.origin IS NULL\n    \
            AND (list_contains(v.disallowed, p.probe_id) OR list_contains(v.undefined, p.probe_id))\n  UNION ALL\n  \
            SELECT s.policy, s.agent_id, p.probe, CASE s.access WHEN 'none' THEN 'disallow' ELSE 'undefined' END\n  \
            FROM policy_access s CROSS JOIN probes p WHERE s.policy < 0 AND s.access IN ('none', 'undefined') AND p.origin IS NULL\n)\n\
            SELECT CASE WHEN s.stratum = 'all' THEN a.stratum ELSE s.stratum END AS stratum, a.unit, g.token AS agent, v.probe, v.verdict,\n       \
            sum(a.n)::BIGINT AS count\nFROM policy_answers a\nJOIN v ON v.policy = a.policy\nJOIN agents g ON g.agent_id = v.agent_id\n\
            JOIN agent_strata s ON s.agent_id = v.agent_id\nGROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Heat("disallow"),
    },
    Figure {
        id: "sitemaps",
        section: MORE,
        title: "Sitemaps",
        definition: "Sitemap lines of texts that are a robots.txt.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::ordered("sitemaps", "Sitemap lines", || words(&SITEMAPS))],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                emit.words(&[step(&SITEMAPS, text.sitemaps())]);
            }
        }),
        sql: || steps_sql("sitemaps", "sitemaps", &SITEMAPS, "texts WHERE body_kind = 'robots'"),
        chart: Chart::Bars,
    },
    Figure {
        id: "crawl_delay",
        section: MORE,
        title: "Crawl-delay",
        definition: "Texts that are a robots.txt with a Crawl-delay line in some group, by its seconds; a text with several counts once in each step. \
            `not a number`: anything but digits with at most one point.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::ordered("seconds", "Seconds", || {
            DELAYS.iter().map(|step| step.0).chain([NO_NUMBER]).collect()
        })],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                for (_, value) in text.extensions().filter(|(field, _)| *field == "crawl-delay") {
                    emit.words(&[delay(value)]);
                }
            }
        }),
        sql: || {
            let steps: Vec<String> = DELAYS
                .iter()
                .map(|(name, most)| match most {
                    Some(most) => format!("WHEN value::DOUBLE <= {most} THEN {}", quoted(name)),
                    None => format!("ELSE {}", quoted(name)),
                })
                .collect();
            format!(
                "WITH d AS (\n  SELECT DISTINCT body_key,\n    CASE WHEN NOT regexp_full_match(value, '{NUMBER}') THEN {}\n    ELSE CASE {} END END AS seconds\n  \
                FROM (SELECT body_key, trim(x.e.value) AS value FROM bodies CROSS JOIN unnest(extensions) AS x(e) WHERE x.e.field = 'crawl-delay')\n)\n\
                SELECT t.stratum, t.unit, d.seconds, sum(t.n)::BIGINT AS count\n\
                FROM texts t JOIN d ON d.body_key = t.body_key WHERE t.body_kind = 'robots' GROUP BY ALL",
                quoted(NO_NUMBER),
                steps.join(" ")
            )
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "extensions",
        section: MORE,
        title: "Fields beyond the standard",
        definition: "Fields that RFC 9309 does not define, in texts that are a robots.txt; the fifty that most have, misspelt and unknown ones included.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::new("field", "Field")],
        top: Some(Top { most: 50, dimensions: 1 }),
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                text.extensions().for_each(|(field, _)| emit.words(&[beginning(field)]));
            }
        }),
        sql: || {
            "WITH d AS (\n  SELECT DISTINCT body_key, left(x.e.field, 120) AS field FROM bodies CROSS JOIN unnest(extensions) AS x(e)\n)\n\
            SELECT t.stratum, t.unit, d.field, sum(t.n)::BIGINT AS count\n\
            FROM texts t JOIN d ON d.body_key = t.body_key WHERE t.body_kind = 'robots' GROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "preferences",
        section: MORE,
        title: "Content-Signal, Content-Usage and License",
        definition: "Values of the fields that state how content may be used, as written but for case and blanks; the fifty most frequent.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::new("field", "Field"), Dimension::new("value", "Value")],
        top: Some(Top { most: 50, dimensions: 2 }),
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                for (field, value) in text.extensions().filter(|(field, _)| PREFERENCES.contains(field)) {
                    emit.words(&[field, beginning(&tight(value))]);
                }
            }
        }),
        sql: || {
            format!(
                "WITH d AS (\n  SELECT DISTINCT body_key, x.e.field AS field, left({TIGHT}, 120) AS value\n  \
                FROM bodies CROSS JOIN unnest(extensions) AS x(e) WHERE x.e.field IN ({})\n)\n\
                SELECT t.stratum, t.unit, d.field, d.value, sum(t.n)::BIGINT AS count\n\
                FROM texts t JOIN d ON d.body_key = t.body_key WHERE t.body_kind = 'robots' GROUP BY ALL",
                quoted_list(PREFERENCES)
            )
        },
        chart: Chart::None,
    },
    Figure {
        id: "content_signals",
        section: MORE,
        title: "Content-Signal, statement by statement",
        definition: "Single statements of Content-Signal lines (the parts between commas, but for case and blanks); the fifty most frequent.",
        base: Base::Robots,
        units: ALL,
        dimensions: &[Dimension::new("statement", "Statement")],
        top: Some(Top { most: 50, dimensions: 1 }),
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| {
            if text.is_robots() {
                for (_, value) in text.extensions().filter(|(field, _)| *field == PREFERENCES[0]) {
                    let value = tight(value);
                    for statement in value.split(',').filter(|statement| !statement.is_empty()) {
                        emit.words(&[beginning(statement)]);
                    }
                }
            }
        }),
        sql: || {
            format!(
                "WITH d AS (\n  SELECT DISTINCT body_key, left(s.part, 120) AS statement\n  FROM bodies CROSS JOIN unnest(extensions) AS x(e)\n  \
                CROSS JOIN unnest(string_split({TIGHT}, ',')) AS s(part)\n  WHERE x.e.field = {} AND s.part <> ''\n)\n\
                SELECT t.stratum, t.unit, d.statement, sum(t.n)::BIGINT AS count\n\
                FROM texts t JOIN d ON d.body_key = t.body_key WHERE t.body_kind = 'robots' GROUP BY ALL",
                quoted(PREFERENCES[0])
            )
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "findings",
        section: MORE,
        title: "Compliance: findings",
        definition: "What is odd about texts of 2xx answers, by the code of the finding; one text can have several.",
        base: Base::Text,
        units: ALL,
        dimensions: &[Dimension::new("finding", "Finding")],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| text.findings().for_each(|code| emit.words(&[code]))),
        sql: || {
            "WITH d AS (\n  SELECT DISTINCT body_key, x.e.code AS finding FROM bodies CROSS JOIN unnest(findings) AS x(e)\n)\n\
            SELECT t.stratum, t.unit, d.finding, sum(t.n)::BIGINT AS count\nFROM texts t JOIN d ON d.body_key = t.body_key GROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "disagreements",
        section: MORE,
        title: "Dialects that disagree on a text",
        definition: "Texts of 2xx answers on which two dialects of the scan differ: on anything, on the verdict of a probe, on what a crawler may fetch, or in \
            that only one of them, or neither, says what (undefined).",
        base: Base::Text,
        units: ALL,
        dimensions: &[
            Dimension::new("dialects", "Dialects"),
            Dimension::ordered("kind", "Difference", || DIFFERENCES.iter().map(|difference| difference.0).collect()),
        ],
        top: None,
        measure: Measure::Share,
        compute: Compute::Disagreements,
        sql: || {
            let kinds: Vec<String> = DIFFERENCES
                .iter()
                .map(|(name, condition, _)| {
                    format!(
                        "  SELECT DISTINCT body_key, {DIALECTS} AS dialects, {} AS kind FROM disagreements WHERE {condition}",
                        quoted(name)
                    )
                })
                .collect();
            format!(
                "WITH d AS (\n{}\n)\nSELECT t.stratum, t.unit, d.dialects, d.kind, sum(t.n)::BIGINT AS count\n\
                FROM texts t JOIN d ON d.body_key = t.body_key GROUP BY ALL",
                kinds.join("\n  UNION ALL\n")
            )
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "outcome_disagreements",
        section: MORE,
        title: "Dialects that disagree on a status",
        definition: "Answers whose reason has another outcome in one dialect of the scan than in another.",
        base: Base::Counted,
        units: ALL,
        dimensions: &[Dimension::new("dialects", "Dialects"), Dimension::ordered("reason", "Reason", reasons)],
        top: None,
        measure: Measure::Share,
        compute: Compute::Answers(|answer, context, emit| {
            if !answer.is_counted {
                return;
            }
            for (at, (name, outcomes)) in context.dialects.iter().enumerate() {
                for (other, others) in context.dialects.iter().skip(at + 1) {
                    let reason = answer.reason as usize;
                    if outcomes.get(reason) != others.get(reason) {
                        emit.words(&[&format!("{name} / {other}"), answer.reason.as_str()]);
                    }
                }
            }
        }),
        sql: || {
            "WITH o AS (\n  SELECT a.dialect || ' / ' || b.dialect AS dialects, a.reason\n  \
            FROM outcomes a JOIN outcomes b ON b.reason = a.reason AND a.dialect < b.dialect AND a.outcome <> b.outcome\n  \
            WHERE a.dialect IN ({dialects}) AND b.dialect IN ({dialects})\n)\n\
            SELECT t.stratum, t.unit, o.dialects, t.reason, sum(t.n)::BIGINT AS count\n\
            FROM answers t JOIN o ON o.reason = t.reason WHERE t.counted GROUP BY ALL"
                .to_owned()
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "templates",
        section: MAKERS,
        title: "Templates",
        definition: "The template that a text of a 2xx answer was made from, as far as one is recognised.",
        base: Base::Text,
        units: ALL,
        dimensions: &[Dimension::new("template", "Template")],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| emit.words(&[text.template().unwrap_or("(none)")])),
        sql: || {
            "SELECT stratum, unit, coalesce(template, '(none)') AS template, sum(n)::BIGINT AS count FROM texts GROUP BY ALL".to_owned()
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "managed_blocks",
        section: MAKERS,
        title: "Managed blocks",
        definition: "The service that manages a block of a text of a 2xx answer, as far as one is recognised.",
        base: Base::Text,
        units: ALL,
        dimensions: &[Dimension::new("managed_by", "Managed by")],
        top: None,
        measure: Measure::Share,
        compute: Compute::Texts(|text, emit| emit.words(&[text.managed_by().unwrap_or("(nobody)")])),
        sql: || {
            "SELECT stratum, unit, coalesce(managed_by, '(nobody)') AS managed_by, sum(n)::BIGINT AS count FROM texts GROUP BY ALL".to_owned()
        },
        chart: Chart::Bars,
    },
    Figure {
        id: "ai_closed_by_making",
        section: MAKERS,
        title: "AI crawlers closed out, with and without templates and managed blocks",
        definition: "Whether all, some or none of the AI crawlers may fetch nothing, for all texts that decide, and for what is left of them without those \
            from a template, without those with a managed block, and without either: the owners' own decisions. Shares are of each such part.",
        base: Base::Within(1),
        units: ALL,
        dimensions: &[
            Dimension::ordered("texts", "Texts", || MAKINGS.iter().map(|making| making.0).collect()),
            Dimension::ordered("closed", "AI crawlers closed", || CLOSED.to_vec()),
            Dimension::ordered("basis", "Basis", || CLOSED_BY.to_vec()),
        ],
        top: None,
        measure: Measure::Share,
        compute: Compute::Policies(|policy, context, emit| {
            let Some(making) = policy.text else { return };
            let Some([closed, basis]) = Closing::of_ai(policy, context) else { return };
            for (name, _, takes) in MAKINGS {
                if takes(making.template, making.managed) {
                    emit.words(&[name, closed, basis]);
                }
            }
        }),
        sql: || {
            let makings: Vec<String> = MAKINGS
                .iter()
                .map(|(name, condition, _)| {
                    format!("  SELECT body_key, {} AS texts FROM bodies WHERE {condition}", quoted(name))
                })
                .collect();
            format!(
                "WITH p AS (\n  SELECT policy, {} FROM policy_access WHERE purpose LIKE '{AI}%' GROUP BY policy\n), m AS (\n{}\n)\n\
                SELECT a.stratum, a.unit, m.texts, p.closed, p.basis, sum(a.n)::BIGINT AS count\nFROM policy_answers a\n\
                JOIN m ON m.body_key = a.policy\nJOIN p ON p.policy = a.policy\nGROUP BY ALL",
                closing_sql(),
                makings.join("\n  UNION ALL\n")
            )
        },
        chart: Chart::Stacked(1),
    },
];

/// Agents that are shown by name.
pub(super) const NAMED_TOP: Top = Top { most: 100, dimensions: 1 };

/// The figure of this name.
pub fn named(id: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.id == id)
}

fn reasons() -> Vec<&'static str> {
    Reason::ALL.iter().map(|reason| reason.as_str()).collect()
}

const PARTS: [&str; 4] =
    ["counted", "counted, redirect unresolved", "target outside the input", "capture that redirects"];

const LEADS_TO: [&str; 3] = ["the same host", "another host of the domain", "another domain"];

/// Pairs of origins of a registered domain: name, and what stands before the domain in each.
pub(super) const SIBLINGS: [(&str, [usize; 2]); 4] = [
    ("apex: http and https", [0, 2]),
    ("www: http and https", [1, 3]),
    ("http: apex and www", [0, 1]),
    ("https: apex and www", [2, 3]),
];

/// What stands before a registered domain in the four origins that are compared.
pub(super) const SIBLING_STARTS: [&str; 4] = ["http://", "http://www.", "https://", "https://www."];

/// How two siblings compare.
pub(super) const AGREEMENTS: [&str; 4] = ["same text", "different texts", "text on one only", "no text on either"];

fn siblings_sql() -> String {
    let slots: Vec<String> =
        SIBLING_STARTS.iter().map(|start| format!("WHEN {} || site THEN {}", quoted(start), quoted(start))).collect();
    let pairs: Vec<String> = SIBLINGS
        .iter()
        .map(|(name, [a, b])| {
            format!("({}, {}, {})", quoted(name), quoted(SIBLING_STARTS[*a]), quoted(SIBLING_STARTS[*b]))
        })
        .collect();
    format!(
        "WITH s AS (\n  SELECT site, CASE origin {} END AS slot,\n         \
        CASE WHEN reason = 'success' THEN body_id END AS text\n  FROM origins WHERE site IS NOT NULL AND reason NOT IN ({})\n), \
        stands AS (\n  SELECT stratum, site FROM answers WHERE unit = 'domain'\n)\n\
        SELECT t.stratum, 'domain' AS unit, p.pair,\n       CASE WHEN a.text = b.text THEN {} WHEN a.text IS NOT NULL AND b.text IS NOT NULL THEN {}\n            \
        WHEN a.text IS NULL AND b.text IS NULL THEN {} ELSE {} END AS agreement,\n       count(*) AS count\n\
        FROM (VALUES {}) p(pair, slot_a, slot_b)\nJOIN s a ON a.slot = p.slot_a\n\
        JOIN s b ON b.slot = p.slot_b AND b.site = a.site\nJOIN stands t ON t.site = a.site\nGROUP BY ALL",
        slots.join(" "),
        quoted_list(NOT_COUNTED.iter().map(|reason| reason.as_str())),
        quoted(AGREEMENTS[0]),
        quoted(AGREEMENTS[1]),
        quoted(AGREEMENTS[3]),
        quoted(AGREEMENTS[2]),
        pairs.join(", ")
    )
}

/// Steps of a number: name and greatest value; the last one has no end.
type Steps<const N: usize> = [(&'static str, Option<i64>); N];

const SIZES: Steps<8> = [
    ("0", Some(0)),
    ("up to 100 KiB", Some(100 << 10)),
    ("100-200 KiB", Some(200 << 10)),
    ("200-300 KiB", Some(300 << 10)),
    ("300-400 KiB", Some(400 << 10)),
    ("400-500 KiB", Some(500 << 10)),
    ("500 KiB-1 MiB", Some(1 << 20)),
    ("more than 1 MiB", None),
];

const SITEMAPS: Steps<5> =
    [("0", Some(0)), ("1", Some(1)), ("2-5", Some(5)), ("6-50", Some(50)), ("more than 50", None)];

const DELAYS: Steps<8> = [
    ("0", Some(0)),
    ("up to 1", Some(1)),
    ("1-2", Some(2)),
    ("2-5", Some(5)),
    ("5-10", Some(10)),
    ("10-30", Some(30)),
    ("30-60", Some(60)),
    ("more than 60", None),
];

const NO_NUMBER: &str = "not a number";

/// What counts as a number of seconds, as a regular expression for SQL; [`is_number`] is the same.
const NUMBER: &str = r"[0-9]+\.?[0-9]*|\.[0-9]+";

fn is_number(value: &str) -> bool {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

fn delay(value: &str) -> &'static str {
    let value = value.trim_matches(' ');
    match value.parse::<f64>() {
        Ok(seconds) if is_number(value) => {
            let step = DELAYS.iter().find(|(_, most)| most.is_none_or(|most| seconds <= most as f64));
            step.map_or(NO_NUMBER, |step| step.0)
        }
        _ => NO_NUMBER,
    }
}

fn words<const N: usize>(steps: &Steps<N>) -> Vec<&'static str> {
    steps.iter().map(|step| step.0).collect()
}

fn step<const N: usize>(steps: &Steps<N>, value: i64) -> &'static str {
    let step = steps.iter().find(|(_, most)| most.is_none_or(|most| value <= most));
    step.map_or("", |step| step.0)
}

fn steps_sql<const N: usize>(name: &str, column: &str, steps: &Steps<N>, from: &str) -> String {
    let cases: Vec<String> = steps
        .iter()
        .map(|(name, most)| match most {
            Some(most) => format!("WHEN {column} <= {most} THEN {}", quoted(name)),
            None => format!("ELSE {}", quoted(name)),
        })
        .collect();
    // The alias may be the name of a column, which GROUP BY ALL does not confuse.
    format!(
        "SELECT stratum, unit, CASE {} END AS {name}, sum(n)::BIGINT AS count\nFROM {from} GROUP BY ALL",
        cases.join(" ")
    )
}

/// Numbers of a text: name, what it is in SQL, and here.
type Measured = (&'static str, &'static str, fn(&TextFacts<'_>) -> i64);

const MEASURES: [Measured; 9] = [
    ("bytes", "body_bytes", |text| text.bytes()),
    ("lines", "lines", |text| text.lines()),
    ("groups", "groups", |text| text.groups()),
    ("agents", "len(agents)", |text| text.agent_count()),
    ("allow rules", "allow_rules", |text| text.allow_rules()),
    ("disallow rules", "disallow_rules", |text| text.disallow_rules()),
    ("wildcard rules", "wildcard_rules", |text| text.wildcard_rules()),
    ("anchored rules", "anchored_rules", |text| text.anchored_rules()),
    ("sitemaps", "sitemaps", |text| text.sitemaps()),
];

/// What a text can have: name, condition in SQL, and here.
type Feature = (&'static str, &'static str, fn(&TextFacts<'_>) -> bool);

const FEATURES: [Feature; 17] = [
    ("no rule", "allow_rules + disallow_rules = 0", |text| text.allow_rules() + text.disallow_rules() == 0),
    ("an allow rule", "allow_rules > 0", |text| text.allow_rules() > 0),
    ("a disallow rule", "disallow_rules > 0", |text| text.disallow_rules() > 0),
    ("a rule with *", "wildcard_rules > 0", |text| text.wildcard_rules() > 0),
    ("a rule that ends in $", "anchored_rules > 0", |text| text.anchored_rules() > 0),
    (
        "names a crawler other than *",
        "body_key IN (SELECT b.body_key FROM bodies b CROSS JOIN unnest(b.agents) AS x(e) WHERE x.e.token <> '*')",
        |text| text.agents().any(|agent| agent.token != "*"),
    ),
    ("a sitemap", "sitemaps > 0", |text| text.sitemaps() > 0),
    (
        "a sitemap that is no absolute URL",
        "body_key IN (SELECT s.body_key FROM sitemaps s WHERE NOT s.is_absolute)",
        |text| text.relative_sitemaps > 0,
    ),
    ("a field beyond the standard", "len(extensions) > 0", |text| text.extensions().next().is_some()),
    ("a finding", "len(findings) > 0", |text| text.findings().next().is_some()),
    ("over 5 KiB", "body_bytes > 5120", |text| text.bytes() > 5 << 10),
    ("over 20 KiB", "body_bytes > 20480", |text| text.bytes() > 20 << 10),
    ("over 100 KiB", "body_bytes > 102400", |text| text.bytes() > 100 << 10),
    ("over 100 rules", "allow_rules + disallow_rules > 100", |text| text.allow_rules() + text.disallow_rules() > 100),
    ("over 1,000 rules", "allow_rules + disallow_rules > 1000", |text| {
        text.allow_rules() + text.disallow_rules() > 1_000
    }),
    ("over 100 agents", "len(agents) > 100", |text| text.agent_count() > 100),
    ("longer than the dialect reads", "over_limit", |text| text.over_limit()),
];

/// Fields that say how content may be used.
const PREFERENCES: [&str; 3] = ["content-signal", "content-usage", "license"];

/// A value in lower case without blanks, in SQL; [`tight`] is the same.
const TIGHT: &str = r"ascii_lower(replace(replace(x.e.value, ' ', ''), chr(9), ''))";

fn tight(value: &str) -> String {
    value.chars().filter(|c| !matches!(c, ' ' | '\t')).map(|c| c.to_ascii_lowercase()).collect()
}

const CLOSED: [&str; 4] = ["all", "some", "none", "undefined"];

const CLOSED_BY: [&str; 5] = ["named", "wildcard", "status", "unresolved", "-"];

/// Which of some agents are closed out, and by what.
#[derive(Debug, Clone, Copy, Default)]
struct Closing {
    agents: u32,
    closed: u32,
    unclear: u32,
    named: bool,
    wildcard: bool,
    unresolved: bool,
}

impl Closing {
    fn add(&mut self, policy: &PolicyFacts<'_>, agent: usize) {
        let (Some(access), Some(basis)) = (policy.access.get(agent), policy.basis.get(agent)) else { return };
        self.agents += 1;
        self.unresolved |= *basis == UNRESOLVED_BASIS;
        match *access {
            NONE => {
                self.closed += 1;
                self.named |= *basis == NAMED;
                self.wildcard |= *basis == WILDCARD;
            }
            UNDEFINED | UNDECIDED => self.unclear += 1,
            _ => {}
        }
    }

    fn of_ai(policy: &PolicyFacts<'_>, context: &Context) -> Option<[&'static str; 2]> {
        let mut closing = Closing::default();
        let agents = context.agents.iter().enumerate().filter(|(_, info)| info.is_ai());
        agents.for_each(|(agent, _)| closing.add(policy, agent));
        (closing.agents > 0).then(|| closing.words())
    }

    fn words(self) -> [&'static str; 2] {
        let closed = match self {
            _ if self.closed == self.agents => CLOSED[0],
            _ if self.closed > 0 => CLOSED[1],
            _ if self.unclear > 0 => CLOSED[3],
            _ => CLOSED[2],
        };
        let basis = match self {
            _ if self.unresolved => CLOSED_BY[3],
            _ if self.closed == 0 => CLOSED_BY[4],
            _ if self.named => CLOSED_BY[0],
            _ if self.wildcard => CLOSED_BY[1],
            _ => CLOSED_BY[2],
        };
        [closed, basis]
    }
}

/// What [`Closing::words`] says, as columns over a group of `policy_access`.
fn closing_sql() -> String {
    let [all, some, none, undefined] = CLOSED.map(quoted);
    let [named, wildcard, status, unresolved, nothing] = CLOSED_BY.map(quoted);
    format!(
        "\n    CASE WHEN bool_and(access = 'none') THEN {all} WHEN bool_or(access = 'none') THEN {some}\n         \
        WHEN bool_or(access IN ('undefined', 'undecided')) THEN {undefined} ELSE {none} END AS closed,\n    \
        CASE WHEN bool_or(basis = 'unresolved') THEN {unresolved} WHEN NOT bool_or(access = 'none') THEN {nothing}\n         \
        WHEN bool_or(access = 'none' AND basis = 'named') THEN {named}\n         \
        WHEN bool_or(access = 'none' AND basis = 'wildcard') THEN {wildcard} ELSE {status} END AS basis\n "
    )
}

/// Parts of the texts by their making: name, condition in SQL, and here.
type MakingPart = (&'static str, &'static str, fn(bool, bool) -> bool);

const MAKINGS: [MakingPart; 4] = [
    ("all", "true", |_, _| true),
    ("without templates", "template IS NULL", |template, _| !template),
    ("without managed blocks", "managed_by IS NULL", |_, managed| !managed),
    ("without either", "template IS NULL AND managed_by IS NULL", |template, managed| !template && !managed),
];

/// The pair of dialects of a row of `disagreements`, whichever the scan named first.
const DIALECTS: &str = "least(dialect_a, dialect_b) || ' / ' || greatest(dialect_a, dialect_b)";

/// A row of `disagreements` as far as figures look at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct DisagreementFacts<'a> {
    pub(super) verdicts: [Option<&'a str>; 2],
    pub(super) probes: usize,
    pub(super) access: [&'a str; 2],
}

impl DisagreementFacts<'_> {
    fn is_on_a_probe(&self) -> bool {
        self.probes > 0 && self.verdicts.iter().all(|verdict| matches!(verdict, Some("allow" | "disallow")))
    }

    fn is_unclear(&self) -> bool {
        self.verdicts.contains(&Some(ACCESS[UNDEFINED as usize])) || self.access_is_unclear()
    }

    fn access_is_unclear(&self) -> bool {
        self.access.iter().any(|access| matches!(*access, "undefined" | "undecided"))
    }
}

/// Kinds of difference: name, condition in SQL, and here.
type Difference = (&'static str, &'static str, fn(&DisagreementFacts<'_>) -> bool);

/// How two dialects differ on a text.
pub(super) const DIFFERENCES: [Difference; 4] = [
    ("any", "true", |_| true),
    (
        "verdict of a probe",
        "len(probes) > 0 AND verdict_a IN ('allow', 'disallow') AND verdict_b IN ('allow', 'disallow')",
        |facts| facts.is_on_a_probe(),
    ),
    (
        "what a crawler may fetch",
        "access_a <> access_b AND access_a NOT IN ('undefined', 'undecided') AND access_b NOT IN ('undefined', 'undecided')",
        |facts| facts.access[0] != facts.access[1] && !facts.access_is_unclear(),
    ),
    (
        "undefined",
        "coalesce(verdict_a = 'undefined', false) OR coalesce(verdict_b = 'undefined', false)\n    \
        OR access_a IN ('undefined', 'undecided') OR access_b IN ('undefined', 'undecided')",
        |facts| facts.is_unclear(),
    ),
];

/// The name that an agent is counted under.
pub fn agent_name(agent: &NamedAgent<'_>) -> String {
    beginning(agent.token).to_ascii_lowercase()
}

/// Agents that texts name, with the access of their own groups.
fn named_sql() -> &'static str {
    "SELECT t.stratum, t.unit, d.agent, d.access, sum(t.n)::BIGINT AS count\nFROM texts t JOIN (\n  \
    SELECT body_key, ascii_lower(left(x.e.token, 120)) AS agent, min(coalesce(x.e.access, 'undecided')) AS access\n  \
    FROM bodies CROSS JOIN unnest(agents) AS x(e) GROUP BY ALL\n) d ON d.body_key = t.body_key\n\
    WHERE t.body_kind = 'robots' GROUP BY ALL"
}

fn effective_sql() -> String {
    format!(
        "WITH named AS (\n{}\n), top AS (\n  SELECT agent FROM named WHERE stratum = 'all' AND unit = 'origin'\n  \
        GROUP BY agent ORDER BY sum(count) DESC, agent LIMIT {}\n), own AS (\n  \
        SELECT body_key, ascii_lower(left(x.e.token, 120)) AS agent, min(coalesce(x.e.access, 'undecided')) AS access\n  \
        FROM bodies CROSS JOIN unnest(agents) AS x(e) GROUP BY ALL\n)\n\
        SELECT t.stratum, t.unit, a.agent, coalesce(o.access, s.access, 'all') AS access, sum(t.n)::BIGINT AS count\n\
        FROM texts t CROSS JOIN (SELECT agent FROM top WHERE agent <> '*') a\n\
        LEFT JOIN own o ON o.body_key = t.body_key AND o.agent = a.agent\n\
        LEFT JOIN own s ON s.body_key = t.body_key AND s.agent = '*'\nWHERE t.body_kind = 'robots' GROUP BY ALL",
        named_sql(),
        NAMED_TOP.most
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn figures_are_described_and_told_apart() {
        let mut ids = HashSet::new();
        for figure in FIGURES {
            assert!(ids.insert(figure.id), "{}", figure.id);
            assert!(figure.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{}", figure.id);
            assert!(figure.definition.ends_with('.') && !figure.title.ends_with('.'), "{}", figure.id);
            assert!((1..=3).contains(&figure.dimensions.len()), "{}", figure.id);
            assert!(!figure.units.is_empty(), "{}", figure.id);
            let sql = (figure.sql)();
            for dimension in figure.dimensions {
                assert!(sql.contains(dimension.name), "{}: {}", figure.id, dimension.name);
            }
            assert_eq!(sql.matches('(').count(), sql.matches(')').count(), "{}", figure.id);
        }
    }

    #[test]
    fn delays_are_numbers_or_not() {
        let cases = [
            ("10", "5-10"),
            (" 0 ", "0"),
            ("0.0", "0"),
            (".5", "up to 1"),
            ("1.", "up to 1"),
            ("1e9", NO_NUMBER),
            ("-1", NO_NUMBER),
            (".", NO_NUMBER),
            ("", NO_NUMBER),
            ("1.2.3", NO_NUMBER),
            ("inf", NO_NUMBER),
            ("10 s", NO_NUMBER),
            ("999999999999999999999999", "more than 60"),
        ];
        for (value, expected) in cases {
            assert_eq!(delay(value), expected, "{value:?}");
        }
    }

    #[test]
    fn steps_hold_their_ends() {
        assert_eq!((step(&SIZES, 0), step(&SIZES, 1), step(&SIZES, 102_400)), ("0", "up to 100 KiB", "up to 100 KiB"));
        assert_eq!((step(&SIZES, 102_401), step(&SIZES, i64::MAX)), ("100-200 KiB", "more than 1 MiB"));
    }

    #[test]
    fn closing_tells_all_from_some_and_who_did_it() {
        let of = |access: &[u8], basis: &[u8]| {
            let policy = PolicyFacts { access, basis, text: None };
            let mut closing = Closing::default();
            (0..access.len()).for_each(|agent| closing.add(&policy, agent));
            closing.words()
        };
        assert_eq!(of(&[NONE, NONE], &[WILDCARD, NAMED]), ["all", "named"]);
        assert_eq!(of(&[NONE, 0], &[WILDCARD, NAMED]), ["some", "wildcard"]);
        assert_eq!(of(&[0, 1], &[WILDCARD, NAMED]), ["none", "-"]);
        assert_eq!(of(&[0, UNDEFINED], &[WILDCARD, NAMED]), ["undefined", "-"]);
        assert_eq!(of(&[UNDECIDED, NONE], &[NAMED, NAMED]), ["some", "named"]);
        assert_eq!(of(&[0, 0], &[UNRESOLVED_BASIS; 2]), ["none", "unresolved"]);
        assert_eq!(of(&[NONE, NONE], &[super::super::facts::STATUS; 2]), ["all", "status"]);
    }
}
