//! Breaks: what comes before is read as if the stream ended there, what comes after as the start of a stream.

use provstream::{Event, Mode, OwnedEvent, Parser, Rewriter};
use testkit::reference::engine::Cuts;

/// The events of a text in which `✂` is a break, in chunks of `size` bytes, texts joined.
fn events(mode: Mode, text: &str, size: usize) -> (Vec<OwnedEvent>, String) {
    let mut parser = Parser::builder().mode(mode).build();
    let (mut found, mut emitted) = (Vec::new(), String::new());
    let mut take = |event: Event<'_>| match event {
        Event::Text(text) => emitted.push_str(std::str::from_utf8(text.bytes()).expect("UTF-8")),
        other => found.push(other.into_owned()),
    };
    for (at, part) in text.split('✂').enumerate() {
        if at > 0 {
            parser.push_break(&mut take);
        }
        for chunk in part.as_bytes().chunks(size) {
            parser.push(chunk, &mut take);
        }
    }
    parser.finish(&mut take);
    (found, emitted)
}

/// Formats the reported events of a text in a short notation.
fn told(mode: Mode, text: &str) -> String {
    let (whole, emitted) = events(mode, text, usize::MAX);
    for size in 1..9 {
        assert_eq!(
            events(mode, text, size),
            (whole.clone(), emitted.clone()),
            "{text:?} {size}"
        );
    }
    let tell = |event: &OwnedEvent| match event {
        Event::Assertion(found) => Some(format!(
            "{:?} {}{}",
            found.text(),
            found.annotations().len(),
            if found.is_orphan() { " orphan" } else { "" }
        )),
        Event::Diagnostic(found) => Some(format!("{}@{}", found.code(), found.span().start())),
        _ => None,
    };
    whole
        .iter()
        .filter_map(tell)
        .collect::<Vec<_>>()
        .join(" / ")
}

#[test]
fn no_annotation_is_about_text_before_a_break() {
    for (text, expected) in [
        ("It runs. ✂[substrate.grep] So.", "\"\" 1 orphan / orphan@9"),
        (
            "It runs. [substrate.grep]✂[substrate.git.log]",
            "\"It runs.\" 1 / \"\" 1 orphan / orphan@25",
        ),
        ("It runs. [subst✂rate.grep]", ""),
        ("It runs. [substrate.gr✂ep]", ""),
        ("It runs. [substrate.grep;✂ep]", "unterminated@9"),
        ("It runs. ✂- [substrate.grep]", "\"\" 1 / no-assertion@11"),
        (
            "It runs. ✂ \n\n [substrate.grep] [substrate.git.log]",
            "\"\" 2 orphan / orphan@13",
        ),
        ("✂[substrate.grep]", "\"\" 1 orphan / orphan@0"),
        ("[substrate.grep]✂", "\"\" 1 / no-assertion@0"),
        (
            "A.✂✂[substrate.grep]✂[substrate.grep]",
            "\"\" 1 orphan / orphan@2 / \"\" 1 orphan / orphan@18",
        ),
        ("A.✂B. [substrate.grep]✂C.", "\"B.\" 1"),
        (
            "```\nlet x;\n```\n✂[substrate.grep]",
            "\"\" 1 orphan / orphan@15",
        ),
        ("✂```\n```\n[substrate.grep]", "\"\" 1 / no-assertion@8"),
        ("```\nlet ✂x. [substrate.grep]", "\"x.\" 1"),
        ("`co✂de [substrate.grep]", "\"de\" 1"),
        ("It is \\✂[substrate.grep]", "\"\" 1 orphan / orphan@7"),
        (
            "{\"assertion\":\"x\"}✂[substrate.grep]",
            "\"x\" 0 / \"\" 1 orphan / orphan@17",
        ),
        (
            "{\"assertion\":✂\"x\"} [substrate.grep]",
            "unterminated@0 / \"\\\"x\\\"}\" 1",
        ),
        ("| a | b |✂ [substrate.grep]", "\"\" 1 orphan / orphan@10"),
        ("> a✂> [substrate.grep]", "\"\" 1 / no-assertion@5"),
    ] {
        assert_eq!(told(Mode::Auto, text), expected, "{text:?}");
    }
}

#[test]
fn a_value_ends_at_a_break_and_the_next_one_begins_there() {
    for (mode, text, expected) in [
        (
            Mode::Json,
            "{\"assertion\":\"x\"✂}{\"assertion\":\"y\"}",
            "unterminated@0 / json-syntax@16",
        ),
        (
            Mode::Json,
            "{\"a\":x ✂{\"assertion\":\"y\"}",
            "json-syntax@5 / \"y\" 0",
        ),
        (
            Mode::Ndjson,
            "{\"assertion\":\"x\"}✂{\"assertion\":\"y\"}",
            "\"x\" 0 / \"y\" 0",
        ),
        (
            Mode::Ndjson,
            "1 x✂{\"assertion\":\"y\"}",
            "json-syntax@2 / \"y\" 0",
        ),
    ] {
        assert_eq!(told(mode, text), expected, "{text:?}");
    }
}

#[test]
fn nothing_is_held_back_over_a_break() {
    let mut rewriter = Rewriter::new(Parser::new());
    let mut clean = Vec::new();
    rewriter.push(b"It runs. [substrate.gr", &mut clean);
    assert_eq!(clean, b"It runs.");
    rewriter.push_break(&mut clean);
    assert_eq!(clean, b"It runs. [substrate.gr");
    rewriter.push(b" \n[substrate.grep] So.", &mut clean);
    rewriter.finish(&mut clean);
    assert_eq!(clean, b"It runs. [substrate.gr So.");
    assert_eq!(rewriter.parser().position(), 44);
}

/// A parser reads what comes after a break as another one reads it that begins there.
#[test]
fn text_after_a_break_is_read_like_a_stream_of_its_own() {
    for seed in 0..testkit::search::seeds(300) {
        let input = testkit::reference::generate::input(seed);
        let bytes = input
            .iter()
            .flat_map(|part| part.bytes.clone())
            .collect::<Vec<_>>();
        let mut cuts = Cuts(seed);
        let (before, after) = bytes.split_at(1 + cuts.below(bytes.len()));
        if after.starts_with(b"\xEF") {
            continue;
        }
        let mut expected = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Assertion(found) = event {
                expected.push((found.span(), found.text().to_owned()));
            }
        };
        let mut first = Parser::new();
        first.push(before, &mut take);
        first.finish(&mut take);
        let start = first.position();
        let mut second = Parser::builder()
            .start_offset(start)
            .expect("an offset")
            .build();
        second.push(after, &mut take);
        second.finish(&mut take);
        let mut found = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Assertion(assertion) = event {
                found.push((assertion.span(), assertion.text().to_owned()));
            }
        };
        let mut parser = Parser::new();
        parser.push(before, &mut take);
        parser.push_break(&mut take);
        parser.push(after, &mut take);
        parser.finish(&mut take);
        assert_eq!(found, expected, "seed {seed}");
    }
}
