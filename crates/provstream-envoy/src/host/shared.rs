//! State that all streams of a configuration share.

use std::sync::Arc;

use provstream_route::Routes;

use super::meter::Meter;

/// State that all streams of a configuration share.
#[derive(Debug)]
pub(super) struct PluginState {
    pub(super) routes: Arc<Routes>,
    pub(super) meter: Meter,
    /// `true` if the filter may hold back heads.
    pub(super) waits: bool,
}
