//! HTTPS: whom the client believes, and what it says when it does not.

use std::{path::Path, process::Command, sync::Arc, time::Duration};

use proofhouse_wire::{
    Net, Origin,
    http::{Failure, Limits, Request, Response, send},
    tls::{ROOTS_VARIABLE, Trust, TrustError},
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring::default_provider, pki_types::PrivateKeyDer},
};

const LIMITS: Limits =
    Limits { head: Duration::from_secs(10), whole: Duration::from_secs(20), body_bytes_max: 1000 };

/// A root of our own, and a folder with its certificate in `root.pem`.
struct Root {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Root {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("root.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("root.pem")
    }

    /// Serves one connection with a certificate for `name` that ends in `year`, and prefers `protocol`.
    /// Gives the head of the request, or why there was none.
    async fn serve(
        &self,
        name: &str,
        year: i32,
        protocol: &[u8],
    ) -> (Origin, JoinHandle<Result<String, String>>) {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::from(key))
            .unwrap();
        config.alpn_protocols = vec![protocol.to_vec()];
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let served = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let acceptor = TlsAcceptor::from(Arc::new(config));
            let mut stream = acceptor.accept(stream).await.map_err(|error| error.to_string())?;
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.map_err(|error| error.to_string())?);
            }
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret";
            stream.write_all(answer).await.map_err(|error| error.to_string())?;
            stream.shutdown().await.map_err(|error| error.to_string())?;
            Ok(String::from_utf8(head).unwrap())
        });
        (Origin::split(&url).unwrap().0, served)
    }
}

async fn ask(origin: &Origin, roots: Option<&Path>) -> Result<Response, Failure> {
    let net = origin.net(roots).unwrap();
    send(&net, origin.authority(), &Request::new("GET", "/v1?a=b"), LIMITS).await
}

/// The reason why `answer` is a refusal to trust.
fn distrust(origin: &Origin, answer: Result<Response, Failure>) -> String {
    let Err(Failure::Untrusted { authority, reason }) = answer else { panic!("{answer:?}") };
    assert_eq!(authority, origin.authority());
    reason
}

#[tokio::test]
async fn a_server_is_trusted_when_its_root_is_given() {
    let root = Root::new();
    let (origin, served) = root.serve("localhost", 2100, b"http/1.1").await;
    let answer = ask(&origin, Some(&root.file())).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"secret"[..]));
    let head = served.await.unwrap().unwrap();
    assert!(head.starts_with("GET /v1?a=b HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nhost: {}\r\n", origin.authority())), "{head}");
}

#[tokio::test]
async fn a_server_is_not_trusted_when_its_root_is_unknown() {
    // Both roots have the same name.
    let (root, other) = (Root::new(), Root::new());
    for roots in [None, Some(other.file())] {
        let (origin, served) = root.serve("localhost", 2100, b"http/1.1").await;
        let reason = distrust(&origin, ask(&origin, roots.as_deref()).await);
        assert!(reason.contains("root") && reason.contains("SSL_CERT_FILE"), "{reason}");
        served.await.unwrap().unwrap_err();
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_certificate_is_said() {
    let root = Root::new();
    for (name, year, words) in
        [("other.test", 2100, ["other.test", "use a URL"]), ("localhost", 2021, ["has expired", "renew it"])]
    {
        let (origin, _) = root.serve(name, year, b"http/1.1").await;
        let reason = distrust(&origin, ask(&origin, Some(&root.file())).await);
        assert!(words.iter().all(|word| reason.contains(word)), "{name} until {year}: {reason}");
    }
}

#[tokio::test]
async fn a_server_of_another_protocol_is_no_server_to_talk_to() {
    let root = Root::new();
    let (only_h2, _) = root.serve("localhost", 2100, b"h2").await;
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/v1", plain.local_addr().unwrap().port());
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        let _ = stream.read_to_end(&mut Vec::new()).await;
    });
    for origin in [only_h2, Origin::split(&url).unwrap().0] {
        let answer = ask(&origin, Some(&root.file())).await;
        let Err(Failure::Connect { reason, .. }) = answer else { panic!("{origin}: {answer:?}") };
        assert!(reason.contains("does it speak TLS"), "{reason}");
    }
}

#[tokio::test]
async fn tls_is_for_clients() {
    let net = Net::Tls(Trust::new(None).unwrap());
    assert_eq!(net.listen("127.0.0.1:0").await.unwrap_err().kind(), std::io::ErrorKind::Unsupported);
    let refused = net.connect("127.0.0.1:1").await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    let nameless = send(&net, "127.0.0.1:1", &Request::new("GET", "/"), LIMITS).await;
    let Err(Failure::Connect { reason, .. }) = nameless else { panic!("{nameless:?}") };
    assert!(!reason.contains("TLS"), "{reason}");
}

#[test]
fn a_file_of_roots_has_to_hold_some() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let empty = file("empty.pem", "no certificate\n");
    assert!(matches!(Trust::new(Some(&empty)), Err(TrustError::Empty(path)) if path == empty));
    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    // One that cannot be used does not spoil a good one.
    let good = Root::new().issuer.pem();
    Trust::new(Some(&file("mixed.pem", &format!("{garbage}{good}")))).unwrap();
    for path in [folder.path().join("missing.pem"), file("garbage.pem", garbage)] {
        let error = Trust::new(Some(&path)).unwrap_err();
        assert!(matches!(error, TrustError::Unreadable { .. }), "{error:?}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}

/// The environment belongs to a process, so the test runs itself again in one of its own.
#[tokio::test]
async fn the_environment_may_name_the_roots() {
    const INSIDE: &str = "PROOFHOUSE_ROOTS_URL";
    if let Ok(url) = std::env::var(INSIDE) {
        let answer = ask(&Origin::split(&url).unwrap().0, None).await.unwrap();
        assert_eq!(answer.status, 200);
        return;
    }
    let root = Root::new();
    let (origin, served) = root.serve("localhost", 2100, b"http/1.1").await;
    let this = std::env::current_exe().unwrap();
    let mut inside = Command::new(this)
        .args(["--exact", "tls::the_environment_may_name_the_roots"])
        .env(INSIDE, origin.to_string())
        .env(ROOTS_VARIABLE, root.file())
        .spawn()
        .unwrap();
    served.await.unwrap().unwrap();
    assert!(inside.wait().unwrap().success());
}
