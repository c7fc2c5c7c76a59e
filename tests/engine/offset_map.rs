//! Offsets in other units equal those counted over the whole text, however the stream is cut.

use proptest::prelude::*;
use provstream::{Event, Handler, OffsetMap, Parser, Rewriter, Span, TextChunk};

/// Naive offset map that counts the characters before every offset of a text.
struct Naive {
    /// Before each offset: code points and UTF-16 code units of the characters that end there or earlier, then of those
    /// that start earlier.
    before: Vec<[(u64, u64); 2]>,
}

impl Naive {
    fn new(text: &[u8]) -> Self {
        let mut before = Vec::new();
        let mut done = (0, 0);
        let mut character = |len: usize, units: usize| {
            let behind = (done.0 + 1, done.1 + units as u64);
            before.push([done, done]);
            before.extend((1..len).map(|_| [done, behind]));
            done = behind;
        };
        for piece in text.utf8_chunks() {
            for c in piece.valid().chars() {
                character(c.len_utf8(), c.len_utf16());
            }
            if !piece.invalid().is_empty() {
                character(piece.invalid().len(), 1);
            }
        }
        before.push([done, done]);
        let lossy = String::from_utf8_lossy(text);
        assert_eq!(lossy.chars().count() as u64, done.0);
        assert_eq!(lossy.encode_utf16().count() as u64, done.1);
        Self { before }
    }

    /// The code points and the UTF-16 code units of a span of bytes.
    fn units(&self, span: Span) -> (Span, Span) {
        let first = self.before[span.start() as usize][0];
        let last = if span.is_empty() {
            first
        } else {
            self.before[span.end() as usize][1]
        };
        (Span::new(first.0, last.0), Span::new(first.1, last.1))
    }
}

/// Cuts `bytes` at some of the places.
fn cut<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let mut chunks = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().chain([bytes.len()]) {
        chunks.push(&bytes[from..cut]);
        from = cut;
    }
    chunks
}

