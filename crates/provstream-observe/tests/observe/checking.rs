//! Each outcome, and how it changes when the substrate does.

use std::fs;
use std::path::Path;
use std::time::Duration;

use provstream::provenance::{Annotation, Class, Timestamp};
use provstream_observe::{
    Change, Checked, Checker, Ledger, Observation, Outcome, Query, SqliteLedger, SubstrateLimits,
    SubstrateQuery, Substrates,
};
use tempfile::TempDir;

use crate::repository;
use crate::{noon, numbered, time};

/// A folder with a file of ten lines, and a ledger.
struct Bench {
    dir: TempDir,
    substrates: Substrates,
    ledger: SqliteLedger,
}

/// Parts of a result that are recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keep {
    Digest,
    Anchor,
    Content,
}

impl Bench {
    fn new(dir: TempDir) -> Self {
        let lines: String = (1..=10).map(|number| format!("line {number}\n")).collect();
        fs::write(dir.path().join("ten"), lines).expect("written");
        Self {
            substrates: Substrates::open(dir.path()).expect("a root"),
            ledger: SqliteLedger::in_memory().expect("a ledger"),
            dir,
        }
    }

    fn write(&self, content: &str) {
        fs::write(self.dir.path().join("ten"), content).expect("written");
    }

    fn observe(&self, query: &SubstrateQuery, keep: Keep) -> Annotation<'static> {
        let found = self.substrates.observe(query).expect("observed");
        let class = query.class();
        let json = query.to_query().expect("a query");
        let observation = Observation::new(class.as_str(), json, found.content, noon());
        let mut observation = observation.expect("an observation");
        if keep != Keep::Digest {
            observation = observation.with_anchor(found.anchor);
        }
        if keep != Keep::Content {
            observation = observation.without_content();
        }
        self.ledger.record(&observation).expect("recorded");
        let declared = class.as_str().to_owned();
        Annotation::new(class, declared).with_observation_id(observation.id().to_owned())
    }

    fn check(&self, annotation: &Annotation<'_>) -> Checked {
        let checker = Checker::new(&self.ledger).requery(&self.substrates);
        checker.check(annotation, noon()).expect("checked")
    }

    fn outcome(&self, annotation: &Annotation<'_>) -> Outcome {
        self.check(annotation).outcome
    }
}

fn bench() -> Bench {
    Bench::new(tempfile::tempdir().expect("a folder"))
}

#[test]
fn outcomes_without_repeating() {
    let ledger = SqliteLedger::in_memory().expect("a ledger");
    let expires = time("2026-05-28T13:00:00Z");
    let observation = numbered(1).with_expiry(expires).expect("a time");
    ledger.record(&observation).expect("recorded");
    let id = observation.id();
    let annotation = |class: Class| Annotation::new(class, "x").with_observation_id(id.to_owned());
    let read = annotation(Class::CODE_READ);
    let check = |annotation: &Annotation<'_>, now: Timestamp, window: Option<u64>| {
        let mut checker = Checker::new(&ledger);
        if let Some(seconds) = window {
            checker = checker.with_window(Duration::from_secs(seconds));
        }
        checker.check(annotation, now).expect("checked")
    };
    let outcome = |annotation: &Annotation<'_>| check(annotation, noon(), None).outcome;
    assert_eq!(
        outcome(&Annotation::new(Class::GREP, "x")),
        Outcome::Declared
    );
    assert_eq!(outcome(&read), Outcome::Observed);
    let invented = Annotation::new(Class::CODE_READ, "x").with_observation_id("sha256:e3b0");
    assert_eq!(outcome(&invented), Outcome::Unobserved);
    let grep = check(&annotation(Class::GREP), noon(), None);
    assert_eq!(grep.outcome, Outcome::ClassDiffers);
    assert_eq!(
        grep.detail.as_deref(),
        Some("the observation is of substrate.code.read")
    );
    assert_eq!(
        outcome(&annotation(Class::DECAYED_TO_UNCERTAINTY)),
        Outcome::Observed
    );
    assert_eq!(
        outcome(&annotation(Class::UNVERIFIED_INFERENCE)),
        Outcome::ClassDiffers
    );
    // Windows and expiry include their ends as the gate does.
    let later = |seconds| noon().saturating_add(Duration::from_secs(seconds));
    assert_eq!(check(&read, later(60), Some(60)).outcome, Outcome::Observed);
    assert_eq!(check(&read, later(61), Some(60)).outcome, Outcome::Stale);
    assert_eq!(check(&read, later(3599), None).outcome, Outcome::Observed);
    assert_eq!(check(&read, later(3600), None).outcome, Outcome::Stale);
    ledger.expire(later(3600)).expect("expired");
    assert_eq!(outcome(&read), Outcome::Stale);
    assert_eq!(outcome(&annotation(Class::GREP)), Outcome::ClassDiffers);
    let dated = read.clone().with_ts("2026-05-28T14:00:00+02:00");
    assert!(!check(&dated, noon(), None).time_differs);
    let dated = read.with_ts("2026-05-28T12:00:01Z");
    assert!(check(&dated, noon(), None).time_differs);
}

