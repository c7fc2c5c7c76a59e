//! The words and punctuation of a Rust file, without comments, literals and what only tests compile.

/// The tokens of a source: identifiers, and other characters one by one. Comments, strings, characters, lifetimes and items
/// under `#[cfg(test)]` or `#[test]` are left out.
pub(super) fn tokens(source: &str) -> Vec<String> {
    without_tests(&lexed(source))
}

fn lexed(source: &str) -> Vec<String> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&char) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        at = match (char, next) {
            ('/', Some('/')) => find(&chars, at, "\n"),
            ('/', Some('*')) => comment_end(&chars, at),
            ('"', _) => string_end(&chars, at + 1),
            ('\'', _) => quote_end(&chars, at),
            _ if char.is_alphabetic() || char == '_' => {
                let end = word_end(&chars, at);
                let word: String = chars[at..end].iter().collect();
                let quote = chars.get(end).copied();
                match (&*word, quote) {
                    ("r" | "br" | "cr", Some('"' | '#')) => match raw_end(&chars, end) {
                        Some(end) => end,
                        // A raw identifier.
                        None => end + 1,
                    },
                    ("b" | "c", Some('"' | '\'')) => end,
                    _ => {
                        tokens.push(word);
                        end
                    }
                }
            }
            _ if char.is_numeric() => word_end(&chars, at),
            _ => {
                if !char.is_whitespace() {
                    tokens.push(char.to_string());
                }
                at + 1
            }
        };
    }
    tokens
}

fn word_end(chars: &[char], at: usize) -> usize {
    let is_part = |&&char: &&char| char.is_alphanumeric() || char == '_';
    at + chars[at..].iter().take_while(is_part).count()
}

/// The place after the next occurrence of a text, or the end.
fn find(chars: &[char], from: usize, text: &str) -> usize {
    let text: Vec<char> = text.chars().collect();
    let found = chars[from..]
        .windows(text.len())
        .position(|window| window == text);
    found.map_or(chars.len(), |found| from + found + text.len())
}

fn comment_end(chars: &[char], at: usize) -> usize {
    let mut depth = 1;
    let mut at = at + 2;
    while depth > 0 && at < chars.len() {
        match chars[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    at
}

fn string_end(chars: &[char], mut at: usize) -> usize {
    while let Some(char) = chars.get(at) {
        match char {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// The end of a raw string whose `#` or quote is at this place.
fn raw_end(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at..].iter().take_while(|&&char| char == '#').count();
    if chars.get(at + hashes) != Some(&'"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    Some(find(chars, at + hashes + 1, &close))
}

/// The end of a character or a lifetime.
fn quote_end(chars: &[char], at: usize) -> usize {
    match chars.get(at + 1) {
        Some('\\') => find(chars, at + 3, "'"),
        Some(_) if chars.get(at + 2) == Some(&'\'') => at + 3,
        _ => word_end(chars, at + 1),
    }
}

fn without_tests(tokens: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_test = ["# [ cfg ( test ) ]", "# [ test ]"]
            .iter()
            .any(|attribute| {
                let words = attribute.split(' ');
                words.clone().count() <= tokens.len() - at
                    && words.zip(&tokens[at..]).all(|(word, token)| word == token)
            });
        if is_test {
            at = item_end(tokens, at);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// The end of an item that has attributes: after its semicolon, or after the bracket that closes its body.
fn item_end(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            ";" if depth == 0 => return at,
            _ => {}
        }
    }
    at
}

#[test]
fn what_is_no_code_is_left_out() {
    let source = r####"
        use crate::a; // use crate::b;
        /* use crate::c; /* use crate::d; */ use crate::e; */
        const TEXT: &str = "use crate::f; \" use crate::g;";
        const RAW: &str = r##"use crate::h; "# use crate::i;"##;
        fn lifetime<'a>(char: &'a char) -> bool { *char == '"' || *char == '\'' }
        #[cfg(test)]
        mod tests { use crate::j; fn f() {} }
        #[cfg(test)]
        use crate::k;
        use crate::z;
    "####;
    let found = tokens(source);
    let names: String = found
        .iter()
        .filter(|word| word.len() == 1)
        .map(|word| &**word)
        .collect();
    assert!(names.contains("a;") && names.contains("z;"), "{names}");
    for left_out in "bcdefghijk".chars() {
        assert!(!names.contains(left_out), "{left_out} in {names}");
    }
}
