//! `provstream citations write`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use provstream::provenance::{Annotation, Assertion, LabelKind, Vocabulary};
use provstream::{Event, Handler, Mode, Parser, Rewriter, TextChunk};
use provstream_providers::citation::{
    Cited, CleanText, OpenAiShape, write_gemini_grounding, write_openai_annotations,
    write_web_annotation,
};
use provstream_providers::{Decoder, Format};

use crate::args::{CitationForm, WriteArgs};
use crate::failure::{Failure, note};
use crate::input::Input;
use crate::links::{LinkTemplate, link};
use crate::output::Output;
use crate::own_file;
use crate::setup;

/// Longest text that is read, in bytes: it is kept as a whole.
const MAX_TEXT: usize = 16 << 20;

/// The clean text, and the assertions in it.
#[derive(Debug)]
struct Annotated {
    text: Vec<u8>,
    assertions: Vec<Assertion<'static>>,
    /// The format of a response, if it is one.
    format: Option<Format>,
}

impl Handler for Annotated {
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
pub(crate) fn run(args: &WriteArgs) -> Result<ExitCode, Failure> {
    if args.form != CitationForm::WebAnnotation && args.links.is_empty() {
        return Err(Failure::Usage(
            "--link is missing, and this form has nothing but links; give one, as in --link https://example.org/{id}".to_owned(),
        ));
    }
    if args.form != CitationForm::WebAnnotation && args.source.is_some() {
        return Err(Failure::Usage(
            "--source is only for --as web-annotation, whose annotations name the text; leave it out".to_owned(),
        ));
    }
    if args.hide_ids && args.links.iter().any(LinkTemplate::has_id) {
        return Err(Failure::Usage(
            "--hide-ids cannot be used with {id} in --link".to_owned(),
        ));
    }
    let read_from = [
        ("FILE", args.file.as_deref()),
        ("--vocabulary", args.classes.vocabulary.as_deref()),
    ];
    own_file::check_output(args.output.as_deref(), read_from)?;
    let vocabulary = setup::vocabulary(&args.classes)?;
    check_links(&args.links, &vocabulary)?;
    let parser = Parser::builder()
        .mode(Mode::Text)
        .vocabulary(vocabulary)
        .build();
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let annotated = read(path, parser)?;
    let text = String::from_utf8(annotated.text).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Unknown(format!(
            "cannot cite {}: expected UTF-8, found the byte 0x{:02X} at byte {at} of the text without annotations",
            path.display(),
            error.as_bytes()[at]
        ))
    })?;
    let is_empty = text.is_empty();
    let text = CleanText::new(&text);
    let assertions: Vec<_> = annotated
        .assertions
        .iter()
        .filter_map(|assertion| cited(&text, assertion, args.hide_ids))
        .collect();
    let mut output = Output::open(args.output.as_deref())?;
    output.bytes(json(args, &assertions).as_bytes());
    output.bytes(b"\n");
    output.commit()?;
    let left = annotated.assertions.len() - assertions.len();
    note_left(left, is_empty, &annotated.assertions, annotated.format);
    note_unlinked(args, &annotated.assertions);
    Ok(ExitCode::SUCCESS)
}

