//! What the answer to the request for a robots.txt means, before any of its text is read (spec, section 2).

use crate::dialect::Dialect;
use memchr::memmem;

/// Redirects that are followed (RFC 9309, 2.3.1.2; spec 2.2).
pub const MAX_HOPS: usize = 5;

/// Days after which a server that keeps failing is given up (spec 2.4).
pub const LONG_TIME_DAYS: u32 = 30;

/// What a crawler may do with a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// What the rules of the text say.
    Conditional,
    /// Fetch everything.
    FullAllow,
    /// Fetch nothing.
    FullDisallow,
    /// The dialect's text leaves it open.
    Undefined,
}

impl Outcome {
    /// The word that tables and programs use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Conditional => "conditional",
            Outcome::FullAllow => "full_allow",
            Outcome::FullDisallow => "full_disallow",
            Outcome::Undefined => "undefined",
        }
    }
}

macro_rules! reasons {
    ($($variant:ident => $name:literal, $about:literal;)*) => {
        /// Why a robots.txt has the outcome it has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason { $(#[doc = $about] $variant,)* }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Reason] = &[$(Reason::$variant,)*];

            /// The word that tables and programs use.
            pub const fn as_str(self) -> &'static str {
                match self { $(Reason::$variant => $name,)* }
            }

            /// What it means, in a sentence.
            pub const fn about(self) -> &'static str {
                match self { $(Reason::$variant => $about,)* }
            }
        }
    };
}

reasons! {
    Success => "success", "a 2xx answer: its text decides";
    Redirect => "redirect", "a 3xx answer with a target, not followed yet";
    Forbidden => "forbidden", "401 or 403";
    RateLimited => "rate_limited", "429";
    Unavailable => "unavailable", "any other 4xx";
    Unreachable => "unreachable", "5xx";
    HtmlRedirect => "html_redirect", "a 2xx answer whose page redirects by meta refresh or frame";
    RedirectWithoutTarget => "redirect_without_target", "a 3xx answer without a usable target";
    RedirectLoop => "redirect_loop", "redirects that come back to where they were";
    TooManyRedirects => "too_many_redirects", "more redirects than are followed";
    TargetNotCaptured => "target_not_captured", "a redirect whose target the input does not hold";
    TargetOutsideInput => "target_outside_input", "a redirect whose target may lie in a part of the input that was not read";
    TargetDisallowed => "target_disallowed", "a redirect to a URL that its own site's rules close to the crawler";
    NoAnswer => "no_answer", "no usable answer: a network failure, or a status outside 200-599";
}

/// What a dialect makes of each HTTP result; the rows of the table in section 9 of the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpRules {
    /// 401 and 403.
    pub forbidden: Outcome,
    /// 429.
    pub rate_limited: Outcome,
    /// Any other 4xx.
    pub unavailable: Outcome,
    /// 5xx.
    pub unreachable: Outcome,
    /// 5xx for longer than [`LONG_TIME_DAYS`].
    pub long_unreachable: AfterLongTime,
    /// 5xx from a site known to answer so for pages that do not exist: as any other 4xx, or as any 5xx.
    pub missing_is_unavailable: bool,
    /// No usable answer.
    pub no_answer: Outcome,
    /// The same for longer than [`LONG_TIME_DAYS`].
    pub long_no_answer: AfterLongTime,
    /// Redirects that lead nowhere: no target, a loop, too many, a target that was not captured.
    pub lost_redirect: Outcome,
    /// A redirect to a target that its own site's rules close, or inside an HTML page: undefined, or followed and not.
    pub odd_redirect_undefined: bool,
    /// The document these rest on.
    pub source: &'static str,
}

/// What an answer is to be taken for, whatever a dialect says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Treatment {
    /// As the dialect takes an ordinary 4xx (RFC 9309, 2.3.1.3).
    Unavailable,
    /// As the dialect takes a 5xx (RFC 9309, 2.3.1.4).
    Unreachable,
    /// Fetch everything.
    FullAllow,
    /// Fetch nothing.
    FullDisallow,
    /// Left open.
    Undefined,
}

impl Treatment {
    /// Every treatment.
    pub const ALL: &[Treatment] = &[
        Treatment::Unavailable,
        Treatment::Unreachable,
        Treatment::FullAllow,
        Treatment::FullDisallow,
        Treatment::Undefined,
    ];

    /// The word that users type and tables carry.
    pub const fn as_str(self) -> &'static str {
        match self {
            Treatment::Unavailable => "unavailable",
            Treatment::Unreachable => "unreachable",
            Treatment::FullAllow => Outcome::FullAllow.as_str(),
            Treatment::FullDisallow => Outcome::FullDisallow.as_str(),
            Treatment::Undefined => Outcome::Undefined.as_str(),
        }
    }
}

