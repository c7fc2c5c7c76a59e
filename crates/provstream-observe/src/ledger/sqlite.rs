//! Ledger in an SQLite file.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use provstream::provenance::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, Transaction,
    TransactionBehavior, params,
};

use super::chain::{EntryKind, Header, START, body_digest, erased_text, parse_erased, ranges};
use super::schema::{check_schema, create_tables};
use super::{Body, Ledger, LedgerEntry, LedgerError, LedgerHead, LedgerRecord};
use crate::observation::{Anchor, Digest, Observation};
use crate::query::Query;

/// Time that a write waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest wait for others that use the write-ahead log.
const TRUNCATE_TIMEOUT: Duration = Duration::from_millis(100);

/// Columns of [`StoredEntry`].
const COLUMNS: &str = "seq, kind, id, class, time, expires, body, chain, query, result, anchor_before, anchor_after, salt, content";

/// Ledger in an SQLite file, with a hash chain over its entries.
///
/// Several processes can write to one file at a time. The file is in write-ahead mode, and each write is synchronised to the disk.
pub struct SqliteLedger {
    pub(super) connection: Mutex<Connection>,
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqliteLedger")
    }
}

impl SqliteLedger {
    /// Opens the ledger at a path for reading and writing, and creates it if there is no file.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, is not a ledger, has another schema version, or is locked.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::connect(path.as_ref(), OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens the ledger at a path for reading and writing; the file must exist.
    ///
    /// # Errors
    ///
    /// As for [`SqliteLedger::open`], and if there is no file.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::connect(path.as_ref(), OpenFlags::empty())
    }

    /// Creates a ledger that ends with this value.
    ///
    /// # Errors
    ///
    /// SQLite cannot be set up.
    pub fn in_memory() -> Result<Self, LedgerError> {
        Self::set_up(Connection::open_in_memory()?)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, LedgerError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // So that SQLite takes neither `:memory:` nor an empty name for a database that ends with the process.
        let path = Path::new(".").join(path);
        let connection = Connection::open_with_flags(path, flags)?;
        Self::set_up(connection)
    }

    fn set_up(mut connection: Connection) -> Result<Self, LedgerError> {
        connection.busy_timeout(LOCK_TIMEOUT)?;
        // Without this, SQLite prepares a cached statement again for each other value that is bound.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        check_schema(&connection)?;
        write_ahead(&connection)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        // What expiry erases is overwritten.
        connection.pragma_update(None, "secure_delete", "ON")?;
        if !check_schema(&connection)? {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have created it meanwhile.
            if !check_schema(&transaction)? {
                create_tables(&transaction)?;
            }
            transaction.commit()?;
        }
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    /// Records several observations, all or none, and returns the number of the last one. This is faster than recording each by itself.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::record`].
    pub fn record_all<'a>(
        &self,
        observations: impl IntoIterator<Item = &'a Observation>,
    ) -> Result<u64, LedgerError> {
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut head = head(&transaction)?;
        for observation in observations {
            head = insert(&transaction, head, observation)?;
        }
        transaction.commit()?;
        Ok(head.entries)
    }

    /// Records several observations, all or none, but for those whose id has a latest entry with the same class and the same result,
    /// or with the same class and a result that has expired. Returns for each `true` if it was recorded. If nothing is to be recorded, a
    /// ledger that is locked is read nevertheless.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::record`].
    pub fn record_changed(&self, observations: &[Observation]) -> Result<Vec<bool>, LedgerError> {
        let mut connection = self.connection();
        let read = connection.transaction()?;
        let mut recorded = vec![false; observations.len()];
        let mut changes = observations.iter().map(|one| is_changed(&read, one));
        let is_none_new = changes.all(|change| matches!(change, Ok(false)));
        drop(changes);
        drop(read);
        if is_none_new {
            return Ok(recorded);
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut head = head(&transaction)?;
        for (observation, recorded) in observations.iter().zip(&mut recorded) {
            *recorded = is_changed(&transaction, observation)?;
            if *recorded {
                head = insert(&transaction, head, observation)?;
            }
        }
        transaction.commit()?;
        Ok(recorded)
    }

    /// Returns `true` if an entry, not only the latest one, has the id, class, time and result of an observation, or had the result
    /// before it expired.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn has(&self, observation: &Observation) -> Result<bool, LedgerError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT 1 FROM entry WHERE id = ?1 AND kind = 'observation' AND class = ?2 AND time = ?3 AND (result = ?4 OR result IS NULL)",
        )?;
        let time = observation.time().to_string();
        let result = observation.result();
        Ok(statement.exists(params![
            observation.id(),
            observation.class(),
            time,
            result.0
        ])?)
    }

    /// Sets the size in pages of 4,096 bytes beyond which the file does not grow; [`LedgerError::Full`] is the error.
    #[must_use]
    pub fn with_max_pages(self, pages: u64) -> Self {
        let set = self
            .connection()
            .pragma_update(None, "max_page_count", pages);
        // SQLite takes every number; a lower one than the size of the file has no effect.
        drop(set);
        self
    }

    /// Returns the number of entries and the last link of the chain.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn head(&self) -> Result<LedgerHead, LedgerError> {
        head(&self.connection())
    }

    /// Calls `each` with the entries from number `first` on, until it returns `false`.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has an entry that is not well-formed.
    pub fn for_each(
        &self,
        first: u64,
        mut each: impl FnMut(LedgerRecord) -> bool,
    ) -> Result<(), LedgerError> {
        let connection = self.connection();
        let first = i64::try_from(first).unwrap_or(i64::MAX);
        for_each_stored(&connection, first, |stored| {
            let record = stored.record().ok_or_else(|| stored.malformed())?;
            Ok::<_, LedgerError>(each(record))
        })
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A transaction that a panic has ended was rolled back.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger for SqliteLedger {
    fn record(&self, observation: &Observation) -> Result<u64, LedgerError> {
        self.record_all([observation])
    }

    fn lookup(&self, id: &str) -> Result<Option<LedgerEntry>, LedgerError> {
        let select = format!(
            "SELECT {COLUMNS} FROM entry WHERE id = ?1 AND kind = 'observation' ORDER BY seq DESC LIMIT 1"
        );
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&select)?;
        let found = statement.query_row([id], StoredEntry::read);
        match found.optional()? {
            None => Ok(None),
            Some(stored) => match stored.record() {
                Some(LedgerRecord::Observation(entry)) => Ok(Some(entry)),
                _ => Err(stored.malformed()),
            },
        }
    }

    fn expire(&self, now: Timestamp) -> Result<u64, LedgerError> {
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut expired = Vec::new();
        {
            let mut statement = transaction.prepare(
                "SELECT seq, expires FROM entry WHERE expires IS NOT NULL AND query IS NOT NULL ORDER BY seq",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (seq, expires): (u64, String) = (row.get(0)?, row.get(1)?);
                if Timestamp::parse(&expires).is_ok_and(|expires| expires <= now) {
                    expired.push(seq);
                }
            }
        }
        if expired.is_empty() {
            // An expiry before may have left bytes in the write-ahead log. The empty id of expiries is in an index.
            let select = "SELECT EXISTS (SELECT 1 FROM entry WHERE id = '' AND kind = 'expiry')";
            let was_expired = transaction.query_row(select, [], |row| row.get(0))?;
            drop(transaction);
            return match was_expired {
                true => truncate_log(&connection, 0),
                false => Ok(0),
            };
        }
        let head = head(&transaction)?;
        let erased = erased_text(&ranges(expired.iter().copied()));
        let header = Header {
            seq: head.entries + 1,
            kind: EntryKind::Expiry,
            id: "",
            class: "",
            time: &now.to_string(),
            expires: None,
            body: Digest::of(erased.as_bytes()),
        };
        append(
            &transaction,
            head,
            &header,
            &BodyColumns {
                query: &erased,
                ..BodyColumns::default()
            },
        )?;
        {
            let mut statement = transaction.prepare(
                "UPDATE entry SET query = NULL, result = NULL, anchor_before = NULL, anchor_after = NULL, salt = NULL, content = NULL
                 WHERE seq = ?1",
            )?;
            for seq in &expired {
                statement.execute([seq])?;
            }
        }
        transaction.commit()?;
        truncate_log(&connection, expired.len() as u64)
    }
}

