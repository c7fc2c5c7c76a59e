//! A text that is a string of its own: the text of a response that is not streamed, or a copy of one that came in pieces.

use smallvec::SmallVec;

use super::Channel;
use super::copy_changes::CopyChanges;
use super::escape::push_content;
use super::found::Str;
use super::remembering::Unfound;
use super::removed::OffsetShift;
use super::sink::{OutputCollector, StreamHandler};
use super::steps::{count, each};
use super::text::{EditBuffer, Scratch, Text, TextRewriter};
use super::text_id::TextId;
use super::words::Words;

/// Most texts of other names whose words are looked for in a text.
pub(super) const MAX_SETTLED: usize = 16;

/// A text that is a string of its own.
#[derive(Debug)]
pub(super) struct WholeText<'a, R> {
    pub(super) id: TextId,
    /// The data of the event, and where in them the string is.
    pub(super) data: &'a [u8],
    pub(super) text: Str,
    /// There is more to come: what may still become an annotation is left out.
    pub(super) more: bool,
    /// Deltas of the text may follow.
    pub(super) is_begun: bool,
    /// The text repeats another one.
    pub(super) is_repeated: bool,
    /// More of that text may come, so that the end of this one may have to be left out.
    pub(super) may_go_on: bool,
    /// Unless it is equal to the text that it repeats, it may have words that are not decided, or whose decision a gate
    /// has forgotten.
    pub(super) is_uncertain: bool,
    /// Effort for earlier copies.
    pub(super) effort: u64,
    /// Decided words of the text that is repeated.
    pub(super) words: Option<Words>,
    /// Texts whose words it may have, if it is no copy of its own.
    pub(super) texts: &'a mut [Text<R>],
    /// Channel of the texts whose words are looked for; `None`: all.
    pub(super) only: Option<Channel>,
    /// Replacements in the text, if the event has offsets into it.
    pub(super) removed: Option<&'a mut OffsetShift>,
}

/// Result of rewriting a full text.
#[derive(Debug)]
pub(super) struct WholeWritten {
    /// Its length.
    pub(super) read: usize,
    /// The string changes, to what was appended to the edit.
    pub(super) changed: bool,
    /// None of it is written, because it is [uncertain](WholeText::is_uncertain).
    pub(super) is_emptied: bool,
    /// None of it is written, because of the effort.
    pub(super) is_exhausted: bool,
    /// Effort for all copies so far.
    pub(super) effort: u64,
    /// End of the string, which it gets if none of these texts continues.
    pub(super) end: (SmallVec<[TextId; 1]>, Vec<u8>),
}

/// Rewrites a text that is a string of its own.
pub(super) fn rewrite_whole<R: TextRewriter>(
    rewriter: &mut R,
    whole: WholeText<'_, R>,
    scratch: &mut Scratch,
    edit: EditBuffer<'_>,
    handler: &mut dyn StreamHandler,
) -> WholeWritten {
    let Scratch { decoded, out } = scratch;
    let (content, escaped) = (whole.text.content(whole.data), whole.text.escaped);
    let text = provstream::json::decode_in(content, escaped, decoded).text;
    out.clear();
    let mut collect = OutputCollector {
        out,
        handler,
        is_repeated: whole.is_repeated,
        has_replaced: false,
        removed: whole.removed,
        words: Words::default(),
        seams: None,
    };
    rewriter.push(text.as_bytes(), &mut collect);
    let certain = collect.out.len();
    if whole.is_begun {
        rewriter.push_break(&mut collect);
    } else if !whole.more {
        rewriter.finish(&mut collect);
    }
    let mut settled = CopyChanges::after(whole.effort);
    if whole.is_repeated {
        rewriter.settle_repeat(Unfound::Empties, out, &mut settled);
    }
    let is_own = |words: Words| words.is_like(&rewriter.words(false));
    let is_other = R::WITHHOLDS_UNREAD && !whole.words.is_some_and(is_own);
    let is_emptied = is_other && whole.is_uncertain;
    if is_emptied {
        // It may also have them in another form, or in another order.
        settled.end(0, None);
    }
    let texts = if is_other { whole.texts } else { &mut [] };
    let mut others = SmallVec::<[&mut Text<R>; 1]>::new();
    let is_meant = |of: TextId| of != whole.id && whole.only.is_none_or(|only| of.channel == only);
    others.extend(each(texts.iter_mut()).filter(|other| is_meant(other.id)));
    let copied = rewriter.words(false);
    let unfound = match whole.is_repeated {
        true => Unfound::Empties,
        false => Unfound::Keeps,
    };
    settle_elsewhere(&mut others, (unfound, copied), out, &mut settled);
    settled.cut(out);
    let (mut awaited, mut len) = (SmallVec::new(), out.len());
    for other in each(others.iter()) {
        let rest = other.rewriter.rest();
        if !rest.is_empty() && !out.is_empty() {
            count(out.len());
            len = memchr::memmem::rfind(out, rest).map_or(len, |at| at.min(len));
            awaited.push(other.id);
        }
    }
    if whole.may_go_on {
        awaited.push(whole.id);
        // In another order, what is not decided may be anywhere.
        len = if is_other { 0 } else { len.min(certain) };
    }
    let mut end = out.split_off(settled.part_before(out, len));
    settled.replace_in(out, b"");
    settled.replace_in(&mut end, out);
    settled.refuse(if awaited.is_empty() { out } else { &mut end });
    let end = (awaited, end);
    let changed = *out != text.as_bytes();
    if changed {
        push_content(edit, out);
    }
    WholeWritten {
        read: text.len(),
        changed,
        is_emptied,
        is_exhausted: settled.is_exhausted(),
        effort: settled.effort(),
        end,
    }
}

/// Adds what is to be done with what was written for a text, because of the words of others. A text that repeats one of them as a
/// whole, with these words, need not have those of the rest.
fn settle_elsewhere<R: TextRewriter>(
    others: &mut [&mut Text<R>],
    (mut unfound, copied): (Unfound, Words),
    copy: &[u8],
    to: &mut CopyChanges,
) {
    if unfound == Unfound::Empties {
        each(others.iter_mut()).for_each(|other| other.rewriter.look_ahead());
        if each(others.iter()).any(|other| other.rewriter.words(true).equals(&copied)) {
            unfound = Unfound::Ends;
        }
    }
    let mut settled = 0;
    for other in each(others.iter_mut()) {
        if settled == MAX_SETTLED {
            // It cannot be searched for the words of all.
            return to.end(0, None);
        }
        settled += usize::from(other.rewriter.settle_elsewhere(unfound, copy, to));
        let rest = other.rewriter.rest();
        count(copy.len());
        if unfound == Unfound::Empties && memchr::memmem::find(copy, rest).is_none() {
            // It may have in another form what is not decided.
            return to.end(0, None);
        }
    }
}
