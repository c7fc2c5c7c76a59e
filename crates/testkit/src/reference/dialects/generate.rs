//! Seeded generator of answers with citation markers: of one dialect or several, whole, cut off and
//! misplaced, between prose, blocks, code, links, and annotations of the memo.

use super::super::generate::{self, Random};
use super::super::{Ev, Reading, RefLimits, RefVocabulary, Segment, events_in};
use super::Known;
use crate::sentence::last_sentence;

/// A generated answer with the settings for reading it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Names of built-in dialects, in order.
    pub dialects: Vec<&'static str>,
    pub sources: Known,
    pub limits: RefLimits,
    pub input: Vec<Segment>,
}

impl Case {
    /// Returns `true` for places about which the engine and the page do not agree yet, all of them rare:
    /// block markers that end the text, a line feed in brackets, a marker after a fenced block in a
    /// block quote, and white space beyond ASCII that ends the text in an open tag.
    pub fn is_open_question(&self) -> bool {
        let mut texts = vec![String::new()];
        for segment in &self.input {
            if segment.after_break {
                texts.push(String::new());
            }
            let last = texts.last_mut().expect("a text");
            last.push_str(&String::from_utf8_lossy(&segment.bytes));
        }
        self.has_line_feed_in_annotation() || texts.iter().any(|text| is_open_text(text))
    }

    fn has_line_feed_in_annotation(&self) -> bool {
        let raw: Vec<u8> = self
            .input
            .iter()
            .flat_map(|part| part.bytes.clone())
            .collect();
        let vocabulary = RefVocabulary::default();
        let (input, limits) = (&self.input, &self.limits);
        let events = events_in(Reading::TEXT, input, limits, &vocabulary, &last_sentence);
        events.iter().any(|event| match event {
            Ev::Annotation { span, .. } => raw[span.0 as usize..span.1 as usize].contains(&b'\n'),
            _ => false,
        })
    }
}

fn is_open_text(text: &str) -> bool {
    let is_marker = |word: &str| {
        let number = word.trim_end_matches(['.', ')']);
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let bullet = ["-", "*", "+", "•", ">"].contains(&word);
        bullet || is_number && number.len() < word.len() || word.bytes().all(|byte| byte == b'#')
    };
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
    let ends_with_markers = last.split_whitespace().all(is_marker);
    let white = text.ends_with(|char: char| char.is_whitespace() && !char.is_ascii());
    let open = [
        "[\n", "[ \n", "[\r", "> ```", "> ~~~", ">```", "\n[0]", "> - ```",
    ];
    ends_with_markers
        || white
        || open.iter().any(|open| text.contains(open))
        || text.starts_with("[0]")
}

