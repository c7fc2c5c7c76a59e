//! Checks of schemas against the subsets of JSON Schema that providers document.
//!
//! Sources, as read in November 2026:
//!
//! - OpenAI: `platform.openai.com/docs/guides/structured-outputs`, "Supported schemas": the root is an object and not an
//!   `anyOf`; all fields are required; `additionalProperties: false` in every object; at most 5,000 object properties, 10 levels
//!   of nesting, 120,000 characters in names, enum values and constants, 1,000 enum values, 15,000 characters in an enum of
//!   more than 250; neither `allOf`, `not`, `dependentRequired`, `dependentSchemas`, `if`, `then` nor `else`. Recursion by
//!   `$ref` is allowed. The keywords per type (`pattern`, `format`; `multipleOf` and bounds; `minItems`, `maxItems`) are listed
//!   there as well, as are nine formats.
//! - Anthropic: `platform.claude.com/docs/en/build-with-claude/structured-outputs`, "JSON Schema limitations":
//!   `additionalProperties` must be false; no recursion, no external `$ref`, no bounds of numbers, no lengths of strings, of
//!   arrays only `minItems` of 0 and 1; enums of scalars; no `$ref` in `allOf`; patterns without look-around, back-references
//!   and word boundaries; at most 24 optional parameters and 16 with union types (`anyOf` or a list of types).
//! - Bedrock: `docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html`, "Supported JSON Schema features": as Anthropic,
//!   but neither `pattern` nor `default` is listed, nor a number of optional parameters and union types.
//! - Gemini: `ai.google.dev/api/generate-content`, `GenerationConfig.responseJsonSchema`: the supported keywords are listed; a
//!   `$ref` stands alone beside keywords that start with `$`; cyclic references only in properties that are not required.
//! - Ollama: `docs.ollama.com/capabilities/structured-outputs` passes `format` to the JSON Schema converter of llama.cpp,
//!   `grammars/README.md` of which lists what is not supported: `not`, `if`/`then`/`else`, `patternProperties`, `contains`,
//!   `uniqueItems`, `propertyNames`, `dependentSchemas`, conditions on counts of properties, and remote `$ref`; patterns start
//!   with `^` and end with `$`. `json-schema-to-grammar.cpp` refuses `(?`, or crashes (llama.cpp pull request 21124, Ollama issue
//!   10591), and copies classes and literals to a grammar of the string as it is written, with its escapes.

//! - Cohere: `docs.cohere.com/v2/docs/structured-outputs`, "Schema constraints", "Parameter types support" and "Unsupported schema
//!   features": the root is an object; every object has a required property; neither `allOf`, `oneOf` nor `not`, no bounds of
//!   numbers, of lengths and of arrays; four formats; patterns without `^`, `$`, `?=` and `?!`. Of `type`, only single names
//!   other than `null` are described.

use std::fmt;

use serde_json::{Map, Value};

use super::SchemaTarget;

/// A violation of a provider's rule, with its location in the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsetViolation {
    pointer: String,
    rule: String,
}

impl SubsetViolation {
    /// Returns the JSON Pointer (RFC 6901) of the part of the schema that breaks the rule.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the rule: the required or permitted form, and the number found if the rule is a
    /// limit.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }
}

impl fmt::Display for SubsetViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.pointer, self.rule)
    }
}

/// Keywords that do not restrict values.
const NOTES: [&str; 2] = ["description", "title"];

