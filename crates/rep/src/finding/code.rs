//! The closed list of findings: everything that is said about a kind of finding is said here, once.

/// How much a finding matters to the owner of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file does not do what its author evidently meant, for crawlers that follow the standard.
    Error,
    /// Some crawlers read it otherwise than others, or it may not do what was meant.
    Warning,
    /// Harmless, but good to know.
    Note,
}

impl Severity {
    /// All of them, the gravest first.
    pub const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

    /// The word for it: `error`, `warning` or `note`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A few lines of robots.txt that show a finding.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The lines, as bytes; `{20 x a}` stands for twenty times `a`.
    pub text: &'static [u8],
    /// The line that the finding is about, from 1.
    pub line: u32,
}

impl Example {
    /// The body it stands for: its text with every repetition written out.
    pub fn body(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(open) = memchr::memchr(b'{', rest) {
            body.extend_from_slice(&rest[..open]);
            rest = &rest[open..];
            let Some((times, what, length)) = repetition(rest) else {
                body.push(b'{');
                rest = &rest[1..];
                continue;
            };
            body.extend_from_slice(&what.repeat(times));
            rest = &rest[length..];
        }
        body.extend_from_slice(rest);
        body
    }
}

/// How often, what, and how long the notation is, of a text that begins with `{20 x a}`.
fn repetition(text: &[u8]) -> Option<(usize, &[u8], usize)> {
    let close = memchr::memchr(b'}', text)?;
    let inner = text.get(1..close)?;
    let digits = inner.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let times = std::str::from_utf8(&inner[..digits]).ok()?.parse().ok()?;
    Some((times, inner[digits..].strip_prefix(b" x ")?, close + 1))
}

macro_rules! codes {
    ($($variant:ident => $code:literal, $severity:ident, $clause:literal,
        $about:literal, $suggestion:literal, $line:literal, $example:literal;)*) => {
        /// A kind of finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingCode { $(#[doc = $about] $variant,)* }

        impl FindingCode {
            /// Every kind, in the order of the list.
            pub const ALL: &[FindingCode] = &[$(FindingCode::$variant,)*];

            /// The stable code that tables carry.
            pub const fn code(self) -> &'static str {
                match self { $(FindingCode::$variant => $code,)* }
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(FindingCode::$variant => Severity::$severity,)* }
            }

            /// The clause, or the document, it rests on.
            pub const fn clause(self) -> &'static str {
                match self { $(FindingCode::$variant => $clause,)* }
            }

            /// What it means, in a sentence without its full stop.
            pub const fn about(self) -> &'static str {
                match self { $(FindingCode::$variant => $about,)* }
            }

            /// What to do about it, likewise.
            pub const fn suggestion(self) -> &'static str {
                match self { $(FindingCode::$variant => $suggestion,)* }
            }

            /// Lines that show it.
            pub const fn example(self) -> Example {
                match self { $(FindingCode::$variant => Example { text: $example, line: $line },)* }
            }
        }
    };
}

