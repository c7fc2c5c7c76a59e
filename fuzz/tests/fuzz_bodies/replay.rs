//! The fuzz bodies over the corpus, its regressions and made-up input, without any fuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

use provstream_fuzz::{BODIES, Body, Input, choices, with_settings};
use testkit::reference::engine::Cuts;
use testkit::search;

/// Choices of the generator that show what it makes.
const GENERATED: u64 = 1_000;

/// Seeds of a plain run.
const PLAIN: u64 = 200;

fn corpus() -> PathBuf {
    testkit::root().join("corpus")
}

/// The generator's choices for a seed, few or many.
fn generated(seed: u64) -> Vec<u8> {
    let most = [20, 60, 200, 600][(seed % 4) as usize];
    let count = 1 + Cuts(seed).below(most);
    choices(seed, count)
}

/// Runs a body, so that the input that breaks it is named.
fn run(body: &Body, what: &str, data: &[u8]) {
    let outcome = catch_unwind(|| body.run(data));
    let expanded = body.expand(data);
    assert!(
        outcome.is_ok(),
        "{} on {what}: {}\nwhich is {}",
        body.name(),
        data.escape_ascii(),
        expanded.escape_ascii()
    );
}

fn replay(name: &str) {
    let body = Body::named(name).expect("a body of that name");
    let regressions = body.regressions(&corpus()).expect("readable files");
    for (what, data) in regressions {
        run(body, &what, &data);
    }
    let seeds = body.corpus(&corpus()).expect("readable files");
    assert!(seeds.len() > 2, "{name} has {} files", seeds.len());
    for (what, data) in &seeds {
        run(body, what, data);
        // In every mode, with records held and not, with the default limits and small ones.
        if body.input() == Input::Stream {
            // The adapters, of which each takes many passes, know no modes; and the release point is searched for long.
            let is_slow = name == "release_point" && search::seeds(PLAIN) <= PLAIN;
            let step = if name.starts_with("adapters") || is_slow {
                3
            } else {
                1
            };
            for how in (0..8).step_by(step) {
                let sizes = [[0; 7], [40, 30, 2, 20, 3, 12, 60]][usize::from(how / 2 % 2)];
                let what = format!("{what} with {how} and {sizes:?} in front");
                run(body, &what, &with_settings(how, sizes, data));
            }
        }
    }
    for seed in 0..search::seeds(PLAIN) / 4 {
        run(body, &format!("seed {seed}"), &generated(seed));
    }
    for seed in 0..search::seeds(PLAIN) / 16 {
        let mut random = Cuts(seed);
        let (what, data) = &seeds[random.below(seeds.len())];
        let mut data = data.clone();
        for _ in 0..1 + random.below(4) {
            if data.is_empty() {
                break;
            }
            let at = random.below(data.len());
            match random.below(3) {
                0 => data[at] = random.below(256) as u8,
                1 => data.truncate(at),
                _ => data.insert(at, b"[]{}\"\\\n\r:"[random.below(9)]),
            }
        }
        run(body, &format!("{what}, damaged with seed {seed}"), &data);
    }
}

/// A test for each body.
macro_rules! replays {
    ($($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )+

        #[test]
        fn every_body_is_replayed() {
            let names: Vec<_> = BODIES.iter().map(Body::name).collect();
            assert_eq!(names, [$(stringify!($name)),+]);
        }
    };
}

replays!(
    no_panic,
    chunk_invariance,
    reference,
    conservation,
    holdback,
    release_point,
    gate,
    rewrite,
    memory,
    adapters,
    adapters_futures,
    adapters_tokio,
    offsets,
    markers,
    sentence,
    json,
    writers,
    vocabulary_file,
    dialect_file,
    deployment_file,
    admissibility,
    marc,
    marc_sequence,
    citations,
    sse,
    wire_decoder,
    wire_rewriter,
    wire_memory,
    wire_gate,
);

/// A folder under a name that no body has would never be replayed.
#[test]
fn every_regression_belongs_to_a_body() {
    let Ok(folders) = fs::read_dir(corpus().join("regressions")) else {
        return;
    };
    let names: BTreeSet<_> = BODIES.iter().map(Body::name).collect();
    for entry in folders {
        let entry = entry.expect("a readable entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(names.contains(&*name) || name == "README.md", "{name}");
    }
}

/// Otherwise the generator shows nothing: every kind of input is often enough what its body reads.
#[test]
fn the_generator_makes_what_is_read() {
    for body in &BODIES {
        let mut different = BTreeSet::new();
        for seed in 0..GENERATED {
            different.insert(body.expand(&generated(seed)).into_owned());
        }
        assert!(
            different.len() > 700,
            "{}: {}",
            body.name(),
            different.len()
        );
    }
}

/// A carriage return after white space at the end of a fence was once invisible to the search, and so were wide terminators without
/// white space after them.
#[test]
fn the_generator_makes_what_was_missed() {
    for (name, wanted) in [
        ("reference", &b"\n  ```  \r\n"[..]),
        ("reference", b"\n~~~~ \t\r\n"),
        ("sentence", "？a".as_bytes()),
    ] {
        let body = Body::named(name).expect("a body of that name");
        let made = (0..GENERATED).filter(|&seed| {
            let choices = generated(seed);
            let input = body.expand(&choices);
            input.windows(wanted.len()).any(|part| part == wanted)
        });
        assert!(made.count() >= 3, "{}", wanted.escape_ascii());
    }
}
