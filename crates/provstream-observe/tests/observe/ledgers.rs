//! A ledger keeps what is recorded, and shows what was changed.

use std::fs;
use std::path::Path;

use provstream_observe::{
    Anchor, Ledger, LedgerError, LedgerFault, LedgerHead, LedgerRecord, LedgerReport, Observation,
    SqliteLedger,
};
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use crate::{noon, numbered, time};

/// A ledger in a file with ten observations; numbers 3 and 4 expire at noon.
fn ledger() -> (TempDir, SqliteLedger) {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = SqliteLedger::open(dir.path().join("obs.db")).expect("a ledger");
    for number in 1..=10 {
        let observation = numbered(number);
        let observation = match number {
            3 | 4 => observation.with_expiry(noon()).expect("a time"),
            5 => observation.without_content(),
            6 => observation.with_anchor(Some(Anchor {
                before: "a\n".to_owned(),
                after: String::new(),
            })),
            _ => observation,
        };
        assert_eq!(ledger.record(&observation).expect("recorded"), number);
    }
    (dir, ledger)
}

fn tamper(dir: &TempDir, sql: &str) {
    let connection = Connection::open(dir.path().join("obs.db")).expect("a database");
    connection.execute_batch(sql).expect("changed");
}

fn faults(dir: &TempDir, head: Option<LedgerHead>) -> Vec<LedgerFault> {
    let ledger = SqliteLedger::open_existing(dir.path().join("obs.db")).expect("a ledger");
    ledger.check(head).expect("checked").faults
}

