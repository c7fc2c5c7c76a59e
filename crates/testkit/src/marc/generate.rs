//! Seeded generators of valid MARC objects and of MARC objects with a few faults.

use provstream_marc::{
    Action, Band, Document, Draft, MarcKind, Remediability, Score, Scores, Source, Target,
};

/// A deterministic pseudo-random generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    /// Draws a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Draws `true` with a probability of one in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Encodes a text as a JSON string.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

/// Numbers in [0.0, 1.0] in various notations.
const IN_RANGE: &[&str] = &[
    "0",
    "1",
    "0.0",
    "1.0",
    "-0",
    "-0.0",
    "0.5",
    "0.41",
    "0.00",
    "1e0",
    "10e-1",
    "0.1E+1",
    "5e-1",
    "1e-300",
    "0.9999999999999999",
];

const TEXTS: &[&str] = &[
    "ask one clarifying question",
    "x",
    " x",
    "naïve \u{1F680}",
    "a \"quoted\" line\nand another",
    "none",
];

/// Draws a score as JSON, one in three in an unusual notation.
fn score(random: &mut Random) -> String {
    if random.one_in(3) {
        random.pick(IN_RANGE).into()
    } else {
        format!("0.{:02}", random.below(100))
    }
}

/// Draws a JSON string of 1 to 280 code points.
fn content(random: &mut Random) -> String {
    match random.below(12) {
        0 => quoted(&"a".repeat(280)),
        1 => quoted(&"\u{1F680}".repeat(280)),
        _ => quoted(random.pick(TEXTS)),
    }
}

/// Builds an object of the `members`, half of the time in random order; their order has no meaning.
fn shuffled(random: &mut Random, mut members: Vec<(&str, String)>) -> Document {
    if random.one_in(2) {
        for at in (1..members.len()).rev() {
            members.swap(at, random.below(at + 1));
        }
    }
    document(members)
}

fn document(members: Vec<(&str, String)>) -> Document {
    let mut document = Document::new();
    for (name, json) in members {
        document.set(name, &json).expect("JSON");
    }
    document
}

/// Generates an object without violations of level "must".
pub fn valid(kind: MarcKind, draft: Draft, random: &mut Random) -> Document {
    match kind {
        MarcKind::Core => core(draft, random),
        _ => disclosure(draft, random),
    }
}

/// Draws a confidence target that is allowed with the action.
fn target(action: Option<Action>, random: &mut Random) -> String {
    match action {
        Some(Action::Answer) => quoted(Target::Answer.as_str()),
        _ => quoted(random.pick(Target::NAMES)),
    }
}

fn core(draft: Draft, random: &mut Random) -> Document {
    let action = random.pick(Action::ALL);
    let scores = Source::NAMES
        .iter()
        .map(|name| (*name, score(random)))
        .collect();
    let uncertainty = shuffled(random, scores).to_json();
    let version = match draft {
        // Applied strictly, -01 knows no other.
        Draft::Draft01 => "1.0",
        _ => random.pick(&["1.0", "1.0", "1.0", "1.1", "1.20"]),
    };
    let mut members = vec![
        ("marc_version", quoted(version)),
        ("pre_capability", score(random)),
        ("uncertainty", uncertainty),
        ("primary_source", quoted(random.pick(Source::NAMES))),
        ("remediability", quoted(random.pick(Remediability::NAMES))),
        ("selected_action", quoted(action.as_str())),
        ("confidence_band", quoted(random.pick(Band::NAMES))),
        ("recommended_next_step", content(random)),
    ];
    match random.below(3) {
        0 => {}
        1 => members.push(("secondary_source", "null".into())),
        _ => members.push(("secondary_source", quoted(random.pick(Source::NAMES)))),
    }
    match random.below(3) {
        _ if action == Action::Answer => members.push(("post_answer_confidence", score(random))),
        0 => {}
        1 => members.push(("post_answer_confidence", "null".into())),
        _ => members.push(("post_answer_confidence", score(random))),
    }
    if draft == Draft::Draft02 {
        members.push(("confidence_target", target(Some(action), random)));
        if random.one_in(2) {
            members.push(("decision_id", quoted(random.pick(&["d-1", "d-2", "", "é"]))));
        }
        if random.one_in(2) {
            let parent = random.pick(&["\"d-0\"", "\"\"", "null"]);
            members.push(("parent_decision_id", parent.into()));
        }
        let integers = ["0", "1", "2.0", "3e0", "10", "-1", "9007199254740993"];
        for name in ["iteration", "max_iterations"] {
            if random.one_in(2) {
                members.push((name, random.pick(&integers).into()));
            }
        }
        if random.one_in(2) {
            members.push(("calibration_profile", quoted("profile-2026-05")));
        }
    }
    private(random, &mut members);
    shuffled(random, members)
}

fn disclosure(draft: Draft, random: &mut Random) -> Document {
    let action = random.one_in(2).then(|| random.pick(Action::ALL));
    let mut members = vec![
        ("answer", content(random)),
        ("confidence_band", quoted(random.pick(Band::NAMES))),
        ("uncertainty_source", quoted(random.pick(Source::NAMES))),
        ("recommended_next_step", content(random)),
    ];
    if random.one_in(8) {
        members[0].1 = quoted(&"long ".repeat(100));
    }
    if draft == Draft::Draft02 {
        members.push(("confidence_target", target(action, random)));
    }
    if let Some(action) = action {
        members.push(("selected_action", quoted(action.as_str())));
    }
    private(random, &mut members);
    shuffled(random, members)
}

