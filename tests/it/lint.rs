//! `lint` and `findings`.

use crate::run::{arg, fails, folder, ok, repository, robocensus};
use rep::FindingCode;
use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

fn lint(args: &[&str], stdin: &[u8]) -> (Option<i32>, String) {
    let mut child = robocensus()
        .arg("lint")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A usage error ends it before it reads.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    assert!(stderr.is_empty() || status.code() != Some(0), "{}", String::from_utf8_lossy(&stderr));
    (status.code(), String::from_utf8(stdout).unwrap())
}

#[test]
fn exit_codes_tell_errors_from_the_rest() {
    let error = b"user-agent: *\ndissalow: /x\n";
    let warning = b"user-agent: *\ndisallow: *\n";
    let clean = b"user-agent: *\ndisallow: /x\n";
    assert_eq!(lint(&["-"], error).0, Some(3));
    assert_eq!(lint(&["-"], warning).0, Some(0));
    assert_eq!(lint(&["-", "--deny-warnings"], warning).0, Some(3));
    assert_eq!(lint(&["-", "--level", "error", "--deny-warnings"], warning).0, Some(3));
    assert_eq!(lint(&["-", "-W"], clean), (Some(0), "no findings in <stdin>\n".to_owned()));
    assert_eq!(lint(&["-"], b"").0, Some(0));
    assert!(fails(&["lint", "no-such-file"], 2).contains("no-such-file"));
    assert!(fails(&["lint", "-", "-"], 2).contains("once"));
    assert!(fails(&["lint"], 2).contains("FILE"));
    assert!(fails(&["lint", arg(&repository("datasets"))], 2).contains("folder"));
}

#[test]
fn several_files_are_one_report() {
    let folder = folder();
    let (one, two) = (folder.path().join("one.txt"), folder.path().join("two [2J.txt"));
    fs::write(&one, "user-agent *\n").unwrap();
    fs::write(&two, "user-agent: *\r\ndisalow: /\r\n\r\nallow: private\r\n").unwrap();
    let (code, said) = lint(&[arg(&one), arg(&two), "--color", "never"], b"");
    assert_eq!(code, Some(3));
    assert!(said.contains("one.txt:1:1\n") && said.contains("two [2J.txt:2:1\n") && said.contains(":4:8\n"), "{said}");
    assert!(said.ends_with("3 errors in 2 files\n"), "{said}");
    let (_, colored) = lint(&[arg(&one), "--color", "always"], b"");
    assert!(colored.contains('\x1b'));
}

#[test]
fn programs_get_json() {
    let body = "user-agent: *\ndisallow: /a\u{9b}\u{202e} b\ndisallow: /%zz\n";
    let (code, said) = lint(&["-", "--format", "json"], body.as_bytes());
    assert_eq!(code, Some(3), "a character that turns the direction of writing is an error");
    assert!(said.is_ascii());
    let found: serde_json::Value = serde_json::from_str(&said).unwrap();
    let found = found.as_array().unwrap();
    assert_eq!(said.lines().count(), found.len() + 2, "one object a line");
    let escape = found.iter().find(|found| found["code"] == "bad-escape").unwrap();
    assert_eq!((&escape["line"], &escape["column"], &escape["end_column"]), (&3.into(), &12.into(), &15.into()));
    assert_eq!((&escape["text"], &escape["severity"]), (&"%zz".into(), &"warning".into()));
    let (_, clean) = lint(&["-", "--format", "json"], b"user-agent: *\nallow: /\n");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&clean).unwrap(), serde_json::json!([]));
}

/// What a reader of SARIF relies on, file by file: known rules, and regions that lie in the text.
#[test]
fn sarif_of_all_odd_files_is_sound() {
    let odd = repository("datasets/odd");
    let mut files: Vec<_> = fs::read_dir(&odd).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut args: Vec<&str> = files.iter().map(|path| arg(path)).collect();
    args.extend(["--format", "sarif"]);
    let (code, said) = lint(&args, b"");
    assert_eq!(code, Some(3));
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), FindingCode::ALL.len());
    for rule in rules {
        assert!(rule["help"]["text"].as_str().is_some_and(|text| text.len() > 10), "{rule}");
    }
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 60, "{}", results.len());
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
        let place = &result["locations"][0]["physicalLocation"];
        let index = place["artifactLocation"]["index"].as_u64().unwrap() as usize;
        assert_eq!(run["artifacts"][index]["location"]["uri"], place["artifactLocation"]["uri"]);
        let region = &place["region"];
        let body = fs::read(&files[index]).unwrap();
        let text = String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&body)).replace("\r\n", "\n");
        let line = text.split(['\r', '\n']).nth(region["startLine"].as_u64().unwrap() as usize - 1).unwrap();
        let (start, end) = (region["startColumn"].as_u64().unwrap(), region["endColumn"].as_u64().unwrap());
        assert!(1 <= start && start <= end && end as usize <= line.encode_utf16().count() + 1, "{result} in {line:?}");
    }
}

#[test]
fn ordinary_files_give_nothing_but_notes() {
    let ordinary: [&[u8]; 4] = [
        b"User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\nSitemap: https://www.example.com/wp-sitemap.xml\n",
        b"# \xc3\xa9\nUser-agent: *\r\nCrawl-delay: 10\r\nDisallow: /*/collections/*sort_by*\r\nDisallow: /*?*oseid=*\r\n\r\n\
          User-agent: MJ12bot\r\nCrawl-Delay: 10\r\n\r\nUser-agent: Pinterest\r\nCrawl-delay: 1\r\n",
        b"User-agent: *\nAllow: /search/about\nDisallow: /search\nDisallow: /?\nAllow: /?hl=\nDisallow: /?hl=*&\nAllow: /?hl=*&gws_rd=ssl$\n\
          User-agent: AdsBot-Google\nDisallow: /maps/api/js/\nAllow: /maps/api/js\nSitemap: https://www.example.com/sitemap.xml\n",
        b"User-agent: *\nDisallow:\n",
    ];
    for body in ordinary {
        let (_, said) = lint(&["-", "--format", "json", "--level", "warning"], body);
        assert_eq!(said, "[]\n", "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn findings_are_listed() {
    let list = ok(&["findings"]);
    assert!(FindingCode::ALL.iter().all(|code| list.contains(code.code())));
    assert!(ok(&["findings", "bad-escape"]).contains("/100%/"));
    assert!(fails(&["findings", "bogus"], 2).contains("bogus"));
}
