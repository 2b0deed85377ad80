use super::*;
use std::io::Write;
use tempfile::TempDir;

/// A folder with empty files in it.
struct Tree(TempDir);

impl Tree {
    fn new(files: &[&str]) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        for file in files {
            tree.write(file, b"");
        }
        tree
    }

    fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn path(&self, file: &str) -> String {
        if file.is_empty() {
            self.0.path().display().to_string()
        } else {
            self.0.path().join(file).display().to_string()
        }
    }

    fn resolve(&self, arguments: &[&str]) -> Result<Inputs, InputError> {
        self.resolve_below(arguments, None)
    }

    /// Arguments are paths in the tree; `@` stays in front.
    fn resolve_below(&self, arguments: &[&str], root: Option<&str>) -> Result<Inputs, InputError> {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match argument.strip_prefix('@') {
                _ if *argument == "-" => "-".to_owned(),
                Some(listing) => format!("@{}", self.path(listing)),
                None => self.path(argument),
            })
            .collect();
        resolve(&arguments, root.map(|root| PathBuf::from(self.path(root))).as_deref())
    }
}

fn names(inputs: &Inputs) -> Vec<&str> {
    inputs.inputs.iter().map(|input| input.name.as_str()).collect()
}

#[test]
fn a_folder_gives_its_files_sorted_by_bytes() {
    let tree = Tree::new(&[
        "b.warc.gz",
        "a/z.warc.zst",
        "a/B.WARC",
        "a.parquet",
        "a-b/x.warc.gz.open",
        ".hidden.warc.gz",
        "_temporary/part.parquet",
        "a/_SUCCESS",
        "readme.txt",
        "a/b.warc.gz.md5",
        "a/b.cdx.gz",
        "list.paths",
    ]);
    let inputs = tree.resolve(&[""]).unwrap();
    assert_eq!(names(&inputs), ["a-b/x.warc.gz.open", "a.parquet", "a/B.WARC", "a/z.warc.zst", "b.warc.gz"]);
    let formats: Vec<Format> = inputs.inputs.iter().map(|input| input.format).collect();
    assert_eq!(formats, [Format::Warc, Format::Parquet, Format::Warc, Format::Warc, Format::Warc]);
    assert_eq!((inputs.passed_over.hidden, inputs.passed_over.unknown), (3, 3));
    assert_eq!(inputs.passed_over.first_unknown, Some(PathBuf::from(tree.path("a/b.cdx.gz"))));
    let told = inputs.passed_over.to_string();
    assert!(told.starts_with("3 files passed over, by the name no WARC or Parquet: "), "{told}");
    assert_eq!(told.lines().count(), 2);
    assert!(inputs.inputs.iter().all(|input| input.size == Some(0) && input.modified.is_some_and(|m| m > 1 << 60)));
}