/// Which answers are to be taken otherwise than a dialect does (spec 2.3: a named setting).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HttpChanges {
    /// 429.
    pub rate_limited: Option<Treatment>,
    /// 401 and 403.
    pub forbidden: Option<Treatment>,
    /// Every 4xx that is not set by itself.
    pub any_4xx: Option<Treatment>,
    /// 5xx.
    pub any_5xx: Option<Treatment>,
    /// No usable answer.
    pub no_answer: Option<Treatment>,
    /// Redirects that lead nowhere.
    pub lost_redirect: Option<Treatment>,
}

/// What a failing server's site is taken for after a long time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterLongTime {
    /// As before.
    Unchanged,
    /// The last good copy decides; without one everything is allowed.
    LastCopy,
    /// The text leaves it open.
    Undefined,
}

impl AfterLongTime {
    /// It in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            AfterLongTime::Unchanged => "as before",
            AfterLongTime::LastCopy => "the last good copy, else full_allow",
            AfterLongTime::Undefined => "undefined",
        }
    }
}

impl HttpRules {
    /// RFC 9309, 2.3.1.
    pub const RFC9309: HttpRules = HttpRules {
        forbidden: Outcome::FullAllow,
        rate_limited: Outcome::FullAllow,
        unavailable: Outcome::FullAllow,
        unreachable: Outcome::FullDisallow,
        long_unreachable: AfterLongTime::Unchanged,
        missing_is_unavailable: false,
        no_answer: Outcome::FullDisallow,
        long_no_answer: AfterLongTime::Unchanged,
        lost_redirect: Outcome::FullAllow,
        odd_redirect_undefined: false,
        source: "RFC 9309, 2.3.1",
    };

    /// Google's text of 2019, which its parser leaves to the caller.
    pub const GOOGLE: HttpRules = HttpRules {
        long_unreachable: AfterLongTime::LastCopy,
        missing_is_unavailable: true,
        long_no_answer: AfterLongTime::LastCopy,
        source: "Google's text of July 2019: handling HTTP result codes; its parser leaves HTTP to its caller",
        ..HttpRules::RFC9309
    };

    /// Google's text before 2019 (S-ko): what lasts, and what gives no answer, it leaves open.
    pub const GOOGLE_LEGACY: HttpRules = HttpRules {
        long_unreachable: AfterLongTime::Undefined,
        no_answer: Outcome::Undefined,
        long_no_answer: AfterLongTime::Undefined,
        odd_redirect_undefined: true,
        source: "Google's text before July 2019: handling HTTP result codes",
        ..HttpRules::GOOGLE
    };

    /// The convention of 1994 says nothing of HTTP: where no text was had, there is no policy.
    pub const REP_1994: HttpRules = HttpRules {
        unreachable: Outcome::FullAllow,
        no_answer: Outcome::FullAllow,
        source: "the convention of 1994 says nothing of HTTP: where no text was had, there is no policy",
        ..HttpRules::RFC9309
    };

    /// CPython: a parser that was given nothing to read refuses all, but for 4xx.
    pub const PYTHON: HttpRules = HttpRules {
        forbidden: Outcome::FullDisallow,
        lost_redirect: Outcome::FullDisallow,
        source: "CPython (urllib/robotparser.py: read, can_fetch)",
        ..HttpRules::RFC9309
    };

    /// These rules with some answers taken otherwise. [`Treatment::Unavailable`] and [`Treatment::Unreachable`] mean what these rules
    /// make of a 4xx and a 5xx before anything is changed; an answer that is set has no special rule for a long time.
    pub const fn with(self, changes: &HttpChanges) -> HttpRules {
        const fn taken(treatment: Option<Treatment>, else_as: Outcome, original: &HttpRules) -> Outcome {
            match treatment {
                None => else_as,
                Some(Treatment::Unavailable) => original.unavailable,
                Some(Treatment::Unreachable) => original.unreachable,
                Some(Treatment::FullAllow) => Outcome::FullAllow,
                Some(Treatment::FullDisallow) => Outcome::FullDisallow,
                Some(Treatment::Undefined) => Outcome::Undefined,
            }
        }
        /// What is said of an answer, or else of the wider class that it is in.
        const fn or(narrow: Option<Treatment>, wide: Option<Treatment>) -> Option<Treatment> {
            if narrow.is_some() { narrow } else { wide }
        }
        const fn long(treatment: Option<Treatment>, rule: AfterLongTime) -> AfterLongTime {
            if treatment.is_some() { AfterLongTime::Unchanged } else { rule }
        }
        HttpRules {
            forbidden: taken(or(changes.forbidden, changes.any_4xx), self.forbidden, &self),
            rate_limited: taken(or(changes.rate_limited, changes.any_4xx), self.rate_limited, &self),
            unavailable: taken(changes.any_4xx, self.unavailable, &self),
            unreachable: taken(changes.any_5xx, self.unreachable, &self),
            long_unreachable: long(changes.any_5xx, self.long_unreachable),
            no_answer: taken(changes.no_answer, self.no_answer, &self),
            long_no_answer: long(changes.no_answer, self.long_no_answer),
            lost_redirect: taken(changes.lost_redirect, self.lost_redirect, &self),
            ..self
        }
    }

