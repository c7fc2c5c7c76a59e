//! Seeded generator of free text from fragments that the grammar treats specially; equal seeds give
//! equal inputs on every platform.

use super::{RefLimits, Segment};

/// `SplitMix64` pseudo-random generator.
pub(super) struct Random {
    state: u64,
    /// Numbers to draw before random ones, in reverse order.
    chosen: Vec<u8>,
}

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        let chosen = Vec::new();
        Self {
            state: seed,
            chosen,
        }
    }

    /// Creates a generator that draws the `choices` first, then the numbers of seed 0.
    pub(super) fn chosen(choices: &[u8]) -> Self {
        Self {
            state: 0,
            chosen: choices.iter().rev().copied().collect(),
        }
    }

    /// Draws 64 bits, or a chosen number.
    fn next(&mut self) -> u64 {
        if let Some(choice) = self.chosen.pop() {
            return choice.into();
        }
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Draws a number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // The remainder is below a usize, so nothing is lost.
        (self.next() % bound as u64) as usize
    }

    /// Draws `true` with a probability of one in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Draws one of the `choices`.
    pub(super) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// Identifiers: known, unknown, with every kind of anchor, and ones that start no candidate
/// annotation on their own. Valid annotations use the first five.
const IDENTIFIERS: &[&str] = &[
    "substrate.code.read",
    "substrate.grep",
    "substrate.do.sse-count",
    "unverified-inference",
    "decayed-to-uncertainty",
    "Substrate.Grep",
    "UNVERIFIED-INFERENCE",
    "substrate.new_one",
    "substrate.",
    "substrate",
    "1.0.substrate.grep",
    "1.0.substrate.other",
    "1.1.substrate.grep",
    "2.0.substrate.grep",
    "01.0.substrate.grep",
    "1.00.unverified-inference",
    "99999999999999999999999.0.substrate.grep",
    "0.9.note",
    "note",
    "x-y_z.q1",
];

/// Parameters, valid and invalid, known and unknown. Valid annotations use the first 17.
const PARAMETERS: &[&str] = &[
    "observation-id=sha256:e3b0",
    "observation_id=\"a b; c] [d\"",
    "observation-id=\"q\\\"u\\\\o\"",
    "observation-id = caf\u{e9} \u{1F600} ",
    "observation-id=\u{2014}",
    "observation-id=a`b``c",
    "observation-id=\"|a|\"",
    "ts=2026-05-28T11:40:00Z",
    "ts=2026-05-28t11:40:00.125+02:00",
    "ts=\"2024-02-29T00:00:00z\"",
    "ts=2016-12-31T23:59:60Z",
    "ts=2017-01-01T00:59:60+01:00",
    "ts=2026-02-29T11:40:00Z",
    "ts=yesterday",
    "ts = 2026-05-28 11:40:00Z",
    "x=1",
    "x.y-z_=a=b\"c",
    // From here on an annotation can be malformed or stay open.
    "TS=1",
    "path=C:\\dir\\",
    "x=\"\"",
    "x=",
    "x",
    "",
    "x = ",
    "x=\"open",
    "x=\"bad\\n\"",
    "x=a[b",
];

/// White space within an annotation. Valid annotations use the first five entries.
const INNER_SPACE: &[&str] = &["", "", " ", "\n ", "\r\n\t", "  ", "\n\n", "\n> "];

/// Ends of an annotation. Valid annotations use the first seven, the others are malformed or leave
/// the annotation open.
const ENDS: &[&str] = &[
    "]", "]", "]", "]", "]", "]", ";]", "; ]", ";;]", " word]", "", "\n\n", "[",
];

