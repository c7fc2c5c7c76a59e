//! JSON annotations: the members read from an open object, and the result at its closing brace.

use super::super::{Ann, RefLimits, RefVocabulary, resolve, timestamp, wide};
use super::read::{Kind, Member, Node};
use super::{content, text};
use std::ops::Range;

/// Spellings of the names of the three members of an annotation.
const FIELDS: [&[&str]; 3] = [
    &["substrate_class"],
    &["observation_id", "observation-id"],
    &["ts"],
];

/// Members read so far of an annotation whose object is open.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// Bytes of its strings that count towards `max_pending_json`.
    pub taken: usize,
    /// A string exceeded `max_pending_json`, so that the annotation is left out.
    left_out: bool,
    malformed: bool,
    /// A string exceeds `max_annotation`.
    too_long: bool,
    /// Number of members read for each entry of [`FIELDS`].
    seen: [usize; 3],
    /// Content of the first `substrate_class` that is a string.
    class: Option<Range<usize>>,
    /// Content of the observation id.
    id: Option<Range<usize>>,
    /// Content of the timestamp.
    ts: Option<Range<usize>>,
}

/// Result of an annotation whose object is closed.
pub(super) struct Done {
    /// Annotation to report, `None` if it was left out.
    pub annotation: Option<Ann>,
    /// Bytes that count towards `max_pending_json` until the assertion is reported.
    pub retained: usize,
    /// Diagnostics, as code and span.
    pub diagnostics: Vec<(&'static str, (u64, u64))>,
}

/// Builds a malformed annotation without a declared class.
pub(super) fn malformed(node: &Node) -> Ann {
    Ann {
        span: wide(node.start, node.end),
        class: resolve::UNVERIFIED.to_owned(),
        declared: String::new(),
        reason: Some("malformed"),
        observation_id: None,
        ts: None,
    }
}

/// Decodes the content of a string as a timestamp; returns `None` if it is not a valid one.
fn time(content: &[u8]) -> Option<String> {
    let decoded = String::from_utf8(text::undo_escapes(content)).ok()?;
    timestamp::is_date_time(&decoded).then_some(decoded)
}

impl Draft {
    /// Records a completely read member. `used` counts the bytes of all open objects, this
    /// annotation included, towards `max_pending_json`.
    pub(super) fn member(
        &mut self,
        bytes: &[u8],
        member: &Member,
        used: &mut usize,
        limits: &RefLimits,
    ) {
        let name = text::decode(&bytes[member.name.clone()]);
        let Some(field) = FIELDS.iter().position(|names| names.contains(&&name[..])) else {
            return;
        };
        self.seen[field] += 1;
        let first = self.seen[field] == 1;
        self.malformed |= !first;
        match member.value.kind {
            Kind::Text => {}
            Kind::Null if field > 0 => return,
            _ => {
                self.malformed = true;
                return;
            }
        }
        let content = content(&member.value);
        let fits = content.len() <= limits.max_annotation;
        if !fits {
            self.too_long = true;
            self.malformed = true;
        }
        let counts = match field {
            0 if self.class.is_none() => {
                self.class = Some(content.clone());
                true
            }
            1 if first => {
                self.id = Some(content.clone());
                true
            }
            2 if first => {
                self.ts = Some(content.clone());
                time(&bytes[content.clone()]).is_some()
            }
            _ => false,
        };
        if counts && fits && !self.left_out {
            if *used + content.len() <= limits.max_pending_json {
                *used += content.len();
                self.taken += content.len();
            } else {
                self.left_out = true;
            }
        }
    }

    /// Builds the result at the closing brace of the object `node`.
    pub(super) fn finish(
        self,
        bytes: &[u8],
        node: &Node,
        limits: &RefLimits,
        vocabulary: &RefVocabulary,
    ) -> Done {
        let span = wide(node.start, node.end);
        let mut done = Done {
            annotation: None,
            retained: 0,
            diagnostics: Vec::new(),
        };
        if self.left_out {
            done.diagnostics.push(("limit-pending", span));
            return done;
        }
        let quoted = |content: &Range<usize>| wide(content.start - 1, content.end + 1);
        let is_malformed = self.malformed || self.class.is_none();
        // A declared identifier that is too long is not kept.
        let class = self
            .class
            .filter(|class| class.len() <= limits.max_annotation);
        let mut annotation = malformed(node);
        if self.too_long {
            done.diagnostics.push(("limit-annotation", span));
        }
        if let Some(class) = &class {
            annotation.declared = text::decode(&bytes[class.clone()]);
            done.retained += class.len();
            if !text::is_utf8(&bytes[class.clone()]) {
                done.diagnostics.push(("invalid-utf8", quoted(class)));
            }
        }
        if !is_malformed {
            (annotation.class, annotation.reason) =
                resolve::classify_any(&annotation.declared, vocabulary);
            if let Some(id) = &self.id {
                annotation.observation_id = Some(text::decode(&bytes[id.clone()]));
                done.retained += id.len();
                if !text::is_utf8(&bytes[id.clone()]) {
                    done.diagnostics.push(("invalid-utf8", quoted(id)));
                }
            }
            if let Some(ts) = &self.ts {
                annotation.ts = time(&bytes[ts.clone()]);
                if annotation.ts.is_some() {
                    done.retained += ts.len();
                } else {
                    done.diagnostics.push(("invalid-ts", quoted(ts)));
                }
            }
        }
        done.annotation = Some(annotation);
        done
    }
}
