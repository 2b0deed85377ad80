//! The text of a made-up robots.txt: which sites share one, and a grammar for the texts that are a site's own.
//!
//! Rates follow what 36,000 real hosts serve: sizes, line ends, marks, fields, agents and how often a text repeats. A
//! text is a function of the seed and its [`Body`] (and its host for a site's own), so that sites can share one without
//! anything being kept.

use super::page;
use super::rng::Rng;
use super::template::{HEADS, LineEnd, MANAGED, PRODUCTS};
use super::words::{self, AI_AGENTS, COPIERS, SEARCH_AGENTS, SEO_AGENTS, SOCIAL_AGENTS};

/// Bytes of a body that Common Crawl keeps (it raised the limit in 2025; the older one keeps snapshots small).
pub(super) const CONTENT_LIMIT: usize = 1 << 20;

/// Stream of the texts.
const STREAM: u64 = 0x626f_6479;

/// Which text a site serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// One of the head templates.
    Head(usize),
    /// The text of a large family of sites of one operator, some 15 KB.
    Family,
    /// One of the texts that several sites share.
    Shared(u64),
    /// A text that only this site has.
    Own(u64),
    /// An HTML page under status 200.
    Page(u64),
}

/// How many distinct texts there are to share, by how often each is to be met (about 30, 5 and 2 times).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pools([(u64, u64); 3]);

/// Parts in 10,000 of the 2xx answers that come from each pool, and how often one text is met.
const SHARES: [(u64, u64); 3] = [(420, 30), (330, 5), (720, 2)];
const FAMILY: u64 = 105;
const PAGES: u64 = 170;

impl Pools {
    /// The pools of a snapshot with so many captures, about half of which are texts.
    pub(super) fn new(captures: u64) -> Pools {
        Pools(SHARES.map(|(share, times)| (share, (captures / 2 * share / 10_000 / times).max(1))))
    }

    /// Draws the text of the site number `site`; `variant` tells its own texts from each other.
    pub(super) fn draw(self, rng: &mut Rng, site: u64, variant: u64) -> Body {
        let own = site << 3 | variant;
        let mut at = rng.below(10_000);
        if at < FAMILY {
            return Body::Family;
        }
        at -= FAMILY;
        if at < PAGES {
            return Body::Page(own);
        }
        at -= PAGES;
        for (pool, (share, size)) in (0u64..).zip(self.0) {
            if at < share {
                return Body::Shared(pool << 56 | rng.below(size));
            }
            at -= share;
        }
        for (number, head) in HEADS.iter().enumerate() {
            if at < head.weight {
                return Body::Head(number);
            }
            at -= head.weight;
        }
        Body::Own(own)
    }
}

/// Sizes in bytes of the texts that the grammar makes: (share in millionths, bytes).
const SIZES: &[(u32, u32)] = &[
    (0, 26),
    (60_000, 40),
    (130_000, 70),
    (260_000, 115),
    (420_000, 210),
    (570_000, 390),
    (710_000, 780),
    (810_000, 1_350),
    (885_000, 2_250),
    (930_000, 3_700),
    (960_000, 6_800),
    (980_000, 13_500),
    (990_000, 23_000),
    (995_000, 42_000),
    (998_000, 100_000),
    (999_000, 190_000),
    (999_550, 500_000),
    (999_800, 900_000),
    (1_000_000, 2_400_000),
];

/// The longest text that several sites share.
const SHARED_LIMIT: u32 = 110_000;

impl Body {
    /// Appends the text; `host` is the name of the site that serves it.
    pub(super) fn write(self, seed: u64, host: &str, out: &mut Vec<u8>) {
        match self {
            Body::Head(number) => {
                if let Some(head) = HEADS.get(number) {
                    put_lines(head.text, head.line_end, &mut Rng::keyed(seed, STREAM, number as u64), out);
                }
            }
            Body::Family => grammar(Rng::keyed(seed, STREAM, 1 << 62), Some(14_800), "www.family.example", out),
            Body::Shared(key) => {
                let mut rng = Rng::keyed(seed, STREAM, 1 << 63 | key);
                let size = rng.quantile(SIZES).min(SHARED_LIMIT);
                let mut name = String::from("www.");
                words::word(&mut rng, &mut name);
                name.push_str(".example");
                grammar(rng, Some(size), &name, out);
            }
            Body::Page(key) => page::soft_error(&mut Rng::keyed(seed, STREAM, 1 << 61 | key), host, out),
            Body::Own(key) => own(Rng::keyed(seed, STREAM, 1 << 60 | key), host, out),
        }
    }
}

