//! Envoy's counters, gauges and histograms, whose names begin with `wasmcustom.`.

use std::cell::RefCell;
use std::collections::HashMap;

use proxy_wasm::hostcalls;
use proxy_wasm::types::MetricType;

use crate::record::Sample;

/// Most names that are defined. Names are bounded anyway; Envoy never forgets one.
const MOST: usize = 512;

/// The metrics of a plugin, each defined when it is first used.
#[derive(Debug)]
pub(super) struct Meter {
    counters: RefCell<HashMap<String, u32>>,
    streams: Option<u32>,
    held: Option<u32>,
    first: Option<u32>,
}

impl Meter {
    pub(super) fn new() -> Self {
        let define = |kind, name| hostcalls::define_metric(kind, name).ok();
        Self {
            counters: RefCell::default(),
            streams: define(MetricType::Gauge, "provstream.streams"),
            held: define(MetricType::Histogram, "provstream.held_bytes_most"),
            first: define(MetricType::Histogram, "provstream.first_delivered_ms"),
        }
    }

    /// Adds to counters.
    pub(super) fn count(&self, samples: &[Sample]) {
        for (name, count) in samples {
            let mut counters = self.counters.borrow_mut();
            if !counters.contains_key(name) {
                let defined = hostcalls::define_metric(MetricType::Counter, name);
                let Some(id) = defined.ok().filter(|_| counters.len() < MOST) else {
                    continue;
                };
                counters.insert(name.clone(), id);
            }
            if let Some(id) = counters.get(name) {
                let _ = hostcalls::increment_metric(*id, i64::try_from(*count).unwrap_or(i64::MAX));
            }
        }
    }

    /// A stream goes through a filter from now on (1), or no longer (-1).
    pub(super) fn streams(&self, change: i64) {
        if let Some(id) = self.streams {
            let _ = hostcalls::increment_metric(id, change);
        }
    }

    /// The most bytes that were held back of a response.
    pub(super) fn held(&self, bytes: usize) {
        record(self.held, bytes as u64);
    }

    /// Milliseconds from the head of a response to the first bytes of its body that are sent on.
    pub(super) fn first(&self, milliseconds: u64) {
        record(self.first, milliseconds);
    }
}

fn record(id: Option<u32>, value: u64) {
    if let Some(id) = id {
        let _ = hostcalls::record_metric(id, value);
    }
}
