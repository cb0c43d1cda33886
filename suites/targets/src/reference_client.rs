//! Clients in this process: the reference picker, and what is no client.

use std::time::Duration;

use engine::{ClientPort, Ended, LaunchError, Visit, Visited};
use futures_util::{FutureExt, future::LocalBoxFuture};
use picker::Parts;
use wire::{
    Clock, Net,
    http::{Limits, Request, send},
};
use world::degenerate::Kind;

/// How long a client in this process may take. Virtual time costs nothing.
const LIMIT: Duration = Duration::from_secs(60);

/// The reference picker.
pub(crate) struct ReferenceClient(Parts);

impl ReferenceClient {
    /// The picker with these defects.
    pub(crate) fn new(defects: &[String]) -> Result<Self, LaunchError> {
        let mut parts = Parts::default();
        picker::defects::edit(&mut parts, defects).map_err(|error| LaunchError::new(error.to_string()))?;
        Ok(Self(parts))
    }
}

impl ClientPort for ReferenceClient {
    fn limit(&self) -> Duration {
        LIMIT
    }

    fn visit<'a>(&'a self, net: &'a Net, clock: &'a Clock, visit: Visit) -> LocalBoxFuture<'a, Visited> {
        async move {
            let there = picker::Visit { url: visit.url, key: visit.key, pick: visit.pick };
            let mut lines = Vec::new();
            let mut show = |choice: &picker::Choice| lines.push(choice.line());
            let done = picker::visit(net, clock, &there, &self.0, &mut show).await;
            // The exit codes of the program.
            Visited { lines, ended: Ended::Exited(Some(i32::from(done.is_err()))) }
        }
        .boxed_local()
    }
}

/// What is no client, each in the way of a target that is no harness.
pub(crate) struct DegenerateClient(pub(crate) Kind);

impl ClientPort for DegenerateClient {
    fn limit(&self) -> Duration {
        LIMIT
    }

    fn visit<'a>(&'a self, net: &'a Net, _: &'a Clock, visit: Visit) -> LocalBoxFuture<'a, Visited> {
        async move {
            let exited = |code, lines: &[&str]| Visited {
                lines: lines.iter().map(|line| (*line).to_owned()).collect(),
                ended: Ended::Exited(Some(code)),
            };
            match self.0 {
                Kind::Refused => {
                    Visited { lines: Vec::new(), ended: Ended::NotStarted("no such program".to_owned()) }
                }
                Kind::Hangs => std::future::pending().await,
                Kind::EmptyObject => exited(0, &["{}"]),
                Kind::Always400 => exited(1, &[]),
                Kind::Always501 | Kind::Always500 => {
                    Visited { lines: Vec::new(), ended: Ended::Exited(None) }
                }
                Kind::Echo => echoed(net, &visit).await,
                Kind::EmptyStream => exited(0, &[]),
                Kind::EndlessStream => Visited { lines: vec!["{".to_owned(); 1_000], ended: Ended::Late },
                Kind::HtmlPage => exited(0, &["<html>", "<body>hello</body>", "</html>"]),
            }
        }
        .boxed_local()
    }
}

/// Prints what the list says, entry by entry, and understands nothing.
async fn echoed(net: &Net, visit: &Visit) -> Visited {
    let authority = visit.url.trim_start_matches("http://");
    let request =
        Request::new("GET", "/v1/harnesses").header("authorization", format!("Bearer {}", visit.key));
    let limits = Limits { head: LIMIT, whole: LIMIT, body_bytes_max: 1024 * 1024 };
    let answer = send(net, authority, &request, limits).await;
    let text = answer.map(|answer| String::from_utf8_lossy(&answer.body).into_owned()).unwrap_or_default();
    Visited { lines: vec![text], ended: Ended::Exited(Some(0)) }
}