/// Bytes with many characters of two to four bytes, whole and broken.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-z ]{0,80}".prop_map(String::into_bytes),
        any::<char>().prop_map(|c| c.to_string().into_bytes()),
        (any::<char>(), 1usize..4).prop_map(|(c, len)| {
            let bytes = c.to_string().into_bytes();
            bytes[..len.min(bytes.len())].to_vec()
        }),
        prop::collection::vec(any::<u8>(), 0..6),
        prop::sample::select(vec![
            b"\xF0\x9F\x8E\x89".to_vec(),
            b"\xED\xA0\x80".to_vec(),
            b"\xF4\x90\x80\x80".to_vec(),
            b"\xE0\x9F\x80".to_vec(),
            b"\xF0\x8F\xBF\xBF".to_vec(),
            b"\xC0\xAF".to_vec(),
            b"\xEF\xBB\xBF".to_vec(),
        ]),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn check_all_spans(positions: &OffsetMap, text: &[u8]) -> Result<(), TestCaseError> {
    let oldest = text.len().saturating_sub(positions.window());
    let naive = Naive::new(text);
    for start in 0..=text.len() {
        for end in [start, start + 1, (start + 5).min(text.len()), text.len()] {
            let span = Span::new(start as u64, end as u64);
            let known = start >= oldest && end <= text.len();
            let expected = known.then(|| naive.units(span));
            prop_assert_eq!(
                positions.code_points(span),
                expected.map(|e| e.0),
                "{:?}",
                span
            );
            prop_assert_eq!(positions.utf16(span), expected.map(|e| e.1), "{:?}", span);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_count_as_the_whole_text_does(
        text in bytes(),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
        window in prop::sample::select(vec![0usize, 1, 63, 512, 600, 65_536]),
    ) {
        let mut positions = OffsetMap::with_window(window);
        for chunk in cut(&text, &cuts) {
            positions.push(chunk);
        }
        positions.finish();
        prop_assert_eq!(positions.position(), text.len() as u64);
        check_all_spans(&positions, &text)?;
        let mut whole = OffsetMap::with_window(window);
        whole.push(&text);
        whole.finish();
        prop_assert_eq!(whole, positions);
    }

    #[test]
    fn an_answer_never_changes(text in bytes()) {
        let mut positions = OffsetMap::new();
        let naive = Naive::new(&text);
        for upto in 0..text.len() {
            positions.push(&text[upto..=upto]);
            for start in upto.saturating_sub(5)..=upto + 1 {
                let span = Span::new(start as u64, upto as u64 + 1);
                if let Some(found) = positions.code_points(span) {
                    prop_assert_eq!(found, naive.units(span).0);
                }
                if let Some(found) = positions.utf16(span) {
                    prop_assert_eq!(found, naive.units(span).1);
                }
            }
        }
    }
}

#[test]
fn a_character_that_is_not_complete_is_not_answered_for() {
    let mut positions = OffsetMap::new();
    positions.push(b"a\xF0\x9F");
    assert_eq!(positions.utf16(Span::new(0, 1)), Some(Span::new(0, 1)));
    assert_eq!(positions.code_points(Span::new(0, 2)), None);
    assert_eq!(positions.utf16(Span::new(0, 3)), None);
    let mut ended = positions.clone();
    ended.finish();
    assert_eq!(ended.utf16(Span::new(0, 3)), Some(Span::new(0, 2)));
    positions.push(b"\x8E\x89");
    assert_eq!(positions.utf16(Span::new(0, 3)), Some(Span::new(0, 3)));
    assert_eq!(
        positions.code_points(Span::new(2, 3)),
        Some(Span::new(1, 2))
    );
    assert_eq!(positions.utf16(Span::new(3, 3)), Some(Span::new(1, 1)));
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let mut positions = OffsetMap::new();
    let chunk = "äöü 🎉 and some more text, ".as_bytes().repeat(40);
    for _ in 0..200 {
        positions.push(&chunk);
    }
    let before = positions.heap_size();
    for _ in 0..10_000 {
        positions.push(&chunk);
    }
    assert_eq!(positions.heap_size(), before);
    assert!(
        before <= OffsetMap::DEFAULT_WINDOW * 9 / 32 + 1_024,
        "{before}"
    );
    let end = positions.position();
    assert!(
        positions
            .code_points(Span::new(end - 65_536, end))
            .is_some()
    );
    assert!(
        positions
            .code_points(Span::new(end - 65_537, end))
            .is_none()
    );
}

#[test]
fn reset_starts_anew() {
    let mut positions = OffsetMap::with_window(100);
    positions.push("ä".repeat(1_000).as_bytes());
    positions.reset();
    assert_eq!(positions, OffsetMap::with_window(100));
    positions.push(b"ab");
    assert_eq!(
        positions.code_points(Span::new(0, 2)),
        Some(Span::new(0, 2))
    );
}

#[test]
fn shared_between_threads() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug + Default>() {}
    check::<OffsetMap>();
}

/// Collects the clean text and where the first assertion stands in it.
#[derive(Default)]
struct Clean {
    positions: OffsetMap,
    text: Vec<u8>,
    span: Option<Span>,
}

impl Handler for Clean {
    fn text(&mut self, text: TextChunk<'_>) {
        assert_eq!(text.span().start(), self.text.len() as u64);
        self.positions.push(text.bytes());
        self.text.extend_from_slice(text.bytes());
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = event {
            self.span = self.span.or(assertion.clean_span());
        }
    }
}

#[test]
fn raw_and_clean_spans_of_an_assertion() {
    // PA-34
    let input = "🎉 ready. [substrate.grep] Größer. [substrate.git.log] Ende.";
    let mut spans = Vec::new();
    let mut positions = OffsetMap::new();
    let mut parser = Parser::new();
    for chunk in input.as_bytes().chunks(3) {
        positions.push(chunk);
        parser.push(chunk, |event: Event<'_>| {
            if let Event::Assertion(assertion) = event {
                spans.push(assertion.span());
            }
        });
    }
    let units: Vec<u16> = input.encode_utf16().collect();
    let characters: Vec<char> = input.chars().collect();
    let at = |span: Span| span.start() as usize..span.end() as usize;
    let second = spans[1];
    let code_points = positions.code_points(second).expect("in the window");
    assert_eq!(
        characters[at(code_points)].iter().collect::<String>(),
        "Größer."
    );
    let utf16 = positions.utf16(second).expect("in the window");
    assert_eq!(String::from_utf16_lossy(&units[at(utf16)]), "Größer.");

    let mut clean = Clean::default();
    let mut rewriter = Rewriter::new(Parser::new());
    rewriter.push(input.as_bytes(), &mut clean);
    rewriter.finish(&mut clean);
    let text = String::from_utf8(clean.text).expect("the input is UTF-8");
    let span = clean.positions.utf16(clean.span.expect("an assertion"));
    let units: Vec<u16> = text.encode_utf16().collect();
    let found = String::from_utf16_lossy(&units[at(span.expect("in the window"))]);
    assert_eq!(found, "🎉 ready.");
}
