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
const LEGACY: &str =
    "The file has an entry, as asked [1]. Nothing else is known. [unverified-inference]";
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
    for case in [
        "open.nothing",
        "open.every-sentence",
        "closed.nothing",
        "closed.every-sentence",
    ] {
        for target in ["lark", "regex", "gbnf.lark"] {
            let text = fs::read_to_string(folder.join(format!("{case}.{target}")))?;
            let answers = answers();
            let answer = answers[case].as_str().expect("every case has an answer");
            measure(
                &format!("{case}.{target}"),
                &environment,
                tokens,
                answer,
                || grammar(target, &text),
            )?;
        }
    }
    let schema: serde_json::Value = serde_json::from_str(SCHEMA)?;
    measure("json-schema", &environment, tokens, JSON, || {
        TopLevelGrammar::from_json_schema(schema.clone())
    })
}

fn measure(
    name: &str,
    environment: &llguidance::toktrie::TokEnv,
    tokens: &[Vec<u8>],
    answer: &str,
    grammar: impl Fn() -> TopLevelGrammar,
) -> Result<()> {
    let factory = ParserFactory::new_simple(environment)?;
    let answer = greedy(tokens, answer);
    let mut compile = Vec::new();
    // By place in the answer; the first pass builds the automaton of the lexer as far as it goes, later ones find it.
    let mut cold = vec![Vec::new(); answer.len()];
    let mut warm = vec![Vec::new(); answer.len()];
    for _ in 0..20 {
        let begin = Instant::now();
        let parser = factory.create_parser(grammar())?;
        compile.push(begin.elapsed());
        let start = Matcher::new(Ok(parser));
        for pass in 0..3 {
            let mut matcher = start.clone();
            for (place, &token) in answer.iter().enumerate() {
                let begin = Instant::now();
                matcher.compute_mask()?;
                matcher.consume_token(u32::try_from(token)?)?;
                let times = if pass == 0 { &mut cold } else { &mut warm };
                times[place].push(begin.elapsed());
            }
            anyhow::ensure!(matcher.is_accepting()?, "{name} does not accept the answer");
        }
    }
    // The median of each place: what interrupts this process is not the engine's.
    let places = |all: Vec<Vec<Duration>>| {
        all.into_iter()
            .map(|times| quantile(times, 0.5))
            .collect::<Vec<_>>()
    };
    let (cold, warm) = (places(cold), places(warm));
    println!(
        "llguidance {name:36} compile {:9.0} us  token p50 {:7.1} us  p99 {:7.1} us  max {:7.1} us  warm p99 {:7.1} us",
        micros(quantile(compile, 0.5)),
        micros(quantile(cold.clone(), 0.5)),
        micros(quantile(cold.clone(), 0.99)),
        micros(quantile(cold, 1.0)),
        micros(quantile(warm, 0.99)),
    );
    Ok(())
}

fn quantile(mut all: Vec<Duration>, share: f64) -> Duration {
    all.sort_unstable();
    all[((all.len() - 1) as f64 * share) as usize]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
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
