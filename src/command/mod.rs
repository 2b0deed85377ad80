//! What each verb does: one file a verb. They turn arguments into calls of the library and results into text.

pub mod compare;
pub mod completions;
pub mod dialects;
pub mod explain;
pub mod explain_jsonl;
mod explain_why;
pub mod findings;
pub mod lint;
mod lint_sarif;
pub mod man;
pub mod report;
pub mod resolve;
pub mod scan;
pub mod schema;
pub mod synth;
pub mod views;

use rep::Dialect;
use std::io;

/// A mistake of the user's: exit code 2, and the message names the fix.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// How a command ended when nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done: 0.
    Done,
    /// Done, but more inputs than allowed could not be read to their end: 3.
    DoneWithErrors,
    /// Done, and what was checked has errors: 3.
    Failed,
}

impl Exit {
    /// The process's exit code.
    pub const fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::DoneWithErrors | Exit::Failed => 3,
        }
    }
}

/// Whether the reader of our output went away, as `head` does: no error of ours.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}

/// The dialects of these names, each once, in the order given; `all` stands for every one.
pub fn dialects(names: &[String]) -> Result<Vec<&'static Dialect>, UsageError> {
    let mut dialects: Vec<&'static Dialect> = Vec::new();
    for name in names {
        let named: Vec<&'static Dialect> = match name.trim() {
            "all" => Dialect::ALL.iter().collect(),
            name => vec![Dialect::named(name).ok_or_else(|| {
                let known: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name).collect();
                UsageError(format!("there is no dialect `{name}`; choose from {}, or all", known.join(", ")))
            })?],
        };
        for dialect in named {
            if !dialects.iter().any(|known| known.name == dialect.name) {
                dialects.push(dialect);
            }
        }
    }
    Ok(dialects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_named_once_in_order() {
        let names = |names: &[&str]| -> Result<Vec<&str>, String> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            dialects(&names).map(|all| all.iter().map(|d| d.name).collect()).map_err(|e| e.to_string())
        };
        assert_eq!(names(&["google", "rfc9309", "google"]).unwrap(), ["google", "rfc9309"]);
        assert_eq!(names(&["all"]).unwrap().len(), Dialect::ALL.len());
        assert!(names(&["bing"]).unwrap_err().contains("choose from rfc9309, google"));
    }
}
