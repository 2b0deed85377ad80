//! Takes a capture's URL apart into the columns that Common Crawl's index has, and makes redirect targets absolute.
//!
//! Host, scheme and port are as the WHATWG URL standard reads them; path and query are kept letter by letter as the
//! URL has them, as in Common Crawl's index, so `url_path` is what was asked for and not what it could be mended to.

use memchr::{memchr, memchr2, memrchr};
use psl::{List, Psl as _, Type};
use std::borrow::Cow;
use url::{Host, Url};

/// The parts of a URL. Of one that cannot be parsed every part is `None` and the host empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Address<'a> {
    /// Scheme in lower case (`url_protocol`).
    pub protocol: Option<Cow<'a, str>>,
    /// Host in lower case and punycode, IPv6 addresses in brackets, without the dot that may end it (`url_host_name`).
    /// Empty where the URL has none.
    pub host: Cow<'a, str>,
    /// Port, `None` when it is the scheme's standard one or not given (`url_port`).
    pub port: Option<u16>,
    /// Path as the URL has it; empty when nothing follows the host (`url_path`).
    pub path: Option<&'a str>,
    /// What follows `?`, without it; `None` without a `?` (`url_query`).
    pub query: Option<&'a str>,
    /// Whether the path is exactly `/robots.txt` and there is no query (robots-spec 1.1).
    pub is_robots_url: bool,
    /// Where the last label of the host begins; `None` for addresses.
    tld: Option<usize>,
    /// Where the registered domain begins in the host.
    registered: Option<usize>,
}

impl<'a> Address<'a> {
    /// Takes `url` apart. Plain http(s) URLs (nearly all) cost no allocation; the rest goes through the `url` crate.
    pub fn parse(url: &'a str) -> Address<'a> {
        Address::plain(url).unwrap_or_else(|| Address::careful(url))
    }

    /// Last label of the host, whether or not such a top-level domain exists; `None` for addresses (`url_host_tld`).
    pub fn tld(&self) -> Option<&str> {
        self.tld.and_then(|start| self.host.get(start..))
    }

    /// The name one label below the public suffix (`url_host_registered_domain`): ICANN section of the Public Suffix
    /// List only, so `a.github.io` gives `github.io`; `None` for addresses, single labels, public suffixes and names
    /// under no known suffix, as in Common Crawl's index.
    pub fn registered_domain(&self) -> Option<&str> {
        self.registered.and_then(|start| self.host.get(start..))
    }

    /// The URLs that need no parser: `http(s)://plain-host[:port][/...]`, which WHATWG reads as they stand.
    fn plain(url: &'a str) -> Option<Address<'a>> {
        let bytes = url.as_bytes();
        let (protocol, standard_port, start) = scheme(bytes)?;
        if bytes.last().is_some_and(|last| *last <= b' ') {
            return None;
        }
        let host_end = start + plain_host(&bytes[start..])?;
        let mut end = host_end;
        let mut port = None;
        if bytes.get(end) == Some(&b':') {
            let digits = bytes[end + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
            let number: u16 = url.get(end + 1..end + 1 + digits)?.parse().ok()?;
            port = (number != standard_port).then_some(number);
            end += 1 + digits;
        }
        if !matches!(bytes.get(end), None | Some(b'/' | b'?' | b'#')) {
            return None;
        }
        let (path, query) = path_and_query(url.get(end..)?);
        let host = url.get(start..host_end)?;
        Some(Address::of(Cow::Borrowed(protocol), Cow::Borrowed(host), false, port, path, query))
    }

    /// Any other URL.
    fn careful(raw: &'a str) -> Address<'a> {
        let text = raw.trim_matches(|c: char| c <= ' ');
        let Ok(url) = Url::parse(text) else { return Address::default() };
        let (mut host, is_address) = match url.host() {
            Some(Host::Domain(name)) => (name.to_owned(), false),
            Some(_) => (url.host_str().unwrap_or_default().to_owned(), true),
            None => (String::new(), false),
        };
        if host.ends_with('.') {
            host.pop();
        }
        let (path, query) = path_and_query(after_authority(text, url.scheme()));
        let protocol = Cow::Owned(url.scheme().to_owned());
        Address::of(protocol, Cow::Owned(host), is_address, url.port(), path, query)
    }

    fn of(
        protocol: Cow<'a, str>,
        host: Cow<'a, str>,
        is_address: bool,
        port: Option<u16>,
        path: &'a str,
        query: Option<&'a str>,
    ) -> Address<'a> {
        let named = !is_address && !host.is_empty();
        Address {
            tld: named.then(|| memrchr(b'.', host.as_bytes()).map_or(0, |dot| dot + 1)),
            registered: if named { registered_domain(host.as_bytes()) } else { None },
            is_robots_url: path == "/robots.txt" && query.is_none() && !host.is_empty(),
            protocol: Some(protocol),
            host,
            port,
            path: Some(path),
            query,
        }
    }
}

/// Where a `Location` leads: absolute and serialised as WHATWG does (a fragment stays), relative to `base`, the URL
/// that was asked for. `None` when it is empty, cannot be parsed, or leads out of HTTP, where no crawler follows.
///
/// Bytes outside ASCII are escaped one by one, which browsers do too: the server gets back the bytes that it sent,
/// whatever their encoding; in a host they are read as UTF-8.
pub fn redirect_target<'l>(base: &str, location: &'l [u8]) -> Option<Cow<'l, str>> {
    let location = trim_blanks(location);
    if location.is_empty() {
        return None;
    }
    if serialises_to_itself(location) {
        return std::str::from_utf8(location).ok().map(Cow::Borrowed);
    }
    let reference = escape_beyond_ascii(location);
    let target = match Url::parse(base) {
        Ok(base) => base.join(&reference),
        Err(_) => Url::parse(&reference),
    };
    target.ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(|url| Cow::Owned(url.into()))
}

/// A URL as captures and redirects are matched by: serialised as WHATWG does, without fragment, user name, password and standard
/// port. What is no URL stays as it is.
pub fn canonical(url: &str) -> Cow<'_, str> {
    if serialises_to_itself(url.as_bytes()) {
        return Cow::Borrowed(url);
    }
    let Ok(mut parsed) = Url::parse(url) else { return Cow::Borrowed(url) };
    parsed.set_fragment(None);
    // URLs that cannot have them have none.
    let _ = parsed.set_username("");
    let _ = parsed.set_password(None);
    Cow::Owned(parsed.into())
}

