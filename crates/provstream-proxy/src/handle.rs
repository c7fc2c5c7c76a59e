//! Handle of a running proxy.

use std::io;
use std::sync::Arc;

use crate::config::Config;
use crate::shared::{Loaded, ProxyState};

/// Reloads the settings of a running proxy, and ends it.
#[derive(Clone, Debug)]
pub struct Handle(pub(crate) Arc<ProxyState>);

impl Handle {
    /// Applies other settings from the next request on. Responses in flight keep their settings.
    /// The addresses of the listeners and the limit of connections do not change.
    ///
    /// # Errors
    ///
    /// If a file that the settings name cannot be used, or an upstream is the proxy itself. The
    /// settings then stay as they are.
    pub fn reload(&self, config: Config) -> io::Result<()> {
        self.replace(self.prepare(config)?);
        Ok(())
    }

    /// Builds the state for other settings. Blocks while it reads the files that they name.
    pub(crate) fn prepare(&self, config: Config) -> io::Result<Loaded> {
        config.refuse_loops(&self.0.listeners)?;
        Loaded::new(config)
    }

    pub(crate) fn replace(&self, loaded: Loaded) {
        self.0.replace(loaded);
        self.note_reload(true);
    }

    /// Counts a failed reload.
    pub fn note_failed_reload(&self) {
        self.note_reload(false);
    }

    fn note_reload(&self, is_done: bool) {
        let result = if is_done { "ok" } else { "failed" };
        let labels = [("result", result)];
        self.0
            .metrics
            .count("provstream_config_reloads_total", &labels, 1);
    }

    /// Ends the proxy: no new connections are accepted, and responses in flight may continue for
    /// the time of `drain`.
    pub fn shutdown(&self) {
        self.0.draining.send_replace(true);
    }
}
