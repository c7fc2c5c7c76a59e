//! Classes of the sources that requests and responses bring.

use std::collections::BTreeMap;

use provstream::provenance::Class;

/// Classes of the sources of a route: one for all, or one for the results of each tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceClasses {
    pub(crate) all: Option<Class>,
    pub(crate) tools: BTreeMap<Box<str>, Class>,
}

impl SourceClasses {
    /// Returns the class of the sources in the result of a tool, or, for `None`, of those elsewhere.
    pub(crate) fn of(&self, tool: Option<&str>) -> Option<Class> {
        let by_tool = tool.and_then(|tool| self.tools.get(tool));
        by_tool.or(self.all.as_ref()).cloned()
    }
}
