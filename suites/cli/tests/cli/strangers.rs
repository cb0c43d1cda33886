//! Targets that are somebody else's, and no harness.

use std::{
    io::{Read, Write},
    net::TcpListener,
    time::Duration,
};

use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

use crate::process::{Server, proofhouse, run};

/// How long a normal run on something that is no harness may take.
const BUDGET: Duration = Duration::from_secs(30);

fn not_judged(url: &str) {
    let folder = tempfile::tempdir().unwrap();
    let began = wire::clock::Stopwatch::start();
    let said = run(folder.path(), &["run", "--url", url, "--out", "out"]);
    assert!(began.elapsed() < BUDGET, "{url}: {:?}", began.elapsed());
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.out.contains("give --target"), "{said:?}");
    assert!(!said.out.contains(" pass"), "{said:?}");
    assert!(!said.err.contains("panicked"), "{said:?}");
    for contract in ["oao", "vetta"] {
        let junit = std::fs::read_to_string(folder.path().join(format!("out/{contract}/junit.xml"))).unwrap();
        assert!(junit.contains("errors=\"1\"") && junit.contains("preflight"), "{junit}");
    }
}

/// Serves one page to everybody, as a static file server does.
fn static_files() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = [0; 4096];
            let read = stream.read(&mut head).unwrap_or(0);
            let is_root = head[..read].starts_with(b"GET / ");
            let (status, page) =
                if is_root { ("200 OK", "<h1>Index of /</h1>") } else { ("404 Not Found", "<h1>404</h1>") };
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
                page.len()
            );
        }
    });
    url
}

#[test]
fn a_static_file_server_is_not_judged() {
    not_judged(&static_files());
}

#[test]
fn a_json_api_that_is_no_harness_is_not_judged() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        let pets = serde_json::json!({"data": [{"id": 1, "name": "Rex"}], "has_more": false, "id": "a", "base": "x"});
        Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_json(pets)).mount(&server).await;
        server
    });
    not_judged(&server.uri());
}

#[test]
fn every_degenerate_target_is_not_judged_and_passes_nothing() {
    let kinds = [
        "refused",
        "accepts-and-hangs",
        "always-200-empty",
        "always-400",
        "always-501",
        "always-500",
        "echo",
        "empty-stream",
        "endless-stream",
        "html-page",
    ];
    std::thread::scope(|threads| {
        for kind in kinds {
            threads.spawn(move || {
                let folder = tempfile::tempdir().unwrap();
                let server =
                    Server::start(folder.path(), &["simulate", "--contract", "vetta", "--degenerate", kind]);
                not_judged(server.url());
            });
        }
    });
}

#[test]
fn a_described_target_that_is_dead_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Server::start(folder.path(), &["simulate", "--contract", "vetta", "--degenerate", "refused"]);
    for contract in ["vetta", "oao"] {
        let text = format!(
            "name = \"dead\"\nversion = \"1\"\ncontract = \"{contract}\"\nurl = \"{}\"\n",
            server.url()
        );
        std::fs::write(folder.path().join("target.toml"), text).unwrap();
        let said = run(folder.path(), &["run", "--target", "target.toml", "--out", "out"]);
        assert_eq!(said.code, Some(2), "{said:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = proofhouse(folder.path())
        .arg("list")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(complaint, "");
}
