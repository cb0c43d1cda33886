//! Where events may be sent.

use std::net::IpAddr;

use http::Uri;

/// A URL that was found to be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL as it was given.
    pub url: String,
    /// Whether it is spoken to over TLS.
    pub tls: bool,
    /// `host:port`.
    pub authority: String,
    /// Path and query.
    pub path: String,
}

/// The rules for endpoints. The default is the contract's: TLS, and a public host.
#[derive(Clone, Copy, Debug)]
pub struct EndpointRules {
    /// Whether events may be sent there, with or without TLS.
    pub allowed: fn(bool, &str) -> bool,
    /// Whether plain HTTP to this machine, or to a name below `.test`, is allowed as well. A simulator says so,
    /// because whoever tries it listens there.
    pub test_hosts: bool,
}

impl Default for EndpointRules {
    fn default() -> Self {
        Self { allowed: |tls, host| tls && is_public(host), test_hosts: false }
    }
}

impl EndpointRules {
    /// Reads a URL, or says what is wrong with it.
    pub fn read(&self, url: &str) -> Result<Endpoint, &'static str> {
        let uri: Uri = url.parse().map_err(|_| "a URL is needed")?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err("a URL with a host is needed");
        };
        if authority.as_str().contains('@') {
            return Err("a URL without credentials is needed");
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        let tls = scheme == "https";
        let is_test = self.test_hosts && (is_test_name(&host) || is_loopback(&host));
        if !is_test && !(self.allowed)(tls, &host) {
            return Err("an https URL with a public host is needed");
        }
        if !tls && scheme != "http" {
            return Err("an https URL is needed");
        }
        let port = authority.port_u16().unwrap_or(if tls { 443 } else { 80 });
        Ok(Endpoint {
            url: url.to_owned(),
            tls,
            authority: format!("{}:{port}", authority.host()),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        })
    }
}

fn is_test_name(host: &str) -> bool {
    host.ends_with(".test")
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// A host that can be reached from anywhere, as far as its name tells.
fn is_public(host: &str) -> bool {
    match host.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
                || address.is_multicast())
        }
        Ok(IpAddr::V6(address)) => {
            !(address.is_loopback()
                || address.is_unspecified()
                || address.is_multicast()
                || address.is_unique_local()
                || address.is_unicast_link_local())
        }
        Err(_) => {
            let last = host.rsplit('.').next().unwrap_or_default();
            host.contains('.') && !["localhost", "local", "internal", "test"].contains(&last)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_hosts_over_tls_unless_tests_are_made() {
        let (contract, testing) =
            (EndpointRules::default(), EndpointRules { test_hosts: true, ..EndpointRules::default() });
        for (url, allowed, when_testing) in [
            ("https://hooks.example.com/x?y=1", true, true),
            ("https://hooks.example.com:8443", true, true),
            ("https://203.0.113.7/x", true, true),
            ("http://hooks.example.com/x", false, false),
            ("https://10.0.0.7/x", false, false),
            ("https://169.254.169.254/latest", false, false),
            ("https://[fd00::1]/x", false, false),
            ("https://intranet/x", false, false),
            ("https://db.internal/x", false, false),
            ("https://user:pass@hooks.example.com/x", false, false),
            ("ftp://hooks.example.com/x", false, false),
            ("hooks.example.com/x", false, false),
            ("", false, false),
            ("https://localhost/x", false, true),
            ("http://127.0.0.1:4000/x", false, true),
            ("http://[::1]:4000/x", false, true),
            ("http://receiver.test:80/x", false, true),
            ("ftp://127.0.0.1/x", false, false),
        ] {
            assert_eq!(contract.read(url).is_ok(), allowed, "{url}");
            assert_eq!(testing.read(url).is_ok(), when_testing, "{url}");
        }
        let read = contract.read("https://hooks.example.com/x?y=1").unwrap();
        assert_eq!((read.authority.as_str(), read.path.as_str()), ("hooks.example.com:443", "/x?y=1"));
    }
}
