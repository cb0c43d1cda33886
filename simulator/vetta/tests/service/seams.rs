//! Every seam is heard: an edit of the parts from outside changes what a client sees, and nothing else
//! has to know of it.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use vetta::{
    Fault, Parts, Refusal,
    admission::{Judge, Source},
    catalogue::View,
    events::Delivery,
    guards::Guard,
    harness::{Capability, Execution},
    sessions::SessionStatus,
    turns::Scripted,
};
use wire::http::Request;

use crate::desk::{ADA, BEN, Desk, FUTURE, refusal, types};

#[tokio::test(start_paused = true)]
async fn catalogue_rows_by_caller_query_view_and_id() {
    let desk = Desk::edited(|parts| {
        let list = parts.catalogue.list.clone();
        parts.catalogue.list = Arc::new(move |caller, query| {
            let limit = query.get("limit").and_then(|limit| limit.parse().ok()).unwrap_or(usize::MAX);
            let mut rows = list(caller, query);
            rows.retain(|row| caller.account != "acct_ben" || row.harness.base != "pi");
            rows.truncate(limit);
            rows
        });
        parts.catalogue.find = Arc::new(|environment, id| {
            let folded = |base: &str| base.eq_ignore_ascii_case(id);
            environment.rows.iter().find(|row| folded(&row.harness.base)).cloned()
        });
        let render = parts.catalogue.render.clone();
        parts.catalogue.render = Arc::new(move |row, view| {
            let mut shown = render(row, view);
            if view == View::Read {
                shown["runnable"] = json!(!row.harness.runnable);
            }
            shown
        });
        parts.catalogue.missing = Arc::new(|environment, id| {
            Refusal::not_found("gone", Some("id"), format!("{id} is not in {}", environment.name))
        });
    })
    .await;
    let count = |list: (u16, Value)| list.1["data"].as_array().unwrap().len();
    assert_eq!(count(desk.get("/v1/harnesses?limit=2").await), 2);
    assert_eq!(count(desk.call(BEN, "GET", "/v1/harnesses", None).await), 7);
    assert_eq!(desk.get("/v1/harnesses/SIM-DARK").await.1["runnable"], true);
    assert_eq!(desk.get("/v1/harnesses").await.1["data"][4]["runnable"], false);
    assert_eq!(refusal(&desk.get("/v1/harnesses/x").await), (404, "gone", Some("id")));
}

