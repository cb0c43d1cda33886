//! How long a run took.

use recording::Outcome;
use serde::{Deserialize, Serialize};

/// So many of the slowest checks are named.
const SLOWEST_MAX: usize = 5;

/// How long the checks of a contract took. All of it is the machine's time, in which no two runs agree: with
/// the members called `duration_ms` it is what two reports of one seed may differ in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// From the first check to the last, in milliseconds.
    pub duration_ms: u64,
    /// Checks per second, to a tenth.
    pub checks_per_second: f64,
    /// The slowest checks, the slowest first; of equally slow ones the one that was planned first.
    pub slowest: Vec<SlowCheck>,
}

/// A check that took long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowCheck {
    /// Its id.
    pub id: String,
    /// How long it took, in milliseconds of the machine's time.
    pub duration_ms: u64,
}

impl Timing {
    /// The timing of checks that took `duration_ms` together; `None` where none ran.
    pub fn of(outcomes: &[Outcome], duration_ms: u64) -> Option<Self> {
        Self::of_all(outcomes.iter().map(|outcome| (outcome.id.as_str(), outcome.duration_ms)), duration_ms)
    }

    fn of_all<'a>(checks: impl Iterator<Item = (&'a str, u64)>, duration_ms: u64) -> Option<Self> {
        let mut checks: Vec<(&str, u64)> = checks.collect();
        if checks.is_empty() {
            return None;
        }
        let per_second = checks.len() as f64 * 1_000.0 / duration_ms.max(1) as f64;
        checks.sort_by_key(|(_, ms)| std::cmp::Reverse(*ms));
        let slowest = checks.iter().take(SLOWEST_MAX);
        Some(Self {
            duration_ms,
            checks_per_second: (per_second * 10.0).round() / 10.0,
            slowest: slowest.map(|(id, ms)| SlowCheck { id: (*id).to_owned(), duration_ms: *ms }).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(checks: &[(&str, u64)], duration_ms: u64) -> Option<Timing> {
        Timing::of_all(checks.iter().copied(), duration_ms)
    }

    #[test]
    fn the_slowest_come_first_and_equals_stay_in_order() {
        let checks = [("a", 3), ("b", 9), ("c", 3), ("d", 0), ("e", 3), ("f", 700), ("g", 1)];
        let timing = timing(&checks, 2_000).unwrap();
        let names: Vec<&str> = timing.slowest.iter().map(|check| check.id.as_str()).collect();
        assert_eq!(names, ["f", "b", "a", "c", "e"]);
        assert_eq!(timing.slowest[0].duration_ms, 700);
        assert_eq!(timing.checks_per_second, 3.5);
    }

    #[test]
    fn few_checks_and_no_time_at_all_are_no_trouble() {
        assert_eq!(timing(&[], 5), None);
        assert_eq!(timing(&[("a", 0)], 0).unwrap().checks_per_second, 1_000.0);
        assert_eq!(timing(&[("a", 0)], 30_000).unwrap().checks_per_second, 0.0);
        assert_eq!(timing(&[("a", 0)], 7_000).unwrap().checks_per_second, 0.1);
    }
}
