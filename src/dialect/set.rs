//! Dialects compiled together.

use super::automaton::{BuildError, MOST_PATTERNS, MarkerAutomaton, Patterns};
use super::guard::{Attached, Guard};
use super::openers::Openers;
use super::table::{FormTable, MOST_IDS};
use super::{Dialect, DialectError, DialectErrorKind as Kind};
use crate::engine::bytes::{
    BRACE, BRACKETLESS, BYTE_CLASSES, ByteClasses, MARKLESS, OPENERS, TAGLESS,
};
use crate::marker_ids::IdText;

/// Most markers around their assertion that are open at once.
pub(crate) const MOST_OPEN: usize = 8;

/// The forms of some dialects as one automaton.
pub(crate) struct Set {
    pub(super) dialects: Vec<Dialect>,
    pub(crate) automaton: MarkerAutomaton,
    /// Form of each pattern.
    pub(crate) forms: Vec<MarkerForm>,
    /// Patterns that are end tags.
    pub(crate) ends: Patterns,
    /// Length of the shortest of all limits.
    pub(crate) least_max: usize,
    /// First bytes of markers.
    pub(crate) openers: Openers,
    /// First bytes of markers and of everything else in free text.
    pub(crate) all_openers: Openers,
    /// Class of bytes none of which begins a marker; 0 without one.
    pub(crate) run: ByteClasses,
}

/// Form that one pattern recognises.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkerForm {
    pub(crate) dialect: usize,
    table: usize,
    /// Units of several tables may follow one another.
    is_group: bool,
    /// Pattern of the opening marker, for an end tag.
    pub(crate) ends: Option<usize>,
    /// The marker is around its assertion; its end tag has the next pattern.
    pub(crate) is_around: bool,
    pub(crate) max: usize,
}

/// Identifiers that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadIds {
    /// No unit has more than one.
    pub(crate) one_each: bool,
    /// Rule of the first unit.
    pub(crate) attached: Attached,
}

impl Set {
    pub(super) fn new(dialects: &[Dialect]) -> Result<Self, DialectError> {
        let mut patterns = Vec::new();
        let mut forms: Vec<MarkerForm> = Vec::new();
        for (index, dialect) in dialects.iter().enumerate() {
            let tables = &dialect.parts.tables;
            let mut has_group = false;
            for (number, table) in tables.iter().enumerate() {
                let is_group = table.unit.is_some();
                if is_group && has_group {
                    continue;
                }
                has_group |= is_group;
                let form = MarkerForm {
                    dialect: index,
                    table: number,
                    is_group,
                    ends: None,
                    is_around: table.end.is_some(),
                    max: table.max,
                };
                patterns.push(match is_group {
                    true => group(tables),
                    false => table.form.clone(),
                });
                forms.push(form);
                if let Some(end) = &table.end {
                    patterns.push(end.clone());
                    forms.push(MarkerForm {
                        ends: Some(forms.len() - 1),
                        is_around: false,
                        ..form
                    });
                }
            }
        }
        let names: Vec<_> = dialects.iter().map(Dialect::name).collect();
        let too_large = || DialectError::new(Kind::TooLarge, None, &names.join(", "));
        if patterns.len() > MOST_PATTERNS {
            return Err(too_large());
        }
        let automaton = MarkerAutomaton::new(&patterns).map_err(|error| match error {
            BuildError::TooLarge => too_large(),
            BuildError::Pattern(_) => DialectError::new(Kind::BadPattern, None, &names.join(", ")),
            BuildError::Empty => DialectError::new(Kind::EmptyForm, None, &names.join(", ")),
        })?;
        let begins = |byte: u8| automaton.begins(byte);
        let begins_none = |kind: &ByteClasses| {
            let of_kind = |byte: &u8| BYTE_CLASSES[usize::from(*byte)] & kind != 0;
            !(0..=u8::MAX).filter(of_kind).any(begins)
        };
        let run = [TAGLESS, BRACKETLESS, MARKLESS]
            .into_iter()
            .find(begins_none);
        let opens = |byte: u8| begins(byte) || OPENERS.contains(&byte) || byte == BRACE;
        let is_end = |(index, form): (usize, &MarkerForm)| form.ends.map(|_| 1 << index);
        Ok(Self {
            run: run.unwrap_or(0),
            openers: Openers::new(begins),
            all_openers: Openers::new(opens),
            dialects: dialects.to_vec(),
            automaton,
            ends: forms
                .iter()
                .enumerate()
                .filter_map(is_end)
                .fold(0, |all, one: Patterns| all | one),
            least_max: forms.iter().map(|form| form.max).min().unwrap_or(0),
            forms,
        })
    }

