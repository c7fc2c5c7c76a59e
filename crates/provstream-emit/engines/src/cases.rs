//! The grammars that are tried, and what the scripts need beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use provstream::provenance::Vocabulary;
use provstream_emit::{Grammar, GrammarTarget, Observations, Requirement};
use serde_json::{Value, json};

use crate::common::corpus;
use crate::{bpe, complete};

/// How many observations the closed grammars have.
const OBSERVATIONS: usize = 200;

/// A grammar: what it requires and whether the observations are closed.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub closed: bool,
    pub requirement: Requirement,
}

impl Case {
    pub fn all() -> impl Iterator<Item = Self> {
        [false, true].into_iter().flat_map(|closed| {
            Requirement::ALL.iter().map(move |&requirement| Self {
                closed,
                requirement,
            })
        })
    }

    /// `open.nothing`, and so on.
    pub fn name(self) -> String {
        let set = if self.closed { "closed" } else { "open" };
        format!("{set}.{}", self.requirement)
    }

    pub fn grammar(self, observations: &Observations) -> Grammar {
        let grammar = Grammar::new(&Vocabulary::memo()).requiring(self.requirement);
        if self.closed {
            grammar.citing(observations)
        } else {
            grammar
        }
    }
}

/// Observations of every class, with paths, hashes and other scripts for ids, some of which need quotes.
pub fn observations() -> Observations {
    let vocabulary = Vocabulary::memo();
    let classes: Vec<_> = vocabulary
        .classes()
        .map(|(class, _)| class)
        .filter(|class| !class.is_terminal())
        .collect();
    let all: Vec<Value> = (0..OBSERVATIONS)
        .map(|index| {
            let id = match index % 5 {
                0 => format!("src/module{index}/file.rs:{}", index * 7),
                1 => format!(
                    "sha256:{:016x}",
                    (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                ),
                2 => format!("会議メモ {index}"),
                3 => format!("a[{index}]; \"quoted\" \\ part"),
                _ => format!("{index}"),
            };
            let ts = (index % 7 != 0)
                .then(|| format!("2026-05-28T{:02}:{:02}:00Z", 8 + index / 60, index % 60));
            json!({"class": classes[index % classes.len()].as_str(), "id": id, "ts": ts})
        })
        .collect();
    let file = serde_json::to_vec(&all).expect("values are JSON");
    Observations::from_json(&file, &vocabulary).expect("the observations are well-formed")
}

/// Both vocabularies, by name.
pub fn vocabularies() -> Result<BTreeMap<&'static str, Vec<Vec<u8>>>> {
    Ok(BTreeMap::from([
        ("bytes", bpe::bytes()),
        ("bpe", bpe::train(&training_text()?)),
    ]))
}

/// The corpus' transcripts and some variation on their annotations.
fn training_text() -> Result<String> {
    let mut text = String::new();
    for path in corpus("transcripts") {
        text += &fs::read_to_string(path)?;
    }
    let classes: Vec<_> = Vocabulary::memo()
        .classes()
        .map(|(class, _)| class)
        .collect();
    for index in 0..400 {
        let class = &classes[index % classes.len()];
        text += &format!(
            "The value is {index}. [{class}; observation-id=src/part{index}.rs:{}; ts=2026-0{}-1{}T1{}:0{}:0{}Z]\n",
            index * 3,
            index % 9 + 1,
            index % 10,
            index % 10,
            index % 10,
            index % 10,
        );
    }
    Ok(text)
}

/// Writes all that the scripts read.
pub fn write(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let observations = observations();
    let mut written = Vec::new();
    for case in Case::all() {
        let grammar = case.grammar(&observations);
        for &target in GrammarTarget::ALL {
            let Ok(text) = grammar.print(target) else {
                continue;
            };
            let file = format!("{}.{target}", case.name());
            fs::write(folder.join(&file), text)?;
            written.push(json!({"file": file, "case": case.name(), "target": target.as_str()}));
        }
    }
    let mut manifest = json!({"grammars": written});
    for (name, tokens) in vocabularies()? {
        manifest["vocabularies"][name] = json!(tokens);
    }
    manifest["complete"] = complete::texts(&observations)?;
    manifest["seeds"] = json!(crate::steer::SEEDS);
    manifest["ends"] = json!(crate::steer::ENDS);
    manifest["cost"] = crate::cost::answers();
    manifest["schema"] = serde_json::from_str(crate::cost::SCHEMA)?;
    fs::write(folder.join("manifest.json"), manifest.to_string())?;
    println!("wrote {} grammars to {}", written.len(), folder.display());
    Ok(())
}
