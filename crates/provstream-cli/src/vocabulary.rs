//! `provstream vocabulary`, and the vocabulary file that every command takes.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::builder::styling::Style;
use provstream::provenance::Vocabulary;

use crate::args::VocabularyArgs;
use crate::failure::Failure;
use crate::settings;

/// Runs the command.
pub(crate) fn run(args: &VocabularyArgs) -> Result<ExitCode, Failure> {
    let vocabulary = load(args.vocabulary.as_deref())?;
    print(&vocabulary, &mut anstream::stdout().lock()).map_err(Failure::Write)?;
    Ok(ExitCode::SUCCESS)
}

/// Loads a vocabulary from a TOML file; without one, the built-in vocabulary.
pub(crate) fn load(path: Option<&Path>) -> Result<Vocabulary, Failure> {
    let Some(path) = path else {
        return Ok(Vocabulary::memo());
    };
    settings::load("--vocabulary", path, Vocabulary::from_toml)
}

/// Prints a table of the classes.
fn print(vocabulary: &Vocabulary, output: &mut impl Write) -> io::Result<()> {
    let mut rows: Vec<_> = vocabulary
        .classes()
        .map(|(class, since)| (class, since.to_string()))
        .collect();
    for terminal in vocabulary.terminals() {
        if rows.iter().all(|(class, _)| *class != terminal) {
            rows.push((terminal, "always".to_owned()));
        }
    }
    rows.sort_by_key(|(class, _)| class.is_terminal());
    let width = rows.iter().map(|(class, _)| class.as_str().len()).max();
    let width = width.unwrap_or_default();
    let head = Style::new().bold();
    writeln!(output, "Vocabulary {}\n", vocabulary.version())?;
    writeln!(output, "{head}{:width$}  since   terminal{head:#}", "class")?;
    for (class, since) in rows {
        let terminal = if class.is_terminal() { "yes" } else { "no" };
        writeln!(output, "{:width$}  {since:6}  {terminal}", class.as_str())?;
    }
    output.flush()
}
