//! Unknowns in the slot: brackets beside an annotation that may have been meant as one.

use provstream::provenance::{Discipline, Timestamp, VerdictReason};
use provstream::{DiagnosticCode, Event, Mode, Parser};
use std::time::Duration;

/// The assertions of a text, each with whether an unknown is in its slot, and how many diagnostics say so.
fn told(text: &str) -> Vec<(String, bool)> {
    let read = |size: usize| {
        let (mut found, mut notes, mut emitted) = (Vec::new(), 0, Vec::new());
        let mut take = |event: Event<'_>| match event {
            Event::Assertion(assertion) => {
                found.push((assertion.text().to_owned(), assertion.has_unknown_in_slot()));
            }
            Event::Diagnostic(note) if note.code() == DiagnosticCode::UnknownInSlot => notes += 1,
            Event::Text(text) => emitted.extend_from_slice(text.bytes()),
            _ => {}
        };
        let mut parser = Parser::builder().mode(Mode::Auto).build();
        for chunk in text.as_bytes().chunks(size) {
            parser.push(chunk, &mut take);
        }
        parser.finish(&mut take);
        assert_eq!(notes, found.iter().filter(|(_, unknown)| *unknown).count());
        (found, emitted)
    };
    let whole = read(usize::MAX);
    for size in 1..12 {
        assert_eq!(read(size), whole, "{text:?} {size}");
    }
    whole.0
}

#[test]
fn an_unknown_beside_an_annotation_is_noted_and_never_the_assertion() {
    for unknown in [
        "[ct-log]",
        "[1.1.ct-log]",
        "[1.1:substrate.new; ts=NOW]",
        "[1.1:substrate.new]",
        "[rekor.log; entry=7]",
        "[ ct-log ; x=1; y = \"z\" ]",
        "[ct-log; x=\"a;b\"]",
        "[ct-log; x=1; y=\"a; b\";]",
        "[ct-log; x=1; y]",
        "[web_search.v2-beta]",
    ] {
        for text in [
            format!("Yes. It runs. {unknown} [substrate.grep] [substrate.git.log]"),
            format!("Yes. It runs. [substrate.grep] {unknown} [substrate.git.log]"),
            format!("Yes. It runs. [substrate.grep] [substrate.git.log] {unknown}"),
            format!("Yes. It runs. [substrate.grep][substrate.git.log]{unknown} So."),
            format!("Yes. It runs. [substrate.grep] {unknown} {unknown} [substrate.git.log]"),
            format!("Yes. It runs. {unknown} {unknown}\n[substrate.git.log]"),
            format!("Yes. It runs. {unknown}[substrate.grep]"),
            format!("Yes. It runs. {unknown}. [substrate.grep]"),
        ] {
            assert_eq!(told(&text), [("It runs.".to_owned(), true)], "{text}");
        }
    }
    let found = told("A. [substrate.grep] [ct-log] B. [substrate.git.log]");
    assert_eq!(found, [("A.".to_owned(), true), ("B.".to_owned(), false)]);
}

#[test]
fn ordinary_brackets_are_text() {
    for bracket in [
        "[Note]",
        "[TODO]",
        "[sic]",
        "[Smith2020]",
        "[RFC9110]",
        "[CVE-2024-1]",
        "arr[idx]",
        "[the guide][docs]",
        "[1]",
        "[x]",
        "[ ]",
        "[a](b-c)",
        "[substrate:grep]",
        "[1.1.substrate]",
        "[ct-log](https://x)",
        "[ct-log]: x",
        "[ct-log][docs]",
        "a[ct-log]",
        "\\[ct-log]",
        "`[ct-log]`",
        "[Ct-log]",
        "[ct-Log]",
        "[ct log]",
        "[ct-1]",
        "[1.ct-log]",
        "[ct-log; x]",
        "[3.14]",
    ] {
        for text in [
            format!("It runs. {bracket} [substrate.grep]"),
            format!("It runs. [substrate.grep] {bracket} [substrate.git.log]"),
            format!("It runs. [substrate.grep] {bracket}"),
            format!("It runs. {bracket} So. [substrate.grep]"),
        ] {
            assert!(told(&text).iter().all(|(_, unknown)| !unknown), "{text}");
        }
    }
    // Too far away.
    let far = " ".repeat(4_096);
    for text in [
        &*format!("It runs. [ct-log]{far}[substrate.grep]"),
        "It runs. [ct-log]\n\n[substrate.grep]",
        "It runs. [substrate.grep]\n\n[ct-log]",
        "It runs. [ct-log] so [substrate.grep]",
        "It runs. [substrate.grep] so [ct-log]",
    ] {
        assert!(told(text).iter().all(|(_, unknown)| !unknown), "{text}");
    }
}

