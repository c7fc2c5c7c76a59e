//! The wording of disclosures: what is found in a text, and what a deployment can replace.

use std::time::{Duration, Instant};

use provstream_marc::{
    Action, Band, Language, Source, Wording, WordingErrorKind, WordingPart, check_wording,
};

/// The sentences of a list: whether it is bad, and the text.
fn list(name: &str) -> Vec<(bool, String)> {
    let path = format!("{}/../../corpus/marc/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a readable list");
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let cells: Vec<_> = line.split('\t').collect();
            (cells[0] != "good", cells[2].to_owned())
        })
        .collect()
}

/// How many of the bad sentences are found and of the good ones are not, and which not.
fn measure(sentences: &[(bool, String)]) -> ([usize; 2], [usize; 2], Vec<String>) {
    let (mut right, mut all, mut wrong) = ([0; 2], [0; 2], Vec::new());
    for (bad, text) in sentences {
        let found = check_wording(text);
        all[usize::from(!bad)] += 1;
        if *bad == found.is_empty() {
            wrong.push(format!(
                "{} {text:?} {found:?}",
                if *bad { "missed" } else { "false alarm" }
            ));
        } else {
            right[usize::from(!bad)] += 1;
        }
    }
    (right, all, wrong)
}

/// M2-129 to M2-131, M2-150, M2-164, M2-175: two lists of sentences in English and German, one by the authors of the phrases,
/// one by somebody who had not seen them.
#[test]
fn bad_wording_is_found_and_good_wording_is_not() {
    let mut both = list("wording.tsv");
    both.extend(list("wording-independent.tsv"));
    let ([bad, good], [all_bad, all_good], wrong) = measure(&both);
    println!(
        "found {bad} of {all_bad} bad, left {good} of {all_good} good\n{}",
        wrong.join("\n")
    );
    assert!(all_bad >= 150 && all_good >= 150);
    assert!(
        bad * 100 >= all_bad * 95,
        "{bad} of {all_bad} found\n{}",
        wrong.join("\n")
    );
    assert!(
        (all_good - good) * 100 <= all_good * 2,
        "{good} of {all_good} left\n{}",
        wrong.join("\n")
    );
}

/// M2-129 to M2-131, M2-175: the cases beside the phrases.
#[test]
fn every_phrase_has_its_cases() {
    let phrases = include_str!("../../src/wording/data/phrases.txt");
    let (mut kind, mut wrong, mut cases) = ("", Vec::new(), 0);
    for line in phrases.lines() {
        if let Some(text) = line.strip_prefix("+ ") {
            cases += 1;
            let found = check_wording(text);
            if !found.iter().any(|finding| finding.kind().as_str() == kind) {
                wrong.push(format!("{kind}: {text}: {found:?}"));
            }
        } else if let Some(text) = line.strip_prefix("- ") {
            cases += 1;
            if !check_wording(text).is_empty() {
                wrong.push(format!("false alarm: {text}: {:?}", check_wording(text)));
            }
        } else if let Some((first, _)) = line.split_once(' ') {
            kind = first.trim_end_matches('!');
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases > 150, "{cases}");
}

#[test]
fn findings_have_their_places() {
    let text = "**I** *feel* unsure: the chance is 87\u{a0}%.";
    let found: Vec<_> = check_wording(text)
        .into_iter()
        .map(|finding| {
            (
                finding.kind().as_str(),
                &text[usize::try_from(finding.span().start()).unwrap()
                    ..usize::try_from(finding.span().end()).unwrap()],
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("anthropomorphic", "I** *feel* unsure"),
            ("false-precision", "chance is 87\u{a0}%")
        ]
    );
}

#[test]
fn the_time_grows_with_the_text_and_no_faster() {
    for piece in [
        "I am not really so very ",
        "no no no ",
        "confidence is ",
        "0.5 ",
        "\u{1F680}",
    ] {
        let start = Instant::now();
        let _ = check_wording(&piece.repeat(64 * 1024 / piece.len()));
        assert!(start.elapsed() < Duration::from_secs(5), "{piece}");
    }
}

/// M2-131, M2-175
#[test]
fn the_wording_that_comes_with_the_library_has_no_findings() {
    for &language in Language::ALL {
        let wording = Wording::in_language(language);
        assert_eq!(wording.check(), [], "{language}");
        for part in WordingPart::all() {
            let text = wording.text(part).unwrap();
            assert!(!text.is_empty(), "{language} {part}");
            // Each text is one that could replace itself.
            assert_eq!(
                wording.clone().with(part, text).unwrap(),
                wording,
                "{language} {part}"
            );
        }
    }
}

/// M2-40: labels that could be confused or are out of order are errors.
#[test]
fn policy_no_localisation_merges_or_swaps_bands() {
    let kind = |band: Band, label: &str| {
        let with = Wording::default().with(WordingPart::Band(band), label);
        with.err().map(|error| error.kind())
    };
    assert_eq!(kind(Band::Low, "High"), Some(WordingErrorKind::SameAsOther));
    assert_eq!(
        kind(Band::Low, "very sure"),
        Some(WordingErrorKind::OutOfOrder)
    );
    assert_eq!(
        kind(Band::High, "unsure"),
        Some(WordingErrorKind::OutOfOrder)
    );
    assert_eq!(
        kind(Band::High, "gering"),
        Some(WordingErrorKind::OutOfOrder)
    );
    assert_eq!(kind(Band::High, "hoch"), None);
    let swapped = [
        (WordingPart::Band(Band::Low), "high".to_owned()),
        (WordingPart::Band(Band::High), "low".to_owned()),
    ];
    assert_eq!(
        Wording::default().with_all(swapped).unwrap_err().kind(),
        WordingErrorKind::OutOfOrder
    );
}

/// M2-39, M2-159: parts are replaced alone, and values are never read as templates.
#[test]
fn templates_are_checked_and_values_are_never_expanded() {
    let unit = |text: &str| {
        Wording::default()
            .with(WordingPart::Unit, text)
            .err()
            .map(|error| error.kind())
    };
    assert_eq!(unit("{band} {target} {source} {next_step}"), None);
    assert_eq!(
        unit("{band} {target} {source}"),
        Some(WordingErrorKind::MissingPlaceholder)
    );
    assert_eq!(
        unit("{band} {band} {target} {source} {next_step}"),
        Some(WordingErrorKind::RepeatedPlaceholder)
    );
    assert_eq!(unit("{bond}"), Some(WordingErrorKind::UnknownPlaceholder));
    assert_eq!(unit("{band"), Some(WordingErrorKind::UnbalancedBrace));
    assert_eq!(unit(" "), Some(WordingErrorKind::Empty));
    let answer = Wording::default()
        .with(WordingPart::Message(Action::Answer), "x")
        .unwrap_err();
    assert_eq!(answer.kind(), WordingErrorKind::AnswerMessage);
    let same = Wording::default().with(
        WordingPart::Source(Source::Safety),
        "Current evidence is missing ",
    );
    assert_eq!(same.unwrap_err().kind(), WordingErrorKind::SameAsOther);
    let disclosure: provstream_marc::Document = r#"{"answer":"a","confidence_band":"low","confidence_target":"answer","uncertainty_source":"safety","recommended_next_step":"{band} {{x}}"}"#.parse().unwrap();
    let disclosure =
        provstream_marc::Disclosure::new(disclosure, provstream_marc::Profile::default()).unwrap();
    assert!(
        Wording::default()
            .render(&disclosure)
            .ends_with("Next step: {band} {{x}}")
    );
}