const OPENAI_KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "type",
];
const OPENAI_FORMATS: &[&str] = &[
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uuid",
];
const ANTHROPIC_KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "definitions",
    "enum",
    "format",
    "items",
    "minItems",
    "pattern",
    "properties",
    "required",
    "type",
];
const ANTHROPIC_FORMATS: &[&str] = &[
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uri",
    "uuid",
];
const BEDROCK_KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "definitions",
    "enum",
    "format",
    "items",
    "minItems",
    "properties",
    "required",
    "type",
];
const COHERE_KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "format",
    "items",
    "pattern",
    "properties",
    "required",
    "type",
];
const COHERE_FORMATS: &[&str] = &["date", "date-time", "time", "uuid"];
const GEMINI_KEYWORDS: &[&str] = &[
    "$anchor",
    "$defs",
    "$id",
    "$ref",
    "additionalProperties",
    "anyOf",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "prefixItems",
    "properties",
    "propertyOrdering",
    "required",
    "type",
];
/// Keywords that llama.cpp's converter does not support.
const OLLAMA_REFUSED: &[&str] = &[
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "maxProperties",
    "minContains",
    "minProperties",
    "not",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// Checks a schema against the documented subset of a target. Returns the violations in the order
/// of the schema.
///
/// [`SchemaTarget::JsonSchema`] has no rules. Only the subset is checked, not that the rest is
/// valid JSON Schema.
///
/// ```
/// use provstream_emit::{SchemaTarget, subset_violations};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
/// let violations = subset_violations(SchemaTarget::OpenAi, &schema);
/// assert_eq!(violations[0].to_string(), r#""": an object needs "additionalProperties": false"#);
/// ```
#[must_use]
pub fn subset_violations(target: SchemaTarget, schema: &Value) -> Vec<SubsetViolation> {
    let mut check = SubsetCheck {
        target,
        root: schema,
        found: Vec::new(),
        totals: SchemaTotals::default(),
    };
    match target {
        SchemaTarget::JsonSchema => return Vec::new(),
        SchemaTarget::OpenAi | SchemaTarget::Cohere => check.root_object(),
        _ => {}
    }
    check.schema(schema, "", 0);
    check.totals();
    check.recursion(schema, "", &mut Vec::new(), true);
    check.found
}

/// Counts over the whole schema.
#[derive(Debug, Default)]
struct SchemaTotals {
    properties: usize,
    characters: usize,
    enum_values: usize,
    optional: usize,
    unions: usize,
}

struct SubsetCheck<'s> {
    target: SchemaTarget,
    root: &'s Value,
    found: Vec<SubsetViolation>,
    totals: SchemaTotals,
}

impl<'s> SubsetCheck<'s> {
    /// Returns `true` if the target compiles schemas as Anthropic does. The subsets of Anthropic
    /// and Bedrock differ in keywords and limits only.
    const fn is_compiled(&self) -> bool {
        matches!(self.target, SchemaTarget::Anthropic | SchemaTarget::Bedrock)
    }

    fn breaks(&mut self, pointer: &str, rule: impl Into<String>) {
        self.found.push(SubsetViolation {
            pointer: pointer.into(),
            rule: rule.into(),
        });
    }

    fn root_object(&mut self) {
        if self.root.get("type") != Some(&Value::from("object")) || self.root.get("anyOf").is_some()
        {
            self.breaks("", "the root has to be an object");
        }
    }

