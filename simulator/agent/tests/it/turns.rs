use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, join_all},
};
use proofhouse_agent::{
    Budget, CallContext, Cancel, Habits, Journal, Loop, Message, ModelClient, ModelError, Observer, Reason,
    Tool, ToolCall, ToolEnded, ToolOutcome, ToolStarted, TurnEnded, TurnError, Workspace, habits::Settled,
    tools::Read,
};
use serde_json::{Value, json};
use wire::{Clock, Ids, Net, Seed};

use crate::canned::{Answer, calls, says, serve};

/// Waits for the milliseconds in its arguments and says so.
struct Wait(Clock);

impl Tool for Wait {
    fn name(&self) -> &str {
        "wait"
    }
    fn description(&self) -> &str {
        "waits"
    }
    fn parameters(&self) -> Value {
        json!({"type": "object"})
    }
    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let ms = arguments["ms"].as_u64().unwrap_or(0);
        let pause = self.0.pause(Duration::from_millis(ms));
        async move {
            pause.await;
            ToolOutcome::Done(format!("waited {ms}"))
        }
        .boxed()
    }
}

/// Writes down what it sees.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn turn_ended(&self, turn: &TurnEnded<'_>) {
        let answer = turn.answer.map(|answer| answer.usage.output).map_err(ToString::to_string);
        self.0.lock().unwrap().push(format!("turn {answer:?} {} ms", turn.took.as_millis()));
    }
    fn tool_started(&self, tool: &ToolStarted<'_>) {
        self.0.lock().unwrap().push(format!("start {}", tool.call.id));
    }
    fn tool_ended(&self, tool: &ToolEnded) {
        self.0.lock().unwrap().push(format!("end {} {} ms", tool.call.id, tool.took.as_millis()));
    }
    fn batch_ended(&self, tools: &[ToolEnded]) {
        let ids: Vec<_> = tools.iter().map(|tool| tool.call.id.as_str()).collect();
        self.0.lock().unwrap().push(format!("batch {}", ids.join(" ")));
    }
}

struct World {
    agent: Loop,
    notes: Arc<Notes>,
    seen: Arc<Mutex<Vec<Value>>>,
    files: Workspace,
}

async fn world(answers: Vec<Answer>) -> World {
    let (net, clock, ids) = (Net::memory(), Clock::virtual_time(), Ids::new(Seed::of_run(7)));
    let seen = serve(&net, &clock, answers).await;
    let notes = Arc::new(Notes::default());
    let files = Workspace::default();
    let agent = Loop {
        model: ModelClient::new(net, "http://model/v1".parse().unwrap(), "m", ids.clone()),
        tools: vec![Arc::new(Wait(clock.clone())), Arc::new(Read(files.clone()))],
        budget: Budget::of(8),
        cancel: Cancel::default(),
        habits: Habits::default(),
        journal: Arc::new(proofhouse_agent::Unkept),
        observer: notes.clone(),
        clock,
        ids,
    };
    World { agent, notes, seen, files }
}

fn tool_results(conversation: &[Message]) -> Vec<(String, String)> {
    let results = conversation.iter().filter_map(|message| match message {
        Message::Tool { call_id, content, .. } => Some((call_id.clone(), content.clone())),
        _ => None,
    });
    results.collect()
}

