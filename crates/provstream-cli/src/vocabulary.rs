//! `provstream vocabulary`.

use std::fmt::Write;
use std::process::ExitCode;

use clap::builder::styling::Style;
use provstream::provenance::{Class, Vocabulary};
use serde::Serialize;

use crate::args::VocabularyArgs;
use crate::color;
use crate::failure::Failure;
use crate::output::Output;
use crate::setup;

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum VocabularyLine<'a> {
    /// A class; `since` is absent for a terminal that is no class of the vocabulary.
    Class {
        class: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        since: Option<String>,
        terminal: bool,
    },
    /// The totals.
    End { version: String, classes: usize },
}

/// Runs the command.
pub(crate) fn run(args: &VocabularyArgs) -> Result<ExitCode, Failure> {
    let vocabulary = setup::vocabulary(&args.classes)?;
    let rows = rows(&vocabulary);
    let mut output = Output::stdout();
    if args.json {
        for (class, since) in &rows {
            output.line(&VocabularyLine::Class {
                class: class.as_str(),
                since: since.clone(),
                terminal: class.is_terminal(),
            });
        }
        output.line(&VocabularyLine::End {
            version: vocabulary.version().to_string(),
            classes: rows.len(),
        });
    } else {
        let table = table(&vocabulary, &rows);
        if color::is_wanted() {
            output.bytes(table.as_bytes());
        } else {
            let plain = anstream::adapter::strip_str(&table).to_string();
            output.bytes(plain.as_bytes());
        }
    }
    output.commit()?;
    Ok(ExitCode::SUCCESS)
}

/// The classes and the terminals, with the version that brought them.
fn rows(vocabulary: &Vocabulary) -> Vec<(Class, Option<String>)> {
    let mut rows: Vec<_> = vocabulary
        .classes()
        .map(|(class, since)| (class, Some(since.to_string())))
        .collect();
    for terminal in vocabulary.terminals() {
        if rows.iter().all(|(class, _)| *class != terminal) {
            rows.push((terminal, None));
        }
    }
    rows.sort_by_key(|(class, _)| class.is_terminal());
    rows
}

/// A table for people.
fn table(vocabulary: &Vocabulary, rows: &[(Class, Option<String>)]) -> String {
    let width = rows.iter().map(|(class, _)| class.as_str().len()).max();
    let width = width.unwrap_or_default();
    let head = Style::new().bold();
    let mut table = format!("Vocabulary {}\n\n", vocabulary.version());
    // Writing to a string cannot fail.
    let _ = writeln!(table, "{head}{:width$}  since   terminal{head:#}", "class");
    for (class, since) in rows {
        let since = since.as_deref().unwrap_or("always");
        let terminal = if class.is_terminal() { "yes" } else { "no" };
        let _ = writeln!(table, "{:width$}  {since:6}  {terminal}", class.as_str());
    }
    table
}