/// Empties the write-ahead log, which still has pages from before `erased` observations were erased, and returns their number.
fn truncate_log(connection: &Connection, erased: u64) -> Result<u64, LedgerError> {
    // Nobody can write while it waits for readers.
    connection.busy_timeout(TRUNCATE_TIMEOUT)?;
    let is_busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(LOCK_TIMEOUT)?;
    match is_busy {
        Ok(false) => Ok(erased),
        _ => Err(LedgerError::NotErased(erased)),
    }
}

/// Returns `true` unless the latest entry of an observation's id has the same class, and the same result or one that has expired.
fn is_changed(connection: &Connection, observation: &Observation) -> Result<bool, LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT class = ?2 AND (result IS NULL OR result = ?3) FROM entry
         WHERE id = ?1 AND kind = 'observation' ORDER BY seq DESC LIMIT 1",
    )?;
    let of = params![
        observation.id(),
        observation.class(),
        observation.result().0
    ];
    let is_same = statement.query_row(of, |row| row.get(0)).optional()?;
    Ok(!is_same.unwrap_or(false))
}

/// Columns of a body.
#[derive(Default)]
struct BodyColumns<'a> {
    query: &'a str,
    result: Option<&'a [u8]>,
    anchor: Option<&'a Anchor>,
    salt: Option<&'a [u8]>,
    content: Option<&'a [u8]>,
}

