//! Full stops that end no sentence: abbreviations, initials, ellipses, ordinals and list markers.

use super::Text;
use super::text::{
    ABBREVIATIONS, ALSO_WORDS, Class, NEVER_FINAL, ORDINAL_AFTER, ORDINAL_BEFORE, STARTS,
    STARTS_OR_NAMES, TITLES,
};

/// Rule by which a full stop ends no sentence, found in the text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// An abbreviation that is also a word; no end before a number.
    Word,
    /// An abbreviation, an acronym or a lower-case letter; no end unless the next word starts
    /// sentences.
    Listed,
    /// An initial or a title; no end unless the next word starts sentences and is no name.
    Name,
    /// An abbreviation that always announces something; never an end.
    Always,
}

/// Ability of a word to start a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    No,
    /// Starts sentences, but may also be a name.
    OrName,
    Only,
}

fn is_apostrophe(char: char) -> bool {
    matches!(char, '\'' | '’')
}

/// Returns `true` if a character joins the words on both sides to one word.
fn joins(char: char) -> bool {
    r"@/\-+=&#$%".contains(char)
}

impl Text {
    /// Returns `true` if the full stop at `dot` ends no sentence although white space and a
    /// sentence start at `next` follow.
    pub(super) fn holds(&self, dot: usize, next: usize) -> bool {
        match self.before(dot).map(|char| char.char) {
            None => true,
            Some('.' | ' ' | '\t' | '\r' | '\n') => self.is_mid_ellipsis(dot, next),
            Some('0'..='9') => self.is_numbered(dot, next),
            Some(_) => self.is_abbreviated(dot, next),
        }
    }

    /// Returns `true` for an ellipsis that opens the text, or that white space or a bracket
    /// separates from it while the sentence continues.
    fn is_mid_ellipsis(&self, dot: usize, next: usize) -> bool {
        let first = self.skip_back(dot, |char| char.char == '.');
        let space = self.space_before(first);
        let Some(before) = self.before(space.start) else {
            return true;
        };
        let several = first < dot;
        let apart = several && (space.spaced || matches!(before.char, '[' | '('))
            || space.spaced && before.char == '.';
        apart && self.start(next) == Start::No
    }

    /// Returns `true` for the full stop of a list marker (`1.`) or of an ordinal (`3. Mai`) with up
    /// to three digits.
    fn is_numbered(&self, dot: usize, next: usize) -> bool {
        let first = self.skip_back(dot, |char| char.char.is_ascii_digit());
        let before = self.before(first);
        if dot - first > 3
            || before.is_some_and(|char| char.is_letter() || matches!(char.char, '.' | ','))
        {
            return false;
        }
        let is_upper = self
            .get(next)
            .is_some_and(|char| char.class == Class::Upper);
        self.opens_sentence(first, self.string(first, dot) == "1")
            || ORDINAL_AFTER.has(&self.word(next))
            || is_upper && self.start(next) == Start::No && self.is_after_article(first)
    }

    /// Returns `true` if one space or line feed and a German word that ordinals follow precede
    /// `at`.
    fn is_after_article(&self, at: usize) -> bool {
        if !self
            .before(at)
            .is_some_and(|char| matches!(char.char, ' ' | '\n'))
        {
            return false;
        }
        let word = self.skip_back(at - 1, |char| char.char.is_ascii_alphabetic());
        ORDINAL_BEFORE.has(&self.string(word, at - 1))
    }

    fn is_abbreviated(&self, dot: usize, next: usize) -> bool {
        let Some((first, hold)) = self.hold(dot) else {
            return self.is_roman_marker(dot);
        };
        let is_marker = || {
            let letter = self.string(first, dot);
            dot - first == 1 && self.opens_sentence(first, matches!(&*letter, "a" | "A"))
        };
        match hold {
            Hold::Word => {
                let bracket = self
                    .get(next)
                    .is_some_and(|char| matches!(char.char, '(' | '['));
                let number = self.get(next + usize::from(bracket));
                number.is_some_and(|char| char.class == Class::Numeric)
            }
            Hold::Listed => self.start(next) == Start::No || is_marker(),
            Hold::Name => self.start(next) != Start::Only || is_marker(),
            Hold::Always => true,
        }
    }

    /// Finds the rule for the full stop at `dot` and the start of the text it is based on.
    fn hold(&self, dot: usize) -> Option<(usize, Hold)> {
        self.letter(dot).or_else(|| self.listed(dot))
    }

    /// Finds the rule for a listed word before `dot` that nothing joins to the text before it.
    fn listed(&self, dot: usize) -> Option<(usize, Hold)> {
        let first = self.skip_back(dot, |char| {
            char.is_letter() || char.is_mark() || matches!(char.char, '.' | '-' | '/')
        });
        let before = self.before(first);
        if before.is_some_and(|char| char.class == Class::Numeric) || self.is_joined(first) {
            return None;
        }
        let is_elided = before.is_some_and(|char| is_apostrophe(char.char));
        let word = &*self.string(first, dot);
        if !ABBREVIATIONS.has(word) {
            return None;
        }
        let hold = if NEVER_FINAL.has(word) {
            Hold::Always
        } else if ALSO_WORDS.has(word) && !is_elided {
            Hold::Word
        } else if TITLES.has(word) {
            Hold::Name
        } else {
            Hold::Listed
        };
        Some((first, hold))
    }

