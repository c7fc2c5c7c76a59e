//! What the objects of a value say: one walk over its tree in the order in which it was written.

use super::super::{Ann, Encoding, Ev, Extent, Place, RefLimits, RefVocabulary, wide};
use super::annotation::{self, Draft};
use super::read::{Kind, Member, Node};
use super::{content, pointer, text};
use std::ops::Range;

/// How many annotations all open objects may have together, if an object alone may not have more.
const MOST_ANNOTATIONS: usize = 512;

/// Which objects of a value were reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reported {
    /// Any of them.
    pub any: bool,
    /// Its root.
    pub root: bool,
}

/// Reports the objects of the value with this root that are closed.
pub(super) fn extract(
    bytes: &[u8],
    root: &Node,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    events: &mut Vec<(Place, Ev)>,
) -> Reported {
    let mut walk = Walk {
        bytes,
        limits,
        vocabulary,
        used: 0,
        annotations: 0,
        events,
        reported: false,
    };
    let root = match &root.kind {
        Kind::Object(members) => walk.object(root, members, "", None),
        _ => {
            walk.node(root, "");
            false
        }
    };
    Reported {
        any: walk.reported,
        root,
    }
}

/// The state of the walk.
struct Walk<'a> {
    /// The bytes that hold the value.
    bytes: &'a [u8],
    /// The limits.
    limits: &'a RefLimits,
    /// The vocabulary.
    vocabulary: &'a RefVocabulary,
    /// How many bytes count towards `max_pending` now.
    used: usize,
    /// How many annotations all open objects have now.
    annotations: usize,
    /// What is reported.
    events: &'a mut Vec<(Place, Ev)>,
    /// Whether anything was.
    reported: bool,
}

