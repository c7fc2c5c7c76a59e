//! Events of the objects in a JSON value, from one walk over its tree in the order of the text.

use super::super::{Ann, Encoding, Ev, Extent, Place, RefLimits, RefVocabulary, wide};
use super::annotation::{self, Draft};
use super::read::{Kind, Member, Node};
use super::{content, pointer, text};
use std::ops::Range;

/// Maximum number of annotations of all open objects together, unless the limit for one object is
/// higher.
const MAX_ANNOTATIONS: usize = 512;

/// Objects of a value that were reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reported {
    /// At least one object was reported.
    pub any: bool,
    /// The root was reported.
    pub root: bool,
}

/// Reports the asserted and MARC objects among the closed objects of a value.
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

/// State of the walk over a value.
struct Walk<'a> {
    /// Bytes in which the ranges of the tree lie.
    bytes: &'a [u8],
    limits: &'a RefLimits,
    vocabulary: &'a RefVocabulary,
    /// Bytes that count towards `max_pending_json`.
    used: usize,
    /// Number of annotations of all open objects.
    annotations: usize,
    /// Events reported so far.
    events: &'a mut Vec<(Place, Ev)>,
    /// At least one object was reported.
    reported: bool,
}

/// State of an open object.
#[derive(Default)]
struct Open {
    /// Bytes that count towards `max_pending_json`, without those of an annotation that is open.
    taken: usize,
    /// Number of annotations read.
    looked_at: usize,
    /// Annotations were left out because of `max_annotations`.
    too_many: bool,
    /// Annotations were left out because all open objects together have too many.
    crowded: bool,
    /// An annotation was left out because of `max_pending_json`.
    lost_one: bool,
    /// Number of members `assertion`.
    assertions: usize,
    /// Number of members `provenance`.
    provenances: usize,
    /// Ranges of the values of the members `assertion`, without the quotes of strings.
    values: Vec<Range<usize>>,
    /// Content of the first `assertion` that is a string.
    assertion: Option<Range<usize>>,
    /// Range of the content that is kept, `None` if it exceeded `max_pending_json`.
    kept: Option<Range<usize>>,
    /// Annotations to report.
    kept_annotations: Vec<Ann>,
    /// Diagnostics about annotations and repeated members, as code and span.
    diagnostics: Vec<(&'static str, (u64, u64))>,
    /// Decoded names of all members.
    names: Vec<String>,
}

/// Members that every MARC record has.
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
    /// Walks over a value that is not an annotation.
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

    /// Walks over an object, an annotation if `draft` is given; returns `true` if it was reported.
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

    /// Counts a further annotation of an object; returns `false` if a limit leaves it out.
    fn looks_at(&mut self, open: &mut Open) -> bool {
        let most = MAX_ANNOTATIONS.max(self.limits.max_annotations);
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

    /// Reports a repeated member `assertion` or `provenance` as a malformed annotation.
    fn further(&mut self, open: &mut Open, value: &Node) {
        if self.looks_at(open) {
            open.kept_annotations.push(annotation::malformed(value));
            let span = wide(value.start, value.end);
            open.diagnostics.push(("duplicate-member", span));
        }
    }

    /// Records the value of a member `assertion`.
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

    /// Walks over the value of the first member `provenance`.
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

    /// Walks over an element of `provenance`: an annotation, or another value in its place.
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

    /// Reports the object if its members make it a MARC object.
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

    /// Reports the object if it has an assertion.
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

    /// Reports the diagnostics whose condition holds, at the closing brace of an object.
    fn diagnose(&mut self, node: &Node, findings: &[(bool, &'static str)], span: (u64, u64)) {
        for &(holds, code) in findings {
            if holds {
                let event = Ev::Diagnostic { code, span };
                self.events.push((Place::after(node.end), event));
            }
        }
    }
}
