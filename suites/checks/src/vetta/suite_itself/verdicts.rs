//! The verdicts of a suite that was run.

use recording::{Seen, Status, Verdict, View};
use serde_json::Value;

use super::super::rows::text;

/// A verdict of the suite.
pub(super) struct Ruling<'r> {
    pub(super) check: &'r str,
    pub(super) seen: Seen<'r>,
    fact: &'r Value,
}

impl<'r> Ruling<'r> {
    pub(super) fn status(&self) -> &'r str {
        text(self.fact, "status")
    }

    /// Whether the suite holds something against what it was shown, or failed itself.
    pub(super) fn is_red(&self) -> bool {
        [Status::Error, Status::Fail, Status::Warn].iter().any(|red| red.name() == self.status())
    }

    pub(super) fn passed(&self) -> bool {
        self.status() == Status::Pass.name()
    }

    pub(super) fn got(&self) -> &'r str {
        text(self.fact, "got")
    }
}

/// The verdicts recorded as `NAME: …`, of which `least` have to be passes: a suite that passes nothing says
/// nothing.
pub(super) fn rulings<'r>(view: &'r impl View, name: &str, least: usize) -> Result<Vec<Ruling<'r>>, Verdict> {
    let read = |seen: Seen<'r>| {
        let check = seen.label().strip_prefix(name)?.strip_prefix(": ")?;
        Some(Ruling { check, seen, fact: seen.value()? })
    };
    let rulings: Vec<Ruling<'r>> = view.all().into_iter().filter_map(read).collect();
    let passes = rulings.iter().filter(|ruling| ruling.passed()).count();
    if passes < least {
        let reason = format!("{passes} checks passed as `{name}`, fewer than the {least} that have to");
        return Err(Verdict::Error { reason });
    }
    Ok(rulings)
}
