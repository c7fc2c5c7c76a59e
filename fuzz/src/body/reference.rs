//! The engine equals the naive reference.

use super::super::case::Case;
use super::super::reference::engine::{canonical, run};
use super::super::reference::{RefVocabulary, events_in};
use testkit::sentence::last_sentence;

/// The events are those of the naive reference.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let expected = events_in(
        case.reading,
        &case.input,
        &case.limits,
        &RefVocabulary::default(),
        &last_sentence,
    );
    let found = run(&mut case.used_parser(), &case.input, case.cuts());
    assert_eq!(found, canonical(expected));
}
