//! Search for markers in a part of a stream (sections 2, 3 and 6 of docs/dialects.md).

use super::super::scan::Scan;
use super::super::stream::Stream;
use super::guard::Group;
use super::tables::{self, Form, Guard, Item, Spec, Table};
use super::{Id, Known};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Most identifiers of a marker.
const MOST_IDS: usize = 16;

/// Most markers that are open at a time.
const MOST_OPEN: usize = 8;

/// Kind of a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    After,
    /// Marker around its assertion; `end` is the index of its end tag among the markers.
    Open {
        end: Option<usize>,
    },
    EndTag,
}

/// A marker, with offsets in the part.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    pub span: Range<usize>,
    pub dialect: &'static str,
    pub ids: Vec<Id>,
    pub kind: Kind,
}

/// Markers of a part, and the forms that were not closed.
#[derive(Default)]
pub(super) struct Found {
    pub markers: Vec<Marker>,
    pub unclosed: Vec<Range<usize>>,
    /// Texts with markers that are not read.
    pub unread: Vec<Range<usize>>,
}

/// Compiled dialects.
#[derive(Clone, Default)]
pub struct Dialects {
    tables: Vec<Rc<Table>>,
    /// Forms of groups, each with the index of its first table.
    groups: Vec<(usize, Rc<Form>)>,
}

thread_local! {
    /// Built-in dialects, which take long to compile.
    static BUILT_IN: RefCell<BTreeMap<&'static str, Dialects>> = RefCell::default();
}

impl Dialects {
    /// Compiles tables, in the order given.
    pub fn new(specs: &[Spec]) -> Self {
        let mut groups = Vec::new();
        for (index, spec) in specs.iter().enumerate() {
            let same = |other: &&Spec| other.repeat && other.dialect == spec.dialect;
            let is_first = !specs[..index].iter().any(|other| same(&other));
            if spec.repeat && is_first {
                let members: Vec<&Spec> = specs.iter().filter(same).collect();
                groups.push((index, Rc::new(tables::group(&members))));
            }
        }
        Dialects {
            tables: specs.iter().map(Table::new).map(Rc::new).collect(),
            groups,
        }
    }

    /// Compiles built-in dialects, in the order given.
    pub fn built_in(names: &[&'static str]) -> Self {
        let mut all = Dialects::default();
        for &name in names {
            let compiled = BUILT_IN.with_borrow_mut(|known| {
                let compile = || Dialects::new(&tables::built_in(name));
                known.entry(name).or_insert_with(compile).clone()
            });
            let from = all.tables.len();
            all.tables.extend(compiled.tables);
            let groups = compiled.groups.into_iter();
            all.groups
                .extend(groups.map(|(at, form)| (from + at, form)));
        }
        all
    }
}

/// A form that matches at a position.
#[derive(Clone, Copy)]
enum Match {
    /// A marker of the table with this index, or a group that begins with it.
    Table(usize),
    /// The end tag of the table with this index.
    EndTag(usize),
}

/// Text in which markers are searched for.
struct Region {
    range: Range<usize>,
    /// The model text, the stream or the text before a break ends with it.
    is_last: bool,
}

/// Splits what is neither an annotation, code, a JSON value nor untrusted text.
fn regions(stream: &Stream, scan: &Scan) -> Vec<Region> {
    let mut taken = vec![false; stream.bytes.len()];
    for (start, end) in scan.annotation_spans() {
        taken[start..end].fill(true);
    }
    for code in &scan.code {
        taken[code.clone()].fill(true);
    }
    for value in scan.all_values() {
        taken[value.start..value.end()].fill(true);
    }
    let is_free = |at: usize| !taken[at] && stream.is_own(at);
    let mut regions = Vec::new();
    let mut at = 0;
    while at < taken.len() {
        let start = at;
        while at < taken.len() && is_free(at) {
            at += 1;
        }
        if start < at {
            let is_last = at == taken.len() || !stream.is_own(at);
            let range = start..at;
            regions.push(Region { range, is_last });
        }
        at = at.max(start + 1);
    }
    regions
}

/// State of a search.
struct Search<'a> {
    stream: &'a Stream,
    scan: &'a Scan,
    dialects: &'a Dialects,
    known: &'a Known,
    found: Found,
    /// Indexes of the markers that are open, with their tables.
    open: Vec<(usize, usize)>,
    /// Start of the line in which groups are text, because one was first in it.
    listed_line: Option<usize>,
}

