//! Requirements of the drafts, parsed from `requirements.tsv`, which documents its columns.

use std::sync::LazyLock;

use crate::deployment::ConformanceClass;
use crate::draft::Draft;
use crate::violation::Level;

/// A step of a rule, written `WORD KEY = WORDS` in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleStep {
    pub(super) word: &'static str,
    pub(super) key: &'static str,
    pub(super) words: &'static str,
}

impl RuleStep {
    fn parse(text: &'static str) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (key, words) = rest.split_once(" = ").unwrap_or((rest, ""));
        Self { word, key, words }
    }
}

/// A requirement of one section.
#[derive(Debug)]
pub(super) struct SectionRequirement {
    pub(super) id: &'static str,
    pub(super) level: Level,
    classes: &'static str,
    /// Sections `MARC-01 …` and `MARC-02 …`; `None` if the draft lacks the requirement.
    sections: [Option<String>; 2],
    pub(super) rule: Vec<RuleStep>,
    pub(super) title: &'static str,
}

impl SectionRequirement {
    fn parse(line: &'static str) -> Option<Self> {
        let cells: Vec<_> = line.split('\t').collect();
        let &[id, _number, level, classes, newer, older, rule, title] = &*cells else {
            return None;
        };
        Some(Self {
            id,
            level: level.parse().ok()?,
            classes,
            sections: [
                (older != "-").then(|| format!("MARC-01 {older}")),
                Some(format!("MARC-02 {newer}")),
            ],
            rule: rule.split(" | ").map(RuleStep::parse).collect(),
            title,
        })
    }

    /// Returns the section of a draft, if the draft has the requirement.
    pub(super) fn section(&self, draft: Draft) -> Option<&str> {
        self.sections[draft as usize].as_deref()
    }

    pub(super) fn is_of(&self, class: ConformanceClass) -> bool {
        self.classes.contains(match class {
            ConformanceClass::Core => 'C',
            ConformanceClass::Disclosure => 'D',
            ConformanceClass::Carrying => 'Y',
        })
    }
}

/// All requirements, in the order of MARC-02.
pub(super) static TABLE: LazyLock<Vec<SectionRequirement>> = LazyLock::new(|| {
    include_str!("requirements.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(SectionRequirement::parse)
        .collect()
});

/// Returns the requirement with an identifier.
pub(super) fn requirement(id: &str) -> Option<&'static SectionRequirement> {
    TABLE.iter().find(|one| one.id == id)
}

#[cfg(test)]
#[path = "../../../tests/unit/conformance_table.rs"]
mod tests;
