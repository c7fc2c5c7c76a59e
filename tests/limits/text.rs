//! Each limit below, at and above its bound: nothing is lost, what happened is told, and the stream goes on as before.

use provstream::provenance::{Discipline, Timestamp, VerdictReason};
use provstream::{DiagnosticCode, Limits, Parser, Span};
use testkit::seen::{Seen, Tile};

/// Text after every case, which must be read as if nothing had come before it.
const AFTER: &str =
    "\n\nThis is after. [substrate.git.log; observation-id=after; ts=2026-05-28T11:40:00Z] End.";

/// Reads a stream whole and in chunks of 1 to 64 with empty ones between, and checks that nothing of it is lost and that
/// what follows it is read.
fn read(limits: Limits, text: &str) -> Seen {
    let stream = format!("{text}{AFTER}");
    let mut parser = Parser::builder().limits(limits).build();
    let whole = Seen::of(&mut parser, [stream.as_bytes()]);
    for size in 1..=64 {
        let pieces = stream
            .as_bytes()
            .chunks(size)
            .flat_map(|chunk| [chunk, &[]]);
        let cut = Seen::of(&mut parser, pieces);
        assert_eq!(cut.merged(), whole.merged(), "chunks of {size}");
        assert_eq!(cut.diagnostics, whole.diagnostics, "chunks of {size}");
        let shown = |seen: &Seen| format!("{:?}", seen.assertions);
        assert_eq!(shown(&cut), shown(&whole), "chunks of {size}");
        assert_eq!(cut.bytes(), stream.as_bytes(), "chunks of {size}");
    }
    assert_eq!(whole.bytes(), stream.as_bytes());
    let last = whole.assertions.last().expect("what follows is read");
    assert_eq!(last.text(), "This is after.");
    assert!(!last.limit_hit());
    assert_eq!(last.annotations().count(), 1);
    whole
}

fn limits(set: impl FnOnce(Limits) -> Result<Limits, provstream::LimitError>) -> Limits {
    set(Limits::default()).expect("a limit in range")
}

fn codes(seen: &Seen) -> Vec<DiagnosticCode> {
    seen.diagnostics.iter().map(|(code, _)| *code).collect()
}

/// A verdict that a limit decides, and one that it does not.
fn is_limited(seen: &Seen) -> bool {
    let discipline = Discipline::builder(1)
        .default_window(std::time::Duration::from_secs(60))
        .build()
        .expect("a sound discipline");
    let now: Timestamp = "2026-05-28T11:40:00Z".parse().expect("a date-time");
    let verdict = discipline.judge(&seen.assertions[0], now);
    let limited = verdict.reason() == VerdictReason::Limit;
    assert_eq!(limited, seen.assertions[0].limit_hit());
    assert!(!(limited && verdict.admitted()));
    limited
}

/// An annotation of exactly so many bytes.
fn annotation_of(len: usize) -> String {
    let start = "[substrate.grep; x=";
    format!("{start}{}]", "v".repeat(len - start.len() - 1))
}

#[test]
fn an_annotation_may_have_max_annotation_bytes() {
    for max in [48, 100, 1_024] {
        // What follows has an annotation of 75 bytes: it is only there where it fits.
        let set = limits(|limits| limits.with_max_annotation(max.max(75)));
        let max = set.max_annotation();
        for (len, fits) in [
            (max - 1, true),
            (max, true),
            (max + 1, false),
            (max + 2, false),
            (max + 500, false),
        ] {
            let seen = read(set, &format!("It is so. {}", annotation_of(len)));
            assert_eq!(
                seen.assertions.len(),
                if fits { 2 } else { 1 },
                "{len} of {max}"
            );
            if fits {
                assert_eq!(codes(&seen), []);
                assert_eq!(seen.assertions[0].text(), "It is so.");
                assert!(!is_limited(&seen));
            } else {
                let span = Span::new(10, 10 + max as u64);
                assert_eq!(
                    seen.diagnostics,
                    [(DiagnosticCode::LimitAnnotation, span)],
                    "{len} of {max}"
                );
            }
        }
    }
}

#[test]
fn an_attempt_that_ends_at_the_bound_is_told_by_what_ends_it() {
    let set = limits(|limits| limits.with_max_annotation(80));
    let open = "[substrate.grep; x=";
    let text = |len: usize, end: &str| format!("So. {open}{}{end}", "v".repeat(len - open.len()));
    // The byte behind the bound decides: one that could continue makes it too long, any other ends it.
    for (len, end, code) in [
        (79, "[", DiagnosticCode::Unterminated),
        (80, "[", DiagnosticCode::Unterminated),
        (80, "\u{1}", DiagnosticCode::Unterminated),
        (80, "v", DiagnosticCode::LimitAnnotation),
        (80, "]", DiagnosticCode::LimitAnnotation),
        (80, ";", DiagnosticCode::LimitAnnotation),
    ] {
        let seen = read(set, &text(len, end));
        let span = Span::new(4, 4 + len as u64);
        assert_eq!(
            seen.diagnostics[0],
            (code, span),
            "{len} bytes, then {end:?}"
        );
    }
}

