//! Descriptions of deployments: what MARC asks a deployment to document, in a file that also configures a controller.

mod bands;
mod conformance;
mod error;
mod extensions;
mod loops;
mod mapping;
mod people;
mod policy;
mod read;
mod risk;
mod trust;
mod wording;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use super::bands::Calibration;
use super::calibrated::CalibratedScores;
use super::decide::{Bounds, Controller, Materiality, SubActions};
use super::draft::Draft;
use super::trust::TrustPolicy;
use super::wording::{Wording, WordingError};
use bands::BandsPart;
use error::DeploymentErrorKind as ErrorKind;
use loops::Limits;
use people::{PresentationPart, PrivacyPart, UsePart};
use policy::{DescribedPolicy, PolicyPart};
use provstream::settings::{File, Value};
use read::{optional, some, term, text};
use risk::RiskPart;
use trust::TrustPart;
use wording::Words;

pub use conformance::{
    ConformanceBasis, ConformanceFinding, ConformanceOutcome, ConformanceReport,
};
pub use error::{DeploymentError, DeploymentErrorKind};
pub use extensions::Extension;
pub use mapping::{CarrierKind, Mapping};
pub use words::{ConformanceClass, Implementation};

/// What a deployment of MARC documents: what it claims, and what that rests on.
///
/// It is read from a TOML file. `corpus/marc/deployment.toml` of the repository is an example with all keys and what each is
/// for. What configures a controller is there as values of the library's types; [`conformance`](Self::conformance) says what
/// of the drafts is met by it, and what is still to be said.
///
/// Source: MARC-02 20; MARC-01 14.
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
/// // Nothing is said of what ends a loop.
/// assert!(!deployment.conformance().conforms(ConformanceClass::Core));
/// # Ok::<(), provstream_marc::DeploymentError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    /// Has content.
    name: String,
    draft: Draft,
    /// One at least; with MARC-Disclosure also MARC-Core.
    classes: BTreeSet<ConformanceClass>,
    records: Implementation,
    decisions: Implementation,
    score_normalization: Option<String>,
    bands: Option<BandsPart>,
    limits: Limits,
    risk: Option<RiskPart>,
    extensions: Option<Vec<Extension>>,
    sub_actions: Option<SubActions>,
    words: Option<Words>,
    mappings: Option<Vec<Mapping>>,
    trust: TrustPart,
    policy: PolicyPart,
    presentation: PresentationPart,
    privacy: PrivacyPart,
    usage: UsePart,
    /// By the number of the requirement, what the deployment says of how it is met.
    stated: BTreeMap<String, String>,
}

impl Deployment {
    /// Reads a description.
    ///
    /// # Errors
    ///
    /// What is wrong, and its line and column: a file above 1 MiB, not UTF-8 or not TOML, a missing or unknown key, a value
    /// of the wrong type, or one that has no meaning.
    pub fn from_toml(file: &[u8]) -> Result<Self, DeploymentError> {
        let file = File::parse(file)?;
        let root = file.root(&[
            "name",
            "draft",
            "classes",
            "records",
            "decisions",
            "score_normalization",
            "bands",
            "bounds",
            "risk",
            "extension",
            "sub_actions",
            "wording",
            "mapping",
            "trust",
            "policy",
            "presentation",
            "privacy",
            "use",
            "stated",
        ])?;
        let name = text(root.need("name")?)?;
        let draft = optional(&root, "draft", term)?.unwrap_or_default();
        let mut classes: BTreeSet<_> = some(root.need("classes")?, term)?.into_iter().collect();
        if classes.contains(&ConformanceClass::Disclosure) {
            classes.insert(ConformanceClass::Core);
        }
        let implementation = |key| optional(&root, key, term);
        Ok(Self {
            name,
            draft,
            classes,
            records: implementation("records")?.unwrap_or(Implementation::Own),
            decisions: implementation("decisions")?.unwrap_or(Implementation::Own),
            score_normalization: optional(&root, "score_normalization", text)?,
            bands: optional(&root, "bands", BandsPart::read)?,
            limits: optional(&root, "bounds", Limits::read)?.unwrap_or_default(),
            risk: optional(&root, "risk", RiskPart::read)?,
            extensions: optional(&root, "extension", Extension::read_all)?,
            sub_actions: optional(&root, "sub_actions", extensions::sub_actions)?,
            words: optional(&root, "wording", Words::read)?,
            mappings: optional(&root, "mapping", |value| Mapping::read_all(value, draft))?,
            trust: optional(&root, "trust", TrustPart::read)?.unwrap_or_default(),
            policy: optional(&root, "policy", |value| {
                PolicyPart::read(value, |number| {
                    conformance::can_be_departed_from(number, draft)
                })
            })?
            .unwrap_or_default(),
            presentation: optional(&root, "presentation", PresentationPart::read)?
                .unwrap_or_default(),
            privacy: optional(&root, "privacy", PrivacyPart::read)?.unwrap_or_default(),
            usage: optional(&root, "use", UsePart::read)?.unwrap_or_default(),
            stated: optional(&root, "stated", |value| statements(value, draft))?
                .unwrap_or_default(),
        })
    }

