//! Talking to a session: messages go in, and what happens is followed to the end of the turn.

use std::time::Duration;

use engine::{Call, Driver, Halt, Listening, Received, Reply};
use model::{Answer, Conditions, Script, ToolCall, Turn, script::Stream};
use recording::{ModelTurn, Seen, Verdict, View};
use serde_json::{Value, json};

use super::{
    environments::Environment,
    listing::entries_of,
    words::{Decision, Words},
};
use crate::percent::encoded;

/// Until a turn must be over.
pub(crate) const OVER: Duration = Duration::from_secs(20);
/// Between two looks at something that has no stream.
const LOOK: Duration = Duration::from_millis(200);
/// How often a session is read until it says that no turn is on.
const LOOKS_MAX: u32 = 20;
/// Entries of a page of events. More than a check makes.
const PAGE: usize = 100;

/// A session that is talked to. What is recorded carries `of`, so that several can stand in one recording.
pub(crate) struct Talk<'a> {
    driver: &'a Driver<'a>,
    credential: String,
    session: String,
    of: String,
    feed: Option<Listening<'a>>,
    polled: usize,
}

impl<'a> Talk<'a> {
    /// Opens the event stream of `session` before anything is said, because a stream need not repeat what
    /// was (open point U24). Its events are recorded as `events{of}`.
    pub(crate) async fn open(environment: &Environment<'a>, session: &str, of: &str) -> Self {
        let driver = environment.driver();
        let credential = environment.credential().to_owned();
        let call = Call::get(events_of(session)).key_named(credential.clone());
        let feed = driver.listen(&format!("events{of}"), call).await.filter(|feed| feed.status() == 200);
        Self { driver, credential, session: session.to_owned(), of: of.to_owned(), feed, polled: 0 }
    }

    /// The hand that asks.
    pub(crate) fn driver(&self) -> &'a Driver<'a> {
        self.driver
    }

