//! One exchange while it is passed on: what of it is kept, and when it has been heard to its end.

use serde::de::IgnoredAny;
use serde_json::Value;
use wire::sse::{Frame, Parser};

use super::{
    exchange::Fate,
    fold::{self, Fold, error_of},
    heard::{Answered, Heard},
    recorder::Recorder,
    secret::Secrets,
};
use crate::{
    request::Asked,
    script::{ErrorStatus, WireName},
};

/// What ends a stream on some wires.
const DONE: &str = "[DONE]";
/// Headers of an error that say when to try again.
const RETRY_HEADERS: [&str; 3] = ["retry-after", "retry-after-ms", "x-should-retry"];

/// What is known of a request that will be recorded.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) wire: WireName,
    pub(super) asked: Asked,
    pub(super) secrets: Secrets,
}

/// An exchange under way. Whoever drops it before it has been heard to its end says that the client is gone.
#[derive(Debug)]
pub(super) struct Taking {
    recorder: Recorder,
    sequence: u64,
    target: String,
    status: Option<u16>,
    /// `None` when it is only passed on, or over.
    question: Option<Question>,
    is_over: bool,
    body: Body,
    asked_ms: u64,
    /// When the first and the last event came.
    came_ms: Option<(u64, u64)>,
}

/// What has come of an answer.
#[derive(Debug)]
enum Body {
    /// Nothing that is kept.
    Nothing,
    /// An error, or an answer in one piece, and the bytes that it has altogether if that is known.
    Whole { bytes: Vec<u8>, length: Option<usize>, retry: Vec<(String, String)> },
    /// A stream of events.
    Events { parser: Parser, since_frame: usize, fold: Box<dyn Fold>, count: u64, is_done: bool },
    /// Something that cannot be a turn.
    Lost(String),
}

/// How the upstream ends an answer.
#[derive(Debug)]
enum Ending {
    Clean,
    Broken(String),
}

impl Taking {
    pub(super) fn new(recorder: Recorder, sequence: u64, target: String, question: Option<Question>) -> Self {
        let asked_ms = recorder.now_ms();
        let (status, body) = (None, Body::Nothing);
        Self { recorder, sequence, target, status, question, is_over: false, body, asked_ms, came_ms: None }
    }

    /// It is a question to the model.
    pub(super) fn asks(&mut self, question: Question) {
        self.question = Some(question);
    }

    /// It is one that cannot be read.
    pub(super) fn unreadable(&mut self, why: String) {
        self.body = Body::Lost(why);
    }

    /// Ends an exchange that nothing can be recorded of.
    pub(super) fn ended(&mut self, status: Option<u16>, fate: Fate) {
        if status.is_some() {
            self.status = status;
        }
        if !std::mem::replace(&mut self.is_over, true) {
            self.question = None;
            self.recorder.tell(self.sequence, &self.target, self.status, fate, Vec::new());
        }
    }

    /// The head of the answer has come.
    pub(super) fn head(&mut self, status: u16, headers: &[(String, String)]) {
        self.status = Some(status);
        let Some(question) = &self.question else { return };
        let header =
            |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let length = header("content-length").and_then(|length| length.parse().ok());
        let is_encoded = header("content-encoding").is_some_and(|coding| coding != "identity");
        let kind = header("content-type").unwrap_or_default().to_ascii_lowercase();
        let is_stream = kind.starts_with("text/event-stream")
            || (question.asked.request.stream && !kind.starts_with("application/json"));
        let retry = headers.iter().filter(|(name, _)| RETRY_HEADERS.contains(&name.as_str())).cloned();
        self.body = match status {
            _ if is_encoded => {
                Body::Lost("the answer is compressed, though that was not asked for".to_owned())
            }
            200..300 if is_stream => Body::Events {
                parser: Parser::default(),
                since_frame: 0,
                fold: fold::events_on(question.wire),
                count: 0,
                is_done: false,
            },
            200..300 | 400..600 => Body::Whole { bytes: Vec::new(), length, retry: retry.collect() },
            _ => Body::Lost(format!("the status {status} is neither that of an answer nor that of an error")),
        };
    }

