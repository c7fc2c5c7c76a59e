//! Examples for fine-tuning and few-shot prompts, from annotated transcripts.

use std::error::Error;
use std::fmt;

use provstream::provenance::Vocabulary;
use provstream::{Event, Mode, Parser};
use serde_json::{Map, Value, json};

/// Longest line of a transcript, in bytes.
const MAX_LINE: usize = 8 << 20;

/// A conversation twice: once annotated, with the instructions, and once without both.
///
/// Learnt together, the two show a model to annotate when it is asked to and only then.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamplePair {
    annotated: Value,
    unannotated: Value,
}

impl ExamplePair {
    /// The conversation with the instructions as its system message and with annotated answers: an object with `messages`.
    #[must_use]
    pub const fn annotated(&self) -> &Value {
        &self.annotated
    }

    /// The conversation as it would be without instructions and annotations.
    #[must_use]
    pub const fn unannotated(&self) -> &Value {
        &self.unannotated
    }
}

/// Why a line is no source of examples.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExampleError {
    /// It is not a conversation in the chat format: what was expected and found.
    NotChat(String),
    /// No answer has an annotation.
    Unannotated,
    /// An answer has annotations that a reader does not accept, which a model should not learn: how many.
    Faulty(usize),
}

impl fmt::Display for ExampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotChat(what) => f.write_str(what),
            Self::Unannotated => f.write_str("no message of the assistant has an annotation"),
            Self::Faulty(count) => write!(f, "malformed or unknown annotations: {count}"),
        }
    }
}

impl Error for ExampleError {}

/// Makes a pair of examples of a line of annotated transcripts: a JSON object with `messages`, each with `role` and `content`.
///
/// In the annotated conversation `instructions` are put before what its system message says, or become one. In the other
/// one the annotations are removed as `provstream strip` does it. Other members of the object stay in both.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream_emit::example_pair;
///
/// let line = br#"{"messages": [{"role": "user", "content": "Ready?"},
///     {"role": "assistant", "content": "The build is green. [substrate.grep]"}]}"#;
/// let pair = example_pair(line, "Annotate.", &Vocabulary::memo())?;
/// assert_eq!(pair.annotated()["messages"][0]["content"], "Annotate.");
/// assert_eq!(pair.unannotated()["messages"][1]["content"], "The build is green.");
/// # Ok::<(), provstream_emit::ExampleError>(())
/// ```
///
/// # Errors
///
/// Why the line gives no example: it is longer than 8 MiB or not a conversation, or its answers have no annotations or faulty
/// ones.
pub fn example_pair(
    line: &[u8],
    instructions: &str,
    vocabulary: &Vocabulary,
) -> Result<ExamplePair, ExampleError> {
    if line.len() > MAX_LINE {
        return Err(ExampleError::NotChat(
            "expected at most 8 MiB in a line".into(),
        ));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| ExampleError::NotChat(format!("not JSON: {error}")))?;
    let messages = messages(&value)?;
    let mut seen = Seen::default();
    let mut clean = Vec::with_capacity(messages.len());
    for message in messages {
        let content = match (text(message, "role"), text(message, "content")) {
            (Some("assistant"), Some(content)) => strip(content, vocabulary, &mut seen),
            _ => {
                clean.push(message.clone());
                continue;
            }
        };
        let mut message = message.clone();
        message["content"] = Value::from(content);
        clean.push(message);
    }
    if seen.faulty > 0 {
        return Err(ExampleError::Faulty(seen.faulty));
    }
    if seen.annotations == 0 {
        return Err(ExampleError::Unannotated);
    }
    Ok(ExamplePair {
        annotated: with_messages(&value, instructed(messages, instructions)),
        unannotated: with_messages(&value, clean),
    })
}

fn messages(value: &Value) -> Result<&Vec<Value>, ExampleError> {
    let not = |what: &str| ExampleError::NotChat(what.into());
    let Some(Value::Array(messages)) = value.get("messages") else {
        return Err(not("expected an object with an array \"messages\""));
    };
    for (message, number) in messages.iter().zip(1..) {
        if text(message, "role").is_none() {
            let what = format!("message {number}: expected an object with a string \"role\"");
            return Err(not(&what));
        }
        if text(message, "role") == Some("assistant")
            && message.get("content").is_some_and(Value::is_array)
        {
            let what =
                format!("message {number}: expected a string as \"content\", found an array");
            return Err(not(&what));
        }
    }
    Ok(messages)
}

fn text<'a>(message: &'a Value, name: &str) -> Option<&'a str> {
    message.get(name)?.as_str()
}

/// The messages with the instructions first in the system message.
fn instructed(messages: &[Value], instructions: &str) -> Vec<Value> {
    let instructions = instructions.trim_end();
    let mut all = messages.to_vec();
    match all.first_mut() {
        Some(first) if text(first, "role") == Some("system") => {
            let own = text(first, "content").unwrap_or_default();
            first["content"] = Value::from(format!("{instructions}\n\n{own}"));
        }
        _ => all.insert(0, json!({"role": "system", "content": instructions})),
    }
    all
}

/// The same object with other messages.
fn with_messages(value: &Value, messages: Vec<Value>) -> Value {
    let mut members: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    members.insert("messages".into(), Value::Array(messages));
    Value::Object(members)
}

#[derive(Debug, Default)]
struct Seen {
    annotations: usize,
    faulty: usize,
}

/// A text without its annotations and the white space right before them.
fn strip(content: &str, vocabulary: &Vocabulary, seen: &mut Seen) -> String {
    let mut rest = Vec::new();
    let mut parser = Parser::builder()
        .mode(Mode::Text)
        .vocabulary(vocabulary.clone())
        .build();
    let mut note = |event: Event<'_>| match event {
        Event::Text(text) => rest.extend_from_slice(text.bytes()),
        Event::Annotation(found) => {
            seen.annotations += 1;
            seen.faulty += usize::from(found.annotation().reason().is_some());
            let kept = rest.len().saturating_sub(found.whitespace_before());
            rest.truncate(kept);
        }
        _ => {}
    };
    parser.push(content.as_bytes(), &mut note);
    parser.finish(&mut note);
    String::from_utf8_lossy(&rest).into_owned()
}
