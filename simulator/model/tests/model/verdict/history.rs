//! What a conversation remembers.

use model::Severity;
use serde_json::{Value, json};

use super::{
    ask, assistant, broken, call, calls, found, kept, playing, result, says, streamed, then, verdict,
};
use crate::client::{World, user};

async fn remembers(answer: Value, messages: &[Value]) -> World {
    let turns = json!([
        {"id": "a", "answer": answer},
        {"id": "b", "answer": {"text": "b"}},
    ]);
    let world = playing(turns).await;
    let body = user("go", &[]);
    ask(&world, &body).await;
    ask(&world, &then(&body, messages)).await;
    world
}

#[tokio::test(start_paused = true)]
async fn a_text_comes_back_as_it_was_sent() {
    let answer = json!({"text": "Café: 1\n2 "});
    let parts = json!({"role": "assistant", "content": [{"type": "text", "text": "Café: 1\n2"}]});
    for back in [assistant("Café: 1\n2 "), assistant("Café: 1\n2"), parts] {
        let world = remembers(answer.clone(), &[back, says("more")]).await;
        kept(&world, "keeps-history");
    }
    for back in ["CafÃ©: 1\n2 ", "Café: 1 2", "Café"] {
        let world = remembers(answer.clone(), &[assistant(back), says("more")]).await;
        let message =
            format!("a text came back changed: \"Café: 1\\n2\" became {back:?}", back = back.trim());
        broken(&world, "keeps-history", &message, &[1, 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_beside_calls_may_be_forgotten_but_not_changed() {
    let answer =
        json!({"text": "Let me look.", "tool_calls": [{"id": "c1", "name": "look", "arguments": {}}]});
    for (content, fine) in [(json!(null), true), (json!("Let me look."), true), (json!("I look."), false)] {
        let mut back = calls(&[call("c1", "look", "{}")]);
        back["content"] = content;
        let world = remembers(answer.clone(), &[back, result("c1")]).await;
        assert_eq!(verdict(&world).of("keeps-history").count() == 0, fine);
    }
}

#[tokio::test(start_paused = true)]
async fn thinking_that_comes_back_as_text_is_noted() {
    let answer = json!({"thinking": "Hm.", "text": "Well."});
    let back = assistant("<think>\nHm.\n</think>\nWell.");
    let world = remembers(answer.clone(), &[back, says("more")]).await;
    found(&world, "keeps-history", Severity::Note, "thinking came back as a part of the text", &[1, 2]);
    let world = remembers(answer, &[assistant("Oh. Well."), says("more")]).await;
    broken(&world, "keeps-history", "became \"Oh. Well.\"", &[1, 2]);
}

#[tokio::test(start_paused = true)]
async fn texts_that_nobody_sent_are_the_business_of_the_client() {
    let turns = json!([{"id": "a", "answer": {"text": "a"}}, {"id": "b", "answer": {"text": "b"}}]);
    let world = playing(turns).await;
    let taught = then(&user("an example", &[]), &[assistant("like this"), says("go")]);
    ask(&world, &taught).await;
    ask(&world, &then(&taught, &[assistant("a"), says("on")])).await;
    kept(&world, "keeps-history");
}

/// A blank where something was said is a text that was lost; calls without the words beside them are none.
#[tokio::test(start_paused = true)]
async fn a_text_does_not_come_back_empty() {
    let world = remembers(json!({"text": "Well."}), &[assistant(""), says("more")]).await;
    broken(&world, "keeps-history", "a text came back empty: \"Well.\"", &[1, 2]);
    let world = remembers(json!({"text": "Well."}), &[says("more")]).await;
    assert_eq!(verdict(&world).of("keeps-history").count(), 0, "it was left out");
    let world = remembers(json!({"text": ""}), &[assistant(""), says("more")]).await;
    assert_eq!(verdict(&world).of("keeps-history").count(), 0, "it was empty");
}

/// An answer that lost nothing but what nobody has to read is an answer all the same.
#[tokio::test(start_paused = true)]
async fn a_text_of_an_answer_that_had_its_finish_comes_back_as_it_was_sent() {
    for (back, fine) in [("Hello there friend", true), ("Hello the", false), ("Hi", false)] {
        let turns = json!([
            {"id": "a", "answer": {"text": "Hello there friend"}, "faults": [{"drop_events": "done", "first": 1}]},
            {"id": "b", "answer": {"text": "b"}},
        ]);
        let world = playing(turns).await;
        ask(&world, &streamed("go")).await;
        ask(&world, &then(&streamed("go"), &[assistant(back), says("more")])).await;
        match fine {
            true => kept(&world, "keeps-history"),
            false => broken(&world, "keeps-history", &format!("became {back:?}"), &[1, 2]),
        }
    }
}
