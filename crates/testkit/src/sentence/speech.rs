//! Quotations whose sentence continues with the speaker.

use super::Text;
use super::text::{Class, SPEECH};

impl Text {
    /// Returns `true` if a speaker and a verb of saying follow a closed quotation at `at`. A
    /// continuation in lower case needs no such check.
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

    /// Returns `true` for up to two names and a verb of saying, such as `Mary asked` or `Mary Smith
    /// asked`; a name has at most 32 bytes and one space after it.
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

    /// Returns `true` for at most six letters that end in a Chinese verb of saying, such as `老师说`.
    fn is_chinese_speech(&self, at: usize) -> bool {
        let end = self.skip(at, |char| char.class == Class::OLetter);
        let clause = self.string(at, end);
        end - at <= 6
            && clause.ends_with(['说', '說', '问', '問', '喊', '叫', '答', '道'])
            && !clause.ends_with("知道")
    }
}
