//! Schemas of answers made of asserted objects (wire profile 4.1), for the structured output of providers.

mod subset;

use std::fmt;
use std::str::FromStr;

use provstream::provenance::{Class, Vocabulary};
use serde_json::{Value, json};

pub use self::subset::{SubsetViolation, subset_violations};
use crate::grammar::time_pattern;
use crate::names::named;
use crate::observation::Observations;

named! {
    /// Whose structured output a schema is for.
    pub enum SchemaTarget: "schema target" {
        /// JSON Schema 2020-12, with every bound it can say.
        JsonSchema => "json-schema",
        /// Structured output of OpenAI, strict mode.
        OpenAi => "openai",
        /// Structured output and strict tools of Anthropic.
        Anthropic => "anthropic",
        /// `responseJsonSchema` of Gemini.
        Gemini => "gemini",
        /// `format` of Ollama.
        Ollama => "ollama",
    }
}

/// Most characters of an observation id. A string with as many escapes `\uXXXX` is within the 1,024 bytes of wire profile 6.
const MAX_ID: usize = 160;

/// Most characters of an assertion, likewise within 4,096 bytes.
const MAX_ASSERTION: usize = 680;

/// A schema of answers: a root object whose `assertions` are asserted objects, in the order in which they are to be read.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream_emit::{Schema, SchemaTarget, subset_violations};
///
/// let schema = Schema::new(&Vocabulary::memo()).build(SchemaTarget::OpenAi);
/// assert_eq!(schema["required"][0], "assertions");
/// assert!(subset_violations(SchemaTarget::OpenAi, &schema).is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    vocabulary: Vocabulary,
    observations: Option<Observations>,
}

impl Schema {
    /// The schema of answers with annotations of this vocabulary.
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            vocabulary: vocabulary.clone(),
            observations: None,
        }
    }

    /// The same in which annotations can cite these observations and no others.
    ///
    /// Class, id and time belong together in the targets [`JsonSchema`](SchemaTarget::JsonSchema),
    /// [`OpenAi`](SchemaTarget::OpenAi) and [`Ollama`](SchemaTarget::Ollama), which list every observation. Anthropic and
    /// Gemini limit how complex a schema is: there an annotation has a class, one of its ids and one of its times.
    #[must_use]
    pub fn citing(mut self, observations: &Observations) -> Self {
        self.observations = Some(observations.clone());
        self
    }

    /// The schema for a target.
    #[must_use]
    pub fn build(&self, target: SchemaTarget) -> Value {
        let mut assertion = json!({"type": "string", "description": "one sentence"});
        if target == SchemaTarget::JsonSchema {
            assertion["minLength"] = json!(1);
            assertion["maxLength"] = json!(MAX_ASSERTION);
        }
        let provenance = json!({
            "type": "array",
            "description": "where the assertion comes from",
            "items": self.annotation(target),
            "minItems": 1,
        });
        let item = object(
            target,
            json!({"assertion": assertion, "provenance": provenance}),
        );
        let list = json!({"type": "array", "items": item});
        let mut root = object(target, json!({"assertions": list}));
        if target == SchemaTarget::JsonSchema {
            let dialect = json!({"$schema": "https://json-schema.org/draft/2020-12/schema"});
            root = merged(dialect, root);
        }
        root
    }

    fn annotation(&self, target: SchemaTarget) -> Value {
        let mut ways = match &self.observations {
            None => vec![self.open_annotation(target)],
            Some(observations) => self.closed_annotations(observations, target),
        };
        if ways.len() == 1 {
            ways.remove(0)
        } else {
            json!({"anyOf": ways})
        }
    }

    /// Any class with any id and time.
    fn open_annotation(&self, target: SchemaTarget) -> Value {
        let listed = self.vocabulary.classes().map(|(class, _)| class);
        let corroborating = listed.filter(|class| !class.is_terminal());
        let all: Vec<Class> = corroborating.chain(self.vocabulary.terminals()).collect();
        let names: Vec<&str> = all.iter().map(Class::as_str).collect();
        object(
            target,
            json!({
                "substrate_class": {"type": "string", "enum": names},
                "observation_id": nullable(target, open_id(target)),
                "ts": nullable(target, open_time(target)),
            }),
        )
    }

    /// Terminals alone, and the observations.
    fn closed_annotations(&self, observations: &Observations, target: SchemaTarget) -> Vec<Value> {
        let terminals = self.vocabulary.terminals();
        let names: Vec<&str> = terminals.iter().map(Class::as_str).collect();
        let nothing = json!({"type": "null"});
        let alone = json!({
            "substrate_class": {"type": "string", "enum": names},
            "observation_id": nothing,
            "ts": nothing,
        });
        let mut ways = vec![object(target, alone)];
        let strings = |all: &[&str]| json!({"type": "string", "enum": all});
        let mut by_class: Vec<(&Class, Vec<&str>, Vec<&str>, bool)> = Vec::new();
        for observation in observations.iter() {
            let (class, id, ts) = (observation.class(), observation.id(), observation.ts());
            if lists_observations(target) {
                let time = ts.map_or_else(|| nothing.clone(), |ts| strings(&[ts]));
                let members = json!({
                    "substrate_class": strings(&[class.as_str()]),
                    "observation_id": strings(&[id]),
                    "ts": time,
                });
                ways.push(object(target, members));
                continue;
            }
            let at = by_class.iter().position(|(other, ..)| *other == class);
            let at = at.unwrap_or_else(|| {
                by_class.push((class, Vec::new(), Vec::new(), false));
                by_class.len() - 1
            });
            let (_, ids, times, untimed) = &mut by_class[at];
            ids.push(id);
            match ts {
                Some(ts) if !times.contains(&ts) => times.push(ts),
                Some(_) => {}
                None => *untimed = true,
            }
        }
        for (class, ids, times, untimed) in by_class {
            let time = match (times.is_empty(), untimed) {
                (true, _) => nothing.clone(),
                (false, true) => nullable(target, strings(&times)),
                (false, false) => strings(&times),
            };
            let members = json!({
                "substrate_class": strings(&[class.as_str()]),
                "observation_id": strings(&ids),
                "ts": time,
            });
            ways.push(object(target, members));
        }
        ways
    }
}

