//! Constraints on answers, and their members in the requests of each API.
//!
//! Sources, as read in November 2026: the API references of the providers and the types of their official SDKs (OpenAI 3.54,
//! Anthropic 2.12, google-genai 3.4, Cohere 7.3, mistralai 3.7, botocore 1.44), and the sources of llama.cpp, vLLM, SGLang and Text
//! Generation Inference. `docs/proxy.md` has the table.

use provstream_emit::{GrammarTarget, SchemaTarget};
use provstream_providers::Format;
use serde_json::{Map, Value, json};

use crate::request_json::spelling;

/// Constraint on answers: a schema or a grammar.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    /// A schema for each target that an API may need, and the engine if the settings name one.
    Schema(Option<InferenceEngine>, Vec<(SchemaTarget, Value)>),
    /// A grammar for this engine.
    Grammar(InferenceEngine, Box<str>),
}

/// Server software that enforces a schema or a grammar. Several implement the same API with
/// different members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InferenceEngine {
    LlamaCpp,
    Vllm,
    /// vLLM before 0.12, with the members that later versions deprecate.
    VllmGuided,
    Sglang,
    /// Text Generation Inference, which accepts schemas and regular expressions, but no grammar.
    Tgi,
}

impl InferenceEngine {
    pub(crate) const ALL: [Self; 5] = [
        Self::LlamaCpp,
        Self::Vllm,
        Self::VllmGuided,
        Self::Sglang,
        Self::Tgi,
    ];

    /// Returns the name in settings.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::LlamaCpp => "llama-cpp",
            Self::Vllm => "vllm",
            Self::VllmGuided => "vllm-guided",
            Self::Sglang => "sglang",
            Self::Tgi => "tgi",
        }
    }

    /// Returns the dialect of the engine's grammars, if it accepts any.
    pub(crate) const fn grammar_target(self) -> Option<GrammarTarget> {
        match self {
            Self::LlamaCpp => Some(GrammarTarget::Gbnf),
            Self::Vllm | Self::VllmGuided | Self::Sglang => Some(GrammarTarget::Ebnf),
            Self::Tgi => None,
        }
    }

    /// Returns `true` if the engine accepts requests of a format.
    pub(crate) const fn is_for(self, format: Format) -> bool {
        matches!(
            (format, self),
            (Format::OpenAiChat, _) | (Format::LlamaCpp, Self::LlamaCpp) | (Format::Tgi, Self::Tgi)
        )
    }
}

/// Returns `true` if requests of a format accept a grammar, for at least one engine.
pub(crate) fn takes_grammar(format: Format) -> bool {
    let mut engines = InferenceEngine::ALL.into_iter();
    engines.any(|engine| engine.grammar_target().is_some() && engine.is_for(format))
}

/// Returns the subset of JSON Schema for requests of a format and, if known, an engine. Returns
/// `None` if they accept no schema.
pub(crate) const fn schema_target(
    format: Format,
    engine: Option<InferenceEngine>,
) -> Option<SchemaTarget> {
    Some(match (format, engine) {
        // Its converter, which Ollama has as well, describes a string by its pattern as JSON writes it.
        (_, Some(InferenceEngine::LlamaCpp)) | (Format::Ollama | Format::LlamaCpp, _) => {
            SchemaTarget::Ollama
        }
        // Its compiler reads neither lists of types nor, in less than a minute, our patterns.
        (_, Some(InferenceEngine::Tgi)) | (Format::Tgi | Format::BedrockConverse, _) => {
            SchemaTarget::Bedrock
        }
        (Format::OpenAiChat | Format::OpenAiResponses | Format::MistralConversations, _) => {
            SchemaTarget::OpenAi
        }
        (Format::Anthropic, _) => SchemaTarget::Anthropic,
        (Format::Cohere, _) => SchemaTarget::Cohere,
        (Format::Gemini | Format::GeminiInteractions, _) => SchemaTarget::Gemini,
        _ => return None,
    })
}

/// Returns JSON Pointers of members that conflict with a constraint: the request's own constraint,
/// or an option with which its API accepts none. If one is present and neither null nor an empty
/// array, the request is left unchanged.
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
        Format::BedrockConverse => &["/outputConfig/textFormat"],
        Format::Cohere => &["/response_format", "/documents", "/tools"],
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
        Format::GeminiInteractions => &["/response_format", "/response_mime_type", "/tools"],
        // An agent has settings of its own.
        Format::MistralConversations => &["/completion_args/response_format", "/agent_id"],
        // A schema does not let the model call a tool.
        Format::Ollama => &["/format", "/tools"],
        Format::Tgi => &["/parameters/grammar"],
        _ => &[],
    }
}

fn says_something(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
}