/// Adds an observation after `head`, and returns the new head.
fn insert(
    transaction: &Transaction<'_>,
    head: LedgerHead,
    observation: &Observation,
) -> Result<LedgerHead, LedgerError> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|error| LedgerError::Other(error.to_string().into()))?;
    let result = observation.result();
    let expires = observation.expires().map(|expires| expires.to_string());
    let header = Header {
        seq: head.entries + 1,
        kind: EntryKind::Observation,
        id: observation.id(),
        class: observation.class(),
        time: &observation.time().to_string(),
        expires: expires.as_deref(),
        body: body_digest(
            observation.query(),
            result,
            observation.anchor(),
            observation.content().is_some(),
            &salt,
        ),
    };
    let body = BodyColumns {
        query: observation.query().as_str(),
        result: Some(&result.0),
        anchor: observation.anchor(),
        salt: Some(&salt),
        content: observation.content(),
    };
    append(transaction, head, &header, &body)
}

fn append(
    transaction: &Transaction<'_>,
    head: LedgerHead,
    header: &Header<'_>,
    body: &BodyColumns<'_>,
) -> Result<LedgerHead, LedgerError> {
    const INSERT: &str =
        "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    let chain = header.link(head.chain);
    transaction.prepare_cached(INSERT)?.execute(params![
        header.seq,
        header.kind.as_str(),
        header.id,
        header.class,
        header.time,
        header.expires,
        header.body.0,
        chain.0,
        body.query,
        body.result,
        body.anchor.map(|anchor| &anchor.before),
        body.anchor.map(|anchor| &anchor.after),
        body.salt,
        body.content,
    ])?;
    Ok(LedgerHead {
        entries: header.seq,
        chain,
    })
}

fn head(connection: &Connection) -> Result<LedgerHead, LedgerError> {
    let mut statement =
        connection.prepare_cached("SELECT seq, chain FROM entry ORDER BY seq DESC LIMIT 1")?;
    let last = statement.query_row([], |row| {
        Ok(LedgerHead {
            entries: row.get(0)?,
            chain: Digest(row.get(1)?),
        })
    });
    Ok(last.optional()?.unwrap_or(LedgerHead {
        entries: 0,
        chain: START,
    }))
}

/// Calls `each` with the entries from number `first` on, until it returns `false`.
pub(super) fn for_each_stored<E: From<LedgerError>>(
    connection: &Connection,
    first: i64,
    mut each: impl FnMut(&StoredEntry) -> Result<bool, E>,
) -> Result<(), E> {
    let select = format!("SELECT {COLUMNS} FROM entry WHERE seq >= ?1 ORDER BY seq");
    let fail = |error: rusqlite::Error| E::from(LedgerError::from(error));
    let mut statement = connection.prepare_cached(&select).map_err(fail)?;
    let mut rows = statement.query([first]).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        if !each(&StoredEntry::read(row).map_err(fail)?)? {
            break;
        }
    }
    Ok(())
}

