//! The commands `observe`, `verify` and `ledger`, on a sample repository that changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

mod imports;

#[path = "../observe/repository.rs"]
mod repository;

/// A folder with a sample repository, and a ledger beside it.
struct Bench {
    dir: TempDir,
    root: PathBuf,
}

impl Bench {
    fn new() -> Option<Self> {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().join("root");
        fs::rename(repository::sample()?.keep(), &root).expect("moved");
        Some(Self { dir, root })
    }

    fn run(&self, args: &[&str], input: &str) -> Output {
        let answer = self.dir.path().join("input.txt");
        fs::write(&answer, input).expect("written");
        Command::new(env!("CARGO_BIN_EXE_provstream"))
            .args(args)
            .current_dir(&self.root)
            .env("PROVSTREAM_LEDGER", self.dir.path().join("obs.db"))
            .stdin(Stdio::from(fs::File::open(answer).expect("readable")))
            .output()
            .expect("the program starts")
    }

    /// Runs a command that succeeds, and returns its records.
    fn records(&self, args: &[&str], input: &str) -> Vec<Value> {
        let output = self.run(args, input);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {errors}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    fn fails(&self, args: &[&str], status: i32, message: &str) {
        let output = self.run(args, "");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {errors}");
        assert!(errors.contains(message), "{args:?}: {errors}");
    }

    /// Makes an observation, and returns its annotation.
    fn observe(&self, args: &[&str]) -> String {
        let args = [&["observe"], args].concat();
        let records = self.records(&args, "");
        let text = records[0]["annotation"].as_str().expect("an annotation");
        text.to_owned()
    }

    /// The outcomes of the annotations of an answer, with their explanations.
    fn verify(&self, answer: &str, args: &[&str]) -> Vec<(String, String)> {
        let args = [&["verify"], args].concat();
        let records = self.records(&args, answer);
        let assertions = records
            .iter()
            .filter(|record| record["event"] == "assertion");
        let outcomes = assertions.flat_map(|record| {
            record["checks"]["outcomes"]
                .as_array()
                .expect("a list")
                .clone()
        });
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        outcomes
            .map(|outcome| (text(&outcome["outcome"]), text(&outcome["detail"])))
            .collect()
    }
}

fn names(outcomes: &[(String, String)]) -> Vec<&str> {
    outcomes.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn an_answer_is_checked_while_its_substrates_change() {
    let Some(bench) = Bench::new() else { return };
    let read = bench.observe(&["code.read", "a.rs", "--lines", "2", "--keep", "content"]);
    let stop = bench.observe(&["code.read", "b.rs", "--keep", "content"]);
    let grep = bench.observe(&["grep", "fn \\w+", "--keep", "content"]);
    let log = bench.observe(&[
        "git.log",
        "--reference",
        "refs/heads/main",
        "--keep",
        "anchor",
    ]);
    let mtime = bench.observe(&["fs.mtime", "a.rs"]);
    let keyed = {
        fs::write(bench.root.join("../key"), [7; 32]).expect("written");
        bench.observe(&["fs.mtime", "b.rs", "--key", "../key"])
    };
    assert!(keyed.contains("; observation-id=hmac-sha256:"), "{keyed}");
    let foreign = bench.observe(&["code.read", "a.rs", "--id", "call_7"]);
    assert!(
        foreign.starts_with("[substrate.code.read; observation-id=call_7; ts="),
        "{foreign}"
    );
    let wrong = read.replace("code.read", "grep");
    let answer = format!(
        "It runs. {read} It stops. {stop} Two functions. {grep} Ada wrote it. {log} It is old. {mtime} So is that. {keyed} \
         A tool said so. {foreign} A search said so. {wrong} Trust me. [substrate.grep; observation-id=sha256:e3b0] \
         Perhaps. [substrate.grep] Who knows. [unverified-inference]\n"
    );
    let outcomes = bench.verify(&answer, &[]);
    let tail = ["class-differs", "unobserved", "declared", "declared"];
    assert_eq!(names(&outcomes), [&["observed"; 7][..], &tail].concat());
    let outcomes = bench.verify(&answer, &["--requery"]);
    assert_eq!(names(&outcomes), [&["requeried"; 7][..], &tail].concat());
    let outcomes = bench.verify(
        &answer,
        &["--window", "1h", "--now", "2099-01-01T00:00:00Z"],
    );
    assert_eq!(names(&outcomes), [&["stale"; 7][..], &tail].concat());

    // The file gets a line, another is deleted, and both are committed.
    fs::write(
        bench.root.join("a.rs"),
        "//! A program.\nfn main() {\n    run();\n}\n",
    )
    .expect("written");
    fs::remove_file(bench.root.join("b.rs")).expect("removed");
    repository::commit(&bench.root, "Document", 3);
    let outcomes = bench.verify(&answer, &["--requery"]);
    let expected = [
        "moved", "gone", "changed", "moved", "changed", "gone", "changed",
    ];
    assert_eq!(names(&outcomes), [&expected[..], &tail].concat());
    assert_eq!(outcomes[0].1, "now at line 3, was at line 2");
    assert_eq!(outcomes[3].1, "now after 1 newer commit");
    assert_eq!(outcomes[7].1, "the observation is of substrate.code.read");

    // People see the same.
    let output = bench.run(
        &["verify", "--requery", "--pretty", "--color", "never"],
        &answer,
    );
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.contains("    moved: now at line 3, was at line 2  entry 1, "),
        "{text}"
    );
    assert!(
        text.contains("        - a.rs:1:fn main() {\n        + a.rs:2:fn main() {\n"),
        "{text}"
    );
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains(
            "annotations: 2 declared, 1 unobserved, 1 class-differs, 2 moved, 3 changed, 2 gone"
        ),
        "{errors}"
    );
}

