//! The happy path of a client: it runs, reads the list, shows something, and ends.

use engine::{Check, Driver, Drove, Kind};
use recording::{Judged, Recording};
use spec::{Contract, Spec};

use super::{
    printed::{list_reads, visit},
    shop::{Shop, Trade, row},
};

pub(super) const ASKS_NOTHING: &str = "the client asked nothing at `PROOFHOUSE_URL`";
pub(super) const READS_NO_LIST: &str = "the client did not read the list";
const SHOWS_NOTHING: &str = "the client showed no choice";

/// Whoever does not get through is no client, or is told wrongly where to go.
pub(crate) fn preflight() -> Check {
    Check {
        id: "preflight-client",
        contract: Contract::Vetta,
        kind: Kind::Single { drive: |driver| Box::pin(client_is_run(driver)), judge: it_shows_something },
    }
}

async fn client_is_run(driver: &Driver<'_>) -> Drove {
    let shop = Shop::open(driver, vec![row(driver, "alpha")], Trade::default()).await?;
    shop.visit(None).await
}

fn it_shows_something(recording: &Recording, _: &Spec) -> Judged {
    let visit = visit(recording)?;
    let reads = list_reads(recording)?;
    if visit.choices.is_empty() {
        let expected = r#"a line {"base": STRING, "selectable": BOOLEAN} for each entry of the list"#;
        return Err(visit.seen.finding(SHOWS_NOTHING, expected).into());
    }
    Ok(visit.seen.witness().and(reads[0].seen.witness()))
}
