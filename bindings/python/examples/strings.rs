//! The Rust library on strings in memory, for `engines/speed.py`.
//!
//! `strings FILE PASSES` reads a file of strings, each after its length (4 bytes, little-endian), and prints a line for each way
//! of using the events: its name, the least processor seconds of a pass, the least seconds of a pass, and the assertions found.

use std::time::Instant;
use std::{env, error::Error, fs, hint::black_box};

use provstream::provenance::Assertion;
use provstream::{Event, Parser};
use rustix::time::{ClockId, clock_gettime};

/// What is done with the assertions of a string.
type Use = fn(&mut Vec<Assertion<'static>>, &Assertion<'_>);

const USES: [(&str, Use); 3] = [
    // As short as a caller can be: nothing is read of an assertion.
    ("count", |_, _| {}),
    // Every value of every assertion and annotation is read where it lies.
    ("read", |_, assertion| {
        black_box((
            assertion.text(),
            assertion.span(),
            assertion.clean_span(),
            assertion.pointer(),
        ));
        for annotation in assertion.annotations() {
            black_box((
                annotation.class().as_str(),
                annotation.declared(),
                annotation.timestamp(),
            ));
            black_box((annotation.observation_id(), annotation.span()));
        }
    }),
    // Every assertion is kept to the end of the pass, as the columns are.
    ("keep", |kept, assertion| {
        kept.push(assertion.clone().into_owned());
    }),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("expected the path of a file")?;
    let passes: usize = arguments
        .next()
        .ok_or("expected a number of passes")?
        .parse()?;
    let file = fs::read(path)?;
    let mut strings = Vec::new();
    let mut rest = &file[..];
    while let Some((length, after)) = rest.split_first_chunk() {
        let (string, after) = after.split_at(u32::from_le_bytes(*length) as usize);
        strings.push(string);
        rest = after;
    }
    for (name, take) in USES {
        let (mut processor, mut wall, mut found) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..passes {
            let (before, started) = (processor_seconds(), Instant::now());
            found = pass(&strings, take);
            wall = wall.min(started.elapsed().as_secs_f64());
            processor = processor.min(processor_seconds() - before);
        }
        println!("{name} {processor} {wall} {found}");
    }
    Ok(())
}

/// Reads all strings; returns the number of assertions.
fn pass(strings: &[&[u8]], take: Use) -> u64 {
    let mut parser = Parser::new();
    let mut kept = Vec::new();
    let mut found = 0;
    for string in strings {
        let mut sink = |event: Event<'_>| {
            if let Event::Assertion(assertion) = &event {
                found += 1;
                take(&mut kept, assertion);
            }
        };
        parser.push(string, &mut sink);
        parser.finish(&mut sink);
        parser.reset();
    }
    black_box(kept);
    found
}

/// What the one thread has used of a processor, by the clock that `time.thread_time` of Python reads.
// `/proc/self/schedstat` is brought up to date by the scheduler only: differences of it are off by up to a tick, and the least of
// some passes is too low.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
