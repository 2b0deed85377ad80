//! The crawlers that verdicts are given for: the shipped set, or a file of the user's.
//!
//! A file is TOML when its name ends in `.toml` or its first line that says anything begins with `[`; its format
//! stands at the top of `datasets/agents.toml`. Any other file is plain text: one bare token a line, `#` begins a comment.

use super::SetError;
use crate::classify::words;
use rep::Agent;
use serde::Deserialize;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use xxhash_rust::xxh3::Xxh3;

words! {
    /// The purposes that the shipped set tells apart; a user's file may have others of its own.
    Purpose {
        AiTraining => "ai-training", "collects texts or images to train models with";
        AiSearch => "ai-search", "builds an index that a model answers from";
        AiUserFetch => "ai-user-fetch", "fetches a page for a model while its user waits";
        SearchEngine => "search-engine", "builds the index of a search engine";
        Seo => "seo", "collects links and pages for search engine optimisation";
        Archive => "archive", "keeps copies for the public or for research";
        SocialPreview => "social-preview", "fetches a page that somebody linked to, to show what it is";
        Monitoring => "monitoring", "watches sites or brands for its customers";
        Other => "other", "anything else";
    }
}

/// A crawler with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlerEntry {
    /// How it reads robots.txt.
    pub agent: Agent,
    /// Who runs it.
    pub operator: Option<String>,
    /// What for; one of [`Purpose`] in the shipped set.
    pub purpose: Option<String>,
    /// What else to know.
    pub note: Option<String>,
}

/// The crawlers of a run. An agent's id is its place among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSet {
    /// The crawlers, at least one and at most [`AgentSet::MOST`].
    pub agents: Vec<CrawlerEntry>,
    /// Name of the file, or `shipped`.
    pub name: String,
    /// xxh3-128 over everything in `agents`: equal sets have equal hashes, however their files are written.
    pub hash: u128,
    /// What looks like a mistake but was taken as it stands.
    pub warnings: Vec<String>,
}

/// How a file of agents is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentFormat {
    /// `[[agent]]` entries.
    Toml,
    /// A bare token a line.
    Plain,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    agent: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    token: Spanned<String>,
    #[serde(default)]
    fallbacks: Vec<Spanned<String>>,
    #[serde(default = "yes")]
    follows_star: bool,
    operator: Option<String>,
    purpose: Option<Spanned<String>>,
    note: Option<String>,
}

const fn yes() -> bool {
    true
}

impl AgentSet {
    /// Most agents that a set can have: ids are 16-bit and not negative.
    pub const MOST: usize = i16::MAX as usize;

    /// The set that comes with the program.
    pub fn shipped() -> AgentSet {
        let text = include_str!("../../datasets/agents.toml");
        // A test holds that it can be read.
        AgentSet::parse(text, AgentFormat::Toml, "shipped")
            .unwrap_or_else(|_| AgentSet::of(Vec::new(), "shipped", Vec::new()))
    }

    /// The set in a file; errors name the file as it was given.
    pub fn read(path: &Path) -> Result<AgentSet, SetError> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| SetError::Unreadable { file: file.clone(), source })?;
        let text = std::str::from_utf8(&bytes).map_err(|error| SetError::Wrong {
            file: file.clone(),
            line: line_at(&bytes, error.valid_up_to()),
            message: "the file is not UTF-8; save it as UTF-8".to_owned(),
        })?;
        let format = AgentFormat::of(path, text);
        let mut set = AgentSet::parse(text, format, &file)?;
        if let Some(name) = path.file_name() {
            set.name = name.to_string_lossy().into_owned();
        }
        Ok(set)
    }

    /// The set that `text` describes; `name` is how errors call it.
    pub fn parse(text: &str, format: AgentFormat, name: &str) -> Result<AgentSet, SetError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader { file: name, agents: Vec::new(), warnings: Vec::new(), lines: HashMap::new() };
        match format {
            AgentFormat::Toml => reader.read_toml(text)?,
            AgentFormat::Plain => reader.read_plain(text)?,
        }
        if reader.agents.is_empty() {
            let hint = match format {
                AgentFormat::Toml => "add an [[agent]] with a token",
                AgentFormat::Plain => "write a product token a line, such as GPTBot",
            };
            return Err(reader.wrong(1, format!("no agents; {hint}")));
        }
        Ok(AgentSet::of(reader.agents, name, reader.warnings))
    }

    fn of(agents: Vec<CrawlerEntry>, name: &str, warnings: Vec<String>) -> AgentSet {
        let hash = hash(&agents);
        AgentSet { agents, name: name.to_owned(), hash, warnings }
    }
}