    /// Checks a subschema inside `depth` objects.
    fn schema(&mut self, schema: &'s Value, pointer: &str, depth: usize) {
        let Value::Object(members) = schema else {
            return self.breaks(pointer, "expected an object as schema");
        };
        self.keywords(members, pointer);
        self.reference(members, pointer);
        self.values(members, pointer);
        self.strings(members, pointer);
        let is_object = members.contains_key("properties") || has_type(members, "object");
        let depth = depth + usize::from(is_object);
        if self.target == SchemaTarget::OpenAi && depth > 10 {
            return self.breaks(pointer, "more than 10 levels of objects");
        }
        if is_object {
            self.object(members, pointer);
        }
        for keyword in ["properties", "$defs", "definitions"] {
            if let Some(Value::Object(all)) = members.get(keyword) {
                let depth = if keyword == "properties" { depth } else { 0 };
                for (name, inner) in all {
                    self.totals.characters += name.chars().count();
                    self.schema(
                        inner,
                        &format!("{pointer}/{keyword}/{}", escaped(name)),
                        depth,
                    );
                }
            }
        }
        for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            if let Some(Value::Array(all)) = members.get(keyword) {
                for (index, inner) in all.iter().enumerate() {
                    self.schema(inner, &format!("{pointer}/{keyword}/{index}"), depth);
                }
            }
        }
        if let Some(inner) = members.get("items") {
            self.schema(inner, &format!("{pointer}/items"), depth);
        }
    }

    fn keywords(&mut self, members: &Map<String, Value>, pointer: &str) {
        let known = match self.target {
            SchemaTarget::OpenAi => OPENAI_KEYWORDS,
            SchemaTarget::Anthropic => ANTHROPIC_KEYWORDS,
            SchemaTarget::Bedrock => BEDROCK_KEYWORDS,
            SchemaTarget::Cohere => COHERE_KEYWORDS,
            SchemaTarget::Gemini => GEMINI_KEYWORDS,
            SchemaTarget::JsonSchema | SchemaTarget::Ollama => &[],
        };
        for name in members.keys().map(String::as_str) {
            let refused = match self.target {
                SchemaTarget::Ollama => OLLAMA_REFUSED.contains(&name),
                _ => !known.contains(&name) && !NOTES.contains(&name),
            };
            if refused {
                self.breaks(pointer, format!("the keyword {name:?} is not supported"));
            }
        }
        if self.target == SchemaTarget::Cohere
            && members
                .get("type")
                .is_some_and(|kind| kind.as_str().is_none_or(|name| name == "null"))
        {
            self.breaks(pointer, "a type is one name, and not \"null\"");
        }
        let union =
            members.contains_key("anyOf") || matches!(members.get("type"), Some(Value::Array(_)));
        self.totals.unions += usize::from(union);
    }

    fn reference(&mut self, members: &Map<String, Value>, pointer: &str) {
        let Some(Value::String(reference)) = members.get("$ref") else {
            return;
        };
        if !reference.starts_with('#') {
            self.breaks(pointer, "a reference has to stay in the schema");
        } else if self.resolve(reference).is_none() {
            self.breaks(pointer, format!("nothing is at {reference:?}"));
        }
        let beside = members.keys().any(|name| !name.starts_with('$'));
        if self.target == SchemaTarget::Gemini && beside {
            self.breaks(
                pointer,
                "only keywords that start with `$` can be beside a reference",
            );
        }
    }

    /// Checks enums, constants and the rules that depend on them.
    fn values(&mut self, members: &Map<String, Value>, pointer: &str) {
        if let Some(Value::Array(all)) = members.get("enum") {
            let length: usize = all.iter().map(characters).sum();
            self.totals.enum_values += all.len();
            self.totals.characters += length;
            let scalar = |value: &Value| !value.is_array() && !value.is_object();
            if self.is_compiled() && !all.iter().all(scalar) {
                self.breaks(pointer, "an enum has strings, numbers, booleans and null");
            }
            let plain = |value: &Value| value.is_string() || value.is_number();
            if self.target == SchemaTarget::Gemini && !all.iter().all(plain) {
                self.breaks(pointer, "an enum has strings or numbers");
            }
            if self.target == SchemaTarget::OpenAi && all.len() > 250 && length > 15_000 {
                let count = all.len();
                self.breaks(
                    pointer,
                    format!("at most 15000 characters in an enum of more than 250 values, found {length} in {count} values"),
                );
            }
        }
        if let Some(value) = members.get("const") {
            self.totals.characters += characters(value);
        }
        if self.is_compiled() {
            if members
                .get("minItems")
                .is_some_and(|least| !matches!(least.as_u64(), Some(0 | 1)))
            {
                self.breaks(pointer, "`minItems` is 0 or 1");
            }
            let referring = |value: &Value| value.get("$ref").is_some();
            if let Some(Value::Array(all)) = members.get("allOf")
                && all.iter().any(referring)
            {
                self.breaks(pointer, "no reference in `allOf`");
            }
        }
    }

    /// Checks formats and patterns.
    fn strings(&mut self, members: &Map<String, Value>, pointer: &str) {
        let formats = match self.target {
            SchemaTarget::OpenAi => OPENAI_FORMATS,
            SchemaTarget::Anthropic | SchemaTarget::Bedrock => ANTHROPIC_FORMATS,
            SchemaTarget::Cohere => COHERE_FORMATS,
            _ => &[],
        };
        if let Some(Value::String(format)) = members.get("format")
            && !formats.is_empty()
            && !formats.contains(&format.as_str())
        {
            self.breaks(pointer, format!("the format {format:?} is not supported"));
        }
        let Some(Value::String(pattern)) = members.get("pattern") else {
            return;
        };
        let looks = ["(?=", "(?!", "(?<=", "(?<!", "\\b", "\\B", "\\1", "\\2"];
        if self.target == SchemaTarget::Anthropic
            && looks.iter().any(|piece| pattern.contains(piece))
        {
            self.breaks(
                pointer,
                "a pattern without look-around, back-references and word boundaries",
            );
        }
        let bounds = ["^", "$", "?=", "?!"];
        if self.target == SchemaTarget::Cohere && bounds.iter().any(|piece| pattern.contains(piece))
        {
            self.breaks(pointer, "a pattern without `^`, `$`, `?=` and `?!`");
        }
        let anchored = pattern.starts_with('^') && pattern.ends_with('$');
        if self.target == SchemaTarget::Ollama && !anchored {
            self.breaks(pointer, "a pattern starts with `^` and ends with `$`");
        }
        if self.target == SchemaTarget::Ollama
            && let Some(rule) = uncopied(pattern)
        {
            self.breaks(pointer, rule);
        }
    }

    fn object(&mut self, members: &Map<String, Value>, pointer: &str) {
        let names: Vec<&String> = match members.get("properties") {
            Some(Value::Object(properties)) => properties.keys().collect(),
            _ => Vec::new(),
        };
        let required = |name: &&&String| match members.get("required") {
            Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(name.as_str())),
            _ => false,
        };
        let optional = names.iter().filter(|name| !required(name)).count();
        self.totals.properties += names.len();
        self.totals.optional += optional;
        let closes = self.target == SchemaTarget::OpenAi || self.is_compiled();
        if closes && members.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.breaks(pointer, "an object needs \"additionalProperties\": false");
        }
        if self.target == SchemaTarget::OpenAi && optional > 0 {
            self.breaks(pointer, "all properties have to be required");
        }
        if self.target == SchemaTarget::Cohere && optional == names.len() {
            self.breaks(pointer, "an object needs a required property");
        }
    }

    fn totals(&mut self) {
        let limits: &[(usize, usize, &str)] = match self.target {
            SchemaTarget::OpenAi => &[
                (self.totals.properties, 5_000, "object properties"),
                (
                    self.totals.characters,
                    120_000,
                    "characters in names and values",
                ),
                (self.totals.enum_values, 1_000, "enum values"),
            ],
            SchemaTarget::Anthropic => &[
                (self.totals.optional, 24, "optional properties"),
                (self.totals.unions, 16, "properties with union types"),
            ],
            _ => &[],
        };
        let over: Vec<String> = limits
            .iter()
            .filter(|(count, most, _)| count > most)
            .map(|(count, most, what)| format!("at most {most} {what} in a schema, found {count}"))
            .collect();
        for rule in over {
            self.breaks("", rule);
        }
    }

    /// Finds references that lead back to themselves. Anthropic and Bedrock permit none, Gemini
    /// none through required properties.
    fn recursion(
        &mut self,
        schema: &'s Value,
        pointer: &str,
        open: &mut Vec<&'s str>,
        needed: bool,
    ) {
        let checked = self.target == SchemaTarget::Gemini || self.is_compiled();
        // Each schema of `open` is entered once, so this ends; 64 references are deeper than any sensible schema.
        let Value::Object(members) = schema else {
            return;
        };
        if !checked || open.len() > 64 {
            return;
        }
        if let Some(Value::String(reference)) = members.get("$ref") {
            if open.contains(&reference.as_str()) {
                if needed || self.is_compiled() {
                    self.breaks(pointer, format!("{reference:?} leads back to itself"));
                }
            } else if let Some(inner) = self.resolve(reference) {
                open.push(reference);
                self.recursion(inner, pointer, open, needed);
                open.pop();
            }
        }
        for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            for inner in members
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.recursion(inner, pointer, open, needed);
            }
        }
        if let Some(inner) = members.get("items") {
            self.recursion(inner, pointer, open, needed);
        }
        for (name, inner) in members
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let required = members.get("required").and_then(Value::as_array);
            let required = required.is_some_and(|all| all.iter().any(|one| one == name.as_str()));
            let pointer = format!("{pointer}/properties/{}", escaped(name));
            self.recursion(inner, &pointer, open, needed && required);
        }
    }

    fn resolve(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

/// Returns the permitted form if `pattern` changes its meaning when it is copied to a grammar with
/// its JSON escapes, or `None` if it does not.
fn uncopied(pattern: &str) -> Option<&'static str> {
    if pattern.contains("(?") {
        return Some("a pattern without `(?`");
    }
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        match (c, escaped) {
            ('[', _) => match class(&rest[1..]) {
                None => return Some("classes with the escapes of GBNF"),
                Some((true, _)) => {
                    return Some("classes without the quote and the backslash of strings in JSON");
                }
                Some((false, after)) => rest = after,
            },
            ('"', _) | (_, Some('"' | '\\')) => {
                return Some("a pattern without the quote and the backslash of strings in JSON");
            }
            ('.', _) => return Some("a pattern without `.`"),
            (_, Some(c)) if !"^$.[]()|{}*+?".contains(c) => {
                return Some("a pattern with escapes of syntax only");
            }
            (_, Some(_)) => rest = &rest[2..],
            _ => rest = &rest[c.len_utf8()..],
        }
    }
    None
}

