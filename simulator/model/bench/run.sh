#!/usr/bin/env bash
# Measures the fake model beside a bare axum server and, on request, beside its peers. README.md says how.
#
#   run.sh            the anchor and ours, all cells
#   run.sh --quick    the same in less than a minute, for a look before and after a change
#   PEERS=1 run.sh    the peers of npm and PyPI as well; RUST_PEERS=1 compiles those that are crates
#
# Set in the environment:
#   OURS=PATH[,PATH…]  our programs; default: target/dist/proofhouse, else target/release/proofhouse
#   ONLY=NAME,…        these servers only: anchor, ours, aimock …
#   SCENARIOS=NAME,…   start, json, context, stream, long, pace, memory, streams, choose
#   SECS=4             how long a cell loads, 10 at most
#   TRIES=3 QUIET=0.25 WAIT=10   repeat a cell while others use so many cores; wait so many seconds for quiet
#   PACE=1,64,256  KEYS=10,1000,100000  STREAMS=10000  RATE=2500  START_MAX=20
#   OUT=FOLDER         where table.md and cells.jsonl go
#   PROOFHOUSE_BENCH_CACHE=FOLDER  where the peers, the anchor and the results are kept
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
CACHE=${PROOFHOUSE_BENCH_CACHE:-${TMPDIR:-/tmp}/proofhouse-bench}
mkdir -p "$CACHE"

case ${1:-} in
    '' | --quick) ;;
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "run.sh: unknown option $1; there is --quick, all else is set in the environment (--help)" >&2; exit 2 ;;
esac

if ! command -v wrk >/dev/null; then
    echo "installing wrk" >&2
    apt-get install -y -qq wrk >/dev/null || { apt-get update -qq && apt-get install -y -qq wrk >/dev/null; } || {
        echo "run.sh: wrk is needed and cannot be installed here" >&2
        exit 2
    }
fi

# A stream needs a descriptor on both sides, which are different processes.
ulimit -n "$(ulimit -Hn)"

ANCHOR="$CACHE/anchor-target/release/anchor"
# Cargo is left alone when there is nothing to build: another build on the machine would make it wait.
if [ ! -x "$ANCHOR" ] || [ -n "$(find "$here/anchor" -type f -newer "$ANCHOR")" ]; then
    cargo build --release --locked --quiet --manifest-path "$here/anchor/Cargo.toml" --target-dir "$CACHE/anchor-target"
fi

if [ -z "${OURS:-}" ]; then
    OURS="$root/target/release/proofhouse"
    [ -x "$root/target/dist/proofhouse" ] && OURS="$root/target/dist/proofhouse"
fi

WORK=$(mktemp -d "$CACHE/work.XXXXXX")
measure=
# shellcheck disable=SC2317 # it is reached by the trap
finish() {
    local status=$? pid
    trap - EXIT INT TERM HUP
    if [ -n "$measure" ] && kill -TERM "$measure" 2>/dev/null; then
        wait "$measure" || true
    fi
    # What is left only if the measuring process was killed: the sessions that it had begun and not ended.
    if [ -f "$WORK/sessions" ]; then
        awk '$1 == "started" { open[$2] = 1 } $1 == "ended" { delete open[$2] } END { for (pid in open) print pid }' \
            "$WORK/sessions" | while read -r pid; do
            kill -KILL -- "-$pid" 2>/dev/null || true
        done
    fi
    rm -rf "$WORK"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

export CACHE WORK ANCHOR OURS
# In the background, so that a signal is not kept until it is done.
python3 -B "$here/measure.py" "$@" &
measure=$!
wait "$measure" && status=0 || status=$?
measure=
exit "$status"
