//! URLs, and where they lead.

use proofhouse_wire::{
    Net, Origin,
    origin::Scheme::{Http, Https},
};

#[test]
fn a_url_is_split_into_its_origin_and_its_path() {
    for (url, scheme, authority, path) in [
        ("http://model", Http, "model:80", ""),
        ("https://model", Https, "model:443", ""),
        ("HTTPS://api.example.org/v1/", Https, "api.example.org:443", "/v1"),
        ("http://model:4010/v1", Http, "model:4010", "/v1"),
        ("http://127.0.0.1:1/a/b//", Http, "127.0.0.1:1", "/a/b"),
        ("https://[::1]:8443/a", Https, "[::1]:8443", "/a"),
        ("https://[::1]", Https, "[::1]:443", ""),
    ] {
        let (origin, rest) = Origin::split(url).unwrap();
        assert_eq!((origin.scheme(), origin.authority(), rest), (scheme, authority, path), "{url}");
        assert_eq!(Origin::split(&origin.to_string()).unwrap(), (origin, ""), "{url}");
    }
}

#[test]
fn what_is_no_base_url_is_refused_with_a_way_out() {
    for url in [
        "",
        "model:4010",
        "ftp://model",
        "http:/model",
        "http://",
        "http:///v1",
        "http://:80",
        "http://model:",
        "http://model:+80",
        "http://model:70000",
        "http://model:a",
        "http://a:1:2",
        "http://[::1",
        "http://::1]",
        "http://[::1]x",
        "http://user:secret@model",
        "http://model?a",
        "http://model/#a",
        "http://mo del",
        "http://model/\n",
    ] {
        let why = Origin::split(url).unwrap_err().to_string();
        assert!(why.contains("https://host:8443/path") && !why.contains("secret"), "{url}: {why}");
    }
}

#[test]
fn a_scheme_decides_on_the_network() {
    let net = |url: &str| Origin::split(url).unwrap().0.net(None).unwrap();
    assert!(matches!(net("http://a"), Net::Tcp));
    assert!(matches!(net("https://a"), Net::Tls(_)));
}
