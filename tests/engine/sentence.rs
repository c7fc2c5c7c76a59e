//! Sentence boundaries against a table of hand-judged cases, and properties of the splitter.

use std::collections::BTreeMap;

use proptest::prelude::*;
use provstream::sentence::{UNICODE_VERSION, last_sentence, sentences};
use unicode_segmentation::UnicodeSegmentation;

type Table = BTreeMap<String, Vec<(String, String)>>;

fn table() -> Table {
    toml::from_str(include_str!("../data/sentences.toml")).expect("a table of pairs by language")
}

#[test]
fn last_sentences_of_the_table() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (language, cases) in table() {
        for (candidate, expected) in cases {
            count += 1;
            let last = candidate[last_sentence(candidate.as_bytes())..].trim_start();
            if last != expected {
                wrong.push(format!(
                    "{language}: {candidate:?}\n  is       {last:?}\n  expected {expected:?}"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 170, "only {count} cases");
}

/// A sentence does not depend on the text before it if a sentence ends there.
#[test]
fn a_sentence_before_changes_nothing() {
    for (candidate, expected) in table().into_values().flatten() {
        let opener = candidate.chars().find(|char| !char.is_whitespace());
        if !opener.is_some_and(char::is_uppercase) {
            continue;
        }
        let longer = format!("Everything before this went quite well. {candidate}");
        let last = longer[last_sentence(longer.as_bytes())..].trim_start();
        assert_eq!(last, expected, "{longer:?}");
    }
}

#[test]
fn sentences_cover_the_candidate() {
    let split = |text: &str| -> Vec<String> {
        sentences(text.as_bytes())
            .map(|range| text[range].to_owned())
            .collect()
    };
    assert_eq!(split(""), [""; 0]);
    assert_eq!(split("One. Two!  Three"), ["One. ", "Two!  ", "Three"]);
    assert_eq!(
        split("One. 2! Three. (4) 🎉"),
        ["One. ", "2! ", "Three. (4) 🎉"]
    );
    assert_eq!(
        split("一。二！Three.\n> Four"),
        ["一。", "二！", "Three.\n> ", "Four"]
    );
}

#[test]
fn pinned_version_is_that_of_the_oracle() {
    let (major, minor, update) = unicode_segmentation::UNICODE_VERSION;
    let pinned = (
        UNICODE_VERSION.0.into(),
        UNICODE_VERSION.1.into(),
        UNICODE_VERSION.2.into(),
    );
    assert_eq!(pinned, (major, minor, update));
}

fn properties(candidate: &[u8]) {
    let all: Vec<_> = sentences(candidate).collect();
    assert_eq!(
        all.last().map_or(0, |last| last.start),
        last_sentence(candidate)
    );
    let mut at = 0;
    for range in &all {
        assert_eq!(range.start, at);
        assert!(range.end > range.start);
        at = range.end;
    }
    assert_eq!(at, candidate.len());
    if let Ok(text) = core::str::from_utf8(candidate) {
        assert!(all.iter().all(|range| text.is_char_boundary(range.start)));
    }
}

/// Pieces that the rules are about.
fn piece() -> impl Strategy<Value = &'static [u8]> {
    prop::sample::select(
        [
            ".", "..", "...", "!", "?", "…", "。", "！", "？", " ", "  ", "\n", "\r\n", "\n> ",
            "\n>> > ", "\u{a0}", "\u{2028}", "\u{85}", "\"", "'", "”", "»", "«", "(", ")", "」",
            "’", "a", "A", "b", "é", "É", "The", "He", "Dr", "p.m", "U.S", "z. B", "e.g", "No",
            "on", "am", "Mai", "said", "Mary", "1", "12", "2019", "II", "§", "-", "—", ",", ":",
            ";", ">", "*", "[", "]", "🎉", "雨", "と", "说", "\u{301}", "\u{200d}", "x_", "@", "/",
            "ª", "J.-C", "wort", "Word",
        ]
        .map(str::as_bytes)
        .into_iter()
        .chain([&b"\x80"[..], b"\xE2\x80", b"\xFF", b"\xF0\x9F"])
        .collect::<Vec<_>>(),
    )
}

/// Text for which the differences of the wire profile do not matter: long words, terminators with white space behind them
/// (no line break), separators, no closing punctuation in front of a small letter.
fn plain() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "Prolonged",
        "walking",
        "Über\u{ad}morgen",
        "straße",
        "Привет",
        "пока",
        "दुनिया",
        "日本国",
        "עברית",
        "عربية",
        "ﬁne",
        "Ǆungla",
        "ⅷⅷⅷ",
        "ქართული",
        "e\u{301}tude",
        "Ꭰꮃꭹ",
        "𐐀𐐨𐐨𐐨",
        "ไทยไทย",
        "한국어",
        "၁၂၃",
        "2500",
        "٣٤٥٦",
        "👍🏽",
        "word-word",
        "†‡",
    ]);
    let end = prop::sample::select(vec![
        ". ",
        "! ",
        "? ",
        ".  ",
        "।\u{2003}",
        "؟ ",
        "։ ",
        "። ",
        "။\u{a0}",
        "․ ",
        "﹒ ",
        "。 ",
        "!? ",
        "?!! ",
        "…  ",
        ", ",
        " – ",
        "\u{2028}",
        "\u{2029}",
        "\u{85}",
        " ",
        "\t",
        "\u{301} ",
        ".\u{301} ",
        ".\u{200d} \u{301}",
        "\u{fe0f} ",
        ":\u{b}",
        "; ",
        "‽ ",
        "⁇\u{3000}",
        "𑁇 ",
    ]);
    (prop::collection::vec((word, end), 0..24), Just("Closing")).prop_map(|(pieces, tail)| {
        let mut text: String = pieces
            .into_iter()
            .flat_map(|(word, end)| [word, end])
            .collect();
        text.push_str(tail);
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_bytes(candidate in prop::collection::vec(any::<u8>(), 0..200)) {
        properties(&candidate);
    }

    #[test]
    fn any_text(candidate in ".{0,80}") {
        properties(candidate.as_bytes());
    }

    #[test]
    fn delimiter_heavy(pieces in prop::collection::vec(piece(), 0..40)) {
        properties(&pieces.concat());
    }

    #[test]
    fn agrees_with_uax_29(text in plain()) {
        let ours: Vec<_> = sentences(text.as_bytes()).map(|range| range.start).collect();
        let theirs: Vec<_> = text.split_sentence_bound_indices().map(|(at, _)| at).collect();
        prop_assert_eq!(ours, theirs);
    }
}

/// How many boundaries of an answer are not where a reader sees them: missing ones, and others.
fn misplaced(marked: &str) -> (usize, usize) {
    let answer = marked.replace('¦', "");
    let mut expected = std::collections::BTreeSet::new();
    let mut len = 0;
    for part in marked.split('¦') {
        len += part.len();
        expected.insert(len);
    }
    let found: std::collections::BTreeSet<usize> = sentences(answer.as_bytes())
        .map(|range| range.end)
        .collect();
    (
        expected.difference(&found).count(),
        found.difference(&expected).count(),
    )
}

/// Without closing markup there were 63 missing boundaries and 16 others. What is left has nothing to do with markup at the end of a
/// sentence: an opening tag, `Abschn.`, a single letter of Korean, and `h.`
#[test]
fn sentences_of_answers_in_markdown() {
    let answers: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("../data/answers.toml")).expect("a list by language");
    assert!(answers.values().flatten().count() >= 40);
    let (mut missing, mut others) = (0, 0);
    for answer in answers.values().flatten() {
        let (less, more) = misplaced(answer);
        missing += less;
        others += more;
    }
    assert_eq!((missing, others), (4, 1));
}

