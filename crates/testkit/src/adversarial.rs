//! Adversarial streams for a parser, and fragments from which further ones are composed.
//!
//! The tests of the work per byte and of memory, and the benchmark of growth, share this list.

use std::fmt;

/// A stream of unlimited length: a head once, then one period repeated.
#[derive(Clone, Debug)]
pub struct Family {
    /// Name of the family in failure messages and benchmark results.
    pub name: &'static str,
    head: Vec<u8>,
    /// The period repeated a whole number of times, at least [`MIN_BODY`] bytes long, so that few
    /// chunks are cut short at its end.
    body: Vec<u8>,
}

/// Minimum length of [`Family::body`], in bytes.
const MIN_BODY: usize = 1 << 18;

impl Family {
    fn new(name: &'static str, head: impl AsRef<[u8]>, period: impl AsRef<[u8]>) -> Self {
        let period = period.as_ref();
        Self {
            name,
            head: head.as_ref().to_vec(),
            body: period.repeat(MIN_BODY.div_ceil(period.len())),
        }
    }

    /// Returns `true` if the stream begins as JSON, so that the JSON modes read values in it.
    pub fn is_json(&self) -> bool {
        let mut first = self.head.iter().chain(&self.body);
        match first.next() {
            Some(b'{') => true,
            Some(b'[') => matches!(first.next(), Some(b'{' | b'1')),
            _ => false,
        }
    }

    /// Iterates over the first `total` bytes in chunks of `size`; a chunk that reaches the end of
    /// the head or of the repeated body is shorter.
    pub fn chunks(&self, size: usize, total: usize) -> impl Iterator<Item = &[u8]> {
        let pieces = std::iter::once(&self.head[..]).chain(std::iter::repeat(&self.body[..]));
        let mut left = total;
        pieces
            .flat_map(move |piece| piece.chunks(size))
            .map_while(move |chunk| {
                let chunk = &chunk[..chunk.len().min(left)];
                left -= chunk.len();
                (!chunk.is_empty()).then_some(chunk)
            })
    }
}

