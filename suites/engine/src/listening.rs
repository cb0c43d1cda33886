//! Reading an event stream in a drive.

use std::{collections::VecDeque, time::Duration};

use recording::What;
use serde_json::{Value, json};
use wire::{
    http::Open,
    sse::{Frame, Parser},
};

use crate::Driver;

/// The most frames that one stream is read for. An endless stream ends here.
const FRAMES_MAX: usize = 5_000;
/// The most frames that are passed over because they are about something else.
const OTHERS_MAX: usize = 200_000;
/// The most bytes that one stream is read for.
const BYTES_MAX: usize = 256 * 1024 * 1024;

/// A frame with data.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The `id` field.
    pub id: Option<String>,
    /// The `event` field.
    pub event: Option<String>,
    /// The data as JSON, or as a string where it is not JSON.
    pub data: Value,
}

/// An open event stream. Dropping it closes the connection.
pub struct Listening<'a> {
    driver: &'a Driver<'a>,
    label: String,
    open: Open,
    parser: Parser,
    waiting: VecDeque<Frame>,
    about: Box<dyn Fn(&Received) -> bool + 'a>,
    comments: bool,
    frames: usize,
    others: usize,
    bytes: usize,
}

impl<'a> Listening<'a> {
    pub(crate) fn new(driver: &'a Driver<'a>, label: &str, open: Open) -> Self {
        let (parser, waiting) = (Parser::default(), VecDeque::new());
        let about = Box::new(|_: &Received| true);
        Self {
            driver,
            label: label.to_owned(),
            open,
            parser,
            waiting,
            about,
            comments: false,
            frames: 0,
            others: 0,
            bytes: 0,
        }
    }

    pub(crate) fn about(mut self, about: impl Fn(&Received) -> bool + 'a) -> Self {
        self.about = Box::new(about);
        self
    }

    /// The status of the stream's head.
    pub fn status(&self) -> u16 {
        self.open.status
    }

    /// The next frame that has data, recorded; `None` when the stream ends, breaks, or `within` has
    /// passed.
    pub async fn next(&mut self, within: Duration) -> Option<Received> {
        let driver = self.driver;
        driver.clock().within(within, self.read()).await.flatten()
    }

    /// Reads on until `wanted` says so of a frame, and returns that frame; `None` when the stream ends
    /// before, or `within` has passed.
    pub async fn until(
        &mut self,
        within: Duration,
        mut wanted: impl FnMut(&Received) -> bool,
    ) -> Option<Received> {
        let driver = self.driver;
        let search = async {
            loop {
                let received = self.read().await?;
                if wanted(&received) {
                    return Some(received);
                }
            }
        };
        driver.clock().within(within, search).await.flatten()
    }

    /// Records the comments of the stream as well, each as the fact `{"comment": TEXT}` under the stream's
    /// label.
    #[must_use]
    pub fn with_comments(mut self) -> Self {
        self.comments = true;
        self
    }

    fn note(&self, comments: &[String]) {
        for comment in comments.iter().filter(|_| self.comments) {
            let comment = self.driver.recorder().redact(comment);
            self.driver.recorder().put(&self.label, What::Fact(json!({"comment": comment})));
        }
    }

    async fn read(&mut self) -> Option<Received> {
        loop {
            while let Some(frame) = self.waiting.pop_front() {
                self.note(&frame.comments);
                let Some(data) = frame.data else { continue };
                let data = self.driver.recorder().redact_json(&data);
                let data = serde_json::from_str(&data).unwrap_or(Value::String(data));
                let received = Received { id: frame.id, event: frame.event, data };
                if !(self.about)(&received) {
                    self.others += 1;
                    continue;
                }
                self.frames += 1;
                self.driver.recorder().put(
                    &self.label,
                    What::Event {
                        id: received.id.clone(),
                        event: received.event.clone(),
                        data: received.data.clone(),
                    },
                );
                return Some(received);
            }
            if self.frames >= FRAMES_MAX || self.others >= OTHERS_MAX || self.bytes >= BYTES_MAX {
                return None;
            }
            let piece = self.open.next().await?.ok()?;
            self.bytes += piece.len();
            self.waiting.extend(self.parser.push(&piece));
        }
    }
}
