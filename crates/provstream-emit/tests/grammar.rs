//! Grammars: what they accept and refuse, and how they are printed.

#[path = "common/accepted.rs"]
mod accepted;
mod common;

use std::sync::LazyLock;

use accepted::AcceptedAnswers;
use common::{Random, golden, is_canonical, malformed, observations, read, well_formed};
use provstream::provenance::{Version, Vocabulary};
use provstream_emit::{Grammar, GrammarPrintError, GrammarTarget, Observations, Requirement};

fn open() -> Grammar {
    Grammar::new(&Vocabulary::memo())
}

fn sentences() -> Grammar {
    open().requiring(Requirement::EverySentence)
}

static OPEN: LazyLock<AcceptedAnswers> = LazyLock::new(|| AcceptedAnswers::of(&open()));
static SENTENCES: LazyLock<AcceptedAnswers> = LazyLock::new(|| AcceptedAnswers::of(&sentences()));

#[test]
fn every_canonical_annotation_of_the_corpus_is_accepted() {
    let all = well_formed();
    assert!(all.iter().any(|one| one.len() == 1_024));
    let (canonical, others): (Vec<String>, _) = all.into_iter().partition(|one| is_canonical(one));
    assert!(canonical.len() >= 145, "{}", canonical.len());
    // Six with an anchor, two with a long id, two with second 60, two in lower case.
    assert_eq!(others.len(), 12, "{others:?}");
    for one in canonical {
        assert!(OPEN.has(&one), "{one}");
        assert!(SENTENCES.has(&format!("It is so. {one}")), "{one}");
    }
    for one in others {
        assert!(!OPEN.has(&one), "{one}");
    }
}

#[test]
fn malformed_and_unknown_annotations_are_refused() {
    let all = malformed();
    assert!(all.len() >= 200, "{}", all.len());
    let vocabulary = Vocabulary::memo();
    for one in all {
        let (annotations, faults) = read(&one, &vocabulary);
        assert!(annotations > 0 && faults > 0, "a reader accepts {one}");
        assert!(!OPEN.has(&one), "{one}");
        assert!(!OPEN.has(&format!("It is so. {one} More.")), "{one}");
        assert!(!SENTENCES.has(&format!("It is so. {one}")), "{one}");
    }
}

#[test]
fn ordinary_brackets_are_text() {
    for text in [
        "",
        "[",
        "[]",
        "[1]",
        "[x]",
        "[ ] task",
        "[^1]: note",
        "[text](url)",
        "[see note]",
        "a[i[0]][1.5]",
        "[[wiki]]",
        "[3.1.b]",
        "[1.0.]",
        "[1.0.x]",
        "[1.",
        "[sub]",
        "[substrates]",
        "[substrate]",
        "[Subscribe](x)",
        "[unverified]",
        "[unverified-inferences]",
        "[unverified-inference.x]",
        "[decay]",
        "[a, b]",
        "[\"a\": 1]",
        "[citation needed]",
        "[note\n]",
        "[a.b.c]",
        "[a.]",
        "[a..b]",
        "[-1]",
        "[a",
        "[a.",
        "[a ",
        "[1.0",
        "[1.0.s",
        "x] y",
        "[é]",
        "[a\u{e9}]",
        "[[1][2]]",
        "[\n",
        "[see [1]]",
        "```\n[x]\n```",
    ] {
        assert!(OPEN.has(text), "{text:?}");
        assert_eq!(read(text, &Vocabulary::memo()), (0, 0), "{text:?}");
    }
}

#[test]
fn text_never_starts_what_a_reader_would_take_for_an_annotation() {
    let mut random = Random(7);
    let pieces = [
        "[",
        "[",
        "[",
        " ",
        "\n",
        "\t",
        "1.0.",
        "2.7.",
        "01.",
        ".",
        ";",
        "]",
        "]",
        "substrate",
        ".",
        "grep",
        "Substrate",
        "SUB",
        "unverified-inference",
        "Unverified",
        "-inference",
        "decayed-to-uncertainty",
        "note",
        "ts",
        "=",
        "observation-id",
        "observation_id",
        "x",
        "-",
        "_",
        "1",
        "\"",
        "é",
        "substrate.grep",
        "2026-05-28T11:40:00Z",
        "; ts=",
        "[substrate.",
        "[substrate.grep]",
        "[unverified-inference]",
        "[1.0.substrate.grep",
        "\\",
        "`",
        "[substrate.grep; observation-id=\"",
        "\"]",
    ];
    let (mut accepted, mut annotated) = (0, 0);
    for _ in 0..30_000 {
        let count = 1 + random.below(9);
        let text: String = (0..count).map(|_| random.one_of(&pieces)).collect();
        let (annotations, faults) = read(&text, &Vocabulary::memo());
        let accepts = OPEN.has(&text);
        assert!(!accepts || faults == 0, "accepted: {text:?}");
        accepted += usize::from(accepts);
        annotated += usize::from(accepts && annotations > 0);
    }
    assert!(accepted > 5_000 && annotated > 50, "{accepted} {annotated}");
}