/// Builds all adversarial families: dense, endless, nested, blank and invalid input.
#[expect(clippy::too_many_lines, reason = "a table of families")]
pub fn families() -> Vec<Family> {
    let fill = |piece: &str, count: usize| piece.repeat(count);
    let named = |name, head: &str, period: &str| Family::new(name, head, period);
    let mut families = vec![
        // Openers only.
        named("opening brackets", "", "["),
        named("opening braces", "", "{"),
        named("openers of all kinds", "", "[{`~<(\"'"),
        named("brackets that open and close", "", "[]"),
        // Attempts never closed.
        named("attempts never closed", "", "[substrate.grep; ts="),
        named(
            "attempts given up for a line feed",
            "",
            "[substrate.grep;\n\n",
        ),
        named(
            "attempts that become too long",
            "",
            &format!("[substrate.grep; observation-id={} ", fill("x", 1_100)),
        ),
        named(
            "identifiers that become too long",
            "",
            &format!("[{} ", fill("substrate.", 110)),
        ),
        named(
            "empty parameters without end",
            "",
            &format!("[substrate.grep{} ", fill(";", 1_100)),
        ),
        // Dense annotations.
        named("annotations alone", "", "[substrate.grep]"),
        named("annotations of short words", "", "A. [substrate.grep] "),
        named(
            "annotations behind long sentences",
            "",
            &format!("{}[substrate.grep] ", fill("word ", 1_000)),
        ),
        named(
            "annotations behind long white space",
            "",
            &format!("word.{}[substrate.grep] ", fill(" ", 9_000)),
        ),
        named(
            "annotations behind blank lines",
            "",
            &format!("word.{}[substrate.grep] ", fill(" \n", 4_500)),
        ),
        named(
            "annotations behind block quote markers",
            "",
            &format!("word\n{}word [substrate.grep] ", fill("> ", 3_000)),
        ),
        named(
            "annotations behind list markers",
            "",
            &format!("\n{}word [substrate.grep] ", fill("- ", 3_000)),
        ),
        named(
            "annotations in a table row without end",
            "| ",
            "cell [substrate.grep] | ",
        ),
        named(
            "annotations behind empty cells",
            "| ",
            "| [substrate.grep] |",
        ),
        named(
            "annotations behind punctuation",
            "",
            &format!("word [substrate.grep]{}", fill(").", 2_000)),
        ),
        // JSON, nested and unbalanced.
        named("objects nested without end", "", "{\"a\":"),
        named("arrays nested without end", "", "[{\"a\":["),
        named("closers only", "", "}]"),
        named(
            "asserted objects nested without end",
            "",
            "{\"assertion\":\"x\",\"provenance\":[",
        ),
        named(
            "asserted objects nested a hundred deep",
            "",
            &format!(
                "{}1{}\n",
                fill("{\"assertion\":\"It is so.\",\"a\":", 100),
                fill("}", 100)
            ),
        ),
        named(
            "asserted objects in an array without end",
            "[1",
            ",{\"assertion\":\"x\",\"provenance\":{\"substrate_class\":\"substrate.grep\"}}",
        ),
        named(
            "MARC objects",
            "",
            "{\"marc_version\":\"1.0\",\"decision_id\":\"d\",\"uncertainty\":{\"ambiguity\":0.5}}\n",
        ),
        named(
            "annotations without end",
            "{\"assertion\":\"x\",\"provenance\":[1",
            ",{\"substrate_class\":\"\",\"ts\":\"\"}",
        ),
        named("names without end", "{\"a\":1", ",\"name\":1"),
        named("a string without end", "{\"assertion\":\"", "text "),
        named("escapes without end", "{\"assertion\":\"", "\\u00e9\\n"),
        named("numbers without end", "[1", ",1"),
        named("a number without end", "{\"a\":1", "0"),
        named("white space in JSON", "{\"assertion\":\"x\",", " \n"),
        named(
            "an event stream",
            "",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It \"}}]}\n\n",
        ),
        // Backticks and backslashes.
        named("backticks", "", "`"),
        named("runs of backticks", "", "` `` ``` ```` ````` "),
        named("backticks in lines", "", "`\n"),
        named("tildes", "", "~"),
        named("tildes behind markers", "", "- 1. > ~"),
        named("backslashes", "", "\\"),
        named("escaped brackets", "", "\\["),
        named(
            "brackets behind many backslashes",
            "",
            &format!("{}[", fill("\\", 3_000)),
        ),
        named("a fence without end", "```\n", "code\n"),
        named("fences", "", "```\ncode\n```\n[substrate.grep] x\n"),
        named("a quoted fence of blank lines", "> ```\n", "> \n"),
        named("braces in a fence", "```\n", "{ \n"),
        // No sentence end, no text.
        named("words without a sentence end", "", "word "),
        named("one word without end", "", "word"),
        named("sentences", "", "It is so. "),
        named("full stops", "", ". "),
        named("abbreviations", "", "z. B. "),
        named("blanks", "", " "),
        named("line feeds", "", "\n"),
        named("wide blanks", "", "\u{3000}"),
        named("quoted blank lines", "", "> \n"),
        named("digits", "", "1"),
        named("list markers", "", "- "),
        named("a table row without end", "| ", "cell | "),
        named("empty cells", "| ", "| "),
    ];
    // No UTF-8.
    let broken: [(&'static str, &[u8]); 4] = [
        ("no UTF-8", b"\xFF\xFE"),
        ("characters cut in two", b"\xE2\x80"),
        ("characters cut before their end", b"\xF0\x9F\x98"),
        (
            "annotations behind no UTF-8",
            b"\x80\xBF\xE2\x80\xF0. [substrate.grep] ",
        ),
    ];
    families.extend(broken.map(|(name, period)| Family::new(name, b"", period)));
    families
}

/// A deterministic pseudo-random generator, seeded with its field.
#[derive(Clone, Debug)]
pub struct Choices(pub u64);

impl Choices {
    /// Draws a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// Building blocks of composed streams: words of the grammars, brackets, quotes, and bytes that are
/// not UTF-8.
const FRAGMENTS: &[&[u8]] = &[
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b"\"",
    b"'",
    b"\\",
    b"`",
    b"```",
    b"~~~",
    b"|",
    b">",
    b"- ",
    b"* ",
    b"1. ",
    b"# ",
    b";",
    b":",
    b",",
    b".",
    b"=",
    b"!",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\t",
    b" ",
    b"  ",
    b"x",
    b"word ",
    b"It is so. ",
    b"0",
    b"7",
    b"-",
    b"e",
    b"\n> ",
    b"\n- ",
    b"\n| ",
    b"| cell ",
    b"\n```\n",
    b"\n> ```\n",
    b"\n```",
    b"p. 5 ",
    b"e.g. ",
    b"[substrate.grep",
    b"[substrate.grep]",
    b"[substrate.",
    b"[1.0.substrate.grep;",
    b"; ts=",
    b"; ts=2026-05-28T11:40:00Z",
    b"; observation-id=",
    b"; observation-id=\"",
    b"\"]",
    b"[unverified-inference]",
    b"[x; ts=",
    b"[citation needed]",
    b"{\"",
    b"{\"a\":",
    b"\":",
    b"\",\"",
    b"[\"",
    b"[[",
    b"]]",
    b"}}",
    b"{}",
    b"[]",
    b"null",
    b"true",
    b"-1.5e9",
    b"{\"assertion\":\"",
    b"{\"assertion\":\"x\"",
    b"\"provenance\":",
    b"\"provenance\":[",
    b"\"provenance\":{\"substrate_class\":\"",
    b"\"substrate_class\":\"substrate.grep\"",
    b"\"ts\":\"2026-05-28T11:40:00Z\"",
    b"\"observation_id\":\"",
    b"\"marc_version\":\"1.0\"",
    b"{\"marc_version\":\"1.0\"}",
    b"\"answer\":\"x\"",
    b"\\u00e9",
    b"\\ud83d",
    b"\\n",
    b"data: ",
    b"event: x\n",
    b"data: [DONE]\n\n",
    b"\xEF\xBB\xBF",
    b"\xE3\x80\x80",
    b"\xE2\x80\xA6",
    b"\xE2\x80\xA2 ",
    b"\xC2\xBB",
    b"\xC3\xA9",
    b"\xF0\x9F\x98\x80",
    b"\xFF",
    b"\xE2\x80",
    b"\xF0\x9F",
    b"\x80",
    b"\0",
    b"\x7F",
];

/// Maximum length of one repeated part of a piece, in bytes.
const MAX_PART: usize = 2_000;

/// A stream composed of repeated fragments; equal choices give equal streams.
#[derive(Clone, Debug)]
pub struct Composition {
    head: Piece,
    first: Piece,
    second: Piece,
}

impl Composition {
    /// Draws one to six fragments and composes the stream from them alone, so that with fewer
    /// fragments each is repeated more often.
    pub fn new(choices: &mut Choices) -> Self {
        let mut fragments = [&b""[..]; 6];
        let few = 1 + choices.below(fragments.len());
        for fragment in &mut fragments[..few] {
            *fragment = FRAGMENTS[choices.below(FRAGMENTS.len())];
        }
        let fragments = &fragments[..few];
        let head = match choices.below(4) {
            0 => Piece(Vec::new()),
            _ => Piece::new(choices, fragments, 2),
        };
        let first = Piece::new(choices, fragments, 4);
        let second = match choices.below(2) {
            0 => first.clone(),
            // What comes when enough was opened.
            _ => Piece::new(choices, fragments, 3),
        };
        Self {
            head,
            first,
            second,
        }
    }

    /// Builds a stream of `total` bytes: the head, then the first piece repeated up to the middle,
    /// then the second piece repeated.
    pub fn bytes(&self, total: usize) -> Vec<u8> {
        let mut bytes = self.head.bytes();
        for (piece, end) in [(&self.first, total / 2), (&self.second, total)] {
            let left = end.saturating_sub(bytes.len());
            bytes.extend(piece.bytes().iter().cycle().take(left));
        }
        bytes.truncate(total);
        bytes
    }
}

/// Byte strings, each with its number of repetitions.
#[derive(Clone)]
struct Piece(Vec<(Vec<u8>, usize)>);

impl Piece {
    /// Draws one to `most` parts, each made of one to three of the `fragments`.
    fn new(choices: &mut Choices, fragments: &[&[u8]], most: usize) -> Self {
        let mut parts = Vec::new();
        for _ in 0..1 + choices.below(most) {
            let mut part = Vec::new();
            for _ in 0..1 + choices.below(3) {
                part.extend_from_slice(fragments[choices.below(fragments.len())]);
            }
            let times = [1, 1, 1, 2, 9, 70, MAX_PART][choices.below(7)];
            let times = times.min(MAX_PART / part.len());
            parts.push((part, times));
        }
        Self(parts)
    }

    fn bytes(&self) -> Vec<u8> {
        let parts = self.0.iter();
        parts
            .flat_map(|(part, times)| part.repeat(*times))
            .collect()
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.iter();
        f.debug_list()
            .entries(parts.map(|(part, times)| format!("{times} of {}", part.escape_ascii())))
            .finish()
    }
}