codes! {
    // The file as a whole.
    HtmlBody => "html-body", Error, "Google's text of 2019",
        "the file is an HTML page and not a robots.txt",
        "serve plain text at /robots.txt, or answer 404 when there are no rules",
        1, b"<!DOCTYPE html>\n<title>Not found</title>\n";
    Utf16 => "utf-16", Error, "RFC 9309, 2.3",
        "the file is in UTF-16 or UTF-32, in which crawlers find no line that they can read",
        "save the file as UTF-8",
        1, b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0 \0*\0";
    NoDirective => "no-directive", Error, "RFC 9309, 2.2",
        "the file has text but not one line that a crawler understands",
        "write groups of `user-agent`, `allow` and `disallow` lines, or answer 404 when there are no rules",
        1, b"Not Found\n";
    ByteOrderMark => "byte-order-mark", Warning, "Google's text of 2019",
        "the file begins with a byte order mark, which some crawlers take for part of the first line",
        "save the file without a byte order mark",
        1, b"\xef\xbb\xbfuser-agent: *\ndisallow: /private/\n";
    NotUtf8 => "not-utf-8", Warning, "RFC 9309, 2.3",
        "the file holds bytes that are not UTF-8",
        "save the file as UTF-8",
        2, b"user-agent: *\ndisallow: /caf\xe9/\n";
    ControlByte => "control-byte", Warning, "RFC 9309, 2.2",
        "a line holds control characters; at a NUL byte some crawlers stop reading it",
        "remove the characters",
        2, b"user-agent: *\ndisallow: /private/\0\n";
    OverLimit => "over-limit", Warning, "RFC 9309, 2.5",
        "the file is longer than 500 KiB; crawlers need not read what is beyond",
        "shorten the file: put the rules that matter first, and many similar ones into one pattern",
        1, b"# {512000 x a}\nuser-agent: *\ndisallow: /\n";
    RuleBeyondLimit => "rule-beyond-limit", Error, "RFC 9309, 2.5",
        "a line that counts stands beyond the first 500 KiB, where crawlers need not read it",
        "move it up, or shorten the file",
        4, b"user-agent: *\ndisallow: /a\n# {512000 x a}\ndisallow: /b\n";
    LongLine => "long-line", Warning, "Google's parser",
        "a line is longer than the 16,663 bytes that Google's parser keeps of one",
        "shorten the line",
        2, b"user-agent: *\ndisallow: /{17000 x a}\n";

    // Lines.
    MisspeltField => "misspelt-field", Error, "RFC 9309, 2.2",
        "a field name is a near miss of user-agent, allow, disallow or sitemap; only some crawlers take it as that",
        "correct the spelling",
        2, b"user-agent: *\ndissalow: /private/\n";
    MissingColon => "missing-colon", Error, "RFC 9309, 2.2",
        "a line begins with a field name but has no colon; only some crawlers read it",
        "put a colon after the field name",
        2, b"user-agent: *\ndisallow /private/\n";
    TwoFieldsInLine => "two-fields-in-line", Error, "RFC 9309, 2.2",
        "a second field follows on the same line, and is read as part of the first one's value",
        "put each field on a line of its own",
        1, b"user-agent: ExampleBot disallow: /\nallow: /\n";
    InvisibleCharacter => "invisible-character", Error, "RFC 9309, 2.2",
        "a character that cannot be seen makes the line another one than it looks",
        "delete and type the line again: look for no-break spaces and for byte order marks inside the file",
        2, b"user-agent: *\ndisallow: /private/\xc2\xa0\n";
    IgnoredLine => "ignored-line", Note, "RFC 9309, 2.2",
        "a line of text has no field that a crawler could read, and is skipped",
        "remove the line, or begin it with `#` to make it a comment",
        1, b"Rules for all robots\nuser-agent: *\ndisallow: /private/\n";
    UnknownField => "unknown-field", Note, "RFC 9309, 2.2.4",
        "a line's field is none that is known here",
        "remove the line unless a crawler that you care about documents it",
        2, b"user-agent: *\nfavourite-colour: green\ndisallow: /private/\n";

    // Agents and groups.
    RuleBeforeAgent => "rule-before-agent", Error, "RFC 9309, 2.2.1",
        "a rule stands before any user-agent line and is ignored",
        "put a line such as `user-agent: *` before it",
        1, b"disallow: /private/\nuser-agent: *\ndisallow: /tmp/\n";
    NamelessAgent => "nameless-agent", Error, "RFC 9309, 2.2.1",
        "a user-agent line names no crawler",
        "name a crawler's product token, or `*` for all that have no group of their own",
        1, b"user-agent: *bot\ndisallow: /private/\n";
    AgentList => "agent-list", Error, "RFC 9309, 2.2.1",
        "a user-agent line lists several crawlers, of which only the first is read",
        "write one `user-agent` line for each crawler",
        1, b"user-agent: ExampleBot, OtherBot\ndisallow: /private/\n";
    TokenOutsideGrammar => "token-outside-grammar", Note, "RFC 9309, 2.2.1",
        "an agent is more than letters, `_` and `-`: parsers differ in how much of it they compare",
        "write the product token that the crawler's documentation names, without version or comment",
        1, b"user-agent: ExampleBot/2.0\ndisallow: /private/\n";
    AgentCase => "agent-case", Note, "Google's text of 2019",
        "groups name one agent in spellings that differ by case; by the letter of some texts that is not the same agent",
        "spell the agent the same in all groups",
        3, b"user-agent: ExampleBot\ndisallow: /a\nuser-agent: examplebot\ndisallow: /b\n";
    GroupNotClosed => "group-not-closed", Error, "RFC 9309, 2.2.1",
        "a user-agent line joins the group before it, which no rule has ended; before 2021 Google's parser began a new group",
        "give the group before it a rule of its own, such as an empty `disallow:`, or put the other line after the rules",
        3, b"user-agent: *\ncrawl-delay: 10\nuser-agent: ExampleBot\ndisallow: /\n";
    DuplicateGroup => "duplicate-group", Warning, "RFC 9309, 2.2.1",
        "an agent is named in more than one group; the standard merges them, some crawlers read only the first",
        "merge the groups into one",
        3, b"user-agent: *\ndisallow: /a\nuser-agent: *\ndisallow: /b\n";
    EmptyGroup => "empty-group", Warning, "RFC 9309, 2.2.1",
        "the last group has no rules: its agents may fetch all, and some crawlers pass over such a group",
        "write an empty `disallow:` to allow all, or remove the group",
        3, b"user-agent: *\ndisallow: /private/\nuser-agent: ExampleBot\n";

    // Rules.
    PathWithoutSlash => "path-without-slash", Error, "RFC 9309, 2.2.2",
        "a pattern begins with neither `/` nor `*`, so it matches no path",
        "put a `/` before it",
        2, b"user-agent: *\ndisallow: private/\n";
    AbsoluteUrlRule => "absolute-url-rule", Error, "RFC 9309, 2.2.2",
        "a pattern is a whole URL; paths never match one",
        "leave out scheme and host: a robots.txt rules only the host that it lies on",
        2, b"user-agent: *\ndisallow: https://www.example.com/private/\n";
    DisallowStar => "disallow-star", Warning, "RFC 9309, 2.2.2",
        "`disallow: *` is outside the grammar: it closes the whole site to crawlers with wildcards, and nothing to others",
        "write `disallow: /` to close the whole site",
        2, b"user-agent: *\ndisallow: *\n";
    LeadingWildcard => "leading-wildcard", Note, "RFC 9309, 2.2.2",
        "a pattern begins with `*`; by the grammar it should begin with `/`",
        "write `/*` at its start",
        2, b"user-agent: *\ndisallow: *.pdf\n";
    DollarInMiddle => "dollar-in-middle", Warning, "RFC 9309, 2.2.3",
        "a `$` that is not at the end of a pattern is a plain character and pins nothing",
        "end the pattern with it, or write `%24` if the path has this character",
        2, b"user-agent: *\ndisallow: /*.pdf$*\n";
    BadEscape => "bad-escape", Warning, "RFC 9309, 2.2.2",
        "a `%` is not followed by two hexadecimal digits, so crawlers differ in what it matches",
        "write `%25` for the character itself",
        2, b"user-agent: *\ndisallow: /100%/\n";
    BlankInPath => "blank-in-path", Warning, "RFC 9309, 2.2.2",
        "a pattern has a blank in it; it is read whole, and not as two patterns or as pattern and remark",
        "put each pattern on a line of its own, a remark behind `#`, and write `%20` for a blank of the path",
        2, b"user-agent: *\ndisallow: /a /b\n";
    HashInPath => "hash-in-path", Warning, "RFC 9309, 2.2.3",
        "a `#` in a pattern begins a comment, so the pattern ends before it",
        "put a blank before a comment; leave the fragment of a URL out, crawlers never send it",
        2, b"user-agent: *\ndisallow: /#/account\n";
    UnreachableRule => "unreachable-rule", Warning, "RFC 9309, 2.2.2",
        "a rule never decides: one of the other kind that is at least as strong matches every path that it matches",
        "remove the rule, or make its pattern longer than the other's",
        3, b"user-agent: *\nallow: /\ndisallow: /\n";
    DuplicateRule => "duplicate-rule", Note, "RFC 9309, 2.2.2",
        "a rule stands in its group more than once",
        "remove the rule",
        3, b"user-agent: *\ndisallow: /a\ndisallow: /a\n";

    // Sitemaps.
    RelativeSitemap => "relative-sitemap", Error, "Google's text of 2019",
        "a sitemap line holds no absolute URL",
        "write the whole URL, with scheme and host",
        1, b"sitemap: /sitemap.xml\nuser-agent: *\ndisallow: /private/\n";
    SitemapDisallowed => "sitemap-disallowed", Warning, "Google's text of 2019",
        "the path of a sitemap is closed to `*` by the rules of the same file",
        "allow the sitemap's path",
        3, b"user-agent: *\ndisallow: /xml/\nsitemap: https://www.example.com/xml/sitemap.xml\n";

    // Fields outside the standard.
    BadCrawlDelay => "bad-crawl-delay", Warning, "RFC 9309, 2.2.4",
        "a crawl-delay is not a number of seconds",
        "write a plain number, such as `10` or `0.5`",
        2, b"user-agent: *\ncrawl-delay: 10s\ndisallow: /private/\n";
    Noindex => "noindex", Warning, "Google's parser",
        "no crawler that documents its fields supports noindex in a robots.txt",
        "answer with the header `X-Robots-Tag: noindex`, and do not disallow the page, or it is not seen",
        2, b"user-agent: *\nnoindex: /private/\ndisallow: /tmp/\n";
    BadContentSignal => "bad-content-signal", Warning, "contentsignals.org",
        "a Content-Signal line is not a list such as `search=yes, ai-input=no, ai-train=no` in a group",
        "use `search`, `ai-input` and `ai-train` with `yes` or `no`, comma between, below a user-agent line",
        2, b"user-agent: *\ncontent-signal: ai_train=no\nallow: /\n";
    BadContentUsage => "bad-content-usage", Warning, "draft-ietf-aipref-attach",
        "a Content-Usage line is not a list such as `train-ai=n, search=y` in a group, maybe behind a path",
        "use `train-ai` and `search` with `y` or `n`, comma between, below a user-agent line",
        2, b"user-agent: *\ncontent-usage: train-ai=no\nallow: /\n";
    ContradictedPreference => "contradicted-preference", Warning, "draft-ietf-aipref-attach",
        "a use of content is granted that the rules of its group close to the crawler",
        "allow the paths, or take the grant back",
        2, b"user-agent: ExampleBot\ncontent-signal: search=yes\ndisallow: /\n";
}

impl FindingCode {
    /// The kind with this code.
    pub fn named(code: &str) -> Option<FindingCode> {
        FindingCode::ALL.iter().copied().find(|known| known.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let codes: HashSet<&str> = FindingCode::ALL.iter().map(|code| code.code()).collect();
        assert_eq!(codes.len(), FindingCode::ALL.len());
        for code in FindingCode::ALL {
            assert_eq!(FindingCode::named(code.code()), Some(*code));
            assert!(code.code().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            for text in [code.about(), code.suggestion()] {
                assert!(!text.ends_with('.') && !text.contains('\n') && !text.contains("  "), "{text}");
            }
        }
        assert_eq!(FindingCode::named("bogus"), None);
    }

    #[test]
    fn repetitions_are_written_out() {
        let body = |text| Example { text, line: 1 }.body();
        assert_eq!(body(b"a{3 x bc}d"), b"abcbcbcd");
        assert_eq!(body(b"{x {2 x a} {3 y b} {"), b"{x aa {3 y b} {");
    }
}
