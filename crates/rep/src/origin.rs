//! Which URLs a robots.txt rules (spec, section 1; RFC 9309, 2.3).

use url::{Host, Url};

/// Scheme, host and port: what one robots.txt speaks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    scheme: String,
    host: Host<String>,
    port: u16,
}

impl Origin {
    /// The origin of a URL with a host; the scheme's standard port (http 80, https 443, ftp 21) is the same as none, and
    /// an internationalised host is its punycode (spec 1.2-1.4). `None` where there is no host or no known port.
    pub fn of(url: &Url) -> Option<Origin> {
        Some(Origin {
            scheme: url.scheme().to_owned(),
            host: url.host()?.to_owned(),
            port: url.port_or_known_default()?,
        })
    }
}

impl std::fmt::Display for Origin {
    /// `https://host[:port]`, without a slash, the standard port left out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        let standard = match self.scheme.as_str() {
            "http" | "ws" => 80,
            "https" | "wss" => 443,
            "ftp" => 21,
            _ => 0,
        };
        if self.port == standard { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// Whether the file at `robots_url` rules `url`: it is `/robots.txt` at the root, in that spelling, of the same origin.
pub fn rules(robots_url: &str, url: &str) -> bool {
    let (Ok(robots), Ok(url)) = (Url::parse(robots_url), Url::parse(url)) else { return false };
    robots.path() == "/robots.txt"
        && robots.query().is_none()
        && Origin::of(&robots).is_some_and(|origin| Origin::of(&url) == Some(origin))
}
