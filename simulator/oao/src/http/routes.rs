//! Routes as data.

use std::{collections::BTreeMap, fmt, sync::Arc};

use super::{Call, Reply};
use crate::{Service, errors::Refusal};

/// What a request does once everything about it is found to be right.
pub type Act = Box<dyn FnOnce(&Service, &Call) -> Result<Reply, Refusal> + Send>;

/// Looks at the fields of a request, and says what it will do.
pub type Prepare = Arc<dyn Fn(&Service, &Call) -> Result<Act, Refusal> + Send + Sync>;

/// One route.
#[derive(Clone)]
pub struct Route {
    /// Method, in upper case.
    pub method: &'static str,
    /// Path with parameters in braces: `/v1/projects/{p}/agents/{a}`.
    pub path: &'static str,
    /// The scopes that a request needs.
    pub scopes: fn(&Call) -> Vec<&'static str>,
    /// Whether a JSON body is read.
    pub body: bool,
    /// Whether something changes, so that an idempotency key is needed.
    pub mutates: bool,
    /// What it does.
    pub prepare: Prepare,
}

impl Route {
    /// A route that only reads.
    pub fn read(path: &'static str, scopes: fn(&Call) -> Vec<&'static str>, prepare: Prepare) -> Self {
        Self { method: "GET", path, scopes, body: false, mutates: false, prepare }
    }

    /// A POST with a JSON body.
    pub fn post(path: &'static str, scopes: fn(&Call) -> Vec<&'static str>, prepare: Prepare) -> Self {
        Self { method: "POST", path, scopes, body: true, mutates: true, prepare }
    }

    /// The same route without a body.
    #[must_use]
    pub fn bodiless(mut self) -> Self {
        self.body = false;
        self
    }

    /// The same route under another method.
    #[must_use]
    pub fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    /// The parameters of `path`, if it is one of this route's.
    pub fn params(&self, method: &str, path: &str) -> Option<BTreeMap<String, String>> {
        if method != self.method {
            return None;
        }
        let mut params = BTreeMap::new();
        let mut given = path.split('/');
        for part in self.path.split('/') {
            let value = given.next()?;
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(name) if !value.is_empty() => {
                    params.insert(name.to_owned(), value.to_owned());
                }
                None if part == value => {}
                _ => return None,
            }
        }
        given.next().is_none().then_some(params)
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// Every route of the contract that is served.
pub(super) fn all() -> Vec<Route> {
    let mut routes = crate::agents::routes();
    routes.extend(crate::sessions::routes());
    routes.extend(crate::runs::routes());
    routes.extend(crate::tool_calls::routes());
    routes.extend(crate::approvals::routes());
    routes.extend(crate::events::routes());
    routes.extend(crate::webhooks::routes());
    routes.extend(crate::observer::routes());
    routes
}
