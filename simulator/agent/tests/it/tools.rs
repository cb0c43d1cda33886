//! The tools over a workspace.

use std::sync::{Arc, Mutex};

use proofhouse_agent::{
    CallContext, Cancel, Tool, ToolOutcome, Workspace,
    tools::{
        Bash, Command, CommandEnd, CommandWatch, Commands, Edit, Glob, Grep, Reaction, Read, Unwatched, Write,
    },
};
use serde_json::{Value, json};

async fn call(tool: &dyn Tool, arguments: Value) -> ToolOutcome {
    let context =
        CallContext { tool_call_id: "call".into(), turn_id: "turn".into(), cancel: Cancel::default() };
    tool.call(context, arguments).await
}

async fn done(tool: &dyn Tool, arguments: Value) -> String {
    match call(tool, arguments.clone()).await {
        ToolOutcome::Done(text) => text,
        failed @ ToolOutcome::Failed { .. } => panic!("{arguments}: {failed:?}"),
    }
}

async fn refused(tool: &dyn Tool, arguments: Value) -> String {
    match call(tool, arguments.clone()).await {
        ToolOutcome::Failed { message, .. } => message,
        done @ ToolOutcome::Done(_) => panic!("{arguments}: {done:?}"),
    }
}

fn files() -> Workspace {
    let files = Workspace::default();
    for (path, content) in [
        ("notes.md", "# Notes\none line\nanother line\n"),
        ("src/a.rs", "fn a() {}\n"),
        ("src/deep/b.rs", "fn b() {}\n// a line\n"),
        (".oao/attachments/r/in.txt", "line\r\n"),
    ] {
        files.write(path, content).unwrap();
    }
    files
}

#[tokio::test]
async fn what_is_written_is_read_and_edited() {
    let files = files();
    let (read, write, edit) = (Read(files.clone()), Write(files.clone()), Edit(files.clone()));
    assert_eq!(
        done(&write, json!({"path": "./new.txt", "content": "ä\nb\nc"})).await,
        "wrote 6 bytes to `./new.txt`"
    );
    assert_eq!(done(&read, json!({"path": "/new.txt"})).await, "ä\nb\nc");
    assert_eq!(done(&read, json!({"path": "new.txt", "offset": 2})).await, "b\nc");
    assert_eq!(done(&read, json!({"path": "new.txt", "offset": 2, "limit": 1})).await, "b\n");
    assert_eq!(done(&read, json!({"path": "new.txt", "offset": 9})).await, "");
    let edits = json!([{"oldText": "b", "newText": "B"}, {"oldText": "ä", "newText": "a"}]);
    assert_eq!(done(&edit, json!({"path": "new.txt", "edits": edits})).await, "made 2 edits in `new.txt`");
    assert_eq!(done(&read, json!({"path": "new.txt"})).await, "a\nB\nc");
    let half = json!([{"oldText": "a", "newText": "x"}, {"oldText": "nowhere", "newText": "y"}]);
    assert!(
        refused(&edit, json!({"path": "new.txt", "edits": half}))
            .await
            .contains("does not stand in `new.txt`")
    );
    assert_eq!(done(&read, json!({"path": "new.txt"})).await, "a\nB\nc");
}

#[tokio::test]
async fn a_large_file_is_read_in_pieces() {
    let files = Workspace::default();
    files.write("large", "0123456789abcde\n".repeat(10_000)).unwrap();
    let read = Read(files);
    let whole = done(&read, json!({"path": "large"})).await;
    assert!(whole.len() < 70_000 && whole.ends_with("of 160000 bytes; read on with `offset` and `limit`]"));
    assert_eq!(done(&read, json!({"path": "large", "offset": 9_999})).await.len(), 32);
}

#[tokio::test]
async fn arguments_that_do_not_hold_are_refused() {
    let files = files();
    let tools: [(Arc<dyn Tool>, Vec<Value>); 6] = [
        (
            Arc::new(Read(files.clone())),
            vec![
                json!({}),
                json!({"path": 7}),
                json!({"path": "../x"}),
                json!({"path": "gone"}),
                json!({"path": "notes.md", "offset": 0}),
                json!({"path": "notes.md", "limit": "3"}),
            ],
        ),
        (
            Arc::new(Write(files.clone())),
            vec![
                json!({"path": "x"}),
                json!({"path": "/", "content": ""}),
                json!({"path": "src", "content": ""}),
                json!({"path": "notes.md/x", "content": ""}),
            ],
        ),
        (
            Arc::new(Edit(files.clone())),
            vec![
                json!({"path": "notes.md"}),
                json!({"path": "notes.md", "edits": []}),
                json!({"path": "notes.md", "edits": [{"oldText": "line", "newText": ""}]}),
                json!({"path": "gone", "edits": [{"oldText": "a", "newText": "b"}]}),
            ],
        ),
        (
            Arc::new(Glob(files.clone())),
            vec![json!({}), json!({"pattern": ""}), json!({"pattern": "*", "path": "../.."})],
        ),
        (
            Arc::new(Grep(files.clone())),
            vec![
                json!({"pattern": "("}),
                json!({"pattern": "a".repeat(257)}),
                json!({"pattern": "(a{1,100}){1,100}"}),
                json!({"pattern": "a", "glob": ""}),
            ],
        ),
        (
            Arc::new(Bash { commands: Arc::default(), network: false, watch: Arc::new(Unwatched) }),
            vec![json!({}), json!({"command": "  "})],
        ),
    ];
    let before = files.paths();
    for (tool, list) in tools {
        for arguments in list.into_iter().chain([json!(null), json!([]), json!("x")]) {
            assert!(!refused(tool.as_ref(), arguments).await.is_empty());
        }
    }
    assert_eq!(files.paths(), before);
}