impl Constraint {
    /// Returns the name in settings and logs.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Schema(..) => "schema",
            Self::Grammar(..) => "grammar",
        }
    }

    /// Adds the constraint to a request of this format. Returns `false` if the request has no
    /// member for it, or a constraint of its own.
    pub(crate) fn add(&self, format: Format, request: &mut Value) -> bool {
        let is_rival = |place: &&str| request.pointer(place).is_some_and(says_something);
        if !request.is_object() || rivals(format).iter().any(is_rival) {
            return false;
        }
        let has_tools = request.get("tools").is_some_and(says_something);
        match self {
            Self::Schema(Some(engine), _) if !engine.is_for(format) => false,
            // Text Generation Inference refuses a schema beside tools.
            Self::Schema(Some(InferenceEngine::Tgi), _) if has_tools => false,
            Self::Schema(engine, schemas) => {
                let target = schema_target(format, *engine);
                let of_target = schemas.iter().find(|(of, _)| Some(*of) == target);
                of_target.is_some_and(|(_, schema)| match engine {
                    Some(engine) if format == Format::OpenAiChat => {
                        add_schema_for(*engine, request, schema)
                    }
                    _ => add_schema(format, request, schema),
                })
            }
            // It would not let the model call a tool.
            Self::Grammar(..) if has_tools => false,
            Self::Grammar(engine, grammar) if engine.is_for(format) => {
                let (name, value) = match engine {
                    InferenceEngine::LlamaCpp => ("grammar", json!(grammar)),
                    InferenceEngine::Vllm => ("structured_outputs", json!({"grammar": grammar})),
                    InferenceEngine::VllmGuided => ("guided_grammar", json!(grammar)),
                    InferenceEngine::Sglang => ("ebnf", json!(grammar)),
                    InferenceEngine::Tgi => return false,
                };
                set(request, &[name], value)
            }
            Self::Grammar(..) => false,
        }
    }
}

/// Adds a schema to a request of OpenAI's chat or legacy API, in the member of an engine.
fn add_schema_for(engine: InferenceEngine, request: &mut Value, schema: &Value) -> bool {
    let is_chat = request["messages"].is_array();
    let (name, value) = match engine {
        InferenceEngine::LlamaCpp | InferenceEngine::Sglang if is_chat => {
            return add_schema(Format::OpenAiChat, request, schema);
        }
        InferenceEngine::LlamaCpp => ("json_schema", schema.clone()),
        InferenceEngine::Vllm => ("structured_outputs", json!({"json": schema})),
        InferenceEngine::VllmGuided => ("guided_json", schema.clone()),
        // Its legacy API has the schema as a string.
        InferenceEngine::Sglang => ("json_schema", json!(schema.to_string())),
        InferenceEngine::Tgi if is_chat => {
            ("response_format", json!({"type": "json", "value": schema}))
        }
        InferenceEngine::Tgi => return false,
    };
    set(request, &[name], value)
}

fn add_schema(format: Format, request: &mut Value, schema: &Value) -> bool {
    let named = || json!({"name": "answer", "strict": true, "schema": schema});
    let response_format = || json!({"type": "json_schema", "json_schema": named()});
    match format {
        // The legacy API has no place for it.
        Format::OpenAiChat if request["messages"].is_array() => {
            set(request, &["response_format"], response_format())
        }
        Format::MistralConversations => set(
            request,
            &["completion_args", "response_format"],
            response_format(),
        ),
        Format::OpenAiResponses => {
            let mut value = named();
            value["type"] = "json_schema".into();
            set(request, &["text", "format"], value)
        }
        Format::Anthropic => {
            let value = json!({"type": "json_schema", "schema": schema});
            set(request, &["output_config", "format"], value)
        }
        Format::BedrockConverse => {
            // The schema is a string there.
            let described = json!({"name": "answer", "schema": schema.to_string()});
            let value = json!({"type": "json_schema", "structure": {"jsonSchema": described}});
            set(request, &["outputConfig", "textFormat"], value)
        }
        Format::Cohere => {
            let value = json!({"type": "json_object", "json_schema": schema});
            set(request, &["response_format"], value)
        }
        Format::Gemini => add_schema_of_gemini(request, schema),
        Format::GeminiInteractions => {
            let value = json!({"type": "text", "mime_type": "application/json", "schema": schema});
            set(request, &["response_format"], value)
        }
        Format::Ollama => set(request, &["format"], schema.clone()),
        Format::LlamaCpp => set(request, &["json_schema"], schema.clone()),
        // Other servers have other APIs at its path, with other members for the input.
        Format::Tgi if !request["inputs"].is_null() => {
            let value = json!({"type": "json", "value": schema});
            set(request, &["parameters", "grammar"], value)
        }
        _ => false,
    }
}

fn add_schema_of_gemini(request: &mut Value, schema: &Value) -> bool {
    let (config, kind, place) = match spelling(request, "generation_config", "generationConfig") {
        config @ "generation_config" => (config, "response_mime_type", "response_json_schema"),
        config => (config, "responseMimeType", "responseJsonSchema"),
    };
    set(request, &[config, kind], "application/json".into())
        && set(request, &[config, place], schema.clone())
}

/// Sets a nested member, creating missing objects on the way. Returns `false` if a value on the way
/// is not an object.
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