#[test]
fn scanning_resumes_at_the_byte_that_was_too_many() {
    let set = limits(|limits| limits.with_max_annotation(80));
    let mut long = annotation_of(81);
    long.truncate(80);
    let seen = read(set, &format!("It is so. {long}[substrate.grep]"));
    // The attempt ends at the bracket, not for its length, and the bracket starts a new one.
    assert_eq!(seen.assertions.len(), 2);
    assert_eq!(codes(&seen), [DiagnosticCode::Unterminated]);
    let seen = read(set, &format!("It is so. {long}v [substrate.grep]"));
    assert_eq!(seen.assertions.len(), 2);
    assert_eq!(codes(&seen), [DiagnosticCode::LimitAnnotation]);
}

#[test]
fn an_attempt_that_could_only_start_beyond_the_bound_does_not_start() {
    let set = limits(|limits| limits.with_max_annotation(80));
    // `;ts=` would need four bytes more than there are.
    for blanks in [72, 73, 74, 75, 76, 77, 90, 200] {
        let seen = read(set, &format!("It is so. [a{};ts=]", " ".repeat(blanks)));
        let starts = 2 + blanks + 4 <= 80;
        let closes = starts && 2 + blanks + 5 <= 80;
        assert_eq!(
            seen.assertions.len(),
            if closes { 2 } else { 1 },
            "{blanks}"
        );
        let expected: &[DiagnosticCode] = match (starts, closes) {
            (true, false) => &[DiagnosticCode::LimitAnnotation],
            _ => &[],
        };
        assert_eq!(codes(&seen), expected, "{blanks} blanks");
    }
}

#[test]
fn an_assertion_may_have_max_assertion_bytes() {
    for max in [20, 200, 4_096] {
        let set = limits(|limits| limits.with_max_assertion(max));
        for (len, fits) in [
            (max - 1, true),
            (max, true),
            (max + 1, false),
            (max + 700, false),
        ] {
            let text = format!("{}.", "w".repeat(len - 1));
            let seen = read(set, &format!("{text} [substrate.grep]"));
            let found = &seen.assertions[0];
            let from = if fits { 0 } else { len - max };
            assert_eq!(found.text(), &text[from..], "{len} of {max}");
            assert_eq!(found.span(), Span::new(from as u64, len as u64));
            assert_eq!(found.limit_hit(), !fits);
            let expected: &[_] = if fits {
                &[]
            } else {
                &[(DiagnosticCode::LimitAssertion, found.span())]
            };
            assert_eq!(seen.diagnostics, expected);
            assert_eq!(is_limited(&seen), !fits);
        }
    }
}

#[test]
fn an_assertion_is_cut_between_characters() {
    let set = limits(|limits| limits.with_max_assertion(20));
    for before in 0..4 {
        let text = format!("{}{}.", "w".repeat(before), "\u{1F600}".repeat(8));
        let seen = read(set, &format!("{text} [substrate.grep]"));
        let found = &seen.assertions[0];
        assert_eq!(found.text(), "\u{1F600}\u{1F600}\u{1F600}\u{1F600}.");
        assert!(found.limit_hit());
        assert_eq!(codes(&seen), [DiagnosticCode::LimitAssertion]);
    }
}

#[test]
fn any_character_fits_the_least_limit() {
    let set = limits(|limits| limits.with_max_assertion(4));
    for text in ["\u{1F600} ", &*format!("x\u{1F600}{}", " ".repeat(70))] {
        let stream = format!("{text}[substrate.grep]");
        let mut parser = Parser::builder().limits(set).build();
        for size in 1..=stream.len() {
            let seen = Seen::of(&mut parser, stream.as_bytes().chunks(size));
            assert_eq!(seen.assertions[0].text(), "\u{1F600}");
        }
    }
}

#[test]
fn a_last_sentence_that_fits_is_not_limited_by_what_stands_before_it() {
    let set = limits(|limits| limits.with_max_assertion(40));
    for before in [10, 28, 29, 30, 60, 9_000] {
        let text = format!("{}. It is so.", "w ".repeat(before / 2).trim_end());
        let seen = read(set, &format!("{text} [substrate.grep]"));
        assert_eq!(seen.assertions[0].text(), "It is so.", "{before}");
        assert!(!is_limited(&seen));
        assert_eq!(codes(&seen), []);
    }
}

