//! Decides what to do with the response to an HTTP request, without I/O: no clock, no threads, no sockets. Only [`AuditFile`], which
//! a caller may use for its audit log, writes a file.
//!
//! A proxy or a filter in a gateway asks [`Routes`] for the [`Route`] of a request, and gives the head of the response to
//! [`Route::response`]. It gets a [`Plan`]: the body passes unchanged, is refused, or goes through a [`BodyFilter`], which
//! strips annotations or lets a policy decide about the text. The filter ends every stream in the format of its API, even if
//! the policy ends it or the upstream breaks off. The [`ResponseOutcome`] of the filter says whether the body was inspected, and has
//! the data for log lines, metrics and audit logs.
//!
//! The proxy, the external processor and the Envoy filter read the same file of routes, so they make the same decisions. The
//! crate compiles for `wasm32-wasip1`.
//!
//! ```
//! use provstream::provenance::{Timestamp, Vocabulary};
//! use provstream_route::{Flow, Plan, ResponseHead, Routes};
//!
//! let file = br#"
//! [[route]]
//! path = "/v1/chat/*"
//! action = "gate"
//!
//! [route.policy]
//! floor = 1
//! default_window = "1h"
//! inadmissible = { action = "replace", text = "(withheld)" }
//! "#;
//! let no_files = |_: &str| Err("expected an inline policy");
//! let routes = Routes::from_toml(file, &Vocabulary::memo(), no_files)?;
//! let route = routes.route("POST", "/v1/chat/completions");
//! let head = ResponseHead::new(200).with_content_type("text/event-stream");
//! let Plan::Filter(mut filter) = route.response(&head) else {
//!     panic!("a gated route filters streams");
//! };
//! let now = Timestamp::from_unix(0, 0).expect("a time");
//! let mut out = Vec::new();
//! let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"So. [unverified-inference] It is\"}}]}\n\n";
//! assert_eq!(filter.push(event.as_bytes(), now, &mut out), Flow::More);
//! filter.finish(now, &mut out);
//! let text = String::from_utf8(out)?;
//! assert!(text.contains("(withheld) "), "{text}");
//! assert!(filter.outcome().is_inspected());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "dialects")]
mod answer_sources;
mod audit;
mod audit_file;
mod cause;
mod draft;
mod error;
mod filter;
mod head;
#[cfg(feature = "dialects")]
mod labels;
mod ledgers;
mod machine;
mod observation_ids;
mod outcome;
mod pass_reason;
mod paths;
mod pattern;
mod plan;
mod read;
mod refusal;
mod request_facts;
#[cfg(feature = "dialects")]
mod request_sources;
mod route;
mod seen;
mod settings;
mod shape;
#[cfg(feature = "dialects")]
mod source_classes;
#[cfg(feature = "dialects")]
mod source_gap;
#[cfg(feature = "dialects")]
mod sources;
mod terminal;
mod tracker;

#[cfg(feature = "dialects")]
pub use answer_sources::ResponseSourceReader;
pub use audit::{Audit, AuditSink};
pub use audit_file::AuditFile;
pub use cause::Cause;
pub use draft::Draft;
pub use error::RouteError;
pub use filter::{BodyFilter, Flow};
pub use head::ResponseHead;
pub use ledgers::{
    LedgerList, LedgerSettings, LedgerSupport, RecordSettings, RecordingDone, RequerySettings,
    ToolResultRecorder,
};
pub use observation_ids::{IdSalt, ObservationIds, ShortSaltError};
pub use outcome::{Count, ResponseOutcome};
pub use pass_reason::PassReason;
pub use paths::format_of_path;
pub use pattern::PathPattern;
pub use plan::Plan;
pub use read::ROUTE_KEYS;
pub use refusal::Refusal;
pub use request_facts::{RequestFacts, RequestToolResult, choices};
#[cfg(feature = "dialects")]
pub use request_sources::request_sources;
pub use route::{Route, RouteAction, Routes};
#[cfg(feature = "dialects")]
pub use source_gap::SourceGap;
#[cfg(feature = "dialects")]
pub use sources::{SourceList, SourceListError};
pub use terminal::{TerminalJson, is_unsafe, terminal_json};

/// The example of the guide to gates, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/gate.md")]
struct GateGuide;