#[test]
fn levels_and_quotes_decide_about_the_status() {
    let Some(bench) = Bench::new() else { return };
    let read = bench.observe(&["code.read", "a.rs", "--keep", "content"]);
    let status = |answer: &str, args: &[&str]| {
        let args = [&["verify", "--fail"], args].concat();
        bench.run(&args, answer).status.code()
    };
    let observed = format!("It has `fn main` in it. {read}\n");
    let declared = "It is so. [substrate.grep]\n";
    let terminal = "It is so. [unverified-inference]\n";
    let invented = "It is so. [substrate.grep; observation-id=x]\n";
    let malformed = "It is so. [substrate.grep; observation-id=x; observation-id=y]\n";
    let unknown = "It is so. [substrate.other]\n";
    let unread = "It is so. [1.0:substrate.grep; observation-id=x]\n";
    let unclosed = "It is so. [substrate.grep; observation-id=x\n";
    for (answer, level, expected) in [
        (&*observed, "declared", 0),
        (&observed, "observed", 0),
        (&observed, "requeried", 3),
        (declared, "declared", 0),
        (declared, "observed", 3),
        (terminal, "requeried", 0),
        (invented, "declared", 3),
        (malformed, "declared", 3),
        (malformed, "requeried", 3),
        (unknown, "declared", 3),
        (unread, "declared", 3),
        (unclosed, "declared", 3),
    ] {
        assert_eq!(
            status(answer, &["--require", level]),
            Some(expected),
            "{level}: {answer}"
        );
    }
    assert_eq!(
        status(
            &observed,
            &["--require", "requeried", "--requery", "--quotes"]
        ),
        Some(0)
    );
    let told = bench.run(&["verify", "--fail"], unread).stderr;
    let told = String::from_utf8(told).expect("UTF-8");
    assert!(told.contains("unknown identifier in brackets: 1"), "{told}");
    let misquoted = observed.replace("fn main", "fn other");
    assert_eq!(status(&misquoted, &[]), Some(0));
    assert_eq!(status(&misquoted, &["--quotes"]), Some(3));
    let records = bench.records(&["verify", "--quotes"], &misquoted);
    let quote = &records[0]["checks"]["quotes"][0];
    assert_eq!(
        (&quote["text"], &quote["tier"]),
        (&"fn other".into(), &"absent".into())
    );
}