#[test]
fn white_space_behind_an_assertion_does_not_count() {
    let set = limits(|limits| limits.with_max_assertion(20));
    for blanks in [1, 19, 20, 21, 64, 500] {
        for blank in [" ", "\n", "\u{3000}"] {
            let seen = read(
                set,
                &format!("It is all so.{}[substrate.grep]", blank.repeat(blanks)),
            );
            assert_eq!(
                seen.assertions[0].text(),
                "It is all so.",
                "{blanks} of {blank:?}"
            );
            assert!(!is_limited(&seen));
            assert_eq!(codes(&seen), []);
        }
    }
}

#[test]
fn a_block_of_code_is_cut_at_max_assertion() {
    let set = limits(|limits| limits.with_max_assertion(20));
    for (len, fits) in [(19, true), (20, true), (21, false), (300, false)] {
        let code = "c".repeat(len);
        let seen = read(set, &format!("```\n{code}\n```\n[substrate.grep]"));
        assert_eq!(seen.assertions[0].text(), &code[len.saturating_sub(20)..]);
        assert_eq!(is_limited(&seen), !fits);
        assert_eq!(
            codes(&seen),
            vec![DiagnosticCode::LimitAssertion; usize::from(!fits)]
        );
    }
}

#[test]
fn an_assertion_may_have_max_annotations_annotations() {
    for max in [1, 2, 5, 64] {
        let set = limits(|limits| limits.with_max_annotations(max));
        for count in [max, max + 1, max + 30]
            .into_iter()
            .chain((max > 1).then_some(max - 1))
        {
            let annotations: Vec<String> = (0..count)
                .map(|index| format!("[substrate.grep; observation-id={index}]"))
                .collect();
            let seen = read(set, &format!("It is so. {}", annotations.join(" ")));
            let found = &seen.assertions[0];
            let kept = count.min(max);
            let ids: Vec<_> = found
                .annotations()
                .map(|annotation| annotation.observation_id().map(str::to_owned))
                .collect();
            let expected: Vec<_> = (0..kept).map(|index| Some(index.to_string())).collect();
            assert_eq!(ids, expected, "{count} of {max}");
            // Those that are left out are still annotations of the stream.
            assert_eq!(seen.annotations().count(), count + 1);
            assert_eq!(is_limited(&seen), count > max);
            let diagnostics: &[_] = if count > max {
                &[(DiagnosticCode::LimitAnnotations, Span::new(0, 9))]
            } else {
                &[]
            };
            assert_eq!(seen.diagnostics, diagnostics);
            let stripped = String::from_utf8(seen.stripped()).expect("text");
            assert_eq!(stripped, "It is so.\n\nThis is after. End.");
        }
    }
}

/// An annotation whose identifier and observation id take so many bytes together.
fn pending_of(bytes: usize) -> String {
    let class = "substrate.grep";
    format!(
        "[{class}; observation-id={}]",
        "v".repeat(bytes - class.len())
    )
}

#[test]
fn an_assertion_may_keep_max_pending_bytes() {
    for max in [100, 1_500, 4_096] {
        let set = limits(|limits| limits.with_max_pending(max));
        for (total, fits) in [
            (max - 1, true),
            (max, true),
            (max + 1, false),
            (max + 9, false),
        ] {
            // Pieces that fit `max_annotation`, the last of which reaches the total.
            let mut sizes = vec![900; (total - 30) / 900];
            sizes.push(total - sizes.iter().sum::<usize>());
            let texts: Vec<String> = sizes.iter().map(|&size| pending_of(size)).collect();
            let seen = read(set, &format!("It is so. {}", texts.join(" ")));
            let kept = sizes.len() - usize::from(!fits);
            assert_eq!(
                seen.assertions[0].annotations().count(),
                kept,
                "{total} of {max}"
            );
            assert_eq!(seen.annotations().count(), sizes.len() + 1);
            assert_eq!(is_limited(&seen), !fits);
            let last: &Tile = seen
                .tiles
                .iter()
                .filter(|tile| tile.annotation.is_some())
                .nth(sizes.len() - 1)
                .expect("all annotations are there");
            let expected: &[_] = if fits {
                &[]
            } else {
                &[(DiagnosticCode::LimitPending, last.span)]
            };
            assert_eq!(seen.diagnostics, expected, "{total} of {max}");
        }
    }
}

#[test]
fn what_does_not_fit_leaves_room_for_what_does() {
    let set = limits(|limits| limits.with_max_pending(100));
    let text = [
        pending_of(80),
        pending_of(30),
        pending_of(20),
        pending_of(15),
    ]
    .join(" ");
    let seen = read(set, &format!("It is so. {text}"));
    let lengths: Vec<_> = seen.assertions[0]
        .annotations()
        .map(|annotation| annotation.observation_id().map_or(0, str::len) + 14)
        .collect();
    assert_eq!(lengths, [80, 20]);
    assert_eq!(
        codes(&seen),
        [DiagnosticCode::LimitPending, DiagnosticCode::LimitPending]
    );
    assert!(is_limited(&seen));
}

