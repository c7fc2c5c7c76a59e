//! Parsers that are reset, cloned, finished twice, queued or fed side by side.

use proptest::prelude::*;
use proptest::sample::Index;
use provstream::{Event, Parser, Replacement, Rewriter};
use testkit::reference;
use testkit::reference::{RefLimits, RefVocabulary};
use testkit::seen::Seen;

use super::{
    Writer, bytes, cases, engine, feed, joined, json_limits, json_segments, limits, own, reading,
    rewrite, seen, segments, shown,
};

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn with_json_a_parser_that_was_reset_is_as_a_new_one(
        reading in reading(), before in json_segments(15), input in json_segments(15), limits in json_limits(),
        finished in any::<bool>()
    ) {
        let vocabulary = RefVocabulary::default();
        let mut used = reference::engine::parser_in(reading, &limits, &vocabulary);
        let mut new = used.clone();
        feed(&mut used, &before, &[], |_| {});
        if finished {
            used.finish(());
        }
        used.reset();
        prop_assert_eq!((used.position(), used.buffered_len(), used.strippable_whitespace()), (0, 0, 0));
        let again = reference::engine::run(&mut used, &input, |_| 7);
        prop_assert_eq!(again, reference::engine::run(&mut new, &input, |_| 7));
    }

    #[test]
    fn owned_events_are_the_same(input in segments(20), limits in limits(), size in 1_usize..40) {
        let mut borrowed = Vec::new();
        let mut queue = Vec::new();
        let mut owning = engine(&limits);
        let mut parser = engine(&limits);
        for segment in &input {
            for chunk in segment.bytes.chunks(size) {
                let sink = |event: Event<'_>| borrowed.push(format!("{event:?}"));
                if segment.own {
                    parser.push(chunk, sink);
                    owning.push(chunk, |event: Event<'_>| queue.push(event.into_owned()));
                } else {
                    parser.push_untrusted(chunk, sink);
                    owning.push_untrusted(chunk, |event: Event<'_>| queue.push(event.into_owned()));
                }
            }
        }
        parser.finish(|event: Event<'_>| borrowed.push(format!("{event:?}")));
        owning.finish(|event: Event<'_>| queue.push(event.into_owned()));
        let mut tiles = Vec::new();
        let mut others = Vec::new();
        for event in queue {
            match event {
                Event::Text(text) => tiles.push((text.span(), text.bytes().to_vec())),
                Event::Annotation(found) => tiles.push((found.annotation().span(), found.raw().to_vec())),
                Event::Assertion(assertion) => others.push(format!("Assertion({assertion:?})")),
                Event::Diagnostic(found) => others.push(format!("Diagnostic({found:?})")),
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            }
        }
        let bytes: Vec<u8> = tiles.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        prop_assert_eq!(bytes, joined(&input));
        for pair in tiles.windows(2) {
            prop_assert_eq!(pair[0].0.end(), pair[1].0.start());
        }
        let kept = |event: &String| event.starts_with("Diagnostic(");
        let expected: Vec<_> = borrowed.into_iter().filter(kept).collect();
        let found: Vec<_> = others.iter().filter(|event| kept(event)).cloned().collect();
        prop_assert_eq!(found, expected);
        let assertions = seen(&mut engine(&limits), &input, &[]).assertions.len();
        prop_assert_eq!(others.len() - assertions, others.iter().filter(|event| kept(event)).count());
    }

    #[test]
    fn finishing_twice_adds_nothing(input in segments(15)) {
        let mut parser = Parser::new();
        feed(&mut parser, &input, &[], |_| {});
        parser.finish(());
        let mut more = 0;
        parser.finish(|_: Event<'_>| more += 1);
        prop_assert_eq!(more, 0);
        prop_assert_eq!(parser.buffered_len(), 0);
        prop_assert_eq!(parser.position(), joined(&input).len() as u64);
    }

    #[test]
    fn a_parser_that_was_reset_is_as_a_new_one(
        before in segments(15), input in segments(15), limits in limits(), finished in any::<bool>()
    ) {
        let mut used = engine(&limits);
        feed(&mut used, &before, &[], |_| {});
        if finished {
            used.finish(());
        }
        used.reset();
        prop_assert_eq!((used.position(), used.buffered_len(), used.strippable_whitespace()), (0, 0, 0));
        prop_assert_eq!(shown(&seen(&mut used, &input, &[])), shown(&seen(&mut engine(&limits), &input, &[])));
        let mut rewriter = Rewriter::new(engine(&RefLimits::default()));
        let mut writer = Writer { replacement: Replacement::Remove, written: Vec::new() };
        rewriter.push(&joined(&before), &mut writer);
        rewriter.reset();
        writer.written.clear();
        rewriter.push(&joined(&input), &mut writer);
        rewriter.finish(&mut writer);
        let alone = rewrite(&RefLimits::default(), &own(&joined(&input)), usize::MAX, Replacement::Remove);
        prop_assert_eq!(writer.written, alone);
    }

    #[test]
    fn two_streams_side_by_side_do_not_mix(
        first in bytes(20), second in bytes(20), limits in limits(), size in 1_usize..20
    ) {
        let (mut a, mut b) = (engine(&limits), Parser::new());
        let (mut seen_a, mut seen_b) = (Seen::default(), Seen::default());
        let (mut chunks_a, mut chunks_b) = (first.chunks(size), second.chunks(size));
        loop {
            let (chunk_a, chunk_b) = (chunks_a.next(), chunks_b.next());
            a.push(chunk_a.unwrap_or_default(), |event: Event<'_>| seen_a.take(event));
            b.push(chunk_b.unwrap_or_default(), |event: Event<'_>| seen_b.take(event));
            if chunk_a.is_none() && chunk_b.is_none() {
                break;
            }
        }
        a.finish(|event: Event<'_>| seen_a.take(event));
        b.finish(|event: Event<'_>| seen_b.take(event));
        prop_assert_eq!(shown(&seen_a), shown(&seen(&mut engine(&limits), &own(&first), &[])));
        prop_assert_eq!(shown(&seen_b), shown(&seen(&mut Parser::new(), &own(&second), &[])));
    }

    #[test]
    fn a_clone_goes_on_as_the_original(input in bytes(30), cut in any::<Index>()) {
        let (head, tail) = input.split_at(cut.index(input.len() + 1));
        let mut parser = Parser::new();
        let mut first = Seen::default();
        parser.push(head, |event: Event<'_>| first.take(event));
        let mut second = first.clone();
        let mut twin = parser.clone();
        for (parser, seen) in [(&mut parser, &mut first), (&mut twin, &mut second)] {
            parser.push(tail, |event: Event<'_>| seen.take(event));
            parser.finish(|event: Event<'_>| seen.take(event));
        }
        prop_assert_eq!(shown(&first), shown(&second));
    }
}
