//! Processes that record are killed at any moment; what they said to be recorded is.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use provstream_observe::{Ledger, SqliteLedger};

use crate::{noon, numbered};

const LEDGER: &str = "PROVSTREAM_TEST_LEDGER";
const FIRST: &str = "PROVSTREAM_TEST_FIRST";

/// The process that is killed: records, looks up what it recorded, and prints the number of each observation once it is recorded.
#[test]
#[ignore = "a process of the test below"]
fn recorder() {
    let (Ok(path), Ok(first)) = (std::env::var(LEDGER), std::env::var(FIRST)) else {
        return;
    };
    let ledger = SqliteLedger::open(path).expect("a ledger");
    let mut out = std::io::stdout();
    for number in first.parse::<u64>().expect("a number").. {
        let observation = match number % 7 {
            0 => numbered(number).with_expiry(noon()).expect("a time"),
            _ => numbered(number),
        };
        ledger.record(&observation).expect("recorded");
        writeln!(out, "recorded {number}").expect("written");
        assert!(ledger.lookup(observation.id()).expect("read").is_some());
        if number % 50 == 0 {
            ledger.expire(noon()).expect("expired");
        }
    }
}

fn start(path: &Path, first: u64) -> Child {
    Command::new(std::env::current_exe().expect("a program"))
        .args(["--exact", "crash::recorder", "--ignored", "--nocapture"])
        .env(LEDGER, path)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Kills a process and returns the numbers that it printed.
fn kill(mut child: Child) -> BTreeSet<u64> {
    child.kill().expect("killed");
    let output = child.wait_with_output().expect("ended");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    let lines = BufReader::new(&*output.stdout).lines();
    let numbers = lines.map_while(Result::ok).filter_map(|line| {
        let number = line.rsplit_once("recorded ")?.1;
        number.parse().ok()
    });
    numbers.collect()
}

/// With `PROVSTREAM_KILLS=50`, the long form: that many kills, each after up to two seconds.
#[test]
fn nothing_recorded_is_lost_when_a_process_is_killed() {
    let kills: u64 =
        std::env::var("PROVSTREAM_KILLS").map_or(3, |kills| kills.parse().expect("a number"));
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("obs.db");
    let survivor = start(&path, 1_000_000_000);
    let mut recorded = BTreeSet::new();
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    for kill_number in 0..kills {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let child = start(&path, kill_number * 1_000_000);
        let most = if kills > 3 { 2000 } else { 600 };
        std::thread::sleep(Duration::from_millis(100 + (random >> 33) % most));
        recorded.extend(kill(child));
        let ledger = SqliteLedger::open(&path).expect("a ledger");
        let report = ledger.check(None).expect("checked");
        assert_eq!(report.faults, []);
    }
    recorded.extend(kill(survivor));
    let ledger = SqliteLedger::open(&path).expect("a ledger");
    assert_eq!(ledger.check(None).expect("checked").faults, []);
    assert!(
        recorded.len() as u64 > kills,
        "{} were recorded",
        recorded.len()
    );
    for number in &recorded {
        let entry = ledger.lookup(numbered(*number).id()).expect("read");
        assert!(entry.is_some(), "{number} was recorded, and is lost");
    }
    println!("{} observations, {kills} kills", recorded.len());
}
