//! Model of the rules between the records of a stream, by plain lookups: `docs/wire.md` 5, MARC-02
//! 7.3 and 9.1.
//!
//! The model shares no code with the validator. It keeps all records, carries no state between
//! them, and finds every loop, maximum and round by following the parents back.

use provstream_marc::Document;

/// Code of a violation between records, and JSON Pointer of the member at fault.
pub type Found = (&'static str, &'static str);

/// Parent decision that a record names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// Member missing or null.
    NotNamed,
    Named(String),
    /// Member repeated, or not a string.
    Faulty,
}

/// Members of a record that the rules between records use. A member of the wrong type or a negative
/// number counts as absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub id: Option<String>,
    pub parent: Parent,
    pub iteration: Option<i64>,
    pub max_iterations: Option<i64>,
    /// Selected action is `RETRIEVE`, `TOOL` or `DELIBERATE`.
    pub loops: bool,
    /// Selected action is `CLARIFY`; the request continues after the reply.
    pub asks: bool,
}

impl Record {
    /// Reads a record; returns `None` if a number has more digits than the model handles or a
    /// string is not Unicode.
    pub fn of(document: &Document) -> Option<Self> {
        let member = |name: &str| {
            let mut found = document.members().filter(|(known, _)| known == name);
            match (found.next(), found.next()) {
                (first, None) => first.map(|(_, json)| json),
                // A repeated member is not as it must be, as an array is not.
                _ => Some("[]"),
            }
        };
        let text = |name| match member(name) {
            Some(json) if json.starts_with('"') => serde_json::from_str(json).ok().map(Some),
            _ => Some(None::<String>),
        };
        let count = |name| {
            let value = member(name).map_or(Some(None), integer)?;
            Some(value.filter(|&value| value >= 0))
        };
        let parent = match member("parent_decision_id") {
            None | Some("null") => Parent::NotNamed,
            Some(_) => text("parent_decision_id")?.map_or(Parent::Faulty, Parent::Named),
        };
        let action = text("selected_action")?.unwrap_or_default();
        Some(Self {
            id: text("decision_id")?,
            parent,
            iteration: count("iteration")?,
            max_iterations: count("max_iterations")?,
            loops: ["RETRIEVE", "TOOL", "DELIBERATE"].contains(&&*action),
            asks: action == "CLARIFY",
        })
    }
}

/// Reads a JSON value as an integer, such as `10` or `1e1`. Returns `Some(None)` if it is not an
/// integer, and `None` if it has more than 15 digits, which the model does not handle.
fn integer(json: &str) -> Option<Option<i64>> {
    let (sign, unsigned) = match json.strip_prefix('-') {
        Some(unsigned) => (-1, unsigned),
        None => (1, json),
    };
    if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return Some(None);
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().ok()?;
    if exponent.abs() > 15 || whole.len() + fraction.len() > 15 {
        return None;
    }
    let zeros = "0".repeat(15);
    let digits = format!("{zeros}{whole}{fraction}{zeros}");
    let point = (15 + whole.len() as i64 + exponent) as usize;
    let (whole, fraction) = digits.split_at(point);
    let whole = whole.trim_start_matches('0');
    if fraction.bytes().any(|digit| digit != b'0') {
        return Some(None);
    }
    match whole {
        "" => Some(Some(0)),
        _ if whole.len() > 15 => None,
        _ => Some(Some(sign * whole.parse::<i64>().ok()?)),
    }
}

/// All records of a stream so far. The model has no limit on their number, so it never expects
/// `limit-session`.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// Records in stream order, `None` for one that could not be read.
    records: Vec<Option<Record>>,
}

impl Sequence {
    /// Appends a record that could not be read.
    pub fn skip(&mut self) {
        self.records.push(None);
    }

    /// Appends a record and returns the violations between it and the records before.
    pub fn check(&mut self, record: Record) -> Vec<Found> {
        self.records.push(Some(record));
        self.wrong(self.records.len() - 1)
    }

    /// Collects the identifiers of the records whose loops are open.
    pub fn open(&self) -> Vec<&str> {
        let all = 0..self.records.len();
        let open = all.filter(|&at| self.is_open(at, self.records.len()));
        open.filter_map(|at| self.id(at)).collect()
    }

