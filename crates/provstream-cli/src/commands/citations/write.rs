//! `provstream citations write`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};
use provstream::provenance::{Annotation, Assertion, LabelKind, Vocabulary};
use provstream::{Event, Handler, Mode, Parser, Rewriter, TextChunk};
use provstream_providers::citation::{
    Cited, CleanText, LinkTemplate, OpenAiShape, write_gemini_grounding, write_openai_annotations,
    write_web_annotation,
};
use provstream_providers::{Decoder, Format};

use crate::error::usage_error;
use crate::input::{BUFFER, InputSource};
use crate::messages::{count, print_note};
use crate::options::{VocabularyOptions, duplicate_class_error, unknown_class_error};
use crate::output::{Output, refuse_input_as_output};

/// Longest text, in bytes: it is kept in memory.
const MAX_TEXT: usize = 16 << 20;

/// Write the annotations of a text as W3C, OpenAI or Gemini citations
///
/// The input is a text with annotations in brackets, at most 16 MiB. Offsets count in the text without
/// annotations, as `provstream strip` writes it. The output is one JSON value: an array of web annotations,
/// an array `annotations`, or an object `groundingMetadata`.
#[derive(Debug, Args)]
pub(crate) struct WriteOptions {
    /// Form of the citations
    #[arg(long = "as", value_name = "FORM")]
    form: CitationForm,
    /// IRI of the text without annotations, the target of web annotations, which need it
    #[arg(long, value_name = "IRI", required_if_eq("form", "web-annotation"), value_parser = iri)]
    source: Option<String>,
    /// Address of the observations of a class, or of all classes without one of their own
    ///
    /// {id} is replaced by the observation id and {class} by the class, both percent-encoded, as in
    /// `substrate.code.read=https://example.org/{id}`. OpenAI's and Gemini's forms have nothing but links: an
    /// annotation without one is left out.
    #[arg(long = "link", value_name = "[CLASS=]URL")]
    links: Vec<LinkTemplate>,
    /// Leave out observation ids, which may expose a path, a hash or a peer
    #[arg(long)]
    hide_ids: bool,
    /// File to read, or - for standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write to this file, which is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    vocabulary: VocabularyOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CitationForm {
    /// Array of W3C Web Annotations
    WebAnnotation,
    /// `annotations` of a message of OpenAI's chat completions
    OpenaiChat,
    /// `annotations` of a text of OpenAI's Responses
    OpenaiResponses,
    /// `groundingMetadata` of a candidate of Gemini
    Gemini,
}

/// Reads an absolute IRI without a fragment (RFC 3987 2.2), as far as its characters and its scheme show.
fn iri(text: &str) -> Result<String, &'static str> {
    let is_scheme = |scheme: &str| {
        let mut rest = scheme.bytes();
        rest.next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && rest.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let is_allowed = |c: char| !c.is_control() && !c.is_whitespace() && !"\"#<>\\^`{|}".contains(c);
    match text.split_once(':') {
        Some((scheme, rest))
            if is_scheme(scheme) && !rest.is_empty() && text.chars().all(is_allowed) =>
        {
            Ok(text.to_owned())
        }
        _ => Err("expected an absolute IRI without a fragment, as in https://example.org/answer/7"),
    }
}

/// Clean text with its assertions.
#[derive(Debug)]
struct AnnotatedText {
    text: Vec<u8>,
    assertions: Vec<Assertion<'static>>,
    /// Format of the input, if it is a response.
    format: Option<Format>,
}

impl Handler for AnnotatedText {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = event {
            self.assertions.push(assertion.into_owned());
        }
    }
}

/// Runs the command.
pub(crate) fn run(options: &WriteOptions) -> anyhow::Result<ExitCode> {
    check(options)?;
    let (file, output) = (options.file.as_deref(), options.output.as_deref());
    let vocabulary = ("--vocabulary", options.vocabulary.vocabulary.as_deref());
    refuse_input_as_output("--output", output, [("FILE", file), vocabulary])?;
    let vocabulary = options.vocabulary.load()?;
    check_links(&options.links, &vocabulary)?;
    let parser = Parser::builder()
        .mode(Mode::Text)
        .vocabulary(vocabulary)
        .build();
    let path = file.unwrap_or(Path::new("-"));
    let annotated = read(path, parser)?;
    let Ok(text) = String::from_utf8(annotated.text) else {
        bail!(
            "cannot cite {}: expected UTF-8, found other bytes",
            path.display()
        );
    };
    let clean = CleanText::new(&text);
    let assertions = &annotated.assertions;
    let located = assertions
        .iter()
        .filter(|assertion| assertion.is_annotated())
        .filter_map(|assertion| locate(&clean, assertion, options.hide_ids));
    let located: Vec<_> = located.collect();
    let mut output = Output::open(output)?;
    output.write_bytes(json(options, &located).as_bytes());
    output.write_bytes(b"\n");
    output.commit()?;
    let left_out = assertions.len() - located.len();
    if left_out > 0 {
        print_note(format_args!(
            "{} not in the text",
            count(left_out as u64, "assertion")
        ));
    }
    if let Some(format) = annotated.format {
        print_note(format_args!(
            "expected the text of an answer, found a response of {format}; give only the text in it"
        ));
    } else if !assertions.iter().any(Assertion::is_annotated) {
        print_note("there are no annotations in the text, expected at least one in brackets");
    }
    report_left_out(options, assertions);
    Ok(ExitCode::SUCCESS)
}

