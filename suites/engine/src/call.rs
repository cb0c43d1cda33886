//! A request as a drive words it.

use std::borrow::Cow;

use serde_json::Value;

/// The credential that a request carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// The credential of that name in the target's description.
    Named(Cow<'static, str>),
    /// This text, as the whole `authorization` value.
    Raw(String),
    /// None at all.
    Absent,
}

/// A request: a method, a path below the target's base URL, and what goes with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) key: Key,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) title_case: bool,
    pub(crate) control: bool,
    /// The setting that holds the base URL, where it is not the target's own.
    pub(crate) base: Option<&'static str>,
}

impl Call {
    /// A request with the primary credential and no body.
    pub fn new(method: &str, path: impl Into<String>) -> Self {
        Self {
            method: method.to_owned(),
            path: path.into(),
            key: Key::Named("primary".into()),
            headers: Vec::new(),
            body: None,
            title_case: false,
            control: false,
            base: None,
        }
    }

    /// A request to the target's control port: `path` is the part after `/_control`. It carries no
    /// credential. Ask [`Driver::control`](crate::Driver::control) first whether the target has the feature.
    pub fn control(method: &str, path: &str) -> Self {
        let call = Self::new(method, format!("/_control{path}")).with_key(Key::Absent);
        Self { control: true, ..call }
    }

    /// `GET path`.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new("GET", path)
    }

    /// `POST path` with a JSON body.
    pub fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new("POST", path).json(body)
    }

    /// `PATCH path` with a JSON body.
    pub fn patch(path: impl Into<String>, body: &Value) -> Self {
        Self::new("PATCH", path).json(body)
    }

    /// `DELETE path`.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new("DELETE", path)
    }

    /// Another credential.
    #[must_use]
    pub fn with_key(mut self, key: Key) -> Self {
        self.key = key;
        self
    }

    /// The credential called `name` in the target's description.
    #[must_use]
    pub fn key_named(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.with_key(Key::Named(name.into()))
    }

    /// Another base URL: the one in `setting` of the target's description, where it is given.
    #[must_use]
    pub fn at(mut self, setting: &'static str) -> Self {
        self.base = Some(setting);
        self
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// A JSON body, compact, with its content type.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.json_text(body.to_string())
    }

    /// A body that is sent as it is, with the content type of JSON.
    #[must_use]
    pub fn json_text(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        self.body = Some(body.into());
        self
    }

    /// Header names in Title-Case on the wire.
    #[must_use]
    pub fn title_case(mut self) -> Self {
        self.title_case = true;
        self
    }
}
