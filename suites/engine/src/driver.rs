//! The hand of a drive: it asks the target, and everything it does is recorded.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    time::Duration,
};

use recording::{Stop, TargetFacts, What};
use serde_json::Value;
use wire::{
    Clock, Seed,
    http::{self, Limits, Request},
};

use crate::{
    Call, Key, Listening, ModelPort, Opened, Received, Receiver, Response,
    receiver::{Respond, in_turn},
    recorder::Recorder,
    target::{Description, address_of},
};

/// Until the head of an answer must have come.
const HEAD: Duration = Duration::from_secs(10);
/// Until a body must have ended.
const WHOLE: Duration = Duration::from_secs(20);
/// The largest body that is read.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What a drive returns: `Err` where it could go no further, the reason being recorded already.
pub type Drove = Result<(), Halt>;

/// A drive went no further. Only the driver makes one, when it records why.
#[derive(Debug)]
pub struct Halt(());

/// An answer, as far as a drive needs it to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    label: String,
    /// The status; `None` where there was no answer.
    pub status: Option<u16>,
    /// The body as JSON, where it is JSON.
    pub json: Option<Value>,
    headers: Vec<(String, String)>,
}

impl Reply {
    /// Whether the status is in the 200s.
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// The first header called `name` (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The string at `pointer` in the body.
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.json.as_ref()?.pointer(pointer)?.as_str()
    }
}

/// The hand of a drive.
pub struct Driver<'a> {
    opened: &'a Opened,
    site: Site<'a>,
    facts: &'a TargetFacts,
    recorder: Recorder,
    token: String,
    seed: Seed,
    handed_out: Cell<u64>,
    remembered: RefCell<BTreeMap<&'static str, String>>,
}

