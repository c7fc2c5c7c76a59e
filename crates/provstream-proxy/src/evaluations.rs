//! Results of evaluations in spans, by the semantic conventions of OpenTelemetry for generative AI.

use provstream_route::ResponseOutcome;
use serde_json::Value;

/// Attributes of an event.
pub(crate) type EventAttributes = [(&'static str, Value); 5];

/// Name of the events.
pub(crate) const EVENT: &str = "gen_ai.evaluation.result";

/// Returns the events of a response: one for each disposition and action of assertions, and one for each outcome of observations,
/// each with its count. The score is 1 if an assertion is admitted, or an observation holds, and 0 otherwise.
pub(crate) fn evaluations(outcome: &ResponseOutcome) -> Vec<EventAttributes> {
    let event = |name: &str, label: &str, is_good: bool, action: Value, count: u64| {
        let score = f64::from(u8::from(is_good));
        [
            ("gen_ai.evaluation.name", name.into()),
            ("gen_ai.evaluation.score.label", label.into()),
            ("gen_ai.evaluation.score.value", score.into()),
            ("provstream.action", action),
            ("provstream.count", count.into()),
        ]
    };
    let decisions = outcome.decisions().map(|found| {
        let label = found.disposition();
        let is_good = label == "admitted";
        let (name, action) = ("provstream.admissibility", found.action().into());
        event(name, label, is_good, action, found.count())
    });
    let observations = outcome.observations().map(|(found, count)| {
        let (name, is_good) = ("provstream.observation", found.holds());
        event(name, found.as_str(), is_good, Value::Null, count)
    });
    decisions.chain(observations).collect()
}
