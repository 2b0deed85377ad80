//! What writing costs: nanoseconds and bytes a row of the tables that every capture and every body has rows in.
//!
//! `cargo bench --bench tables`. The rows are made up, in the proportions of a crawl: 57 % of the captures have a body, half of which
//! were met before; a body has 2.6 rule sets for 50 agents, and 20 probes. CPU time is what counts; run it on an idle machine.

use robocensus::capture::{Repair, Repairs};
use robocensus::output::{BATCH_ROWS, Encoder, Metadata};
use robocensus::table::{
    Bodies, BodyRow, CaptureRow, Captures, ExtensionRow, FindingRow, NamedAgentRow, Record, SitemapRow, Sitemaps,
    Table, VerdictLongRow, VerdictRow, Verdicts, VerdictsLong, body_id, body_key,
};
use std::io::Write;

const AGENTS: usize = 50;
const PROBES: usize = 20;
const ROUNDS: usize = 9;

fn main() {
    let captures = captures(160_000);
    let sites = captures.iter().filter(|c| c.is_new).count();
    let verdicts = verdicts(&captures);
    let mut out = std::io::stdout();
    let _ = writeln!(
        out,
        "{:<16} {:>9} {:>12} {:>12} {:>12} {:>12}",
        "table", "rows", "ns/row push", "ns/row all", "bytes/row", "peak KiB"
    );
    measure::<Captures>(&mut out, captures.len(), |push| captures.iter().for_each(|c| push(&c.row())));
    measure::<Verdicts>(&mut out, verdicts.len(), |push| verdicts.iter().for_each(|v| push(&v.row())));
    measure::<Bodies>(&mut out, sites, |push| {
        let mut pieces = Pieces::default();
        captures.iter().filter(|c| c.is_new).for_each(|c| pieces.with_row(c, &mut *push));
    });
    measure::<Sitemaps>(&mut out, sites, |push| {
        for c in captures.iter().filter(|c| c.is_new) {
            let url = c.sitemap.as_bytes();
            push(&SitemapRow { body_key: c.key, url, line: 3 + (c.random % 40) as i32, is_absolute: true });
        }
    });
    let long = verdicts.len().min(2_000);
    let rows = verdicts.iter().take(long).map(|v| v.agents.len() * PROBES).sum();
    measure::<VerdictsLong>(&mut out, rows, |push| {
        for v in verdicts.iter().take(long) {
            for &agent_id in &v.agents {
                for (probe_id, &line) in v.lines.iter().enumerate() {
                    let verdict = if v.disallowed.contains(&(probe_id as i32)) { "disallow" } else { "allow" };
                    let probe_id = probe_id as i32;
                    let row = VerdictLongRow {
                        body_key: v.key,
                        dialect: "rfc9309",
                        agent_id,
                        probe_id,
                        verdict,
                        line,
                        basis: v.basis,
                    };
                    push(&row);
                }
            }
        }
    });
    let bodies = captures.iter().filter(|c| c.key >= 0).count();
    let _ = writeln!(
        out,
        "\n{} verdict rows, {:.2} a distinct body, {} verdicts each body; {bodies} bodies",
        verdicts.len(),
        verdicts.len() as f64 / sites as f64,
        AGENTS * PROBES
    );
}

/// Takes rows one by one.
type Push<'p, T> = &'p mut dyn for<'a> FnMut(&<T as Record>::Row<'a>);

/// Measures pushing into the buffers with making the arrays (a batch at a time, then dropped), and all of it:
/// pushing, encoding, compression and footer. The best of some rounds counts.
fn measure<T: Table>(out: &mut impl Write, rows: usize, fill: impl Fn(Push<'_, T>)) {
    // `cargo bench --bench tables -- captures` measures one table.
    if std::env::args().skip(1).any(|arg| !arg.starts_with('-') && arg != T::NAME) {
        return;
    }
    let mut pushing = f64::MAX;
    for _ in 0..ROUNDS {
        let mut buffers: Vec<_> = T::COLUMNS.iter().map(|column| column.cell.buffer()).collect();
        let mut pending = 0;
        let start = cpu_nanoseconds();
        fill(&mut |row| {
            for buffer in &mut buffers {
                let _ = buffer.append(row);
            }
            pending += 1;
            if pending == BATCH_ROWS {
                pending = 0;
                buffers.iter_mut().for_each(|buffer| drop(buffer.finish()));
            }
        });
        pushing = pushing.min((cpu_nanoseconds() - start) as f64 / rows as f64);
    }
    let mut all = f64::MAX;
    let mut file = Vec::new();
    let mut peak = 0;
    for _ in 0..ROUNDS {
        let Ok(mut encoder) = Encoder::<T, _>::new(Vec::new(), &Metadata::default()) else { return };
        let start = cpu_nanoseconds();
        fill(&mut |row| {
            if let Err(e) = encoder.push(row) {
                unreachable!("a vector takes everything: {e}");
            }
        });
        peak = encoder.memory();
        let Ok(finished) = encoder.finish() else { return };
        all = all.min((cpu_nanoseconds() - start) as f64 / rows as f64);
        file = finished;
    }
    let bytes = file.len() as f64 / rows as f64;
    let _ = writeln!(out, "{:<16} {rows:>9} {pushing:>12.0} {all:>12.0} {bytes:>12.2} {:>12}", T::NAME, peak / 1024);
    if let Ok(dir) = std::env::var("ROBOCENSUS_BENCH_DIR") {
        let _ = std::fs::write(std::path::Path::new(&dir).join(format!("{}.parquet", T::NAME)), file);
    }
}

/// CPU time of this thread in nanoseconds, so that other work on the machine counts less.
fn cpu_nanoseconds() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|field| field.parse().ok()).unwrap_or_default()
}

