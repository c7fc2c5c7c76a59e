//! Counters and histograms in the text format of Prometheus.

use core::fmt::Write as _;
use core::sync::atomic::{AtomicI64, Ordering};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Upper bounds of the histogram buckets, in seconds.
pub(crate) const BOUNDS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 600.0,
];

/// Histogram of durations. The last bucket has those above all bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    buckets: [u64; BOUNDS.len() + 1],
    sum: f64,
}

impl Histogram {
    pub(crate) fn observe(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        let place = BOUNDS.partition_point(|bound| *bound < seconds);
        self.buckets[place] += 1;
        self.sum += seconds;
    }

    fn add(&mut self, other: &Self) {
        for (own, more) in self.buckets.iter_mut().zip(other.buckets) {
            *own += more;
        }
        self.sum += other.sum;
    }
}

/// Counter families with their help texts.
const COUNTERS: [(&str, &str); 18] = [
    (
        "provstream_requests_total",
        "Requests, by how their responses ended.",
    ),
    (
        "provstream_emissions_total",
        "Requests on routes that add a prompt, a schema or a grammar, by what was added.",
    ),
    (
        "provstream_incomplete_sources_total",
        "Requests on routes with the sources of requests whose list is incomplete or missing, by reason.",
    ),
    (
        "provstream_uninspected_total",
        "Responses of which not everything was inspected, by reason.",
    ),
    (
        "provstream_annotations_total",
        "Annotations of assertions, by class.",
    ),
    (
        "provstream_decisions_total",
        "Decisions of a gate about assertions, by disposition and action.",
    ),
    (
        "provstream_observations_total",
        "Annotations whose observations a gate has checked, by outcome.",
    ),
    (
        "provstream_cited_ids_total",
        "Identifiers that citations name, by what the list of sources has of them.",
    ),
    (
        "provstream_recordings_total",
        "Requests on routes that record results of tools, by how that ended.",
    ),
    (
        "provstream_unread_events_total",
        "Events that may have text that was not read, by kind.",
    ),
    (
        "provstream_streams_ended_total",
        "Texts that a policy ended.",
    ),
    (
        "provstream_upstream_bytes_total",
        "Bytes of response bodies from upstreams, decompressed.",
    ),
    (
        "provstream_client_bytes_total",
        "Bytes of response bodies for clients.",
    ),
    (
        "provstream_text_bytes_total",
        "Bytes of text that a gate released or withheld.",
    ),
    (
        "provstream_keep_alives_total",
        "Comments that were sent while text was held back.",
    ),
    (
        "provstream_reemissions_total",
        "Answers that were gone on with after the upstream was asked once more.",
    ),
    (
        "provstream_config_reloads_total",
        "Reloads of the settings, by result.",
    ),
    (
        "provstream_tls_failures_total",
        "Connections of clients that did not agree on TLS.",
    ),
];

const HISTOGRAMS: [(&str, &str); 4] = [
    (
        "provstream_time_to_first_byte_seconds",
        "From a request to the first byte of the body for the client.",
    ),
    (
        "provstream_time_to_upstream_head_seconds",
        "From a request to the head of the upstream's response.",
    ),
    (
        "provstream_time_between_chunks_seconds",
        "Between two chunks of a body for the client.",
    ),
    (
        "provstream_request_duration_seconds",
        "From a request to the end of its response.",
    ),
];

const GAUGES: [(&str, &str); 3] = [
    ("provstream_connections", "Connections of clients."),
    (
        "provstream_requests_in_flight",
        "Requests whose responses have not ended.",
    ),
    (
        "provstream_held_bytes",
        "Bytes that are held back in all streams.",
    ),
];

/// Metrics of a proxy.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    counters: Mutex<BTreeMap<(&'static str, String), u64>>,
    histograms: Mutex<BTreeMap<(&'static str, String), Histogram>>,
    pub(crate) connections: AtomicI64,
    pub(crate) in_flight: AtomicI64,
    pub(crate) held: AtomicI64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Numbers stay numbers, whatever panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Formats labels in the given order.
fn labels(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a string always succeeds.
        let _ = write!(text, "{comma}{name}=\"");
        for character in value.chars() {
            match character {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                other => text.push(other),
            }
        }
        text.push('"');
    }
    text
}

