//! Judges sampled answers with the parser.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use provstream::provenance::Vocabulary;
use provstream::{Event, Mode, Parser};
use provstream_emit::Requirement;
use serde_json::Value;

use crate::cases::{Case, observations};

/// What a reader found in the answers of one grammar.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    pub answers: usize,
    pub unfinished: usize,
    pub bytes: usize,
    pub annotations: usize,
    pub malformed: usize,
    pub unknown: usize,
    pub invented: usize,
    /// Attempts at annotations without an end.
    pub unterminated: usize,
    /// Answers with text that belongs to no assertion.
    pub bare: usize,
}

impl Found {
    /// Adds an answer, whose citations have to be among these.
    pub fn add_against(
        &mut self,
        answer: &[u8],
        case: Case,
        cited: &BTreeSet<(String, String, String)>,
    ) {
        let before = self.faults();
        self.answers += 1;
        self.bytes += answer.len();
        let mut parser = Parser::builder()
            .mode(Mode::Text)
            .vocabulary(Vocabulary::memo())
            .build();
        let mut covered: Vec<(usize, usize)> = Vec::new();
        let mut note = |event: Event<'_>| match event {
            Event::Annotation(found) => {
                let annotation = found.annotation();
                self.annotations += 1;
                let span = found.span();
                covered.push((span.start() as usize, span.end() as usize));
                match annotation.reason().map(|reason| reason.as_str()) {
                    None => {}
                    Some("malformed") => self.malformed += 1,
                    Some(_) => self.unknown += 1,
                }
                let id = annotation.observation_id().unwrap_or_default();
                if case.closed && !(id.is_empty() && annotation.class().is_terminal()) {
                    let ts = annotation.ts().unwrap_or_default();
                    let known = cited.iter().any(|(class, known, time)| {
                        (class == annotation.class().as_str() || annotation.class().is_terminal())
                            && known == id
                            && time == ts
                    });
                    self.invented += usize::from(!known);
                }
            }
            Event::Assertion(assertion) => {
                let span = assertion.span();
                covered.push((span.start() as usize, span.end() as usize));
            }
            Event::Diagnostic(diagnostic) => {
                let code = diagnostic.code().to_string();
                self.unterminated +=
                    usize::from(code == "unterminated" || code == "limit-annotation");
            }
            _ => {}
        };
        parser.push(answer, &mut note);
        parser.finish(&mut note);
        if case.requirement == Requirement::EverySentence {
            self.bare += usize::from(has_bare_text(answer, &mut covered));
        }
        if self.faults() > before {
            println!("a fault in {:?}", String::from_utf8_lossy(answer));
        }
    }

    pub fn faults(&self) -> usize {
        self.unfinished
            + self.malformed
            + self.unknown
            + self.invented
            + self.unterminated
            + self.bare
    }
}

/// Whether a letter is in no assertion and no annotation. Numbers of list items are no text.
fn has_bare_text(answer: &[u8], covered: &mut [(usize, usize)]) -> bool {
    let text = String::from_utf8_lossy(answer);
    covered.sort_unstable();
    text.char_indices().any(|(at, c)| {
        c.is_alphabetic()
            && !covered
                .iter()
                .any(|&(start, end)| (start..end).contains(&at))
    })
}

/// Judges the lines `{"file", "case", "target", "vocabulary", "finished", "bytes"}` of `DIR/samples.jsonl`.
pub fn run(folder: &Path) -> Result<()> {
    let text = fs::read_to_string(folder.join("samples.jsonl"))?;
    let cases: BTreeMap<String, Case> = Case::all().map(|case| (case.name(), case)).collect();
    let mut all: BTreeMap<String, Found> = BTreeMap::new();
    let cited = observations()
        .iter()
        .map(|observation| {
            let ts = observation.ts().unwrap_or_default();
            (
                observation.class().to_string(),
                observation.id().into(),
                ts.into(),
            )
        })
        .collect();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line)?;
        let case = cases[line["case"].as_str().unwrap_or_default()];
        let bytes: Vec<u8> = line["bytes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|byte| u8::try_from(byte.as_u64()?).ok())
            .collect();
        let found = all
            .entry(line["file"].as_str().unwrap_or_default().into())
            .or_default();
        found.add_against(&bytes, case, &cited);
        found.unfinished += usize::from(line["finished"] != true);
    }
    let mut faults = 0;
    for (file, found) in &all {
        report("xgrammar", file, found);
        // The older shape leaves terminals and other identifiers to the model; see docs/emission.md.
        faults += found.faults();
    }
    ensure!(faults == 0, "{faults} faults");
    Ok(())
}

pub fn report(engine: &str, file: &str, found: &Found) {
    println!(
        "{engine:10} {file:40} answers {:6} annotations {:6} bytes {:8} malformed {} unknown {} invented {} unterminated {} bare {} unfinished {}",
        found.answers,
        found.annotations,
        found.bytes,
        found.malformed,
        found.unknown,
        found.invented,
        found.unterminated,
        found.bare,
        found.unfinished,
    );
}
