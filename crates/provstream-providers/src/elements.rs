//! Blocks of a message that is not streamed that lose all their text.

use core::ops::Range;

use smallvec::SmallVec;

use super::blocks::Removed;
use super::found::Found;
use super::walk::scan::white_space_end;

/// Blocks next to each other that are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Their bytes, with the comma that goes with them.
    pub(super) bytes: Range<usize>,
    pub(super) numbers: Removed,
}

/// The blocks that had text and have none left, as `is_emptied` says of the range of a string.
pub(super) fn emptied(
    data: &[u8],
    found: &[Found],
    is_emptied: impl Fn(Range<usize>) -> bool,
) -> SmallVec<[Run; 1]> {
    let mut elements: SmallVec<[(Range<usize>, bool); 4]> = SmallVec::new();
    for (place, one) in found.iter().enumerate() {
        if let Found::Element(element) = one {
            let element = element.range();
            let texts = found[place..].iter().filter_map(|found| match found {
                Found::Text(_, text, _) if element.contains(&text.range().start) => Some(*text),
                _ => None,
            });
            let mut is_gone = None;
            for text in texts.filter(|text| !text.is_empty()) {
                is_gone = Some(is_gone.unwrap_or(true) && is_emptied(text.range()));
            }
            elements.push((element, is_gone.unwrap_or(false)));
        }
    }
    let mut runs = SmallVec::new();
    let mut at = 0;
    while let Some(from) = elements[at..].iter().position(|(_, is_gone)| *is_gone) {
        let from = at + from;
        let rest = &elements[from..];
        let len = rest.iter().take_while(|(_, is_gone)| *is_gone).count();
        let (start, end) = (rest[0].0.start, rest[len - 1].0.end);
        let bytes = match (rest.get(len), from.checked_sub(1)) {
            (Some((next, _)), _) => start..next.start,
            // The last ones go with the comma before them.
            (None, Some(before)) => white_space_end(data, elements[before].0.end)..end,
            (None, None) => start..end,
        };
        let numbers = from as u32..(from + len) as u32;
        runs.push(Run {
            bytes,
            numbers: numbers.collect(),
        });
        at = from + len;
    }
    runs
}
