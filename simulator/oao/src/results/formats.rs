//! The formats of strings, as the runtime judges them: patterns, not calendars.

use std::sync::LazyLock;

use regex_lite::Regex;

static DATE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$").ok());
static DATE_TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let date = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])";
    let time = r"(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?";
    let zone = r"(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)";
    Regex::new(&format!("^{date}[T ]{time}{zone}$")).ok()
});
static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?i)[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@[a-z0-9]+(?:[.-][a-z0-9]+)*\.[a-z]{2,}$").ok()
});
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(?:[01]\d|2[0-3]):[0-5]\d$").ok());

/// Whether `text` has the format; a format that nobody knows is never had.
pub(super) fn fits(format: &str, text: &str) -> bool {
    let pattern = match format {
        "date" => &DATE,
        "date-time" => &DATE_TIME,
        "email" => &EMAIL,
        "time" => &TIME,
        "uri" => return is_uri(text),
        "uuid" => return crate::publication::reader::is_uuid(text),
        _ => return false,
    };
    // `$` is the end of the text and nothing else in this engine, also before a line feed.
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// What a URL parser takes: a scheme, and for the schemes of the web a host.
fn is_uri(text: &str) -> bool {
    let text = text.trim();
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.bytes();
    let named = letters.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    if !named {
        return false;
    }
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https" | "ws" | "wss" | "ftp") {
        return true;
    }
    let authority =
        rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host_and_port = authority.rsplit('@').next().unwrap_or_default();
    let host = match host_and_port.rsplit_once(':') {
        Some((host, port)) if !host_and_port.ends_with(']') => {
            if !port.bytes().all(|byte| byte.is_ascii_digit())
                || (!port.is_empty() && port.parse::<u16>().is_err())
            {
                return false;
            }
            host
        }
        _ => host_and_port,
    };
    !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || "<>^|%".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let uuid = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11";
        for (format, text, expected) in [
            ("date", "2024-02-31", true),
            ("date", "2024-13-01", false),
            ("date", "2024-1-1", false),
            ("date", "2024-02-01\n", false),
            ("date-time", "2024-02-31T10:00:00Z", true),
            ("date-time", "2024-01-01 10:00:00+02:00", true),
            ("date-time", "2024-01-01T10:00Z", false),
            ("date-time", "2024-01-01T10:00:00", false),
            ("date-time", "2024-01-01T10:00:00.123456Z", true),
            ("date-time", "2024-01-01T24:00:00Z", false),
            ("time", "10:00", true),
            ("time", "10:00:00", false),
            ("time", "24:00", false),
            ("email", "a.b+c@x.org", true),
            ("email", "a@localhost", false),
            ("email", "a@b@c.org", false),
            ("email", "", false),
            ("uri", "https://x.org/a?b", true),
            ("uri", "urn:isbn:1", true),
            ("uri", "mailto:a@b.c", true),
            ("uri", "/a/b", false),
            ("uri", "x.org", false),
            ("uri", "http://", false),
            ("uri", "http://a b/", false),
            ("uri", "http://h:99999/", false),
            ("uri", "http://[::1]:8080/", true),
            ("uri", "1a:b", false),
            ("uuid", uuid, true),
            ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", false),
            ("hostname", "x.org", false),
        ] {
            assert_eq!(fits(format, text), expected, "{format} {text:?}");
        }
    }
}
