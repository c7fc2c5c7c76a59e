//! Passages as characters with their class, and the word lists.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Includes a data file of the library's splitter, as the wire profile defines its words.
macro_rules! data {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../src/engine/sentence/data/",
            $name
        ))
    };
}

/// Property `Sentence_Break` of UAX #29.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Other,
    Cr,
    Lf,
    Sep,
    Sp,
    ATerm,
    STerm,
    Close,
    SContinue,
    Numeric,
    Upper,
    Lower,
    OLetter,
    Extend,
    Format,
}

/// First code point of each range, with the last code point and the class.
static CLASSES: LazyLock<BTreeMap<u32, (u32, Class)>> = LazyLock::new(|| {
    let lines = data!("sentence_break.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (span, name) = line.split_once(' ').expect("a span and a class");
            let (first, last) = span.split_once("..").unwrap_or((span, span));
            let code = |digits| u32::from_str_radix(digits, 16).expect("hexadecimal digits");
            (code(first), (code(last), named(name)))
        })
        .collect()
});

fn named(name: &str) -> Class {
    match name {
        "CR" => Class::Cr,
        "LF" => Class::Lf,
        "Sep" => Class::Sep,
        "Sp" => Class::Sp,
        "ATerm" => Class::ATerm,
        "STerm" => Class::STerm,
        "Close" => Class::Close,
        "SContinue" => Class::SContinue,
        "Numeric" => Class::Numeric,
        "Upper" => Class::Upper,
        "Lower" => Class::Lower,
        "OLetter" => Class::OLetter,
        "Extend" => Class::Extend,
        "Format" => Class::Format,
        other => panic!("a class that Sentence_Break does not have: {other}"),
    }
}

fn class_of(char: char) -> Class {
    match CLASSES.range(..=u32::from(char)).next_back() {
        Some((_, &(last, class))) if u32::from(char) <= last => class,
        _ => Class::Other,
    }
}

/// A character, or a byte that is not part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Char {
    /// Character, U+FFFF for a byte that is not part of one.
    pub(super) char: char,
    pub(super) class: Class,
    /// Offset in the passage, in bytes.
    pub(super) start: usize,
}

impl Char {
    /// Number of bytes of the candidate.
    pub(super) fn len(self) -> usize {
        if self.char == '\u{FFFF}' {
            1
        } else {
            self.char.len_utf8()
        }
    }

    pub(super) fn is_letter(self) -> bool {
        matches!(self.class, Class::Upper | Class::Lower | Class::OLetter)
    }

    pub(super) fn is_mark(self) -> bool {
        matches!(self.class, Class::Extend | Class::Format)
    }

    /// Returns `true` for white space, line breaks included.
    pub(super) fn is_space(self) -> bool {
        matches!(self.class, Class::Sp | Class::Lf | Class::Cr)
    }

    pub(super) fn is_break(self) -> bool {
        matches!(self.class, Class::Lf | Class::Cr)
    }

    /// Returns `true` if a sentence may end with the character.
    pub(super) fn ends(self) -> bool {
        matches!(self.class, Class::ATerm | Class::STerm | Class::Sep)
    }
}

/// Splits a passage into characters.
pub(super) fn chars(candidate: &[u8]) -> Vec<Char> {
    let mut chars = Vec::new();
    let mut start = 0;
    for chunk in candidate.utf8_chunks() {
        for char in chunk.valid().chars() {
            chars.push(Char {
                char,
                class: class_of(char),
                start,
            });
            start += char.len_utf8();
        }
        for _ in chunk.invalid() {
            chars.push(Char {
                char: '\u{FFFF}',
                class: Class::Other,
                start,
            });
            start += 1;
        }
    }
    chars
}

/// A set of words.
pub(super) struct List(BTreeSet<&'static str>);

impl List {
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

fn lines(files: &[&'static str]) -> impl Iterator<Item = &'static str> {
    let lines = files.iter().flat_map(|file| file.lines());
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $($file:literal),+;)+) => {
        $(
            $(#[$doc])*
            pub(super) static $name: LazyLock<List> =
                LazyLock::new(|| List(lines(&[$(data!($file)),+]).collect()));
        )+
    };
}

lists! {
    ALSO_WORDS: "also-words.txt";
    NEVER_FINAL: "never-final.txt";
    TITLES: "titles.txt";
    SPEECH: "speech.txt";
    ORDINAL_BEFORE: "ordinal-before.txt";
    ORDINAL_AFTER: "ordinal-after.txt";
    STARTS: "starts/de.txt", "starts/en.txt", "starts/es.txt", "starts/fr.txt", "starts/it.txt", "starts/pt.txt";
    STARTS_OR_NAMES: "starts/names.txt";
}

/// Words of the abbreviations without their full stops; an abbreviation of several words (`v. u.
/// Z.`) contributes each of them.
pub(super) static ABBREVIATIONS: LazyLock<List> = LazyLock::new(|| {
    let files = [
        data!("abbreviations/de.txt"),
        data!("abbreviations/en.txt"),
        data!("abbreviations/es.txt"),
        data!("abbreviations/fr.txt"),
        data!("abbreviations/it.txt"),
        data!("abbreviations/pt.txt"),
        data!("abbreviations/more.txt"),
    ];
    let words = lines(&files).flat_map(|line| line.split(' '));
    List(words.filter_map(|word| word.strip_suffix('.')).collect())
});
