//! Escaped text has no annotation.

use std::borrow::Cow;

use proptest::prelude::*;
use provstream::Parser;
use provstream::provenance::{Vocabulary, escape, escape_str};
use testkit::reference;
use testkit::reference::holdback::completions;
use testkit::reference::{Ev, RefLimits, RefVocabulary};
use testkit::seen::Seen;

use super::{bytes, cases, own};

/// Text to put before escaped text; none of it ends in a backslash or in the start of an
/// annotation.
const BEFORE: &[&str] = &[
    "",
    "So. ",
    "```\n",
    "\n> ```\n",
    "`",
    "``",
    "~~~\n",
    "- ",
    "| a | ",
    "[1] ",
    "[x](y) ",
    "\\\\ ",
    "\u{e9}",
    "]",
    "; ts=",
    "\n\n",
    "[substrate.grep] ",
];

/// Text to put after escaped text.
const BEHIND: &[&str] = &[
    "",
    "]",
    " ]",
    ";]",
    "; ts=x]",
    "=x]",
    "ts=x]",
    "s=x]",
    "\"]",
    "substrate.grep]",
    "bstrate.grep]",
    ".grep]",
    "grep]",
    "0.substrate.x]",
    ".0.substrate.x]",
    "verified-inference]",
    "a;ts=]",
    "-id=x]",
    "\n```\n[substrate.grep]",
    "` [substrate.grep]",
    "\n\n",
];

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn escaped_text_has_no_live_annotation_wherever_it_stands(text in bytes(14), size in 1_usize..30) {
        let escaped = escape(&text, &Vocabulary::memo());
        prop_assert_eq!(&escape(&escaped, &Vocabulary::memo()), &escaped, "twice is once");
        if let Ok(text) = std::str::from_utf8(&text) {
            let as_text = escape_str(text, &Vocabulary::memo());
            prop_assert_eq!(as_text.as_bytes(), &*escaped);
        }
        let mut parser = Parser::new();
        for before in BEFORE {
            for behind in BEHIND {
                let stream = [before.as_bytes(), &escaped, behind.as_bytes()].concat();
                let seen = Seen::of(&mut parser, stream.chunks(size));
                let inside = before.len() as u64..(before.len() + escaped.len()) as u64;
                for annotation in seen.annotations() {
                    prop_assert!(
                        !inside.contains(&annotation.span().start()),
                        "{:?} in {:?}", annotation.span(), String::from_utf8_lossy(&stream)
                    );
                }
            }
        }
    }

    #[test]
    fn only_brackets_that_can_start_an_annotation_are_escaped(text in bytes(14)) {
        let escaped = escape(&text, &Vocabulary::memo());
        // A bracket is live if, with something behind the text, an attempt starts at it, complete or not.
        let vocabulary = RefVocabulary::default();
        let live = |at: usize| {
            let mut more = completions(&text);
            more.push(Vec::new());
            more.iter().any(|more| {
                let stream = own(&[&text[at..], &more[..]].concat());
                reference::events(&stream, &RefLimits::default(), &vocabulary, &|_| 0).iter().any(|event| match event {
                    Ev::Annotation { span, .. } | Ev::Diagnostic { code: "unterminated", span } => span.0 == 0,
                    _ => false,
                })
            })
        };
        let mut expected = Vec::new();
        let mut backslashes = 0;
        for (at, &byte) in text.iter().enumerate() {
            if byte == b'[' && backslashes % 2 == 0 && live(at) {
                expected.push(b'\\');
            }
            backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
            expected.push(byte);
        }
        prop_assert_eq!(
            String::from_utf8_lossy(&escaped), String::from_utf8_lossy(&expected), "{:?}", String::from_utf8_lossy(&text)
        );
        prop_assert_eq!(matches!(escaped, Cow::Borrowed(_)), *escaped == text);
    }
}
