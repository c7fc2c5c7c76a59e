//! Comparison of a recorded result with what the substrate says now.

use std::fmt;
use std::ops::Range;

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
/// Most bytes that are hashed to find it.
const MAX_HASHED: usize = 64 << 20;

/// The first difference between two results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Number of the first line that differs, from 1, counted in the result.
    pub line: usize,
    /// The line as it was recorded, at most 200 characters around the difference, with `…` in the place of others. It has its line feed if the
    /// other line has none, and escapes if they differ in bytes that are not UTF-8. `None` if the recorded result has ended before.
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
    let anchor = body.anchor.as_ref()?;
    let file = substrates.file(&query.path).ok()?;
    let neighbours = Neighbours::new(&file, anchor);
    let count_or_all = count.unwrap_or(usize::MAX);
    let is_at_place = line_range(&file, first, count_or_all)
        .is_some_and(|place| neighbours.before(place.start) && neighbours.after(place.end));
    // What lies between its neighbours was changed in its place: the same words elsewhere may have been there before.
    if is_at_place || neighbours.are_around_others(count_or_all, body.result) {
        return None;
    }
    let mut places: Vec<Range<usize>> = match &body.content {
        Some(content) if !content.is_empty() => memmem::find_iter(&file, content)
            .map(|start| start..start + content.len())
            .filter(|place| place.start == 0 || file[place.start - 1] == b'\n')
            .filter(|place| ends_line(&file, place.end) && neighbours.are_around(place))
            .take(MAX_PLACES)
            .collect(),
        Some(_) => Vec::new(),
        None => neighbours.between(count_or_all, body.result),
    };
    let line = |place: &Range<usize>| memchr::memchr_iter(b'\n', &file[..place.start]).count() + 1;
    places.retain(|place| line(place) != first);
    if count.is_none() {
        // Where lines follow, a result to the end of the file is not there any more.
        places.retain(|place| place.end == file.len());
    }
    let others = places.len();
    let place = places
        .into_iter()
        .min_by_key(|place| line(place).abs_diff(first))?;
    let now = line(&place);
    let several = match others {
        1 => String::new(),
        _ => format!(", one of {others} places"),
    };
    Some(RepeatedQuery {
        content: Some(file[place].to_vec()),
        ..RepeatedQuery::moved(format!("now at line {now}, was at line {first}{several}"))
    })
}

/// Lines before and after a result, to be found in a file.
struct Neighbours<'a> {
    file: &'a [u8],
    before: &'a [u8],
    after: &'a [u8],
    /// The file has the line before the result once. Its beginning is there once in any case, and says nothing.
    is_before_unique: bool,
    /// The file has the line after the result once. Its end is there once in any case, and says nothing.
    is_after_unique: bool,
}

impl<'a> Neighbours<'a> {
    fn new(file: &'a [u8], anchor: &'a Anchor) -> Self {
        let (before, after) = (anchor.before.as_bytes(), anchor.after.as_bytes());
        let mut neighbours = Self {
            file,
            before,
            after,
            is_before_unique: false,
            is_after_unique: false,
        };
        neighbours.is_before_unique =
            !before.is_empty() && neighbours.ends_before().take(2).count() == 1;
        neighbours.is_after_unique =
            !after.is_empty() && neighbours.starts_after().take(2).count() == 1;
        neighbours
    }

    /// Finds where the line before the result ends; without one, the beginning of the file.
    fn ends_before(&self) -> impl Iterator<Item = usize> {
        let found = memmem::find_iter(self.file, self.before).map(|at| at + self.before.len());
        let found = found.filter(|end| self.before(*end));
        let is_first = self.before.is_empty();
        is_first
            .then_some(0)
            .into_iter()
            .chain(found.filter(move |_| !is_first))
    }

    /// Finds where the line after the result starts; without one, the end of the file.
    fn starts_after(&self) -> impl Iterator<Item = usize> {
        let found = memmem::find_iter(self.file, self.after).filter(|start| self.after(*start));
        let (is_last, end) = (self.after.is_empty(), self.file.len());
        is_last
            .then_some(end)
            .into_iter()
            .chain(found.filter(move |_| !is_last))
    }

    /// Returns `true` if the line before an index, or the beginning of the file, is the one before the result.
    fn before(&self, start: usize) -> bool {
        let Some(at) = start.checked_sub(self.before.len()) else {
            return false;
        };
        let begins = at == 0 || self.file[at - 1] == b'\n';
        self.file[at..start] == *self.before
            && if self.before.is_empty() {
                start == 0
            } else {
                begins || is_part(self.before)
            }
    }

    /// Returns `true` if the line after an index, or the end of the file, is the one after the result.
    fn after(&self, end: usize) -> bool {
        let rest = &self.file[end..];
        rest.starts_with(self.after)
            && if self.after.is_empty() {
                rest.is_empty()
            } else {
                is_part(self.after) || ends_line(rest, self.after.len())
            }
    }

    /// Returns `true` if both lines are around a place, or the one of them that the file has once.
    fn are_around(&self, place: &Range<usize>) -> bool {
        match (self.before(place.start), self.after(place.end)) {
            (true, true) => true,
            (true, false) => self.is_before_unique,
            (false, true) => self.is_after_unique,
            (false, false) => false,
        }
    }