/// What is known of an object that is open.
#[derive(Default)]
struct Open {
    /// How many bytes of `max_pending` it takes, without those of an annotation that is open itself.
    taken: usize,
    /// How many annotations of it were looked at.
    looked_at: usize,
    /// Whether there were more.
    too_many: bool,
    /// Whether annotations of it were left out because all open objects together have too many.
    crowded: bool,
    /// Whether one of them was left out because of `max_pending`.
    lost_one: bool,
    /// How many members `assertion` there were.
    assertions: usize,
    /// How many members `provenance` there were.
    provenances: usize,
    /// The values of its members `assertion`, without the quotes of strings.
    values: Vec<Range<usize>>,
    /// What is between the quotes of the assertion.
    assertion: Option<Range<usize>>,
    /// The part of it that is kept; nothing if it was left out.
    kept: Option<Range<usize>>,
    /// The annotations to report.
    kept_annotations: Vec<Ann>,
    /// What is to be said about annotations and further members.
    diagnostics: Vec<(&'static str, (u64, u64))>,
    /// The names of all members, decoded.
    names: Vec<String>,
}

/// The members that every record has.
const RECORD: [&str; 8] = [
    "marc_version",
    "pre_capability",
    "uncertainty",
    "primary_source",
    "remediability",
    "selected_action",
    "confidence_band",
    "recommended_next_step",
];

impl Walk<'_> {
    /// Looks at a value that is no annotation.
    fn node(&mut self, node: &Node, at: &str) {
        match &node.kind {
            Kind::Object(members) => {
                self.object(node, members, at, None);
            }
            Kind::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.node(element, &pointer::element(at, index));
                }
            }
            _ => {}
        }
    }

    /// Looks at an object, which may be an annotation, and says whether it was reported.
    fn object(
        &mut self,
        node: &Node,
        members: &[Member],
        at: &str,
        mut draft: Option<&mut Draft>,
    ) -> bool {
        let mut open = Open::default();
        for member in members {
            let name = &self.bytes[member.name.clone()];
            let below = pointer::member(at, name);
            let name = text::decode(name);
            match &name[..] {
                "assertion" => {
                    open.assertions += 1;
                    if open.assertions > 1 {
                        self.further(&mut open, &member.value);
                    }
                    self.node(&member.value, &below);
                    self.assertion(&mut open, &member.value);
                }
                "provenance" => {
                    open.provenances += 1;
                    if open.provenances > 1 {
                        self.further(&mut open, &member.value);
                        self.node(&member.value, &below);
                    } else {
                        self.provenance(&mut open, &member.value, &below);
                    }
                }
                _ => self.node(&member.value, &below),
            }
            open.names.push(name);
            if let Some(draft) = draft.as_deref_mut().filter(|_| member.value.closed) {
                draft.member(self.bytes, member, &mut self.used, self.limits);
            }
        }
        self.used -= open.taken;
        self.annotations -= open.looked_at;
        if !node.closed {
            return false;
        }
        let is_marc = self.report_marc(node, &open.names, at);
        let is_asserted = self.report_assertion(node, open, at);
        self.reported |= is_marc || is_asserted;
        is_marc || is_asserted
    }

    /// Whether another annotation of an object is looked at.
    fn looks_at(&mut self, open: &mut Open) -> bool {
        let most = MOST_ANNOTATIONS.max(self.limits.max_annotations);
        if open.looked_at >= self.limits.max_annotations {
            open.too_many = true;
            return false;
        }
        if self.annotations >= most {
            open.crowded = true;
            return false;
        }
        open.looked_at += 1;
        self.annotations += 1;
        true
    }

    /// Takes note of a further member `assertion` or `provenance`.
    fn further(&mut self, open: &mut Open, value: &Node) {
        if self.looks_at(open) {
            open.kept_annotations.push(annotation::malformed(value));
            let span = wide(value.start, value.end);
            open.diagnostics.push(("duplicate-member", span));
        }
    }

    /// Takes note of the value of a member `assertion`.
    fn assertion(&mut self, open: &mut Open, value: &Node) {
        open.values.push(match value.kind {
            Kind::Text if value.closed => content(value),
            _ => value.start..value.end,
        });
        if value.kind != Kind::Text || !value.closed || open.assertion.is_some() {
            return;
        }
        let content = content(value);
        let kept = text::keep(self.bytes, content.clone(), self.limits.max_assertion);
        open.assertion = Some(content);
        if self.used + kept.len() <= self.limits.max_pending_json {
            self.used += kept.len();
            open.taken += kept.len();
            open.kept = Some(kept);
        }
    }

    /// Looks at the value of the first member `provenance` of an object.
    fn provenance(&mut self, open: &mut Open, value: &Node, at: &str) {
        match &value.kind {
            Kind::Object(_) => self.annotation(open, value, at),
            Kind::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.annotation(open, element, &pointer::element(at, index));
                }
            }
            Kind::Null | Kind::Missing => {}
            Kind::Text | Kind::Other => {
                if self.looks_at(open) {
                    open.kept_annotations.push(annotation::malformed(value));
                }
            }
        }
    }

    /// Looks at an annotation of an object, or at what stands in the place of one.
    fn annotation(&mut self, open: &mut Open, node: &Node, at: &str) {
        if !self.looks_at(open) {
            self.node(node, at);
            return;
        }
        let Kind::Object(members) = &node.kind else {
            open.kept_annotations.push(annotation::malformed(node));
            self.node(node, at);
            return;
        };
        let mut draft = Draft::default();
        self.object(node, members, at, Some(&mut draft));
        self.used -= draft.taken;
        if !node.closed {
            return;
        }
        let done = draft.finish(self.bytes, node, self.limits, self.vocabulary);
        self.used += done.retained;
        open.taken += done.retained;
        open.lost_one |= done.annotation.is_none();
        open.kept_annotations.extend(done.annotation);
        open.diagnostics.extend(done.diagnostics);
    }

    /// Reports an object if it is a MARC object.
    fn report_marc(&mut self, node: &Node, names: &[String], at: &str) -> bool {
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let is_short = node.end - node.start <= self.limits.max_record;
        let kind = if is_short && RECORD.iter().all(|name| has(name)) {
            "core"
        } else if has("answer") && has("confidence_band") && has("uncertainty_source") {
            "disclosure"
        } else if has("marc_version") {
            "core"
        } else {
            return false;
        };
        let span = wide(node.start, node.end);
        let raw = &self.bytes[node.start..node.end];
        let raw = (raw.len() <= self.limits.max_record).then(|| raw.to_vec());
        let pointer = pointer::limited(at.to_owned(), self.limits.max_pointer);
        let findings = [
            (raw.is_none(), "limit-record"),
            (pointer.is_none(), "limit-pointer"),
        ];
        let marc = Ev::Marc {
            kind,
            span,
            pointer,
            raw,
        };
        self.events.push((Place::after(node.end), marc));
        self.diagnose(node, &findings, span);
        true
    }

    /// Reports an object if it is an asserted object.
    fn report_assertion(&mut self, node: &Node, open: Open, at: &str) -> bool {
        let Some(content) = open.assertion else {
            return false;
        };
        let pointer = pointer::member(at, b"assertion");
        let pointer = pointer::limited(pointer, self.limits.max_pointer);
        let kept = open.kept.clone().map(|kept| &self.bytes[kept]);
        let span = wide(content.start, content.end);
        let is_cut = content.len() > self.limits.max_assertion;
        let has_too_long = open
            .diagnostics
            .iter()
            .any(|(code, _)| *code == "limit-annotation");
        let lost = open.too_many || open.crowded || open.lost_one || has_too_long;
        let findings = [
            (is_cut, "limit-assertion"),
            (open.too_many, "limit-annotations"),
            (kept.is_none() || open.crowded, "limit-pending"),
            (pointer.is_none(), "limit-pointer"),
            (
                kept.is_some_and(|kept| !text::is_utf8(kept)),
                "invalid-utf8",
            ),
        ];
        let assertion = Ev::Assertion {
            encoding: Encoding::Json,
            text: kept.map_or_else(String::new, text::decode),
            span,
            extent: Extent {
                span: wide(open.values[0].start, open.values[open.values.len() - 1].end),
                repeated: open.assertions > 1 || open.provenances > 1,
            },
            clean_span: None,
            limited: is_cut || lost || kept.is_none() || pointer.is_none(),
            pointer,
            annotations: open.kept_annotations,
        };
        self.events.push((Place::after(node.end), assertion));
        self.diagnose(node, &findings, span);
        for (code, span) in open.diagnostics {
            let event = Ev::Diagnostic { code, span };
            self.events.push((Place::after(node.end), event));
        }
        true
    }

    /// Says what holds of a span, at the closing brace of an object.
    fn diagnose(&mut self, node: &Node, findings: &[(bool, &'static str)], span: (u64, u64)) {
        for &(holds, code) in findings {
            if holds {
                let event = Ev::Diagnostic { code, span };
                self.events.push((Place::after(node.end), event));
            }
        }
    }
}