impl AgentFormat {
    /// How a file of this name and text is written.
    pub fn of(path: &Path, text: &str) -> AgentFormat {
        let is_named_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut said = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        if is_named_toml || said.next().is_some_and(|line| line.starts_with('[')) {
            AgentFormat::Toml
        } else {
            AgentFormat::Plain
        }
    }
}

struct Reader<'a> {
    file: &'a str,
    agents: Vec<CrawlerEntry>,
    warnings: Vec<String>,
    /// Tokens in lower case, with the lines they stand in.
    lines: HashMap<String, usize>,
}

impl Reader<'_> {
    fn read_toml(&mut self, text: &str) -> Result<(), SetError> {
        let at = |span: Range<usize>| line_at(text.as_bytes(), span.start);
        let list: List =
            toml::from_str(text).map_err(|error| self.wrong(error.span().map_or(1, at), error.message().to_owned()))?;
        for entry in list.agent {
            let line = at(entry.token.span());
            let agent = Agent {
                token: entry.token.into_inner(),
                fallbacks: self.fallbacks(entry.fallbacks, at)?,
                follows_star: entry.follows_star,
            };
            let purpose = entry.purpose.map(|purpose| {
                let line = at(purpose.span());
                let word = purpose.into_inner();
                if Purpose::ALL.iter().all(|known| known.as_str() != word) {
                    let known: Vec<&str> = Purpose::ALL.iter().map(|known| known.as_str()).collect();
                    self.warn(line, format!("purpose `{word}` is none of {}; it is kept as it is", known.join(", ")));
                }
                word
            });
            self.add(line, CrawlerEntry { agent, operator: entry.operator, purpose, note: entry.note })?;
        }
        Ok(())
    }

    fn fallbacks(
        &mut self,
        listed: Vec<Spanned<String>>,
        at: impl Fn(Range<usize>) -> usize,
    ) -> Result<Vec<String>, SetError> {
        let mut fallbacks = Vec::with_capacity(listed.len());
        for fallback in listed {
            let line = at(fallback.span());
            let token = fallback.into_inner();
            if token.trim() == "*" {
                return Err(
                    self.wrong(line, "`*` is no fallback; follows_star says whether the crawler obeys it".to_owned())
                );
            }
            self.check_token(line, &token)?;
            fallbacks.push(token);
        }
        Ok(fallbacks)
    }

    fn read_plain(&mut self, text: &str) -> Result<(), SetError> {
        for (number, line) in text.lines().enumerate() {
            let token = line.split('#').next().unwrap_or_default().trim();
            if token.is_empty() {
                continue;
            }
            let field = token.split(':').next().unwrap_or_default().trim();
            if field.len() < token.len() && field.eq_ignore_ascii_case("user-agent") {
                return Err(
                    self.wrong(number + 1, format!("`{token}`: write the bare product token, without `{field}:`"))
                );
            }
            let agent = Agent::bare(token);
            self.add(number + 1, CrawlerEntry { agent, operator: None, purpose: None, note: None })?;
        }
        Ok(())
    }

    fn add(&mut self, line: usize, entry: CrawlerEntry) -> Result<(), SetError> {
        self.check_token(line, &entry.agent.token)?;
        for (at, token) in entry.agent.chain().enumerate() {
            if entry.agent.chain().take(at).any(|before| before.eq_ignore_ascii_case(token)) {
                return Err(self.wrong(line, format!("`{token}` is twice in its chain; take it out of the fallbacks")));
            }
        }
        if let Some(first) = self.lines.insert(entry.agent.token.to_ascii_lowercase(), line) {
            let token = &entry.agent.token;
            let message = format!("`{token}` is in line {first} already (tokens ignore case); take one of them out");
            return Err(self.wrong(line, message));
        }
        if self.agents.len() == AgentSet::MOST {
            return Err(self.wrong(line, format!("too many agents: a set has at most {}", AgentSet::MOST)));
        }
        self.agents.push(entry);
        Ok(())
    }

    /// A token has to be something. What RFC 9309 knows no token with is taken as it stands, and told; digits are not
    /// in its grammar either, but every reader that copes with real files takes them.
    fn check_token(&mut self, line: usize, token: &str) -> Result<(), SetError> {
        if token.trim().is_empty() {
            return Err(self.wrong(line, "a token is empty; write a product token such as GPTBot".to_owned()));
        }
        let is_odd = |c: &char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if let Some(odd) = token.chars().find(is_odd) {
            self.warn(
                line,
                format!("no product token has {odd:?} (RFC 9309, 2.2.1); `{token}` is asked for as it stands"),
            );
        }
        Ok(())
    }

    fn warn(&mut self, line: usize, message: String) {
        self.warnings.push(format!("{}:{line}: {message}", self.file));
    }

    fn wrong(&self, line: usize, message: String) -> SetError {
        SetError::Wrong { file: self.file.to_owned(), line, message }
    }
}

