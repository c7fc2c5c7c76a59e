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
    for text in [
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
