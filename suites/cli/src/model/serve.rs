//! Playing a script.

use model::{ClientVerdict, DEFAULT_SESSION, Host, Overall, Script, Severity};
use wire::{Clock, Seed};

use super::Arguments;
use crate::{
    console::{counted, say},
    demo,
    failure::{Done, Failure},
    listen::{asked_to_stop, listen, runtime},
};

/// The most turns that are named at the end.
const UNUSED_MAX: usize = 20;
/// The rule that a script is played to its end. All turns of the demo repeat, so it only ever notes something.
const EXHAUSTED: &str = "exhausted";

pub(super) fn serve(arguments: &Arguments) -> Done {
    let script = match &arguments.script {
        Some(path) => Script::from_path(path).map_err(|error| Failure(error.to_string()))?,
        None => demo::script()?,
    };
    runtime()?.block_on(async {
        let host = Host::new(Clock::wall(), Seed::of_run(arguments.seed));
        if arguments.verdict {
            host.keep_past_verdicts();
        }
        host.load(DEFAULT_SESSION, script);
        let listener = listen(&arguments.listen).await?;
        say(&format!("proofhouse model is ready at http://{}/v1", listener.authority()));
        model::serve(host.clone(), listener, asked_to_stop()).await;
        if arguments.verdict {
            return Ok(verdicts(&host, arguments.script.is_none()));
        }
        if arguments.script.is_some() {
            let unused = host.unused_turns(DEFAULT_SESSION);
            for turn in unused.iter().take(UNUSED_MAX) {
                say(&format!("turn `{turn}` of the script was never asked for"));
            }
            if let Some(more) = unused.len().checked_sub(UNUSED_MAX).filter(|more| *more > 0) {
                say(&format!("and {more} more"));
            }
        }
        Ok(0)
    })
}

/// Says how the client of each session behaved, those that ended before included. The exit code is 1 when some did
/// wrong or did not ask, or asked for a session that nobody has loaded: that is a miss like any other. Nobody has
/// to ask the demo when there are other sessions.
fn verdicts(host: &Host, demo: bool) -> u8 {
    let sessions = host.sessions();
    let others = sessions.len() > 1;
    let idle = |session: &model::SessionState| {
        demo && others && session.key == DEFAULT_SESSION && session.requests == 0
    };
    let keys: Vec<String> =
        sessions.into_iter().filter(|session| !idle(session)).map(|session| session.key).collect();
    let mut code = 0;
    for verdict in host.past_verdicts() {
        tell(&verdict, ", which is over", false);
        code = 1;
    }
    for verdict in keys.iter().filter_map(|key| host.verdict(key)) {
        // Nobody has to play the demo to its end.
        tell(&verdict, "", demo && verdict.session == DEFAULT_SESSION);
        if !matches!(verdict.overall, Overall::Pass | Overall::Incomplete) {
            code = 1;
        }
    }
    for model::Stray { key, requests } in host.strays() {
        say(&format!(
            "session `{key}` is not loaded, or not any more: {} got no answer",
            counted(requests.len(), "request")
        ));
        code = 1;
    }
    code
}

/// Says how a client behaved. `about` says more about its session.
fn tell(verdict: &ClientVerdict, about: &str, of_demo: bool) {
    let requests = counted(verdict.requests, "request");
    say(&format!("session `{}`{about}: {} after {requests}", verdict.session, verdict.overall.word()));
    let is_news = |finding: &&model::Finding| {
        !of_demo || finding.rule != EXHAUSTED || finding.severity == Severity::Fail
    };
    for finding in verdict.findings.iter().filter(is_news) {
        let severity = match finding.severity {
            Severity::Fail => "FAIL",
            Severity::Note => "note",
        };
        let evidence: Vec<String> = finding.evidence.iter().map(u64::to_string).collect();
        let evidence =
            if evidence.is_empty() { String::new() } else { format!(" (requests {})", evidence.join(", ")) };
        say(&format!("  {severity} {}: {}{evidence}", finding.rule, finding.message));
    }
}
