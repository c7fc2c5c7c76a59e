//! Samples answers with llguidance.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};
use provstream_emit::Requirement;

use crate::cases::{Case, vocabularies};
use crate::common::Random;
use crate::complete;
use crate::judge::{Found, Rules, report};
use crate::steer::{ENDS, RARELY, SEEDS, rare};

/// Tokens after which an answer is steered to its end.
const LONG: usize = 60;
/// Answers after which the engine starts anew.
const RENEWED: usize = 250;
/// Tokens after which an answer counts as unfinished.
const TOO_LONG: usize = 9_000;

/// The engine's view of a vocabulary: the tokens, and the end of the answer as the last one.
pub fn environment(tokens: &[Vec<u8>]) -> TokEnv {
    let mut words = tokens.to_vec();
    words.push(b"\xff<|end|>".to_vec());
    let count = u32::try_from(words.len()).expect("vocabularies are small");
    let trie = TokTrie::from(&TokRxInfo::new(count, count - 1), &words);
    Arc::new(ApproximateTokEnv::new(trie))
}

/// The grammar of a file, by what it is for.
pub fn grammar(target: &str, text: &str) -> TopLevelGrammar {
    match target {
        "regex" => TopLevelGrammar::from_regex(text.trim_end()),
        _ => TopLevelGrammar::from_lark(text.to_owned()),
    }
}

pub fn run(folder: &Path, count: usize, only: &str) -> Result<()> {
    let vocabularies = vocabularies()?;
    let mut faults = 0;
    for case in Case::all() {
        let rules = Rules::new(case);
        for target in ["lark", "regex", "gbnf.lark"] {
            let file = format!("{}.{target}", case.name());
            if !file.starts_with(only) {
                continue;
            }
            let text = fs::read_to_string(folder.join(&file)).with_context(|| file.clone())?;
            faults += completeness(&file, &text, target, case, &vocabularies["bytes"])?;
            let mut found = Found::default();
            for (name, tokens) in &vocabularies {
                let index = Index::new(tokens);
                let factory = ParserFactory::new_simple(&environment(tokens))?;
                let mut start = Matcher::new(factory.create_parser(grammar(target, &text)));
                let mut random = Random(name.len() as u64);
                for number in 0..count / vocabularies.len() {
                    // Answers share what the lexer has built, up to its limit.
                    if number % RENEWED == 0 {
                        start = Matcher::new(factory.create_parser(grammar(target, &text)));
                    }
                    let answer = answer(start.clone(), tokens, &index, &mut random)
                        .with_context(|| format!("{file} {name} {number}"))?;
                    found.unfinished += usize::from(answer.is_none());
                    found.add(&answer.unwrap_or_default(), &rules);
                }
            }
            report("llguidance", &file, &found);
            faults += found.faults();
        }
    }
    ensure!(faults == 0, "{faults} faults");
    Ok(())
}

/// How many well-formed annotations a grammar does not accept, and how many malformed ones it does.
fn completeness(
    file: &str,
    text: &str,
    target: &str,
    case: Case,
    bytes: &[Vec<u8>],
) -> Result<usize> {
    let factory = ParserFactory::new_simple(&environment(bytes))?;
    let start = Matcher::new(factory.create_parser(grammar(target, text)));
    let texts = complete::texts()?;
    let before = match case.requirement {
        Requirement::EverySentence => "It is so. ",
        _ => "",
    };
    let accepts = |one: &str| {
        let mut matcher = start.deep_clone();
        let mut all = before.bytes().chain(one.bytes());
        all.all(|byte| {
            let token = bytes.iter().position(|token| token == &[byte]);
            let token = token.and_then(|token| u32::try_from(token).ok());
            token.is_some_and(|token| matcher.try_consume_tokens(&[token]).ok() == Some(1))
        }) && matcher.is_accepting().unwrap_or(false)
    };
    let count = |set: &str| {
        let all = texts[set].as_array().into_iter().flatten();
        let all: Vec<&str> = all.filter_map(|one| one.as_str()).collect();
        (all.iter().filter(|one| accepts(one)).count(), all.len())
    };
    let (accepted, good) = count(&case.name());
    let (passed, bad) = count("refused");
    println!(
        "llguidance {file:40} accepts {accepted} of {good}, refuses {} of {bad}",
        bad - passed
    );
    Ok(good - accepted + passed)
}

/// One answer; `None` if it does not come to an end.
fn answer(
    mut matcher: Matcher,
    tokens: &[Vec<u8>],
    index: &Index<'_>,
    random: &mut Random,
) -> Result<Option<Vec<u8>>> {
    let end = tokens.len();
    let rare = rare();
    let mut out = Vec::new();
    let mut wanted: &[u8] = b"";
    for length in 0..TOO_LONG {
        if matcher.is_stopped() {
            return Ok(Some(out));
        }
        let mask = matcher.compute_mask_or_eos()?;
        let allowed = |token: usize| mask.is_allowed(u32::try_from(token).expect("it is small"));
        let over = length > LONG;
        if allowed(end) && (over || random.below(40) == 0) {
            matcher.consume_token(u32::try_from(end)?)?;
            return Ok(Some(out));
        }
        if wanted.is_empty() && (over || random.below(6) == 0) {
            wanted = if over {
                ENDS[random.below(ENDS.len())].as_bytes()
            } else if random.below(RARELY) == 0 {
                rare[random.below(rare.len())].as_bytes()
            } else {
                SEEDS[random.below(SEEDS.len())].as_bytes()
            };
        }
        let token = choose(index, &allowed, wanted, random);
        wanted = wanted
            .strip_prefix(tokens[token].as_slice())
            .unwrap_or_default();
        out.extend_from_slice(&tokens[token]);
        matcher.consume_token(u32::try_from(token)?)?;
    }
    Ok(None)
}

/// Tokens by what they are.
struct Index<'t> {
    tokens: &'t [Vec<u8>],
    by_bytes: HashMap<&'t [u8], usize>,
    longest: usize,
}

impl<'t> Index<'t> {
    fn new(tokens: &'t [Vec<u8>]) -> Self {
        Self {
            tokens,
            by_bytes: tokens.iter().map(Vec::as_slice).zip(0..).collect(),
            longest: tokens.iter().map(Vec::len).max().unwrap_or_default(),
        }
    }
}

/// The longest allowed token of what is wanted, or a random one.
fn choose(
    index: &Index<'_>,
    allowed: &impl Fn(usize) -> bool,
    wanted: &[u8],
    random: &mut Random,
) -> usize {
    let fitting = (1..=index.longest.min(wanted.len()))
        .rev()
        .filter_map(|length| index.by_bytes.get(&wanted[..length]).copied())
        .find(|&token| allowed(token));
    if let Some(token) = fitting {
        return token;
    }
    let start = random.below(index.tokens.len());
    (start..index.tokens.len())
        .chain(0..start)
        .find(|&token| allowed(token))
        .expect("a grammar that is not complete allows a token")
}