    /// The id of the session.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    async fn send(&self, label: &str, call: Call) -> Reply {
        self.driver.send(&format!("{label}{}", self.of), call.key_named(self.credential.clone())).await
    }

    /// Sends a message.
    pub(crate) async fn say(&self, label: &str, message: &str) -> Reply {
        let path = format!("/v1/sessions/{}/messages", encoded(&self.session));
        self.send(label, Call::post(path, &json!({ "content": message }))).await
    }

    /// Sends a message as a step before the one under test.
    pub(crate) async fn need_say(&self, message: &str) -> Result<(), Halt> {
        let reply = self.say("say", message).await;
        if reply.is_success() {
            return Ok(());
        }
        Err(self.driver.setup_failed(&reply, "send a message to a session", "a 2xx answer"))
    }

    /// Reads on until `wanted` says so of an event; `None` when that does not come in time.
    pub(crate) async fn until(&mut self, mut wanted: impl FnMut(&Value) -> bool) -> Option<Value> {
        if let Some(feed) = &mut self.feed {
            let found = feed.until(OVER, |received: &Received| wanted(&received.data)).await;
            return found.map(|received| received.data);
        }
        let clock = self.driver.clock();
        let began = clock.elapsed();
        while clock.elapsed().saturating_sub(began) < OVER {
            let reply = self.list("polled").await;
            let events = reply.json.as_ref().and_then(entries_of).cloned().unwrap_or_default();
            let fresh = events.iter().skip(self.polled);
            for (at, event) in fresh.enumerate() {
                if wanted(event) {
                    self.polled += at + 1;
                    return Some(event.clone());
                }
            }
            self.polled = events.len();
            clock.pause(LOOK).await;
        }
        None
    }

    /// Reads on until the turn is over.
    pub(crate) async fn until_over(&mut self) -> Option<Value> {
        let words = Words(self.driver.facts());
        self.until(|event| words.is_over(event)).await
    }

    /// Reads on until a call waits for a decision; its id.
    pub(crate) async fn until_held(&mut self) -> Option<String> {
        let words = Words(self.driver.facts());
        let found = self.until(|event| words.pending(event).is_some() || words.is_over(event)).await;
        words.pending(&found?).map(str::to_owned)
    }

    /// Answers the held `call`.
    pub(crate) async fn decide(&self, label: &str, call: &str, decision: Decision) -> Result<Reply, Halt> {
        let words = Words(self.driver.facts());
        let Some((path, body)) = words.confirmation(&self.session, call, decision) else {
            let means = "a JSON text in `[settings] confirmation_body`, with `{call}` and `{decision}` in it";
            return Err(self.driver.unmet(means));
        };
        Ok(self.send(label, Call::post(path, &body)).await)
    }

    /// Interrupts the turn.
    pub(crate) async fn interrupt(&self, label: &str) -> Reply {
        let path = format!("/v1/sessions/{}/interrupt", encoded(&self.session));
        self.send(label, Call::post(path, &json!({}))).await
    }

    /// Says `message` and follows the turn to its end.
    pub(crate) async fn turn(&mut self, message: &str) -> Result<(), Halt> {
        self.need_say(message).await?;
        let _ = self.until_over().await;
        Ok(())
    }

    /// Reads the session, as `session{of}`, once it says that no turn is on; the last look counts.
    pub(crate) async fn read(&self, label: &str) -> Reply {
        let path = format!("/v1/sessions/{}", encoded(&self.session));
        for _ in 1..LOOKS_MAX {
            let call = Call::get(&path).key_named(self.credential.clone());
            let reply = self.driver.send(&format!("{label} before{}", self.of), call).await;
            if reply.text("/status") != Some("running") {
                break;
            }
            self.driver.clock().pause(LOOK).await;
        }
        self.send(label, Call::get(path)).await
    }

    async fn list(&self, label: &str) -> Reply {
        self.send(label, Call::get(format!("{}?limit={PAGE}", events_of(&self.session)))).await
    }

    /// Reads the session as `session{of}` and its events as `listed{of}`.
    pub(crate) async fn close(&self) {
        self.read("session").await;
        self.list("listed").await;
    }

    /// What the tools of the session have done so far, recorded as `label{of}`. Without a control port that
    /// tells, the drive stops here.
    pub(crate) async fn effects(&self, label: &str) -> Result<(), Halt> {
        self.driver.control("effects")?;
        let call = Call::control("GET", &format!("/effects?session={}", encoded(&self.session)));
        let reply = self.driver.send(&format!("{label}{}", self.of), call).await;
        match reply.json.as_ref().and_then(|body| body.get("effects")?.as_array()) {
            Some(_) if reply.is_success() => Ok(()),
            _ => {
                let expected = "a 2xx answer with a list in `effects`";
                Err(self.driver.setup_failed(&reply, "read what the tools have done", expected))
            }
        }
    }
}

fn events_of(session: &str) -> String {
    format!("/v1/sessions/{}/events", encoded(session))
}

/// Loads what the model answers to this check.
pub(crate) fn load(
    driver: &Driver<'_>,
    name: &str,
    turns: impl IntoIterator<Item = Turn>,
) -> Result<(), Halt> {
    let script =
        Script::new(name, turns).map_err(|error| driver.broken(format!("the script is broken: {error}")))?;
    driver.model()?.load(driver.token(), &script.to_json()).map_err(|error| driver.broken(error))
}

/// The name of a scripted turn: `of`, with what no name can hold put out of the way.
pub(crate) fn turn_name(of: &str) -> String {
    let allowed = |each: char| if each.is_ascii_alphanumeric() { each } else { '-' };
    of.chars().map(allowed).take(48).collect()
}

/// The scripted turn `id` that says `text` to whoever was told `message`.
pub(crate) fn saying(id: &str, message: &str, text: &str) -> Turn {
    Turn::new(id, Answer::new().text(text)).when(Conditions::new().last_user_contains(message))
}

