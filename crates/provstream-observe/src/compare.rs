//! Comparison of a recorded result with what the substrate says now.

use std::fmt;

use memchr::memmem;

use crate::ledger::{Body, LedgerEntry};
use crate::observation::{Anchor, Digest};
use crate::substrate::{
    CodeRead, GitLog, MAX_ANCHOR, SubstrateError, SubstrateErrorKind, SubstrateQuery, Substrates,
    line_range,
};
use provstream::provenance::ObservationOutcome as Outcome;

/// Most characters of a line in a change.
const MAX_SHOWN: usize = 200;
/// Most places at which moved text is looked for.
const MAX_PLACES: usize = 1000;

/// The first difference between two results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Number of the first line that differs, from 1, counted in the result.
    pub line: usize,
    /// The line as it was recorded, at most 200 characters; `None` if the recorded result has ended before.
    pub was: Option<String>,
    /// The line as it is now; `None` if the result of today has ended before.
    pub now: Option<String>,
}

/// Writes `line 2 was "run();", is "stop();"`, with escapes; a line that is not there is `absent`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |line: &Option<String>| match line {
            Some(line) => format!("\"{}\"", line.escape_debug()),
            None => "absent".to_owned(),
        };
        let (was, now) = (shown(&self.was), shown(&self.now));
        write!(f, "line {} was {was}, is {now}", self.line)
    }
}

/// Outcome of a repeated query.
#[derive(Debug)]
pub(crate) struct RepeatedQuery {
    pub(crate) outcome: Outcome,
    /// Explanation, such as the new place of moved text.
    pub(crate) detail: Option<String>,
    pub(crate) change: Option<Change>,
    /// Result of today, if the query gave one.
    pub(crate) content: Option<Vec<u8>>,
}

impl RepeatedQuery {
    fn new(outcome: Outcome, detail: impl Into<Option<String>>) -> Self {
        Self {
            outcome,
            detail: detail.into(),
            change: None,
            content: None,
        }
    }

    fn moved(place: String) -> Self {
        Self::new(Outcome::Moved, place)
    }
}

/// Repeats the query of an entry.
pub(crate) fn repeat(entry: &LedgerEntry, body: &Body, substrates: &Substrates) -> RepeatedQuery {
    let query = match SubstrateQuery::parse(&entry.class, &body.query) {
        None => {
            let why = format!("no substrate of the class {} can be asked", entry.class);
            return RepeatedQuery::new(Outcome::NotRequeryable, why);
        }
        Some(Err(error)) => return RepeatedQuery::new(Outcome::NotRequeryable, error.to_string()),
        Some(Ok(query)) => query,
    };
    let found = match substrates.observe(&query) {
        Ok(found) => found.content,
        Err(error) => {
            let moved = moved(&query, body, None, substrates);
            return moved.unwrap_or_else(|| failed(&error));
        }
    };
    if Digest::of(&found) == body.result {
        return RepeatedQuery {
            content: Some(found),
            ..RepeatedQuery::new(Outcome::Requeried, None)
        };
    }
    if let Some(moved) = moved(&query, body, Some(&found), substrates) {
        return moved;
    }
    RepeatedQuery {
        change: body.content.as_deref().and_then(|was| change(was, &found)),
        content: Some(found),
        ..RepeatedQuery::new(Outcome::Changed, None)
    }
}

fn failed(error: &SubstrateError) -> RepeatedQuery {
    let outcome = match error.kind() {
        SubstrateErrorKind::Gone => Outcome::Gone,
        SubstrateErrorKind::Query => Outcome::NotRequeryable,
        _ => Outcome::Unreachable,
    };
    RepeatedQuery::new(outcome, error.to_string())
}

/// Finds a result at another place of its substrate.
fn moved(
    query: &SubstrateQuery,
    body: &Body,
    found: Option<&[u8]>,
    substrates: &Substrates,
) -> Option<RepeatedQuery> {
    match query {
        SubstrateQuery::CodeRead(query) => moved_lines(query, body, substrates),
        SubstrateQuery::Grep(_) => moved_matches(body.content.as_deref()?, found?),
        SubstrateQuery::GitLog(query) => moved_commits(query, body, substrates),
        SubstrateQuery::FsMtime(_)
        | SubstrateQuery::Peercred(_)
        | SubstrateQuery::SseCount(_)
        | SubstrateQuery::McpBrief(_) => None,
    }
}

/// Finds lines at another line of their file.
fn moved_lines(query: &CodeRead, body: &Body, substrates: &Substrates) -> Option<RepeatedQuery> {
    let (first, count) = query.lines?;
    let file = substrates.file(&query.path).ok()?;
    let mut places: Vec<usize> = match (&body.content, &body.anchor) {
        (Some(content), _) if !content.is_empty() => memmem::find_iter(&file, content)
            .filter(|start| *start == 0 || file[start - 1] == b'\n')
            .filter(|start| ends_line(&file, start + content.len()))
            .take(MAX_PLACES)
            .collect(),
        (None, Some(anchor)) => anchored(&file, anchor, count.unwrap_or(usize::MAX), body.result),
        _ => Vec::new(),
    };
    let line = |start: usize| memchr::memchr_iter(b'\n', &file[..start]).count() + 1;
    // Where lines follow, a result to the end of the file is not there any more; and what is still at its place has not moved.
    let ends = |start: usize| match (&body.content, count) {
        (Some(content), None) => start + content.len() == file.len(),
        _ => true,
    };
    places.retain(|start| ends(*start) && line(*start) != first);
    if let (Some(anchor), Some(content)) = (&body.anchor, &body.content) {
        keep_anchored(&mut places, &file, anchor, content.len());
    }
    let others = places.len();
    let place = places
        .into_iter()
        .min_by_key(|start| line(*start).abs_diff(first))?;
    let now = line(place);
    let several = match others {
        1 => String::new(),
        _ => format!(", one of {others} places"),
    };
    Some(RepeatedQuery {
        content: body.content.clone(),
        ..RepeatedQuery::moved(format!("now at line {now}, was at line {first}{several}"))
    })
}

