//! The requirement that every sentence has an annotation.

#[path = "common/accepted.rs"]
mod accepted;
mod common;

use accepted::AcceptedAnswers;
use common::Random;
use provstream::provenance::Vocabulary;
use provstream::sentence::last_sentence;
use provstream::{Event, Mode, Parser};
use provstream_emit::{Grammar, Requirement};

fn accepted() -> AcceptedAnswers {
    AcceptedAnswers::of(&Grammar::new(&Vocabulary::memo()).requiring(Requirement::EverySentence))
}

/// Returns `true` if a letter is outside all assertions and annotations.
fn has_bare_text(answer: &str) -> bool {
    let mut covered = Vec::new();
    let mut parser = Parser::builder().mode(Mode::Auto).build();
    let mut note = |event: Event<'_>| match event {
        Event::Annotation(found) => covered.push(found.span()),
        Event::Assertion(assertion) => covered.push(assertion.span()),
        _ => {}
    };
    parser.push(answer.as_bytes(), &mut note);
    parser.finish(&mut note);
    answer.char_indices().any(|(at, c)| {
        let at = at as u64;
        c.is_alphabetic()
            && !covered
                .iter()
                .any(|span| (span.start()..span.end()).contains(&at))
    })
}

#[test]
fn annotated_sentences_are_accepted() {
    let answers = accepted();
    for answer in [
        "It runs. [substrate.grep]",
        "It runs [unverified-inference]",
        "It runs! [substrate.grep] [substrate.git.log] Why? [unverified-inference]\n",
        "CHANGELOG.md has 1.2.3 (or `x.y`) of src/a.rs. [substrate.code.read; observation-id=a]",
        "- One. [substrate.grep]\n- Two, too. [substrate.grep]\n\n1. Three. [substrate.grep]\n2. Four. [substrate.grep]",
        "# Title [unverified-inference]\n\n> He said \"yes.\" [substrate.grep]",
        "これは本当です。[substrate.grep] 次も。[unverified-inference]",
        "Ça marche vraiment\u{a0}! [substrate.grep]",
        "`a.rs` and `b` are ~5 ms apart. [substrate.fs.mtime]",
    ] {
        assert!(answers.has(answer), "{answer:?}");
        assert!(!has_bare_text(answer), "{answer:?}");
    }
}

#[test]
fn sentences_without_an_annotation_are_refused() {
    let answers = accepted();
    for answer in [
        "",
        "It runs.",
        "It runs. It stops. [substrate.grep]",
        "It runs. [substrate.grep] It stops.",
        "It runs. [substrate.grep] It stops",
        "It runs? It does! [substrate.grep]",
        "She said \"no.\" He left. [substrate.grep]",
        "One。Two。[substrate.grep]",
        "One।  Two। [substrate.grep]",
        "# Title\n\nIt runs. [substrate.grep]",
        "It runs.\nIt stops. [substrate.grep]",
        "```\nIt runs.\n```\n[substrate.grep]",
        "| a. | b. | [substrate.grep]",
        "It runs. \\[substrate.grep]",
        "It runs ` so [substrate.grep]",
        "It ``runs`` so. [substrate.grep]",
        "{\"a\": [substrate.grep] ",
        "[1] It runs. [substrate.grep]",
        "~~~ [substrate.grep]\nx. [substrate.grep]",
        "It runs. [substrate.telepathy]",
        " ",
    ] {
        assert!(!answers.has(answer), "{answer:?}");
    }
}

/// A reader leaves out annotations beyond 4,096 bytes in an assertion, and an annotation needs text before it.
#[test]
fn every_annotation_reaches_an_assertion() {
    let answers = accepted();
    let long = format!(" [substrate.grep; observation-id={}]", "a".repeat(938));
    for (answer, accepted) in [
        (format!("It is.{}", long.repeat(4)), true),
        (format!("It is.{}", long.repeat(5)), false),
        (
            format!("It is. {}", "[unverified-inference]".repeat(4)),
            true,
        ),
        (
            format!("It is. {}", "[unverified-inference]".repeat(70)),
            false,
        ),
        ("- [unverified-inference]".into(), false),
        ("# [unverified-inference]".into(), false),
        ("1. [unverified-inference]".into(), false),
        ("> - [unverified-inference]".into(), false),
        (
            "It is. [substrate.grep] \", [substrate.git.log]".into(),
            false,
        ),
        (
            "It is. [substrate.grep] \u{2019} [substrate.git.log]".into(),
            false,
        ),
        ("- 42 [unverified-inference]".into(), true),
        ("> - `x` [unverified-inference]".into(), true),
        ("- .5 [unverified-inference]".into(), true),
        ("12! [unverified-inference]".into(), true),
    ] {
        assert_eq!(answers.has(&answer), accepted, "{answer}");
        assert!(!accepted || diagnostics(&answer).is_empty(), "{answer}");
    }
}