/// Says what of the input is not a text with annotations.
fn note_left(left: usize, is_empty: bool, assertions: &[Assertion<'_>], response: Option<Format>) {
    if left > 0 {
        note(format_args!(
            "{left} assertions have no place in the text and are left out"
        ));
    }
    if let Some(format) = response {
        note(format_args!(
            "expected the text of an answer with its annotations, found a response of {format}; give only the text in it"
        ));
    } else if is_empty {
        note("there is no text, expected that of an answer with its annotations");
    } else if !assertions.iter().any(Assertion::is_annotated) {
        note("there are no annotations in the text, expected at least one in brackets");
    }
}

/// Says how many annotations are left out because they have no link, and why.
fn note_unlinked(args: &WriteArgs, assertions: &[Assertion<'_>]) {
    if args.form == CitationForm::WebAnnotation {
        return;
    }
    let (mut terminals, mut without_id, mut others) = (0, 0, 0);
    let mut classes = BTreeSet::new();
    for annotation in assertions.iter().flat_map(Assertion::annotations) {
        let shown = match args.hide_ids {
            true => annotation.clone().without_observation_id(),
            false => annotation.clone(),
        };
        if link(&args.links, &shown).is_some() {
            continue;
        }
        if annotation.label_kind() != LabelKind::Corroborated {
            terminals += 1;
        } else if args.links.iter().any(|link| is_for(link, &annotation)) {
            without_id += 1;
        } else {
            others += 1;
            classes.insert(annotation.class().to_string());
        }
    }
    let classes = classes.into_iter().collect::<Vec<_>>().join(", ");
    for (count, why) in [
        (terminals, "as a terminal or an unknown class cites nothing".to_owned()),
        (
            without_id,
            "without an observation id for {id}; an address without {id}, such as --link https://example.org/{class}, links all".to_owned(),
        ),
        (
            others,
            format!("without a --link for the class ({classes}); --link URL is for all classes"),
        ),
    ] {
        match count {
            0 => {}
            1 => note(format_args!("1 annotation is left out, {why}")),
            count => note(format_args!("{count} annotations are left out, {why}")),
        }
    }
}

/// Whether a template is for the class of an annotation.
fn is_for(template: &LinkTemplate, annotation: &Annotation<'_>) -> bool {
    template
        .class()
        .is_none_or(|class| class == annotation.class().as_str())
}

/// Of two addresses for the same class it is not clear which one is meant, and a class that is not known has no annotations.
fn check_links(links: &[LinkTemplate], vocabulary: &Vocabulary) -> Result<(), Failure> {
    let mut given = BTreeSet::new();
    for class in links.iter().map(LinkTemplate::class) {
        if let Some(class) = class
            && vocabulary.class(class).is_none()
        {
            return Err(setup::unknown_class("--link", class, vocabulary));
        }
        if !given.insert(class) {
            return Err(setup::given_twice("--link", class));
        }
    }
    Ok(())
}

fn read(path: &Path, parser: Parser) -> Result<Annotated, Failure> {
    let mut input = Input::open(path)?;
    let mut rewriter = Rewriter::new(parser);
    let mut probe = Decoder::detect();
    let mut annotated = Annotated {
        text: Vec::new(),
        assertions: Vec::new(),
        format: None,
    };
    let mut buffer = vec![0; 1 << 16];
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
            return Err(Failure::Unknown(format!(
                "cannot cite {}: expected a text of at most {MAX_TEXT} bytes (16 MiB), found a longer one; divide it",
                input.name()
            )));
        }
    }
    rewriter.finish(&mut annotated);
    probe.finish(|_| {});
    annotated.format = probe.format();
    Ok(annotated)
}

/// An assertion at its place, without observation ids if they are to be hidden.
fn cited<'a>(
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

fn json(args: &WriteArgs, cited: &[Cited<'_>]) -> String {
    let link = |annotation: &Annotation<'_>| link(&args.links, annotation);
    match args.form {
        CitationForm::WebAnnotation => {
            let source = args.source.as_deref().unwrap_or_default();
            let annotations: Vec<_> = (1..)
                .zip(cited)
                .map(|(number, cited)| {
                    let id = format!("{source}#annotation-{number}");
                    write_web_annotation(cited, &id, source)
                })
                .collect();
            format!("[{}]", annotations.join(","))
        }
        CitationForm::OpenaiChat => write_openai_annotations(cited, OpenAiShape::Chat, link),
        CitationForm::OpenaiResponses => {
            write_openai_annotations(cited, OpenAiShape::Responses, link)
        }
        CitationForm::Gemini => write_gemini_grounding(cited, 0, link),
    }
}
