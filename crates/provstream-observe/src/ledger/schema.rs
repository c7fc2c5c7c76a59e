//! Tables of a ledger in an SQLite file.

use rusqlite::{Connection, Row};

use super::LedgerError;

/// `application_id` of a ledger, "pvob".
const APPLICATION_ID: i64 = 0x7076_6f62;
/// `user_version` of a ledger.
const SCHEMA_VERSION: i64 = 2;

/// Table and indexes of a ledger: kind, name and statement.
const SCHEMA: [(&str, &str, &str); 3] = [
    (
        "table",
        "entry",
        "CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        class TEXT NOT NULL,
        time TEXT NOT NULL,
        expires TEXT,
        body BLOB NOT NULL,
        chain BLOB NOT NULL,
        query TEXT,
        result BLOB,
        anchor_before TEXT,
        anchor_after TEXT,
        salt BLOB,
        content BLOB
    ) STRICT",
    ),
    (
        "index",
        "entry_id",
        "CREATE INDEX entry_id ON entry (id, seq)",
    ),
    (
        "index",
        "entry_expires",
        "CREATE INDEX entry_expires ON entry (seq) WHERE expires IS NOT NULL AND query IS NOT NULL",
    ),
];

/// Returns `true` for a ledger and `false` for an empty file.
pub(super) fn check_schema(connection: &Connection) -> Result<bool, LedgerError> {
    // Another process may create the tables meanwhile, with both numbers, and all three are read at one moment.
    let is_apart = connection.is_autocommit();
    let _snapshot = is_apart
        .then(|| connection.unchecked_transaction())
        .transpose()?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    if application == APPLICATION_ID {
        return match version {
            SCHEMA_VERSION => check_tables(connection).map(|()| true),
            found => Err(LedgerError::SchemaVersion {
                expected: SCHEMA_VERSION,
                found,
            }),
        };
    }
    match (application, version, tables) {
        (0, 0, 0) => Ok(false),
        _ => Err(LedgerError::NotALedger),
    }
}

/// Creates the tables in an empty file.
pub(super) fn create_tables(connection: &Connection) -> Result<(), LedgerError> {
    for (_, _, statement) in SCHEMA {
        connection.execute(statement, [])?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    Ok(())
}

/// Refuses a file with triggers on the entries, or with another table of them or other indexes: who could write it could make
/// records vanish, or look-ups find what was not recorded.
fn check_tables(connection: &Connection) -> Result<(), LedgerError> {
    let mut statement = connection.prepare(
        "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = 'entry' COLLATE NOCASE ORDER BY rowid",
    )?;
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let found = statement.query_map([], read)?;
    let found: Vec<(String, String, String)> = found.collect::<Result<_, _>>()?;
    let expected = SCHEMA.map(|(kind, name, sql)| (kind.into(), name.into(), sql.into()));
    if let Some((kind, name, _)) = found.iter().find(|one| !expected.contains(one)) {
        let message = format!(
            "expected the table and the indexes of a ledger alone, found the {kind} {name:?}"
        );
        return Err(LedgerError::Damaged(message));
    }
    match expected.iter().find(|one| !found.contains(one)) {
        Some((kind, name, _)) => Err(LedgerError::Damaged(format!(
            "expected the {kind} {name:?}, found none"
        ))),
        None => Ok(()),
    }
}
