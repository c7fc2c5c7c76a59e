//! JSON documents for the benches.

use std::fmt;

use provstream::{Mode, Parser};

/// Length of a document in bytes, at least.
const LENGTH: usize = 1 << 20;

const WORDS: &str = "the service reads every record once and keeps what the next stage needs while older entries \
    are written to disk so that a restart finds them again after an update of the index which takes a few seconds";

const CLASSES: [&str; 4] = [
    "substrate.code.read",
    "substrate.grep",
    "substrate.git.log",
    "unverified-inference",
];

/// Arrangement of the objects in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// In one array, without white space.
    Compact,
    /// In one array, indented by two spaces.
    Pretty,
    /// One object per line.
    Lines,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compact => "JSON",
            Self::Pretty => "indented JSON",
            Self::Lines => "NDJSON",
        })
    }
}

/// Asserted objects of about 300 bytes each without white space.
pub(crate) struct Document {
    /// Arrangement of the objects.
    pub(crate) layout: Layout,
    /// The document.
    pub(crate) bytes: Vec<u8>,
    /// Number of objects.
    pub(crate) objects: usize,
}

impl Document {
    /// The document in this layout; always the same.
    pub(crate) fn new(layout: Layout) -> Self {
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        let mut objects = 0;
        let mut bytes = Vec::with_capacity(LENGTH + 1024);
        while bytes.len() < LENGTH {
            let compact = object(&mut random, objects);
            let text = if layout == Layout::Pretty {
                indented(&compact)
            } else {
                compact
            };
            let before = match (layout, objects) {
                (Layout::Compact, 0) => "[",
                (Layout::Compact, _) => ",",
                (Layout::Pretty, 0) => "[\n",
                (Layout::Pretty, _) => ",\n",
                (Layout::Lines, 0) => "",
                (Layout::Lines, _) => "\n",
            };
            bytes.extend_from_slice(before.as_bytes());
            bytes.extend_from_slice(text.as_bytes());
            objects += 1;
        }
        bytes.extend_from_slice(match layout {
            Layout::Compact => b"]",
            Layout::Pretty => b"\n]\n",
            Layout::Lines => b"\n",
        });
        let mean = bytes.len() / objects;
        assert!(
            layout == Layout::Pretty || (280..=320).contains(&mean),
            "{mean} bytes an object"
        );
        Self {
            layout,
            bytes,
            objects,
        }
    }

    /// A parser in the mode for this document.
    pub(crate) fn parser(&self) -> Parser {
        let mode = match self.layout {
            Layout::Compact | Layout::Pretty => Mode::Json,
            Layout::Lines => Mode::Ndjson,
        };
        Parser::builder().mode(mode).build()
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// An asserted object with an assertion of about 90 bytes, which has an escape in one of four.
fn object(random: &mut Random, index: usize) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut assertion = String::from("The");
    while assertion.len() < 84 {
        assertion.push(' ');
        assertion.push_str(words[random.below(words.len())]);
    }
    match random.below(8) {
        0 => assertion.push_str(r#" \"now\""#),
        1 => assertion.push_str(r"\ndone"),
        _ => {}
    }
    let mut hash = String::new();
    for _ in 0..8 {
        hash.push_str(&format!("{:08x}", random.below(1 << 32)));
    }
    format!(
        r#"{{"id":{},"assertion":"{assertion}.","provenance":{{"substrate_class":"{}","observation_id":"sha256:{hash}","ts":"2026-05-28T{:02}:{:02}:{:02}Z"}},"line":{},"weight":0.{}}}"#,
        1_000_000 + index,
        CLASSES[random.below(CLASSES.len())],
        random.below(24),
        random.below(60),
        random.below(60),
        random.below(10_000),
        random.below(100),
    )
}

/// The object as an element of an indented array.
fn indented(object: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(object).expect("JSON");
    let text = serde_json::to_string_pretty(&value).expect("a value that can be written");
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}
