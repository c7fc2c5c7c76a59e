//! Results do not depend on chunk boundaries.

use super::common::run;
use proptest::prelude::*;
use provstream::{Dialects, Limits, Mode, Parser};
use std::sync::LazyLock;

const ALL: &str = "openai-file,openai-web,file-token,numeric,doc,citation,cohere,cite-tag,nova";

fn pieces() -> impl Strategy<Value = String> {
    let tag = ["<", "cite index=\"0-1\">"].concat();
    let piece = prop::sample::select(
        vec![
            "It rains",
            "Paris",
            " ",
            " ",
            " ",
            ".",
            ". ",
            "\n",
            "\n\n",
            "- ",
            "# ",
            "> ",
            "| ",
            "|",
            "1. ",
            "`",
            "```\n",
            "~~~\n",
            "\\",
            "!",
            "。",
            "[1]",
            "[2, 3]",
            "[1-3]",
            "[^1]",
            "[[1]](u)",
            "[1](u)",
            "【1】",
            "【4:0†a】",
            "【",
            "】",
            "†",
            "[doc1]",
            "[cite: 1]",
            "[cite_start]",
            "[citation:3]",
            "<co: 0>",
            "</co: 0>",
            "</cite>",
            "<ref id=a/>",
            "%[1]%",
            "<|file-a|>",
            "<|",
            "\u{E200}cite\u{E202}turn0a1\u{E201}",
            "\u{E200}",
            "\u{E202}",
            "\u{E201}",
            "[substrate.grep]",
            "[substrate",
            "[",
            "]",
            "(",
            ")",
            "{\"a\": 1}",
            "{ ",
            "{\"assertion\":\"x\"}",
            "[1]",
            "in ",
            "is ",
            "U.S. ",
            "The",
            "x",
            "5",
            "é",
            "\u{3000}",
            "=",
            ":",
            "]",
        ]
        .into_iter()
        .map(str::to_owned)
        .chain([tag])
        .collect::<Vec<_>>(),
    );
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// Parsers of texts, and of texts with JSON; those with a short limit cut many sentences off.
static PARSERS: LazyLock<[Parser; 4]> = LazyLock::new(|| {
    let dialects = Dialects::built_in(ALL.split(',')).expect("built-in dialects");
    let short = Limits::default().with_max_assertion(64).expect("a length");
    [
        (Mode::Text, Limits::default()),
        (Mode::Auto, Limits::default()),
        (Mode::Text, short),
        (Mode::Auto, short),
    ]
    .map(|(mode, limits)| {
        let builder = Parser::builder().mode(mode).limits(limits);
        builder.dialects(dialects.clone()).build()
    })
});

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(std::env::var("CASES").map_or(500, |n| n.parse().expect("a number"))) })]
    #[test]
    fn every_split_and_every_byte_alone_give_the_same(text in pieces(), mode in 0..4_usize) {
        let parser = &PARSERS[mode];
        let whole = run(parser, [text.as_bytes()]);
        let bytes = run(parser, text.as_bytes().chunks(1));
        prop_assert_eq!(&whole, &bytes);
        for cut in 1..text.len() {
            let (one, two) = text.as_bytes().split_at(cut);
            let split = run(parser, [one, two]);
            prop_assert_eq!(&whole, &split, "{}", cut);
        }
    }
}

#[test]
fn every_split_gives_the_same_where_much_is_undecided() {
    let texts = [
        // More blanks than are removed, after the marker of a list.
        format!("It is so [doc1].\n1.{}\n[doc3]It rains.", " ".repeat(70)),
        // A form that never closes.
        format!("- So【12:3†a.pdf】 it is. )雪，【4:0: {}", "é".repeat(300)),
        // A quote in a quote.
        "> It rains\n> > \u{E200}cite\u{E202}turn0search1\u{E201}\n\u{E200}cite\u{E202}turn0view0\u{E201}+\n-  x".to_owned(),
        // The row is cut off in its first cell.
        format!("|{}[9]. F|", "a".repeat(64)),
        // The citation gets too long right before the value ends.
        format!("[substrate.grep] [doc1][\":{{\"provenance\":{{\"substrate_class\":\"{}\"}},\"assertion\":\"x\"}}", "a".repeat(10)),
    ];
    let mut faults = Vec::new();
    for (text, parser) in texts
        .iter()
        .flat_map(|text| PARSERS.each_ref().map(|parser| (text, parser)))
    {
        let whole = run(parser, [text.as_bytes()]);
        let is_same = |cut| {
            let (one, two) = text.as_bytes().split_at(cut);
            run(parser, [one, two]) == whole
        };
        if run(parser, text.as_bytes().chunks(1)) != whole || !(0..text.len()).all(is_same) {
            faults.push(text);
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
}
