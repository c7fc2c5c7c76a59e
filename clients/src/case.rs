//! A response in its states: as it was, with annotations that provstream strips or gates, and with markers that it removes or renders.

use provstream::provenance::{Timestamp, Vocabulary};
use provstream::{Action, Gate, Parser, Policy, Question, Rules};
use provstream_providers::{StreamGate, StreamRewriter};
use serde_json::{Value, json};
use testkit::gate::naive::{self, Drawn};
use testkit::gate::pieces::Short;
use testkit::reference::{Reading, RefLimits, Segment};
use testkit::wire::generate::Random;
use testkit::wire::output::Output;

use crate::answer::Answer;
use crate::api::Api;
use crate::blocks;
use crate::citing::{self, CitingResponse};
use crate::event::{Envelope, Event};
use crate::frames::frames;
use crate::inject::{ANNOTATIONS, inject};

/// Made-up responses of each API that are also read with markers.
const CITING_SEEDS: u64 = 8;

/// A response.
pub(crate) struct Case {
    pub(crate) api: &'static Api,
    /// Where it is from: a number or the name of a file.
    source: String,
    seed: u64,
    /// As it was, or as it would be without annotations.
    clean: Vec<u8>,
    /// With annotations.
    annotated: Vec<u8>,
    /// How many texts it has.
    texts: usize,
    /// What a naive gate over the whole of each text writes, without the texts of which it writes nothing.
    gated: Vec<String>,
    /// What a gate with the policy of `policy.toml` writes of the whole of each text, without those that it empties.
    by_policy: Vec<String>,
    /// The response with markers, of recorded and of some made-up ones.
    citing: Option<CitingResponse>,
    /// The gate ends one of them.
    pub(crate) is_ended: bool,
    /// Bytes of each piece that provstream and the client get.
    pub(crate) size: usize,
}

/// Withholds nothing.
#[derive(Clone, Copy, Debug)]
struct All;

impl Policy for All {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }
}

/// What a naive gate writes of a whole text, and whether it ends it.
fn gated_naively(text: &str, policy: Drawn) -> (String, bool) {
    let short = Short {
        reading: Reading::TEXT,
        input: vec![Segment {
            own: true,
            bytes: text.as_bytes().to_vec(),
            after_break: false,
        }],
    };
    let (out, end) = naive::gate(&short, &RefLimits::default(), policy);
    (String::from_utf8(out).expect("UTF-8"), end.is_some())
}