#[tokio::test(start_paused = true)]
async fn a_batch_runs_at_once_and_its_results_come_in_call_order() {
    let w = world(vec![
        calls(&[
            ("a", "wait", r#"{"ms":300}"#),
            ("b", "wait", r#"{"ms":100}"#),
            ("c", "read", r#"{"path":"f"}"#),
        ]),
        says("done"),
    ])
    .await;
    w.files.write("f", "text").unwrap();
    let mut conversation = vec![Message::System("s".into()), Message::User("go".into())];
    assert_eq!(w.agent.run(&mut conversation).await.unwrap(), "done");
    let results = tool_results(&conversation);
    let expected = [("a", "waited 300"), ("b", "waited 100"), ("c", "text")];
    assert_eq!(results, expected.map(|(id, text)| (id.to_owned(), text.to_owned())));
    let notes = w.notes.0.lock().unwrap().clone();
    assert_eq!(
        notes,
        [
            "turn Ok(3) 0 ms",
            "start a",
            "start b",
            "start c",
            "end c 0 ms",
            "end b 100 ms",
            "end a 300 ms",
            "batch a b c",
            "turn Ok(3) 0 ms"
        ]
    );
    let second = w.seen.lock().unwrap()[1].clone();
    assert_eq!(second["messages"][2]["tool_calls"][0]["id"], "a");
    assert_eq!(second["messages"][3], json!({"role": "tool", "tool_call_id": "a", "content": "waited 300"}));
    assert_eq!(second["tools"][1]["function"]["name"], "read");
}

#[tokio::test(start_paused = true)]
async fn what_goes_wrong_in_a_call_is_a_result_and_the_loop_goes_on() {
    let w = world(vec![
        calls(&[("a", "nobody", "{}"), ("b", "read", r#"{"path":"#), ("c", "read", r#"{"path":"gone"}"#)]),
        says("done"),
    ])
    .await;
    let mut conversation = vec![Message::User("go".into())];
    assert_eq!(w.agent.run(&mut conversation).await.unwrap(), "done");
    let results = tool_results(&conversation);
    assert!(results[0].1.contains("no tool `nobody`") && results[1].1.contains("no JSON"));
    assert!(results[2].1.contains("no file `gone`"));
}

#[tokio::test(start_paused = true)]
async fn an_abort_ends_every_call_of_the_batch_at_once() {
    let w = world(vec![calls(&[("a", "wait", r#"{"ms":90000}"#), ("b", "wait", r#"{"ms":80000}"#)])]).await;
    let cancel = w.agent.cancel.clone();
    let clock = w.agent.clock.clone();
    let mut conversation = vec![Message::User("go".into())];
    let abort = async {
        clock.pause(Duration::from_millis(500)).await;
        cancel.trigger(Reason::Requested);
    };
    let (end, ()) = tokio::join!(w.agent.run(&mut conversation), abort);
    assert_eq!(end, Err(TurnError::Cancelled(Reason::Requested)));
    assert_eq!(w.agent.clock.elapsed_ms(), 500);
    assert_eq!(w.notes.0.lock().unwrap().last().unwrap(), "batch a b");
}

#[tokio::test(start_paused = true)]
async fn an_abort_in_a_model_turn_leaves_no_turn() {
    let w = world(vec![Answer { after_ms: 60_000, ..says("late") }]).await;
    let cancel = w.agent.cancel.clone();
    let mut conversation = vec![Message::User("go".into())];
    let abort = async { cancel.trigger(Reason::Deadline) };
    let (end, ()) = tokio::join!(w.agent.run(&mut conversation), abort);
    assert_eq!(end, Err(TurnError::Cancelled(Reason::Deadline)));
    assert!(w.notes.0.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_refusing_model_and_a_spent_budget_are_errors() {
    let w = world(vec![Answer { status: 503, ..Answer::default() }]).await;
    let end = w.agent.run(&mut vec![Message::User("go".into())]).await;
    assert_eq!(end, Err(TurnError::Model(ModelError::Status { status: 503, message: "no".into() })));

    let mut w = world(vec![calls(&[("a", "wait", "")]), calls(&[("b", "wait", "")])]).await;
    w.agent.budget = Budget::of(1);
    let end = w.agent.run(&mut vec![Message::User("go".into())]).await;
    assert_eq!(end, Err(TurnError::BudgetSpent));
    assert_eq!(w.seen.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_batch_is_a_seam() {
    let answers =
        || vec![calls(&[("a", "wait", r#"{"ms":300}"#), ("b", "wait", r#"{"ms":100}"#)]), says("done")];
    let mut serial = world(answers()).await;
    serial.agent.habits.batch = Arc::new(|work| {
        async move {
            let mut settled = Vec::new();
            for one in work {
                settled.push(one.await);
            }
            settled
        }
        .boxed()
    });
    serial.agent.run(&mut vec![Message::User("go".into())]).await.unwrap();
    assert_eq!(serial.agent.clock.elapsed_ms(), 400);

    let mut short = world(answers()).await;
    short.agent.habits.batch = Arc::new(|work| {
        async move {
            let mut settled: Vec<Settled> = join_all(work).await;
            settled.truncate(1);
            settled
        }
        .boxed()
    });
    let mut conversation = vec![Message::User("go".into())];
    short.agent.run(&mut conversation).await.unwrap();
    assert_eq!(tool_results(&conversation)[1], ("b".into(), "the call was never settled".into()));
}

/// A journal in memory, which can be asked what it holds.
#[derive(Default)]
struct Kept {
    messages: Mutex<Vec<Message>>,
    ends: Mutex<Vec<(String, Settled)>>,
}

impl Journal for Kept {
    fn append<'a>(&'a self, messages: &'a [Message]) -> BoxFuture<'a, ()> {
        self.messages.lock().unwrap().extend(messages.iter().cloned());
        std::future::ready(()).boxed()
    }

    fn recorded(&self, call: &ToolCall) -> Option<Settled> {
        let ends = self.ends.lock().unwrap();
        ends.iter().find(|(id, _)| *id == call.id).map(|(_, settled)| settled.clone())
    }

    fn record<'a>(&'a self, call: &'a ToolCall, settled: &'a Settled) -> BoxFuture<'a, ()> {
        self.ends.lock().unwrap().push((call.id.clone(), settled.clone()));
        std::future::ready(()).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_what_is_on_record_is_not_done_again() {
    let mut w = world(vec![says("done")]).await;
    w.files.write("b.txt", "from the file").unwrap();
    let call = |id: &str, path: &str| ToolCall {
        id: id.into(),
        name: "read".into(),
        arguments: json!({"path": path}).to_string(),
    };
    let journal = Arc::new(Kept::default());
    let known = Settled { outcome: ToolOutcome::Done("from the record".into()), took: Duration::ZERO };
    journal.ends.lock().unwrap().push(("a".into(), known));
    w.agent.journal = journal.clone();
    let mut conversation = vec![
        Message::User("go".into()),
        Message::Assistant {
            text: String::new(),
            calls: vec![call("a", "a.txt"), call("b", "b.txt")],
            verbatim: None,
        },
    ];
    assert_eq!(w.agent.resume(&mut conversation).await.unwrap(), "done");
    let results = tool_results(&conversation);
    assert_eq!(results, [("a".into(), "from the record".into()), ("b".into(), "from the file".into())]);
    // What is added after the crash is on record, in order, and the one call that ran has one end.
    assert_eq!(journal.messages.lock().unwrap()[..], conversation[2..]);
    let ends: Vec<String> = journal.ends.lock().unwrap().iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(ends, ["a", "b"]);
    // Nothing is said of calls that a crash left open.
    assert!(!w.notes.0.lock().unwrap().iter().any(|line| !line.starts_with("turn")));
}
