//! Withheld words within longer words.
//!
//! If a gate withholds an assertion of a member, it also withholds its words in the other members of the choice, even within longer
//! words: if something such as a tool call splits `It runs.` and `t runs.` is withheld, other members keep `I` of `It runs.`.

use std::collections::BTreeSet;

/// Words of an assertion that a gate withholds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WithheldWords {
    /// Name of the text that has the assertion.
    pub(super) text: String,
    pub(super) words: String,
    /// Text that the policy writes instead.
    pub(super) by: String,
}

/// Returns `true` if `found` is `expected`, except that withheld words may be replaced where they are in longer words.
pub(super) fn differs_within_words(
    expected: &str,
    found: &str,
    withheld: &[&WithheldWords],
) -> bool {
    let is_of_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let mut reached = vec![BTreeSet::new(); expected.len() + 1];
    reached[0].insert(0);
    for (at, character) in expected.char_indices() {
        let (before, after) = expected.split_at(at);
        for from in core::mem::take(&mut reached[at]) {
            let rest = &found[from..];
            if rest.starts_with(character) {
                let len = character.len_utf8();
                reached[at + len].insert(from + len);
            }
            for WithheldWords { words, by, .. } in withheld {
                if let Some(after) = after.strip_prefix(&**words)
                    && (is_of_word(before.chars().next_back()) || is_of_word(after.chars().next()))
                    && rest.starts_with(&**by)
                {
                    reached[at + words.len()].insert(from + by.len());
                }
            }
        }
    }
    reached[expected.len()].contains(&found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_withheld_words_within_longer_ones_may_be_missing() {
        let withheld = |words: &str, by: &str| WithheldWords {
            text: "0".into(),
            words: words.into(),
            by: by.into(),
        };
        let (cut, replaced) = (withheld("t runs.", ""), withheld("t runs.", "(-)"));
        let all = "A. It runs.\n\nIt runs.. t runs. B";
        for (words, found, is_accepted) in [
            (&cut, all, true),
            (&cut, "A. I\n\nI. t runs. B", true),
            (&cut, "A. It runs.\n\nI. t runs. B", true),
            (&replaced, "A. I(-)\n\nI(-). t runs. B", true),
            // These words by themselves are not within a longer one.
            (&cut, "A. It runs.\n\nIt runs..  B", false),
            // More is lost, or less.
            (&cut, "A. \n\nI. t runs. B", false),
            (&cut, "A. I\nI. t runs. B", false),
            (&cut, "A. I.\n\nI. t runs. B", false),
            (&cut, "A. I\n\nI. t runs.", false),
            (&cut, "I\n\nI. t runs. B", false),
            // Something is added.
            (&cut, "A. I\n\nI. t runs. B C", false),
            (&cut, "A. I(-)\n\nI. t runs. B", false),
            (&replaced, "A. I\n\nI. t runs. B", false),
        ] {
            assert_eq!(
                differs_within_words(all, found, &[words]),
                is_accepted,
                "{found}"
            );
        }
        let bracket = withheld("[", "");
        assert!(differs_within_words("`[a]` [", "`a]` [", &[&bracket]));
        assert!(!differs_within_words("`[a]` [", "`a]` ", &[&bracket]));
        assert!(!differs_within_words(all, "A. I\n\nI. t runs. B", &[]));
    }
}
