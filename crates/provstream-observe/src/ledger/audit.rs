//! Audit and export of a ledger.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::chain::START;
use super::sqlite::{SqliteLedger, StoredEntry, for_each_stored};
use super::{LedgerError, LedgerRecord};
use crate::observation::{Digest, hex};
use crate::query::canonical;

/// Number of entries of a ledger, and the last link of its chain.
///
/// A ledger that has this head, or had it, has the entries up to that number unchanged. Keep heads where the writers of the
/// ledger cannot change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerHead {
    /// Number of entries.
    pub entries: u64,
    /// Link of the last entry; 32 zero bytes without one.
    pub chain: Digest,
}

impl LedgerHead {
    /// Reads `ENTRIES:CHAIN`, a number and 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (entries, chain) = text.split_once(':')?;
        Some(Self {
            entries: entries.parse().ok()?,
            chain: Digest::parse(chain)?,
        })
    }
}

/// Writes `ENTRIES:CHAIN`.
impl fmt::Display for LedgerHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entries, self.chain)
    }
}

/// A difference between a ledger and what its chain says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LedgerFault {
    /// An entry is not there.
    Missing(u64),
    /// An entry, or its order, was changed: its link does not follow from it and the link before.
    Changed(u64),
    /// The query, digest, anchor or content of an entry was changed.
    BodyChanged(u64),
    /// The body of an entry was removed, and no expiry says so.
    BodyRemoved(u64),
    /// The ledger has fewer entries than the head that it is compared with.
    Shorter {
        /// Entries of the head.
        expected: u64,
        /// Entries of the ledger.
        found: u64,
    },
    /// The entry at which the head was taken has another link now: the chain was written anew.
    Rewritten(u64),
    /// SQLite finds the file damaged.
    Damaged(String),
}

impl fmt::Display for LedgerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(seq) => write!(f, "entry {seq} is missing"),
            Self::Changed(seq) => write!(f, "entry {seq} was changed or moved"),
            Self::BodyChanged(seq) => {
                write!(f, "the query or the result of entry {seq} was changed")
            }
            Self::BodyRemoved(seq) => {
                write!(
                    f,
                    "the query and the result of entry {seq} were removed without an expiry"
                )
            }
            Self::Shorter { expected, found } => {
                write!(f, "expected at least {expected} entries, found {found}")
            }
            Self::Rewritten(seq) => write!(
                f,
                "entry {seq} has another link than in the head: the entries up to it were written anew"
            ),
            Self::Damaged(why) => write!(f, "the file is damaged: {why}"),
        }
    }
}

/// Result of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerReport {
    /// Head of the ledger.
    pub head: LedgerHead,
    /// Number of observations.
    pub observations: u64,
    /// Number of observations whose bodies an expiry has erased.
    pub expired: u64,
    /// Faults, in the order of the entries; at most 100.
    pub faults: Vec<LedgerFault>,
}

/// Most faults that are reported.
const MAX_FAULTS: usize = 100;

impl SqliteLedger {
    /// Audits the whole ledger, and compares it with a head that was exported earlier.
    ///
    /// Without a head, an adversary who can write the file can cut off the last entries, or compute the whole chain anew.
    ///
    /// # Errors
    ///
    /// The file cannot be read, for a reason other than damage.
    pub fn check(&self, earlier: Option<LedgerHead>) -> Result<LedgerReport, LedgerError> {
        let connection = self.connection();
        let mut audit = ChainAudit::new(earlier);
        let integrity = connection.query_row("PRAGMA integrity_check(1)", [], |row| {
            row.get::<_, String>(0)
        });
        match integrity.map_err(LedgerError::from) {
            Ok(found) if found == "ok" => {}
            Ok(found) => audit.fault(LedgerFault::Damaged(found)),
            Err(LedgerError::Damaged(why)) => audit.fault(LedgerFault::Damaged(why)),
            Err(error) => return Err(error),
        }
        let read = for_each_stored(&connection, i64::MIN, |stored| {
            audit.entry(stored);
            Ok::<_, LedgerError>(audit.faults.len() < MAX_FAULTS)
        });
        match read {
            Err(LedgerError::Damaged(why)) => audit.fault(LedgerFault::Damaged(why)),
            read => read?,
        }
        Ok(audit.finish())
    }

    /// Writes each entry as a line of JSON, and the head as the last line.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the output cannot be written.
    pub fn export(&self, out: &mut dyn Write) -> Result<LedgerHead, ExportError> {
        let mut connection = self.connection();
        // The head and the entries are of one moment.
        let transaction = connection.transaction().map_err(LedgerError::from)?;
        let mut head = LedgerHead {
            entries: 0,
            chain: START,
        };
        for_each_stored(&transaction, i64::MIN, |stored| {
            head = LedgerHead {
                entries: stored.seq,
                chain: stored.chain,
            };
            let record = stored.record().ok_or_else(|| stored.malformed())?;
            let line = canonical(&export_line(stored, &record));
            writeln!(out, "{line}")?;
            Ok::<_, ExportError>(true)
        })?;
        let line = canonical(&json!({ "head": head.to_string() }));
        writeln!(out, "{line}")?;
        Ok(head)
    }
}

