//! `proofhouse judge`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::BufReader,
    path::PathBuf,
};

use clap::Args;
use engine::settle;
use recording::{Counts, ExitCode, Lane, Outcome, Status, read_lines};
use report::{Replay, Report, explain, headline};
use spec::Spec;

use crate::{
    console::{complain, counted, say},
    failure::{Done, Failure},
    run::counts_words,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A recording.jsonl that `proofhouse run` left.
    recording: PathBuf,
}

pub(crate) fn judge(arguments: &Arguments) -> Done {
    let path = &arguments.recording;
    let within = |words: String| Failure(format!("{}: {words}", path.display()));
    let spec = Spec::load()?;
    let registry = checks::registry();
    let file = File::open(path).map_err(|error| within(error.to_string()))?;
    let (header, recordings) = read_lines(BufReader::new(file)).map_err(|error| within(error.to_string()))?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for recording in recordings {
        let Some(check) = registry.get(&recording.check) else {
            return Err(within(format!("check `{}` is not built in this version", recording.check)));
        };
        if check.contract != header.contract {
            let (id, contract) = (&recording.check, header.contract);
            return Err(within(format!(
                "check `{id}` is none of contract `{contract}`, which the header names"
            )));
        }
        let verdict = engine::judge(check, &recording, spec);
        let performed = engine::Performed { recording, verdict, duration_ms: 0 };
        outcomes.push(settle(check.id, performed, &header.scope));
    }
    // A recording does not say where its target was.
    let target = match header.target.lane {
        Lane::Virtual => Vec::new(),
        Lane::Wall => vec!["--target".to_owned(), "FILE".to_owned()],
    };
    let replay = Replay { verb: "run", target, seed: header.seed };
    for outcome in &outcomes {
        say(&headline(outcome));
        if matches!(outcome.status, Status::Fail | Status::Error) {
            say(&explain(outcome, &replay, spec));
        }
    }
    if outcomes.is_empty() {
        return Err(within("it holds no check: the target was not judged".to_owned()));
    }
    let counts = Counts::of(outcomes.iter().map(|outcome| outcome.status));
    say(&format!("{}: {}", counted(outcomes.len(), "check"), counts_words(&counts.0)));
    Ok(ExitCode::of(&outcomes).max(compare(path, &outcomes)).code())
}

/// Says where the report beside the recording says something else. One of the two was changed then, and
/// neither can be trusted.
fn compare(path: &std::path::Path, outcomes: &[Outcome]) -> ExitCode {
    let Ok(text) = std::fs::read_to_string(path.with_file_name("report.json")) else {
        return ExitCode::Conforming;
    };
    let Ok(report) = serde_json::from_str::<Report>(&text) else { return ExitCode::Conforming };
    let live: BTreeMap<&str, _> =
        report.checks.iter().map(|check| (check.id.as_str(), (check.status, check.reason.clone()))).collect();
    let now: BTreeMap<&str, _> =
        outcomes.iter().map(|each| (each.id.as_str(), (each.status, each.verdict.reason()))).collect();
    let ids: BTreeSet<&str> = live.keys().chain(now.keys()).copied().collect();
    match ids.into_iter().filter(|id| live.get(id) != now.get(id)).collect::<Vec<_>>() {
        differing if differing.is_empty() => {
            say("the report beside the recording says the same");
            ExitCode::Conforming
        }
        differing => {
            let ids = differing.join(", ");
            complain(&format!("error: the report beside the recording says something else of {ids}"));
            ExitCode::CouldNotJudge
        }
    }
}
