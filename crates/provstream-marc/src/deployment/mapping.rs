//! `[[mapping]]`: where records travel.

use std::collections::BTreeMap;

use super::error::DeploymentError;
use super::read::{Result, boolean, checked, optional, set, some, term, text};
use crate::carry::Carrier;
use crate::declare::values;
use crate::draft::Draft;
use crate::members::{WITH_ANSWER, members};
use crate::terms::{TermError, TermErrorKind, terms};
use provstream::MarcKind as ObjectKind;
use provstream::settings::{Table, Value};

terms! {
    /// Where a deployment puts records or disclosures. Source: MARC-02 12.1.
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
        /// Something else, with a mapping of the deployment's own.
        Other = "other",
    }
}

values! {
    /// How records or disclosures travel inside of something else. Source: MARC-02 12.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Mapping {
        /// Where they travel.
        copy kind: CarrierKind,
        own carrier: Option<Carrier>,
        /// The mapping that is the deployment's own, if it is.
        own pub(super) own: Option<OwnMapping>,
        /// One at least.
        own carries: Vec<ObjectKind>,
        own pub(super) end_users: Option<bool>,
    }
}

/// What is said of a mapping that is a deployment's own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OwnMapping {
    pub(super) description: Option<String>,
    /// From the names of members to those in the carrier.
    pub(super) renamed: BTreeMap<String, String>,
    pub(super) omitted: Vec<String>,
    pub(super) keeps_values: Option<bool>,
    pub(super) told_apart: Option<String>,
}

impl Mapping {
    pub(super) fn read_all(value: Value<'_>, draft: Draft) -> Result<Vec<Self>> {
        const ALL: &[&str] = &[
            "carrier",
            "carries",
            "end_users",
            "prefix",
            "uri",
            "description",
            "renamed",
            "omitted",
            "keeps_values",
            "told_apart",
        ];
        let tables = value.tables(ALL)?;
        tables
            .into_iter()
            .map(|table| Self::read(table, draft))
            .collect()
    }

    fn read(table: Table<'_>, draft: Draft) -> Result<Self> {
        let kind: CarrierKind = term(table.need("carrier")?)?;
        let common = ["carrier", "carries", "end_users"];
        let further: &[&str] = match kind {
            CarrierKind::Mcp => &["prefix"],
            CarrierKind::A2a => &["uri"],
            CarrierKind::Other => &[
                "description",
                "renamed",
                "omitted",
                "keeps_values",
                "told_apart",
            ],
            CarrierKind::ResponseMetadata | CarrierKind::Sse | CarrierKind::AuditLog => &[],
        };
        let table = table.closed(&[&common[..], further].concat())?;
        let carries = some(table.need("carries")?, kind_of_object)?;
        let name = |key| -> Result<_> {
            let value = table.need(key)?;
            let text = value.string()?;
            Ok((value, text))
        };
        let carrier = match kind {
            CarrierKind::ResponseMetadata => Some(Carrier::response_metadata()),
            CarrierKind::Mcp => {
                let (value, prefix) = name("prefix")?;
                Some(checked(&value, Carrier::mcp(prefix))?)
            }
            CarrierKind::A2a => {
                let (value, uri) = name("uri")?;
                Some(checked(&value, Carrier::a2a(uri))?)
            }
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

    /// What puts them there and takes them out; `None` for [`CarrierKind::Sse`], which has
    /// [functions](crate::carry::sse_event) instead, and for [`CarrierKind::Other`].
    #[must_use]
    pub const fn carrier(&self) -> Option<&Carrier> {
        self.carrier.as_ref()
    }

    /// Whether objects of a kind travel there.
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
        let mut renamed = BTreeMap::new();
        if let Some(value) = table.get("renamed") {
            for (key, value) in value.free_table()?.entries() {
                if !is_member(key.name()) {
                    return Err(DeploymentError::at(key.place(), unknown(key.name())));
                }
                renamed.insert(key.name().to_owned(), text(value)?);
            }
        }
        let member = |value: Value<'_>| {
            let name = text(value)?;
            if is_member(&name) {
                Ok(name)
            } else {
                Err(DeploymentError::value(&value, unknown(&name)))
            }
        };
        Ok(Self {
            description: optional(table, "description", text)?,
            renamed,
            omitted: optional(table, "omitted", |value| set(value, member))?.unwrap_or_default(),
            keeps_values: optional(table, "keeps_values", boolean)?,
            told_apart: optional(table, "told_apart", text)?,
        })
    }

    /// The name of a member in the carrier.
    fn carried<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed.get(name).map_or(name, String::as_str)
    }

    /// Two members of an object, or a member and an extension, that have the same name in the carrier.
    pub(super) fn collision(
        &self,
        kind: ObjectKind,
        draft: Draft,
        extensions: &[&str],
    ) -> Option<(String, String)> {
        let mut seen: BTreeMap<&str, &str> = extensions.iter().map(|&name| (name, name)).collect();
        let carried = members(kind, draft)
            .filter(|member| self.omitted.iter().all(|omitted| omitted != member.name));
        for member in carried {
            if let Some(other) = seen.insert(self.carried(member.name), member.name) {
                return Some((other.to_owned(), member.name.to_owned()));
            }
        }
        None
    }

    /// A member that is left out and some object cannot do without.
    pub(super) fn lost(&self, kind: ObjectKind, draft: Draft) -> Option<&'static str> {
        members(kind, draft)
            .find(|member| {
                (member.is_required() || member.name == WITH_ANSWER)
                    && self.omitted.iter().any(|omitted| omitted == member.name)
            })
            .map(|member| member.name)
    }
}

fn unknown(name: &str) -> String {
    format!("expected a member of what is carried, found {name:?}")
}

fn kind_of_object(value: Value<'_>) -> Result<ObjectKind> {
    let text = value.string()?;
    let found = [ObjectKind::Core, ObjectKind::Disclosure]
        .into_iter()
        .find(|kind| kind.as_str() == text);
    checked(
        &value,
        found.ok_or_else(|| {
            TermError::from(TermErrorKind::Unknown(
                "kind of MARC object",
                &["core", "disclosure"],
                text.into(),
            ))
        }),
    )
}
