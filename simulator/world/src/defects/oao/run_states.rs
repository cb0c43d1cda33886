//! Wrong ways to lead a run from state to state.

use std::sync::Arc;

use oao::{
    Parts, Service,
    errors::Refusal,
    http::{Act, Call, Prepare},
};
use serde_json::Value;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "resumption-untold",
        edit: |parts| {
            parts.events.taps.push(Arc::new(|draft| {
                let goes_on = draft.payload["reason"] == "tool_gate_resolved";
                if goes_on { Vec::new() } else { vec![draft] }
            }));
        },
    },
    Edit { id: "second-message-started", edit: |parts| parts.runs.busy = |_| false },
    Edit {
        id: "queued-cancel-ignored",
        edit: |parts| {
            around_cancel(
                parts,
                |run, cancel| if run["state"] == "queued" { Ok(None) } else { Ok(Some(cancel)) },
            )
        },
    },
    Edit {
        id: "cancel-of-settled-refused",
        edit: |parts| {
            around_cancel(parts, |run, cancel| match run["settledAt"].is_null() {
                true => Ok(Some(cancel)),
                false => Err(Refusal::conflict("the run is settled")),
            });
        },
    },
];

/// Cancels, refuses, or (with `None`) gives the run back as it is.
type Choice = fn(&Value, Act) -> Result<Option<Act>, Refusal>;

fn around_cancel(parts: &mut Parts, choose: Choice) {
    let read = prepare_of(parts, "GET", "/v1/projects/{p}/runs/{r}");
    let path = "/v1/projects/{p}/runs/{r}/cancel";
    let cancel = prepare_of(parts, "POST", path);
    let (Some(read), Some(cancel)) = (read, cancel) else { return };
    let around: Prepare = Arc::new(move |service: &Service, call: &Call| {
        let (read, cancel) = (read(service, call)?, cancel(service, call)?);
        let act: Act = Box::new(move |service, call| {
            let mut shown = read(service, call)?;
            let run = shown.json_mut().cloned().unwrap_or_default();
            match choose(&run, cancel)? {
                Some(cancel) => cancel(service, call),
                None => {
                    shown.status = 202;
                    Ok(shown)
                }
            }
        });
        Ok(act)
    });
    set_prepare(parts, "POST", path, &around);
}

fn prepare_of(parts: &Parts, method: &str, path: &str) -> Option<Prepare> {
    let route = parts.front.routes.iter().find(|route| route.method == method && route.path == path);
    route.map(|route| route.prepare.clone())
}

/// Puts another `prepare` into a route.
pub(super) fn set_prepare(parts: &mut Parts, method: &str, path: &str, prepare: &Prepare) {
    let routes = parts.front.routes.iter_mut();
    for route in routes.filter(|route| route.method == method && route.path == path) {
        route.prepare = prepare.clone();
    }
}