fn export(ledger: &SqliteLedger) -> String {
    let mut out = Vec::new();
    ledger.export(&mut out).expect("exported");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn what_is_recorded_is_found_and_the_latest_counts() {
    let (_dir, ledger) = ledger();
    let entry = ledger
        .lookup(numbered(6).id())
        .expect("read")
        .expect("an entry");
    assert_eq!(
        (entry.seq, entry.class.as_str()),
        (6, "substrate.code.read")
    );
    let body = entry.body.expect("a body");
    assert_eq!(body.query, *numbered(6).query());
    assert_eq!(body.content.as_deref(), Some(&b"content 6\n"[..]));
    assert_eq!(body.anchor.expect("an anchor").before, "a\n");
    let entry = ledger
        .lookup(numbered(5).id())
        .expect("read")
        .expect("an entry");
    assert_eq!(entry.body.expect("a body").content, None);
    assert_eq!(ledger.lookup("sha256:e3b0").expect("read"), None);
    for content in [1, 2] {
        let observation = numbered(content).with_id("call_1").expect("an id");
        ledger.record(&observation).expect("recorded");
    }
    let entry = ledger.lookup("call_1").expect("read").expect("an entry");
    assert_eq!(entry.body.expect("a body").query, *numbered(2).query());
}

/// Another class or another result under an id is recorded again, also if both are of one call; what the latest entry has is not, and what
/// an older one has is.
#[test]
fn what_has_changed_is_recorded() {
    let ledger = SqliteLedger::in_memory().expect("a ledger");
    let named = |number, class: &str| {
        let of = numbered(number);
        let content = of.content().expect("content");
        let observation = Observation::new(class, of.query().clone(), content, noon());
        let named = observation.expect("an observation").with_id("call_1");
        named.expect("an id")
    };
    let (code, grep) = ("substrate.code.read", "substrate.grep");
    let changed = |observations: &[Observation]| ledger.record_changed(observations);
    let first = [
        named(1, code),
        named(1, code),
        named(2, code),
        named(2, grep),
    ];
    let recorded = changed(&first).expect("recorded");
    assert_eq!(recorded, [true, false, true, true]);
    let second = [
        named(2, grep),
        named(2, grep).without_content(),
        named(1, code),
    ];
    assert_eq!(changed(&second).expect("recorded"), [false, false, true]);
    let expires = named(3, code).with_expiry(noon()).expect("an expiry");
    assert_eq!(changed(&[expires]).expect("recorded"), [true]);
    assert_eq!(ledger.expire(noon()).expect("expired"), 1);
    let again = [named(4, code), named(4, grep)];
    assert_eq!(changed(&again).expect("recorded"), [false, true]);
    let report = ledger.check(None).expect("checked");
    assert_eq!((report.observations, report.faults.len()), (6, 0));
}

#[test]
fn expiry_erases_all_but_a_tombstone() {
    let (dir, ledger) = ledger();
    let before = time("2026-05-28T11:59:59.9Z");
    assert_eq!(ledger.expire(before).expect("expired"), 0);
    assert_eq!(ledger.expire(noon()).expect("expired"), 2);
    assert_eq!(ledger.expire(noon()).expect("expired"), 0);
    let entry = ledger
        .lookup(numbered(3).id())
        .expect("read")
        .expect("an entry");
    assert_eq!(entry.body, None);
    let mut records = Vec::new();
    ledger
        .for_each(10, |record| {
            records.push(record);
            true
        })
        .expect("read");
    let expiry = LedgerRecord::Expiry {
        seq: 11,
        time: noon(),
        erased: vec![3..=4],
    };
    assert_eq!(records.last(), Some(&expiry));
    let report = ledger.check(None).expect("checked");
    assert_eq!((report.observations, report.expired), (10, 2));
    assert_eq!(report.faults, []);
    assert_eq!(report.head.entries, 11);
    drop(ledger);
    for file in fs::read_dir(dir.path()).expect("a folder") {
        let bytes = fs::read(file.expect("a file").path()).expect("readable");
        assert!(memchr::memmem::find(&bytes, b"content 4").is_none());
        assert!(memchr::memmem::find(&bytes, b"file-4").is_none());
    }
}

#[test]
fn each_kind_of_change_is_found() {
    let found = |sql: &str| {
        let (dir, ledger) = ledger();
        ledger.expire(noon()).expect("expired");
        drop(ledger);
        tamper(&dir, sql);
        faults(&dir, None)
    };
    assert_eq!(found("SELECT 1"), []);
    for column in ["id", "class", "time", "kind"] {
        let sql = format!("UPDATE entry SET {column} = 'expiry' WHERE seq = 2");
        assert!(found(&sql).contains(&LedgerFault::Changed(2)), "{column}");
    }
    for (sql, expected) in [
        (
            "UPDATE entry SET expires = '2027-01-01T00:00:00Z' WHERE seq = 2",
            LedgerFault::Changed(2),
        ),
        (
            "UPDATE entry SET query = '{}' WHERE seq = 2",
            LedgerFault::BodyChanged(2),
        ),
        (
            "UPDATE entry SET query = ' ' || query WHERE seq = 2",
            LedgerFault::BodyChanged(2),
        ),
        (
            "UPDATE entry SET content = x'00' WHERE seq = 2",
            LedgerFault::BodyChanged(2),
        ),
        (
            "UPDATE entry SET result = randomblob(32) WHERE seq = 5",
            LedgerFault::BodyChanged(5),
        ),
        (
            "UPDATE entry SET anchor_before = 'b' WHERE seq = 6",
            LedgerFault::BodyChanged(6),
        ),
        (
            "UPDATE entry SET content = NULL, query = NULL, result = NULL, salt = NULL WHERE seq = 2",
            LedgerFault::BodyRemoved(2),
        ),
        (
            "UPDATE entry SET query = '[[1,4]]' WHERE seq = 11",
            LedgerFault::BodyChanged(11),
        ),
        (
            "UPDATE entry SET content = x'00' WHERE seq = 3",
            LedgerFault::BodyChanged(3),
        ),
        ("DELETE FROM entry WHERE seq = 7", LedgerFault::Missing(7)),
        ("DELETE FROM entry WHERE seq = 1", LedgerFault::Missing(1)),
        (
            "DELETE FROM entry WHERE seq = 7; UPDATE entry SET seq = seq - 1 WHERE seq > 7",
            LedgerFault::Changed(7),
        ),
        (
            "UPDATE entry SET seq = 100 WHERE seq = 2; UPDATE entry SET seq = 2 WHERE seq = 8; UPDATE entry SET seq = 8 WHERE seq = 100",
            LedgerFault::Changed(2),
        ),
        (
            "INSERT INTO entry SELECT 12, kind, id, class, time, expires, body, chain, query, result, anchor_before, anchor_after, salt, content FROM entry WHERE seq = 2",
            LedgerFault::Changed(12),
        ),
        (
            "UPDATE entry SET chain = randomblob(32) WHERE seq = 2",
            LedgerFault::Changed(3),
        ),
    ] {
        let faults = found(sql);
        assert!(faults.contains(&expected), "{sql}: {faults:?}");
    }
}

/// An entry before the first one is a number that no ledger has.
#[test]
fn an_entry_before_the_first_is_found() {
    let (dir, ledger) = ledger();
    let head = ledger.head().expect("a head");
    drop(ledger);
    tamper(
        &dir,
        "INSERT INTO entry SELECT -5, kind, 'forged', class, time, expires, body, chain, query, result, anchor_before, anchor_after, salt, content FROM entry WHERE seq = 2",
    );
    assert!(matches!(
        *faults(&dir, Some(head)),
        [LedgerFault::Damaged(_), ..]
    ));
}

/// Triggers could drop what is recorded, and a view or another table find what was not.
#[test]
fn a_file_with_other_tables_of_entries_is_refused() {
    for sql in [
        "CREATE TRIGGER t BEFORE INSERT ON entry BEGIN SELECT raise(IGNORE); END",
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "ALTER TABLE entry RENAME TO real; CREATE VIEW entry AS SELECT * FROM real",
        "DROP INDEX entry_id",
        "CREATE INDEX other ON entry (class)",
        "ALTER TABLE entry ADD COLUMN more TEXT",
    ] {
        let (dir, ledger) = ledger();
        drop(ledger);
        tamper(&dir, sql);
        let opened = SqliteLedger::open(dir.path().join("obs.db"));
        assert!(
            matches!(opened, Err(LedgerError::Damaged(_))),
            "{sql}: {opened:?}"
        );
    }
    // Tables of other tools, such as those that copy the file, are allowed.
    let (dir, ledger) = ledger();
    drop(ledger);
    tamper(&dir, "CREATE TABLE copied (at TEXT); ANALYZE");
    assert_eq!(faults(&dir, None), []);
}

#[test]
fn a_head_finds_what_was_cut_off_or_written_anew() {
    let (dir, ledger) = ledger();
    let head = ledger.head().expect("a head");
    assert_eq!(LedgerHead::parse(&head.to_string()), Some(head));
    ledger.record(&numbered(11)).expect("recorded");
    assert_eq!(ledger.check(Some(head)).expect("checked").faults, []);
    drop(ledger);
    tamper(&dir, "DELETE FROM entry WHERE seq > 8");
    assert_eq!(faults(&dir, None), []);
    let shorter = LedgerFault::Shorter {
        expected: 10,
        found: 8,
    };
    assert_eq!(faults(&dir, Some(head)), [shorter]);
    // Another history of the same length.
    let ledger = SqliteLedger::open(dir.path().join("obs.db")).expect("a ledger");
    ledger
        .record_all(&[numbered(20), numbered(21)])
        .expect("recorded");
    drop(ledger);
    assert_eq!(faults(&dir, None), []);
    assert_eq!(faults(&dir, Some(head)), [LedgerFault::Rewritten(10)]);
}

#[test]
fn content_is_neither_removed_nor_added_in_silence() {
    for (seq, content) in [(1, "NULL"), (5, "CAST('content 5' || char(10) AS BLOB)")] {
        let (dir, ledger) = ledger();
        drop(ledger);
        assert_eq!(faults(&dir, None), []);
        let sql = format!("UPDATE entry SET content = {content} WHERE seq = {seq}");
        tamper(&dir, &sql);
        assert_eq!(faults(&dir, None), [LedgerFault::BodyChanged(seq)]);
    }
}

/// Another process that reads keeps the write-ahead log, and with it what was erased.
#[test]
fn bytes_that_cannot_be_erased_yet_are_reported() {
    let (dir, ledger) = ledger();
    let has_bytes = || {
        let files = ["obs.db", "obs.db-wal"].map(|name| fs::read(dir.path().join(name)));
        let files = files.map(Result::unwrap_or_default);
        files
            .iter()
            .any(|bytes| memchr::memmem::find(bytes, b"content 3").is_some())
    };
    let mut reader = Connection::open(dir.path().join("obs.db")).expect("a database");
    let transaction = reader.transaction().expect("a transaction");
    let count = transaction.query_row("SELECT count(*) FROM entry", [], |row| row.get(0));
    assert_eq!(count, Ok(10));
    let before = time("2026-05-28T11:59:59.9Z");
    assert_eq!(ledger.expire(before).expect("nothing expired"), 0);
    let expired = ledger.expire(noon());
    assert!(
        matches!(expired, Err(LedgerError::NotErased(2))),
        "{expired:?}"
    );
    assert!(has_bytes());
    drop(transaction);
    assert_eq!(ledger.expire(noon()).expect("expired"), 0);
    assert!(!has_bytes());
}

#[test]
fn a_flipped_byte_changes_nothing_or_is_found() {
    let (dir, ledger) = ledger();
    ledger.expire(noon()).expect("expired");
    let before = export(&ledger);
    drop(ledger);
    let path = dir.path().join("obs.db");
    let bytes = fs::read(&path).expect("readable");
    let rounds: usize =
        std::env::var("PROVSTREAM_FLIPS").map_or(300, |rounds| rounds.parse().expect("a number"));
    let step = (bytes.len() / rounds).max(1);
    let mut found = 0;
    for at in (0..bytes.len()).step_by(step) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&path, &flipped).expect("written");
        let _ = fs::remove_file(dir.path().join("obs.db-wal"));
        let _ = fs::remove_file(dir.path().join("obs.db-shm"));
        if is_found(&path, &before) {
            found += 1;
        }
    }
    assert!(found > 0);
}

