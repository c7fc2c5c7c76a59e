//! Substrates say what is there.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use provstream_observe::{Query, SubstrateErrorKind, SubstrateLimits, SubstrateQuery, Substrates};
use tempfile::TempDir;

use crate::repository;

fn folder(files: &[(&str, &[u8])]) -> (TempDir, Substrates) {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(path, content).expect("written");
    }
    let substrates = Substrates::open(dir.path()).expect("a root");
    (dir, substrates)
}

fn observe(substrates: &Substrates, query: &SubstrateQuery) -> String {
    let found = substrates.observe(query).expect("observed");
    String::from_utf8(found.content).expect("UTF-8")
}

#[test]
fn lines_of_a_file_are_its_exact_bytes() {
    let (_dir, substrates) = folder(&[
        ("a.txt", b"one\ntwo\r\nthree"),
        ("empty", b""),
        ("feeds", b"\n\n"),
        ("raw", b"\xff\xfe\n\xc3"),
    ]);
    let read = |path: &str, lines| substrates.observe(&SubstrateQuery::code_read(path, lines));
    for (path, lines, expected) in [
        ("a.txt", None, &b"one\ntwo\r\nthree"[..]),
        ("a.txt", Some((1, 1)), b"one\n"),
        ("a.txt", Some((2, 1)), b"two\r\n"),
        ("a.txt", Some((2, 9)), b"two\r\nthree"),
        ("a.txt", Some((3, 1)), b"three"),
        ("./a.txt", Some((1, usize::MAX)), b"one\ntwo\r\nthree"),
        ("empty", None, b""),
        ("feeds", Some((2, 1)), b"\n"),
        ("raw", Some((2, 1)), b"\xc3"),
    ] {
        let found = read(path, lines).expect("read");
        assert_eq!(found.content, expected, "{path} {lines:?}");
    }
    let anchor = read("a.txt", Some((2, 1)))
        .expect("read")
        .anchor
        .expect("an anchor");
    assert_eq!((&*anchor.before, &*anchor.after), ("one\n", "three"));
    for (path, lines) in [
        ("a.txt", Some((4, 1))),
        ("empty", Some((1, 1))),
        ("feeds", Some((3, 1))),
        ("none", None),
        ("a.txt/x", None),
    ] {
        let error = read(path, lines).expect_err("not there");
        assert_eq!(error.kind(), SubstrateErrorKind::Gone, "{path}: {error}");
    }
}

#[test]
fn a_search_is_in_the_order_of_names_and_leaves_out_what_ripgrep_does() {
    let late_data = [&b"fn data() {}\n"[..], &[b'\n'; 100_000], b"\0"].concat();
    let (dir, substrates) = folder(&[
        ("b.rs", b"fn b() {}\nfn B() {}\n"),
        ("a/z.rs", b"// fn\nfn z() {}"),
        ("a/.hidden", b"fn hidden() {}\n"),
        ("target/x.rs", b"fn x() {}\n"),
        ("a/keep/k.log", b"fn k() {}\n"),
        ("a/l.log", b"fn l() {}\n"),
        (".gitignore", b"/target/\n*.log\n"),
        ("a/.ignore", b"!/keep/*.log\n"),
        ("data", b"fn \0 binary\n"),
        ("late-data", &late_data),
        ("utf-16.txt", b"\xff\xfef\0n\0 \0u\0\n\0"),
        ("new\nline", b"fn forged() {}\n"),
    ]);
    let grep = |pattern: &str, path: &str| SubstrateQuery::grep(pattern, path, false, None);
    let all = "a/keep/k.log:1:fn k() {}\na/z.rs:2:fn z() {}\nb.rs:1:fn b() {}\nb.rs:2:fn B() {}\nutf-16.txt:1:fn u\n";
    let left_out = "1 files and folders left out\n";
    assert_eq!(
        observe(&substrates, &grep("^fn", ".")),
        format!("{all}{left_out}")
    );
    assert_eq!(observe(&substrates, &grep("^fn", "./a/")), &all[..44]);
    assert_eq!(observe(&substrates, &grep("^fn", "b.rs")), &all[44..78]);
    assert_eq!(observe(&substrates, &grep("nothing", ".")), left_out);
    let any_case = SubstrateQuery::grep("^FN b", ".", true, Some(1));
    assert_eq!(
        observe(&substrates, &any_case),
        format!("b.rs:1:fn b() {{}}\n{left_out}ended after 1 matching lines\n")
    );
    let error = substrates
        .observe(&grep("(", "."))
        .expect_err("no expression");
    assert_eq!(error.kind(), SubstrateErrorKind::Query);
    let tight = Substrates::open(dir.path())
        .expect("a root")
        .with_limits(SubstrateLimits {
            max_files: 3,
            ..SubstrateLimits::default()
        });
    let error = tight.observe(&grep("fn", ".")).expect_err("too many");
    assert_eq!(error.kind(), SubstrateErrorKind::Limit);
}

