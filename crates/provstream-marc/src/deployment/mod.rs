//! Deployment descriptions: the documentation that MARC requires of a deployment, in a file that
//! also configures a controller.

mod configure;
mod conformance;
mod error;
mod keys;
mod mapping;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use super::bands::Calibration;
use super::decide::{Bounds, Controller, Policy};
use super::declare::values;
use super::draft::Draft;
use super::terms::{Action, terms};
use super::trust::TrustPolicy;
use super::wording::Wording;
use keys::{BUDGETS, Description, LOOPS, root_keys};
use provstream::settings::{File, Value};
use read::{Result, optional, some, term, text};

pub use configure::Extension;
pub use conformance::{
    ConformanceBasis, ConformanceFinding, ConformanceOutcome, ConformanceReport,
};
pub use error::{DeploymentError, DeploymentErrorKind};
pub use mapping::{CarrierKind, Mapping};

terms! {
    /// Class of conformance that a deployment can claim. Source: MARC-02 20.2.
    #[non_exhaustive]
    ConformanceClass, "conformance class" {
        /// MARC-Core: records and the decisions that they report.
        Core = "core",
        /// MARC-Disclosure: the disclosed part of records. Includes MARC-Core.
        Disclosure = "disclosure",
        /// MARC-Carrying: records or disclosures inside another protocol.
        Carrying = "carrying",
    }
}

impl ConformanceClass {
    /// Returns the class as written in the drafts, such as `MARC-Core`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Core => "MARC-Core",
            Self::Disclosure => "MARC-Disclosure",
            Self::Carrying => "MARC-Carrying",
        }
    }
}

terms! {
    /// Implementation that builds records or makes decisions.
    #[non_exhaustive]
    Implementation, "implementation" {
        /// The types of this library.
        Provstream = "provstream",
        /// The deployment's own code.
        Own = "own",
    }
}

values! {
    /// Description of a deployment of MARC: its claims and their basis.
    ///
    /// Read from a TOML file. `corpus/marc/deployment.toml` in the repository is an example that
    /// has and explains all keys. The parts that configure a controller are available as values of
    /// the library's types; [`conformance`](Self::conformance) reports the requirements that are
    /// met, declared or missing. Source: MARC-02 20; MARC-01 14.
    ///
    /// ```
    /// use provstream_marc::{ConformanceClass, Deployment};
    ///
    /// let file = br#"
    /// name = "tax assistant"
    /// classes = ["core"]
    /// records = "provstream"
    /// decisions = "provstream"
    ///
    /// [bands]
    /// calibration_profile = "tax-2026-05"
    /// medium_from = 0.5
    /// high_from = 0.8
    /// "#;
    /// let deployment = Deployment::from_toml(file)?;
    /// assert_eq!(deployment.calibration().unwrap().profile(), "tax-2026-05");
    /// // It does not say what ends a loop.
    /// assert!(!deployment.conformance().conforms(ConformanceClass::Core));
    /// # Ok::<(), provstream_marc::DeploymentError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Deployment {
        /// The name of the deployment.
        text name: String,
        /// The draft that the deployment follows.
        copy draft: Draft,
        /// Claimed classes, at least one; MARC-Disclosure implies MARC-Core.
        own classes: BTreeSet<ConformanceClass>,
        own records: Implementation,
        own decisions: Implementation,
        own calibration: Option<Calibration>,
        /// The bounds of a session; `None` unless count, time and cost are described for each of the three loops.
        copy bounds: Option<Bounds>,
        own policy: Policy,
        /// The private members; empty if the file describes none.
        list extensions: Extension,
        own sub_actions: BTreeMap<String, Action>,
        /// The wording of disclosures; English if none is described.
        borrow wording: Wording,
        /// Carriers of records and disclosures; empty if the file describes none.
        list mappings: Mapping,
        /// Permitted uses of records by trust context: the default policy with the changes that the
        /// file describes.
        borrow trust_policy: TrustPolicy,
        /// Texts of the remaining keys. Under `stated`, keyed by requirement: the way in which the
        /// deployment's own code meets the requirement.
        own said: Description,
    }
}