/// Returns `true` if a check finds a fault. Otherwise, the ledger must say what it said.
fn is_found(path: &Path, before: &str) -> bool {
    let Ok(ledger) = SqliteLedger::open_existing(path) else {
        return true;
    };
    match ledger.check(None) {
        Ok(LedgerReport { faults, .. }) if faults.is_empty() => {
            assert_eq!(export(&ledger), before);
            for number in 1..=10 {
                let entry = ledger.lookup(numbered(number).id()).expect("read");
                assert_eq!(entry.expect("an entry").seq, number);
            }
            false
        }
        _ => true,
    }
}

#[test]
fn an_export_is_checked_by_an_independent_program() {
    let (dir, ledger) = ledger();
    ledger.expire(noon()).expect("expired");
    let export = export(&ledger);
    let lines: Vec<Value> = export
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 12);
    assert_eq!(
        lines[11]["head"],
        ledger.head().expect("a head").to_string()
    );
    assert!(lines[2].get("query").is_none());
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit.py");
    let run = |text: &str| {
        let path = dir.path().join("export.ndjson");
        fs::write(&path, text).expect("written");
        let input = fs::File::open(path).expect("readable");
        std::process::Command::new("python3")
            .arg(&program)
            .stdin(input)
            .output()
    };
    let Ok(output) = run(&export) else {
        eprintln!("SKIPPED: python3 is not installed");
        return;
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let changed = export.replace("file-7", "file-8");
    assert!(!run(&changed).expect("python3").status.success());
}

