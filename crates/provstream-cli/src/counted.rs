//! Things that are counted, of which a message names the first.

/// How many there were, and which was the first one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    count: u64,
    /// What a message says of the first one, such as `at byte 7`; `None` exactly if there was none.
    first: Option<String>,
}

impl Counted {
    /// Counts one; what a message says of it, such as `at byte 7`, is only asked of the first.
    pub(crate) fn note(&mut self, words: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(words);
    }

    /// Adds those that come after.
    pub(crate) fn add(&mut self, later: &Self) {
        self.count += later.count;
        self.first = self.first.take().or_else(|| later.first.clone());
    }

    /// Names the file that the first one is in.
    pub(crate) fn in_file(&mut self, file: &str) {
        self.first = self.first.take().map(|first| format!("in {file} {first}"));
    }

    /// How many there were.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// What a message adds to the number: the first one, in brackets; nothing if there was none.
    pub(crate) fn first(&self) -> String {
        match &self.first {
            Some(first) if self.count > 1 => format!(" (the first {first})"),
            Some(first) => format!(" ({first})"),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_is_kept() {
        let mut all = Counted::default();
        assert_eq!((all.count(), all.first()), (0, String::new()));
        let mut later = Counted::default();
        later.note(|| "at byte 7".to_owned());
        later.in_file("a.txt");
        all.add(&later);
        assert_eq!(all.first(), " (in a.txt at byte 7)");
        all.note(|| unreachable!("only the first one is named"));
        all.add(&later);
        assert_eq!(
            (all.count(), all.first()),
            (3, " (the first in a.txt at byte 7)".to_owned())
        );
    }
}