/// Built-in dialects, each with texts of its markers. The first half of a list are markers; of the
/// others, some are text everywhere, and some are markers in the right place only.
const MARKERS: &[(&str, &[&str])] = &[
    (
        "openai-file",
        &[
            "【4:0†source】",
            "【12:3†a.pdf】",
            "【F:src/a.rs†L10-L20】",
            "【0†L1-L5】",
            "【4:0†Plan 2024 (B).pdf】",
            "【4:1†source】【4:2†source】",
            "【4:0†",
            "【4:0",
            "【",
            "【】",
            "【4:0†】",
            "【†source】",
            "【重要】",
            "【4:0†so\nurce】",
            "【4:0†a【4:1†b】",
            "†source】",
        ],
    ),
    (
        "openai-web",
        &[
            "\u{e200}cite\u{e202}turn0search1\u{e201}",
            "\u{e200}cite\u{e202}turn0search1\u{e202}turn12news3\u{e201}",
            "\u{e200}filecite\u{e202}turn0file0\u{e201}",
            "\u{e200}cite\u{e202}turn0file0\u{e202}L8-L13\u{e201}",
            "\u{e200}navlist\u{e202}turn0news4\u{e201}",
            "\u{e200}cite\u{e202}turn0view0\u{e201}\u{e200}cite\u{e202}turn1view0\u{e201}",
            "\u{e200}url\u{e202}Guide to Rome\u{e202}turn0search1\u{e201}",
            "\u{e200}entity\u{e202}[\"city\",\"Rome\",\"Italy\"]\u{e201}",
            "\u{e200}entity\u{e202}[\"city\",\"",
            "\u{e200}entity\u{e202}[\"city\"]\u{e201}",
            "\u{e200}url\u{e202}",
            "\u{e200}entit\u{e202}x\u{e201}",
            "\u{e200}cite\u{e202}turn0search1",
            "\u{e200}cite",
            "\u{e200}",
            "\u{e202}turn0search1",
            "\u{e200}cite\u{e201}",
            "\u{e200}cite\u{e202}\u{e201}",
            "\u{e201}",
            "\u{e200}cite\u{e202}turn0 search1\u{e201}",
        ],
    ),
    (
        "file-token",
        &[
            "<|file-abc|>",
            "<|file-Cn3MSNn72ENTiiq11Qda4A|>",
            "<|file-9f6eafe070234d7e82beadb78aebf882|>",
            "<|file-a|><|file-b|>",
            "<|file-abc",
            "<|file-abc|",
            "<|file-",
            "<|",
            "<|im_end|>",
            "<|file-|>",
            "<|file-a b|>",
        ],
    ),
    (
        "numeric",
        &[
            "[1]",
            "[2]",
            "[7]",
            "[1][2]",
            "[1, 2]",
            "[1,2,3]",
            "[1-3]",
            "[2–4]",
            "[^1]",
            "[^2^]",
            "[[1]](https://a.example/b)",
            "[[2]]()",
            "[3](https://a.example/(x))",
            "【1】",
            "［2］",
            "[1] [2], [3]",
            "[0]",
            "[12]",
            "[123]",
            "[1234]",
            "[2024]",
            "[01]",
            "[1, ",
            "[1",
            "[^",
            "[^1^",
            "[1-",
            "[3-1]",
            "[1-40]",
            "[1, 2-4, 9]",
            "[1,,2]",
            "[1 2]",
            "[ 1 ]",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]",
            "[[1]]",
            "[[1](x)]",
            "[1](",
            "[1](https://a.example/b",
            "[1](a\nb)",
            "[[1]](a b)",
            "[1]:",
            "[^1]:",
            "[text][1]",
            "[text](url)[1]",
            "xs[1]",
            "a_b[2]",
            "v2[1]",
            "= [1, 2]",
            "in [1, 5]",
            "∈ [1, 3]",
            ": [1, 2]",
            "[1] + ",
            "[1] = 2",
            "[x]",
            "[ ]",
            "【1",
            "[1】",
            "[\u{661}]",
        ],
    ),
    (
        "doc",
        &[
            "[doc1]",
            "[doc12]",
            "[doc1][doc2]",
            "[doc3]",
            "[doc]",
            "[doc1",
            "[do",
            "[docs]",
            "[doc1a]",
            "[doc 1]",
            "[doc1](x)",
            "[doc1]: x",
        ],
    ),
    (
        "citation",
        &[
            "[citation:3]",
            "[citation:1][citation:5]",
            "[cite: 1, 2]",
            "[cite:7]",
            "[cite_start]",
            "[cite_start]It snows.[cite: 4]",
            "[citation:",
            "[citation needed]",
            "[citation:x]",
            "[cite]",
            "[cite: 1,",
            "[cite_sta",
            "[cite: ]",
            "[[citation:3]]",
        ],
    ),
    (
        "cohere",
        &[
            "<co: 0>one</co: 0>",
            "<co: 0,1>It rains.</co: 0,1>",
            "<co: 2>a b. C d.</co: 2>",
            "<co: 0></co: 0>",
            "<co: 0>",
            "</co: 0>",
            "<co: 0",
            "<co",
            "</co",
            "<co: 0>one</co: 1>",
            "<co: 0>one <co: 1>two</co: 1></co: 0>",
            "<co: x>",
            "<co:>",
            "<company>",
        ],
    ),
    (
        "cite-tag",
        &[
            "<cite index=\"0-1\">It rains.</cite>",
            "<cite index=\"2-4,2-5\">100 °C</cite>",
            "<cite id='d_1'>a b. C d.</cite>",
            "<ref id=\"3\">So it is.</ref>",
            "<ref id=3>one</ref>",
            "<cite index=\"1-0\"></cite>",
            "<cite index=\"0-1\">",
            "</cite>",
            "<cite>The Scream</cite>",
            "<cite class=\"x\">Hamlet</cite>",
            "<cite index=\"0-1",
            "<cite index=",
            "<cit",
            "</cit",
            "<ref>x</ref>",
            "<ref id=\"3\">one</cite>",
            "<cite index=\"1-1\">one <cite index=\"1-2\">two</cite></cite>",
            "<ref id=\"3\"/>",
        ],
    ),
    (
        "nova",
        &[
            "%[1]%",
            "%[2]%%[3]%",
            "%[12]%",
            "%[1",
            "%[1]",
            "%[",
            "%",
            "%[x]%",
            "%[0]%",
            "%[1234]%",
            "%[1]%%",
        ],
    ),
];