#[tokio::test]
async fn files_are_found_by_path_and_lines_by_expression() {
    let files = files();
    let (glob, grep) = (Glob(files.clone()), Grep(files));
    for (arguments, expected) in [
        (json!({"pattern": "**/*.rs"}), "src/a.rs\nsrc/deep/b.rs"),
        (json!({"pattern": "*.rs", "path": "src"}), "src/a.rs"),
        (json!({"pattern": "**/*", "path": ".oao"}), ".oao/attachments/r/in.txt"),
        (json!({"pattern": "*.py"}), "no file matches"),
    ] {
        assert_eq!(done(&glob, arguments).await, expected);
    }
    for (arguments, expected) in [
        (json!({"pattern": "^fn [ab]"}), "src/a.rs:1:fn a() {}\nsrc/deep/b.rs:1:fn b() {}"),
        (json!({"pattern": "line$", "path": "notes.md"}), "notes.md:2:one line\nnotes.md:3:another line"),
        (json!({"pattern": "line", "glob": "*.txt"}), ".oao/attachments/r/in.txt:1:line"),
        (json!({"pattern": "line", "path": "src", "glob": "deep/**"}), "src/deep/b.rs:2:// a line"),
        (json!({"pattern": "nowhere"}), "no line matches"),
    ] {
        assert_eq!(done(&grep, arguments).await, expected);
    }
}

#[tokio::test]
async fn a_search_has_bounds_and_says_so() {
    let files = Workspace::default();
    files.write("a.txt", "x\n".repeat(1_000)).unwrap();
    files.write("b.txt", "y".repeat(2_000_000)).unwrap();
    let text = done(&Grep(files), json!({"pattern": "(x|y|z)*$"})).await;
    assert!(text.ends_with("[801 more; use a narrower pattern]"), "{}", &text[text.len() - 80..]);
}

/// Writes down what it sees.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl CommandWatch for Notes {
    fn started(&self, command: Command<'_>) -> String {
        self.0.lock().unwrap().push(format!("{}: {}", command.call_id, command.text));
        "cmd".into()
    }

    fn ended(&self, command_id: &str, _: Command<'_>, end: &CommandEnd) {
        let words = match end {
            CommandEnd::Exited { code, .. } => format!("exit {code}"),
            CommandEnd::Broken(why) => why.clone(),
        };
        self.0.lock().unwrap().push(format!("{command_id}: {words}"));
    }
}

#[tokio::test]
async fn commands_are_answered_from_the_table_and_from_nothing_else() {
    let mut commands = Commands::default();
    commands.whole.insert("make test".into(), Reaction::Exits { output: "2 failed\n".into(), code: 2 });
    commands.words.insert("make".into(), Reaction::Breaks("the sandbox is gone".into()));
    let notes = Arc::new(Notes::default());
    let bash = |network| Bash { commands: Arc::new(commands.clone()), network, watch: notes.clone() };
    assert_eq!(done(&bash(false), json!({"command": " echo a  b "})).await, "a  b\n");
    assert_eq!(done(&bash(false), json!({"command": "make test"})).await, "2 failed\n[exit code 2]");
    assert!(refused(&bash(false), json!({"command": "make all"})).await.contains("the sandbox is gone"));
    let unknown = done(&bash(true), json!({"command": "uname -a"})).await;
    assert_eq!(unknown, "bash: line 1: uname: command not found\n[exit code 127]");
    assert!(
        done(&bash(false), json!({"command": "curl -s http://x"}))
            .await
            .contains("(6) Could not resolve host")
    );
    assert!(done(&bash(true), json!({"command": "curl -s http://x"})).await.contains("Example Domain"));
    let seen = notes.0.lock().unwrap().join("; ");
    assert!(seen.starts_with(
        "call: echo a  b; cmd: exit 0; call: make test; cmd: exit 2; call: make all; cmd: the sandbox"
    ));
    assert!(seen.contains("cmd: exit 127"));
}
