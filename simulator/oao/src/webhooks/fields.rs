//! The fields of a webhook, as they are sent.

use serde_json::Value;

use super::{Endpoint, signature::key_of};
use crate::{Service, errors::Refusal, publication::reader::Reader};

/// What a request says of a webhook; what it does not say is `None`.
pub(super) struct Fields {
    pub(super) name: Option<String>,
    pub(super) endpoint: Option<Endpoint>,
    /// An empty list stands for all kinds.
    pub(super) kinds: Option<Vec<String>>,
    pub(super) with_content: Option<bool>,
    pub(super) enabled: Option<bool>,
}

impl Fields {
    pub(super) fn read(service: &Service, reader: &Reader<'_, '_>) -> Result<Self, Refusal> {
        let parts = &service.parts().webhooks;
        let truth = |name: &str| reader.get(name).map(|_| reader.boolean(name)).transpose();
        let name = reader.optional_text("displayName", parts.limits.name_units)?.map(str::to_owned);
        let url = reader.optional_text("endpointUrl", parts.limits.url_units)?;
        let endpoint =
            url.map(|url| parts.endpoint.read(url).map_err(|problem| reader.refuse("endpointUrl", problem)));
        Ok(Self {
            name,
            endpoint: endpoint.transpose()?,
            kinds: kinds(service, reader)?,
            with_content: truth("includeMessageContent")?,
            enabled: truth("enabled")?,
        })
    }
}

fn kinds(service: &Service, reader: &Reader<'_, '_>) -> Result<Option<Vec<String>>, Refusal> {
    let (limits, is_pattern) = (&service.parts().webhooks.limits, service.parts().webhooks.pattern);
    match reader.get("eventKinds") {
        None => return Ok(None),
        Some(Value::Null) => return Ok(Some(Vec::new())),
        Some(_) => {}
    }
    let list = reader.list("eventKinds", limits.kinds_max)?;
    let read = |kind: &Value| {
        let text =
            kind.as_str().filter(|text| text.len() as u64 <= limits.kind_units_max && is_pattern(text));
        text.map(str::to_owned)
            .ok_or_else(|| reader.refuse("eventKinds", "kinds are needed, such as run.created or harness.*"))
    };
    if list.is_empty() {
        return Err(reader.refuse("eventKinds", "a kind is needed; null stands for all"));
    }
    list.iter().map(read).collect::<Result<_, _>>().map(Some)
}

/// The key in `signingSecret`.
pub(super) fn secret(service: &Service, reader: &Reader<'_, '_>) -> Result<Vec<u8>, Refusal> {
    let range = service.parts().webhooks.limits.secret_bytes;
    let key = reader.need("signingSecret")?.as_str().and_then(key_of);
    key.filter(|key| range.holds(key.len() as u64)).ok_or_else(|| {
        let problem = format!("whsec_ and the base64 of {} to {} bytes are needed", range.min, range.max);
        reader.refuse("signingSecret", &problem)
    })
}
