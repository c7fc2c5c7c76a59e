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
            &["clean_span", "--max-assertion", "[default: 4096]"],
        ),
        (&["strip", "--help"], &["white space", "--chunk-size"]),
        (&["admit", "--help"], &["--window", "90s", "never evidence"]),
        (&["vocabulary", "--help"], &["[[class]]"]),
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
fn help_names_status_three_only_where_it_can_be() {
    for (args, named) in [
        (&["--help"][..], true),
        (&["extract", "--help"], false),
        (&["strip", "--help"], false),
        (&["admit", "--help"], true),
        (&["vocabulary", "--help"], false),
    ] {
        let help = run(args, "").stdout;
        assert!(help.contains("\n  2  an argument"), "{help}");
        assert_eq!(help.contains("\n  3  with `admit"), named, "{help}");
    }
}

#[test]
fn wrong_arguments_are_usage() {
    for args in [
        &[][..],
        &["help-me"],
        &["extract", "a", "b"],
        &["extract", "--chunk-size=0"],
        &["extract", "--chunk-size=1048577"],
        &["extract", "--max-annotation=0"],
        &["extract", "--max-annotation=65537"],
        &["extract", "--max-assertion=1048577"],
        &["extract", "--max-assertion=3"],
        &["extract", "--max-annotations=0"],
        &["extract", "--max-pending=-1"],
        &["extract", "--max-pending=99999999999999999999"],
        &["extract", "--mode=xml"],
        &["strip", "--text"],
        &["admit", "a"],
    ] {
        let run = run(args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!run.stderr.contains("<FILE>"), "{}", run.stderr);
    }
    let run = run(&["extract", "--max-annotation=0"], "");
    let message = "'--max-annotation <BYTES>': must lie between 1 and 65536\n";
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn modes_of_json_are_refused_for_now() {
    for mode in ["json", "ndjson"] {
        let run = run(&["extract", "--mode", mode], "");
        assert_eq!(run.status, 2);
        let message = format!(
            "provstream: invalid value '{mode}' for '--mode <MODE>': this mode is not supported by this version yet; \
            text and auto are\n"
        );
        assert!(run.stderr.starts_with(&message), "{}", run.stderr);
    }
}

#[test]
fn messages_quote_no_control_characters() {
    for args in [
        &["extract", "no\x1b[2J\nfile"][..],
        &["extract", "--mode", "\x1b[2J\nx"],
        &["extract", "--\x1b[2J"],
        &["extract", "--vocabulary", "no\x1b[2J\nfile"],
        &["admit", "--floor=1", "--window=\x1b=5m"],
        &["\x1b[2J"],
    ] {
        let run = run(args, "");
        assert_ne!(run.status, 0);
        assert!(!run.stderr.contains('\x1b'), "{:?}", run.stderr);
        assert!(run.stderr.contains("\\u{1b}"), "{:?}", run.stderr);
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
            message.starts_with("provstream: cannot write the output: "),
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
                "provstream: {path}: line 5, column 9: `since` is above the vocabulary's version: 1.2\n"
            )
        );
    }
    let path = files.write("binary.toml", b"version = \"\xff\"");
    let run = run(&["vocabulary", "--vocabulary", &path], "");
    assert_eq!(
        (run.status, run.stderr),
        (
            2,
            format!("provstream: {path}: line 1, column 12: the file is not UTF-8\n")
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
