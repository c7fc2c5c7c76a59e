//! `provstream admit`.

use crate::common::{Files, Run, run};

/// Runs `admit` at a fixed time with a window of five minutes.
fn admit(args: &[&str], input: &str) -> Run {
    let mut all = vec!["admit", "--now", "2026-05-28T12:00:00Z", "--window", "5m"];
    all.extend(args);
    run(&all, input)
}

/// Extracts the text after `"verdict":` of each line except the last.
fn verdicts(run: &Run) -> Vec<&str> {
    let (lines, end) = run.stdout.trim_end().rsplit_once('\n').unwrap();
    assert!(end.starts_with("{\"event\":\"end\","), "{end}");
    lines
        .lines()
        .map(|line| {
            let (assertion, verdict) = line.split_once(",\"verdict\":").unwrap();
            assert!(assertion.starts_with("{\"event\":\"assertion\","), "{line}");
            verdict.strip_suffix('}').unwrap()
        })
        .collect()
}

#[test]
fn a_line_is_an_assertion_with_its_verdict() {
    let run = admit(
        &["--floor=2"],
        "It is. [substrate.grep; ts=2026-05-28T11:58:00Z] More. [substrate",
    );
    assert_eq!(
        run.stdout,
        "{\"event\":\"assertion\",\"encoding\":\"bracket\",\"text\":\"It is.\",\
        \"span\":{\"start\":0,\"end\":6},\"clean_span\":{\"start\":0,\"end\":6},\
        \"annotations\":[{\"class\":\"substrate.grep\",\"declared\":\"substrate.grep\",\
        \"ts\":\"2026-05-28T11:58:00Z\",\"span\":{\"start\":7,\"end\":48}}],\
        \"verdict\":{\"admitted\":false,\"reason\":\"below-floor\",\"classes\":[\"substrate.grep\"],\"floor\":2}}\n\
        {\"event\":\"end\",\"bytes\":65,\"assertions\":1,\"admitted\":0,\"diagnostics\":0}\n"
    );
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
}

#[test]
fn every_reason_of_free_text_is_given() {
    let grep = "[substrate.grep; ts=2026-05-28T11:58:00Z]";
    let log = "[substrate.git.log; ts=2026-05-28T11:59:00Z]";
    for (input, args, verdict) in [
        (
            format!("{grep} {log}"),
            &[][..],
            "{\"admitted\":false,\"reason\":\"no-assertion\",\"classes\":[\"substrate.git.log\",\"substrate.grep\"],\"floor\":2}",
        ),
        (
            format!("It is. {grep} {log}"),
            &["--max-annotations=1"],
            "{\"admitted\":false,\"reason\":\"limit\",\"classes\":[\"substrate.grep\"],\"floor\":2}",
        ),
        (
            format!("It is. {grep} {log} [substrate.new]"),
            &[],
            "{\"admitted\":false,\"reason\":\"terminal\",\"classes\":[\"substrate.git.log\",\"substrate.grep\"],\"floor\":2}",
        ),
        (
            format!("It is. {grep} [decayed-to-uncertainty] {log}"),
            &[],
            "{\"admitted\":false,\"reason\":\"terminal\",\"classes\":[\"substrate.git.log\",\"substrate.grep\"],\"floor\":2}",
        ),
        (
            format!("It is. {grep} {grep} [substrate.git.log]"),
            &[],
            "{\"admitted\":false,\"reason\":\"below-floor\",\"classes\":[\"substrate.grep\"],\"floor\":2}",
        ),
        (
            format!("It is. {grep} {log}"),
            &[],
            "{\"admitted\":true,\"reason\":\"admitted\",\"classes\":[\"substrate.git.log\",\"substrate.grep\"],\"floor\":2}",
        ),
    ] {
        let args = [&["--floor=2"], args].concat();
        let run = admit(&args, &input);
        assert_eq!(verdicts(&run), [verdict], "{input}");
        assert_eq!(run.status, 0);
    }
}

