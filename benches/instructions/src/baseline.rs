//! The committed counts.

use std::collections::BTreeMap;
use std::fs;

use toml::de::{DeTable, DeValue};

use crate::callgrind::{Machine, Run};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/baseline.toml");

/// Committed instruction counts, with the machine on which they were taken.
pub(crate) struct Baseline {
    /// Machine of the counts.
    pub(crate) machine: Machine,
    /// Instructions of each case.
    pub(crate) counts: BTreeMap<String, u64>,
}

impl Baseline {
    /// The baseline as it is in the repository.
    pub(crate) fn read() -> Result<Self, String> {
        let text = fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
        let root = DeTable::parse(&text).map_err(|error| format!("{FILE}: {error}"))?;
        let root = root.get_ref();
        let table = |name| match root.get(name).map(toml::Spanned::get_ref) {
            Some(DeValue::Table(table)) => Ok(table),
            _ => Err(format!("{FILE}: no table {name}")),
        };
        let machine = table("machine")?;
        let about = |name| match machine.get(name).map(toml::Spanned::get_ref) {
            Some(DeValue::String(text)) => Ok(text.to_string()),
            _ => Err(format!("{FILE}: no string {name}")),
        };
        let is_built = |name: &str| cfg!(feature = "dialects") || !name.starts_with("dialects/");
        let counts = table("instructions")?
            .iter()
            .filter(|(name, _)| is_built(name.get_ref()))
            .map(|(name, value)| {
                let count = match value.get_ref() {
                    DeValue::Integer(count) => count.as_str().parse().ok(),
                    _ => None,
                };
                let count = count.ok_or_else(|| format!("{FILE}: {name} has no count"))?;
                Ok((name.get_ref().to_string(), count))
            })
            .collect::<Result<_, String>>()?;
        Ok(Self {
            machine: Machine {
                rustc: about("rustc")?,
                target: about("target")?,
                libc: about("libc")?,
                cpu: about("cpu")?,
            },
            counts,
        })
    }

    /// Puts a run in its place: with the feature `dialects` the cases of dialects, otherwise the others, as the feature takes
    /// instructions in all.
    pub(crate) fn write(run: &Run) -> Result<(), String> {
        let Machine {
            rustc,
            target,
            libc,
            cpu,
        } = &run.machine;
        let mut text = format!(
            "# Instructions of one pass of each case, written by\n\
             # cargo run --release -p provstream-instructions -- --renew\n\n\
             [machine]\nrustc = \"{rustc}\"\ntarget = \"{target}\"\nlibc = \"{libc}\"\ncpu = \"{cpu}\"\n\n\
             [instructions]\n"
        );
        let is_own = |name: &str| name.starts_with("dialects/") == cfg!(feature = "dialects");
        let old = fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
        let others = old.lines().filter(|line| {
            let name = line.strip_prefix('"');
            name.is_some_and(|name| !is_own(name))
        });
        others.for_each(|line| text += &format!("{line}\n"));
        for case in run.cases.iter().filter(|case| is_own(&case.name)) {
            text.push_str(&format!("\"{}\" = {}\n", case.name, case.instructions));
        }
        fs::write(FILE, text).map_err(|error| format!("{FILE}: {error}"))
    }
}
