//! The catalogue that a client under test is sent to.

use std::sync::Arc;

use engine::{Asked, Driver, Halt, StandIn, Told, Visit};
use serde_json::{Value, json};

use super::super::rows::text;

/// The label under which everything that the client asks is recorded.
pub(super) const ASKED: &str = "asked";
/// The label of what it printed.
pub(super) const PRINTED: &str = "printed";
/// The label of the rows that were served.
pub(super) const SERVED: &str = "served";

/// A row whose loop can do everything and runs here. Its base is new in every run, so that no client knows it
/// beforehand, and its label is another text than its base.
pub(super) fn row(driver: &Driver<'_>, name: &str) -> Value {
    let base = format!("{name}-{}", driver.token());
    json!({
        "base": base,
        "label": format!("The loop called {name}"),
        "location": "hosted",
        "billing": "usage",
        "status": "ga",
        "execution": "sandbox",
        "runnable": true,
        "capabilities": {
            "approvals": true, "structured_output": true, "streaming_deltas": true, "injected_tools": true,
        },
    })
}

/// A row with other members.
pub(super) fn with(mut row: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().into_iter().flatten() {
        row[name] = value.clone();
    }
    row
}

/// What a shop serves beside the rows.
#[derive(Clone, Default)]
pub(super) struct Trade {
    /// How many rows are on a page; all of them where it is `None`.
    pub(super) per_page: Option<usize>,
    /// The status of the first so many answers to the list.
    pub(super) fails: Option<(u16, usize)>,
}

/// A catalogue that is open.
pub(super) struct Shop<'a> {
    driver: &'a Driver<'a>,
    stand_in: StandIn<'a>,
    key: String,
}

impl<'a> Shop<'a> {
    /// Opens one with these rows.
    pub(super) async fn open(driver: &'a Driver<'a>, rows: Vec<Value>, trade: Trade) -> Result<Self, Halt> {
        driver.fact(SERVED, json!(rows));
        let key = format!("sk_{}", driver.token());
        let authorization = format!("Bearer {key}");
        let answering = Arc::new(move |asked: &Asked| {
            let is_known = asked.authorization.as_deref() == Some(&authorization);
            if is_known { answer(asked, &rows, &trade) } else { refusal(401, "invalid_api_key") }
        });
        let stand_in = driver.stand_in(ASKED, answering).await?;
        Ok(Self { driver, stand_in, key })
    }

    /// Sends the client there; somebody picks `pick`. Everything is recorded.
    pub(super) async fn visit(&self, pick: Option<&str>) -> Result<(), Halt> {
        let visit = Visit { url: self.stand_in.url(), key: self.key.clone(), pick: pick.map(str::to_owned) };
        let visited = self.driver.visit(PRINTED, visit).await;
        self.stand_in.record();
        visited.map(drop)
    }
}

fn refusal(status: u16, code: &str) -> Told {
    Told::new(status, json!({"error": {"code": code, "message": code}, "request_id": "req_1"}))
}

fn answer(asked: &Asked, rows: &[Value], trade: &Trade) -> Told {
    match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/v1/harnesses") => match trade.fails {
            Some((status, times)) if asked.before < times => refusal(status, "not_now"),
            _ => page(asked, rows, trade.per_page),
        },
        ("GET", "/v1/models") => page(asked, &[json!({"id": "model-1", "object": "model"})], None),
        ("POST", "/v1/agents") => created(asked),
        ("POST", "/v1/sessions") => started(asked, rows),
        ("GET", path) => {
            let id = path.strip_prefix("/v1/harnesses/");
            let read = id.and_then(|id| rows.iter().find(|row| text(row, "base") == id));
            read.map_or_else(|| refusal(404, "harness_not_found"), |row| Told::new(200, row.clone()))
        }
        _ => refusal(404, "not_found"),
    }
}

fn page(asked: &Asked, entries: &[Value], per_page: Option<usize>) -> Told {
    let cursor = asked.query.split('&').find_map(|pair| pair.strip_prefix("cursor="));
    let from = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0).min(entries.len());
    let to = per_page.map_or(entries.len(), |per_page| from.saturating_add(per_page).min(entries.len()));
    let more = to < entries.len();
    let next = more.then(|| to.to_string());
    Told::new(200, json!({"data": entries[from..to], "has_more": more, "next_cursor": next}))
}

/// The id of an agent says which loop it selects, so nothing has to be remembered.
fn created(asked: &Asked) -> Told {
    let mut agent: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let Some(harness) = agent.get("harness").and_then(Value::as_str).map(str::to_owned) else {
        return refusal(400, "validation_failed");
    };
    agent["id"] = json!(format!("agent-{harness}"));
    Told::new(201, agent)
}

fn started(asked: &Asked, rows: &[Value]) -> Told {
    let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let harness = text(&body, "agent").strip_prefix("agent-").unwrap_or_default();
    let selected = rows.iter().find(|row| text(row, "base") == harness);
    match selected {
        None => refusal(400, "validation_failed"),
        Some(row) if row["runnable"] != true || text(row, "location") != "hosted" => {
            refusal(501, "harness_not_runnable")
        }
        Some(_) => Told::new(201, json!({"id": "sess-1", "object": "session", "status": "idle"})),
    }
}
