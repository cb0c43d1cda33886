//! The steps of a client that answers tools and decides approvals.

use serde_json::{Value, json};

use crate::stage::{Client, LOOK, LOOKS_MAX, text};

impl Client {
    /// Waits until the latest run has an open call of `tool`, and lists the tool calls of the run.
    pub(crate) async fn called(&mut self, tool: &str) {
        let path = self.of_the_run("tool-calls");
        let open = |row: &Value| row["toolName"] == tool && row["stage"] == "caller_pending";
        self.until(&path, open).await;
        let listed = self.tell("GET", &path, None).await;
        let rows = listed["data"].as_array().into_iter().flatten();
        let call = rows.into_iter().find(|row| open(row)).map(|row| text(row, "/id"));
        self.call = call;
    }

    /// Claims the open call.
    pub(crate) async fn claim(&mut self) {
        let claimed = self.tell("POST", &self.of_the_call("claim"), Some(&json!({"leaseMs": 30_000}))).await;
        self.fence = Some(text(&claimed, "/fence"));
    }

    /// Hands `result` in for the call that was claimed.
    pub(crate) async fn hand_in(&mut self, result: &Value) {
        let fence = self.fence.clone().unwrap_or_else(|| panic!("`result` comes after `claim`"));
        let body = json!({"fence": fence, "safeResult": result});
        self.tell("POST", &self.of_the_call("result"), Some(&body)).await;
    }

    /// Waits until the latest run has a pending approval, lists its approvals and decides the pending one.
    pub(crate) async fn decide(&mut self, status: &str) {
        let path = self.of_the_run("approvals");
        let pending = |row: &Value| row["status"] == "pending";
        self.until(&path, pending).await;
        let listed = self.tell("GET", &path, None).await;
        let mut rows = listed["data"].as_array().into_iter().flatten();
        let id = rows.find(|row| pending(row)).map(|row| text(row, "/id")).unwrap();
        let path = self.path(&format!("approvals/{id}/decision"));
        self.tell("POST", &path, Some(&json!({"status": status}))).await;
    }

    /// Looks at the list at `path` until one of its rows is as `wanted`.
    async fn until(&mut self, path: &str, wanted: impl Fn(&Value) -> bool) {
        for _ in 0..LOOKS_MAX {
            let (_, listed) = self.ask("GET", path, None).await;
            if listed["data"].as_array().into_iter().flatten().any(&wanted) {
                return;
            }
            self.opened.clock.pause(LOOK).await;
        }
        panic!("{path} never has such a row");
    }

    fn of_the_run(&self, list: &str) -> String {
        self.path(&format!("{list}?runId={}", self.run.clone().unwrap()))
    }

    fn of_the_call(&self, action: &str) -> String {
        let call = self.call.clone().unwrap_or_else(|| panic!("`{action}` comes after `called`"));
        self.path(&format!("tool-calls/{call}/{action}"))
    }
}
