//! The Robots Exclusion Protocol (RFC 9309 and its dialects): bytes in, verdicts out.
//!
//! No I/O, no threads, no clock, and nothing that can fail: any bytes give a [`Document`], read by any [`Dialect`] into
//! [`Robots`]; an [`AgentIndex`] says once who is asked about and [`Paths`] what; [`Selection`] and [`Decisions`] answer.
//! For a single question there is [`ask`]; how much of a site some rules leave open, over all paths, says [`AccessFinder`].

mod access;
mod agent;
mod dialect;
mod document;
mod evaluate;
mod finding;
pub mod form;
mod group;
pub mod http;
mod line;
mod named;
pub mod origin;
mod path;
mod pattern;
mod python;
mod reading;
mod verdict;

pub use access::{Access, AccessClass, AccessFinder};
pub use agent::Agent;
pub use dialect::{
    AgentMatch, Bom, Dialect, Fields, ListEnd, MissingSlash, Precedence, Repeated, Setting, Spelling, Switch, Token,
};
pub use document::{AgentLine, Document, Group, Robots, Rule, RuleCounts};
pub use evaluate::{Answer, Decisions, Paths, RuleSet, Selection, ask, decide, matching};
pub use finding::{
    Detail, EXTENSIONS, Example, Extension, Finding, FindingCode, Occurrence, Remarks, Severity, Visitor, inspect,
};
pub use group::{AgentIndex, Named, named};
pub use http::{Outcome, Reason};
pub use line::{Field, Gap, Line, LineCounts, class};
pub use named::{NamedAgent, NamedAgents};
pub use reading::{Reading, Traits};
pub use verdict::{Basis, Decision, Verdict};
