//! A reader of one JSON value by recursive descent, which leaves the tree of what it read, however it ends.

use super::is_space;
use std::ops::Range;

/// How reading a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it is there.
    Complete {
        /// One past its last byte.
        end: usize,
    },
    /// It stopped being JSON.
    Stopped {
        /// The offending byte.
        at: usize,
    },
    /// It would have nested too deep.
    TooDeep {
        /// The opening bracket that does it.
        at: usize,
    },
    /// The bytes ended first.
    Open {
        /// One past the last byte.
        end: usize,
    },
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name as written, without the quotes.
    pub name: Range<usize>,
    /// Its value, as far as it was read.
    pub value: Node,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing of it was read.
    Missing,
    /// An object.
    Object(Vec<Member>),
    /// An array.
    Array(Vec<Node>),
    /// A string.
    Text,
    /// The literal `null`.
    Null,
    /// A number, `true` or `false`.
    Other,
}

/// A value, as far as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte, if it is closed.
    pub end: usize,
    /// Whether all of it was read.
    pub closed: bool,
    /// What it is.
    pub kind: Kind,
}

impl Node {
    /// Nothing yet.
    fn at(start: usize) -> Self {
        Node {
            start,
            end: start,
            closed: false,
            kind: Kind::Missing,
        }
    }
}

/// Reads the value that starts at `start`.
pub fn read(bytes: &[u8], start: usize, max_depth: usize, feed_offends: bool) -> (Node, Outcome) {
    let mut reader = Reader {
        bytes,
        at: start,
        depth: 0,
        max_depth,
        feed_offends,
    };
    let mut root = Node::at(start);
    let outcome = match reader.value(&mut root) {
        Ok(()) => Outcome::Complete { end: reader.at },
        Err(outcome) => outcome,
    };
    (root, outcome)
}

/// A place in the bytes; each method reads one production or says how the whole value ends.
struct Reader<'a> {
    /// The bytes, up to the end of the own text.
    bytes: &'a [u8],
    /// How many of them are read.
    at: usize,
    /// How many objects and arrays are open.
    depth: usize,
    /// How many may be.
    max_depth: usize,
    /// Whether a line feed is no white space.
    feed_offends: bool,
}

impl Reader<'_> {
    /// The next byte.
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Why the next byte does not do: it is another one, or there is none.
    fn refuse<T>(&self) -> Result<T, Outcome> {
        Err(match self.peek() {
            Some(_) => Outcome::Stopped { at: self.at },
            None => Outcome::Open { end: self.at },
        })
    }

    /// Reads one byte that must be of a kind.
    fn one(&mut self, kind: impl Fn(u8) -> bool) -> Result<u8, Outcome> {
        match self.peek() {
            Some(byte) if kind(byte) => {
                self.at += 1;
                Ok(byte)
            }
            _ => self.refuse(),
        }
    }

    /// Reads white space.
    fn space(&mut self) {
        let feed_offends = self.feed_offends;
        let is_space = |byte| is_space(byte) && !(feed_offends && byte == b'\n');
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Reads a value.
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
                self.string()?;
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

    /// Reads an object.
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
            let name = self.string()?;
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

    /// Reads an array.
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

    /// Reads a string, whose opening quote is next, and gives what is between its quotes.
    fn string(&mut self) -> Result<Range<usize>, Outcome> {
        self.at += 1;
        let from = self.at;
        loop {
            match self.one(|byte| byte >= 0x20)? {
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

    /// Reads a number, as long as it goes on; where the bytes end it is complete if it could end there.
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