#[test]
fn a_file_that_is_no_ledger_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.db");
    let error = |path: &Path| SqliteLedger::open(path).expect_err("refused");
    fs::write(
        &path,
        "This is a text and not a database, and longer than a header of SQLite.\n".repeat(9),
    )
    .expect("written");
    assert!(
        matches!(error(&path), LedgerError::NotALedger),
        "{:?}",
        error(&path)
    );
    fs::remove_file(&path).expect("removed");
    Connection::open(&path)
        .expect("a database")
        .execute_batch("CREATE TABLE a (b)")
        .expect("created");
    assert!(matches!(error(&path), LedgerError::NotALedger));
    fs::remove_file(&path).expect("removed");
    drop(SqliteLedger::open(&path).expect("a ledger"));
    let connection = Connection::open(&path).expect("a database");
    connection
        .pragma_update(None, "user_version", 1)
        .expect("set");
    drop(connection);
    let expected = "expected a ledger with schema version 2, found version 1";
    assert_eq!(error(&path).to_string(), expected);
    let missing = SqliteLedger::open_existing(dir.path().join("none.db"));
    assert!(
        matches!(missing, Err(LedgerError::NotOpened(_))),
        "{missing:?}"
    );
    assert!(matches!(error(dir.path()), LedgerError::NotOpened(_)));
}

