//! A client that believes nothing: it folds the events of a stream into a response, and says what is not as
//! the wire has it.

use serde_json::{Value, json};

/// Folds a whole stream into the response that it tells.
pub(super) fn fold(events: &[(String, Value)]) -> Value {
    let mut fold = Fold::default();
    for (number, (name, data)) in events.iter().enumerate() {
        assert_eq!(data["type"], *name, "the `event:` line names the type");
        assert_eq!(data["sequence_number"], number, "{data}");
        assert!(fold.end.is_none(), "nothing follows the end: {data}");
        fold.take(number, name, data);
    }
    fold.end.unwrap()
}

#[derive(Default)]
struct Fold {
    id: Value,
    done: Vec<Value>,
    /// The item that is being told, as the fragments have it so far.
    open: Option<Value>,
    /// Whether a part of it is being told.
    in_part: bool,
    /// Whether all of the part has been said.
    said: bool,
    end: Option<Value>,
}

impl Fold {
    fn take(&mut self, number: usize, name: &str, data: &Value) {
        match (number, name) {
            (0, "response.created") => {
                self.id = data["response"]["id"].clone();
                self.begun(data);
            }
            (1, "response.in_progress") => self.begun(data),
            (0 | 1, _) => panic!("event {number} is {name}"),
            (_, "response.completed" | "response.incomplete") => self.ended(name, data),
            (_, "response.output_item.added") => self.item_added(data),
            (_, "response.output_item.done") => self.item_done(data),
            (_, "response.content_part.added") => {
                self.part_added("message", "content", "content_index", data)
            }
            (_, "response.reasoning_summary_part.added") => {
                self.part_added("reasoning", "summary", "summary_index", data);
            }
            (_, "response.content_part.done") => self.part_done("content", "content_index", data),
            (_, "response.reasoning_summary_part.done") => self.part_done("summary", "summary_index", data),
            (_, name) => self.fragment(name, data),
        }
    }

    fn begun(&self, data: &Value) {
        let response = &data["response"];
        assert_eq!(response["id"], self.id);
        assert_eq!((&response["object"], &response["status"]), (&json!("response"), &json!("in_progress")));
        assert_eq!((&response["output"], &response["usage"]), (&json!([]), &Value::Null));
    }

    fn item_added(&mut self, data: &Value) {
        assert!(self.open.is_none(), "the item before has ended");
        assert_eq!(data["output_index"], self.done.len());
        let item = &data["item"];
        match item["type"].as_str().unwrap() {
            "message" => {
                assert_eq!((&item["content"], &item["role"]), (&json!([]), &json!("assistant")));
                starts(&item["id"], "msg_");
            }
            "function_call" => {
                assert_eq!(item["arguments"], "");
                starts(&item["id"], "fc_");
            }
            "reasoning" => {
                assert_eq!(item["summary"], json!([]));
                starts(&item["id"], "rs_");
            }
            other => panic!("{other} is no item"),
        }
        assert!(item["type"] == "reasoning" || item["status"] == "in_progress", "{item}");
        self.open = Some(item.clone());
    }

    /// The open item, once the data is known to be about it.
    fn about(&mut self, data: &Value) -> &mut Value {
        let number = self.done.len();
        let item = self.open.as_mut().unwrap();
        assert_eq!((&data["item_id"], &data["output_index"]), (&item["id"], &json!(number)), "{data}");
        item
    }

    fn part_added(&mut self, kind: &str, parts: &str, index: &str, data: &Value) {
        assert!(!self.in_part, "the part before has ended");
        let item = self.about(data);
        assert_eq!(item["type"], kind);
        let parts = item[parts].as_array_mut().unwrap();
        assert_eq!(data[index], parts.len());
        let empty = match data["part"]["type"].as_str().unwrap() {
            "output_text" => json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []}),
            "refusal" => json!({"type": "refusal", "refusal": ""}),
            "summary_text" => json!({"type": "summary_text", "text": ""}),
            other => panic!("{other} is no part"),
        };
        assert_eq!(data["part"], empty);
        parts.push(empty);
        (self.in_part, self.said) = (true, false);
    }

    fn part_done(&mut self, parts: &str, index: &str, data: &Value) {
        assert!(self.in_part && self.said, "a part ends once, when all of it has been said");
        let parts = self.about(data)[parts].as_array().unwrap().clone();
        assert_eq!((&data[index], Some(&data["part"])), (&json!(parts.len() - 1), parts.last()));
        self.in_part = false;
    }

    /// A piece of what is being said, or all of it.
    fn fragment(&mut self, name: &str, data: &Value) {
        let (what, whole) = match name.rsplit_once('.').unwrap() {
            (what, "delta") => (what, false),
            (what, "done") => (what, true),
            _ => panic!("{name} is no event"),
        };
        let (list, index, kind, field) = match what {
            "response.output_text" => ("content", "content_index", "output_text", "text"),
            "response.refusal" => ("content", "content_index", "refusal", "refusal"),
            "response.reasoning_summary_text" => ("summary", "summary_index", "summary_text", "text"),
            "response.function_call_arguments" => ("", "", "function_call", "arguments"),
            _ => panic!("{name} is no event"),
        };
        assert_eq!(self.in_part, !list.is_empty(), "{name} needs its part");
        assert!(!self.said, "all of it has been said");
        self.said = whole;
        let item = self.about(data);
        let said = if list.is_empty() {
            &mut *item
        } else {
            let parts = item[list].as_array_mut().unwrap();
            assert_eq!(data[index], parts.len() - 1);
            parts.last_mut().unwrap()
        };
        assert_eq!(said["type"], kind);
        if what == "response.output_text" {
            assert_eq!(data["logprobs"], json!([]));
        }
        if whole {
            assert_eq!(data[field], said[field]);
            assert!(kind != "function_call" || data["name"] == said["name"], "{data}");
        } else {
            let piece = data["delta"].as_str().unwrap();
            assert!(!piece.is_empty(), "a piece says something");
            said[field] = json!(format!("{}{piece}", said[field].as_str().unwrap()));
        }
    }

    fn item_done(&mut self, data: &Value) {
        assert!(!self.in_part, "no part is open");
        assert_eq!(data["output_index"], self.done.len());
        let mut item = self.open.take().unwrap();
        assert!(item["type"] != "function_call" || std::mem::take(&mut self.said), "its arguments were told");
        self.said = false;
        let done = data["item"].clone();
        // These are known in the end only.
        for late in ["status", "encrypted_content"] {
            if !item[late].is_null() {
                assert!(done[late].is_string(), "{done}");
                item[late] = done[late].clone();
            }
        }
        assert_eq!(done, item, "the fragments make the item");
        self.done.push(item);
    }

    fn ended(&mut self, name: &str, data: &Value) {
        assert!(self.open.is_none(), "every item has ended");
        let response = &data["response"];
        assert_eq!((&response["id"], &response["output"]), (&self.id, &json!(self.done)));
        assert_eq!(format!("response.{}", response["status"].as_str().unwrap()), name);
        self.end = Some(response.clone());
    }
}

fn starts(id: &Value, prefix: &str) {
    assert!(id.as_str().unwrap().starts_with(prefix), "{id}");
}