/// As [`saying`], in many pieces.
pub(crate) fn saying_slowly(id: &str, message: &str, text: &str) -> Turn {
    saying(id, message, text).stream(Stream { piece_chars: Some(8), ..Stream::default() })
}

/// The scripted turns that call a tool and speak once they have its result: `id` and `id-told`.
pub(crate) fn calling(id: &str, message: &str, (tool, arguments): (&str, Value), text: &str) -> [Turn; 2] {
    let call = format!("call-{id}");
    let asked = || Conditions::new().last_user_contains(message);
    let told = Turn::new(format!("{id}-told"), Answer::new().text(text)).when(asked().tool_result_for(&call));
    let ask = Turn::new(id, Answer::new().call(ToolCall::new(call, tool, arguments))).when(asked());
    [told, ask]
}

/// What happened: the events that were streamed, or those that were listed where none were.
pub(crate) fn happened<'r>(view: &'r impl View, of: &str) -> Vec<(Seen<'r>, Value)> {
    let streamed = view.events(&format!("events{of}"));
    if !streamed.is_empty() {
        return streamed.into_iter().map(|(seen, event)| (seen, event.clone())).collect();
    }
    listed(view, of)
}

/// The events that were listed.
pub(crate) fn listed<'r>(view: &'r impl View, of: &str) -> Vec<(Seen<'r>, Value)> {
    let pages = view.labelled(&format!("listed{of}")).into_iter();
    pages
        .flat_map(|page| {
            let body = page.body().unwrap_or_default();
            let events = entries_of(&body).cloned().unwrap_or_default();
            events.into_iter().map(move |event| (page, event))
        })
        .collect()
}

/// How the last turn of a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Completed,
    Failed,
    Cancelled,
}

/// How the last turn ended, by its events and by the session, and what says so. A target that says both of
/// success and of failure has not failed in the open, so success wins. `None` when nothing says anything.
pub(crate) fn ending<'r>(view: &'r impl View, of: &str) -> Option<(Ending, Vec<Seen<'r>>)> {
    let words = Words(&view.recording().target);
    let ways =
        [(Ending::Completed, "completed"), (Ending::Failed, "failed"), (Ending::Cancelled, "cancelled")];
    let happened = happened(view, of);
    let session = view.labelled(&format!("session{of}")).into_iter().next();
    let shown = session.and_then(|seen| seen.body()).unwrap_or_default();
    let last = happened.iter().rev().find(|(_, event)| words.is_over(event));
    let said: Vec<(Ending, Seen<'r>)> = ways
        .into_iter()
        .flat_map(|(ending, word)| {
            let list = format!("{word}_events");
            let event = last.filter(|(_, event)| words.ends(event, &[&list])).map(|(seen, _)| *seen);
            let status = session.filter(|_| {
                words.turn_status(&shown) == Some(word)
                    || (word == "failed" && shown.get("status").and_then(Value::as_str) == Some("failed"))
            });
            event.into_iter().chain(status).map(move |seen| (ending, seen))
        })
        .collect();
    let (ending, _) = *said.first()?;
    Some((ending, said.into_iter().filter(|(other, _)| *other == ending).map(|(_, seen)| seen).collect()))
}

/// The first request that the scripted turn called `turn` answered; a finding with `message` at the message
/// that was sent, where the model was never asked for it.
pub(crate) fn must_ask<'r>(
    view: &'r impl View,
    (turn, of): (&str, &str),
    message: &str,
) -> Result<(Seen<'r>, &'r ModelTurn), Verdict> {
    let asked = view.model_turns().into_iter().find(|(_, asked)| asked.turn.as_deref() == Some(turn));
    match asked {
        Some(found) => Ok(found),
        None => {
            let said = view.one(&format!("say{of}"))?;
            Err(said.finding(message, format!("a model request that `{turn}` answers")).into())
        }
    }
}
