//! What a world says of itself at `/_control/target`: a complete target description.

use serde_json::{Value, json};
use spec::Contract;

/// The description of the simulator of `contract` at `url`. `lane` is `virtual` or `wall`.
pub fn describe(contract: Contract, url: &str, lane: &str) -> Value {
    let (credentials, settings) = match contract {
        Contract::Oao => crate::oao_server::described(),
        Contract::Vetta => crate::vetta_server::described(),
    };
    let (claims, untestable): (&[&str], &[&str]) = match contract {
        Contract::Oao if lane == "wall" => (crate::oao_server::CLAIMS, crate::oao_server::NOT_IN_REAL_TIME),
        Contract::Oao => (crate::oao_server::CLAIMS, &[]),
        Contract::Vetta => (&[], &[]),
    };
    json!({
        "name": "proofhouse-simulator",
        "version": env!("CARGO_PKG_VERSION"),
        "contract": contract,
        "url": url,
        "lane": lane,
        "credentials": credentials,
        "settings": settings,
        "claims": claims,
        "scope": {"untestable": untestable},
        "model": {"listen": "127.0.0.1:0", "by_control": true},
    })
}
