//! What one made-up site answers: which URLs are asked, in which order, and what comes back.

use super::body::{Body, Pools};
use super::rng::Rng;
use super::words::{self, Host};

/// Stream of the sites.
const STREAM: u64 = 0x7369_7465;

/// What an answer carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// A robots.txt, or what the site serves in its place.
    Text(Body),
    /// A page about the error, or none at all.
    Error,
    /// The few lines of a redirect, or none at all.
    Moved,
    /// A home page.
    Home,
    /// Nothing.
    Nothing,
}

/// One answer of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// The URL asked for.
    pub(super) url: String,
    /// HTTP status.
    pub(super) status: u16,
    /// `Location`; `Some("")` is a header without a value.
    pub(super) location: Option<String>,
    /// The body.
    pub(super) payload: Payload,
}

/// Everything one site answers, and where to go on drawing for it.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    /// Its names.
    pub(super) host: Host,
    /// Its answers, redirects before their targets, refetches last.
    pub(super) steps: Vec<Step>,
    /// The site's stream, for headers and times.
    pub(super) rng: Rng,
}

/// Statuses at which a chain ends, in parts of 10,000.
const ENDS: &[(u16, u64)] = &[
    (200, 7_760),
    (404, 1_440),
    (403, 380),
    (410, 60),
    (401, 40),
    (400, 30),
    (429, 75),
    (500, 65),
    (502, 25),
    (503, 110),
    (504, 8),
    (520, 12),
    (406, 10),
    (451, 4),
    (418, 2),
    (405, 2),
    (202, 8),
    (204, 5),
    (206, 4),
];

const REDIRECTS: &[(u16, u64)] = &[(301, 640), (302, 220), (308, 70), (307, 55), (303, 10), (300, 5)];

/// Visits site number `index`.
pub(super) fn visit(seed: u64, pools: Pools, index: u64) -> Visit {
    let mut rng = Rng::keyed(seed, STREAM, index);
    let host = words::host(&mut rng, index);
    let mut site = Site { pools, index, main: pools.draw(&mut rng, index, 0), rng, steps: Vec::with_capacity(4) };
    site.answer(&host);
    site.refetch();
    Visit { host, steps: site.steps, rng: site.rng }
}

struct Site {
    pools: Pools,
    index: u64,
    main: Body,
    rng: Rng,
    steps: Vec<Step>,
}

fn robots(scheme: &str, host: &str) -> String {
    format!("{scheme}://{host}/robots.txt")
}

impl Site {
    fn answer(&mut self, host: &Host) {
        let apex = host.apex.as_str();
        let (http, https) = (robots("http", apex), robots("https", apex));
        let first = if self.rng.chance(2_600) { http.clone() } else { https.clone() };
        let www = host.www.as_deref();
        match (self.rng.below(1_000), www) {
            (0..515, _) => self.end(first),
            (515..565, _) => {
                self.end(http);
                let other =
                    if self.rng.chance(3_000) { self.pools.draw(&mut self.rng, self.index, 2) } else { self.main };
                self.push(https, 200, None, Payload::Text(other));
            }
            (565..573, _) => {
                let port =
                    self.rng.pick(&[("https", 8443), ("http", 8080), ("http", 80), ("https", 443), ("http", 81)]);
                self.end(format!("{}://{apex}:{}/robots.txt", port.0, port.1));
            }
            (573..670, _) => self.chain(vec![http, https]),
            (670..740, Some(www)) => self.chain(vec![https, robots("https", www)]),
            (740..805, Some(www)) => self.chain(vec![http, https, robots("https", www)]),
            (805..833, Some(www)) => self.chain(vec![robots("https", www), https]),
            (833..875, Some(www)) => self.chain(vec![http, robots("https", www)]),
            (875..890, Some(_)) => self.odd_location(apex, first),
            (890..899, Some(_)) => {
                // Five hops are still followed, six and seven are not.
                let hops = self.rng.between(3, 7);
                let urls = (1..=hops).map(|hop| robots("https", &format!("h{hop}.{apex}")));
                self.chain(std::iter::once(https.clone()).chain(urls).collect());
            }
            (899..906, Some(_)) => {
                let other = robots("https", &format!("loop.{apex}"));
                self.redirect(https.clone(), Some(other.clone()));
                self.redirect(other, Some(https));
            }
            (906..913, _) => {
                let location = if self.rng.chance(5_000) { Some(String::new()) } else { None };
                self.redirect(first, location);
            }
            (913..965, _) => {
                let home = format!("https://{}/", www.unwrap_or(apex));
                self.redirect(first, Some(home.clone()));
                if self.rng.chance(3_000) {
                    self.push(home, 200, None, Payload::Home);
                }
            }
            _ => self.chain(vec![http, https]),
        }
    }