/// Keeps the places of `len` bytes that have the line before or after them, as the anchor has it: the same words elsewhere may have been
/// there before. Of words that were all of their file, one place is kept.
fn keep_anchored(places: &mut Vec<usize>, file: &[u8], anchor: &Anchor, len: usize) {
    let (before, after) = (anchor.before.as_bytes(), anchor.after.as_bytes());
    if before.is_empty() && after.is_empty() {
        if places.len() > 1 {
            places.clear();
        }
        return;
    }
    // The part of a line that was too long begins or ends within it, at a character.
    let is_part = |line: &[u8]| line.len() + 4 > MAX_ANCHOR;
    let says = |line: &[u8]| !line.trim_ascii().is_empty();
    let has_before = |start: usize| {
        let at = start.saturating_sub(before.len());
        let is_whole = at == 0 || file[at - 1] == b'\n';
        says(before) && file[..start].ends_with(before) && (is_whole || is_part(before))
    };
    let has_after = |start: usize| {
        let rest = &file[start + len..];
        let is_whole = || ends_line(rest, after.len());
        says(after) && rest.starts_with(after) && (is_part(after) || is_whole())
    };
    places.retain(|start| has_before(*start) || has_after(*start));
}

/// Returns `true` if a line ends at an index, or its line feed is there.
fn ends_line(text: &[u8], index: usize) -> bool {
    text[..index].ends_with(b"\n") || matches!(text.get(index), None | Some(b'\n'))
}

/// Finds where `count` lines with a digest are, directly after or before the anchor.
fn anchored(file: &[u8], anchor: &Anchor, count: usize, result: Digest) -> Vec<usize> {
    let has_digest = |start: usize| {
        let lines = line_range(&file[start..], 1, count);
        lines.is_some_and(|lines| Digest::of(&file[start..][lines]) == result)
    };
    let mut places = Vec::new();
    if !anchor.before.is_empty() {
        let ends = memmem::find_iter(file, anchor.before.as_bytes());
        let starts = ends.map(|at| at + anchor.before.len()).take(MAX_PLACES);
        places.extend(starts.filter(|start| has_digest(*start)));
    }
    if places.is_empty() && !anchor.after.is_empty() {
        for end in memmem::find_iter(file, anchor.after.as_bytes()).take(MAX_PLACES) {
            let mut feeds = memchr::memrchr_iter(b'\n', &file[..end]);
            let start = feeds.nth(count).map_or(0, |feed| feed + 1);
            places.extend(has_digest(start).then_some(start));
        }
    }
    places
}

/// Compares matching lines without their numbers.
fn moved_matches(was: &[u8], now: &[u8]) -> Option<RepeatedQuery> {
    fn without_numbers(text: &[u8]) -> impl Iterator<Item = (Option<&[u8]>, Option<&[u8]>)> {
        text.split(|byte| *byte == b'\n').map(|line| {
            let mut parts = line.splitn(3, |byte| *byte == b':');
            (parts.next(), parts.nth(1))
        })
    }
    if !without_numbers(was).eq(without_numbers(now)) {
        return None;
    }
    let change = change(was, now)?;
    let place = |line: Option<String>| {
        let line = line.unwrap_or_default();
        line.splitn(3, ':').take(2).collect::<Vec<_>>().join(":")
    };
    let detail = format!("now at {}, was at {}", place(change.now), place(change.was));
    Some(RepeatedQuery {
        content: Some(now.to_vec()),
        ..RepeatedQuery::moved(detail)
    })
}

/// Finds the commits of a log after newer ones.
fn moved_commits(query: &GitLog, body: &Body, substrates: &Substrates) -> Option<RepeatedQuery> {
    let first = match (&body.anchor, &body.content) {
        (Some(anchor), _) => anchor.after.clone(),
        (None, Some(content)) => {
            let text = std::str::from_utf8(content).ok()?;
            text.lines().next()?.strip_prefix("commit ")?.to_owned()
        }
        (None, None) => return None,
    };
    let (newer, commits) = substrates.commits_from(query, &first).ok()?;
    let content: Vec<u8> = commits.into_iter().flat_map(|commit| commit.text).collect();
    let plural = if newer == 1 { "" } else { "s" };
    (Digest::of(&content) == body.result).then(|| RepeatedQuery {
        content: Some(content),
        ..RepeatedQuery::moved(format!("now after {newer} newer commit{plural}"))
    })
}

/// Finds the first line that differs.
fn change(was: &[u8], now: &[u8]) -> Option<Change> {
    let (was, now) = (String::from_utf8_lossy(was), String::from_utf8_lossy(now));
    let (mut was, mut now) = (was.split_inclusive('\n'), now.split_inclusive('\n'));
    let shown = |line: Option<&str>| {
        line.map(|line| {
            line.trim_end_matches('\n')
                .chars()
                .take(MAX_SHOWN)
                .collect()
        })
    };
    for line in 1.. {
        match (was.next(), now.next()) {
            (None, None) => break,
            (was, now) if was == now => {}
            (was, now) => {
                let (was, now) = (shown(was), shown(now));
                return Some(Change { line, was, now });
            }
        }
    }
    None
}
