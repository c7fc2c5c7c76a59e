//! A run: streams, faults, and what did not hold.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::client::{End, Got, stream};
use super::life::{Common, Life};
use super::script::{Fault, Random, Script};
use super::upstream;

/// How long the streams of a proxy may take once no more begin.
const FLIGHT: Duration = Duration::from_secs(40);

/// The proxy that lives as long as the run.
const LONG: usize = 0;

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long streams run.
    pub seconds: u64,
    /// Streams at a time, half of them through each proxy.
    pub streams: usize,
    /// What the policy does with assertions that are not admitted.
    pub inadmissible: &'static str,
    /// The program `provstream`.
    pub program: PathBuf,
    /// A folder for settings and logs.
    pub work: PathBuf,
}

/// What a run found.
#[derive(Debug, Default)]
pub struct Summary {
    /// Streams, by what the upstream did and how they ended.
    pub streams: BTreeMap<(Fault, End), u64>,
    /// Error events, by their codes.
    pub codes: BTreeMap<String, u64>,
    /// Lines of audit logs, by the version of the policy that decided.
    pub versions: BTreeMap<String, u64>,
    /// Reloads with settings, and with settings that are broken.
    pub reloads: (u64, u64),
    /// Proxies that were ended without streams in flight, and with.
    pub ended: (u64, u64),
    /// Bytes of memory of the proxy that lives long, after a quarter of the run and at its end.
    pub rss: (u64, u64),
    /// What does not hold.
    pub breaches: Vec<String>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: u64 = self.streams.values().sum();
        writeln!(f, "{all} streams")?;
        for ((fault, end), count) in &self.streams {
            writeln!(f, "  upstream {}, {}: {count}", fault.name(), end.name())?;
        }
        for (code, count) in &self.codes {
            writeln!(f, "  error events with the code {code}: {count}")?;
        }
        writeln!(
            f,
            "{} reloads, {} of broken settings",
            self.reloads.0, self.reloads.1
        )?;
        writeln!(
            f,
            "{} proxies ended when nothing was in flight, {} in mid-load",
            self.ended.0, self.ended.1
        )?;
        for (version, count) in &self.versions {
            writeln!(f, "{count} lines of audit logs by the policy {version:?}")?;
        }
        let (warm, end) = self.rss;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        writeln!(
            f,
            "resident memory: {:.1} MiB after a quarter, {:.1} MiB at the end",
            mib(warm),
            mib(end)
        )?;
        for breach in self.breaches.iter().take(20) {
            writeln!(f, "BREACH: {breach}")?;
        }
        writeln!(f, "{} breaches", self.breaches.len())
    }
}

/// What the workers share.
struct Shared {
    /// The port and the number of the proxy, by the worker's kind; nothing while none takes streams.
    current: [Mutex<Option<(u16, usize)>>; 2],
    /// Streams in flight, by the number of the proxy.
    flight: Mutex<BTreeMap<usize, usize>>,
    seeds: AtomicU64,
    ends: AtomicBool,
    results: Sender<(usize, Got)>,
}

impl Shared {
    /// Begins a stream: the port and the number of the proxy.
    fn begin(&self, kind: usize) -> Option<(u16, usize)> {
        let current = self.current[kind]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (port, number) = (*current)?;
        let mut flight = self.flight.lock().unwrap_or_else(PoisonError::into_inner);
        *flight.entry(number).or_default() += 1;
        Some((port, number))
    }

    fn finish(&self, number: usize) {
        let mut flight = self.flight.lock().unwrap_or_else(PoisonError::into_inner);
        *flight.entry(number).or_default() -= 1;
    }

    fn set(&self, kind: usize, life: Option<&Life>) {
        let mut current = self.current[kind]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *current = life.map(|life| (life.port(), life.number()));
    }

    fn in_flight(&self, number: usize) -> usize {
        let flight = self.flight.lock().unwrap_or_else(PoisonError::into_inner);
        flight.get(&number).copied().unwrap_or(0)
    }
}

