//! What every grammar must accept, and what it must refuse.

use anyhow::{Result, ensure};
use provstream::provenance::{Annotation, Vocabulary, write_bracketed};
use provstream_emit::{Observation, Observations};
use serde_json::{Map, Value, json};

use crate::cases::{Case, Set};
use crate::common::{is_canonical, malformed, read, well_formed};

/// What the scripts try: the texts that each case must accept, by its name, and under `refused` those that all must refuse.
pub fn texts() -> Result<Value> {
    let mut texts = Map::new();
    for case in Case::all() {
        let accepted = match case.set {
            Set::Open => {
                let mut all = well_formed();
                all.retain(|one| is_canonical(one));
                all
            }
            Set::Closed => cited(&case.observations())?,
            Set::Empty => vec![
                "[unverified-inference]".into(),
                "[decayed-to-uncertainty]".into(),
            ],
        };
        texts.insert(case.name(), json!(accepted));
    }
    let refused = malformed();
    for one in &refused {
        let (_, faults) = read(one, &Vocabulary::memo());
        ensure!(faults > 0, "the parser finds nothing wrong with {one}");
    }
    texts.insert("refused".into(), json!(refused));
    Ok(Value::Object(texts))
}

/// The annotations that cite the observations.
fn cited(observations: &Observations) -> Result<Vec<String>> {
    let written = |observation: &Observation| {
        let class = observation.class();
        let mut annotation =
            Annotation::new(class.clone(), class.as_str()).with_observation_id(observation.id());
        if let Some(ts) = observation.ts() {
            annotation = annotation.with_ts(ts);
        }
        Ok(write_bracketed(&annotation)?)
    };
    observations.iter().map(written).collect()
}
