//! `proofhouse model`.

mod import;
mod record;
mod serve;

use std::path::PathBuf;

use clap::Args;

use crate::{failure::Done, listen::address};

const AFTER_HELP: &str = "\
The base URL is printed when the server is ready: http://HOST:PORT/v1 for OpenAI clients (Chat Completions
and Responses), without /v1 for Anthropic clients. Without a script a demo answers every client.

  proofhouse model script.yaml            answer as the script says
  proofhouse model script.yaml --verdict  the same, and say at the end how the client behaved
  curl -X PUT --data-binary @script.yaml http://HOST:PORT/_model/sessions/KEY
                                          one more session; http://HOST:PORT/s/KEY/v1 is its base URL
  curl http://HOST:PORT/_model/sessions/KEY/journal
                                          what was asked and what was answered
  proofhouse model --record script.json --upstream https://api.openai.com
                                          pass requests on, and write a script of the answers
  proofhouse model --import fixtures.json --out script.json
                                          a script from a file of aimock or fakellm

Exit codes: 0; 1 when --verdict says that a client did wrong, that none asked, or that one asked for a
session that is not loaded; 2 for bad input.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The script of the session `default`: YAML or JSON. Without one, a demo is played.
    #[arg(value_name = "SCRIPT", conflicts_with_all = ["record", "import"])]
    script: Option<PathBuf>,
    /// Where to listen: HOST:PORT, or a port on this machine. Port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0", value_parser = address)]
    listen: String,
    /// The seed of ids and of faults by chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Say at the end, for every session, whether the client behaved: for those too that ended before.
    #[arg(long, conflicts_with_all = ["record", "import"])]
    verdict: bool,
    /// Pass requests on to --upstream and write a script of what it answers.
    #[arg(long, value_name = "FILE", requires = "upstream", conflicts_with = "import")]
    record: Option<PathBuf>,
    /// The base URL of a real model, http or https.
    #[arg(long, value_name = "URL", requires = "record")]
    upstream: Option<String>,
    /// Record the pace of streams too.
    #[arg(long, requires = "record")]
    timing: bool,
    /// Certificates to trust besides the usual ones, PEM.
    #[arg(long, value_name = "FILE", requires = "record")]
    roots: Option<PathBuf>,
    /// Add to the script of --record.
    #[arg(long, requires = "record", conflicts_with = "replace")]
    extend: bool,
    /// Overwrite the file of --record or --out.
    #[arg(long)]
    replace: bool,
    /// Make a script from a file of another tool, and write it to --out or standard output.
    #[arg(long, value_name = "FILE")]
    import: Option<PathBuf>,
    /// The tool that --import is a file of: aimock or fakellm. Left out, the file tells.
    #[arg(long, value_name = "TOOL", requires = "import", value_parser = model::import::Format::of_word)]
    from: Option<model::import::Format>,
    /// Where the script of --import goes.
    #[arg(long, value_name = "SCRIPT", requires = "import")]
    out: Option<PathBuf>,
}

pub(crate) fn model(arguments: &Arguments) -> Done {
    match (&arguments.import, &arguments.record) {
        (Some(file), _) => import::import(arguments, file),
        (None, Some(file)) => record::record(arguments, file),
        (None, None) => serve::serve(arguments),
    }
}