async fn work(shared: Arc<Shared>, kind: usize) {
    while !shared.ends.load(Ordering::Relaxed) {
        let Some((port, number)) = shared.begin(kind) else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let seed = shared.seeds.fetch_add(1, Ordering::Relaxed);
        let got = stream(port, seed).await;
        let is_refused = got.end == End::Refused;
        let _ = shared.results.send((number, got));
        shared.finish(number);
        if is_refused {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Runs streams and faults.
///
/// # Errors
///
/// A proxy cannot be started, or its files not be read.
pub fn run(settings: &Settings) -> io::Result<Summary> {
    fs::create_dir_all(&settings.work)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let common = Common {
        program: settings.program.clone(),
        work: settings.work.clone(),
        upstream: runtime.block_on(upstream::start())?,
        inadmissible: settings.inadmissible,
    };
    let (sender, results) = channel();
    let shared = Arc::new(Shared {
        current: Default::default(),
        flight: Mutex::default(),
        seeds: AtomicU64::new(1),
        ends: AtomicBool::new(false),
        results: sender,
    });
    for worker in 0..settings.streams {
        runtime.spawn(work(Arc::clone(&shared), worker % 2));
    }
    let lives = Lives {
        long: Life::start(&common, LONG)?,
        short: Life::start(&common, LONG + 1)?,
    };
    let mut driver = Driver {
        common,
        shared,
        results,
        got: BTreeMap::new(),
        summary: Summary::default(),
    };
    let lives = driver.all(lives, Duration::from_secs(settings.seconds))?;
    driver.finish(lives)
}

/// The proxies that take streams.
struct Lives {
    long: Life,
    short: Life,
}

struct Driver {
    common: Common,
    shared: Arc<Shared>,
    results: Receiver<(usize, Got)>,
    /// What clients got, by the number of the proxy.
    got: BTreeMap<usize, Vec<Got>>,
    summary: Summary,
}

impl Driver {
    /// Has faults happen until the time is over.
    fn all(&mut self, mut lives: Lives, time: Duration) -> io::Result<Lives> {
        let start = Instant::now();
        let mut random = Random::new(7);
        self.shared.set(0, Some(&lives.long));
        self.shared.set(1, Some(&lives.short));
        let mut next_reload = Duration::from_secs(1);
        let mut next_end = Duration::from_secs(4);
        while start.elapsed() < time {
            sleep(Duration::from_millis(50));
            let now = start.elapsed();
            if now >= next_reload {
                self.reload(&lives)?;
                next_reload = now + Duration::from_millis(500 + random.below(3_000) as u64);
            }
            if now >= next_end {
                lives.short = self.restart(lives.short, random.below(2) == 0)?;
                next_end = start.elapsed() + Duration::from_secs(3 + random.below(6) as u64);
            }
            if self.summary.rss.0 == 0 && now >= time / 4 {
                self.summary.rss.0 = lives.long.memory().rss;
            }
        }
        self.summary.rss.1 = lives.long.memory().rss;
        Ok(lives)
    }

    fn reload(&mut self, lives: &Lives) -> io::Result<()> {
        self.summary.reloads.0 += 1;
        let version = match self.summary.reloads.0 % 5 {
            0 => {
                self.summary.reloads.1 += 1;
                None
            }
            number if number % 2 == 0 => Some("first"),
            _ => Some("second"),
        };
        lives.long.reload(version)?;
        lives.short.reload(version)
    }

    /// Ends the proxy that lives short; another that has its streams from now on.
    fn restart(&mut self, old: Life, is_quiet: bool) -> io::Result<Life> {
        let next = Life::start(&self.common, old.number() + 1)?;
        if !is_quiet {
            old.terminate()?;
            // Some clients come while it ends.
            sleep(Duration::from_millis(20));
        }
        self.shared.set(1, Some(&next));
        self.end(old, is_quiet)?;
        Ok(next)
    }

    /// Ends a proxy that gets no more streams, and checks what its clients got.
    fn end(&mut self, life: Life, is_quiet: bool) -> io::Result<()> {
        let number = life.number();
        let start = Instant::now();
        while is_quiet && self.shared.in_flight(number) > 0 {
            if start.elapsed() > FLIGHT {
                self.breach(format!("proxy {number}: streams are stuck"));
                break;
            }
            sleep(Duration::from_millis(10));
        }
        if is_quiet {
            for gauge in life.settle()? {
                self.breach(format!(
                    "proxy {number}: {gauge} is not 0 after the last stream"
                ));
            }
            life.terminate()?;
            self.summary.ended.0 += 1;
        } else {
            self.summary.ended.1 += 1;
        }
        let (wrong, audit) = life.end()?;
        if let Some(wrong) = wrong {
            self.breach(format!("proxy {number}: {wrong}"));
        }
        while self.shared.in_flight(number) > 0 && start.elapsed() < FLIGHT {
            sleep(Duration::from_millis(10));
        }
        for (version, count) in audit.versions() {
            *self.summary.versions.entry(version).or_default() += count;
        }
        self.collect();
        for got in self.got.remove(&number).unwrap_or_default() {
            let fault = Script::new(got.seed).fault;
            *self.summary.streams.entry((fault, got.end)).or_default() += 1;
            if let Some(code) = &got.code {
                *self.summary.codes.entry(code.clone()).or_default() += 1;
            }
            let breach = got.breach.clone();
            if let Some(breach) = breach.or_else(|| audit.breach(&got)) {
                let why = fault.name();
                self.breach(format!("seed {}, upstream {why}: {breach}", got.seed));
            }
            if got.end == End::Refused && is_quiet {
                self.breach(format!(
                    "seed {}: refused by a proxy that was not ended",
                    got.seed
                ));
            }
        }
        Ok(())
    }

    fn collect(&mut self) {
        while let Ok((number, got)) = self.results.try_recv() {
            self.got.entry(number).or_default().push(got);
        }
    }

    fn breach(&mut self, what: String) {
        self.summary.breaches.push(what);
    }

    /// Ends both proxies.
    fn finish(mut self, lives: Lives) -> io::Result<Summary> {
        self.shared.ends.store(true, Ordering::Relaxed);
        self.shared.set(0, None);
        self.shared.set(1, None);
        self.end(lives.short, true)?;
        self.end(lives.long, true)?;
        let (warm, end) = self.summary.rss;
        // What the allocator keeps differs a little from time to time.
        if end > warm + warm / 10 + (2 << 20) {
            self.breach(format!("memory has grown from {warm} to {end} bytes"));
        }
        if self.summary.reloads.0 > self.summary.reloads.1 && self.summary.versions.len() < 2 {
            self.breach("settings that were reloaded decided about nothing".to_owned());
        }
        Ok(self.summary)
    }
}
