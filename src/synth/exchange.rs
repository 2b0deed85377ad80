//! One answer as the archive holds it: the HTTP head with what the crawler did to it, and the decoded body.

use super::body::CONTENT_LIMIT;
use super::calendar::Moment;
use super::page;
use super::rng::Rng;
use super::site::{Payload, Step};
use super::words;

/// How the two sides talked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    /// HTTP/1.1 in the clear.
    Plain,
    /// HTTP/1.1 over TLS 1.2.
    Tls,
    /// HTTP/2 over TLS 1.3.
    H2,
}

/// A fetch and its answer.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    /// The URL asked for.
    pub(super) url: String,
    /// When, in seconds since 1970.
    pub(super) time: i64,
    /// HTTP status; 0 for none.
    pub(super) status: u16,
    /// `Location`.
    pub(super) location: Option<String>,
    /// `Content-Type`.
    pub(super) content_type: Option<String>,
    /// The HTTP head: status line, fields and the blank line.
    pub(super) head: Vec<u8>,
    /// The decoded body, cut at the content limit.
    pub(super) body: Vec<u8>,
    /// Why the body is cut.
    pub(super) truncated: Option<&'static str>,
    /// How the two sides talked.
    pub(super) transport: Transport,
    /// The address fetched from.
    pub(super) peer: String,
}

/// The reason phrase of a status.
pub(super) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        410 => "Gone",
        429 => "Too Many Requests",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

/// Carries out one step of a visit to `host` at `time`.
pub(super) fn carry_out(seed: u64, rng: &mut Rng, host: &str, step: Step, time: i64) -> Exchange {
    let mut body = Vec::with_capacity(1024);
    match step.payload {
        Payload::Text(text) => text.write(seed, host, &mut body),
        Payload::Error if rng.chance(8_800) => page::error(rng, step.status, reason(step.status), &mut body),
        Payload::Moved if rng.chance(7_500) => {
            page::moved(step.status, reason(step.status), step.location.as_deref().unwrap_or_default(), &mut body);
        }
        Payload::Home => page::soft_error(rng, host, &mut body),
        Payload::Error | Payload::Moved | Payload::Nothing => {}
    }
    let mut truncated = None;
    if body.len() > CONTENT_LIMIT {
        body.truncate(CONTENT_LIMIT);
        truncated = Some("length");
    } else if body.len() > 200 && rng.chance(6) {
        let keep = rng.between(1, body.len() as u64 - 1) as usize;
        body.truncate(keep);
        truncated = Some(rng.pick(&["disconnect", "time", "unspecified"]));
    }
    let transport = match step.url.starts_with("https:") {
        true if rng.chance(6_800) => Transport::H2,
        true => Transport::Tls,
        false => Transport::Plain,
    };
    let content_type = content_type(rng, step.payload, &body);
    let mut head = Head::new(rng, transport, step.status);
    head.fill(rng, time, content_type.as_deref(), step.location.as_deref(), body.len());
    Exchange {
        url: step.url,
        time,
        status: step.status,
        location: step.location,
        content_type,
        head: head.bytes,
        body,
        truncated,
        transport,
        peer: words::peer(rng),
    }
}

fn content_type(rng: &mut Rng, payload: Payload, body: &[u8]) -> Option<String> {
    let html = match payload {
        Payload::Text(_) => body.starts_with(b"<") && rng.chance(9_000),
        _ => !body.is_empty() || rng.chance(4_000),
    };
    let text = if html {
        rng.pick(&[
            "text/html",
            "text/html",
            "text/html; charset=utf-8",
            "text/html; charset=UTF-8",
            "text/html;charset=iso-8859-1",
        ])
    } else if matches!(payload, Payload::Text(_)) {
        match rng.below(100) {
            0..46 => "text/plain",
            46..68 => "text/plain; charset=utf-8",
            68..88 => "text/plain; charset=UTF-8",
            88..93 => "text/plain;charset=UTF-8",
            93 => "text/plain; charset=iso-8859-1",
            94 => "text/html; charset=UTF-8",
            95 => "application/octet-stream",
            96 => "TEXT/PLAIN; Charset=\"utf-8\"",
            97 => "text/x-robots",
            _ => return None,
        }
    } else {
        return None;
    };
    Some(text.to_owned())
}

/// An HTTP head being written.
struct Head {
    bytes: Vec<u8>,
    lower: bool,
}

impl Head {
    /// Begins with the status line; the archive writes HTTP/1.1 for HTTP/2 too, whose field names are lower case.
    fn new(rng: &mut Rng, transport: Transport, status: u16) -> Head {
        let version = if transport == Transport::Plain && rng.chance(60) { "1.0" } else { "1.1" };
        // HTTP/2 has no reason phrase; most of the archive's writers put the usual one.
        let phrase = if transport == Transport::H2 && rng.chance(1_500) { "" } else { reason(status) };
        let mut bytes = Vec::with_capacity(640);
        bytes.extend_from_slice(format!("HTTP/{version} {status} {phrase}\r\n").as_bytes());
        Head { bytes, lower: transport == Transport::H2 }
    }

    fn field(&mut self, name: &str, value: &str) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(name.as_bytes());
        if self.lower {
            self.bytes[from..].make_ascii_lowercase();
        }
        self.bytes.extend_from_slice(b": ");
        self.bytes.extend_from_slice(value.as_bytes());
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// A field that the crawler renamed, since the body is stored decoded: its own prefix, the server's spelling.
    fn renamed(&mut self, name: &str, value: &str) {
        self.bytes.extend_from_slice(b"X-Crawler-");
        self.field(name, value);
    }

