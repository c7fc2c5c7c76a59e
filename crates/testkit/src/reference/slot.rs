//! Unknowns in the slot: brackets beside an annotation that may have been meant as annotations.

use super::RefLimits;
use super::lines::Layout;
use super::scan::{Outcome, Scan};
use super::stream::{self, Stream};

/// Extent to which a bracket has the form of an unknown in the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The bracket has the whole form, of this length in bytes.
    Whole(usize),
    /// The byte at this index breaks the form.
    Until(usize),
    /// The input ended within the form.
    Open,
}

/// Accepted forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Any form of an unknown in the slot.
    Any,
    /// Only forms that stand alone, that is count without an annotation beside them.
    Alone,
}

/// Returns `true` if a complete form stands alone: it has an anchor, and a parameter or the first
/// label `substrate`.
fn stands_alone(form: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&form[1..]);
    let text = text.trim_start();
    let anchored = text.starts_with(|char: char| char.is_ascii_digit());
    let label = text.trim_start_matches(|char: char| char.is_ascii_digit() || ".:".contains(char));
    anchored && (text.contains('=') || label.starts_with("substrate."))
}

/// Matches the form from its bracket on.
#[expect(
    clippy::too_many_lines,
    reason = "one grammar, read from top to bottom"
)]
fn form(bytes: &[u8], kind: Kind) -> Form {
    let mut at = 1;
    let white = |at: &mut usize| {
        let mut feeds = 0;
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) = bytes.get(*at) {
            feeds += u32::from(*byte == b'\n');
            if feeds > 1 {
                return;
            }
            *at += 1;
        }
    };
    let run = |at: &mut usize, takes: fn(&u8) -> bool| {
        let from = *at;
        while bytes.get(*at).is_some_and(takes) {
            *at += 1;
        }
        *at > from
    };
    let stop = |at: usize| {
        if at >= bytes.len() {
            Form::Open
        } else {
            Form::Until(at)
        }
    };
    white(&mut at);
    if run(&mut at, u8::is_ascii_digit) {
        if bytes.get(at) != Some(&b'.') {
            return stop(at);
        }
        at += 1;
        if !run(&mut at, u8::is_ascii_digit) || !matches!(bytes.get(at), Some(b'.' | b':')) {
            return stop(at);
        }
        at += 1;
    } else if kind == Kind::Alone {
        return stop(at);
    }
    let identifier = at;
    loop {
        if !bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
            return stop(at);
        }
        run(&mut at, |byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
        });
        if bytes.get(at) != Some(&b'.') {
            break;
        }
        at += 1;
    }
    let joined = bytes[identifier..at]
        .windows(2)
        .any(|pair| matches!(pair[0], b'.' | b'-') && pair[1].is_ascii_lowercase());
    if !joined {
        return stop(at);
    }
    white(&mut at);
    let has_separator = bytes.get(at) == Some(&b';');
    if has_separator {
        at += 1;
        white(&mut at);
    }
    if has_separator && bytes.get(at) != Some(&b']') {
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            return stop(at);
        }
        run(&mut at, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
        });
        run(&mut at, |byte| matches!(byte, b' ' | b'\t'));
        if bytes.get(at) != Some(&b'=') {
            return stop(at);
        }
        at += 1;
        let mut feeds = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b';' => feeds = 0,
                b'\n' => feeds += 1,
                _ => {}
            }
            let control = byte.is_ascii_control() && !matches!(byte, b'\t' | b'\r' | b'\n');
            if control || feeds > 1 || matches!(byte, b'[' | b'`' | b'~' | b'{' | b']') {
                break;
            }
            at += 1;
        }
    }
    match bytes.get(at) {
        Some(b']') if kind == Kind::Any || stands_alone(&bytes[..=at]) => Form::Whole(at + 1),
        _ => stop(at),
    }
}

/// Matches the form at `at` in model text, in at most `max` bytes.
fn form_at(stream: &Stream, at: usize, kind: Kind, max: usize) -> Form {
    let own = &stream.bytes[at..stream.own_end(at)];
    match form(own, kind) {
        Form::Whole(len) if len > max => Form::Until(max),
        Form::Until(len) if len > max => Form::Until(max),
        Form::Open if own.len() > max => Form::Until(max),
        found => found,
    }
}

/// Returns `true` if white space precedes `at`, or `at` is the start of the text; only bytes from
/// `reach` on are looked at.
fn is_after_white(stream: &Stream, reach: Option<usize>, at: usize) -> bool {
    if at == 0 || at == stream.mark() {
        return reach.is_none_or(|reach| reach < at);
    }
    stream
        .char_before(reach.unwrap_or(0), at)
        .is_some_and(|(char, _)| char.is_whitespace())
}

