//! Timing of the output, and behaviour when the other side closes its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::common::{Files, provstream};

/// Long enough for the slowest machine to answer; passes as soon as the answer is there.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time without output after which a program counts as silent.
const SILENCE: Duration = Duration::from_millis(200);

/// A running program, fed by hand.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    bytes: Receiver<u8>,
}

impl Running {
    fn start(args: &[&str]) -> Self {
        let mut child = provstream(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, bytes) = channel();
        thread::spawn(move || {
            for byte in stdout.bytes() {
                if sender.send(byte.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            bytes,
        }
    }

    /// Writes one byte at a time.
    fn type_in(&mut self, text: &str) {
        for byte in text.as_bytes() {
            let stdin = self.stdin.as_mut().unwrap();
            stdin.write_all(&[*byte]).unwrap();
            stdin.flush().unwrap();
        }
    }

    fn line(&self) -> String {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            line.push(self.bytes.recv_timeout(PATIENCE).unwrap());
        }
        String::from_utf8(line).unwrap()
    }

    fn expect(&self, text: &str) {
        let bytes: Vec<u8> = text
            .bytes()
            .map(|_| self.bytes.recv_timeout(PATIENCE).unwrap())
            .collect();
        assert_eq!(String::from_utf8_lossy(&bytes), text);
    }

    fn expect_silence(&self) {
        assert_eq!(
            self.bytes.recv_timeout(SILENCE),
            Err(RecvTimeoutError::Timeout)
        );
    }

    fn end(mut self) -> i32 {
        self.stdin = None;
        self.child.wait().unwrap().code().unwrap()
    }
}

#[test]
fn an_assertion_comes_before_the_next_sentence_is_complete() {
    let mut running = Running::start(&["extract"]);
    for number in 0..3 {
        running.type_in("It runs. [substrate.grep] ");
        if number == 0 {
            // Another annotation could still follow.
            running.expect_silence();
        }
        running.type_in("T");
        let line = running.line();
        assert!(line.starts_with(
            "{\"event\":\"assertion\",\"encoding\":\"bracket\",\"text\":\"It runs.\""
        ));
        running.type_in("his is the next one.\n\n");
    }
    running.stdin = None;
    assert!(running.line().starts_with("{\"event\":\"end\","));
    assert_eq!(running.end(), 0);
}

#[test]
fn text_comes_at_once() {
    let mut running = Running::start(&["strip"]);
    running.type_in("It runs.");
    running.expect("It runs.");
    running.type_in(" ");
    running.expect_silence();
    running.type_in("[substrate.grep] [a");
    running.expect_silence();
    running.type_in(" ");
    running.expect_silence();
    running.type_in("x");
    running.expect(" [a x");
    assert_eq!(running.end(), 0);
}

#[test]
fn a_gate_releases_text_as_soon_as_it_is_decided() {
    let files = Files::new();
    let policy =
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"replace\"\ntext = \"-\"\n";
    let policy = files.write("policy.toml", policy);
    let mut running = Running::start(&["gate", "--policy", &policy]);
    running.type_in("It runs. ");
    running.expect_silence();
    running.type_in("It");
    running.expect("It runs. ");
    running.type_in(" does. [substrate.grep]");
    running.expect_silence();
    running.type_in(" So");
    running.expect("- ");
    assert_eq!(running.end(), 0);
}

#[test]
fn a_verdict_comes_at_once() {
    let mut running = Running::start(&["admit", "--floor=1", "--window=1h"]);
    running.type_in("It runs. [substrate.grep]\nA");
    assert!(
        running
            .line()
            .contains("\"verdict\":{\"admitted\":false,\"reason\":\"below-floor\"")
    );
    assert_eq!(running.end(), 0);
}

#[test]
fn an_asserted_object_comes_at_its_closing_brace() {
    for mode in ["json", "ndjson", "auto"] {
        let mut running = Running::start(&["extract", "--mode", mode]);
        running.type_in("{\"a\":{\"assertion\":\"It runs.\"");
        running.expect_silence();
        running.type_in("}");
        let line = running.line();
        assert!(line.contains("\"text\":\"It runs.\""), "{mode}: {line}");
        running.type_in(",\"marc_version\":1}");
        assert!(running.line().starts_with("{\"event\":\"marc\","));
        assert_eq!(running.end(), 0);
    }
}

#[test]
fn json_is_handed_on_at_once_unless_it_may_have_to_go() {
    let record = "{\"assertion\":\"It runs.\"}";
    for mode in ["json", "ndjson", "auto"] {
        let mut running = Running::start(&["strip", "--mode", mode]);
        running.type_in("{\"assertion\"");
        running.expect("{\"assertion\"");
        assert_eq!(running.end(), 0);

        let mut running = Running::start(&["strip", "--json", "--mode", mode]);
        running.type_in(record);
        running.expect_silence();
        running.type_in("\n[1,");
        running.expect("\n[1,");
        assert_eq!(running.end(), 0);
    }
    let mut running = Running::start(&["strip", "--json"]);
    running.type_in("{\"assertion\"");
    running.expect_silence();
    running.type_in(" so");
    running.expect("{\"assertion\" so");
    assert_eq!(running.end(), 0);
}

/// Reads one line of what the program says about a big file, and goes away.
fn leave_early(args: &[&str], line: &str) -> (i32, String) {
    let files = Files::new();
    let path = files.write("big.txt", line.repeat(100_000));
    let mut child = provstream(args)
        .arg(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(!first.is_empty());
    let output = child.wait_with_output().unwrap();
    (
        output.status.code().expect("no signal"),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn a_broken_pipe_is_a_quiet_end() {
    let line = "It is. [substrate.grep; ts=2026-05-28T12:00:00Z]\n\n";
    let quiet = |status| (status, String::new());
    assert_eq!(leave_early(&["extract"], line), quiet(0));
    assert_eq!(leave_early(&["strip"], line), quiet(0));
    let admit = [
        "admit",
        "--floor=1",
        "--window=1h",
        "--now=2026-05-28T12:00:00Z",
    ];
    assert_eq!(leave_early(&admit, line), quiet(0));
    // Only what was judged to the end may pass for admitted.
    let failing = [&admit[..], &["--fail"]].concat();
    assert_eq!(leave_early(&failing, line), quiet(1));
    assert_eq!(
        leave_early(&failing, "It is. [substrate.grep]\n\n"),
        quiet(3)
    );
}

/// Most memory that the program may have used, in KiB, as the documents promise. Of a program that is not optimised, the pages of its own
/// file alone are 18 MiB.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = if cfg!(debug_assertions) {
    28 << 10
} else {
    20 << 10
};

/// Memory growth allowed while a stream continues, in KiB; buffers may still reach their full size.
#[cfg(target_os = "linux")]
const MOST_GROWTH: u64 = 512;

/// Number of pieces of 256 KiB after the start of a stream: more than may stay in memory; with
/// `PROVSTREAM_SLOW=1`, twice what the program may use.
#[cfg(target_os = "linux")]
fn further_pieces() -> usize {
    let is_slow = std::env::var_os("PROVSTREAM_SLOW").is_some_and(|value| value == "1");
    if is_slow { 128 } else { 4 }
}

/// The most memory that a running program had in use so far, in KiB. The kernel counts each processor's pages apart and now and
/// then, so a later number can be lower by some pages.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

/// Runs the program over a piece of input that comes again and again, and returns the most memory that it had in use after the
/// first pieces and after the further ones, in KiB.
#[cfg(target_os = "linux")]
fn peaks(args: &[&str], piece: &[u8], pieces: [usize; 2]) -> [u64; 2] {
    let mut child = provstream(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let peaks = pieces.map(|count| {
        for _ in 0..count {
            stdin.write_all(piece).unwrap();
        }
        peak_memory(&child)
    });
    drop(stdin);
    assert!(child.wait().unwrap().success());
    peaks
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_stream() {
    let annotated = "It is. [substrate.grep; ts=2026-05-28T12:00:00Z]\n";
    for unit in [
        "[substrate.grep; a=",
        "no end of a sentence ",
        "`",
        "\u{fffd}",
        annotated,
        "[substrate.grep] ",
        "| cell ",
        " ",
        "{\"a\":",
        "{\"assertion\":\"",
        "{\"assertion\":\"It is.\",\"provenance\":[{\"substrate_class\":\"substrate.grep\"}]}\n",
        // Long, because each is checked against its draft.
        &format!(
            "{{\"marc_version\":\"1.0\",\"x_note\":\"{}\"}}\n",
            "x".repeat(1_000)
        ),
    ] {
        let mut bytes = unit.repeat((1 << 18) / unit.len()).into_bytes();
        if unit == "\u{fffd}" {
            bytes.fill(0xff);
        }
        for command in [
            "extract --text",
            "extract --mode=json",
            "strip",
            "strip --json",
        ] {
            let args: Vec<&str> = command.split(' ').collect();
            let [start, peak] = peaks(&args, &bytes, [2, further_pieces()]);
            let of = format!("{command}, {unit:?}: {start} KiB, then {peak} KiB");
            assert!(peak < MOST_MEMORY && peak < start + MOST_GROWTH, "{of}");
        }
    }
}

/// Each part of the input has output for several buffers, which are given back to the workers.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_output_of_two_jobs() {
    let line = format!("{{\"text\":\"{}\"}}\n", "A. [substrate.grep] ".repeat(20));
    let bytes = line.repeat((1 << 18) / line.len()).into_bytes();
    let args = ["extract", "--field", "/text", "--json", "--jobs", "2"];
    let [start, end] = peaks(&args, &bytes, [16, 16]);
    assert!(end < start + (4 << 10), "{start} KiB, then {end} KiB");
}