/// The diagnostics of a reader.
fn diagnostics(answer: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut parser = Parser::builder().mode(Mode::Auto).build();
    let mut note = |event: Event<'_>| {
        if let Event::Diagnostic(diagnostic) = event {
            all.push(diagnostic.code().to_string());
        }
    };
    parser.push(answer.as_bytes(), &mut note);
    parser.finish(&mut note);
    all
}

/// Random texts of what sentences, their ends and markup are made of: whatever the grammar accepts has no text without an
/// annotation.
#[test]
fn nothing_accepted_has_text_without_an_annotation() {
    let mut random = Random(11);
    let pieces = [
        "One",
        "two",
        " ",
        " ",
        " ",
        ".",
        ".",
        "!",
        "?",
        "。",
        "…",
        "Dr",
        "e.g",
        "p. 5",
        "\"",
        ")",
        "”",
        "»",
        "(",
        "\n",
        "\n- ",
        "1. ",
        "# ",
        "> ",
        "`",
        "`a`",
        "``",
        "~",
        "{",
        "|",
        "\\",
        ":",
        ";",
        ",",
        "-",
        "A",
        "B.",
        "etc",
        "\u{a0}",
        "。」",
        "x.y",
        " [substrate.grep]",
        " [substrate.grep]",
        "[unverified-inference]",
        ". [substrate.grep] ",
        " [unverified-inference]\n",
        "[1]",
        "\u{2028}",
        "\u{3000}",
        "•",
        "⟨",
        "•",
        "\u{2019} ",
        "\u{203a}",
        ", ",
        "* ",
        "+ ",
        ") ",
        "\u{2003}",
        "ß",
        "İ",
        "٣",
    ];
    let answers = accepted();
    let mut accepted = 0;
    for _ in 0..30_000 {
        let count = 1 + random.below(8);
        let mut answer: String = (0..count).map(|_| random.one_of(&pieces)).collect();
        answer += " [substrate.grep]";
        if answers.has(&answer) {
            accepted += 1;
            assert!(!has_bare_text(&answer), "{answer:?}");
            assert_eq!(diagnostics(&answer), [""; 0], "{answer:?}");
        }
    }
    assert!(accepted > 500, "{accepted}");
}

/// The grammar lists the characters that can end a sentence; here they are found by trying all of them.
#[test]
fn the_list_of_terminators_is_complete() {
    let answers = accepted();
    let ends = |c: char| {
        [
            format!("Ab cd{c} Ef"),
            format!("Ab cd{c}) Ef"),
            format!("Ab cd{c}Ef"),
        ]
        .iter()
        .any(|text| last_sentence(text.as_bytes()) > 0)
    };
    let (ending, others): (Vec<char>, Vec<char>) = ('!'..=char::MAX).partition(|&c| ends(c));
    // One text with every character that ends none: if the grammar accepts it, it lists no other; and each that ends one
    // is refused in the middle of a sentence.
    let syntax = ".!?[{|\\`~";
    let harmless: String = others
        .into_iter()
        .filter(|&c| !c.is_control() && !syntax.contains(c) && c != '\u{feff}')
        .collect();
    assert!(answers.has(&format!("{harmless} [substrate.grep]")));
    let terminators = ending.into_iter().filter(|c| !c.is_ascii());
    assert!(terminators.clone().count() > 100);
    for c in terminators {
        assert!(
            !answers.has(&format!("Ab cd{c} Ef [substrate.grep]")),
            "{c:?}"
        );
        assert!(
            !answers.has(&format!("Ab cd{c}Ef [substrate.grep]")),
            "{c:?}"
        );
    }
}
