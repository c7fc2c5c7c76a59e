//! Proxy as a program: runtime and signals.

use core::time::Duration;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::config::{Config, Upstream};
use crate::demo;
use crate::handle::Handle;
use crate::log::note;
use crate::server::{Proxy, StartError};

/// Longest time for reading other settings.
const MAX_RELOAD: Duration = Duration::from_secs(10);

/// Runs a proxy until SIGTERM or SIGINT. On SIGHUP, `load` is called for other settings in a
/// separate thread; if it fails or takes longer than 10 seconds, a message is logged and the
/// settings stay. A log message lists changes that need a restart. `started` is called when the
/// listeners are open.
///
/// # Errors
///
/// If the proxy cannot start.
pub fn run(
    config: Config,
    load: impl Fn() -> Result<Config, String> + Send + Sync + 'static,
    started: impl FnOnce(&Proxy),
) -> Result<(), StartError> {
    runtime()?.block_on(serve(config, Arc::new(load), started))
}

/// Runs a proxy in front of the upstream of the [`demo`], with its settings.
///
/// # Errors
///
/// If the proxy or the upstream cannot start.
pub fn run_demo(
    change: impl Fn(Config) -> Config,
    started: impl FnOnce(&Proxy),
) -> Result<(), StartError> {
    let what = "cannot start the upstream of the demonstration";
    runtime()?.block_on(async {
        let address = demo::upstream()
            .await
            .map_err(|error| StartError::new(what, error))?;
        let upstream: Result<Upstream, _> = format!("http://{address}").parse();
        let upstream = upstream.map_err(|error| StartError::new(what, io::Error::other(error)))?;
        let settings = demo::SETTINGS.as_bytes();
        let config = Config::from_toml(settings, Path::new("."), Some(upstream));
        let config = config.map_err(|error| StartError::new(what, io::Error::other(error)))?;
        let config = change(config);
        let same = config.clone();
        let load = move || Ok(same.clone());
        serve(config, Arc::new(load), started).await
    })
}

fn runtime() -> Result<Runtime, StartError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.enable_all().build();
    runtime.map_err(|error| StartError::new("cannot start threads", error))
}

async fn serve(
    config: Config,
    load: Arc<impl Fn() -> Result<Config, String> + Send + Sync + 'static>,
    started: impl FnOnce(&Proxy),
) -> Result<(), StartError> {
    let started_with = config.clone();
    // Before anyone learns that the proxy has started: a signal that is not waited for would end the process.
    let mut signals =
        Signals::new().map_err(|error| StartError::new("cannot wait for signals", error))?;
    let proxy = Proxy::bind(config).await?;
    started(&proxy);
    let handle = proxy.handle();
    let signals = async {
        // Later settings take the place of those that are still being read.
        let mut reloading = None;
        loop {
            let signal = tokio::select! {
                signal = signals.next() => signal,
                reloaded = ready(&mut reloading) => {
                    reloading = None;
                    note_reload(reloaded, &handle);
                    continue;
                }
            };
            if signal == Signal::End {
                handle.shutdown();
                return core::future::pending::<()>().await;
            }
            reloading = Some(Box::pin(reload(&load, &handle, &started_with)));
        }
    };
    tokio::select! {
        () = proxy.run() => Ok(()),
        () = signals => Ok(()),
    }
}

/// Waits for a future if there is one, otherwise forever.
async fn ready<T>(future: &mut Option<impl Future<Output = T> + Unpin>) -> T {
    match future {
        Some(future) => future.await,
        None => core::future::pending().await,
    }
}

fn note_reload(reloaded: Result<Vec<&'static str>, String>, handle: &Handle) {
    match reloaded {
        Ok(changes) => note(&reloaded_note(&changes)),
        Err(error) => {
            handle.note_failed_reload();
            note(&format!("the settings stay as they are: {error}"));
        }
    }
}

/// Applies other settings, and returns the keys whose changes need a restart.
async fn reload(
    load: &Arc<impl Fn() -> Result<Config, String> + Send + Sync + 'static>,
    handle: &Handle,
    started_with: &Config,
) -> Result<Vec<&'static str>, String> {
    let (sender, receiver) = oneshot::channel();
    let (load, own, started_with) = (Arc::clone(load), handle.clone(), started_with.clone());
    // A file may never be read to its end, such as one of a file system that hangs: this thread waits for it, and nobody for the
    // thread.
    let thread = thread::Builder::new().spawn(move || {
        let prepared = load().and_then(|config| {
            let changes = config.fixed_changes(&started_with);
            let loaded = own.prepare(config).map_err(|error| error.to_string())?;
            Ok((changes, loaded))
        });
        let _ = sender.send(prepared);
    });
    thread.map_err(|error| error.to_string())?;
    let late = || format!("they are not read after {} seconds", MAX_RELOAD.as_secs());
    let prepared = tokio::time::timeout(MAX_RELOAD, receiver).await;
    let prepared = prepared.map_err(|_| late())?;
    let (changes, loaded) = prepared.unwrap_or_else(|_| Err("they cannot be read".to_owned()))?;
    handle.replace(loaded);
    Ok(changes)
}

/// Returns the log message for a reload with changes of `changes` that need a restart.
fn reloaded_note(changes: &[&str]) -> String {
    let quoted: Vec<String> = changes.iter().map(|key| format!("\"{key}\"")).collect();
    match quoted.is_empty() {
        true => "the settings are reloaded".to_owned(),
        false => format!(
            "the settings are reloaded; to change {}, restart the proxy",
            quoted.join(" and ")
        ),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "no other system has such a signal")
    )]
    Reload,
    End,
}

/// Signals of the system that the proxy waits for; without Unix, there is only Ctrl-C.
struct Signals {
    #[cfg(unix)]
    all: [tokio::signal::unix::Signal; 3],
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let all = [
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ];
        Ok(Self { all })
    }

    async fn next(&mut self) -> Signal {
        let [terminate, interrupt, hangup] = &mut self.all;
        tokio::select! {
            _ = terminate.recv() => Signal::End,
            _ = interrupt.recv() => Signal::End,
            _ = hangup.recv() => Signal::Reload,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    async fn next(&mut self) -> Signal {
        let _ = tokio::signal::ctrl_c().await;
        Signal::End
    }
}