/// Who is asked, and what is known of them.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) authority: &'a str,
    pub(crate) prefix: &'a str,
    pub(crate) description: &'a Description,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(
        opened: &'a Opened,
        site: Site<'a>,
        facts: &'a TargetFacts,
        token: String,
        seed: Seed,
    ) -> Self {
        let recorder = Recorder::new(opened.clock.clone(), site.description.secrets());
        Self {
            opened,
            site,
            facts,
            recorder,
            token,
            seed,
            handed_out: Cell::new(0),
            remembered: RefCell::default(),
        }
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// A token that no other check of no other run uses. Plant it in what the check creates.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A name that this check has not used before: the token and a running number. It suits whatever has
    /// to differ from call to call, such as an idempotency key.
    pub fn fresh(&self) -> String {
        let number = self.handed_out.get() + 1;
        self.handed_out.set(number);
        format!("{}-{number}", self.token)
    }

    /// Keeps `text` under `name` for a later step or case of this check: the cursor up to which a feed was
    /// read. It is no part of the recording, so no judge can lean on it.
    pub fn remember(&self, name: &'static str, text: impl Into<String>) {
        self.remembered.borrow_mut().insert(name, text.into());
    }

    /// What was kept under `name`.
    pub fn remembered(&self, name: &'static str) -> Option<String> {
        self.remembered.borrow().get(name).cloned()
    }

    /// The marker that leads the target's model requests to the session of this check.
    pub fn marker(&self) -> String {
        format!("proofhouse-session:{}", self.token)
    }

    /// The seed of this check.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// What is known of the target.
    pub fn facts(&self) -> &TargetFacts {
        self.facts
    }

    /// The world's clock.
    pub fn clock(&self) -> &Clock {
        &self.opened.clock
    }

    /// The model that the suite hosts. Without one the drive stops here, as `untested`.
    pub fn model(&self) -> Result<&dyn ModelPort, Halt> {
        match &self.opened.model {
            Some(model) => Ok(model.as_ref()),
            None => Err(self.unmet(
                "a model endpoint that the target can be told to call: give `[model]` in the target file",
            )),
        }
    }

    /// Whether the suite hosts a model for the target, for a drive that can go on without one.
    pub fn has_model(&self) -> bool {
        self.opened.model.is_some()
    }

    /// Sends `call`, reads the whole answer, and records both as `label`.
    pub async fn send(&self, label: &str, call: Call) -> Reply {
        self.send_for_text(label, call).await.0
    }

    /// As [`Driver::send`], for a drive that has to read an answer which is no JSON.
    pub async fn send_for_text(&self, label: &str, call: Call) -> (Reply, Option<String>) {
        let (authority, request) = self.request(call);
        let limits = Limits { head: HEAD, whole: WHOLE, body_bytes_max: BODY_BYTES_MAX };
        let outcome = http::send(&self.opened.net, &authority, &request, limits).await;
        self.recorder.exchange(label, &request, &outcome);
        match outcome {
            Ok(response) => {
                let reply = Reply {
                    label: label.to_owned(),
                    status: Some(response.status),
                    json: serde_json::from_slice(&response.body).ok(),
                    headers: response.headers,
                };
                (reply, String::from_utf8(response.body.into()).ok())
            }
            Err(_) => {
                (Reply { label: label.to_owned(), status: None, json: None, headers: Vec::new() }, None)
            }
        }
    }

    /// As [`Driver::send`], for an answer with a secret at `pointer`. It is called `name` in whatever is
    /// recorded, this answer included. `None` where the answer has no string there.
    pub async fn send_for_secret(
        &self,
        label: &str,
        call: Call,
        (pointer, name): (&str, &str),
    ) -> (Reply, Option<String>) {
        let (authority, request) = self.request(call);
        let limits = Limits { head: HEAD, whole: WHOLE, body_bytes_max: BODY_BYTES_MAX };
        let outcome = http::send(&self.opened.net, &authority, &request, limits).await;
        let answer = outcome.as_ref().ok();
        let json: Option<Value> = answer.and_then(|answer| serde_json::from_slice(&answer.body).ok());
        let secret = json.as_ref().and_then(|json| json.pointer(pointer)?.as_str()).map(str::to_owned);
        if let Some(secret) = &secret {
            self.recorder.hide(name, secret);
        }
        self.recorder.exchange(label, &request, &outcome);
        let (status, headers) =
            answer.map_or_else(Default::default, |answer| (Some(answer.status), answer.headers.clone()));
        (Reply { label: label.to_owned(), status, json, headers }, secret)
    }

    /// `GET path` with the primary credential.
    pub async fn get(&self, label: &str, path: impl Into<String>) -> Reply {
        self.send(label, Call::get(path)).await
    }

    /// Opens an event stream and records its head as `label`; each frame that is read is recorded
    /// under the same label. `None` where the head did not come.
    pub async fn listen(&self, label: &str, call: Call) -> Option<Listening<'_>> {
        let (authority, request) = self.request(call.header("accept", "text/event-stream"));
        let opened = http::open(&self.opened.net, &authority, &request, HEAD).await;
        match opened {
            Ok(open) => {
                self.recorder.head(label, &request, Ok(&open));
                Some(Listening::new(self, label, open))
            }
            Err(failure) => {
                self.recorder.head(label, &request, Err(&failure));
                None
            }
        }
    }

    /// As [`Driver::listen`], for a stream that carries what others do too: frames that `about` does not
    /// say yes to are read and neither recorded nor returned.
    pub async fn listen_for<'b>(
        &'b self,
        label: &str,
        call: Call,
        about: impl Fn(&Received) -> bool + 'b,
    ) -> Option<Listening<'b>> {
        Some(self.listen(label, call).await?.about(about))
    }

    /// Whether the control port of the target has `feature`; where it has not, the drive stops here, as
    /// `untested`.
    pub fn control(&self, feature: &str) -> Result<(), Halt> {
        if self.facts.list("control").contains(&feature) {
            return Ok(());
        }
        Err(self.unmet(&format!(
            "a control port with the feature `{feature}`: serve it below /_control and list it in `[settings] control`"
        )))
    }

    /// Whether the target claims `feature`; where it does not, the drive stops here, as `not_applicable`.
    pub fn claimed(&self, feature: &str) -> Result<(), Halt> {
        if self.facts.claims.contains(feature) {
            return Ok(());
        }
        let evidence = "claims";
        self.fact(evidence, self.facts.claims.iter().map(String::as_str).collect());
        Err(self.inapplicable(&format!("the target does not claim `{feature}`"), evidence))
    }

    /// Opens an endpoint that the target can push to, and records what arrives as `label`. It answers with
    /// `answers` in turn, and with 204 once they are used up.
    ///
    /// In process it listens on the network in memory. A target elsewhere reaches it at
    /// `[settings] receiver_url`, behind which the suite listens at `[settings] receiver_listen`.
    pub async fn receiver(&self, label: &str, answers: Vec<Response>) -> Result<Receiver<'_>, Halt> {
        Receiver::open(self, label, in_turn(answers)).await
    }

    /// Opens an endpoint that the target can call, and records what arrives as `label`. `respond` is given the
    /// body of each call and answers it.
    pub async fn server(&self, label: &str, respond: Respond) -> Result<Receiver<'_>, Halt> {
        Receiver::open(self, label, respond).await
    }

    pub(crate) fn opened(&self) -> &'a Opened {
        self.opened
    }

    pub(crate) fn site(&self) -> Site<'a> {
        self.site
    }

    pub(crate) fn net(&self) -> &wire::Net {
        &self.opened.net
    }

    /// Records something that the judge needs to know.
    pub fn fact(&self, label: &str, value: Value) {
        self.recorder.put(label, What::Fact(value));
    }

    /// Records the requests that the model saw from this check so far, under `label`.
    pub fn record_model(&self, label: &str) -> Result<(), Halt> {
        for mut turn in self.model()?.journal(&self.token) {
            turn.arrived_ms = turn.arrived_ms.saturating_sub(self.recorder.began_ms());
            turn.answered_ms = turn.answered_ms.map(|at| at.saturating_sub(self.recorder.began_ms()));
            self.recorder.put(label, What::Model(Box::new(turn)));
        }
        Ok(())
    }

    /// The JSON body of a successful reply. Anything else ends the drive: `step` did not succeed.
    pub fn need(&self, reply: &Reply, step: &str) -> Result<Value, Halt> {
        match &reply.json {
            Some(json) if reply.is_success() => Ok(json.clone()),
            _ => Err(self.setup_failed(reply, step, "a 2xx answer with a JSON body")),
        }
    }

    /// The string at `pointer` in a successful reply; anything else ends the drive.
    pub fn need_text(&self, reply: &Reply, pointer: &str, step: &str) -> Result<String, Halt> {
        match reply.text(pointer) {
            Some(text) if reply.is_success() => Ok(text.to_owned()),
            _ => Err(self.setup_failed(reply, step, &format!("a 2xx answer with a string at `{pointer}`"))),
        }
    }

    /// Ends the drive, because `step` (whose answer is `reply`) did not give what the check builds on.
    pub fn setup_failed(&self, reply: &Reply, step: &str, expected: &str) -> Halt {
        self.stop(&reply.label, Stop::Setup { step: step.to_owned(), expected: expected.to_owned() })
    }

    /// Ends the drive as `untested`: the target's description does not offer `means`.
    pub fn unmet(&self, means: &str) -> Halt {
        self.stop("unmet", Stop::Unmet { means: means.to_owned() })
    }

    /// Ends the drive as `not_applicable`; the entry recorded as `evidence` shows it.
    pub fn inapplicable(&self, reason: &str, evidence: &str) -> Halt {
        self.stop(
            "inapplicable",
            Stop::Inapplicable { reason: reason.to_owned(), evidence: evidence.to_owned() },
        )
    }

    /// Ends the drive as an error of the suite.
    pub fn broken(&self, reason: impl Into<String>) -> Halt {
        self.stop("broken", Stop::Broken { reason: reason.into() })
    }

    pub(crate) fn stop(&self, label: &str, stop: Stop) -> Halt {
        self.recorder.put(label, What::Stop(stop));
        Halt(())
    }

    /// `host:port` of the base URL of `call`, and the path before its own.
    fn address(&self, call: &Call) -> (String, String) {
        let elsewhere = call.base.and_then(|setting| self.facts.text(setting));
        // The description was refused where a URL in it cannot be used.
        elsewhere
            .and_then(|url| address_of(url).ok())
            .unwrap_or_else(|| (self.site.authority.to_owned(), self.site.prefix.to_owned()))
    }

    fn request(&self, call: Call) -> (String, Request) {
        let (authority, prefix) = self.address(&call);
        let authorization = match &call.key {
            Key::Named(name) => self.site.description.secret(name).map(|secret| format!("Bearer {secret}")),
            Key::Raw(text) => Some(text.clone()),
            Key::Absent => None,
        };
        let mut headers = Vec::with_capacity(call.headers.len() + 1);
        headers.extend(authorization.map(|value| ("authorization".to_owned(), value)));
        headers.extend(call.headers);
        let request = Request {
            method: call.method,
            path: if call.control { call.path } else { format!("{prefix}{}", call.path) },
            headers,
            body: call.body.map(Into::into),
            title_case: call.title_case,
        };
        (authority, request)
    }
}
