use super::differing::HOST;
use super::*;
use crate::dialect::{Dialect, Spelling};
use crate::document::Document;
use crate::evaluate::Paths;

/// RFC 9309 with one switch of the documents' dialects each.
static LONGEST_UNLESS_WILDCARD: Dialect = Dialect {
    name: "2019",
    precedence: Precedence::LongestUnlessWildcard,
    trailing_wildcard_counts: false,
    ..Dialect::RFC9309
};
static UNDEFINED_WITH_WILDCARD: Dialect = Dialect {
    name: "legacy",
    precedence: Precedence::UndefinedWithWildcard,
    trailing_wildcard_counts: false,
    ..Dialect::RFC9309
};

fn dialects() -> [&'static Dialect; 4] {
    let named = |name| Dialect::named(name).unwrap();
    [named("rfc9309"), named("google"), &LONGEST_UNLESS_WILDCARD, &UNDEFINED_WITH_WILDCARD]
}

/// A body of one group: `+` allows, `-` disallows.
fn body(rules: &[&str]) -> String {
    let mut body = String::from("user-agent: *\n");
    for rule in rules {
        let (sign, path) = rule.split_at(1);
        body.push_str(if sign == "+" { "allow: " } else { "disallow: " });
        body.push_str(path);
        body.push('\n');
    }
    body
}

/// The class, and that the witnesses bear it out.
fn class_of(finder: &mut AccessFinder, body: &str, dialect: &'static Dialect) -> AccessClass {
    let document = Document::parse(body.as_bytes());
    let robots = document.read(dialect);
    finder.begin(&robots);
    let access = finder.of(&robots, &[0]);
    let meant = |witness: Option<&[u8]>, expected: Verdict| {
        let Some(path) = witness else { return false };
        assert!(Grammar::Given.holds(path) && path != ROBOTS_TXT, "{body}: {path:?}");
        let paths = Paths::new([[HOST, path].concat().as_slice()], dialect);
        assert_eq!(paths.text(0), path, "{body}");
        let verdict = verdict(&robots, robots.rules_of(0), path, &mut Work { left: u32::MAX }).unwrap();
        assert_eq!(verdict, expected, "{body} in {}: {}", dialect.name, String::from_utf8_lossy(path));
        true
    };
    let witnesses = (meant(access.allowed, Verdict::Allow), meant(access.denied, Verdict::Disallow));
    match access.class {
        AccessClass::All => assert_eq!(witnesses, (true, false), "{body}"),
        AccessClass::Some => assert_eq!(witnesses, (true, true), "{body}"),
        AccessClass::None => assert_eq!(witnesses, (false, true), "{body}"),
        AccessClass::Undefined => assert!(!(witnesses.0 && witnesses.1), "{body}"),
        AccessClass::Undecided => {}
    }
    access.class
}

fn both_ways(body: &str, dialect: &'static Dialect) -> AccessClass {
    let quick = class_of(&mut AccessFinder::default(), body, dialect);
    let proved = class_of(&mut AccessFinder { proofs_only: true, ..AccessFinder::default() }, body, dialect);
    assert_eq!(quick, proved, "{body}");
    quick
}