    /// Holds the description against its draft.
    ///
    /// What the library's types meet, where records and decisions are theirs, counts as met. Of what is described, the report
    /// checks what can be checked; wording for English patterns only, see [`check_wording`](super::check_wording).
    pub fn conformance(&self) -> ConformanceReport {
        conformance::judge(self)
    }

    /// What is described.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The draft that it follows.
    #[must_use]
    pub const fn draft(&self) -> Draft {
        self.draft
    }

    /// The classes that are claimed; with MARC-Disclosure also MARC-Core, which it includes. Source: MARC-02 20.2; open
    /// point 101.
    pub fn classes(&self) -> impl Iterator<Item = ConformanceClass> {
        self.classes.iter().copied()
    }

    /// Whether a class is among them.
    #[must_use]
    pub fn claims(&self, class: ConformanceClass) -> bool {
        self.classes.contains(&class)
    }

    /// With what records and disclosures are built; with own code unless the description says otherwise.
    #[must_use]
    pub const fn records(&self) -> Implementation {
        self.records
    }

    /// With what decisions are taken; with own code unless the description says otherwise.
    #[must_use]
    pub const fn decisions(&self) -> Implementation {
        self.decisions
    }

    /// The bands with the name of their regime; none unless both are described.
    #[must_use]
    pub fn calibration(&self) -> Option<Calibration> {
        self.bands.as_ref()?.calibration()
    }

    /// The bounds of a session; none unless count, time and cost are described for each of the three actions.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        self.limits.bounds()
    }

    /// The thresholds from which on uncertainty matters, if they are described.
    #[must_use]
    pub fn materiality(&self) -> Option<&Materiality> {
        self.risk.as_ref()?.materiality.as_ref()
    }

    /// The private members, none if none are described.
    #[must_use]
    pub fn extensions(&self) -> &[Extension] {
        self.extensions.as_deref().unwrap_or_default()
    }

    /// The wording of disclosures; none unless `wording` is described.
    ///
    /// # Errors
    ///
    /// If two of its texts cannot be told apart: the first that clashes. The [report](Self::conformance) says so, too.
    pub fn wording(&self) -> Result<Option<&Wording>, WordingError> {
        match &self.words {
            None => Ok(None),
            Some(words) => match words.clashes.first() {
                None => Ok(Some(&words.wording)),
                Some(clash) => Err(*clash),
            },
        }
    }

    /// The statement that scores are fit to be shown; none unless calibration and test are both described.
    #[must_use]
    pub fn calibrated_scores(&self) -> Option<CalibratedScores> {
        let scores = self.presentation.scores.as_ref()?;
        CalibratedScores::stated(scores.calibrated_for.as_deref()?, scores.tested.as_deref()?).ok()
    }

    /// Where records and disclosures travel, nowhere if nothing is described.
    #[must_use]
    pub fn mappings(&self) -> &[Mapping] {
        self.mappings.as_deref().unwrap_or_default()
    }

    /// What records of each context of trust may be used for: the default, but for what is described.
    #[must_use]
    pub const fn trust_policy(&self) -> &TrustPolicy {
        &self.trust.policy
    }

    /// A controller with the draft, calibration, bounds, sub-actions and targets of the description; none unless
    /// [`calibration`](Self::calibration) and [`bounds`](Self::bounds) are there. Rules that a description puts into words
    /// only are [the caller's](Controller::with_policy).
    #[must_use]
    pub fn controller(&self) -> Option<Controller> {
        let controller = Controller::new(self.calibration()?, self.bounds()?)
            .with_draft(self.draft)
            .with_policy(DescribedPolicy(self.policy.action_suitability.clone()))
            .with_sub_actions(self.sub_actions.clone().unwrap_or_default());
        Some(controller)
    }
}

/// Reads what is stated, by the numbers of requirements that can be met so.
fn statements(value: Value<'_>, draft: Draft) -> Result<BTreeMap<String, String>, DeploymentError> {
    let mut all = BTreeMap::new();
    for (key, value) in value.free_table()?.entries() {
        if !conformance::can_be_stated(key.name(), draft) {
            let detail = format!("{:?}", key.name());
            return Err(DeploymentError::at(
                ErrorKind::UnknownRequirement,
                key.place(),
                detail,
            ));
        }
        all.insert(key.name().to_owned(), text(value)?);
    }
    Ok(all)
}