    /// Returns the patterns that may have at least `len` bytes.
    pub(crate) fn within(&self, len: usize) -> Patterns {
        if len <= self.least_max {
            return Patterns::MAX;
        }
        let fits = |(index, form): (usize, &MarkerForm)| (form.max >= len).then_some(1 << index);
        self.forms
            .iter()
            .enumerate()
            .filter_map(fits)
            .fold(0, |all, one: Patterns| all | one)
    }

    pub(crate) fn name(&self, form: &MarkerForm) -> &str {
        self.dialect_name(form.dialect)
    }

    pub(crate) fn dialect_name(&self, dialect: usize) -> &str {
        self.dialects[dialect].name()
    }

    fn table(&self, form: &MarkerForm) -> &FormTable {
        &self.dialects[form.dialect].parts.tables[form.table]
    }

    pub(crate) fn guard(&self, form: &MarkerForm) -> Option<&Guard> {
        self.table(form).guard.as_ref()
    }

    /// Returns `true` if the markers of a form have identifiers.
    pub(crate) fn has_ids(&self, form: &MarkerForm) -> bool {
        self.table(form).ids.is_some()
    }

    /// Returns the length of the longest opener of a form at the start of `bytes`.
    pub(crate) fn opener(&self, form: &MarkerForm, bytes: &[u8]) -> Option<usize> {
        self.units(form)
            .filter_map(|table| table.open.longest(bytes))
            .max()
    }

    fn units(&self, form: &MarkerForm) -> impl Iterator<Item = &FormTable> {
        let tables = &self.dialects[form.dialect].parts.tables;
        let (number, is_group) = (form.table, form.is_group);
        tables.iter().enumerate().filter_map(move |(index, table)| {
            (index == number || is_group && table.unit.is_some()).then_some(table)
        })
    }

    /// Reads the identifiers of a marker; `None` if it is text because of them.
    pub(crate) fn read(
        &self,
        form: &MarkerForm,
        marker: &[u8],
        out: &mut IdText,
    ) -> Option<ReadIds> {
        out.clear();
        if !form.is_group {
            let table = self.table(form);
            let count = table.read(marker, out)?;
            return Some(ReadIds {
                one_each: count <= 1,
                attached: table.attached(),
            });
        }
        let mut one_each = true;
        let mut attached = None;
        let mut at = 0;
        while at < marker.len() {
            let rest = &marker[at..];
            let longest =
                |table: &FormTable| table.unit.as_ref().and_then(|unit| unit.longest(rest));
            let mut found: Option<(&FormTable, usize)> = None;
            for table in self.units(form) {
                if let Some(len) = longest(table)
                    && found.is_none_or(|(_, before)| before < len)
                {
                    found = Some((table, len));
                }
            }
            let (table, len) = found?;
            one_each &= table.read(&rest[..len], out)? <= 1;
            attached = attached.or_else(|| Some(table.attached()));
            at += len;
        }
        (out.len() <= MOST_IDS).then_some(ReadIds {
            one_each,
            attached: attached.unwrap_or_default(),
        })
    }
}

/// Regular expression of all groups of the tables that may be repeated.
fn group(tables: &[FormTable]) -> String {
    let units = tables.iter().filter(|table| table.unit.is_some());
    let units: Vec<_> = units.map(|table| format!("(?:{})", table.form)).collect();
    format!("(?:{})+", units.join("|"))
}
