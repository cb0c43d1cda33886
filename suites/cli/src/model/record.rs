//! A script from the answers of a real model.

use std::path::Path;

use model::record::{Existing, Options, Recorder};
use wire::Clock;

use super::Arguments;
use crate::{
    console::say,
    failure::{Done, Failure},
    listen::{asked_to_stop, listen, runtime},
};

pub(super) fn record(arguments: &Arguments, file: &Path) -> Done {
    let existing = match (arguments.extend, arguments.replace) {
        (true, _) => Existing::Extend,
        (false, true) => Existing::Replace,
        (false, false) => Existing::Refuse,
    };
    let options = Options {
        existing,
        timing: arguments.timing,
        roots: arguments.roots.clone(),
        ..Options::new(file, arguments.upstream.clone().unwrap_or_default())
    };
    runtime()?.block_on(async {
        let told = |exchange: &model::record::Exchange| say(&exchange.to_string());
        let recorder =
            Recorder::telling(Clock::wall(), options, told).map_err(|error| Failure(error.to_string()))?;
        let listener = listen(&arguments.listen).await?;
        say(&format!(
            "proofhouse model records {} and is ready at http://{}/v1",
            recorder.upstream(),
            listener.authority()
        ));
        let report = model::record::serve(recorder, listener, asked_to_stop()).await;
        let report = report.map_err(|error| Failure(error.to_string()))?;
        say(&report.to_string());
        Ok(0)
    })
}
