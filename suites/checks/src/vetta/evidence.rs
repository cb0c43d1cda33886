//! What a judge has seen on its way to a verdict.

use recording::{Finding, Judged, Seen, Verdict, View, Witness};
use serde_json::Value;

use super::{
    listing::{found, mentions},
    refusal::{Named, pinned},
    rows::text,
};

/// A refusal that names its field in prose alone can be read by people only (open point U01).
const IN_MESSAGE_ONLY: &str = "the refusal names its field in its message only";
/// A refused start has no session, in no state.
pub(crate) const SESSION_LEFT: &str = "a refused start left a session behind";

/// The entries that speak for a pass, and the first that speaks for a warning.
#[derive(Default)]
pub(crate) struct Evidence {
    witnesses: Vec<Witness>,
    doubt: Option<Finding>,
    notes: Vec<String>,
}

impl Evidence {
    /// Takes `seen` for the pass.
    pub(crate) fn see(&mut self, seen: &Seen<'_>) {
        self.witnesses.push(seen.witness());
    }

    /// Adds a remark to the pass.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// `seen` is 2xx with an object that has an id. The answer is the object.
    pub(crate) fn accepted(&mut self, seen: &Seen<'_>, message: &str) -> Result<Value, Finding> {
        seen.answer()?;
        let body = seen.body().filter(|_| seen.is_success()).unwrap_or_default();
        if body.get("id").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(seen.finding(message, "2xx with an object that has an `id`"));
        }
        self.see(seen);
        Ok(body)
    }

    /// `seen` is one of `statuses` and names one of `fields`. A name in the message alone is a doubt.
    pub(crate) fn refused(
        &mut self,
        seen: &Seen<'_>,
        message: &str,
        statuses: &[u16],
        fields: &[&str],
    ) -> Result<(), Finding> {
        if pinned(seen, message, statuses, fields)? == Named::Message && self.doubt.is_none() {
            let expected = format!("a member such as `error.param` that names `{}`", fields.join("` or `"));
            self.doubt = Some(seen.finding(IN_MESSAGE_ONLY, expected));
        }
        self.see(seen);
        Ok(())
    }

    /// The status of `seen` is one of `statuses`.
    pub(crate) fn answered(
        &mut self,
        seen: &Seen<'_>,
        message: &str,
        statuses: &[u16],
    ) -> Result<(), Finding> {
        let status = seen.answer()?.status;
        if !statuses.contains(&status) {
            let wanted: Vec<String> = statuses.iter().map(u16::to_string).collect();
            return Err(seen.finding(message, wanted.join(" or ")));
        }
        self.see(seen);
        Ok(())
    }

    /// No session of the agent that the start `seen` was about is in the list recorded as `label`, `known`
    /// aside.
    pub(crate) fn no_session(
        &mut self,
        view: &impl View,
        seen: &Seen<'_>,
        (label, known): (&str, Option<&str>),
    ) -> Result<(), Verdict> {
        let sent = seen.sent().unwrap_or_default();
        let agent = text(&sent, "agent");
        let is_left =
            |entry: &Value| mentions(entry, agent) && known.is_none_or(|known| text(entry, "id") != known);
        let (last, page) = found(view, label, is_left)?;
        match page {
            Some(page) => Err(page.finding(SESSION_LEFT, format!("no further session of `{agent}`")).into()),
            None => {
                self.see(&last);
                Ok(())
            }
        }
    }

    /// The verdict: a pass, unless there was a doubt.
    pub(crate) fn judged(self) -> Judged {
        if let Some(doubt) = self.doubt {
            return Err(doubt.as_warning());
        }
        let nothing = || Verdict::Error { reason: "the judge found nothing to look at".to_owned() };
        let witness = Witness::all(self.witnesses).ok_or_else(nothing)?;
        Ok(self.notes.into_iter().fold(witness, Witness::noting))
    }
}

/// The entries recorded as `prefix: BASE`, with that base. There has to be one: a judge that goes through
/// them has nothing to say without.
pub(crate) fn by_base<'r>(view: &'r impl View, prefix: &str) -> Result<Vec<(&'r str, Seen<'r>)>, Verdict> {
    let entries = view.all().into_iter();
    let of_base = |seen: Seen<'r>| Some((seen.label().strip_prefix(prefix)?.strip_prefix(": ")?, seen));
    let found: Vec<_> = entries.filter_map(of_base).collect();
    if found.is_empty() {
        return Err(Verdict::Error { reason: format!("nothing was recorded as `{prefix}: …`") });
    }
    Ok(found)
}

/// The entries called `label`, which have to be `count`: a recording in which some are missing says nothing
/// about the target.
pub(crate) fn all_of<'r>(view: &'r impl View, label: &str, count: usize) -> Result<Vec<Seen<'r>>, Verdict> {
    let found = view.labelled(label);
    if found.len() == count {
        return Ok(found);
    }
    Err(Verdict::Error { reason: format!("{} of {count} entries were recorded as `{label}`", found.len()) })
}