/// Scheme, its standard port and the offset of the host, when the URL begins `http://` or `https://` in lower case.
fn scheme(url: &[u8]) -> Option<(&'static str, u16, usize)> {
    if url.starts_with(b"https://") {
        Some(("https", 443, 8))
    } else if url.starts_with(b"http://") {
        Some(("http", 80, 7))
    } else {
        None
    }
}

/// Length of the host at the start of `bytes` if WHATWG leaves it as it is: lower-case ASCII labels, none empty, no
/// punycode to check and no last label that could make it a number.
fn plain_host(bytes: &[u8]) -> Option<usize> {
    let is_punycode = |label: usize| bytes[label..].starts_with(b"xn--");
    let mut label = 0;
    let mut end = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => {}
            b'.' if at > label && !is_punycode(label) => label = at + 1,
            b'/' | b':' | b'?' | b'#' => break,
            _ => return None,
        }
        end = at + 1;
    }
    (label < end && !bytes[label].is_ascii_digit() && !is_punycode(label)).then_some(end)
}

/// What follows scheme and authority in `text`, which is known to be a URL of this scheme.
fn after_authority<'a>(text: &'a str, scheme: &str) -> &'a str {
    let rest = memchr(b':', text.as_bytes()).and_then(|colon| text.get(colon + 1..)).unwrap_or_default();
    let special = matches!(scheme, "http" | "https" | "ftp" | "ws" | "wss" | "file");
    let is_slash = |c: char| c == '/' || (special && c == '\\');
    let authority = if special && scheme != "file" {
        // Any number of slashes, none included, leads to the authority here; blanks among them are dropped.
        rest.trim_start_matches(|c: char| is_slash(c) || matches!(c, '\t' | '\n' | '\r'))
    } else {
        let mut chars = rest.chars();
        match (chars.next().is_some_and(is_slash), chars.next().is_some_and(is_slash)) {
            (true, true) => chars.as_str(),
            _ => return rest,
        }
    };
    authority.find(|c: char| is_slash(c) || c == '?' || c == '#').and_then(|at| authority.get(at..)).unwrap_or_default()
}

