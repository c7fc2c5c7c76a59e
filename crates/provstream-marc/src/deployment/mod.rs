//! Descriptions of deployments: what MARC asks a deployment to document, in a file that also configures a controller.

mod conformance;
mod error;
mod mapping;
mod parts;
mod read;

use std::collections::BTreeSet;

use super::bands::Calibration;
use super::decide::{Bounds, Controller, SubActions};
use super::draft::Draft;
use super::terms::terms;
use super::trust::TrustPolicy;
use super::wording::Wording;
use parts::{
    BANDS, BandsPart, BoundsPart, Declared, Documented, POLICY, PolicyPart, RISK, RiskPart, TRUST,
    TrustPart,
};
use parts::{declare, document};
use provstream::settings::{File, Table, Value};
use read::{Result, optional, set, some, term, text};

pub use conformance::{
    ConformanceBasis, ConformanceFinding, ConformanceOutcome, ConformanceReport,
};
pub use error::{DeploymentError, DeploymentErrorKind};
pub use mapping::{CarrierKind, Mapping};
pub use parts::Extension;

terms! {
    /// What a deployment claims conformance to. Source: MARC-02 20.2.
    #[non_exhaustive]
    ConformanceClass, "conformance class" {
        /// Records, and the decisions that they report.
        Core = "core",
        /// What is disclosed of them. It includes MARC-Core.
        Disclosure = "disclosure",
        /// Either of them inside another protocol.
        Carrying = "carrying",
    }
}

impl ConformanceClass {
    /// The class as the drafts write it, such as `MARC-Core`.
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
    /// What a deployment builds its records, or takes its decisions, with.
    #[non_exhaustive]
    Implementation, "implementation" {
        /// The types of this library.
        Provstream = "provstream",
        /// Code of its own.
        Own = "own",
    }
}

/// What a deployment of MARC documents: what it claims, and what that rests on.
///
/// It is read from a TOML file. `corpus/marc/deployment.toml` of the repository is an example with all keys and what each is
/// for. What configures a controller is available as values of the library's types; [`conformance`](Self::conformance)
/// reports what of the drafts is met, declared or missing. Source: MARC-02 20; MARC-01 14.
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
    name: String,
    draft: Draft,
    /// At least one; with MARC-Disclosure also MARC-Core.
    classes: BTreeSet<ConformanceClass>,
    records: Implementation,
    decisions: Implementation,
    unused_scores_are_zero: bool,
    bands: Option<BandsPart>,
    bounds: BoundsPart,
    risk: RiskPart,
    policy: PolicyPart,
    extensions: Option<Vec<Extension>>,
    sub_actions: Option<SubActions>,
    wording: Option<Wording>,
    mappings: Option<Vec<Mapping>>,
    trust: TrustPart,
    purposes: Option<Vec<String>>,
    documented: Documented,
    declared: Declared,
    /// By the id of the requirement, how code of the deployment's own meets it.
    stated: Documented,
}

const ROOT: &[&str] = &[
    "name",
    "draft",
    "classes",
    "records",
    "decisions",
    "score_normalization",
    "unused_scores",
    "bands",
    "bounds",
    "risk",
    "extension",
    "extensions",
    "sub_actions",
    "wording",
    "mapping",
    "trust",
    "policy",
    "presentation",
    "privacy",
    "use",
    "stated",
];

/// The texts of each table that are documented and not executed.
const DOCUMENTED: &[(&str, &[&str], &[&str])] = &[
    ("bands", BANDS, &["variation", "regime"]),
    ("risk", RISK, &["caution", "limits"]),
    ("policy", POLICY, &["abstain", "escalate"]),
    ("presentation", &["target", "unit"], &["target", "unit"]),
    ("privacy", PRIVACY, PRIVACY),
    ("trust", TRUST, &["attestation", "protection"]),
];

const PRIVACY: &[&str] = &[
    "retention",
    "prompts",
    "sensitivity",
    "explanations",
    "distress",
];

impl Deployment {
    /// Reads a description.
    ///
    /// # Errors
    ///
    /// What is wrong, and its line and column: a file above 1 MiB, not UTF-8 or not TOML, a missing or unknown key, a value
    /// of the wrong type, or one that its key cannot have.
    pub fn from_toml(file: &[u8]) -> Result<Self> {
        let file = File::parse(file)?;
        let root = file.root(ROOT)?;
        let draft = optional(&root, "draft", term)?.unwrap_or_default();
        let mut classes: BTreeSet<_> = some(root.need("classes")?, term)?.into_iter().collect();
        if classes.contains(&ConformanceClass::Disclosure) {
            classes.insert(ConformanceClass::Core);
        }
        let implementation =
            |key| -> Result<_> { Ok(optional(&root, key, term)?.unwrap_or(Implementation::Own)) };
        let unused = |value| read::one_of(value, "meaning of unused scores", &["zero"]);
        let (documented, declared, purposes) = words(&root)?;
        Ok(Self {
            name: text(root.need("name")?)?,
            draft,
            classes,
            records: implementation("records")?,
            decisions: implementation("decisions")?,
            unused_scores_are_zero: optional(&root, "unused_scores", unused)?.is_some(),
            bands: optional(&root, "bands", BandsPart::read)?,
            bounds: optional(&root, "bounds", BoundsPart::read)?.unwrap_or_default(),
            risk: optional(&root, "risk", RiskPart::read)?.unwrap_or_default(),
            policy: optional(&root, "policy", PolicyPart::read)?.unwrap_or_default(),
            extensions: optional(&root, "extension", Extension::read_all)?,
            sub_actions: optional(&root, "sub_actions", parts::sub_actions)?,
            wording: optional(&root, "wording", parts::wording)?,
            mappings: optional(&root, "mapping", |value| Mapping::read_all(value, draft))?,
            trust: optional(&root, "trust", TrustPart::read)?.unwrap_or_default(),
            purposes,
            documented,
            declared,
            stated: optional(&root, "stated", |value| statements(value, draft))?
                .unwrap_or_default(),
        })
    }

