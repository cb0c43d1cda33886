//! The happy path: a minimal agent is published and read back.

use engine::{Call, Check, Driver, Drove, Kind};
use recording::{Judged, Recording, View};
use serde_json::json;
use spec::{Contract, Spec};

/// A minimal agent, without operations, is published and read back under the id that it was given.
pub(crate) fn preflight() -> Check {
    Check {
        id: "preflight-oao",
        contract: Contract::Oao,
        kind: Kind::Single { drive: |driver| Box::pin(drive(driver)), judge },
    }
}

async fn drive(driver: &Driver<'_>) -> Drove {
    let project = driver.facts().text("project").unwrap_or("default").to_owned();
    let preset = driver.facts().text("model_preset").unwrap_or("default").to_owned();
    let config = json!({
        "systemPrompt": format!("Answer briefly. {}", driver.marker()),
        "modelPreset": preset,
        "tools": [],
        "limits": {"maxTurns": 32, "timeoutMs": 60_000},
    });
    let body = json!({"name": format!("preflight {}", driver.token()), "config": config});
    let path = format!("/v1/projects/{project}/agents");
    let created = driver.send("create", Call::post(path.clone(), &body).header("idempotency-key", driver.token())).await;
    let id = driver.need_text(&created, "/id", "publish a minimal agent")?;
    driver.get("read", format!("{path}/{id}")).await;
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