#[test]
fn the_time_of_a_file_is_that_of_its_modification() {
    let (dir, substrates) = folder(&[("a", b"")]);
    let modified = UNIX_EPOCH + Duration::new(1_779_969_600, 250_000_000);
    let file = fs::File::options()
        .write(true)
        .open(dir.path().join("a"))
        .expect("a file");
    file.set_modified(modified).expect("set");
    let query = SubstrateQuery::fs_mtime("a");
    assert_eq!(observe(&substrates, &query), "2026-05-28T12:00:00.25Z");
}

#[test]
fn a_log_lists_commits() {
    let Some(dir) = repository::sample() else {
        return;
    };
    let substrates = Substrates::open(dir.path()).expect("a root");
    let log = |path, limit| SubstrateQuery::git_log(".", "HEAD", path, limit);
    let all = observe(&substrates, &log(None, None));
    let lines: Vec<_> = all.lines().collect();
    assert!(
        lines[0].starts_with("commit ") && lines[0].len() == 47,
        "{all}"
    );
    let expected = [
        "author Ada <ada@example.org>",
        "date 2026-05-02T12:00:00Z",
        "",
        "    Stop",
        "",
        "    It ran on.",
        "",
    ];
    assert_eq!(lines[1..8], expected);
    assert_eq!(all.matches("\ncommit ").count(), 1);
    assert_eq!(
        observe(&substrates, &log(None, Some(1))),
        all[..all.find("\ncommit").expect("two") + 1]
    );
    assert!(observe(&substrates, &log(Some("a.rs"), None)).contains("Add a program"));
    assert!(!observe(&substrates, &log(Some("a.rs"), None)).contains("Stop"));
    for (query, kind) in [
        (log(Some("none"), None), SubstrateErrorKind::Gone),
        (
            SubstrateQuery::git_log(".", "refs/heads/none", None, None),
            SubstrateErrorKind::Gone,
        ),
        (
            SubstrateQuery::git_log("none", "HEAD", None, None),
            SubstrateErrorKind::Gone,
        ),
        (
            SubstrateQuery::git_log("..", "HEAD", None, None),
            SubstrateErrorKind::Refused,
        ),
    ] {
        let error = substrates.observe(&query).expect_err("none");
        assert_eq!(error.kind(), kind, "{query:?}: {error}");
    }
}

#[test]
fn lines_without_a_number_of_them_go_to_the_end_of_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a"), "one\ntwo\nthree\n").expect("written");
    let substrates = Substrates::open(dir.path()).expect("a root");
    let query = Query::parse(r#"{"path": "a", "offset": 2}"#).expect("a query");
    let read = SubstrateQuery::parse("substrate.code.read", &query).expect("a class");
    let read = read.expect("a query");
    assert_eq!(read.to_query().as_ref(), Ok(&query));
    let found = substrates.observe(&read).expect("a result");
    assert_eq!(found.content, b"two\nthree\n");
}

#[test]
fn queries_are_read_as_they_are_written_and_nothing_else() {
    for query in [
        SubstrateQuery::code_read("a", None),
        SubstrateQuery::code_read("é \"", Some((2, 3))),
        SubstrateQuery::grep("a|b", ".", true, Some(5)),
        SubstrateQuery::fs_mtime("a"),
        SubstrateQuery::git_log(".", "HEAD", None, None),
        SubstrateQuery::git_log("x", "refs/heads/a", Some("b"), Some(1)),
    ] {
        let json = query.to_query().expect("a query");
        let read = SubstrateQuery::parse(query.class().as_str(), &json);
        assert_eq!(read.expect("a class").expect("a query"), query);
    }
    let parse = |class: &str, query: &str| {
        SubstrateQuery::parse(class, &Query::parse(query).expect("a query"))
    };
    assert_eq!(parse("substrate.ct.log", "{}"), None);
    for (class, query) in [
        ("substrate.code.read", "{}"),
        ("substrate.code.read", r#"{"path": 1}"#),
        ("substrate.code.read", r#"{"path": "a", "offset": 0}"#),
        ("substrate.code.read", r#"{"path": "a", "limit": -1}"#),
        ("substrate.code.read", r#"{"path": "a", "lines": "1:2"}"#),
        ("substrate.fs.mtime", r#"{"path": "a", "follow": true}"#),
        ("substrate.grep", r#"{"pattern": "a"}"#),
        (
            "substrate.grep",
            r#"{"pattern": "a", "path": ".", "ignore_case": 1}"#,
        ),
        (
            "substrate.grep",
            r#"{"pattern": "a", "path": ".", "limit": 10001}"#,
        ),
        (
            "substrate.git.log",
            r#"{"repository": ".", "reference": "HEAD", "path": null}"#,
        ),
    ] {
        let error = parse(class, query).expect("a class").expect_err(query);
        assert_eq!(error.kind(), SubstrateErrorKind::Query, "{query}");
    }
}
