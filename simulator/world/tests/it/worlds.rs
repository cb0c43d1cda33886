//! Worlds that come up, and worlds that do not.

use std::time::Duration;

use proofhouse_world::{Plan, Running, StartError, start};
use spec::Contract;
use wire::{
    Clock, Net, Seed,
    http::{Failure, Limits, Request, Response, send},
};

pub(crate) const AT: &str = "world.test:80";

const LIMITS: Limits =
    Limits { head: Duration::from_secs(5), whole: Duration::from_secs(20), body_bytes_max: 1024 * 1024 };

pub(crate) fn plan(net: &Net, contract: Contract, defects: &[&str]) -> Plan {
    Plan {
        contract,
        defects: defects.iter().map(|defect| (*defect).to_owned()).collect(),
        net: net.clone(),
        clock: Clock::virtual_time(),
        seed: Seed::of_run(1),
        listen: AT.to_owned(),
        model: None,
        lane: "virtual",
    }
}

pub(crate) async fn world(net: &Net, contract: Contract) -> Running {
    start(plan(net, contract, &[])).await.unwrap()
}

pub(crate) async fn ask(net: &Net, request: &Request) -> Result<Response, Failure> {
    send(net, AT, request, LIMITS).await
}

#[tokio::test(start_paused = true)]
async fn a_world_serves_until_it_is_stopped_or_dropped() {
    for contract in Contract::ALL {
        let net = Net::memory();
        for stop in [true, false] {
            let running = world(&net, contract).await;
            assert_eq!((running.authority.as_str(), running.url.as_str()), (AT, "http://world.test:80"));
            let request = Request::new("GET", "/_control/target");
            assert_eq!(ask(&net, &request).await.unwrap().status, 200);
            if stop {
                running.stop().await;
            } else {
                drop(running);
                // The server's task ends when it is next looked at.
                tokio::task::yield_now().await;
            }
            let gone = ask(&net, &request).await;
            assert!(matches!(gone, Err(Failure::Connect { .. })), "{contract}, stopped {stop}: {gone:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_taken_address_is_named() {
    let net = Net::memory();
    let _running = world(&net, Contract::Vetta).await;
    let taken = start(plan(&net, Contract::Oao, &[])).await.unwrap_err();
    assert!(matches!(taken, StartError::Listen { .. }), "{taken:?}");
    assert!(taken.to_string().starts_with("cannot listen at world.test:80: "), "{taken}");
}

#[tokio::test(start_paused = true)]
async fn a_defect_that_does_not_exist_keeps_the_world_down() {
    let net = Net::memory();
    for contract in Contract::ALL {
        let error = start(plan(&net, contract, &["no-such-defect"])).await.unwrap_err();
        assert!(matches!(error, StartError::Defect(_)), "{error:?}");
        assert!(error.to_string().contains("no-such-defect"), "{error}");
    }
    assert!(net.listen(AT).await.is_ok(), "the address was taken all the same");
}
