//! The wording of disclosures: what is found in a text, and what a deployment can replace.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use provstream_marc::WordingKind::{Anthropomorphic, Bonding, CertaintyCue, FalsePrecision};
use provstream_marc::{
    Action, Band, Disclosure, Draft, Source, Target, Wording, WordingErrorKind, WordingKind,
    WordingPart, check_wording,
};

/// Texts with what is to be found between `«` and `»`, and the kinds in order.
const FOUND: &[(&[WordingKind], &str)] = &[
    (&[Anthropomorphic], "«I feel unsure» about the deduction."),
    (&[Anthropomorphic], "«I'm not sure» which year is meant."),
    (&[Anthropomorphic], "«I\u{2019}m not entirely sure»."),
    (&[Anthropomorphic], "«I AM SORRY», the sources disagree."),
    (&[Anthropomorphic], "«I am truly very sorry»."),
    (&[Anthropomorphic], "«I believe» the rule applies."),
    (&[Anthropomorphic], "«I don't think» so."),
    (&[Anthropomorphic], "«I do not really think» so."),
    (&[Anthropomorphic], "Now «I hope» it works."),
    (&[Anthropomorphic], "«I worry» about the second source."),
    (
        &[Anthropomorphic],
        "«We feel» that more evidence is needed.",
    ),
    (&[Anthropomorphic], "Going by «my gut», yes."),
    (&[Anthropomorphic], "It is a «gut feeling»."),
    (&[Anthropomorphic], "«I'm confident» in this."),
    (&[Anthropomorphic], "«I can't be certain» about it."),
    (&[Anthropomorphic], "«i'm afraid» the tool failed."),
    (
        &[Anthropomorphic, Anthropomorphic],
        "**«I** *feel* unsure»: «I\nwonder».",
    ),
    (&[Anthropomorphic], "The «system feels unsure»."),
    (&[Anthropomorphic], "This «model isn't sure» about it."),
    (
        &[Anthropomorphic],
        "The «assistant really wants» more data.",
    ),
    (&[Anthropomorphic], "«It feels» wrong."),
    (&[Anthropomorphic], "That «worries me»."),
    (&[Anthropomorphic], "The gap «makes me nervous»."),
    (&[Anthropomorphic], "In «my honest opinion», no."),
    (&[FalsePrecision], "The chance is «87%»."),
    (&[FalsePrecision], "«87 percent» of the evidence agrees."),
    (&[FalsePrecision], "Sicher zu «87,5 %»."),
    (&[FalsePrecision], "«87\u{a0}%» it is."),
    (&[FalsePrecision], "Between «80\u{2013}90 %»."),
    (&[FalsePrecision], "«Eighty-seven per cent» likely."),
    (&[FalsePrecision], "Up by «3 percentage points»."),
    (&[FalsePrecision], "«99.9%» reliable."),
    (&[FalsePrecision], "«0.87 confidence»"),
    (&[FalsePrecision], "with a «confidence of 0.87»"),
    (&[FalsePrecision], "«Confidence: 0,87» (calibrated)"),
    (&[FalsePrecision], "the «confidence score is .87»"),
    (&[FalsePrecision], "«0.87 (confidence»)"),
    (&[FalsePrecision], "«9/10 certain»"),
    (&[FalsePrecision], "«9 out of 10 sure»"),
    (&[FalsePrecision], "chances: no; «odds of 2 in 3»"),
    (&[FalsePrecision], "«Confidence: 87»."),
    (&[FalsePrecision], "«confidence 8/10»"),
    (&[FalsePrecision], "«Probability = 1.0»"),
    (&[FalsePrecision], "It is not «100%» sure."),
    (&[CertaintyCue], "This is «guaranteed» to apply."),
    (&[CertaintyCue], "The deduction is «definitely» allowed."),
    (&[CertaintyCue], "It is «absolutely certain»."),
    (&[CertaintyCue], "«Without doubt» it applies."),
    (&[CertaintyCue], "«without any doubt»"),
    (&[CertaintyCue], "There is «no doubt»."),
    (&[CertaintyCue], "«100% sure»"),
    (&[CertaintyCue], "«one hundred percent correct»"),
    (&[CertaintyCue], "«We promise» that it works."),
    (&[CertaintyCue], "The source «cannot be wrong»."),
    (&[CertaintyCue], "It «can't be wrong»."),
    (&[CertaintyCue], "«Rest assured», it applies."),
    (&[CertaintyCue], "A «fool-proof» method."),
    (&[Bonding], "«Trust me», it applies."),
    (&[Bonding], "«I'm here for you» at all times."),
    (&[Bonding], "Well, «my friend», it depends."),
    (&[Bonding], "«I care about you»."),
    (&[Bonding], "«Happy to help»!"),
    (&[Bonding], "«I'd be happy to help» with this."),
    (&[Bonding], "«As you wish»."),
    (&[Bonding], "Always «at your service»."),
    (&[Bonding], "«Don\u{2019}t worry» about the tax year."),
    (&[Bonding], "«Great question»!"),
    (&[Bonding], "«You're absolutely right»."),
    (&[Bonding], "«My apologies» for the delay."),
    (
        &[Anthropomorphic, Bonding, CertaintyCue, FalsePrecision],
        "«I feel unsure», but «trust me»: «certainly» «87 %».",
    ),
];