/// Finds all markers of a part.
pub(super) fn find(stream: &Stream, scan: &Scan, dialects: &Dialects, known: &Known) -> Found {
    let mut search = Search::new(stream, scan, dialects, known);
    for region in regions(stream, scan) {
        let mut at = region.range.start;
        while at < region.range.end {
            at = search.step(at, &region);
        }
    }
    for code in open_code(stream, scan) {
        if search.may_have_marker(&stream.bytes[code.clone()]) {
            search.found.unread.push(code);
        }
    }
    search.found
}

/// Lists the contents of code spans without a closing run.
fn open_code(stream: &Stream, scan: &Scan) -> Vec<Range<usize>> {
    let is_fence = |code: &&Range<usize>| {
        let mut fences = scan.fences.iter();
        fences.any(|fence| code.contains(&fence.content.start) || fence.end == code.end)
    };
    let spans = scan.code.iter().filter(|code| !is_fence(code));
    let open = spans.filter_map(|code| {
        let ticks =
            |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|&&byte| byte == b'`').count();
        let bytes = &stream.bytes[code.clone()];
        let opening = ticks(&mut bytes.iter());
        let content = &bytes[opening..];
        let closing = ticks(&mut content.iter().rev());
        (closing != opening).then(|| code.start + opening..code.end)
    });
    open.collect()
}

/// Open end of a part after which more text may follow.
pub(super) struct Undecided {
    /// First position that may become part of a marker.
    pub at: usize,
    /// White space before it would be removed, too.
    pub takes_space: bool,
}

/// Finds the first position of a part that text after its end may make part of a marker. `depends`
/// says whether it depends on such text that a group is a marker.
pub(super) fn undecided(
    stream: &Stream,
    scan: &Scan,
    (dialects, known): (&Dialects, &Known),
    depends: &dyn Fn(&Range<usize>) -> bool,
) -> Option<Undecided> {
    let mut search = Search::new(stream, scan, dialects, known);
    for region in regions(stream, scan) {
        let mut at = region.range.start;
        while at < region.range.end {
            if !stream.is_escaped(at) {
                let rest = &stream.bytes[at..region.range.end];
                let ends = region.range.end == stream.bytes.len();
                let alive = search.alive(rest).filter(|_| ends);
                let guarded = search.longest(rest).is_some_and(|(form, length)| {
                    let number =
                        matches!(form, Match::Table(table) if dialects.tables[table].spec.guard.is_some());
                    number && depends(&(at..at + length))
                });
                if let Some(takes_space) = alive.or(guarded.then_some(true)) {
                    return Some(Undecided { at, takes_space });
                }
            }
            at = search.step(at, &region);
        }
    }
    None
}

impl<'a> Search<'a> {
    fn new(stream: &'a Stream, scan: &'a Scan, dialects: &'a Dialects, known: &'a Known) -> Self {
        Self {
            stream,
            scan,
            dialects,
            known,
            found: Found::default(),
            open: Vec::new(),
            listed_line: None,
        }
    }
}

