//! Arguments of `provstream citations`.

use std::path::PathBuf;

use clap::{Args as ArgGroup, Subcommand, ValueEnum};
use provstream_providers::citation::Provider;

use super::classes::ClassesArgs;
use super::help;
use crate::links::LinkTemplate;
use crate::values::iri;

/// A command about citations.
#[derive(Debug, Subcommand)]
pub(crate) enum CitationsCommand {
    /// Print the citations in a provider's response, one JSON object a line
    #[command(long_about = help::CITATIONS_READ, after_long_help = help::EXIT_CITATIONS_READ)]
    Read(ReadArgs),
    /// Write the annotations of a text as W3C, OpenAI or Gemini citations
    #[command(long_about = help::CITATIONS_WRITE, after_long_help = help::EXIT)]
    Write(WriteArgs),
}

/// Arguments of `provstream citations read`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ReadArgs {
    /// Whose response it is: anthropic, openai, gemini or cohere
    #[arg(long, value_name = "PROVIDER", value_parser = provider)]
    pub(crate) from: Provider,
    /// Exit with status 3 if there was a diagnostic, or the input was not a response of the provider
    #[arg(long)]
    pub(crate) fail: bool,
    /// The file to read, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Write to this file instead of standard output; it is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `provstream citations write`.
#[derive(Debug, ArgGroup)]
pub(crate) struct WriteArgs {
    /// The form: web-annotation, openai-chat, openai-responses or gemini
    #[arg(long = "as", value_name = "FORM", hide_possible_values = true)]
    pub(crate) form: CitationForm,
    /// The IRI of the text without annotations, which web annotations are about
    #[arg(long, value_name = "IRI", required_if_eq("form", "web-annotation"), value_parser = iri)]
    pub(crate) source: Option<String>,
    /// Where the observations of a class are found, or of all classes without one of their own
    ///
    /// An address in which {id} is replaced by the observation id and {class} by the class, both percent-encoded, as in
    /// `substrate.code.read=https://example.org/{id}`. An annotation without an observation id gets no link from an address
    /// with {id}. OpenAI's and Gemini's forms have nothing but links: an annotation without one is left out.
    #[arg(long = "link", value_name = "[CLASS=]URL")]
    pub(crate) links: Vec<LinkTemplate>,
    /// Leave out observation ids, which may expose a path, a hash or a peer
    #[arg(long)]
    pub(crate) hide_ids: bool,
    /// The file to read, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Write to this file instead of standard output; it is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Where the classes come from.
    #[command(flatten)]
    pub(crate) classes: ClassesArgs,
}

/// A form in which others cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CitationForm {
    /// An array of W3C Web Annotations.
    WebAnnotation,
    /// The `annotations` of a message of OpenAI's chat completions.
    OpenaiChat,
    /// The `annotations` of a text of OpenAI's Responses.
    OpenaiResponses,
    /// The `groundingMetadata` of a candidate of Gemini.
    Gemini,
}

fn provider(name: &str) -> Result<Provider, String> {
    let all = [
        Provider::Anthropic,
        Provider::OpenAi,
        Provider::Gemini,
        Provider::Cohere,
    ];
    all.into_iter()
        .find(|provider| provider.as_str() == name)
        .ok_or_else(|| {
            let names = all.map(Provider::as_str).join(", ");
            format!("expected one of {names}")
        })
}
