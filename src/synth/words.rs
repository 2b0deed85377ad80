//! The vocabulary of the made-up web: host names, path words, crawlers.
//!
//! Every made-up label ends in a number of its own, so that no two sites collide and none is likely to be a real one.

use super::rng::Rng;

/// Endings of host names and how common they are, per mille; the last ones are private suffixes.
const ENDINGS: &[(&str, u64)] = &[
    ("com", 430),
    ("org", 62),
    ("de", 58),
    ("net", 42),
    ("ru", 34),
    ("co.uk", 30),
    ("nl", 24),
    ("fr", 24),
    ("it", 22),
    ("com.br", 20),
    ("pl", 18),
    ("co.jp", 12),
    ("jp", 12),
    ("es", 16),
    ("com.au", 14),
    ("eu", 14),
    ("cz", 12),
    ("ca", 10),
    ("ch", 10),
    ("se", 9),
    ("info", 14),
    ("io", 9),
    ("cn", 6),
    ("com.cn", 5),
    ("co.kr", 5),
    ("com.tr", 5),
    ("com.ua", 5),
    ("co.in", 5),
    ("in", 5),
    ("gov", 4),
    ("edu", 5),
    ("ac.uk", 2),
    ("co.za", 4),
    ("us", 4),
    ("xyz", 5),
    ("online", 4),
    ("shop", 5),
    ("app", 3),
    ("dev", 3),
    ("museum", 1),
    ("blogspot.com", 9),
    ("wordpress.com", 6),
    ("myshopify.com", 4),
    ("github.io", 4),
    ("netlify.app", 2),
    ("pages.dev", 2),
    ("herokuapp.com", 2),
    ("web.app", 2),
];

/// Where the private suffixes begin in [`ENDINGS`]: sites below them have no `www`.
const PRIVATE: usize = ENDINGS.len() - 8;

const ONSETS: &[&str] = &[
    "b", "br", "c", "ch", "d", "dr", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr",
    "v", "w", "z",
];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "ai", "ea", "io", "ou"];
const CODAS: &[&str] = &["", "", "", "l", "n", "r", "s", "t", "nd", "rk", "x"];

const SUBDOMAINS: &[&str] =
    &["blog", "shop", "m", "news", "en", "de", "forum", "store", "docs", "portal", "mail", "my"];

/// Stems with letters beyond ASCII, one script each.
const INTERNATIONAL: &[&str] = &["müller", "café", "bücher", "пример", "中文网", "παράδειγμα", "例え", "مثال", "żółw"];

/// Words that paths are made of.
pub(super) const PATH_WORDS: &[&str] = &[
    "admin",
    "login",
    "search",
    "cart",
    "checkout",
    "account",
    "user",
    "users",
    "private",
    "tmp",
    "cgi-bin",
    "includes",
    "images",
    "media",
    "assets",
    "static",
    "scripts",
    "css",
    "js",
    "api",
    "ajax",
    "print",
    "feed",
    "rss",
    "tag",
    "tags",
    "category",
    "archive",
    "author",
    "comments",
    "trackback",
    "download",
    "files",
    "upload",
    "uploads",
    "docs",
    "data",
    "backup",
    "old",
    "test",
    "dev",
    "beta",
    "staging",
    "node",
    "page",
    "pages",
    "news",
    "blog",
    "forum",
    "wiki",
    "shop",
    "store",
    "product",
    "products",
    "catalog",
    "compare",
    "wishlist",
    "order",
    "orders",
    "basket",
    "customer",
    "profile",
    "members",
    "register",
    "signup",
    "logout",
    "password",
    "reset",
    "help",
    "support",
    "contact",
    "about",
    "terms",
    "privacy",
    "legal",
    "jobs",
    "events",
    "calendar",
    "gallery",
    "video",
    "audio",
    "maps",
    "stats",
    "reports",
    "export",
    "import",
    "cache",
    "config",
    "install",
    "setup",
    "modules",
    "plugins",
    "themes",
    "templates",
    "skins",
    "lib",
    "src",
    "bin",
    "var",
    "logs",
    "error",
    "redirect",
    "out",
    "go",
    "click",
    "ads",
    "banner",
    "partner",
    "affiliate",
    "mobile",
    "amp",
    "share",
    "email",
    "send",
    "review",
    "rating",
    "poll",
    "vote",
    "filter",
    "sort",
    "index",
    "home",
    "main",
];

