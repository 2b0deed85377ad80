//! Messages on standard error, for people or as one JSON object a line.

use serde_json::{Map, Value, json};
use std::io::{self, IsTerminal, Write};

/// How weighty a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// Something to look at.
    Warning,
    /// The run cannot go on.
    Error,
}

impl Level {
    const fn word(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// Where messages go, and in which form.
#[derive(Debug, Clone, Copy)]
pub struct Log {
    json: bool,
    color: bool,
}

impl Log {
    /// Messages as text, or as JSON with the fields `level`, `event`, `message` and what the event adds.
    pub fn new(json: bool) -> Log {
        Log { json, color: !json && io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() }
    }

    /// Whether messages are JSON.
    pub fn is_json(self) -> bool {
        self.json
    }

    /// The message as one line, line end included. Control characters in it (from file names, say) are escaped.
    pub fn line(self, level: Level, event: &str, message: &str, fields: Value) -> String {
        if self.json {
            let mut object = Map::new();
            object.insert("level".to_owned(), json!(level.word()));
            object.insert("event".to_owned(), json!(event));
            object.insert("message".to_owned(), json!(message));
            if let Value::Object(fields) = fields {
                object.extend(fields);
            }
            return format!("{}\n", Value::Object(object));
        }
        let safe = escape_controls(message);
        let (on, off) = match (self.color, level) {
            (true, Level::Warning) => ("\x1b[33m", "\x1b[0m"),
            (true, Level::Error) => ("\x1b[31m", "\x1b[0m"),
            _ => ("", ""),
        };
        match level {
            Level::Info => format!("{safe}\n"),
            level => format!("{on}{}:{off} {safe}\n", level.word()),
        }
    }

    /// Writes the message; a standard error that is gone is no reason to stop.
    pub fn say(self, level: Level, event: &str, message: &str, fields: Value) {
        let _ = io::stderr().write_all(self.line(level, event, message, fields).as_bytes());
    }
}

/// A text in which nothing can steer a terminal: control characters but the line end, and those that turn the direction of
/// writing, are written out.
pub fn escape_controls(text: &str) -> String {
    escape(text, |character| character != '\n' && steers(character))
}

/// The same for a stranger's text inside a line: line ends are written out too, and what is longer than anybody reads is cut.
pub fn escape_line(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}... ({} bytes)", escape(&text[..end], steers), text.len()),
        None => escape(text, steers),
    }
}

/// JSON in which nothing can steer a terminal either: the format itself escapes only what is below U+0020.
pub fn escape_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' => safe.push('\n'),
            // All that steers has one UTF-16 unit.
            character if steers(character) => safe.push_str(&format!("\\u{:04x}", u32::from(character))),
            character => safe.push(character),
        }
    }
    safe
}

/// Whether a character controls a terminal or turns the direction of writing.
pub fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_escaped(character) {
            safe.extend(character.escape_default());
        } else {
            safe.push(character);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_gets_through() {
        let log = Log { json: false, color: false };
        let line = log.line(Level::Error, "x", "file \x1b[2Jx\r.gz\nhint", Value::Null);
        assert_eq!(line, "error: file \\u{1b}[2Jx\\r.gz\nhint\n");
        assert_eq!(escape_line("a\n\u{202e}b\u{9b}"), "a\\n\\u{202e}b\\u{9b}");
        assert_eq!(escape_line(&"x".repeat(300)), format!("{}... (300 bytes)", "x".repeat(200)));
        let json = Log { json: true, color: false }.line(Level::Info, "done", "a\x1bb", json!({"captures": 3}));
        assert_eq!(
            serde_json::from_str::<Value>(&json).unwrap(),
            json!({"level": "info", "event": "done", "message": "a\u{1b}b", "captures": 3})
        );
        assert!(!json.contains('\x1b'));
        assert_eq!(escape_json("[\n\"\u{202e}\u{9b}\"]"), "[\n\"\\u202e\\u009b\"]");
    }
}
