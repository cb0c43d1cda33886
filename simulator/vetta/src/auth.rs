//! Who is calling.

use std::sync::Arc;

use crate::{Call, Caller, Keyring, Refusal};

/// The check of credentials, which every route passes first.
#[derive(Clone)]
pub struct Auth {
    /// Whom a call comes from. The call has its route, so that a check may differ by route.
    pub check: Arc<dyn Fn(&Call, &Keyring) -> Result<Caller, Refusal> + Send + Sync>,
}

impl Default for Auth {
    fn default() -> Self {
        Self { check: Arc::new(bearer) }
    }
}

/// `Authorization: Bearer KEY`, the scheme in any case, the key byte for byte (open point U35).
pub fn bearer(call: &Call, keyring: &Keyring) -> Result<Caller, Refusal> {
    let Some(header) = call.header("authorization") else {
        return Err(Refusal::unauthenticated("no API key; send `authorization: Bearer KEY`"));
    };
    let key = match header.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        _ => {
            return Err(Refusal::unauthenticated(
                "the header is not of the form `authorization: Bearer KEY`",
            ));
        }
    };
    keyring.caller(key).cloned().ok_or_else(|| Refusal::unauthenticated("the API key is not known"))
}

/// What stands after `Bearer`, if the call has such a header.
pub fn credentials(call: &Call) -> Option<&str> {
    let (scheme, credentials) = call.header("authorization")?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| credentials.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_key_after_bearer_gets_in() {
        let keyring = Keyring::shipped().unwrap();
        let check = |header: Option<&str>| {
            let mut call = Call::new("GET", "/v1/harnesses");
            call.headers.extend(header.map(|value| ("authorization".to_owned(), value.to_owned())));
            bearer(&call, &keyring)
        };
        assert_eq!(check(Some("Bearer sk_sim_ada")).unwrap().account, "acct_ada");
        assert_eq!(check(Some("bearer  sk_sim_ada_future")).unwrap().environment.name, "future");
        for bad in [
            None,
            Some(""),
            Some("Bearer"),
            Some("Bearer "),
            Some("Bearer nobody"),
            Some("sk_sim_ada"),
            Some("Basic sk_sim_ada"),
            Some("Bearer SK_SIM_ADA"),
        ] {
            assert_eq!(check(bad).unwrap_err().status, 401, "{bad:?}");
        }
    }
}
