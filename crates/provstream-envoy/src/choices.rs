//! How many answers a request asks for.

/// Deepest objects whose members are looked at: the request's own, and those of one of its members.
const DEPTH: usize = 2;

/// Most bytes of a name that is looked for.
const NAME: usize = 16;

/// Reads from a request in JSON how many answers it asks for: `n`, or `candidateCount` of Gemini's `generationConfig`.
///
/// It keeps a name at most, however long the request is. What is not JSON gives any number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    /// Objects and arrays that are open.
    depth: usize,
    /// Whether the innermost two of [`DEPTH`] are objects, from the outside.
    is_object: [bool; DEPTH],
    in_string: bool,
    is_escaped: bool,
    /// A string here is a name.
    expects_name: bool,
    /// The last string, if it is short and may be a name.
    name: Vec<u8>,
    /// The digits after one of the names.
    number: Option<usize>,
    found: usize,
}

impl Choices {
    /// How many answers: 1 unless the request says more.
    pub(crate) fn get(&self) -> usize {
        self.found.max(self.number.unwrap_or(0)).max(1)
    }

    /// Takes the next bytes of the request.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.in_string {
                self.string(*byte);
            } else {
                self.outside(*byte);
            }
        }
    }

    fn string(&mut self, byte: u8) {
        if self.is_escaped {
            self.is_escaped = false;
            self.keep(0);
        } else if byte == b'\\' {
            self.is_escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
        } else {
            self.keep(byte);
        }
    }

    /// Keeps a byte of a name; one that is too long is kept one byte too long.
    fn keep(&mut self, byte: u8) {
        if self.expects_name && self.name.len() <= NAME {
            self.name.push(byte);
        }
    }

    fn outside(&mut self, byte: u8) {
        if let Some(number) = self.number {
            if byte.is_ascii_digit() {
                let digit = usize::from(byte - b'0');
                self.number = Some(number.saturating_mul(10).saturating_add(digit));
                return;
            }
            if byte.is_ascii_whitespace() && number == 0 {
                return;
            }
            self.number = None;
            self.found = self.found.max(number);
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.name.clear();
            }
            b':' if self.expects_name => {
                self.expects_name = false;
                if self.counts() {
                    self.number = Some(0);
                }
            }
            b'{' | b'[' => {
                if let Some(is_object) = self.is_object.get_mut(self.depth) {
                    *is_object = byte == b'{';
                }
                self.depth += 1;
                self.expects_name = self.is_in_object();
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.expects_name = false;
            }
            b',' => self.expects_name = self.is_in_object(),
            _ => {}
        }
    }

    /// Whether members here are looked at.
    fn is_in_object(&self) -> bool {
        self.depth > 0 && self.depth <= DEPTH && self.is_object[self.depth - 1]
    }

    /// Whether the name is that of a number of answers.
    fn counts(&self) -> bool {
        match self.depth {
            1 => self.name == b"n",
            _ => self.name == b"candidateCount" || self.name == b"candidate_count",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    fn read(request: &str) -> usize {
        let mut all = Choices::default();
        all.push(request.as_bytes());
        for cut in 0..request.len() {
            let mut split = Choices::default();
            split.push(&request.as_bytes()[..cut]);
            split.push(&request.as_bytes()[cut..]);
            assert_eq!(split.get(), all.get(), "{request} cut at {cut}");
        }
        all.get()
    }

    #[test]
    fn finds_the_number_where_each_api_has_it() {
        assert_eq!(read(r#"{"model":"m","n": 3 ,"stream":true}"#), 3);
        assert_eq!(
            read(r#"{"messages":[{"n":7,"content":"\"n\":9"}],"n":2}"#),
            2
        );
        assert_eq!(read(r#"{"generationConfig":{"candidateCount":4}}"#), 4);
        assert_eq!(read(r#"{"n":12"#), 12);
    }

    #[test]
    fn is_one_without_a_number() {
        for request in [
            "",
            "{}",
            r#"{"n":null}"#,
            r#"{"n":"3"}"#,
            r#"{"n":-1}"#,
            r#"{"tools":[{"function":{"n":3}}]}"#,
            r#"{"candidateCount":4}"#,
            r#"{"\u006e":3}"#,
            r#"[{"n":3}]"#,
            r#"{"a":"n","b":["n",3]}"#,
            "]]]}}}:::",
        ] {
            assert_eq!(read(request), 1, "{request}");
        }
    }

    #[test]
    fn a_number_too_large_is_the_largest() {
        assert_eq!(read(&format!("{{\"n\":{}}}", "9".repeat(40))), usize::MAX);
    }
}
