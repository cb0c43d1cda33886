//! Nothing secret is written down.

use model::script::WireName;
use serde_json::json;

use super::{
    studio::{Studio, answer, post},
    talk::Talk,
};
use crate::client::{World, json_of};

/// A key that looks like none, so that only its own request tells that it is one.
const OWN: &str = "correct-horse-battery";
const KEYS: [&str; 5] = [
    "sk-ant-api03-0123456789abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
];

#[tokio::test(start_paused = true)]
async fn no_secret_of_a_request_or_an_answer_is_in_the_file() {
    let leaks = format!(
        "keys: {} {} aws_secret_access_key={} Bearer {} {} and {OWN}",
        KEYS[0], KEYS[1], KEYS[2], KEYS[3], KEYS[4]
    );
    let arguments = json!({"env": leaks, OWN: 1}).to_string();
    let message = json!({"content": leaks, "reasoning": leaks, "tool_calls": [
        {"id": "call_1", "function": {"name": "deploy", "arguments": arguments}},
        {"id": "call_2", "function": {"name": "deploy", "arguments": format!("{arguments} cut")}},
    ]});
    let whole = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let error = json!({"error": {"message": format!("Incorrect API key provided: {leaks}"), "code": "invalid_api_key"}});
    let studio = Studio::new().await;
    studio
        .canned(vec![
            answer("200 OK", "application/json", &whole.to_string()),
            answer("401 Unauthorized", "application/json", &error.to_string()),
        ])
        .await;
    for (number, header) in
        [("one", ("authorization", format!("Bearer {OWN}"))), ("two", ("x-api-key", OWN.to_owned()))]
    {
        let body = json!({"model": "m", "tools": [{"type": "function", "function": {"name": "deploy"}}], "messages": [
            {"role": "system", "content": leaks},
            {"role": "user", "content": format!("{OWN} {leaks} deploy number {number}")},
        ]});
        let request = post(&format!("/v1/chat/completions?key={OWN}"), &body).header(header.0, header.1);
        studio.send(request).await;
    }
    let text = std::fs::read_to_string(studio.file()).unwrap();
    for secret in KEYS.iter().chain([&OWN]) {
        assert!(!text.contains(secret), "{secret} stands in {text}");
        assert!(!studio.told().concat().contains(secret), "{:?}", studio.told());
    }
    assert!(text.contains("REDACTED"), "{text}");
    assert_eq!(studio.script().turns().count(), 2, "{:?}", studio.told());

    // What is left of the text is enough to know the request again.
    let again = World::new().await;
    again.host.load(model::DEFAULT_SESSION, studio.script());
    let mut talk = Talk::new(WireName::Chat, &["deploy"]);
    talk.say("a keys: b c aws_secret_access_key=d Bearer e f and g deploy number one");
    let said = json_of(&again.post(talk.path(), &talk.request(false)).await);
    assert_eq!(said["choices"][0]["message"]["tool_calls"][0]["id"], "call_1", "{said}");
}

/// Whatever a request carries is taken out of what stands elsewhere, the proof of a thought included.
#[tokio::test(start_paused = true)]
async fn a_secret_is_taken_out_of_every_part_of_an_answer() {
    let studio = Studio::new().await;
    let answered = json!({"content": [
        {"type": "thinking", "thinking": OWN, "signature": OWN},
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {OWN: [OWN]}},
    ], "stop_reason": "tool_use", "type": "message", "id": "msg_1", "role": "assistant", "model": "m"});
    let kinds = [
        ("cookie", format!("a=1; s=\"{OWN}\"")),
        ("x-auth-token", OWN.to_owned()),
        ("cf-access-client-secret", OWN.to_owned()),
        ("helicone-auth", format!("Bearer {OWN}")),
        // `user:correct-horse-battery`
        ("proxy-authorization", "Basic dXNlcjpjb3JyZWN0LWhvcnNlLWJhdHRlcnk=".to_owned()),
    ];
    let canned = answer("200 OK", "application/json", &answered.to_string());
    studio.canned(kinds.iter().map(|_| canned.clone()).collect()).await;
    for (number, (name, value)) in kinds.into_iter().enumerate() {
        let body = json!({"model": "m", "max_tokens": 9, "messages": [
            {"role": "user", "content": format!("{OWN} number {number}")},
        ]});
        assert_eq!(studio.send(post("/v1/messages", &body).header(name, value)).await.status, 200);
        let text = std::fs::read_to_string(studio.file()).unwrap();
        assert!(!text.contains(OWN) && text.contains("REDACTED"), "{name}: {text}");
    }
}
