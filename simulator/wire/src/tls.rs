//! TLS for clients: whom to trust, and what to do when trust fails.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        CertificateError, ClientConfig, Error, RootCertStore,
        crypto::ring::default_provider,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

/// Names a file of further root certificates.
pub const ROOTS_VARIABLE: &str = "SSL_CERT_FILE";

/// The servers that a client trusts: those with a certificate of Mozilla's roots, and of further roots that
/// it is given. It offers HTTP/1.1 only. Cloning it is cheap.
#[derive(Clone)]
pub struct Trust(Arc<ClientConfig>);

/// Why a file of root certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read, or is no PEM.
    #[error("cannot read root certificates from {}: {reason}; it has to be a file in PEM form", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file names no root.
    #[error(
        "there is no certificate in {}; a root certificate begins with `-----BEGIN CERTIFICATE-----`",
        .0.display()
    )]
    Empty(PathBuf),
    /// The TLS library refuses its own settings.
    #[error("TLS cannot be set up: {0}")]
    Settings(Error),
}

impl Trust {
    /// Trusts Mozilla's roots, and those in the PEM file `roots`. Without `roots`, those in the file that the
    /// environment variable [`ROOTS_VARIABLE`] names, if it does.
    pub fn new(roots: Option<&Path>) -> Result<Self, TrustError> {
        let from_environment = std::env::var_os(ROOTS_VARIABLE).filter(|name| !name.is_empty());
        let roots = roots.or(from_environment.as_deref().map(Path::new));
        let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        if let Some(path) = roots {
            add(path, &mut store)?;
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(TrustError::Settings)?
            .with_root_certificates(store)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    /// Speaks TLS on `stream`, whose other side has to be `authority` (`host:port`).
    pub(crate) async fn secure(
        &self,
        authority: &str,
        stream: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, format!("{host} is no host name")))?;
        TlsConnector::from(self.0.clone()).connect(name, stream).await
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trust")
    }
}

/// Adds the roots in the file. One that TLS cannot use does not spoil the others: the file may be a whole
/// system's list.
fn add(path: &Path, store: &mut RootCertStore) -> Result<(), TrustError> {
    let unreadable = |reason: String| TrustError::Unreadable { path: path.to_owned(), reason };
    let certificates: Vec<CertificateDer<'_>> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| unreadable(error.to_string()))?;
    if certificates.is_empty() {
        return Err(TrustError::Empty(path.to_owned()));
    }
    match store.add_parsable_certificates(certificates) {
        (0, _) => Err(unreadable("no certificate in it can be used as a root".to_owned())),
        _ => Ok(()),
    }
}

/// What is wrong with a server's certificate and what to do about it, if that is why a connection failed.
pub(crate) fn distrust(error: &io::Error) -> Option<String> {
    let error = error.get_ref()?.downcast_ref::<Error>()?;
    let Error::InvalidCertificate(why) = error else { return None };
    Some(match why {
        // The second when a trusted root has the right name and another key: it was made anew.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => format!(
            "no trusted root has signed its certificate; if it is yours, let {ROOTS_VARIABLE} name a PEM file \
             with the root that has"
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; renew it, or set the clock of this machine".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; set the clock of this machine".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("{why}; use a URL with a name that its certificate is for")
        }
        other => other.to_string(),
    })
}
