//! A response on its way through a gate, which withholds what was not read.

use core::ops::Range;
use std::borrow::Cow;

use super::State;
use crate::formats::shown;
use crate::found::Found;
use crate::frame::{Frame, Kind, StreamPiece};
use crate::guard::UnknownEvent;
use crate::harmless::{self, LineTreatment};
use crate::item::{Notice, NoticeCode};
use crate::reader::FactReader;
use crate::sse::SseDecoder;
use crate::text::TextRewriter;
use crate::{Format, StreamHandler};
use provstream::{Span, TextChunk};

impl<R: TextRewriter> State<R> {
    /// Takes a piece without what is in no event that can be read.
    pub(super) fn take_guarded(
        &mut self,
        envelope: Kind,
        piece: &mut StreamPiece<'_>,
        handler: &mut dyn StreamHandler,
    ) {
        match piece {
            StreamPiece::Other(text) | StreamPiece::Close(text) => {
                let clean = match envelope {
                    Kind::Sse => {
                        self.clean_lines((text.bytes(), text.span().start()), 0..0, handler)
                    }
                    Kind::Encoded => Cow::Borrowed(text.bytes()),
                    _ => Self::clean_between(text.bytes(), text.span().start()),
                };
                let text = TextChunk::new(&clean, text.span().start());
                let is_other = matches!(piece, StreamPiece::Other(_));
                let piece = if is_other {
                    StreamPiece::Other
                } else {
                    StreamPiece::Close
                };
                self.take_piece(envelope, &mut piece(text), handler);
            }
            StreamPiece::Event(frame) | StreamPiece::Unterminated(frame)
                if envelope == Kind::Sse =>
            {
                let read = frame.first_line();
                let raw = match self.clean_lines((frame.raw, frame.start), read, handler) {
                    Cow::Borrowed(_) => return self.take_piece(envelope, piece, handler),
                    Cow::Owned(raw) => raw,
                };
                if has_json_beside(frame.raw) {
                    self.reach_limits(handler);
                }
                // All of its data are still there.
                if let Some(frame) = SseDecoder::unterminated(TextChunk::new(&raw, frame.start)) {
                    let is_event = matches!(piece, StreamPiece::Event(_));
                    let piece = if is_event {
                        StreamPiece::Event
                    } else {
                        StreamPiece::Unterminated
                    };
                    self.take_piece(envelope, &mut piece(frame), handler);
                }
            }
            _ => self.take_piece(envelope, piece, handler),
        }
    }

    /// Returns `true` if an event that is not read may have text that some client reads: the annotation of what is held back may
    /// be in it.
    pub(super) fn has_lost_text(&self, frame: &Frame<'_>, code: NoticeCode) -> bool {
        match code {
            NoticeCode::MalformedEvent => frame.has_several_lines(),
            NoticeCode::AmbiguousEvent => self.reader.has_lost_text,
            _ => false,
        }
    }

    /// Reports lines of JSON that are not read, unlike by Google's SDK.
    #[inline]
    pub(super) fn note_json_beside(
        &mut self,
        piece: &StreamPiece<'_>,
        handler: &mut dyn StreamHandler,
    ) {
        let (beside, span) = match piece {
            StreamPiece::Event(frame) | StreamPiece::Unterminated(frame)
                if self.envelope == Kind::Sse =>
            {
                let line = frame.first_line();
                let (head, tail) = (&frame.raw[..line.start], &frame.raw[line.end..]);
                // Most events have one line of data.
                if head.len() <= "data: ".len() && tail.len() <= "\r\n\r\n".len() {
                    return;
                }
                ([head, tail], frame.span())
            }
            StreamPiece::Other(text) if self.envelope == Kind::Sse => {
                ([text.bytes(), b""], text.span())
            }
            _ => return,
        };
        if beside.into_iter().any(has_json_beside) {
            self.notice(Notice::new(NoticeCode::WithheldData, span), handler);
        }
    }

    /// Held-back text has reached a limit, so the policy's rule for limits decides about it.
    #[cold]
    pub(super) fn reach_limits(&mut self, handler: &mut dyn StreamHandler) {
        let holding = self.texts.iter().filter(|text| text.is_holding());
        let holding: Vec<_> = holding.map(|text| text.id).collect();
        for id in holding {
            self.make_room(id, handler);
        }
    }

    /// At the end of the response: reports what was kept of a format that was never shown.
    pub(super) fn finish_guarded(&mut self, handler: &mut dyn StreamHandler) {
        let kept = self.guard.as_mut().and_then(|guard| guard.take_kept());
        if let Some(kept) = kept {
            self.notice(Notice::new(NoticeCode::WithheldData, kept), handler);
        }
    }

    /// Returns `true` if the data of an event without a diagnostic may have text that was not read.
    pub(super) fn is_unread(&self, data: &[u8], is_streamed: bool) -> bool {
        !is_event(data)
            || match self.reader.format() {
                None => may_have_text(data, is_streamed),
                Some(format) => {
                    let mut found = self.reader.found.iter();
                    found.all(|one| matches!(one, Found::Unread(_)))
                        && is_of_another(format, data, is_streamed)
                }
            }
    }

    /// An event comes that was read without a format; whether it is kept until there is one.
    pub(super) fn begin_unknown(&mut self, frame: &Frame<'_>) -> bool {
        let Some(guard) = &mut self.guard else {
            return false;
        };
        let is_kept = self.reader.format().is_none() && guard.lets_through(None);
        if is_kept {
            guard.begin_event(UnknownEvent {
                data: frame.data.to_vec(),
                span: frame.span(),
                is_named_error: self.envelope == Kind::Sse && frame.is_named_error,
            });
        }
        is_kept
    }

