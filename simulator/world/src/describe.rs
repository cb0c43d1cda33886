//! What a world says of itself at `/_control/target`: a complete target description.

use serde_json::{Value, json};
use spec::Contract;

/// The description of the simulator of `contract` at `url`. `lane` is `virtual` or `wall`.
pub fn describe(contract: Contract, url: &str, lane: &str) -> Value {
    let (credentials, settings) = match contract {
        Contract::Oao => crate::oao_server::described(),
        Contract::Vetta => crate::vetta_server::described(),
    };
    json!({
        "name": "proofhouse-simulator",
        "version": env!("CARGO_PKG_VERSION"),
        "contract": contract,
        "url": url,
        "lane": lane,
        "credentials": credentials,
        "settings": settings,
        "claims": [],
        "model": {"listen": "127.0.0.1:0", "by_control": true},
    })
}
