//! White space beside text that a policy discards.

use provstream::{
    Action, Gate, GateHandler, Handler, Parser, Policy, Question, Spacing, TextChunk, Unannotated,
};

/// Discards what is declared as inference, unannotated text if `discards_runs` is set, and replaces what is annotated with `code.read`.
#[derive(Clone, Copy)]
struct Discards {
    discards_runs: bool,
    spacing: Spacing,
}

impl Policy for Discards {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let class = question.assertion().classes().next();
        match class.as_ref().map_or("", |class| class.as_str()) {
            "unverified-inference" => Action::Discard,
            "substrate.code.read" => Action::Replace("(withheld)".into()),
            "substrate.git.log" => Action::Refuse("No.".into()),
            _ => Action::Release,
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        match self.discards_runs {
            true => Unannotated::Discard,
            false => Unannotated::Release,
        }
    }

    fn spacing(&self) -> Spacing {
        self.spacing
    }
}

/// Output of a gate, with the spans of what was released and removed.
#[derive(Default)]
struct Seen {
    text: String,
    upto: u64,
}

impl Seen {
    fn cover(&mut self, text: &TextChunk<'_>) {
        assert_eq!(text.span().start(), self.upto, "spans are in order");
        assert!(!text.bytes().is_empty());
        self.upto = text.span().end();
    }
}

impl Handler for Seen {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.push_str(&String::from_utf8_lossy(text.bytes()));
    }
}

impl GateHandler for Seen {
    fn released(&mut self, text: TextChunk<'_>) {
        self.cover(&text);
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.cover(&text);
    }
}

/// Writes `text` in chunks of `size` bytes, with breaks at `✂`. Short forms of annotations are `[o]` for one that is released,
/// `[x]` for one that is discarded, `[r]` for one that is replaced and `[n]` for one that ends the stream.
fn written(text: &str, policy: Discards, size: usize) -> String {
    let text = text
        .replace("[o]", "[substrate.grep]")
        .replace("[x]", "[unverified-inference]")
        .replace("[r]", "[substrate.code.read]")
        .replace("[n]", "[substrate.git.log]");
    let (mut gate, mut seen) = (Gate::new(Parser::new(), policy), Seen::default());
    for (index, part) in text.split('✂').enumerate() {
        if index > 0 {
            gate.push_break(&mut seen);
            assert_eq!(gate.held_len(), 0, "nothing is held over a break");
        }
        for chunk in part.as_bytes().chunks(size) {
            gate.push(chunk, &mut seen);
        }
    }
    gate.finish(&mut seen);
    assert_eq!(gate.held_len(), 0);
    seen.text
}

fn check(text: &str, policy: Discards, expected: &str) {
    for size in 1..=text.len() {
        assert_eq!(written(text, policy, size), expected, "{text:?} by {size}");
    }
}

const JOINS: Discards = Discards {
    discards_runs: false,
    spacing: Spacing::Join,
};

#[test]
fn no_gap_is_left_where_a_sentence_was() {
    for (text, expected) in [
        // In a paragraph, at its start and at its end.
        ("One. Two. [x] Three.", "One. Three."),
        ("One. Two. [x] Three. [x] Four.", "One. Four."),
        ("One. [x] Two.", "Two."),
        ("One. [x]\n\nTwo.", "Two."),
        ("One. Two. [x]", "One. "),
        ("One. Two. [x]\n", "One. \n"),
        ("One. Two. [x] ", "One. "),
        ("One.\tTwo. [x]  Three.", "One.\tThree."),
        // Paragraphs.
        ("One.\n\nTwo. [x]\n\nThree.", "One.\n\nThree."),
        ("One.\n\nTwo. [x] Three.", "One.\n\nThree."),
        ("One. Two. [x]\n\nThree.", "One. \n\nThree."),
        ("One.\nTwo. [x]\n\nThree.", "One.\n\nThree."),
        ("One.\n\nTwo. [x]\nThree.", "One.\n\nThree."),
        ("One.\r\n\r\nTwo. [x]\r\n\r\nThree.", "One.\r\n\r\nThree."),
        ("One. Two. [x]  \nThree.", "One.   \nThree."),
        // Lists: the marker of an item stays.
        ("- One.\n- Two. [x]\n- Three.", "- One.\n- \n- Three."),
        ("- One. [x] Two.\n- Three.", "- Two.\n- Three."),
        ("- One.\n  Two. [x]\n  Three.", "- One.\n  Three."),
        ("- One.\n  Two. [x]\n- Three.", "- One.\n  \n- Three."),
        ("- One.\n  Two. [x]\n\n    Three.", "- One.\n  \n    Three."),
        ("One.\nTwo. [x]\n  - Three.", "One.\n  - Three."),
        ("> One.\n> Two. [x]\n> Three.", "> One.\n> \n> Three."),
        // Other text.
        ("One。Two。[x]Three.", "One。Three."),
        ("One. Two. [x] Three. [r] Four.", "One. (withheld) Four."),
        ("One. Two. [x] Three. [n] Four.", "One. No."),
        ("One. Two. [r] Three.", "One. (withheld) Three."),
        ("One. Two. [x]✂ Three.", "One. Three."),
        ("One. Two. [x] ✂ Three.", "One. Three."),
        ("One. Two. [x] ✂Three.", "One. Three."),
        (
            "One. {\"assertion\":\" A \",\"provenance\":{\"substrate_class\":\"unverified-inference\"}} Two.",
            "One. {\"assertion\":\"\",\"provenance\":{\"substrate_class\":\"unverified-inference\"}} Two.",
        ),
    ] {
        check(text, JOINS, expected);
    }
}

