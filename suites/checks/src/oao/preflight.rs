//! The happy path: a minimal agent is published and read back.

use engine::{Check, Driver, Drove, Kind};
use recording::{Judged, Recording, View};
use spec::{Contract, Spec};

use super::agents;

/// A minimal agent, without operations, is published and read back under the id that it was given.
pub(crate) fn preflight() -> Check {
    Check {
        id: "preflight-oao",
        contract: Contract::Oao,
        kind: Kind::Single { drive: |driver| Box::pin(drive(driver)), judge },
    }
}

async fn drive(driver: &Driver<'_>) -> Drove {
    let config = agents::config_without_operations(driver);
    let created = agents::create(driver, "create", &config).await;
    let id = driver.need_text(&created, "/id", "publish a minimal agent")?;
    driver.get("read", agents::path_of(driver, &id)).await;
    Ok(())
}

fn judge(recording: &Recording, _: &Spec) -> Judged {
    let (created, read) = (recording.one("create")?, recording.one("read")?);
    let (sent, got) = (created.json()?, read.json()?);
    if read.is_success() && got.get("id").is_some() && got.get("id") == sent.get("id") {
        return Ok(created.witness().and(read.witness()));
    }
    Err(read.finding("the agent that was published does not read back", "200 with the same `id`").into())
}
