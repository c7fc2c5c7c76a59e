//! What the upstream sends for a seed, and what a client may read of it.

use std::time::Duration;

use crate::answer::chunk;

/// The text in place of an assertion that the policy withholds.
pub const MARK: &str = "(w)";

/// Part of each assertion that the policy withholds, and of nothing else.
pub const SECRET: &str = "SECRET";

/// Bytes that long events have more than others.
const PADDING: usize = 2_000;

/// Numbers that follow from a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below a limit, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}

/// An assertion with an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The text.
    pub text: String,
    /// Where it begins in the text without annotations.
    pub start: usize,
    /// Whether the policy withholds it.
    pub is_withheld: bool,
}

/// A text with annotations.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// What the model writes.
    pub raw: String,
    /// What a client reads if it reads all.
    pub released: String,
    /// The assertions with annotations, in order.
    pub assertions: Vec<Assertion>,
}

impl Text {
    /// The text of a seed: sentences that are not annotated, admitted or withheld.
    #[must_use]
    pub fn new(random: &mut Random) -> Self {
        let mut text = Self::default();
        let mut clean = 0;
        for number in 0..3 + random.below(20) {
            let (sentence, annotation) = match random.below(3) {
                0 => (format!("Sentence {number} is fine."), ""),
                1 => (
                    format!("Fact {number} was checked."),
                    " [substrate.grep; ts=2026-05-28T11:40:00Z]",
                ),
                _ => (
                    format!("{SECRET} number {number} is it."),
                    " [unverified-inference]",
                ),
            };
            let is_withheld = sentence.starts_with(SECRET);
            text.raw += &format!("{sentence}{annotation} ");
            text.released += if is_withheld { MARK } else { &sentence };
            text.released.push(' ');
            let start = clean;
            clean += sentence.len() + 1;
            if !annotation.is_empty() {
                text.assertions.push(Assertion {
                    text: sentence,
                    start,
                    is_withheld,
                });
            }
        }
        text
    }

    /// How many assertions with annotations a client has read whole, or the mark in place of one.
    #[must_use]
    pub fn read_of(&self, read: &str) -> usize {
        let mut from = 0;
        for (count, assertion) in self.assertions.iter().enumerate() {
            let shown = if assertion.is_withheld {
                MARK
            } else {
                &assertion.text
            };
            let Some(at) = read[from..].find(shown) else {
                return count;
            };
            from += at + shown.len();
        }
        self.assertions.len()
    }
}

/// What the upstream does with a response.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Sends nothing until the proxy closes the connection.
    Stall,
    /// Closes the connection.
    Cut,
}

/// What goes wrong with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The upstream closes the connection.
    Cut,
    /// The upstream sends nothing more.
    Stall,
    /// An event that cannot be read.
    Garbage,
    /// Bytes that are no chunk.
    BadChunk,
    /// Nothing.
    None,
}

impl Fault {
    /// The name in the summary.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Stall => "stalled",
            Self::Garbage => "garbage",
            Self::BadChunk => "bad chunk",
            Self::None => "complete",
        }
    }
}

/// The response of a seed.
#[derive(Clone, Debug)]
pub struct Script {
    /// What the model writes.
    pub text: Text,
    /// What goes wrong.
    pub fault: Fault,
    /// What the upstream does.
    pub steps: Vec<Step>,
}

impl Script {
    /// The script of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let text = Text::new(&mut random);
        let body = events(&text.raw, &mut random);
        let fault = match random.below(8) {
            0 => Fault::Cut,
            1 => Fault::Stall,
            2 => Fault::Garbage,
            3 => Fault::BadChunk,
            _ => Fault::None,
        };
        let at = random.below(body.len());
        let pace = 1 + random.below(25);
        let most = [1, 7, 40, 300, 1_500][random.below(5)].max(body.len() / 200);
        let mut steps = Vec::new();
        let mut sent = 0;
        while sent < body.len() {
            let size = (1 + random.below(most)).min(body.len() - sent);
            steps.push(Step::Send(chunk(&body[sent..sent + size])));
            if (sent..sent + size).contains(&at) {
                let end = match fault {
                    Fault::Cut => Some(vec![Step::Cut]),
                    Fault::Stall => Some(vec![Step::Stall]),
                    Fault::BadChunk => {
                        let bytes = format!("{SECRET} is no chunk\r\n").into_bytes();
                        Some(vec![Step::Send(bytes), Step::Cut])
                    }
                    Fault::Garbage => {
                        let event = format!("\n\ndata: {{{SECRET} garbage\n\n");
                        steps.push(Step::Send(chunk(&event)));
                        None
                    }
                    Fault::None => None,
                };
                if let Some(end) = end {
                    steps.extend(end);
                    return Self { text, fault, steps };
                }
            }
            if random.below(3) == 0 {
                steps.push(Step::Wait(Duration::from_millis(random.below(pace) as u64)));
            }
            sent += size;
        }
        steps.push(Step::Send(b"0\r\n\r\n".to_vec()));
        Self { text, fault, steps }
    }
}

/// The events of a text, cut into deltas. Some bodies are so long that they do not fit into the buffers of connections.
fn events(text: &str, random: &mut Random) -> String {
    let padding = match random.below(8) {
        0 => "x".repeat(PADDING),
        _ => String::new(),
    };
    let event = |delta: &str, reason: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{reason}}}],\"obfuscation\":\"{padding}\"}}\n\n"
        )
    };
    let mut body = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at((1 + random.below(12)).min(rest.len()));
        body += &event(&format!("{{\"content\":\"{now}\"}}"), "null");
        rest = later;
    }
    body + &event("{}", "\"stop\"") + "data: [DONE]\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_counted_in_order() {
        let text = (0..).map(|seed| Text::new(&mut Random::new(seed)));
        let mut text = text.skip_while(|text| text.assertions.len() < 4);
        let text = text.next().expect("one of all");
        assert_eq!(text.read_of(&text.released), text.assertions.len());
        assert_eq!(text.read_of(""), 0);
        let mut most = 0;
        for end in 0..text.released.len() {
            let count = text.read_of(&text.released[..end]);
            assert!((most..=most + 1).contains(&count));
            most = count;
        }
    }
}
