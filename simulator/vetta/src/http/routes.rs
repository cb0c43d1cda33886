//! The routes, and the router that serves them.

use std::sync::Arc;

use axum::{Router, body::Body, extract::Request, routing::any};

use super::{Call, Reply, answer::answer};
use crate::{Caller, Refusal, endpoint, handlers, service::Core};

/// What a handler has to say: an answer, and perhaps a stream that follows its head.
pub(crate) struct Outcome {
    pub(crate) reply: Reply,
    pub(crate) stream: Option<Body>,
}

impl Outcome {
    pub(crate) fn reply(reply: Reply) -> Self {
        Self { reply, stream: None }
    }
}

/// One operation: synchronous, so that nothing happens in the middle of it.
pub(crate) type Handler = fn(&Arc<Core>, &Call, &Caller) -> Result<Outcome, Refusal>;

/// A path and the methods it takes.
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) methods: &'static [(&'static str, Handler)],
}

impl Route {
    pub(crate) fn handler(&self, method: &str) -> Option<Handler> {
        self.methods.iter().find(|(known, _)| *known == method).map(|(_, handler)| *handler)
    }

    /// The methods, as the header `allow` lists them.
    pub(crate) fn allow(&self) -> String {
        self.methods.iter().map(|(method, _)| *method).collect::<Vec<_>>().join(", ")
    }
}

/// Every path that the service answers.
static ROUTES: &[Route] = &[
    Route { path: "/v1/harnesses", methods: &[("GET", handlers::catalogue::list)] },
    Route { path: "/v1/harnesses/{id}", methods: &[("GET", handlers::catalogue::read)] },
    Route { path: "/v1/models", methods: &[("GET", handlers::catalogue::models)] },
    Route {
        path: "/v1/agents",
        methods: &[("GET", handlers::agents::list), ("POST", handlers::agents::create)],
    },
    Route {
        path: "/v1/agents/{id}",
        methods: &[
            ("GET", handlers::agents::read),
            ("PATCH", handlers::agents::patch),
            ("DELETE", handlers::agents::delete),
        ],
    },
    Route {
        path: "/v1/sessions",
        methods: &[("GET", handlers::sessions::list), ("POST", handlers::sessions::start)],
    },
    Route {
        path: "/v1/sessions/{id}",
        methods: &[("GET", handlers::sessions::read), ("DELETE", handlers::sessions::delete)],
    },
    Route { path: "/v1/sessions/{id}/messages", methods: &[("POST", handlers::messages::send)] },
    Route {
        path: "/v1/sessions/{id}/tool_confirmations",
        methods: &[("POST", handlers::confirmations::confirm)],
    },
    Route { path: "/v1/sessions/{id}/interrupt", methods: &[("POST", handlers::interrupt::interrupt)] },
    Route { path: "/v1/sessions/{id}/events", methods: &[("GET", handlers::events::show)] },
    Route { path: "/v1/sessions/{id}/threads", methods: &[("GET", handlers::threads::list)] },
    Route { path: "/v1/balance", methods: &[("GET", handlers::balance::read)] },
];

/// Method and path of everything that is served, so that it can be held against a document.
pub fn served() -> impl Iterator<Item = (&'static str, &'static str)> {
    let routes =
        ROUTES.iter().flat_map(|route| route.methods.iter().map(|(method, _)| (*method, route.path)));
    routes.chain([("POST", endpoint::PATH)])
}

/// A router that answers every request, unknown paths included.
pub(crate) fn router(core: &Arc<Core>) -> Router {
    let to = |route: Option<&'static Route>| {
        let core = core.clone();
        move |request: Request| {
            let core = core.clone();
            async move { answer(&core, route, request).await }
        }
    };
    let routes =
        ROUTES.iter().fold(Router::new(), |router, route| router.route(route.path, any(to(Some(route)))));
    let endpoint = {
        let core = core.clone();
        move |request: Request| {
            let core = core.clone();
            async move { endpoint::serve(&core, request).await }
        }
    };
    routes.route(endpoint::PATH, any(endpoint)).fallback(to(None))
}