#[test]
fn ids_and_times_have_the_bounds_of_the_wire_profile() {
    let with = |parameters: &str| OPEN.has(&format!("[substrate.grep{parameters}]"));
    for good in [
        "; observation-id=a",
        "; observation-id=a b\tc",
        "; observation-id=\"a\" b",
        "; observation-id=\\",
        "; observation-id=é",
        "; observation-id=\" a\"",
        "; observation-id=\"\\\\\\\"\"",
        "; ts=0000-02-29T00:00:00Z",
        "; ts=2024-02-29T23:59:59.123456789Z",
        "; ts=2000-02-29T00:00:00-23:59",
    ] {
        let good = if good.starts_with("; observation-id=\"a\" b") {
            "; observation-id=a\"b"
        } else {
            good
        };
        assert!(with(good), "{good:?}");
        assert_eq!(
            read(&format!("[substrate.grep{good}]"), &Vocabulary::memo()),
            (1, 0),
            "{good:?}"
        );
    }
    for bad in [
        "; observation-id= a",
        "; observation-id=a ",
        "; observation-id=a;b",
        "; observation-id=\"a",
        "; observation-id=\"\\n\"",
        "; observation-id=a\nb",
        "; observation-id=\"\u{7f}\"",
        "; ts=2023-02-29T00:00:00Z",
        "; ts=1900-02-29T00:00:00Z",
        "; ts=2024-04-31T00:00:00Z",
        "; ts=2024-13-01T00:00:00Z",
        "; ts=2024-01-01T24:00:00Z",
        "; ts=2024-01-01T00:60:00Z",
        "; ts=2024-01-01T00:00:60Z",
        "; ts=2024-01-01T00:00:00",
        "; ts=2024-01-01T00:00:00.Z",
        "; ts=2024-01-01T00:00:00+24:00",
        "; ts=2016-12-31T23:59:60Z",
        "; ts=2016-12-31T18:59:60.5-05:00",
        "; ts=2024-02-29t23:59:59Z",
        "; ts=2024-02-29T23:59:59z",
        "; ts=20240101T000000Z",
        "; ts=2024-01-01 00:00:00Z",
    ] {
        assert!(!with(bad), "{bad:?}");
    }
    for (character, most) in [("a", 942), ("é", 235), ("🙂", 235)] {
        let fits = format!("; observation-id={}", character.repeat(most));
        assert!(with(&fits));
        assert!(!with(&format!("{fits}{character}")));
        let longest =
            format!("[substrate.unix.peercred{fits}; ts=2026-05-28T11:40:00.123456789+02:00]");
        assert!(OPEN.has(&longest) && longest.len() <= 1_024);
        assert_eq!(read(&longest, &Vocabulary::memo()), (1, 0));
    }
}

/// A backslash or a code span hides the outer annotation from a reader, so that a bracket in its value is looked at.
#[test]
fn values_hold_no_annotation_of_their_own() {
    for bad in [
        "\\[substrate.grep; observation-id=\"[unverified-inference; x]\"]",
        "\\[substrate.grep; observation-id=\"a [substrate.telepathy]\"]",
        "`[substrate.grep; observation-id=\"a` [1.0.substrate.telepathy]\"]",
        "\\[substrate.grep; observation-id=\"[ note; ts=x]\"]",
    ] {
        assert!(read(bad, &Vocabulary::memo()).1 > 0, "{bad}");
        assert!(!OPEN.has(bad), "{bad}");
    }
    for good in [
        "\"app/[slug]/page.tsx\"",
        "\"a[0][17]; b\"",
        "\"[]\"",
        "\"x]\"",
        "\"[(\"",
    ] {
        let text = format!("\\[substrate.grep; observation-id={good}]");
        assert!(OPEN.has(&text), "{text}");
        assert_eq!(read(&text, &Vocabulary::memo()).1, 0, "{text}");
    }
}

