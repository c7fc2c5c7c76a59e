//! Input that goes through a gate, for `gate` and `report`.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use provstream::provenance::{ObservationCheck, ObservationLevel, Timestamp};
use provstream::{Gate, Parser, Policy, RulePolicy, Rules, ready_policy};
use provstream_providers::StreamGate;

use crate::commands::admit::timestamp;
use crate::engine::StreamEngine;
use crate::error::usage_error;
use crate::ledger::LedgerOptions;
use crate::options::{AssertionLimits, DialectOptions, InputFormat, RewriteOptions};
use crate::reader::StreamReader;
use crate::settings;

/// Help about `--policy`, with the files of the policies that come with the library.
pub(crate) fn policy_help() -> String {
    let mut help = "The policy: a TOML file, `own-state` or `external`".to_owned();
    for name in ["own-state", "external"] {
        help.push_str(&format!("\n\nThe file of `{name}` is:\n"));
        for line in ready_policy(name).unwrap_or_default().lines() {
            help.push_str(&format!("\n    {line}"));
        }
    }
    help
}

// Options of a stream that goes through a gate.
#[derive(Debug, Args)]
pub(crate) struct GateStreamOptions {
    /// Language of the policy's texts, if it has them in several [default: the policy's]
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// Time to judge by, in RFC 3339, such as 2026-05-28T12:00:00Z [default: the clock; in `gate` when an assertion is complete]
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub(crate) now: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) rewrite: RewriteOptions,
    #[command(flatten)]
    limits: AssertionLimits,
    /// Most bytes of text held back, 1024 to 1048576 [default: 65536]; the policy's rule `limit` decides about more
    #[arg(long, value_name = "BYTES", help_heading = "Limits",
        value_parser = RangedU64ValueParser::<usize>::new().range(1 << 10..=1 << 20))]
    max_held: Option<usize>,
    #[command(flatten)]
    pub(crate) ledger: LedgerOptions,
}

/// Policy and parser of all inputs.
#[derive(Debug)]
pub(crate) struct GateSettings<'o> {
    pub(crate) rules: Rules,
    pub(crate) observations: Option<Arc<dyn ObservationCheck>>,
    parser: Parser,
    options: &'o GateStreamOptions,
}

impl<'o> GateSettings<'o> {
    /// Loads the policy.
    pub(crate) fn load(
        policy: &Path,
        options: &'o GateStreamOptions,
        dialects: &DialectOptions,
    ) -> anyhow::Result<Self> {
        let input = &options.rewrite.input;
        let vocabulary = input.vocabulary.load()?;
        let ready = policy.to_str().and_then(ready_policy);
        let rules = match ready {
            Some(file) => Rules::from_toml(file.as_bytes(), &vocabulary)
                .with_context(|| format!("the policy {}", policy.display()))?,
            None => {
                let rules = settings::load("--policy", policy, |file| {
                    Rules::from_toml(file, &vocabulary)
                });
                if policy.exists() || policy.as_os_str() == "-" {
                    rules?
                } else {
                    rules.context("--policy: expected a file, `own-state` or `external`")?
                }
            }
        };
        let rules = match &options.language {
            Some(language) => with_language(rules, language)?,
            None => rules,
        };
        if rules.needs_sources() && !dialects.has_sources() {
            return Err(usage_error(
                "--policy: expected --dialect and --sources with the rules [unknown_source] and [listed_source], which need a list of sources",
            ));
        }
        options.ledger.check("--policy", needed_level(&rules))?;
        let limits = options.limits.limits(input)?;
        options.rewrite.check()?;
        options.rewrite.fields.distinct()?;
        let parser = input.parser(limits, vocabulary.clone());
        let parser = dialects.apply(input, parser, &vocabulary)?;
        Ok(Self {
            rules,
            observations: options.ledger.open()?,
            parser: parser.build(),
            options,
        })
    }

    /// The policy, with a clock.
    pub(crate) fn policy<C: FnMut() -> Timestamp>(&self, clock: C) -> RulePolicy<C> {
        let policy = self.rules.clone().policy(clock);
        match &self.observations {
            Some(observations) => policy.with_observations(Arc::clone(observations)),
            None => policy,
        }
    }

    /// A reader with a gate for each text.
    pub(crate) fn reader<P: Policy + Clone>(&self, policy: P) -> StreamReader<P> {
        let (options, parser) = (self.options, self.parser.clone());
        let max_held = options.max_held.unwrap_or(Gate::<P>::DEFAULT_MAX_HELD);
        let (reasoning, members) = options.rewrite.beside_text();
        let configure = |gate: StreamGate<P>| {
            let gate = gate.with_max_held(max_held).with_reasoning(reasoning);
            StreamEngine::ResponseGate(Box::new(gate.with_pass_members(members)))
        };
        let input = options.rewrite.input.input;
        let engine = match input {
            InputFormat::Raw => {
                let gate = Gate::new(parser, policy).with_max_held(max_held);
                StreamEngine::Gate(Box::new(gate))
            }
            InputFormat::Auto => configure(StreamGate::detect(parser, policy)),
            InputFormat::Response(format) => configure(StreamGate::new(format, parser, policy)),
        };
        StreamReader::of(engine, input).with_fields(&options.rewrite.fields.pointers, 1, true)
    }
}

/// Returns the level of observations that the rules need.
fn needed_level(rules: &Rules) -> ObservationLevel {
    match (rules.needs_requery(), rules.needs_observations()) {
        (true, _) => ObservationLevel::Requeried,
        (false, true) => ObservationLevel::Observed,
        (false, false) => ObservationLevel::Declared,
    }
}

fn with_language(rules: Rules, language: &str) -> anyhow::Result<Rules> {
    if rules.languages().any(|known| known == language) {
        return Ok(rules.with_language(language));
    }
    let known = rules.languages().collect::<Vec<_>>().join(", ");
    if known.is_empty() {
        return Err(usage_error(
            "--language: expected a policy with texts in several languages, found one whose texts name no language",
        ));
    }
    Err(usage_error(format_args!(
        "--language: expected a language of the policy's texts ({known}), found `{language}`"
    )))
}