    fn id(&self, at: usize) -> Option<&str> {
        self.records[at].as_ref()?.id.as_deref()
    }

    /// Finds the last record with identifier `id` before index `before`.
    fn named(&self, id: &str, before: usize) -> Option<usize> {
        (0..before).rev().find(|&at| self.id(at) == Some(id))
    }

    /// Returns `true` if the loop of the record at `at` is open before index `end`: no later record
    /// names it as parent. Of several records with one identifier, only the last can be open.
    fn is_open(&self, at: usize, end: usize) -> bool {
        let Some(Record {
            id: Some(id),
            loops: true,
            ..
        }) = &self.records[at]
        else {
            return false;
        };
        let later = || self.records[at + 1..end].iter().flatten();
        let is_named =
            later().any(|later| matches!(&later.parent, Parent::Named(named) if named == id));
        !is_named && later().all(|later| later.id.as_ref() != Some(id))
    }

    /// Finds the preceding decision of a record: its named parent, or the record right before if
    /// neither has an identifier.
    fn preceding(&self, at: usize) -> Option<usize> {
        let record = self.records[at].as_ref()?;
        match &record.parent {
            Parent::Named(id) => self.named(id, at),
            Parent::Faulty => None,
            Parent::NotNamed => {
                let last = at.checked_sub(1)?;
                let before = self.records[last].as_ref()?;
                (record.id.is_none() && before.id.is_none() && before.loops).then_some(last)
            }
        }
    }

    /// Collects the preceding decisions of a record within its request, nearest first.
    fn request_before(&self, at: usize) -> Vec<&Record> {
        let mut found = Vec::new();
        let mut next = self.preceding(at);
        while let Some(at) = next
            && let Some(record) = &self.records[at]
            && (record.loops || record.asks)
        {
            found.push(record);
            next = self.preceding(at);
        }
        found
    }

    fn wrong(&self, at: usize) -> Vec<Found> {
        let mut wrong = Vec::new();
        let Some(record) = &self.records[at] else {
            return wrong;
        };
        let before = self.request_before(at);
        if let Some(id) = &record.id
            && self.named(id, at).is_some()
        {
            wrong.push(("repeated-decision-id", "/decision_id"));
        }
        match &record.parent {
            Parent::Named(id) => {
                let all_read = self.records[..at].iter().all(Option::is_some);
                if self.named(id, at).is_none() && all_read {
                    wrong.push(("unknown-parent", "/parent_decision_id"));
                }
            }
            Parent::NotNamed => {
                let is_later = |earlier: usize| {
                    let earlier = self.records[earlier].as_ref();
                    let earlier = earlier.and_then(|earlier| earlier.iteration);
                    earlier < record.iteration && earlier.is_some()
                };
                let goes_on = record.iteration > Some(0)
                    && (0..at).any(|earlier| self.is_open(earlier, at) && is_later(earlier));
                if goes_on || !before.is_empty() {
                    wrong.push(("missing-parent", "/parent_decision_id"));
                }
            }
            Parent::Faulty => {}
        }
        if let (Some(iteration), Some(preceding)) = (record.iteration, before.first())
            && preceding
                .iteration
                .is_some_and(|count| iteration < count || iteration == count && preceding.loops)
        {
            wrong.push(("iteration-not-growing", "/iteration"));
        }
        let code = "iteration-above-maximum";
        let of_request = before.iter().find_map(|record| record.max_iterations);
        let rounds = before.iter().filter(|record| record.loops).count() as i64;
        // At most one of the three; a maximum that is raised says nothing of the rounds.
        if let (Some(own), Some(max)) = (record.max_iterations, of_request)
            && own > max
        {
            wrong.push((code, "/max_iterations"));
        } else if let (None, Some(iteration), Some(max)) =
            (record.max_iterations, record.iteration, of_request)
            && iteration > max
        {
            wrong.push((code, "/iteration"));
        } else if let (None, Some(max)) = (record.iteration, record.max_iterations.or(of_request))
            && rounds > max
        {
            wrong.push((code, "/parent_decision_id"));
        }
        wrong
    }
}
