//! The answer of a model as the events of a streamed chat completion, and what a client reads of it.

/// What the answer is made of, again and again.
const SENTENCES: [&str; 7] = [
    "The build of the main branch is green since yesterday evening.",
    "All tests of the parser pass, and none of them was changed.",
    "The release notes name three new options of the command line.",
    "Two of the examples in the guide still use the old names.",
    "The benchmark ran five times with the same result.",
    "Nobody has asked for the older format since the spring.",
    "The next release can follow as soon as the notes are complete.",
];

/// An annotation with the space before it.
const ANNOTATION: &str = " [substrate.grep; observation-id=src; ts=2026-05-28T11:40:00Z]";

/// From the end of an annotation to the end of the next one, bytes: at least this.
const GAP: usize = 200;

/// Bytes of a token at most.
const TOKEN: usize = 6;

/// Text with annotations, cut into tokens.
#[derive(Debug)]
pub struct Answer {
    tokens: Vec<String>,
    raw: String,
    clean: String,
}

impl Answer {
    /// An answer of at least so many tokens, which ends with a sentence.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        let (mut raw, mut clean) = (String::new(), String::new());
        let mut cut = Vec::new();
        let mut since = 0;
        for sentence in SENTENCES.iter().cycle() {
            if cut.len() >= tokens {
                break;
            }
            let from = raw.len();
            for text in [&mut raw, &mut clean] {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(sentence);
            }
            since += raw.len() - from;
            if since + ANNOTATION.len() >= GAP {
                raw.push_str(ANNOTATION);
                since = 0;
            }
            cut_tokens(&raw[from..], &mut cut);
        }
        Self {
            tokens: cut,
            raw,
            clean,
        }
    }

    /// The text with annotations.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The text without annotations.
    #[must_use]
    pub fn clean(&self) -> &str {
        &self.clean
    }

    /// The chunks of the response's body, with their sizes: an event each, the last with the end of the body.
    #[must_use]
    pub fn chunks(&self) -> Vec<Vec<u8>> {
        let mut events = vec![event(r#"{"role":"assistant","content":""}"#, "null")];
        for token in &self.tokens {
            // Nothing in the text has to be escaped.
            events.push(event(&format!(r#"{{"content":"{token}"}}"#), "null"));
        }
        events.push(event("{}", r#""stop""#));
        events.push("data: [DONE]\n\n".to_owned());
        let mut chunks: Vec<Vec<u8>> = events.iter().map(|event| chunk(event)).collect();
        if let Some(last) = chunks.last_mut() {
            last.extend_from_slice(b"0\r\n\r\n");
        }
        chunks
    }
}

/// Words with the space before them, long ones in several tokens.
fn cut_tokens(text: &str, tokens: &mut Vec<String>) {
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if at > start && (byte == b' ' || at - start == TOKEN) {
            tokens.push(text[start..at].to_owned());
            start = at;
        }
    }
    tokens.push(text[start..].to_owned());
}

fn event(delta: &str, reason: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-8f14e45fceea167a5a36dedd4bea2543\",\"object\":\"chat.completion.chunk\",\"created\":1779968400,\
         \"model\":\"fake-1\",\"system_fingerprint\":\"fp_44709d6fcb\",\"choices\":[{{\"index\":0,\"delta\":{delta},\
         \"logprobs\":null,\"finish_reason\":{reason}}}]}}\n\n"
    )
}

/// A chunk of HTTP/1.1 with these bytes.
#[must_use]
pub fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_text() {
        let answer = Answer::new(200);
        assert!((200..240).contains(&answer.tokens.len()));
        assert_eq!(answer.tokens.concat(), answer.raw);
        assert!(answer.tokens.iter().all(|token| token.len() <= TOKEN));
        assert_eq!(answer.raw.replace(ANNOTATION, ""), answer.clean);
        let every = answer.raw.len() / answer.raw.matches(ANNOTATION).count();
        assert!((150..300).contains(&every), "{every}");
        assert_eq!(answer.chunks().len(), answer.tokens.len() + 3);
    }
}
