//! `provstream marc project`.

use std::process::ExitCode;

use provstream::{Event, Handler};
use provstream_marc::{
    Content, Core, Deployment, Document, MarcKind, Profile, Projected, Projection,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::args::ProjectArgs;
use super::finding::{Finding, findings};
use super::record::{Judged, printable};
use crate::failure::{Failure, chain};
use crate::feed::Stream;
use crate::line::Line;
use crate::output::Output;
use crate::settings;
use crate::sink::Sink;
use provstream::Span;

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum ProjectLine<'a> {
    /// What may be shown of a record.
    Disclosure {
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        disclosure: Option<Box<RawValue>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        findings: Vec<Finding>,
    },
    /// Nothing is shown of a record yet.
    Deferred {
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        action: &'static str,
    },
    /// A record of which nothing can be shown.
    Refused {
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        message: String,
    },
}

/// Prints what may be shown of each record.
struct Project<'a> {
    output: Output,
    profile: Profile,
    projection: Projection,
    content: Content<'a>,
}

/// Runs the command.
pub(crate) fn run(args: &ProjectArgs) -> Result<ExitCode, Failure> {
    let mut projection = Projection::new();
    if let Some(path) = &args.deployment {
        let deployment = settings::load("--deployment", path, Deployment::from_toml)?;
        projection = projection.with_wording(super::wording::of(&deployment)?);
    }
    if args.hide_action {
        projection = projection.without_action();
    }
    if args.interim {
        projection = projection.with_interim();
    }
    let mut content = Content::new();
    if let Some(text) = &args.answer {
        content = content.answer(text);
    }
    if let Some(text) = &args.next_step {
        content = content.next_step(text);
    }
    let stream = Stream::records(&args.source.file, args.source.limits()?)?;
    let mut project = Project {
        output: Output::stdout(),
        profile: args.profile.profile(),
        projection,
        content,
    };
    stream.feed(&mut project)?;
    project.output.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl Project<'_> {
    fn record(&mut self, judged: &Judged<'_>, document: Document) {
        let (span, pointer) = judged.place();
        let Ok(record) = Core::new(document, self.profile) else {
            return self.output.line(&judged.line());
        };
        let line = match self.projection.project(&record, self.content) {
            Ok(Projected::Disclosed(disclosure)) => ProjectLine::Disclosure {
                span,
                pointer,
                disclosure: printable(disclosure.document()),
                findings: findings(&disclosure, record.selected_action()),
            },
            Ok(Projected::Deferred(action)) => ProjectLine::Deferred {
                span,
                pointer,
                action: action.as_str(),
            },
            Err(error) => ProjectLine::Refused {
                span,
                pointer,
                message: chain(&error),
            },
        };
        self.output.line(&line);
    }
}

impl Handler for Project<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Marc(object) if object.kind() == MarcKind::Core => {
                let mut judged = Judged::new(&object, self.profile);
                match judged.document.take() {
                    Some(document) if judged.report.is_valid() => self.record(&judged, document),
                    document => {
                        judged.document = document;
                        self.output.line(&judged.line());
                    }
                }
            }
            Event::Diagnostic(diagnostic) => self.output.line(&Line::from(diagnostic)),
            _ => {}
        }
    }
}

impl Sink for Project<'_> {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }
}