    /// The next bytes of the answer.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if self.is_over {
            return;
        }
        let now = self.recorder.now_ms();
        let max = self.recorder.kept_bytes_max();
        let too_large = || Body::Lost(format!("the answer has more than {max} bytes"));
        let mut is_over = false;
        match &mut self.body {
            Body::Whole { bytes: kept, length, .. } => {
                if kept.len().saturating_add(bytes.len()) > max {
                    self.body = too_large();
                } else {
                    kept.extend_from_slice(bytes);
                    // Nobody has to read on when all that was promised is there.
                    is_over = length.is_some_and(|length| kept.len() >= length);
                }
            }
            Body::Events { parser, since_frame, fold, count, is_done } => {
                let frames = parser.push(bytes);
                *since_frame = if frames.is_empty() { since_frame.saturating_add(bytes.len()) } else { 0 };
                let is_large = *since_frame > max;
                if !frames.is_empty() {
                    self.came_ms = Some((self.came_ms.map_or(now, |(first, _)| first), now));
                }
                let mut lost = None;
                for frame in frames {
                    if let Err(why) = take(fold.as_mut(), &frame, *count, is_done) {
                        lost = Some(why);
                        break;
                    }
                    *count += 1;
                }
                is_over = *is_done || fold.is_over();
                if is_large || fold.held() > max {
                    self.body = too_large();
                } else if let Some(why) = lost {
                    self.body = Body::Lost(why);
                }
            }
            Body::Nothing | Body::Lost(_) => {}
        }
        if is_over && matches!(self.body, Body::Whole { .. } | Body::Events { .. }) {
            // Clients leave as soon as they have seen the last event, so it counts as heard from here on.
            self.finish(&Ending::Clean);
        }
    }

    /// The answer has come to its end.
    pub(super) fn end(&mut self) {
        self.finish(&Ending::Clean);
    }

    /// The connection to the upstream is lost.
    pub(super) fn broken(&mut self, why: &str) {
        self.finish(&Ending::Broken(format!("the upstream broke off: {why}")));
    }

    /// Records what was heard.
    fn finish(&mut self, ending: &Ending) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let Some(question) = self.question.take() else {
            let fate = match (std::mem::replace(&mut self.body, Body::Nothing), ending) {
                (Body::Lost(why), _) => Fate::Unreadable(why),
                (_, Ending::Broken(why)) => Fate::Incomplete(why.clone()),
                (_, Ending::Clean) => Fate::PassedOn,
            };
            return self.recorder.tell(self.sequence, &self.target, self.status, fate, Vec::new());
        };
        match self.heard(question.wire, ending) {
            Ok(answered) => {
                let paced = self.came_ms.map(|(first, last)| {
                    let ms = |from: u64, to: u64| u32::try_from(to.saturating_sub(from)).unwrap_or(u32::MAX);
                    (ms(self.asked_ms, first), ms(first, last))
                });
                let Question { wire, asked, secrets } = question;
                let heard = Heard { sequence: self.sequence, wire, asked, secrets, answered, paced };
                self.recorder.keep(heard, &self.target, self.status);
            }
            Err(fate) => self.recorder.tell(self.sequence, &self.target, self.status, fate, Vec::new()),
        }
    }

    /// What was heard, or why that is no turn.
    fn heard(&mut self, wire: WireName, ending: &Ending) -> Result<Answered, Fate> {
        let incomplete = || match ending {
            Ending::Clean => Fate::Incomplete("the upstream ended its answer before it was whole".to_owned()),
            Ending::Broken(why) => Fate::Incomplete(why.clone()),
        };
        match std::mem::replace(&mut self.body, Body::Nothing) {
            Body::Nothing => Err(incomplete()),
            Body::Lost(why) => Err(Fate::Unreadable(why)),
            // Some servers tell the end of the stream and no reason for it.
            Body::Events { mut fold, is_done, .. } if is_done || fold.is_whole() => {
                let mut folded = fold.folded();
                if folded.finish.is_none() && wire == WireName::Chat && folded.error.is_none() {
                    folded.left_out.push("the missing reason for the end".to_owned());
                }
                Ok(Answered::Answer(folded))
            }
            Body::Events { .. } => Err(incomplete()),
            Body::Whole { bytes, length, retry } => {
                let is_short = length.is_some_and(|length| bytes.len() < length);
                match ending {
                    Ending::Clean if !is_short => self.read(wire, &bytes, retry),
                    _ => Err(incomplete()),
                }
            }
        }
    }

    fn read(&self, wire: WireName, bytes: &[u8], retry: Vec<(String, String)>) -> Result<Answered, Fate> {
        let body = serde_json::from_slice::<Value>(bytes);
        let status = self.status.unwrap_or_default();
        if status >= 400 {
            let told = body.map(|body| error_of(&body)).unwrap_or_default();
            let mut error = ErrorStatus::from(status);
            error.headers = retry.into_iter().collect();
            (error.kind, error.message, error.error_code) = (told.kind, told.message, told.code);
            return Ok(Answered::Error(error));
        }
        let body = body.map_err(|error| Fate::Unreadable(format!("the answer is no JSON: {error}")))?;
        if body.get("error").is_some_and(|error| !error.is_null()) {
            let why = error_of(&body).message.unwrap_or_default();
            return Err(Fate::Unreadable(format!("the answer is an error with the status {status}: {why}")));
        }
        fold::whole_on(wire, &body).map(Answered::Answer).map_err(Fate::Unreadable)
    }
}

/// Hands an event on to the reader of its wire.
fn take(fold: &mut dyn Fold, frame: &Frame, count: u64, is_done: &mut bool) -> Result<(), String> {
    let Some(data) = frame.data.as_deref().filter(|data| !data.trim().is_empty()) else { return Ok(()) };
    if data.trim_start().starts_with(DONE) {
        *is_done = true;
        return Ok(());
    }
    let event = serde_json::from_str::<Value>(data)
        .map_err(|error| format!("event {count} carries no JSON: {error}"))?;
    fold.take(&event)
}

impl Drop for Taking {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // A client that leaves after the answer was whole has had it.
        let is_heard = match &self.body {
            Body::Events { fold, .. } => fold.is_whole(),
            Body::Whole { bytes, length: None, .. } => serde_json::from_slice::<IgnoredAny>(bytes).is_ok(),
            Body::Whole { .. } | Body::Nothing => false,
            Body::Lost(_) => true,
        };
        if is_heard {
            self.finish(&Ending::Clean);
        } else {
            let fate = match self.question {
                Some(_) => Fate::Incomplete("the client left before the answer was whole".to_owned()),
                None => Fate::PassedOn,
            };
            self.ended(None, fate);
        }
    }
}
