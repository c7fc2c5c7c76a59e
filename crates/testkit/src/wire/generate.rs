//! Generator of responses in every format, with annotations that span deltas.

use provstream_providers::Format;
use serde_json::json;

/// A pseudo-random generator; equal seeds give equal numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Choices to use before random numbers, one byte each, in reverse order.
    chosen: Vec<u8>,
}

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D,
            chosen: Vec::new(),
        }
    }

    /// Creates a generator that returns the `choices` first, one byte each, then the numbers of
    /// seed 0.
    pub fn chosen(choices: &[u8]) -> Self {
        Self {
            chosen: choices.iter().rev().copied().collect(),
            ..Self::new(0)
        }
    }

    /// Draws a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        if let Some(choice) = self.chosen.pop() {
            return usize::from(choice) % limit.max(1);
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % limit.max(1)
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

const PIECES: [&str; 23] = [
    "The build is green.",
    " It runs.",
    " [substrate.grep]",
    "[substrate.git.log; ts=2026-05-28T11:41:00Z]",
    " [substrate.code.read; observation-id=\"a, ]b\"]",
    " [sub",
    "[",
    "]",
    " ",
    "\n\n",
    "\"quoted\\\"",
    "Grüße",
    " 😀",
    "\u{2028}",
    "\u{fffd}",
    "\t",
    " [1]",
    "[link](https://e.x)",
    "`[substrate.grep]`",
    "word",
    " [unverified]",
    ".",
    " [substrate.",
];

/// Pieces of text about which a gate decides, some to be withheld. The letter `ж` occurs only here.
const DECIDED: [&str; 8] = [
    " A жар runs. [substrate.grep]",
    " [substrate.grep]",
    "Жук жjж. ",
    "жж [substrate.grep]",
    " It is so. [substrate.git.log]\n",
    "- ж [substrate.grep]\n- x\n",
    "\n```json\n{\"assertion\":\"It ж.\",\"provenance\":{\"substrate_class\":\"substrate.grep\"}}\n```\n",
    "ж",
];

/// Pieces of text with markers of every dialect, whole and cut off, and with brackets that are not markers.
const CITED: [&str; 52] = [
    "The build is green.",
    " It runs",
    "Grüße",
    " 😀",
    "word",
    ". ",
    ".",
    ", ",
    " and ",
    "\n\n",
    "\n",
    "\n- ",
    " ",
    "`[1]`",
    "\"quoted\\\"",
    "\u{2028}",
    "\\",
    " [substrate.grep]",
    " [sub",
    "[link](https://e.x)",
    "[text][1]",
    "xs[1]",
    " in [1, 5]",
    "[",
    "【",
    "<",
    " [1]",
    "[2]",
    " [1][2]",
    "[1-3]",
    "[^1]",
    " [[1]](https://a.example/(x))",
    "[3](https://a.example/b",
    "【1】",
    "［2］",
    "【4:0†source】",
    " 【4:1†🎉.pdf】",
    "【4:0†so",
    "\u{e200}cite\u{e202}turn0search1\u{e201}",
    "\u{e200}navlist\u{e202}x\u{e201}",
    "\u{e200}cite\u{e202}",
    "<|file-abc|>",
    " <|file-",
    "[doc1]",
    " [doc2][doc3]",
    " [cite: 1, 2]",
    "[cite_start]",
    "<co: 0,1>",
    "</co: 0,1>",
    "<cite index=\"0-1\">",
    "</cite>",
    " %[1]%",
];

/// Identifiers of the sources that a generated response may cite.
pub const SOURCES: [&str; 9] = [
    "1",
    "2",
    "3",
    "4:0",
    "4:1",
    "doc1",
    "0-1",
    "turn0search1",
    "0",
];

/// Content of the texts of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sentences {
    /// Pieces that are hard to read.
    Any,
    /// Pieces that are hard to read and pieces for a gate to withhold; some choices have no role.
    Gated,
    /// Pieces with markers of citations.
    Cited,
    /// Numbered sentences (the number is that of the last one), each with a word of its own. No
    /// text begins or ends within another one, and nothing interrupts a text.
    Numbered(usize),
    /// Numbered sentences with markers of citations.
    NumberedCited(usize),
}

/// A response under construction.
pub(super) struct Stream<'r> {
    pub(super) random: &'r mut Random,
    pub(super) events: Vec<String>,
    sentences: Sentences,
}

