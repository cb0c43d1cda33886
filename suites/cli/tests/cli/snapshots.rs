//! What a person reads, and what a program reads: golden outputs in `snapshots/cli`.
//!
//! Whatever differs from one machine, run or day to the next is written as `[name]`. So are the numbers of
//! checks that are built and pending, because they move with every check that is written.

use std::{fs, path::Path};

use crate::process::{Server, proofhouse, run};

/// What is replaced by what, in this order.
const FILTERS: &[(&str, &str)] = &[
    // Ports that the system gives; those that texts and examples name stay.
    (r"127\.0\.0\.1:(9|4000|4010)\b", "127.0.0.1;$1"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
    (r"127\.0\.0\.1;", "127.0.0.1:"),
    (r"\bin (\d+ ms|\d+\.\d s)", "in [time]"),
    (r"[\d.]+ (checks|cells)/s", "[rate] $1/s"),
    (r#""checks_per_second": [\d.]+"#, r#""checks_per_second": [rate]"#),
    // Which of several checks is slow is the machine's affair too.
    (r"slowest: .*", "slowest: [checks]"),
    (r#""duration_ms": \d+"#, r#""duration_ms": [ms]"#),
    (r#" time="[\d.]+""#, r#" time="[seconds]""#),
    (r#""commit": "[^"]*""#, r#""commit": "[commit]""#),
    (r"\bph[0-9a-f]{16}", "[token]"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "[uuid]"),
    (r"\breq_[0-9a-f]+", "[request id]"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[time]"),
    (r"\(os error \d+\)", "(os error [n])"),
    (r"\d+ checks? built, \d+ pending", "[n] checks built, [n] pending"),
    (r"\d+ checks are built, \d+ are pending", "[n] checks are built, [n] are pending"),
    (r"(\d+) of \d+ checks;", "$1 of [n] checks;"),
    (r#""(built|pending)": \d+"#, r#""$1": [n]"#),
    // Requirements that are in a report for their pending checks only.
    (
        r#"    \{\n      "id": "[^"]+",\n      "level": "[a-z]+",\n      "status": null,\n      "checks": \[\],\n      "pending": \[[^\]]*\]\n    \},?\n"#,
        "",
    ),
    (r"    \},\n  \]", "    }\n  ]"),
];

fn golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../snapshots/cli"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(&format!(r"\b{}\b", env!("CARGO_PKG_VERSION").replace('.', r"\.")), "[version]");
    for (pattern, replacement) in FILTERS {
        settings.add_filter(pattern, *replacement);
    }
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A command as it is typed, what it says to each stream, and its exit code.
fn told(folder: &Path, arguments: &[&str]) -> String {
    let quoted = |word: &&str| if word.contains('*') { format!("'{word}'") } else { (*word).to_owned() };
    let typed: Vec<String> = arguments.iter().map(quoted).collect();
    let said = run(folder, arguments);
    let errors: String =
        said.err.lines().map(|line| format!("! {line}").trim_end().to_owned() + "\n").collect();
    format!("$ proofhouse {}\n{}{errors}[exit {}]\n", typed.join(" "), said.out, said.code.unwrap())
}

fn all_told(folder: &Path, commands: &[&[&str]]) -> String {
    commands.iter().map(|arguments| told(folder, arguments)).collect::<Vec<_>>().join("\n")
}

/// The lines from the first that contains `from` up to the next one that is empty.
fn part(text: &str, from: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.contains(from)).take_while(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn help() {
    let folder = tempfile::tempdir().unwrap();
    golden("help", &told(folder.path(), &["--help"]));
    golden("help_run", &told(folder.path(), &["run", "--help"]));
}

#[test]
fn explanations() {
    let folder = tempfile::tempdir().unwrap();
    for (name, id) in [
        ("explain_requirement", "VET-16"),
        ("explain_check", "VET-16-a"),
        ("explain_defect", "runnable-lies-true"),
        ("explain_open_point", "D12"),
    ] {
        golden(name, &told(folder.path(), &["explain", id]));
    }
}

#[test]
fn lists() {
    let folder = tempfile::tempdir().unwrap();
    let list = run(folder.path(), &["list", "--contract", "vetta"]).out;
    let points = part(&list, "(open points)");
    let points: Vec<&str> = points.lines().take(8).collect();
    golden(
        "list",
        &format!("{}…\n\n{}…\n\n{}\n…", part(&list, "vetta:"), part(&list, "(catalogue)"), points.join("\n")),
    );
    let pending = run(folder.path(), &["list", "--pending"]).out;
    let counts: Vec<&str> =
        pending.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    golden("list_pending_counts", &counts.join("\n"));
}

#[test]
fn a_run_that_passes() {
    let folder = tempfile::tempdir().unwrap();
    golden("run_passing", &told(folder.path(), &["run", "--check", "VET-59-a", "--out", "out"]));
    let file = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    golden("report_json", &file("vetta/report.json"));
    golden("junit_xml", &file("vetta/junit.xml"));
    golden("summary_json", &file("summary.json"));
    let head = |line: &str| match line.char_indices().nth(300) {
        Some((at, _)) => format!("{}…\n", &line[..at]),
        None => format!("{line}\n"),
    };
    golden("recording_jsonl", &file("vetta/recording.jsonl").lines().take(4).map(head).collect::<String>());
}

#[test]
fn a_run_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Server::start(folder.path(), &["simulate", "--contract", "vetta", "--defect", "writable-catalogue"]);
    let arguments = ["run", "--url", server.url(), "--check", "VET-03*", "--out", "out"];
    golden("run_failing", &told(folder.path(), &arguments));
    golden("run_failing_junit", &fs::read_to_string(folder.path().join("out/vetta/junit.xml")).unwrap());
    golden("judge_failing", &told(folder.path(), &["judge", "out/vetta/recording.jsonl"]));
}

#[test]
fn a_target_that_lacks_a_means_and_passes_what_it_should_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["simulate", "--contract", "vetta"]);
    let text = format!(
        "name = \"acme\"\nversion = \"7\"\ncontract = \"vetta\"\nurl = \"{}\"\n\
         [credentials]\nprimary = {{ value = \"sk_sim_ada\" }}\n[settings]\nmodel = \"sim-1\"\n\
         [scope]\nexpected_fail = [\"VET-03-a\"]\n",
        server.url()
    );
    fs::write(folder.path().join("target.toml"), text).unwrap();
    let arguments =
        ["run", "--target", "target.toml", "--jobs", "1", "--check", "VET-03*", "--check", "VET-51"];
    golden("run_untested", &told(folder.path(), &arguments));
}

#[test]
fn targets_that_are_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let page =
        Server::start(folder.path(), &["simulate", "--contract", "vetta", "--degenerate", "html-page"]);
    let server = Server::start(folder.path(), &["simulate", "--contract", "vetta"]);
    let description =
        format!("name = \"acme\"\nversion = \"7\"\ncontract = \"vetta\"\nurl = \"{}\"\n", server.url());
    fs::write(folder.path().join("no-key.toml"), &description).unwrap();
    let with_key = format!("{description}[credentials]\nprimary = {{ value = \"sk_wrong\" }}\n");
    fs::write(folder.path().join("wrong-key.toml"), with_key).unwrap();
    let commands: &[&[&str]] = &[
        &["run", "--contract", "vetta", "--url", page.url()],
        &["run", "--target", "no-key.toml"],
        &["run", "--target", "wrong-key.toml"],
    ];
    golden("run_not_judged", &all_told(folder.path(), commands));
}

#[test]
fn a_proof() {
    let folder = tempfile::tempdir().unwrap();
    golden("prove", &told(folder.path(), &["prove", "--check", "VET-59*"]));
}

#[test]
fn servers_say_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for contract in ["oao", "vetta"] {
        let server = Server::start(folder.path(), &["simulate", "--contract", contract]);
        text.push_str(&server.line);
        assert_eq!(server.rest(), "", "one line, for whoever waits for it");
    }
    fs::write(folder.path().join("script.yaml"), SCRIPT).unwrap();
    text.push_str(&Server::start(folder.path(), &["model", "script.yaml"]).line);
    golden("servers", &text);
}

const SCRIPT: &str = "script: 1\nname: hello\nturns:\n  - id: one\n    answer:\n      text: hi\n";

#[test]
fn names_that_name_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let commands: &[&[&str]] = &[
        &["run", "--check", "VET-03-bb"],
        &["run", "--check", "nothing*"],
        &["run", "--contract", "oao", "--check", "VET-03-b"],
        &["run", "--check", "VET-03-b", "--case", "1"],
        &["run", "--contract", "veta"],
        &["run", "--jobs", "0"],
        &["run", "--url", "localhost:4000"],
        &["prove", "--contract", "oao", "--check", "VET-03-b"],
        &["explain", "VET-1000"],
        &["explain", "nothing"],
        &["simulate", "--contract", "vetta", "--defect", "writable-catalog"],
        &["simulate", "--contract", "oao", "--defect", "writable-catalogue"],
        &["simulate", "--contract", "vetta", "--defect", "nothing"],
        &["simulate", "--contract", "vetta", "--degenerate", "nothing"],
        &["simulate", "--contract", "vetta", "--model", "localhost:4010"],
        &["simulate", "--contract", "vetta", "--listen", "nowhere"],
        &["simulate"],
        &["frobnicate"],
    ];
    golden("errors_names", &all_told(folder.path(), commands));
}

#[test]
fn files_that_are_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let good = "name = \"acme\"\nversion = \"7\"\ncontract = \"vetta\"\nurl = \"http://127.0.0.1:9\"\n";
    write("script.yaml", &SCRIPT.replace("answer", "anwser"));
    write("list.yaml", "turns: [");
    write("field.toml", &good.replace("contract", "contrakt"));
    write("contract.toml", &good.replace("vetta", "veta"));
    write("https.toml", &good.replace("http:", "https:"));
    write("setting.toml", &format!("{good}[settings]\nreserved_id = []\n"));
    write("type.toml", &format!("{good}[settings]\nreserved_ids = \"soon\"\n"));
    write("variable.toml", &format!("{good}[credentials]\nprimary = {{ env = \"PROOFHOUSE_NOT_SET\" }}\n"));
    write("secret.toml", &format!("{good}[credentials]\nprimary = \"sk-very-secret\"\n"));
    write("scope.toml", &format!("{good}[scope]\nuntestable = [\"VET-99-z\"]\n"));
    write("empty.toml", "");
    write("page.jsonl", "<html>\n");
    write("other.jsonl", &OTHER_VERSION.replace('\n', ""));
    write("file", "");
    let commands: &[&[&str]] = &[
        &["model", "missing.yaml"],
        &["model", "script.yaml"],
        &["model", "list.yaml"],
        &["run", "--target", "missing.toml"],
        &["run", "--target", "field.toml"],
        &["run", "--target", "contract.toml"],
        &["run", "--target", "https.toml"],
        &["run", "--target", "setting.toml"],
        &["run", "--target", "type.toml"],
        &["run", "--target", "variable.toml"],
        &["run", "--target", "secret.toml"],
        &["run", "--target", "scope.toml"],
        &["run", "--target", "empty.toml"],
        &["judge", "missing.jsonl"],
        &["judge", "page.jsonl"],
        &["judge", "other.jsonl"],
        &["run", "--check", "VET-59-a", "--out", "file"],
    ];
    golden("errors_files", &all_told(folder.path(), commands));
}

const OTHER_VERSION: &str = r#"{"line":"header","schema":"proofhouse.recording/9","suite":"9","contract":"vetta","seed":1,
"target":{"name":"a","version":"1","contract":"vetta","lane":"wall","claims":[],"credentials":[],"settings":{}}}"#;

#[test]
fn ports_in_use() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script.yaml"), SCRIPT).unwrap();
    let server = Server::start(folder.path(), &["simulate", "--contract", "vetta"]);
    let address = server.url().strip_prefix("http://").unwrap();
    let commands: &[&[&str]] = &[
        &["simulate", "--contract", "vetta", "--listen", address],
        &["simulate", "--contract", "vetta", "--degenerate", "echo", "--listen", address],
        &["model", "script.yaml", "--listen", address],
    ];
    golden("errors_ports", &all_told(folder.path(), commands));
    // What is said does not depend on who reads it.
    let piped = proofhouse(folder.path()).args(commands[0]).env("COLUMNS", "20").output().unwrap();
    assert_eq!(String::from_utf8(piped.stderr).unwrap(), run(folder.path(), commands[0]).err);
}