    /// Finds the rule for a single letter before `dot`: an initial, or the last letter of `U.S.`,
    /// `J.-P.`, `z. B.`.
    fn letter(&self, dot: usize) -> Option<(usize, Hold)> {
        let letter = self.before(dot).filter(|char| char.is_letter())?;
        let at = dot - 1;
        let is_upper = letter.class == Class::Upper;
        let alone = if is_upper { Hold::Name } else { Hold::Listed };
        let Some(before) = self.before(at) else {
            return Some((at, alone));
        };
        let held = match before.char {
            '.' => return self.acronym(dot).map(|hold| (at, hold)),
            '-' => self.before(at - 1).is_some_and(|char| char.char == '.'),
            '\'' | '’' => is_upper,
            ' ' if self.is_second_half(at, letter.char) => return Some((at, Hold::Always)),
            ' ' => true,
            _ => {
                !(self.is_joined(at)
                    || before.is_letter()
                    || before.is_mark()
                    || before.class == Class::Numeric)
            }
        };
        held.then_some((at, alone))
    }

    /// Returns `true` if a letter is the second half of an abbreviation that always announces
    /// something, such as the `B` of `z. B.`.
    fn is_second_half(&self, at: usize, letter: char) -> bool {
        at.checked_sub(3).is_some_and(|first| {
            let half = self.string(first, at - 1);
            half.ends_with('.') && NEVER_FINAL.has(&format!("{half}{letter}"))
        })
    }

    /// Finds the rule for an acronym before `dot`, such as `U.S`: two single letters with a full
    /// stop between them.
    fn acronym(&self, dot: usize) -> Option<Hold> {
        let first = dot.checked_sub(3)?;
        if !self.get(first)?.is_letter() {
            return None;
        }
        if self
            .before(first)
            .is_some_and(|char| char.is_letter() || char.class == Class::Numeric)
        {
            return None;
        }
        Some(if NEVER_FINAL.has(&self.string(first, dot)) {
            Hold::Always
        } else {
            Hold::Listed
        })
    }

    /// Returns `true` for a Roman numeral of two to five digits that opens a sentence, from `II.`
    /// to `XXXVI.`.
    fn is_roman_marker(&self, dot: usize) -> bool {
        ["IVX", "ivx"].into_iter().any(|digits| {
            let first = self.skip_back(dot, |char| digits.contains(char.char));
            (2..=5).contains(&(dot - first)) && self.opens_sentence(first, false)
        })
    }

    /// The place before the emphasis that opens before `at`, of at most three characters.
    fn before_emphasis(&self, at: usize) -> usize {
        self.skip_back(at, |char| "*_~".contains(char.char))
            .max(at.saturating_sub(3))
    }

    /// Returns `true` if what is before `at` joins it to one word with what is before that. An underscore at the start of a word is emphasis.
    fn is_joined(&self, at: usize) -> bool {
        match self.before(at).map(|char| char.char) {
            Some('_') => {
                let before = self.before(self.before_emphasis(at));
                before.is_some_and(|char| !matches!(char.char, ' ' | '\n' | '('))
            }
            Some(char) => joins(char),
            None => false,
        }
    }

    /// Returns `true` if a list marker at `at` begins its sentence; after a colon, only the `first`
    /// marker of a list does.
    fn opens_sentence(&self, at: usize, first: bool) -> bool {
        // Emphasis may open before it.
        let space = self.space_before(self.before_emphasis(at));
        let Some(before) = self.before(space.start) else {
            return true;
        };
        match before.char {
            '(' | '[' => !space.spaced,
            _ if !space.spaced => false,
            _ if space.line_start => true,
            ':' => first,
            ';' => true,
            '.' => self.hold(space.start - 1).is_none(),
            _ => {
                let closed = self.skip_back(space.start, |char| char.class == Class::Close);
                before.ends()
                    || closed < space.start && self.before(closed).is_some_and(|c| c.ends())
            }
        }
    }

    /// Checks whether the word at `at` starts sentences.
    fn start(&self, at: usize) -> Start {
        let Some(first) = self.get(at) else {
            return Start::No;
        };
        if matches!(first.char, '¡' | '¿') {
            return Start::OrName;
        }
        if first.class != Class::Upper {
            return Start::No;
        }
        let word = &*self.word(at);
        let follow = self.get(at + word.chars().count());
        let is_elided = follow.is_some_and(|char| is_apostrophe(char.char));
        let is_spaced = follow.is_none_or(|char| char.is_space() || char.char == ',');
        let is_whole = match word {
            "I" => is_spaced || is_elided,
            "A" | "E" | "O" | "Y" => is_spaced,
            _ if word.len() == 1 => is_elided,
            _ => follow.is_none_or(|char| char.char != '-'),
        };
        if is_whole && STARTS.has(word) {
            Start::Only
        } else if is_whole && STARTS_OR_NAMES.has(word) {
            Start::OrName
        } else {
            Start::No
        }
    }
}
