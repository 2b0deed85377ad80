//! What each classifier says, case by case; and that each mistake which it is known for is there.

use super::*;
use std::collections::BTreeMap;

const AGENTS: [&str; 5] = ["GPTBot", "CCBot", "ClaudeBot", "MJ12bot", "Unnamed"];

/// The classes of a body by classifier, then by agent; `*` and `(file)` stand beside the agents.
fn classes(body: &[u8]) -> BTreeMap<(&'static str, String), &'static str> {
    let agents: Vec<Agent> = AGENTS.iter().map(|token| Agent::bare(*token)).collect();
    let panel = Panel::new(&agents);
    let mut found = BTreeMap::new();
    let mut order = Vec::new();
    let given = Surveyor::default().survey(&panel, &Document::parse(body), |judgement| {
        let Judgement { classifier, class, basis, agents } = judgement;
        let place = |name: &str| CLASSIFIERS.iter().position(|known| known.name == name).unwrap();
        let in_class = classifier.classes.iter().position(|known| known == class).unwrap();
        order.push((place(classifier.name), in_class, basis.map(Basis::as_str).map(str::len)));
        assert_eq!(basis.is_none(), classifier.subject == Subject::File);
        let mut put = |who: &str| {
            let before = found.insert((classifier.name, who.to_owned()), class.word);
            assert_eq!(before, None, "{} gives {who} twice", classifier.name);
        };
        assert!(agents.is_sorted());
        agents.iter().for_each(|agent| put(AGENTS[*agent as usize]));
        match basis {
            None => put("(file)"),
            Some(Basis::Wildcard) => put("*"),
            _ => {}
        }
        Ok::<(), ()>(())
    });
    assert_eq!(given, Ok(()));
    let mut sorted = order.clone();
    sorted.sort_by_key(|(classifier, class, _)| (*classifier, *class));
    assert_eq!(order, sorted);
    found
}

/// Bodies, each with what a classifier says of whom; `-`: nothing.
fn check(name: &str, cases: &[(&str, &[(&str, &str)])]) {
    assert!(Classifier::named(name).is_some(), "{name}");
    for (body, expected) in cases {
        let classes = classes(body.as_bytes());
        for (who, class) in *expected {
            let found =
                classes.iter().find(|((known, of), _)| *known == name && of == who).map_or("-", |(_, found)| found);
            assert_eq!(found, *class, "{name}: {who} in {body:?}");
        }
    }
}

#[test]
fn consent_in_crisis() {
    check(
        "consent-in-crisis",
        &[
            ("", &[("GPTBot", "none"), ("*", "-")]),
            ("User-agent: *\nDisallow: /", &[("GPTBot", "all"), ("*", "all")]),
            ("User-agent: *\nDisallow:", &[("GPTBot", "none"), ("*", "none")]),
            ("User-agent: *\nDisallow: /a\nDisallow: /", &[("GPTBot", "all")]),
            ("User-agent: *\nDisallow: /a # all", &[("GPTBot", "some")]),
            ("User-agent: gptbot\nDisallow: /\n\nUser-agent: *\nAllow: /", &[("GPTBot", "all"), ("CCBot", "none")]),
            (
                "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /",
                &[("GPTBot", "all"), ("CCBot", "all"), ("Unnamed", "none")],
            ),
            ("User-agent: *\nAllow: /a\nAllow: /b\nDisallow: /a\nDisallow: /b", &[("GPTBot", "none")]),
            ("User-agent: *\nAllow: /b\nAllow: /a\nDisallow: /a\nDisallow: /b", &[("GPTBot", "some")]),
            ("User-agent: GPTBot\nCrawl-delay: 3\nUser-agent: *\nDisallow: /", &[("GPTBot", "none"), ("CCBot", "all")]),
            ("Disallow: /\nUser-agent: GPTBot\nDisallow: /a", &[("GPTBot", "some"), ("CCBot", "none")]),
            ("User-agent: GPTBot\r\nDisallow: /\r\n", &[("GPTBot", "all")]),
            (
                "User-agent: GPTBot\rDisallow: /\x0bUser-agent: CCBot\u{2028}Disallow: /",
                &[("GPTBot", "all"), ("CCBot", "all")],
            ),
            // The rules of one name in two groups are one list.
            (
                "User-agent: GPTBot\nAllow: /a\nUser-agent: CCBot\nDisallow:\nUser-agent: GPTBot\nDisallow: /a",
                &[("GPTBot", "none")],
            ),
        ],
    );
}

#[test]
fn consent_in_crisis_has_its_defects() {
    let stacked = "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /";
    check(
        "consent-in-crisis",
        &[
            (stacked, &[("GPTBot", "none"), ("CCBot", "all")]),
            (
                "Sitemap: /s\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /",
                &[("GPTBot", "none"), ("CCBot", "all")],
            ),
            ("User-agent: *\nDisallow: /*?", &[("GPTBot", "none")]),
            ("User-agent: *\nDisallow: /\nAllow: /", &[("GPTBot", "none")]),
            ("User-agent: *\nDisallow: /\nAllow: /none-of-it$x", &[("GPTBot", "some")]),
            ("User-agent: *\nDisallow: /*", &[("GPTBot", "some")]),
            ("User-agent: *\nDisallow:\nDisallow:", &[("GPTBot", "some")]),
            ("User-agent : GPTBot\nDisallow: /", &[("GPTBot", "none")]),
            ("\u{feff}User-agent: *\nDisallow: /", &[("GPTBot", "none")]),
        ],
    );
}

#[test]
fn the_ladder_of_consent_in_crisis() {
    check(
        "consent-in-crisis-ladder",
        &[
            ("", &[("GPTBot", "none")]),
            ("Sitemap: /s.xml", &[("GPTBot", "none_sitemap")]),
            ("# my sitemap", &[("GPTBot", "none_sitemap")]),
            ("Sitemap: /s\nUser-agent: *\nCrawl-delay: 1", &[("GPTBot", "none_crawl_delay")]),
            ("crawl-delay: 1", &[("GPTBot", "none")]),
            ("User-agent: *\nDisallow: /x", &[("GPTBot", "some_other")]),
            ("User-agent: *\nDisallow:/private/", &[("GPTBot", "some_disallow_important_dir")]),
            ("User-agent: *\nDisallow: /admin\nDisallow: /a?b", &[("GPTBot", "some_pattern_restrictions")]),
            // Without a blank, or in another case, it is no pattern.
            ("User-agent: *\nDisallow: /x\nDisallow:/a?b\ndisallow: /?", &[("GPTBot", "some_other")]),
            ("User-agent: *\nDisallow: /", &[("GPTBot", "all"), ("*", "all")]),
            // The label is the file's: the one for CCBot comes from the group for `*`.
            (
                "User-agent: CCBot\nDisallow: /x\nUser-agent: *\nDisallow: /a?b",
                &[("CCBot", "some_pattern_restrictions"), ("*", "none")],
            ),
        ],
    );
}

#[test]
fn all_agents_of_consent_in_crisis() {
    check(
        "consent-in-crisis-all-agents",
        &[
            ("", &[("(file)", "none")]),
            ("User-agent: *\nDisallow: /", &[("(file)", "all")]),
            ("User-agent: Whoever\nDisallow: /", &[("(file)", "some")]),
            ("User-agent: *\nDisallow: /\n\nUser-agent: Whoever\nAllow: /", &[("(file)", "some")]),
            ("User-agent: Whoever\nAllow: /", &[("(file)", "none")]),
        ],
    );
}

#[test]
fn common_crawl() {
    check(
        "cc-2025",
        &[
            ("", &[("GPTBot", "-"), ("*", "-")]),
            ("User-agent: *\nDisallow: /", &[("GPTBot", "disallow-all"), ("*", "disallow-all")]),
            ("User-agent: *\nDisallow:", &[("GPTBot", "allow-all")]),
            ("User-agent: *\nAllow: /*", &[("GPTBot", "allow-all")]),
            ("User-agent: *\nAllow: /a", &[("GPTBot", "allow-part")]),
            ("User-agent: *\nAllow: /\nDisallow: /a", &[("GPTBot", "allow-part")]),
            (" USER-AGENT : gptbot # that one\r\n disallow : / \r\n", &[("GPTBot", "disallow-all"), ("*", "-")]),
            (
                "User-agent: GPTBot\nUser-agent: GPTBot\nUser-agent: *\nDisallow: /",
                &[("GPTBot", "disallow-all"), ("*", "disallow-all")],
            ),
            // Of two spellings the first counts.
            ("User-agent: gptbot\nDisallow: /\nUser-agent: GPTBot\nAllow: /", &[("GPTBot", "disallow-all")]),
            ("<!DOCTYPE html>\nUser-agent: *\nDisallow: /", &[("GPTBot", "-")]),
            ("\u{feff}User-agent: *\nDisallow: /", &[("GPTBot", "disallow-all")]),
        ],
    );
}

#[test]
fn common_crawl_has_its_defects() {
    let stacked = "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /";
    let long = "x".repeat(40) + "1";
    let named_long = format!("User-agent: {long}\nDisallow: /");
    check(
        "cc-2025",
        &[
            // GPTBot has no rules, so it vanishes, and `*` counts.
            (stacked, &[("GPTBot", "allow-part"), ("CCBot", "disallow-all")]),
            ("User-agent: *\nDisallow: /*", &[("GPTBot", "allow-part")]),
            ("User-agent: *\nDisallow: /\nDisallow: /", &[("GPTBot", "allow-part")]),
            ("User-agent: *\nDisallow: /\nDisallow: /a", &[("GPTBot", "allow-part")]),
            ("User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nCrawl-delay: 9", &[("GPTBot", "disallow-all")]),
            ("User-agent: GPTBot\nDisallow: /", &[("CCBot", "-")]),
            ("User-agent: GPTBot/1.0\nDisallow: /", &[("GPTBot", "-")]),
            ("User-agent: GPTBot\rDisallow: /", &[("GPTBot", "-")]),
        ],
    );
    let agents = [Agent::bare(long.as_str()), Agent::bare("y".repeat(40))];
    let panel = Panel::new(&agents);
    for (body, expected) in [(named_long, 0), (format!("User-agent: {}\nDisallow: /", "y".repeat(40)), 1)] {
        let mut given = 0;
        let survey = Surveyor::default().survey(&panel, &Document::parse(body.as_bytes()), |judgement| {
            given += if judgement.classifier.name == "cc-2025" { judgement.agents.len() } else { 0 };
            Ok::<(), ()>(())
        });
        assert_eq!((survey, given), (Ok(()), expected), "{body}");
    }
}

#[test]
fn imc() {
    check(
        "imc-2025",
        &[
            ("", &[("GPTBot", "no_restrictions"), ("*", "-")]),
            ("User-agent: *\nDisallow: /", &[("GPTBot", "fully_disallowed"), ("*", "fully_disallowed")]),
            ("User-agent: *\nDisallow: /*", &[("GPTBot", "fully_disallowed")]),
            ("User-agent: *\nDisallow: /\nAllow: /", &[("GPTBot", "no_restrictions")]),
            ("User-agent: *\nDisallow: /\nAllow: /$", &[("GPTBot", "partially_disallowed")]),
            ("User-agent: *\nDisallow: /\nAllow: /a", &[("GPTBot", "partially_disallowed")]),
            ("User-agent: *\nDisallow: /a", &[("GPTBot", "partially_disallowed"), ("Unnamed", "partially_disallowed")]),
            (
                "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nUser-agent: *\nDisallow:",
                &[("GPTBot", "fully_disallowed"), ("CCBot", "fully_disallowed"), ("*", "no_restrictions")],
            ),
            // What another agent's rules name is asked about too.
            (
                "User-agent: GPTBot\nDisallow: /\nAllow: /*b\nUser-agent: CCBot\nDisallow: /ab",
                &[("GPTBot", "partially_disallowed")],
            ),
        ],
    );
}

#[test]
fn imc_has_its_defects() {
    check(
        "imc-2025",
        &[
            // `/p` is open and `/pq` is not; `/x*y` is open and `/x1y2` is not; `/ab` is open though `/a` is not.
            ("User-agent: *\nDisallow: /p\nAllow: /p$", &[("GPTBot", "no_restrictions")]),
            ("User-agent: *\nDisallow: /x*y\nAllow: /x*y$", &[("GPTBot", "no_restrictions")]),
            ("User-agent: *\nDisallow: /\nAllow: /a\nDisallow: /a$", &[("GPTBot", "fully_disallowed")]),
            ("User-agent: *\nDisallow : /a", &[("GPTBot", "no_restrictions")]),
            ("User-agent: *\n# Allow: x\nDisallow: /a b", &[("GPTBot", "no_restrictions")]),
            ("User-agent: MJ12bot\nDisallow: /", &[("MJ12bot", "no_restrictions")]),
        ],
    );
}

#[test]
fn passau() {
    check(
        "passau",
        &[
            ("", &[("GPTBot", "-"), ("*", "-")]),
            ("User-agent: *\nDisallow: /", &[("GPTBot", "-"), ("*", "disallow-all")]),
            (
                "User-agent: GPTBOT\nuser-agent: CCBot\nDisallow: /",
                &[("GPTBot", "disallow-all"), ("CCBot", "disallow-all")],
            ),
            (
                "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /",
                &[("GPTBot", "disallow-all"), ("*", "other")],
            ),
            ("User-agent: GPTBot\nDisallow: /*", &[("GPTBot", "disallow-all")]),
            ("User-agent: GPTBot\nDisallow: /a", &[("GPTBot", "other")]),
            ("User-agent: GPTBot\nCrawl-delay: 2\nSitemap: /s\nDisallow: /", &[("GPTBot", "disallow-all")]),
            ("useragent GPTBot\ndissalow /", &[("GPTBot", "disallow-all")]),
            ("User-agent: GPTBot\nAllow:\nDisallow: /", &[("GPTBot", "disallow-all")]),
        ],
    );
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("User-agent: GPTBot\nDisallow: /".bytes().flat_map(|byte| [byte, 0])).collect();
    assert_eq!(classes(&wide)[&("passau", "GPTBot".to_owned())], "disallow-all");
}

#[test]
fn passau_has_its_defects() {
    check(
        "passau",
        &[
            ("User-agent: GPTBot\nDisallow: /\nDisallow: /", &[("GPTBot", "other")]),
            ("User-agent: GPTBot\nDisallow: /\nDisallow:", &[("GPTBot", "other")]),
            ("User-agent: GPTBot\nDisallow: /\nAllow: /nothing", &[("GPTBot", "other")]),
            ("User-agent: GPTBot\nDisallow: /4", &[("GPTBot", "disallow-all")]),
            ("User-agent: GPTBot\nUser-agent: gptbot\nDisallow: /", &[("GPTBot", "other")]),
            ("User-agent: GPTBot/1.0\nDisallow: /", &[("GPTBot", "-")]),
        ],
    );
}

#[test]
fn web_almanac() {
    check(
        "web-almanac",
        &[
            ("", &[("GPTBot", "-"), ("*", "-")]),
            ("User-agent: *\nDisallow: /", &[("GPTBot", "-"), ("*", "disallow")]),
            ("user-agent: gptbot\nUSER-AGENT: ccbot\n\nAllow: /", &[("GPTBot", "allow"), ("CCBot", "allow")]),
            (
                "User-agent: GPTBot\nUser-agent: CCBot\nAllow: /\nDisallow: /a",
                &[("GPTBot", "disallow"), ("CCBot", "disallow")],
            ),
            ("User-agent: GPTBot\nCrawl-delay: 1", &[("GPTBot", "mention")]),
            ("# first\n  User-agent: GPTBot #one\nDisallow: /", &[("GPTBot", "disallow")]),
            ("\u{feff}User-agent: GPTBot\r\n\r\nDisallow: /", &[("GPTBot", "disallow")]),
        ],
    );
    let size = |units: usize| classes(&vec![b'#'; units])[&("web-almanac-size", "(file)".to_owned())];
    let kib = 1024;
    let sizes = [
        (0, "0"),
        (1, "0-100"),
        (100 * kib, "0-100"),
        (100 * kib + 1, "100-200"),
        (250 * kib, "200-300"),
        (400 * kib, "300-400"),
        (500 * kib, "400-500"),
        (500 * kib + 1, ">500"),
        (3000 * kib, ">500"),
    ];
    sizes.into_iter().for_each(|(units, expected)| assert_eq!(size(units), expected, "{units}"));
}

#[test]
fn web_almanac_has_its_defects() {
    check(
        "web-almanac",
        &[
            ("User-agent: GPTBot\nDisallow:", &[("GPTBot", "disallow")]),
            (
                "User-agent: GPTBot\nSitemap: /s\nUser-agent: CCBot\nDisallow: /",
                &[("GPTBot", "mention"), ("CCBot", "disallow")],
            ),
            ("User-agent: GPTBot\n  \nUser-agent: CCBot\nDisallow: /", &[("GPTBot", "mention"), ("CCBot", "disallow")]),
            ("User-agent: GPTBot\n Disallow: /", &[("GPTBot", "mention")]),
            ("User-agent: GPTBot/1.0\nDisallow: /", &[("GPTBot", "-")]),
            ("User-agent: GPTBot#one\nDisallow: /", &[("GPTBot", "-")]),
        ],
    );
    // Two bytes each, but one unit.
    let body = "é".repeat(100 * 1024);
    assert_eq!(classes(body.as_bytes())[&("web-almanac-size", "(file)".to_owned())], "0-100");
}

#[test]
fn comparisons() {
    let class = |name: &str, word: &str| {
        Classifier::named(name).unwrap().classes.iter().find(|class| class.word == word).unwrap()
    };
    use AccessClass::{All, None, Some, Undecided};
    let cases = [
        ("cc-2025", "allow-part", None, Option::Some(Comparison::MoreOpen)),
        ("cc-2025", "allow-part", All, Option::Some(Comparison::MoreClosed)),
        ("cc-2025", "disallow-all", None, Option::Some(Comparison::Agrees)),
        ("cc-2025", "disallow-all", Undecided, Option::None),
        ("passau", "other", Some, Option::Some(Comparison::Agrees)),
        ("passau", "other", All, Option::Some(Comparison::Agrees)),
        ("passau", "other", None, Option::Some(Comparison::MoreOpen)),
        ("web-almanac", "disallow", All, Option::Some(Comparison::MoreClosed)),
        ("web-almanac-size", "0", All, Option::None),
    ];
    for (name, word, exact, expected) in cases {
        assert_eq!(class(name, word).compare(exact), expected, "{name} {word} {exact:?}");
    }
}

#[test]
fn declarations_are_whole() {
    let mut names = std::collections::HashSet::new();
    for classifier in CLASSIFIERS {
        assert!(names.insert(classifier.name));
        assert_eq!(Classifier::named(classifier.name), Some(*classifier));
        assert!(classifier.about.ends_with('.') && !classifier.defects.is_empty(), "{}", classifier.name);
        let mut words = std::collections::HashSet::new();
        for class in classifier.classes {
            assert!(words.insert(class.word) && class.about.ends_with('.'), "{} {}", classifier.name, class.word);
            assert!(class.access.is_none() || classifier.subject == Subject::Agents);
        }
    }
    assert_eq!(Classifier::named("nobody's"), None);
}

/// Bodies made to stall a reader: what matters is that they end.
#[test]
fn hostile_bodies_end() {
    let many = 60_000;
    let agents: String = (0..many).map(|n| format!("User-agent: a{n}\n")).collect();
    let rules: String = (0..many).map(|n| format!("Disallow: /*{n}?x$\nAllow: /a{n}*\n")).collect();
    let bodies = [
        agents.clone() + &rules,
        agents.clone() + "Disallow: /a\n" + &agents + &rules,
        "User-agent: GPTBot\n".repeat(many) + &rules,
        format!("User-agent: *\nDisallow: /\n{rules}"),
        "Disallow: /".repeat(200_000),
        "Disallow:".repeat(200_000),
        "Disallow: \n".repeat(200_000),
        format!("User-agent: *\nDisallow: /{}", "*4".repeat(300_000)),
        format!("User-agent: *\nDisallow: /{}", "#".repeat(600_000)),
        " #".repeat(300_000),
        "allow:".repeat(200_000),
        ":".repeat(600_000),
        "\r".repeat(600_000),
        "\u{2028}".repeat(200_000),
        format!("User-agent: {}\nDisallow: /", "é".repeat(300_000)),
    ];
    for body in bodies {
        assert!(!classes(body.as_bytes()).is_empty());
    }
    let noise: Vec<u8> = (0..500_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert!(!classes(&noise).is_empty());
}