#[test]
fn names_are_relative_to_what_the_user_would_expect() {
    let segment = "cc/crawl-data/CC-MAIN-2025-05/segments/1.2/robotstxt/x.warc.gz";
    let tree = Tree::new(&[segment, "data/a/x.warc.gz", "data/b/x.warc.gz"]);
    let name = "crawl-data/CC-MAIN-2025-05/segments/1.2/robotstxt/x.warc.gz";
    for argument in [segment, "cc", "cc/crawl-data", "cc/crawl-data/CC-MAIN-2025-05/segments/1.2/robotstxt"] {
        assert_eq!(names(&tree.resolve(&[argument]).unwrap()), [name], "{argument}");
        assert_eq!(names(&tree.resolve_below(&[argument], Some("cc/crawl-data")).unwrap()), [name]);
    }
    assert_eq!(names(&tree.resolve(&["data/a/x.warc.gz"]).unwrap()), ["x.warc.gz"]);
    assert_eq!(names(&tree.resolve(&["data/a"]).unwrap()), ["x.warc.gz"]);
    assert_eq!(names(&tree.resolve(&["data"]).unwrap()), ["a/x.warc.gz", "b/x.warc.gz"]);
    assert_eq!(names(&tree.resolve(&["data/*/x.warc.gz"]).unwrap()), ["a/x.warc.gz", "b/x.warc.gz"]);
    assert_eq!(names(&tree.resolve(&["data/../data/a"]).unwrap()), ["x.warc.gz"]);
    let both = ["data/b/x.warc.gz", "data/a/x.warc.gz"];
    assert_eq!(names(&tree.resolve_below(&both, Some("data")).unwrap()), ["b/x.warc.gz", "a/x.warc.gz"]);
    let error = tree.resolve(&both).unwrap_err();
    assert!(error.is_usage());
    assert!(error.to_string().contains("--root"), "{error}");
    let elsewhere = tree.resolve_below(&["data/a"], Some("cc")).unwrap();
    assert_eq!(names(&elsewhere), ["x.warc.gz"]);
    let error = tree.resolve_below(&both, Some("data/b")).unwrap_err().to_string();
    let expected = format!("`{}` is not below --root `{}`", tree.path("data/a/x.warc.gz"), tree.path("data/b"));
    assert!(error.contains(&expected), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_differ_in_bytes_that_are_not_utf8_have_to_change() {
    use std::os::unix::ffi::OsStrExt;
    for above in ["a", "crawl-data/C"] {
        let tree = Tree::new(&[&format!("{above}/x.warc.gz")]);
        for file in [&b"x\xfe.warc.gz"[..], b"x\xff.warc.gz"] {
            fs::write(tree.0.path().join(above).join(OsStr::from_bytes(file)), b"").unwrap();
        }
        for root in [None, Some("")] {
            let error = tree.resolve_below(&[above], root).unwrap_err().to_string();
            assert!(error.contains("not UTF-8: rename one of them") && !error.contains("--root"), "{error}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_are_read_by_the_path_that_they_have() {
    use std::os::fd::AsRawFd;
    let (reader, _writer) = io::pipe().unwrap();
    let path = format!("/dev/fd/{}", reader.as_raw_fd());
    let inputs = resolve(&[path.clone(), path.clone()], None).unwrap();
    assert_eq!((inputs.inputs.len(), inputs.passed_over.duplicates), (1, 1));
    let input = &inputs.inputs[0];
    assert_eq!(input.origin, Origin::File(PathBuf::from(path)));
    assert_eq!((input.size, input.modified, input.format), (None, None, Format::Warc));
}

#[test]
fn what_follows_warc_decides() {
    for (name, format) in [
        ("x.warc", Some(Format::Warc)),
        ("x.WARC.GZ", Some(Format::Warc)),
        ("x.warc.zst", Some(Format::Warc)),
        ("x.warc.gz.open", Some(Format::Warc)),
        ("x.warc.wat.gz", Some(Format::Warc)),
        ("my.warcraft.warc.gz", Some(Format::Warc)),
        ("x.warc.parquet", Some(Format::Parquet)),
        ("w.warcraft.png", None),
        ("n.warc.md", None),
        ("x.warc.gz.md5", None),
        ("x.warc.os.cdx.gz", None),
        ("x.warc.gz.part", None),
        ("x.warc-notes", None),
        ("x.warc.", None),
        ("warc.gz", None),
        ("x.warc.paths.gz", None),
    ] {
        assert_eq!(format_of(OsStr::new(name)), format, "{name}");
    }
}

#[test]
fn the_output_of_a_run_is_no_input() {
    let tree = Tree::new(&[
        "d/x.warc.gz",
        "d/begun/_shards/plan.json",
        "d/begun/bodies/part-00000.parquet",
        "d/done/captures/part-00000.parquet",
        "d/done/bodies/part-00000.parquet",
        "d/other/y.parquet",
        "none/begun/_shards/plan.json",
    ]);
    tree.write("d/done/manifest.json", b"{\n  \"tool\": \"robocensus\",\n  \"tool_version\": \"1\"\n}\n");
    tree.write("d/other/manifest.json", b"{\"tool\": \"another\", \"about\": \"robocensus\"}");
    let inputs = tree.resolve(&["d"]).unwrap();
    assert_eq!(names(&inputs), ["other/y.parquet", "x.warc.gz"]);
    assert_eq!((inputs.passed_over.outputs, inputs.passed_over.hidden), (2, 0));
    assert!(inputs.passed_over.to_string().contains("2 outputs of an earlier run passed over"));
    assert_eq!(names(&tree.resolve(&["d/*"]).unwrap()), ["other/y.parquet", "x.warc.gz"]);
    assert_eq!(names(&tree.resolve(&["d/done/bodies"]).unwrap()), ["part-00000.parquet"]);
    for out in ["d/begun", "d/done"] {
        let error = tree.resolve(&[out]).unwrap_err();
        assert!(error.is_usage());
        let bodies = tree.path(&format!("{out}/bodies"));
        assert!(error.to_string().contains(&format!("output of a run, not an input; name `{bodies}`")), "{error}");
    }
    assert!(tree.resolve(&["none"]).unwrap_err().to_string().contains("(1 others there)"));
}

#[test]
fn two_copies_of_a_snapshot_are_told_apart_by_nothing() {
    let tree = Tree::new(&["1/crawl-data/C/x.warc.gz", "2/crawl-data/C/x.warc.gz"]);
    let error = tree.resolve(&["1", "2"]).unwrap_err().to_string();
    assert!(error.contains("one after the other"), "{error}");
}

#[test]
fn the_same_file_is_read_once() {
    let tree = Tree::new(&["a/x.warc.gz", "a/y.warc.gz"]);
    let inputs = tree.resolve(&["a/y.warc.gz", "a", "a/../a/x.warc.gz", "-", "-", "a/*.gz"]).unwrap();
    assert_eq!(names(&inputs), ["y.warc.gz", "x.warc.gz", "-"]);
    assert_eq!(inputs.passed_over.duplicates, 5);
    assert_eq!(inputs.inputs[2].origin, Origin::Stdin);
    assert_eq!((inputs.inputs[2].size, inputs.inputs[2].modified), (None, None));
    assert!(inputs.passed_over.to_string().contains("5 inputs named more than once"));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_loops_end() {
    let tree = Tree::new(&["a/x.warc.gz"]);
    std::os::unix::fs::symlink(tree.path("a"), tree.path("a/again")).unwrap();
    std::os::unix::fs::symlink(tree.path("a/x.warc.gz"), tree.path("a/y.warc.gz")).unwrap();
    std::os::unix::fs::symlink(tree.path("a"), tree.path("b")).unwrap();
    let inputs = tree.resolve(&["b"]).unwrap();
    assert_eq!(names(&inputs), ["x.warc.gz"]);
    assert_eq!(inputs.passed_over.duplicates, 1);
    std::os::unix::fs::symlink(tree.path("nowhere"), tree.path("a/z.warc.gz")).unwrap();
    let error = tree.resolve(&["a"]).unwrap_err();
    assert!(!error.is_usage());
    assert!(error.to_string().contains("z.warc.gz"), "{error}");
}

#[test]
fn unknown_names_are_looked_into() {
    let tree = Tree::new(&["download", "empty.bin"]);
    tree.write("table", b"PAR1....PAR1");
    let inputs = tree.resolve(&["download", "table", "empty.bin"]).unwrap();
    let formats: Vec<Format> = inputs.inputs.iter().map(|input| input.format).collect();
    assert_eq!(formats, [Format::Warc, Format::Parquet, Format::Warc]);
}

#[test]
fn a_file_with_a_star_in_its_name_is_a_file() {
    let tree = Tree::new(&["a[1].warc.gz", "a1.warc.gz"]);
    assert_eq!(names(&tree.resolve(&["a[1].warc.gz"]).unwrap()), ["a[1].warc.gz"]);
    assert_eq!(names(&tree.resolve(&["a[0-9].warc.gz"]).unwrap()), ["a1.warc.gz"]);
}

#[test]
fn globs_take_files_and_folders_and_pass_over_the_rest() {
    let tree = Tree::new(&["d/1/x.warc.gz", "d/2.warc.gz", "d/notes", "d/.h.warc.gz", "d/_t.warc.gz"]);
    let inputs = tree.resolve(&["d/*"]).unwrap();
    assert_eq!(names(&inputs), ["1/x.warc.gz", "2.warc.gz"]);
    assert_eq!((inputs.passed_over.hidden, inputs.passed_over.unknown), (1, 1));
    assert_eq!(names(&tree.resolve(&["**/*.gz"]).unwrap()), ["d/1/x.warc.gz", "d/2.warc.gz"]);
}

#[test]
fn listings_are_read_plain_and_compressed() {
    let lines = "\u{feff}# a comment\r\n\r\n  a/x.warc.gz  \r\n./b.parquet\na/x.warc.gz";
    let tree = Tree::new(&["a/x.warc.gz", "b.parquet"]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(lines.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    tree.write("l.paths", lines.as_bytes());
    tree.write("l.paths.gz", &gzip);
    tree.write("any name", &gzip);
    for listing in ["l.paths", "l.paths.gz", "@any name", "@l.paths"] {
        for root in [None, Some("")] {
            let inputs = tree.resolve_below(&[listing], root).unwrap();
            assert_eq!(names(&inputs), ["a/x.warc.gz", "b.parquet"], "{listing}");
            assert_eq!(inputs.passed_over.duplicates, 1);
        }
    }
}

#[test]
fn a_listing_in_common_crawls_layout_finds_its_files() {
    let name = "crawl-data/CC-MAIN-2025-05/segments/1.2/robotstxt/x.warc.gz";
    let tree = Tree::new(&[&format!("mirror/{name}")]);
    tree.write("mirror/crawl-data/CC-MAIN-2025-05/robotstxt.paths", name.as_bytes());
    let inputs = tree.resolve(&["mirror/crawl-data/CC-MAIN-2025-05/robotstxt.paths"]).unwrap();
    assert_eq!(names(&inputs), [name]);
    assert_eq!(inputs.inputs[0].origin, Origin::File(PathBuf::from(tree.path(&format!("mirror/{name}")))));
    tree.write("elsewhere/robotstxt.paths", name.as_bytes());
    assert_eq!(names(&tree.resolve_below(&["elsewhere/robotstxt.paths"], Some("mirror")).unwrap()), [name]);
    let error = tree.resolve(&["elsewhere/robotstxt.paths"]).unwrap_err().to_string();
    assert!(error.contains("line 1") && error.contains(name) && error.contains("--root"), "{error}");
}

#[test]
fn hostile_listings_are_refused() {
    let tree = Tree::new(&["a.warc.gz"]);
    for (line, why) in [
        (&b"../a.warc.gz"[..], "holds `..`"),
        (b"x/../../a.warc.gz", "holds `..`"),
        (b"/etc/passwd", "is absolute"),
        (b"s3://commoncrawl/x.warc.gz", "is a remote address"),
        (b"a\0b", "zero byte"),
        (b"a\xff.warc.gz", "is not UTF-8"),
        (b".", "names no file"),
    ] {
        tree.write("l.paths", &[b"a.warc.gz\n\n", line].concat());
        let error = tree.resolve(&["l.paths"]).unwrap_err();
        assert!(error.is_usage());
        let text = error.to_string();
        assert!(text.contains("line 3") && text.contains(why), "{text}");
    }
    tree.write("d/b.warc.gz", b"");
    tree.write("l.paths", b"a.warc.gz\nd\n");
    assert!(tree.resolve(&["l.paths"]).unwrap_err().to_string().contains("is a folder"));
    tree.write("l.paths", b"a.warc.gz\ngone.warc.gz\n");
    let error = tree.resolve(&["l.paths"]).unwrap_err();
    assert!(error.is_usage());
    assert!(error.to_string().contains("line 2: no file `gone.warc.gz`"), "{error}");
    tree.write("l.paths.gz", b"\x1f\x8b\x08damaged");
    assert!(!tree.resolve(&["l.paths.gz"]).unwrap_err().is_usage());
}

#[test]
fn what_is_not_there_is_told() {
    let tree = Tree::new(&["d/notes.txt", "d/.x"]);
    tree.write("l.paths", b"# nothing\n\n");
    for (argument, expected) in [
        ("x.warc.gz", "no file or folder"),
        ("*.warc.gz", "no WARC or Parquet file matches"),
        ("d/*", "no WARC or Parquet file matches"),
        ("a**b", "is no pattern"),
        ("d", "(2 others there)"),
        ("l.paths", "names no file"),
        ("@none", "no file or folder"),
    ] {
        let error = tree.resolve(&[argument]).unwrap_err();
        assert!(error.is_usage());
        assert!(error.to_string().contains(expected), "{argument}: {error}");
    }
    assert!(tree.resolve_below(&["d"], Some("none")).unwrap_err().to_string().contains("--root"));
}

#[test]
fn crawl_and_segment_come_from_the_name() {
    for (name, crawl, segment) in [
        ("crawl-data/CC-MAIN-2025-05/segments/1.2/robotstxt/x.warc.gz", Some("CC-MAIN-2025-05"), Some("1.2")),
        ("crawl-data/CC-MAIN-2025-05/x.warc.gz", Some("CC-MAIN-2025-05"), None),
        ("crawl-data/CC-MAIN-2025-05/segments/x.warc.gz", Some("CC-MAIN-2025-05"), None),
        ("crawl-data/x.warc.gz", None, None),
        ("warc/crawl=CC-MAIN-2025-05/subset=robotstxt/x.parquet", Some("CC-MAIN-2025-05"), None),
        ("a/crawl=/x.parquet", None, None),
        ("x.warc.gz", None, None),
        ("", None, None),
        ("-", None, None),
    ] {
        assert_eq!((crawl_of(name), segment_of(name)), (crawl, segment), "{name}");
    }
}
