//! What a model answers, whatever the format it is sent in.

use serde_json::{Value, json};
use testkit::wire::generate::Random;

const SENTENCES: [&str; 16] = [
    "The build is green.",
    "Grüße aus Köln!",
    "All 212 tests pass; two are slow.",
    "הבנייה ירוקה.",
    "اكتمل البناء.",
    "Deploy it 🚀👩‍💻.",
    "构建成功。",
    "Cafe\u{301} au lait.",
    "See [the log](https://ci.example/7) for it.",
    "Run `cargo test [all]` first.",
    "He said “no”.",
    "Version 1.4 [1] is out.",
    "C:\\temp has \"quotes\".",
    "नमस्ते दुनिया।",
    "A \u{2028} separator.",
    "| a | b |",
];

/// A range of a text, in characters, that something is cited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cited {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A block of text and what is cited for it.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) text: String,
    pub(crate) cited: Vec<Cited>,
}

impl Block {
    fn draw(random: &mut Random) -> Self {
        let (mut text, mut cited) = (String::new(), Vec::new());
        for sentence in 0..1 + random.below(4) {
            if sentence > 0 {
                text += [" ", " ", "\n", "\n\n"][random.below(4)];
            }
            let start = text.chars().count();
            text += SENTENCES[random.below(SENTENCES.len())];
            if random.one_in(3) {
                let end = text.chars().count();
                cited.push(Cited { start, end });
            }
        }
        Self { text, cited }
    }

    /// The words that are cited.
    pub(crate) fn quote(&self, cited: Cited) -> String {
        let chars = self.text.chars().skip(cited.start);
        chars.take(cited.end - cited.start).collect()
    }

    /// The same range in bytes.
    pub(crate) fn bytes(&self, cited: Cited) -> (usize, usize) {
        let byte = |place: usize| {
            let mut chars = self.text.char_indices();
            chars.nth(place).map_or(self.text.len(), |(byte, _)| byte)
        };
        (byte(cited.start), byte(cited.end))
    }

    /// The text in random pieces.
    pub(crate) fn deltas(&self, random: &mut Random) -> Vec<String> {
        pieces(&self.text, random)
    }
}

/// One of the answers to a question.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) reasoning: Option<String>,
    pub(crate) blocks: Vec<Block>,
    /// The text is a refusal.
    pub(crate) refuses: bool,
    /// Names of tools, and their arguments.
    pub(crate) calls: Vec<(String, Value)>,
    /// Ended because of its length.
    pub(crate) is_cut: bool,
}

impl Choice {
    fn draw(random: &mut Random) -> Self {
        let reasoning = random.one_in(3);
        let calls = [0, 0, 0, 1, 2][random.below(5)];
        Self {
            reasoning: reasoning.then(|| "Let me look [substrate.grep]. Ja, 😀.".into()),
            blocks: (0..1 + random.below(3))
                .map(|_| Block::draw(random))
                .collect(),
            refuses: calls == 0 && random.one_in(6),
            calls: (0..calls)
                .map(|call| {
                    let arguments = json!({"q": "[substrate.grep] naïve", "n": call});
                    (format!("look_up_{call}"), arguments)
                })
                .collect(),
            is_cut: calls == 0 && random.one_in(5),
        }
    }

    /// All blocks as one.
    pub(crate) fn joined(&self) -> Block {
        let mut joined = Block {
            text: String::new(),
            cited: Vec::new(),
        };
        for block in &self.blocks {
            if !joined.text.is_empty() {
                joined.text.push(' ');
            }
            let shift = joined.text.chars().count();
            joined.text += &block.text;
            joined.cited.extend(block.cited.iter().map(|cited| Cited {
                start: cited.start + shift,
                end: cited.end + shift,
            }));
        }
        joined
    }

    /// Why it ended, in a provider's words for a tool call, for its length, and otherwise.
    pub(crate) fn finish(&self, [call, cut, stop]: [&'static str; 3]) -> &'static str {
        match (self.calls.is_empty(), self.is_cut) {
            (false, _) => call,
            (true, true) => cut,
            (true, false) => stop,
        }
    }
}

/// What a model answers.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) choices: Vec<Choice>,
    pub(crate) random: Random,
}

impl Answer {
    /// An answer of at most this many choices; the same seed gives the same answer.
    pub(crate) fn draw(seed: u64, choices: usize) -> Self {
        let mut random = Random::new(seed);
        let count = 1 + random.below(choices);
        Self {
            choices: (0..count).map(|_| Choice::draw(&mut random)).collect(),
            random,
        }
    }

    /// The only choice, or the first.
    pub(crate) fn first(&self) -> Choice {
        self.choices[0].clone()
    }
}

/// A text in random pieces of whole characters, sometimes with an empty one between.
pub(crate) fn pieces(text: &str, random: &mut Random) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut rest = &chars[..];
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let len = [1, 2, 4, 9, 30][random.below(5)].min(rest.len());
        let (piece, later) = rest.split_at(len);
        pieces.push(piece.iter().collect());
        rest = later;
        if random.one_in(12) {
            pieces.push(String::new());
        }
    }
    pieces
}
