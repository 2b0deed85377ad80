//! The HTML that servers send instead of a robots.txt.

use super::rng::Rng;
use super::words;

/// Lengths of error pages in rows: (share in millionths, rows). Most are a server's few lines.
const ROWS: &[(u32, u32)] =
    &[(0, 0), (550_000, 1), (700_000, 6), (850_000, 24), (950_000, 80), (990_000, 260), (1_000_000, 700)];

/// Appends the page of a status with this reason phrase, mostly the server's short one.
pub(super) fn error(rng: &mut Rng, status: u16, reason: &str, out: &mut Vec<u8>) {
    let rows = rng.quantile(ROWS);
    if rows < 2 {
        let server = rng.pick(&["nginx", "Apache", "openresty", "web server"]);
        out.extend_from_slice(
            format!(
                "<html>\r\n<head><title>{status} {reason}</title></head>\r\n<body>\r\n<h1>{status} {reason}</h1>\r\n<hr>{server}\r\n</body>\r\n</html>\r\n"
            )
            .as_bytes(),
        );
    } else {
        whole(rng, &format!("{status} {reason}"), rows, out);
    }
}

/// Appends a page that a site serves with status 200 whatever is asked for.
pub(super) fn soft_error(rng: &mut Rng, host: &str, out: &mut Vec<u8>) {
    let rows = 3 + rng.quantile(ROWS) * 2;
    whole(rng, host, rows, out);
}

/// Appends the few lines that go with a redirect.
pub(super) fn moved(status: u16, reason: &str, location: &str, out: &mut Vec<u8>) {
    let location = location.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    out.extend_from_slice(
        format!("<html><head>\n<title>{status} {reason}</title>\n</head><body>\n<h1>{reason}</h1>\n<p>The document is <a href=\"{location}\">here</a>.</p>\n</body></html>\n")
            .as_bytes(),
    );
}

fn whole(rng: &mut Rng, title: &str, rows: u32, out: &mut Vec<u8>) {
    let number = rng.below(100_000);
    out.extend_from_slice(
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<link rel=\"stylesheet\" href=\"/assets/{number}.css\">\n</head>\n<body class=\"p-{number}\">\n<h1>{title}</h1>\n"
        )
        .as_bytes(),
    );
    for _ in 0..rows {
        let (a, b) = (rng.pick(words::PATH_WORDS), rng.below(1_000_000));
        out.extend_from_slice(format!("<div id=\"r{b}\"><a href=\"/{a}/{}\">", b % 999).as_bytes());
        for _ in 0..rng.between(3, 14) {
            out.extend_from_slice(rng.pick(words::PATH_WORDS).as_bytes());
            out.push(b' ');
        }
        out.extend_from_slice(b"</a></div>\n");
    }
    out.extend_from_slice(b"</body>\n</html>\n");
}