/// Sentences and parts of sentences that markers follow, or that stand between them.
const PROSE: &[&str] = &[
    "It rains. ",
    "It rains",
    "The sky is blue",
    "Snow falls.",
    ". ",
    ".",
    "! ",
    "? So.",
    " and ",
    ", ",
    ",",
    "; ",
    ": ",
    " is ",
    " in ",
    " = ",
    "\" ",
    "\"So it is.\"",
    "”",
    ")",
    "(",
    "**It rains.** ",
    "**Paris** ",
    "_So it is._",
    "*",
    "**",
    "Dr. Smith, see p. 5, e.g. v1.2. ",
    "blue",
    "ab",
    "x1",
    "CHANGELOG.md",
    "caf\u{e9}",
    "下雨。",
    "雪，",
    "今日は雨です",
    "Идёт снег. ",
    "Non\u{a0}! »",
    " ",
    "  ",
    "\u{a0}",
    "\t",
    " - ",
    "- ",
    "+",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z ",
];

/// Block structure, code, and other places where brackets are text.
const PLACES: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\n- ",
    "\n* ",
    "\n1. ",
    "\n- [ ] ",
    "\n# ",
    "\n> ",
    "\n>\n> ",
    "\n| a | ",
    " | ",
    " |\n",
    "|---|---|\n",
    "`",
    "``",
    "`x[1]`",
    "\n```\n",
    "\n```\ncode [1].\n```\n",
    "\n~~~\n",
    "\\",
    "\\\\",
    "[text](url)",
    "[text](",
    "![x](y)",
    "[",
    "]",
    "[[",
    "]]",
    "](",
    "<",
    "<b>",
    "</b>",
    "<sup>1</sup>",
    "²",
    "[^a]",
    "\n[1] Smith, A. Rivers.",
    "\n[2]雨",
    "\n**[1]** ",
    "\n- _",
    "([1], ",
    "([2]; [3])",
    "\n[doc1]: ",
    "\n[2]: https://a.example",
    "\n[^1]: A note.",
];

/// Annotations of the memo, other brackets, and JSON.
const MEMO: &[&str] = &[
    "[substrate.grep]",
    " [substrate.grep; observation-id=a]",
    "[unverified-inference]. ",
    " [substrate.other] ",
    "[substrate.grep; x",
    "[subst",
    "[ct-log]",
    "{\"assertion\": \"It rains [1].\", \"provenance\": []}",
    "{\"a\": [1, 2]}",
    "[{\"a\": 1}]",
];

/// Builds the case of a seed.
pub fn case(seed: u64) -> Case {
    let (case, breaks) = (Random::new(seed ^ 0xD1A1_EC75), Random::new(seed ^ 0xB2EA));
    drawn(case, breaks)
}

/// Builds the case that a fuzzer's bytes choose.
pub fn chosen(choices: &[u8]) -> Case {
    let (breaks, case) = choices.split_at(choices.len().min(8));
    drawn(Random::chosen(case), Random::chosen(breaks))
}

