//! The recorded ends of calls.

use std::collections::BTreeMap;

use agent::habits::Settled;

/// The ends of the calls of one run, by the model's own id of the call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ends(BTreeMap<String, Vec<Settled>>);

impl Ends {
    /// What is on record for a call; empty when nothing is.
    pub(crate) fn of(&self, call_id: &str) -> &[Settled] {
        self.0.get(call_id).map_or(&[], Vec::as_slice)
    }

    /// The place where the ends of a call are recorded.
    pub(crate) fn at(&mut self, call_id: &str) -> &mut Vec<Settled> {
        self.0.entry(call_id.to_owned()).or_default()
    }

    /// Every call, with the number of its recorded ends.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(call, ends)| (call.as_str(), ends.len()))
    }
}
