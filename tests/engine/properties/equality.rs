//! The engine equals the reference, and chunk boundaries change nothing.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use provstream::Event;
use testkit::reference;
use testkit::reference::{RefVocabulary, Segment};
use testkit::seen::Seen;

use super::{
    cases, engine, feed, joined, json_limits, json_segments, limits, reading, seen, segments, shown,
};

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn chunks_change_nothing(input in segments(25), limits in limits(), cuts in vec(any::<Index>(), 0..12)) {
        let mut parser = engine(&limits);
        let whole = seen(&mut parser, &input, &[]);
        let cut = seen(&mut parser, &input, &cuts);
        prop_assert_eq!(shown(&cut), shown(&whole));
        let mut single = Seen::default();
        for segment in &input {
            for byte in &segment.bytes {
                feed(&mut parser, &[Segment { own: segment.own, bytes: vec![*byte], after_break: false }], &[], |event| single.take(event));
            }
        }
        parser.finish(|event: Event<'_>| single.take(event));
        prop_assert_eq!(shown(&single), shown(&whole));
    }

    #[test]
    fn texts_and_annotations_tile_the_stream(input in segments(25), limits in limits(), cuts in vec(any::<Index>(), 0..6)) {
        // Whether the spans follow one another is checked on the way.
        prop_assert_eq!(seen(&mut engine(&limits), &input, &cuts).bytes(), joined(&input));
    }

    #[test]
    fn the_engine_equals_the_reference(input in segments(25), limits in limits(), cut in 1_usize..70) {
        let vocabulary = RefVocabulary::default();
        let splitter = provstream::sentence::last_sentence;
        let expected = reference::events(&input, &limits, &vocabulary, &splitter);
        let found = reference::engine::run(&mut engine(&limits), &input, |_| cut);
        prop_assert_eq!(found, reference::engine::canonical(expected));
    }

    #[test]
    fn with_json_the_engine_equals_the_reference(
        reading in reading(), input in json_segments(25), limits in json_limits(), cut in 1_usize..70
    ) {
        let vocabulary = RefVocabulary::default();
        let splitter = provstream::sentence::last_sentence;
        let expected = reference::events_in(reading, &input, &limits, &vocabulary, &splitter);
        let expected = reference::engine::canonical(expected);
        for cut in [cut, 1, usize::MAX] {
            let mut parser = reference::engine::parser_in(reading, &limits, &vocabulary);
            let found = reference::engine::run(&mut parser, &input, |_| cut);
            prop_assert_eq!(found, &expected[..]);
        }
    }
}
