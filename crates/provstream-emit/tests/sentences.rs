//! The requirement that every sentence has an annotation.

use provstream::sentence::last_sentence;

/// Every character after which a sentence can end, found by trying all of them.
fn terminators() -> Vec<char> {
    ('\u{80}'..=char::MAX)
        .filter(|&c| {
            [format!("Ab cd{c} Ef"), format!("Ab cd{c}) Ef"), format!("Ab cd{c}Ef")]
                .iter()
                .any(|text| last_sentence(text.as_bytes()) > 0)
        })
        .collect()
}

#[test]
fn p() {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for c in terminators() {
        let c = c as u32;
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == c => last.1 = c,
            _ => ranges.push((c, c)),
        }
    }
    for (a, b) in ranges { println!("    ('\\u{{{a:x}}}', '\\u{{{b:x}}}'),"); }
}