    fn fill(&mut self, rng: &mut Rng, time: i64, content_type: Option<&str>, location: Option<&str>, length: usize) {
        let server = rng.pick(&[
            "nginx",
            "nginx",
            "nginx",
            "cloudflare",
            "cloudflare",
            "cloudflare",
            "Apache",
            "Apache",
            "LiteSpeed",
            "openresty",
            "Apache/2.4.41 (Ubuntu)",
            "nginx/1.18.0 (Ubuntu)",
            "Microsoft-IIS/10.0",
            "AmazonS3",
            "Pepyaka",
            "Squarespace",
            "GSE",
        ]);
        if server != "cloudflare" {
            self.field("Server", server);
        }
        self.field("Date", &Moment::new(time).http());
        if let Some(value) = content_type {
            self.field("Content-Type", value);
        }
        if let Some(value) = location {
            self.field("Location", value);
        }
        if rng.chance(4_500) {
            self.field("Last-Modified", &Moment::new(time - rng.below(60_000_000) as i64).http());
            let tag = rng.bits();
            self.field("ETag", &format!("\"{:x}-{:x}\"", length, tag >> 16));
        }
        if rng.chance(4_000) {
            let value = rng.pick(&[
                "max-age=0",
                "max-age=300",
                "max-age=3600",
                "public, max-age=14400",
                "max-age=86400",
                "private, no-store",
                "no-cache",
                "public, max-age=604800, immutable",
                "no-cache, no-store, must-revalidate",
                "max-age=600, public",
            ]);
            self.field("Cache-Control", value);
        }
        if rng.chance(3_500) {
            self.field("Vary", rng.pick(&["Accept-Encoding", "Accept-Encoding,User-Agent", "Accept-Encoding, Cookie"]));
        }
        if !self.lower {
            self.field("Connection", rng.pick(&["keep-alive", "keep-alive", "close"]));
        }
        if rng.chance(2_000) {
            self.field(
                "Strict-Transport-Security",
                rng.pick(&["max-age=31536000", "max-age=31536000; includeSubDomains"]),
            );
            self.field("X-Content-Type-Options", "nosniff");
        }
        if rng.chance(1_500) {
            self.field("X-Frame-Options", "SAMEORIGIN");
            self.field("X-Powered-By", rng.pick(&["PHP/8.1.27", "PHP/7.4.33", "ASP.NET", "Express", "PleskLin"]));
        }
        if rng.chance(1_300) {
            for _ in 0..rng.pick(&[1u8, 1, 2]) {
                let value = format!("sid={:016x}; Path=/; HttpOnly; SameSite=Lax", rng.bits());
                self.field("Set-Cookie", &value);
            }
        }
        if rng.chance(900) {
            self.field("Link", "</wp-json/>; rel=\"https://api.w.org/\"");
            self.field("X-Robots-Tag", "noindex, follow");
        }
        if server == "cloudflare" {
            self.field("CF-Cache-Status", rng.pick(&["DYNAMIC", "HIT", "MISS", "EXPIRED", "REVALIDATED"]));
            self.field("Server", server);
            let ray = rng.bits();
            self.field("CF-RAY", &format!("{ray:016x}-{}", rng.pick(&["IAD", "FRA", "AMS", "DFW"])));
            self.field("Alt-Svc", "h3=\":443\"; ma=86400");
        }
        let wire = (length as u64 * rng.between(30, 70) / 100 + 20).to_string();
        if rng.chance(5_500) {
            self.renamed("Content-Encoding", rng.pick(&["gzip", "gzip", "br"]));
        }
        if !self.lower && rng.chance(4_500) {
            self.renamed("Transfer-Encoding", "chunked");
        } else if rng.chance(3_000) {
            self.renamed("Content-Length", &wire);
        }
        // The crawler's own field, the length of what is stored.
        self.lower = false;
        self.field("Content-Length", &length.to_string());
        self.bytes.extend_from_slice(b"\r\n");
    }
}

/// The request that goes with an exchange, as the crawler sends it.
pub(super) fn request(url: &str) -> Vec<u8> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    format!(
        "GET {path} HTTP/1.1\r\nUser-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\n\
         Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n\
         Accept-Encoding: br,gzip\r\nHost: {host}\r\nConnection: Keep-Alive\r\n\r\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::body::Body;

    #[test]
    fn heads_can_be_parsed_and_state_the_stored_length() {
        for number in 0..2_000u64 {
            let mut rng = Rng::keyed(3, 3, number);
            let scheme = rng.pick(&["http", "https"]);
            let step = Step {
                url: format!("{scheme}://www.example.com/robots.txt"),
                status: 200,
                location: None,
                payload: Payload::Text(Body::Own(number)),
            };
            let exchange = carry_out(3, &mut rng, "www.example.com", step, 1_790_000_000);
            let mut fields = [httparse::EMPTY_HEADER; 64];
            let mut parsed = httparse::Response::new(&mut fields);
            assert_eq!(parsed.parse(&exchange.head).unwrap(), httparse::Status::Complete(exchange.head.len()));
            let of = |name: &str| parsed.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name)).count();
            assert_eq!((of("content-length"), of("date"), of("server")), (1, 1, 1));
            let lower = parsed.headers.iter().all(|h| {
                !h.name.starts_with(char::is_uppercase) || h.name.len() == 14 || h.name.starts_with("X-Crawler-")
            });
            assert_eq!(lower, exchange.transport == Transport::H2);
        }
    }

    #[test]
    fn the_request_names_host_and_path() {
        let text = String::from_utf8(request("https://a.example:8443/robots.txt?v=2")).unwrap();
        assert!(text.starts_with("GET /robots.txt?v=2 HTTP/1.1\r\n") && text.contains("\r\nHost: a.example:8443\r\n"));
        assert!(request("http://a.example").starts_with(b"GET / "));
    }
}
