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
            Need::TwoEnvironments => (
                facts.credentials.contains("other_environment"),
                "a second environment of the same release with other base images: give `[credentials] \
                 other_environment`, and `[settings] other_environment_url` where it has a base URL of its own",
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
            Need::Skills => (
                given(facts, &["skill_intake", "skill_intake_next", "skill_tables", "skill_notes"]),
                "the Skill packages of fixtures/oao/skills: publish them, and give their ids in `[settings] \
                 skill_intake`, `skill_intake_next`, `skill_tables` and `skill_notes`",
            ),
            Need::Mcp => (
                given(facts, &["mcp_toolset", "mcp_credential_policy", "mcp_tool"]),
                "an MCP toolset: give `[settings] mcp_toolset`, `mcp_credential_policy` and `mcp_tool`",
            ),
            Need::Delegates => (
                given(facts, &["sandbox_provider", "sandbox_snapshot"]),
                "a sandbox that root and delegate can both name: give `[settings] sandbox_provider` and \
                 `sandbox_snapshot`",
            ),
            Need::ConsoleView => (
                facts.text("console_view").is_some(),
                "the data of its console: give `[settings] console_view`",
            ),
            Need::SteerableModel => {
                (has_model, "a model endpoint that the target can be told to call: give `[model]`")
            }
            Need::ControlPort => (
                !facts.list("control").is_empty(),
                "a control port: serve it below /_control and list its features in `[settings] control`",
            ),
            _ => (true, ""),
        };
        (!offered).then(|| how.to_owned())
    })
}

fn given(facts: &TargetFacts, names: &[&str]) -> bool {
    names.iter().all(|name| facts.text(name).is_some())
}
