//! Which schema the answer to a request has.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{Contract, SpecError, embedded};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Messages {
    contract: Contract,
    success: Vec<Route>,
    /// Refusals that have another shape than the others.
    #[serde(default)]
    refusals: Vec<Refused>,
    refusal: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    method: String,
    path: String,
    status: u16,
    schema: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Route {
    method: String,
    path: String,
    schema: String,
}

static MESSAGES: LazyLock<Result<BTreeMap<Contract, Messages>, SpecError>> = LazyLock::new(|| {
    let read = |file: &embedded::File| {
        let messages: Messages = crate::load::read(file)?;
        crate::load::placed(file, messages.contract)?;
        Ok((file.contract, messages))
    };
    embedded::MESSAGES.iter().map(read).collect()
});

/// The name of the schema of an answer with `status` to `method path` (without query, below the target's
/// base URL). `None` where none is specified: another route, no body, a redirect.
pub fn schema_of(
    contract: Contract,
    method: &str,
    path: &str,
    status: u16,
) -> Result<Option<&'static str>, &'static SpecError> {
    let messages = &MESSAGES.as_ref()?[&contract];
    Ok(match status {
        204 => None,
        200..300 => {
            let fits = |route: &&Route| route.method == method && is_path(&route.path, path);
            messages.success.iter().find(fits).map(|route| route.schema.as_str())
        }
        400..600 => {
            let fits = |refused: &&Refused| {
                refused.status == status && refused.method == method && is_path(&refused.path, path)
            };
            let own = messages.refusals.iter().find(fits).map(|refused| refused.schema.as_str());
            Some(own.unwrap_or(&messages.refusal))
        }
        _ => None,
    })
}

fn is_path(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given))
                if wanted == given || (wanted.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_schema_of_its_route() {
        for (method, path, status, expected) in [
            ("GET", "/v1/harnesses", 200, Some("harness-list")),
            ("GET", "/v1/harnesses/pi", 200, Some("harness")),
            ("GET", "/v1/harnesses/", 200, None),
            ("GET", "/v1/harnesses/pi", 404, Some("error")),
            ("PUT", "/v1/harnesses", 200, None),
            ("DELETE", "/v1/agents/a", 204, None),
            ("GET", "/v1/agents", 304, None),
            ("POST", "/v1/sessions/s/tools/mcp", 400, Some("tool-answer")),
            ("POST", "/v1/sessions/s/tools/mcp", 401, Some("error")),
        ] {
            assert_eq!(
                schema_of(Contract::Vetta, method, path, status).unwrap(),
                expected,
                "{method} {path} {status}"
            );
        }
    }

    #[test]
    fn every_schema_that_is_named_exists_and_every_one_is_named_or_part_of_one() {
        for contract in Contract::ALL {
            let messages = &MESSAGES.as_ref().unwrap()[&contract];
            let known: Vec<&str> = crate::schemas::names(contract).collect();
            let named = messages.success.iter().map(|route| &route.schema);
            let refused = messages.refusals.iter().map(|refused| &refused.schema);
            for schema in named.chain(refused).chain([&messages.refusal]) {
                assert!(known.contains(&schema.as_str()), "{contract}: {schema}");
            }
        }
    }
}
