//! Controllers and situations for the tests of decisions.

use std::time::Duration;

use provstream_marc::{
    Bands, Bound, Bounds, Calibration, Controller, Core, Draft, Intervention, MarcKind, Profile,
    Remedy, Score, Scores, Situation, Source,
};

pub fn score(value: f64) -> Score {
    Score::new(value).unwrap()
}

/// Scores in the order of the draft: ambiguity, missing evidence, capability limit, evidence conflict, safety.
pub fn scores(values: [f64; 5]) -> Scores {
    Scores::new(values.map(score))
}

/// Low below 0.5, high from 0.8, as in the records of the drafts' examples.
pub fn calibration() -> Calibration {
    let bands = Bands::new(score(0.5), score(0.8)).unwrap();
    Calibration::new("test-1", bands).unwrap()
}

pub fn bound(count: u32) -> Bound {
    Bound::new(count, Duration::from_secs(60), 1_000)
}

/// The same bound for each of the three looping actions.
pub fn controller(bound: Bound) -> Controller {
    Controller::new(calibration(), Bounds::new(bound, bound, bound))
}

/// No remedies, little uncertainty.
pub fn calm(primary: Source) -> Situation {
    Situation::new(score(0.9), scores([0.1; 5]), primary)
}

/// The same with these interventions usable.
pub fn with_usable(situation: Situation, interventions: &[Intervention]) -> Situation {
    interventions
        .iter()
        .fold(situation, |situation, &intervention| {
            situation.with_remedy(intervention, Remedy::USABLE)
        })
}

/// Holds a record against all of draft -02, as strictly as it can be.
#[track_caller]
pub fn assert_clean(record: &Core) {
    let strict = Profile::new(Draft::Draft02).strict();
    let report = record.document().validate(MarcKind::Core, strict);
    assert!(report.is_clean(), "{report}: {record:?}");
}
