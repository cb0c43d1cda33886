//! Parallel groups: invocations whose windows hang together.

use super::{ObserverParts, Window};

/// Two or more invocations that hang together by overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its id: the same for the same members.
    pub id: String,
    /// The places of its members in the list of windows, in the order in which they began.
    pub members: Vec<usize>,
}

/// The groups among `windows`, which are given with the ids of their calls in the order in which they began.
///
/// Windows are half open, a chain is one group, and a window without an end reaches all that begin later.
pub fn groups(parts: &ObserverParts, windows: &[(&str, Option<Window>)]) -> Vec<Group> {
    let mut sorted: Vec<(i64, i64, usize)> = windows
        .iter()
        .enumerate()
        .filter_map(|(at, (_, window))| Some((at, (*window)?)))
        .map(|(at, window)| (window.start_ms, window.end_ms.unwrap_or(i64::MAX), at))
        .collect();
    // Among windows that begin together the empty ones come first, so that none depends on the order.
    sorted.sort_unstable();
    let mut found: Vec<(i64, Vec<usize>)> = Vec::new();
    for (start, end, at) in sorted {
        match found.last_mut() {
            Some((furthest, members)) if (parts.meets)(start, *furthest) => {
                *furthest = end.max(*furthest);
                members.push(at);
            }
            _ => found.push((end, vec![at])),
        }
    }
    let lists = found.into_iter().map(|(_, members)| members).filter(|members| members.len() > 1);
    lists.map(|members| group(windows, members)).collect()
}

fn group(windows: &[(&str, Option<Window>)], mut members: Vec<usize>) -> Group {
    members.sort_unstable();
    let mut ids: Vec<&str> = members.iter().map(|at| windows[*at].0).collect();
    ids.sort_unstable();
    Group { id: format!("parallel:{}", ids.join(":")), members }
}
