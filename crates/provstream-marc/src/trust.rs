//! Trust contexts of records, and the uses of a record that they permit.

use core::fmt;

use super::bands::Calibration;
use super::core::Core;
use super::declare::{errors, values};
use super::terms::terms;

terms! {
    /// The administrative domain in which a record was written, as seen by its receiver. Source: MARC-02 15.
    Domain, "domain" {
        /// The receiver's own domain.
        Local = "local",
        /// The domain of a component that acts under the receiver's operational policy.
        Delegated = "delegated",
        /// Any other domain.
        CrossDomain = "cross-domain",
    }
}

terms! {
    /// Use of a record by its receiver. Source: MARC-02 12, 15.
    #[non_exhaustive]
    Use, "use of a record" {
        /// Route a task, set its priority, ask for clarification, or call a human.
        Route = "route",
        /// Show uncertainty to a user or a downstream system.
        Disclose = "disclose",
        /// Trigger an effect without human review.
        Automate = "automate",
        /// Retain for audit, evaluation or the analysis of incidents.
        Audit = "audit",
    }
}

terms! {
    /// Condition for a use.
    #[non_exhaustive]
    Permission, "permission" {
        /// Always.
        Always = "always",
        /// If the record is attested.
        IfAttested = "if attested",
        /// Never.
        Never = "never",
    }
}

values! {
    /// The trust context of a record: its domain, and its emitter if the record is attested, that
    /// is bound to an authenticated emitter. The receiver states the context after its own checks;
    /// this library verifies nothing. Records of any domain can be attested. Source: MARC-02 15;
    /// open point 85.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    #[must_use]
    pub struct TrustContext {
        /// The domain.
        copy domain: Domain,
        /// Authenticated emitter of an attested record; not blank.
        maybe_text emitter: Option<String>,
    }
}

impl TrustContext {
    /// Creates the context of a record that is not attested.
    pub const fn new(domain: Domain) -> Self {
        let emitter = None;
        Self { domain, emitter }
    }

    /// Adds an attestation: the record is bound to `emitter`, who was authenticated.
    ///
    /// # Errors
    ///
    /// [`TrustErrorKind::NoEmitter`] if the name is blank.
    pub fn attested_by(mut self, emitter: &str) -> Result<Self, TrustError> {
        if emitter.trim().is_empty() {
            return Err(TrustErrorKind::NoEmitter.into());
        }
        self.emitter = Some(emitter.to_owned());
        Ok(self)
    }
}

/// `cross-domain, attested by example.org`
impl fmt::Display for TrustContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.domain)?;
        match &self.emitter {
            Some(emitter) => write!(f, ", attested by {emitter}"),
            None => Ok(()),
        }
    }
}

/// Permitted uses of records by domain and attestation. An attestation never removes a permission.
///
/// By default records of the own domain and of delegated components may be used for everything. Those of another domain
/// serve for audit only, and if they are attested also to route and to disclose, never to automate. Source: MARC-02 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrustPolicy([[Permission; 4]; 3]);

impl TrustPolicy {
    /// Sets the permission for one use of the records of a domain.
    #[must_use]
    pub const fn with(mut self, domain: Domain, usage: Use, permission: Permission) -> Self {
        self.0[domain as usize][usage as usize] = permission;
        self
    }

    /// Returns the permission for a use of the records of a domain.
    #[must_use]
    pub const fn get(&self, domain: Domain, usage: Use) -> Permission {
        self.0[domain as usize][usage as usize]
    }

    /// Returns `true` if the policy permits the use of a record with this context.
    #[must_use]
    pub const fn permits(&self, context: &TrustContext, usage: Use) -> bool {
        match self.get(context.domain, usage) {
            Permission::Always => true,
            Permission::IfAttested => context.emitter.is_some(),
            Permission::Never => false,
        }
    }
}

impl Default for TrustPolicy {
    fn default() -> Self {
        Self([[Permission::Always; 4]; 3])
            .with(Domain::CrossDomain, Use::Route, Permission::IfAttested)
            .with(Domain::CrossDomain, Use::Disclose, Permission::IfAttested)
            .with(Domain::CrossDomain, Use::Automate, Permission::Never)
    }
}

values! {
    /// A record in a trust context. Code that bases a decision on a record takes it only in this
    /// form.
    ///
    /// A record claims something about one decision and proves nothing of it, in whatever context. Source: MARC-02 15.
    ///
    /// A record that is in none decides nothing:
    ///
    /// ```compile_fail,E0308
    /// use provstream_marc::{Controller, Core, Session, SessionError};
    ///
    /// fn receive(controller: &Controller, record: &Core) -> Result<Session, SessionError> {
    ///     Session::following(controller, "request-8", record)
    /// }
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ContextualRecord {
        own pub(crate) record: Core,
        /// The context.
        borrow context: TrustContext,
    }
}

impl Core {
    /// Places the record in a trust context, which the receiver states. Source: MARC-02 15.
    #[must_use]
    pub const fn placed(self, context: TrustContext) -> ContextualRecord {
        ContextualRecord {
            record: self,
            context,
        }
    }
}

impl ContextualRecord {
    /// Returns the record for a use if the policy permits it.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub fn permit(&self, usage: Use, policy: &TrustPolicy) -> Result<&Core, TrustError> {
        let domain = self.context.domain;
        match policy.get(domain, usage) {
            _ if policy.permits(&self.context, usage) => Ok(&self.record),
            Permission::IfAttested => Err(TrustErrorKind::NotAttested(domain, usage).into()),
            _ => Err(TrustErrorKind::Never(domain, usage).into()),
        }
    }

    /// Returns `true` if the record's band is comparable with the receiver's bands: the record
    /// names the receiver's calibration profile, and is attested or not from another domain. An
    /// unattested emitter in another domain could name any profile. Source: MARC-02 8.5.
    #[must_use]
    pub fn is_band_comparable(&self, own: &Calibration) -> bool {
        let is_known = self.context.domain != Domain::CrossDomain || self.context.emitter.is_some();
        is_known && self.record.calibration_profile() == Some(own.profile())
    }
}

errors! {
    /// A record cannot be used in its context, or an attestation is invalid.
    TrustError: Copy,
    /// Reason why a use is not permitted, or why an attestation is invalid.
    TrustErrorKind {
        /// An attestation names no emitter.
        NoEmitter => "expected the name of the emitter that an attestation is about, found a blank text";
        /// The policy permits this use only for attested records, and the record is not attested.
        NotAttested(domain: Domain, usage: Use) => "a {domain} record with no attestation may not be used to {usage}";
        /// The policy does not permit this use, even for attested records.
        Never(domain: Domain, usage: Use) => "a {domain} record may not be used to {usage}, attested or not";
    }
}