/// A small generator of pseudo-random numbers (splitmix64): the rows are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A capture with everything that its row borrows.
struct Made {
    file: String,
    offset: i64,
    length: i64,
    url: String,
    host: String,
    domain: String,
    tld: &'static str,
    time: i64,
    status: i16,
    redirect: Option<String>,
    digest: String,
    outcome: &'static str,
    reason: &'static str,
    key: i64,
    id: [u8; 16],
    is_new: bool,
    bytes: i64,
    sitemap: String,
    random: u64,
}

impl Made {
    fn row(&self) -> CaptureRow<'_> {
        let mut repaired = Repairs::default();
        if self.random.is_multiple_of(50) {
            repaired.add(Repair::LineFeedHead);
        }
        CaptureRow {
            crawl: Some("CC-MAIN-2026-43"),
            warc_filename: &self.file,
            warc_segment: Some("1760000000000.17"),
            warc_record_offset: Some(self.offset),
            warc_record_length: Some(self.length),
            url: &self.url,
            url_protocol: Some(if self.random.is_multiple_of(9) { "http" } else { "https" }),
            url_host_name: Some(&self.host),
            url_path: Some("/robots.txt"),
            url_host_tld: Some(self.tld),
            url_host_registered_domain: Some(&self.domain),
            is_robots_url: true,
            fetch_time: Some(self.time),
            fetch_status: Some(self.status),
            fetch_redirect: self.redirect.as_deref(),
            content_mime_type: Some(if self.status == 200 { b"text/plain" } else { b"text/html" }),
            content_charset: (!self.random.is_multiple_of(3)).then_some(b"utf-8"),
            content_digest: Some(&self.digest),
            cache_max_age: (self.random.is_multiple_of(4)).then_some(3600),
            outcome: self.outcome,
            reason: self.reason,
            body_key: (self.key >= 0).then_some(self.key),
            body_id: (self.key >= 0).then_some(self.id),
            body_bytes: self.bytes,
            body_total_bytes: self.bytes,
            repaired,
            ..CaptureRow::default()
        }
    }
}

fn captures(n: usize) -> Vec<Made> {
    const PARTS: [&str; 24] = [
        "shop", "blog", "news", "media", "alpha", "garten", "photo", "store", "online", "tech", "haus", "web", "data",
        "green", "city", "world", "the", "my", "best", "foto", "art", "studio", "group", "kids",
    ];
    const TLDS: [&str; 10] = ["com", "com", "com", "com", "de", "org", "net", "fr", "co.uk", "jp"];
    let mut random = Random(7);
    let mut made: Vec<Made> = Vec::with_capacity(n);
    let mut bodies: Vec<(i64, [u8; 16], i64)> = Vec::new();
    let mut offset = 500;
    for i in 0..n {
        let file = i / 900;
        if i % 900 == 0 {
            offset = 500;
        }
        let tld = random.pick(&TLDS);
        let domain = format!("{}{}{}.{tld}", random.pick(&PARTS), random.pick(&PARTS), random.below(100_000));
        let host = if random.below(2) == 0 { format!("www.{domain}") } else { domain.clone() };
        let url = format!("https://{host}/robots.txt");
        let (status, outcome, reason) = match random.below(100) {
            0..57 => (200, "conditional", "success"),
            57..75 => (404, "full_allow", "client_error"),
            75..96 => (301, "redirect", "redirect"),
            _ => (503, "full_disallow", "server_error"),
        };
        let bytes = 20 + random.below(60) as i64 * (1 + random.below(40) as i64);
        let (mut key, mut id, mut is_new) = (-1, [0; 16], false);
        if status == 200 {
            if bodies.is_empty() || random.below(100) < 53 {
                is_new = true;
                bodies.push((body_key(3, bodies.len() as u32), body_id(url.as_bytes()), bytes));
                (key, id, _) = bodies[bodies.len() - 1];
            } else {
                // Few bodies make up most of the repetitions.
                let r = random.below(bodies.len() as u64);
                (key, id, _) = bodies[(r * r / bodies.len() as u64) as usize];
            }
        }
        let length = 700 + random.below(1800) as i64;
        made.push(Made {
            file: format!(
                "crawl-data/CC-MAIN-2026-43/segments/1760000000000.17/robotstxt/CC-MAIN-20261010101010-20261010131010-{file:05}.warc.gz"
            ),
            offset,
            length,
            redirect: (status == 301).then(|| format!("https://www.{domain}/robots.txt")),
            sitemap: format!("https://{host}/sitemap.xml"),
            digest: digest(&mut random),
            url,
            host,
            domain,
            tld: if tld == "co.uk" { "uk" } else { tld },
            time: 1_791_000_000_000_000 + random.below(10_800) as i64 * 1_000_000,
            status,
            outcome,
            reason,
            key,
            id,
            is_new,
            bytes,
            random: random.next(),
        });
        offset += length + 900;
    }
    made
}

