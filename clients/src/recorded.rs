//! Recorded responses: the project's own without annotations, and those beside the repository, if there are any.

use provstream_providers::Format;
use testkit::wire::fixtures::{Fixture, own, shared};

use crate::api::{self, Api};
use crate::case::Case;
use crate::event::{self, Envelope};

/// Each of them with annotations at places drawn from this many seeds.
pub(crate) fn cases(seeds: u64) -> Vec<Case> {
    let own = own()
        .into_iter()
        .filter(|fixture| fixture.name.contains(".plain."));
    let shared = shared()
        .into_iter()
        .filter(|fixture| fixture.name.contains(".recorded."));
    let mut cases = Vec::new();
    for fixture in own.chain(shared) {
        let Some(events) = event::read(&fixture.bytes) else {
            println!("SKIPPED: {} has half of a surrogate pair", fixture.name);
            continue;
        };
        for seed in 0..seeds {
            // Sizes of pieces are spread over all cases.
            let seed = cases.len() as u64 + seed * 7;
            let recording = (&*fixture.name, &*fixture.bytes);
            cases.push(Case::recorded(api(&fixture), seed, recording, &events));
        }
    }
    cases
}

fn api(fixture: &Fixture) -> &'static Api {
    let name = match fixture.format {
        Format::Ollama => "ollama-chat".to_owned(),
        Format::BedrockConverse => "bedrock".into(),
        Format::OpenAiChat if fixture.name.contains("vllm") => "vllm".into(),
        Format::OpenAiChat if fixture.name.contains("llamacpp") => "llama-cpp-chat".into(),
        other => other.to_string(),
    };
    let mut apis = api::all().filter(|api| api.envelope != Envelope::Body);
    apis.find(|api| api.name == name)
        .expect("an API of the format")
}
