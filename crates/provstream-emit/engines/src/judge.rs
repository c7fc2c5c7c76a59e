//! Judges sampled answers with the parser.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use provstream::provenance::Vocabulary;
use provstream::{Event, Mode, Parser};
use provstream_emit::Requirement;
use serde_json::Value;

use crate::cases::{Case, Set};

/// What a reader found in the answers of one grammar.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    pub answers: usize,
    pub unfinished: usize,
    pub bytes: usize,
    pub annotations: usize,
    /// Annotations that begin with no trigger of a structural tag.
    pub outside: usize,
    pub malformed: usize,
    pub unknown: usize,
    pub invented: usize,
    /// Attempts at annotations without an end.
    pub unterminated: usize,
    /// Answers with text that belongs to no assertion.
    pub bare: usize,
    /// Annotations that reach no assertion, where each sentence needs one.
    pub lost: usize,
}

/// What the answers of a grammar are judged by.
#[derive(Clone, Debug)]
pub struct Rules {
    pub case: Case,
    /// Class, id and time of what can be cited.
    pub cited: BTreeSet<(String, String, String)>,
    /// What a tag begins with, where a grammar restricts nothing else. Without any, all annotations count.
    pub triggers: Vec<String>,
}

impl Rules {
    pub fn new(case: Case) -> Self {
        let observations = case.observations();
        let cited = observations.iter().map(|observation| {
            let class = observation.class().to_string();
            let ts = observation.ts().unwrap_or_default();
            (class, observation.id().into(), ts.into())
        });
        Self {
            case,
            cited: cited.collect(),
            triggers: Vec::new(),
        }
    }

    /// Whether the grammar answers for what begins there.
    fn covers(&self, answer: &[u8]) -> bool {
        let mut triggers = self.triggers.iter();
        self.triggers.is_empty() || triggers.any(|trigger| answer.starts_with(trigger.as_bytes()))
    }
}

impl Found {
    /// Adds an answer.
    pub fn add(&mut self, answer: &[u8], rules: &Rules) {
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
                if !rules.covers(&answer[span.start() as usize..]) {
                    self.outside += 1;
                    return;
                }
                match annotation.reason().map(|reason| reason.as_str()) {
                    None => {}
                    Some("malformed") => self.malformed += 1,
                    Some(_) => self.unknown += 1,
                }
                let id = annotation.observation_id().unwrap_or_default();
                if rules.case.set != Set::Open
                    && !(id.is_empty() && annotation.class().is_terminal())
                {
                    let ts = annotation.ts().unwrap_or_default();
                    let known = rules.cited.iter().any(|(class, known, time)| {
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
                let is_open = code == "unterminated" || code == "limit-annotation";
                let start = diagnostic.span().start() as usize;
                self.unterminated += usize::from(is_open && rules.covers(&answer[start..]));
                let is_lost = ["no-assertion", "limit-annotations", "limit-pending"];
                let needs_each = rules.case.requirement == Requirement::EverySentence;
                self.lost += usize::from(needs_each && is_lost.contains(&code.as_str()));
            }
            _ => {}
        };
        parser.push(answer, &mut note);
        parser.finish(&mut note);
        if rules.case.requirement == Requirement::EverySentence {
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
            + self.lost
    }
}

/// Whether a letter is in no assertion and no annotation. Numbers of list items are no text.
fn has_bare_text(answer: &[u8], covered: &mut [(usize, usize)]) -> bool {
    covered.sort_unstable();
    let mut start = 0;
    answer.utf8_chunks().any(|chunk| {
        let valid = chunk.valid();
        let is_bare = valid.char_indices().any(|(at, c)| {
            let is_covered = |&(from, to): &(usize, usize)| (from..to).contains(&(start + at));
            c.is_alphabetic() && !covered.iter().any(is_covered)
        });
        start += valid.len() + chunk.invalid().len();
        is_bare
    })
}

/// The triggers of a structural tag of either shape; of one that wraps a grammar, none.
fn triggers(text: &str) -> Result<Vec<String>> {
    let tag: Value = serde_json::from_str(text)?;
    let triggers = tag["format"]["triggers"].as_array();
    let triggers = triggers.or(tag["triggers"].as_array());
    let triggers = triggers.into_iter().flatten();
    Ok(triggers
        .filter_map(|trigger| trigger.as_str().map(Into::into))
        .collect())
}

/// Judges the lines `{"file", "case", "target", "vocabulary", "finished", "bytes"}` of `DIR/samples.jsonl`.
pub fn run(folder: &Path) -> Result<()> {
    let text = fs::read_to_string(folder.join("samples.jsonl"))?;
    let cases: BTreeMap<String, Case> = Case::all().map(|case| (case.name(), case)).collect();
    let mut all: BTreeMap<String, (Rules, Found)> = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line)?;
        let file = line["file"].as_str().unwrap_or_default();
        if !all.contains_key(file) {
            let mut rules = Rules::new(cases[line["case"].as_str().unwrap_or_default()]);
            if file.contains("structural-tag") {
                rules.triggers = triggers(&fs::read_to_string(folder.join(file))?)?;
            }
            all.insert(file.into(), (rules, Found::default()));
        }
        let bytes: Vec<u8> = line["bytes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|byte| u8::try_from(byte.as_u64()?).ok())
            .collect();
        let Some((rules, found)) = all.get_mut(file) else {
            continue;
        };
        found.add(&bytes, rules);
        found.unfinished += usize::from(line["finished"] != true);
    }
    let mut faults = 0;
    for (file, (_, found)) in &all {
        report("xgrammar", file, found);
        faults += found.faults();
    }
    ensure!(faults == 0, "{faults} faults");
    Ok(())
}

pub fn report(engine: &str, file: &str, found: &Found) {
    println!(
        "{engine:10} {file:40} answers {:6} annotations {:6} bytes {:8} outside {} malformed {} unknown {} invented {} unterminated {} bare {} lost {} unfinished {}",
        found.answers,
        found.annotations,
        found.bytes,
        found.outside,
        found.malformed,
        found.unknown,
        found.invented,
        found.unterminated,
        found.bare,
        found.lost,
        found.unfinished,
    );
}
