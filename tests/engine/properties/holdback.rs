//! The parser holds exactly the bytes that can still become an annotation.

use proptest::prelude::*;
use proptest::sample::select;
use provstream::{Event, Limits, Parser};
use testkit::reference;
use testkit::reference::holdback::{LEAST, holdback, removable};
use testkit::reference::{Reading, RefLimits, RefMode, RefVocabulary, Segment};

use super::{bytes, cases, feed, joined, json_segments, own, segments};

fn check_held(
    reading: Reading,
    input: &[Segment],
    limits: &RefLimits,
) -> Result<(), TestCaseError> {
    let engine = || reference::engine::parser_in(reading, limits, &RefVocabulary::default());
    let mut parser = engine();
    let mut handed = 0;
    let mut prefix: Vec<Segment> = Vec::new();
    for segment in input {
        prefix.push(Segment {
            own: segment.own,
            bytes: Vec::new(),
            after_break: false,
        });
        for &byte in &segment.bytes {
            prefix.last_mut().expect("one was pushed").bytes.push(byte);
            feed(
                &mut parser,
                &[Segment {
                    own: segment.own,
                    bytes: vec![byte],
                    after_break: false,
                }],
                &[],
                |event| {
                    handed = match event {
                        Event::Text(text) => text.span().end(),
                        Event::Annotation(found) => found.annotation().span().end(),
                        _ => handed,
                    };
                },
            );
            let raw = joined(&prefix);
            let (longest, white) = holdback(reading, &prefix, limits);
            let what = format!("{:?}", String::from_utf8_lossy(&raw));
            prop_assert_eq!(parser.buffered_len(), longest, "held of {}", what);
            prop_assert_eq!(
                handed,
                (raw.len() - longest) as u64,
                "handed on of {}",
                what
            );
            prop_assert_eq!(
                parser.strippable_whitespace(),
                white,
                "white space of {}",
                what
            );

            // In one piece it is the same.
            let mut whole = engine();
            feed(&mut whole, &prefix, &[], |_| {});
            let both = (whole.buffered_len(), whole.strippable_whitespace());
            prop_assert_eq!(both, (longest, white), "in one piece: {}", what);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn held_is_exactly_what_can_still_become_an_annotation(input in segments(7)) {
        check_held(Reading::TEXT, &input, &RefLimits::default())?;
    }

    #[test]
    fn held_is_exact_where_the_limit_is_near(input in bytes(9), max_annotation in LEAST.len()..50) {
        check_held(Reading::TEXT, &own(&input), &RefLimits { max_annotation, ..RefLimits::default() })?;
    }

    #[test]
    fn held_is_exact_in_text_without_json_in_mode_auto(input in segments(7)) {
        check_held(Reading::new(RefMode::Auto), &input, &RefLimits::default())?;
    }

    #[test]
    fn an_open_value_is_never_held_and_white_space_in_it_is_removable_where_it_may_stop(
        input in json_segments(9), max_depth in select(vec![128, 1, 2, 3])
    ) {
        check_held(Reading::new(RefMode::Auto), &input, &RefLimits { max_depth, ..RefLimits::default() })?;
    }

    #[test]
    fn held_is_exact_in_json_where_the_limit_is_near(input in json_segments(9), max_annotation in LEAST.len()..50) {
        let limits = RefLimits { max_annotation, ..RefLimits::default() };
        check_held(Reading::new(RefMode::Auto), &input, &limits)?;
    }
}

/// The limits of a parser do not change what it is told of them.
#[test]
fn the_reference_has_the_default_limits() {
    let (limits, expected) = (Limits::default(), RefLimits::default());
    assert_eq!(limits.max_annotation(), expected.max_annotation);
    assert_eq!(limits.max_assertion(), expected.max_assertion);
    assert_eq!(limits.max_annotations(), expected.max_annotations);
    assert_eq!(limits.max_pending(), expected.max_pending);
}

#[test]
fn white_space_is_removable_up_to_the_bound_and_not_beyond() {
    for before in [
        "word",
        "`x",
        "``` a",
        "```",
        "~~~",
        "```\nx\n```",
        "```\nx",
        "> ~~~",
        "> ```\n> x",
        "> ```\n",
        "> ```\n>",
    ] {
        for blanks in [0, 1, 62, 63, 64, 65, 200] {
            let input = own(format!("{before}{}", " ".repeat(blanks)).as_bytes());
            let mut parser = Parser::new();
            feed(&mut parser, &input, &[], |_| {});
            let exact = removable(Reading::TEXT, &input, &RefLimits::default());
            assert_eq!(
                parser.strippable_whitespace(),
                exact,
                "{before:?} and {blanks} blanks"
            );
        }
    }
}

/// A bracket at the start that may still begin an array: another one behind the white space would make it one.
#[test]
fn white_space_that_may_stand_in_an_array_is_not_removable() {
    for (text, limits) in [
        ("[\n\n", RefLimits::default()),
        (
            "[ ",
            RefLimits {
                max_annotation: 7,
                ..RefLimits::default()
            },
        ),
    ] {
        let input = own(text.as_bytes());
        let reading = Reading::new(RefMode::Auto);
        let mut parser = reference::engine::parser_in(reading, &limits, &RefVocabulary::default());
        feed(&mut parser, &input, &[], |_| {});
        assert_eq!(parser.buffered_len(), 0, "{text:?}");
        let exact = removable(reading, &input, &limits);
        assert_eq!(parser.strippable_whitespace(), exact, "{text:?}");
    }
}