impl Search<'_> {
    /// Returns `None` if no form goes on after a text, otherwise whether one of those that do comes
    /// after its assertion and has identifiers.
    fn alive(&self, bytes: &[u8]) -> Option<bool> {
        let mut found = None;
        let dialects = self.dialects;
        for (index, table) in dialects.tables.iter().enumerate() {
            let spec = &table.spec;
            let goes_on = |form: &Form| {
                let reach = form.reach(bytes);
                let is_whole = reach.matches.last() == Some(&bytes.len());
                reach.alive == bytes.len()
                    && bytes.len() < spec.max
                    && (!is_whole || form.extends(bytes))
            };
            let mut groups = dialects.groups.iter().filter(|(at, _)| *at == index);
            if goes_on(&table.whole) || groups.any(|(_, form)| goes_on(form)) {
                let takes_space = spec.id.is_some() && spec.end.is_none();
                found = Some(found.unwrap_or(false) || takes_space);
            }
            let is_open = self.open.iter().any(|&(_, other)| other == index);
            if is_open && table.end.as_ref().is_some_and(goes_on) {
                found = Some(found.unwrap_or(false));
            }
        }
        found
    }

    /// Returns `true` if a text has a marker with identifiers, of those that do not begin within what looks like another one.
    fn may_have_marker(&self, bytes: &[u8]) -> bool {
        let mut at = 0;
        while at < bytes.len() {
            let reaches = self.dialects.tables.iter().map(|table| {
                let reach = table.whole.reach(&bytes[at..]);
                (
                    table.spec.id.is_some() && !reach.matches.is_empty(),
                    reach.alive,
                )
            });
            let reaches: Vec<_> = reaches.collect();
            if reaches.iter().any(|(matches, _)| *matches) {
                return true;
            }
            let alive = reaches.iter().map(|&(_, alive)| alive).max();
            at += alive.unwrap_or(0).max(1);
        }
        false
    }

    /// Reads what is at a position, and returns the next one.
    fn step(&mut self, at: usize, region: &Region) -> usize {
        if self.stream.is_escaped(at) {
            return at + 1;
        }
        let rest = &self.stream.bytes[at..region.range.end];
        let Some((form, length)) = self.longest(rest) else {
            self.unclosed(at, region);
            return at + 1;
        };
        let end = at + length;
        match form {
            Match::EndTag(table) => self.close(at..end, table),
            Match::Table(table) => self.marker(at..end, table),
        }
        end
    }

    /// Finds the longest match of all forms, the first in order among equally long ones.
    fn longest(&self, bytes: &[u8]) -> Option<(Match, usize)> {
        let mut best: Option<(Match, usize)> = None;
        let mut offer = |form: Match, matches: Vec<usize>, max: usize| {
            let longest = matches.into_iter().filter(|&length| length <= max).max();
            if let Some(length) = longest
                && best.is_none_or(|(_, most)| most < length)
            {
                best = Some((form, length));
            }
        };
        for (index, table) in self.dialects.tables.iter().enumerate() {
            let max = table.spec.max;
            let bytes = &bytes[..bytes.len().min(max)];
            for (_, group) in self.dialects.groups.iter().filter(|(at, _)| *at == index) {
                offer(Match::Table(index), group.reach(bytes).matches, max);
            }
            if !table.spec.repeat {
                offer(Match::Table(index), table.whole.reach(bytes).matches, max);
            }
            let is_open = self.open.iter().any(|&(_, other)| other == index);
            if let Some(end) = table.end.as_ref().filter(|_| is_open) {
                offer(Match::EndTag(index), end.reach(bytes).matches, max);
            }
        }
        best
    }

    /// Reports a form that was not closed: of those that are alive longest, one whose opener is
    /// complete.
    fn unclosed(&mut self, at: usize, region: &Region) {
        let rest = &self.stream.bytes[at..region.range.end];
        let mut longest = 0;
        let mut reported = false;
        for table in &self.dialects.tables {
            let max = table.spec.max;
            let visible = &rest[..rest.len().min(max + 1)];
            let alive = table.whole.reach(visible).alive;
            if alive < longest {
                continue;
            }
            let opener = table.open.reach(visible).matches;
            let is_opened = opener.iter().any(|&open| open >= 3 && open < alive);
            let is_cut_off = alive == rest.len() && region.is_last;
            let is_unclosed = is_opened && (alive > max || is_cut_off);
            let span = alive.min(max);
            reported = is_unclosed || reported && span == longest;
            longest = span;
        }
        if reported {
            self.found.unclosed.push(at..at + longest);
        }
    }

    /// Adds a match of a table, unless its identifiers or its guard make it text.
    fn marker(&mut self, span: Range<usize>, index: usize) {
        let bytes = &self.stream.bytes[span.clone()];
        let first = &self.dialects.tables[index];
        let units = self.units(bytes, index).expect("a group of markers");
        let units: Option<Vec<_>> = units.into_iter().map(expand).collect();
        let units = units.filter(|units| units.iter().map(Vec::len).sum::<usize>() <= MOST_IDS);
        let Some(units) = units else {
            if matches!(self.known, Known::Complete(_)) {
                self.found.unread.push(span);
            }
            return;
        };
        let has_list = units.iter().any(|unit| unit.len() > 1);
        let ids = units.concat();
        if let Some(guard) = first.spec.guard {
            let last_marker = self.found.markers.last().map_or(0, |last| last.span.end);
            let group = Group {
                stream: self.stream,
                scan: self.scan,
                known: self.known,
                span: span.clone(),
                ids: &ids,
                has_list,
                last_marker,
                alone: false,
            };
            if guard == Guard::Link {
                if group.is_link() {
                    return;
                }
            } else {
                let line = group.line_start();
                if group.is_first_in_line() {
                    self.listed_line = Some(line);
                }
                if self.listed_line == Some(line) {
                    return;
                }
                if group.is_text() {
                    if group.is_unlisted() {
                        self.found.unread.push(span);
                    }
                    return;
                }
            }
        }
        let around = first.end.is_some();
        if around && self.open.len() == MOST_OPEN {
            return;
        }
        if around {
            self.open.push((self.found.markers.len(), index));
        }
        let dialect = first.spec.dialect;
        let ids = ids.into_iter().map(|id| Id { dialect, id }).collect();
        self.found.markers.push(Marker {
            span,
            dialect,
            ids,
            kind: if around {
                Kind::Open { end: None }
            } else {
                Kind::After
            },
        });
    }

    /// Splits a match into its units, and each unit into its items.
    fn units(&self, bytes: &[u8], index: usize) -> Option<Vec<Vec<Item>>> {
        let first = &self.dialects.tables[index];
        if !first.spec.repeat {
            return Some(vec![first.items(bytes)?]);
        }
        if bytes.is_empty() {
            return Some(Vec::new());
        }
        let dialect = first.spec.dialect;
        let tables = self.dialects.tables.iter();
        let mut tables = tables.filter(|table| table.spec.repeat && table.spec.dialect == dialect);
        tables.find_map(|table| {
            let lengths = table.whole.reach(bytes).matches;
            lengths.into_iter().find_map(|length| {
                let mut units = vec![table.items(&bytes[..length])?];
                units.extend(self.units(&bytes[length..], index)?);
                Some(units)
            })
        })
    }

    /// Ends the marker of a table that was opened last.
    fn close(&mut self, span: Range<usize>, table: usize) {
        let at = self.open.iter().rposition(|&(_, other)| other == table);
        let (marker, _) = self.open.remove(at.expect("an open marker"));
        self.found.markers[marker].kind = Kind::Open {
            end: Some(self.found.markers.len()),
        };
        self.found.markers.push(Marker {
            span,
            dialect: self.dialects.tables[table].spec.dialect,
            ids: Vec::new(),
            kind: Kind::EndTag,
        });
    }
}

/// Lists the identifiers of a unit, `None` if it is text.
fn expand(items: Vec<Item>) -> Option<Vec<String>> {
    let mut ids = Vec::new();
    for item in items {
        match item {
            Item::One(id) => ids.push(id),
            Item::Range(first, last) => {
                let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
                if first >= last || last - first >= MOST_IDS as u64 {
                    return None;
                }
                ids.extend((first..=last).map(|number| number.to_string()));
            }
        }
    }
    Some(ids)
}
