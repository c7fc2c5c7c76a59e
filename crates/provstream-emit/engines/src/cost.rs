//! What a grammar costs: the time to compile it, and the time of the mask of a token.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};

use crate::cases::vocabularies;
use crate::sample::{environment, grammar};

/// What the same engine is timed with beside our grammars: a schema of asserted objects.
pub const SCHEMA: &str = r#"{"type":"object","properties":{"assertions":{"type":"array","items":{"type":"object","properties":{
"assertion":{"type":"string"},"substrate_class":{"enum":["substrate.grep","substrate.git.log","unverified-inference"]},
"observation_id":{"type":"string","maxLength":160},"ts":{"type":"string","format":"date-time"}},
"required":["assertion","substrate_class","observation_id","ts"],"additionalProperties":false}}},
"required":["assertions"],"additionalProperties":false}"#;

/// Answers that are followed token by token.
const OPEN: &str = "The file has an entry, as asked [1]. [substrate.code.read; observation-id=src/module/file.rs:120; \
    ts=2026-05-28T11:40:00Z] Nothing else is known. [unverified-inference]";
const CLOSED: &str = "The file has an entry, as asked 1. [substrate.git.log; observation-id=src/module0/file.rs:0] \
    [substrate.grep; observation-id=sha256:9e3779b97f4a7c15; ts=2026-05-28T08:01:00Z] Nothing else. [unverified-inference]";
const LEGACY: &str = "The file has an entry, as asked [1]. Nothing else is known. [unverified-inference]";
const JSON: &str = r#"{"assertions":[{"assertion":"The file has an entry, as asked [1].","substrate_class":"substrate.grep","observation_id":"src/module/file.rs:120","ts":"2026-05-28T11:40:00Z"}]}"#;

/// The answer of each case, of the older structural tag, and of the schema.
pub fn answers() -> serde_json::Value {
    serde_json::json!({
        "open.nothing": OPEN,
        "open.every-sentence": OPEN.replace("[1]", "(1)"),
        "closed.nothing": CLOSED,
        "closed.every-sentence": CLOSED,
        "structural-tag-legacy": LEGACY,
        "json": JSON,
    })
}

pub fn run(folder: &Path) -> Result<()> {
    let tokens = &vocabularies()?["bpe"];
    println!("tokens {}", tokens.len() + 1);
    let environment = environment(tokens);
    for case in ["open.nothing", "open.every-sentence", "closed.nothing", "closed.every-sentence"] {
        for target in ["lark", "regex", "gbnf.lark"] {
            let text = fs::read_to_string(folder.join(format!("{case}.{target}")))?;
            let answers = answers();
            let answer = answers[case].as_str().expect("every case has an answer");
            measure(&format!("{case}.{target}"), &environment, tokens, answer, || grammar(target, &text))?;
        }
    }
    let schema: serde_json::Value = serde_json::from_str(SCHEMA)?;
    measure("json-schema", &environment, tokens, JSON, || TopLevelGrammar::from_json_schema(schema.clone()))
}

fn measure(
    name: &str,
    environment: &llguidance::toktrie::TokEnv,
    tokens: &[Vec<u8>],
    answer: &str,
    grammar: impl Fn() -> TopLevelGrammar,
) -> Result<()> {
    let factory = ParserFactory::new_simple(environment)?;
    let mut compile = Vec::new();
    let mut masks = Vec::new();
    for _ in 0..10 {
        let begin = Instant::now();
        let parser = factory.create_parser(grammar())?;
        compile.push(begin.elapsed());
        let start = Matcher::new(Ok(parser));
        // The first pass over the answer is the cold one; later ones find the automaton of the lexer built.
        for _ in 0..10 {
            let mut matcher = start.deep_clone();
            for token in greedy(tokens, answer) {
                let begin = Instant::now();
                matcher.compute_mask()?;
                matcher.consume_token(u32::try_from(token)?)?;
                masks.push(begin.elapsed());
            }
            anyhow::ensure!(matcher.is_accepting()?, "{name} does not accept the answer");
        }
    }
    let micros = |mut all: Vec<Duration>, share: f64| {
        all.sort_unstable();
        all[((all.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6
    };
    println!(
        "llguidance {name:32} compile {:9.0} us  token p50 {:7.1} us  p99 {:7.1} us  max {:7.1} us",
        micros(compile, 0.5), micros(masks.clone(), 0.5), micros(masks.clone(), 0.99), micros(masks, 1.0),
    );
    Ok(())
}

fn greedy(tokens: &[Vec<u8>], text: &str) -> Vec<usize> {
    let mut rest = text.as_bytes();
    let mut out = Vec::new();
    while !rest.is_empty() {
        let token = (0..tokens.len())
            .filter(|&token| rest.starts_with(&tokens[token]))
            .max_by_key(|&token| tokens[token].len())
            .expect("every byte is a token");
        out.push(token);
        rest = &rest[tokens[token].len()..];
    }
    out
}
