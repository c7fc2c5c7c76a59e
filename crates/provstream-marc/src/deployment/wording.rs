//! `[wording]`: how disclosures speak.

use super::error::{DeploymentError, DeploymentErrorKind as Kind};
use super::read::text;
use crate::terms::{Band, Source, Target};
use crate::wording::{Wording, WordingError, WordingErrorKind, WordingPart};
use provstream::settings::{Table, Value};

/// What is said of wording: the default, but for what is replaced.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Words {
    pub(super) wording: Wording,
    /// Texts that cannot be told from others, and are not in the wording.
    pub(super) clashes: Vec<WordingError>,
}

impl Words {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&["message", "source", "band", "target", "no_target", "unit"])?;
        let texts = texts(&table)?;
        let mut wording = Wording::default();
        let mut clashes = Vec::new();
        // A text may be the same as a default one that is replaced later on.
        for _ in 0..=texts.len() {
            clashes.clear();
            for &(part, value) in &texts {
                match wording.clone().with(part, text(value)?) {
                    Ok(next) => wording = next,
                    Err(clash) if is_clash(&clash) => clashes.push(clash),
                    Err(error) => return Err(DeploymentError::of(Kind::BadWording, &value, error)),
                }
            }
            if clashes.is_empty() {
                break;
            }
        }
        Ok(Self { wording, clashes })
    }
}

const fn is_clash(error: &WordingError) -> bool {
    matches!(
        error.kind(),
        WordingErrorKind::SameAsOther | WordingErrorKind::NameOfOther
    )
}

/// The texts that are replaced; there are no more than parts of a wording.
fn texts<'t>(table: &Table<'t>) -> Result<Vec<(WordingPart, Value<'t>)>, DeploymentError> {
    let group = |key, names: &[&str]| table.get(key).map(|value| value.table(names)).transpose();
    // The text with an answer is the answer.
    let with_message: Vec<_> = WordingPart::all()
        .filter_map(|part| match part {
            WordingPart::Message(action) => Some(action.as_str()),
            _ => None,
        })
        .collect();
    let messages = group("message", &with_message)?;
    let sources = group("source", Source::NAMES)?;
    let bands = group("band", Band::NAMES)?;
    let targets = group("target", Target::NAMES)?;
    let of = |group: &Option<Table<'t>>, name| group.as_ref()?.get(name);
    let replaced = WordingPart::all().filter_map(|part| {
        let value = match part {
            WordingPart::Message(action) => of(&messages, action.as_str()),
            WordingPart::Source(source) => of(&sources, source.as_str()),
            WordingPart::Band(band) => of(&bands, band.as_str()),
            WordingPart::Target(target) => of(&targets, target.as_str()),
            WordingPart::NoTarget => table.get("no_target"),
            WordingPart::Unit => table.get("unit"),
        };
        Some((part, value?))
    });
    Ok(replaced.collect())
}
