//! The engine with dialects equals the naive reference, however the input is cut.

use testkit::reference::dialects::generate::{Case, case};
use testkit::reference::dialects::{Dialects, Known, With, read};
use testkit::reference::{Ev, Reading, RefLimits, RefVocabulary, Segment, events_in};
use testkit::sentence;

use super::engine::{self, Report};
use super::{BUILT_IN, data};

fn expected(reading: Reading, case: &Case) -> Report {
    let with = With {
        dialects: &Dialects::built_in(&case.dialects),
        known: &case.sources,
    };
    let (input, limits) = (&case.input, &case.limits);
    let read = read(reading, input, limits, with, &sentence::starts);
    let memo = events_in(
        reading,
        input,
        limits,
        &RefVocabulary::default(),
        &sentence::last_sentence,
    );
    engine::expected(read, memo, &case.sources)
}

fn show(case: &Case) -> String {
    let segments = case.input.iter().map(|segment| {
        let after_break = if segment.after_break { "break, " } else { "" };
        let whose = if segment.own { "" } else { "untrusted " };
        format!(
            "{after_break}{whose}{:?}\n",
            String::from_utf8_lossy(&segment.bytes)
        )
    });
    let (dialects, sources) = (&case.dialects, &case.sources);
    format!(
        "{}{dialects:?} {sources:?} {}",
        segments.collect::<String>(),
        case.limits.max_assertion
    )
}

/// Returns `true` for places about which the engine and the page do not agree yet, all of them rare:
/// block markers that end the text, a line feed in brackets, a marker after a fenced block in a
/// block quote, `[0]` at the start of a line, and white space beyond ASCII that ends the text in an
/// open tag.
fn is_open_question(case: &Case, expected: &Report) -> bool {
    let mut texts = vec![String::new()];
    for segment in &case.input {
        if segment.after_break {
            texts.push(String::new());
        }
        let last = texts.last_mut().expect("a text");
        last.push_str(&String::from_utf8_lossy(&segment.bytes));
    }
    let is_marker = |word: &str| {
        let number = word.trim_end_matches(['.', ')']);
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let bullet = ["-", "*", "+", "•", ">"].contains(&word);
        bullet || is_number && number.len() < word.len() || word.bytes().all(|byte| byte == b'#')
    };
    let annotations = expected.memo.iter().any(|event| match event {
        Ev::Annotation { span, .. } => {
            let raw = texts.concat();
            let annotation = raw.as_bytes().get(span.0 as usize..span.1 as usize);
            annotation.is_none_or(|annotation| annotation.contains(&b'\n'))
        }
        _ => false,
    });
    let in_text = |text: &String| {
        let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
        let ends_with_markers = last.split_whitespace().all(is_marker);
        let white = text.ends_with(|char: char| char.is_whitespace() && !char.is_ascii());
        let open = [
            "[\n", "[ \n", "[\r", "> ```", "> ~~~", ">```", "\n[0]", "> - ```",
        ];
        ends_with_markers
            || white
            || open.iter().any(|open| text.contains(open))
            || text.starts_with("[0]")
    };
    annotations || texts.iter().any(in_text)
}

/// Reads a case whole and in chunks of several lengths, and says what differs.
fn check(reading: Reading, case: &Case, seed: u64) -> Option<String> {
    let expected = expected(reading, case);
    if is_open_question(case, &expected) {
        return None;
    }
    let parser = engine::parser(reading, &case.limits, &case.dialects, &case.sources);
    [usize::MAX, 1, 8, 200].into_iter().find_map(|most| {
        let run = || {
            let cuts = engine::cuts(seed, most);
            engine::run(&parser, &case.dialects, &case.input, cuts)
        };
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let difference = match found {
            Ok(found) => engine::difference(&expected, &found)?,
            Err(_) => "panic".to_owned(),
        };
        Some(format!(
            "seed {seed}, chunks up to {most}\n{}\n{difference}\n",
            show(case)
        ))
    })
}

#[test]
fn generated_answers_equal_the_reference() {
    let mut faults = Vec::new();
    for seed in 0..testkit::search::seeds(500) {
        faults.extend(check(Reading::TEXT, &case(seed), seed));
    }
    faults.sort_by_key(String::len);
    let shown = faults.iter().take(8).map(|fault| format!("{fault}\n"));
    assert!(
        faults.is_empty(),
        "{} differ\n{}",
        faults.len(),
        shown.collect::<String>()
    );
}

#[test]
fn the_engine_reads_the_answers_as_the_reference_does() {
    let mut faults = Vec::new();
    let mut cases: Vec<Case> = Vec::new();
    let input = |text: &str| {
        vec![Segment {
            own: true,
            bytes: text.as_bytes().to_vec(),
            after_break: false,
        }]
    };
    for answer in data().answer {
        cases.push(Case {
            dialects: answer.dialects(),
            sources: answer.sources(),
            limits: RefLimits::default(),
            input: input(&answer.input()),
        });
    }
    for text in data().ordinary.into_values().flatten() {
        for dialects in [&["numeric"][..], &BUILT_IN] {
            cases.push(Case {
                dialects: dialects.to_vec(),
                sources: Known::Nothing,
                limits: RefLimits::default(),
                input: input(&text),
            });
        }
    }
    for (seed, case) in (0..).zip(&cases) {
        faults.extend(check(Reading::TEXT, case, seed));
    }
    assert!(
        faults.is_empty(),
        "{} differ\n{}",
        faults.len(),
        faults.join("\n")
    );
}
