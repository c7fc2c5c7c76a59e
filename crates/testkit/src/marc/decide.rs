//! Controllers and situations for tests of the action selection.

use std::time::Duration;

use provstream_marc::{
    Bands, Bound, Bounds, Calibration, Controller, Core, Draft, Intervention, MarcKind, Profile,
    Remedy, Score, Scores, Situation, Source,
};

pub fn score(value: f64) -> Score {
    Score::new(value).unwrap()
}

/// Builds scores from values in the order of the draft: ambiguity, missing evidence, capability
/// limit, evidence conflict, safety.
pub fn scores(values: [f64; 5]) -> Scores {
    Scores::new(values.map(score))
}

/// Builds a calibration with confidence bands low below 0.5 and high from 0.8, as in the example
/// records of the drafts.
pub fn calibration() -> Calibration {
    let bands = Bands::new(score(0.5), score(0.8)).unwrap();
    Calibration::new("test-1", bands).unwrap()
}

pub fn bound(count: u32) -> Bound {
    Bound::new(count, Duration::from_secs(60), 1_000)
}

/// Builds a controller with `bound` for each of the three looping actions.
pub fn controller(bound: Bound) -> Controller {
    Controller::new(calibration(), Bounds::new(bound, bound, bound))
}

/// Builds a situation with low scores and no remedies.
pub fn calm(primary: Source) -> Situation {
    Situation::new(score(0.9), scores([0.1; 5]), primary)
}

/// Marks the `interventions` of a situation as usable.
pub fn with_usable(situation: Situation, interventions: &[Intervention]) -> Situation {
    interventions
        .iter()
        .fold(situation, |situation, &intervention| {
            situation.with_remedy(intervention, Remedy::USABLE)
        })
}

/// Asserts that a record conforms to draft -02 in its strict reading.
#[track_caller]
pub fn assert_clean(record: &Core) {
    let strict = Profile::new(Draft::Draft02).strict();
    let report = record.document().validate(MarcKind::Core, strict);
    assert!(report.is_clean(), "{report}: {record:?}");
}