/// Splits what follows the authority into path and query, and drops the fragment.
fn path_and_query(rest: &str) -> (&str, Option<&str>) {
    let Some(at) = memchr2(b'?', b'#', rest.as_bytes()) else { return (rest, None) };
    let (path, rest) = rest.split_at(at);
    match rest.strip_prefix('?') {
        Some(query) => (path, Some(memchr(b'#', query.as_bytes()).map_or(query, |at| &query[..at]))),
        None => (path, None),
    }
}

/// Where the registered domain begins in `host`, by the ICANN section of the Public Suffix List.
fn registered_domain(host: &[u8]) -> Option<usize> {
    let mut suffix = host;
    loop {
        let info = List.find(suffix.rsplit(|byte| *byte == b'.'));
        suffix = suffix.get(suffix.len().checked_sub(info.len)?..)?;
        match info.typ {
            Some(Type::Icann) => break,
            // A private suffix stands below an ICANN one: what is left without its first label has to match that.
            Some(Type::Private) => suffix = suffix.get(memchr(b'.', suffix)? + 1..)?,
            None => return None,
        }
    }
    let dot = host.len().checked_sub(suffix.len() + 1)?;
    let start = memrchr(b'.', host.get(..dot)?).map_or(0, |dot| dot + 1);
    (start < dot).then_some(start)
}

/// Whether a `Location` is an absolute http(s) URL that WHATWG serialises as it stands.
fn serialises_to_itself(location: &[u8]) -> bool {
    let Some((_, _, start)) = scheme(location) else { return false };
    let Some(length) = plain_host(&location[start..]) else { return false };
    let rest = &location[start + length..];
    if rest.first() != Some(&b'/') {
        return false;
    }
    // Dot segments and escaped dots are the only things in a path of these bytes that get rewritten.
    let mut previous = b'/';
    for (at, byte) in rest.iter().enumerate() {
        let plain = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => true,
            b'-' | b'_' | b'~' | b'!' | b'$' | b'&' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b'@' => true,
            b'/' | b'?' | b':' => true,
            b'.' => previous != b'/',
            b'%' => rest.get(at + 1) != Some(&b'2'),
            _ => false,
        };
        if !plain {
            return false;
        }
        previous = *byte;
    }
    true
}

