//! Unknowns in the slot: brackets beside an annotation that may have been meant as one.

use super::lines::Layout;
use super::scan::{Outcome, Scan};
use super::stream::{self, Stream};

/// How far the bracket at the start of `bytes` has the form of an unknown in the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// All of it, in so many bytes.
    Whole(usize),
    /// Up to the byte at this index.
    Until(usize),
    /// As far as the bytes go.
    Open,
}

/// Reads a form from its bracket on.
#[expect(
    clippy::too_many_lines,
    reason = "one grammar, read from top to bottom"
)]
fn form(bytes: &[u8]) -> Form {
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
    while bytes.get(at) == Some(&b';') {
        at += 1;
        white(&mut at);
        if bytes.get(at) == Some(&b']') {
            break;
        }
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
            feeds += u32::from(byte == b'\n');
            let control = byte.is_ascii_control() && !matches!(byte, b'\t' | b'\r' | b'\n');
            if control || feeds > 1 || matches!(byte, b'[' | b'`' | b'~' | b'{' | b';' | b']') {
                break;
            }
            at += 1;
        }
    }
    match bytes.get(at) {
        Some(b']') => Form::Whole(at + 1),
        _ => stop(at),
    }
}

/// The same of the bracket at `at`, with at most `max` bytes, all of them own text.
fn form_at(stream: &Stream, at: usize, max: usize) -> Form {
    let own = &stream.bytes[at..stream.own_end(at)];
    match form(own) {
        Form::Whole(len) if len > max => Form::Until(max),
        Form::Until(len) if len > max => Form::Until(max),
        Form::Open if own.len() > max => Form::Until(max),
        found => found,
    }
}

/// Whether white space is right before `at`, or the start of the text.
fn is_after_white(stream: &Stream, at: usize) -> bool {
    if at == 0 || at == stream.mark() {
        return true;
    }
    stream
        .char_before(0, at)
        .is_some_and(|(char, _)| char.is_whitespace())
}

/// Where the unknowns in the slot begin that are before the annotation at `at`, and after `floor`; `at` if there are none.
pub(super) fn before(stream: &Stream, floor: usize, at: usize, max: usize) -> usize {
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
        let whole = form_at(stream, open, max) == Form::Whole(next - open);
        if !own || !whole || !is_after_white(stream, open) {
            return run;
        }
        (run, next) = (open, open);
    }
}

/// What is between an annotation and what comes after it.
pub(super) struct Gap {
    /// Where it ends.
    pub end: usize,
    /// Where its last unknown in the slot ends, if there is one.
    pub unknown_end: Option<usize>,
    /// How many bytes it takes to know that a bracket there is not an unknown in the slot.
    pub known: usize,
}

/// The gap after an annotation that ends at `end`.
pub(super) fn gap(stream: &Stream, scan: &Scan, layout: &Layout, end: usize, max: usize) -> Gap {
    let mut gap = Gap {
        end,
        unknown_end: None,
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
        let own = (end..=gap.end).all(|at| stream.is_own(at));
        if !after_white || feeds > 1 || !own {
            return gap;
        }
        let own_end = stream.own_end(gap.end);
        let past = |at: usize| if at == stream.bytes.len() { at + 1 } else { at };
        match form_at(stream, gap.end, max) {
            Form::Until(len) => {
                gap.known = gap.end + len + 1;
                return gap;
            }
            Form::Open => {
                gap.known = past(own_end);
                return gap;
            }
            Form::Whole(len) => {
                let after = gap.end + len;
                let next = scan.attempts.iter().find(|attempt| attempt.at == after);
                let follows = match stream.bytes.get(after).filter(|_| after < own_end) {
                    Some(b'(' | b':') => Err(after + 1),
                    Some(b'[') => match next.map(|next| &next.outcome) {
                        Some(Outcome::Annotation { .. }) => Ok(()),
                        Some(Outcome::Abandoned { known, .. } | Outcome::Ordinary { known }) => {
                            Err(*known)
                        }
                        None => Err(after + 1),
                    },
                    _ => Ok(()),
                };
                if let Err(known) = follows {
                    gap.known = known;
                    return gap;
                }
                gap.end = after;
                gap.unknown_end = Some(after);
                after_white = false;
            }
        }
    }
}
