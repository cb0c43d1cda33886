"""What is measured. A scenario takes a server from its start to its end and records cells."""

import json
import math
import statistics
import time
from functools import partial

import machine
from running import NotStarted, Server
from servers import SHORT, Wanted

STARTS = 5
MEMORY_REQUESTS = 100_000
HISTORY = 200  # messages of 300 characters: a conversation of about 64 KB
HELD_GAP_MS = 1000
HOLD_S = 3
OPEN_S = 7


class Bench:
    """The settings of a run and its record."""

    def __init__(self, settings, work, record):
        self.settings = settings
        self.work = work
        self.record_file = record
        self.counted_cells = {}

    def start(self, kind, **wanted):
        return Server(kind, Wanted(**wanted), self.work, self.settings.start_s_max)

    def can(self, kind, **wanted):
        return kind.command(0, self.work, Wanted(**wanted)) is not None

    def counted(self, kind, cell, session, attempt, tries=None):
        """Makes an attempt until nothing else used the machine meanwhile; the quietest counts."""
        made = []
        for _ in range(tries or self.settings.tries):
            machine.wait_until_quiet(session, self.settings.quiet, self.settings.wait_s)
            meter = machine.Meter(session)
            values = attempt()
            values |= meter.stop()
            if session and values.get("requests"):
                values["cpu_us"] = round(values["server_cpu_s"] / values["requests"] * 1e6, 2)
            made.append(values)
            if values["noise"] < self.settings.quiet:
                break
        best = min(made, key=lambda values: values["noise"])
        for number, values in enumerate(made):
            self.record(kind, cell, values | {"attempt": number + 1, "counted": values is best})
        return best

    def record(self, kind, cell, values):
        noisy = values.get("noise", 0.0) >= self.settings.quiet
        values = {"server": kind.name, "cell": cell} | values | {"noisy": noisy}
        self.record_file.write(json.dumps(values) + "\n")
        self.record_file.flush()
        if values.get("counted", True):
            self.counted_cells[kind.name, cell] = values


def start(bench, kind):
    """From the start of the process to the whole first answer, and the memory a second later."""
    def attempt():
        times = []
        for _ in range(STARTS + 1):
            with bench.start(kind) as server:
                times.append(server.first_answer_ms)
        times = times[1:]  # the first has read the program from the disk
        return {"ms": round(statistics.median(times), 2), "min_ms": round(min(times), 2), "max_ms": round(max(times), 2)}

    bench.counted(kind, "start", None, attempt)
    with bench.start(kind) as server:
        time.sleep(1)
        bench.record(kind, "idle", {"mb": mb(server.rss_kb()), "processes": len(machine.session_pids(server.session))})


def whole(bench, kind):
    """Whole answers, to one client and to 64."""
    with bench.start(kind) as server:
        body = server.body("short")
        _, answer = server.ask(body)
        bench.record(kind, "json", {"bytes": len(answer), "as_told": SHORT.encode() in answer})
        server.load(body, 8, 1)
        for clients in (1, 64):
            load = partial(server.load, body, clients, bench.settings.secs)
            bench.counted(kind, f"json_c{clients}", server.session, load)


def context(bench, kind):
    """Whole answers to a long conversation, as an agent sends it late in its work."""
    with bench.start(kind) as server:
        body = server.body("short", history=HISTORY)
        load = partial(server.load, body, 64, bench.settings.secs)
        bench.counted(kind, "context_c64", server.session, load)


def stream(bench, kind):
    """Streams of the short answer, to one client and to 64."""
    with bench.start(kind, stream=True) as server:
        body = server.body("short", stream=True)
        shape(bench, kind, server, "stream", body)
        server.load(body, 8, 1)
        for clients in (1, 64):
            load = partial(server.load, body, clients, bench.settings.secs)
            bench.counted(kind, f"stream_c{clients}", server.session, load)


def long(bench, kind):
    """Streams of 200 events to one client."""
    with bench.start(kind, stream=True) as server:
        body = server.body("long", stream=True)
        shape(bench, kind, server, "long", body)
        bench.counted(kind, "long_c1", server.session, partial(server.load, body, 1, bench.settings.secs))


def shape(bench, kind, server, cell, body):
    _, answer = server.ask(body)
    bench.record(kind, cell, {
        "events": answer.count(b"data:"), "pieces": answer.count(server.command.marker.encode()),
        "bytes": len(answer), "done": b"[DONE]" in answer,
    })


def pace(bench, kind):
    """200 events that are 10 ms apart, to some clients at once."""
    if not bench.can(kind, gap_ms=10):
        return
    with bench.start(kind, gap_ms=10, stream=True) as server:
        for streams in bench.settings.pace:
            attempt = partial(server.open_streams, streams=streams, rate=0, open_s=2, until_s=7)
            bench.counted(kind, f"pace_{streams}", server.session, attempt)


def memory(bench, kind):
    """What is resident after a hundred thousand whole answers, or as many as twenty seconds allow."""
    with bench.start(kind) as server:
        body = server.body("short")

        def attempt():
            run = server.load(body, 64, 1)
            total = run["requests"]
            for _ in range(2):
                left = MEMORY_REQUESTS - total
                if left <= 0 or not run["requests"]:
                    break
                run = server.load(body, 64, math.ceil(left / run["per_s"] * 1.2), most=left)
                total += run["requests"]
            time.sleep(0.5)
            return {"answers": total, "mb": mb(server.rss_kb())}

        bench.counted(kind, "memory", server.session, attempt, tries=1)


def streams(bench, kind):
    """Thousands of streams that are open at once, a second between the events of each."""
    if not bench.can(kind, gap_ms=HELD_GAP_MS):
        return
    with bench.start(kind, gap_ms=HELD_GAP_MS, stream=True) as server:
        time.sleep(0.5)
        before = server.rss_kb()

        def attempt():
            order = {"streams": bench.settings.streams, "rate": bench.settings.rate, "open_s": OPEN_S, "hold_s": HOLD_S}
            values = server.open_streams(**order)
            opened = max(values["opened"], 1)
            values["kb_per_stream"] = round((values["open_rss_kb"] - before) / opened, 1)
            time.sleep(1)
            values["mb_after"] = mb(server.rss_kb())
            values["answers_after"] = server.ask(server.probe)[0] == 200
            return values

        bench.counted(kind, "streams", server.session, attempt, tries=1)


def choose(bench, kind):
    """Requests that each name one of many conversations at random."""
    for keys in bench.settings.keys:
        if not bench.can(kind, keys=1):
            return
        cell = f"choose_{keys}"
        try:
            with bench.start(kind, keys=keys, stream=False) as server:
                body = server.body("order-000000")
                time.sleep(0.2)
                bench.record(kind, f"{cell}_start", {"ms": round(server.first_answer_ms, 1), "mb": mb(server.rss_kb())})
                load = partial(server.load, body, 64, bench.settings.secs, keys=keys)
                bench.counted(kind, cell, server.session, load)
        except NotStarted as error:
            bench.record(kind, cell, {"error": str(error)})
            return


def mb(kb):
    return round(kb / 1024, 2)


SCENARIOS = {
    "start": start,
    "json": whole,
    "context": context,
    "stream": stream,
    "long": long,
    "pace": pace,
    "memory": memory,
    "streams": streams,
    "choose": choose,
}
