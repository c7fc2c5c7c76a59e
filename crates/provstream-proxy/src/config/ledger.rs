//! Reads the settings of a route about ledgers of observations.

use core::time::Duration;
use std::path::Path;
use std::sync::Arc;

use provstream::provenance::{
    Annotation, ObservationCheck, ObservationOutcome, Timestamp, Vocabulary,
};
use provstream::settings::{Table, Value};
use provstream_route::{
    LedgerSettings, LedgerSupport, RecordSettings, RequerySettings, RouteError, ToolResultRecorder,
};

use super::values::{duration, file_named_by};
use crate::blocking::run_blocking;

/// Keys of a route about ledgers.
pub(super) const KEYS: [&str; 5] = ["ledger", "requery", "requery_deadline", "record", "keep"];

/// Ledger of a route.
#[derive(Default)]
pub(super) struct RouteLedger {
    /// Record by which the gate checks annotations.
    pub(super) observations: Option<Arc<dyn ObservationCheck>>,
    pub(super) recorder: Option<Arc<dyn ToolResultRecorder>>,
}

/// Opens the ledger of a route, if it has one.
pub(super) fn open(
    table: &Table<'_>,
    folder: &Path,
    vocabulary: &Vocabulary,
    support: Option<&dyn LedgerSupport>,
) -> Result<RouteLedger, RouteError> {
    let Some(value) = table.get("ledger") else {
        return match KEYS.iter().find_map(|key| table.get(key)) {
            Some(value) => Err(only_with(&value, "\"ledger\"")),
            None => Ok(RouteLedger::default()),
        };
    };
    let Some(support) = support else {
        let message = "expected no \"ledger\": this program has no ledgers, unlike the one of provstream-observe";
        return Err(RouteError::new(value.place(), message));
    };
    let file = file_named_by(&value, folder)?.path;
    let name = file.display();
    let error =
        |found: String| RouteError::new(value.place(), &format!("ledger \"{name}\": {found}"));
    let record = record(table, &file, vocabulary)?;
    let recorder = record.map(|settings| support.recorder(&settings).map_err(error));
    let recorder = recorder.transpose()?;
    let requery = requery(table, folder)?;
    if !matches!(table.need("action")?.string(), Ok("gate")) {
        return match (table.get("requery"), &recorder) {
            (Some(value), _) => Err(only_with(&value, "action \"gate\"")),
            (None, None) => Err(only_with(&value, "action \"gate\" or \"record\"")),
            (None, Some(_)) => Ok(RouteLedger {
                observations: None,
                recorder,
            }),
        };
    }
    let is_slow = requery.is_some();
    let settings = LedgerSettings {
        file: file.clone(),
        requery,
    };
    let opened = support.observations(&settings).map_err(error)?;
    Ok(RouteLedger {
        observations: Some(match is_slow {
            true => Arc::new(SlowObservations(opened)),
            false => opened,
        }),
        recorder,
    })
}

fn only_with(value: &Value<'_>, with: &str) -> RouteError {
    let key = value.key();
    let message = format!("expected \"{key}\" only with {with}, found it without");
    RouteError::new(value.place(), &message)
}

/// Reads what is recorded of requests.
fn record(
    table: &Table<'_>,
    file: &Path,
    vocabulary: &Vocabulary,
) -> Result<Option<RecordSettings>, RouteError> {
    let keep = table.get("keep");
    let Some(value) = table.get("record") else {
        return match keep {
            Some(value) => Err(only_with(&value, "\"record\"")),
            None => Ok(None),
        };
    };
    let expected =
        "a table of tools and their classes, such as { read_file = \"substrate.code.read\" },";
    let tools = value.free_table().map_err(|_| value.wrong_type(expected))?;
    let classes = tools.entries().map(|(key, value)| {
        let name = value.string()?;
        let class = vocabulary.class(name).filter(|class| !class.is_terminal());
        let class = class
            .ok_or_else(|| value.wrong_type("a class of the vocabulary that is not a terminal"))?;
        Ok((Box::from(key.name()), class))
    });
    let classes = classes.collect::<Result<_, RouteError>>()?;
    let has_content = match keep.as_ref().map(|value| value.string()).transpose()? {
        None | Some("digest") => false,
        Some("content") => true,
        Some(_) => {
            let value = table.need("keep")?;
            return Err(value.wrong_type("one of \"digest\", \"content\"").into());
        }
    };
    Ok(Some(RecordSettings {
        file: file.to_owned(),
        classes,
        has_content,
    }))
}

fn requery(table: &Table<'_>, folder: &Path) -> Result<Option<RequerySettings>, RouteError> {
    let deadline = table.get("requery_deadline");
    let Some(value) = table.get("requery") else {
        return match deadline {
            Some(value) => {
                let message =
                    "expected \"requery_deadline\" only with \"requery\", found it without";
                Err(RouteError::new(value.place(), message))
            }
            None => Ok(None),
        };
    };
    let deadline = deadline.map(|value| duration(&value)).transpose()?;
    Ok(Some(RequerySettings {
        root: file_named_by(&value, folder)?.path,
        deadline: deadline.unwrap_or(RequerySettings::DEADLINE),
    }))
}

/// Observations whose checks take long, so that other tasks of the thread move to another one.
#[derive(Debug)]
struct SlowObservations(Arc<dyn ObservationCheck>);

impl ObservationCheck for SlowObservations {
    fn check(
        &self,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> ObservationOutcome {
        run_blocking(|| self.0.check(annotation, window, now))
    }
}