/// Whether the schema lists every observation with its class and time.
const fn lists_observations(target: SchemaTarget) -> bool {
    !matches!(target, SchemaTarget::Anthropic | SchemaTarget::Gemini)
}

/// An object whose members are all required, in this order, and which has no others.
fn object(target: SchemaTarget, members: Value) -> Value {
    let names: Vec<String> = members
        .as_object()
        .map(|members| members.keys().cloned().collect())
        .unwrap_or_default();
    let mut object = json!({
        "type": "object",
        "properties": members,
        "required": names,
        "additionalProperties": false,
    });
    if target == SchemaTarget::Gemini {
        object["propertyOrdering"] = object["required"].clone();
    }
    object
}

/// A schema, or null.
fn nullable(target: SchemaTarget, schema: Value) -> Value {
    match target {
        SchemaTarget::JsonSchema | SchemaTarget::OpenAi => {
            let mut schema = schema;
            if schema.get("enum").is_none() {
                schema["type"] = json!(["string", "null"]);
                return schema;
            }
            json!({"anyOf": [schema, {"type": "null"}]})
        }
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

/// An observation id: no control characters, which the bracketed form could not carry.
fn open_id(target: SchemaTarget) -> Value {
    let what = "id of the observation, null without one";
    match target {
        SchemaTarget::JsonSchema | SchemaTarget::OpenAi | SchemaTarget::Ollama => json!({
            "type": "string",
            "description": what,
            "pattern": format!("^[^\\x00-\\x1f\\x7f]{{1,{MAX_ID}}}$"),
        }),
        SchemaTarget::Anthropic | SchemaTarget::Gemini => {
            json!({"type": "string", "description": what})
        }
    }
}

fn open_time(target: SchemaTarget) -> Value {
    let what = "time of the observation (RFC 3339), null if unknown";
    let mut time = json!({"type": "string", "description": what});
    match target {
        SchemaTarget::JsonSchema | SchemaTarget::Ollama => {
            time["pattern"] = json!(format!("^(?:{})$", time_pattern()));
        }
        SchemaTarget::OpenAi | SchemaTarget::Anthropic | SchemaTarget::Gemini => {
            time["format"] = json!("date-time");
        }
    }
    time
}

/// The members of both objects.
fn merged(mut first: Value, second: Value) -> Value {
    if let (Value::Object(into), Value::Object(from)) = (&mut first, second) {
        into.extend(from);
    }
    first
}