/// Returns `true` with the rest of the pattern if the class after an opening bracket has a
/// quotation mark or a backslash, `false` if not, and `None` if the class cannot be parsed.
fn class(text: &str) -> Option<(bool, &str)> {
    let (negated, mut rest) = match text.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut listed = [false; 2];
    loop {
        if let Some(after) = rest.strip_prefix(']') {
            return Some((listed.iter().any(|&listed| listed != negated), after));
        }
        let (first, after) = class_char(rest)?;
        let (last, after) = match after.strip_prefix('-') {
            Some(end) if !end.starts_with(']') => class_char(end)?,
            _ => (first, after),
        };
        for (listed, c) in listed.iter_mut().zip(['"', '\\']) {
            *listed |= (first..=last).contains(&c);
        }
        rest = after;
    }
}

/// Returns a character of a class as GBNF reads it, and the rest of the pattern.
fn class_char(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    let c = chars.next()?;
    if c != '\\' {
        return Some((c, chars.as_str()));
    }
    let digits = match chars.next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        't' => return Some(('\t', chars.as_str())),
        'r' => return Some(('\r', chars.as_str())),
        'n' => return Some(('\n', chars.as_str())),
        c @ ('[' | ']' | '"' | '\\') => return Some((c, chars.as_str())),
        _ => return None,
    };
    let (code, rest) = chars.as_str().split_at_checked(digits)?;
    let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
    Some((c, rest))
}

fn has_type(members: &Map<String, Value>, name: &str) -> bool {
    match members.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(name)),
        _ => false,
    }
}

fn characters(value: &Value) -> usize {
    value
        .as_str()
        .map_or_else(|| value.to_string().len(), |text| text.chars().count())
}

/// Escapes a name for a JSON Pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