fn digest(random: &mut Random) -> String {
    (0..32).map(|_| b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[random.below(32) as usize] as char).collect()
}

/// A verdict row with everything that it borrows.
struct MadeVerdict {
    key: i64,
    agents: Vec<i16>,
    basis: &'static str,
    token: Option<&'static str>,
    disallowed: Vec<i32>,
    lines: Vec<i32>,
}

impl MadeVerdict {
    fn row(&self) -> VerdictRow<'_> {
        VerdictRow {
            body_key: self.key,
            dialect: "rfc9309",
            agents: &self.agents,
            basis: self.basis,
            token: self.token,
            access: if self.disallowed.is_empty() { "all" } else { "some" },
            witness_allowed: (!self.disallowed.is_empty()).then_some(b"/".as_slice()),
            witness_denied: (!self.disallowed.is_empty()).then_some(b"/wp-admin/".as_slice()),
            disallowed: &self.disallowed,
            undefined: &[],
            lines: &self.lines,
        }
    }
}

fn verdicts(captures: &[Made]) -> Vec<MadeVerdict> {
    const TOKENS: [&str; 5] = ["gptbot", "ccbot", "bytespider", "ahrefsbot", "googlebot"];
    let mut random = Random(11);
    let mut rows = Vec::new();
    for capture in captures.iter().filter(|c| c.is_new) {
        // Most bodies come from templates: the same agents and rules, perhaps some lines further down.
        let template = if random.below(10) < 7 { random.below(20) * random.below(20) } else { random.next() >> 16 };
        let shift = if random.below(3) == 0 { random.below(30) as i32 } else { 0 };
        let mut of_template = Random(template);
        let sets = if of_template.below(100) < 40 { 1 } else { 2 + of_template.below(4) as usize };
        let mut of: Vec<usize> = vec![0; AGENTS];
        for slot in of.iter_mut() {
            if sets > 1 && of_template.below(4) == 0 {
                *slot = 1 + of_template.below(sets as u64 - 1) as usize;
            }
        }
        for set in 0..sets {
            let agents: Vec<i16> = (0..AGENTS as i16).filter(|a| of[*a as usize] == set).collect();
            if agents.is_empty() {
                continue;
            }
            let rules = 1 + of_template.below(8) as i32;
            let first = 2 + of_template.below(20) as i32 + shift;
            let lines: Vec<i32> = (0..PROBES)
                .map(|_| if of_template.below(4) == 0 { first + of_template.below(rules as u64) as i32 } else { 0 })
                .collect();
            let disallowed: Vec<i32> = (0..PROBES as i32).filter(|p| lines[*p as usize] > 0).collect();
            let (basis, token) = if set == 0 { ("wildcard", None) } else { ("named", Some(random.pick(&TOKENS))) };
            rows.push(MadeVerdict { key: capture.key, agents, basis, token, disallowed, lines });
        }
    }
    rows
}

/// What a body row borrows, reused.
#[derive(Default)]
struct Pieces {
    extensions: Vec<ExtensionRow<'static>>,
    findings: Vec<FindingRow>,
    agents: Vec<NamedAgentRow<'static>>,
}

impl Pieces {
    fn with_row(&mut self, capture: &Made, with: Push<'_, Bodies>) {
        self.agents.clear();
        self.extensions.clear();
        self.findings.clear();
        let r = capture.random;
        for (i, token) in [&b"*"[..], b"GPTBot", b"AhrefsBot", b"Googlebot"].into_iter().enumerate() {
            if i == 0 || r >> i & 3 == 0 {
                self.agents.push(NamedAgentRow { token, line: 1 + 5 * i as i32, access: "some" });
            }
        }
        if r.is_multiple_of(5) {
            self.extensions.push(ExtensionRow { field: b"crawl-delay", value: b"10", line: 4, group: Some(0) });
        }
        if r.is_multiple_of(11) {
            self.findings.push(FindingRow { code: "unknown-field", count: 1, line: 9 });
        }
        with(&BodyRow {
            body_key: capture.key,
            body_id: capture.id,
            body_bytes: capture.bytes,
            body_kind: "robots",
            encoding: "utf-8",
            line_ending: "lf",
            lines: 5 + (r % 60) as i32,
            groups: self.agents.len() as i32,
            allow_rules: (r % 3) as i32,
            disallow_rules: (r % 13) as i32,
            wildcard_rules: (r % 2) as i32,
            anchored_rules: 0,
            sitemaps: 1,
            agents: &self.agents,
            extensions: &self.extensions,
            findings: &self.findings,
            template: (r.is_multiple_of(6)).then_some("wordpress"),
            managed_by: None,
            over_limit: false,
            content: None,
        });
    }
}
