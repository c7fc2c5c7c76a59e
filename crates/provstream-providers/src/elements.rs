//! Blocks of a message that is not streamed that lose all their text.

use core::ops::Range;

use smallvec::SmallVec;

use super::blocks::RemovedBlocks;
use super::found::Found;
use super::steps::each;
use super::walk::scan::white_space_end;

/// Blocks next to each other that are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockRun {
    /// Their bytes, with the comma that goes with them.
    pub(super) bytes: Range<usize>,
    pub(super) numbers: RemovedBlocks,
}

/// A block of a message.
struct Element {
    bytes: Range<usize>,
    /// `Some(true)`: the element had text and lost all of it. `None`: no string with text was found so far.
    is_gone: Option<bool>,
}

/// The blocks that had text and have none left. `is_emptied` is asked about the ranges of strings, in the order of the event.
pub(super) fn emptied(
    data: &[u8],
    found: &[Found],
    mut is_emptied: impl FnMut(Range<usize>) -> bool,
) -> SmallVec<[BlockRun; 1]> {
    let mut elements: SmallVec<[Element; 4]> = SmallVec::new();
    for one in each(found.iter()) {
        match one {
            Found::Element(element) => elements.push(Element {
                bytes: element.range(),
                is_gone: None,
            }),
            // What an element has comes after it, and before the next one.
            Found::Text(_, text, _) if !text.is_empty() => {
                if let Some(element) = elements.last_mut()
                    && element.bytes.contains(&text.range().start)
                {
                    element.is_gone =
                        Some(element.is_gone.unwrap_or(true) && is_emptied(text.range()));
                }
            }
            _ => {}
        }
    }
    let is_gone = |element: &Element| element.is_gone == Some(true);
    let mut runs = SmallVec::new();
    let mut at = 0;
    while let Some(from) = each(elements[at..].iter()).position(is_gone) {
        let from = at + from;
        let rest = &elements[from..];
        let len = each(rest.iter())
            .take_while(|element| is_gone(element))
            .count();
        let (start, end) = (rest[0].bytes.start, rest[len - 1].bytes.end);
        let bytes = match (rest.get(len), from.checked_sub(1)) {
            (Some(next), _) => start..next.bytes.start,
            // The last ones go with the comma before them.
            (None, Some(before)) => white_space_end(data, elements[before].bytes.end)..end,
            (None, None) => start..end,
        };
        let numbers = from as u32..(from + len) as u32;
        runs.push(BlockRun {
            bytes,
            numbers: numbers.collect(),
        });
        at = from + len;
    }
    runs
}
