//! Each seam of a turn is heard.

use std::sync::{Arc, Mutex};

use agent::ToolOutcome;
use serde_json::{Value, json};
use vetta::{agents::Permission, approvals::Answered, sessions::SessionStatus, tools::Origin};

use crate::{
    desk::types,
    table::{Table, calls, says},
};

fn writing() -> Value {
    json!([calls("a", &[("c1", "write", json!({"path": "f", "content": "x"}))]), says("b", "Done.")])
}

#[tokio::test(start_paused = true)]
async fn tools_and_their_standing() {
    let table = Table::edited(writing(), |parts| {
        parts.tools.built_ins = Arc::new(|_, _| Vec::new());
        let standing = parts.tools.standing.clone();
        parts.tools.standing = Arc::new(move |asked| {
            assert_eq!(asked.candidate.origin, Origin::Native);
            if asked.candidate.name == "write" { Some(Permission::Deny) } else { standing(asked) }
        });
    })
    .await;
    let session = table.session("vetta", json!(null)).await;
    table.say(&session, "go").await;
    let events = table.desk.stream(&session, None).await.until("session.status").await;
    assert!(types(&events).contains(&"tool.denied"));
    assert_eq!(table.offered(0), ["read", "edit", "grep", "glob"]);
    assert_eq!(table.effects(&session), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn answers_and_holds() {
    let table = Table::edited(writing(), |parts| {
        parts.approvals.answer = Arc::new(|_, _| Ok(Answered::Repeated));
        parts.approvals.hold = Arc::new(|held| {
            Box::pin(async move {
                held.run().await;
                ToolOutcome::Done("held and run".to_owned())
            })
        });
    })
    .await;
    let session = table.session("pi", json!({"permission": "ask"})).await;
    table.say(&session, "go").await;
    table.desk.stream(&session, None).await.until("turn.completed").await;
    assert_eq!(
        (table.effects(&session), table.told(1, "c1").as_str()),
        (vec!["write".to_owned()], "held and run")
    );
    assert_eq!(table.decide(&session, "call_none", "allow").await.1["applied"], false);
}

#[tokio::test(start_paused = true)]
async fn machines_prices_and_rest() {
    let table = Table::edited(writing(), |parts| {
        parts.sandboxes.between = Arc::new(|_, sandbox, _| Some(sandbox));
        parts.bills.opening_credits = 100;
        parts.bills.charge = Arc::new(|_, _| 60);
        parts.turns.resting = Arc::new(|_| SessionStatus::Failed);
    })
    .await;
    let session = table.session("vetta", json!(null)).await;
    table.say(&session, "go").await;
    table.desk.stream(&session, None).await.until("session.status").await;
    let shown = table.shown(&session).await;
    assert_eq!((&shown["sandbox"]["state"], &shown["status"]), (&json!("in_use"), &json!("failed")));
    assert_eq!(table.desk.get("/v1/balance").await.1["credits"], 0, "two answers cost more than there is");
}

#[tokio::test(start_paused = true)]
async fn whose_configuration_a_turn_goes_by_and_what_its_log_says() {
    let kinds = Arc::new(Mutex::new(Vec::new()));
    let seen = kinds.clone();
    let table = Table::edited(writing(), move |parts| {
        parts.turns.goes_by = Arc::new(|going| {
            let mut config = going.session.agent.config.clone();
            config.tools.permission = Permission::Deny;
            (config, going.environment.row("vetta").unwrap().clone())
        });
        parts.events.scribe = Arc::new(move |row, entry| {
            seen.lock().unwrap().push((row.harness.base.clone(), entry.kind));
            if entry.kind == "turn.started" { Vec::new() } else { vec![entry] }
        });
    })
    .await;
    let session = table.session("pi", json!(null)).await;
    table.say(&session, "go").await;
    let events = table.desk.stream(&session, None).await.until("session.status").await;
    assert!(!types(&events).contains(&"turn.started") && types(&events).contains(&"tool.denied"));
    assert!(kinds.lock().unwrap().contains(&("pi".to_owned(), "turn.started")));
    assert_eq!(table.offered(0), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn whether_a_typed_answer_keeps_its_schema() {
    let turns = json!([calls("a", &[("c1", "submit", json!({"value": "no object"}))]), says("b", "Done.")]);
    let table = Table::edited(turns, |parts| parts.turns.conforms = Arc::new(|_, _| Ok(()))).await;
    let schema = json!({"type": "object"});
    let start = json!({"structured_output_required": true, "structured_output_schema": schema});
    let session = table.desk.session("pi", start).await;
    table.say(&session, "go").await;
    table.desk.stream(&session, None).await.until("turn.completed").await;
    assert_eq!(table.shown(&session).await["structured_output"], "no object");
}
