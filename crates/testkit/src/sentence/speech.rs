//! A quotation whose sentence goes on with who said it.

use super::Text;
use super::text::{Class, SPEECH};

impl Text {
    /// Whether a quotation that was closed goes on at `at` with a speaker and a verb of saying. One that goes on in lower case goes
    /// on anyway.
    pub(super) fn is_speech(&self, at: usize) -> bool {
        match self.get(at).map(|char| char.class) {
            Some(Class::Upper) => self.is_name_and_verb(at),
            Some(Class::OLetter) => {
                self.get(at).is_some_and(|char| char.char == 'と')
                    || self.string(at, self.0.len().min(at + 2)) == "って"
                    || self.is_chinese_speech(at)
            }
            _ => false,
        }
    }

    /// `Mary asked`, `Mary Smith asked`: names of at most 32 bytes, one space after each.
    fn is_name_and_verb(&self, mut at: usize) -> bool {
        for _ in 0..2 {
            let name = self.word(at);
            let is_name = self.get(at).is_some_and(|char| char.class == Class::Upper);
            let end = self.skip(at.min(self.0.len()), |char| {
                char.is_letter() || char.is_mark()
            });
            if !is_name || name.len() > 32 || self.get(end).is_none_or(|char| char.char != ' ') {
                return false;
            }
            at = end + 1;
            if SPEECH.has(&self.word(at)) {
                return true;
            }
        }
        false
    }

    /// At most six letters, of which the last say that someone speaks: `老师说`.
    fn is_chinese_speech(&self, at: usize) -> bool {
        let end = self.skip(at, |char| char.class == Class::OLetter);
        let clause = self.string(at, end);
        end - at <= 6
            && clause.ends_with(['说', '說', '问', '問', '喊', '叫', '答', '道'])
            && !clause.ends_with("知道")
    }
}
