//! Answers with the markers that models write, and text in which nothing is cited.

use std::collections::BTreeMap;

use serde::Deserialize;
use testkit::reference::dialects::{Dialects, Known, Read, With, read};
use testkit::reference::{Reading, RefLimits, Segment};
use testkit::sentence;

/// Names of the built-in dialects.
const BUILT_IN: [&str; 9] = [
    "openai-file",
    "openai-web",
    "file-token",
    "numeric",
    "doc",
    "citation",
    "cohere",
    "cite-tag",
    "nova",
];

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
    toml::from_str(include_str!("../data/markers.toml")).expect("answers, and ordinary text")
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
        assert_eq!(found.diagnostics, [], "{:?}", answer.input());
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
