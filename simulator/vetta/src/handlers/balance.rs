//! `GET /v1/balance`: the credits of the account (open point U41).

use std::sync::Arc;

use serde_json::json;

use crate::{Call, Caller, Refusal, Reply, http::Outcome, service::Core};

pub(crate) fn read(core: &Arc<Core>, _: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let credits = core.balances.left(&caller.account, &core.parts.bills);
    Ok(Outcome::reply(Reply::json(200, json!({ "credits": credits }))))
}