    /// Holds the description against its draft.
    ///
    /// A requirement is met by the library's types, where the description says that they are used, or by a value that was
    /// checked. What the library cannot know is at most declared by the deployer.
    pub fn conformance(&self) -> ConformanceReport {
        conformance::judge(self)
    }

    /// The name of what is described.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The draft that it follows.
    #[must_use]
    pub const fn draft(&self) -> Draft {
        self.draft
    }

    /// The classes that are claimed; with MARC-Disclosure also MARC-Core, which it includes. Source: MARC-02 20.2.
    pub fn classes(&self) -> impl Iterator<Item = ConformanceClass> {
        self.classes.iter().copied()
    }

    /// Whether a class is claimed.
    #[must_use]
    pub fn claims(&self, class: ConformanceClass) -> bool {
        self.classes.contains(&class)
    }

    /// Whether a score that an emitter leaves out counts as 0.0; otherwise it is an error. Source: MARC-02 9.3.
    #[must_use]
    pub const fn unused_scores_are_zero(&self) -> bool {
        self.unused_scores_are_zero
    }

    /// The bands, if they are described.
    #[must_use]
    pub fn calibration(&self) -> Option<&Calibration> {
        self.bands.as_ref().map(|part| &part.calibration)
    }

    /// The bounds of a session; `None` unless count, time and cost are described for each of the three loops.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds.bounds()
    }

    /// The private members, none if none are described.
    #[must_use]
    pub fn extensions(&self) -> &[Extension] {
        self.extensions.as_deref().unwrap_or_default()
    }

    /// The wording of disclosures; English if none is described.
    #[must_use]
    pub fn wording(&self) -> Wording {
        self.wording.clone().unwrap_or_default()
    }

    /// Where records and disclosures travel, nowhere if nothing is described.
    #[must_use]
    pub fn mappings(&self) -> &[Mapping] {
        self.mappings.as_deref().unwrap_or_default()
    }

    /// What records of each trust context may be used for: the default, except for what is described.
    #[must_use]
    pub const fn trust_policy(&self) -> &TrustPolicy {
        &self.trust.policy
    }

    /// A controller with the draft, calibration, bounds, policy, sub-actions and wording of the description; `None` unless
    /// [`calibration`](Self::calibration) and [`bounds`](Self::bounds) are described.
    #[must_use]
    pub fn controller(&self) -> Option<Controller> {
        let mut policy = self.policy.policy.clone();
        if let Some(thresholds) = self.risk.thresholds {
            policy = policy.with_thresholds(thresholds);
        }
        let controller = Controller::new(self.calibration()?.clone(), self.bounds()?)
            .with_draft(self.draft)
            .with_policy(policy)
            .with_sub_actions(self.sub_actions.clone().unwrap_or_default())
            .with_wording(self.wording());
        Some(controller)
    }
}

/// What is documented and declared, and the purposes that records are used for.
fn words(root: &Table<'_>) -> Result<(Documented, Declared, Option<Vec<String>>)> {
    let (mut documented, mut declared, mut purposes) = (Documented::new(), Declared::new(), None);
    document(&mut documented, "", root, &["score_normalization"])?;
    for &(name, known, texts) in DOCUMENTED {
        if let Some(value) = root.get(name) {
            document(&mut documented, name, &value.table(known)?, texts)?;
        }
    }
    let group = |name| {
        root.get(name)
            .map(|value: Value<'_>| value.free_table())
            .transpose()
    };
    if let Some(value) = group("trust")?.and_then(|table| table.get("controls")) {
        const CONTROLS: &[&str] = &["authentication", "integrity", "replay", "binding"];
        document(
            &mut documented,
            "trust.controls",
            &value.table(CONTROLS)?,
            CONTROLS,
        )?;
    }
    if let Some(table) = group("wording")? {
        declare(&mut declared, "wording", &table, "labels_keep_order")?;
    }
    if let Some(value) = root.get("extensions") {
        declare(
            &mut declared,
            "extensions",
            &value.table(&["keep_meaning"])?,
            "keep_meaning",
        )?;
    }
    if let Some(value) = root.get("use") {
        let table = value.table(&["purposes", "infers_psychology"])?;
        purposes = optional(&table, "purposes", |value| set(value, text))?;
        declare(&mut declared, "use", &table, "infers_psychology")?;
    }
    Ok((documented, declared, purposes))
}

/// How code of the deployment's own meets requirements, by their ids.
fn statements(value: Value<'_>, draft: Draft) -> Result<Documented> {
    let mut all = Documented::new();
    for (key, value) in value.free_table()?.entries() {
        if !conformance::can_be_stated(key.name(), draft) {
            let detail = format!(
                "{:?} is not the id of a requirement that code meets",
                key.name()
            );
            return Err(DeploymentError::at(key.place(), detail));
        }
        all.insert(key.name().to_owned(), text(value)?);
    }
    Ok(all)
}
