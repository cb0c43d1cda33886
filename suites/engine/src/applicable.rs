//! What a target must offer before a check can be driven.

use recording::TargetFacts;
use spec::Need;

/// The first of `needs` that the target's description does not offer, in words that say how to offer it.
pub(crate) fn unmet(needs: &[Need], facts: &TargetFacts, has_model: bool) -> Option<String> {
    needs.iter().find_map(|need| {
        let (offered, how) = match need {
            Need::SecondAccount => (
                facts.credentials.contains("second_account"),
                "a key of a second account: give `[credentials] second_account`",
            ),
            Need::ReservedIds => (
                !facts.list("reserved_ids").is_empty(),
                "ids that are reserved and not published: give `[settings] reserved_ids`",
            ),
            Need::ExpectedCatalogue => (
                !facts.list("expected_bases").is_empty(),
                "the bases that the deploy is known to publish: give `[settings] expected_bases`",
            ),
            Need::UnsupportedKeyword => (
                facts.text("unsupported_keyword").is_some(),
                "a schema keyword outside the supported subset: give `[settings] unsupported_keyword`",
            ),
            Need::ConsoleView => (
                facts.text("console_view").is_some(),
                "the data of its console: give `[settings] console_view`",
            ),
            Need::SteerableModel => {
                (has_model, "a model endpoint that the target can be told to call: give `[model]`")
            }
            _ => (true, ""),
        };
        (!offered).then(|| how.to_owned())
    })
}