#[test]
fn other_commands_read_what_a_ledger_exports() {
    let Some(bench) = Bench::new() else { return };
    let read = bench.observe(&["code.read", "a.rs", "--keep", "content"]);
    bench.observe(&["code.read", "b.rs", "--expires", "1s"]);
    bench.observe(&["fs.mtime", "a.rs", "--id", "1"]);
    bench.observe(&["grep", "run", "--id", "1"]);
    bench.records(&["ledger", "expire", "--now", "2099-01-01T00:00:00Z"], "");
    let export = |form: &str, file: &str| {
        let status = bench
            .run(&["ledger", "export", "--as", form, "-o", file], "")
            .status;
        assert!(status.success(), "{form}");
    };
    export("observations", "../made.json");
    let list = fs::read(bench.dir.path().join("made.json")).expect("readable");
    let list: Value = serde_json::from_slice(&list).expect("JSON");
    assert_eq!(list.as_array().expect("a list").len(), 2);
    assert_eq!(list[0]["summary"], "fn main() {");
    assert_eq!(
        (&list[1]["id"], &list[1]["class"]),
        (&"1".into(), &"substrate.grep".into())
    );
    let prompt = bench.run(&["emit", "prompt", "--observations", "../made.json"], "");
    let prompt = String::from_utf8(prompt.stdout).expect("UTF-8");
    assert!(prompt.contains(&read), "{prompt}");
    export("sources", "../sources.json");
    let answer = "It runs here. [1] It stops there. [2]\n";
    let args = [
        "extract",
        "--dialect",
        "numeric",
        "--sources",
        "../sources.json",
    ];
    let cited = bench.records(&args, answer);
    assert!(cited[0]["ids"][0].get("reason").is_none(), "{cited:?}");
    assert_eq!(cited[1]["ids"][0]["reason"], "unknown-source", "{cited:?}");
    // Both options also take the ledger.
    let direct = bench.run(&["emit", "prompt", "--observations", "../obs.db"], "");
    assert_eq!(String::from_utf8(direct.stdout).expect("UTF-8"), prompt);
    let args = args.map(|arg| arg.replace("../sources.json", "../obs.db"));
    let args = args.each_ref().map(String::as_str);
    assert_eq!(bench.records(&args, answer), cited);
}

#[test]
fn a_ledger_is_listed_checked_expired_and_exported() {
    let Some(bench) = Bench::new() else { return };
    bench.observe(&[
        "code.read",
        "a.rs",
        "--lines",
        "1:2",
        "--keep",
        "content",
        "--expires",
        "1h",
    ]);
    bench.observe(&["fs.mtime", "a.rs", "--id", "mine"]);
    let list = bench.records(&["ledger", "list"], "");
    assert_eq!(list.len(), 2);
    assert_eq!(list[0]["query"]["limit"], 2);
    assert!(list[0].get("content").is_none());
    let id = list[0]["observation_id"].as_str().expect("an id");
    let shown = bench.records(&["ledger", "show", id], "");
    assert_eq!(shown[0]["content"], "fn main() {\n    run();\n");
    assert_eq!(bench.records(&["ledger", "show", "mine"], "")[0]["seq"], 2);
    let head = bench.records(&["ledger", "check"], "")[0]["head"].clone();
    let head = head.as_str().expect("a head");
    assert_eq!(bench.records(&["ledger", "expire"], "")[0]["count"], 0);
    let expired = bench.records(&["ledger", "expire", "--now", "2099-01-01T00:00:00Z"], "");
    assert_eq!(expired[0]["count"], 1);
    assert_eq!(
        bench.records(&["ledger", "show", id], "")[0]["expired"],
        true
    );
    assert_eq!(
        bench.records(&["ledger", "list", "--from", "3"], "")[0]["erased"][0][1],
        1
    );
    let checked = bench.records(&["ledger", "check", "--head", head], "");
    assert_eq!(
        (&checked[0]["faults"], &checked[0]["expired"]),
        (&0.into(), &1.into())
    );
    let export = bench.records(&["ledger", "export"], "");
    assert_eq!(export.len(), 4);
    assert_eq!(export[3]["head"], checked[0]["head"]);
    let database = bench.dir.path().join("obs.db");
    let connection = rusqlite::Connection::open(&database).expect("a database");
    connection
        .execute(
            "UPDATE entry SET class = 'substrate.grep' WHERE seq = 2",
            [],
        )
        .expect("changed");
    drop(connection);
    let output = bench.run(&["ledger", "check"], "");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.starts_with("{\"event\":\"fault\",\"message\":\"entry 2 was changed or moved\"}\n"),
        "{text}"
    );
}

