//! Number of answers that a request asks for.

/// Greatest depth of objects whose members are examined: the request and the objects directly in
/// it.
const DEPTH: usize = 2;

/// Most bytes of a member name that is compared.
const NAME: usize = 16;

/// Streaming reader of the number of answers in a JSON request: `n`, or `candidateCount` in
/// Gemini's `generationConfig`.
///
/// Buffers at most one name, for requests of any length. The result is arbitrary for a request that
/// is not JSON.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChoiceCountReader {
    /// Number of open objects and arrays.
    depth: usize,
    /// `true` at each of the two outermost levels that is an object.
    is_object: [bool; DEPTH],
    in_string: bool,
    is_escaped: bool,
    /// `true` if the next string is a member name.
    expects_name: bool,
    /// Bytes of the last member name, up to one more than `NAME`.
    name: Vec<u8>,
    /// Value of the digits after a matching name.
    number: Option<usize>,
    found: usize,
}

impl ChoiceCountReader {
    /// Returns the number of answers; at least 1.
    pub(crate) fn get(&self) -> usize {
        self.found.max(self.number.unwrap_or(0)).max(1)
    }

    /// Processes the next bytes of the request.
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

    /// Appends a byte to the name. A name that is too long keeps one byte too many, so that it
    /// matches nothing.
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

    /// Returns `true` if the members at the current depth are examined.
    fn is_in_object(&self) -> bool {
        self.depth > 0 && self.depth <= DEPTH && self.is_object[self.depth - 1]
    }

    /// Returns `true` if the name is that of the number of answers.
    fn counts(&self) -> bool {
        match self.depth {
            1 => self.name == b"n",
            _ => self.name == b"candidateCount" || self.name == b"candidate_count",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ChoiceCountReader;

    fn read(request: &str) -> usize {
        let mut all = ChoiceCountReader::default();
        all.push(request.as_bytes());
        for cut in 0..request.len() {
            let mut split = ChoiceCountReader::default();
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
