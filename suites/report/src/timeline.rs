//! Who was at work when, as bars of characters.

use recording::Timeline;

/// The width of the field in which bars are drawn.
const WIDTH: u64 = 48;
/// The longest name that is shown whole.
const NAME_CHARS_MAX: usize = 24;

/// One line per bar, on a common scale: `name [   ====    ] 10-25 ms completed`. A bar without an end runs
/// to the edge and ends in `>`.
pub fn bars(timeline: &Timeline) -> Vec<String> {
    let length = timeline.length_ms().max(1);
    let column = |ms: u64| usize::try_from(ms.saturating_mul(WIDTH - 1) / length).unwrap_or(0);
    let name_width = timeline.0.iter().map(|bar| shown(&bar.name).chars().count()).max().unwrap_or(0);
    let line = |bar: &recording::Bar| {
        let from = column(bar.from_ms);
        let to = bar.to_ms.map_or(column(length), |to| column(to).max(from));
        let drawn: String = (0..usize::try_from(WIDTH).unwrap_or(0))
            .map(|at| match at {
                at if at == to && bar.to_ms.is_none() => '>',
                at if (from..=to).contains(&at) => '=',
                _ => ' ',
            })
            .collect();
        let until = bar.to_ms.map_or_else(|| "?".to_owned(), |to| to.to_string());
        format!("{:<name_width$} [{drawn}] {}-{until} ms {}", shown(&bar.name), bar.from_ms, bar.outcome)
    };
    timeline.0.iter().map(line).collect()
}

fn shown(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS_MAX {
        return name.to_owned();
    }
    let head: String = name.chars().take(NAME_CHARS_MAX - 1).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use recording::Bar;

    use super::*;

    fn bar(name: &str, from_ms: u64, to_ms: Option<u64>) -> Bar {
        let outcome = if to_ms.is_some() { "completed" } else { "open" }.to_owned();
        Bar { name: name.to_owned(), from_ms, to_ms, from_position: None, to_position: None, outcome }
    }

    #[test]
    fn bars_stand_side_by_side_on_one_scale() {
        let timeline = Timeline(vec![bar("a", 0, Some(47)), bar("call_b", 10, Some(20)), bar("c", 40, None)]);
        assert_eq!(
            bars(&timeline),
            [
                "a      [================================================] 0-47 ms completed",
                "call_b [          ===========                           ] 10-20 ms completed",
                "c      [                                        =======>] 40-? ms open",
            ]
        );
    }

    #[test]
    fn nothing_and_an_instant_can_be_drawn() {
        assert!(bars(&Timeline::default()).is_empty());
        let line = &bars(&Timeline(vec![bar(&"n".repeat(99), 0, Some(0))]))[0];
        assert!(line.starts_with(&format!("{}… [=  ", "n".repeat(NAME_CHARS_MAX - 1))), "{line}");
    }
}