/// Sentences and words of several languages, some of them hard to split.
const PROSE: &[&str] = &[
    "The file CHANGELOG.md has an entry dated 2026-05-25. ",
    "It holds. Dr. Smith said so on p. 55. ",
    "Does it? Yes! ",
    "\u{201C}Quite so,\u{201D} she said. ",
    "See e.g. https://example.org/a?b=c#d for v1.2.3 ... and more ",
    "The U.S. Government agreed (in part). ",
    "\u{5b83}\u{5728}\u{8fd9}\u{91cc}\u{3002}\u{771f}\u{7684}\u{5417}\u{ff1f}",
    "\u{300c}\u{306f}\u{3044}\u{3002}\u{300d}\u{3068}\u{8a00}\u{3063}\u{305f}\u{3002}",
    "Das stimmt z. B. f\u{fc}r Stra\u{df}en. Wirklich! ",
    "\u{c7}a va\u{a0}! \u{ab} Oui \u{bb}. ",
    "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}. \u{41a}\u{430}\u{43a} \u{434}\u{435}\u{43b}\u{430}? ",
    "\u{645}\u{631}\u{62d}\u{628}\u{627}\u{61f} ",
    "\u{1F469}\u{200D}\u{1F52C} e\u{301} ",
    "word",
    " and ",
    "A",
    "x. ",
    "1. 2. ",
    "**It rains.** ",
    "_So it is._ **1.** Then not.[^1] ",
    "It is.</b></p> 2.</p> ",
    "\u{96e8}\u{3002}[^a]\u{96ea}\u{3002}** ",
    "Non\u{a0}! \u{bb}** A. So[1]",
    "Yes.\u{b2} 1. See (z.** B. no.)*",
    "It is.\u{3010}4:0\u{2020}source\u{3011} So<sup>1</sup> ",
    "!<sup>[2]</sup>",
];

/// Block structure: headings, lists, quotes, tables, blank lines.
const BLOCKS: &[&str] = &[
    "\n- ",
    "\n* ",
    "\n+ ",
    "\n\u{2022} ",
    "\n1. ",
    "\n12) ",
    "\n1234567890. ",
    "\n-",
    "\n-\n",
    "- ",
    "\n  - - ",
    "\n-\u{a0}",
    "\n# ",
    "\n###### ",
    "\n####### ",
    "\n#\n",
    "\n#",
    "\n> ",
    "\n>",
    "\n> > ",
    "\n> - ",
    "\n- > ",
    "\n>\n> ",
    "> ",
    "\n\n",
    "\n \t\n",
    "\n\r\n",
    "\r\n",
    "\n\n\n",
    "\n| a | b |",
    "\n| ",
    " | ",
    "|",
    "\\|",
    " |\n",
    "\n|---|---|\n",
    "\n  | x |  | ",
    "\n> | q | ",
    "\n- | l | ",
    "\n# | h | ",
    "\u{feff}",
];

/// Fenced code blocks and code spans.
const CODE: &[&str] = &[
    "\n```\n",
    "\n```rust\n",
    "\n``` a`b\n",
    "\n~~~\n",
    "\n~~~ `x`\n",
    "\n````\n",
    "\n> ```\n",
    "\n> ~~~\n> ",
    "\n- ```\n",
    "\n  ```  \r\n",
    "\n1. > ~~~~\n",
    "\n```",
    "\n~~~",
    "```\n",
    "`",
    "``",
    "```",
    "`code`",
    "`` a ` b ``",
    "\\`",
    "~~",
    "\nlet x = 1;\n",
    "\n> code\n",
    "\n    indented\n",
];

/// Brackets that are no annotation, escapes, and incomplete constructs.
const BRACKETS: &[&str] = &[
    "[1]",
    "[x]",
    "[",
    "]",
    "[[",
    "[ ",
    "[\n",
    "[citation needed]",
    "[text](url)",
    "[3.1.b]",
    "[substrate.grep docs]",
    "[note; ts later]",
    "[note; ts",
    "[a;observation",
    "\\[",
    "\\\\[",
    "\\",
    "\\\\\\",
    "[substrate.grep",
    "[substrate.grep; x=\\",
    "[substrate.grep]",
    " [substrate.grep]",
    ".[substrate.grep] ",
    "[unverified-inference]. ",
    "[1.0.substrate.grep] ",
];

/// White space and closing punctuation as found between annotations.
const GAPS: &[&str] = &[
    " ",
    "  ",
    "\t",
    "\n",
    ". ",
    ".",
    "!?",
    ")\u{201D} ",
    "\u{2019}",
    "\u{bb} ",
    "\u{2026}",
    "\u{3002}",
    "\u{ff01}\u{3000}",
    "\u{2028}",
    "\u{85}",
    "\u{2003}",
    "\n> ",
    "\n\n> ",
    "\u{2014}",
    "\u{200B}",
    "\x0b\x0c",
];

/// Bytes that are not UTF-8, or an incomplete character.
const BYTES: &[&[u8]] = &[
    b"\xFF",
    b"\xE2\x80",
    b"\xE2",
    b"\xC2",
    b"\x80\x80\x80\x80\x80",
    b"\xF0\x9F\x98",
    b"\xED\xA0\x80",
    b"\xC0\xAF",
    b"\0",
    b"\x7F",
    b"\x80",
    b"\xEF\xBB",
];