/// Refuses options that do not go together.
fn check(options: &WriteOptions) -> anyhow::Result<()> {
    let is_web = options.form == CitationForm::WebAnnotation;
    let message = if !is_web && options.links.is_empty() {
        "--link is missing, and this form has nothing but links; give one, as in --link https://example.org/{id}"
    } else if !is_web && options.source.is_some() {
        "--source is only for --as web-annotation"
    } else if options.hide_ids && options.links.iter().any(LinkTemplate::has_id) {
        "--hide-ids cannot be used with {id} in --link"
    } else {
        return Ok(());
    };
    Err(usage_error(message))
}

/// Prints how many annotations have no link.
fn report_left_out(options: &WriteOptions, assertions: &[Assertion<'_>]) {
    if options.form == CitationForm::WebAnnotation {
        return;
    }
    let annotations = assertions.iter().flat_map(Assertion::annotations);
    let is_left_out = |annotation: &Annotation<'_>| {
        let shown = match options.hide_ids {
            true => annotation.clone().without_observation_id(),
            false => annotation.clone(),
        };
        LinkTemplate::expand(&options.links, &shown).is_none()
    };
    let (terminals, others): (Vec<_>, Vec<_>) = annotations
        .filter(is_left_out)
        .partition(|annotation| annotation.label_kind() != LabelKind::Corroborated);
    for (annotations, why) in [
        (terminals, "a terminal or an unknown class cites nothing"),
        (
            others,
            "there is no --link for the class, or no observation id for {id}",
        ),
    ] {
        if let Some(first) = annotations.first() {
            let count = count(annotations.len() as u64, "annotation");
            print_note(format_args!(
                "{count} left out (the first {}): {why}",
                first.declared()
            ));
        }
    }
}

/// Refuses two links for a class, and links for unknown classes.
fn check_links(links: &[LinkTemplate], vocabulary: &Vocabulary) -> anyhow::Result<()> {
    let mut given = BTreeSet::new();
    for class in links.iter().map(LinkTemplate::class) {
        if let Some(class) = class.filter(|class| vocabulary.class(class).is_none()) {
            return Err(unknown_class_error("--link", class, vocabulary));
        }
        if !given.insert(class) {
            return Err(duplicate_class_error("--link", class));
        }
    }
    Ok(())
}

fn read(path: &Path, parser: Parser) -> anyhow::Result<AnnotatedText> {
    let mut input = InputSource::open(path)?;
    let mut rewriter = Rewriter::new(parser);
    let mut probe = Decoder::detect();
    let mut annotated = AnnotatedText {
        text: Vec::new(),
        assertions: Vec::new(),
        format: None,
    };
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = input.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        rewriter.push(&buffer[..count], &mut annotated);
        if probe.format().is_none() {
            probe.push(&buffer[..count], |_| {});
        }
        if rewriter.parser().position() > MAX_TEXT as u64 {
            bail!(
                "cannot cite {}: expected at most {MAX_TEXT} bytes, found more",
                input.name()
            );
        }
    }
    rewriter.finish(&mut annotated);
    probe.finish(|_| {});
    annotated.format = probe.format();
    Ok(annotated)
}

/// Locates an assertion in the clean text, without observation ids if they are hidden.
fn locate<'a>(
    text: &CleanText<'a>,
    assertion: &'a Assertion<'_>,
    hide_ids: bool,
) -> Option<Cited<'a>> {
    if !hide_ids {
        return text.assertion(assertion);
    }
    let annotations = assertion
        .annotations()
        .map(Annotation::without_observation_id);
    text.cite(assertion.clean_span()?, annotations)
}

fn json(options: &WriteOptions, cited: &[Cited<'_>]) -> String {
    let link = |annotation: &Annotation<'_>| LinkTemplate::expand(&options.links, annotation);
    match options.form {
        CitationForm::WebAnnotation => {
            let source = options.source.as_deref().unwrap_or_default();
            let annotations = (1..).zip(cited).map(|(number, cited)| {
                let id = format!("{source}#annotation-{number}");
                write_web_annotation(cited, &id, source)
            });
            format!("[{}]", annotations.collect::<Vec<_>>().join(","))
        }
        CitationForm::OpenaiChat => write_openai_annotations(cited, OpenAiShape::Chat, link),
        CitationForm::OpenaiResponses => {
            write_openai_annotations(cited, OpenAiShape::Responses, link)
        }
        CitationForm::Gemini => write_gemini_grounding(cited, 0, link),
    }
}