#[test]
fn only_raw_bytes_of_identifier_observation_id_and_time_are_pending() {
    let set = limits(|limits| limits.with_max_pending(100));
    // 14 bytes of identifier, 20 of time, 66 of an observation id in which an escape takes two.
    let id = |len: usize| format!("{}\\\"", "v".repeat(len - 2));
    for (len, fits) in [(65, true), (66, true), (67, false)] {
        let text = format!(
            "It is so. [substrate.grep; other={}; observation-id=\"{}\"; ts=2026-05-28T11:40:00Z]",
            "o".repeat(300),
            id(len)
        );
        let seen = read(set, &text);
        assert_eq!(is_limited(&seen), !fits, "{len}");
        assert_eq!(seen.assertions[0].annotations().count(), usize::from(fits));
    }
}

#[test]
fn all_limits_at_once_lose_nothing() {
    let set = limits(|limits| {
        limits
            .with_max_annotation(75)?
            .with_max_assertion(14)?
            .with_max_annotations(2)?
            .with_max_pending(60)
    });
    let text = format!(
        "This is a long sentence. {} {} {} {} {}",
        pending_of(30),
        pending_of(31),
        pending_of(20),
        pending_of(15),
        annotation_of(90)
    );
    let seen = read(set, &text);
    assert_eq!(
        codes(&seen),
        [
            DiagnosticCode::LimitPending,
            DiagnosticCode::LimitAssertion,
            DiagnosticCode::LimitAnnotations,
            DiagnosticCode::LimitAnnotation
        ]
    );
    assert!(is_limited(&seen));
}

/// A setter and a getter, the name of their limit, and the least and the most it takes.
type Setter = (
    fn(Limits, usize) -> Result<Limits, provstream::LimitError>,
    fn(&Limits) -> usize,
    &'static str,
    usize,
    usize,
);

#[test]
fn limits_have_a_range() {
    let setters: [Setter; 4] = [
        (
            Limits::with_max_annotation,
            Limits::max_annotation,
            "max_annotation",
            1,
            65_535,
        ),
        (
            Limits::with_max_assertion,
            Limits::max_assertion,
            "max_assertion",
            4,
            1 << 20,
        ),
        (
            Limits::with_max_annotations,
            Limits::max_annotations,
            "max_annotations",
            1,
            65_536,
        ),
        (
            Limits::with_max_pending,
            Limits::max_pending,
            "max_pending",
            1,
            1 << 20,
        ),
    ];
    for (set, get, name, least, most) in setters {
        for value in [least, least + 1, most - 1, most] {
            let limits = set(Limits::default(), value).expect("in range");
            assert_eq!(get(&limits), value, "{name}");
        }
        for value in [
            0,
            least - 1,
            most + 1,
            u32::MAX as usize,
            // What would be in range if it were cut to 32 bits; with `usize` of 32 bits there is no such value.
            (u32::MAX as usize).saturating_add(2),
            usize::MAX,
        ] {
            let error = set(Limits::default(), value).expect_err("out of range");
            assert_eq!((error.name(), error.value()), (name, value));
            let range = (error.least() as usize, error.most() as usize);
            assert_eq!(range, (least, most));
            let shown = error.to_string();
            assert!(
                shown.contains(name) && shown.contains(&value.to_string()),
                "{shown}"
            );
            assert!(shown.contains(&most.to_string()), "{shown}");
        }
    }
}

#[test]
fn the_smallest_and_the_largest_limits_work() {
    let text =
        b"It is so. [substrate.grep; observation-id=x] \n\n```\n[x\n```\n[unverified-inference] [";
    let least = limits(|limits| {
        limits
            .with_max_annotation(1)?
            .with_max_assertion(4)?
            .with_max_annotations(1)?
            .with_max_pending(1)
    });
    let most = limits(|limits| {
        limits
            .with_max_annotation(65_535)?
            .with_max_assertion(1 << 20)?
            .with_max_annotations(65_536)?
            .with_max_pending(1 << 20)
    });
    for (limits, annotations) in [(least, 0), (most, 2)] {
        let mut parser = Parser::builder().limits(limits).build();
        assert_eq!(*parser.limits(), limits);
        for size in 1..=64 {
            let seen = Seen::of(&mut parser, text.chunks(size));
            assert_eq!(seen.bytes(), text);
            assert_eq!(seen.annotations().count(), annotations);
        }
    }
}