    /// The outcome of a reason, all else being ordinary. A redirect that nobody followed yet leads nowhere.
    pub fn outcome(&self, reason: Reason) -> Outcome {
        match reason {
            Reason::Success => Outcome::Conditional,
            Reason::Forbidden => self.forbidden,
            Reason::RateLimited => self.rate_limited,
            Reason::Unavailable => self.unavailable,
            Reason::Unreachable => self.unreachable,
            Reason::NoAnswer => self.no_answer,
            Reason::HtmlRedirect | Reason::TargetDisallowed if self.odd_redirect_undefined => Outcome::Undefined,
            Reason::HtmlRedirect | Reason::TargetDisallowed => Outcome::Conditional,
            Reason::Redirect
            | Reason::RedirectWithoutTarget
            | Reason::RedirectLoop
            | Reason::TooManyRedirects
            | Reason::TargetNotCaptured
            | Reason::TargetOutsideInput => self.lost_redirect,
        }
    }
}

/// The reason of one answer by itself. `None` is an answer without a status; `has_target` says whether a usable `Location` came.
pub fn reason(status: Option<i16>, has_target: bool) -> Reason {
    match status {
        Some(200..=299) => Reason::Success,
        // The file is asked for unconditionally, so "not modified" answers nothing, `Location` or not (spec 1.7).
        Some(304) => Reason::RedirectWithoutTarget,
        Some(300..=399) if has_target => Reason::Redirect,
        Some(300..=399) => Reason::RedirectWithoutTarget,
        Some(401 | 403) => Reason::Forbidden,
        Some(429) => Reason::RateLimited,
        Some(400..=499) => Reason::Unavailable,
        Some(500..=599) => Reason::Unreachable,
        _ => Reason::NoAnswer,
    }
}

/// One answer in a chain of requests, the first request first.
#[derive(Debug, Clone, Default)]
pub struct Answer<'a> {
    /// What was asked for.
    pub url: &'a str,
    /// HTTP status; anything outside 200-599 is no usable answer.
    pub status: i16,
    /// Where a redirect leads, made absolute.
    pub location: Option<&'a str>,
    /// The text, where it is at hand.
    pub body: Option<&'a [u8]>,
    /// Whether the rules of its own site close this URL to the crawler.
    pub disallowed: bool,
}

/// What else is known of a site.
#[derive(Debug, Clone, Copy, Default)]
pub struct Circumstances {
    /// For how many days it has failed.
    pub unreachable_days: u32,
    /// Whether a good copy of its robots.txt is at hand.
    pub cached: bool,
    /// Whether it answers 5xx for pages that do not exist.
    pub missing_is_5xx: bool,
}

/// Where a chain of answers led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Result {
    /// What a crawler may do.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
    /// Redirects followed.
    pub hops: usize,
    /// Index in the chain of the answer whose text counts, where one does.
    pub text: Option<usize>,
}

/// The outcome of asking for a robots.txt: follows the redirects of a chain of answers, the first request first.
///
/// A redirect whose target is not in the chain was not captured. The rules found belong to the first URL's origin
/// (RFC 9309, 2.3.1.2).
pub fn outcome(chain: &[Answer<'_>], circumstances: Circumstances, dialect: &Dialect) -> Result {
    let rules = &dialect.http;
    let mut at = 0;
    let mut hops = 0;
    let mut seen = Vec::new();
    let (reason, text) = loop {
        let Some(answer) = chain.get(at) else { break (Reason::NoAnswer, None) };
        seen.push(canonical(answer.url));
        let location = answer.location.and_then(|to| url::Url::parse(answer.url).ok()?.join(to.trim()).ok());
        let target = location.filter(|_| answer.location.is_some_and(|to| !to.trim().is_empty()));
        match reason(Some(answer.status), target.is_some()) {
            Reason::Success if answer.disallowed && hops > 0 => break (Reason::TargetDisallowed, Some(at)),
            Reason::Success if answer.body.is_some_and(redirects_in_html) => break (Reason::HtmlRedirect, Some(at)),
            Reason::Success => break (Reason::Success, Some(at)),
            Reason::Redirect => {
                let target = canonical(target.as_ref().map_or("", url::Url::as_str));
                if seen.contains(&target) {
                    break (Reason::RedirectLoop, None);
                }
                if hops == MAX_HOPS {
                    break (Reason::TooManyRedirects, None);
                }
                match chain.iter().position(|answer| canonical(answer.url) == target) {
                    Some(next) => at = next,
                    None => break (Reason::TargetNotCaptured, None),
                }
                hops += 1;
            }
            other => break (other, None),
        }
    };
    let long = circumstances.unreachable_days > LONG_TIME_DAYS;
    let (outcome, text) = match reason {
        Reason::Unreachable if circumstances.missing_is_5xx && rules.missing_is_unavailable => {
            (rules.unavailable, None)
        }
        Reason::Unreachable if long => {
            (after_long_time(rules.long_unreachable, rules.unreachable, circumstances.cached), None)
        }
        Reason::NoAnswer if long => {
            (after_long_time(rules.long_no_answer, rules.no_answer, circumstances.cached), None)
        }
        reason => (rules.outcome(reason), text),
    };
    Result { outcome, reason, hops, text: text.filter(|_| outcome == Outcome::Conditional) }
}

fn after_long_time(rule: AfterLongTime, before: Outcome, cached: bool) -> Outcome {
    match rule {
        AfterLongTime::Unchanged => before,
        AfterLongTime::LastCopy if cached => Outcome::Conditional,
        AfterLongTime::LastCopy => Outcome::FullAllow,
        AfterLongTime::Undefined => Outcome::Undefined,
    }
}

/// A URL as captures are looked up by: WHATWG-serialised, without fragment and standard port.
pub fn canonical(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut parsed) => {
            parsed.set_fragment(None);
            parsed.into()
        }
        Err(_) => url.to_owned(),
    }
}

