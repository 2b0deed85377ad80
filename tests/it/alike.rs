//! Dialects that read a body alike share their answers: these must be the ones that each gives by itself.

use crate::shared;
use rep::{Agent, Dialect, Document};
use robocensus::evaluate::{Evaluator, Questions};

const AGENTS: [&str; 7] = ["Googlebot", "Googlebot-News", "GPTBot", "MJ12bot", "a", "b/2.0", "ExampleBot"];
const PROBES: [&str; 9] =
    ["/", "/a", "/b/c.php?x=1", "/robots.txt", "/index.htm", "/a%2fb", "/a b", "https://example.com", "/%7Ea*$"];

/// All answers as text, in order, with and without the other dialects at hand.
fn answers(body: &[u8], questions: &Questions, evaluator: &mut Evaluator) -> Vec<String> {
    let document = Document::parse(body);
    let dialect = questions.dialects().next().expect("a dialect");
    let first = document.read(dialect);
    let mut rows = Vec::new();
    evaluator
        .evaluate(questions, &document, &first)
        .each(|row| {
            rows.push(format!(
                "{} {:?} {:?} {:?} {:?} {:?} {:?} {}",
                row.dialect.name,
                row.set.basis,
                row.token,
                row.agents,
                row.disallowed,
                row.undefined,
                row.lines,
                row.access.class.as_str()
            ));
            Ok::<(), ()>(())
        })
        .expect("nothing fails");
    rows
}

struct Check {
    together: Questions,
    apart: Vec<Questions>,
    evaluator: Evaluator,
    bodies: usize,
}

impl Check {
    fn new() -> Check {
        let agents: Vec<Agent> = AGENTS.iter().map(|token| Agent::bare(*token)).collect();
        let all: Vec<&'static Dialect> = Dialect::ALL.iter().collect();
        let apart = all.iter().map(|dialect| Questions::new(&agents, &PROBES, &[*dialect])).collect();
        let together = Questions::new(&agents, &PROBES, &all);
        Check { together, apart, evaluator: Evaluator::default(), bodies: 0 }
    }

    fn body(&mut self, body: &[u8]) {
        self.bodies += 1;
        let together = answers(body, &self.together, &mut self.evaluator);
        let mut apart = Vec::new();
        for questions in &self.apart {
            apart.extend(answers(body, questions, &mut self.evaluator));
        }
        assert_eq!(together, apart, "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn made_up_bodies() {
    // Pieces of lines that dialects differ about, put together at random (xorshift, fixed seed).
    const PIECES: [&[u8]; 44] = [
        b"User-agent: *\n",
        b"User-agent: Googlebot\n",
        b"user-agent: google\n",
        b"user-agent: a\r\n",
        b"User-Agent: MJ12bot/1.0\n",
        b"user-agent: * all\n",
        b"user-agent:\n",
        b"user-agent: b\n",
        b"user-agent: 12\n",
        b"useragent: a\n",
        b"User-agent: %2A\n",
        b"User-agent: Bot\n",
        b"\n",
        b" \n",
        b"# c\n",
        b"\x0b\n",
        b"\xc2\x85",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"\0",
        b"Disallow:\n",
        b"Allow:\n",
        b"Disallow: /\n",
        b"Allow: /a\n",
        b"Disallow: /a\n",
        b"Disallow: /b*\n",
        b"Allow: /b\n",
        b"disallow: a\n",
        b"disallow: *.php\n",
        b"disallow: /*.php$\n",
        b"allow: /b/c.php\n",
        b"disallow: /a%2Fb\n",
        b"disallow: /a b\n",
        b"disallow: /%7ea\n",
        b"disallow: //x\n",
        b"disallow: /b/c.php?\n",
        b"allow: /index.html\n",
        b"disallow /a\n",
        b"dissallow: /a\n",
        b"Sitemap: /s\n",
        b"Crawl-delay: 1\n",
        b"request-rate: 1/5\n",
        b"foo: bar\n",
        b"<html>\n",
    ];
    let mut check = Check::new();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    for _ in 0..60_000 {
        let mut body = Vec::new();
        for _ in 0..1 + random(9) {
            body.extend_from_slice(PIECES[random(PIECES.len())]);
        }
        check.body(&body);
    }
    assert_eq!(check.bodies, 60_000);
}

#[test]
fn real_bodies() {
    let mut check = Check::new();
    let Some(bodies) = shared::bodies() else { return };
    for (_, body) in bodies {
        check.body(&body);
    }
    assert_eq!(check.bodies, 25_867);
}