#[test]
fn an_unknown_in_the_slot_is_inadmissible() {
    let now: Timestamp = "2026-05-28T12:00:00Z".parse().expect("a time");
    let discipline = Discipline::builder(2)
        .default_window(Duration::from_secs(3_600))
        .build()
        .expect("a discipline");
    let ts = "ts=2026-05-28T11:40:00Z";
    for (text, reason) in [
        (
            format!("It runs. [substrate.grep; {ts}] [substrate.git.log; {ts}]"),
            VerdictReason::Admitted,
        ),
        (
            format!("It runs. [substrate.grep; {ts}] [substrate.git.log; {ts}] [ct-log]"),
            VerdictReason::UnknownInSlot,
        ),
        (
            format!("It runs. [1.1.ct-log] [substrate.grep; {ts}] [substrate.git.log; {ts}]"),
            VerdictReason::UnknownInSlot,
        ),
    ] {
        let reasons: Vec<_> = provstream::parse(text.as_bytes())
            .into_iter()
            .filter_map(|event| match event {
                Event::Assertion(assertion) => Some(discipline.judge(&assertion, now).reason()),
                _ => None,
            })
            .collect();
        assert_eq!(reasons, [reason], "{text}");
    }
}

#[test]
fn an_unknown_that_stands_alone_makes_an_assertion_inadmissible() {
    for alone in [
        "[1.1:substrate.new; ts=2026-01-01T00:00:00Z]",
        "[1.1:substrate.new]",
        "[2.0.ct-log; entry=7]",
        "[ 1.1:rekor.log ; x= ; y=\"z\" ; ]",
    ] {
        for text in [
            format!("Yes. It runs. {alone}"),
            format!("Yes. It runs. {alone} So."),
            format!("Yes. It runs.\n\n{alone}, so."),
            format!("Yes. It runs. [ct-log] {alone} [a-b]"),
            format!("Yes. It runs. {alone}\n\n{alone}\n\n[substrate.grep]"),
            format!("Yes. It runs. [substrate.grep]\n\n{alone}\n\n[substrate.git.log]"),
            format!("Yes. It runs. {alone}[substrate.grep]"),
            format!("```\nIt runs.\n```\n{alone}"),
        ] {
            assert_eq!(told(&text), [("It runs.".to_owned(), true)], "{text}");
        }
        let found = told(&format!("A. {alone} B. [substrate.git.log]"));
        assert_eq!(found, [("A.".to_owned(), true), ("B.".to_owned(), false)]);
        assert_eq!(told(alone), [(String::new(), true)]);
        for text in [
            format!("It runs. {alone}(x)"),
            format!("It runs. {alone}: x"),
            format!("It runs. {alone}[x]"),
            format!("It runs.{alone}"),
            format!("It runs. \\{alone}"),
            format!("It runs. `{alone}`"),
            format!("```\nIt runs. {alone}\n```\n"),
        ] {
            assert_eq!(told(&text), [], "{text}");
        }
    }
    for text in [
        "It runs. [1.1.ct-log]",
        "It runs. [1.1:ct-log;]",
        "It runs. [1.1:ct; x=1]",
        "It runs. [1.1:substrate]",
        "It runs. [1:substrate.new; x=1]",
        "It runs. [ct-log; x=1]",
        "It runs. [1.1:ct-log; x=1",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
    let parse = |text: &str| {
        let mut parser = Parser::new();
        let mut found = Vec::new();
        let mut take = |event: Event<'_>| match event {
            Event::Assertion(assertion) => {
                assert_eq!(assertion.annotations().count(), 0);
                found.push(format!("{:?} {:?}", assertion.text(), assertion.span()));
            }
            Event::Diagnostic(note) => found.push(note.code().to_string()),
            _ => {}
        };
        parser.push(b"It runs. ", &mut take);
        parser.push_break(&mut take);
        parser.push(text.as_bytes(), &mut take);
        parser.finish(&mut take);
        found
    };
    let orphan = ["\"\" 9..9", "orphan", "unknown-in-slot"];
    assert_eq!(parse("[1.1:substrate.new]"), orphan);
    assert_eq!(
        parse("It runs. [1.1:substrate.new]"),
        ["\"It runs.\" 9..17", "unknown-in-slot"]
    );
}

#[test]
fn chunks_do_not_decide_how_far_an_unknown_reaches() {
    let limits = provstream::Limits::default()
        .with_max_assertion(16)
        .and_then(|limits| limits.with_max_pending(1))
        .expect("limits");
    let read = |text: &str, size: usize| {
        let mut found = Vec::new();
        let mut parser = Parser::builder().limits(limits).build();
        let mut take = |event: Event<'_>| {
            if let Event::Assertion(assertion) = event {
                let unknown = assertion.has_unknown_in_slot();
                found.push((assertion.text().to_owned(), unknown));
            }
        };
        for chunk in text.as_bytes().chunks(size) {
            parser.push(chunk, &mut take);
        }
        parser.finish(&mut take);
        found
    };
    let long = "x".repeat(200);
    for slot in [
        format!("[1.1:substrate.new; ts={long}]"),
        "[ct-log] [ct-log] [ct-log] [ct-log]".to_owned(),
        format!("[ct-log]{}", " ".repeat(40)),
    ] {
        // Where the window slides depends on the bytes before.
        for before in 0..1_300 {
            let text = format!("{} It runs. {slot} [substrate.grep]", "y".repeat(before));
            let whole = read(&text, usize::MAX);
            for size in [1, 7, 100, 500] {
                assert_eq!(read(&text, size), whole, "{before} {size} {slot}");
            }
        }
    }
}