    fn push(&mut self, url: String, status: u16, location: Option<String>, payload: Payload) {
        self.steps.push(Step { url, status, location, payload });
    }

    fn redirect(&mut self, url: String, location: Option<String>) {
        let status = REDIRECTS.get(self.rng.weighted(REDIRECTS, |r| r.1)).map_or(301, |r| r.0);
        self.push(url, status, location, Payload::Moved);
    }

    /// Redirects from each URL to the next; the last one answers. Some locations are written in full, some are not.
    fn chain(&mut self, urls: Vec<String>) {
        let mut at = urls.into_iter().peekable();
        while let Some(url) = at.next() {
            match at.peek().cloned() {
                Some(next) => self.redirect(url, Some(next)),
                None => self.end(url),
            }
        }
    }

    /// Locations that need resolving, or that lead away from `/robots.txt`.
    fn odd_location(&mut self, apex: &str, first: String) {
        let scheme = if first.starts_with("https") { "https" } else { "http" };
        let cdn = format!("cdn.{apex}");
        let (location, target) = match self.rng.below(10) {
            0 | 1 => ("/files/robots.txt".to_owned(), format!("{scheme}://{apex}/files/robots.txt")),
            2 => (format!("//{cdn}/robots.txt"), robots(scheme, &cdn)),
            3 => (format!("HTTPS://{}/robots.txt", cdn.to_uppercase()), robots("https", &cdn)),
            4 => (format!("https://{cdn}:443/robots.txt"), robots("https", &cdn)),
            5 => (format!("{}#top", robots("https", &cdn)), robots("https", &cdn)),
            6 => ("robots.txt?v=2".to_owned(), format!("{first}?v=2")),
            7 => ("/en/../site/./robots.txt".to_owned(), format!("{scheme}://{apex}/site/robots.txt")),
            8 => (format!("  {}  ", robots("https", &cdn)), robots("https", &cdn)),
            _ => ("http://".to_owned(), String::new()),
        };
        self.redirect(first, Some(location));
        if !target.is_empty() {
            self.end(target);
        }
    }

    /// The answer at the end of a chain.
    fn end(&mut self, url: String) {
        let status = ENDS.get(self.rng.weighted(ENDS, |e| e.1)).map_or(200, |e| e.0);
        let payload = match status {
            204 => Payload::Nothing,
            200..300 => Payload::Text(self.main),
            _ => Payload::Error,
        };
        self.push(url, status, None, payload);
    }

    /// More captures of the first URL: a crawl asks some sites again and may get another answer.
    fn refetch(&mut self) {
        if !self.rng.chance(1_000) {
            return;
        }
        let Some(first) = self.steps.first().cloned() else { return };
        for _ in 0..self.rng.pick(&[1u64, 1, 1, 2, 4]) {
            let step = match self.rng.below(100) {
                // The same again.
                0..62 => first.clone(),
                62..76 => {
                    let other = self.pools.draw(&mut self.rng, self.index, 1);
                    Step { status: 200, location: None, payload: Payload::Text(other), ..first.clone() }
                }
                76..84 => Step { status: 404, location: None, payload: Payload::Error, ..first.clone() },
                84..88 => Step { status: 403, location: None, payload: Payload::Error, ..first.clone() },
                88..93 => Step { status: 429, location: None, payload: Payload::Error, ..first.clone() },
                _ => Step { status: 503, location: None, payload: Payload::Error, ..first.clone() },
            };
            self.steps.push(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_third_of_the_answers_are_redirects_and_chains_hang_together() {
        let pools = Pools::new(10_000);
        let (mut redirects, mut all, mut ok, mut unresolved) = (0, 0, 0, 0);
        for index in 0..6_000 {
            let visit = visit(9, pools, index);
            assert!(!visit.steps.is_empty());
            let answers: HashMap<&str, u16> = visit.steps.iter().map(|s| (s.url.as_str(), s.status)).collect();
            for step in &visit.steps {
                all += 1;
                ok += u32::from((200..300).contains(&step.status));
                redirects += u32::from((300..400).contains(&step.status));
                if let Some(location) = &step.location {
                    let target = url::Url::parse(&step.url).unwrap().join(location).map(|mut url| {
                        url.set_fragment(None);
                        String::from(url)
                    });
                    let found = target.is_ok_and(|t| answers.keys().any(|u| url::Url::parse(u).unwrap().as_str() == t));
                    unresolved += u32::from(!found);
                }
            }
        }
        assert!((28..=36).contains(&(redirects * 100 / all)), "{redirects} of {all}");
        assert!((47..=56).contains(&(ok * 100 / all)), "{ok} of {all}");
        assert!((150..450).contains(&unresolved), "{unresolved}");
    }
}