/// The header value as a URL reference: ASCII as it is, every other byte as an escape of its own.
fn escape_beyond_ascii(value: &[u8]) -> Cow<'_, str> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    if value.is_ascii() {
        return String::from_utf8_lossy(value);
    }
    let mut text = String::with_capacity(value.len() + 16);
    for byte in value {
        if byte.is_ascii() {
            text.push(char::from(*byte));
        } else {
            text.push('%');
            text.push(char::from(HEX[usize::from(byte >> 4)]));
            text.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    Cow::Owned(text)
}

/// A header value without the blanks and control bytes around it.
fn trim_blanks(mut value: &[u8]) -> &[u8] {
    while let [0..=b' ', rest @ ..] = value {
        value = rest;
    }
    while let [rest @ .., 0..=b' '] = value {
        value = rest;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers that are the same everywhere (xorshift64*).
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
        }

        fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
            choices[self.roll(choices.len())]
        }

        fn text(&mut self, alphabet: &[&str], most: usize) -> String {
            (0..self.roll(most + 1)).map(|_| self.pick(alphabet)).collect()
        }
    }

    /// url, protocol, host, port, path, query, tld, registered domain, robots.txt or not.
    type Row = (
        &'static str,
        &'static str,
        &'static str,
        Option<u16>,
        &'static str,
        Option<&'static str>,
        Option<&'static str>,
        Option<&'static str>,
        bool,
    );

    #[test]
    #[rustfmt::skip]
    fn urls_come_apart_as_in_common_crawls_index() {
        let rows: &[Row] = &[
            ("https://www.example.com/robots.txt", "https", "www.example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("http://example.com:80/robots.txt", "http", "example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("http://example.com:8080/robots.txt", "http", "example.com", Some(8080), "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("https://example.com:0443/robots.txt", "https", "example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("http://example.com:443/robots.txt", "http", "example.com", Some(443), "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("http://example.com:/robots.txt", "http", "example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("https://example.com/Robots.txt", "https", "example.com", None, "/Robots.txt", None, Some("com"), Some("example.com"), false),
            ("https://example.com/robots.txt?", "https", "example.com", None, "/robots.txt", Some(""), Some("com"), Some("example.com"), false),
            ("https://example.com/robots.txt?a=b#c", "https", "example.com", None, "/robots.txt", Some("a=b"), Some("com"), Some("example.com"), false),
            ("https://example.com/robots.txt#top?x", "https", "example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("https://example.com/a/robots.txt", "https", "example.com", None, "/a/robots.txt", None, Some("com"), Some("example.com"), false),
            ("http://commoncrawl.org", "http", "commoncrawl.org", None, "", None, Some("org"), Some("commoncrawl.org"), false),
            ("http://example.com?q", "http", "example.com", None, "", Some("q"), Some("com"), Some("example.com"), false),
            ("HTTP://WWW.Example.COM/Path?Q", "http", "www.example.com", None, "/Path", Some("Q"), Some("com"), Some("example.com"), false),
            ("https://www.müller.eu/robots.txt", "https", "www.xn--mller-kva.eu", None, "/robots.txt", None, Some("eu"), Some("xn--mller-kva.eu"), true),
            ("https://www.xn--mller-kva.eu/robots.txt", "https", "www.xn--mller-kva.eu", None, "/robots.txt", None, Some("eu"), Some("xn--mller-kva.eu"), true),
            ("https://пример.рф/", "https", "xn--e1afmkfd.xn--p1ai", None, "/", None, Some("xn--p1ai"), Some("xn--e1afmkfd.xn--p1ai"), false),
            ("https://a.b.xn--55qx5d.cn/", "https", "a.b.xn--55qx5d.cn", None, "/", None, Some("cn"), Some("b.xn--55qx5d.cn"), false),
            ("https://user:pw@example.co.uk/a b", "https", "example.co.uk", None, "/a b", None, Some("uk"), Some("example.co.uk"), false),
            ("https:////sites.example.com/robots.txt", "https", "sites.example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("https:\\\\example.com\\robots.txt", "https", "example.com", None, "\\robots.txt", None, Some("com"), Some("example.com"), false),
            (" https://example.com/robots.txt\n", "https", "example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("https://ex%41mple.com/%7e/../x", "https", "example.com", None, "/%7e/../x", None, Some("com"), Some("example.com"), false),
            ("https://example.com./robots.txt", "https", "example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("http://165.22.100.0/robots.txt", "http", "165.22.100.0", None, "/robots.txt", None, None, None, true),
            ("http://0x7f.1/robots.txt", "http", "127.0.0.1", None, "/robots.txt", None, None, None, true),
            ("http://[2001:DB8::0001]:8080/robots.txt", "http", "[2001:db8::1]", Some(8080), "/robots.txt", None, None, None, true),
            ("http://localhost/robots.txt", "http", "localhost", None, "/robots.txt", None, Some("localhost"), None, true),
            ("http://host.invalid/robots.txt", "http", "host.invalid", None, "/robots.txt", None, Some("invalid"), None, true),
            ("https://a.github.io/robots.txt", "https", "a.github.io", None, "/robots.txt", None, Some("io"), Some("github.io"), true),
            ("https://github.io/", "https", "github.io", None, "/", None, Some("io"), Some("github.io"), false),
            ("https://my.blogspot.com/", "https", "my.blogspot.com", None, "/", None, Some("com"), Some("blogspot.com"), false),
            ("https://b.s3.dualstack.us-east-1.amazonaws.com/", "https", "b.s3.dualstack.us-east-1.amazonaws.com", None, "/", None, Some("com"), Some("amazonaws.com"), false),
            ("https://a.blogspot.co.uk/", "https", "a.blogspot.co.uk", None, "/", None, Some("uk"), Some("blogspot.co.uk"), false),
            ("https://x.co.uk/", "https", "x.co.uk", None, "/", None, Some("uk"), Some("x.co.uk"), false),
            ("https://co.uk/", "https", "co.uk", None, "/", None, Some("uk"), None, false),
            ("https://a.b.ck/", "https", "a.b.ck", None, "/", None, Some("ck"), Some("a.b.ck"), false),
            ("https://b.ck/", "https", "b.ck", None, "/", None, Some("ck"), None, false),
            ("https://www.ck/", "https", "www.ck", None, "/", None, Some("ck"), Some("www.ck"), false),
            ("https://a.www.ck/", "https", "a.www.ck", None, "/", None, Some("ck"), Some("www.ck"), false),
            ("https://city.kawasaki.jp/", "https", "city.kawasaki.jp", None, "/", None, Some("jp"), Some("city.kawasaki.jp"), false),
            ("https://x.y.kawasaki.jp/", "https", "x.y.kawasaki.jp", None, "/", None, Some("jp"), Some("x.y.kawasaki.jp"), false),
            ("https://a_b.example.com/", "https", "a_b.example.com", None, "/", None, Some("com"), Some("example.com"), false),
            ("ftp://example.com:21/robots.txt", "ftp", "example.com", None, "/robots.txt", None, Some("com"), Some("example.com"), true),
            ("dns:www.example.com", "dns", "", None, "www.example.com", None, None, None, false),
            ("urn:/robots.txt", "urn", "", None, "/robots.txt", None, None, None, false),
        ];
        for (url, protocol, host, port, path, query, tld, registered, is_robots) in rows {
            let address = Address::parse(url);
            assert_eq!(address.protocol.as_deref(), Some(*protocol), "{url}");
            assert_eq!(address.host, *host, "{url}");
            assert_eq!(address.port, *port, "{url}");
            assert_eq!(address.path, Some(*path), "{url}");
            assert_eq!(address.query, *query, "{url}");
            assert_eq!(address.tld(), *tld, "{url}");
            assert_eq!(address.registered_domain(), *registered, "{url}");
            assert_eq!(address.is_robots_url, *is_robots, "{url}");
        }
    }

    #[test]
    fn what_is_no_url_has_no_parts() {
        let not_urls =
            ["", " ", "robots.txt", "/robots.txt", "http://", "http:///", "http://a b/", "https://a.com:99999/"];
        for url in
            not_urls.into_iter().chain(["http://[::1/", "http://1.2.3.4.5/", "http://exa<mple.com/", "http://%/"])
        {
            let address = Address::parse(url);
            assert_eq!(address, Address::default(), "{url}");
            assert_eq!((address.tld(), address.registered_domain()), (None, None));
        }
    }

    #[test]
    fn the_short_way_reads_every_url_as_the_long_one() {
        let mut dice = Dice(1);
        let host =
            ["a", "b1", "xn--", "-", ".", "com", "co.uk", "github.io", "1", "0x", "_", "www.", "%41", "A", "ü", " "];
        let rest = ["/", "robots.txt", "?", "#", "a", "%2e", "..", "ä", "\\", " ", "\t", ":", "@", "//"];
        let mut plain = 0;
        for _ in 0..200_000 {
            let mut url = dice.pick(&["http://", "https://", "https://", "http:", "HTTP://", "ftp://"]).to_owned();
            let letters = if dice.roll(2) == 0 { 12 } else { host.len() };
            url += &dice.text(&host[..letters], 5);
            url += dice.pick(&["", "", ":80", ":443", ":8080", ":", ":70000", ":08", ":x"]);
            url += dice.pick(&["", "/", "/robots.txt"]);
            url += &dice.text(&rest, 3);
            if let Some(fast) = Address::plain(&url) {
                assert_eq!(fast, Address::careful(&url), "{url:?}");
                plain += 1;
            }
        }
        assert!(plain > 10_000, "only {plain} went the short way");
    }

    #[test]
    #[rustfmt::skip]
    fn redirect_targets_are_absolute() {
        let base = "http://www.example.com/robots.txt";
        let rows: &[(&str, Option<&str>)] = &[
            ("https://www.example.com/robots.txt", Some("https://www.example.com/robots.txt")),
            ("https://www.example.com", Some("https://www.example.com/")),
            ("HTTPS://WWW.Example.com/A", Some("https://www.example.com/A")),
            ("https://www.example.com:443/a", Some("https://www.example.com/a")),
            ("https://www.example.com:8443/a", Some("https://www.example.com:8443/a")),
            ("/files/robots.txt", Some("http://www.example.com/files/robots.txt")),
            ("robots.txt?v=2", Some("http://www.example.com/robots.txt?v=2")),
            ("//cdn.example.com/robots.txt", Some("http://cdn.example.com/robots.txt")),
            ("?a", Some("http://www.example.com/robots.txt?a")),
            ("http:next", Some("http://www.example.com/next")),
            ("https:next.example/", Some("https://next.example/")),
            ("https://a.example/x/../robots.txt", Some("https://a.example/robots.txt")),
            ("https://a.example/%2e/robots.txt", Some("https://a.example/robots.txt")),
            ("https://a.example/robots.txt#top", Some("https://a.example/robots.txt#top")),
            ("https://a.example/a b", Some("https://a.example/a%20b")),
            ("  /padded \t", Some("http://www.example.com/padded")),
            ("https://müller.example/ä?ö", Some("https://xn--mller-kva.example/%C3%A4?%C3%B6")),
            ("", None),
            (" \t", None),
            ("http://", None),
            ("https://exa mple.com/", None),
            ("javascript:alert(1)", None),
            ("mailto:a@example.com", None),
            ("ftp://example.com/robots.txt", None),
        ];
        for (location, target) in rows {
            assert_eq!(redirect_target(base, location.as_bytes()).as_deref(), *target, "{location:?}");
        }
        assert_eq!(redirect_target(base, b"/caf\xe9").as_deref(), Some("http://www.example.com/caf%E9"));
        assert_eq!(redirect_target(base, b"https://caf\xe9.example/"), None);
        assert_eq!(redirect_target("no url", b"/a"), None);
        assert_eq!(redirect_target("no url", b"https://a.example/").as_deref(), Some("https://a.example/"));
    }

    #[test]
    #[rustfmt::skip]
    fn urls_that_mean_the_same_are_the_same() {
        let rows: &[(&str, &str)] = &[
            ("https://www.example.com/robots.txt", "https://www.example.com/robots.txt"),
            ("HTTPS://WWW.Example.COM:443/robots.txt#top", "https://www.example.com/robots.txt"),
            ("http://example.com:80", "http://example.com/"),
            ("http://example.com:443/a?b#c", "http://example.com:443/a?b"),
            ("https://me:secret@example.com/a", "https://example.com/a"),
            ("https://müller.example/ä", "https://xn--mller-kva.example/%C3%A4"),
            ("https://a.example/x/../%2e/robots.txt", "https://a.example/robots.txt"),
            ("http://0x7f.1/robots.txt", "http://127.0.0.1/robots.txt"),
            ("http://[2001:DB8:0::1]:80/", "http://[2001:db8::1]/"),
            ("https://a.example/robots.txt?", "https://a.example/robots.txt?"),
            ("dns:example.com#x", "dns:example.com"),
            ("no url", "no url"),
        ];
        for (url, expected) in rows {
            assert_eq!(canonical(url), *expected, "{url}");
            assert_eq!(canonical(expected), *expected, "{url}");
        }
    }

    #[test]
    fn a_target_taken_as_it_stands_is_what_the_parser_would_write() {
        let mut dice = Dice(2);
        let parts = [
            "a", "B", "/", ".", "..", "?", "%2", "%3f", "%2E", "e", "(", "'", "~", "=&", ":", "@", "^", "|", "\\", "{",
            "ü", "#",
        ];
        let mut taken = 0;
        for _ in 0..200_000 {
            let mut url = dice.pick(&["http://", "https://"]).to_owned();
            url += dice.pick(&["a.example", "a.example:80", "a.example:8080", "a..b", "a.1", "xn--a.b", "a-.b_", "a."]);
            url += dice.pick(&["/", "/", ""]);
            url += &dice.text(&parts, 6);
            if serialises_to_itself(url.as_bytes()) {
                assert_eq!(Url::parse(&url).unwrap().as_str(), url);
                taken += 1;
            }
        }
        assert!(taken > 2_000, "only {taken} were taken as they stand");
    }
}