    /// Ends an event that was read without a format. An error is written at once, because nothing may follow it.
    pub(super) fn end_unknown(&mut self, found: &[Found], handler: &mut dyn StreamHandler) {
        if let Some(guard) = &mut self.guard {
            guard.end_event();
        }
        if found.iter().any(|one| matches!(one, Found::Error(..))) {
            self.write_unknown(handler);
        }
    }

    /// Writes the kept bytes, except events that a gate would change in the format or, if the format is unknown, in
    /// any.
    pub(super) fn write_unknown(&mut self, handler: &mut dyn StreamHandler) {
        let unknown = self.guard.as_mut().map(|guard| guard.take_unknown());
        for kept in unknown.into_iter().flatten() {
            if let Some(event) = &kept.event
                && self.would_change(event)
            {
                self.notice(Notice::new(NoticeCode::WithheldData, event.span), handler);
            } else {
                self.write_now(&kept.bytes, handler);
            }
        }
    }

    /// Returns `true` if a gate would change an event that was read without a format. Also counts the event's strings
    /// that may be text.
    fn would_change(&mut self, event: &UnknownEvent) -> bool {
        let known = self.reader.format();
        let formats = Format::ALL.into_iter();
        let mut formats = formats.filter(|format| known.is_none_or(|known| known == *format));
        formats.any(|format| {
            let mut reader = self.reader.of(format);
            reader.is_error = event.is_named_error;
            let odd = reader.read(&event.data, self.is_streamed());
            let members = reader.report.unread_members();
            members.for_each(|(path, _)| self.reader.report.add_member(path));
            let mut found = reader.found.iter();
            odd.is_some() || found.any(|one| one.may_change(reader.wants_reasoning))
        })
    }

    /// Reports an event that is not written.
    pub(super) fn withhold(&mut self, frame: &Frame<'_>, handler: &mut dyn StreamHandler) {
        self.notice(Notice::new(NoticeCode::WithheldData, frame.span()), handler);
    }

    /// Returns lines of server-sent events (`start` is the offset of the first) without those that may be text; the
    /// range `read` was read as data.
    fn clean_lines<'b>(
        &mut self,
        (bytes, start): (&'b [u8], u64),
        read: Range<usize>,
        handler: &mut dyn StreamHandler,
    ) -> Cow<'b, [u8]> {
        let is_mark = start == 0 && bytes == b"\xEF\xBB\xBF";
        let lines = || harmless::lines(bytes).map(|line| line.of_read(&read));
        if is_mark || lines().all(|line| line.passage == LineTreatment::AsItIs) {
            return Cow::Borrowed(bytes);
        }
        let mut clean = Vec::with_capacity(bytes.len());
        for line in lines() {
            line.write(bytes, &mut clean);
            let code = match line.passage {
                LineTreatment::AsItIs => continue,
                LineTreatment::Emptied => NoticeCode::Comment,
                LineTreatment::Withheld => NoticeCode::WithheldData,
            };
            let (from, to) = (line.whole.start as u64, line.whole.end as u64);
            self.notice(
                Notice::new(code, Span::new(start + from, start + to)),
                handler,
            );
        }
        Cow::Owned(clean)
    }

    /// Returns the bytes between values of a JSON body, without bytes that may be text.
    fn clean_between(bytes: &[u8], start: u64) -> Cow<'_, [u8]> {
        let (mut clean, mut from) = (Vec::new(), 0);
        for at in harmless::stray(bytes, start) {
            clean.extend_from_slice(&bytes[from..at]);
            from = at + 1;
        }
        if from == 0 {
            return Cow::Borrowed(bytes);
        }
        clean.extend_from_slice(&bytes[from..]);
        Cow::Owned(clean)
    }
}

/// Returns `true` if a line of an event that is no field is a JSON object, which Google's SDK reads as an event.
fn has_json_beside(raw: &[u8]) -> bool {
    let mut lines = raw.split(|byte| matches!(byte, b'\r' | b'\n'));
    lines.any(|line| line.trim_ascii_start().starts_with(b"{"))
}

/// Returns `true` if data, which are JSON or `[DONE]`, can be those of an event: an object, `[DONE]` or nothing.
fn is_event(data: &[u8]) -> bool {
    let data = data.trim_ascii();
    matches!(data.first(), None | Some(b'{')) || data == b"[DONE]"
}

/// Returns `true` if an event without facts in `format` shows another format, or shows both and has text in the other
/// one.
fn is_of_another(format: Format, data: &[u8], is_streamed: bool) -> bool {
    let shown = shown(data);
    if !shown.has(format) {
        return !shown.is_empty();
    }
    let mut others = Format::ALL.into_iter().filter(|other| *other != format);
    shown.is_ambiguous()
        && others.any(|other| shown.has(other) && has_text(other, data, is_streamed))
}

/// Returns `true` if an event before the first evidence has text in some format.
#[cold]
fn may_have_text(data: &[u8], is_streamed: bool) -> bool {
    let mut formats = Format::ALL.into_iter();
    formats.any(|format| has_text(format, data, is_streamed))
}

/// Returns `true` if an event has text in a format, or another value in a place for text.
fn has_text(format: Format, data: &[u8], is_streamed: bool) -> bool {
    let mut reader = FactReader::new(Some(format));
    let odd = reader.read(data, is_streamed);
    let mut found = reader.found.iter();
    odd == Some(NoticeCode::UnreadText)
        || found.any(|one| matches!(one, Found::Text(..) | Found::Whole(..) | Found::Quote(..)))
}