/// A site's own text: a product's, or one from the grammar, some behind a managed block.
fn own(mut rng: Rng, host: &str, out: &mut Vec<u8>) {
    if rng.chance(330) {
        out.extend_from_slice(MANAGED.as_bytes());
    }
    let mut at = rng.below(10_000);
    for product in PRODUCTS {
        if at < product.weight {
            let id = rng.between(1_000_000, 99_999_999).to_string();
            let text = product.text.replace("{host}", host).replace("{id}", &id);
            let line_end = if rng.chance(700) { LineEnd::CrLf } else { LineEnd::Lf };
            if rng.chance(100) {
                out.extend_from_slice(BOM);
            }
            put_lines(&text, line_end, &mut rng, out);
            return;
        }
        at -= product.weight;
    }
    grammar(rng, None, host, out);
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Appends a text whose lines end in LF with another line end.
fn put_lines(text: &str, line_end: LineEnd, rng: &mut Rng, out: &mut Vec<u8>) {
    if line_end == LineEnd::Lf {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    for line in text.split_inclusive('\n') {
        out.extend_from_slice(line.trim_end_matches('\n').as_bytes());
        if line.ends_with('\n') {
            put_line_end(line_end, rng, out);
        }
    }
}

fn put_line_end(line_end: LineEnd, rng: &mut Rng, out: &mut Vec<u8>) {
    out.extend_from_slice(match line_end {
        LineEnd::Lf => b"\n",
        LineEnd::CrLf => b"\r\n",
        LineEnd::Cr => b"\r",
        LineEnd::Mixed if rng.chance(3_000) => b"\n",
        LineEnd::Mixed => b"\r\n",
    });
}

/// How likely a text has a feature, in parts of 10,000, by its size: up to 70, 200, 600, 2,500, 10,000 bytes, and above.
type BySize = [u64; 6];

const SITEMAP: BySize = [400, 6_200, 8_000, 8_400, 8_200, 7_500];
const COMMENTS: BySize = [100, 800, 3_500, 6_500, 8_000, 7_500];
const ALLOW: BySize = [1_500, 3_000, 5_000, 6_800, 7_200, 6_500];
const DELAY: BySize = [700, 800, 1_350, 2_100, 2_200, 1_300];
const STAR: BySize = [500, 3_200, 6_600, 8_600, 8_600, 8_200];
const ANCHOR: BySize = [0, 700, 2_600, 4_200, 4_800, 4_500];
const QUERY: BySize = [0, 600, 2_300, 5_000, 6_600, 6_500];
const ENCODED: BySize = [0, 40, 300, 1_000, 2_000, 2_500];
const FOREIGN: BySize = [10, 60, 200, 480, 800, 800];
const SEVERAL_GROUPS: BySize = [200, 1_000, 2_900, 4_800, 6_000, 5_500];
const EMPTY_DISALLOW: BySize = [900, 1_000, 1_000, 1_200, 1_500, 1_500];

fn class(size: u32) -> usize {
    [70, 200, 600, 2_500, 10_000].iter().filter(|limit| size > **limit).count()
}

fn by_size(rng: &mut Rng, size: u32, rates: &BySize) -> bool {
    rng.chance(rates.get(class(size)).copied().unwrap_or_default())
}

/// Writes a text of about `size` bytes (drawn when not given) for `host`.
fn grammar(mut rng: Rng, size: Option<u32>, host: &str, out: &mut Vec<u8>) {
    let size = size.unwrap_or_else(|| rng.quantile(SIZES));
    let mut sheet = Sheet::new(rng, size, out);
    sheet.whole(host);
    if sheet.rng.chance(4_200) {
        // Four in ten files end without a line end.
        while matches!(sheet.out.last(), Some(b'\n' | b'\r')) {
            sheet.out.pop();
        }
    }
}

/// One text as it is written: its habits, drawn once, and where it goes.
struct Sheet<'a> {
    rng: Rng,
    out: &'a mut Vec<u8>,
    size: u32,
    goal: usize,
    line_end: LineEnd,
    agent_field: &'static str,
    colon: &'static str,
    allow: bool,
    star: bool,
    anchor: bool,
    query: bool,
    encoded: bool,
    foreign: bool,
    latin1: bool,
    inline_comments: bool,
    slashless: bool,
    named: Vec<&'static str>,
}

impl<'a> Sheet<'a> {
    fn new(mut rng: Rng, size: u32, out: &'a mut Vec<u8>) -> Sheet<'a> {
        let line_end = match rng.below(10_000) {
            0..2_150 => LineEnd::CrLf,
            2_150..2_550 => LineEnd::Mixed,
            2_550..2_560 => LineEnd::Cr,
            _ => LineEnd::Lf,
        };
        let agent_field = match rng.below(100) {
            0..14 => "User-Agent",
            14..18 => "user-agent",
            18 => "USER-AGENT",
            _ => "User-agent",
        };
        if rng.chance(320) {
            out.extend_from_slice(BOM);
        }
        Sheet {
            goal: out.len() + size as usize,
            line_end,
            agent_field,
            colon: if rng.chance(300) { ":" } else { ": " },
            allow: by_size(&mut rng, size, &ALLOW),
            star: by_size(&mut rng, size, &STAR),
            anchor: by_size(&mut rng, size, &ANCHOR),
            query: by_size(&mut rng, size, &QUERY),
            encoded: by_size(&mut rng, size, &ENCODED),
            foreign: by_size(&mut rng, size, &FOREIGN),
            latin1: rng.chance(3),
            inline_comments: size > 120 && rng.chance(330),
            slashless: rng.chance(420),
            named: Vec::new(),
            rng,
            out,
            size,
        }
    }

    /// Bytes left until the text is as long as it should be.
    fn left(&self) -> usize {
        self.goal.saturating_sub(self.out.len())
    }

    fn end_line(&mut self) {
        put_line_end(self.line_end, &mut self.rng, self.out);
    }

    fn line(&mut self, field: &str, value: &str) {
        self.out.extend_from_slice(field.as_bytes());
        self.out.extend_from_slice(if value.is_empty() { b":" } else { self.colon.as_bytes() });
        self.out.extend_from_slice(value.as_bytes());
        self.end_line();
    }

    fn agent(&mut self, token: &str) {
        self.line(self.agent_field, token);
    }

    /// Whether a crawler gets a group now: one that has one already seldom gets another.
    fn anew(&mut self, token: &'static str) -> bool {
        if self.named.contains(&token) {
            return self.rng.chance(800);
        }
        self.named.push(token);
        true
    }

    fn blank(&mut self) {
        self.end_line();
    }

    fn comment(&mut self, about: &str) {
        self.out.extend_from_slice(b"# ");
        self.out.extend_from_slice(about.as_bytes());
        for _ in 0..self.rng.between(1, 6) {
            let word = self.rng.pick(words::PATH_WORDS);
            self.out.push(b' ');
            self.out.extend_from_slice(word.as_bytes());
        }
        self.end_line();
    }

    /// The whole text: comments, groups and sitemaps, in one of the orders people use.
    fn whole(&mut self, host: &str) {
        let comments = self.draw(&COMMENTS);
        let sitemaps = if self.draw(&SITEMAP) { self.sitemap_count() } else { 0 };
        let several = self.draw(&SEVERAL_GROUPS);
        let sitemaps_first = self.rng.chance(2_200);
        let named_first = self.rng.chance(5_000);
        if comments {
            let about = self.rng.pick(&["robots.txt of", "For robots:", "Please mind", "Closed:", "Do not fetch"]);
            for _ in 0..self.rng.between(1, 3) {
                self.comment(about);
            }
        }
        if self.rng.chance(45) {
            // Rules that belong to nobody.
            self.rule();
        }
        if sitemaps_first {
            self.sitemaps(host, sitemaps);
        }
        let mut star = true;
        if several && named_first {
            self.named_groups(comments);
            star = !self.rng.chance(1_200);
        }
        if star {
            self.star_group(comments, several && !named_first);
        }
        if several && !named_first {
            self.named_groups(comments);
        }
        if !sitemaps_first {
            self.sitemaps(host, sitemaps);
        }
        self.fill();
        self.extensions(host);
    }

    fn draw(&mut self, rates: &BySize) -> bool {
        by_size(&mut self.rng, self.size, rates)
    }

    fn sitemap_count(&mut self) -> u64 {
        let most = u64::from(self.size / 60).max(1);
        let count = match self.rng.below(1_000) {
            0..760 => 1,
            760..880 => 2,
            880..960 => self.rng.between(3, 9),
            960..992 => self.rng.between(10, 60),
            _ => self.rng.between(60, 300),
        };
        count.min(most)
    }

    fn sitemaps(&mut self, host: &str, count: u64) {
        if count == 0 {
            return;
        }
        if self.rng.chance(6_000) {
            self.blank();
        }
        let scheme = if self.rng.chance(1_500) { "http" } else { "https" };
        let file =
            self.rng.pick(&["sitemap.xml", "sitemap.xml", "sitemap_index.xml", "sitemap-index.xml", "sitemap.xml.gz"]);
        for number in 0..count {
            let url = if number == 0 {
                format!("{scheme}://{host}/{file}")
            } else {
                format!("{scheme}://{host}/sitemap-{}-{number}.xml", self.rng.pick(words::PATH_WORDS))
            };
            self.line("Sitemap", &url);
        }
    }

    /// The group of `*`; `short` leaves room for groups that follow.
    fn star_group(&mut self, comments: bool, short: bool) {
        self.agent("*");
        if self.draw(&DELAY) {
            let seconds = self.rng.pick(&["10", "1", "5", "2", "20", "30", "3", "0.5", "60", "120"]);
            self.line("Crawl-delay", seconds);
        }
        let tenths = match (short, class(self.size)) {
            (false, _) => 10,
            (true, 0..=3) => self.rng.between(3, 8) as usize,
            (true, _) => self.rng.between(7, 9) as usize,
        };
        let keep = self.out.len() + self.left() * tenths / 10;
        if self.draw(&EMPTY_DISALLOW) && (self.size < 300 || self.rng.chance(3_000)) {
            self.line("Disallow", "");
            return;
        }
        if self.size < 1_000 && self.rng.chance(500) {
            self.line("Disallow", "/");
            return;
        }
        if self.allow && self.rng.chance(3_500) {
            self.line("Allow", "/");
        }
        // Room for the sitemap that most texts end with.
        let keep = if self.size < 2_000 { keep.saturating_sub(40) } else { keep };
        loop {
            if comments && self.rng.chance(1_500) {
                let about = self.rng.pick(&["Paths", "Files", "Search", "Parameters of", "Old", "No"]);
                self.comment(about);
            }
            self.rule();
            if self.rng.chance(300) {
                self.blank();
            }
            if self.out.len() >= keep || (!short && self.size >= 5_000 && self.out.len() >= keep * 9 / 10) {
                break;
            }
        }
    }

    /// Groups for named crawlers: lists people copy from each other.
    fn named_groups(&mut self, comments: bool) {
        let packs = match class(self.size) {
            0..=1 => 1,
            2 => self.rng.between(1, 2),
            3 => self.rng.between(1, 3),
            _ => self.rng.between(2, 6),
        };
        for _ in 0..packs {
            if self.out.last().is_some() {
                self.blank();
            }
            if comments && self.rng.chance(3_000) {
                self.comment("Robots:");
            }
            match self.rng.below(1_000) {
                0..105 => self.list(SEO_AGENTS, "Disallow", "/"),
                105..150 => self.list(AI_AGENTS, "Disallow", "/"),
                150..265 => self.ads(),
                265..380 => self.slow(),
                380..690 => self.search_groups(),
                690..815 => self.list(SOCIAL_AGENTS, "Allow", "/"),
                815..890 => self.copiers(),
                _ => self.obscure(),
            }
        }
    }

    /// One group each, or one group for all, of those names that the list's weights choose.
    fn list(&mut self, agents: &[(&'static str, u64)], field: &'static str, value: &str) {
        let together = self.rng.chance(900);
        let scale = if self.size < 400 { 5 } else { 10 };
        let mut named = false;
        for (token, weight) in agents {
            if self.rng.below(1_000) >= weight * scale / 10 || !self.anew(token) {
                continue;
            }
            named = true;
            self.agent(token);
            if !together {
                self.line(field, value);
                if self.rng.chance(5_000) {
                    self.blank();
                }
            }
        }
        if together && named {
            self.line(field, value);
        }
    }

    fn ads(&mut self) {
        for token in ["Mediapartners-Google", "AdsBot-Google", "AdsBot-Google-Mobile"] {
            if self.rng.chance(6_000) && self.anew(token) {
                self.agent(token);
                if self.rng.chance(6_500) {
                    self.line("Disallow", "")
                } else {
                    self.line("Allow", "/")
                }
                self.blank();
            }
        }
    }

    fn slow(&mut self) {
        for (token, weight) in [("msnbot", 520), ("Bingbot", 480), ("Yandex", 260), ("Slurp", 300), ("AhrefsBot", 60)] {
            if self.rng.below(1_000) < weight && self.anew(token) {
                self.agent(token);
                let seconds = self.rng.pick(&["10", "5", "20", "1", "30", "120"]);
                self.line("Crawl-delay", seconds);
                if self.rng.chance(6_000) {
                    self.blank();
                }
            }
        }
    }

    /// Groups of search engines with rules of their own, some of them named twice.
    fn search_groups(&mut self) {
        for _ in 0..self.rng.between(1, 3) {
            let at = self.rng.weighted(SEARCH_AGENTS, |a| a.1);
            let token = SEARCH_AGENTS.get(at).map_or("Googlebot", |a| a.0);
            if !self.anew(token) {
                continue;
            }
            self.agent(token);
            match self.rng.below(10) {
                0 | 1 => self.line("Disallow", "/"),
                2 => self.line("Disallow", ""),
                3 => self.line("Allow", "/"),
                _ => {
                    let most = (self.left() / 60).clamp(1, 60) as u64;
                    for _ in 0..self.rng.between(1, most) {
                        self.rule();
                    }
                }
            }
            self.blank();
        }
    }

    fn copiers(&mut self) {
        let most = if self.size < 1_000 { 6 } else { COPIERS.len() };
        for token in COPIERS.iter().take(most) {
            if self.rng.chance(8_000) && self.anew(token) {
                self.agent(token);
                self.line("Disallow", "/");
                if self.rng.chance(3_000) {
                    self.blank();
                }
            }
        }
    }

    fn obscure(&mut self) {
        for _ in 0..self.rng.between(1, 3) {
            self.obscure_agent();
            self.line("Disallow", "/");
        }
    }

    fn obscure_agent(&mut self) {
        let mut token = String::new();
        words::word(&mut self.rng, &mut token);
        token.push_str(self.rng.pick(&["bot", "Bot", "-spider", "Crawler/1.0", "bot2", ""]));
        self.agent(&token);
    }

    /// Brings a large text to its length: mostly with rules, else with hundreds of groups of one rule.
    fn fill(&mut self) {
        if self.left() < 200 {
            return;
        }
        if self.rng.chance(3_000) && self.size < 60_000 {
            while self.left() > 60 {
                self.obscure_agent();
                self.line("Disallow", "/");
                if self.rng.chance(3_000) {
                    self.blank();
                }
            }
            return;
        }
        if self.left() < self.size as usize / 4 {
            return;
        }
        let token = if self.rng.chance(3_000) || self.named.contains(&"Googlebot") { "*" } else { "Googlebot" };
        self.agent(token);
        while self.left() > 60 {
            self.rule();
        }
    }

    /// One rule line, with the habits of this text.
    fn rule(&mut self) {
        let field = if self.allow && self.rng.chance(2_200) { "Allow" } else { "Disallow" };
        if self.rng.chance(4) {
            self.slip();
            return;
        }
        self.out.extend_from_slice(field.as_bytes());
        self.out.extend_from_slice(self.colon.as_bytes());
        self.path();
        if self.inline_comments && self.rng.chance(1_000) {
            let word = self.rng.pick(words::PATH_WORDS);
            self.out.extend_from_slice(b" # ");
            self.out.extend_from_slice(word.as_bytes());
        } else if self.rng.chance(150) {
            self.out.push(b' ');
        }
        self.end_line();
    }

    /// A line that is not quite a rule: misspelt, without its colon, or of another time.
    fn slip(&mut self) {
        let written = match self.rng.below(8) {
            0 => "Disalow: ",
            1 => "Dissallow: ",
            2 => "Disallow ",
            3 => "Dissalow: ",
            4 => "Useragent: ",
            5 => "Noindex: ",
            6 => "disallow : ",
            _ => "Disallow:\t",
        };
        self.out.extend_from_slice(written.as_bytes());
        self.path();
        self.end_line();
    }

    fn word(&mut self) {
        let word = if self.foreign && self.rng.chance(1_500) {
            self.rng.pick(words::FOREIGN_WORDS)
        } else if self.encoded && self.rng.chance(1_500) {
            self.rng.pick(words::ENCODED_WORDS)
        } else {
            self.rng.pick(words::PATH_WORDS)
        };
        self.out.extend_from_slice(word.as_bytes());
        if self.latin1 && self.rng.chance(500) {
            self.out.extend_from_slice(b"\xe9\xe8");
        }
    }

    /// A path pattern: a prefix, or one of the forms that this text uses.
    fn path(&mut self) {
        if self.slashless && self.rng.chance(800) {
            self.word();
            self.out.push(b'/');
            return;
        }
        if self.query && self.rng.chance(1_800) {
            let parameter = self.rng.pick(words::PARAMETERS);
            let lead: &[u8] = if self.star && self.rng.chance(8_500) { b"/*?" } else { b"/?" };
            self.out.extend_from_slice(lead);
            if self.star && self.rng.chance(2_500) {
                self.out.push(b'*');
            }
            self.out.extend_from_slice(parameter.as_bytes());
            self.out.push(b'=');
            return;
        }
        if self.star && self.rng.chance(2_000) {
            self.out.extend_from_slice(b"/*");
            if self.rng.chance(4_000) {
                self.out.push(b'/');
            }
        } else {
            self.out.push(b'/');
        }
        let parts = match self.rng.below(100) {
            0..50 => 1,
            50..75 => 2,
            75..89 => 3,
            89..96 => 4,
            _ => self.rng.between(5, 14),
        };
        for part in 0..parts {
            if part > 0 {
                self.out.push(b'/');
                if self.star && self.rng.chance(300) {
                    self.out.extend_from_slice(b"*/");
                }
            }
            self.word();
            if self.size > 3_000 && self.rng.chance(4_500) {
                // Long lists name single pages.
                let number = self.rng.below(100_000);
                self.out.push(b'-');
                self.word();
                self.out.extend_from_slice(number.to_string().as_bytes());
            }
        }
        match self.rng.below(100) {
            0..55 => self.out.push(b'/'),
            55..72 => {
                self.out.push(b'.');
                let extension = self.rng.pick(words::EXTENSIONS);
                self.out.extend_from_slice(extension.as_bytes());
                if self.anchor && self.rng.chance(5_000) {
                    self.out.push(b'$');
                }
            }
            72..76 if self.star => self.out.push(b'*'),
            76..79 if self.anchor => self.out.push(b'$'),
            _ => {}
        }
    }

    /// Fields beyond the protocol, at their rates.
    fn extensions(&mut self, host: &str) {
        const FIELDS: &[(&str, u64, &str)] = &[
            ("Host", 120, "{host}"),
            ("Noindex", 80, "/tmp/"),
            ("Content-Signal", 150, "search=yes,ai-train=no"),
            ("Content-Signal", 60, "search=yes, ai-input=yes, ai-train=no"),
            ("Content-Usage", 20, "train-ai=n, search=y"),
            ("License", 15, "https://{host}/license.xml"),
            ("Request-rate", 20, "1/10"),
            ("Clean-param", 20, "utm_source&utm_medium&utm_campaign"),
            ("Visit-time", 10, "0200-0600"),
            ("Cache-delay", 5, "20"),
            ("LLM-Policy", 5, "https://{host}/llms.txt"),
            ("Allow", 25, ""),
        ];
        for (field, rate, value) in FIELDS {
            if self.size > 90 && self.rng.chance(*rate) {
                self.line(field, &value.replace("{host}", host));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: Body, host: &str) -> Vec<u8> {
        let mut out = Vec::new();
        body.write(5, host, &mut out);
        out
    }

    #[test]
    fn a_text_depends_on_its_key_and_for_own_texts_on_the_host() {
        assert_eq!(text(Body::Shared(3), "a.example"), text(Body::Shared(3), "b.example"));
        assert_ne!(text(Body::Shared(3), "a.example"), text(Body::Shared(4), "a.example"));
        let own: std::collections::HashSet<Vec<u8>> = (0..100).map(|key| text(Body::Own(key), "a.example")).collect();
        assert!(own.len() > 70, "{}", own.len());
        assert_eq!(text(Body::Family, "a.example"), text(Body::Family, "b.example"));
        let family = text(Body::Family, "a.example").len();
        assert!((9_000..20_000).contains(&family), "{family}");
    }

    #[test]
    fn sizes_come_out_near_what_was_asked_for() {
        for size in [30, 100, 400, 1_000, 5_000, 40_000, 300_000] {
            let mut lengths: Vec<usize> = (0..99)
                .map(|i| {
                    let mut out = Vec::new();
                    grammar(Rng::keyed(1, 2, i), Some(size), "www.example.com", &mut out);
                    out.len()
                })
                .collect();
            lengths.sort_unstable();
            let (low, high) = (size as usize / 3, size as usize * 2);
            assert!((low..=high).contains(&lengths[49]), "{size}: {}", lengths[49]);
        }
    }

    #[test]
    fn texts_have_the_marks_and_line_ends_of_real_ones() {
        // Published shares of texts, in per mille, with room for chance.
        let pools = Pools::new(20_000);
        let (mut all, mut crlf, mut mixed, mut bom, mut beyond_ascii, mut large) = (0, 0, 0, 0, 0, 0);
        let (mut sitemap, mut delay, mut only_star) = (0, 0, 0);
        for site in 0..10_000 {
            let mut rng = Rng::keyed(2, 2, site);
            let mut text = Vec::new();
            pools.draw(&mut rng, site, 0).write(2, "www.example.com", &mut text);
            let lower = String::from_utf8_lossy(&text).to_lowercase();
            if text.starts_with(b"<") || !lower.contains("user-agent") {
                continue;
            }
            all += 1;
            let (pairs, feeds) = (lower.matches("\r\n").count(), lower.matches('\n').count());
            crlf += usize::from(pairs > 0 && pairs == feeds);
            mixed += usize::from(pairs > 0 && pairs < feeds);
            bom += usize::from(text.starts_with(BOM));
            beyond_ascii += usize::from(!text.is_ascii());
            large += usize::from(text.len() > 65_536);
            sitemap += usize::from(lower.contains("sitemap:"));
            delay += usize::from(lower.contains("crawl-delay:"));
            let agents = lower.lines().filter(|l| l.starts_with("user-agent"));
            only_star += usize::from(agents.clone().count() > 0 && agents.clone().all(|l| l.trim().ends_with('*')));
        }
        let [crlf, mixed, bom] = [crlf, mixed, bom].map(|n| n * 1000 / all);
        let [beyond_ascii, large] = [beyond_ascii, large].map(|n| n * 1000 / all);
        assert!((200..270).contains(&crlf), "{crlf}");
        assert!((14..33).contains(&mixed), "{mixed}");
        assert!((13..30).contains(&bom), "{bom}");
        assert!((20..50).contains(&beyond_ascii), "{beyond_ascii}");
        assert!((1..8).contains(&large), "{large}");
        let [sitemap, delay, only_star] = [sitemap, delay, only_star].map(|n| n * 1000 / all);
        assert!((500..620).contains(&sitemap), "{sitemap}");
        assert!((170..260).contains(&delay), "{delay}");
        assert!((590..700).contains(&only_star), "{only_star}");
    }

    #[test]
    fn weights_leave_room_for_texts_of_a_sites_own() {
        let heads: u64 = HEADS.iter().map(|h| h.weight).sum();
        let shared: u64 = SHARES.iter().map(|s| s.0).sum();
        assert!(heads + shared + FAMILY + PAGES < 6_500, "{heads} {shared}");
        assert!(PRODUCTS.iter().map(|p| p.weight).sum::<u64>() < 5_000);
    }
}
