//! Guarantees of every public type: threads, common traits, error types.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::panic::{RefUnwindSafe, UnwindSafe};

use provstream::io::RewriteWriter;
use provstream::provenance::JsonForm;
use provstream::provenance::{
    Annotation, Assertion, Bracketed, BracketedForm, Class, Discipline, DisciplineBuilder,
    DisciplineError, DurationError, DurationErrorKind, Encoding, GrammarError, LabelKind,
    Malformation, Parameter, ParseVersionError, Reason, Resolution, Timestamp, TimestampError,
    TimestampErrorKind, Verdict, VerdictReason, Version, Vocabulary, VocabularyBuilder,
    VocabularyError, VocabularyErrorKind, WriteError,
};
use provstream::sentence::Sentences;
use provstream::settings::FilePosition;
use provstream::{
    BracketAnnotation, Diagnostic, DiagnosticCode, Event, Handler, HandlerFn, JsonRecord,
    LimitError, Limits, MarcKind, MarcObject, Mode, OffsetError, OffsetMap, OwnedEvent, Parser,
    ParserBuilder, Replacement, Rewriter, Span, TextChunk, UnknownNameError,
};

/// Can be moved to another thread and shared between threads, survives a caught panic, and can be looked at and copied.
fn common<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + Debug + Clone + 'static>() {}

/// Can be compared.
fn value<T: PartialEq + Eq + Debug>() {}

/// Can be the key of a map.
fn key<T: Eq + Hash>() {}

/// Has an order.
fn ordered<T: Ord>() {}

/// Is copied rather than moved.
fn small<T: Copy>() {}

fn shown<T: Display>() {}

fn has_default<T: Default>() {}

/// Can be returned as a boxed error and sent to another thread.
fn error<T: Error + Send + Sync + Clone + PartialEq + 'static>() {}

/// Applies one of the functions above to each of the types.
macro_rules! each {
    ($check:ident: $($type:ty),+ $(,)?) => {
        $($check::<$type>();)+
    };
}