#[test]
fn windows_and_skew_decide_what_counts() {
    let input = "A. [substrate.grep; ts=2026-05-28T11:54:59Z] [substrate.git.log; ts=2026-05-28T12:00:10Z] \
        [substrate.fs.mtime; ts=2026-05-27T12:00:00Z]";
    let classes = |args: &[&str]| {
        let run = admit(&[&["--floor=1"], args].concat(), input);
        let verdict = verdicts(&run)[0].to_owned();
        verdict.split(['[', ']']).nth(1).unwrap().to_owned()
    };
    assert_eq!(classes(&[]), "");
    assert_eq!(classes(&["--skew=10s"]), "\"substrate.git.log\"");
    assert_eq!(classes(&["--skew=9s"]), "");
    assert_eq!(
        classes(&["--window=substrate.grep=5m1s"]),
        "\"substrate.grep\""
    );
    assert_eq!(
        classes(&[
            "--window",
            "substrate.fs.mtime=1d",
            "--window",
            "substrate.grep=1h30m"
        ]),
        "\"substrate.fs.mtime\",\"substrate.grep\""
    );
    let only = [
        "admit",
        "--floor=1",
        "--now=2026-05-28T12:00:00Z",
        "--window=substrate.grep=1h",
    ];
    assert!(
        run(&only, input)
            .stdout
            .contains("\"classes\":[\"substrate.grep\"]")
    );
}

#[test]
fn without_a_time_the_clock_decides() {
    let input = "A. [substrate.grep; ts=2020-01-01T00:00:00Z]";
    let reason = |window: &str| run(&["admit", "--floor=1", "--window", window], input).stdout;
    assert!(reason("1d").contains("\"below-floor\""));
    assert!(reason("36500d").contains("\"admitted\":true"));
}

#[test]
fn fail_gives_status_three() {
    let good = "A. [substrate.grep; ts=2026-05-28T12:00:00Z] ";
    let bad = "B. [substrate.grep] ";
    let status = |args: &[&str], input: &str| admit(&[&["--floor=1"], args].concat(), input).status;
    assert_eq!(status(&["--fail"], good), 0);
    // Without annotations there are no assertions, so none that fails.
    for none in ["", "It rains. It pours."] {
        let run = admit(&["--floor=1", "--fail"], none);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("\"assertions\":0,"), "{}", run.stdout);
    }
    assert_eq!(status(&["--fail"], &format!("{bad}{good}")), 3);
    assert_eq!(status(&["--fail"], &format!("{good}{bad}")), 3);
    assert_eq!(status(&[], bad), 0);
}

#[test]
fn a_class_of_a_newer_vocabulary_can_have_a_window() {
    let files = Files::new();
    let toml = "version = \"1.1\"\n[[class]]\nid = \"ct.log\"\nsince = \"1.1\"\n";
    let vocabulary = files.write("vocabulary.toml", toml);
    let args = ["--floor=1", "--window=ct.log=1h"];
    let input = "A. [ct.log; ts=2026-05-28T11:30:00Z]";
    let run = admit(&args, input);
    assert!(
        run.stderr.contains("unknown class `ct.log`"),
        "{}",
        run.stderr
    );
    assert_eq!(run.status, 2);
    let run = admit(&[&args[..], &["--vocabulary", &vocabulary]].concat(), input);
    assert!(run.stdout.contains("\"admitted\":true"), "{}", run.stdout);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for args in [
        &["admit", "--window=5m"][..],
        &["admit", "--floor=1"],
        &["admit", "--floor=0", "--window=5m"],
        &["admit", "--floor=-1", "--window=5m"],
        &["admit", "--floor=1", "--window=5"],
        &["admit", "--floor=1", "--window=5m", "--window=6m"],
        &[
            "admit",
            "--floor=1",
            "--window=substrate.grep=5m",
            "--window=substrate.grep=5m",
        ],
        &["admit", "--floor=1", "--window=unverified-inference=5m"],
        &["admit", "--floor=1", "--window=5m", "--now=yesterday"],
        &["admit", "--floor=1", "--window=5m", "--skew=-1s"],
        &["admit", "--floor=1", "--window=5m", "--text"],
    ] {
        let run = run(args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
    }
}
