//! `provstream summary`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use provstream::provenance::{Annotation, Assertion, Discipline, Timestamp};
use provstream::{BracketAnnotation, Event, Handler, Mode, Replacement, TextChunk};
use provstream_providers::{Channel, Pointer, Reasoning};
use serde::Serialize;

use super::admit::{ClockOptions, discipline};
use crate::error::{EXIT_ERROR, is_input_error, report};
use crate::files::InputFiles;
use crate::input::{Input, input_name};
use crate::messages::{EscapeControls, print_note, styled};
use crate::options::{
    AssertionLimits, FieldOptions, InputFormat, InputOptions, Window, WindowParser, floor,
};
use crate::output::{Output, is_terminal};
use crate::reader::{StreamReader, pump};
use crate::scan::pretty::BOLD;
use crate::scan::unannotated::UnannotatedSentences;
use crate::sink::{StreamNotice, StreamSink};
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
/// counted as `provstream admit` gives them.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SummaryOptions {
    /// Files to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Read the files in directories, and in the directories in them
    #[arg(long, short)]
    recursive: bool,
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
    windows: Vec<Window>,
    #[command(flatten)]
    clock: ClockOptions,
    /// Write to this file, which is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    fields: FieldOptions,
    #[command(flatten)]
    input: InputOptions,
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

/// Counts of a row.
#[derive(Debug, Default, Serialize)]
struct Group {
    assertions: u64,
    annotations: u64,
    unannotated: u64,
    /// Annotations by class.
    classes: BTreeMap<String, u64>,
    /// Annotations whose class is not the declared one, by reason.
    reasons: BTreeMap<String, u64>,
    ages: Ages,
    /// Assertions by verdict, with --floor.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    verdicts: BTreeMap<String, u64>,
    diagnostics: u64,
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

/// Row of the output in JSON.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "summary")]
struct SummaryRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<GroupBy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(flatten)]
    group: &'a Group,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "end")]
struct EndRecord {
    files: u64,
}

/// Runs the command.
pub(crate) fn run(options: &SummaryOptions) -> anyhow::Result<ExitCode> {
    let input = &options.input;
    let vocabulary = input.vocabulary.load()?;
    let rule = options
        .floor
        .map(|floor| discipline(floor, &options.windows, options.clock.skew, &vocabulary));
    let parser = input
        .parser(options.limits.limits(input)?, vocabulary)
        .build();
    let pointers = options.fields.distinct()?;
    let files = InputFiles::new(&options.files, options.recursive)?;
    let mut collector = Collector {
        options,
        pointers: &pointers,
        discipline: rule.transpose()?,
        now: options.clock.now.unwrap_or_else(Timestamp::now),
        output: Output::open(options.output.as_deref())?,
        total: Group::default(),
        groups: BTreeMap::new(),
        name: String::new(),
        channel: None,
        sentences: UnannotatedSentences::default(),
    };
    let (mut read, mut is_unreadable) = (0, false);
    for path in files.paths {
        let result = path.and_then(|path| {
            collector.name = input_name(&path);
            let is_text = input.input == InputFormat::Raw && pointers.is_empty();
            let mut file =
                Input::open_with(&path, files.progress.clone())?.detect_response(is_text);
            let reader = match pointers.is_empty() {
                true => StreamReader::new(input.input, parser.clone(), Reasoning::Leave),
                false => StreamReader::of_fields(&pointers, parser.clone(), 1),
            };
            let end = pump(&mut file, reader, input.chunk_size, &mut collector)?;
            collector.count_sentences();
            if !end.status.is_fully_read() {
                print_note(format_args!("{}: {}", collector.name, end.status));
            }
            Ok(())
        });
        match result {
            Ok(()) => read += 1,
            Err(error) if files.are_named && is_input_error(&error) => {
                is_unreadable = true;
                report(&error);
            }
            Err(error) => return Err(error),
        }
    }
    collector.print(read)?;
    Ok(ExitCode::from(if is_unreadable { EXIT_ERROR } else { 0 }))
}

/// Counts the events of all files.
struct Collector<'o> {
    options: &'o SummaryOptions,
    pointers: &'o [Pointer],
    discipline: Option<Discipline>,
    now: Timestamp,
    output: Output,
    total: Group,
    groups: BTreeMap<String, Group>,
    /// Name of the current file or field.
    name: String,
    channel: Option<Channel>,
    sentences: UnannotatedSentences,
}