#[test]
fn a_full_disk_loses_nothing() {
    let (dir, ledger) = ledger();
    drop(ledger);
    let path = dir.path().join("obs.db");
    let pages = fs::metadata(&path).expect("a file").len() / 4096;
    let ledger = SqliteLedger::open(&path)
        .expect("a ledger")
        .with_max_pages(pages);
    let large: Vec<Observation> = (11..20)
        .map(|number| {
            let query = numbered(number).query().clone();
            Observation::new("substrate.grep", query, vec![b'x'; 20_000], noon())
                .expect("an observation")
        })
        .collect();
    let error = ledger.record_all(&large).expect_err("no space");
    assert!(matches!(error, LedgerError::Full), "{error:?}");
    assert_eq!(ledger.head().expect("a head").entries, 10);
    drop(ledger);
    let ledger = SqliteLedger::open(&path).expect("a ledger");
    assert_eq!(ledger.check(None).expect("checked").faults, []);
    assert_eq!(ledger.record_all(&large).expect("recorded"), 19);
}

#[test]
fn a_lock_that_stays_is_an_error_and_one_that_goes_is_waited_for() {
    let (dir, ledger) = ledger();
    let path = dir.path().join("obs.db");
    let lock =
        |connection: &Connection| connection.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let other = Connection::open(&path).expect("a database");
    lock(&other);
    // Readers are not kept waiting.
    assert!(ledger.lookup(numbered(1).id()).expect("read").is_some());
    let error = ledger.record(&numbered(11)).expect_err("locked");
    assert!(matches!(error, LedgerError::Locked), "{error:?}");
    let waiting = std::thread::spawn(move || ledger.record(&numbered(11)).expect("recorded"));
    std::thread::sleep(std::time::Duration::from_millis(100));
    drop(other);
    assert_eq!(waiting.join().expect("a thread"), 11);
}

#[test]
fn several_can_create_a_ledger_at_once() {
    for _ in 0..60 {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("obs.db");
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    SqliteLedger::open(&path).expect("a ledger");
                });
            }
        });
    }
}

/// With `PROVSTREAM_MEASURE` set, prints how many look-ups a second one thread makes: `cargo test --release -- --nocapture lookups`.
#[test]
fn lookups_are_measured() {
    let count = match std::env::var_os("PROVSTREAM_MEASURE") {
        Some(_) => 100_000,
        None => 100,
    };
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = SqliteLedger::open(dir.path().join("obs.db")).expect("a ledger");
    let observations: Vec<_> = (0..count).map(numbered).collect();
    let start = std::time::Instant::now();
    ledger.record_all(&observations).expect("recorded");
    let recorded = start.elapsed();
    let start = std::time::Instant::now();
    for observation in &observations {
        assert!(ledger.lookup(observation.id()).expect("read").is_some());
    }
    let found = start.elapsed();
    let start = std::time::Instant::now();
    for observation in &observations {
        assert!(
            ledger
                .lookup(&observation.id()[1..])
                .expect("read")
                .is_none()
        );
    }
    let missed = start.elapsed();
    let start = std::time::Instant::now();
    assert_eq!(ledger.check(None).expect("checked").faults, []);
    let checked = start.elapsed();
    let rate = |time: std::time::Duration| count as f64 / time.as_secs_f64();
    println!(
        "a second: {:.0} recorded in one transaction, {:.0} looked up, {:.0} not found, {:.0} checked",
        rate(recorded),
        rate(found),
        rate(missed),
        rate(checked)
    );
}
