//! `provstream summary`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use provstream::provenance::{Annotation, Assertion, Discipline, Timestamp};
use provstream::{Citation, Event, Handler, Mode, TextChunk};
use provstream_providers::{Channel, Pointer};
use serde::Serialize;

use super::admit::{ClockOptions, discipline};
use crate::error::exit_code_of_files;
use crate::files::InputFiles;
use crate::hidden_annotations::{HiddenAnnotationDetector, hidden_message};
use crate::input::{InputSource, input_name};
use crate::messages::{EscapeControls, print_note, styled};
use crate::options::{
    AssertionLimits, ClassWindow, DialectOptions, FieldOptions, FileOptions, InputFormat,
    InputOptions, OutputOptions, WindowParser, floor,
};
use crate::output::{Output, is_terminal};
use crate::reader::{StreamReader, pump};
use crate::scan::pretty::BOLD;
use crate::scan::unannotated::UnannotatedSentences;
use crate::sink::{StreamNotice, StreamSink, TextName};
use crate::verdict::format_duration;

/// Count assertions, annotations by class, ages and reasons, in a table
///
///     provstream summary answers/*.txt
///     provstream summary --by class --recursive answers/
///     provstream summary --field '/messages/*/content' --by field chats.jsonl
///     provstream summary --floor 2 --window 1h --by file answers/*.txt
///
/// `unannotated` counts the sentences of free text, and the asserted objects in JSON, without an
/// annotation. Ages are those of the `ts` of annotations at --now. With --floor, verdicts are
/// counted as `provstream admit` gives them. With --dialect, `citations` counts the sentences that
/// cite sources, and `unknown-source` and `no-source-list` the cited identifiers not in --sources.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SummaryOptions {
    #[command(flatten)]
    files: FileOptions,
    /// Rows of the table: one for each file, class or field [default: class, and one for all]
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<GroupBy>,
    /// Print one JSON object a line instead of a table
    #[arg(long)]
    json: bool,
    /// Number of distinct classes that must count, to count verdicts
    #[arg(long, value_name = "K", value_parser = floor, requires = "windows")]
    floor: Option<NonZeroUsize>,
    /// Oldest age of an observation that counts, as for `provstream admit`
    #[arg(long = "window", value_name = "[CLASS=]AGE", value_parser = WindowParser, hide_possible_values = true, requires = "floor")]
    windows: Vec<ClassWindow>,
    #[command(flatten)]
    clock: ClockOptions,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    fields: FieldOptions,
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    dialects: DialectOptions,
    #[command(flatten)]
    limits: AssertionLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum GroupBy {
    File,
    Class,
    Field,
}

/// Counts by name.
type CountsByName = BTreeMap<String, u64>;

/// Counts of a row.
#[derive(Debug, Default, Serialize)]
struct Group {
    assertions: u64,
    annotations: u64,
    unannotated: u64,
    /// Annotations by class.
    classes: CountsByName,
    /// Annotations whose class is not the declared one, by reason.
    reasons: CountsByName,
    ages: Ages,
    /// Assertions by verdict, with --floor.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    verdicts: CountsByName,
    /// Sentences that cite sources with markers, with --dialect.
    #[serde(skip_serializing_if = "is_zero")]
    citations: u64,
    /// Cited identifiers that are not listed, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unlisted: CountsByName,
    diagnostics: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Ages of annotations, in seconds.
#[derive(Debug, Default, Serialize)]
struct Ages {
    /// Annotations without a `ts` that is a time.
    without_ts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    youngest: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<i64>,
}

impl Group {
    fn add_annotation(&mut self, annotation: &Annotation<'_>, now: Timestamp) {
        self.annotations += 1;
        *self
            .classes
            .entry(annotation.class().to_string())
            .or_default() += 1;
        if let Some(reason) = annotation.reason() {
            *self.reasons.entry(reason.to_string()).or_default() += 1;
        }
        let Some(time) = annotation.timestamp() else {
            self.ages.without_ts += 1;
            return;
        };
        let age = now.unix_seconds().saturating_sub(time.unix_seconds());
        let ages = &mut self.ages;
        ages.youngest = Some(ages.youngest.map_or(age, |youngest| youngest.min(age)));
        ages.oldest = Some(ages.oldest.map_or(age, |oldest| oldest.max(age)));
    }
}

/// Line of the output in JSON.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum SummaryRecord<'a> {
    Summary {
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<GroupBy>,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        #[serde(flatten)]
        group: &'a Group,
    },
    End {
        files: usize,
    },
}