impl<'r> Stream<'r> {
    pub(super) const fn new(random: &'r mut Random, sentences: Sentences) -> Self {
        Self {
            random,
            events: Vec::new(),
            sentences,
        }
    }

    fn is_for_gate(&self) -> bool {
        self.sentences == Sentences::Gated
    }

    /// Draws, with a probability of one in `count`, whether something other than text interrupts
    /// the response.
    fn interrupts(&mut self, count: usize) -> bool {
        let is_numbered = matches!(
            self.sentences,
            Sentences::Numbered(_) | Sentences::NumberedCited(_)
        );
        self.random.one_in(count) && !is_numbered
    }

    /// Generates the next numbered sentences: with a word in `W` those annotated as inference, in
    /// `R` the observed ones, in `P` those without annotation.
    fn numbered(&mut self, number: &mut usize) -> String {
        let mut text = "\n\n".to_owned();
        for _ in 0..1 + self.random.below(6) {
            *number += 1;
            text += &match self.random.below(4) {
                0 => format!("W{number}w is so. [unverified-inference] "),
                1 => format!(
                    "W{number}w is so.\n[unverified-inference]\n\n- R{number}r [substrate.grep]\n\n"
                ),
                2 => format!("R{number}r runs. [substrate.git.log; ts=2026-05-28T11:41:00Z] "),
                _ => format!("P{number}p is plain. "),
            };
        }
        text + "End."
    }

    /// Generates the next numbered sentences, with markers; those with a word in `W` cite a source that is not in
    /// [`SOURCES`].
    fn numbered_cited(&mut self, number: &mut usize) -> String {
        let mut text = "\n\n".to_owned();
        for _ in 0..1 + self.random.below(6) {
            *number += 1;
            text += &match self.random.below(10) {
                0 => format!("P{number}p is plain [1]. "),
                1 => {
                    format!("P{number}p is 【4:0†so】plain【4:1†a.pdf】.\n- R{number}r [doc1]\n\n")
                }
                2 => format!("<cite index=\"0-1\">R{number}r runs.</cite> "),
                3 => format!("W{number}w is so.[^1][7] [substrate.grep] "),
                4 => format!("W{number}w【9:9†a.pdf】 is so. "),
                5 => format!(
                    "<co: 0><co: 9>W{number}w</co: 9> is</co: 0> so.\n[doc9]\n- R{number}r runs\n\n"
                ),
                6 => format!(
                    "<cite index=\"9-9\">W{number}w is so.</cite> [1]\n- R{number}r runs [2]\n\n"
                ),
                7 => format!("W{number}w is so. [7] "),
                8 => format!(
                    "R{number}r\u{e200}cite\u{e202}turn0search1\u{e201} runs. [cite: 1, 2] "
                ),
                _ => format!("P{number}p is not cited [1, "),
            };
        }
        text + "End."
    }

    fn text(&mut self) -> Vec<char> {
        match self.sentences {
            Sentences::Numbered(mut number) => {
                let text = self.numbered(&mut number);
                self.sentences = Sentences::Numbered(number);
                return text.chars().collect();
            }
            Sentences::NumberedCited(mut number) => {
                let text = self.numbered_cited(&mut number);
                self.sentences = Sentences::NumberedCited(number);
                return text.chars().collect();
            }
            _ => {}
        }
        let count = 1 + self.random.below(12);
        let mut text = Vec::new();
        for _ in 0..count {
            let piece = match self.sentences {
                Sentences::Cited => self.random.pick(&CITED),
                Sentences::Gated if self.random.one_in(2) => self.random.pick(&DECIDED),
                _ => self.random.pick(&PIECES),
            };
            text.extend(piece.chars());
        }
        text
    }

