//! A quotation followed by the verb of saying it.

use super::class::{Class, char_at};
use super::scan::word_at;
use super::words::WordSet;

static SPEECH: WordSet<128> = WordSet::new(include_str!("data/speech.txt"), false);

/// Longest name of a speaker that is recognised, in bytes.
const LONGEST_NAME: usize = 32;

/// Most characters between a Chinese quotation and the end of its verb: the speaker, an adverb, the verb.
const LONGEST_SPEAKER: usize = 6;

/// Whether what is at `at` continues a sentence whose quotation has just been closed: a speaker and a verb.
///
/// A verb in lower case is the caller's to see; most languages of the lists put it first (`dit-il`, `sagte er`).
pub(super) fn follows(text: &[u8], at: usize) -> bool {
    match char_at(text, at).map(|found| found.class) {
        Some(Class::Upper) => speaker_and_verb(text, at),
        Some(Class::OLetter) => japanese(text, at) || chinese(text, at),
        _ => false,
    }
}

/// English: a name of one word or two, then the verb.
fn speaker_and_verb(text: &[u8], mut at: usize) -> bool {
    for _ in 0..2 {
        if !char_at(text, at).is_some_and(|found| found.class == Class::Upper) {
            return false;
        }
        let Some(name) = word_at(text, at, LONGEST_NAME) else {
            return false;
        };
        at += name.len();
        if text.get(at) != Some(&b' ') {
            return false;
        }
        at += 1;
        if word_at(text, at, SPEECH.longest).is_some_and(|word| SPEECH.contains(word)) {
            return true;
        }
    }
    false
}

/// The quotative particle.
fn japanese(text: &[u8], at: usize) -> bool {
    text[at..].starts_with("と".as_bytes()) || text[at..].starts_with("って".as_bytes())
}

/// A speaker and a verb of saying at the end of its clause.
fn chinese(text: &[u8], mut at: usize) -> bool {
    let mut last = '\0';
    let mut before_last = '\0';
    for _ in 0..=LONGEST_SPEAKER {
        let found = char_at(text, at).filter(|found| found.class == Class::OLetter);
        let Some(found) = found else {
            return match last {
                '道' => before_last != '知',
                _ => matches!(last, '说' | '說' | '问' | '問' | '喊' | '叫' | '答'),
            };
        };
        before_last = last;
        last = char::from_u32(found.code).unwrap_or('\0');
        at += found.len;
    }
    false
}
