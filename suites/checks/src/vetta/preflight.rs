//! The happy path: somebody answers, and what answers is a harness catalogue.

use engine::{Check, Driver, Drove, Kind};
use recording::{Judged, Recording, View};
use spec::{Contract, Spec};

/// Some listed object has a `base`. No defect breaks that, so a target that does not get through is not
/// a broken catalogue but none at all.
pub(crate) fn preflight() -> Check {
    Check {
        id: "preflight-vetta",
        contract: Contract::Vetta,
        kind: Kind::Single { drive: |driver| Box::pin(drive(driver)), judge },
    }
}

async fn drive(driver: &Driver<'_>) -> Drove {
    driver.get("list", "/v1/harnesses").await;
    Ok(())
}

fn judge(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let body = list.json()?;
    // The envelope is not looked at: its form is what checks are about.
    let entries = body.get("data").unwrap_or(&body).as_array();
    let has_base = |entry: &serde_json::Value| entry.get("base").is_some_and(serde_json::Value::is_string);
    if list.is_success() && entries.is_some_and(|entries| entries.iter().any(has_base)) {
        return Ok(list.witness());
    }
    Err(list.finding("this is no harness catalogue", "a list in which some object has a `base`").into())
}