/// Texts with nothing to be found.
const NOT_FOUND: &[&str] = &[
    "",
    "the request is ambiguous",
    "current evidence is missing",
    "Which jurisdiction and tax year should I use?",
    "Which jurisdiction and date range should I use?",
    "Retrieved authority indicates this is allowed.",
    "The deduction applies for tax year 2024.",
    "See section 3.2 and section 0.3.",
    "The distance is 100 km.",
    "Version 0.87 and v0.9.1 of the tool differ.",
    "Confidence in the answer given: low",
    "Confidence that a direct answer is suitable at present: medium",
    "A certain document is missing.",
    "It is not certain that the rule applies.",
    "The result is not guaranteed.",
    "Delivery cannot be guaranteed.",
    "We cannot guarantee this.",
    "I can't promise an answer without the contract.",
    "The user thinks the rule applies.",
    "The claimant feels that the notice was late.",
    "Two sources believe otherwise.",
    "The iFeel app needs an update.",
    "Wi-fi believes nothing; hi, think!",
    "Part I. Think of the year first.",
    "Provide the year. I. Hope Street is the address.",
    "The file is i_believe.txt.",
    "The date is 9/10/2024, a likely one.",
    "The path is a/9/10/b.",
    "It is due on 9/10.",
    "https://example.com/?q=100%20km&b=5%25",
    "A %s placeholder and 100 %s.",
    "The score was 3 to 2.",
    "The odds ratio is given in table 4.",
    "The confidence of 12 reviewers is needed.",
    "The accuracy of 0.5 mm is enough.",
    "Certain. 0.87 apples are left.",
    "confidence, 0.87 apples",
    "See section 0.5 reliability of sources.",
    "From 9/10/2024 certain rules apply.",
    "The score at 9/10/2024 was kept.",
    "Source I\n\nBelieve nothing.",
    "Confidence level 3 of the scheme",
    "The probability is low; 10 files are missing.",
    "Trust the register, not the copy.",
    "A trust merger needs consent.",
    "They trust mechanics.",
    "A friend of the court may be heard.",
    "The form asks as your wishes change.",
    "Please provide the service at your address.",
    "Count one by one on Monday.",
    "A loan guarantee is required.",
    "The proof for the fool is long.",
    "Ask a qualified human reviewer.",
    "I need the contract to check the clause.",
    "The system is unavailable.",
    "The model needs a retrieval tool.",
    "Its opinion is binding.",
    "My tax year is 2024.",
    "A great many questions are open.",
    "a percentage of the sum",
    "Es ist unklar, welches Jahr gemeint ist.",
    "I 2024 feel",
    "I, feel",
];

