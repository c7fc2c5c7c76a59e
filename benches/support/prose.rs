//! Free text with annotations, for every bench.

/// Length of a stream in bytes.
pub(crate) const LENGTH: usize = 1 << 20;

const WORDS: &str = "the service reads every record once and keeps what the next stage needs while older entries \
    are written to disk so that a restart finds them again after an update of the index which takes a few seconds on \
    most machines but longer when many clients ask for large ranges at the same time";

/// Content of prose besides words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prose {
    /// Words, full stops and paragraphs.
    Plain,
    /// Also links, footnote marks, inline code and approximate numbers every few hundred bytes.
    Rich,
}

/// Prose with an annotation about every `gap` bytes, of [`LENGTH`] bytes.
#[must_use]
pub(crate) fn stream(prose: Prose, gap: usize) -> Vec<u8> {
    let (mut text, _) = marked(prose, gap, LENGTH, |text, payload| {
        text.extend(["[", payload, "]"]);
    });
    text.truncate(LENGTH);
    text.into_bytes()
}

/// Prose of at least `length` bytes, ending with a sentence, and the number of its markers: one at the end of the first
/// sentence behind every `gap` bytes, a space before it. `mark` writes one of this payload.
pub(crate) fn marked(
    prose: Prose,
    gap: usize,
    length: usize,
    mut mark: impl FnMut(&mut String, &str),
) -> (String, usize) {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound as u64) as usize
    };
    let mut text = String::with_capacity(length + 512);
    let (mut due, mut markers, mut sentences) = (gap, 0, 0);
    while text.len() < length {
        for index in 0..10 + next(8) {
            let word = words[next(words.len())];
            if index == 0 {
                text.push_str(&word[..1].to_uppercase());
                text.push_str(&word[1..]);
            } else {
                text.push(' ');
                text.push_str(word);
            }
        }
        if prose == Prose::Rich {
            match next(8) {
                0 => text.push_str(" [guide](https://example.org/guide)"),
                1 => text.push_str(" [1]"),
                2 => text.push_str(" `index.rebuild()`"),
                3 => text.push_str(" in ~20 ms"),
                _ => {}
            }
        }
        text.push('.');
        if text.len() >= due {
            text.push(' ');
            mark(&mut text, &payload(next(1 << 32)));
            due = due.saturating_add(gap);
            markers += 1;
        }
        sentences += 1;
        text.push_str(if sentences % 5 == 0 { "\n\n" } else { " " });
    }
    (text, markers)
}

/// Builds the content of a marker, which always has the same length.
#[must_use]
pub(crate) fn payload(hash: usize) -> String {
    format!("substrate.grep; observation-id=sha256:{hash:08x}; ts=2026-05-28T11:40:00Z")
}