#[test]
fn no_gap_is_left_where_unannotated_text_was() {
    let policy = Discards {
        discards_runs: true,
        ..JOINS
    };
    for (text, expected) in [
        ("I think. One. [o] So I think. Two. [o]", "One. Two."),
        ("One. [o] So I think.\n\nTwo. [o]", "One. \n\nTwo."),
        ("One. [o]\n\nSo I think.\n\nTwo. [o]", "One.\n\nTwo."),
        (
            "One. [o]\nI think. Two. [x] I think.\nThree. [o]",
            "One.\nThree.",
        ),
        ("One. [o] So I think.\n", "One. "),
        ("One. [o] So I think. ✂ Two. [o]", "One. Two."),
        ("- One. [o]\n- Two. [o]", "One.\nTwo."),
    ] {
        check(text, policy, expected);
    }
}

#[test]
fn white_space_stays_if_the_policy_says_so() {
    let keeps = Discards {
        spacing: Spacing::Keep,
        ..JOINS
    };
    check("One. Two. [x] Three.", keeps, "One.  Three.");
    check("One. [x] Two.", keeps, " Two.");
    let keeps = Discards {
        discards_runs: true,
        ..keeps
    };
    check("One. [o] So I think.\n\nTwo. [o]", keeps, "One. Two.");
}

/// Discards one sentence, and has a single character in place of another.
struct OneByte;

impl Policy for OneByte {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match question.assertion().text() {
            "Two." => Action::Replace("-".into()),
            "Three." => Action::Discard,
            _ => Action::Release,
        }
    }
}

#[test]
fn a_single_character_is_not_white_space() {
    let text = b"One. Two. [substrate.grep]Three. [substrate.grep] Four.";
    let (mut gate, mut written) = (Gate::new(Parser::new(), OneByte), Vec::new());
    gate.push(text, &mut written);
    gate.finish(&mut written);
    assert_eq!(String::from_utf8_lossy(&written), "One. - Four.");
}

#[test]
fn long_white_space_stays() {
    for (len, kept) in [(64, 0), (65, 65), (10_000, 10_000)] {
        let (spaces, left) = (" ".repeat(len), " ".repeat(kept));
        let text = format!("One. Two. [x]{spaces}Three.");
        for size in [1, 7, 4_096] {
            let found = written(&text, JOINS, size);
            assert_eq!(found, format!("One. {left}Three."), "{len} by {size}");
        }
        // At the end of a run it is a part of the run.
        let text = format!("One. [o]So{spaces}so.{spaces}Two. [o]");
        let policy = Discards {
            discards_runs: true,
            ..JOINS
        };
        for size in [1, 7, 4_096] {
            let joined = if kept == 0 { &*spaces } else { "" };
            let found = written(&text, policy, size);
            assert_eq!(found, format!("One.{joined}Two."), "{len} by {size}");
        }
    }
}

#[test]
fn text_is_not_held_back_for_white_space() {
    let mut gate = Gate::new(Parser::new(), JOINS);
    let mut text = Vec::new();
    for (chunk, written, held) in [
        ("One. Two. [unverified-inference] ", "One. ", 5),
        ("T", "One. ", 1),
        ("hree. F", "One. Three. ", 1),
        ("our. [unverified-inference]\n\n", "One. Three. ", 7),
        ("# ", "One. Three. \n\n#", 1),
    ] {
        gate.push(chunk.as_bytes(), &mut text);
        assert_eq!(String::from_utf8_lossy(&text), written, "{chunk}");
        assert_eq!(gate.held_len(), held, "{chunk}");
    }
    // In a run that is discarded, white space may turn out to be its end.
    let policy = Discards {
        discards_runs: true,
        ..JOINS
    };
    let (mut gate, mut text) = (Gate::new(Parser::new(), policy), Vec::new());
    gate.push(b"I think.\n\nT", &mut text);
    assert_eq!((gate.held_len(), gate.is_holding()), (3, true));
    gate.push(b"wo.\n\nT", &mut text);
    assert_eq!(gate.held_len(), 3);
    gate.finish(&mut text);
    assert_eq!(text, b"");
}
