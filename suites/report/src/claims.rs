//! The audit of claims, as a table for a console.

use recording::{ClaimAudit, ClaimCell, ClaimOutcome};

/// The table, line by line: a loop per line, a capability per column, and below it a line for each cell that needs
/// words.
pub fn claim_table(audit: &ClaimAudit) -> Vec<String> {
    let (bases, capabilities) = (audit.bases(), audit.capabilities());
    let words = |cell: Option<&ClaimCell>| cell.map_or("not tested", |cell| cell.outcome.words());
    let width_of = |capability: &str| {
        let cells = bases.iter().map(|base| words(audit.get(base, capability)).len());
        cells.chain([capability.len()]).max().unwrap_or(0)
    };
    let first = bases.iter().map(|base| base.chars().count()).max().unwrap_or(0);
    let line = |head: &str, cells: Vec<(&str, usize)>| {
        let cells: Vec<String> = cells.iter().map(|(text, width)| format!("{text:<width$}")).collect();
        format!("{head:<first$}  {}", cells.join("  ")).trim_end().to_owned()
    };
    let mut lines = vec![line("", capabilities.iter().map(|name| (*name, width_of(name))).collect())];
    for base in &bases {
        let cells = capabilities.iter().map(|name| (words(audit.get(base, name)), width_of(name)));
        lines.push(line(base, cells.collect()));
    }
    let needs_words = |cell: &&ClaimCell| {
        !matches!(cell.outcome, ClaimOutcome::ClaimedProven | ClaimOutcome::RefusedCorrectly)
    };
    for cell in audit.0.iter().filter(needs_words) {
        let reason = cell.reason.as_deref().unwrap_or_default();
        let ClaimCell { base, capability, outcome, .. } = cell;
        lines.push(format!("{base} {capability}: {}: {}", outcome.words(), crate::one_line(reason)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_line_per_loop_and_words_where_they_are_needed() {
        let cell = |base: &str, capability: &str, outcome, reason: Option<&str>| ClaimCell {
            base: base.to_owned(),
            capability: capability.to_owned(),
            outcome,
            reason: reason.map(str::to_owned),
            check: "VET-250-a".to_owned(),
            entries: vec![1],
        };
        let audit = ClaimAudit(vec![
            cell("pi", "approvals", ClaimOutcome::ClaimedProven, None),
            cell("sim-cli", "approvals", ClaimOutcome::RefusedCorrectly, None),
            cell("pi", "structured_output", ClaimOutcome::ClaimedBroken, Some("no typed answer")),
            cell("sim-cli", "structured_output", ClaimOutcome::NotTested, Some("no model")),
        ]);
        let expected = [
            "         approvals  structured_output",
            "pi       proven     claimed, broken",
            "sim-cli  refused    not tested",
            "pi structured_output: claimed, broken: no typed answer",
            "sim-cli structured_output: not tested: no model",
        ];
        assert_eq!(claim_table(&audit), expected);
    }
}
