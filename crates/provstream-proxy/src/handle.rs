//! What can be done with a proxy that runs.

use std::io;
use std::sync::Arc;

use crate::config::Config;
use crate::shared::{Loaded, Shared};

/// Reloads the settings of a proxy that runs, and ends it.
#[derive(Clone, Debug)]
pub struct Handle(pub(crate) Arc<Shared>);

impl Handle {
    /// Uses other settings from the next request on. Responses that have begun end as they began. Where the proxy listens, and
    /// the limits of connections, stay as they are.
    ///
    /// # Errors
    ///
    /// A file that the settings name cannot be used, or an upstream is the proxy itself. The settings stay as they are.
    pub fn reload(&self, config: Config) -> io::Result<()> {
        self.replace(self.prepare(config)?);
        Ok(())
    }

    /// What is made from other settings; it may wait for the files that they name.
    pub(crate) fn prepare(&self, config: Config) -> io::Result<Loaded> {
        config.refuse_loops(&self.0.listeners)?;
        Loaded::new(config)
    }

    pub(crate) fn replace(&self, loaded: Loaded) {
        self.0.replace(loaded);
        self.note_reload(true);
    }

    /// Counts a reload that failed.
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

    /// Ends the proxy: no more connections are taken, and responses may end for as long as `drain` says.
    pub fn shutdown(&self) {
        self.0.draining.send_replace(true);
    }
}
