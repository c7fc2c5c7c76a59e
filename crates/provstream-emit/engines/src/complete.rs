//! What every grammar must accept, and what it must refuse.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Result, ensure};
use provstream::provenance::{Annotation, write_bracketed};
use provstream::{Event, Mode, Parser};
use provstream_emit::Observations;
use serde_json::{Value, json};

use crate::cases::corpus;

/// Every well-formed annotation of the corpus that the writer can produce, as it writes it.
pub fn well_formed() -> Result<Vec<String>> {
    let mut all = BTreeSet::new();
    for path in corpus("text")?.into_iter().chain(corpus("transcripts")?) {
        let bytes = fs::read(path)?;
        let mut parser = Parser::builder().mode(Mode::Text).build();
        let mut note = |event: Event<'_>| {
            if let Event::Annotation(found) = event {
                let annotation = found.annotation();
                if annotation.reason().is_none()
                    && let Ok(written) = write_bracketed(&annotation)
                {
                    all.insert(written);
                }
            }
        };
        parser.push(&bytes, &mut note);
        parser.finish(&mut note);
    }
    Ok(all.into_iter().collect())
}

/// Annotations that are not well-formed, name no class or have a time that is not one, each of which a reader takes for one.
pub fn malformed() -> Vec<String> {
    let mut all = Vec::new();
    let names = [
        "substrate.git.log",
        "substrate.grep",
        "substrate.code.read",
        "substrate.fs.mtime",
        "substrate.mcp.brief",
        "substrate.do.sse-count",
        "substrate.unix.peercred",
        "unverified-inference",
        "decayed-to-uncertainty",
    ];
    let rests = [
        "; ;",
        "; x",
        "; observation-id",
        "; observation-id=",
        "; observation-id=\"\"",
        "; ts=",
        "; ts=yesterday; ts=",
        "; observation-id=a; observation-id=b",
        "; observation-id=a; observation_id=b",
        "; ts=2026-05-28T11:40:00Z; ts=2026-05-28T11:40:00Z",
        "; x=",
        "; x=1;;",
        "; observation-id=a; ;",
        "; ts",
        "; ts=\"\"",
        "; ts=2026-05-28",
        "; ts=2026-05-28T11:40Z",
        "; ts=2026-05-28T11:40:00",
        "; ts=2026-02-30T11:40:00Z",
        "; ts=2026-13-01T11:40:00Z",
        "; ts=2026-05-28T24:00:00Z",
        "; ts=2026-05-28T11:60:00Z",
        "; ts=2026-05-28T11:40:00+24:00",
        "; ts=28 May 2026",
        "; ts=2026-05-28T11:40:60Z",
        "; observation-id=\"a\"b",
        "; observation-id=\"\\x\"",
        "; =a",
        "; observation-id=a; ts=today",
        "; observation-id=a; ts=2026-05-28T11:40:00Z; ;",
    ];
    for name in names {
        all.extend(rests.iter().map(|rest| format!("[{name}{rest}]")));
        all.push(format!("[{}]", name.to_uppercase()));
        all.push(format!("[2.0.{name}]"));
        all.push(format!("[1.7.{name}]"));
        all.push(format!("[01.0.{name}]"));
    }
    for other in [
        "telepathy",
        "gre",
        "grepp",
        "grep.x",
        "Grep",
        "git",
        "git.logs",
        "code-read",
    ] {
        all.push(format!("[substrate.{other}]"));
        all.push(format!("[1.0.substrate.{other}]"));
        all.push(format!("[ substrate.{other} ; observation-id=x]"));
        all.push(format!("[{other} ; ts = x]"));
    }
    all
}

/// Whether the parser finds a fault in an annotation.
fn is_flagged(annotation: &str) -> bool {
    let mut parser = Parser::builder().mode(Mode::Text).build();
    let mut is_flagged = false;
    let mut note = |event: Event<'_>| {
        is_flagged |= match event {
            Event::Annotation(found) => found.annotation().reason().is_some(),
            Event::Diagnostic(_) => true,
            _ => false,
        }
    };
    parser.push(format!("It is so. {annotation}").as_bytes(), &mut note);
    parser.finish(&mut note);
    is_flagged
}

/// What the scripts try: texts with the cases in which they must be accepted, and those that must be refused.
pub fn texts(observations: &Observations) -> Result<Value> {
    let accepted = well_formed()?;
    let cited: Vec<String> = observations
        .iter()
        .map(|observation| {
            let class = observation.class();
            let mut annotation = Annotation::new(class.clone(), class.as_str())
                .with_observation_id(observation.id());
            if let Some(ts) = observation.ts() {
                annotation = annotation.with_ts(ts);
            }
            Ok(write_bracketed(&annotation)?)
        })
        .collect::<Result<_>>()?;
    let refused = malformed();
    for one in &refused {
        ensure!(is_flagged(one), "the parser finds nothing wrong with {one}");
    }
    Ok(json!({"open": accepted, "closed": cited, "refused": refused}))
}
