//! What fuzzing feeds: whole readers as functions of bytes. Each says what is wrong with what they made of
//! them; a panic is wrong in any case. This is for the tests of this room and nothing to build on.

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use wire::Seed;

use crate::{
    fault,
    headers::Headers,
    matching::differences,
    rejection::Rejection,
    reply::Reply,
    request::{Asked, ModelRequest},
    script::{Script, WireName, event_names, template},
    state::Mint,
    wires::{Wire, wire},
};

/// Names of the targets.
pub const TARGETS: [&str; 5] = ["script", "template", "chat", "responses", "messages"];

/// Runs a target on an input. Says whether the input was taken; `Err` says which promise was broken.
pub fn run(target: &str, bytes: &[u8]) -> Result<bool, String> {
    match target {
        "script" => script(bytes),
        "template" => template(bytes),
        "chat" => request(wire(WireName::Chat), bytes),
        "responses" => request(wire(WireName::Responses), bytes),
        "messages" => request(wire(WireName::Messages), bytes),
        other => Err(format!("there is no target `{other}`; there is {}", TARGETS.join(", "))),
    }
}

fn promise(kept: bool, broken: impl FnOnce() -> String) -> Result<(), String> {
    if kept { Ok(()) } else { Err(broken()) }
}

/// A script that is refused is told about with a place, in one line for each problem; one that is taken is
/// given back as it is, and its first turn answers a request or says why not.
fn script(bytes: &[u8]) -> Result<bool, String> {
    let script = match Script::from_bytes("fuzz", bytes) {
        Ok(script) => script,
        Err(error) => {
            let told = error.to_string();
            let lines = told.lines().count();
            promise(lines == error.problems.len() && lines > 0, || format!("not one line each: {told}"))?;
            let placed = |problem: &crate::script::Problem| problem.position.is_some();
            promise(error.problems.iter().all(placed), || format!("no place: {told}"))?;
            return Ok(false);
        }
    };
    let json = script.to_json();
    let again = Script::from_json(&json).map_err(|error| format!("its JSON is refused: {error}: {json}"))?;
    promise(again == script, || format!("its JSON is another script: {json}"))?;
    let text = json.to_string();
    let again =
        Script::from_yaml("fuzz", &text).map_err(|error| format!("its text is refused: {error}: {text}"))?;
    promise(again == script, || format!("its text is another script: {text}"))?;
    for place in 0..script.turn_count().min(3) {
        for asked in ASKED.iter() {
            let turn = script.turn(place);
            let _ = differences(&turn.when, asked);
            let Ok(reply) = Reply::of(&script, place, 7, &MINT, asked) else { continue };
            let spoken = WireName::ALL.into_iter().find(|name| name.word() == asked.request.wire);
            let Some(spoken) = spoken.map(wire) else { continue };
            answers(spoken, reply, asked, &script, place)?;
        }
    }
    Ok(true)
}

/// A template is refused when it is read, or is filled in, or says why it cannot be; the same each time.
fn template(bytes: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    if template::check(text).is_err() {
        return Ok(false);
    }
    for asked in ASKED.iter() {
        let fill = || template::Quotes::of(&asked.request, &asked.body).fill(text);
        let filled = fill();
        promise(filled == fill(), || format!("filled in another way: {text}"))?;
        if let Err(why) = filled {
            promise(!why.is_empty(), || format!("no reason: {text}"))?;
        }
    }
    Ok(true)
}

