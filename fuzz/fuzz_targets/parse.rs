//! Any bytes are parsed, read in every dialect and looked over without a panic, and what is told of them holds together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rep::{Dialect, Document, Fields, Remarks, Traits};

fuzz_target!(|body: &[u8]| {
    let document = Document::parse(body);
    let numbers: Vec<u32> = document.lines().iter().map(|line| line.number).collect();
    assert!(numbers.is_sorted() && numbers.iter().all(|number| (1..=document.counts().lines).contains(number)));
    let traits = Traits::of(&document);
    for dialect in Dialect::ALL {
        let robots = document.read(dialect);
        assert_eq!(dialect.reading(&traits, true), dialect.reading(&traits, true));
        for group in 0..robots.groups.len() {
            assert!(!robots.agents_of(group).is_empty(), "a group without agents in {}", dialect.name);
            for rule in robots.rules_of(group) {
                assert!((1..=document.counts().lines).contains(&rule.line));
                // CPython ends lines within a line, and then a line may belong to two groups.
                let is_told = dialect.fields == Fields::Python || robots.group_at(rule.line) == Some(group);
                assert!(is_told, "line {} in {}", rule.line, dialect.name);
            }
        }
    }
    let remarks = Remarks::of(&document);
    let codes: Vec<_> = remarks.findings.iter().map(|finding| finding.code).collect();
    assert!(codes.is_sorted_by(|a, b| a < b), "each kind once, in order");
    for finding in &remarks.findings {
        assert!(finding.count > 0 && (1..=document.counts().lines).contains(&finding.line), "{finding:?}");
    }
});