/// Reads a file of observations of one class each.
fn made(items: &[(&str, &str)]) -> Observations {
    let items: Vec<_> = items
        .iter()
        .map(|(class, id)| serde_json::json!({"class": class, "id": id}))
        .collect();
    let file = serde_json::to_vec(&items).unwrap();
    Observations::from_json(&file, &Vocabulary::memo()).unwrap()
}

/// A backslash or a backtick before an annotation makes it text, and a bracket in its id the start of another.
#[test]
fn listed_ids_hold_no_annotation_of_their_own() {
    for (id, before) in [
        ("a` [substrate.grep; observation-id=FAKE] b", "It `is. "),
        ("m[substrate.nope]", "It is. \\"),
        ("[substrate.grep]", "It is. \\"),
        ("[ 1.0.substrate.grep ]", "\\"),
        ("[x][unverified-inference]", "\\"),
        ("[Substrate.Grep; ", "\\"),
        ("\\[substrate.grep; x]", "\\"),
        ("[note; ts=2026-05-28T11:40:00Z]", "\\"),
    ] {
        let listed = made(&[("substrate.code.read", id), ("substrate.grep", "a")]);
        let grammar = open().citing(&listed);
        let written = serde_json::to_string(id).unwrap();
        let text = format!("{before}[substrate.code.read; observation-id={written}]");
        assert_ne!(read(&text, &Vocabulary::memo()), (0, 0), "{text}");
        for &target in GrammarTarget::ALL {
            let error = grammar.print(target).unwrap_err().to_string();
            assert!(error.starts_with("observation 1: the id "), "{error}");
            assert!(error.contains("--require every-sentence"), "{error}");
        }
        // There neither backslashes nor open backticks exist.
        let sentences = grammar.requiring(Requirement::EverySentence);
        let accepted = AcceptedAnswers::of(&sentences);
        let text = format!("So. [substrate.code.read; observation-id={written}]");
        assert!(accepted.has(&text), "{text}");
        assert_eq!(read(&text, &Vocabulary::memo()), (1, 0));
        assert!(sentences.print(GrammarTarget::Ebnf).is_ok());
    }
    // Brackets that start nothing.
    for id in [
        "a[0]",
        "app/[slug]/[id].tsx",
        "[",
        "[note; later]",
        "[]",
        "[1.0.x]",
    ] {
        let grammar = open().citing(&made(&[("substrate.code.read", id)]));
        let text = format!("\\[substrate.code.read; observation-id=\"{id}\"]");
        assert!(AcceptedAnswers::of(&grammar).has(&text), "{text}");
        for &target in GrammarTarget::ALL {
            assert!(grammar.print(target).is_ok(), "{id} {target}");
        }
    }
}

#[test]
fn listed_ids_fit_every_annotation_that_cites_them() {
    for length in [938, 960, 985, 986, 990, 991] {
        let id = "a".repeat(length);
        let listed = made(&[("substrate.grep", &id)]);
        let grammar = open().citing(&listed);
        let accepted = AcceptedAnswers::of(&grammar);
        let sentences = grammar.clone().requiring(Requirement::EverySentence);
        let sentences = AcceptedAnswers::of(&sentences);
        for class in ["substrate.grep", "decayed-to-uncertainty"] {
            let text = format!("So. [{class}; observation-id={id}]");
            let fits = read(&text, &Vocabulary::memo()) == (1, 0);
            assert_eq!(accepted.has(&text), fits, "{class} {length}");
            assert_eq!(sentences.has(&text), fits, "{class} {length}");
            let tag = grammar.print(GrammarTarget::StructuralTag).unwrap();
            let tag: serde_json::Value = serde_json::from_str(&tag).unwrap();
            let tags = tag["format"]["tags"].as_array().unwrap();
            let begin = format!("[{class}");
            let tagged = tags.iter().any(|tag| {
                tag["begin"] == begin.as_str() && tag["content"].to_string().contains(&id)
            });
            assert_eq!(tagged, fits, "{class} {length}");
        }
        let legacy = grammar.print(GrammarTarget::StructuralTagLegacy);
        assert_eq!(legacy.is_ok(), length <= 989, "{length}");
        if let Err(error) = legacy {
            let told = format!("found {} bytes", length + 35);
            assert!(error.to_string().contains(&told), "{error}");
        }
    }
}

