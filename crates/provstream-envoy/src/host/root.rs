//! Root context of the filter.

use std::rc::Rc;
use std::sync::Arc;

use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{ContextType, LogLevel};

use super::log;
use super::meter::Meter;
use super::shared::PluginState;
use super::stream::HttpExchange;
use crate::read_routes;

/// Environment variable with the value `1` if Envoy passes the body to a filter that holds back the
/// head (`allow_on_headers_stop_iteration`).
const WAITS: &str = "PROVSTREAM_WAIT_WITH_HEAD";

/// Root context, with the parsed configuration.
#[derive(Debug, Default)]
pub(super) struct Root(Option<Rc<PluginState>>);

impl Context for Root {}

impl RootContext for Root {
    fn on_configure(&mut self, _: usize) -> bool {
        let config = self.get_plugin_configuration().unwrap_or_default();
        match read_routes(&config) {
            Ok(routes) => {
                self.0 = Some(Rc::new(PluginState {
                    routes: Arc::new(routes),
                    meter: Meter::new(),
                    waits: std::env::var_os(WAITS).is_some_and(|value| value == "1"),
                }));
                true
            }
            Err(error) => {
                log::line(
                    LogLevel::Critical,
                    &format!("provstream: configuration: {error}"),
                );
                false
            }
        }
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }

    fn create_http_context(&self, _: u32) -> Option<Box<dyn HttpContext>> {
        // Without a configuration Envoy creates no streams; if it did, the missing context would end the filter, which
        // fails closed.
        let shared = self.0.as_ref()?;
        Some(Box::new(HttpExchange::new(Rc::clone(shared))))
    }
}
