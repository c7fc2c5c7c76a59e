//! The filter in Envoy.

use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{Action, ContextType};

use crate::Exchange;

proxy_wasm::main! {{
    proxy_wasm::set_root_context(|_| Box::new(Root));
}}

struct Root;

impl Context for Root {}

impl RootContext for Root {
    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }

    fn create_http_context(&self, _: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Stream(Exchange::default())))
    }
}

struct Stream(Exchange);

impl Context for Stream {}

impl HttpContext for Stream {
    fn on_http_request_headers(&mut self, _: usize, _: bool) -> Action {
        self.set_http_request_header("accept-encoding", Some("identity"));
        Action::Continue
    }

    fn on_http_response_headers(&mut self, _: usize, _: bool) -> Action {
        self.remove_http_response_header("content-length");
        Action::Continue
    }

    fn on_http_response_body(&mut self, size: usize, end: bool) -> Action {
        let bytes = self.get_http_response_body(0, size).unwrap_or_default();
        let mut out = Vec::new();
        self.0.push(&bytes, &mut out);
        if end {
            self.0.finish(&mut out);
        }
        self.set_http_response_body(0, size, &out);
        if out.is_empty() && !end {
            Action::Pause
        } else {
            Action::Continue
        }
    }

    fn on_http_response_trailers(&mut self, _: usize) -> Action {
        let mut out = Vec::new();
        self.0.finish(&mut out);
        if !out.is_empty() {
            self.set_http_response_body(0, usize::MAX, &out);
        }
        Action::Continue
    }
}
