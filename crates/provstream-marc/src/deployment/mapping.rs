//! `[[mapping]]`: carriers of records and disclosures.

use std::collections::{BTreeMap, BTreeSet};

use super::configure::Extension;
use super::error::DeploymentError;
use super::read::{Result, boolean, checked, one_of, optional, set, some, term, text};
use crate::carry::{Carrier, CarrierNameError};
use crate::declare::values;
use crate::draft::Draft;
use crate::members::{MemberSpec, WITH_ANSWER, members};
use crate::terms::terms;
use provstream::MarcKind as ObjectKind;
use provstream::settings::{Table, Value};

terms! {
    /// Carrier of records or disclosures. Source: MARC-02 12.1.
    #[non_exhaustive]
    CarrierKind, "carrier" {
        /// The object `metadata` of an API response.
        ResponseMetadata = "response-metadata",
        /// The object `_meta` of the Model Context Protocol.
        Mcp = "mcp",
        /// The metadata of an A2A message.
        A2a = "a2a",
        /// A server-sent event.
        Sse = "sse",
        /// A line of an audit log.
        AuditLog = "audit-log",
        /// Another carrier, with a mapping of the deployment's own.
        Other = "other",
    }
}

values! {
    /// A carrier and the kinds of MARC objects in it. Source: MARC-02 12.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Mapping {
        /// The kind of carrier.
        copy kind: CarrierKind,
        own carrier: Option<Carrier>,
        /// The deployment's own mapping, for [`CarrierKind::Other`].
        own pub(super) own: Option<OwnMapping>,
        /// The kinds of carried objects; at least one.
        own carries: Vec<ObjectKind>,
        own pub(super) end_users: Option<bool>,
    }
}

/// Description of a mapping that is a deployment's own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OwnMapping {
    pub(super) is_described: bool,
    /// Names in the carrier by names of members.
    renamed: BTreeMap<String, String>,
    omitted: Vec<String>,
    pub(super) keeps_values: Option<bool>,
    pub(super) is_told_apart: bool,
}

const COMMON: &[&str] = &["carrier", "carries", "end_users"];
const OWN: &[&str] = &[
    "description",
    "renamed",
    "omitted",
    "keeps_values",
    "told_apart",
];

impl Mapping {
    pub(super) fn read_all(value: Value<'_>, draft: Draft) -> Result<Vec<Self>> {
        let tables = value.tables(&[COMMON, &["prefix", "uri"], OWN].concat())?;
        let read = |table| Self::read(table, draft);
        tables.into_iter().map(read).collect()
    }

    fn read(table: Table<'_>, draft: Draft) -> Result<Self> {
        let kind: CarrierKind = term(table.need("carrier")?)?;
        let further: &[&str] = match kind {
            CarrierKind::Mcp => &["prefix"],
            CarrierKind::A2a => &["uri"],
            CarrierKind::Other => OWN,
            CarrierKind::ResponseMetadata | CarrierKind::Sse | CarrierKind::AuditLog => &[],
        };
        let table = table.closed(&[COMMON, further].concat())?;
        let carries = some(table.need("carries")?, kind_of_object)?;
        let named = |key, example, new: fn(&str) -> core::result::Result<_, CarrierNameError>| {
            let Some(value) = table.get(key) else {
                let expected = format!("with carrier \"{kind}\", such as {key} = \"{example}\"");
                return Err(DeploymentError::missing(table.place(), key, &expected));
            };
            checked(&value, new(value.string()?)).map(Some)
        };
        let carrier = match kind {
            CarrierKind::ResponseMetadata => Some(Carrier::response_metadata()),
            CarrierKind::Mcp => named("prefix", "com.example", Carrier::mcp)?,
            CarrierKind::A2a => named("uri", "https://example.com/marc/v1", Carrier::a2a)?,
            CarrierKind::AuditLog => Some(Carrier::audit_line()),
            CarrierKind::Sse | CarrierKind::Other => None,
        };
        let own = (kind == CarrierKind::Other).then(|| OwnMapping::read(&table, &carries, draft));
        Ok(Self {
            kind,
            carrier,
            own: own.transpose()?,
            end_users: optional(&table, "end_users", boolean)?,
            carries,
        })
    }

    /// Returns the carrier that inserts and extracts objects. Returns `None` for
    /// [`CarrierKind::Sse`], which has [functions](crate::carry::sse_event) instead, and for
    /// [`CarrierKind::Other`].
    #[must_use]
    pub const fn carrier(&self) -> Option<&Carrier> {
        self.carrier.as_ref()
    }

    /// Returns `true` if objects of a kind are carried.
    #[must_use]
    pub fn carries(&self, kind: ObjectKind) -> bool {
        self.carries.contains(&kind)
    }
}

impl OwnMapping {
    fn read(table: &Table<'_>, carries: &[ObjectKind], draft: Draft) -> Result<Self> {
        let is_member = |name: &str| {
            let mut all = carries.iter().flat_map(|&kind| members(kind, draft));
            all.any(|member| member.name == name)
        };
        let known = |name: &str, place| match is_member(name) {
            true => Ok(name.to_owned()),
            false => {
                let all = carries.iter().flat_map(|&kind| members(kind, draft));
                let all: BTreeSet<_> = all.map(|member| member.name).collect();
                let all = all.into_iter().collect::<Vec<_>>().join(", ");
                let detail =
                    format!("expected a member of what is carried ({all}), found {name:?}");
                Err(DeploymentError::at(place, detail))
            }
        };
        let mut renamed = BTreeMap::new();
        if let Some(value) = table.get("renamed") {
            for (key, value) in value.free_table()?.entries() {
                renamed.insert(known(key.name(), key.place())?, text(value)?);
            }
        }
        let omitted = |value| set(value, |one| known(&text(one)?, one.place()));
        Ok(Self {
            is_described: optional(table, "description", text)?.is_some(),
            renamed,
            omitted: optional(table, "omitted", omitted)?.unwrap_or_default(),
            keeps_values: optional(table, "keeps_values", boolean)?,
            is_told_apart: optional(table, "told_apart", text)?.is_some(),
        })
    }

    fn omits(&self, member: &MemberSpec) -> bool {
        self.omitted.iter().any(|omitted| omitted == member.name)
    }

    /// Returns two members of an object, or a member and an extension, that have the same name in
    /// the carrier.
    pub(super) fn collision(
        &self,
        kind: ObjectKind,
        draft: Draft,
        extensions: &[Extension],
    ) -> Option<(String, String)> {
        let extensions = extensions.iter().map(|one| (one.name(), one.name()));
        let mut seen: BTreeMap<&str, &str> = extensions.collect();
        let mut carried = members(kind, draft).filter(|member| !self.omits(member));
        carried.find_map(|member| {
            let renamed = self.renamed.get(member.name).map(String::as_str);
            let other = seen.insert(renamed.unwrap_or(member.name), member.name)?;
            Some((other.to_owned(), member.name.to_owned()))
        })
    }

    /// Returns an omitted member that some objects of the kind require.
    pub(super) fn lost(&self, kind: ObjectKind, draft: Draft) -> Option<&'static str> {
        let mut needed = members(kind, draft)
            .filter(|member| member.is_required() || member.name == WITH_ANSWER);
        Some(needed.find(|member| self.omits(member))?.name)
    }
}

fn kind_of_object(value: Value<'_>) -> Result<ObjectKind> {
    let name = one_of(value, "kind of MARC object", &["core", "disclosure"])?;
    Ok(match name {
        "core" => ObjectKind::Core,
        _ => ObjectKind::Disclosure,
    })
}
