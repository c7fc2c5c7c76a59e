//! `substrate.code.read`: a file, or some of its lines.

use super::query::CodeRead;
use super::{FoundResult, QueryWork, SubstrateError};
use crate::observation::Anchor;

/// Longest text before or after a result in an anchor.
pub(crate) const MAX_ANCHOR: usize = 80;

pub(super) fn observe(
    work: QueryWork<'_>,
    query: &CodeRead,
) -> Result<FoundResult, SubstrateError> {
    let file = work.root.read(&query.path, work)?;
    let Some((first, count)) = query.lines else {
        return Ok(FoundResult::of(file));
    };
    let Some(range) = line_range(&file, first, count.unwrap_or(usize::MAX)) else {
        return Err(SubstrateError::gone(format!(
            "{}: expected a line {first}, found fewer lines",
            query.path.escape_debug()
        )));
    };
    let anchor = anchor(&file[..range.start], &file[range.end..]);
    Ok(FoundResult {
        content: file[range].to_vec(),
        anchor: Some(anchor),
    })
}

/// Returns the bytes of up to `count` lines from number `first` on, with their line ends; `None` if the text has no such line.
pub(crate) fn line_range(
    text: &[u8],
    first: usize,
    count: usize,
) -> Option<std::ops::Range<usize>> {
    let mut ends = memchr::memchr_iter(b'\n', text).map(|feed| feed + 1);
    let start = match first {
        0 | 1 => 0,
        _ => ends.nth(first - 2)?,
    };
    if start == text.len() {
        return None;
    }
    let end = ends.nth(count.max(1) - 1).unwrap_or(text.len());
    Some(start..end)
}

/// Takes the line before and the line after, or the nearest part of a long one.
fn anchor(before: &[u8], after: &[u8]) -> Anchor {
    let line = match before.strip_suffix(b"\n") {
        Some(line) => memchr::memrchr(b'\n', line).map_or(0, |feed| feed + 1),
        None => before.len(),
    };
    let cut = before.len().saturating_sub(MAX_ANCHOR).max(line);
    let start = (cut..before.len()).find(|index| is_boundary(before, *index));
    let line = memchr::memchr(b'\n', after).map_or(after.len(), |feed| feed + 1);
    let end = (0..=line.min(MAX_ANCHOR))
        .rev()
        .find(|index| is_boundary(after, *index));
    // Bytes that are not UTF-8 anchor nothing.
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap_or_default().to_owned();
    Anchor {
        before: text(&before[start.unwrap_or(before.len())..]),
        after: text(&after[..end.unwrap_or(0)]),
    }
}

/// Returns `true` if no character continues at an index.
fn is_boundary(bytes: &[u8], index: usize) -> bool {
    bytes.get(index).is_none_or(|byte| byte & 0xc0 != 0x80)
}