/// Row of the table.
#[derive(Debug)]
pub(super) struct StoredEntry {
    pub(super) seq: u64,
    kind: String,
    id: String,
    class: String,
    time: String,
    expires: Option<String>,
    pub(super) body: Digest,
    pub(super) chain: Digest,
    query: Option<String>,
    result: Option<[u8; 32]>,
    anchor: Option<Anchor>,
    pub(super) salt: Option<[u8; 16]>,
    content: Option<Vec<u8>>,
}

impl StoredEntry {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (before, after): (Option<String>, Option<String>) = (row.get(10)?, row.get(11)?);
        Ok(Self {
            seq: row.get(0)?,
            kind: row.get(1)?,
            id: row.get(2)?,
            class: row.get(3)?,
            time: row.get(4)?,
            expires: row.get(5)?,
            body: Digest(row.get(6)?),
            chain: Digest(row.get(7)?),
            query: row.get(8)?,
            result: row.get(9)?,
            anchor: before
                .zip(after)
                .map(|(before, after)| Anchor { before, after }),
            salt: row.get(12)?,
            content: row.get(13)?,
        })
    }

    /// Computes the link of the chain from the one before; `None` if the kind is not known.
    pub(super) fn link(&self, before: Digest) -> Option<Digest> {
        let header = Header {
            seq: self.seq,
            kind: EntryKind::parse(&self.kind)?,
            id: &self.id,
            class: &self.class,
            time: &self.time,
            expires: self.expires.as_deref(),
            body: self.body,
        };
        Some(header.link(before))
    }

    /// Returns `true` if the body is the one that the chain covers, or was erased.
    pub(super) fn is_body_intact(&self) -> bool {
        let Some(query) = &self.query else {
            let is_empty = self.result.is_none() && self.anchor.is_none() && self.salt.is_none();
            return is_empty && self.content.is_none();
        };
        if EntryKind::parse(&self.kind) == Some(EntryKind::Expiry) {
            return Digest::of(query.as_bytes()) == self.body;
        }
        let (Ok(parsed), Some(result), Some(salt)) =
            (Query::parse(query), self.result.map(Digest), &self.salt)
        else {
            return false;
        };
        let content = self.content.as_deref().map(Digest::of);
        parsed.as_str() == query
            && body_digest(
                &parsed,
                result,
                self.anchor.as_ref(),
                content.is_some(),
                salt,
            ) == self.body
            && content.is_none_or(|content| content == result)
    }

    /// Returns the entry in the public form; `None` if it is malformed.
    pub(super) fn record(&self) -> Option<LedgerRecord> {
        let time = Timestamp::parse(&self.time).ok()?;
        if EntryKind::parse(&self.kind)? == EntryKind::Expiry {
            let erased = parse_erased(self.query.as_deref()?)?;
            let seq = self.seq;
            return Some(LedgerRecord::Expiry { seq, time, erased });
        }
        let body = match (&self.query, self.result) {
            (Some(query), Some(result)) => Some(Body {
                query: Query::parse(query).ok()?,
                result: Digest(result),
                anchor: self.anchor.clone(),
                content: self.content.clone(),
            }),
            _ => None,
        };
        let expires = self.expires.as_deref().map(Timestamp::parse);
        Some(LedgerRecord::Observation(LedgerEntry {
            seq: self.seq,
            id: self.id.clone(),
            class: self.class.clone(),
            time,
            expires: expires.transpose().ok()?,
            body,
        }))
    }

    pub(super) fn malformed(&self) -> LedgerError {
        LedgerError::Damaged(format!("entry {} is malformed", self.seq))
    }
}

/// Sets the write-ahead mode, which no other process may prevent for long.
fn write_ahead(connection: &Connection) -> Result<(), LedgerError> {
    let start = Instant::now();
    loop {
        let set = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match set.map_err(LedgerError::from) {
            // SQLite does not wait for this lock itself.
            Err(LedgerError::Locked) if start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

impl From<rusqlite::Error> for LedgerError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        match code {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::NotADatabase) => Self::NotALedger,
            Some(ErrorCode::CannotOpen) => Self::NotOpened(message(&error)),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(message(&error)),
            _ => match error {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..) => Self::Damaged(message(&error)),
                error => Self::Other(error.into()),
            },
        }
    }
}

fn message(error: &(dyn Error + 'static)) -> String {
    error.to_string()
}