#[tokio::test(start_paused = true)]
async fn outgoing_answers_by_route_and_caller() {
    let desk = Desk::edited(|parts| {
        parts.http.outgoing.push(|call, reply| {
            let account = call.caller.as_ref().map(|caller| caller.account.as_str());
            if call.is("GET", "/v1/harnesses") && account == Some("acct_ben") {
                reply.body = reply.body.take().map(|body| body["data"].clone());
            }
            if call.is("PUT", "/v1/harnesses") && reply.status == 405 {
                reply.status = 204;
                reply.body = None;
            }
            if call.route == Some("/v1/sessions/{id}/events") && call.accepts("text/event-stream") {
                reply.status = 400;
                reply.body = Some(json!({"error": "no stream"}));
            }
        });
    })
    .await;
    let read = |key: &str, method: &str| {
        Request::new(method, "/v1/harnesses").header("authorization", format!("Bearer {key}"))
    };
    let body: Value = serde_json::from_slice(&desk.send(&read(BEN, "GET")).await.body).unwrap();
    assert!(body.is_array());
    assert_eq!(desk.send(&read(ADA, "PUT")).await.status, 204);
    let session = desk.session("pi", json!({})).await;
    let mut feed = desk.stream(&session, None).await;
    assert_eq!(feed.open.status, 400);
    assert_eq!(feed.open.next().await.unwrap().unwrap(), "{\"error\":\"no stream\"}");
    assert_eq!(desk.get("/v1/harnesses").await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn request_heads_and_credentials() {
    let desk = Desk::edited(|parts| {
        parts.http.head_filter = Some(Arc::new(|head| {
            String::from_utf8_lossy(&head).replace("\r\nAuthorization:", "\r\nX-Dropped:").into_bytes()
        }));
        let check = parts.auth.check.clone();
        parts.auth.check = Arc::new(move |call, keyring| {
            let anybody = || keyring.iter().next().map(|(_, caller)| caller.clone());
            check(call, keyring).or_else(|no| {
                if call.is("GET", "/v1/harnesses/{id}") { anybody().ok_or(no) } else { Err(no) }
            })
        });
    })
    .await;
    let mut request = Request::new("GET", "/v1/harnesses").header("authorization", format!("Bearer {ADA}"));
    assert_eq!(desk.send(&request).await.status, 200);
    request.title_case = true;
    assert_eq!(desk.send(&request).await.status, 401);
    assert_eq!(desk.send(&Request::new("GET", "/v1/harnesses/pi")).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn agents_normalise_resolve_merge_and_apply() {
    let desk = Desk::edited(|parts| {
        let normalise = parts.agents.normalise.clone();
        parts.agents.normalise = Arc::new(move |rules, members| {
            let mut config = normalise(rules, members)?;
            config.metadata.clear();
            Ok(config)
        });
        parts.agents.resolve = Arc::new(|environment, word| {
            environment.rows.iter().find(|row| row.harness.label == word || row.harness.base == word).cloned()
        });
        let merge = parts.agents.merge.clone();
        parts.agents.merge = Arc::new(move |stored, patch| {
            let mut whole = merge(stored, patch);
            if patch.contains_key("harness") {
                whole.remove("tools");
            }
            whole
        });
        let apply = parts.agents.apply.clone();
        parts.agents.apply = Arc::new(move |writing, stored| {
            if let Some(name) = writing.body.get("name").and_then(Value::as_str) {
                stored.config.name = name.to_owned();
            }
            apply(writing, stored)
        });
    })
    .await;
    let body = json!({"harness": "Pi", "metadata": {"a": 1}, "tools": {"permission": "ask"}});
    let path = format!("/v1/agents/{}", desk.agent(ADA, body).await);
    assert_eq!(desk.get(&path).await.1["metadata"], json!({}));
    desk.call(ADA, "PATCH", &path, Some(json!({"harness": "vetta"}))).await;
    assert_eq!(desk.get(&path).await.1["tools"]["permission"], "allow");
    let (status, _) =
        desk.call(ADA, "PATCH", &path, Some(json!({"name": "late", "harness": "nobody"}))).await;
    assert_eq!((status, &desk.get(&path).await.1["name"]), (400, &json!("late")));
}

#[tokio::test(start_paused = true)]
async fn guards_one_by_one_and_their_refusal() {
    let desk = Desk::edited(|parts| {
        assert!(parts.guards.table.decorate("multiagent", |guard| {
            Arc::new(move |write| guard(write).filter(|_| write.verb == vetta::agents::Verb::Post))
        }));
        let presence: Guard = Arc::new(|write| {
            let mute = !write.row.harness.capabilities.injected_tools;
            (mute && write.body.contains_key("mcp_servers")).then(|| Fault::at("mcp_servers", "is there"))
        });
        assert!(parts.guards.table.replace("mcp_servers", presence).is_some());
        let dark: Guard =
            Arc::new(|write| (!write.row.harness.runnable).then(|| Fault::at("harness", "is dark")));
        parts.guards.table.append("runnable", dark);
        let refuse = parts.guards.refuse.clone();
        parts.guards.refuse = Arc::new(move |faults| match faults {
            [one] => refuse(std::slice::from_ref(one)),
            _ => Refusal::internal("more than one"),
        });
    })
    .await;
    let team = json!({"multiagent": {"type": "coordinator", "agents": ["agent_2"]}});
    let mute = desk.agent(FUTURE, json!({"harness": "sim-mute"})).await;
    let path = format!("/v1/agents/{mute}");
    assert_eq!(desk.call(FUTURE, "PATCH", &path, Some(team.clone())).await.0, 200);
    let write = |extra: Value| {
        let mut body = json!({"name": "a", "model": "m", "harness": "sim-mute"});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        body
    };
    let empty = json!({"mcp_servers": []});
    assert_eq!(desk.call(FUTURE, "POST", "/v1/agents", Some(write(empty.clone()))).await.0, 400);
    assert_eq!(desk.call(FUTURE, "POST", "/v1/agents", Some(write(team.clone()))).await.0, 400);
    let mut both = team;
    both.as_object_mut().unwrap().extend(empty.as_object().unwrap().clone());
    assert_eq!(desk.call(FUTURE, "POST", "/v1/agents", Some(write(both))).await.0, 500);
    let dark = desk.post("/v1/agents", json!({"name": "a", "model": "m", "harness": "sim-dark"})).await;
    assert_eq!(refusal(&dark), (400, "validation_failed", Some("harness")));
}

#[tokio::test(start_paused = true)]
async fn admission_steps_demands_and_decision() {
    let desk = Desk::edited(|parts| {
        let by_place: Judge = Arc::new(|applicant| {
            let asks = applicant.demands.iter().any(|demand| demand.source == Source::Toolset);
            let sandbox = applicant.row.is_some_and(|row| row.harness.execution == Execution::Sandbox);
            if asks && sandbox { Err(Refusal::invalid("harness", "sandboxes hold nothing")) } else { Ok(()) }
        });
        assert!(parts.admission.steps.replace("approvals", by_place).is_some());
        assert!(parts.admission.steps.decorate("runnable", |judge| {
            Arc::new(move |applicant| judge(applicant).map_err(|_| Refusal::internal("no image")))
        }));
        let demands = parts.admission.demands.clone();
        parts.admission.demands = Arc::new(move |agent, start| {
            let mut found = demands(agent, start);
            found.retain(|demand| demand.capability != Capability::StructuredOutput);
            found
        });
        let (decide, refused) = (parts.admission.decide.clone(), Mutex::new(BTreeSet::new()));
        parts.admission.decide = Arc::new(move |steps, applicant| {
            let mut refused = refused.lock().unwrap();
            if refused.contains(&applicant.agent.id) {
                return Err(Refusal::invalid("harness", "refused once, refused for ever"));
            }
            decide(steps, applicant).inspect_err(|_| {
                refused.insert(applicant.agent.id.clone());
            })
        });
    })
    .await;
    let ask = |base: &str| json!({"harness": base, "tools": {"permission": "ask"}});
    for (body, status) in
        [(ask("sim-iso-noask"), 201), (ask("pi"), 400), (json!({"harness": "sim-dark"}), 500)]
    {
        let agent = desk.agent(ADA, body.clone()).await;
        let start = json!({"agent": agent, "structured_output_required": true});
        assert_eq!(desk.post("/v1/sessions", start.clone()).await.0, status, "{body}");
        let again = if status == 201 { 201 } else { 400 };
        desk.call(ADA, "PATCH", &format!("/v1/agents/{agent}"), Some(json!({"harness": "vetta"}))).await;
        assert_eq!(desk.post("/v1/sessions", start).await.0, again, "{body}");
    }
    let cli = desk.agent(ADA, json!({"harness": "sim-cli"})).await;
    assert_eq!(
        desk.post("/v1/sessions", json!({"agent": cli, "structured_output_required": true})).await.0,
        201
    );
}

#[tokio::test(start_paused = true)]
async fn sessions_serve_open_take_messages_and_show() {
    let desk = Desk::edited(|parts| {
        parts.sessions.serving = Arc::new(|applicant| applicant.caller.environment.row("pi").cloned());
        parts.sessions.open = Arc::new(|opening| {
            let admitted = (opening.admit)();
            let mut session = (opening.draft)()?;
            if admitted.is_err() {
                session.status = SessionStatus::Failed;
            }
            (opening.keep)(session.clone());
            admitted.map(|()| session)
        });
        let takes = parts.sessions.takes_message.clone();
        parts.sessions.takes_message = Arc::new(move |session| {
            if session.agent.config.name == "late" {
                return Err(Refusal::invalid("harness", "too late"));
            }
            takes(session)
        });
        let render = parts.sessions.render.clone();
        parts.sessions.render = Arc::new(move |session| {
            let mut shown = render(session);
            shown["later"] = json!(true);
            shown
        });
    })
    .await;
    let dark = desk.agent(ADA, json!({"harness": "sim-dark"})).await;
    assert_eq!(desk.post("/v1/sessions", json!({"agent": dark})).await.0, 501);
    let (_, list) = desk.get("/v1/sessions").await;
    assert_eq!((&list["data"][0]["status"], &list["data"][0]["later"]), (&json!("failed"), &json!(true)));
    let late = desk.agent(ADA, json!({"name": "late", "harness": "sim-cli"})).await;
    let (_, session) = desk.post("/v1/sessions", json!({"agent": late})).await;
    assert_eq!(session["agent"]["harness"], "pi");
    let path = format!("/v1/sessions/{}/messages", session["id"].as_str().unwrap());
    assert_eq!(refusal(&desk.post(&path, json!({"content": "hi"})).await).2, Some("harness"));
}

#[tokio::test(start_paused = true)]
async fn events_open_render_and_resume() {
    let desk = Desk::edited(|parts| {
        parts.events.open = Arc::new(|session| {
            let streams = session.row.harness.capabilities.streaming_deltas;
            if streams { Ok(()) } else { Err(Refusal::malformed("no deltas, no stream")) }
        });
        let render = parts.events.render.clone();
        parts.events.render = Arc::new(move |event, delivery| {
            let hidden = delivery == Delivery::Listed && event.kind == "turn.completed";
            if hidden { None } else { render(event, delivery) }
        });
        parts.events.resume = Arc::new(|events, _| events.len());
    })
    .await;
    let cli = desk.session("sim-cli", json!({})).await;
    assert_eq!(desk.stream(&cli, None).await.open.status, 400);
    let session = desk.session("pi", json!({})).await;
    let mut feed = desk.stream(&session, None).await;
    desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "hi"})).await;
    let streamed = feed.until("session.status").await;
    assert_eq!(types(&streamed)[0], "turn.started", "the stream begins where it was opened");
    assert!(types(&streamed).contains(&"turn.completed"));
    assert!(!types(&desk.events(&session).await).contains(&"turn.completed"));
}

#[tokio::test(start_paused = true)]
async fn turns_are_wrapped_offered_and_settled() {
    let desk = Desk::edited(|parts| {
        parts.turns.wraps.push(Arc::new(|_| {
            Arc::new(Scripted::new(|_| Ok(vetta::Answer { text: "Wrapped.".into(), structured: None })))
        }));
        parts.turns.streams = Arc::new(|_| false);
        let settle = parts.turns.settle.clone();
        parts.turns.settle = Arc::new(move |session, outcome| {
            let mut settled = settle(session, outcome);
            settled.failure = None;
            settled
        });
    })
    .await;
    let session = desk.session("vetta", json!({"structured_output_required": true})).await;
    desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "hi"})).await;
    let events = desk.stream(&session, None).await.until("session.status").await;
    assert_eq!(types(&events)[2..], ["message.completed", "turn.completed", "session.status"]);
    assert_eq!(events[2]["message"]["text"], "Wrapped.");
}

