//! The file that is written: when, where, and what becomes of one that is there.

use std::{fs, path::Path};

use model::{
    Answer, Script, ToolCall, Turn,
    import::aimock,
    record::{Existing, Options, RecordError, Recorder, save, serve},
    script::WireName,
};
use serde_json::{Value, json};
use wire::{Clock, Net};

use super::{
    studio::{Studio, post},
    talk::Talk,
};
use crate::client::{World, json_of};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn hello(text: &str) -> Value {
    let mut talk = Talk::new(WireName::Chat, &[]);
    talk.say(text);
    talk.request(false)
}

fn script(texts: &[&str]) -> Script {
    let turns = texts
        .iter()
        .enumerate()
        .map(|(number, text)| Turn::new(format!("t{number}"), Answer::new().text(*text)));
    Script::new("upstream", turns).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_file_is_whole_after_every_exchange() {
    let studio = Studio::new().await;
    studio.upstream(script(&["one", "two", "three"])).await;
    assert_eq!(names(studio.folder.path()), [""; 0], "nothing is written before there is something to write");
    for count in 1..=3 {
        studio.post("/v1/chat/completions", &hello(&format!("number {count}"))).await;
        assert_eq!(studio.script().turns().count(), count);
        assert_eq!(names(studio.folder.path()), ["script.json"]);
    }
    assert_eq!(studio.script(), studio.recorder.script().unwrap());
    assert_eq!(studio.script().name(), "script");
}

#[tokio::test(start_paused = true)]
async fn what_a_request_brings_is_part_of_no_path() {
    let studio = Studio::new().await;
    studio.upstream(script(&["one", "two", "three"])).await;
    let outside = names(studio.folder.path().parent().unwrap()).len();
    for (path, header) in [
        ("/v1/chat/completions", "x-proofhouse-session"),
        ("/s/..%2F..%2Fetc/v1/chat/completions", "x-test-id"),
        ("/s/../v1/chat/completions", "x-aimock-context"),
    ] {
        let request = post(path, &hello("../../../../tmp/evil\0")).header(header, "../../../tmp/evil");
        assert_eq!(studio.send(request).await.status, 200, "{path}");
    }
    assert_eq!(names(studio.folder.path()), ["script.json"]);
    assert!(names(studio.folder.path().parent().unwrap()).len() <= outside + 1);
    assert_eq!(studio.json()["conversations"][0]["id"], "tmp-evil");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_there_is_kept_unless_more_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.yaml");
    fs::write(&file, "not for you").unwrap();
    let mut options = Options::new(&file, "http://upstream.test");
    options.net = Some(Net::memory());
    let build = |options: &Options| Recorder::new(Clock::virtual_time(), options.clone());
    let refused = build(&options).unwrap_err();
    assert!(matches!(refused, RecordError::Exists { .. }), "{refused}");
    assert!(
        refused
            .to_string()
            .ends_with("script.yaml is there already; extend it, replace it or name another file")
    );
    options.existing = Existing::Extend;
    let refused = build(&options).unwrap_err().to_string();
    assert!(
        refused.starts_with("the script that is to be extended cannot be read: ")
            && refused.contains("script.yaml:1:1"),
        "{refused}"
    );
    options.existing = Existing::Replace;
    build(&options).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "not for you", "it stays until there is something else");
    options.file = folder.path().join("no/folder/script.json");
    let refused = build(&options).unwrap_err().to_string();
    assert!(refused.contains("script.json cannot be written: there is no folder "), "{refused}");
    for path in [folder.path().to_owned(), "..".into(), "/".into()] {
        options.file = path;
        assert!(matches!(build(&options), Err(RecordError::Write { .. })), "{options:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_that_is_extended_says_what_it_said_and_more() {
    let call = ToolCall { id: None, ..ToolCall::new("", "read", json!({})) };
    let before = Script::new("old", [Turn::new("a", Answer::new().call(call)).repeat()]).unwrap();
    let studio = Studio::with(|options| {
        let folder = options.file.parent().unwrap().to_owned();
        save(&before, &folder.join("script.json"), Existing::Refuse).unwrap();
        options.existing = Existing::Extend;
    })
    .await;
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "before"}]});
    let taken = ToolCall::new("call_a_0", "read", json!({"n": 1}));
    studio.upstream(Script::new("upstream", [Turn::new("t", Answer::new().call(taken))]).unwrap()).await;
    studio.post("/v1/chat/completions", &body).await;
    let json = studio.json();
    assert_eq!((&json["name"], &json["conversations"][0]["id"]), (&json!("old"), &json!("before")));
    assert_eq!(json["conversations"][0]["turns"][0]["answer"]["tool_calls"][0]["id"], "call_a_0");
    assert_eq!(json["conversations"][1]["id"], "before-2");
    assert_eq!(json["conversations"][1]["turns"][0]["answer"]["tool_calls"][0]["id"], "call_a_0_2");
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_written_is_written_in_the_end_or_told() {
    let studio = Studio::new().await;
    studio.upstream(script(&["one", "two"])).await;
    let elsewhere = studio.folder.path().with_extension("away");
    fs::rename(studio.folder.path(), &elsewhere).unwrap();
    assert_eq!(studio.post("/v1/chat/completions", &hello("first")).await.status, 200);
    assert!(
        studio.told()[0].contains("recorded as first/turn-1; ")
            && studio.told()[0].contains("cannot be written")
    );
    fs::rename(&elsewhere, studio.folder.path()).unwrap();
    let listener = studio.net.listen("second.test:80").await.unwrap();
    let report = serve(studio.recorder.clone(), listener, async {}).await.unwrap();
    assert_eq!((report.recorded, studio.script().turns().count()), (1, 1));

    fs::rename(studio.folder.path(), &elsewhere).unwrap();
    studio.post("/v1/chat/completions", &hello("second")).await;
    let listener = studio.net.listen("third.test:80").await.unwrap();
    let error = serve(studio.recorder.clone(), listener, async {}).await.unwrap_err();
    assert!(matches!(error, RecordError::Write { .. }), "{error}");
    fs::rename(&elsewhere, studio.folder.path()).unwrap();
    assert_eq!(studio.script().turns().count(), 1, "the file is as it was");
}

#[tokio::test(start_paused = true)]
async fn an_imported_script_is_saved_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("imported.json");
    let fixtures = r#"{"fixtures": [{"match": {"userMessage": "hi"}, "response": {"content": "Ahoy."}}]}"#;
    let imported = aimock(fixtures, "f.json").unwrap();
    save(&imported.script, &file, Existing::Refuse).unwrap();
    assert!(save(&imported.script, &file, Existing::Refuse).is_err());
    let world = World::new().await;
    world.host.load(model::DEFAULT_SESSION, Script::from_path(&file).unwrap());
    let answer = json_of(&world.ask("default", &hello("hi")).await);
    assert_eq!(answer["choices"][0]["message"]["content"], "Ahoy.");
}
