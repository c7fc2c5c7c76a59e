//! Help, arguments, messages and exit statuses.

use std::fs::{self, OpenOptions};
use std::process::Stdio;

use crate::common::{Files, provstream, run};

#[test]
fn help_explains_itself() {
    for (args, told) in [
        (
            &["--help"][..],
            &["[substrate.code.read;", "Exit status:", "admit"][..],
        ),
        (
            &["extract", "--help"],
            &[
                "clean_span",
                "--max-assertion",
                "[default: 4096]",
                "[default: 4096, in JSON 65536]",
                "pointer",
                "ndjson",
            ],
        ),
        (
            &["strip", "--help"],
            &["white space", "--chunk-size", "--json"],
        ),
        (
            &["admit", "--help"],
            &["--window", "90s", "never evidence", "unannotated"],
        ),
        (&["vocabulary", "--help"], &["[[class]]"]),
        (
            &["gate", "--help"],
            &["default_window = \"15m\"", "text = \"(not corroborated)\""],
        ),
    ] {
        let run = run(args, "");
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{args:?}");
        for words in told {
            assert!(run.stdout.contains(words), "{args:?}: {words}");
        }
        assert!(!run.stdout.contains('\x1b'), "no colours in a pipe");
    }
    assert!(run(&["--version"], "").stdout.starts_with("provstream "));
}

#[test]
fn wrong_arguments_are_usage() {
    for args in [
        &[][..],
        &["help-me"],
        &["extract", "--chunk-size=0"],
        &["extract", "--chunk-size=1048577"],
        &["extract", "--max-annotation=0"],
        &["extract", "--max-annotation=65537"],
        &["extract", "--max-assertion=1048577"],
        &["extract", "--max-assertion=3"],
        &["extract", "--max-annotations=0"],
        &["extract", "--max-pending=-1"],
        &["extract", "--max-depth=0"],
        &["extract", "--max-pointer=65537"],
        &["extract", "--max-record=1048577"],
        &["extract", "--json", "--pretty"],
        &["strip", "--json=yes"],
        &["extract", "--max-pending=99999999999999999999"],
        &["extract", "--mode=xml"],
        &["strip", "--text"],
        &["admit", "a"],
    ] {
        let run = run(args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
    }
    let run = run(&["extract", "--max-depth=65537"], "");
    let message = "--max-depth: expected a number between 1 and 65536";
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn each_command_has_the_limits_that_change_what_it_prints() {
    let all = [
        "annotation",
        "assertion",
        "annotations",
        "pending",
        "depth",
        "pointer",
        "record",
    ];
    let of_strip = ["annotation", "depth", "record"];
    let admit = ["admit", "--floor=1", "--window=5m"];
    for limit in all {
        let option = format!("--max-{limit}=7");
        assert_eq!(run(&["extract", &option], "").status, 0, "{limit}");
        let admit = [&admit[..], &[&option]].concat();
        let status = if limit == "record" { 2 } else { 0 };
        assert_eq!(run(&admit, "").status, status, "{limit}");
        let status = if of_strip.contains(&limit) { 0 } else { 2 };
        let strip = ["strip", "--json", &option];
        assert_eq!(run(&strip, "").status, status, "{limit}");
    }
}

#[test]
fn an_input_that_cannot_be_read_is_status_one() {
    let files = Files::new();
    let folder = files.path(".");
    let missing = files.path("missing");
    for path in [folder, missing] {
        for command in ["extract", "strip"] {
            let output = provstream(&[command]).arg(&path).output().unwrap();
            assert_eq!(output.status.code(), Some(1));
            let message = String::from_utf8(output.stderr).unwrap();
            let start = format!("provstream: cannot read {}: ", path.display());
            assert!(message.starts_with(&start), "{message}");
            assert_eq!(message.lines().count(), 1);
            assert!(output.stdout.is_empty());
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_status_one() {
    for args in [&["extract"][..], &["vocabulary"], &["--help"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = provstream(args)
            .stdin(Stdio::null())
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.starts_with("provstream: cannot write "),
            "{message}"
        );
    }
    for command in ["strip", "extract"] {
        let mut run = provstream(&[command, "-o", "/dev/full"]);
        run.arg(testkit::root().join("corpus/transcripts/code-review.txt"));
        let output = run.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.starts_with("provstream: cannot write /dev/full: "),
            "{message}"
        );
    }
}

#[test]
fn a_bad_vocabulary_file_is_told_with_its_place() {
    let files = Files::new();
    let path = files.write(
        "bad.toml",
        "version = \"1.1\"\n\n[[class]]\nid = \"ct.log\"\nsince = \"1.2\"\n",
    );
    for command in [&["extract"][..], &["strip"], &["vocabulary"]] {
        let args = [command, &["--vocabulary", &path]].concat();
        let run = run(&args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert_eq!(
            run.stderr,
            format!(
                "provstream: {path}: line 5, column 9: expected a `since` of at most the vocabulary's version (raise `version` to add a later class), found \"1.2\"\n"
            )
        );
    }
    let path = files.write("binary.toml", b"version = \"\xff\"");
    let run = run(&["vocabulary", "--vocabulary", &path], "");
    assert_eq!(
        (run.status, run.stderr),
        (
            2,
            format!("provstream: {path}: line 1, column 12: expected UTF-8, found the byte 0xFF\n")
        )
    );
}

#[test]
fn a_vocabulary_file_that_cannot_be_read_is_status_one() {
    let run = run(&["vocabulary", "--vocabulary", "/no/such/file"], "");
    assert_eq!(run.status, 1);
    assert!(
        run.stderr
            .starts_with("provstream: cannot read /no/such/file: ")
    );
    for command in ["extract", "vocabulary"] {
        let run = crate::common::run(&[command, "--vocabulary", "-"], "version = \"1.1\"");
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains("standard input"), "{}", run.stderr);
    }
}

#[test]
fn the_vocabulary_is_listed() {
    let memo = "Vocabulary 1.0\n\n\
        class                    since   terminal\n\
        substrate.git.log        1.0     no\n\
        substrate.grep           1.0     no\n\
        substrate.code.read      1.0     no\n\
        substrate.fs.mtime       1.0     no\n\
        substrate.mcp.brief      1.0     no\n\
        substrate.do.sse-count   1.0     no\n\
        substrate.unix.peercred  1.0     no\n\
        unverified-inference     1.0     yes\n\
        decayed-to-uncertainty   always  yes\n";
    assert_eq!(run(&["vocabulary"], "").stdout, memo);
    let files = Files::new();
    let toml = "version = \"1.12\"\n[[class]]\nid = \"substrate.a-class-with-a-long-name\"\nsince = \"1.3\"\n";
    let path = files.write("vocabulary.toml", toml);
    let listed = run(&["vocabulary", "--vocabulary", &path], "").stdout;
    assert!(listed.starts_with("Vocabulary 1.12\n"));
    assert!(
        listed.contains("\nsubstrate.a-class-with-a-long-name  1.3     no\nunverified-inference ")
    );
}

#[test]
fn a_file_called_dash_can_be_read_by_its_path() {
    let files = Files::new();
    fs::write(files.path("-"), "It is. [substrate.grep]").unwrap();
    let output = provstream(&["strip", "./-"])
        .current_dir(files.path("."))
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"It is.");
}