/// Closing markup, each kind once or twice.
const CLOSING: [&str; 12] = [
    "**",
    "_",
    "~~",
    "***",
    "</p>",
    "</strong></li>",
    "[^1]",
    "[^a-b]",
    "[1][23]",
    "【4:0†source】",
    "²",
    "<sup>1</sup>",
];

/// Sentences of the table, each with markup at its end, have the same boundaries as without.
#[test]
fn closing_markup_changes_no_boundary() {
    let followed_by_space = |text: &str| text.is_empty() || text.starts_with([' ', '\n']);
    let mut count = 0;
    for (candidate, _) in table().into_values().flatten() {
        let plain: Vec<usize> = sentences(candidate.as_bytes())
            .map(|range| range.start)
            .collect();
        for markup in CLOSING {
            // After every terminator that white space follows, with closing quotes and parentheses before the markup or after it.
            let (mut marked, mut starts) = (String::new(), Vec::new());
            let mut after = false;
            for (at, char) in candidate.char_indices() {
                if after && followed_by_space(&candidate[at..]) && char != '\u{a0}' {
                    marked.push_str(markup);
                    count += 1;
                }
                if plain.contains(&at) {
                    starts.push(marked.len());
                }
                after = matches!(char, '.' | '!' | '?')
                    || after && matches!(char, '"' | '”' | ')' | '\'');
                marked.push(char);
            }
            if after {
                marked.push_str(markup);
            }
            let found: Vec<usize> = sentences(marked.as_bytes())
                .map(|range| range.start)
                .collect();
            assert_eq!(found, starts, "{marked:?}");
        }
    }
    assert!(count > 2_000, "only {count}");
}

#[test]
fn other_markup_closes_nothing() {
    for whole in [
        "The **U.S.** economy grew.",
        "It changed **in v1.2** and later.",
        "See [the guide.](https://example.org/a) for more.",
        "It rains.[1](u) Snow falls.",
        "It rains.</p Snow falls.",
        "It rains.**Snow** falls.",
        "**1.** It runs.",
    ] {
        assert_eq!(last_sentence(whole.as_bytes()), 0, "{whole}");
    }
    let long = format!("It rains.{} Snow falls.", "*".repeat(65));
    assert_eq!(last_sentence(long.as_bytes()), 0);
    let most = format!("It rains.{} Snow falls.", "*".repeat(64));
    assert_eq!(last_sentence(most.as_bytes()), 74);
}