#[tokio::test(start_paused = true)]
async fn paging_errors_and_models() {
    let desk = Desk::edited(|parts| {
        let envelope = parts.paging.envelope.clone();
        parts.paging.envelope = Arc::new(move |data, next| {
            let mut page = envelope(data, next.clone().or(Some("again".to_owned())));
            page["next_cursor"] = json!(next.unwrap_or("again".to_owned()));
            page
        });
        parts.paging.limit_default = 1;
        let error = parts.http.error.clone();
        parts.http.error = Arc::new(move |refusal, request_id| {
            let mut envelope = error(refusal, request_id);
            envelope["error"]["param"] = Value::Null;
            envelope
        });
        let render = parts.models.render.clone();
        parts.models.render = Arc::new(move |model| {
            let mut shown = render(model);
            shown["label"] = json!("?");
            shown
        });
    })
    .await;
    let (_, page) = desk.get("/v1/models").await;
    assert_eq!((page["data"].as_array().unwrap().len(), &page["data"][0]["label"]), (1, &json!("?")));
    assert_eq!(desk.get("/v1/agents").await.1["has_more"], true);
    assert_eq!(refusal(&desk.get("/v1/harnesses/x").await).2, None);
}

#[tokio::test(start_paused = true)]
async fn an_empty_keyring_lets_nobody_in() {
    let desk = Desk::open(Parts::default(), Arc::new(Scripted::echo())).await;
    assert_eq!(desk.get("/v1/harnesses").await.0, 401);
}
