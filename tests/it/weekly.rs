//! `scripts/weekly.sh` over three weeks, of which one is killed twice.

use crate::run::{arg, assert_same, folder, ok, repository};
use crate::weeks::{Answer, archive};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

/// The job over a folder of crawls; more than one shard each.
fn job(binary: &Path, crawls: &Path, state: &Path, keep: &str) -> Output {
    let mut command = Command::new("bash");
    command.arg(repository("scripts/weekly.sh")).args(["--keep", keep, "--ready", "ready"]);
    command.args([crawls, state]).args(["--shard-size", "16KiB", "--threads", "1"]);
    // A group of its own, so that a test can kill all of it.
    command.env("ROBOCENSUS", binary).process_group(0).output().unwrap()
}

fn ends(output: &Output, code: i32, says: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(says), "{says}: {said}");
}

/// A week: a made-up crawl that is the same every week, and sites whose text is not.
fn week(crawls: &Path, name: &str, text: &str) {
    let crawl = crawls.join(name);
    ok(&["synth", arg(&crawl), "--captures", "300", "--files", "4", "--crawl", name, "--seed", "5"]);
    let answers: Vec<Answer> =
        (0..20).map(|at| Answer::text(&format!("https://changing-site{at}.example"), text)).collect();
    archive(&crawl.join(format!("crawl-data/{name}/changing.warc.gz")), &answers);
    fs::write(crawl.join("ready"), "").unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn three_weeks_of_which_one_is_killed() {
    if Command::new("flock").arg("--version").output().is_err() {
        eprintln!("skipped: there is no flock here");
        return;
    }
    let folder = folder();
    let (crawls, state) = (folder.path().join("crawls"), folder.path().join("state"));
    fs::create_dir(&crawls).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_robocensus"));
    let job_of = |binary: &Path| job(binary, &crawls, &state, "2");
    ends(&job_of(binary), 1, "no crawl in");

    let [first, second, third] = ["CC-MAIN-2026-9", "CC-MAIN-2026-10", "CC-MAIN-2026-11"];
    week(&crawls, first, "User-agent: *\nDisallow: /search\n");
    fs::create_dir(crawls.join("CC-MAIN-2026-50")).unwrap();
    ends(&job_of(binary), 0, "CC-MAIN-2026-9 is done");
    assert!(state.join(format!("reports/{first}/index.html")).is_file());
    assert_eq!(names(&state.join("changes")), Vec::<String>::new());
    ends(&job_of(binary), 0, "is done already");

    // The second week: killed while scan is at work, and again before the report.
    week(&crawls, second, "User-agent: GPTBot\nDisallow: /\n");
    let killer = folder.path().join("killer");
    let script = format!(
        "#!/bin/bash\n\
         if [ \"$1\" = scan ] && [ ! -e {dir}/once ]; then\n\
           touch {dir}/once\n\
           '{binary}' \"$@\" &\n\
           until compgen -G '{state}/runs/{second}/_shards/0*.json' > /dev/null || ! kill -0 $! 2> /dev/null; do :; done\n\
           kill -9 0\n\
         elif [ \"$1\" = report ] && [ ! -e {dir}/twice ]; then\n\
           touch {dir}/twice\n\
           kill -9 0\n\
         fi\n\
         exec '{binary}' \"$@\"\n",
        dir = folder.path().display(),
        binary = binary.display(),
        state = state.display(),
    );
    fs::write(&killer, script).unwrap();
    fs::set_permissions(&killer, fs::Permissions::from_mode(0o755)).unwrap();
    for _ in 0..2 {
        let output = job_of(&killer);
        assert_eq!(output.status.code(), None, "killed: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!state.join("done").join(second).exists() && !state.join("reports").join(second).exists());
    }
    ends(&job_of(&killer), 0, "CC-MAIN-2026-10 is done");
    let fresh = folder.path().join("fresh");
    ends(&job(binary, &crawls, &fresh, "2"), 0, "is done");
    assert_same(&state.join("runs").join(second), &fresh.join("runs").join(second));
    // The views name the folder of the tables, which is another one.
    for folder in [&state, &fresh] {
        fs::remove_file(folder.join("reports").join(second).join("views.sql")).unwrap();
    }
    assert_same(&state.join("reports").join(second), &fresh.join("reports").join(second));
    let change = state.join(format!("changes/{first}..{second}"));
    let closed = fs::read_to_string(change.join("figures/moves.csv")).unwrap();
    assert!(closed.contains(",GPTBot,closed,owner,20,"), "{closed}");

    // The third week: the first one's tables make room. Scans cannot be compared when they share no dialect, and that is said.
    week(&crawls, third, "User-agent: *\nDisallow: /\n");
    let output = Command::new("bash")
        .arg(repository("scripts/weekly.sh"))
        .args(["--keep", "2", "--ready", "ready", arg(&crawls), arg(&state), "--dialect", "google"])
        .env("ROBOCENSUS", binary)
        .output()
        .unwrap();
    ends(&output, 4, "no comparison of CC-MAIN-2026-10 with CC-MAIN-2026-11");
    assert_eq!(names(&state.join("runs")), [second, third]);
    assert_eq!(names(&state.join("reports")), [second, third, first]);
    assert_eq!(names(&state.join("changes")), [format!("{first}..{second}")]);
    ends(&job_of(binary), 0, "is done already");
}

#[test]
fn a_busy_folder_and_wrong_usage_have_their_codes() {
    let folder = folder();
    let state = folder.path().join("state");
    fs::create_dir_all(&state).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_robocensus"));
    let lock = fs::File::create(state.join(".lock")).unwrap();
    lock.lock().unwrap();
    ends(&job(binary, folder.path(), &state, "2"), 75, "another run is at work");
    lock.unlock().unwrap();
    ends(&job(binary, folder.path(), &state, "1"), 2, "from 2 on");
    ends(&job(binary, &folder.path().join("none"), &state, "3"), 2, "is no folder");
    ends(&job(Path::new("/nowhere/robocensus"), folder.path(), &state, "3"), 2, "there is no program");
}
