//! Ledgers in SQLite, for the commands of the command line.

use std::path::Path;
use std::sync::Arc;

use provstream::provenance::ObservationCheck;
use provstream_cli::{
    LedgerList, LedgerSettings, LedgerSupport, RecordSettings, ToolResultRecorder, print_note,
};
use provstream_observe::{LedgerObservations, SqliteLedger, Substrates};

use crate::ledger;
use crate::tool_recorder::ToolRecorder;

/// Ledgers in SQLite.
#[derive(Debug)]
pub(crate) struct SqliteSupport;

impl LedgerSupport for SqliteSupport {
    fn observations(&self, settings: &LedgerSettings) -> Result<Arc<dyn ObservationCheck>, String> {
        let ledger = SqliteLedger::open_existing(&settings.file);
        let ledger = ledger.map_err(|error| error.to_string())?;
        let observations = LedgerObservations::new(ledger, |error| {
            print_note(format_args!(
                "{error}; observations that cannot be looked up are `unreachable`"
            ));
        });
        Ok(match &settings.requery {
            Some(requery) => {
                let root = Substrates::open(&requery.root).map_err(|error| error.to_string())?;
                Arc::new(observations.requery(root, requery.deadline))
            }
            None => Arc::new(observations),
        })
    }

    fn list(&self, file: &Path, form: LedgerList) -> Result<Vec<u8>, String> {
        let ledger = SqliteLedger::open_existing(file).map_err(|error| error.to_string())?;
        let list = ledger::list(form, &ledger).map_err(|error| error.to_string())?;
        Ok(list.to_string().into_bytes())
    }

    fn recorder(&self, settings: &RecordSettings) -> Result<Arc<dyn ToolResultRecorder>, String> {
        Ok(Arc::new(ToolRecorder::open(settings)?))
    }
}
