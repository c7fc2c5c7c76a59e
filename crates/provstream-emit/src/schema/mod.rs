//! Schemas of answers with asserted objects (wire profile 4.1), for the structured output of
//! providers.

mod limits;

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use provstream::provenance::{Class, Vocabulary};
use serde_json::{Value, json};

use crate::grammar::time_pattern;
use crate::names::named;
use crate::observation::Observations;

named! {
    /// API whose structured output a schema is for.
    pub enum SchemaTarget: "schema target" {
        /// JSON Schema 2020-12, with all bounds that it can express.
        JsonSchema => "json-schema",
        /// Structured output of OpenAI, strict mode.
        OpenAi => "openai",
        /// Structured output and strict tools of Anthropic.
        Anthropic => "anthropic",
        /// `responseJsonSchema` of Gemini.
        Gemini => "gemini",
        /// `format` of Ollama, and `json_schema` of llama.cpp.
        Ollama => "ollama",
        /// `outputConfig.textFormat` of Bedrock's Converse API. It has no patterns, so it is also for Text Generation Inference,
        /// which compiles patterns slowly.
        Bedrock => "bedrock",
        /// `response_format` of Cohere's chat API, version 2.
        Cohere => "cohere",
    }
}

/// Most characters of an observation id. A string with as many escapes `\uXXXX` is within the 1,024 bytes of wire profile 6.
const MAX_ID: usize = 160;

/// Most characters of an assertion, likewise within 4,096 bytes.
const MAX_ASSERTION: usize = 680;

/// A schema of answers: a root object whose `assertions` are asserted objects, in reading order.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream_emit::{Schema, SchemaTarget};
///
/// let schema = Schema::new(&Vocabulary::memo()).build(SchemaTarget::OpenAi)?;
/// assert_eq!(schema["required"][0], "assertions");
/// # Ok::<(), provstream_emit::SchemaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    vocabulary: Vocabulary,
    observations: Option<Observations>,
}

impl Schema {
    /// Creates the schema of answers with annotations of a vocabulary.
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            vocabulary: vocabulary.clone(),
            observations: None,
        }
    }

    /// Restricts annotations to these observations. `decayed-to-uncertainty` can name any of them
    /// or none; `unverified-inference` names none.
    ///
    /// Class, id and time belong together in the targets [`JsonSchema`](SchemaTarget::JsonSchema),
    /// [`OpenAi`](SchemaTarget::OpenAi) and [`Ollama`](SchemaTarget::Ollama), which list every observation. The others are for APIs
    /// that limit how complex a schema is: there an annotation has a class, one of its ids and one of its times, or one of its ids
    /// without a time.
    #[must_use]
    pub fn citing(mut self, observations: &Observations) -> Self {
        self.observations = Some(observations.clone());
        self
    }

    /// Builds the schema for a target.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] if it would exceed a limit that the provider documents, such as the 1,000 enum values of OpenAI: 250
    /// observations with times have more.
    pub fn build(&self, target: SchemaTarget) -> Result<Value, SchemaError> {
        let schema = self.unchecked(target);
        match limits::exceeded(target, &schema) {
            None => Ok(schema),
            Some(limit) => Err(SchemaError {
                target,
                limit,
                remedy: match self.observations {
                    Some(_) => "list fewer observations",
                    None => "load a vocabulary with fewer classes",
                },
            }),
        }
    }

    fn unchecked(&self, target: SchemaTarget) -> Value {
        let mut assertion = json!({"type": "string", "description": "one sentence"});
        match target {
            SchemaTarget::JsonSchema => {
                assertion["pattern"] = json!("\\S");
                assertion["maxLength"] = json!(MAX_ASSERTION);
            }
            // Whether a pattern has to match the whole string or a part of it.
            SchemaTarget::OpenAi | SchemaTarget::Anthropic => {
                assertion["pattern"] = json!("^\\S(.|\\s)*$");
            }
            // A pattern would forbid escapes: it describes the string as it is written.
            SchemaTarget::Ollama => assertion["minLength"] = json!(1),
            SchemaTarget::Gemini | SchemaTarget::Bedrock | SchemaTarget::Cohere => {}
        }
        let mut provenance = json!({
            "type": "array",
            "description": "where the assertion comes from",
            "items": self.annotation(target),
        });
        if target != SchemaTarget::Cohere {
            provenance["minItems"] = json!(1);
        }
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

    /// Returns the schema of an annotation with any class, id and time.
    fn open_annotation(&self, target: SchemaTarget) -> Value {
        let listed = self.vocabulary.classes().map(|(class, _)| class);
        let corroborating = listed.filter(|class| !class.is_terminal());
        let all: Vec<Class> = corroborating.chain(self.vocabulary.terminals()).collect();
        let names: Vec<&str> = all.iter().map(Class::as_str).collect();
        let members = json!({
            "substrate_class": {"type": "string", "enum": names},
            "observation_id": nullable(target, open_id(target)),
            "ts": nullable(target, open_time(target)),
        });
        let mut annotation = object(target, members);
        if target == SchemaTarget::Cohere {
            // Nothing can be null there, but it can be absent.
            annotation["required"] = json!(["substrate_class"]);
        }
        annotation
    }

    /// Returns the schemas of terminals alone, and of annotations that cite the observations.
    fn closed_annotations(&self, observations: &Observations, target: SchemaTarget) -> Vec<Value> {
        let terminals = self.vocabulary.terminals();
        let names: Vec<&str> = terminals.iter().map(Class::as_str).collect();
        let nothing = (target != SchemaTarget::Cohere).then(|| json!({"type": "null"}));
        let members = |class: Value, id: Option<Value>, ts: Option<Value>| -> Value {
            let all = [
                ("substrate_class", Some(class)),
                ("observation_id", id),
                ("ts", ts),
            ];
            let given = all
                .into_iter()
                .filter_map(|(name, schema)| Some((name, schema?)));
            given
                .map(|(name, schema)| (name.to_owned(), schema))
                .collect()
        };
        let terminal = json!({"type": "string", "enum": names});
        let alone = members(terminal, nothing.clone(), nothing.clone());
        let mut ways = vec![object(target, alone)];
        let strings = |all: &[&str]| json!({"type": "string", "enum": all});
        for group in groups(observations, target) {
            let class = group.class.as_str();
            let time = match group.times.as_slice() {
                [] => nothing.clone(),
                times => Some(strings(times)),
            };
            let class = strings(&[class, Class::DECAYED_TO_UNCERTAINTY.as_str()]);
            let ids = strings(&group.ids);
            ways.push(object(target, members(class, Some(ids), time)));
        }
        ways
    }
}