/// A request is refused in the words of its wire, or read into the same form each time, and every answer to
/// it is what its wire says.
fn request(wire: &'static dyn Wire, bytes: &[u8]) -> Result<bool, String> {
    let body: Value = match serde_json::from_slice(bytes) {
        Ok(body) => body,
        Err(error) => return refused(wire, &Rejection::not_json(&error)).map(|()| false),
    };
    let understood = match wire.read(&body) {
        Ok(understood) => understood,
        Err(rejection) => return refused(wire, &rejection).map(|()| false),
    };
    for complaint in &understood.complaints {
        refused(wire, complaint)?;
    }
    let request = understood.request;
    promise(request.wire == wire.name().word(), || format!("read on the wire {}", request.wire))?;
    let json = serde_json::to_value(&request).map_err(|error| error.to_string())?;
    let again: ModelRequest =
        serde_json::from_value(json).map_err(|error| format!("cannot be told: {error}"))?;
    promise(again == request, || "told and read it is another request".to_owned())?;
    promise(again.identity() == request.identity(), || {
        "told and read it is another conversation".to_owned()
    })?;
    let once_more = wire.read(&body).map_err(|rejection| rejection.message)?;
    promise(once_more.request == request, || "read again it is another request".to_owned())?;

    let headers = Headers::of(&http::HeaderMap::new());
    let is_sound = understood.complaints.is_empty();
    let asked = Asked { request, body, headers, complaints: understood.complaints };
    let _ = crate::count::tokens_of(&asked.request);
    let _ = differences(&ANSWERS.turn(0).when, &asked);
    // One answer for each request, whichever, is enough when there are many requests.
    let place = bytes.len() % ANSWERS.turn_count();
    match Reply::of(&ANSWERS, place, asked.request.identity(), &MINT, &asked) {
        Ok(reply) => answers(wire, reply, &asked, &ANSWERS, place)?,
        Err(why) => promise(!why.is_empty(), || "no reason".to_owned())?,
    }
    Ok(is_sound)
}

/// A refusal has a status that clients know, and says something.
fn refused(wire: &dyn Wire, rejection: &Rejection) -> Result<(), String> {
    promise((400..500).contains(&rejection.status), || format!("status {}", rejection.status))?;
    promise(!rejection.message.is_empty(), || "a refusal without words".to_owned())?;
    let told = wire.error(rejection, "req_1");
    let message = told["error"]["message"].as_str();
    promise(message == Some(&rejection.message), || format!("another message: {told}"))
}

/// Every answer is JSON, whole and as events, and every event has a name that scripts can give it.
fn answers(
    wire: &dyn Wire,
    reply: Reply,
    asked: &Asked,
    script: &Script,
    place: usize,
) -> Result<(), String> {
    let whole = wire.whole(&reply, asked);
    serde_json::from_str::<Value>(&whole)
        .map_err(|error| format!("an answer that is no JSON: {error}: {whole}"))?;
    let reply = Arc::new(reply);
    let mut count = 0;
    for event in wire.events(&reply, asked) {
        count += 1;
        let known = event_names().contains(&event.name);
        promise(known, || format!("an event that no script can name: {}", event.name))?;
        let is_json = event.data == "[DONE]" || serde_json::from_str::<Value>(&event.data).is_ok();
        promise(is_json && !event.data.contains('\n'), || {
            format!("an event that is no JSON: {}", event.data)
        })?;
    }
    promise(count > 0, || "no event at all".to_owned())?;
    let faults: Vec<_> = script.faults().iter().chain(&script.turn(place).faults).collect();
    // One of them for each answer, whichever, is enough when there are many answers.
    let any = faults.get((whole.len() + place) % faults.len().max(1));
    for (name, wrong) in any.into_iter().flat_map(|fault| fault.wrongs()) {
        if name == "oversized" {
            continue;
        }
        let mut broken = Reply::clone(&reply);
        fault::break_reply(&mut broken, &wrong);
        let _ = fault::whole(wire.whole(&broken, asked), Some(&wrong)).len();
        let _ = fault::frames(wire, &Arc::new(broken), asked, Some(&wrong)).count();
    }
    Ok(())
}

static MINT: LazyLock<Mint> = LazyLock::new(|| Mint { seed: Seed::of_run(7), created: 1_767_603_600 });

/// What requests are answered: everything that there is to say, in turns.
static ANSWERS: LazyLock<Script> = LazyLock::new(|| {
    Script::from_yaml("answers", include_str!("fuzzing.yaml")).unwrap_or_else(|error| panic!("{error}"))
});

/// What scripts are asked: one request of each wire.
static ASKED: LazyLock<Vec<Asked>> = LazyLock::new(|| {
    let told = r#"{"model": "m", "temperature": 0, "stream": true, "max_tokens": 9, "system": "s",
        "input": "hi", "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "name": "t", "function": {"name": "t"}, "input_schema": {"type": "object"}}]}"#;
    let body: Value = serde_json::from_str(told).unwrap_or_default();
    let headers = Headers::of(&http::HeaderMap::new());
    let asked = WireName::ALL.map(|name| {
        let request = wire(name).read(&body).map(|understood| understood.request).unwrap_or_default();
        Asked { request, body: body.clone(), headers: headers.clone(), complaints: Vec::new() }
    });
    asked.into()
});