/// Runs the command.
pub(crate) fn run(options: &SummaryOptions) -> anyhow::Result<ExitCode> {
    let input = &options.input;
    let vocabulary = input.vocabulary.load()?;
    let rule = options.floor.map(|floor| {
        discipline(
            floor,
            (&options.windows, &[]),
            options.clock.skew,
            &vocabulary,
        )
    });
    let parser = input.parser(options.limits.limits(input)?, vocabulary.clone());
    let parser = options.dialects.apply(input, parser, &vocabulary)?.build();
    let files = InputFiles::new(&options.files)?;
    let output = options
        .output
        .open(files.inputs([input.vocabulary_file()]))?;
    let mut summary = Summary {
        pointers: options.fields.distinct()?,
        is_json: matches!(input.mode, Mode::Json | Mode::Ndjson),
        by: options.by.unwrap_or(GroupBy::Class),
        discipline: rule.transpose()?,
        now: options.clock.now.unwrap_or_else(Timestamp::now),
        total: Group::default(),
        groups: BTreeMap::new(),
        name: String::new(),
        channel: None,
        hidden: HiddenAnnotationDetector::new(Mode::Text),
        sentences: UnannotatedSentences::default(),
        found: 0,
    };
    let all = files.paths.len();
    let unreadable = files.for_each(|path, progress| {
        summary.name = input_name(path);
        let is_text = input.input == InputFormat::Raw && summary.pointers.is_empty();
        let file = InputSource::open_with(path, progress.clone())?;
        let reader = StreamReader::new(input.input, parser.clone(), |rewriter| rewriter);
        let reader = reader.with_fields(summary.pointers, 1, false);
        let mut file = file.detect_response(is_text);
        summary.hidden = HiddenAnnotationDetector::new(match summary.pointers.is_empty() {
            true => input.mode,
            false => Mode::Text,
        });
        let end = pump(&mut file, reader, input.chunk_size, &mut summary)?;
        summary.count_sentences();
        if let Some(message) = end.fields.missing(summary.pointers) {
            print_note(format_args!("{}: {message}", file.name()));
        }
        if let Some(place) = summary.hidden.found() {
            let message = hidden_message(place, "read");
            print_note(format_args!("{}: {message}", file.name()));
        }
        if !end.status.is_fully_read() {
            print_note(format_args!("{}: {}", file.name(), end.status));
        }
        Ok(())
    })?;
    match options.json {
        true => summary.print_json(output, all - unreadable as usize)?,
        false => summary.print_table(output, is_terminal(options.output.path()))?,
    }
    exit_code_of_files(Ok(unreadable), false, true)
}

/// Counts the events of all files.
struct Summary<'o> {
    pointers: &'o [Pointer],
    is_json: bool,
    by: GroupBy,
    discipline: Option<Discipline>,
    now: Timestamp,
    total: Group,
    groups: BTreeMap<String, Group>,
    /// Name of the current file or field.
    name: String,
    channel: Option<Channel>,
    hidden: HiddenAnnotationDetector,
    sentences: UnannotatedSentences,
    /// Sentences found in the current text.
    found: u64,
}

