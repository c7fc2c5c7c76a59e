//! Steers random answers to where grammars can fail: random tokens alone would hardly ever open a bracket.

use crate::cases::LONG_ID;

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
    // Annotations in ids, with what hides the annotation around them.
    "It `is. [substrate.code.read; observation-id=\"a` [substrate.grep; observation-id=FAKE] b\"] ",
    "\\[substrate.code.read; observation-id=\"m[substrate.nope]\"] ",
    "\\[substrate.code.read; observation-id=\"[substrate.grep]\"] ",
    "\\[substrate.code.read; observation-id=\"[unverified-inference]\"] ",
    "\\[substrate.code.read; observation-id=\"[ 1.0.substrate.grep\"] ",
    "\\[substrate.code.read; observation-id=\"[note; ts=x]\"] ",
    // Annotations of nothing, and of what the annotation before has.
    "- [unverified-inference]\n",
    "# [unverified-inference]\n",
    "1. [unverified-inference]\n",
    "It is. [unverified-inference] \", [unverified-inference]",
    "It is. [unverified-inference][unverified-inference][unverified-inference][unverified-inference][unverified-inference]",
];

/// How often a seed is one of [`rare`]: once in so many.
pub const RARELY: usize = 1_000;

/// Long seeds: what exceeds the limits of a reader if a grammar allows it.
pub fn rare() -> Vec<String> {
    let id = "a".repeat(LONG_ID);
    let long = format!(" [substrate.grep; observation-id={id}]");
    vec![
        format!("It is.{}", long.repeat(5)),
        format!("It is. {}", "[unverified-inference]".repeat(65)),
        format!("It is. [1.0.substrate.grep; observation-id={id}]"),
        format!("It is. [decayed-to-uncertainty; observation-id={id}]"),
        format!("It is. [substrate.grep; observation-id=\"{id}\"]"),
    ]
}

/// What completes an answer that has become long enough, tried in turn.
pub const ENDS: &[&str] = &["`", "]", "\"]", "Z]", " [unverified-inference]", "x"];
