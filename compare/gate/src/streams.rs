//! Generated answers with planted inadmissible sentences, in pieces like models' tokens.

use std::ops::Range;

/// A sentence of a stream.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Bytes of the stream.
    pub raw: Range<usize>,
    /// Bytes of the text without annotations.
    pub clean: Range<usize>,
    /// `true` if it is annotated as inference, so that it must not be delivered.
    pub inadmissible: bool,
}

/// An answer as a model writes it.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// The answer with its annotations.
    pub raw: String,
    /// The sentences, in order.
    pub sentences: Vec<Sentence>,
    clean_len: usize,
}

const WORDS: &[&str] = &[
    "the",
    "build",
    "is",
    "green",
    "and",
    "all",
    "tests",
    "pass",
    "on",
    "every",
    "platform",
    "that",
    "we",
    "support",
    "because",
    "configuration",
    "was",
    "changed",
    "yesterday",
    "by",
    "release",
    "engineer",
    "who",
    "reviewed",
    "it",
    "with",
    "care",
    "service",
    "answers",
    "requests",
    "within",
    "its",
    "budget",
    "although",
    "memory",
    "grows",
    "slowly",
    "after",
    "deployment",
    "documentation",
    "describes",
    "how",
    "clients",
    "should",
    "retry",
    "when",
    "connections",
    "close",
    "unexpectedly",
];

const CLASSES: &[&str] = &[
    "substrate.grep",
    "substrate.code.read",
    "substrate.git.log",
    "substrate.fs.mtime",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

impl Stream {
    /// Generates an answer of 4 to 40 sentences. About one sentence in seven is inadmissible, and one in four has no annotation.
    #[must_use]
    pub fn generate(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let mut stream = Self::default();
        for index in 0..4 + random.below(37) {
            if index > 0 {
                let separator = ["\n\n", "\n- ", " ", " ", " ", " ", " ", " "][random.below(8)];
                stream.text(separator);
            }
            let (raw, clean) = (stream.raw.len(), stream.clean_len);
            let sentence = sentence(&mut random);
            stream.text(&sentence);
            let inadmissible = random.one_in(7);
            let (raw, clean) = (raw..stream.raw.len(), clean..stream.clean_len);
            stream.sentences.push(Sentence {
                raw,
                clean,
                inadmissible,
            });
            stream.annotate(inadmissible, &mut random);
        }
        stream
    }

    fn text(&mut self, text: &str) {
        self.raw += text;
        self.clean_len += text.len();
    }

    fn annotate(&mut self, inadmissible: bool, random: &mut Random) {
        let observations = match (inadmissible, random.below(4)) {
            (true, 0) => 1,
            (true, _) | (false, 0) => 0,
            (false, 1) => 2,
            (false, _) => 1,
        };
        if inadmissible || observations > 0 {
            self.raw += " ";
        }
        for _ in 0..observations {
            let class = CLASSES[random.below(CLASSES.len())];
            let (word, line) = (WORDS[random.below(WORDS.len())], random.below(900));
            self.raw +=
                &format!("[{class}; observation-id=src/{word}.rs:{line}; ts=2026-05-28T11:40:00Z]");
        }
        if inadmissible {
            self.raw += "[unverified-inference]";
        }
    }

    /// Splits the stream into pieces like models' tokens: at most a word with the space before it, long words in parts, digits in
    /// groups of three, punctuation by itself.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        let mut rest = &*self.raw;
        std::iter::from_fn(move || {
            let (token, later) = rest.split_at(token_len(rest.as_bytes())?);
            rest = later;
            Some(token)
        })
    }
}

fn sentence(random: &mut Random) -> String {
    let words = match random.below(8) {
        0 => 24 + random.below(40),
        _ => 3 + random.below(18),
    };
    let mut text = String::new();
    for index in 0..words {
        let word = WORDS[random.below(WORDS.len())];
        if index == 0 {
            text.extend(word.chars().next().map(|first| first.to_ascii_uppercase()));
            text += &word[1..];
        } else {
            text += if random.one_in(9) { ", " } else { " " };
            text += word;
        }
    }
    text + "."
}

fn token_len(rest: &[u8]) -> Option<usize> {
    let (&first, _) = rest.split_first()?;
    let start = usize::from(first == b' ' && rest.len() > 1);
    let run = |is: fn(&u8) -> bool| rest[start..].iter().take_while(|byte| is(byte)).count();
    let letters = run(u8::is_ascii_alphabetic);
    let digits = run(u8::is_ascii_digit);
    Some(match (letters, digits) {
        (1..=7, _) => start + letters,
        (8.., _) => start + 5,
        (0, 1..) => start + digits.min(3),
        (0, 0) if rest.starts_with(b"\n\n") => 2,
        (0, 0) => start + 1,
    })
}