/// What a gate with the policy of `policy.toml`, which gateways have, writes of a whole text.
fn by_policy(text: &str) -> String {
    let policy = include_bytes!("../policy.toml");
    let rules = Rules::from_toml(policy, &Vocabulary::memo()).expect("a policy");
    let mut out = Vec::new();
    let mut gate = Gate::new(Parser::new(), rules.policy(Timestamp::now));
    gate.push(text.as_bytes(), &mut out);
    gate.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// Returns `true` for the name of a file, with a seed, and `false` for the number of a made-up response.
fn is_recorded(source: &str) -> bool {
    source.contains(',')
}

impl Case {
    /// A made-up response.
    pub(crate) fn drawn(api: &'static Api, seed: u64) -> Self {
        let mut answer = Answer::draw(seed, api.choices);
        let events = (api.write)(&mut answer);
        let envelope = answer.random.clone();
        let clean = api.write_events(&events, envelope.clone());
        Self::of(api, seed, seed.to_string(), clean, &events, envelope)
    }

    /// A recorded response with these events.
    pub(crate) fn recorded(
        api: &'static Api,
        seed: u64,
        (name, body): (&str, &[u8]),
        events: &[Event],
    ) -> Self {
        let body = match api.envelope {
            // They are recorded after they were decoded, as server-sent events.
            Envelope::Frames => api.write_events(events, Random::new(seed)),
            _ => body.to_vec(),
        };
        let source = format!("{name}, {seed}");
        Self::of(api, seed, source, body, events, Random::new(seed))
    }

    #[expect(clippy::too_many_arguments, reason = "what a response is made from")]
    fn of(
        api: &'static Api,
        seed: u64,
        source: String,
        clean: Vec<u8>,
        clean_events: &[Event],
        envelope: Random,
    ) -> Self {
        let (mut events, mut texts) = inject(
            api,
            clean_events,
            ANNOTATIONS,
            &mut Random::new(seed ^ 0xA11),
        );
        if seed.is_multiple_of(2) {
            blocks::add(api, &mut events, &mut texts);
        }
        let gated = texts
            .values()
            .map(|text| gated_naively(&text.text, Drawn(seed)));
        let (mut gated, ends): (Vec<String>, Vec<bool>) = gated.unzip();
        gated.retain(|text| !text.is_empty());
        let mut by_policy: Vec<String> = texts.values().map(|text| by_policy(&text.text)).collect();
        by_policy.retain(|text| !text.is_empty());
        let is_citing = seed < CITING_SEEDS || is_recorded(&source);
        let citing =
            is_citing.then(|| CitingResponse::new(api, clean_events, seed, envelope.clone()));
        Self {
            api,
            source,
            seed,
            // No response takes a client more than 2,000 pieces.
            size: (1 + seed as usize % 64).max(clean.len() / 2_000),
            clean,
            annotated: api.write_events(&events, envelope),
            texts: texts.len(),
            gated,
            by_policy,
            citing,
            is_ended: ends.contains(&true),
        }
    }

    /// The body in a state, or `None` if there is no such state.
    pub(crate) fn body(&self, state: &str) -> Option<Vec<u8>> {
        let body = match state {
            "clean" => self.clean.clone(),
            "annotated" => self.annotated.clone(),
            "stripped" => self.stripped(),
            "released" => self.gated(All),
            "gated" => self.gated(Drawn(self.seed)),
            "uncited" | "rendered" => {
                let citing = self.citing.as_ref()?;
                citing.rewritten(
                    self.rewriter(citing::parser()),
                    self.size,
                    state == "rendered",
                )
            }
            _ => return None,
        };
        Some(match self.api.envelope {
            Envelope::Frames => frames(&body),
            _ => body,
        })
    }

    /// The rewriter of the response, which detects its format for every second one.
    fn rewriter(&self, parser: Parser) -> StreamRewriter {
        match self.seed % 2 {
            0 => StreamRewriter::new(self.api.format, parser),
            _ => StreamRewriter::detect(parser),
        }
    }

    fn stripped(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rewriter = self.rewriter(Parser::new());
        for chunk in self.annotated.chunks(self.size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        assert!(
            rewriter.report().is_complete(),
            "{}: {:?}",
            self.source,
            rewriter.report()
        );
        out
    }

    fn gated<P: Policy + Clone>(&self, policy: P) -> Vec<u8> {
        let mut out = Vec::new();
        let mut gate = match self.seed % 2 {
            0 => StreamGate::new(self.api.format, Parser::new(), policy),
            _ => StreamGate::detect(Parser::new(), policy),
        };
        for chunk in self.annotated.chunks(self.size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        assert!(
            gate.report().is_complete(),
            "{}: {:?}",
            self.source,
            gate.report()
        );
        out
    }

    /// Whether it has annotations.
    pub(crate) fn is_annotated(&self) -> bool {
        self.clean != self.annotated
    }

    /// What clients need to know of it.
    pub(crate) fn to_json(&self, number: usize) -> Value {
        let choices = if self.api.choices > 1 { self.texts } else { 1 };
        json!({"case": number, "api": self.api.name, "streamed": self.api.envelope != Envelope::Body,
               "source": self.source, "recorded": is_recorded(&self.source), "gated": self.gated, "by_policy": self.by_policy, "choices": choices,
               "citing": self.citing.as_ref().map(CitingResponse::to_json)})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_response_has_a_member_that_its_format_does_not_have() {
        for api in crate::api::all() {
            for seed in 0..5 {
                let body = Case::drawn(api, seed).annotated;
                let mut gate = StreamGate::new(api.format, Parser::new(), All);
                gate.push(&body, |_: &[u8]| {});
                gate.finish(|_: &[u8]| {});
                let report = gate.report();
                let members: Vec<_> = report.unread_members().collect();
                let label = format!("{}: {}", api.name, String::from_utf8_lossy(&body));
                assert_eq!(members, [], "{label}");
                assert!(report.is_complete(), "{report:?}, {label}");
            }
        }
    }
}
