//! What a route adds to requests so that models write annotations.

use provstream_emit::{GrammarTarget, SchemaTarget};
use provstream_providers::Format;
use serde_json::{Map, Value, json};

use crate::request_json::add_prompt;

/// What is added to requests, each API in its own place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emission {
    /// The API, if the route names it; otherwise it is that of the path.
    pub(crate) format: Option<Format>,
    /// The text that asks for annotations.
    pub(crate) prompt: Option<Box<str>>,
    /// What answers have to be like.
    pub(crate) constraint: Option<Constraint>,
}

/// What answers have to be like.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    /// A schema, for each target that an API may need.
    Schema(Vec<(SchemaTarget, Value)>),
    /// A grammar, for this engine.
    Grammar(Engine, Box<str>),
}

/// What reads a grammar. Several serve the same API, and have different members for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    LlamaCpp,
    Vllm,
    /// vLLM before 0.12, with the members that it has deprecated since.
    VllmGuided,
    Sglang,
}

impl Engine {
    pub(crate) const ALL: [Self; 4] = [Self::LlamaCpp, Self::Vllm, Self::VllmGuided, Self::Sglang];

    /// The name in settings.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::LlamaCpp => "llama-cpp",
            Self::Vllm => "vllm",
            Self::VllmGuided => "vllm-guided",
            Self::Sglang => "sglang",
        }
    }

    pub(crate) const fn target(self) -> GrammarTarget {
        match self {
            Self::LlamaCpp => GrammarTarget::Gbnf,
            _ => GrammarTarget::Ebnf,
        }
    }

    /// Whether requests of a format take its grammars.
    pub(crate) const fn is_for(self, format: Format) -> bool {
        matches!(
            (format, self),
            (Format::OpenAiChat, _) | (Format::LlamaCpp, Self::LlamaCpp)
        )
    }
}

/// The subset of JSON Schema that requests of a format take, if they take a schema that can describe annotations.
///
/// Those of Cohere have neither alternatives nor the lengths of arrays.
pub(crate) const fn schema_target(format: Format) -> Option<SchemaTarget> {
    Some(match format {
        Format::OpenAiChat | Format::OpenAiResponses => SchemaTarget::OpenAi,
        Format::Anthropic => SchemaTarget::Anthropic,
        Format::Gemini => SchemaTarget::Gemini,
        // Both have the converter of llama.cpp.
        Format::Ollama | Format::LlamaCpp => SchemaTarget::Ollama,
        _ => return None,
    })
}

/// Members by which a request says itself what its answer has to be like. One of them that is there and not null, or is an
/// array that is not empty, leaves the request as it is.
const fn rivals(format: Format) -> &'static [&'static str] {
    match format {
        Format::OpenAiChat | Format::LlamaCpp => &[
            "/response_format",
            "/structured_outputs",
            "/guided_json",
            "/guided_regex",
            "/guided_choice",
            "/guided_grammar",
            "/grammar",
            "/json_schema",
            "/ebnf",
            "/regex",
        ],
        Format::OpenAiResponses => &["/text/format"],
        Format::Anthropic => &["/output_config/format", "/output_format"],
        Format::Gemini => &[
            "/generationConfig/responseMimeType",
            "/generationConfig/responseSchema",
            "/generationConfig/responseJsonSchema",
            "/generation_config/response_mime_type",
            "/generation_config/response_schema",
            "/generation_config/response_json_schema",
            // Of most models, either tools or a schema.
            "/tools",
        ],
        // A schema does not let the model call a tool.
        Format::Ollama => &["/format", "/tools"],
        _ => &[],
    }
}

fn says_something(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
}

impl Emission {
    /// Whether requests have to be read.
    pub(crate) const fn is_some(&self) -> bool {
        self.prompt.is_some() || self.constraint.is_some()
    }

    /// Adds what there is to a request of this API, or of the one that the route names; false if nothing is added. A request
    /// that says itself what its answer has to be like is left as it is, with a prompt as well, and so is one whose API does
    /// not take what answers have to be like.
    pub(crate) fn add(&self, format: Option<Format>, request: &mut Value) -> bool {
        let Some(format) = self.format.or(format) else {
            return false;
        };
        let is_added = match &self.constraint {
            None => false,
            Some(constraint) => {
                if !constraint.add(format, request) {
                    return false;
                }
                true
            }
        };
        let prompt = self.prompt.as_deref();
        prompt.is_some_and(|prompt| add_prompt(format, request, prompt)) || is_added
    }
}

impl Constraint {
    fn add(&self, format: Format, request: &mut Value) -> bool {
        let is_rival = |place: &&str| request.pointer(place).is_some_and(says_something);
        if !request.is_object() || rivals(format).iter().any(is_rival) {
            return false;
        }
        match self {
            Self::Schema(schemas) => {
                let target = schema_target(format);
                let of_target = schemas.iter().find(|(of, _)| Some(*of) == target);
                of_target.is_some_and(|(_, schema)| add_schema(format, request, schema))
            }
            // It would not let the model call a tool.
            Self::Grammar(..) if request.get("tools").is_some_and(says_something) => false,
            Self::Grammar(engine, grammar) if engine.is_for(format) => {
                let (name, value) = match engine {
                    Engine::LlamaCpp => ("grammar", json!(grammar)),
                    Engine::Vllm => ("structured_outputs", json!({"grammar": grammar})),
                    Engine::VllmGuided => ("guided_grammar", json!(grammar)),
                    Engine::Sglang => ("ebnf", json!(grammar)),
                };
                set(request, &[name], value)
            }
            Self::Grammar(..) => false,
        }
    }
}

fn add_schema(format: Format, request: &mut Value, schema: &Value) -> bool {
    match format {
        // The legacy API has no place for it.
        Format::OpenAiChat if request["messages"].is_array() => {
            let named = json!({"name": "answer", "strict": true, "schema": schema});
            let value = json!({"type": "json_schema", "json_schema": named});
            set(request, &["response_format"], value)
        }
        Format::OpenAiResponses => {
            let value =
                json!({"type": "json_schema", "name": "answer", "strict": true, "schema": schema});
            set(request, &["text", "format"], value)
        }
        Format::Anthropic => {
            let value = json!({"type": "json_schema", "schema": schema});
            set(request, &["output_config", "format"], value)
        }
        Format::Gemini => {
            // The API takes both spellings.
            let (config, kind, place) = match request.get("generation_config") {
                Some(_) => (
                    "generation_config",
                    "response_mime_type",
                    "response_json_schema",
                ),
                None => ("generationConfig", "responseMimeType", "responseJsonSchema"),
            };
            set(request, &[config, kind], "application/json".into())
                && set(request, &[config, place], schema.clone())
        }
        Format::Ollama => set(request, &["format"], schema.clone()),
        Format::LlamaCpp => set(request, &["json_schema"], schema.clone()),
        _ => false,
    }
}

/// Sets a member of an object or of the objects in it, which are made if they are not there; false if one is something else.
fn set(request: &mut Value, path: &[&str], value: Value) -> bool {
    let Some((last, before)) = path.split_last() else {
        return false;
    };
    let mut place = request;
    for name in before {
        let Some(object) = place.as_object_mut() else {
            return false;
        };
        place = object.entry(*name).or_insert(Value::Null);
        if place.is_null() {
            *place = Map::new().into();
        }
    }
    let Some(object) = place.as_object_mut() else {
        return false;
    };
    object.insert((*last).to_owned(), value);
    true
}
