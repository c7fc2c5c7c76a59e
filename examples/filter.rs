//! A filter: standard input without its annotations to standard output, and what they say to standard error.
//!
//! `printf 'It is so. [substrate.grep] Really.' | cargo run --example filter`

use std::io::{self, ErrorKind, Read, Write};

use provstream::io::RewriteWriter;
use provstream::{Event, Parser};

fn main() -> io::Result<()> {
    let report = |event: Event<'_>| match event {
        Event::Assertion(assertion) => {
            let classes: Vec<_> = assertion
                .annotations()
                .map(|annotation| annotation.class().to_string())
                .collect();
            eprintln!("{:?}: {}", assertion.text(), classes.join(", "));
        }
        Event::Diagnostic(diagnostic) => eprintln!("{diagnostic}"),
        _ => {}
    };
    let mut input = io::stdin().lock();
    let mut output = RewriteWriter::new(io::stdout().lock(), Parser::new(), report);
    let mut room = [0; 4_096];
    loop {
        match input.read(&mut room) {
            Ok(0) => break,
            Ok(taken) => {
                output.write_all(&room[..taken])?;
                // What is certain is seen at once, however long the next bytes take.
                output.flush()?;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    output.finish().map(drop)
}