fn drawn(mut random: Random, mut breaks: Random) -> Case {
    let dialects = dialects(&mut random);
    let sources = sources(&mut random);
    // How much of a long sentence is kept around its markers is not compared.
    let mut limits = RefLimits {
        max_assertion: 16 << 10,
        ..RefLimits::default()
    };
    let around = |name: &&str| matches!(*name, "cohere" | "cite-tag");
    if dialects.iter().all(around) && random.once_in(2) {
        limits.max_assertion = 4096;
    }
    if random.once_in(8) {
        limits.max_annotations = [2, 1, 3][random.below(3)];
    }
    let size = match random.below(20) {
        0 => 1_000 + random.below(4_000),
        1..=13 => 8 + random.below(90),
        _ => 60 + random.below(600),
    };
    let mixes_untrusted = random.once_in(12);
    let mut input = vec![Segment {
        own: true,
        bytes: Vec::new(),
        after_break: false,
    }];
    let mut total = 0;
    while total < size {
        if mixes_untrusted && random.once_in(10) {
            let own = !input[input.len() - 1].own;
            input.push(Segment {
                own,
                bytes: Vec::new(),
                after_break: false,
            });
        }
        let last = input.len() - 1;
        let bytes = &mut input[last].bytes;
        let before = bytes.len();
        fragment(&mut random, &dialects, bytes);
        total += bytes.len() - before;
    }
    let input = generate::with_drawn_breaks(input, &mut breaks, 16);
    Case {
        dialects,
        sources,
        limits,
        input,
    }
}

/// Sets of dialects that answers are read with, besides each alone and all together. They are few,
/// since they are compiled.
const SETS: &[&[&str]] = &[
    &["numeric", "openai-file"],
    &["openai-file", "numeric", "openai-web"],
    &["citation", "numeric", "doc"],
    &["cohere", "cite-tag"],
    &["cite-tag", "numeric"],
    &["nova", "file-token", "numeric"],
];

fn dialects(random: &mut Random) -> Vec<&'static str> {
    match random.below(12) {
        0..=2 => vec!["numeric"],
        3..=6 => vec![MARKERS[random.below(MARKERS.len())].0],
        7..=9 => SETS[random.below(SETS.len())].to_vec(),
        _ => MARKERS.iter().map(|(name, _)| *name).collect(),
    }
}

fn sources(random: &mut Random) -> Known {
    let ids = [
        "1",
        "2",
        "3",
        "0",
        "4:0",
        "turn0search1",
        "file-abc",
        "doc1",
        "0-1",
        "12",
    ];
    let some = |random: &mut Random| {
        let mut some = Vec::new();
        for id in ids {
            if random.once_in(2) {
                some.push(id.to_owned());
            }
        }
        some
    };
    match random.below(5) {
        0..=2 => Known::Nothing,
        3 => Known::Complete(some(random)),
        _ => Known::Incomplete(some(random)),
    }
}

/// Appends one fragment.
fn fragment(random: &mut Random, dialects: &[&str], bytes: &mut Vec<u8>) {
    match random.below(100) {
        0..=34 => {
            let name = dialects[random.below(dialects.len())];
            marker(random, name, bytes);
        }
        35..=39 => {
            // Most markers of another dialect are text.
            let name = MARKERS[random.below(MARKERS.len())].0;
            marker(random, name, bytes);
        }
        40..=74 => bytes.extend_from_slice(random.pick(PROSE).as_bytes()),
        75..=88 => bytes.extend_from_slice(random.pick(PLACES).as_bytes()),
        89..=93 => bytes.extend_from_slice(random.pick(MEMO).as_bytes()),
        94 => {
            let what = random.pick(&["a", " ", "[", "1, ", "é", "word ", "\n", "a. "]);
            let most = if random.once_in(10) { 2_000 } else { 90 };
            let times = 1 + random.below(most / what.len());
            bytes.extend_from_slice(what.repeat(times).as_bytes());
        }
        _ => generate::fragment(random, bytes),
    }
}

/// Appends a marker of a dialect, or a part of one.
fn marker(random: &mut Random, name: &str, bytes: &mut Vec<u8>) {
    let (_, texts) = MARKERS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a built-in dialect");
    let sound = random.once_in(2);
    let texts = if sound {
        &texts[..texts.len() / 3]
    } else {
        texts
    };
    bytes.extend_from_slice(random.pick(&["", " ", "", "\n"]).as_bytes());
    let text = random.pick(texts).as_bytes();
    let len = if random.once_in(12) {
        random.below(text.len() + 1)
    } else {
        text.len()
    };
    bytes.extend_from_slice(&text[..len]);
}
