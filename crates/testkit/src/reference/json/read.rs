//! Recursive-descent reader of one JSON value, which returns the tree read so far even after an
//! error.

use super::is_space;
use std::ops::Range;

/// Result of reading a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The value is complete.
    Complete {
        /// Offset after its last byte.
        end: usize,
    },
    /// A byte is not valid JSON.
    Stopped {
        /// Offset of that byte.
        at: usize,
    },
    /// The value exceeds the maximum depth.
    TooDeep {
        /// Offset of the opening bracket beyond it.
        at: usize,
    },
    /// The input ended within the value.
    Open {
        /// Offset after the last byte.
        end: usize,
    },
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name as written, without quotes.
    pub name: Range<usize>,
    /// Value, read up to its end or its first error.
    pub value: Node,
}

/// Type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing was read.
    Missing,
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text,
    Null,
    /// A number, `true` or `false`.
    Other,
}

/// A value, read up to its end or its first error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte, if the value is complete.
    pub end: usize,
    /// The value is complete.
    pub closed: bool,
    pub kind: Kind,
}

impl Node {
    /// Creates a node of which nothing was read.
    fn at(start: usize) -> Self {
        Node {
            start,
            end: start,
            closed: false,
            kind: Kind::Missing,
        }
    }
}

/// Reads the value that starts at `start`; with `feed_offends`, a line feed is not white space. With `in_text`, a
/// space in the first name of the outermost object is an offending byte if only punctuation comes before it.
pub fn read(
    bytes: &[u8],
    start: usize,
    max_depth: usize,
    feed_offends: bool,
    in_text: bool,
) -> (Node, Outcome) {
    let mut reader = Reader {
        bytes,
        at: start,
        depth: 0,
        max_depth,
        feed_offends,
        in_text,
    };
    let mut root = Node::at(start);
    let outcome = match reader.value(&mut root) {
        Ok(()) => Outcome::Complete { end: reader.at },
        Err(outcome) => outcome,
    };
    (root, outcome)
}

/// Position in the input. Each method reads one rule of the grammar or returns how the whole value
/// ended.
struct Reader<'a> {
    /// Input up to the end of the model text.
    bytes: &'a [u8],
    /// Number of bytes read.
    at: usize,
    /// Number of open objects and arrays.
    depth: usize,
    max_depth: usize,
    /// A line feed is not white space.
    feed_offends: bool,
    /// The value is in free text.
    in_text: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the outcome of a mismatch at the current position: an offending byte, or the end of
    /// the input.
    fn refuse<T>(&self) -> Result<T, Outcome> {
        Err(match self.peek() {
            Some(_) => Outcome::Stopped { at: self.at },
            None => Outcome::Open { end: self.at },
        })
    }

    /// Reads one byte of a kind.
    fn one(&mut self, kind: impl Fn(u8) -> bool) -> Result<u8, Outcome> {
        match self.peek() {
            Some(byte) if kind(byte) => {
                self.at += 1;
                Ok(byte)
            }
            _ => self.refuse(),
        }
    }

    fn space(&mut self) {
        let feed_offends = self.feed_offends;
        let is_space = |byte| is_space(byte) && !(feed_offends && byte == b'\n');
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn value(&mut self, node: &mut Node) -> Result<(), Outcome> {
        *node = Node::at(self.at);
        match self.peek() {
            Some(b'{' | b'[') if self.depth == self.max_depth => {
                return Err(Outcome::TooDeep { at: self.at });
            }
            Some(b'{') => {
                node.kind = Kind::Object(Vec::new());
                self.object(node)?;
            }
            Some(b'[') => {
                node.kind = Kind::Array(Vec::new());
                self.array(node)?;
            }
            Some(b'"') => {
                node.kind = Kind::Text;
                self.string(false)?;
            }
            Some(b'n') => {
                node.kind = Kind::Null;
                self.literal(b"null")?;
            }
            Some(b't') => {
                node.kind = Kind::Other;
                self.literal(b"true")?;
            }
            Some(b'f') => {
                node.kind = Kind::Other;
                self.literal(b"false")?;
            }
            Some(b'-' | b'0'..=b'9') => {
                node.kind = Kind::Other;
                self.number()?;
            }
            _ => return self.refuse(),
        }
        node.end = self.at;
        node.closed = true;
        Ok(())
    }

    fn object(&mut self, node: &mut Node) -> Result<(), Outcome> {
        let Kind::Object(members) = &mut node.kind else {
            unreachable!("the caller made it one");
        };
        self.at += 1;
        self.depth += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.refuse();
            }
            let may_be_prose = self.in_text && self.depth == 1 && members.is_empty();
            let name = self.string(may_be_prose)?;
            self.space();
            self.one(|byte| byte == b':')?;
            self.space();
            members.push(Member {
                name,
                value: Node::at(self.at),
            });
            let last = members.len() - 1;
            self.value(&mut members[last].value)?;
            self.space();
            if self.one(|byte| matches!(byte, b',' | b'}'))? == b'}' {
                self.depth -= 1;
                return Ok(());
            }
        }
    }

    fn array(&mut self, node: &mut Node) -> Result<(), Outcome> {
        let Kind::Array(elements) = &mut node.kind else {
            unreachable!("the caller made it one");
        };
        self.at += 1;
        self.depth += 1;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            self.space();
            elements.push(Node::at(self.at));
            let last = elements.len() - 1;
            self.value(&mut elements[last])?;
            self.space();
            if self.one(|byte| matches!(byte, b',' | b']'))? == b']' {
                self.depth -= 1;
                return Ok(());
            }
        }
    }

    /// Reads a string and returns the range between its quotes; with `may_be_prose`, a space after nothing but ASCII
    /// punctuation is an offending byte.
    fn string(&mut self, may_be_prose: bool) -> Result<Range<usize>, Outcome> {
        self.at += 1;
        let from = self.at;
        loop {
            let is_passed = |byte: &u8| byte.is_ascii_punctuation() && *byte != b'\\';
            let offends = may_be_prose && self.bytes[from..self.at].iter().all(is_passed);
            match self.one(|byte| byte >= 0x20 && !(offends && byte == b' '))? {
                b'"' => return Ok(from..self.at - 1),
                b'\\' => {
                    let escape = self.one(|byte| b"\"\\/bfnrtu".contains(&byte))?;
                    if escape == b'u' {
                        for _ in 0..4 {
                            self.one(|byte| byte.is_ascii_hexdigit())?;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads a literal.
    fn literal(&mut self, word: &[u8]) -> Result<(), Outcome> {
        for &letter in word {
            self.one(|byte| byte == letter)?;
        }
        Ok(())
    }

    /// Reads a number; at the end of the input it is complete if a number can end there.
    fn number(&mut self) -> Result<(), Outcome> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.one(|byte| byte.is_ascii_digit())? != b'0' {
            self.digits();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.one(|byte| byte.is_ascii_digit())?;
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.one(|byte| byte.is_ascii_digit())?;
            self.digits();
        }
        Ok(())
    }

    /// Reads any number of digits.
    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }
}
