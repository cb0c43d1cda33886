//! The suite, as far as a check on it can get hold of it.

use engine::{Check, Driver, Halt, Kind, Place};
use recording::{Judged, Recording};
use serde_json::json;
use spec::{Need, Spec, demands::Demands};

use super::defects;

/// The checks of the suite that are not about the suite, and its table of demands.
#[derive(Clone)]
pub(crate) struct Suite {
    pub(crate) checks: Vec<Check>,
    pub(crate) demands: Demands,
}

impl Suite {
    /// The suite of this build, with the defects that the launch put in.
    pub(crate) fn under_test(driver: &Driver<'_>) -> Result<Self, Halt> {
        let demands = Demands::load().map_err(|error| driver.broken(error.to_string()))?;
        let mut suite = Self { checks: super::super::checks_of_targets(), demands: demands.clone() };
        for id in driver.suite_defects() {
            let known = defects::ALL.iter().find(|edit| edit.id == id);
            let edit = known.ok_or_else(|| driver.broken(format!("`{id}` is no defect of the suite")))?;
            (edit.edit)(&mut suite);
        }
        Ok(suite)
    }

    /// Puts another judge in the place of the one of the check `id`.
    pub(crate) fn rejudge(&mut self, id: &str, judge: fn(&Recording, &Spec) -> Judged) {
        for check in self.checks.iter_mut().filter(|check| check.id == id) {
            if let Kind::Single { drive, .. } = check.kind {
                check.kind = Kind::Single { drive, judge };
            }
        }
    }

    /// Runs the checks whose needs are all among `needs`, at `place`, and records each verdict as the fact
    /// `NAME: CHECK`. A property gets `cases` cases.
    pub(crate) async fn run(
        &self,
        driver: &Driver<'_>,
        name: &str,
        place: &Place,
        needs: &[Need],
        cases: u64,
    ) -> Result<(), Halt> {
        let spec = Spec::load().map_err(|error| driver.broken(error.to_string()))?;
        for check in &self.checks {
            let Some((_, entry)) = spec.check(check.id) else { continue };
            if !entry.needs.iter().all(|need| needs.contains(need)) {
                continue;
            }
            let verdict = driver.perform_at(check, place, cases, spec).await.verdict;
            let finding = verdict.finding();
            driver.fact(
                &format!("{name}: {}", check.id),
                json!({
                    "status": verdict.status(),
                    "message": finding.map(|finding| &finding.message),
                    "got": finding.map(|finding| &finding.got),
                    "reason": verdict.reason(),
                }),
            );
        }
        Ok(())
    }
}