#[test]
fn known_lists() {
    use AccessClass::{All, None, Some, Undefined};
    /// Rules, and the class for `rfc9309`, `google`, the text of 2019 and the one before.
    const CASES: &[(&[&str], [AccessClass; 4])] = &[
        (&[], [All; 4]),
        (&["-"], [All; 4]),
        (&["+/a"], [All; 4]),
        (&["-/"], [None; 4]),
        (&["-/*"], [None; 4]),
        (&["-*"], [None; 4]),
        (&["-*/"], [None; 4]),
        (&["-/", "-/a"], [None; 4]),
        (&["-/$"], [Some; 4]),
        (&["-/a"], [Some; 4]),
        (&["-/", "+/"], [All; 4]),
        (&["-/", "+/$"], [Some; 4]),
        (&["-/", "+/a"], [Some; 4]),
        // Nothing but the file itself is open, or what begins like it.
        (&["-/", "+/robots.txt$"], [None; 4]),
        (&["-/", "+/robots.txt"], [Some; 4]),
        (&["-/robots.txt$"], [All; 4]),
        (&["-/robots.txt"], [Some; 4]),
        (&["-/", "+/robots.tx?$"], [Some; 4]),
        // Ties, and rules that others shadow.
        (&["-/*", "+/*"], [All; 4]),
        (&["-/*a", "+/*b"], [Some, Some, Some, Some]),
        (&["-/a", "+/a"], [All; 4]),
        (&["-/ab", "+/ab", "-/ac", "+/ac*"], [All; 4]),
        (&["-/a", "+/a", "-/ab"], [Some; 4]),
        (&["-/", "+/a", "-/a"], [Some; 4]),
        (&["-/", "+/a", "-/ab", "-/a$"], [Some; 4]),
        (&["-/*.php$", "+/*.php*"], [All, All, Undefined, Undefined]),
        (&["-/*.php", "+/*.php$"], [Some, Some, Some, Some]),
        (&["-/*?", "+/*?"], [All, All, All, Undefined]),
        (&["-/*?", "+/"], [Some, Some, Undefined, Undefined]),
        // Holes that longer rules fill.
        (&["-/", "+/a$", "-/*a$"], [None, None, Undefined, Undefined]),
        (&["-/", "+/a", "-/a*"], [None, None, Some, Some]),
        (&["-/", "+/ab", "-/a*b"], [None, None, Undefined, Undefined]),
        (&["-/", "+/ab$", "-/*b$"], [Some, Some, Some, Undefined]),
        // What no path can hold.
        (&["-/a b"], [Some, All, Some, Some]),
        (&["-/", "+/a b"], [Some, None, Some, Some]),
        (&["-/a|b"], [All; 4]),
        (&["-/\""], [All; 4]),
        (&["-/%zz"], [All; 4]),
        (&["-/%4"], [Some; 4]),
        (&["-/%41"], [Some; 4]),
        (&["-/%2"], [Some; 4]),
        (&["-/", "+/%2"], [Some; 4]),
        (&["-/", "+/%2$"], [None; 4]),
        (&["-/", "+/%"], [Some; 4]),
        (&["-/", "+/*%"], [Some, Some, Undefined, Undefined]),
        (&["-/é"], [Some; 4]),
        (&["-/%2A"], [Some; 4]),
        // Where a path is made equal only capitals stand in escapes, and no escaped letter.
        (
            &[
                "-/", "+/%2", "-/%20", "-/%21", "-/%22", "-/%23", "-/%25", "-/%26", "-/%27", "-/%28", "-/%29", "-/%2B",
                "-/%2C", "-/%2F",
            ],
            [None, Some, None, None],
        ),
        (
            &[
                "-/", "+/%", "-/%A", "-/%B", "-/%C", "-/%D", "-/%E", "-/%F", "-/%0", "-/%1", "-/%2", "-/%3", "-/%4",
                "-/%5", "-/%6", "-/%7", "-/%8", "-/%9",
            ],
            [None, Some, None, None],
        ),
        // Index pages open their folder, and in Google's parser alone.
        (&["-/", "+/index.html"], [Some; 4]),
        (&["-/", "+/index.html", "-/index.html*"], [None, Some, Some, Some]),
        (&["-/", "+*/index.html$"], [Some, Some, Undefined, Undefined]),
    ];
    let mut failures = Vec::new();
    for (rules, classes) in CASES {
        let found = dialects().map(|dialect| both_ways(&body(rules), dialect));
        if found != *classes {
            failures.push(format!("{rules:?}: {found:?}, not {classes:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A set of places in a pattern, reached after some bytes: the plain definition of a match, a bit a place.
#[derive(Clone, Copy)]
struct Places {
    reached: u32,
    matched: bool,
}

impl Places {
    fn new(pattern: &[u8]) -> Places {
        Places { reached: 1, matched: false }.pass_wildcards(pattern)
    }

    fn pass_wildcards(mut self, pattern: &[u8]) -> Places {
        for (at, byte) in pattern.iter().enumerate() {
            if *byte == b'*' && self.reached >> at & 1 == 1 {
                self.reached |= 2 << at;
            }
        }
        // The last place of an unpinned pattern is never left.
        self.matched |= !pattern.ends_with(b"$") && self.reached >> pattern.len() & 1 == 1;
        self
    }

    fn read(self, pattern: &[u8], byte: u8) -> Places {
        let mut reached = 0;
        for (at, expected) in pattern.iter().enumerate() {
            if self.reached >> at & 1 == 1 {
                if *expected == b'*' {
                    reached |= 1 << at;
                } else if *expected == byte && byte != b'$' {
                    reached |= 2 << at;
                }
            }
        }
        Places { reached, matched: self.matched }.pass_wildcards(pattern)
    }

    fn matches(self, pattern: &[u8]) -> bool {
        self.matched || (pattern.ends_with(b"$") && self.reached >> (pattern.len() - 1) & 1 == 1)
    }
}

/// All ways in which paths match some patterns, a bit a pattern; and how many paths there are. The paths are `/` and then at most
/// `longest - 1` of the letters.
fn ways(patterns: &[String], letters: &[u8], longest: usize) -> (Vec<u128>, usize) {
    fn go(
        patterns: &[String],
        letters: &[u8],
        left: usize,
        states: &[Places],
        found: &mut std::collections::BTreeSet<u128>,
    ) -> usize {
        let matched =
            |(at, (pattern, state)): (usize, (&String, &Places))| u128::from(state.matches(pattern.as_bytes())) << at;
        found.insert(patterns.iter().zip(states).enumerate().map(matched).sum());
        if left == 0 {
            return 1;
        }
        let read = |letter: &u8| -> Vec<Places> {
            patterns.iter().zip(states).map(|(pattern, state)| state.read(pattern.as_bytes(), *letter)).collect()
        };
        1 + letters.iter().map(|letter| go(patterns, letters, left - 1, &read(letter), found)).sum::<usize>()
    }
    let start: Vec<Places> =
        patterns.iter().map(|pattern| Places::new(pattern.as_bytes()).read(pattern.as_bytes(), b'/')).collect();
    let mut found = std::collections::BTreeSet::new();
    let paths = go(patterns, letters, longest - 1, &start, &mut found);
    (found.into_iter().collect(), paths)
}

/// What the texts say of a rule's strength: its length, and whether a wildcard is in it.
fn strength(pattern: &str, dialect: &Dialect) -> (usize, bool) {
    let without = pattern.trim_end_matches('*');
    let length = if dialect.trailing_wildcard_counts { pattern.len() } else { without.len() };
    (length, without.contains('*'))
}

/// The verdict by the words of section 7 of the specification, for the rules that match.
fn verdict_in_words(matching: &[(bool, (usize, bool))], precedence: Precedence) -> Verdict {
    let best = |allow: bool| {
        let of_kind = matching.iter().filter(|(kind, _)| *kind == allow).map(|(_, strength)| *strength);
        // Of equally long ones the one without a wildcard.
        of_kind.max_by_key(|(length, wild)| (*length, !wild))
    };
    match (best(true), best(false)) {
        (_, None) => Verdict::Allow,
        (None, Some(_)) => Verdict::Disallow,
        (Some((allow, allow_wild)), Some((disallow, disallow_wild))) => {
            let wild = allow_wild || disallow_wild;
            match precedence {
                Precedence::LongestUnlessWildcard if wild && allow != disallow => Verdict::Undefined,
                Precedence::UndefinedWithWildcard if wild => Verdict::Undefined,
                _ if disallow > allow => Verdict::Disallow,
                _ => Verdict::Allow,
            }
        }
    }
}

fn class_in_words(ways: &[u128], list: &[usize], patterns: &[String], dialect: &Dialect) -> AccessClass {
    let rules: Vec<(usize, bool, (usize, bool))> =
        list.iter().map(|rule| (rule / 2, rule % 2 == 0, strength(&patterns[rule / 2], dialect))).collect();
    let [mut allowed, mut disallowed, mut undefined] = [false; 3];
    let mut matching = Vec::with_capacity(4);
    let all = rules.iter().fold(0_u128, |all, rule| all | 1 << rule.0);
    let mut seen = Vec::with_capacity(16);
    for way in ways {
        if seen.contains(&(way & all)) {
            continue;
        }
        seen.push(way & all);
        matching.clear();
        matching.extend(rules.iter().filter(|rule| way >> rule.0 & 1 == 1).map(|rule| (rule.1, rule.2)));
        match verdict_in_words(&matching, dialect.precedence) {
            Verdict::Allow => allowed = true,
            Verdict::Disallow => disallowed = true,
            Verdict::Undefined => undefined = true,
        }
    }
    // Undefined counted as allowed, and as disallowed.
    let class = |allowed: bool, disallowed: bool| match (allowed, disallowed) {
        (true, true) => AccessClass::Some,
        (false, _) => AccessClass::None,
        (_, false) => AccessClass::All,
    };
    let (one, other) = (class(allowed || undefined, disallowed), class(allowed, disallowed || undefined));
    if one == other { one } else { AccessClass::Undefined }
}

/// Compares the classes of all lists of at most `most` different rules with these patterns.
fn brute_force(patterns: &[String], letters: &[u8], longest: usize, most: usize) {
    let (ways, paths) = ways(patterns, letters, longest);
    let mut finders = [AccessFinder::default(), AccessFinder { proofs_only: true, ..AccessFinder::default() }];
    let mut lists = 0;
    let mut classes = [[0; 5]; 4];
    let mut list = Vec::new();
    let mut next = 0;
    // Depth first over ascending lists of rules: twice the pattern's number, and one more where it disallows.
    loop {
        if list.len() < most && next < 2 * patterns.len() {
            list.push(next);
            next += 1;
            lists += 1;
            let rules: Vec<String> = list
                .iter()
                .map(|rule: &usize| format!("{}{}", if rule.is_multiple_of(2) { '+' } else { '-' }, patterns[rule / 2]))
                .collect();
            let body = body(&rules.iter().map(String::as_str).collect::<Vec<_>>());
            for (dialect, classes) in dialects().into_iter().zip(&mut classes) {
                let expected = class_in_words(&ways, &list, patterns, dialect);
                classes[expected as usize] += 1;
                for finder in &mut finders {
                    assert_eq!(class_of(finder, &body, dialect), expected, "{rules:?} in {}", dialect.name);
                }
            }
        } else if let Some(last) = list.pop() {
            next = last + 1;
        } else {
            break;
        }
    }
    println!(
        "{} patterns, {lists} lists of up to {most} rules x {paths} paths ({} ways to match) x {} dialects x 2: no mistake; {classes:?}",
        patterns.len(),
        ways.len(),
        dialects().len()
    );
}

/// Words over letters, at most so long and with at most so many that are not `*`.
fn words(letters: &[u8], longest: usize, most_plain: usize) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = words.len();
        for at in from..to {
            for letter in letters {
                let word = format!("{}{}", words[at], *letter as char);
                if word.bytes().filter(|byte| *byte != b'*').count() <= most_plain {
                    words.push(word);
                }
            }
        }
        from = to;
    }
    words
}

/// Patterns with these beginnings, words and ends.
fn patterns(starts: &[&str], words: &[String]) -> Vec<String> {
    let mut patterns = Vec::new();
    for start in starts {
        for word in words {
            for end in ["", "$"] {
                patterns.push(format!("{start}{word}{end}"));
            }
        }
    }
    patterns
}

/// Why short paths are enough. The verdict on a path hangs on its best allow and its best disallow rule alone. Mark the first slash
/// and the bytes where the plain characters of these two stand, and put one byte that no rule knows in place of each run of others.
/// The two still match. No other rule begins to: marked bytes are neighbours only where they were, and no plain character
/// stands for the new byte, so the rule would have matched before. So to any path there is one with the same best rules of at most
/// twice as many bytes as are marked: a slash, and the plain characters of two patterns.
fn longest_needed(patterns: &[String]) -> usize {
    let plain = |pattern: &String| pattern.bytes().skip(1).filter(|byte| !matches!(byte, b'*' | b'$')).count();
    2 * (1 + 2 * patterns.iter().map(plain).max().unwrap_or(0))
}

#[test]
fn brute_force_over_all_short_lists() {
    // One letter more than the patterns have: the one that no rule knows.
    let one_letter = patterns(&["/"], &words(b"a*", 2, 1));
    brute_force(&one_letter, b"/ac", longest_needed(&one_letter), 4);
    let two_letters = patterns(&["/"], &words(b"ab*", 2, 2));
    brute_force(&two_letters, b"/abc", longest_needed(&two_letters), 3);
    let longer = patterns(&["/", "*"], &words(b"ab*", 3, 2));
    brute_force(&longer, b"/abc", longest_needed(&longer), 2);
    let slashes = patterns(&["/", "*"], &words(b"/*", 2, 2));
    brute_force(&slashes, b"/c", longest_needed(&slashes), 3);
}

/// The same over more lists, for some minutes: `ROBOCENSUS_BRUTE=1`.
#[test]
fn brute_force_over_more_lists() {
    if std::env::var_os("ROBOCENSUS_BRUTE").is_none() {
        println!("skipped: ROBOCENSUS_BRUTE is not set");
        return;
    }
    let two_letters = patterns(&["/", "*"], &words(b"ab*", 2, 2));
    brute_force(&two_letters, b"/abc", longest_needed(&two_letters), 4);
    let longer = patterns(&["/", "*"], &words(b"ab*", 3, 2));
    brute_force(&longer, b"/abc", longest_needed(&longer), 3);
}

#[test]
fn lists_where_the_first_rule_wins() {
    use AccessClass::{All, None, Some};
    /// Rules, and the class for `rep-1994` and `python`.
    const CASES: &[(&[&str], [AccessClass; 2])] = &[
        (&["-/"], [None, None]),
        (&["-"], [All, All]),
        (&["-", "-/"], [None, All]),
        (&["-/*"], [Some, Some]),
        (&["-/", "+/a"], [None, None]),
        (&["+/a", "-/"], [None, Some]),
        (&["+/", "-/"], [None, All]),
        (&["-/a b"], [All, Some]),
        (&["-/%41"], [Some, Some]),
        (&["-/%e9"], [Some, Some]),
        (&["-/%2"], [Some, Some]),
        (&["-/a?"], [Some, Some]),
        (&["+/?", "-/"], [None, All]),
        (&["+/a?%23b", "-/"], [None, Some]),
        (&["+/;a", "-/"], [None, Some]),
        (&["+/robots.txt", "-/"], [None, Some]),
        (&["-/robots.txta", "+/robots.txt", "-/"], [None, Some]),
        (&["-fish"], [All, All]),
        (&["-http://x/y"], [All, All]),
        (&["-//"], [Some, None]),
        (&["-/a", "-/b", "+/ab"], [Some, Some]),
    ];
    let mut failures = Vec::new();
    for (rules, classes) in CASES {
        let found = [&Dialect::REP_1994, &Dialect::PYTHON].map(|dialect| both_ways(&body(rules), dialect));
        if found != *classes {
            failures.push(format!("{rules:?}: {found:?}, not {classes:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// All sequences of rules, since here order counts. Patterns are plain, and so is why short paths are enough: what follows the
/// longest pattern decides nothing.
#[test]
fn brute_force_where_the_first_rule_wins() {
    let patterns = ["", "/", "/a", "/ab", "/a/", "/aa", "/b", "a"];
    let mut paths = vec![String::from("/")];
    for at in 0.. {
        if paths[at].len() == 5 {
            break;
        }
        paths.extend(["/", "a", "b", "c"].map(|letter| paths[at].clone() + letter));
    }
    let rules: Vec<(bool, &str)> = patterns.iter().flat_map(|pattern| [(true, *pattern), (false, *pattern)]).collect();
    let mut finders = [AccessFinder::default(), AccessFinder { proofs_only: true, ..AccessFinder::default() }];
    let mut lists = 0;
    for number in 0..rules.len().pow(3) {
        let list = [number % rules.len(), number / rules.len() % rules.len(), number / rules.len().pow(2)];
        let list = list.map(|rule| rules[rule]);
        let written = list.map(|(allow, pattern)| format!("{}{pattern}", if allow { '+' } else { '-' }));
        let body = body(&written.each_ref().map(String::as_str));
        for dialect in [&Dialect::REP_1994, &Dialect::PYTHON] {
            let is_old = !dialect.knows_allow;
            let denied = |path: &String| {
                let first = list
                    .iter()
                    .find(|(allow, pattern)| path.starts_with(pattern) && !(is_old && (*allow || pattern.is_empty())));
                first.is_some_and(|(allow, pattern)| !allow && !pattern.is_empty())
            };
            let some_denied = paths.iter().any(denied);
            let expected = match (some_denied, paths.iter().all(denied)) {
                (false, _) => AccessClass::All,
                (_, true) => AccessClass::None,
                _ => AccessClass::Some,
            };
            for finder in &mut finders {
                assert_eq!(class_of(finder, &body, dialect), expected, "{written:?} in {}", dialect.name);
            }
        }
        lists += 1;
    }
    println!("{lists} lists of 3 rules in order x {} paths x 2 dialects x 2: no mistake", paths.len());
}

/// No path contradicts a class, through all that a dialect does to rules and paths. That the witnesses are right [`class_of`] sees to.
#[test]
fn escaped_paths_bear_the_classes_out() {
    const PATTERNS: [&str; 26] = [
        "/", "/$", "*", "/%", "/%2", "/%2*", "/%2$", "/%2F", "/%2f$", "/*%", "/*%2", "/*F$", "/*f", "/%*F", "/%FF",
        "/*%ff$", "/%41", "/%2A", "/%24$", "/A", "/a b", "/%20", "/é", "/*%C3", "/*?", "/?",
    ];
    const TOKENS: [&str; 18] =
        ["A", "2", "F", "f", "z", "/", "?", "*", "$", "%20", "%2F", "%2f", "%FF", "%ff", "%41", "%2A", "%24", "%C3%A9"];
    let mut urls = vec![String::from("http://a/")];
    let mut from = 0;
    for _ in 0..3 {
        let to = urls.len();
        for at in from..to {
            urls.extend(TOKENS.map(|token| urls[at].clone() + token));
        }
        from = to;
    }
    let rules: Vec<String> =
        PATTERNS.iter().flat_map(|pattern| [format!("+{pattern}"), format!("-{pattern}")]).collect();
    let mut compared = 0;
    for dialect in Dialect::ALL {
        let paths = Paths::new(urls.iter().map(|url| url.as_bytes()), dialect);
        let mut finder = AccessFinder { proofs_only: true, ..AccessFinder::default() };
        for one in &rules {
            for two in &rules {
                let body = body(&[one, two]);
                let class = class_of(&mut finder, &body, dialect);
                let document = Document::parse(body.as_bytes());
                let robots = document.read(dialect);
                let mut found = [false; 3];
                for path in 0..paths.len() {
                    let mut work = Work { left: u32::MAX };
                    found[verdict(&robots, rules_of(&robots, 0), paths.text(path), &mut work).unwrap() as usize] = true;
                }
                let [allowed, disallowed, undefined] = found;
                let holds = match class {
                    AccessClass::All => !disallowed && !undefined,
                    AccessClass::None => !allowed && !undefined,
                    AccessClass::Undefined => !(allowed && disallowed),
                    AccessClass::Some => true,
                    AccessClass::Undecided => false,
                };
                assert!(holds, "{one} {two} in {}: {class:?}, but {found:?}", dialect.name);
                compared += 1;
            }
        }
    }
    println!("{compared} lists x {} paths: no contradiction", urls.len());
}

#[test]
fn hostile_bodies_end() {
    let mut finder = AccessFinder::default();
    let many = |count: usize, line: &dyn Fn(usize) -> String| -> String {
        (0..count).fold(String::from("user-agent: *\n"), |body, number| body + &line(number))
    };
    let decided = [
        many(100_000, &|number| format!("disallow: /{number}\n")),
        many(100_000, &|_| "disallow: /*?\n".to_owned()),
        many(1_000, &|number| format!("disallow: /{number}\nallow: /{number}\n")),
        format!("user-agent: *\ndisallow: /{}$\n", "*a".repeat(8_000)),
        format!("user-agent: *\ndisallow: /\nallow: /{}$\n", "*a".repeat(8_000)),
        format!("user-agent: *\nallow: /{}\ndisallow: /{0}\n", "*".repeat(100_000)),
    ];
    for body in &decided {
        let class = class_of(&mut finder, body, &Dialect::RFC9309);
        assert_ne!(class, AccessClass::Undecided, "{}", &body[..60]);
    }
    // Whatever becomes of these, it ends.
    let letters: Vec<char> = ('a'..='z').chain('0'..='9').collect();
    let subsets = letters.iter().map(|letter| format!("disallow: /*{letter}*{letter}\n")).collect::<String>();
    let undecided = [
        many(50_000, &|number| format!("disallow: /{number}\nallow: /{number}\n")),
        many(20_000, &|number| format!("disallow: /*{number}\nallow: /*{number}\n")),
        format!("user-agent: *\n{subsets}allow: /a$\ndisallow: /\nallow: /*{}$\n", "x*".repeat(200)),
        format!("user-agent: *\nallow: /{}b\ndisallow: /{0}c\n", "a".repeat(400_000)),
        format!("user-agent: *\nallow: /*{}b$\ndisallow: /*{0}c$\n", "a".repeat(200_000)),
    ];
    for body in &undecided {
        for dialect in dialects() {
            class_of(&mut finder, body, dialect);
        }
    }
    assert_eq!(class_of(&mut finder, &body(&["-/"]), &Dialect::RFC9309), AccessClass::None);
}

#[test]
fn groups_are_merged_and_remembered() {
    let body = "user-agent: a\nuser-agent: b\ndisallow: /\n\nuser-agent: b\nallow: /x\n\nuser-agent: c\n";
    let robots = Document::parse(body.as_bytes()).read(&Dialect::RFC9309);
    let mut finder = AccessFinder::default();
    finder.begin(&robots);
    for _ in 0..2 {
        assert_eq!(finder.of(&robots, &[0]).class, AccessClass::None);
        let both = finder.of(&robots, &[0, 1]);
        assert_eq!((both.class, both.allowed), (AccessClass::Some, Some(&b"/x"[..])));
        assert_eq!(finder.of(&robots, &[1]).class, AccessClass::All);
        assert_eq!(finder.of(&robots, &[2]).class, AccessClass::All);
        assert_eq!(finder.of(&robots, &[]).allowed, Some(&b"/"[..]));
    }
    assert_eq!(finder.found.len(), 4);
    finder.begin(&robots);
    assert_eq!(finder.of(&robots, &[1]).class, AccessClass::All);
    // A body that was not begun has no work granted, and is no reason to fail.
    let mut fresh = AccessFinder::default();
    assert_eq!(fresh.of(&robots, &[7]).class, AccessClass::Undecided);
}

#[test]
fn one_hostile_group_leaves_work_for_the_others() {
    let mut body = String::from("user-agent: hostile\n");
    for number in 0..10_000 {
        body += &format!("disallow: /*{number}\nallow: /*{number}\n");
    }
    for agent in 0..8 {
        body += &format!("user-agent: a{agent}\ndisallow: /\nallow: /p\n");
    }
    let robots = Document::parse(body.as_bytes()).read(&Dialect::RFC9309);
    let mut finder = AccessFinder::default();
    finder.begin(&robots);
    assert_eq!(finder.of(&robots, &[0]).class, AccessClass::Undecided);
    for group in 1..=8 {
        assert_eq!(finder.of(&robots, &[group]).class, AccessClass::Some);
    }
}

#[test]
fn readings_that_differ_show_where() {
    let mut finder = AccessFinder::default();
    let mut differing = |rules: &[&str], one: &'static Dialect, other: &'static Dialect| {
        let body = body(rules);
        let document = Document::parse(body.as_bytes());
        let path = finder.differing((&document.read(one), &[0]), (&document.read(other), &[0]), &[]);
        path.map(|path| String::from_utf8(path.into_vec()).unwrap())
    };
    let [rfc, google, year_2019, legacy] = dialects();
    assert_eq!(rfc.spelling, Spelling::MadeEqual);
    assert_eq!(differing(&["-/a b"], rfc, google).as_deref(), Some("/a%20b"));
    assert_eq!(differing(&["-/%41"], rfc, google).as_deref(), Some("/A"));
    assert_eq!(differing(&["-/a"], rfc, google), None);
    assert_eq!(differing(&["+/page", "-/*.htm"], rfc, legacy).as_deref(), Some("/page.htm"));
    assert_eq!(differing(&["+/*a", "-/*b"], year_2019, legacy).as_deref(), Some("/ab"));
    assert_eq!(differing(&["-/", "+/d/index.html"], rfc, google).as_deref(), Some("/d/"));
    assert_eq!(differing(&["-/robots.txt$"], rfc, google), None);
    let python = &Dialect::PYTHON;
    assert_eq!(differing(&["-/*.php"], rfc, python).as_deref(), Some("/.php"));
    assert_eq!(differing(&["+/a", "-/ab"], rfc, python).as_deref(), Some("/ab"));
    // To CPython an escaped question mark is one.
    assert_eq!(differing(&["-/a?b"], rfc, python).as_deref(), Some("/a%3Fb"));
    assert_eq!(differing(&["-/a/b"], rfc, python), None);
    assert_eq!(differing(&["-/a/b", "+/a", "-/*c"], rfc, google), None);
    assert_eq!(differing(&["-/a", "+/b"], rfc, &Dialect::REP_1994), None);
    assert_eq!(differing(&["-/a", "+/ab"], rfc, &Dialect::REP_1994).as_deref(), Some("/ab"));
}
