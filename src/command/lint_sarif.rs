//! The report of `robocensus lint` as SARIF 2.1.0, which code hosts and editors show beside the lines.

use super::findings::sentence_of;
use super::lint::Checked;
use crate::cli::LintLevel;
use rep::{Detail, FindingCode, Occurrence};
use serde_json::{Value, json};
use std::path::Path;

/// One run with all files. Columns are counted in UTF-16 units, and a byte order mark is in none.
pub(super) fn sarif(files: &[Checked], level: LintLevel) -> Value {
    let rules: Vec<Value> = FindingCode::ALL.iter().map(|code| rule(*code)).collect();
    let artifacts: Vec<Value> =
        files.iter().map(|file| json!({ "location": { "uri": uri(&file.path) }, "length": file.body.len() })).collect();
    let results: Vec<Value> = files
        .iter()
        .enumerate()
        .flat_map(|(index, file)| file.shown(level).map(move |found| result(index, file, found)))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "robocensus",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "utf16CodeUnits",
            "artifacts": artifacts,
            "results": results,
        }],
    })
}

fn rule(code: FindingCode) -> Value {
    let (about, suggestion) = (sentence_of(code.about()), sentence_of(code.suggestion()));
    json!({
        "id": code.code(),
        "shortDescription": { "text": about },
        "fullDescription": { "text": format!("{about} {suggestion}") },
        "help": {
            "text": format!("{suggestion} ({})", code.clause()),
            "markdown": format!("{about}\n\n{suggestion}\n\n{}", code.clause()),
        },
        "defaultConfiguration": { "level": code.severity().as_str() },
    })
}

fn result(index: usize, file: &Checked, found: &Occurrence) -> Value {
    let location = |region: Value| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": uri(&file.path), "index": index },
            "region": region,
        } })
    };
    let (start, end) = file.columns(found, |text| text.encode_utf16().count());
    let message = match found.label() {
        Some(label) => format!("{} ({label})", sentence_of(found.code.about()).trim_end_matches('.')) + ".",
        None => sentence_of(found.code.about()),
    };
    let mut result = json!({
        "ruleId": found.code.code(),
        "ruleIndex": found.code as usize,
        "level": found.code.severity().as_str(),
        "message": { "text": message },
        "locations": [location(json!({ "startLine": found.line, "startColumn": start, "endLine": found.line, "endColumn": end }))],
    });
    if let Detail::Line(line) = found.detail {
        result["relatedLocations"] = json!([location(json!({ "startLine": line }))]);
    }
    result
}

/// A path as a URI reference: relative paths stay so, for the reader to resolve against its root.
fn uri(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    let mut uri = if path.is_absolute() { "file://".to_owned() } else { String::new() };
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(*byte)),
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        let rows = [
            ("robots.txt", "robots.txt"),
            ("a b/c:d#?.txt", "a%20b/c%3Ad%23%3F.txt"),
            ("/srv/\u{e9}.txt", "file:///srv/%C3%A9.txt"),
            ("-", "stdin"),
        ];
        for (path, expected) in rows {
            assert_eq!(uri(Path::new(path)), expected);
        }
    }

    #[test]
    fn results_point_at_rules_and_columns() {
        let body = "user-agent: *\nallow: /\u{1f600}%zz\nallow: /\nallow: /\n";
        let file = Checked::new(Path::new("r.txt"), body.as_bytes().to_vec());
        let report = sarif(&[file], LintLevel::Note);
        let run = &report["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 2);
        for result in run["results"].as_array().unwrap() {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
        let region = &run["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(*region, json!({ "startLine": 2, "startColumn": 11, "endLine": 2, "endColumn": 14 }));
        assert_eq!(run["results"][1]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 3);
    }
}
