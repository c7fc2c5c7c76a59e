//! Heads of responses.

/// Status, headers and request facts that determine the plan for a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    pub(crate) status: u16,
    pub(crate) content_type: Box<str>,
    pub(crate) content_encoding: Box<str>,
    pub(crate) path: Box<str>,
    pub(crate) choices: usize,
}

impl ResponseHead {
    /// Creates the head of a response without content type and encoding.
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

    /// Sets the value of `Content-Type`.
    #[must_use]
    pub fn with_content_type(mut self, value: &str) -> Self {
        self.content_type = value.into();
        self
    }

    /// Sets the value of `Content-Encoding`. Leave it out if the caller decodes the body before it
    /// pushes it.
    #[must_use]
    pub fn with_content_encoding(mut self, value: &str) -> Self {
        self.content_encoding = value.into();
        self
    }

    /// Sets the path of the request, which determines the format of errors before the response
    /// shows one.
    #[must_use]
    pub fn with_path(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    /// Sets the number of answers that the request asks for (`n`); 1 by default. A gate ends the
    /// stream when its policy has ended as many.
    #[must_use]
    pub const fn with_choices(mut self, choices: usize) -> Self {
        self.choices = choices;
        self
    }
}
