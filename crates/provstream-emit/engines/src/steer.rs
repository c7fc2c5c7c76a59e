//! Steers random answers to where grammars can fail: random tokens alone would hardly ever open a bracket.

/// What an answer is steered to write. Where the mask forbids the next token of a seed, the rest is random again.
pub const SEEDS: &[&str] = &[
    "It runs. [substrate.grep]",
    "It runs. [substrate.code.read; observation-id=sha256:e3b0; ts=2026-05-28T11:40:00Z]",
    " [substrate.git.log; observation-id=\"a;b]\\\"\\\\\"]",
    " [substrate.fs.mtime; ts=2024-02-29T23:59:60Z]",
    " [substrate.mcp.brief; ts=2017-01-01T00:59:60+01:00]",
    " [1.0.substrate.unix.peercred; observation-id=x]",
    " [unverified-inference]",
    " [decayed-to-uncertainty; observation-id=",
    " [substrate.do.sse-count; observation-id=",
    " [substrate.",
    " [1.0.",
    "[",
    "[[[substrate.grep]",
    "a[i[0]] [x] [ ] [text](url) [^1]: ",
    "1. First. [substrate.grep]\n- Next. [unverified-inference]\n",
    "`code.rs` is \"so\". [substrate.grep]",
    "これは本当です。[unverified-inference]",
    // What has to be prevented.
    "[substrate.telepathy]",
    "[substrate.grep;]",
    "[substrate.grep; observation-id]",
    "[substrate.grep; observation-id=]",
    "[substrate.grep; observation-id=\"\"]",
    "[substrate.grep; ts=2023-02-29T00:00:00Z]",
    "[substrate.grep; ts=2026-05-28T11:40:60Z]",
    "[substrate.grep; ts=2026-05-28 11:40:00Z]",
    "[substrate.grep; ts=x; ts=y]",
    "[substrate.grep; x=1; ]",
    "[2.0.substrate.grep]",
    "[01.0.substrate.grep]",
    "[ substrate.grep ; x ]",
    "[\nsubstrate.telepathy]",
    "[Substrate.Grep]",
    "[UNVERIFIED-INFERENCE]",
    "[unverified-inference; because]",
    "[note; ts=2026-05-28T11:40:00Z]",
    "[1.0.other ; observation_id = x]",
    "[substrate.grep; observation-id=invented-7]",
    " One. Two. Three! Four? [substrate.grep]",
    " Dr. Meier said so. He did. [substrate.grep]",
    "# Heading\n\nText. [substrate.grep]",
    "```\nOne. [substrate.grep]\n```\nTwo. ",
    "\\[substrate.grep] ",
    "{\"a\": [substrate.grep] ",
    "A `b [substrate.grep] c` d. ",
    "| a. | b. | [substrate.grep]",
    "一。二。三 [substrate.grep]",
];

/// What completes an answer that has become long enough, tried in turn.
pub const ENDS: &[&str] = &["`", "]", "\"]", "Z]", " [unverified-inference]", "x"];

/// A small generator of random numbers (SplitMix64), so that a run can be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("it is below a usize")
    }
}
