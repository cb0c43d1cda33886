"""Measures the anchor, the fake model and its peers. Started by `run.sh`, which says what the options are."""

import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import cells
import machine
import peers
import servers
import table
from running import NotStarted

SECS_MAX = 10


@dataclass(frozen=True)
class Settings:
    """What was asked for. `quiet` is in cores."""

    secs: int
    tries: int
    quiet: float
    wait_s: float
    start_s_max: float
    pace: tuple
    keys: tuple
    streams: int
    rate: int
    scenarios: tuple

    @classmethod
    def read(cls, quick):
        full = ",".join(cells.SCENARIOS)
        default = {
            "SECS": "4", "TRIES": "3", "QUIET": "0.25", "WAIT": "10", "START_MAX": "20", "PACE": "1,64,256",
            "KEYS": "10,1000,100000", "STREAMS": "10000", "RATE": "2500", "SCENARIOS": full,
        }
        if quick:
            default |= {
                "SECS": "2", "TRIES": "1", "WAIT": "0", "PACE": "64", "KEYS": "1000", "STREAMS": "2000",
                "SCENARIOS": "start,json,stream,long,pace,streams,choose",
            }

        def get(name):
            return os.environ.get(name) or default[name]

        def numbers(name):
            return tuple(int(number) for number in get(name).split(","))

        scenarios = tuple(get("SCENARIOS").split(","))
        unknown = [name for name in scenarios if name not in cells.SCENARIOS]
        if unknown:
            sys.exit(f"there is no scenario {', '.join(unknown)}; there are {full}")
        return cls(
            secs=max(1, min(SECS_MAX, int(get("SECS")))), tries=max(1, int(get("TRIES"))),
            quiet=float(get("QUIET")), wait_s=float(get("WAIT")), start_s_max=float(get("START_MAX")),
            pace=numbers("PACE"), keys=numbers("KEYS"), streams=open_at_most(int(get("STREAMS"))), rate=int(get("RATE")),
            scenarios=scenarios,
        )


def open_at_most(streams):
    """As many streams as there are descriptors for, some being needed for all else."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 256
    if streams > most:
        print(f"only {most} streams can be open: the limit of descriptors (ulimit -Hn) is low", file=sys.stderr)
    return min(streams, most)


def ours(paths, work):
    """The fake model of each of these programs."""
    for number, path in enumerate(paths.split(",")):
        program = Path(path).resolve()
        if not program.exists():
            sys.exit(f"{program} is not there: build it with `cargo build --release`, or name one with OURS=")
        told = subprocess.run([program, "model", "--help"], capture_output=True, text=True, timeout=10)
        positional = "--script" not in told.stdout
        kind = servers.Ours("ours" if not number else f"ours {number + 1}", str(program), positional, True)
        # Builds from before the redesign know neither conversations nor pacing; they play the rest as turns.
        try:
            with cells.Server(kind, servers.Wanted(), work, 5):
                pass
        except NotStarted as error:
            kind.conversations = False
            print(f"{path} does not take a script of conversations ({error}): it gets turns", file=sys.stderr)
        yield kind


def all_kinds(cache, work):
    """The servers that are asked for, the anchor first."""
    only = [name for name in os.environ.get("ONLY", "").split(",") if name]
    kinds = [servers.Anchor(os.environ["ANCHOR"])]
    if not only or any(name.startswith("ours") for name in only):
        kinds += ours(os.environ["OURS"], work)
    if os.environ.get("PEERS") == "1":
        kinds += servers.installed_peers(cache)
    unknown = [name for name in only if name not in [kind.name for kind in kinds]]
    if unknown:
        there = ", ".join(["anchor", "ours", *servers.MAKERS])
        sys.exit(f"{', '.join(unknown)} cannot be measured; there are {there}, peers with PEERS=1 and installed")
    return [kind for kind in kinds if not only or kind.name in only]


def main():
    quick = "--quick" in sys.argv[1:]
    settings = Settings.read(quick)
    cache, work = Path(os.environ["CACHE"]), Path(os.environ["WORK"])
    if os.environ.get("PEERS") == "1":
        peers.install(cache, os.environ.get("RUST_PEERS") == "1")
    kinds = all_kinds(cache, work)
    out = Path(os.environ.get("OUT") or cache / "results" / time.strftime("%Y%m%d-%H%M%S"))
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "cells.jsonl", "w") as record:
        bench = cells.Bench(settings, str(work), record)
        try:
            measure(bench, kinds, settings)
        finally:
            # Whoever stops it sees what there is.
            tell(bench, kinds, settings, out)


def measure(bench, kinds, settings):
    for scenario in settings.scenarios:
        # All servers do one thing before any does the next, so that what is compared is close in time.
        for kind in kinds:
            print(f"{scenario}: {kind.name}", file=sys.stderr, flush=True)
            try:
                cells.SCENARIOS[scenario](bench, kind)
            except (NotStarted, RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                bench.record(kind, scenario, {"error": str(error)[:300]})


def tell(bench, kinds, settings, out):
    text = "\n".join(report(bench.counted_cells, kinds, settings))
    (out / "table.md").write_text(text + "\n")
    print(text)
    print(f"\nwritten to {out}: table.md, cells.jsonl", file=sys.stderr)


def report(counted, kinds, settings):
    names = [kind.name for kind in kinds]
    shown = table.Table(counted, names, settings)
    yield f"Machine: {machine.describe()}. {time.strftime('%Y-%m-%d')}; {settings.secs} s a cell.\n"
    first = [kind.name for kind in kinds if not isinstance(kind, servers.Peer)]
    if first:
        yield from shown.side_by_side(first)
    if len(names) > len(first):
        yield from shown.by_topic({kind.name: kind.label for kind in kinds})
    yield from shown.notes()


def asked_to_stop(*_):
    raise SystemExit("stopped")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, asked_to_stop)
    signal.signal(signal.SIGHUP, asked_to_stop)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