    /// Returns `true` if these lines, one of which has words, are around `count` others somewhere.
    fn are_around_others(&self, count: usize, result: Digest) -> bool {
        let has_words = |line: &[u8]| {
            line.iter()
                .any(|byte| byte.is_ascii_alphanumeric() || *byte > 0x7f)
        };
        if !has_words(self.before) && !has_words(self.after) {
            return false;
        }
        let mut budget = Budget(MAX_HASHED);
        let places = self.ends_before().take(MAX_PLACES);
        let mut places = places.filter_map(|start| {
            let place = start..start + line_range(&self.file[start..], 1, count)?.end;
            self.after(place.end).then_some(place)
        });
        places.any(|place| {
            budget
                .digest(&self.file[place])
                .is_some_and(|digest| digest != result)
        })
    }

    /// Finds where `count` lines with a digest are, directly after or before these lines.
    fn between(&self, count: usize, result: Digest) -> Vec<Range<usize>> {
        let file = self.file;
        let mut budget = Budget(MAX_HASHED);
        let mut of = |start: usize| {
            let place = start..start + line_range(&file[start..], 1, count)?.end;
            // The last line of a file, to which others were added, may have had no line feed.
            let line_feed = usize::from(file[place.clone()].ends_with(b"\n"));
            let without = start..place.end - line_feed;
            let mut has_digest =
                |place: &Range<usize>| budget.digest(&file[place.clone()]) == Some(result);
            [place, without].into_iter().find(|place| has_digest(place))
        };
        let starts = self.ends_before().take(MAX_PLACES);
        let mut places: Vec<_> = starts.filter_map(&mut of).collect();
        for end in self.starts_after().take(MAX_PLACES) {
            let lines = file[..end].strip_suffix(b"\n").unwrap_or(&file[..end]);
            let mut feeds = memchr::memrchr_iter(b'\n', lines);
            let start = feeds.nth(count.saturating_sub(1));
            places.extend(of(start.map_or(0, |feed| feed + 1)));
        }
        places.retain(|place| self.are_around(place));
        places.sort_by_key(|place| place.start);
        places.dedup();
        places
    }
}

/// Number of bytes that may still be hashed.
struct Budget(usize);

impl Budget {
    /// Computes the digest of some bytes; `None` if these are too many.
    fn digest(&mut self, bytes: &[u8]) -> Option<Digest> {
        self.0 = self.0.checked_sub(bytes.len())?;
        Some(Digest::of(bytes))
    }
}

/// Returns `true` if an anchor is so long that it may be a part of its line, which begins or ends within it, at a character.
const fn is_part(line: &[u8]) -> bool {
    line.len() + 4 > MAX_ANCHOR
}

/// Returns `true` if a line ends at an index, or its line feed is there.
fn ends_line(text: &[u8], index: usize) -> bool {
    text[..index].ends_with(b"\n") || matches!(text.get(index), None | Some(b'\n'))
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
    let (_, was, moved) = first_difference(was, now)?;
    let place = |line: Option<&[u8]>| {
        let line = String::from_utf8_lossy(line.unwrap_or_default());
        line.splitn(3, ':').take(2).collect::<Vec<_>>().join(":")
    };
    let detail = format!("now at {}, was at {}", place(moved), place(was));
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

/// Number of the first line that differs, and both lines with their line feeds.
type Difference<'a> = (usize, Option<&'a [u8]>, Option<&'a [u8]>);

/// Finds the first line that differs.
fn first_difference<'a>(was: &'a [u8], now: &'a [u8]) -> Option<Difference<'a>> {
    let lines = |text: &'a [u8]| text.split_inclusive(|byte| *byte == b'\n');
    let (mut was, mut now) = (lines(was), lines(now));
    for line in 1.. {
        match (was.next(), now.next()) {
            (None, None) => break,
            (was, now) if was == now => {}
            (was, now) => return Some((line, was, now)),
        }
    }
    None
}

/// Shows the first line that differs.
fn change(was: &[u8], now: &[u8]) -> Option<Change> {
    let (line, was, now) = first_difference(was, now)?;
    let (was, now) = shown(was, now);
    Some(Change { line, was, now })
}

/// Writes two lines so that they differ.
fn shown(was: Option<&[u8]>, now: Option<&[u8]>) -> (Option<String>, Option<String>) {
    let (Some(was), Some(now)) = (was, now) else {
        return (was.map(|was| cut(was, 0)), now.map(|now| cut(now, 0)));
    };
    let same = was.iter().zip(now).take_while(|(was, now)| was == now);
    let same = same.count();
    let from = match same < MAX_SHOWN / 2 {
        true => 0,
        false => same - MAX_SHOWN / 4,
    };
    let (was_text, now_text) = (cut(was, from), cut(now, from));
    if was_text != now_text {
        return (Some(was_text), Some(now_text));
    }
    let ends = |line: &[u8]| line.ends_with(b"\n");
    if ends(was) != ends(now) {
        let with_end = |text, line| if ends(line) { text + "\n" } else { text };
        return (Some(with_end(was_text, was)), Some(with_end(now_text, now)));
    }
    // They differ in bytes that are not UTF-8. An escape has at most four characters.
    let from = same.saturating_sub(MAX_SHOWN / 8);
    let escaped = |line: &[u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let start = if from > 0 { "…" } else { "" };
        format!(
            "{start}{}",
            cut(line[from..].escape_ascii().to_string().as_bytes(), 0)
        )
    };
    (Some(escaped(was)), Some(escaped(now)))
}

/// Writes a line from an index on, or from the character around it, without the line feed; `…` is in the place of what is left out.
fn cut(line: &[u8], from: usize) -> String {
    let begins = |index: &usize| line[*index] & 0xC0 != 0x80;
    let from = (0..=from).rev().find(begins).unwrap_or_default();
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let text = String::from_utf8_lossy(&line[from..]);
    let start = if from > 0 { "…" } else { "" };
    let end = match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    };
    format!("{start}{end}")
}
