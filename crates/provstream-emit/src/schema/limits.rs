//! Limits of providers that a schema of this crate can reach.
//!
//! A schema grows with the observations and with the classes of the vocabulary. Its form keeps to what
//! every provider documents, whatever they are; `tests/schema.rs` checks that. Only OpenAI documents limits
//! that such a schema can exceed: `platform.openai.com/docs/guides/structured-outputs`, "Supported schemas",
//! as read in November 2026.

use serde_json::Value;

use super::SchemaTarget;

/// Sizes of a schema that OpenAI limits.
#[derive(Debug, Default)]
struct SchemaSize {
    enum_values: usize,
    /// Characters of property names and enum values.
    characters: usize,
    /// Characters and number of values of the first enum that is too long.
    long_enum: Option<(usize, usize)>,
}

/// Describes the limit of the provider that a schema exceeds, and the size found; `None` if it
/// exceeds none.
pub(super) fn exceeded(target: SchemaTarget, schema: &Value) -> Option<String> {
    if target != SchemaTarget::OpenAi {
        return None;
    }
    let mut size = SchemaSize::default();
    size.add(schema);
    let over = |found: usize, most: usize, what: &str| {
        (found > most).then(|| format!("at most {most} {what} in a schema, found {found}"))
    };
    let long_enum = size.long_enum.map(|(length, count)| {
        format!("at most 15000 characters in an enum of more than 250 values, found {length} in {count} values")
    });
    long_enum
        .or_else(|| over(size.characters, 120_000, "characters in names and values"))
        .or_else(|| over(size.enum_values, 1_000, "enum values"))
}

impl SchemaSize {
    /// Adds the sizes of a schema and of all schemas in it.
    fn add(&mut self, schema: &Value) {
        match schema {
            Value::Object(members) => {
                if let Some(Value::Object(properties)) = members.get("properties") {
                    self.characters += properties
                        .keys()
                        .map(|name| name.chars().count())
                        .sum::<usize>();
                }
                if let Some(Value::Array(all)) = members.get("enum") {
                    self.add_enum(all);
                }
                members.values().for_each(|inner| self.add(inner));
            }
            Value::Array(all) => all.iter().for_each(|inner| self.add(inner)),
            _ => {}
        }
    }

    fn add_enum(&mut self, all: &[Value]) {
        let texts = all.iter().filter_map(Value::as_str);
        let length = texts.map(|text| text.chars().count()).sum();
        self.enum_values += all.len();
        self.characters += length;
        if all.len() > 250 && length > 15_000 {
            self.long_enum.get_or_insert((length, all.len()));
        }
    }
}