impl Metrics {
    /// Increases a counter with these labels. An increase by 0 creates no counter.
    pub(crate) fn count(&self, family: &'static str, pairs: &[(&str, &str)], by: u64) {
        if by > 0 {
            let key = (family, labels(pairs));
            *locked(&self.counters).entry(key).or_default() += by;
        }
    }

    /// Increases a counter with these labels by 1. Returns `true` if it is new.
    pub(crate) fn count_first(&self, family: &'static str, pairs: &[(&str, &str)]) -> bool {
        let mut counters = locked(&self.counters);
        let count = counters.entry((family, labels(pairs))).or_default();
        *count += 1;
        *count == 1
    }

    /// Adds a histogram to the one with these labels.
    pub(crate) fn observe(&self, family: &'static str, pairs: &[(&str, &str)], times: &Histogram) {
        let key = (family, labels(pairs));
        locked(&self.histograms).entry(key).or_default().add(times);
    }

    /// Returns all metrics in the text format of Prometheus.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let counters = locked(&self.counters);
        for (family, help) in COUNTERS {
            head(&mut text, family, help, "counter");
            for ((_, labels), value) in counters.iter().filter(|((name, _), _)| *name == family) {
                let _ = writeln!(text, "{family}{{{labels}}} {value}");
            }
        }
        drop(counters);
        let values = [&self.connections, &self.in_flight, &self.held];
        for ((family, help), value) in GAUGES.into_iter().zip(values) {
            head(&mut text, family, help, "gauge");
            let _ = writeln!(text, "{family} {}", value.load(Ordering::Relaxed));
        }
        let histograms = locked(&self.histograms);
        for (family, help) in HISTOGRAMS {
            head(&mut text, family, help, "histogram");
            for ((_, labels), times) in histograms.iter().filter(|((name, _), _)| *name == family) {
                let mut below = 0;
                for (bound, count) in BOUNDS.iter().zip(times.buckets) {
                    below += count;
                    let _ = writeln!(text, "{family}_bucket{{{labels},le=\"{bound}\"}} {below}");
                }
                below += times.buckets[BOUNDS.len()];
                let _ = writeln!(text, "{family}_bucket{{{labels},le=\"+Inf\"}} {below}");
                let _ = writeln!(text, "{family}_sum{{{labels}}} {}", times.sum);
                let _ = writeln!(text, "{family}_count{{{labels}}} {below}");
            }
        }
        text
    }
}

fn head(text: &mut String, family: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {family} {help}\n# TYPE {family} {kind}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_and_labels_escaped() {
        let metrics = Metrics::default();
        let mut times = Histogram::default();
        times.observe(Duration::from_millis(1));
        times.observe(Duration::from_millis(30));
        times.observe(Duration::from_secs(1_000));
        let route = [("route", "a\"b\\c\n")];
        metrics.observe("provstream_request_duration_seconds", &route, &times);
        metrics.count("provstream_requests_total", &route, 2);
        let text = metrics.text();
        for line in [
            "provstream_requests_total{route=\"a\\\"b\\\\c\\n\"} 2",
            "provstream_request_duration_seconds_bucket{route=\"a\\\"b\\\\c\\n\",le=\"0.001\"} 1",
            "provstream_request_duration_seconds_bucket{route=\"a\\\"b\\\\c\\n\",le=\"0.05\"} 2",
            "provstream_request_duration_seconds_bucket{route=\"a\\\"b\\\\c\\n\",le=\"600\"} 2",
            "provstream_request_duration_seconds_bucket{route=\"a\\\"b\\\\c\\n\",le=\"+Inf\"} 3",
            "provstream_request_duration_seconds_count{route=\"a\\\"b\\\\c\\n\"} 3",
            "# TYPE provstream_held_bytes gauge",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