/// JSON writes a tab as an escape, which no annotation has.
#[test]
fn the_older_tag_refuses_a_tab_in_an_id() {
    let grammar = open().citing(&made(&[("substrate.grep", "a\tb")]));
    let error = grammar.print(GrammarTarget::StructuralTagLegacy);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("observation 1: the id \"a\\tb\""), "{error}");
    assert!(grammar.print(GrammarTarget::StructuralTag).is_ok());
}

/// XGrammar refuses a trigger that no tag begins with.
#[test]
fn every_trigger_begins_a_tag() {
    let version = Version::new(1, 1);
    let note = Vocabulary::builder(version)
        .class("note", version)
        .class("notebook", version)
        .build()
        .unwrap();
    let of_note = |file: &[u8]| Observations::from_json(file, &note).unwrap();
    for (grammar, excluded) in [
        (open(), None),
        (open().citing(&observations()), None),
        (open().citing(&Observations::default()), Some("[substrate.")),
        (Grammar::new(&note), None),
        (
            Grammar::new(&note).citing(&of_note(br#"[{"class":"note","id":"a"}]"#)),
            Some("[substrate."),
        ),
        (
            Grammar::new(&note).citing(&of_note(br#"[{"class":"substrate.grep","id":"a"}]"#)),
            Some("[note;"),
        ),
    ] {
        let tag = grammar.print(GrammarTarget::StructuralTag).unwrap();
        let tag: serde_json::Value = serde_json::from_str(&tag).unwrap();
        let strings = |name: &str| -> Vec<String> {
            let all = tag["format"][name].as_array().unwrap().iter();
            all.map(|one| one.as_str().unwrap().to_owned()).collect()
        };
        let tags = tag["format"]["tags"].as_array().unwrap();
        for trigger in strings("triggers") {
            let begins =
                |tag: &serde_json::Value| tag["begin"].as_str().unwrap().starts_with(&trigger);
            assert!(tags.iter().any(begins), "{trigger}");
        }
        for tag in tags {
            let begin = tag["begin"].as_str().unwrap();
            let starts = strings("triggers");
            let count = starts
                .iter()
                .filter(|start| begin.starts_with(*start))
                .count();
            assert_eq!(count, 1, "{begin}");
            let excludes = strings("excludes");
            assert!(
                !excludes.iter().any(|one| begin.starts_with(one)),
                "{begin}"
            );
        }
        if let Some(excluded) = excluded {
            assert!(
                strings("excludes").iter().any(|one| one == excluded),
                "{excluded}"
            );
        }
    }
}

#[test]
fn only_observations_can_be_cited() {
    let accepted = AcceptedAnswers::of(&open().citing(&observations()));
    for good in [
        "[substrate.grep; observation-id=src/a.rs:7; ts=2026-05-28T11:40:00Z]",
        "[substrate.git.log; observation-id=4f2a9c1]",
        "[substrate.grep; observation-id=\"a[0]; \\\"b\\\"\"; ts=2026-05-28T11:41:00+02:00]",
        "[unverified-inference]",
        "[decayed-to-uncertainty]",
        "[decayed-to-uncertainty; observation-id=4f2a9c1]",
    ] {
        assert!(accepted.has(&format!("So. {good}")), "{good}");
    }
    for bad in [
        "[substrate.grep]",
        "[substrate.grep; observation-id=src/a.rs:7]",
        "[substrate.grep; observation-id=src/a.rs:8; ts=2026-05-28T11:40:00Z]",
        "[substrate.grep; observation-id=src/a.rs:7; ts=2026-05-28T11:40:01Z]",
        "[substrate.grep; ts=2026-05-28T11:40:00Z]",
        "[substrate.git.log; observation-id=src/a.rs:7; ts=2026-05-28T11:40:00Z]",
        "[substrate.code.read; observation-id=4f2a9c1]",
        "[unverified-inference; observation-id=4f2a9c1]",
        "[1.0.substrate.git.log; observation-id=4f2a9c1]",
        "[decayed-to-uncertainty; observation-id=other]",
    ] {
        assert!(!accepted.has(&format!("So. {bad}")), "{bad}");
    }
    let none = AcceptedAnswers::of(&open().citing(&Observations::default()));
    assert!(none.has("So. [unverified-inference]") && !none.has("So. [substrate.grep]"));
}

#[test]
fn a_class_is_known_to_the_grammar_as_soon_as_the_vocabulary_has_it() {
    let version = Version::new(1, 3);
    let later = Vocabulary::builder(version)
        .class("substrate.ct.log", version)
        .class("note", version)
        .class("Note.Two", version)
        .build()
        .unwrap();
    let grammar = Grammar::new(&later);
    let accepted = AcceptedAnswers::of(&grammar);
    for good in [
        "[substrate.ct.log]",
        "[note]",
        "[note; observation-id=x]",
        "[Note.Two]",
        "[notebook]",
        "[note.x]",
        "[see note]",
        "[not]",
        "[n[note]]",
    ] {
        assert!(accepted.has(good), "{good}");
        assert_eq!(read(good, &later).1, 0, "{good}");
    }
    for bad in [
        "[1.0.substrate.grep]",
        "[1.3.substrate.grep]",
        "[Note]",
        "[note.two]",
        "[NOTE.TWO]",
        "[note; x]",
        "[note ]",
    ] {
        assert!(!accepted.has(bad), "{bad}");
    }
    assert!(!OPEN.has("[substrate.ct.log]") && OPEN.has("[note]"));
    for target in GrammarTarget::ALL {
        let with = grammar.print(*target).unwrap();
        assert!(
            with.contains("substrate.ct.log") || with.contains("substrate\\.ct\\.log"),
            "{target}"
        );
        assert_ne!(with, open().print(*target).unwrap());
    }
}

#[test]
fn vocabularies_of_any_size_can_be_printed() {
    let version = Version::new(2, 0);
    let mut builder = Vocabulary::builder(version);
    for letter in 'a'..='z' {
        builder = builder.class(&letter.to_string(), version);
        builder = builder.class(&format!("{letter}{}", "x".repeat(254)), version);
    }
    let vocabulary = builder.build().unwrap();
    let grammar = Grammar::new(&vocabulary);
    let accepted = AcceptedAnswers::of(&grammar);
    assert!(accepted.has("[a] [b; observation-id=1] [a1] x") && !accepted.has("[A]"));
    for target in GrammarTarget::ALL {
        assert!(grammar.print(*target).is_ok());
    }
    let empty = Grammar::new(&Vocabulary::builder(version).build().unwrap());
    let accepted = AcceptedAnswers::of(&empty);
    assert!(accepted.has("[unverified-inference] [x]") && !accepted.has("[substrate.grep]"));
}

#[test]
fn the_older_tag_says_what_it_cannot() {
    let sentences = open().requiring(Requirement::EverySentence);
    let error = sentences
        .print(GrammarTarget::StructuralTagLegacy)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the target structural-tag-legacy cannot express the requirement every-sentence (--require); use another target"
    );
    let none = open().citing(&Observations::default());
    let error = none.print(GrammarTarget::StructuralTagLegacy).unwrap_err();
    assert!(matches!(error, GrammarPrintError::Inexpressible { .. }));
    assert_eq!(
        error.to_string(),
        "the target structural-tag-legacy cannot express annotations: --observations lists none, and terminals are no tags in it; use another target"
    );
    let terminals = Vocabulary::builder(Version::new(2, 0)).build().unwrap();
    let error = Grammar::new(&terminals).print(GrammarTarget::StructuralTagLegacy);
    assert!(error.is_err());
}

#[test]
fn printed_grammars_are_what_they_were() {
    for (set, grammar) in [("open", open()), ("closed", open().citing(&observations()))] {
        for &requirement in Requirement::ALL {
            let grammar = grammar.clone().requiring(requirement);
            for &target in GrammarTarget::ALL {
                if let Ok(text) = grammar.print(target) {
                    golden(&format!("grammar/{set}.{requirement}.{target}"), &text);
                    // Engines read as many hexadecimal digits as there are.
                    let bytes = text.as_bytes();
                    let run_on = bytes
                        .windows(5)
                        .any(|w| w.starts_with(b"\\x") && w[2..].iter().all(u8::is_ascii_hexdigit));
                    assert!(!run_on, "{set} {requirement} {target}");
                }
            }
        }
    }
}