/// Generates an input: 20 to 2,000 bytes in most cases, up to about 12 KiB in some.
pub fn input(seed: u64) -> Vec<Segment> {
    let mut random = Random::new(seed);
    let size = match random.below(20) {
        0 => 2_000 + random.below(10_000),
        1..=9 => 20 + random.below(180),
        _ => 100 + random.below(1_900),
    };
    let mixes_foreign = random.once_in(5);
    let mut segments = vec![Segment {
        own: !mixes_foreign || !random.once_in(4),
        bytes: Vec::new(),
        after_break: false,
    }];
    if random.once_in(12) {
        segments[0].bytes.extend_from_slice(b"\xEF\xBB\xBF");
    }
    let mut total = 0;
    while total < size {
        if mixes_foreign && random.once_in(12) {
            let own = !segments[segments.len() - 1].own;
            // Now and then the same kind twice, or nothing at all.
            segments.push(Segment {
                own: own ^ random.once_in(6),
                bytes: Vec::new(),
                after_break: false,
            });
        }
        let last = segments.len() - 1;
        let bytes = &mut segments[last].bytes;
        let before = bytes.len();
        fragment(&mut random, bytes);
        total += bytes.len() - before;
    }
    with_breaks(segments, seed, 3)
}

/// Inserts breaks into an input for one seed in `rarity`: at any position, or right before a
/// bracket.
pub fn with_breaks(input: Vec<Segment>, seed: u64, rarity: usize) -> Vec<Segment> {
    with_drawn_breaks(input, &mut Random::new(seed ^ 0xB2EA), rarity)
}

/// Inserts breaks that are drawn.
pub(super) fn with_drawn_breaks(
    input: Vec<Segment>,
    random: &mut Random,
    rarity: usize,
) -> Vec<Segment> {
    if !random.once_in(rarity) {
        return input;
    }
    let mut found: Vec<Segment> = Vec::new();
    for mut segment in input {
        while random.once_in(2) {
            let len = random.below(segment.bytes.len() + 1);
            let bracket = segment.bytes[len..].iter().position(|&byte| byte == b'[');
            let len = match bracket {
                Some(more) if random.once_in(2) => len + more,
                _ => len,
            };
            let rest = segment.bytes.split_off(len);
            let after_break = segment.after_break;
            found.push(Segment {
                after_break,
                ..segment
            });
            segment = Segment {
                own: found[found.len() - 1].own,
                bytes: rest,
                after_break: !random.once_in(8),
            };
        }
        found.push(segment);
    }
    found
}

/// Draws the limits for a seed, most of them the defaults.
pub fn limits(seed: u64) -> RefLimits {
    let mut random = Random::new(!seed);
    let mut limits = RefLimits::default();
    if random.once_in(4) {
        limits.max_annotation = [32, 48, 20, 64, 200][random.below(5)];
    }
    if random.once_in(3) {
        limits.max_assertion = [40, 16, 100, 5][random.below(4)];
    }
    if random.once_in(4) {
        limits.max_annotations = [2, 1, 3][random.below(3)];
    }
    if random.once_in(4) {
        limits.max_pending = [60, 20, 35, 120][random.below(4)];
    }
    limits
}

/// Appends one fragment.
pub(super) fn fragment(random: &mut Random, bytes: &mut Vec<u8>) {
    match random.below(100) {
        0..=19 => annotation(random, bytes),
        20..=44 => bytes.extend_from_slice(random.pick(PROSE).as_bytes()),
        45..=65 => bytes.extend_from_slice(random.pick(BLOCKS).as_bytes()),
        66..=71 => bytes.extend_from_slice(random.pick(CODE).as_bytes()),
        72..=74 => unknown(random, bytes),
        75..=81 => bytes.extend_from_slice(random.pick(BRACKETS).as_bytes()),
        82..=93 => bytes.extend_from_slice(random.pick(GAPS).as_bytes()),
        94..=95 => bytes.extend_from_slice(random.pick(BYTES)),
        96 => run(random, bytes),
        97 => several(random, bytes),
        _ => fence(random, bytes),
    }
}

/// Brackets with the form of an unknown in the slot, complete and incomplete, and brackets close to
/// that form.
const UNKNOWNS: &[&str] = &[
    "[ct-log]",
    "[1.1.ct-log]",
    "[1.1:substrate.new; ts=NOW]",
    "[a.b; x=1; y = \"z\"]",
    "[ ct-log\n;\tx=1 ]",
    "[ct-log; x=",
    "[ct-lo",
    "[1.1:a",
    "[1.1:substrate.new]",
    "[2.0.a-b; x=1]",
    "[ 1.1.substrate.x.y\n; x=]",
    "[1.1:a-b; x=1",
    "[1.1:a-b; x=1](x)",
    "[1.1:a-b; x=1]:",
    "[1.1:a-b;]",
    "[ct-log](x)",
    "[ct-log]:",
    "[ct-log][x-y]",
    "[ct-log][",
    "[ct-log; x]",
    "[to-do]",
    "[ct-1]",
];