#[test]
fn wrong_arguments_and_missing_files_have_their_status() {
    let Some(bench) = Bench::new() else { return };
    bench.fails(&["verify"], 1, "cannot open the ledger");
    bench.fails(&["ledger", "check"], 1, "cannot open the ledger");
    bench.fails(
        &["observe", "code.read", "../key"],
        2,
        "expected a path below the root, found \"..\"",
    );
    bench.fails(
        &["observe", "code.read", "/etc/passwd"],
        2,
        "found an absolute path",
    );
    bench.fails(&["observe", "code.read", "none"], 1, "none: no such file");
    bench.fails(
        &["observe", "code.read", "a.rs", "--lines", "3:2"],
        2,
        "such as 10:20",
    );
    bench.fails(&["observe", "grep", "("], 2, "not a regular expression");
    for id in ["a\nb", "sha256:e3b0"] {
        bench.fails(&["observe", "fs.mtime", "a.rs", "--id", id], 2, "--id");
    }
    // Names that SQLite takes for databases that end with the process are those of files.
    bench.observe(&["fs.mtime", "a.rs", "--ledger", ":memory:"]);
    bench.observe(&["fs.mtime", "a.rs", "--ledger", ":memory:"]);
    let kept = bench.records(&["ledger", "list", "--ledger", ":memory:"], "");
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(
        !Path::new(&bench.dir.path().join("obs.db")).exists(),
        "no observation, no ledger"
    );
    bench.observe(&["fs.mtime", "a.rs"]);
    for command in ["verify", "ledger export"] {
        let args: Vec<_> = command.split(' ').chain(["-o", "../obs.db"]).collect();
        bench.fails(&args, 2, "which is also --ledger");
    }
    bench.fails(
        &["ledger", "show", "none"],
        1,
        "expected the observation id none",
    );
    bench.fails(
        &["ledger", "check", "--head", "7"],
        2,
        "expected ENTRIES:LINK",
    );
}

const POLICY: &str = r#"
floor = 1
default_window = "3650d"
default_level = "observed"
unobserved = { action = "discard" }
changed = { action = "replace", text = "(changed)" }
gone = { action = "replace", text = "(gone)" }
class_differs = { action = "replace", text = "(of another class)" }
below_level = { action = "replace", text = "(not observed)" }
moved = { action = "mark", before = "<", after = ">" }
inadmissible = { action = "replace", text = "(withheld)" }
"#;

/// An answer that cites three observations, one of another class, one that was not made, and none.
struct CitedAnswer {
    bench: Bench,
    ledger: String,
    answer: String,
}

impl CitedAnswer {
    fn new() -> Option<Self> {
        let bench = Bench::new()?;
        let keep = ["--keep", "content"];
        let lines = [&["code.read", "a.rs", "--lines", "2"][..], &keep].concat();
        let read = bench.observe(&lines);
        let stop = bench.observe(&[&["code.read", "b.rs"][..], &keep].concat());
        let mtime = bench.observe(&["fs.mtime", "a.rs"]);
        let wrong = read.replace("code.read", "grep");
        let fake = read.replace("sha256:", "sha256:0");
        let (start, _) = read.split_once("observation-id=").expect("an id");
        let bare = start.to_owned() + &read[read.find("ts=").expect("a time")..];
        let answer = format!(
            "It runs. {read} It stops. {stop} It is old. {mtime} Others do. {wrong} Trust me. {fake} Perhaps. {bare}\n"
        );
        fs::write(bench.root.join("policy.toml"), POLICY).expect("written");
        let ledger = bench.dir.path().join("obs.db");
        let ledger = ledger.to_str().expect("UTF-8").to_owned();
        Some(Self {
            bench,
            ledger,
            answer,
        })
    }

