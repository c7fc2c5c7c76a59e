//! From where on a value may still become part of an assertion.

use super::JsonReader;
use super::frame::ASSERTED;
use super::visit::Role;
use crate::engine::ReleasePoint;
use crate::engine::json::lexer::{Lexer, Object, Quoted, Visit};

/// Objects and arrays that may be in one another in a deferred object: itself, an array of annotations, and one of these.
const MOST_DEFERRED: usize = 3;

/// What earlier questions about the release point found out. Only a stream that is asked has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// The last answer.
    last: u64,
    /// What the last answer about free text holds for.
    pub(crate) calm: Option<Calm>,
    /// Where a candidate annotation starts, and the answer as long as it is open.
    pub(crate) candidate: Option<(u64, u64)>,
    search: Option<Search>,
}

impl Findings {
    fn heap(&self) -> usize {
        size_of::<Self>() + self.search.as_ref().map_or(0, |search| search.lexer.heap())
    }
}

/// An answer that holds for more text of a certain kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calm {
    /// The window's start then.
    pub(crate) base: u64,
    /// Up to where the text was of that kind.
    pub(crate) upto: u64,
    /// Up to where it holds if the text is.
    pub(crate) until: u64,
    /// The answer.
    pub(crate) from: u64,
}

/// How far a deferred object has been searched for its assertion.
#[derive(Clone, Debug)]
struct Search {
    /// Stream offset of the object.
    start: u64,
    /// Stream offset of the next byte to be read.
    next: u64,
    lexer: Lexer,
    found: Found,
}

/// What was found in a deferred object.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    depth: u32,
    /// Start of the first string that is the value of a member `assertion`.
    assertion: Option<u64>,
    /// The value that is read next belongs to such a member.
    awaited: bool,
}

/// Reads an object whose bytes so far are `bytes`, which start at stream offset `first`.
struct Searching<'a> {
    found: &'a mut Found,
    bytes: &'a [u8],
    first: u64,
}

impl Visit for Searching<'_> {
    fn object(&mut self, _: usize, _: u32) -> Object {
        Object::Open
    }

    fn open(&mut self, _: bool, _: u64) {
        self.found.depth += 1;
        self.found.awaited = false;
    }

    fn close(&mut self, _: u64) -> bool {
        self.found.depth -= 1;
        false
    }

    fn name(&mut self, name: Quoted<'_>) {
        if self.found.depth == 1 {
            let (from, to) = (name.start - self.first, name.end - self.first);
            self.found.awaited = self.bytes[from as usize..to as usize] == *b"assertion";
        }
    }

    fn string(&mut self, string: Quoted<'_>) {
        if core::mem::take(&mut self.found.awaited) {
            self.found.assertion.get_or_insert(string.start);
        }
    }

    fn scalar(&mut self, _: u64, _: u64, _: bool) {
        self.found.awaited = false;
    }

    fn next_element(&mut self) {}
}

impl JsonReader {
    /// What earlier questions found out.
    pub(crate) fn findings(&mut self) -> &mut Findings {
        self.findings.get_or_insert_default()
    }

    /// What earlier questions found out, if there were any.
    #[inline]
    pub(crate) fn known_findings(&mut self) -> Option<&mut Findings> {
        self.findings.as_deref_mut()
    }

    /// Whether the last answer was this.
    pub(crate) fn is_last_answer(&self, at: u64) -> bool {
        self.findings
            .as_ref()
            .is_some_and(|findings| findings.last == at)
    }

    /// The release point, which never moves back.
    pub(crate) fn answer(&mut self, found: ReleasePoint) -> ReleasePoint {
        let findings = self.findings();
        findings.last = findings.last.max(found.at);
        ReleasePoint {
            at: findings.last,
            ..found
        }
    }

    /// Forgets what earlier questions found out, at the start of another stream.
    pub(crate) fn forget_findings(&mut self) {
        if let Some(findings) = &mut self.findings {
            **findings = Findings::default();
        }
    }

    /// Bytes of heap of what earlier questions found out.
    pub(super) fn findings_heap(&self) -> usize {
        self.findings.as_ref().map_or(0, |findings| findings.heap())
    }

    /// The least stream offset at which an assertion of the open value may begin that has begun; `none` without one.
    pub(crate) fn undecided_from(&mut self, none: u64) -> u64 {
        // What belongs to an outer object began before anything in an inner one.
        let frames = &self.state.frames;
        if let Some(frame) = frames.iter().find(|frame| frame.has(ASSERTED)) {
            return frame.index_or_assertion;
        }
        if self.deferred.is_some() {
            return self.search_deferred().unwrap_or(none);
        }
        match (self.state.role, self.lexer.open_string()) {
            (Role::Assertion | Role::FurtherAssertion, Some((start, false))) => start,
            _ => none,
        }
    }

    /// Where the assertion of the deferred object starts, if it has begun. Each byte is read once.
    fn search_deferred(&mut self) -> Option<u64> {
        let start = self.deferred.as_ref()?.start;
        let single_line = self.lexer.is_single_line();
        let search = match &mut self.findings.get_or_insert_default().search {
            Some(search) if search.start == start => search,
            search => {
                let mut lexer = Lexer::new();
                // No deeper than what can be deferred.
                lexer.begin(MOST_DEFERRED, single_line);
                search.insert(Search {
                    start,
                    next: start,
                    lexer,
                    found: Found::default(),
                })
            }
        };
        let tail = &self.state.tail;
        let bytes = tail.get(start, tail.end());
        let mut searching = Searching {
            found: &mut search.found,
            bytes,
            first: start,
        };
        let from = (search.next - start) as usize;
        search.lexer.read(bytes, from, start, &mut searching);
        search.next = tail.end();
        let found = &search.found;
        let open = match search.lexer.open_string() {
            Some((start, false)) if found.awaited => Some(start),
            _ => None,
        };
        found.assertion.or(open)
    }
}
