//! Answers with the markers that models write, and text in which nothing is cited.

#[cfg(feature = "dialects")]
mod engine;
#[cfg(feature = "dialects")]
mod equality;
#[cfg(feature = "dialects")]
mod parser;

use std::collections::BTreeMap;

use serde::Deserialize;
use testkit::reference::dialects::generate::case;
use testkit::reference::dialects::{BUILT_IN, Dialects, Known, Read, With, read};
use testkit::reference::{Reading, RefLimits, Segment};
use testkit::sentence;

#[derive(Deserialize)]
struct Data {
    answer: Vec<Answer>,
    ordinary: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Answer {
    dialects: Vec<String>,
    text: String,
    citations: Vec<(Vec<String>, String)>,
    sources: Option<Vec<String>>,
}

fn data() -> Data {
    toml::from_str(include_str!("../../data/markers.toml")).expect("answers, and ordinary text")
}

impl Answer {
    fn dialects(&self) -> Vec<&'static str> {
        let known = |name: &String| {
            let known = BUILT_IN.into_iter().find(|built_in| built_in == name);
            known.unwrap_or_else(|| panic!("{name} is no built-in dialect"))
        };
        self.dialects.iter().map(known).collect()
    }

    fn sources(&self) -> Known {
        let sources = self.sources.clone();
        sources.map_or(Known::Nothing, Known::Complete)
    }

    /// The answer without the signs around what stripping removes.
    fn input(&self) -> String {
        self.text.replace(['⟦', '⟧'], "")
    }

    fn stripped(&self) -> String {
        let kept = self.text.split('⟦').enumerate().map(|(index, piece)| {
            let removed = piece.find('⟧').map_or(0, |end| end + '⟧'.len_utf8());
            if index == 0 { piece } else { &piece[removed..] }
        });
        kept.collect()
    }
}

fn reference(text: &str, dialects: &[&'static str], known: &Known) -> Read {
    let input = [Segment {
        own: true,
        bytes: text.as_bytes().to_vec(),
        after_break: false,
    }];
    let with = With {
        dialects: &Dialects::built_in(dialects),
        known,
    };
    let limits = RefLimits::default();
    read(Reading::TEXT, &input, &limits, with, &sentence::starts)
}

/// The ids and texts of citations.
fn cited(read: &Read) -> Vec<(Vec<String>, String)> {
    let ids = |citation: &testkit::reference::dialects::Citation| {
        citation.ids.iter().map(|id| id.id.clone()).collect()
    };
    let citations = read.citations.iter();
    citations
        .map(|citation| (ids(citation), citation.text.clone()))
        .collect()
}

#[test]
fn the_reference_reads_the_answers_as_a_reader_does() {
    let mut faults = Vec::new();
    for answer in data().answer {
        let found = reference(&answer.input(), &answer.dialects(), &answer.sources());
        let clean = String::from_utf8_lossy(&found.clean).into_owned();
        if (&clean, &cited(&found)) != (&answer.stripped(), &answer.citations) {
            faults.push(format!(
                "{:?}\n  is       {clean:?}\n           {:?}\n  expected {:?}\n           {:?}",
                answer.input(),
                cited(&found),
                answer.stripped(),
                answer.citations,
            ));
        }
        let mut codes = found.diagnostics.iter().map(|(code, _)| *code);
        assert!(
            codes.all(|code| code == "unread-marker"),
            "{:?}",
            answer.input()
        );
    }
    assert!(faults.is_empty(), "{}\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_reference_finds_no_marker_in_ordinary_text() {
    let mut faults = Vec::new();
    for (language, texts) in data().ordinary {
        for text in texts {
            for all in [&["numeric"][..], &BUILT_IN] {
                let found = reference(&text, all, &Known::Nothing);
                if !found.markers.is_empty() {
                    faults.push(format!("{language}: {text:?}: {:?}", found.markers));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}\n{}", faults.len(), faults.join("\n"));
}

/// The examples of docs/dialects.md.
#[test]
fn the_reference_agrees_with_the_examples_of_the_page() {
    let found = |text: &str, dialects: &[&'static str]| {
        let read = reference(text, dialects, &Known::Nothing);
        let cited = cited(&read).into_iter();
        let cited: Vec<_> = cited
            .map(|(ids, text)| format!("{}|{text}", ids.join(",")))
            .collect();
        (
            String::from_utf8(read.clean).expect("UTF-8"),
            cited.join("; "),
        )
    };
    for (text, dialect, clean, cited) in [
        (
            "Paris [1] is big [7]. So",
            "numeric",
            "Paris is big. So",
            "1,7|Paris is big.",
        ),
        (
            "It rains. [1] Snow falls.[2]",
            "numeric",
            "It rains. Snow falls.",
            "1|It rains.; 2|Snow falls.",
        ),
        ("- [doc1] says so.", "doc", "- says so.", "doc1|says so."),
        ("\\【4:0†a】", "openai-file", "\\【4:0†a】", ""),
        ("A\\\\【4:0†a】", "openai-file", "A\\\\", "4:0|A\\\\"),
        (
            "It rains. [substrate.grep] [1] So",
            "numeric",
            "It rains. So",
            "1|It rains.",
        ),
        (
            "<cite>The Scream</cite>",
            "cite-tag",
            "<cite>The Scream</cite>",
            "",
        ),
        ("[text][1]", "numeric", "[text][1]", ""),
        ("Rain.\n\n[doc1]", "doc", "Rain.\n\n", "doc1|Rain."),
        (
            "Rain.\n[doc1]\n\nSnow.",
            "doc",
            "Rain.\n\n\nSnow.",
            "doc1|Rain.",
        ),
        ("```\nx\n```\n[doc1]", "doc", "```\nx\n```\n", "doc1|"),
        ("| a [doc1] | [doc2] |", "doc", "| a | |", "doc1,doc2|a"),
        (
            "【【1】】 is wide.",
            "numeric",
            "【】 is wide.",
            "1|【】 is wide.",
        ),
    ] {
        assert_eq!(
            found(text, &[dialect]),
            (clean.to_owned(), cited.to_owned()),
            "{text:?}"
        );
    }
}

/// A generator whose answers had no markers would compare nothing.
#[test]
fn generated_answers_have_markers_of_every_dialect() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..200 {
        let case = case(seed);
        let with = With {
            dialects: &Dialects::built_in(&case.dialects),
            known: &case.sources,
        };
        let sentences = &sentence::starts;
        let found = read(Reading::TEXT, &case.input, &case.limits, with, sentences);
        let citations = &found.citations;
        let several = citations.iter().filter(|citation| citation.ids.len() > 1);
        let dialects = found.markers.iter().map(|marker| (marker.dialect, 1));
        let codes = found.diagnostics.iter().map(|(code, _)| (*code, 1));
        let kinds = [
            ("several", several.count()),
            (
                "text",
                citations
                    .iter()
                    .filter(|citation| citation.text.is_empty())
                    .count(),
            ),
        ];
        for (kind, count) in dialects.chain(codes).chain(kinds) {
            *counts.entry(kind).or_default() += count;
        }
    }
    for kind in BUILT_IN
        .into_iter()
        .chain(["several", "text", "unclosed-marker"])
    {
        assert!(
            counts.get(kind).is_some_and(|&count| count >= 5),
            "{kind}: {counts:?}"
        );
    }
}