/// Names of query parameters.
pub(super) const PARAMETERS: &[&str] = &[
    "s",
    "q",
    "p",
    "id",
    "sid",
    "ref",
    "page",
    "sort",
    "order",
    "dir",
    "limit",
    "filter",
    "lang",
    "utm_source",
    "session",
    "replytocom",
    "print",
    "format",
    "view",
    "tag",
    "color",
    "size",
    "price",
    "PHPSESSID",
    "fbclid",
    "return",
];

/// Endings of file names.
pub(super) const EXTENSIONS: &[&str] = &[
    "php", "html", "htm", "pdf", "asp", "aspx", "jsp", "cgi", "doc", "xls", "xml", "json", "js", "css", "gif", "jpg",
    "png",
];

/// Path words in other scripts, raw UTF-8.
pub(super) const FOREIGN_WORDS: &[&str] = &[
    "категория",
    "поиск",
    "корзина",
    "検索",
    "商品",
    "größe",
    "über-uns",
    "añadir",
    "página",
    "données",
    "zamówienie",
    "ürün",
];

/// Path words percent-encoded, in both cases of the hex digits.
pub(super) const ENCODED_WORDS: &[&str] = &[
    "%D0%BF%D0%BE%D0%B8%D1%81%D0%BA",
    "%d0%ba%d0%be%d1%80",
    "caf%C3%A9",
    "a%20b",
    "%7Euser",
    "100%25",
    "x%2Fy",
    "%E6%A4%9C",
];

/// Crawlers that sites close for training models; weight: how often a list of such names has this one, per mille.
pub(super) const AI_AGENTS: &[(&str, u64)] = &[
    ("GPTBot", 880),
    ("CCBot", 760),
    ("Google-Extended", 560),
    ("ClaudeBot", 480),
    ("anthropic-ai", 430),
    ("ChatGPT-User", 470),
    ("Bytespider", 400),
    ("PerplexityBot", 330),
    ("Amazonbot", 310),
    ("cohere-ai", 300),
    ("Claude-Web", 320),
    ("FacebookBot", 280),
    ("Applebot-Extended", 240),
    ("meta-externalagent", 200),
    ("OAI-SearchBot", 150),
    ("Diffbot", 190),
    ("omgili", 210),
    ("omgilibot", 180),
    ("ImagesiftBot", 140),
    ("YouBot", 110),
    ("Timpibot", 60),
    ("img2dataset", 50),
    ("AI2Bot", 40),
    ("PanguBot", 20),
    ("Kangaroo Bot", 20),
];

/// Crawlers of SEO services, weighted likewise.
pub(super) const SEO_AGENTS: &[(&str, u64)] = &[
    ("AhrefsBot", 700),
    ("MJ12bot", 720),
    ("SemrushBot", 460),
    ("DotBot", 400),
    ("BLEXBot", 200),
    ("rogerbot", 130),
    ("SemrushBot-SA", 90),
    ("DataForSeoBot", 80),
    ("serpstatbot", 60),
    ("SEOkicks", 60),
    ("Barkrowler", 70),
    ("spbot", 60),
    ("linkdexbot", 40),
    ("Screaming Frog SEO Spider", 30),
];

/// Search engines that get a group of their own.
pub(super) const SEARCH_AGENTS: &[(&str, u64)] = &[
    ("Googlebot", 640),
    ("Bingbot", 270),
    ("Yandex", 240),
    ("Baiduspider", 260),
    ("msnbot", 150),
    ("Slurp", 150),
    ("Googlebot-Image", 150),
    ("Googlebot-News", 60),
    ("Googlebot-Mobile", 60),
    ("DuckDuckBot", 60),
    ("Applebot", 60),
    ("PetalBot", 60),
    ("SeznamBot", 50),
    ("Yeti", 50),
    ("Sogou web spider", 40),
    ("360Spider", 40),
    ("YandexBot", 60),
    ("Mail.RU_Bot", 20),
];

/// Link previews, which are mostly let in.
pub(super) const SOCIAL_AGENTS: &[(&str, u64)] = &[
    ("Twitterbot", 640),
    ("facebookexternalhit", 330),
    ("LinkedInBot", 180),
    ("LinkedInBot/1.0", 60),
    ("Pinterest", 200),
    ("Slackbot", 30),
    ("Discordbot", 40),
    ("TelegramBot", 40),
];

