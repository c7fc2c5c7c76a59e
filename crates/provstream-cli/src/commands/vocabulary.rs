//! `provstream vocabulary`.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use provstream::provenance::{Class, Vocabulary};
use serde::Serialize;

use crate::messages::styled;
use crate::options;
use crate::output::Output;
use crate::scan::pretty::BOLD;

/// List the substrate classes that annotations can name
///
/// The vocabulary of version 1.0 is built in. Another one is loaded from a TOML file:
///
///     version = "1.1"
///
///     [[class]]
///     id = "substrate.ct.log"
///     since = "1.1"
///     description = "What a certificate transparency log says."
///
/// A vocabulary of version 1.x has the classes of version 1.0; they need not be repeated. One of
/// version 2.0 or later has only the classes that it lists, and the terminals. A terminal says
/// that nothing corroborates the assertion, or that what did is too old.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ListOptions {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    vocabulary: options::VocabularyOptions,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum VocabularyRecord<'a> {
    /// Class; `since` is absent for a terminal that is not a class of the vocabulary.
    Class {
        class: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        since: Option<String>,
        terminal: bool,
    },
    End {
        version: String,
        classes: usize,
    },
}

/// Runs the command.
pub(crate) fn run(options: &ListOptions) -> anyhow::Result<ExitCode> {
    let vocabulary = options.vocabulary.load()?;
    let rows = rows(&vocabulary);
    let mut output = Output::stdout();
    if options.json {
        for (class, since) in &rows {
            output.write_record(&VocabularyRecord::Class {
                class: class.as_str(),
                since: since.clone(),
                terminal: class.is_terminal(),
            });
        }
        output.write_record(&VocabularyRecord::End {
            version: vocabulary.version().to_string(),
            classes: rows.len(),
        });
    } else {
        output.write_bytes(styled(table(&vocabulary, &rows)).as_bytes());
    }
    output.commit()?;
    Ok(ExitCode::SUCCESS)
}

/// Classes and terminals, each with the version that added it.
fn rows(vocabulary: &Vocabulary) -> Vec<(Class, Option<String>)> {
    let classes = vocabulary.classes();
    let mut rows: Vec<_> = classes
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

fn table(vocabulary: &Vocabulary, rows: &[(Class, Option<String>)]) -> String {
    let width = rows
        .iter()
        .map(|(class, _)| class.as_str().len())
        .max()
        .unwrap_or_default();
    let mut table = format!("Vocabulary {}\n\n", vocabulary.version());
    // Writing to a string cannot fail.
    let _ = writeln!(table, "{BOLD}{:width$}  since   terminal{BOLD:#}", "class");
    for (class, since) in rows {
        let since = since.as_deref().unwrap_or("always");
        let terminal = if class.is_terminal() { "yes" } else { "no" };
        let _ = writeln!(table, "{:width$}  {since:6}  {terminal}", class.as_str());
    }
    table
}
