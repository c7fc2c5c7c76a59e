//! What every grammar must accept, and what it must refuse.

use anyhow::{Result, ensure};
use provstream::provenance::{Annotation, Vocabulary, write_bracketed};
use provstream_emit::Observations;
use serde_json::{Value, json};

use crate::common::{malformed, read, well_formed};

/// What the scripts try: texts with the cases in which they must be accepted, and those that must be refused.
pub fn texts(observations: &Observations) -> Result<Value> {
    let accepted = well_formed();
    let cited: Vec<String> = observations
        .iter()
        .map(|observation| {
            let class = observation.class();
            let mut annotation = Annotation::new(class.clone(), class.as_str())
                .with_observation_id(observation.id());
            if let Some(ts) = observation.ts() {
                annotation = annotation.with_ts(ts);
            }
            Ok(write_bracketed(&annotation)?)
        })
        .collect::<Result<_>>()?;
    let refused = malformed();
    for one in &refused {
        let (_, faults) = read(one, &Vocabulary::memo());
        ensure!(faults > 0, "the parser finds nothing wrong with {one}");
    }
    Ok(json!({"open": accepted, "closed": cited, "refused": refused}))
}
