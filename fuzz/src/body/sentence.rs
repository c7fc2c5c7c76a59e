//! Sentences are those of the naive model.

use provstream::sentence::{last_sentence, sentences};
use testkit::sentence;

/// Most places at which the text is cut off.
const MOST_CUTS: usize = 24;

/// The sentences, and the last one of the text and of what lies before some of its places, are those of the model.
pub(super) fn check(data: &[u8]) {
    let found: Vec<usize> = sentences(data).map(|range| range.start).collect();
    assert_eq!(found, sentence::starts(data), "starts of the sentences");
    // A candidate ends wherever an annotation follows: most often after a terminator.
    let ends = (0..data.len()).filter(|&at| !data[at].is_ascii_alphanumeric());
    let ends: Vec<usize> = ends.map(|at| at + 1).chain([data.len()]).collect();
    let step = ends.len().div_ceil(MOST_CUTS);
    for &end in ends.iter().rev().step_by(step) {
        let candidate = &data[..end];
        assert_eq!(
            last_sentence(candidate),
            sentence::last_sentence(candidate),
            "start of the last sentence of the first {end} bytes"
        );
    }
}
