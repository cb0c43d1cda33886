//! One check, from drive to verdict.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use recording::{Lane, Recording, Stop, Verdict};
use spec::Spec;
use wire::{Seed, clock::Stopwatch};

use crate::{Check, Driver, Kind, Opened, applicable, driver::Site, frame, property};

/// How many cases a property check gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Cases, from number 0.
    pub cases: u64,
    /// The one case to repeat, in place of all.
    pub case: Option<u64>,
    /// Attempts at a smaller counterexample.
    pub shrinks: u32,
}

impl Sampling {
    /// The default of a lane: 256 cases in process, 16 by URL.
    pub fn of(lane: Lane) -> Self {
        match lane {
            Lane::Virtual => Self { cases: 256, case: None, shrinks: 200 },
            Lane::Wall => Self { cases: 16, case: None, shrinks: 16 },
        }
    }

    /// The matrix asks whether a check can fail, so a few directed cases do, and nothing is shrunk.
    pub fn of_matrix() -> Self {
        Self { cases: 48, case: None, shrinks: 0 }
    }
}

/// How long a check may take on the world's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(pub Duration);

impl Budget {
    /// The default of a lane. Virtual time costs nothing, so that budget only has to end; some of what the
    /// contracts promise lasts for a day.
    pub fn of(lane: Lane) -> Self {
        match lane {
            Lane::Virtual => Self(Duration::from_secs(200_000)),
            Lane::Wall => Self(Duration::from_secs(120)),
        }
    }

    /// The budget of a preflight. Whoever points the suite at something that is no harness, for each of two
    /// contracts, is told so within half a minute.
    pub fn of_preflight(lane: Lane) -> Self {
        match lane {
            Lane::Virtual => Self::of(lane),
            Lane::Wall => Self(Duration::from_secs(10)),
        }
    }
}

/// A check that was driven and judged.
#[derive(Debug)]
pub struct Performed {
    /// What happened.
    pub recording: Recording,
    /// What was decided.
    pub verdict: Verdict,
    /// How long it took, in milliseconds of the machine's time.
    pub duration_ms: u64,
}

/// Drives `check` against `opened` and judges the recording. `seed` is the check's own.
pub async fn perform(
    check: &Check,
    opened: &Opened,
    seed: Seed,
    nonce: &str,
    sampling: Sampling,
    budget: Budget,
    spec: &Spec,
) -> Performed {
    let Opened { authority, prefix, description, .. } = opened;
    let site = Site { authority, prefix, description };
    perform_on(check, opened, site, (seed, nonce), sampling, budget, spec).await
}

/// As [`perform`], with `site` in the place of the target.
pub(crate) async fn perform_on(
    check: &Check,
    opened: &Opened,
    site: Site<'_>,
    (seed, nonce): (Seed, &str),
    sampling: Sampling,
    budget: Budget,
    spec: &Spec,
) -> Performed {
    let stopwatch = Stopwatch::start();
    let facts = site.description.facts();
    let token = format!("ph{}", seed.child(nonce).token());
    let driver = Driver::new(opened, site, &facts, token.clone(), seed);
    let needs = spec.check(check.id).map_or(&[][..], |(_, entry)| entry.needs.as_slice());
    match applicable::unmet(needs, &facts, opened.model.is_some()) {
        Some(means) => {
            let _ = driver.unmet(&means);
        }
        None => drive(check, &driver, sampling, budget, spec).await,
    }
    if let Some(model) = &opened.model {
        model.forget(&token);
    }
    let recording = driver.recorder().finish(check.id, &token, facts.clone());
    let verdict = frame::judge(check, &recording, spec);
    Performed { recording, verdict, duration_ms: stopwatch.elapsed_ms() }
}

async fn drive(check: &Check, driver: &Driver<'_>, sampling: Sampling, budget: Budget, spec: &Spec) {
    let driven = async {
        match check.kind {
            Kind::Single { drive, .. } => drive(driver).await,
            Kind::Property(property) => {
                property::drive_cases(check.id, property, driver, sampling, spec).await
            }
        }
    };
    // A halt is recorded by whoever made it.
    match driver.clock().within(budget.0, AssertUnwindSafe(driven).catch_unwind()).await {
        Some(Ok(_)) => {}
        Some(Err(panic)) => {
            let _ = driver.broken(format!("the drive panicked: {}", frame::words(&*panic)));
        }
        None => {
            driver.recorder().set_case(None);
            let ms = u64::try_from(budget.0.as_millis()).unwrap_or(u64::MAX);
            let _ = driver.stop("budget", Stop::Budget { ms });
        }
    }
}