#[test]
fn all_types_can_be_sent_shared_looked_at_and_cloned() {
    each!(common: UnknownNameError, HandlerFn<fn(Event<'_>)>, TextChunk<'static, bytes::Bytes>,
        BracketAnnotation<'static, bytes::Bytes>, JsonRecord<'static, bytes::Bytes>, Event<'static>, Annotation<'static>, Assertion<'static>, Bracketed<'static>, BracketedForm<'static>, Class, Discipline,
        DisciplineBuilder, DisciplineError, LabelKind, DurationError, DurationErrorKind, Encoding, GrammarError,
        Malformation, Parameter<'static>, ParseVersionError, Reason, Resolution, Timestamp, TimestampError,
        TimestampErrorKind, Verdict, VerdictReason, Version, Vocabulary, VocabularyBuilder, VocabularyError,
        VocabularyErrorKind, WriteError, BracketAnnotation<'static>, DiagnosticCode, Diagnostic, OwnedEvent,
        LimitError, Limits, Mode, OffsetError, Parser, ParserBuilder, OffsetMap,
        Replacement, Rewriter, Span, TextChunk<'static>, Sentences<'static>, JsonRecord<'static>,
        JsonForm<'static>, MarcKind, MarcObject<'static>);
}

/// Adapters without a feature are `Send`, `Sync`, `Unpin` and `Debug`; the tests of the features
/// cover the others.
#[test]
fn adapters_can_be_sent_shared_and_looked_at() {
    fn adapter<T: Send + Sync + Unpin + Debug + 'static>() {}
    each!(adapter: RewriteWriter<std::io::Stdout, ()>);
}

#[test]
fn values_compare() {
    each!(value: Annotation<'static>, Assertion<'static>, BracketAnnotation<'static>, OwnedEvent, Bracketed<'static>, BracketedForm<'static>, Class, Discipline, DisciplineError,
        LabelKind, DurationError, DurationErrorKind, Encoding, GrammarError, Malformation, Parameter<'static>,
        ParseVersionError, Reason, Resolution, Timestamp, TimestampError, TimestampErrorKind, Verdict,
        VerdictReason, Version, Vocabulary, VocabularyError, VocabularyErrorKind, WriteError, BracketAnnotation<'static>,
        DiagnosticCode, Diagnostic, OwnedEvent, LimitError, Limits, Mode, OffsetError, OffsetMap, Replacement, Span,
        TextChunk<'static>, JsonRecord<'static>, JsonForm<'static>, MarcKind, MarcObject<'static>);
    each!(key: MarcKind, Class, DiagnosticCode, Diagnostic, LabelKind, Encoding, Limits, Malformation, Mode, Reason, Resolution, Span,
        Timestamp, Verdict, VerdictReason, Version);
    each!(ordered: MarcKind, Class, DiagnosticCode, LabelKind, Encoding, Malformation, FilePosition, Reason, Span, Timestamp, VerdictReason, Version);
    each!(small: BracketAnnotation<'static>, JsonRecord<'static>, TextChunk<'static>, MarcKind, DiagnosticCode, Diagnostic, LabelKind, Encoding, LimitError, Limits, Malformation, Mode, OffsetError, Reason, Span,
        Timestamp, VerdictReason, Version);
    each!(shown: LabelKind, Mode, Reason, Timestamp, UnknownNameError, Verdict, Class, DiagnosticCode, Diagnostic, Encoding, Malformation, Reason, Span, VerdictReason, Version,
        BracketedForm<'static>, JsonForm<'static>, MarcKind);
    each!(has_default: Limits, Mode, Parser, ParserBuilder, Rewriter, Span, Vocabulary, OffsetMap);
}

#[test]
fn errors_are_errors() {
    each!(error: UnknownNameError, DisciplineError, DurationError, GrammarError, LimitError, OffsetError, ParseVersionError, TimestampError,
        VocabularyError, WriteError);
    // A message starts in lower case and ends without a full stop, so that it can stand in another one.
    let limit = Limits::default()
        .with_max_pending(0)
        .expect_err("out of range");
    let errors: [Box<dyn Error + Send + Sync>; 6] = [
        Box::new(limit),
        Box::new(Timestamp::parse("x").expect_err("no date-time")),
        Box::new(provstream::provenance::parse_duration("x").expect_err("no duration")),
        Box::new(provstream::provenance::parse_annotation(b"x").expect_err("no annotation")),
        Box::new("x".parse::<Version>().expect_err("no version")),
        Box::new(Discipline::builder(0).build().expect_err("a floor of 0")),
    ];
    for error in errors {
        let message = error.to_string();
        assert!(
            !message.is_empty() && !message.ends_with('.'),
            "{message:?}"
        );
        assert!(!message.starts_with(char::is_uppercase), "{message:?}");
    }
}

/// More kinds of event, diagnostic, reason and so on will come; matching on them must not break then.
///
/// Each `match` has an arm for every variant of today and one for those to come; were that one not needed, the lint would
/// refuse it.
#[test]
#[allow(
    clippy::match_like_matches_macro,
    reason = "the macro has no arm for variants to come"
)]
#[deny(
    unreachable_patterns,
    reason = "an arm for variants to come is unreachable where none can come"
)]
fn enums_may_grow() {
    let code = |code: DiagnosticCode| match code {
        DiagnosticCode::Unterminated
        | DiagnosticCode::LimitAnnotation
        | DiagnosticCode::LimitAssertion
        | DiagnosticCode::LimitAnnotations
        | DiagnosticCode::LimitPending
        | DiagnosticCode::LimitDepth
        | DiagnosticCode::LimitPointer
        | DiagnosticCode::LimitRecord
        | DiagnosticCode::InvalidTs
        | DiagnosticCode::NoAssertion
        | DiagnosticCode::Orphan
        | DiagnosticCode::UnknownInSlot
        | DiagnosticCode::DuplicateMember
        | DiagnosticCode::JsonSyntax
        | DiagnosticCode::InvalidUtf8 => true,
        _ => false,
    };
    assert!(code(DiagnosticCode::Unterminated));
    let event = |event: Event<'_>| match event {
        Event::Text(_)
        | Event::Annotation(_)
        | Event::Assertion(_)
        | Event::Marc(_)
        | Event::Record(_)
        | Event::Diagnostic(_) => true,
        _ => false,
    };
    Parser::new().push(b"text", |found: Event<'_>| assert!(event(found)));
    let owned = |event: OwnedEvent| match event {
        Event::Text(_)
        | Event::Annotation(_)
        | Event::Assertion(_)
        | Event::Marc(_)
        | Event::Record(_)
        | Event::Diagnostic(_) => true,
        _ => false,
    };
    Parser::new().push(b"text", |found: Event<'_>| {
        assert!(owned(found.into_owned()));
    });
    let replacement = |replacement: Replacement| match replacement {
        Replacement::Keep | Replacement::Remove | Replacement::Text(_) => true,
        _ => false,
    };
    assert!(replacement(Replacement::Keep));
    let mode = |mode: Mode| match mode {
        Mode::Text | Mode::Json | Mode::Ndjson | Mode::Auto => true,
        _ => false,
    };
    assert!(mode(Mode::default()));
    let reason = |reason: Reason| match reason {
        Reason::VocabularyVersion | Reason::UnknownIdentifier | Reason::Malformed => true,
        _ => false,
    };
    assert!(reason(Reason::Malformed));
    let encoding = |encoding: Encoding| match encoding {
        Encoding::Bracket | Encoding::Json => true,
        _ => false,
    };
    assert!(encoding(Encoding::Json));
    let disposition = |disposition: LabelKind| match disposition {
        LabelKind::Corroborated | LabelKind::DeclaredTerminal | LabelKind::MappedTerminal => true,
        _ => false,
    };
    assert!(disposition(LabelKind::Corroborated));
    let verdict = |reason: VerdictReason| match reason {
        VerdictReason::NoAssertion
        | VerdictReason::Limit
        | VerdictReason::UnknownInSlot
        | VerdictReason::Unannotated
        | VerdictReason::Terminal
        | VerdictReason::BelowFloor
        | VerdictReason::Admitted => true,
        _ => false,
    };
    assert!(verdict(VerdictReason::Limit));
}