/// Appends up to three unknowns in the slot, with or without an annotation beside them.
fn unknown(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        bytes.extend_from_slice(
            random
                .pick(&[" ", "\n", "", ". ", "\u{a0}", "\n\n"])
                .as_bytes(),
        );
        match random.below(3) {
            0 => bytes.extend_from_slice(b"[substrate.grep]"),
            _ => bytes.extend_from_slice(random.pick(UNKNOWNS).as_bytes()),
        }
    }
}

/// Appends an annotation, valid in half of the cases.
fn annotation(random: &mut Random, bytes: &mut Vec<u8>) {
    let sound = random.once_in(2);
    let space = |random: &mut Random| {
        let choices = if sound { 5 } else { INNER_SPACE.len() };
        random.pick(&INNER_SPACE[..choices]).as_bytes()
    };
    bytes.extend_from_slice(random.pick(&["", " ", "\n", ""]).as_bytes());
    bytes.push(b'[');
    bytes.extend_from_slice(space(random));
    let identifiers = if sound { 5 } else { IDENTIFIERS.len() };
    bytes.extend_from_slice(random.pick(&IDENTIFIERS[..identifiers]).as_bytes());
    let parameters = match random.below(40) {
        0 => 14 + random.below(5),
        few => few % 4,
    };
    for _ in 0..parameters {
        bytes.extend_from_slice(space(random));
        bytes.push(b';');
        bytes.extend_from_slice(space(random));
        let parameters = if sound { 17 } else { PARAMETERS.len() };
        bytes.extend_from_slice(random.pick(&PARAMETERS[..parameters]).as_bytes());
        if random.once_in(25) {
            bytes.extend_from_slice(random.pick(BYTES));
        }
    }
    if random.once_in(60) {
        bytes.extend_from_slice(b"; x=");
        bytes.resize(bytes.len() + 900 + random.below(300), b'v');
    }
    bytes.extend_from_slice(space(random));
    let ends = if sound { 7 } else { ENDS.len() };
    bytes.extend_from_slice(random.pick(&ENDS[..ends]).as_bytes());
}

/// Appends a long run of one character or word.
fn run(random: &mut Random, bytes: &mut Vec<u8>) {
    let what = random.pick(&[
        " ", "\n", "a", "\\", "`", "[", ">", "\u{e9}", "word ", " \t", "|", "\u{3000}",
    ]);
    let most = if random.once_in(8) { 6_000 } else { 150 };
    let times = 1 + random.below(most / what.len());
    bytes.extend_from_slice(what.repeat(times).as_bytes());
}

/// Appends several annotations in a row.
fn several(random: &mut Random, bytes: &mut Vec<u8>) {
    let most = if random.once_in(6) { 90 } else { 6 };
    for index in 0..1 + random.below(most) {
        let text = match random.below(3) {
            0 => format!("[substrate.grep; observation-id=line-{index}]"),
            1 => "[unverified-inference]".to_owned(),
            _ => format!("[note-{index}; ts=2026-05-28T11:40:00Z]"),
        };
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(random.pick(&["", " ", ". ", "\n"]).as_bytes());
    }
}

/// Appends a closed fenced code block, followed by an annotation.
fn fence(random: &mut Random, bytes: &mut Vec<u8>) {
    let lead = random.pick(&["", "> ", "- ", "  ", ">", "> - "]);
    let inner = if lead.contains('>') { "> " } else { "" };
    let mark = random.pick(&["```", "~~~", "````"]);
    let content = random.pick(&[
        "code();",
        "[substrate.grep]",
        "",
        "> quoted",
        "\u{e9}\u{e9}",
    ]);
    let lines = 1 + random.below(12);
    bytes.extend_from_slice(format!("\n{lead}{mark}\n").as_bytes());
    for _ in 0..lines {
        bytes.extend_from_slice(format!("{inner}{content}\n").as_bytes());
    }
    bytes.extend_from_slice(format!("{inner}{mark}\n").as_bytes());
    bytes.extend_from_slice(random.pick(&["", "\n", inner, "text "]).as_bytes());
    bytes.extend_from_slice(b"[substrate.grep]");
}
