//! Examples for fine-tuning and few-shot prompts, from annotated transcripts.

use std::error::Error;
use std::fmt;

use provstream::provenance::Vocabulary;
use provstream::{Event, Mode, Parser};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{self, JsonMembers};

/// Longest line of a transcript, in bytes.
const MAX_LINE: usize = 8 << 20;

/// A conversation in two forms: annotated and with instructions, and without both.
///
/// Learnt together, the two show a model to annotate when it is asked to and only then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExamplePair {
    annotated: String,
    unannotated: String,
}

impl ExamplePair {
    /// Returns the conversation with the instructions in its system message and with annotated
    /// answers: a JSON object with `messages` on one line, without a line feed.
    #[must_use]
    pub fn annotated(&self) -> &str {
        &self.annotated
    }

    /// Returns the conversation without instructions and annotations, in the same format.
    #[must_use]
    pub fn unannotated(&self) -> &str {
        &self.unannotated
    }
}

/// Reason why a line gives no examples.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExampleError {
    /// The line is not a conversation in the chat format. The text has what was expected and found.
    NotChat(String),
    /// No answer has an annotation.
    Unannotated,
    /// An answer has diagnostics or unaccepted annotations, which a model should not learn.
    Faulty {
        /// Number of diagnostics and unaccepted annotations.
        count: usize,
        /// The first fault: number of the message, from 1, and the code of the diagnostic, or the
        /// reason and the identifier of the unaccepted annotation.
        first: String,
    },
}

impl fmt::Display for ExampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotChat(what) => f.write_str(what),
            Self::Unannotated => f.write_str("no message of the assistant has an annotation"),
            Self::Faulty { count, first } => write!(f, "{first} ({count} in all)"),
        }
    }
}

impl Error for ExampleError {}

/// Builds a pair of examples from a line of annotated transcripts: a JSON object with `messages`,
/// each with `role` and `content`.
///
/// In the annotated conversation `instructions` are put before what its system message says, unless it begins with them, or
/// become one. In the other one they are removed if they are there, and the annotations are removed as `provstream strip` does it.
/// Everything else stays as it is written in both, numbers included.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream_emit::example_pair;
///
/// let line = br#"{"messages":[{"role":"assistant","content":"The build is green. [substrate.grep]"}]}"#;
/// let pair = example_pair(line, "Annotate.", &Vocabulary::memo())?;
/// assert_eq!(
///     pair.unannotated(),
///     r#"{"messages":[{"role":"assistant","content":"The build is green."}]}"#
/// );
/// assert!(pair.annotated().contains(r#"{"role":"system","content":"Annotate."}"#));
/// # Ok::<(), provstream_emit::ExampleError>(())
/// ```
///
/// # Errors
///
/// Why the line gives no example: it is longer than 8 MiB or not a conversation, or its answers have no annotations, or some
/// for which a reader has a diagnostic.
pub fn example_pair(
    line: &[u8],
    instructions: &str,
    vocabulary: &Vocabulary,
) -> Result<ExamplePair, ExampleError> {
    let line = line.trim_ascii();
    if line.len() > MAX_LINE {
        return Err(ExampleError::NotChat(format!(
            "expected at most {MAX_LINE} bytes in a line, found more"
        )));
    }
    let value = json::value(line).map_err(|fault| {
        ExampleError::NotChat(match fault.is_open {
            true => "expected one conversation a line, found one that goes on in the next line or is not complete; `jq -c .` writes each on one line".to_owned(),
            false => format!("column {}: {}", fault.offset + 1, fault.what),
        })
    })?;
    let conversation = JsonMembers::of(value).map_err(|what| match kind_is_object(value) {
        true => ExampleError::NotChat(what),
        false => ExampleError::NotChat(format!(
            "expected an object with an array \"messages\", found {}",
            json::kind(value)
        )),
    })?;
    let messages = messages(&conversation)?;
    let mut seen = AnnotationFindings::default();
    let mut clean = Vec::with_capacity(messages.len());
    for (message, number) in messages.iter().zip(1..) {
        clean.push(match &message.answer {
            Some(content) => {
                let text = strip(content, vocabulary, number, &mut seen);
                message.with_content(&text)
            }
            None => json::in_line(message.raw.get()),
        });
    }
    if let Some(first) = seen.first {
        let count = seen.faulty;
        return Err(ExampleError::Faulty { count, first });
    }
    if !messages.iter().any(|message| message.role == ASSISTANT) {
        return Err(ExampleError::NotChat(no_answer(&messages)));
    }
    if seen.annotations == 0 {
        return Err(ExampleError::Unannotated);
    }
    let mut marked: Vec<String> = messages
        .iter()
        .map(|message| json::in_line(message.raw.get()))
        .collect();
    instruct(messages.first(), instructions, &mut marked, &mut clean)?;
    let with =
        |messages: &[String]| conversation.with("messages", &format!("[{}]", messages.join(",")));
    Ok(ExamplePair {
        annotated: with(&marked),
        unannotated: with(&clean),
    })
}

/// Role of the messages that have annotations.
const ASSISTANT: &str = "assistant";

/// Returns the error message for a conversation without a message of the assistant.
fn no_answer(messages: &[ExampleMessage<'_>]) -> String {
    let mut roles: Vec<&str> = Vec::new();
    for message in messages {
        if !roles.contains(&message.role.as_str()) {
            roles.push(&message.role);
        }
    }
    let shown: Vec<String> = roles.iter().take(4).map(|role| json::shown(role)).collect();
    let found = match shown.as_slice() {
        [] => "no messages".to_owned(),
        _ => shown.join(", "),
    };
    format!("expected a message with the role \"{ASSISTANT}\", found {found}")
}

fn kind_is_object(value: &RawValue) -> bool {
    json::kind(value) == "an object"
}

/// A message of a conversation.
struct ExampleMessage<'a> {
    raw: &'a RawValue,
    members: JsonMembers<'a>,
    role: String,
    /// Text of the message, if it is an answer of the assistant.
    answer: Option<String>,
}

