//! Confidence bands and calibration, MARC-02 8.5.

use proptest::prelude::*;
use provstream_marc::{
    Band, Bands, BandsError, BandsErrorKind, Calibration, CalibrationErrorKind, Score,
};
use testkit::marc::decide::{calibration, score};

fn bands(medium_from: f64, high_from: f64) -> Result<Bands, BandsError> {
    Bands::new(score(medium_from), score(high_from))
}

fn scores() -> impl Strategy<Value = Score> {
    prop_oneof![
        (0.0..=1.0).prop_map(score),
        Just(Score::ZERO),
        Just(Score::ONE),
        Just(score(f64::MIN_POSITIVE)),
        Just(score(1.0 - f64::EPSILON)),
    ]
}

fn any_bands() -> impl Strategy<Value = Bands> {
    (scores(), scores()).prop_filter_map("a band would be empty", |(one, other)| {
        Bands::new(one.min(other), one.max(other)).ok()
    })
}

proptest! {
    /// M2-41, M2-42
    #[test]
    fn bands_grow_with_the_score(bands in any_bands(), one in scores(), other in scores()) {
        let (less, more) = (one.min(other), one.max(other));
        prop_assert!(bands.band(less) <= bands.band(more));
    }

    /// M2-41
    #[test]
    fn each_score_is_in_the_range_of_its_band_only(bands in any_bands(), score in scores()) {
        let medium = bands.medium_from()..bands.high_from();
        let within = [score < medium.start, medium.contains(&score), score >= medium.end];
        let band = Band::ALL.iter().position(|&band| band == bands.band(score)).unwrap();
        prop_assert!(within[band]);
        prop_assert_eq!(within.iter().filter(|&&is_in| is_in).count(), 1);
    }

    /// M2-41
    #[test]
    fn no_band_is_empty(bands in any_bands()) {
        prop_assert_eq!(bands.band(Score::ZERO), Band::Low);
        prop_assert_eq!(bands.band(bands.medium_from()), Band::Medium);
        prop_assert_eq!(bands.band(bands.high_from()), Band::High);
        prop_assert_eq!(bands.band(Score::ONE), Band::High);
    }

    /// M2-41
    #[test]
    fn thresholds_are_refused_exactly_if_a_band_would_be_empty(medium in scores(), high in scores()) {
        let sound = Score::ZERO < medium && medium < high;
        prop_assert_eq!(Bands::new(medium, high).is_ok(), sound);
    }
}

/// M2-41
#[test]
fn a_threshold_belongs_to_the_band_above() {
    let bands = bands(0.5, 0.8).unwrap();
    for (value, band) in [
        (0.0, Band::Low),
        (0.499_999_999_999_999_9, Band::Low),
        (0.5, Band::Medium),
        (0.799_999_999_999_999_9, Band::Medium),
        (0.8, Band::High),
        (1.0, Band::High),
    ] {
        assert_eq!(bands.band(score(value)), band, "{value}");
    }
}

/// M2-41
#[test]
fn thresholds_that_leave_a_band_empty_are_told_apart() {
    assert_eq!(bands(0.0, 0.5), Err(BandsErrorKind::NoLow.into()));
    for high_from in [0.5, 0.4] {
        let error = bands(0.5, high_from).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "expected a high band that begins above the medium one, at 0.5, found one that begins at {high_from}"
            )
        );
    }
    assert!(bands(0.5, 1.0).is_ok());
}

/// M2-42: what a deployment has to document can be written out.
#[test]
fn a_calibration_documents_its_ranges() {
    let tax = bands(0.7, 0.95).unwrap();
    let calibration = calibration().with_family("tax", tax);
    assert_eq!(
        calibration.to_string(),
        "test-1: low [0.0, 0.5), medium [0.5, 0.8), high [0.8, 1.0]; \
         tax: low [0.0, 0.7), medium [0.7, 0.95), high [0.95, 1.0]"
    );
    assert_eq!(calibration.families().collect::<Vec<_>>(), [("tax", &tax)]);
}

/// M2-42
#[test]
fn bands_vary_by_task_family_only_if_thresholds_differ() {
    let plain = calibration();
    assert!(!plain.varies());
    let same = *plain.bands(None).unwrap();
    assert!(!plain.clone().with_family("tax", same).varies());
    assert!(plain.with_family("tax", bands(0.7, 0.95).unwrap()).varies());
}

/// M2-42, M2-43: a family that is not described has no bands, and other bands have another profile.
#[test]
fn an_unknown_task_family_is_not_given_the_bands_of_the_rest() {
    let plain = calibration();
    assert_eq!(plain.bands(Some("Tax")), plain.bands(None));
    let calibration = plain.with_family("tax", bands(0.7, 0.95).unwrap());
    let band = |family| {
        calibration
            .bands(family)
            .map(|bands| bands.band(score(0.9)))
    };
    assert_eq!(band(Some("tax")), Some(Band::Medium));
    assert_eq!(band(Some("Tax")), None);
    assert_eq!(band(None), Some(Band::High));
    assert_eq!(calibration.profile_of(Some("tax")), "test-1/tax");
    assert_eq!(calibration.profile_of(None), "test-1");
}

/// M2-94, M2-95
#[test]
fn a_calibration_has_a_name() {
    let bands = bands(0.5, 0.8).unwrap();
    for name in ["", " \n"] {
        let error = Calibration::new(name, bands).unwrap_err();
        assert_eq!(error.kind(), CalibrationErrorKind::NoProfile);
    }
    assert_eq!(calibration().profile(), "test-1");
}