/// The old copiers that one long list of "bad bots" names again and again.
pub(super) const COPIERS: &[&str] = &[
    "WebCopier",
    "WebZIP",
    "WebStripper",
    "MSIECrawler",
    "Offline Explorer",
    "SiteSnagger",
    "Teleport",
    "TeleportPro",
    "larbin",
    "DOC",
    "Wget",
    "HTTrack",
    "ia_archiver",
    "UbiCrawler",
    "Zao",
    "sitecheck.internetseer.com",
    "Zealbot",
    "Fetch",
    "linko",
    "Microsoft.URL.Control",
    "Xenu",
    "libwww",
    "ZyBORG",
    "Download Ninja",
    "fast",
    "grub-client",
    "k2spider",
    "NPBot",
    "WebReaper",
    "TurnitinBot",
    "EmailCollector",
    "EmailSiphon",
    "WebBandit",
    "EmailWolf",
    "CherryPicker",
    "Crescent",
    "NICErsPRO",
    "Telesoft",
    "psbot",
    "URLy Warning",
    "BackWeb",
    "008",
    "BUbiNG",
];

/// A word that can be said and means nothing, two to four syllables.
pub(super) fn word(rng: &mut Rng, out: &mut String) {
    for _ in 0..rng.between(2, 3) {
        out.push_str(rng.pick(ONSETS));
        out.push_str(rng.pick(VOWELS));
        out.push_str(rng.pick(CODAS));
    }
}

/// The names one site goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// Without `www`, lower case; international names as punycode, or raw in one of ten.
    pub(super) apex: String,
    /// With `www`, where the site has that name.
    pub(super) www: Option<String>,
}

/// The host of site number `index`.
pub(super) fn host(rng: &mut Rng, index: u64) -> Host {
    if rng.chance(40) {
        return address(rng, index);
    }
    let ending = rng.weighted(ENDINGS, |e| e.1);
    let suffix = ENDINGS.get(ending).map_or("com", |e| e.0);
    let international = rng.chance(100);
    let mut label = String::with_capacity(48);
    if international {
        label.push_str(rng.pick(INTERNATIONAL));
    } else {
        word(rng, &mut label);
        if rng.chance(1_800) {
            label.push('-');
            word(rng, &mut label);
        }
    }
    label.push_str(&index.to_string());
    label.push('.');
    label.push_str(suffix);
    if international && !rng.chance(1_000) {
        // A name the URL standard refuses stays raw: a crawler may have met it so.
        if let Ok(url::Host::Domain(ascii)) = url::Host::parse(&label) {
            label = ascii;
        }
    }
    if ending >= PRIVATE {
        return Host { apex: label, www: None };
    }
    if rng.chance(1_100) {
        return Host { apex: format!("{}.{label}", rng.pick(SUBDOMAINS)), www: None };
    }
    let www = Some(format!("www.{label}"));
    Host { apex: label, www }
}

/// An address of the ranges kept for tests and documentation: 198.18.0.0/15 (RFC 2544) or 2001:db8::/32 (RFC 3849).
fn address(rng: &mut Rng, index: u64) -> Host {
    let apex = if rng.chance(1_500) {
        format!("[2001:db8::{:x}:{:x}]", index >> 16 & 0xffff, index & 0xffff)
    } else {
        format!("198.{}.{}.{}", 18 + (index >> 16 & 1), index >> 8 & 0xff, index & 0xff)
    };
    Host { apex, www: None }
}

/// The address a site was fetched from, of the ranges kept for documentation (RFC 5737, RFC 3849).
pub(super) fn peer(rng: &mut Rng) -> String {
    let last = rng.between(1, 254);
    match rng.below(20) {
        0 => format!("2001:db8:{:x}::{last:x}", rng.below(0x10000)),
        1..=7 => format!("192.0.2.{last}"),
        8..=13 => format!("198.51.100.{last}"),
        _ => format!("203.0.113.{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn hosts_are_distinct_and_urls_can_be_made_of_them() {
        let mut seen = HashSet::new();
        let (mut addresses, mut international, mut shared) = (0, 0, 0);
        for index in 0..20_000 {
            let host = host(&mut Rng::keyed(1, 0, index), index);
            let url = url::Url::parse(&format!("https://{}/robots.txt", host.apex)).unwrap();
            assert_eq!(url.path(), "/robots.txt");
            addresses += usize::from(url.domain().is_none());
            international += usize::from(url.domain().is_some_and(|d| d.contains("xn--")));
            shared += usize::from(host.apex.ends_with("github.io") || host.apex.ends_with("blogspot.com"));
            assert!(seen.insert(url.host_str().unwrap().to_owned()), "{url}");
        }
        assert!((40..140).contains(&addresses) && (120..300).contains(&international) && shared > 100);
    }
}