impl<'a> ExampleMessage<'a> {
    fn read(raw: &'a RawValue) -> Result<Self, String> {
        let expected = |found| format!("expected an object with a string \"role\", found {found}");
        if !kind_is_object(raw) {
            return Err(expected(json::kind(raw)));
        }
        let members = JsonMembers::of(raw)?;
        let role = members.string("role").ok_or_else(|| {
            let found = members.get("role").map(json::kind);
            found.map_or_else(
                || expected("one without \"role\""),
                |found| format!("\"role\": expected a string, found {found}"),
            )
        })?;
        let mut answer = None;
        if role == ASSISTANT {
            let content = members.get("content");
            match content.map_or("null", json::kind) {
                "null" => {}
                "a string" => answer = members.string("content"),
                found => {
                    return Err(format!(
                        "expected a string or null as \"content\" of the assistant, found {found}"
                    ));
                }
            }
        }
        Ok(Self {
            raw,
            members,
            role,
            answer,
        })
    }

    /// Writes the message with another text, on one line.
    fn with_content(&self, text: &str) -> String {
        self.members.with("content", &Value::from(text).to_string())
    }
}

fn messages<'a>(conversation: &JsonMembers<'a>) -> Result<Vec<ExampleMessage<'a>>, ExampleError> {
    let given = conversation.get("messages");
    let Some(list) = given.and_then(json::elements) else {
        return Err(ExampleError::NotChat(match given.map(json::kind) {
            Some(found) => format!("\"messages\": expected an array, found {found}"),
            None => "expected an object with an array \"messages\", found one without \"messages\""
                .into(),
        }));
    };
    let read = |(raw, number): (&'a RawValue, usize)| {
        ExampleMessage::read(raw)
            .map_err(|what| ExampleError::NotChat(format!("message {number}: {what}")))
    };
    list.into_iter().zip(1..).map(read).collect()
}

/// Adds the instructions to the annotated messages and removes them from the others. Both lists
/// begin with the system message, if there is one.
fn instruct(
    first: Option<&ExampleMessage<'_>>,
    instructions: &str,
    marked: &mut Vec<String>,
    clean: &mut Vec<String>,
) -> Result<(), ExampleError> {
    let instructions = instructions.trim_end();
    if instructions.is_empty() {
        return Ok(());
    }
    let text = Value::from(instructions).to_string();
    let Some(system) = first.filter(|first| first.role == "system") else {
        marked.insert(0, format!("{{\"role\":\"system\",\"content\":{text}}}"));
        return Ok(());
    };
    let content = system.members.get("content");
    match content.map_or("null", json::kind) {
        "null" => marked[0] = system.with_content(instructions),
        "a string" => {
            let own = system.members.string("content").unwrap_or_default();
            match own.strip_prefix(instructions).map(str::trim_start) {
                Some("") => drop(clean.remove(0)),
                Some(rest) => clean[0] = system.with_content(rest),
                None if own.trim().is_empty() => marked[0] = system.with_content(instructions),
                None => marked[0] = system.with_content(&format!("{instructions}\n\n{own}")),
            }
        }
        "an array" => {
            let parts = content.and_then(json::elements).unwrap_or_default();
            let is_ours = |part: &&RawValue| {
                let members = JsonMembers::of(part).ok();
                let own = members.and_then(|members| members.string("text"));
                own.is_some_and(|own| own.trim_end() == instructions)
            };
            let with = |parts: Vec<&str>| {
                let list = format!("[{}]", parts.join(","));
                system.members.with("content", &list)
            };
            let all = parts.iter().map(|part| part.get());
            if !parts.first().is_some_and(is_ours) {
                let ours = format!("{{\"type\":\"text\",\"text\":{text}}}");
                marked[0] = with([ours.as_str()].into_iter().chain(all).collect());
            } else if parts.len() == 1 {
                clean.remove(0);
            } else {
                clean[0] = with(all.skip(1).collect());
            }
        }
        found => {
            return Err(ExampleError::NotChat(format!(
                "message 1: expected a string, an array or null as \"content\" of the system, found {found}"
            )));
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
struct AnnotationFindings {
    annotations: usize,
    faulty: usize,
    first: Option<String>,
}

impl AnnotationFindings {
    fn fault(&mut self, message: usize, code: &str) {
        self.faulty += 1;
        self.first
            .get_or_insert_with(|| format!("message {message}: {code}"));
    }
}

/// Removes the annotations from the text of a message, with the white space right before them.
fn strip(
    content: &str,
    vocabulary: &Vocabulary,
    number: usize,
    seen: &mut AnnotationFindings,
) -> String {
    let mut rest = Vec::new();
    let mut parser = Parser::builder()
        .mode(Mode::Text)
        .vocabulary(vocabulary.clone())
        .build();
    let mut note = |event: Event<'_>| match event {
        Event::Text(text) => rest.extend_from_slice(text.bytes()),
        Event::Annotation(found) => {
            seen.annotations += 1;
            if let Some(reason) = found.annotation().reason() {
                let declared = json::shown(found.annotation().declared());
                seen.fault(number, &format!("{reason}, found {declared}"));
            }
            let kept = rest.len().saturating_sub(found.whitespace_before());
            rest.truncate(kept);
        }
        Event::Diagnostic(diagnostic) => seen.fault(number, &diagnostic.code().to_string()),
        _ => {}
    };
    parser.push(content.as_bytes(), &mut note);
    parser.finish(&mut note);
    String::from_utf8_lossy(&rest).into_owned()
}
