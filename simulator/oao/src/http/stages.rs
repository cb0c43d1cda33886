//! The order of evaluation: what is looked at first, and what beats what.

use std::sync::Arc;

use serde_json::Value;

use super::{Act, Call, Reply, Route, idempotency};
use crate::{
    Service,
    errors::{Code, Refusal},
    keys::has_key_form,
    limits::utf16_units,
    sequence::Sequence,
};

/// A request on its way.
pub struct Flight {
    /// What was asked.
    pub call: Call,
    /// The route that it took.
    pub route: Route,
    /// What it will do.
    pub act: Option<Act>,
    /// The answer.
    pub reply: Option<Reply>,
}

/// One stage: it refuses the request or brings it further.
pub type Stage = Arc<dyn Fn(&Service, &mut Flight) -> Result<(), Refusal> + Send + Sync>;

/// The contract's order. An invalid body beats a missing scope.
pub(super) fn all() -> Sequence<Stage> {
    Sequence::of(vec![
        ("authenticate", Arc::new(authenticate) as Stage),
        ("project", Arc::new(project)),
        ("body", Arc::new(body)),
        ("idempotency-key", Arc::new(idempotency_key)),
        ("fields", Arc::new(fields)),
        ("scopes", Arc::new(scopes)),
        ("settle", Arc::new(settle)),
    ])
}

fn authenticate(service: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    let bearer = flight.call.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let principal = bearer.filter(|key| has_key_form(key)).and_then(|key| service.keyring().find(key));
    let principal =
        principal.ok_or_else(|| Refusal::new(Code::Unauthenticated, "a valid API key is needed"))?;
    flight.call.principal = Some(principal.clone());
    Ok(())
}

fn project(_: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    let project = flight.call.project();
    let opens = flight.call.principal.as_ref().is_some_and(|principal| principal.projects.contains(project));
    if project.is_empty() || opens {
        return Ok(());
    }
    Err(Refusal::new(Code::Forbidden, "the key does not open this project"))
}

fn body(_: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    if !flight.route.body {
        return Ok(());
    }
    let is_json = flight.call.header("content-type").is_some_and(|value| value.contains("application/json"));
    if !is_json {
        return Err(Refusal::bad_request("the content type has to be application/json"));
    }
    match serde_json::from_slice(&flight.call.bytes) {
        Ok(Value::Object(body)) => flight.call.body = body,
        Ok(_) => return Err(Refusal::bad_request("the body has to be a JSON object")),
        Err(why) => return Err(Refusal::bad_request(format!("the body is no JSON: {why}"))),
    }
    Ok(())
}

fn idempotency_key(service: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    if !flight.route.mutates {
        return Ok(());
    }
    let most = service.parts().front.limits.idempotency_key_units_max;
    let key = flight.call.header("idempotency-key").unwrap_or_default();
    if key.is_empty() || utf16_units(key) > most {
        return Err(Refusal::bad_request(format!("an Idempotency-Key of 1 to {most} characters is needed")));
    }
    Ok(())
}

fn fields(service: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    flight.act = Some((flight.route.prepare)(service, &flight.call)?);
    Ok(())
}

fn scopes(_: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    let needed = (flight.route.scopes)(&flight.call);
    let has = |scope: &&str| {
        flight.call.principal.as_ref().is_some_and(|principal| principal.scopes.contains(*scope))
    };
    match needed.into_iter().find(|scope| !has(scope)) {
        Some(missing) => Err(Refusal::new(Code::Forbidden, format!("the scope {missing} is missing"))),
        None => Ok(()),
    }
}

fn settle(service: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    let Some(act) = flight.act.take() else {
        return Err(Refusal::new(Code::InternalError, "the request was not prepared"));
    };
    let reply = if flight.route.mutates {
        idempotency::once(service, &flight.call, act)?
    } else {
        act(service, &flight.call)?
    };
    flight.reply = Some(reply);
    Ok(())
}
