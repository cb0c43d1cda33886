//! The list envelope, and the pages of the listings that have pages.

use std::{ops::Range, sync::Arc};

use serde_json::{Value, json};

use crate::{Refusal, http::Query};

/// Which part of a listing is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Entries on a page, 1 or more.
    pub limit: usize,
    /// The cursor of the page before; `None` for the first page.
    pub cursor: Option<String>,
}

/// A part of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The entries of the page.
    pub range: Range<usize>,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
}

/// How listings are cut into pages and wrapped (open point U34).
#[derive(Clone)]
pub struct Paging {
    /// Entries on a page when the caller does not say.
    pub limit_default: usize,
    /// The most entries that a caller may ask for.
    pub limit_max: usize,
    /// Cuts a page out of a listing, given the keys of all its entries in ascending order.
    pub cut: Arc<dyn Fn(&[String], &Window) -> Result<Cut, Refusal> + Send + Sync>,
    /// Wraps the entries of a page: `{"data","has_more","next_cursor"}`.
    pub envelope: Arc<dyn Fn(Vec<Value>, Option<String>) -> Value + Send + Sync>,
}

impl Default for Paging {
    fn default() -> Self {
        Self { limit_default: 20, limit_max: 100, cut: Arc::new(cut), envelope: Arc::new(envelope) }
    }
}

impl Paging {
    /// Reads `limit` and `cursor`.
    pub fn window(&self, query: &Query) -> Result<Window, Refusal> {
        let limit = match query.get("limit") {
            None => self.limit_default,
            Some(text) => match text.parse() {
                Ok(limit) if (1..=self.limit_max).contains(&limit) => limit,
                _ => {
                    let message = format!("`limit` is not a whole number from 1 to {}", self.limit_max);
                    return Err(Refusal::invalid("limit", message));
                }
            },
        };
        Ok(Window { limit, cursor: query.get("cursor").cloned() })
    }

    /// The page of `entries` (keys ascending) that `query` asks for, in its envelope.
    pub fn page(&self, query: &Query, entries: Vec<(String, Value)>) -> Result<Value, Refusal> {
        let window = self.window(query)?;
        let (keys, values): (Vec<String>, Vec<Value>) = entries.into_iter().unzip();
        let cut = (self.cut)(&keys, &window)?;
        let data = values.into_iter().skip(cut.range.start).take(cut.range.len()).collect();
        Ok((self.envelope)(data, cut.next))
    }
}

/// What a cursor starts with, so that other words are told apart from it.
const CURSOR_PREFIX: &str = "after:";

/// A cursor holds the key of the last entry seen. The next page starts at the first greater key, so an
/// entry that is deleted in between neither loses nor repeats another.
pub fn cut(keys: &[String], window: &Window) -> Result<Cut, Refusal> {
    let start = match &window.cursor {
        None => 0,
        Some(cursor) => {
            let unknown = || Refusal::invalid("cursor", "`cursor` is not one that a listing gave out");
            let seen = cursor.strip_prefix(CURSOR_PREFIX).ok_or_else(unknown)?;
            keys.partition_point(|key| key.as_str() <= seen)
        }
    };
    let end = keys.len().min(start + window.limit);
    let next = (end < keys.len()).then(|| format!("{CURSOR_PREFIX}{}", keys[end - 1]));
    Ok(Cut { range: start..end, next })
}

/// The list envelope: `next_cursor` is null exactly when `has_more` is false.
pub fn envelope(data: Vec<Value>, next: Option<String>) -> Value {
    json!({ "data": data, "has_more": next.is_some(), "next_cursor": next })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("k{at:02}")).collect()
    }

    fn walk(keys: &[String], limit: usize) -> Vec<String> {
        let (mut seen, mut cursor) = (Vec::new(), None);
        for _ in 0..=keys.len() {
            let page = cut(keys, &Window { limit, cursor }).unwrap();
            seen.extend_from_slice(&keys[page.range]);
            match page.next {
                Some(next) => cursor = Some(next),
                None => return seen,
            }
        }
        panic!("the loop does not end");
    }

    #[test]
    fn pages_put_together_are_the_listing() {
        for count in 0..8 {
            for limit in 1..9 {
                assert_eq!(walk(&keys(count), limit), keys(count), "{count} entries, {limit} a page");
            }
        }
    }

    #[test]
    fn a_deleted_entry_takes_no_other_with_it() {
        let mut keys = keys(5);
        let first = cut(&keys, &Window { limit: 2, cursor: None }).unwrap();
        keys.remove(1);
        let second = cut(&keys, &Window { limit: 2, cursor: first.next }).unwrap();
        assert_eq!(keys[second.range], ["k02", "k03"]);
    }

    #[test]
    fn the_envelope_says_more_exactly_when_there_is_a_cursor() {
        assert_eq!(envelope(vec![], None), json!({"data": [], "has_more": false, "next_cursor": null}));
        let more = envelope(vec![json!(1)], Some("after:x".into()));
        assert_eq!(more, json!({"data": [1], "has_more": true, "next_cursor": "after:x"}));
    }

    #[test]
    fn limits_out_of_range_and_foreign_cursors_are_refused_by_name() {
        let paging = Paging::default();
        let query = |name: &str, value: &str| Query::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(paging.window(&Query::new()).unwrap().limit, 20);
        assert_eq!(paging.window(&query("limit", "100")).unwrap().limit, 100);
        for bad in ["0", "101", "-1", "1.5", "ten", ""] {
            let refusal = paging.window(&query("limit", bad)).unwrap_err();
            assert_eq!((refusal.status, refusal.param.as_deref()), (400, Some("limit")), "{bad}");
        }
        let refusal = paging.page(&query("cursor", "k01"), vec![]).unwrap_err();
        assert_eq!(refusal.param.as_deref(), Some("cursor"));
    }
}
