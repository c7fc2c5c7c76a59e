//! Envoy's counters, gauges and histograms, whose names begin with `wasmcustom.`.

use std::cell::RefCell;
use std::collections::HashMap;

use proxy_wasm::hostcalls;
use proxy_wasm::types::MetricType;

use crate::record::Sample;

/// Most counters that are defined. Their names are bounded in any case; Envoy never forgets one.
const MAX_COUNTERS: usize = 512;

/// Metrics of a plugin. A counter is defined on first use.
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

    /// Increases counters.
    pub(super) fn count(&self, samples: &[Sample]) {
        for (name, count) in samples {
            let mut counters = self.counters.borrow_mut();
            if !counters.contains_key(name) {
                let defined = hostcalls::define_metric(MetricType::Counter, name);
                let Some(id) = defined.ok().filter(|_| counters.len() < MAX_COUNTERS) else {
                    continue;
                };
                counters.insert(name.clone(), id);
            }
            if let Some(id) = counters.get(name) {
                let _ = hostcalls::increment_metric(*id, i64::try_from(*count).unwrap_or(i64::MAX));
            }
        }
    }

    /// Changes the number of filtered streams in flight by `change`.
    pub(super) fn streams(&self, change: i64) {
        if let Some(id) = self.streams {
            let _ = hostcalls::increment_metric(id, change);
        }
    }

    /// Records the most bytes held of one response.
    pub(super) fn held(&self, bytes: usize) {
        record(self.held, bytes as u64);
    }

    /// Records the time from the head of a response to the first output of its body, in
    /// milliseconds.
    pub(super) fn first(&self, milliseconds: u64) {
        record(self.first, milliseconds);
    }
}

fn record(id: Option<u32>, value: u64) {
    if let Some(id) = id {
        let _ = hostcalls::record_metric(id, value);
    }
}
