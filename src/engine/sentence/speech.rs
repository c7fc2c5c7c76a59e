//! A quotation followed by the verb of saying it.

use super::class::{BreakClass, char_at};
use super::scan::{word_at, word_len};
use super::words::WordSet;

static SPEECH: WordSet<128> = WordSet::new(include_str!("data/speech.txt"), false);

/// Longest name of a speaker that is recognised, in bytes.
const LONGEST_NAME: usize = 32;

/// Most characters between a Chinese quotation and the end of its verb: the speaker, an adverb, the verb.
const LONGEST_SPEAKER: usize = 6;

/// Returns `true` if what is at `at` continues a sentence whose quotation has just been closed: a speaker and a verb.
///
/// A verb in lower case is the caller's to see; most languages of the lists put it first (`dit-il`, `sagte er`).
pub(super) fn follows(text: &[u8], at: usize) -> bool {
    match char_at(text, at).map(|found| found.class) {
        Some(BreakClass::Upper) => speaker_and_verb(text, at),
        Some(BreakClass::OLetter) => japanese(text, at) || chinese(text, at),
        _ => false,
    }
}

/// Returns `true` if [`follows`], which is false, can become true when the text goes on.
pub(super) fn may_follow(text: &[u8], at: usize) -> bool {
    match char_at(text, at).map(|found| found.class) {
        Some(BreakClass::Upper) => may_be_speaker(text, at),
        Some(BreakClass::OLetter) => {
            "って".as_bytes().starts_with(&text[at..]) || may_be_chinese(text, at)
        }
        _ => false,
    }
}

/// Returns `true` if the text ends before it is clear that no name with a verb is at `at`.
fn may_be_speaker(text: &[u8], mut at: usize) -> bool {
    for name in 0..2 {
        let len = word_len(text, at);
        let upper = char_at(text, at).is_none_or(|found| found.class == BreakClass::Upper);
        if at + len == text.len() {
            let verb = name > 0 && SPEECH.has_prefix(&text[at..]);
            return verb || upper && len <= LONGEST_NAME;
        }
        if !upper || len == 0 || len > LONGEST_NAME || text[at + len] != b' ' {
            return false;
        }
        at += len + 1;
    }
    at + word_len(text, at) == text.len() && SPEECH.has_prefix(&text[at..])
}

/// Returns `true` if the text ends in a clause at `at` that may still end with a verb of saying.
fn may_be_chinese(text: &[u8], mut at: usize) -> bool {
    for _ in 0..LONGEST_SPEAKER {
        match char_at(text, at) {
            None => return true,
            Some(found) if found.class == BreakClass::OLetter => at += found.len,
            Some(_) => return false,
        }
    }
    false
}

/// English: a name of one word or two, then the verb.
fn speaker_and_verb(text: &[u8], mut at: usize) -> bool {
    for _ in 0..2 {
        if !char_at(text, at).is_some_and(|found| found.class == BreakClass::Upper) {
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
        let found = char_at(text, at).filter(|found| found.class == BreakClass::OLetter);
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