    /// Splits a text into deltas, some of them empty.
    fn cut(&mut self, text: &[char]) -> Vec<String> {
        let mut deltas = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let len = [1, 2, 4, 9, 30][self.random.below(5)].min(rest.len());
            let (delta, later) = rest.split_at(len);
            deltas.push(delta.iter().collect());
            rest = later;
            if self.random.one_in(9) {
                deltas.push(String::new());
            }
        }
        deltas
    }

    /// Encodes a JSON string, in some cases with every character escaped.
    fn quoted(&mut self, text: &str) -> String {
        if !self.random.one_in(6) {
            return json!(text).to_string();
        }
        let escape = |unit: u16| format!("\\u{unit:04x}");
        let units: String = text.encode_utf16().map(escape).collect();
        format!("\"{units}\"")
    }

    /// Generates an additional member that clients ignore, or nothing.
    fn obfuscation(&mut self) -> String {
        match self.random.below(4) {
            0 => String::new(),
            count => format!(r#","obfuscation":"{}""#, r#"a\"x"#.repeat(count)),
        }
    }

    /// Finds a passage outside brackets, as a range of character indices.
    fn passage(&mut self, text: &[char]) -> Option<(usize, usize)> {
        let passage: Vec<char> = self
            .random
            .pick(&["The build is green.", "Grüße", "😀", "word"])
            .chars()
            .collect();
        let places = text.windows(passage.len()).enumerate();
        let places: Vec<usize> = places
            .filter(|(place, window)| {
                let mut before = text[..*place].iter().rev();
                let bracket = before.find(|char| matches!(char, '[' | ']'));
                *window == passage && bracket != Some(&'[')
            })
            .map(|(place, _)| place)
            .collect();
        let start = *places.get(self.random.below(places.len()))?;
        Some((start, start + passage.len()))
    }

    /// Adds the events of several texts, one text after the other, or interleaved; the texts begin
    /// in order.
    fn weave(&mut self, texts: Vec<Vec<String>>, in_turn: bool) {
        let mut left: Vec<_> = texts.into_iter().map(Vec::into_iter).collect();
        let mut begun = 0;
        while let Some(first) = left.iter().position(|events| events.len() > 0) {
            let of = match in_turn {
                true => self.random.below(left.len().min(begun + 1)),
                false => first,
            };
            begun = begun.max(of + 1);
            self.events.extend(left[of].next());
        }
    }

    /// Draws the number of content blocks of a message, and whether they are open in parallel. At
    /// most two are, because with more it would depend on the blocks that lose all their text which
    /// of them is open when another one begins.
    fn blocks(&mut self) -> (usize, bool) {
        match self.random.one_in(4) {
            true => (2, true),
            false => (1 + self.random.below(3), false),
        }
    }

    fn chat(&mut self, kind: usize) {
        let mut count = 1 + self.random.below(3);
        let has_roles = !(self.is_for_gate() && self.random.one_in(3));
        // Both members of a choice have each piece, or the message repeats the delta.
        let has_twin = kind == 0 && self.random.one_in(4);
        let repeats = kind == 0 && !has_twin && self.random.one_in(4);
        if repeats && !has_roles {
            // Three that begin in a row look like deltas whose index counts them.
            count = count.min(2);
        }
        let mut left: Vec<_> = (0..count)
            .map(|_| {
                let text = self.text();
                let mut deltas = self.cut(&text);
                deltas.reverse();
                deltas
            })
            .collect();
        let head = r#""id":"c","object":"chat.completion.chunk","created":7,"model":"m""#;
        for index in (0..count).filter(|_| has_roles) {
            self.events.push(format!(
                r#"{{{head},"choices":[{{"index":{index},"delta":{{"role":"assistant","content":""}},"finish_reason":null}}]}}"#
            ));
        }
        let every = ["null", "null", "null", "\"\"", "\"null\""][self.random.below(5)];
        while left.iter().any(|deltas| !deltas.is_empty()) {
            let index = self.random.below(count);
            let Some(delta) = left[index].pop() else {
                continue;
            };
            let text = self.quoted(&delta);
            let last = if left[index].is_empty() && self.random.one_in(2) {
                "\"length\""
            } else {
                every
            };
            let hidden = self.obfuscation();
            let delta = match kind {
                0 if has_twin => format!(r#""text":{text},"delta":{{"content":{text}}}"#),
                0 if repeats => {
                    format!(r#""message":{{"content":{text}}},"delta":{{"content":{text}}}"#)
                }
                0 => format!(r#""delta":{{"content":{text}}}"#),
                1 => format!(r#""text":{text}"#),
                2 => format!(r#""delta":{{"refusal":{text}}}"#),
                _ => format!(r#""delta":{{"content":[{{"type":"text","text":{text}}}]}}"#),
            };
            if kind == 0 && self.interrupts(12) {
                let between = self.random.pick(&[
                    r#""delta":{"reasoning_content":"hm [substrate"},"finish_reason":null"#,
                    r#""delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":null"#,
                    r#""delta":{"refusal":"No [substrate.grep] so. [sub"},"finish_reason":null"#,
                    r#""delta":{},"finish_reason":"length""#,
                ]);
                self.events.push(format!(
                    r#"{{{head},"choices":[{{"index":{index},{between}}}]}}"#
                ));
            }
            self.events.push(match self.random.below(2) {
                0 => format!(
                    r#"{{{head},"choices":[{{"index":{index},{delta},"finish_reason":{last}}}]{hidden}}}"#
                ),
                _ => format!(
                    r#"{{"choices":[{{"finish_reason":{last},{delta},"index":{index}}}],{head}}}"#
                ),
            });
        }
        for index in 0..count {
            if kind != 1 && self.random.one_in(4) {
                self.events.push(format!(
                    r#"{{{head},"choices":[{{"index":{index},"delta":{{"tool_calls":[{{"index":0,"id":"t","function":{{"name":"f","arguments":"[substrate.grep]"}}}}]}},"finish_reason":null}}]}}"#
                ));
            }
            self.events.push(format!(
                r#"{{{head},"choices":[{{"index":{index},"delta":{{}},"finish_reason":"stop"}}]}}"#
            ));
        }
        self.events.push(format!(
            r#"{{{head},"choices":[],"usage":{{"total_tokens":3}}}}"#
        ));
        self.events.push("[DONE]".into());
    }

    fn responses(&mut self) {
        let whole = self.text();
        let mut sequence = 0;
        let mut event = |event: String| {
            sequence += 1;
            format!(r#"{{{event},"sequence_number":{sequence}}}"#)
        };
        let place = r#""item_id":"i","output_index":1,"content_index":0"#;
        let mut deltas = self.cut(&whole);
        let count = deltas.len();
        if self.random.one_in(3) {
            let text = json!(deltas.remove(0));
            self.events.push(event(match self.random.below(2) {
                0 => format!(
                    r#""type":"response.content_part.added",{place},"part":{{"type":"output_text","text":{text}}}"#
                ),
                _ => format!(
                    r#""type":"response.output_item.added","output_index":1,"item":{{"type":"message","content":[{{"type":"output_text","text":{text}}}]}}"#
                ),
            }));
        }
        // vLLM counts deltas; GitHub Copilot sends another identifier with each event.
        let has_initial = deltas.len() < count;
        let counts = !has_initial && self.interrupts(5);
        let changes = self.random.one_in(5);
        if counts {
            self.events.push(event(format!(
                r#""type":"response.content_part.added",{place},"part":{{"type":"output_text","text":""}}"#
            )));
        }
        let place_of = |number: usize| match (counts, changes) {
            (true, _) => place.replace(
                r#""content_index":0"#,
                &format!(r#""content_index":{}"#, number + 1),
            ),
            (_, true) => place.replace(r#""i""#, &format!(r#""i{number}""#)),
            _ => place.to_owned(),
        };
        for (number, delta) in deltas.into_iter().enumerate() {
            let place = place_of(number);
            let text = self.quoted(&delta);
            self.events.push(event(format!(
                r#""type":"response.output_text.delta",{place},"delta":{text},"logprobs":[]"#
            )));
        }
        let text = json!(whole.iter().collect::<String>());
        if !self.random.one_in(4) {
            self.events.push(event(format!(
                r#""type":"response.output_text.done",{place},"text":{text}"#
            )));
        }
        let part = format!(r#"{{"type":"output_text","text":{text},"annotations":[]}}"#);
        self.events.push(event(format!(
            r#""type":"response.content_part.done",{place},"part":{part}"#
        )));
        if self.random.one_in(3) {
            self.events.push(event(
                r#""type":"response.function_call_arguments.delta","item_id":"f","output_index":2,"delta":"{}""#.into(),
            ));
        }
        let output = format!(
            r#"[{{"type":"reasoning","summary":[]}},{{"type":"message","content":[{part}]}}]"#
        );
        self.events.push(event(format!(
            r#""type":"response.completed","response":{{"output":{output},"usage":{{"total_tokens":3}}}}"#
        )));
    }

    fn anthropic(&mut self) {
        self.events.push(
            r#"{"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}"#
                .into(),
        );
        let (blocks, is_parallel) = self.blocks();
        let mut texts = Vec::new();
        for index in 0..blocks {
            let whole = self.text();
            let mut events = vec![format!(
                r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"text","text":""}}}}"#
            )];
            for delta in self.cut(&whole) {
                if self.random.one_in(40) {
                    events.push(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#.into());
                }
                if self.random.one_in(20) {
                    events.push(r#"{"type":"ping"}"#.into());
                }
                let text = self.quoted(&delta);
                events.push(match self.random.below(2) {
                    0 => format!(r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":{text}}}}}"#),
                    _ => format!(r#"{{"delta":{{"text":{text},"type":"text_delta"}},"index":{index},"type":"content_block_delta"}}"#),
                });
            }
            events.push(format!(
                r#"{{"type":"content_block_stop","index":{index}}}"#
            ));
            texts.push(events);
        }
        self.weave(texts, is_parallel);
        if self.random.one_in(3) {
            self.events.push(format!(
                r#"{{"type":"content_block_start","index":{blocks},"content_block":{{"type":"tool_use","id":"t","name":"f","input":{{}}}}}}"#
            ));
            self.events.push(format!(
                r#"{{"type":"content_block_delta","index":{blocks},"delta":{{"type":"input_json_delta","partial_json":"{{}}"}}}}"#
            ));
            self.events.push(format!(
                r#"{{"type":"content_block_stop","index":{blocks}}}"#
            ));
        }
        self.events.push(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#.into());
        self.events.push(r#"{"type":"message_stop"}"#.into());
    }

    fn gemini(&mut self) {
        let count = 1 + self.random.below(2);
        for index in 0..count {
            let whole = self.text();
            let deltas = self.cut(&whole);
            let last = deltas.len() - 1;
            for (place, delta) in deltas.iter().enumerate() {
                let text = self.quoted(delta);
                let mut parts = format!(r#"{{"text":{text}}}"#);
                if self.interrupts(6) {
                    parts += self.random.pick(&[
                        r#",{"text":"hm [substrate.grep]","thought":true}"#,
                        r#",{"toolCall":{"toolType":"google_search","args":{}}}"#,
                        r#",{"toolResponse":{"response":{}}}"#,
                        r#",{"newPart":{"a":[1,{"b":2}]}}"#,
                        r#",{"thoughtSignature":"c2ln"}"#,
                    ]);
                }
                if place == last && self.random.one_in(3) {
                    parts += r#",{"functionCall":{"name":"f","args":{}}}"#;
                }
                let mut finish = String::new();
                if place == last {
                    finish += r#","finishReason":"STOP""#;
                    if let Some((start, end)) = self.passage(&whole) {
                        let bytes = |upto: usize| -> usize {
                            whole[..upto].iter().map(|char| char.len_utf8()).sum()
                        };
                        let cited = json!(whole[start..end].iter().collect::<String>());
                        finish += &format!(
                            r#","groundingMetadata":{{"groundingSupports":[{{"segment":{{"startIndex":{},"endIndex":{},"text":{cited}}}}}]}}"#,
                            bytes(start),
                            bytes(end)
                        );
                    }
                }
                self.events.push(format!(
                    r#"{{"candidates":[{{"content":{{"parts":[{parts}],"role":"model"}}{finish},"index":{index}}}],"usageMetadata":{{"totalTokenCount":{place}}},"modelVersion":"g"}}"#
                ));
            }
        }
    }

    fn ollama(&mut self) {
        let whole = self.text();
        let is_chat = self.random.one_in(2);
        for delta in self.cut(&whole) {
            let text = self.quoted(&delta);
            let time = self.random.below(20);
            if self.random.one_in(40) {
                self.events.push(r#"{"model":"m","created_at":"t","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#.into());
            }
            self.events.push(match is_chat {
                true => format!(r#"{{"model":"m","created_at":"{time}","message":{{"role":"assistant","content":{text}}},"done":false}}"#),
                false => format!(r#"{{"model":"m","created_at":"{time}","response":{text},"done":false}}"#),
            });
        }
        self.events.push(match is_chat {
            true => r#"{"model":"m","created_at":"t","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#.into(),
            false => r#"{"model":"m","created_at":"t","response":"","done":true,"done_reason":"stop"}"#.into(),
        });
    }

    fn cohere(&mut self) {
        self.events.push(
            r#"{"type":"message-start","id":"c","delta":{"message":{"role":"assistant"}}}"#.into(),
        );
        let whole = self.text();
        self.events.push(r#"{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}"#.into());
        for delta in self.cut(&whole) {
            if self.random.one_in(40) {
                self.events
                    .push(r#"{"type":"content-end","index":0}"#.into());
            }
            let text = self.quoted(&delta);
            self.events.push(format!(
                r#"{{"type":"content-delta","index":0,"delta":{{"message":{{"content":{{"text":{text}}}}}}}}}"#
            ));
        }
        if let Some((start, end)) = self.passage(&whole) {
            let cited = json!(whole[start..end].iter().collect::<String>());
            self.events.push(format!(
                r#"{{"type":"citation-start","index":0,"delta":{{"message":{{"citations":{{"start":{start},"end":{end},"text":{cited},"content_index":0}}}}}}}}"#
            ));
        }
        if !self.random.one_in(4) {
            self.events
                .push(r#"{"type":"content-end","index":0}"#.into());
        }
        if self.random.one_in(3) {
            self.events.push(r#"{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"t","function":{"name":"f","arguments":""}}}}}"#.into());
            self.events.push(r#"{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{}"}}}}}"#.into());
        }
        self.events.push(r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"output_tokens":3}}}}"#.into());
    }

    fn interactions(&mut self) {
        let names = match self.random.below(3) {
            0 => ["content", "interaction.complete"],
            _ => ["step", "interaction.completed"],
        };
        let [name, last] = names;
        self.events.push(r#"{"interaction":{"id":"v1_1","status":"in_progress","object":"interaction"},"event_type":"interaction.created"}"#.into());
        let mut index = 0;
        if self.random.one_in(2) {
            self.events.push(format!(r#"{{"index":0,"delta":{{"type":"thought_summary","content":{{"type":"text","text":"hm [substrate.grep]"}}}},"event_type":"{name}.delta"}}"#));
            self.events
                .push(format!(r#"{{"index":0,"event_type":"{name}.stop"}}"#));
            index = 1;
        }
        let whole = self.text();
        let start = match name {
            "step" => r#""step":{"type":"model_output"}"#,
            _ => r#""content":{"type":"text"}"#,
        };
        self.events.push(format!(
            r#"{{"index":{index},{start},"event_type":"{name}.start"}}"#
        ));
        for delta in self.cut(&whole) {
            let text = self.quoted(&delta);
            self.events.push(match self.random.below(2) {
                0 => format!(r#"{{"index":{index},"delta":{{"type":"text","text":{text}}},"event_type":"{name}.delta"}}"#),
                _ => format!(r#"{{"event_type":"{name}.delta","delta":{{"text":{text},"type":"text"}},"index":{index}}}"#),
            });
        }
        if !self.random.one_in(4) {
            self.events
                .push(format!(r#"{{"index":{index},"event_type":"{name}.stop"}}"#));
        }
        self.events.push(format!(r#"{{"interaction":{{"id":"v1_1","status":"completed","object":"interaction","usage":{{"total_tokens":3}}}},"event_type":"{last}"}}"#));
    }

    fn mistral(&mut self) {
        self.events
            .push(r#"{"type":"conversation.response.started","conversation_id":"conv_1"}"#.into());
        let whole = self.text();
        let mut part = 0;
        for delta in self.cut(&whole) {
            let text = self.quoted(&delta);
            let content = match self.random.below(3) {
                0 => format!(r#"{{"type":"text","text":{text}}}"#),
                _ => text,
            };
            if self.interrupts(6) {
                self.events.push(format!(r#"{{"type":"message.output.delta","output_index":0,"id":"msg_1","content_index":{part},"role":"assistant","content":{{"type":"tool_reference","tool":"web_search","title":"[substrate.grep]"}}}}"#));
                part += 1;
            }
            self.events.push(format!(r#"{{"type":"message.output.delta","created_at":"t","output_index":0,"id":"msg_1","content_index":{part},"model":"m","role":"assistant","content":{content}}}"#));
        }
        if self.random.one_in(3) {
            self.events.push(r#"{"type":"function.call.delta","output_index":1,"id":"fc_1","name":"f","tool_call_id":"t","arguments":"{\"q\":\"[substrate.grep]\"}"}"#.into());
        }
        self.events
            .push(r#"{"type":"conversation.response.done","usage":{"total_tokens":3}}"#.into());
    }

    fn llama_cpp(&mut self) {
        let count = 1 + self.random.below(2);
        for index in 0..count {
            let whole = self.text();
            for delta in self.cut(&whole) {
                let text = self.quoted(&delta);
                self.events.push(match self.random.below(2) {
                    0 => format!(r#"{{"index":{index},"content":{text},"tokens":[1,2],"stop":false,"id_slot":0,"tokens_predicted":2}}"#),
                    _ => format!(r#"{{"stop":false,"content":{text},"index":{index}}}"#),
                });
            }
            self.events.push(format!(r#"{{"index":{index},"content":"","stop":true,"stop_type":"eos","prompt":"[substrate.grep]","timings":{{"predicted_n":3}}}}"#));
        }
    }

    fn tgi(&mut self) {
        let whole = self.text();
        let deltas = self.cut(&whole);
        let last = deltas.len() - 1;
        let ends_special = self.random.one_in(2);
        let whole = json!(whole.iter().collect::<String>());
        let end = format!(
            r#""generated_text":{whole},"details":{{"finish_reason":"length","generated_tokens":3,"seed":null}}"#
        );
        for (place, delta) in deltas.iter().enumerate() {
            let text = self.quoted(delta);
            let rest = match place == last && !ends_special {
                true => &end,
                false => r#""generated_text":null,"details":null"#,
            };
            self.events.push(format!(r#"{{"index":{place},"token":{{"id":{place},"text":{text},"logprob":-0.5,"special":false}},{rest}}}"#));
        }
        if ends_special {
            self.events.push(format!(r#"{{"index":{},"token":{{"id":2,"text":"</s>","logprob":-0.5,"special":true}},{end}}}"#, last + 1));
        }
    }

    fn bedrock(&mut self) {
        self.events
            .push(r#"{"messageStart":{"role":"assistant"}}"#.into());
        let (blocks, is_parallel) = self.blocks();
        let mut texts = Vec::new();
        for index in 0..blocks {
            let whole = self.text();
            let mut events = Vec::new();
            for delta in self.cut(&whole) {
                let text = self.quoted(&delta);
                events.push(match self.random.below(2) {
                    0 => format!(r#"{{"contentBlockDelta":{{"delta":{{"text":{text}}},"contentBlockIndex":{index}}}}}"#),
                    _ => format!(r#"{{"contentBlockDelta":{{"contentBlockIndex":{index},"delta":{{"text":{text}}}}}}}"#),
                });
            }
            events.push(format!(
                r#"{{"contentBlockStop":{{"contentBlockIndex":{index}}}}}"#
            ));
            texts.push(events);
        }
        self.weave(texts, is_parallel);
        if self.random.one_in(3) {
            self.events.push(format!(r#"{{"contentBlockStart":{{"start":{{"toolUse":{{"toolUseId":"t","name":"f"}}}},"contentBlockIndex":{blocks}}}}}"#));
            self.events.push(format!(r#"{{"contentBlockDelta":{{"delta":{{"toolUse":{{"input":"{{}}"}}}},"contentBlockIndex":{blocks}}}}}"#));
            self.events.push(format!(
                r#"{{"contentBlockStop":{{"contentBlockIndex":{blocks}}}}}"#
            ));
        }
        self.events
            .push(r#"{"messageStop":{"stopReason":"end_turn"}}"#.into());
        self.events
            .push(r#"{"metadata":{"usage":{"totalTokens":3}}}"#.into());
    }

    /// Adds parts of reasoning that are open one after the other, or in parallel.
    fn vercel_reasoning(&mut self) {
        let mut parts = Vec::new();
        for part in 0..1 + self.random.below(3) {
            let whole = self.text();
            let mut events = vec![format!(r#"{{"type":"reasoning-start","id":"r{part}"}}"#)];
            for delta in self.cut(&whole) {
                let text = self.quoted(&delta);
                events.push(format!(
                    r#"{{"type":"reasoning-delta","id":"r{part}","delta":{text}}}"#
                ));
            }
            events.push(format!(r#"{{"type":"reasoning-end","id":"r{part}"}}"#));
            parts.push(events);
        }
        let is_parallel = self.random.one_in(2);
        self.weave(parts, is_parallel);
    }

    fn vercel(&mut self) {
        self.events
            .push(r#"{"type":"start","messageId":"m"}"#.into());
        self.events.push(r#"{"type":"start-step"}"#.into());
        if !self.is_for_gate() && self.random.one_in(4) {
            self.vercel_reasoning();
        }
        let parts = 1 + self.random.below(3);
        let is_parallel = self.random.one_in(3);
        let mut left: Vec<Vec<String>> = Vec::new();
        for part in 0..parts {
            let whole = self.text();
            let mut events = vec![format!(r#"{{"type":"text-start","id":"t{part}"}}"#)];
            for delta in self.cut(&whole) {
                let text = self.quoted(&delta);
                events.push(match self.random.below(2) {
                    0 => format!(r#"{{"type":"text-delta","id":"t{part}","delta":{text}}}"#),
                    _ => format!(r#"{{"id":"t{part}","delta":{text},"type":"text-delta"}}"#),
                });
                if self.interrupts(40) {
                    events.push(events[0].clone());
                }
                if self.interrupts(25) {
                    events.push(
                        self.random
                            .pick(&[
                                r#"{"type":"source-url","sourceId":"s","url":"u"}"#,
                                r#"{"type":"data-new","data":{}}"#,
                                r#"{"type":"data-new","data":{},"transient":true}"#,
                                r#"{"type":"tool-output-available","toolCallId":"c","output":{}}"#,
                                r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":""}"#,
                                r#"{"type":"new-part","id":"n"}"#,
                                r#"{"type":"message-metadata","messageMetadata":{}}"#,
                            ])
                            .to_owned(),
                    );
                }
            }
            events.push(format!(r#"{{"type":"text-end","id":"t{part}"}}"#));
            left.push(events);
        }
        self.weave(left, is_parallel);
        if self.random.one_in(3) {
            self.events
                .push(r#"{"type":"tool-input-start","toolCallId":"c","toolName":"f"}"#.into());
            self.events.push(
                r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{}"}"#.into(),
            );
        }
        self.events.push(r#"{"type":"finish-step"}"#.into());
        self.events.push(r#"{"type":"finish"}"#.into());
        self.events.push("[DONE]".into());
    }

    /// Generates the events of a response.
    pub(super) fn fill(&mut self, format: Format) {
        match format {
            Format::OpenAiChat => {
                let kind = self.random.below(4);
                self.chat(kind);
            }
            Format::OpenAiResponses => self.responses(),
            Format::Anthropic => self.anthropic(),
            Format::Gemini => self.gemini(),
            Format::Ollama => self.ollama(),
            Format::Cohere => self.cohere(),
            Format::GeminiInteractions => self.interactions(),
            Format::MistralConversations => self.mistral(),
            Format::LlamaCpp => self.llama_cpp(),
            Format::Tgi => self.tgi(),
            Format::BedrockConverse => self.bedrock(),
            Format::VercelUi => self.vercel(),
            other => panic!("{other}"),
        }
    }

    /// Joins the events in one of the framings of the format.
    pub(super) fn join(self, format: Format) -> Vec<u8> {
        let end = self.random.pick(&["\n", "\n", "\r\n", "\r"]);
        let mut out = String::new();
        let is_lines = format == Format::BedrockConverse && self.random.one_in(3);
        if format == Format::Ollama || is_lines {
            return (self.events.join("\n") + "\n").into_bytes();
        }
        if format == Format::Gemini && self.random.one_in(3) {
            return format!("[{}\n]\n", self.events.join("\n,\r\n")).into_bytes();
        }
        for event in &self.events {
            if event.starts_with("error:") || event.starts_with("event:") {
                out += &format!("{}{end}{end}", event.replace('\n', end));
                continue;
            }
            match self.random.below(12) {
                0 => out += &format!(": keep-alive{end}{end}"),
                // Lines of the event itself, in which a client finds nothing.
                1 if self.is_for_gate() => out += &format!(": ж{end}"),
                2 if self.is_for_gate() => out += &format!("note: ж{end}"),
                _ => {}
            }
            match event.split_once(",\"") {
                // Between members of the event itself.
                Some((head, tail)) if head.rfind('{') == Some(0) && self.random.one_in(20) => {
                    out += &format!("data: {head},{end}data: \"{tail}{end}{end}");
                }
                _ => out += &format!("data: {event}{end}{end}"),
            }
        }
        if self.random.one_in(8) {
            out.truncate(out.trim_end().len());
        }
        out.into_bytes()
    }
}

/// Generates a response of a format from a seed.
pub fn stream(format: Format, seed: u64) -> Vec<u8> {
    drawn(format, &mut Random::new(seed))
}

/// Generates a response of a format from choices.
pub fn drawn(format: Format, random: &mut Random) -> Vec<u8> {
    stream_of(format, random, Sentences::Any)
}

/// Generates a response with markers of citations in its texts.
pub fn cited(format: Format, seed: u64) -> Vec<u8> {
    stream_of(format, &mut Random::new(seed), Sentences::Cited)
}

/// Generates a response of numbered sentences with markers of citations.
pub fn cited_sentences(format: Format, seed: u64) -> Vec<u8> {
    stream_of(format, &mut Random::new(seed), Sentences::NumberedCited(0))
}

fn stream_of(format: Format, random: &mut Random, sentences: Sentences) -> Vec<u8> {
    let mut stream = Stream::new(random, sentences);
    stream.fill(format);
    stream.join(format)
}
