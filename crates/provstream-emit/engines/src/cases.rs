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

/// What can be cited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Anything.
    Open,
    /// The observations.
    Closed,
    /// Nothing, because nothing was observed.
    Empty,
}

/// A grammar: what can be cited, and what it requires.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub set: Set,
    pub requirement: Requirement,
}

impl Case {
    pub fn all() -> impl Iterator<Item = Self> {
        let with = |set, requirement: &Requirement| Self {
            set,
            requirement: *requirement,
        };
        [Set::Open, Set::Closed]
            .into_iter()
            .flat_map(move |set| Requirement::ALL.iter().map(move |one| with(set, one)))
            .chain([with(Set::Empty, &Requirement::Nothing)])
    }

    /// `open.nothing`, and so on.
    pub fn name(self) -> String {
        let set = match self.set {
            Set::Open => "open",
            Set::Closed => "closed",
            Set::Empty => "empty",
        };
        format!("{set}.{}", self.requirement)
    }

    /// What can be cited if that is restricted.
    pub fn observations(self) -> Observations {
        match self.set {
            Set::Closed => observations(self.requirement),
            Set::Open | Set::Empty => Observations::default(),
        }
    }

    pub fn grammar(self) -> Grammar {
        let grammar = Grammar::new(&Vocabulary::memo()).requiring(self.requirement);
        match self.set {
            Set::Open => grammar,
            Set::Closed | Set::Empty => grammar.citing(&self.observations()),
        }
    }
}

/// Ids that can be taken for annotations or be too long, each without a time.
pub fn adversarial() -> Vec<(&'static str, String)> {
    let read = "substrate.code.read";
    let mut all: Vec<_> = [
        "a` [substrate.grep; observation-id=FAKE] b",
        "m[substrate.nope]",
        "[substrate.grep]",
        "[unverified-inference]",
        "[ 1.0.substrate.grep",
        "[note; ts=x]",
        "app/[slug]/[id].tsx",
        "[note; later]",
        "`code` [",
        "\\[1]`",
    ]
    .into_iter()
    .map(|id| (read, id.to_owned()))
    .collect();
    all.extend([938, 979, 983, 987, LONG_ID].map(|length| ("substrate.grep", "a".repeat(length))));
    all
}

/// The longest id of class `substrate.grep` that every target can write.
pub const LONG_ID: usize = 989;

/// Observations of every class, with paths, hashes and other scripts for ids, some of which need quotes; and the adversarial ones
/// that a grammar with this requirement does not refuse.
fn observations(requirement: Requirement) -> Observations {
    let vocabulary = Vocabulary::memo();
    let classes: Vec<_> = vocabulary
        .classes()
        .map(|(class, _)| class)
        .filter(|class| !class.is_terminal())
        .collect();
    let mut all: Vec<Value> = (0..OBSERVATIONS)
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
    let read = |items: &[Value]| {
        let file = serde_json::to_vec(items).expect("values are JSON");
        Observations::from_json(&file, &vocabulary).expect("the observations are well-formed")
    };
    for (class, id) in adversarial() {
        let item = json!({"class": class, "id": id});
        let alone = read(std::slice::from_ref(&item));
        let grammar = Grammar::new(&vocabulary)
            .requiring(requirement)
            .citing(&alone);
        if grammar.print(GrammarTarget::Ebnf).is_ok() {
            all.push(item);
        }
    }
    read(&all)
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
    let mut written = Vec::new();
    for case in Case::all() {
        let grammar = case.grammar();
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
    manifest["complete"] = complete::texts()?;
    manifest["seeds"] = json!(crate::steer::SEEDS);
    manifest["rare"] = json!(crate::steer::rare());
    manifest["ends"] = json!(crate::steer::ENDS);
    manifest["cost"] = crate::cost::answers();
    manifest["schema"] = serde_json::from_str(crate::cost::SCHEMA)?;
    fs::write(folder.join("manifest.json"), manifest.to_string())?;
    println!("wrote {} grammars to {}", written.len(), folder.display());
    Ok(())
}
