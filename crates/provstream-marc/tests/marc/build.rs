//! Builders: what they build is valid and says what was given, and what is not valid they do not build.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use provstream_marc::{
    Action, Band, Core, Disclosure, Draft, MarcKind, Profile, Remediability, Report, Score, Scores,
    Source, Target,
};
use testkit::marc::{cases, draft, json};

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![
        select(&[Score::ZERO, Score::ONE][..]),
        (0.0..=1.0).prop_map(|value| Score::new(value).expect("in range")),
    ]
}

fn scores() -> impl Strategy<Value = Scores> {
    vec(score(), 5).prop_map(|scores| Scores::new(scores.try_into().expect("five scores")))
}

/// A text with its length in code points around the bounds.
fn text() -> impl Strategy<Value = String> {
    let len = prop_oneof![6 => 1_usize..30, 1 => Just(0), 2 => 279_usize..283];
    (
        select(&["a", "\u{e9}", "\u{1F680}", "\"", "\\", "\n", "\u{0}"][..]),
        len,
    )
        .prop_map(|(character, len)| character.repeat(len))
}

/// Mostly some value, as a record without one of its required members is soon found.
fn mostly<T: Clone + std::fmt::Debug>(
    from: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    option::weighted(0.95, from)
}

/// Everything that can be given to the builder of a record.
#[derive(Clone, Debug)]
struct CoreParts {
    draft: Draft,
    ids: (Option<String>, Option<String>, Option<String>),
    counters: (Option<u32>, Option<u32>),
    pre_capability: Option<Score>,
    uncertainty: Option<Scores>,
    sources: (Option<Source>, Option<Source>),
    remediability: Option<Remediability>,
    action: Option<Action>,
    confidence: Option<Score>,
    band: Option<Band>,
    target: Option<Target>,
    next_step: Option<String>,
    extension: Option<(String, String)>,
}

fn core_parts() -> impl Strategy<Value = CoreParts> {
    (
        (
            draft(),
            (option::of(text()), option::of(text()), option::of(text())),
            any::<(Option<u32>, Option<u32>)>(),
        ),
        (
            mostly(score()),
            mostly(scores()),
            (mostly(select(Source::ALL)), option::of(select(Source::ALL))),
        ),
        (
            mostly(select(Remediability::ALL)),
            mostly(select(Action::ALL)),
            option::of(score()),
        ),
        (
            mostly(select(Band::ALL)),
            option::of(select(Target::ALL)),
            mostly(text()),
        ),
        option::of((json::string(), json::value())),
    )
        .prop_map(|(first, second, third, fourth, extension)| CoreParts {
            draft: first.0,
            ids: first.1,
            counters: first.2,
            pre_capability: second.0,
            uncertainty: second.1,
            sources: second.2,
            remediability: third.0,
            action: third.1,
            confidence: third.2,
            band: fourth.0,
            target: fourth.1,
            next_step: fourth.2,
            extension: extension.map(|(name, value)| (name, value.compact())),
        })
}

/// Returns `true` if a next step has content; its length is not part of validity.
fn fits(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.trim_matches(['\n', '\0']).is_empty())
}

impl CoreParts {
    /// Returns `true` if a record of these parts is valid.
    fn are_valid(&self) -> bool {
        let required = self.pre_capability.is_some()
            && self.uncertainty.is_some()
            && self.sources.0.is_some()
            && self.remediability.is_some()
            && self.action.is_some()
            && self.band.is_some()
            && fits(self.next_step.as_deref());
        let target = self.draft == Draft::Draft01
            || self.target.is_none_or(|target| target == Target::Answer);
        let answers = self.action == Some(Action::Answer);
        required && (!answers || self.confidence.is_some() && target)
    }