/// Whether an HTML page sends its reader elsewhere by a meta refresh with a URL, or shows another page in a frame (spec 2.2).
pub fn redirects_in_html(body: &[u8]) -> bool {
    let lower = body[..body.len().min(64 << 10)].to_ascii_lowercase();
    let tag = |name: &[u8]| memmem::find(&lower, name).map(|at| &lower[at..]);
    let until_end = |text: &[u8]| -> usize { memchr::memchr(b'>', text).unwrap_or(text.len()) };
    if [b"<frame ".as_slice(), b"<iframe "]
        .iter()
        .any(|name| tag(name).is_some_and(|text| memmem::find(&text[..until_end(text)], b"src").is_some()))
    {
        return true;
    }
    memmem::find_iter(&lower, b"<meta").any(|at| {
        let meta = &lower[at..];
        let meta = &meta[..until_end(meta)];
        memmem::find(meta, b"refresh").is_some() && memmem::find(meta, b"url").is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_overrule_a_dialect_and_nothing_else() {
        let none = HttpChanges::default();
        let outcomes = |rules: &HttpRules| Reason::ALL.iter().map(|reason| rules.outcome(*reason)).collect::<Vec<_>>();
        for dialect in Dialect::ALL {
            let rules = &dialect.http;
            assert_eq!(rules.with(&none), *rules);
            // Each treatment of 429 changes that reason alone, to what the dialect makes of the class it names.
            for treatment in Treatment::ALL {
                let changed = rules.with(&HttpChanges { rate_limited: Some(*treatment), ..none });
                let expected = match treatment {
                    Treatment::Unavailable => rules.unavailable,
                    Treatment::Unreachable => rules.unreachable,
                    Treatment::FullAllow => Outcome::FullAllow,
                    Treatment::FullDisallow => Outcome::FullDisallow,
                    Treatment::Undefined => Outcome::Undefined,
                };
                assert_eq!(changed.outcome(Reason::RateLimited), expected, "{}", dialect.name);
                assert_eq!(HttpRules { rate_limited: rules.rate_limited, ..changed }, *rules);
            }
        }
        let rules = HttpRules::RFC9309.with(&HttpChanges {
            rate_limited: Some(Treatment::Unreachable),
            any_4xx: Some(Treatment::Undefined),
            any_5xx: Some(Treatment::FullAllow),
            ..none
        });
        assert_eq!(rules.rate_limited, Outcome::FullDisallow, "what a 5xx is before anything is changed");
        assert_eq!([rules.forbidden, rules.unavailable], [Outcome::Undefined; 2]);
        assert_eq!(rules.unreachable, Outcome::FullAllow);
        // What is set has no special rule for a long time.
        let legacy = HttpRules::GOOGLE_LEGACY.with(&HttpChanges { any_5xx: Some(Treatment::FullDisallow), ..none });
        assert_eq!(legacy.long_unreachable, AfterLongTime::Unchanged);
        assert_eq!(legacy.long_no_answer, AfterLongTime::Undefined);
        let lost = HttpRules::RFC9309.with(&HttpChanges { lost_redirect: Some(Treatment::Unreachable), ..none });
        let differ = outcomes(&lost).iter().zip(outcomes(&HttpRules::RFC9309)).filter(|(a, b)| *a != b).count();
        assert_eq!(differ, 6, "every redirect that leads nowhere");
    }
}
