//! `[trust]`: where records come from and go to.

use super::error::DeploymentError;
use super::read::{known, one_of, optional, set, text};
use crate::terms::UnknownTerm;
use crate::trust::{Domain, Permission, TrustPolicy, Use};
use provstream::settings::{Table, Value};

/// A context of trust as a description names it. Source: MARC-02 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) domain: Domain,
    pub(super) attested: bool,
}

const CONTEXTS: &[&str] = &[
    "local",
    "delegated",
    "cross-domain",
    "attested local",
    "attested delegated",
    "attested cross-domain",
];

impl Context {
    fn of(text: &str) -> Result<Self, UnknownTerm> {
        let bare = text.strip_prefix("attested ");
        let domain = bare.unwrap_or(text).parse();
        domain
            .map(|domain| Self {
                domain,
                attested: bare.is_some(),
            })
            .map_err(|_| UnknownTerm::new("context of trust", CONTEXTS, text))
    }
}

/// What protects records between domains. Source: MARC-02 15.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Controls([Option<String>; 4]);

impl Controls {
    const KEYS: [&str; 4] = ["authentication", "integrity", "replay", "binding"];

    fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&Self::KEYS)?;
        let [authentication, integrity, replay, binding] = Self::KEYS;
        Ok(Self([
            optional(&table, authentication, text)?,
            optional(&table, integrity, text)?,
            optional(&table, replay, text)?,
            optional(&table, binding, text)?,
        ]))
    }

    /// The keys for which nothing is said.
    pub(super) fn missing(&self) -> impl Iterator<Item = &'static str> {
        let all = Self::KEYS.into_iter().zip(&self.0);
        all.filter(|(_, said)| said.is_none()).map(|(key, _)| key)
    }
}

/// What is said of trust. Source: MARC-02 15, 20.2.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TrustPart {
    pub(super) emitted: Option<Vec<Context>>,
    pub(super) received: Option<Vec<Context>>,
    pub(super) attestation: Option<String>,
    pub(super) protection: Option<String>,
    pub(super) controls: Controls,
    pub(super) policy: TrustPolicy,
}

impl TrustPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&[
            "emitted",
            "received",
            "attestation",
            "protection",
            "controls",
            "permit",
        ])?;
        let contexts = |value| set(value, |item| known(item, Context::of));
        Ok(Self {
            emitted: optional(&table, "emitted", contexts)?,
            received: optional(&table, "received", contexts)?,
            attestation: optional(&table, "attestation", text)?,
            protection: optional(&table, "protection", text)?,
            controls: optional(&table, "controls", Controls::read)?.unwrap_or_default(),
            policy: optional(&table, "permit", permissions)?.unwrap_or_default(),
        })
    }

    /// All contexts that are named.
    pub(super) fn contexts(&self) -> impl Iterator<Item = &Context> {
        self.emitted.iter().chain(&self.received).flatten()
    }
}

/// The default policy with what a table replaces of it.
fn permissions(value: Value<'_>) -> Result<TrustPolicy, DeploymentError> {
    let by_domain = value.table(Domain::NAMES)?;
    let mut policy = TrustPolicy::default();
    for &domain in Domain::ALL {
        let Some(value) = by_domain.get(domain.as_str()) else {
            continue;
        };
        let by_use: Table<'_> = value.table(Use::NAMES)?;
        for &usage in Use::ALL {
            if let Some(value) = by_use.get(usage.as_str()) {
                policy = policy.with(domain, usage, permission(value)?);
            }
        }
    }
    Ok(policy)
}

fn permission(value: Value<'_>) -> Result<Permission, DeploymentError> {
    const ALWAYS: &str = "always";
    const IF_ATTESTED: &str = "if attested";
    match one_of(value, "permission", &[ALWAYS, IF_ATTESTED, "never"])? {
        ALWAYS => Ok(Permission::Always),
        IF_ATTESTED => Ok(Permission::IfAttested),
        _ => Ok(Permission::Never),
    }
}