fn private(random: &mut Random, members: &mut Vec<(&str, String)>) {
    if random.one_in(4) {
        members.push(("x_trace", random.pick(ANY).into()));
    }
}

/// JSON values of every type.
const ANY: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "0.5",
    "\"\"",
    "\"x\"",
    "\"0.5\"",
    "[]",
    "[0.5]",
    "{}",
    "{\"ambiguity\":0.5}",
];

/// Numbers outside [0.0, 1.0], also after rounding to a floating-point number.
const OUT_OF_RANGE: &[&str] = &[
    "-0.01",
    "1.01",
    "2",
    "-1",
    "1e3",
    "-1e-9",
    "1.0000001",
    "-1E+2",
    "11e-1",
];

const VERSIONS: &[&str] = &[
    "1.0",
    "1.1",
    "1.10",
    "2.0",
    "0.9",
    "10.0",
    "1",
    "1.",
    ".0",
    "1.0.0",
    "01.0",
    "1.00",
    "1.01",
    "v1.0",
    " 1.0",
    "1.0 ",
    "1.0\n",
    "1,0",
    "1.-1",
    "+1.0",
    "1.0-rc",
    "\u{661}.0",
    "",
    "1.4294967296",
];

/// Member names that neither draft defines.
const UNKNOWN: &[&str] = &[
    "note",
    "Marc_version",
    "X_trace",
    "_x_trace",
    "x-trace",
    "x",
    "",
    "a/b~c",
    "residual",
    "NONE",
];

/// Member names that at least one draft defines.
const NAMES: &[&str] = &[
    "marc_version",
    "decision_id",
    "parent_decision_id",
    "iteration",
    "max_iterations",
    "calibration_profile",
    "pre_capability",
    "uncertainty",
    "primary_source",
    "secondary_source",
    "remediability",
    "selected_action",
    "post_answer_confidence",
    "confidence_band",
    "confidence_target",
    "recommended_next_step",
    "answer",
    "uncertainty_source",
];

/// Draws a term of the enumeration that contains `like`, otherwise of any enumeration, or an
/// invalid term.
fn term(like: Option<&str>, random: &mut Random) -> &'static str {
    let all = [
        Source::NAMES,
        Remediability::NAMES,
        Action::NAMES,
        Band::NAMES,
        Target::NAMES,
        &["unknown", "very_high", "REFUSE", "low ", "\u{212A}"],
    ];
    let own = like.and_then(|like| all.into_iter().find(|names| names.contains(&like)));
    let names = own
        .filter(|_| !random.one_in(4))
        .unwrap_or_else(|| random.pick(&all));
    random.pick(names)
}

/// Applies one random change to a member of the object or of its `uncertainty`.
pub fn mutate(document: &mut Document, random: &mut Random) {
    if random.one_in(4)
        && let Some(mut scores) = document.get_object("uncertainty")
    {
        let name = random.pick(Source::NAMES);
        mutate_member(&mut scores, name, random);
        document.set_object("uncertainty", &scores);
        return;
    }
    // Mostly a member that is there, so that most changes mean something.
    let there: Vec<String> = document.members().map(|(name, _)| name.into()).collect();
    if there.is_empty() || random.one_in(6) {
        let name = random.pick(NAMES);
        mutate_member(document, name, random);
    } else {
        let name = &there[random.below(there.len())];
        mutate_member(document, name, random);
    }
}

fn mutate_member(document: &mut Document, name: &str, random: &mut Random) {
    let text = document.get_str(name).map(|text| text.into_owned());
    let (name, json) = match random.below(15) {
        0 | 1 => {
            document.remove(name);
            return;
        }
        2 => (name, "null".into()),
        3 => (name, random.pick(ANY).into()),
        4 => match text {
            Some(text) if random.one_in(2) => (name, quoted(&text.to_uppercase())),
            Some(text) => (name, quoted(&text.to_lowercase())),
            None => (name, quoted(term(text.as_deref(), random))),
        },
        5..=7 => (name, quoted(term(text.as_deref(), random))),
        8 => (name, random.pick(OUT_OF_RANGE).into()),
        9 => (
            name,
            random.pick(&["1.5", "0.1", "1e-1", "2.50", "1e2"]).into(),
        ),
        10 => (name, quoted("")),
        11 => {
            let character = random.pick(&["a", "\u{e9}", "\u{1F680}"]);
            let len = random.pick(&[279, 280, 281, 600]);
            (name, quoted(&character.repeat(len)))
        }
        12 => (random.pick(UNKNOWN), random.pick(ANY).into()),
        13 => (
            random.pick(&["x_", "x_note", "x_X"]),
            random.pick(ANY).into(),
        ),
        _ if name == "marc_version" => (name, quoted(random.pick(VERSIONS))),
        _ if name == "uncertainty" => (name, Scores::all(Score::ZERO).to_string()),
        _ => (name, random.pick(IN_RANGE).into()),
    };
    document.set(name, &json).expect("JSON");
}

/// Generates a valid object and applies up to three random changes.
pub fn mutated(kind: MarcKind, draft: Draft, random: &mut Random) -> Document {
    let mut document = valid(kind, draft, random);
    for _ in 0..random.below(4) {
        mutate(&mut document, random);
    }
    document
}