#[test]
fn lines_to_the_end_change_with_each_line_that_follows() {
    for keep in [Keep::Digest, Keep::Anchor, Keep::Content] {
        let bench = bench();
        let to_end = Query::parse(r#"{"path": "ten", "offset": 4}"#).expect("a query");
        let to_end = SubstrateQuery::parse("substrate.code.read", &to_end).expect("a class");
        let too_many = SubstrateQuery::code_read("ten", Some((4, 99)));
        for query in [to_end.expect("a query"), too_many] {
            let cited = bench.observe(&query, keep);
            assert_eq!(bench.outcome(&cited), Outcome::Requeried, "{keep:?}");
            let all: Vec<_> = (1..=10).map(|number| format!("line {number}\n")).collect();
            bench.write(&format!("{}line 11\n", all.concat()));
            assert_eq!(bench.outcome(&cited), Outcome::Changed, "{keep:?}");
            bench.write(&all.concat());
        }
    }
}

#[test]
fn lines_are_the_same_move_change_and_go() {
    for keep in [Keep::Digest, Keep::Anchor, Keep::Content] {
        let bench = bench();
        let query = SubstrateQuery::code_read("ten", Some((4, 2)));
        let cited = bench.observe(&query, keep);
        assert_eq!(bench.outcome(&cited), Outcome::Requeried);
        let all: Vec<_> = (1..=10).map(|number| format!("line {number}\n")).collect();
        // More lines before.
        bench.write(&format!("new\nnew\nnew\n{}", all.concat()));
        let moved = bench.check(&cited);
        let expected = if keep == Keep::Digest {
            Outcome::Changed
        } else {
            Outcome::Moved
        };
        assert_eq!(moved.outcome, expected, "{keep:?}");
        if keep != Keep::Digest {
            assert_eq!(
                moved.detail.as_deref(),
                Some("now at line 7, was at line 4")
            );
        }
        // To the end, where the place has fewer lines.
        bench.write(&all[2..5].concat());
        let moved = bench.check(&cited);
        let expected = if keep == Keep::Digest {
            Outcome::Gone
        } else {
            Outcome::Moved
        };
        assert_eq!(moved.outcome, expected, "{keep:?}");
        // Only the words after it are still there.
        bench.write(&format!("x\n{}", all[3..].concat()));
        let expected = if keep == Keep::Digest {
            Outcome::Changed
        } else {
            Outcome::Moved
        };
        assert_eq!(bench.outcome(&cited), expected, "{keep:?}");
        // Another line.
        bench.write(&all.concat().replace("line 5", "line V"));
        let changed = bench.check(&cited);
        assert_eq!(changed.outcome, Outcome::Changed, "{keep:?}");
        let change = Change {
            line: 2,
            was: Some("line 5".to_owned()),
            now: Some("line V".to_owned()),
        };
        assert_eq!(changed.change, (keep == Keep::Content).then_some(change));
        fs::remove_file(bench.dir.path().join("ten")).expect("removed");
        assert_eq!(bench.outcome(&cited), Outcome::Gone, "{keep:?}");
    }
}

#[test]
fn of_several_places_the_anchored_or_the_nearest_is_named() {
    let bench = bench();
    bench.write("a\nsame\nb\n");
    let query = SubstrateQuery::code_read("ten", Some((2, 1)));
    let (content, anchored) = (
        bench.observe(&query, Keep::Content),
        bench.observe(&query, Keep::Anchor),
    );
    bench.write("x\nx\nx\nsame\nx\nx\na\nsame\nb\n");
    for cited in [content, anchored] {
        let detail = bench.check(&cited).detail;
        assert_eq!(detail.as_deref(), Some("now at line 8, was at line 2"));
    }
    bench.write("x\nx\nsame\nx\nsame\n");
    let query = SubstrateQuery::code_read("ten", Some((3, 1)));
    let cited = bench.observe(&query, Keep::Content);
    bench.write("x\nsame\nx\ny\ny\nx\nsame\nx\n");
    let detail = bench.check(&cited).detail;
    assert_eq!(
        detail.as_deref(),
        Some("now at line 2, was at line 3, one of 2 places")
    );
    bench.write("same\ny\ny\ny\ny\nsame\n");
    assert_eq!(bench.outcome(&cited), Outcome::Changed);
}

/// With the digest alone, quotes are looked up in a result that is the same, and not in another one.
#[test]
fn a_changed_result_is_no_observed_text() {
    let bench = bench();
    let whole = bench.observe(&SubstrateQuery::code_read("ten", None), Keep::Digest);
    let same = bench.check(&whole).content.expect("a text");
    assert!(same.starts_with(b"line 1\n"));
    bench.write("line 0\n");
    let changed = bench.check(&whole);
    assert_eq!((changed.outcome, changed.content), (Outcome::Changed, None));
}

#[test]
fn searches_times_and_files_change() {
    let bench = bench();
    let grep = bench.observe(
        &SubstrateQuery::grep("line [1-3]$", ".", false, None),
        Keep::Content,
    );
    let mtime = bench.observe(&SubstrateQuery::fs_mtime("ten"), Keep::Content);
    let whole = bench.observe(&SubstrateQuery::code_read("ten", None), Keep::Content);
    for cited in [&grep, &mtime, &whole] {
        assert_eq!(bench.outcome(cited), Outcome::Requeried);
    }
    let path = bench.dir.path().join("ten");
    let set_time = |path: &Path, seconds| {
        let modified = std::time::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = fs::File::options().write(true).open(path).expect("a file");
        file.set_modified(modified).expect("set");
    };
    bench.write("new\nline 1\nline 2\nline 3\n");
    set_time(&path, 1_000_000_000);
    let moved = bench.check(&grep);
    assert_eq!(moved.outcome, Outcome::Moved);
    assert_eq!(moved.detail.as_deref(), Some("now at ten:2, was at ten:1"));
    let changed = bench.check(&mtime);
    assert_eq!(changed.outcome, Outcome::Changed);
    assert_eq!(
        changed.change.expect("a change").now.as_deref(),
        Some("2001-09-09T01:46:40Z")
    );
    assert_eq!(bench.outcome(&whole), Outcome::Changed);
    bench.write("line 1\nline 3\n");
    assert_eq!(bench.outcome(&grep), Outcome::Changed);
    fs::remove_file(path).expect("removed");
    // A search that finds nothing is a result; a file that is not there has no time.
    assert_eq!(bench.outcome(&grep), Outcome::Changed);
    assert_eq!(bench.outcome(&mtime), Outcome::Gone);
    assert_eq!(bench.outcome(&whole), Outcome::Gone);
}

#[test]
fn a_log_that_grows_has_moved_and_one_that_was_rewritten_has_changed() {
    for keep in [Keep::Digest, Keep::Anchor, Keep::Content] {
        let Some(dir) = repository::sample() else {
            return;
        };
        let bench = Bench::new(dir);
        let log = |limit| SubstrateQuery::git_log(".", "refs/heads/main", None, limit);
        let (one, all) = (
            bench.observe(&log(Some(1)), keep),
            bench.observe(&log(None), keep),
        );
        assert_eq!(bench.outcome(&one), Outcome::Requeried);
        repository::commit(bench.dir.path(), "Third", 3);
        for cited in [&one, &all] {
            let found = bench.check(cited);
            if keep == Keep::Digest {
                assert_eq!(found.outcome, Outcome::Changed);
            } else {
                assert_eq!(found.outcome, Outcome::Moved, "{keep:?}");
                assert_eq!(found.detail.as_deref(), Some("now after 1 newer commit"));
            }
        }
        assert!(repository::git(
            bench.dir.path(),
            &["reset", "-q", "--hard", "HEAD~2"]
        ));
        assert_eq!(bench.outcome(&one), Outcome::Changed);
        assert!(repository::git(
            bench.dir.path(),
            &["checkout", "-q", "-b", "other"]
        ));
        assert!(repository::git(bench.dir.path(), &["branch", "-D", "main"]));
        assert_eq!(bench.outcome(&one), Outcome::Gone);
    }
}

#[test]
fn what_cannot_be_repeated_is_said() {
    let bench = bench();
    let record = |class: &str, query: &str| {
        let query = Query::parse(query).expect("a query");
        let observation = Observation::new(class, query, "3", noon()).expect("an observation");
        bench.ledger.record(&observation).expect("recorded");
        observation.id().to_owned()
    };
    for (class, query, expected) in [
        (
            Class::SSE_COUNT,
            r#"{"channel": "a"}"#,
            Outcome::NotRequeryable,
        ),
        (
            Class::CODE_READ,
            r#"{"file_path": "ten"}"#,
            Outcome::NotRequeryable,
        ),
        (
            Class::CODE_READ,
            r#"{"path": "../ten"}"#,
            Outcome::Unreachable,
        ),
        (
            Class::GREP,
            r#"{"path": ".", "pattern": "("}"#,
            Outcome::NotRequeryable,
        ),
    ] {
        let id = record(class.as_str(), query);
        let annotation = Annotation::new(class, "x").with_observation_id(id);
        let checked = bench.check(&annotation);
        assert_eq!(checked.outcome, expected, "{query}");
        assert!(checked.detail.is_some());
        assert!(!checked.outcome.holds());
    }
}

#[test]
fn text_that_moves_is_there_to_its_end() {
    for (was, now, expected) in [
        ("a\nfn a", "x\na\nfn abc", Outcome::Changed),
        ("a\nfn a", "x\na\nfn a", Outcome::Moved),
        ("a\nfn a", "x\na\nfn a\nb\n", Outcome::Moved),
        ("a\nfn a\n", "x\na\nfn abc\n", Outcome::Changed),
        // What is changed in its place has not moved to where the same words always were.
        ("a\nx();\nb\nx();\n", "a\ny();\nb\nx();\n", Outcome::Changed),
        (
            "a\nx();\nb\nx();\n",
            "a\nc\nx();\nb\nx();\n",
            Outcome::Moved,
        ),
        // Many lines have a blank one or a brace before them.
        ("\nx();\n\nx();\n", "\ny();\n\nx();\n", Outcome::Changed),
        (
            "}\nx();\nb\n  }\nx();\n",
            "}\ny();\nb\n  }\nx();\n",
            Outcome::Changed,
        ),
        ("b\nx();\na", "b\ny();\nx();\nabc\n", Outcome::Changed),
        ("\nx();\na\n", "y\n\nx();\na\n", Outcome::Moved),
        ("\nx();\n", "y\n\nx();\n", Outcome::Moved),
        ("{\nx();\n}\n", "y\n{\nx();\n}\n", Outcome::Moved),
        (
            "if a {\nx();\n}\nif b {\nx();\n}\n",
            "if a {\ny();\n}\nif b {\nx();\n}\n",
            Outcome::Changed,
        ),
        (
            "if a {\nx();\n}\nif b {\nx();\n}\n",
            "new\nif a {\ny();\n}\nif b {\nx();\n}\n",
            Outcome::Changed,
        ),
        (
            "\nx();\n\nb\n\nx();\n\nc\n",
            "\ny();\n\nb\n\nx();\n\nc\n",
            Outcome::Changed,
        ),
        ("a\nx();\nend", "a\ny();\nx();\nendXYZ", Outcome::Changed),
        // The end of the file is no neighbour that the file has once.
        ("p\nx\n", "p\ny\ns\nx\n", Outcome::Changed),
        ("p\nx\n", "z\np\nx\ns\n", Outcome::Moved),
        // Lines that many others are beside, and shifted.
        (
            "def a\nx\nend\ndef b\nx\nend\n",
            "new\ndef a\ny\nend\ndef b\nx\nend\n",
            Outcome::Changed,
        ),
        (
            "if err {\nx\n}\nz\nif err {\nx\n}\n",
            "new\nif err {\ny\n}\nz\nif err {\nx\n}\n",
            Outcome::Changed,
        ),
    ] {
        for keep in [Keep::Anchor, Keep::Content] {
            let bench = bench();
            bench.write(was);
            let query = SubstrateQuery::code_read("ten", Some((2, 1)));
            let annotation = bench.observe(&query, keep);
            bench.write(now);
            let outcome = bench.outcome(&annotation);
            assert_eq!(outcome, expected, "{keep:?} {was:?} {now:?}");
        }
    }
}

/// Each difference is seen in what is shown.
#[test]
fn a_change_shows_where_the_lines_differ() {
    let long = "é".repeat(300);
    for (was, now, expected) in [
        ("a\nb\n", "a\nc\n", ["b", "c"]),
        ("a\nb\n", "a\nb", ["b\n", "b"]),
        ("a\nb\r\n", "a\nb\n", ["b\r", "b"]),
        (
            &format!("a\n{long}1\n"),
            &format!("a\n{long}2\n"),
            [
                &format!("…{}1", "é".repeat(25)),
                &format!("…{}2", "é".repeat(25)),
            ],
        ),
        (
            &format!("a\n1{long}\n"),
            &format!("a\n2{long}\n"),
            [
                &format!("1{}…", "é".repeat(199)),
                &format!("2{}…", "é".repeat(199)),
            ],
        ),
    ] {
        let bench = bench();
        bench.write(was);
        let annotation = bench.observe(&SubstrateQuery::code_read("ten", None), Keep::Content);
        bench.write(now);
        let change = bench.check(&annotation).change.expect("a change");
        let found = [change.was, change.now].map(|line| line.expect("a line"));
        assert_eq!((change.line, found), (2, expected.map(str::to_owned)));
    }
    let bench = bench();
    let write = |content: &[u8]| fs::write(bench.dir.path().join("ten"), content).expect("written");
    write(b"caf\xe9\n");
    let annotation = bench.observe(&SubstrateQuery::code_read("ten", None), Keep::Content);
    write(b"caf\xe8\n");
    let change = bench.check(&annotation).change.expect("a change");
    assert_eq!(change.was.as_deref(), Some("caf\\xe9"));
    assert_eq!(change.now.as_deref(), Some("caf\\xe8"));
}

#[test]
fn a_place_of_moved_matches_has_its_whole_path() {
    let bench = bench();
    let name = "f".repeat(150);
    let write = |text: &str| fs::write(bench.dir.path().join(&name), text).expect("written");
    write("a\n");
    let query = SubstrateQuery::grep("a", &name, false, None);
    let annotation = bench.observe(&query, Keep::Content);
    write("b\na\n");
    let expected = format!("now at {name}:2, was at {name}:1");
    assert_eq!(bench.check(&annotation).detail, Some(expected));
}

/// A search says that it has reached its limit, which it may have passed by a line.
#[test]
fn a_search_says_where_it_ends() {
    let bench = bench();
    for (limit, expected) in [
        (10, "ten:10:line 10\nended after 10 matching lines\n"),
        (11, "ten:10:line 10\n"),
    ] {
        let query = SubstrateQuery::grep("line", ".", false, Some(limit));
        let found = bench.substrates.observe(&query).expect("observed").content;
        let found = String::from_utf8(found).expect("UTF-8");
        assert!(found.ends_with(expected), "{found}");
    }
}

#[test]
fn matching_lines_that_move_have_the_same_bytes() {
    for (was, now, expected) in [
        (
            &b"a\ncaf\xe9 b\n"[..],
            &b"x\na\ncaf\xe9 b\n"[..],
            Outcome::Moved,
        ),
        (b"a\ncaf\xe9 b\n", b"x\na\ncaf\xe8 b\n", Outcome::Changed),
        (b"a\ncaf b\n", b"x\na\ncaf b\r\n", Outcome::Changed),
    ] {
        let bench = bench();
        let write =
            |content: &[u8]| fs::write(bench.dir.path().join("ten"), content).expect("written");
        write(was);
        let annotation = bench.observe(
            &SubstrateQuery::grep("caf", "ten", false, None),
            Keep::Content,
        );
        write(now);
        assert_eq!(bench.outcome(&annotation), expected, "{was:?} {now:?}");
    }
}

#[test]
fn a_log_of_a_path_has_changes_of_mode_and_of_a_shallow_clone() {
    let Some(sample) = repository::sample() else {
        return;
    };
    let log = |dir: &Path, path: &str| {
        let query = SubstrateQuery::git_log(".", "HEAD", Some(path), None);
        let found = Substrates::open(dir).expect("a root").observe(&query);
        String::from_utf8(found.expect("observed").content).expect("UTF-8")
    };
    assert!(repository::git(
        sample.path(),
        &["update-index", "--chmod=+x", "a.rs"]
    ));
    assert!(repository::git(
        sample.path(),
        &["commit", "-q", "-m", "Run it"]
    ));
    for path in ["a.rs", "./a.rs", "./././a.rs", "."] {
        let text = log(sample.path(), path);
        assert!(
            text.contains("Run it") && text.contains("Add a program"),
            "{text}"
        );
    }
    let clone = tempfile::tempdir().expect("a folder");
    let from = format!("file://{}", sample.path().display());
    assert!(repository::git(
        clone.path(),
        &["clone", "-q", "--depth", "2", &from, "."]
    ));
    let text = log(clone.path(), "b.rs");
    assert_eq!(text.matches("commit ").count(), 1, "as git has it: {text}");
}

/// A small object that is a large one when it is no longer compressed.
#[test]
fn a_commit_that_is_too_large_is_not_read() {
    let Some(sample) = repository::sample() else {
        return;
    };
    fs::write(sample.path().join("c.rs"), "").expect("written");
    repository::commit(sample.path(), &"a".repeat(100_000), 3);
    let query = SubstrateQuery::git_log(".", "HEAD", None, None);
    let read = |max_file| {
        let limits = SubstrateLimits {
            max_file,
            ..SubstrateLimits::default()
        };
        let substrates = Substrates::open(sample.path()).expect("a root");
        substrates.with_limits(limits).observe(&query)
    };
    read(1 << 20).expect("read");
    let error = read(1 << 16).expect_err("too large");
    assert!(
        error.to_string().contains("limit of 65536 bytes"),
        "{error}"
    );
}

#[test]
fn lines_that_were_all_of_their_file_have_no_neighbours() {
    for now in ["x\na\nb\n", "x\na\nb\na\nb\n", "x\na\nb\ny\n"] {
        let bench = bench();
        bench.write("a\nb\n");
        let query = SubstrateQuery::code_read("ten", Some((1, 2)));
        let annotation = bench.observe(&query, Keep::Content);
        bench.write(now);
        assert_eq!(bench.outcome(&annotation), Outcome::Changed, "{now:?}");
    }
}
