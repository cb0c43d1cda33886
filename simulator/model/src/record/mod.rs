//! Recording: a proxy in front of a real model that writes down a script of what the model answers.
//!
//! A [`Recorder`] passes every request on to its upstream and every answer back, piece by piece as it comes. What
//! is asked of the model becomes a turn, with conditions by which the same question is known again; the file is
//! written whenever an exchange has ended. No secret of a request is kept.

mod book;
mod error;
mod exchange;
mod file;
mod fold;
mod heard;
mod needle;
mod proxy;
mod recorder;
mod secret;
mod taking;
mod upstream;

use std::future::Future;

use axum::extract::Request;
use wire::Listener;

pub use error::RecordError;
pub use exchange::{Exchange, Fate, Report};
pub use file::{Existing, save};
pub use recorder::{Options, Recorder};

/// Serves `recorder` on `listener` until `stop` resolves. Open connections are dropped then; what they were about
/// is not recorded. `Err` when not all that was recorded could be written.
pub async fn serve(
    recorder: Recorder,
    listener: Listener,
    stop: impl Future<Output = ()>,
) -> Result<Report, RecordError> {
    let passing_on = recorder.clone();
    let respond = move |request: Request| {
        let recorder = passing_on.clone();
        async move { proxy::respond(recorder, request).await }
    };
    wire::serve::serve_with(listener, respond, None, stop).await;
    recorder.close()
}