/// Observations merged by a schema: any of the ids can be cited with any of the times.
#[derive(Debug)]
struct ObservationGroup<'o> {
    class: &'o Class,
    ids: Vec<&'o str>,
    /// Times of the observations; empty if they have none.
    times: Vec<&'o str>,
}

/// Groups observations: one group for each, or for each class one with times and one without.
fn groups(observations: &Observations, target: SchemaTarget) -> Vec<ObservationGroup<'_>> {
    let mut groups: Vec<ObservationGroup<'_>> = Vec::new();
    for observation in observations.iter() {
        let (class, ts) = (observation.class(), observation.ts());
        let same = |group: &&mut ObservationGroup<'_>| {
            group.class == class && group.times.is_empty() == ts.is_none()
        };
        let known = match lists_observations(target) {
            true => None,
            false => groups.iter_mut().find(same),
        };
        let Some(group) = known else {
            groups.push(ObservationGroup {
                class,
                ids: vec![observation.id()],
                times: ts.into_iter().collect(),
            });
            continue;
        };
        group.ids.push(observation.id());
        group
            .times
            .extend(ts.filter(|ts| !group.times.contains(ts)));
    }
    groups
}

/// Returns `true` if the target's schema lists every observation with its class and time.
const fn lists_observations(target: SchemaTarget) -> bool {
    matches!(
        target,
        SchemaTarget::JsonSchema | SchemaTarget::OpenAi | SchemaTarget::Ollama
    )
}

/// Returns the schema of an object whose members are all required, in this order, and that has no
/// others.
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

/// Returns a schema of strings that also permits null, except for Cohere, whose schemas leave
/// members out instead.
fn nullable(target: SchemaTarget, mut schema: Value) -> Value {
    match target {
        SchemaTarget::JsonSchema | SchemaTarget::OpenAi => {
            schema["type"] = json!(["string", "null"]);
            schema
        }
        SchemaTarget::Cohere => schema,
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

/// Returns the schema of an observation id: no control characters, which the bracketed form could
/// not contain, and no leading space.
fn open_id(target: SchemaTarget) -> Value {
    let without = match target {
        SchemaTarget::Cohere => "left out",
        _ => "null",
    };
    let what = format!("id of the observation, {without} without one");
    let mut id = json!({"type": "string", "description": what});
    let besides = match target {
        SchemaTarget::JsonSchema | SchemaTarget::OpenAi => "",
        // The class is copied to where the string is written, with its escapes.
        SchemaTarget::Ollama => "\"\\\\",
        _ => return id,
    };
    id["pattern"] = json!(format!(
        "^[^\\x00-\\x20\\x7f{besides}][^\\x00-\\x1f\\x7f{besides}]{{0,{}}}$",
        MAX_ID - 1
    ));
    id
}

fn open_time(target: SchemaTarget) -> Value {
    let unknown = match target {
        SchemaTarget::Cohere => "left out",
        _ => "null",
    };
    let what = format!("time of the observation (RFC 3339), {unknown} if unknown");
    let mut time = json!({"type": "string", "description": what});
    match target {
        SchemaTarget::JsonSchema | SchemaTarget::Ollama => {
            time["pattern"] = json!(format!("^({})$", time_pattern()));
        }
        _ => time["format"] = json!("date-time"),
    }
    time
}

/// Reason why a target has no schema: the schema would exceed a limit that the provider documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    target: SchemaTarget,
    limit: String,
    remedy: &'static str,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (target, limit) = (self.target, &self.limit);
        write!(f, "{target} allows {limit}: {}", self.remedy)
    }
}

impl Error for SchemaError {}

/// Merges the members of two objects.
fn merged(mut first: Value, second: Value) -> Value {
    if let (Value::Object(into), Value::Object(from)) = (&mut first, second) {
        into.extend(from);
    }
    first
}
