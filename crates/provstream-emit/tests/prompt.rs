//! Prompts: their texts, their length, and what they list.

#[path = "common/accepted.rs"]
mod accepted;
mod common;

use accepted::AcceptedAnswers;
use common::{golden, observations, read};
use provstream::provenance::{Version, Vocabulary};
use provstream::{Event, Mode, Parser};
use provstream_emit::{
    Grammar, Language, Observations, PROMPT_VERSION, Prompt, PromptForm, PromptLength, Requirement,
};

fn memo() -> Prompt {
    Prompt::new(&Vocabulary::memo())
}

fn all() -> impl Iterator<Item = (Language, PromptForm, PromptLength)> {
    Language::ALL.iter().flat_map(|&language| {
        PromptForm::ALL.iter().flat_map(move |&form| {
            PromptLength::ALL
                .iter()
                .map(move |&length| (language, form, length))
        })
    })
}

#[test]
fn texts_are_what_they_were() {
    for (language, form, length) in all() {
        let prompt = memo()
            .in_language(language)
            .asking_for(form)
            .with_length(length);
        golden(
            &format!("prompt/{language}.{form}.{length}.txt"),
            prompt.build().text(),
        );
        let citing = prompt.clone().citing(&observations());
        golden(
            &format!("prompt/{language}.{form}.{length}.observations.txt"),
            citing.build().text(),
        );
        let requiring = prompt.clone().requiring(Requirement::EverySentence).build();
        match form {
            PromptForm::Bracketed => golden(
                &format!("prompt/{language}.{form}.{length}.every-sentence.txt"),
                requiring.text(),
            ),
            // There every statement has annotations.
            _ => assert_eq!(requiring, prompt.build()),
        }
    }
}

/// The counts were taken by `.ci/emit` with the vocabularies `o200k_base` and `cl100k_base`; the hash says of which text.
#[test]
fn short_prompts_have_fewer_than_400_tokens() {
    let counts = include_str!("golden/prompt/tokens.tsv");
    for (language, form, length) in all() {
        for (requirement, suffix) in [
            (Requirement::Nothing, ""),
            (Requirement::EverySentence, ".every-sentence"),
        ] {
            if form == PromptForm::Json && requirement == Requirement::EverySentence {
                continue;
            }
            let prompt = memo()
                .in_language(language)
                .asking_for(form)
                .with_length(length)
                .requiring(requirement)
                .build();
            let name = format!("{language}.{form}.{length}{suffix}.txt");
            let row = counts
                .lines()
                .find(|line| line.starts_with(&name))
                .expect("every prompt is counted");
            let cells: Vec<&str> = row.split('\t').collect();
            assert_eq!(
                cells[1],
                prompt.sha256(),
                "{name} has changed: run .ci/emit tokens"
            );
            let tokens: usize = cells[2].parse().unwrap();
            assert!(
                length == PromptLength::Full || tokens < 400,
                "{name}: {tokens}"
            );
        }
    }
}

/// A prompt does not ask for anything that the grammar rejects, and every text has the version.
#[test]
fn every_sentence_is_asked_for() {
    for (language, form, length) in all() {
        let prompt = memo()
            .in_language(language)
            .asking_for(form)
            .with_length(length);
        let plain = prompt.build();
        let version = "(provstream prompt 2, vocabulary 1.0)";
        assert!(plain.text().contains(version), "{language} {form} {length}");
        if form == PromptForm::Bracketed {
            let requiring = prompt.requiring(Requirement::EverySentence).build();
            assert_ne!(plain.text(), requiring.text());
            assert!(requiring.text().contains(version));
        }
    }
    // The worked answers are what the grammar accepts.
    let grammar = Grammar::new(&Vocabulary::memo()).requiring(Requirement::EverySentence);
    let accepted = AcceptedAnswers::of(&grammar);
    for &language in Language::ALL {
        let prompt = memo()
            .in_language(language)
            .requiring(Requirement::EverySentence)
            .build();
        for line in prompt.text().lines().rev().take(4).step_by(2) {
            let (_, answer) = line.split_once([':', '：']).unwrap();
            assert!(accepted.has(answer.trim()), "{language}: {answer}");
        }
    }
    let text = memo().requiring(Requirement::EverySentence).build();
    assert!(
        text.text()
            .contains("Annotate every sentence, also questions")
    );
    assert!(!text.text().contains("Do not annotate"));
}

