//! Reading a description, with errors that show the way out.

use recording::Lane;
use spec::Contract;

use super::{Credential, Description, SettingKind, credentials, settings};

/// The shortest credential, in characters. Its value is replaced wherever it occurs in a recording, and what is
/// shorter occurs by chance.
const CREDENTIAL_CHARS_MIN: usize = 8;

/// A description that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// It does not parse, or has a field that does not exist.
    #[error("{reason}{}", did_you_mean(.nearest))]
    Malformed {
        /// Where and why.
        reason: String,
        /// The field that was probably meant.
        nearest: Option<String>,
    },
    /// A setting or a credential does not exist for the contract.
    #[error("[{section}] {name}: a target of contract `{contract}` has no such entry{}; it may have {known}", did_you_mean(.nearest))]
    Unknown {
        /// `settings` or `credentials`.
        section: &'static str,
        /// The name.
        name: String,
        /// The contract.
        contract: Contract,
        /// The name that was probably meant.
        nearest: Option<String>,
        /// All names.
        known: String,
    },
    /// A setting has the wrong type.
    #[error("[settings] {name}: must be {wanted}")]
    WrongType {
        /// The setting.
        name: String,
        /// The type that it must have.
        wanted: &'static str,
    },
    /// A credential's environment variable is not set.
    #[error("[credentials] {name}: the environment variable `{variable}` is not set")]
    NoSecret {
        /// The credential.
        name: String,
        /// The variable.
        variable: String,
    },
    /// A credential cannot be sent.
    #[error("[credentials] {name}: has a line break or another control character; a header cannot hold it")]
    BadSecret {
        /// The credential.
        name: String,
    },
    /// A credential is too short to be told from other words, so it could not be kept out of what a run writes.
    #[error(
        "[credentials] {name}: has {length} characters; give a key of {CREDENTIAL_CHARS_MIN} or more, because every occurrence of it is replaced in what a run writes"
    )]
    ShortSecret {
        /// The credential.
        name: String,
        /// Its length in characters.
        length: usize,
    },
    /// The URL under which the target is to reach the suite's model cannot be used.
    #[error("[model] public_{0}")]
    PublicUrl(Box<DescriptionError>),
    /// A setting is a URL that cannot be used.
    #[error("[settings] {name}: {error}")]
    SettingUrl {
        /// The setting.
        name: String,
        /// What is wrong with it.
        error: Box<DescriptionError>,
    },
    /// The URL cannot be used.
    #[error("url: `{url}`: {reason}")]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A name in `[scope]` is no check of the contract.
    #[error("[scope] {list}: `{id}` is no check of contract `{contract}`")]
    UnknownCheck {
        /// `untestable` or `expected_fail`.
        list: &'static str,
        /// What was given.
        id: String,
        /// The contract.
        contract: Contract,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// Reads a `target.toml`. `variable` looks up environment variables.
pub fn from_toml(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Description, DescriptionError> {
    let mut parsed: Description = toml::from_str(text).map_err(|error| malformed(placed(text, &error)))?;
    // Whatever a file describes lives in real time.
    parsed.lane = Lane::Wall;
    finish(parsed, variable)
}

/// Reads what a simulator says of itself.
pub fn from_json(text: &str) -> Result<Description, DescriptionError> {
    let parsed: Description = serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
    finish(parsed, |_| None)
}

/// The reason and its place. The line itself is not quoted, because it may hold a secret.
fn placed(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {}", error.message())
}

fn malformed(reason: String) -> DescriptionError {
    let reason = reason.trim_end().to_owned();
    let nearest = nearest_field(&reason);
    DescriptionError::Malformed { reason, nearest }
}

/// Serde lists the fields that exist, in backquotes after the one that does not.
fn nearest_field(reason: &str) -> Option<String> {
    let mut quoted = reason[reason.find("unknown field")?..].split('`').skip(1).step_by(2);
    let wanted = quoted.next()?;
    quoted
        .map(|name| (strsim::damerau_levenshtein(wanted, name), name))
        .min()
        .filter(|(distance, name)| *distance <= 2.max(name.len() / 3))
        .map(|(_, name)| name.to_owned())
}

fn finish(
    mut parsed: Description,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Description, DescriptionError> {
    let contract = parsed.contract;
    let known = settings(contract);
    let names: Vec<&str> = known.iter().map(|setting| setting.name).collect();
    for (name, value) in &parsed.settings {
        let Some(setting) = known.iter().find(|setting| setting.name == name) else {
            return Err(unknown("settings", name, contract, &names));
        };
        if !setting.kind.holds(value) {
            return Err(DescriptionError::WrongType { name: name.clone(), wanted: setting.kind.words() });
        }
        if let (SettingKind::Url, Some(url)) = (setting.kind, value.as_str()) {
            address_of(url).map_err(|error| DescriptionError::SettingUrl {
                name: name.clone(),
                error: Box::new(error),
            })?;
        }
    }
    let names: Vec<&str> = credentials(contract).iter().map(|(name, _)| *name).collect();
    for (name, credential) in &mut parsed.credentials {
        if !names.contains(&name.as_str()) {
            return Err(unknown("credentials", name, contract, &names));
        }
        if let Credential::Env(from) = credential {
            let value = variable(from).filter(|value| !value.is_empty());
            let value = value
                .ok_or_else(|| DescriptionError::NoSecret { name: name.clone(), variable: from.clone() })?;
            *credential = Credential::Value(value);
        }
    }
    if let Some((name, _)) = parsed.secrets().iter().find(|(_, secret)| secret.chars().any(char::is_control))
    {
        return Err(DescriptionError::BadSecret { name: name.clone() });
    }
    for name in parsed.credentials.keys() {
        let length = parsed.secret(name).unwrap_or_default().chars().count();
        if length < CREDENTIAL_CHARS_MIN {
            return Err(DescriptionError::ShortSecret { name: name.clone(), length });
        }
    }
    if let Some(url) = parsed.model.as_ref().and_then(|model| model.public_url.clone()) {
        Description { url, ..parsed.clone() }
            .address()
            .map_err(|error| DescriptionError::PublicUrl(Box::new(error)))?;
    }
    check_scope(&parsed)?;
    Ok(parsed)
}

fn unknown(section: &'static str, name: &str, contract: Contract, names: &[&str]) -> DescriptionError {
    DescriptionError::Unknown {
        section,
        name: name.to_owned(),
        contract,
        nearest: spec::nearest(name, names.iter().copied()),
        known: names.join(", "),
    }
}

fn check_scope(parsed: &Description) -> Result<(), DescriptionError> {
    let Ok(spec) = spec::Spec::load() else { return Ok(()) };
    let lists = [("untestable", &parsed.scope.untestable), ("expected_fail", &parsed.scope.expected_fail)];
    for (list, ids) in lists {
        for id in ids {
            if !spec.checks(parsed.contract).any(|(_, _, check)| &check.id == id) {
                return Err(DescriptionError::UnknownCheck {
                    list,
                    id: id.clone(),
                    contract: parsed.contract,
                });
            }
        }
    }
    Ok(())
}

impl Description {
    /// `host:port` and the path before every request, from the URL.
    pub fn address(&self) -> Result<(String, String), DescriptionError> {
        address_of(&self.url)
    }
}

/// `host:port` and the path before every request, from a base URL.
pub fn address_of(url: &str) -> Result<(String, String), DescriptionError> {
    // A URL with a password in it is not repeated.
    let url = if url.contains('@') { "(a URL with credentials)" } else { url };
    let fail = |reason| DescriptionError::Url { url: url.to_owned(), reason };
    let rest = match url.split_once("://") {
        Some(("http", rest)) => rest,
        Some(("https", _)) => {
            return Err(fail("TLS is not spoken yet; put a plain-HTTP listener or a proxy in front"));
        }
        _ => return Err(fail("a URL begins with http://")),
    };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if authority.is_empty() || authority.contains('@') || rest.contains(['?', '#']) {
        return Err(fail("give http://host:port, with a path if need be, and nothing else"));
    }
    if rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(fail("there is a blank in it"));
    }
    let (host, port) = match authority.rsplit_once(']') {
        Some((host, "")) => (host, None),
        Some((host, port)) => (host, port.strip_prefix(':').or(Some(""))),
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() || host.starts_with('[') != authority.contains(']') {
        return Err(fail("the host is missing, or is no host"));
    }
    let authority = match port {
        None => format!("{authority}:80"),
        Some(port) if port.parse::<u16>().is_ok_and(|port| port > 0) => authority.to_owned(),
        Some(_) => return Err(fail("the port is not a number between 1 and 65535")),
    };
    Ok((authority, path.trim_end_matches('/').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
name = "acme"
version = "1"
contract = "vetta"
url = "http://127.0.0.1:8080/base/"
[credentials]
primary = { env = "KEY" }
[settings]
reserved_ids = ["soon"]
"#;

    fn read(text: &str) -> Result<Description, DescriptionError> {
        from_toml(text, |name| (name == "KEY").then(|| "k-000001".to_owned()))
    }

    #[test]
    fn a_description_is_read_with_its_secrets_and_its_address() {
        let target = read(GOOD).unwrap();
        assert_eq!(target.secret("primary"), Some("k-000001"));
        assert_eq!(target.address().unwrap(), ("127.0.0.1:8080".to_owned(), "/base".to_owned()));
        assert!(!serde_json::to_string(&target.facts()).unwrap().contains("k-000001"));
    }

    #[test]
    fn a_typo_is_told_with_its_line_and_the_field_that_was_meant() {
        let error = read(&GOOD.replace("version", "verson")).unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("did you mean `version`?"), "{error}");
        let error = read(&GOOD.replace("primary", "primry")).unwrap_err().to_string();
        assert!(error.contains("did you mean `primary`?"), "{error}");
        let error = read(&GOOD.replace("reserved_ids", "reservd_ids")).unwrap_err().to_string();
        assert!(error.contains("did you mean `reserved_ids`?"), "{error}");
    }

    #[test]
    fn a_secret_in_the_wrong_place_is_not_repeated() {
        for wrong in [
            "\"k-secret\"",
            "{ valeu = \"k-secret\" }",
            "{ value = \"k-secret\", env = \"KEY\" }",
            "[\"k-secret\"]",
            "\"k-secret",
        ] {
            let error = read(&GOOD.replace("{ env = \"KEY\" }", wrong)).unwrap_err().to_string();
            assert!(error.contains("line 7") && !error.contains("k-secret"), "{error}");
        }
    }

    #[test]
    fn bad_values_are_told() {
        for (from, to, words) in [
            ("\"soon\"", "7", "a list of strings"),
            ("KEY", "NOKEY", "environment variable `NOKEY` is not set"),
            ("\"vetta\"", "\"veta\"", "unknown variant"),
            (
                "[settings]",
                "[settings]\nother_environment_url = \"x\"",
                "[settings] other_environment_url: url: `x`",
            ),
        ] {
            let error = read(&GOOD.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let scope = format!("{GOOD}\n[scope]\nuntestable = [\"VET-99-z\"]\n");
        assert!(read(&scope).unwrap_err().to_string().contains("no check of contract `vetta`"));
    }

    /// A key of one letter would take that letter out of every text that is recorded.
    #[test]
    fn a_credential_that_occurs_by_chance_is_refused_and_not_repeated() {
        for key in ["k", "", "sk-zz-7", "ключи-7"] {
            let of_file = GOOD.replace("{ env = \"KEY\" }", &format!("{{ value = \"{key}\" }}"));
            for text in [of_file.as_str(), GOOD] {
                // A variable that is set to nothing is one that is not set.
                if key.is_empty() && text == GOOD {
                    continue;
                }
                let error = from_toml(text, |_| Some(key.to_owned())).unwrap_err();
                let length = key.chars().count();
                assert_eq!(error, DescriptionError::ShortSecret { name: "primary".to_owned(), length });
                let words = error.to_string();
                assert!(words.contains("[credentials] primary") && words.contains("8 or more"), "{words}");
                assert!(key.len() < 2 || !words.contains(key), "{words}");
            }
        }
        let eight = GOOD.replace("{ env = \"KEY\" }", "{ value = \"sk-zz-78\" }");
        assert_eq!(read(&eight).unwrap().secret("primary"), Some("sk-zz-78"));
    }

    #[test]
    fn urls_that_cannot_be_used_are_told() {
        for url in [
            "http://[::1",
            "http://h:0",
            "http://a b/v1",
            "http://:80",
            "http://[]x:1",
            "http://a:1:2",
            "ftp://x",
            "https://x",
            "x",
            "http://",
            "http://a:99999",
            "http://a?b",
            "http://u@h",
        ] {
            let target = read(&GOOD.replace("http://127.0.0.1:8080/base/", url)).unwrap();
            assert!(target.address().is_err(), "{url}");
        }
        let target = read(&GOOD.replace("http://127.0.0.1:8080/base/", "http://[::1]:9")).unwrap();
        assert_eq!(target.address().unwrap().0, "[::1]:9");
    }
}
