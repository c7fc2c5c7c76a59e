//! `fuzz/run.sh` as far as it goes without a fuzzer.
#![cfg(unix)]

use std::process::{Command, Output};

use provstream_fuzz::BODIES;

fn run(arguments: &[&str]) -> Output {
    Command::new("sh")
        .arg(testkit::root().join("fuzz/run.sh"))
        .args(arguments)
        .output()
        .expect("a shell")
}

#[test]
fn alone_it_lists_the_bodies() {
    let output = run(&[]);
    assert!(output.status.success(), "{output:?}");
    let listed = String::from_utf8(output.stdout).expect("UTF-8");
    let listed = listed.split_once("bodies: all ").expect("a list").1;
    let names: Vec<_> = BODIES.iter().map(provstream_fuzz::Body::name).collect();
    assert_eq!(listed.split_whitespace().collect::<Vec<_>>(), names);
}

#[test]
fn wrong_arguments_are_refused() {
    for (arguments, expected) in [
        (&["reference"][..], "expected a body, a number of seconds"),
        (&["nobody", "1"], "unknown body \"nobody\""),
        (
            &["reference", "soon"],
            "expected a number of seconds, found \"soon\"",
        ),
        (
            &["reference", "1", "gdb"],
            "expected \"afl\" or \"libfuzzer\", found \"gdb\"",
        ),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