/// A marked text without its marks, and the places that were marked.
fn unmarked(marked: &str) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut spans, mut start) = (String::new(), Vec::new(), 0);
    for character in marked.chars() {
        match character {
            '«' => start = text.len(),
            '»' => spans.push((start, text.len())),
            _ => text.push(character),
        }
    }
    (text, spans)
}

fn found(text: &str) -> Vec<(WordingKind, String)> {
    check_wording(text)
        .iter()
        .map(|finding| {
            let (start, end) = (finding.span().start(), finding.span().end());
            (
                finding.kind(),
                text[start as usize..end as usize].to_owned(),
            )
        })
        .collect()
}

/// M2-129, M2-130, M2-131, M2-150, M2-175
#[test]
fn what_a_disclosure_should_not_say_is_found_with_its_place() {
    assert!(FOUND.len() >= 40);
    let mut wrong = Vec::new();
    for (kinds, marked) in FOUND {
        let (text, spans) = unmarked(marked);
        let expected: Vec<_> = kinds
            .iter()
            .copied()
            .zip(
                spans
                    .iter()
                    .map(|&(start, end)| text[start..end].to_owned()),
            )
            .collect();
        if found(&text) != expected {
            wrong.push(format!("{marked}: {:?}", found(&text)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// M2-129, M2-131
#[test]
fn what_is_said_in_task_terms_is_not_found() {
    assert!(NOT_FOUND.len() >= 40);
    let wrong: Vec<_> = NOT_FOUND
        .iter()
        .filter(|text| !check_wording(text).is_empty())
        .map(|text| (text, found(text)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_text_between_the_findings_does_not_matter() {
    for (kinds, marked) in FOUND {
        let (text, _) = unmarked(marked);
        for whole in [
            format!("See 3.2. {text}"),
            format!("{text} See 3.2."),
            format!("({text})"),
        ] {
            let kinds_found: Vec<_> = found(&whole).into_iter().map(|(kind, _)| kind).collect();
            assert_eq!(&kinds_found, kinds, "{whole}");
        }
    }
}

#[test]
fn at_most_64_findings_are_told() {
    assert_eq!(check_wording(&"I feel 5 %. ".repeat(40)).len(), 64);
    assert_eq!(check_wording(&"I feel 5 %. ".repeat(32)).len(), 64);
    assert_eq!(check_wording(&"I feel 5 %. ".repeat(31)).len(), 62);
}

/// Texts that could make a careless search look at the same place again and again.
#[test]
fn the_time_grows_with_the_length_and_no_faster() {
    for piece in [
        "i really really really really really ",
        "confidence of the of the of the ",
        "one two three four five ",
        "no not never without ",
        "a \n \n                                                        ",
        "9/",
        "'",
        "can't'",
        "1.",
        "I-",
    ] {
        let long = piece.repeat(100_000 / piece.len());
        let begin = Instant::now();
        let _ = check_wording(&long);
        // A search that grows with the square would take minutes.
        assert!(begin.elapsed() < Duration::from_secs(20), "{piece:?}");
    }
}

proptest! {
    #[test]
    fn findings_are_in_order_apart_and_at_character_boundaries(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "I", "'m", "\u{2019}", "not", "sure", "feel", "87", "0.87", "%", " ", " ", "\n", "confidence", "of", "in", "out",
                "9", "/", "10", "percent", "-", "trust me", ".", ",", "é", "\u{301}", "\u{a0}", "no", "doubt", "100", "n't", "can",
            ]),
            0..40,
        ),
    ) {
        let text = pieces.concat();
        let mut end = 0;
        for finding in check_wording(&text) {
            let span = finding.span();
            prop_assert!(span.start() >= end && !span.is_empty());
            end = span.end();
            prop_assert!(text.get(span.start() as usize..end as usize).is_some());
        }
    }
}

#[test]
fn a_finding_tells_its_kind_place_and_requirement() {
    let findings = check_wording("So I feel unsure.");
    assert_eq!(findings[0].to_string(), "anthropomorphic at 3..16 (M2-129)");
    let names: Vec<_> = WordingKind::ALL
        .iter()
        .map(|kind| (kind.as_str(), kind.requirement()))
        .collect();
    assert_eq!(
        names,
        [
            ("anthropomorphic", "M2-129"),
            ("false-precision", "M2-130"),
            ("certainty-cue", "M2-131"),
            ("bonding", "M2-175"),
        ]
    );
}

/// M2-129, M2-150, M2-175
#[test]
fn the_wording_that_comes_with_the_library_has_no_findings() {
    let wording = Wording::default();
    assert_eq!(wording.check(), []);
    assert_eq!(WordingPart::all().count(), 6 + 5 + 3 + 3 + 2);
    for part in WordingPart::all() {
        let text = wording.text(part).expect("a text");
        assert!(!text.is_empty() && text.len() <= 120, "{part}");
    }
}

/// M2-129, M2-150
#[test]
fn a_wording_is_not_refused_for_its_findings_but_tells_them() {
    let part = WordingPart::Source(Source::Ambiguity);
    let wording = Wording::default().with(part, "I feel unsure").unwrap();
    let found: Vec<_> = wording
        .check()
        .into_iter()
        .map(|(part, finding)| (part, finding.kind(), finding.span().end()))
        .collect();
    assert_eq!(found, [(part, Anthropomorphic, 13)]);
}

#[test]
fn every_part_can_be_replaced_alone() {
    let default = Wording::default();
    for part in WordingPart::all() {
        let text = match part {
            WordingPart::Unit => "{next_step}{source}{target}{band}",
            _ => "Anderes",
        };
        let wording = Wording::default().with(part, text).unwrap();
        for other in WordingPart::all() {
            let expected = if other == part {
                Some(text)
            } else {
                default.text(other)
            };
            assert_eq!(wording.text(other), expected, "{part}");
        }
    }
    assert_eq!(default.text(WordingPart::Message(Action::Answer)), None);
}

/// M2-40, M2-47, M2-124, M2-149
#[test]
fn a_text_that_loses_the_meaning_is_refused() {
    use WordingErrorKind as Kind;
    let unit = "{target} {band} {source} {next_step}";
    let message = WordingPart::Message(Action::Abstain);
    let low = WordingPart::Band(Band::Low);
    for (part, text, kind, offset) in [
        (message, "", Kind::Empty, None),
        (low, " \n", Kind::Empty, None),
        (
            WordingPart::Message(Action::Answer),
            "x",
            Kind::AnswerMessage,
            None,
        ),
        (message, "é { x", Kind::UnbalancedBrace, Some(3)),
        (message, "a }", Kind::UnbalancedBrace, Some(2)),
        (message, "{source", Kind::UnbalancedBrace, Some(0)),
        (message, "{source}}", Kind::UnbalancedBrace, Some(8)),
        (message, "{so{urce}", Kind::UnbalancedBrace, Some(0)),
        (message, "{{source}", Kind::UnbalancedBrace, Some(8)),
        (message, "é {Source}", Kind::UnknownPlaceholder, Some(3)),
        (message, "{band}", Kind::UnknownPlaceholder, Some(0)),
        (message, "{}", Kind::UnknownPlaceholder, Some(0)),
        (
            message,
            "{source}{source}",
            Kind::RepeatedPlaceholder,
            Some(8),
        ),
        (
            WordingPart::Unit,
            &unit[9..],
            Kind::MissingPlaceholder,
            None,
        ),
        (WordingPart::Unit, "{band}", Kind::MissingPlaceholder, None),
        (
            WordingPart::Unit,
            "{band}{band}",
            Kind::RepeatedPlaceholder,
            Some(6),
        ),
        (low, "MEDIUM ", Kind::SameAsOther, None),
        (low, "high", Kind::SameAsOther, None),
        (
            WordingPart::Target(Target::Answer),
            "that the selected action is right",
            Kind::SameAsOther,
            None,
        ),
        (
            WordingPart::Source(Source::Safety),
            "the request is ambiguous",
            Kind::SameAsOther,
            None,
        ),
    ] {
        let error = Wording::default().with(part, text).unwrap_err();
        assert_eq!(
            (error.part(), error.kind(), error.offset()),
            (part, kind, offset),
            "{text:?}"
        );
    }
    let moved = Wording::default()
        .with(WordingPart::Band(Band::Medium), "mittel")
        .unwrap();
    let error = moved.with(low, "Medium").unwrap_err();
    assert_eq!(error.kind(), Kind::NameOfOther);
    assert_eq!(
        error.to_string(),
        "band low: the label is the name of another band"
    );
    let error = Wording::default().with(message, "a }").unwrap_err();
    assert_eq!(
        error.to_string(),
        "message ABSTAIN: a brace belongs to no placeholder, at byte 2"
    );
}

/// A disclosure with these values.
fn disclosure(draft: Draft, target: Target, action: Option<Action>, next_step: &str) -> Disclosure {
    let builder = Disclosure::builder()
        .draft(draft)
        .answer("Which tax year?")
        .confidence_band(Band::Low)
        .confidence_target(target)
        .uncertainty_source(Source::Ambiguity)
        .recommended_next_step(next_step);
    let builder = match action {
        Some(action) => builder.selected_action(action),
        None => builder,
    };
    builder.build().unwrap()
}

/// M2-38, M2-47, M2-149, M2-163
#[test]
fn the_band_is_never_shown_without_what_it_applies_to() {
    let suits = Target::DirectAnswerSuitability;
    let shown = |draft, target, action| {
        Wording::default().render(&disclosure(draft, target, action, "provide the tax year"))
    };
    assert_eq!(
        shown(Draft::Draft02, suits, None),
        "Confidence that a direct answer is suitable at present: low\nUncertainty: the request is ambiguous\n\
         Next step: provide the tax year"
    );
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    let answer = "Confidence in the answer given: low";
    let suitable = "Confidence that a direct answer is suitable at present: low";
    let either =
        "Confidence in the answer given, or else that a direct answer is suitable at present: low";
    let action = "Confidence that the selected action is right: low";
    assert_eq!(first(shown(Draft::Draft02, Target::Answer, None)), answer);
    assert_eq!(
        first(shown(
            Draft::Draft02,
            Target::ActionSuitability,
            Some(Action::Abstain)
        )),
        action
    );
    // M1-7: under -01 the action says what the band applies to.
    assert_eq!(
        first(shown(Draft::Draft01, suits, Some(Action::Answer))),
        answer
    );
    assert_eq!(
        first(shown(Draft::Draft01, suits, Some(Action::Clarify))),
        suitable
    );
    assert_eq!(first(shown(Draft::Draft01, suits, None)), either);
}

#[test]
fn what_is_put_into_a_template_is_never_expanded() {
    let wording = Wording::default()
        .with(WordingPart::Source(Source::Ambiguity), "{next_step} {{")
        .unwrap()
        .with(
            WordingPart::Unit,
            "{{{source}}} {band} {target}: {next_step}",
        )
        .unwrap();
    let found = wording.render(&disclosure(
        Draft::Draft02,
        Target::Answer,
        None,
        "{band}}} {source",
    ));
    assert_eq!(
        found,
        "{{next_step} {{} low in the answer given: {band}}} {source"
    );
}

proptest! {
    /// M2-40
    #[test]
    fn no_localisation_merges_two_bands(labels in prop::collection::vec((0..3_usize, "(?i)(low|medium|high|mid| low |x)"), 0..12)) {
        let mut wording = Wording::default();
        for (band, label) in labels {
            if let Ok(changed) = wording.clone().with(WordingPart::Band(Band::ALL[band]), label) {
                wording = changed;
            }
        }
        let label = |band| wording.text(WordingPart::Band(band)).map(|text| text.trim().to_lowercase());
        for band in Band::ALL {
            for other in Band::ALL.iter().filter(|&other| other != band) {
                prop_assert!(label(*band) != label(*other));
                prop_assert!(label(*band).as_deref() != Some(other.as_str()));
            }
        }
    }
}