    fn build(&self) -> Result<Core, Report> {
        let parts = self.clone();
        let mut builder = Core::builder().draft(parts.draft);
        macro_rules! set {
            ($($part:expr => $setter:ident),+ $(,)?) => {
                $(if let Some(value) = $part {
                    builder = builder.$setter(value);
                })+
            };
        }
        set!(
            parts.ids.0 => decision_id,
            parts.ids.1 => parent_decision_id,
            parts.ids.2 => calibration_profile,
            parts.counters.0 => iteration,
            parts.counters.1 => max_iterations,
            parts.pre_capability => pre_capability,
            parts.uncertainty => uncertainty,
            parts.sources.0 => primary_source,
            parts.sources.1 => secondary_source,
            parts.remediability => remediability,
            parts.action => selected_action,
            parts.confidence => post_answer_confidence,
            parts.band => confidence_band,
            parts.target => confidence_target,
            parts.next_step => recommended_next_step,
        );
        if let Some((name, value)) = &parts.extension {
            builder = builder.extension(name, value).expect("JSON");
        }
        builder.build()
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// M1-8 to M1-10, M2-20, M2-25, M2-29, M2-35, M2-37, M2-44, M2-45, M2-75 to M2-91, M2-96 to M2-103, M2-115, M2-134, M2-135
    #[test]
    fn a_record_that_is_built_is_valid_and_says_what_was_given(parts in core_parts()) {
        let built = parts.build();
        prop_assert_eq!(built.is_ok(), parts.are_valid());
        let record = match built {
            Ok(record) => record,
            Err(report) => {
                prop_assert!(!report.is_valid());
                return Ok(());
            }
        };
        let profile = Profile::new(parts.draft);
        prop_assert!(record.document().validate(MarcKind::Core, profile).is_valid());
        prop_assert_eq!(Core::read(record.to_json().as_bytes(), profile), Ok(record.clone()));
        prop_assert_eq!((record.draft(), record.marc_version()), (parts.draft, "1.0"));
        prop_assert_eq!(Some(record.pre_capability()), parts.pre_capability);
        prop_assert_eq!(Some(record.uncertainty()), parts.uncertainty);
        prop_assert_eq!(Some(record.primary_source()), parts.sources.0);
        prop_assert_eq!(record.secondary_source(), parts.sources.1);
        prop_assert_eq!(Some(record.remediability()), parts.remediability);
        prop_assert_eq!(Some(record.selected_action()), parts.action);
        prop_assert_eq!(record.post_answer_confidence(), parts.confidence);
        prop_assert_eq!(Some(record.confidence_band()), parts.band);
        prop_assert_eq!(Some(record.recommended_next_step()), parts.next_step.as_deref());
        let newer = parts.draft == Draft::Draft02;
        let given = parts.target.unwrap_or(Target::of(record.selected_action()));
        prop_assert_eq!(record.confidence_target(), newer.then_some(given));
        let ids = [record.decision_id(), record.parent_decision_id(), record.calibration_profile()];
        let given = [&parts.ids.0, &parts.ids.1, &parts.ids.2].map(|id| id.as_deref().filter(|_| newer));
        prop_assert_eq!(ids, given);
        let counters = [record.iteration(), record.max_iterations()];
        let given = [parts.counters.0, parts.counters.1].map(|count| count.filter(|_| newer).map(i64::from));
        prop_assert_eq!(counters, given);
        if let Some((name, value)) = parts.extension {
            let name = if name.starts_with("x_") { name } else { format!("x_{name}") };
            prop_assert_eq!(record.document().get(&name), Some(&value[..]));
        }
    }

    /// M1-11, M1-34, M2-44, M2-45, M2-117 to M2-122, M2-134, M2-135
    #[test]
    fn a_disclosure_that_is_built_is_valid_and_says_what_was_given(
        draft in draft(), texts in (mostly(text()), mostly(text())), band in mostly(select(Band::ALL)),
        target in mostly(select(Target::ALL)), source in mostly(select(Source::ALL)),
        action in option::of(select(Action::ALL)), extension in option::of((json::string(), json::value()))
    ) {
        let mut builder = Disclosure::builder().draft(draft);
        if let Some(text) = texts.0.clone() { builder = builder.answer(text); }
        if let Some(text) = texts.1.clone() { builder = builder.recommended_next_step(text); }
        if let Some(band) = band { builder = builder.confidence_band(band); }
        if let Some(target) = target { builder = builder.confidence_target(target); }
        if let Some(source) = source { builder = builder.uncertainty_source(source); }
        if let Some(action) = action { builder = builder.selected_action(action); }
        if let Some((name, value)) = &extension {
            builder = builder.extension(name, &value.compact()).expect("JSON");
        }
        let newer = draft == Draft::Draft02;
        let agree = action != Some(Action::Answer) || target == Some(Target::Answer);
        let expected = fits(texts.0.as_deref()) && fits(texts.1.as_deref())
            && band.is_some() && source.is_some() && (!newer || target.is_some() && agree);
        let built = builder.build();
        prop_assert_eq!(built.is_ok(), expected);
        let disclosure = match built {
            Ok(disclosure) => disclosure,
            Err(report) => {
                prop_assert!(!report.is_valid());
                return Ok(());
            }
        };
        let profile = Profile::new(draft);
        prop_assert!(disclosure.document().validate(MarcKind::Disclosure, profile).is_valid());
        prop_assert_eq!(Disclosure::read(disclosure.to_json().as_bytes(), profile), Ok(disclosure.clone()));
        prop_assert_eq!(disclosure.draft(), draft);
        prop_assert_eq!(Some(disclosure.answer()), texts.0.as_deref());
        prop_assert_eq!(Some(disclosure.recommended_next_step()), texts.1.as_deref());
        prop_assert_eq!(Some(disclosure.confidence_band()), band);
        prop_assert_eq!(disclosure.confidence_target(), target.filter(|_| newer));
        prop_assert_eq!(Some(disclosure.uncertainty_source()), source);
        prop_assert_eq!(disclosure.selected_action(), action);
    }
}

/// M2-26
#[test]
fn scores_need_not_sum_to_one() {
    for (score, sum) in [(Score::ZERO, 0.0), (Score::ONE, 5.0)] {
        let scores = Scores::all(score);
        let record = Core::builder()
            .pre_capability(Score::ONE)
            .uncertainty(scores)
            .primary_source(Source::Safety)
            .remediability(Remediability::None)
            .selected_action(Action::Abstain)
            .confidence_band(Band::Low)
            .recommended_next_step("decline")
            .build()
            .expect("valid");
        assert_eq!(
            record
                .uncertainty()
                .iter()
                .map(|(_, score)| score.get())
                .sum::<f64>(),
            sum
        );
        assert!(
            record
                .document()
                .validate(MarcKind::Core, Profile::default().strict())
                .is_clean()
        );
    }
}

/// M2-102: a score that was not given is not invented.
#[test]
fn d10_the_builder_invents_no_scores() {
    let built = Core::builder()
        .pre_capability(Score::ONE)
        .primary_source(Source::Ambiguity)
        .remediability(Remediability::None)
        .selected_action(Action::Abstain)
        .confidence_band(Band::Low)
        .recommended_next_step("decline")
        .build();
    let report = built.unwrap_err();
    assert_eq!(report.violations()[0].pointer(), "/uncertainty");
}

/// M2-105: a next step of 281 characters is long, and valid.
#[test]
fn d8_a_long_next_step_is_built_and_disclosed() {
    let step = "x".repeat(281);
    let disclosure = Disclosure::builder()
        .answer("no")
        .confidence_band(Band::Low)
        .confidence_target(Target::DirectAnswerSuitability)
        .uncertainty_source(Source::Ambiguity)
        .recommended_next_step(step)
        .build()
        .unwrap();
    let report = disclosure
        .document()
        .validate(MarcKind::Disclosure, Profile::default());
    assert!(report.is_valid() && !report.is_clean(), "{report}");
}