impl Summary<'_> {
    /// Calls `add` for the totals and, unless rows are classes, for the row of the current file or field.
    fn add(&mut self, add: impl Fn(&mut Group)) {
        add(&mut self.total);
        if self.by != GroupBy::Class {
            add(self.groups.entry(self.name.clone()).or_default());
        }
    }

    fn count_sentences(&mut self) {
        let count = self.found + self.sentences.finish().len() as u64;
        self.found = 0;
        if !self.is_json {
            self.add(|group| group.unannotated += count);
        }
    }

    fn assertion(&mut self, assertion: &Assertion<'_>) {
        self.sentences.assertion(self.channel, assertion);
        self.found += self.sentences.take().len() as u64;
        let now = self.now;
        let verdict = self.discipline.as_ref();
        let reason = verdict.map(|rule| rule.judge(assertion, now).reason().to_string());
        let count = |group: &mut Group| {
            group.assertions += 1;
            if let Some(reason) = &reason {
                *group.verdicts.entry(reason.clone()).or_default() += 1;
            }
        };
        self.add(|group| {
            count(group);
            group.unannotated += u64::from(!assertion.is_annotated());
            for annotation in assertion.annotations() {
                group.add_annotation(&annotation, now);
            }
        });
        if self.by == GroupBy::Class {
            let mut classes = BTreeSet::new();
            for annotation in assertion.annotations() {
                let class = annotation.class().to_string();
                let group = self.groups.entry(class.clone()).or_default();
                group.add_annotation(&annotation, now);
                if classes.insert(class) {
                    count(group);
                }
            }
        }
    }

    fn citation(&mut self, citation: &Citation<'_>) {
        self.add(|group| {
            group.citations += 1;
            for reason in citation.ids().filter_map(|cited| cited.reason) {
                *group.unlisted.entry(reason.to_string()).or_default() += 1;
            }
        });
    }

    fn print_json(&self, mut output: Output, files: usize) -> anyhow::Result<()> {
        for (name, group) in &self.groups {
            let (by, name) = (Some(self.by), Some(name.as_str()));
            output.write_record(&SummaryRecord::Summary { by, name, group });
        }
        output.write_record(&SummaryRecord::Summary {
            by: None,
            name: None,
            group: &self.total,
        });
        output.write_record(&SummaryRecord::End { files });
        output.commit()
    }

    /// Prints a table with a row for each group, and one for all.
    fn print_table(&self, mut output: Output, is_styled: bool) -> anyhow::Result<()> {
        let total = ("all".to_owned(), &self.total);
        let groups = self.groups.iter();
        let groups = groups.map(|(name, group)| (EscapeControls(name).to_string(), group));
        let rows: Vec<_> = groups.chain([total]).collect();
        let names = rows.iter().map(|(name, _)| name.chars().count()).max();
        let mut lines: Vec<String> = vec![" ".repeat(names.unwrap_or_default())];
        let width = lines[0].len();
        lines.extend(rows.iter().map(|(name, _)| format!("{name:width$}")));
        for (heading, cell) in self.columns() {
            let cells: Vec<String> = rows.iter().map(|(_, group)| cell(group)).collect();
            let width = cells
                .iter()
                .map(String::len)
                .fold(heading.len(), usize::max);
            let cells = [heading].into_iter().chain(cells);
            for (line, cell) in lines.iter_mut().zip(cells) {
                line.push_str(&format!("  {cell:>width$}"));
            }
        }
        lines[0] = match is_styled {
            true => styled(format!("{BOLD}{}{BOLD:#}", lines[0])),
            false => lines[0].clone(),
        };
        output.write_bytes((lines.join("\n") + "\n").as_bytes());
        output.commit()
    }

    /// Headings of the columns, and their cells.
    fn columns(&self) -> Vec<(String, Cell)> {
        let column = |heading: &str, cell: fn(&Group) -> String| -> (String, Cell) {
            (heading.to_owned(), Box::new(cell))
        };
        let mut columns = vec![
            column("assertions", |group| group.assertions.to_string()),
            column("annotations", |group| group.annotations.to_string()),
            column("unannotated", |group| group.unannotated.to_string()),
            column("without ts", |group| group.ages.without_ts.to_string()),
            column("youngest", |group| age(group.ages.youngest)),
            column("oldest", |group| age(group.ages.oldest)),
            column("diagnostics", |group| group.diagnostics.to_string()),
        ];
        if self.total.citations > 0 {
            columns.push(column("citations", |group| group.citations.to_string()));
        }
        let counts: [fn(&Group) -> &CountsByName; 3] = [
            |group| &group.unlisted,
            |group| &group.reasons,
            |group| &group.verdicts,
        ];
        for of in counts {
            for name in of(&self.total).keys() {
                let name = name.clone();
                let heading = name.clone();
                let cell = move |group: &Group| {
                    let count = of(group).get(&name).copied();
                    count.unwrap_or_default().to_string()
                };
                columns.push((heading, Box::new(cell)));
            }
        }
        columns
    }
}

/// Content of a column in the row of a group.
type Cell = Box<dyn Fn(&Group) -> String>;

/// Formats an age; a negative age is in the future.
fn age(seconds: Option<i64>) -> String {
    let Some(seconds) = seconds else {
        return "-".to_owned();
    };
    let sign = if seconds < 0 { "-" } else { "" };
    let duration = Duration::from_secs(seconds.unsigned_abs());
    format!("{sign}{}", format_duration(duration))
}

impl Handler for Summary<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        self.hidden.push(text.bytes());
        self.sentences.push(self.channel, text.bytes());
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Assertion(assertion) => {
                self.hidden.stop();
                self.assertion(&assertion);
            }
            Event::Citation(citation) => self.citation(&citation),
            Event::Diagnostic(_) => self.add(|group| group.diagnostics += 1),
            _ => {}
        }
    }
}

impl StreamSink for Summary<'_> {
    fn on_text(&mut self, name: &TextName, _: bool) {
        self.hidden.enter(name);
        match name {
            TextName::Channel { channel, .. } => self.channel = Some(*channel),
            TextName::Field { field, .. } if self.by == GroupBy::Field => {
                self.pointers[*field].as_str().clone_into(&mut self.name);
            }
            TextName::Field { .. } => {}
        }
    }

    fn on_text_end(&mut self, name: &TextName) {
        if let TextName::Field { .. } = name {
            self.count_sentences();
        }
    }

    fn on_notice(&mut self, _: &StreamNotice<'_>) {
        self.add(|group| group.diagnostics += 1);
    }
}
