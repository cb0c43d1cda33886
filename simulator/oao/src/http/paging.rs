//! Lists, page by page.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::Call;
use crate::{
    errors::Refusal,
    limits::{Limits, Range},
};

/// Where an item stands in a list: when it was made (or last active), in milliseconds, and a number that
/// grows with every new thing and so breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Milliseconds on the service's clock.
    pub at_ms: u64,
    /// Grows with every new thing.
    pub sequence: u64,
}

/// The rules for lists. The default is the contract's.
#[derive(Clone, Debug)]
pub struct Paging {
    /// How long a page may be.
    pub range: Range,
    /// How long it is when nobody says.
    pub default: u64,
    /// Puts the items in order: newest first.
    pub order: fn(&mut Vec<(Position, Value)>),
    /// Whether an item comes after the cursor's.
    pub is_after: fn(Position, Position) -> bool,
}

impl Default for Paging {
    fn default() -> Self {
        let limits = Limits::default().http;
        Self {
            range: limits.page,
            default: limits.page_default,
            order: |items| items.sort_by_key(|(position, _)| std::cmp::Reverse(*position)),
            is_after: |item, cursor| item < cursor,
        }
    }
}

/// What a request asks of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    limit: u64,
    after: Option<Position>,
}

impl PageRequest {
    /// How long the page may be.
    pub fn limit(&self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }
}

impl Paging {
    /// Reads `limit` and `cursor`; what cannot be read is a 400.
    pub fn read(&self, call: &Call) -> Result<PageRequest, Refusal> {
        let limit = match call.query("limit") {
            None => self.default,
            Some(text) => {
                let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let number = plain.then(|| text.parse().ok()).flatten();
                number.filter(|number| self.range.holds(*number)).ok_or_else(|| {
                    let (min, max) = (self.range.min, self.range.max);
                    Refusal::bad_request(format!("limit: a whole number from {min} to {max} is needed"))
                })?
            }
        };
        let after = call.query("cursor").map(|text| {
            decode(text).ok_or_else(|| Refusal::bad_request("cursor: this is no cursor of a list"))
        });
        Ok(PageRequest { limit, after: after.transpose()? })
    }

    /// The page that was asked for.
    pub fn page(&self, request: PageRequest, mut items: Vec<(Position, Value)>) -> Value {
        (self.order)(&mut items);
        if let Some(cursor) = request.after {
            items.retain(|(position, _)| (self.is_after)(*position, cursor));
        }
        let limit = request.limit();
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(|(position, _)| encode(*position));
        let data: Vec<Value> = items.into_iter().map(|(_, item)| item).collect();
        json!({"data": data, "pageInfo": {"hasMore": more, "nextCursor": next}})
    }
}

fn encode(position: Position) -> String {
    URL_SAFE_NO_PAD.encode(format!("l1:{}:{}", position.at_ms, position.sequence))
}

fn decode(cursor: &str) -> Option<Position> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let (at_ms, sequence) = text.strip_prefix("l1:")?.split_once(':')?;
    let position = Position { at_ms: at_ms.parse().ok()?, sequence: sequence.parse().ok()? };
    (encode(position) == cursor).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(query: &[(&str, &str)]) -> Call {
        let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Call { query, ..Call::default() }
    }

    #[test]
    fn pages_walk_through_everything_once_and_newest_first() {
        let paging = Paging::default();
        // Three share one millisecond, as they do in virtual time.
        let items: Vec<_> =
            (0..7).map(|at: u64| (Position { at_ms: at / 3, sequence: at }, json!(at))).collect();
        let mut seen = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..4 {
            let mut query = vec![("limit", "2")];
            if let Some(cursor) = &cursor {
                query.push(("cursor", cursor));
            }
            let page = paging.page(paging.read(&call(&query)).unwrap(), items.clone());
            seen.extend(page["data"].as_array().unwrap().iter().map(|item| item.as_u64().unwrap()));
            cursor = page["pageInfo"]["nextCursor"].as_str().map(str::to_owned);
            assert_eq!(page["pageInfo"]["hasMore"], cursor.is_some());
        }
        assert_eq!(seen, [6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(cursor, None);
    }

    #[test]
    fn limits_and_cursors_that_cannot_be_read_are_refused() {
        let paging = Paging::default();
        for limit in ["0", "201", "-1", "1.5", "", "ten", "+5", "99999999999999999999"] {
            assert!(paging.read(&call(&[("limit", limit)])).is_err(), "{limit}");
        }
        for limit in ["1", "200", "050"] {
            assert!(paging.read(&call(&[("limit", limit)])).is_ok(), "{limit}");
        }
        for cursor in ["", "x", "djE6MTQy", "bDE6MTox%3D", "bDE6MQ", "bDE6MDE6MQ"] {
            assert!(paging.read(&call(&[("cursor", cursor)])).is_err(), "{cursor}");
        }
    }
}
