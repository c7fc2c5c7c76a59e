//! The heads of responses.

/// The head of a response, as far as it matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    pub(crate) status: u16,
    pub(crate) content_type: Box<str>,
    pub(crate) content_encoding: Box<str>,
    pub(crate) path: Box<str>,
    pub(crate) choices: usize,
}

impl ResponseHead {
    /// A response with this status, and neither a content type nor an encoding.
    #[must_use]
    pub fn new(status: u16) -> Self {
        Self {
            status,
            content_type: Box::default(),
            content_encoding: Box::default(),
            path: Box::default(),
            choices: 1,
        }
    }

    /// The value of `Content-Type`.
    #[must_use]
    pub fn with_content_type(mut self, value: &str) -> Self {
        self.content_type = value.into();
        self
    }

    /// The value of `Content-Encoding`, unless the caller decodes the body before it pushes it.
    #[must_use]
    pub fn with_content_encoding(mut self, value: &str) -> Self {
        self.content_encoding = value.into();
        self
    }

    /// The path of the request, from which the format of errors is known before the response shows one.
    #[must_use]
    pub fn with_path(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    /// How many answers the request asks for (`n`), 1 unless set. A gate ends the stream when its policy has ended that many.
    #[must_use]
    pub const fn with_choices(mut self, choices: usize) -> Self {
        self.choices = choices;
        self
    }
}
