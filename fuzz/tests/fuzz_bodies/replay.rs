//! The fuzz bodies over the corpus, its regressions and made-up input, without any fuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

use provstream_fuzz::{BODIES, Body, Input};

/// Made-up inputs a body gets: choices of the generator.
const GENERATED: u64 = 1_000;

/// Damaged files of the corpus a body gets.
const DAMAGED: u64 = 250;

fn corpus() -> PathBuf {
    testkit::root().join("corpus")
}

/// The files in a folder of the corpus whose names end like this, in the order of their names.
fn files(folder: &str, ends: &[&str]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(corpus().join(folder)).expect("a folder of the corpus") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if ends.iter().any(|end| name.ends_with(end)) && !name.ends_with(".text.json") {
            let name = format!("{folder}/{name}");
            found.push((name, fs::read(&path).expect("a readable file")));
        }
    }
    assert!(!found.is_empty(), "{folder}");
    found.sort();
    found
}

/// What the corpus has for a body.
fn seeds(input: Input) -> Vec<(String, Vec<u8>)> {
    let cases = [".txt", ".json", ".lines"];
    match input {
        Input::Stream => ["text", "json", "transcripts"]
            .map(|folder| files(folder, &cases))
            .concat(),
        Input::Json => [files("json", &cases), files("marc", &cases)].concat(),
        Input::Marc => [files("marc", &cases), files("json", &[".json"])].concat(),
        Input::Events => files("wire", &[".sse", ".ndjson", ".json"]),
        Input::Citations => [files("transcripts", &cases), files("text", &cases)].concat(),
        Input::Vocabulary | Input::Deployment => files("marc", &[".toml"]),
        Input::Fields => files("text", &cases),
    }
}

/// Inputs that once broke the body.
fn regressions(body: &Body) -> Vec<(String, Vec<u8>)> {
    let folder = format!("regressions/{}", body.name());
    if corpus().join(&folder).is_dir() {
        files(&folder, &[""])
    } else {
        Vec::new()
    }
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

/// The generator's choices for a seed.
fn choices(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let most = [20, 60, 200, 600][random.below(4)];
    let count = 1 + random.below(most);
    let choices = (0..count).map(|_| random.below(256) as u8);
    [0xFD].into_iter().chain(choices).collect()
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
    for (what, data) in regressions(body) {
        run(body, &what, &data);
    }
    let seeds = seeds(body.input());
    for (what, data) in &seeds {
        run(body, what, data);
        // What is read in another mode has settings in front: see fuzz/src/case.rs.
        if body.input() == Input::Stream {
            for how in 0..8 {
                let sizes = [[0; 7], [40, 30, 2, 20, 3, 12, 60]][usize::from(how / 2 % 2)];
                let settings = [&[0xFF, how], &sizes[..], &[how % 4, 0, 0, 0]].concat();
                let what = format!("{what} with {settings:?} in front");
                run(body, &what, &[&settings, &data[..]].concat());
            }
        }
    }
    for seed in 0..GENERATED {
        run(body, &format!("seed {seed}"), &choices(seed));
    }
    for seed in 0..DAMAGED {
        let mut random = Random(seed);
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
    rewrite,
    memory,
    adapters,
    json,
    writers,
    vocabulary_file,
    deployment_file,
    marc,
    citations,
    sse,
    wire_decoder,
    wire_rewriter,
    wire_memory,
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
            different.insert(body.expand(&choices(seed)).into_owned());
        }
        assert!(
            different.len() > 700,
            "{}: {}",
            body.name(),
            different.len()
        );
    }
}
