//! Regression tests for past defects with unusual input.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use crate::common::{Files, Run, provstream, run, sh};

const GATE: [&str; 4] = ["admit", "--floor=1", "--window=1d", "--fail"];

fn gate(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    run(&[&GATE[..], args].concat(), input)
}

#[cfg(target_os = "linux")]
#[test]
fn null_device_opened_read_write_is_accepted() {
    let files = Files::new();
    let file = files.write("a.txt", "It runs. [substrate.grep]\n");
    // As Python's `DEVNULL` and Node's `ignore` open it, and Rust's runtime in the place of a closed descriptor.
    let null = || {
        let mut options = fs::OpenOptions::new();
        let null = options.read(true).write(true).open("/dev/null");
        null.expect("the null device opens")
    };
    let admit = ["admit", "--floor", "1", "--window", "1h", "--fail"];
    for args in [&["strip"][..], &["extract"], &admit] {
        let args = [args, &[&*file]].concat();
        let status = provstream(&args).stdout(null()).status();
        let expected = if args[0] == "admit" { 3 } else { 0 };
        assert_eq!(status.unwrap().code(), Some(expected), "{args:?}");
    }
    for args in [&["strip"][..], &["extract"], &admit, &["--help"]] {
        let mut command = provstream(args);
        let output = command.stdin(null()).stdout(null()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let status = provstream(&["strip", &file]).stdout(full).status();
    assert_eq!(status.unwrap().code(), Some(1));
}

#[test]
fn a_gate_that_could_judge_nothing_does_not_pass() {
    let good = "It is. [substrate.grep; ts=2026-05-28T12:00:00Z]";
    for (args, input, what) in [
        (&["--mode=json"][..], "It rains.", "1 json-syntax"),
        (
            &["--mode=ndjson"],
            "{\"assertion\":\"It is.\"",
            "1 unterminated",
        ),
        (&["--mode=json"], "{\"a\":", "1 unterminated"),
        (
            &["--mode=json", "--max-depth=2"],
            "[[[1]]]",
            "1 limit-depth",
        ),
        (&["--max-annotation=20"], good, "1 limit-annotation"),
    ] {
        let run = gate(args, input);
        assert_eq!(run.status, 3, "{input}: {}", run.stderr);
        assert!(run.stderr.contains(what), "{input}: {}", run.stderr);
    }
    assert_eq!(gate(&[], "It rains.").status, 0);
    let run = gate(&["--require-assertions"], "It rains.");
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("no assertion"), "{}", run.stderr);
    assert_eq!(run_without_fail(&["--require-assertions"]).status, 2);
}

fn run_without_fail(args: &[&str]) -> Run {
    run(&[&GATE[..3], args].concat(), "")
}

#[test]
fn annotations_in_strings_of_json_do_not_pass_for_read() {
    let line = "{\"text\":\"It runs. [unverified-inference]\"}\n";
    for mode in ["auto", "json", "ndjson"] {
        let run = gate(&["--mode", mode], line);
        assert_eq!(run.status, 3, "{mode}");
        assert!(run.stderr.contains("--field"), "{}", run.stderr);
        let run = crate::common::run(&["extract", "--mode", mode], line);
        assert!(run.stderr.contains("--field"), "{}", run.stderr);
    }
    let run = gate(&["--field=/text"], line);
    assert_eq!(run.status, 3);
    assert!(
        run.stdout.contains("\"reason\":\"terminal\""),
        "{}",
        run.stdout
    );
}

#[test]
fn other_encodings_are_named() {
    for (input, what) in [
        (&b"\xFD7zXZ\0\0\x04"[..], "unsupported encoding: xz"),
        (b"BZh91AY&SY", "bzip2"),
        (b"PK\x03\x04\x14\0", "zip"),
        (b"\xFF\xFEI\0t\0", "UTF-16"),
        (b"\xFE\xFF\0I\0t", "UTF-16"),
        (b"\xFF\xFE\0\0I\0\0\0", "UTF-32"),
    ] {
        for args in [&["extract"][..], &["strip"], &GATE] {
            let run = run(args, input);
            assert_eq!(run.status, 1, "{what}: {}", run.stdout);
            assert!(run.stderr.contains(what), "{}", run.stderr);
        }
    }
}

/// The bytes that a progress bar leaves on a terminal, if `script` of util-linux can make one.
#[cfg(target_os = "linux")]
fn on_a_terminal(command: &str) -> Option<String> {
    let output = Command::new("script")
        .args(["-q", "-e", "-c", command, "/dev/null"])
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => {
            eprintln!("SKIPPED: no terminal could be made: script: {error}");
            None
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_progress_bar_is_not_drawn_over_another_program() {
    let files = Files::new();
    let path = files.path("big");
    // Without annotations, and large enough for a bar.
    File::create(&path)
        .and_then(|file| file.set_len(20 << 20))
        .expect("a file");
    let (program, path) = (env!("CARGO_BIN_EXE_provstream"), path.display());
    let extract = format!("'{program}' extract '{path}'");
    let drawn = |command: &str| on_a_terminal(command).map(|shown| shown.contains("% of"));
    let Some(in_a_file) = drawn(&format!("{extract} >/dev/null")) else {
        return;
    };
    assert!(in_a_file, "a bar is drawn where the output is out of sight");
    for hidden in [
        format!("{extract} | cat"),
        format!("{extract} --no-progress >/dev/null"),
        format!("{extract} --quiet >/dev/null"),
        extract.clone(),
    ] {
        assert_eq!(drawn(&hidden), Some(false), "{hidden}");
    }
}

#[test]
fn a_vocabulary_of_another_major_version_warns_of_what_it_lacks() {
    let files = Files::new();
    let path = files.write("vocabulary.toml", "version = \"2.0\"\n");
    let run = sh(
        &format!("extract --vocabulary {path}"),
        "It is. [substrate.grep]",
    );
    assert_eq!(run.status, 0);
    assert!(
        run.stderr.contains("vocabulary 2.0 does not have"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("substrate.grep"), "{}", run.stderr);
    let quiet = crate::common::run(&["extract", "--quiet", "--vocabulary", &path], "");
    assert_eq!(quiet.stderr, "");
    let one = files.write("one.toml", "version = \"1.1\"\n");
    assert_eq!(
        crate::common::run(&["vocabulary", "--vocabulary", &one], "").stderr,
        ""
    );
    let help = crate::common::run(&["vocabulary", "--help"], "").stdout;
    assert!(help.contains("version 2.0 or later has"), "{help}");
}

#[test]
fn every_command_that_prints_lines_ends_with_totals() {
    let admit = [&GATE[..3], &["--now=2026-05-28T12:00:00Z"]].concat();
    for args in [
        &["extract"][..],
        &admit,
        &["vocabulary", "--json"],
        &["citations", "read", "--from=openai"],
    ] {
        let run = run(args, "");
        let last = run.stdout.lines().last().unwrap_or_default();
        assert!(last.starts_with("{\"event\":\"end\","), "{args:?}: {last}");
    }
}

#[test]
fn options_without_effect_are_refused() {
    for (args, message) in [
        (
            &["admit", "--floor=1", "--window=1d", "--max-record=5"][..],
            "--max-record",
        ),
        (&["strip", "--json", "--mode=text"], "--json"),
        (&["strip", "--max-record=5"], "--json"),
        (&["extract", "--field=/a", "--input=auto"], "--input"),
    ] {
        let run = run(args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    // FILE is optional wherever a usage line shows it.
    for command in ["extract", "strip", "admit"] {
        let help = provstream(&[command, "-h"]).output().expect("help").stdout;
        let help = String::from_utf8(help).expect("UTF-8");
        assert!(
            help.contains("[FILE]") && !help.contains("<FILE>\n"),
            "{help}"
        );
    }
}

#[cfg(unix)]
#[test]
fn conformance_is_answered_though_the_reader_of_its_lines_is_gone() {
    let program = env!("CARGO_BIN_EXE_provstream");
    let deployment = testkit::root().join("corpus/marc/deployment.toml");
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "(sleep 0.3; '{program}' marc conformance --fail '{}'; echo $? >&2) | true",
            deployment.display()
        ))
        .stdin(Stdio::null())
        .output()
        .expect("a shell starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "0\n");
}
