//! Questions for measurements: agents and probes in any number.

/// The first agents: those that files name most often, and some that none does.
pub(crate) fn agents(count: usize) -> Vec<&'static str> {
    AGENTS.split_whitespace().take(count).collect()
}

/// The first probes.
pub(crate) fn probes(count: usize) -> Vec<&'static str> {
    PROBES.split_whitespace().take(count).collect()
}

const AGENTS: &str = "GPTBot CCBot Googlebot Bingbot ClaudeBot Google-Extended AhrefsBot SemrushBot MJ12bot DotBot Yandex
    Baiduspider Bytespider Applebot-Extended PetalBot Twitterbot facebookexternalhit ia_archiver Amazonbot ExampleBot
    Googlebot-Image Googlebot-News AdsBot-Google Mediapartners-Google msnbot Slurp DuckDuckBot Applebot
    meta-externalagent PerplexityBot anthropic-ai cohere-ai Diffbot omgili omgilibot FacebookBot ChatGPT-User
    OAI-SearchBot Timpibot ImagesiftBot DataForSeoBot BLEXBot SeznamBot Sogou Wget HTTrack WebZIP Teleport larbin magpie-crawler";

const PROBES: &str = "/ /index.html /search?q=x /wp-admin/ /wp-content/uploads/a.jpg /files/report.pdf /api/v1/items /user/login
    /products/some-product /tag/news/ /feed/ /?s=example /page?utm_source=x /cgi-bin/test /images/logo.png /blog/2024/05/post
    /category/a/b/c.html /cart /robots.txt /admin/";
