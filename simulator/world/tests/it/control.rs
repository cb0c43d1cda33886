//! The control port of a world that is up.

use serde_json::{Value, json};
use spec::Contract;
use wire::{Net, http::Request};

use crate::worlds::{ask, world};

fn put(body: impl Into<String>) -> Request {
    Request::new("PUT", "/_control/model").json(body.into())
}

#[tokio::test(start_paused = true)]
async fn a_world_describes_itself() {
    for contract in Contract::ALL {
        let net = Net::memory();
        let running = world(&net, contract).await;
        // Nobody has to have a key for this.
        let answer = ask(&net, &Request::new("GET", "/_control/target")).await.unwrap();
        assert_eq!(answer.status, 200);
        let description: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(description, running.description);
        assert_eq!(description["contract"], json!(contract));
        assert_eq!(description["url"], running.url.as_str());
    }
}

#[tokio::test(start_paused = true)]
async fn the_model_is_named_and_named_again() {
    for contract in Contract::ALL {
        let net = Net::memory();
        let running = world(&net, contract).await;
        assert_eq!(running.model.get(), None);
        for url in ["http://model.test:80/v1", "http://other.test:81/s/key/v1"] {
            let answer = ask(&net, &put(json!({"url": url}).to_string())).await.unwrap();
            assert_eq!((answer.status, answer.body.len()), (204, 0), "{contract}");
            assert_eq!(running.model.get(), Some(url.parse().unwrap()), "{contract}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_bad_body_is_explained_and_changes_nothing() {
    let net = Net::memory();
    let running = world(&net, Contract::Oao).await;
    let before = "http://model.test:80/v1";
    assert_eq!(ask(&net, &put(json!({"url": before}).to_string())).await.unwrap().status, 204);
    for body in [
        "",
        "{",
        "null",
        "[]",
        "\"http://other.test:80/v1\"",
        "{}",
        r#"{"url": null}"#,
        r#"{"url": 80}"#,
        r#"{"url": ""}"#,
        r#"{"url": "other.test"}"#,
        r#"{"url": "ftp://other.test/v1"}"#,
        r#"{"url": "http://"}"#,
        r#"{"url": "http://other.test:80/v1", "model": "x"}"#,
        r#"{"address": "http://other.test:80/v1"}"#,
    ] {
        let answer = ask(&net, &put(body)).await.unwrap();
        assert_eq!(answer.status, 400, "{body}");
        let error: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(error["error"]["code"], "bad_request", "{body}");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(r#"the body must be {"url": "http://host:port/v1"}: "#), "{message}");
        assert_eq!(running.model.get(), Some(before.parse().unwrap()), "{body}");
    }
}