/// Start of the unknowns in the slot before the annotation at `at`, searched back to `floor`; `at`
/// if there are none.
pub(super) fn before(stream: &Stream, floor: usize, at: usize, limits: &RefLimits) -> usize {
    let max = limits.max_annotation;
    let reach = at.checked_sub(limits.max_assertion);
    let floor = floor.max(reach.unwrap_or(0));
    let mut run = at;
    let (mut next, mut feeds) = (at, 0);
    loop {
        while next > floor
            && let Some((char, len)) = stream.char_before(floor, next)
            && char != ']'
            && (char.is_whitespace() || stream::is_closing(char))
        {
            next -= len;
            feeds += u32::from(char == '\n');
        }
        let follows = next == at || !matches!(stream.bytes[next], b'(' | b'[' | b':');
        if feeds > 1 || next <= floor || stream.bytes[next - 1] != b']' || !follows {
            return run;
        }
        let open = (floor..next - 1)
            .rev()
            .find(|&open| matches!(stream.bytes[open], b'[' | b']'));
        let Some(open) = open.filter(|&open| stream.bytes[open] == b'[') else {
            return run;
        };
        let own = (open..at).all(|own| stream.is_own(own));
        let whole = form_at(stream, open, Kind::Any, max) == Form::Whole(next - open);
        if !own || !whole || !is_after_white(stream, reach, open) {
            return run;
        }
        (run, next) = (open, open);
    }
}

/// Text between an annotation, or an unknown that stands alone, and the next text or bracket.
pub(super) struct Gap {
    /// Offset after the gap.
    pub end: usize,
    /// Offset after the last unknown in the slot within the gap, if there is one.
    pub unknown_end: Option<usize>,
    /// Offset after the unknown that stands alone and starts at the end of the gap, if there is
    /// one.
    pub alone: Option<usize>,
    /// Number of stream bytes needed to know that the bracket at the end of the gap is not an
    /// unknown in the slot.
    pub known: usize,
}

/// Measures the gap after an annotation, or after an unknown that stands alone, that ends at `end`.
pub(super) fn gap(stream: &Stream, scan: &Scan, layout: &Layout, end: usize, max: usize) -> Gap {
    let mut gap = Gap {
        end,
        unknown_end: None,
        alone: None,
        known: 0,
    };
    let (mut feeds, mut after_white) = (0, true);
    loop {
        match layout.joining_at(stream, gap.end, stream.bytes.len()) {
            0 => {}
            len => {
                let byte = stream.bytes[gap.end];
                feeds += u32::from(byte == b'\n');
                after_white = stream
                    .char_at(gap.end, stream.bytes.len())
                    .is_some_and(|(char, _)| char.is_whitespace());
                gap.end += len;
                continue;
            }
        }
        let ordinary = scan.attempts.iter().find(|attempt| attempt.at == gap.end);
        let Some(Outcome::Ordinary { .. }) = ordinary.map(|attempt| &attempt.outcome) else {
            return gap;
        };
        if !after_white {
            return gap;
        }
        let own = (end..=gap.end).all(|at| stream.is_own(at));
        let kind = if feeds > 1 || !own {
            Kind::Alone
        } else {
            Kind::Any
        };
        match whole_at(stream, scan, gap.end, kind, max) {
            Err(known) => {
                gap.known = known;
                return gap;
            }
            Ok(after) if stands_alone(&stream.bytes[gap.end..after]) => {
                gap.alone = Some(after);
                return gap;
            }
            Ok(after) => {
                gap.end = after;
                gap.unknown_end = Some(after);
                after_white = false;
            }
        }
    }
}

/// Offset after the unknown at `at` if the unknown stands alone and no annotation is right before
/// or after it.
pub(super) fn alone(stream: &Stream, scan: &Scan, at: usize, limits: &RefLimits) -> Option<usize> {
    let end = whole_at(stream, scan, at, Kind::Alone, limits.max_annotation).ok()?;
    let annotated = scan.annotation_spans().any(|(start, _)| start == end);
    (!annotated && before(stream, 0, end, limits) <= at).then_some(end)
}

/// Offset after the form at `at` if the next byte allows it; otherwise, as error, the number of
/// stream bytes needed to know.
fn whole_at(
    stream: &Stream,
    scan: &Scan,
    at: usize,
    kind: Kind,
    max: usize,
) -> Result<usize, usize> {
    let own_end = stream.own_end(at);
    let after = match form_at(stream, at, kind, max) {
        Form::Until(len) => return Err(at + len + 1),
        Form::Open if own_end == stream.bytes.len() => return Err(own_end + 1),
        Form::Open => return Err(own_end),
        Form::Whole(len) => at + len,
    };
    let next = scan.attempts.iter().find(|attempt| attempt.at == after);
    match stream.bytes.get(after).filter(|_| after < own_end) {
        Some(b'(' | b':') => Err(after + 1),
        Some(b'[') => match next.map(|next| &next.outcome) {
            Some(Outcome::Annotation { .. }) => Ok(after),
            Some(Outcome::Abandoned { known, .. } | Outcome::Ordinary { known }) => Err(*known),
            None => Err(after + 1),
        },
        _ => Ok(after),
    }
}