    fn run(&self, args: &[&str]) -> String {
        let output = self.bench.run(args, &self.answer);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Disposition and outcome of each assertion in the audit log, which is removed.
    fn audited(&self) -> Vec<[String; 2]> {
        let path = self.bench.root.join("audit.ndjson");
        let log = fs::read_to_string(&path).expect("a log");
        fs::remove_file(path).expect("removed");
        let lines = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let text = |value: &Value| value.as_str().expect("a name").to_owned();
        lines
            .filter(|line: &Value| line["decision"] == "assertion")
            .map(|line| [&line["disposition"], &line["verdict"]["outcomes"][0]].map(text))
            .collect()
    }

    /// Verdict and outcome of each assertion.
    fn verdicts(&self, args: &[&str]) -> Vec<(bool, String)> {
        let records = self.bench.records(args, &self.answer);
        let assertions = records
            .iter()
            .filter(|record| record["event"] == "assertion");
        assertions
            .map(|record| &record["verdict"])
            .map(|verdict| {
                let outcome = verdict["outcomes"][0].as_str().expect("an outcome");
                (verdict["admitted"] == true, outcome.to_owned())
            })
            .collect()
    }
}

#[test]
fn a_gate_decides_by_what_was_observed() {
    let Some(cited) = CitedAnswer::new() else {
        return;
    };
    let root = &cited.bench.root;
    let gate = ["gate", "--policy", "policy.toml", "--audit", "audit.ndjson"];
    let gate = [&gate[..], &["--ledger", &cited.ledger, "--requery"]].concat();
    let tail = [
        ["class-differs"; 2],
        ["unobserved"; 2],
        ["below-level", "declared"],
    ];
    let before = [["admitted", "requeried"]; 3];
    assert_eq!(
        cited.run(&gate),
        "It runs. It stops. It is old. (of another class) (not observed)\n"
    );
    assert_eq!(cited.audited(), [&before[..], &tail].concat());

    let moved = "//! A program.\nfn main() {\n    run();\n}\n";
    fs::write(root.join("a.rs"), moved).expect("written");
    fs::remove_file(root.join("b.rs")).expect("removed");
    assert_eq!(
        cited.run(&gate),
        "<It runs.> (gone) (changed) (of another class) (not observed)\n"
    );
    let after = [["moved"; 2], ["gone"; 2], ["changed"; 2]];
    assert_eq!(cited.audited(), [&after[..], &tail].concat());

    let report = ["report", "--policy", "policy.toml", "-o", "-"];
    let page = cited.run(&[&report[..], &["--ledger", &cited.ledger, "--requery"]].concat());
    for words in [
        "the result is another one now",
        "the same words are at another place: now at line 3, was at line 2",
        "is not there any more: ",
        "the ledger does not have the observation",
        "Below the level",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn admit_counts_what_was_observed() {
    let Some(cited) = CitedAnswer::new() else {
        return;
    };
    let admit = ["admit", "--floor", "1", "--window", "any"];
    let admit = [&admit[..], &["--ledger", &cited.ledger]].concat();
    let expected = |last: bool| {
        let all = [
            (true, "observed"),
            (true, "observed"),
            (true, "observed"),
            (false, "class-differs"),
            (false, "unobserved"),
            (last, "declared"),
        ];
        all.map(|(admitted, outcome)| (admitted, outcome.to_owned()))
    };
    assert_eq!(cited.verdicts(&admit), expected(true));
    let strict = [&admit[..], &["--require", "observed"]].concat();
    assert_eq!(cited.verdicts(&strict), expected(false));
    let other = [&admit[..], &["--require", "substrate.grep=observed"]].concat();
    assert_eq!(cited.verdicts(&other), expected(true));
}

#[test]
fn gates_without_what_their_policy_needs_are_refused() {
    let Some(CitedAnswer { bench, ledger, .. }) = CitedAnswer::new() else {
        return;
    };
    let gate = ["gate", "--policy", "policy.toml"];
    bench.fails(&gate, 2, "--policy: expected --ledger");
    let gate = [&gate[..], &["--ledger", &ledger]].concat();
    bench.fails(&gate, 2, "--policy: expected --requery");
    let onto_itself = [&gate[..], &["--requery", "-o", &ledger]].concat();
    bench.fails(&onto_itself, 2, "--ledger");
    let admit = ["admit", "--floor", "1", "--window", "any"];
    let admit = [&admit[..], &["--require", "observed"]].concat();
    bench.fails(&admit, 2, "--require: expected --ledger");
    let own = ["gate", "--policy", "own-state", "--ledger"];
    let absent = "--ledger: absent.db: cannot open the ledger";
    bench.fails(&[&own[..], &["absent.db"]].concat(), 2, absent);
    let another = "expected a ledger, found another file";
    bench.fails(&[&own[..], &["a.rs"]].concat(), 2, another);
}
