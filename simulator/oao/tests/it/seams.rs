//! Every kind of edit that a wrong service is made of can be made from outside.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use agent::{Message, ToolOutcome, habits::Settled};
use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, join, join_all},
    stream::FuturesUnordered,
};
use proofhouse_oao::{
    Parts, Version, Versions,
    errors::Refusal,
    http::{Reply, Route},
    operations::Next,
    publication::Verdict,
};
use serde_json::{Map, Value, json};
use wire::Clock;

use crate::{
    model::{Script, call, finish, text},
    world::{SANDBOX_TOOLS, World, config, operation, path},
};

/// Runs an edit of the parts against a configuration and gives the status of the publication.
async fn status(edit: fn(&mut Parts), config: &Value) -> u16 {
    let mut parts = Parts::default();
    edit(&mut parts);
    World::of(parts, None).await.publish(config).await.status
}

fn with(field: &str, value: Value) -> Value {
    let mut operation = operation("a");
    operation[field] = value;
    config(&[operation])
}

/// One more result for a call.
fn draft(call_id: String) -> Message {
    Message::Tool { call_id, content: "draft".into(), is_error: false }
}

#[tokio::test(start_paused = true)]
async fn rules_of_publication() {
    type Change = fn(&mut Parts);
    let cases: [(Change, Value, u16); 12] = [
        (
            |parts| parts.definition.count.max = 31,
            config(&(0..32).map(|at| operation(&format!("o{at}"))).collect::<Vec<_>>()),
            400,
        ),
        (|parts| parts.definition.count.min = 1, config(&[]), 400),
        (
            |parts| parts.definition.key_form = |key| key.contains(char::is_lowercase),
            with("key", json!("1a")),
            201,
        ),
        (|parts| parts.definition.key.range.max = u64::MAX, with("key", json!("k".repeat(65))), 201),
        (
            |parts| parts.definition.description.units = |text| text.len() as u64,
            with("description", json!("é".repeat(1001))),
            400,
        ),
        (|parts| parts.definition.fields.push("model".into()), with("model", json!("x")), 201),
        (
            |parts| parts.definition.names.compares = |one, other| one != other,
            config(&[operation("a"), operation("a")]),
            201,
        ),
        (|parts| parts.definition.names.reserved.clear(), with("key", json!("read")), 201),
        (
            |parts| parts.definition.timeout_ms.read = |value| value.as_str()?.parse().ok(),
            with("timeoutMs", json!("5000")),
            201,
        ),
        (
            |parts| parts.definition.result_schema.limits.bytes_max = 10,
            with("resultSchema", json!({"type": "object"})),
            400,
        ),
        (
            |parts| {
                parts.publication.steps.prepend(
                    "fill",
                    Arc::new(|_, config| {
                        config["harnessOperations"][0]["key"] = json!("filled");
                        Ok(())
                    }),
                )
            },
            with("key", json!("")),
            201,
        ),
        (
            |parts| {
                parts.publication.steps.insert_before(
                    "reserved-names",
                    "no-skill-mentioned",
                    Arc::new(|_, _| Err(Refusal::bad_request("no"))),
                );
            },
            config(&[]),
            400,
        ),
    ];
    for (index, (edit, config, expected)) in cases.into_iter().enumerate() {
        assert_eq!(status(edit, &config).await, expected, "case {index}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_publication_can_leave_something_behind() {
    let mut parts = Parts::default();
    parts.publication.judge = Arc::new(|publication, view, config: Map<String, Value>| {
        let mut whole = config.clone();
        let refuse = publication.run_steps(view, &mut whole).err();
        let mut part = config;
        if refuse.is_some() {
            part.insert("harnessOperations".into(), json!([]));
        }
        Verdict { publish: Some(part), refuse }
    });
    let world = World::of(parts, None).await;
    world.publish(&with("key", json!("A"))).await.refused(400, "bad_request");
    assert_eq!(world.get(&path("agents")).await.expect(200)["data"].as_array().unwrap().len(), 1);
}

/// Keeps the configuration of an agent once, for all its versions.
struct InPlace(Box<dyn Versions>);

impl InPlace {
    fn latest(&self, mut version: Version) -> Version {
        if let Some(latest) = self.0.of_agent(&version.agent_id).pop() {
            version.config = latest.config;
        }
        version
    }
}

impl Versions for InPlace {
    fn publish(&mut self, version: Version) -> Result<Version, Refusal> {
        self.0.publish(version)
    }
    fn get(&self, id: &str) -> Option<Version> {
        self.0.get(id).map(|version| self.latest(version))
    }
    fn of_agent(&self, agent_id: &str) -> Vec<Version> {
        self.0.of_agent(agent_id).into_iter().map(|version| self.latest(version)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn the_store_of_versions_and_the_routes_and_answers() {
    let mut parts = Parts::default();
    parts.versions.decorators.push(Arc::new(|store| Box::new(InPlace(store))));
    parts.front.routes.push(
        Route::post(
            "/v1/projects/{p}/agents/{a}/versions/{v}",
            |_| vec!["agent:write"],
            Arc::new(|_, _| Ok(Box::new(|_, call| Ok(Reply::json(200, json!({"wrote": call.param("v")})))))),
        )
        .method("PUT"),
    );
    parts.front.rewrites.push(Arc::new(|_, reply| {
        if let Some(body) = reply.json_mut().and_then(Value::as_object_mut)
            && let Some(hash) = body.remove("contentHash")
        {
            body.insert("content_hash".into(), hash);
        }
    }));
    let world = World::of(parts, None).await;
    let agent = world.publish(&config(&[operation("a")])).await.expect(201);
    let versions = path(&format!("agents/{}/versions", agent["id"].as_str().unwrap()));
    world.post(&versions, &config(&[])).await.expect(201);
    let at = format!("{versions}/{}", agent["latestVersionId"].as_str().unwrap());
    let first = world.get(&at).await.expect(200);
    assert_eq!(first["config"]["harnessOperations"], json!([]));
    assert!(first.get("content_hash").is_some());
    world.ask(&world.write("PUT", &at, &json!({}))).await.expect(200);
}

fn two_calls() -> Script {
    Box::new(|asked| match (&asked.operation, asked.turn) {
        (Some(key), _) => finish("i", key).after(if key == "a" { 2000 } else { 1000 }),
        (None, 0) => call(&[("c1", "a", json!({"task": "1"})), ("c2", "b", json!({"task": "2"}))]),
        (None, _) => text("done"),
    })
}

async fn results(edit: impl Fn(&mut Parts)) -> (World, Vec<(String, String)>) {
    let mut parts = Parts::default();
    edit(&mut parts);
    let world = World::of(parts, Some(two_calls())).await;
    let agent = world.publish(&config(&[operation("a"), operation("b")])).await.expect(201);
    world.session(&agent, "x").await;
    let asked = world.model.as_ref().unwrap().parent();
    let results = asked
        .last()
        .unwrap()
        .tool_results()
        .into_iter()
        .map(|(id, text)| (id.to_owned(), text.to_owned()))
        .collect();
    (world, results)
}

async fn until_the_first_failure(work: Vec<BoxFuture<'static, Settled>>) -> Vec<Settled> {
    let mut settled: Vec<Option<Settled>> = work.iter().map(|_| None).collect();
    let numbered = work.into_iter().enumerate().map(|(at, one)| one.map(move |one| (at, one)));
    let mut running: FuturesUnordered<_> = numbered.collect();
    while let Some((at, one)) = running.next().await {
        let failed = one.outcome.is_error();
        settled[at] = Some(one);
        if failed {
            break;
        }
    }
    let lost = || Settled { outcome: ToolOutcome::aborted(), took: Duration::ZERO };
    settled.into_iter().map(|one| one.unwrap_or_else(lost)).collect()
}

#[tokio::test(start_paused = true)]
async fn the_batch_of_the_parent() {
    // One after the other.
    let (world, _) = results(|parts| {
        parts.runs.habits.batch = Arc::new(|work| {
            async move {
                let mut settled = Vec::new();
                for one in work {
                    settled.push(one.await);
                }
                settled
            }
            .boxed()
        });
    })
    .await;
    let times = world.model.as_ref().unwrap().times_ms();
    assert_eq!(times[2] - times[1], 2000);

    // In the order of completion.
    let (_, crossed) = results(|parts| {
        parts.runs.habits.batch = Arc::new(|work| {
            work.into_iter().collect::<FuturesUnordered<_>>().collect::<Vec<Settled>>().boxed()
        });
    })
    .await;
    assert!(crossed[0].1.contains("\"b\"") && crossed[1].1.contains("\"a\""));

    // The first failure takes the others with it.
    let (_, failed) = results(|parts| {
        let orderly = parts.operations.mechanism.after_turn.clone();
        parts.operations.mechanism.after_turn =
            Arc::new(move |view| match view.invocation.operation.key.as_str() {
                "b" => Next::End(ToolOutcome::failed("Error", "b failed")),
                _ => orderly(view),
            });
        parts.runs.habits.batch = Arc::new(|work| until_the_first_failure(work).boxed());
    })
    .await;
    assert!(failed[0].1.contains("aborted") && failed[1].1.contains("b failed"));

    // More than one message per call.
    let (_, twice) = results(|parts| {
        let orderly = parts.runs.habits.hand_back.clone();
        parts.runs.habits.hand_back = Arc::new(move |calls, settled| {
            let mut messages = orderly(calls, settled);
            messages.push(draft(calls[0].id.clone()));
            messages
        });
    })
    .await;
    assert_eq!(twice.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn mounting_and_calling() {
    let (world, _) = results(|parts| parts.mounting.operation_tools = Arc::new(|_, _| Vec::new())).await;
    assert_eq!(world.model.as_ref().unwrap().parent()[0].tool_names(), SANDBOX_TOOLS);

    let (world, _) = results(|parts| {
        parts.operations.input_schema =
            |_| json!({"type": "object", "properties": {"prompt": {"type": "string"}}});
        parts.operations.prompt =
            Arc::new(|operation, _, _| format!("Execute the Harness Operation \"{}\"", operation.key));
    })
    .await;
    assert!(world.model.as_ref().unwrap().parent()[0].body.to_string().contains("\"prompt\""));
    assert!(!world.model.as_ref().unwrap().inner()[0].body.to_string().contains("## Task"));

    // A scratch loop that ends after its first turn, whatever it was.
    let (world, ended) = results(|parts| {
        parts.operations.mechanism.after_turn =
            Arc::new(|view| Next::End(ToolOutcome::Done(view.turn.text.clone())));
    })
    .await;
    assert!(ended[0].1.contains("the result is no JSON"), "{}", ended[0].1);
    assert_eq!(world.model.as_ref().unwrap().inner().len(), 2);

    // The same, and nobody looks at what comes out.
    let (_, unjudged) = results(|parts| {
        parts.operations.mechanism.after_turn =
            Arc::new(|view| Next::End(ToolOutcome::Done(view.turn.text.clone())));
        parts.operations.mechanism.boundary = Arc::new(|_, _, outcome| outcome);
    })
    .await;
    assert_eq!(unjudged[0].1, "");
}

#[tokio::test(start_paused = true)]
async fn an_inner_turn_can_be_made_to_overlap_its_tools() {
    let (world, _) = results(|parts| {
        parts.operations.habits.batch = Arc::new(|work| {
            async move {
                let early = work
                    .iter()
                    .map(|_| Settled { outcome: ToolOutcome::Done("soon".into()), took: Duration::ZERO });
                let early = early.collect();
                tokio::spawn(join_all(work));
                early
            }
            .boxed()
        });
    })
    .await;
    assert!(world.model.as_ref().unwrap().inner().len() >= 2);
}

#[tokio::test(start_paused = true)]
async fn interim_results_can_be_collected_and_posted() {
    let drafts: Arc<Mutex<Vec<String>>> = Arc::default();
    let (_, posted) = results(|parts| {
        let (judge, hand_back) =
            (parts.operations.mechanism.finish.clone(), parts.runs.habits.hand_back.clone());
        let (seen, shown) = (drafts.clone(), drafts.clone());
        parts.operations.mechanism.finish = Arc::new(move |call| {
            seen.lock().unwrap().push(call.invocation.tool_call_id.clone());
            judge(call)
        });
        parts.runs.habits.hand_back = Arc::new(move |calls, settled| {
            let drafts = shown.lock().unwrap().clone();
            drafts.into_iter().map(draft).chain(hand_back(calls, settled)).collect()
        });
    })
    .await;
    assert_eq!(posted.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn events_can_be_dropped_doubled_and_made_to_say_too_much() {
    let (world, _) = results(|parts| {
        parts.events.payloads.started = Arc::new(|invocation| json!({"task": invocation.task}));
        parts.events.taps.push(Arc::new(|mut draft| {
            if draft.kind == "harness.operation_step" {
                return Vec::new();
            }
            let twin = draft.clone();
            draft.id = None;
            if draft.kind == "harness.operation_completed" { vec![twin, draft] } else { vec![twin] }
        }));
    })
    .await;
    let rows = world.events_of("harness.").await;
    assert_eq!(rows.len(), 2 + 4);
    assert_eq!(rows[0]["publicPayload"], json!({"task": "1"}));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passes_while_a_cancelled_run_drains_wins() {
    for (limit_ms, expected) in [(3_000, "timed_out"), (60_000, "cancelled")] {
        let mut parts = Parts::default();
        // Whatever is called off takes its time.
        parts.runs.habits.abort = Arc::new(|cancel, call| {
            let drained = async move {
                cancel.cancelled().await;
                Clock::virtual_time().pause(Duration::from_secs(5)).await;
                ToolOutcome::aborted()
            };
            join(drained, call).map(|(outcome, _)| outcome).boxed()
        });
        let script: Script = Box::new(|asked| match &asked.operation {
            Some(_) => finish("i", "x").after(90_000),
            None => call(&[("c1", "a", json!({"task": "t"}))]),
        });
        let world = World::of(parts, Some(script)).await;
        let mut config = config(&[operation("a")]);
        config["limits"]["timeoutMs"] = json!(limit_ms);
        let agent = world.publish(&config).await.expect(201);
        let body = json!({"agentId": agent["id"], "initialMessage": "x"});
        let session = world.post(&path("sessions"), &body).await.expect(201);
        let run_id = session["latestRunId"].as_str().unwrap();
        world.clock.pause(Duration::from_secs(1)).await;
        let cancel = world.request("POST", &path(&format!("runs/{run_id}/cancel")));
        world.ask(&cancel.header("idempotency-key", "c")).await.expect(202);
        assert_eq!(world.settled(run_id).await["state"], expected);
        let ended = world.events_of("harness.operation_cancelled").await;
        assert_eq!(ended.len(), 1, "{expected}");
    }
}