#[test]
fn every_class_and_observation_is_listed() {
    let memo_vocabulary = Vocabulary::memo();
    for (language, form, length) in all() {
        let prompt = memo()
            .in_language(language)
            .asking_for(form)
            .with_length(length)
            .citing(&observations());
        let text = prompt.build().text().to_owned();
        for (class, _) in memo_vocabulary.classes() {
            assert!(text.contains(&format!("- {class}: ")), "{language} {class}");
        }
        assert!(text.contains("- decayed-to-uncertainty: "));
        match form {
            PromptForm::Bracketed => {
                assert!(text.contains("[substrate.grep; observation-id=\"a[0]; \\\"b\\\"\"; ts=2026-05-28T11:41:00+02:00]"));
                assert!(text.contains("- [substrate.git.log; observation-id=4f2a9c1]\n"));
                // What the summary quotes is no annotation.
                assert!(text.contains("fn main() \\[substrate.grep]"), "{text}");
            }
            _ => {
                assert!(text.contains(
                    r#"{"substrate_class":"substrate.git.log","observation_id":"4f2a9c1","ts":null}"#
                ));
            }
        }
    }
    let none = memo().citing(&Observations::default()).build();
    assert!(
        none.text()
            .contains("No observations have been made so far.")
    );
}

/// The parser accepts the examples of every prompt.
#[test]
fn worked_answers_are_well_formed() {
    for (language, form, length) in all() {
        let prompt = memo()
            .in_language(language)
            .asking_for(form)
            .with_length(length)
            .build();
        let answers: Vec<&str> = prompt.text().lines().rev().take(4).step_by(2).collect();
        assert_eq!(answers.len(), 2);
        let mut found = 0;
        for line in answers {
            let (_, answer) = line.split_once([':', '：']).unwrap();
            match form {
                PromptForm::Bracketed => {
                    let (annotations, faults) = read(answer, &Vocabulary::memo());
                    assert!(annotations > 0 && faults == 0, "{line}");
                    found += annotations;
                }
                _ => {
                    let mut parser = Parser::builder().mode(Mode::Json).build();
                    let mut note = |event: Event<'_>| match event {
                        Event::Assertion(assertion) => {
                            found += assertion.annotations().len();
                            assert!(assertion.annotations().all(|one| one.reason().is_none()));
                        }
                        Event::Diagnostic(diagnostic) => {
                            panic!("{language}: {diagnostic}: {answer}")
                        }
                        _ => {}
                    };
                    let json = answer.find('{').unwrap();
                    parser.push(&answer.as_bytes()[json..], &mut note);
                    parser.finish(&mut note);
                }
            }
        }
        let expected = match length {
            PromptLength::Full => 4,
            _ => 3,
        };
        assert_eq!(found, expected, "{language} {form} {length}");
    }
}

#[test]
fn the_hash_is_that_of_the_text() {
    let prompt = memo().build();
    assert_eq!(prompt, memo().build());
    assert_eq!(prompt.sha256().len(), 64);
    assert!(prompt.sha256().bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_ne!(
        prompt.sha256(),
        memo().in_language(Language::German).build().sha256()
    );
    // SHA-256 of the golden file, as `sha256sum` gives it. A change of the texts changes it, and PROMPT_VERSION with it.
    assert_eq!(PROMPT_VERSION, 2);
    golden(
        "prompt/sha256.txt",
        &format!("{}  en.bracketed.short.txt\n", prompt.sha256()),
    );
}

#[test]
fn a_class_is_known_to_the_prompt_as_soon_as_the_vocabulary_has_it() {
    let file = br#"
version = "1.1"
[[class]]
id = "substrate.ct.log"
since = "1.1"
description = "an entry of a certificate transparency log"
[[class]]
id = "substrate.plain"
since = "1.1"
[[class]]
id = "substrate.grep"
since = "1.0"
description = "what rg prints"
"#;
    let later = Vocabulary::from_toml(file).unwrap();
    for (language, form, length) in all() {
        let prompt = Prompt::new(&later)
            .in_language(language)
            .asking_for(form)
            .with_length(length)
            .build();
        let text = prompt.text();
        assert!(text.contains("- substrate.ct.log: an entry of a certificate transparency log\n"));
        assert!(text.contains("- substrate.grep: what rg prints\n"));
        assert!(text.contains("- substrate.plain: ") && !text.contains("- substrate.plain: \n"));
    }
    let version = Version::new(2, 0);
    let one = Vocabulary::builder(version)
        .class("measured", version)
        .build()
        .unwrap();
    let text = Prompt::new(&one).build().text().to_owned();
    assert!(text.contains("[measured; observation-id=4f2a9c1; ts=2026-05-28T11:40:00Z]"));
    assert!(!text.contains("substrate.grep"));
    let none = Vocabulary::builder(version).build().unwrap();
    let text = Prompt::new(&none).build().text().to_owned();
    assert!(text.contains("[unverified-inference]") && !text.contains("4f2a9c1"));
}
