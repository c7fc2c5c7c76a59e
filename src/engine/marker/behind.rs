//! Text right before a marker.

use crate::engine::markdown::line::prefix;

/// Most bytes before a marker that its guard looks at.
const MOST: usize = 64;

/// Most bytes of a line's markers before a number that is first in its line.
const MOST_PREFIX: usize = 32;

/// Longest run of `*` or `_` that is emphasis.
const MOST_EMPHASIS: usize = 3;

/// The end of the text, in its line and since the last marker.
#[derive(Clone, Debug)]
pub(super) struct Behind {
    bytes: Vec<u8>,
    /// The bytes are all of their line.
    whole_line: bool,
    /// A number was text because it is the first of this line.
    pub(super) in_bibliography: bool,
}

impl Behind {
    pub(super) const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            whole_line: true,
            in_bibliography: false,
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.whole_line = true;
        self.in_bibliography = false;
    }

    pub(super) fn push(&mut self, text: &[u8]) {
        let mut line = text;
        // Of a long line only the end matters.
        let seen = match self.in_bibliography {
            true => 0,
            false => text.len().saturating_sub(MOST + 1),
        };
        if let Some(feed) = memchr::memrchr(b'\n', &text[seen..]) {
            line = &text[seen + feed + 1..];
            self.clear();
        }
        let kept = &line[line.len().saturating_sub(MOST)..];
        let over = (self.bytes.len() + kept.len()).saturating_sub(MOST);
        if over > 0 || kept.len() < line.len() {
            self.whole_line = false;
        }
        self.bytes.drain(..over.min(self.bytes.len()));
        self.bytes.extend_from_slice(kept);
    }

    /// A marker or an annotation comes here.
    pub(super) fn restart(&mut self) {
        self.bytes.clear();
        self.whole_line = false;
    }

    /// The last bytes, which begin with a whole character.
    pub(super) fn bytes(&self) -> &[u8] {
        let cut = match self.whole_line {
            true => 0,
            false => self
                .bytes
                .iter()
                .take(3)
                .take_while(|&&byte| byte & 0xC0 == 0x80)
                .count(),
        };
        &self.bytes[cut..]
    }

    /// Returns the opening emphasis that comes right before, perhaps none; `None` if more than indentation, markers of lines and
    /// this comes before.
    pub(super) fn line_start(&self) -> Option<&[u8]> {
        if !self.whole_line || self.bytes.len() > MOST_PREFIX {
            return None;
        }
        let rest = &self.bytes[prefix(&self.bytes).len..];
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        let emphasis = &rest[rest.iter().take_while(is_blank).count()..];
        let is_run = matches!(emphasis, [] | [b'*' | b'_', ..])
            && emphasis.iter().all(|&byte| byte == emphasis[0]);
        (is_run && emphasis.len() <= MOST_EMPHASIS).then_some(emphasis)
    }
}
