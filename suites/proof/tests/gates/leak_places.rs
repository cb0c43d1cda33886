//! Where a leak may show, for each of the checks that hunt.

use recording::{Answer, Body, Reception, Recording, What};
use serde_json::{Value, json};

/// Writes a leak into a recording; false where the place is not there.
pub(crate) type Plant = fn(&mut Recording, &str) -> bool;
type Places = &'static [(&'static str, Plant)];

/// The checks, each with the places that it hunts through.
pub(crate) const ALL: [(&str, Places); 4] =
    [("OAO-300-a", STREAM), ("OAO-300-c", PUSHES), ("OAO-300-d", CALLERS), ("OAO-300-e", CONSOLE)];

const STREAM: Places = &[
    ("a value of an event", in_event),
    ("a name in an event", |recording, leak| {
        step(recording, |data| data["publicPayload"][leak] = json!(true))
    }),
    ("a summary", |recording, leak| {
        step(recording, |data| data["publicPayload"]["summary"] = json!([{"text": leak}]))
    }),
    ("two events, half in each", |recording, leak| {
        let mut halves = halves(leak).into_iter();
        let mut events = 0;
        for entry in &mut recording.entries {
            if let What::Event { data, .. } = &mut entry.what
                && let Some(half) = halves.next()
            {
                data["publicPayload"]["piece"] = json!(half);
                events += 1;
            }
        }
        events == 2
    }),
    ("a header", in_header),
];

const PUSHES: Places = &[
    ("a value of an event", |recording, leak| {
        pushed(recording, |body| body["data"]["events"][0]["publicPayload"]["note"] = json!(leak))
    }),
    ("a name in an event", |recording, leak| {
        pushed(recording, |body| body["data"]["events"][0]["publicPayload"][leak] = json!(true))
    }),
    ("two events, half in each", |recording, leak| {
        let [one, other] = halves(leak);
        pushed(recording, |body| {
            body["data"]["events"][0]["publicPayload"]["piece"] = json!(one);
            body["data"]["events"][1]["publicPayload"]["piece"] = json!(other);
        })
    }),
    ("the words around the events", |recording, leak| pushed(recording, |body| body["title"] = json!(leak))),
    ("a header", |recording, leak| push(recording, |push| push["headers"]["x-debug"] = json!(leak))),
];

const CALLERS: Places = &[
    ("a value of an event of the run", in_event),
    ("a value of an event of the call", |recording, leak| {
        event(
            recording,
            |label, _| label == "call events",
            |data| data["publicPayload"]["note"] = json!(leak),
        )
    }),
    ("a name in an event of the call", |recording, leak| {
        event(recording, |label, _| label == "call events", |data| data["publicPayload"][leak] = json!(1))
    }),
    ("a header", in_header),
    ("a step that a console shows", in_shown_step),
];

const CONSOLE: Places = &[
    ("a member of a modal", |recording, leak| {
        view(recording, |view| view["modals"][0]["note"] = json!(leak))
    }),
    ("a step of a modal", in_shown_step),
    ("the summary of a row", |recording, leak| {
        view(recording, |view| {
            let rows = view["rows"].as_array_mut().into_iter().flatten();
            for row in rows.filter(|row| row["kind"] == "invocation").take(1) {
                row["summary"] = json!(leak);
            }
        })
    }),
    ("a bar", |recording, leak| view(recording, |view| view["timeline"][0]["note"] = json!(leak))),
];

fn halves(leak: &str) -> [&str; 2] {
    let half = leak.char_indices().nth(leak.chars().count() / 2).map_or(0, |(at, _)| at);
    [&leak[..half], &leak[half..]]
}

fn in_event(recording: &mut Recording, leak: &str) -> bool {
    step(recording, |data| data["publicPayload"]["note"] = json!(leak))
}

fn in_shown_step(recording: &mut Recording, leak: &str) -> bool {
    view(recording, |view| view["modals"][0]["steps"][0]["summary"] = json!(leak))
}

fn in_header(recording: &mut Recording, leak: &str) -> bool {
    let public = answers(recording, "public").into_iter().next();
    public.map(|answer| answer.headers.push(("x-debug".to_owned(), leak.to_owned()))).is_some()
}

/// Changes the first step of an operation in the stream.
fn step(recording: &mut Recording, change: impl FnOnce(&mut Value)) -> bool {
    event(recording, |_, data| data["kind"] == "harness.operation_step", change)
}

/// Changes the first event that is `wanted`, by its label and its data.
fn event(
    recording: &mut Recording,
    wanted: impl Fn(&str, &Value) -> bool,
    change: impl FnOnce(&mut Value),
) -> bool {
    let mut events = recording.entries.iter_mut().filter_map(|entry| match &mut entry.what {
        What::Event { data, .. } if wanted(&entry.label, data) => Some(data),
        _ => None,
    });
    events.next().map(change).is_some()
}

/// Changes the first push.
fn push(recording: &mut Recording, change: impl FnOnce(&mut Value)) -> bool {
    let mut pushes = recording.entries.iter_mut().filter_map(|entry| match &mut entry.what {
        What::Fact(push) if entry.label == "push" => Some(push),
        _ => None,
    });
    pushes.next().map(change).is_some()
}

/// Changes the body of the first push.
fn pushed(recording: &mut Recording, change: impl FnOnce(&mut Value)) -> bool {
    push(recording, |push| {
        let mut body: Value = serde_json::from_str(push["body"].as_str().unwrap()).unwrap();
        change(&mut body);
        push["body"] = json!(body.to_string());
    })
}

/// Changes what a console shows, as it was read last.
fn view(recording: &mut Recording, change: impl FnOnce(&mut Value)) -> bool {
    let read = answers(recording, "view").pop().and_then(|answer| answer.body.clone());
    let Some(text) = read.and_then(|name| recording.bodies.get(&name)?.text().map(str::to_owned)) else {
        return false;
    };
    let mut body: Value = serde_json::from_str(&text).unwrap();
    change(&mut body);
    let name = recording.bodies.put(Body::new(body.to_string().as_bytes()));
    answers(recording, "view").pop().map(|answer| answer.body = Some(name)).is_some()
}

fn answers<'a>(recording: &'a mut Recording, label: &str) -> Vec<&'a mut Answer> {
    let answer = recording.entries.iter_mut().filter_map(|entry| match &mut entry.what {
        What::Exchange(exchange) if entry.label == label => match &mut exchange.outcome {
            Reception::Answered(answer) => Some(answer),
            Reception::Failed { .. } => None,
        },
        _ => None,
    });
    answer.collect()
}