/// State of an audit.
struct ChainAudit {
    earlier: Option<LedgerHead>,
    before: LedgerHead,
    /// Observations without a body.
    without_body: BTreeSet<u64>,
    observations: u64,
    expired: u64,
    faults: Vec<LedgerFault>,
}

impl ChainAudit {
    fn new(earlier: Option<LedgerHead>) -> Self {
        Self {
            earlier,
            before: LedgerHead {
                entries: 0,
                chain: START,
            },
            without_body: BTreeSet::new(),
            observations: 0,
            expired: 0,
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, fault: LedgerFault) {
        self.faults.push(fault);
    }

    fn entry(&mut self, stored: &StoredEntry) {
        let expected = self.before.entries + 1;
        if stored.seq != expected {
            self.fault(LedgerFault::Missing(expected));
        } else if stored.link(self.before.chain) != Some(stored.chain) {
            self.fault(LedgerFault::Changed(stored.seq));
        }
        self.before = LedgerHead {
            entries: stored.seq,
            chain: stored.chain,
        };
        if !stored.is_body_intact() {
            self.fault(LedgerFault::BodyChanged(stored.seq));
        }
        match stored.record() {
            Some(LedgerRecord::Observation(entry)) => {
                self.observations += 1;
                if entry.body.is_none() {
                    self.without_body.insert(stored.seq);
                }
            }
            Some(LedgerRecord::Expiry { erased, .. }) => {
                for range in erased {
                    let erased: Vec<_> = self.without_body.range(range).copied().collect();
                    self.expired += erased.len() as u64;
                    for seq in erased {
                        self.without_body.remove(&seq);
                    }
                }
            }
            None => self.fault(LedgerFault::Changed(stored.seq)),
        }
        if self
            .earlier
            .is_some_and(|head| head.entries == stored.seq && head.chain != stored.chain)
        {
            self.fault(LedgerFault::Rewritten(stored.seq));
        }
    }

    fn finish(mut self) -> LedgerReport {
        for seq in std::mem::take(&mut self.without_body) {
            self.fault(LedgerFault::BodyRemoved(seq));
        }
        match self.earlier {
            Some(head) if head.entries > self.before.entries => self.fault(LedgerFault::Shorter {
                expected: head.entries,
                found: self.before.entries,
            }),
            _ => {}
        }
        self.faults.truncate(MAX_FAULTS);
        LedgerReport {
            head: self.before,
            observations: self.observations,
            expired: self.expired,
            faults: self.faults,
        }
    }
}

/// Line of an export.
fn export_line(stored: &StoredEntry, record: &LedgerRecord) -> Value {
    let links = json!({ "seq": stored.seq, "body": stored.body.to_string(), "chain": stored.chain.to_string() });
    let members = match record {
        LedgerRecord::Observation(entry) => {
            let mut line = json!({
                "kind": "observation",
                "id": entry.id,
                "class": entry.class,
                "time": entry.time.to_string(),
                "expires": entry.expires.map(|expires| expires.to_string()),
            });
            if let Some(body) = &entry.body {
                let query: Value = body.query.members().into();
                line["query"] = query;
                line["result"] = body.result.to_string().into();
                line["salt"] = hex(&stored.salt.unwrap_or_default()).into();
                line["anchor"] = match &body.anchor {
                    Some(anchor) => json!({ "before": anchor.before, "after": anchor.after }),
                    None => Value::Null,
                };
                match body.content.as_deref().map(std::str::from_utf8) {
                    Some(Ok(text)) => line["content"] = text.into(),
                    Some(Err(_)) => {
                        let bytes = body.content.as_deref().unwrap_or_default();
                        line["content_hex"] = hex(bytes).into();
                    }
                    None => {}
                }
            }
            line
        }
        LedgerRecord::Expiry { time, erased, .. } => {
            let erased: Vec<_> = erased
                .iter()
                .map(|range| [*range.start(), *range.end()])
                .collect();
            json!({ "kind": "expiry", "time": time.to_string(), "erased": erased })
        }
    };
    match (links, members) {
        (Value::Object(mut links), Value::Object(members)) => {
            links.extend(members);
            Value::Object(links)
        }
        (links, _) => links,
    }
}

/// An error of an export.
#[derive(Debug)]
pub enum ExportError {
    /// The ledger cannot be read.
    Ledger(LedgerError),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<LedgerError> for ExportError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ledger(error) => error.fmt(f),
            Self::Output(error) => write!(f, "cannot write the export: {error}"),
        }
    }
}

impl Error for ExportError {}
