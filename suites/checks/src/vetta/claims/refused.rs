//! Whether a demand that is not claimed was refused as it has to be.

use recording::{Lane, Seen, Verdict, View};
use serde_json::Value;

use super::{
    super::{
        listing::{found, mentions},
        refusal::{code, names},
        rows::text,
    },
    probe::Capability,
};

/// How a demand fared.
pub(super) enum Demanded<'r> {
    /// It was refused, and nothing is left.
    Correctly(Vec<Seen<'r>>),
    /// It was refused in a wrong way.
    Wrongly(Seen<'r>, String),
    /// A session started.
    Started(Seen<'r>),
}

/// What became of the demand recorded as `what` on `base`.
pub(super) fn demanded<'r>(
    view: &'r impl View,
    capability: Capability,
    (what, base, stands): (&str, &str, &str),
) -> Result<Demanded<'r>, Verdict> {
    let label = |step: &str| format!("{what} {step}: {base}");
    let write = view.one(&label("write"))?;
    let early = capability == Capability::InjectedTools && what == "demand";
    let mut seen = vec![write];
    let (refusal, fields, statuses): (_, &[&str], &[u16]) = if write.is_success() {
        let start = view.one(&label("start"))?;
        if start.is_success() {
            return Ok(Demanded::Started(start));
        }
        seen.push(start);
        // A loop that does not run here may be refused for that (open points U08, U28).
        let statuses: &[u16] = if stands == "here" { &[400] } else { &[400, 501] };
        (start, &["harness", "runnable"], statuses)
    } else {
        (write, &["multiagent", "harness"], &[400])
    };
    if early && write.is_success() {
        return Ok(Demanded::Wrongly(
            write,
            "the agent was written, and refused at the start only".to_owned(),
        ));
    }
    if !early && !write.is_success() {
        return Ok(Demanded::Wrongly(write, "the agent was refused when it was written".to_owned()));
    }
    if let Some(reason) = shortcoming(&refusal, fields, statuses, early) {
        return Ok(Demanded::Wrongly(refusal, reason));
    }
    if let Some((left, reason)) = left_behind(view, &refusal, &label)? {
        return Ok(Demanded::Wrongly(left, reason));
    }
    Ok(Demanded::Correctly(seen))
}

/// What is wrong with the refusal itself.
fn shortcoming(refusal: &Seen<'_>, fields: &[&str], statuses: &[u16], early: bool) -> Option<String> {
    let body = refusal.body().unwrap_or_default();
    let status = refusal.status();
    if !status.is_some_and(|status| statuses.contains(&status)) {
        return Some(format!("it was answered {}", status.map_or("nothing".to_owned(), |s| s.to_string())));
    }
    match code(&body) {
        None | Some("") => return Some("the refusal has no code".to_owned()),
        Some(code) if early && code != "validation_failed" => {
            return Some(format!("the refusal has the code `{code}`"));
        }
        Some(_) => {}
    }
    // Only a 501 may point at `runnable`.
    let fields: Vec<&str> =
        fields.iter().copied().filter(|field| *field != "runnable" || status == Some(501)).collect();
    names(&body, &fields).is_none().then(|| "the refusal names no field".to_owned())
}

/// What a refusal left: a session, an agent, a charge. A session that is not there has no thread, no event and no
/// tool call.
fn left_behind<'r>(
    view: &'r impl View,
    refusal: &Seen<'_>,
    label: &impl Fn(&str) -> String,
) -> Result<Option<(Seen<'r>, String)>, Verdict> {
    let sent = refusal.sent().unwrap_or_default();
    // What was started names its agent, and what was written its own name.
    let agent = sent.get("agent").and_then(Value::as_str);
    let list = if agent.is_some() { "sessions" } else { "agents" };
    let is_left = |entry: &Value| match agent {
        Some(agent) => mentions(entry, agent),
        None => text(entry, "name") == text(&sent, "name"),
    };
    if let (_, Some(page)) = found(view, &label(list), is_left)? {
        return Ok(Some((page, format!("it is in the list of {list} all the same"))));
    }
    let (before, after) = (view.one(&label("balance before"))?, view.one(&label("balance after"))?);
    // A target need not show a balance (open point U41). On a shared target others draw on it meanwhile, and a
    // charge of theirs is none of this refusal's.
    let is_ours = view.recording().target.lane == Lane::Virtual;
    if is_ours && before.is_success() && after.is_success() && before.body() != after.body() {
        return Ok(Some((after, "the balance has changed".to_owned())));
    }
    Ok(None)
}
