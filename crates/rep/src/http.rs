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
    /// 5xx from a site known to answer so for pages that do not exist.
    pub missing_is_5xx: Outcome,
    /// No usable answer.
    pub no_answer: Outcome,
    /// The same for longer than [`LONG_TIME_DAYS`].
    pub long_no_answer: AfterLongTime,
    /// Redirects that lead nowhere: no target, a loop, too many, a target that was not captured.
    pub lost_redirect: Outcome,
    /// A redirect to a target that its own site's rules close, or inside an HTML page: undefined, or followed and not.
    pub odd_redirect_undefined: bool,
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

impl HttpRules {
    /// RFC 9309, 2.3.1.
    pub const RFC9309: HttpRules = HttpRules {
        forbidden: Outcome::FullAllow,
        rate_limited: Outcome::FullAllow,
        unavailable: Outcome::FullAllow,
        unreachable: Outcome::FullDisallow,
        long_unreachable: AfterLongTime::Unchanged,
        missing_is_5xx: Outcome::FullDisallow,
        no_answer: Outcome::FullDisallow,
        long_no_answer: AfterLongTime::Unchanged,
        lost_redirect: Outcome::FullAllow,
        odd_redirect_undefined: false,
    };

    /// Google's text of 2019, which its parser leaves to the caller.
    pub const GOOGLE: HttpRules = HttpRules {
        long_unreachable: AfterLongTime::LastCopy,
        missing_is_5xx: Outcome::FullAllow,
        long_no_answer: AfterLongTime::LastCopy,
        ..HttpRules::RFC9309
    };

    /// Google's text before 2019 (S-ko): what lasts, and what gives no answer, it leaves open.
    pub const GOOGLE_LEGACY: HttpRules = HttpRules {
        long_unreachable: AfterLongTime::Undefined,
        no_answer: Outcome::Undefined,
        long_no_answer: AfterLongTime::Undefined,
        odd_redirect_undefined: true,
        ..HttpRules::GOOGLE
    };

    /// The convention of 1994 says nothing of HTTP: where no text was had, there is no policy.
    pub const REP_1994: HttpRules = HttpRules {
        unreachable: Outcome::FullAllow,
        missing_is_5xx: Outcome::FullAllow,
        no_answer: Outcome::FullAllow,
        ..HttpRules::RFC9309
    };

    /// CPython: a parser that was given nothing to read refuses all, but for 4xx.
    pub const PYTHON: HttpRules =
        HttpRules { forbidden: Outcome::FullDisallow, lost_redirect: Outcome::FullDisallow, ..HttpRules::RFC9309 };

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
        Reason::Unreachable if circumstances.missing_is_5xx => (rules.missing_is_5xx, text),
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