/// A type that decides about annotations, and a vector that takes the text alone.
#[test]
fn types_can_be_handlers() {
    #[derive(Default)]
    struct Kept(Vec<u8>);
    impl Handler for Kept {
        fn text(&mut self, text: TextChunk<'_>) {
            self.0.extend_from_slice(text.bytes());
        }
        fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
            Replacement::Keep
        }
    }
    let text = b"It is so. [substrate.grep]";
    let mut kept = Kept::default();
    let mut stripped = Vec::new();
    let mut rewriter = Rewriter::default();
    rewriter.push(text, &mut kept);
    rewriter.finish(&mut kept);
    rewriter.reset();
    rewriter.push(text, &mut stripped);
    rewriter.finish(&mut stripped);
    assert_eq!(kept.0, text);
    assert_eq!(stripped, b"It is so.");
}

/// A parser can be moved to another thread in the middle of a stream and its events be collected there.
#[test]
fn a_stream_can_move_between_threads() {
    let mut parser = Parser::new();
    parser.push(b"It is so. [substrate.", ());
    let found = std::thread::spawn(move || {
        let mut found = Vec::new();
        parser.push(b"grep] End.", |event: Event<'_>| {
            if let Event::Assertion(assertion) = event {
                found.push(assertion.into_owned());
            }
        });
        found
    })
    .join()
    .expect("the thread ends well");
    assert_eq!(found[0].text(), "It is so.");
}

/// Counts what it is called for.
#[derive(Default)]
struct Calls {
    texts: usize,
    annotations: usize,
    records: usize,
    events: usize,
    ends: usize,
}

impl Handler for Calls {
    fn text(&mut self, _: TextChunk<'_>) {
        self.texts += 1;
    }
    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.annotations += 1;
        Replacement::Remove
    }
    fn record(&mut self, _: &JsonRecord<'_>) -> Replacement {
        self.records += 1;
        Replacement::Remove
    }
    fn event(&mut self, _: Event<'_>) {
        self.events += 1;
    }
    fn end(&mut self) {
        self.ends += 1;
    }
}

const ONE_OF_EACH: &[u8] = b"It is so. [substrate.grep] {\"assertion\": \"It runs.\"}";

fn parse_with<H: Handler>(mut handler: H) {
    let mut parser = Parser::builder().hold_records(true).build();
    parser.push(ONE_OF_EACH, &mut handler);
    parser.finish(handler);
}

fn rewrite_with<H: Handler>(mut handler: H) {
    let parser = Parser::builder().hold_records(true).build();
    let mut rewriter = Rewriter::new(parser);
    rewriter.push(ONE_OF_EACH, &mut handler);
    rewriter.finish(handler);
}

#[test]
fn every_kind_of_handler_gets_each_event_once() {
    let ways: [for<'a> fn(Box<dyn Handler + 'a>); 2] = [
        |handler| parse_with(handler),
        |handler| rewrite_with(handler),
    ];
    for feed in ways {
        let mut calls = Calls::default();
        feed(Box::new(&mut calls));
        let Calls {
            texts,
            annotations,
            records,
            events,
            ends,
        } = calls;
        assert_eq!((texts, annotations, records, events, ends), (2, 1, 1, 2, 1));
        let mut closure = 0;
        feed(Box::new(provstream::handler_fn(|_| closure += 1)));
        assert_eq!(closure, 6);
    }
    let mut calls = Calls::default();
    let dynamic: &mut (dyn Handler + Send) = &mut calls;
    parse_with(dynamic);
    assert_eq!(calls.ends, 1);
    parse_with(());
    rewrite_with(());
}

#[test]
fn a_handler_can_be_pushed_to_by_value_or_borrowed() {
    let mut parser = Parser::new();
    let mut texts = 0;
    let mut count = |event: Event<'_>| texts += usize::from(matches!(event, Event::Text(_)));
    parser.push(b"A ", &mut count);
    parser.push_untrusted(b"b ", &mut count);
    parser.push(b"c", count);
    let mut boxed: Box<dyn FnMut(Event<'_>)> = Box::new(|_| texts += 1);
    parser.push(b" d", &mut boxed);
    parser.finish(boxed);
    assert_eq!(texts, 4);
}