/// Line, from 1, of the byte at `offset`.
fn line_at(text: &[u8], offset: usize) -> usize {
    memchr::memchr_iter(b'\n', text.get(..offset).unwrap_or(text)).count() + 1
}

/// Every field, each text with its length before it and each absent one marked, in order.
fn hash(agents: &[CrawlerEntry]) -> u128 {
    fn text(state: &mut Xxh3, value: &str) {
        state.update(&(value.len() as u64).to_le_bytes());
        state.update(value.as_bytes());
    }
    let mut state = Xxh3::new();
    for entry in agents {
        state.update(&(entry.agent.fallbacks.len() as u64).to_le_bytes());
        entry.agent.chain().for_each(|token| text(&mut state, token));
        state.update(&[u8::from(entry.agent.follows_star)]);
        for value in [&entry.operator, &entry.purpose, &entry.note] {
            state.update(&[u8::from(value.is_some())]);
            text(&mut state, value.as_deref().unwrap_or_default());
        }
    }
    state.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toml(text: &str) -> Result<AgentSet, SetError> {
        AgentSet::parse(text, AgentFormat::Toml, "a.toml")
    }

    fn plain(text: &str) -> Result<AgentSet, SetError> {
        AgentSet::parse(text, AgentFormat::Plain, "a.txt")
    }

    #[test]
    fn the_shipped_set_is_whole() {
        let set = toml(include_str!("../../datasets/agents.toml")).unwrap();
        assert_eq!(set.agents, AgentSet::shipped().agents);
        assert!(set.agents.len() >= 100, "{}", set.agents.len());
        assert_eq!(set.warnings, Vec::<String>::new());
        assert!(set.agents.iter().all(|entry| entry.purpose.is_some()));
        let find = |token: &str| set.agents.iter().find(|entry| entry.agent.token == token).unwrap();
        let important =
            ["GPTBot", "ClaudeBot", "Google-Extended", "CCBot", "Bytespider", "PerplexityBot", "Applebot-Extended"];
        assert!(important.iter().all(|token| find(token).agent.follows_star));
        assert_eq!(find("Googlebot-News").agent.fallbacks, ["Googlebot"]);
        assert_eq!(find("Applebot").agent.fallbacks, ["Googlebot"]);
        for token in ["AdsBot-Google", "AdsBot-Google-Mobile", "AdsBot-Google-Mobile-Apps", "Mediapartners-Google"] {
            assert!(!find(token).agent.follows_star, "{token}");
        }
    }

    #[test]
    fn toml_says_everything_and_plain_text_only_tokens() {
        let set = toml(
            "[[agent]]\ntoken='A'\nfallbacks=['B','C']\nfollows_star=false\noperator='O'\npurpose='seo'\nnote='N'\n",
        )
        .unwrap();
        let entry = &set.agents[0];
        let agent = Agent { token: "A".into(), fallbacks: vec!["B".into(), "C".into()], follows_star: false };
        assert_eq!((&entry.agent, entry.operator.as_deref()), (&agent, Some("O")));
        assert_eq!((entry.purpose.as_deref(), entry.note.as_deref()), (Some("seo"), Some("N")));
        let set = plain("\u{feff}# mine\r\n\r\n  GPTBot # OpenAI\r\nccbot").unwrap();
        assert_eq!(
            set.agents.iter().map(|e| e.agent.clone()).collect::<Vec<_>>(),
            [Agent::bare("GPTBot"), Agent::bare("ccbot")]
        );
        assert_eq!(set.hash, toml("[[agent]]\ntoken='GPTBot'\n[[agent]]\ntoken='ccbot'").unwrap().hash);
        assert_ne!(set.hash, plain("ccbot\nGPTBot").unwrap().hash);
        assert_ne!(set.hash, toml("[[agent]]\ntoken='GPTBot'\nfallbacks=['ccbot']").unwrap().hash);
    }

    #[test]
    fn mistakes_are_told_with_file_line_and_cure() {
        let rows = [
            (toml("[[agent]]\ntoken='A'\nfollow_star=false"), 3, "unknown field `follow_star`"),
            (toml("[[agents]]\ntoken='A'"), 1, "unknown field `agents`"),
            (toml("[[agent]]\noperator='A'"), 1, "missing field `token`"),
            (toml("[[agent]]\ntoken=1"), 2, "expected a string"),
            (toml("[[agent]]\ntoken='A'\n\n[[agent]]\ntoken='a'"), 5, "in line 2 already"),
            (toml("[[agent]]\ntoken=' '"), 2, "token is empty"),
            (toml("[[agent]]\ntoken='A'\nfallbacks=['B',\n'']"), 4, "token is empty"),
            (toml("[[agent]]\ntoken='A'\nfallbacks=['*']"), 3, "follows_star"),
            (toml("[[agent]]\ntoken='A'\nfallbacks=['a']"), 2, "twice in its chain"),
            (toml("# none\n"), 1, "no agents"),
            (toml("[[agent]\n"), 1, ""),
            (plain("# none\n"), 1, "no agents"),
            (plain("A\n\na\n"), 3, "in line 1 already"),
            (plain("User-Agent: GPTBot"), 1, "bare product token"),
        ];
        for (result, line, message) in rows {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(&format!(":{line}: ")) && error.contains(message), "{error}");
        }
    }

    #[test]
    fn oddities_are_taken_as_they_stand_and_told() {
        let set = plain("Sogou web spider\nMJ12bot\n*\n").unwrap();
        assert_eq!(set.agents[0].agent.token, "Sogou web spider");
        assert_eq!(set.warnings.len(), 2, "{:?}", set.warnings);
        assert!(set.warnings[0].starts_with("a.txt:1: ") && set.warnings[1].starts_with("a.txt:3: "));
        let set = toml("[[agent]]\ntoken='A'\npurpose='fun'").unwrap();
        assert_eq!(set.agents[0].purpose.as_deref(), Some("fun"));
        assert!(set.warnings[0].starts_with("a.toml:3: purpose `fun`"), "{:?}", set.warnings);
    }

    #[test]
    fn ids_have_a_limit() {
        let most: String = (0..AgentSet::MOST).map(|n| format!("bot{n}\n")).collect();
        assert_eq!(plain(&most).unwrap().agents.len(), 32_767);
        let error = plain(&format!("{most}one-more")).unwrap_err().to_string();
        assert!(error.contains(":32768: too many agents"), "{error}");
    }

    #[test]
    fn files_are_known_by_name_or_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let rows: [(&str, &[u8], Option<usize>); 5] = [
            ("a.toml", b"[[agent]]\ntoken='A'", Some(1)),
            ("b", b"# about\n\n [[agent]]\ntoken='A'", Some(1)),
            ("c.txt", b"A\nB", Some(2)),
            ("d.TOML", b"A\nB", None),
            ("e.txt", b"A\nB\xff", None),
        ];
        for (name, bytes, agents) in rows {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let set = AgentSet::read(&path);
            assert_eq!(set.as_ref().ok().map(|set| set.agents.len()), agents, "{name}: {set:?}");
            if let Ok(set) = set {
                assert_eq!(set.name, name);
            }
        }
        let error = AgentSet::read(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.contains("none: cannot be read"), "{error}");
    }
}