impl Deployment {
    /// Reads a description.
    ///
    /// # Errors
    ///
    /// Fails with the line and column if the file is larger than 1 MiB, not UTF-8 or not TOML, if a
    /// key is missing or unknown, or if a value has the wrong type or is invalid for its key.
    pub fn from_toml(file: &[u8]) -> Result<Self> {
        let file = File::parse(file)?;
        let root = file.root(&root_keys())?;
        let mut said = Description::read(&root)?;
        let draft = optional(&root, "draft", term)?.unwrap_or_default();
        let mut classes: BTreeSet<_> = some(root.need("classes")?, term)?.into_iter().collect();
        if classes.contains(&ConformanceClass::Disclosure) {
            classes.insert(ConformanceClass::Core);
        }
        if let Some(value) = root.get("stated") {
            state(value, draft, &mut said)?;
        }
        let implementation =
            |key| -> Result<_> { Ok(optional(&root, key, term)?.unwrap_or(Implementation::Own)) };
        let mappings = |value| Mapping::read_all(value, draft);
        Ok(Self {
            name: text(root.need("name")?)?,
            draft,
            classes,
            records: implementation("records")?,
            decisions: implementation("decisions")?,
            calibration: configure::calibration(&root)?,
            bounds: configure::bounds(&root)?,
            policy: configure::policy(&root, &said)?,
            extensions: optional(&root, "extension", configure::extensions)?.unwrap_or_default(),
            sub_actions: optional(&root, "sub_actions", configure::sub_actions)?
                .unwrap_or_default(),
            wording: optional(&root, "wording", configure::wording)?.unwrap_or_default(),
            mappings: optional(&root, "mapping", mappings)?.unwrap_or_default(),
            trust_policy: configure::trust(&root)?,
            said,
        })
    }

    /// Compares the description with its draft.
    ///
    /// A requirement is met by the library's types, if the description says that they are used, or
    /// by a value that was checked. Requirements that the library cannot check are at most declared
    /// by the deployer.
    pub fn conformance(&self) -> ConformanceReport {
        conformance::judge(self, &self.classes)
    }

    /// Iterates over the claimed classes; MARC-Disclosure implies MARC-Core. Source: MARC-02 20.2.
    pub fn classes(&self) -> impl Iterator<Item = ConformanceClass> {
        self.classes.iter().copied()
    }

    /// Returns `true` if an omitted score counts as 0.0; otherwise an omitted score is an error.
    /// Source: MARC-02 9.3.
    #[must_use]
    pub fn unused_scores_are_zero(&self) -> bool {
        self.said.has("unused_scores")
    }

    /// Returns the calibration, if described.
    #[must_use]
    pub const fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// Creates a controller with the draft, calibration, bounds, policy, sub-actions and wording of
    /// the description; `None` unless [`calibration`](Self::calibration) and
    /// [`bounds`](Self::bounds) are described.
    #[must_use]
    pub fn controller(&self) -> Option<Controller> {
        let controller = Controller::new(self.calibration.clone()?, self.bounds?)
            .with_draft(self.draft)
            .with_policy(self.policy.clone())
            .with_sub_actions(self.sub_actions.clone())
            .with_wording(self.wording.clone());
        Some(controller)
    }

    /// Lists the keys that [`controller`](Self::controller) needs and the description lacks:
    /// tables, such as `bounds.tool`, and keys of tables, such as `bounds.tool.cost`.
    #[must_use]
    pub fn missing_for_controller(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut need = |key: String| {
            let is_missing = !self.said.has(&key);
            if is_missing {
                missing.push(key);
            }
            is_missing
        };
        need("bands".to_owned());
        for table in LOOPS {
            if !need(table.to_owned()) {
                for budget in BUDGETS {
                    need(format!("{table}.{budget}"));
                }
            }
        }
        missing
    }
}

/// Reads `[stated]`: descriptions of the way in which the deployment's own code meets requirements,
/// keyed by requirement.
fn state(value: Value<'_>, draft: Draft, said: &mut Description) -> Result<()> {
    for (key, value) in value.free_table()?.entries() {
        let id = key.name();
        if !conformance::can_be_stated(id, draft) {
            let detail = format!(
                "expected the id of a requirement that code of the deployment can meet, found {id:?}; the conformance report has the ids"
            );
            return Err(DeploymentError::at(key.place(), detail));
        }
        said.note(format!("stated.{id}"), text(value)?);
    }
    Ok(())
}
