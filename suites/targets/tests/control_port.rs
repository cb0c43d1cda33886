//! What a simulator says of itself is all that the suite needs to judge it.

use std::time::Duration;

use engine::target::from_json;
use recording::Lane;
use spec::Contract;
use wire::{
    Clock, Net, Seed,
    http::{Limits, Request, send},
};
use world::{Plan, start};

const LIMITS: Limits =
    Limits { head: Duration::from_secs(5), whole: Duration::from_secs(5), body_bytes_max: 1024 * 1024 };

#[tokio::test(start_paused = true)]
async fn the_description_at_the_control_port_is_a_complete_one() {
    for contract in Contract::ALL {
        for (lane, expected) in [("virtual", Lane::Virtual), ("wall", Lane::Wall)] {
            let net = Net::memory();
            let plan = Plan {
                contract,
                defects: Vec::new(),
                net: net.clone(),
                clock: Clock::virtual_time(),
                seed: Seed::of_run(1),
                listen: "simulator.test:80".to_owned(),
                model: None,
                lane,
            };
            let running = start(plan).await.unwrap();
            let request = Request::new("GET", "/_control/target");
            let answer = send(&net, &running.authority, &request, LIMITS).await.unwrap();
            let text = std::str::from_utf8(&answer.body).unwrap();
            let description = from_json(text).unwrap_or_else(|error| panic!("{contract}: {error}"));

            assert_eq!((description.contract, description.lane), (contract, expected));
            assert_eq!(description.address().unwrap(), (running.authority.clone(), String::new()));
            assert!(description.secret("primary").is_some(), "{contract} gives no credential");
            assert!(
                description.model.is_some_and(|wiring| wiring.by_control),
                "{contract}: no way to steer a model"
            );
        }
    }
}