impl Collector<'_> {
    /// Calls `add` for the totals and, unless rows are classes, for the row of the current file or field.
    fn add(&mut self, add: impl Fn(&mut Group)) {
        add(&mut self.total);
        if matches!(self.options.by, Some(GroupBy::File | GroupBy::Field)) {
            add(self.groups.entry(self.name.clone()).or_default());
        }
    }

    fn count_sentences(&mut self) {
        let count = self.sentences.finish().count();
        if !matches!(self.options.input.mode, Mode::Json | Mode::Ndjson) {
            self.add(|group| group.unannotated += count);
        }
    }

    fn assertion(&mut self, assertion: &Assertion<'_>) {
        self.sentences.assertion(self.channel, assertion);
        let now = self.now;
        let verdict = self
            .discipline
            .as_ref()
            .map(|rule| rule.judge(assertion, now));
        let reason = verdict.map(|verdict| verdict.reason().to_string());
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
        if matches!(self.options.by, None | Some(GroupBy::Class)) {
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

    /// Prints a table or JSON.
    fn print(mut self, files: u64) -> anyhow::Result<()> {
        let by = self.options.by;
        if self.options.json {
            for (name, group) in &self.groups {
                let (by, name) = (by.or(Some(GroupBy::Class)), Some(name.as_str()));
                self.output.write_record(&SummaryRecord { by, name, group });
            }
            let group = &self.total;
            self.output.write_record(&SummaryRecord {
                by: None,
                name: None,
                group,
            });
            self.output.write_record(&EndRecord { files });
            return self.output.commit();
        }
        let table = self.table();
        let table = match is_terminal(self.options.output.as_deref()) {
            true => styled(table),
            false => anstream::adapter::strip_str(&table).to_string(),
        };
        self.output.write_bytes(table.as_bytes());
        self.output.commit()
    }

    fn table(&self) -> String {
        let mut columns = vec![
            "assertions",
            "annotations",
            "unannotated",
            "without ts",
            "youngest",
            "oldest",
            "diagnostics",
        ];
        let reasons: Vec<_> = self.total.reasons.keys().map(String::as_str).collect();
        let verdicts: Vec<_> = self.total.verdicts.keys().map(String::as_str).collect();
        columns.extend(reasons.iter().chain(&verdicts));
        let mut rows = vec![(
            String::new(),
            columns.iter().map(ToString::to_string).collect(),
        )];
        let all = ("all".to_owned(), &self.total);
        let groups = self
            .groups
            .iter()
            .map(|(name, group)| (EscapeControls(name).to_string(), group));
        for (name, group) in groups.chain([all]) {
            let mut cells: Vec<String> = vec![
                group.assertions.to_string(),
                group.annotations.to_string(),
                group.unannotated.to_string(),
                group.ages.without_ts.to_string(),
                age(group.ages.youngest),
                age(group.ages.oldest),
                group.diagnostics.to_string(),
            ];
            let count = |counts: &BTreeMap<String, u64>, name: &str| {
                counts.get(name).copied().unwrap_or_default().to_string()
            };
            cells.extend(reasons.iter().map(|reason| count(&group.reasons, reason)));
            cells.extend(
                verdicts
                    .iter()
                    .map(|verdict| count(&group.verdicts, verdict)),
            );
            rows.push((name, cells));
        }
        format_table(&rows)
    }
}

/// Formats rows of names and numbers; the first row is the heading.
fn format_table(rows: &[(String, Vec<String>)]) -> String {
    let names = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or_default();
    let columns = rows.first().map_or(0, |(_, cells)| cells.len());
    let width = |column: usize| {
        rows.iter()
            .map(|(_, cells)| cells[column].len())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut table = String::new();
    for (index, (name, cells)) in rows.iter().enumerate() {
        let cells = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("  {cell:>width$}"));
        let line = format!("{name:names$}{}", cells.collect::<String>());
        match index {
            0 => table.push_str(&format!("{BOLD}{line}{BOLD:#}\n")),
            _ => table.push_str(&format!("{line}\n")),
        }
    }
    table
}

/// An age in words; negative ages are in the future.
fn age(seconds: Option<i64>) -> String {
    match seconds {
        None => "-".to_owned(),
        Some(seconds) if seconds < 0 => format!(
            "-{}",
            format_duration(Duration::from_secs(seconds.unsigned_abs()))
        ),
        Some(seconds) => format_duration(Duration::from_secs(seconds.unsigned_abs())),
    }
}

impl Handler for Collector<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        self.sentences.push(self.channel, text.bytes());
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Assertion(assertion) => self.assertion(&assertion),
            Event::Diagnostic(_) => self.add(|group| group.diagnostics += 1),
            _ => {}
        }
    }
}

impl StreamSink for Collector<'_> {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    fn on_channel(&mut self, channel: Channel) {
        self.channel = Some(channel);
    }

    fn on_field(&mut self, _: u64, field: Option<usize>) {
        if let (Some(GroupBy::Field), Some(field)) = (self.options.by, field) {
            self.pointers[field].as_str().clone_into(&mut self.name);
        }
    }

    fn on_field_end(&mut self) {
        self.count_sentences();
    }

    fn on_notice(&mut self, _: &StreamNotice<'_>) {
        self.add(|group| group.diagnostics += 1);
    }
}
