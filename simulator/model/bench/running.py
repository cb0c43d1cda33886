"""A server that runs, and how it is asked: one request by hand, wrk for load, `streams.py` for pacing."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine

HERE = Path(__file__).parent
RUN_S_MAX = 10  # no load lasts longer

# What is asked of wrk besides a body: latencies in microseconds, and an end after so many answers.
LUA = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer bench"
wrk.body = [==[%(body)s]==]
local keys, most = %(keys)d, %(most)d
if keys > 0 then
  local before, after = [==[%(before)s]==], [==[%(after)s]==]
  function init() math.randomseed(1) end
  function request()
    local key = string.format("order-%%06d", math.random(keys) - 1)
    return wrk.format(nil, nil, nil, before .. key .. after)
  end
end
if most > 0 then
  local seen = 0
  function response()
    seen = seen + 1
    if seen == most then wrk.thread:stop() end
  end
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\nRESULT {"requests": %%d, "us": %%d, "p50_us": %%d, "p99_us": %%d, "status": %%d, "broken": %%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), e.status,
    e.connect + e.read + e.write + e.timeout))
end
"""


class NotStarted(Exception):
    """The server gave no answer in time, or ended."""


class Server:
    """A started server. Use it in a `with`: it is ended whatever happens."""

    def __init__(self, kind, wanted, work, start_s_max):
        self.kind = kind
        self.work = work
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="server-", dir=work)
        self.command = kind.command(self.port, self.folder, wanted)
        self.probe = self.body("order-000000" if wanted.keys else "short")
        self.log = open(Path(self.folder) / "log", "wb")
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            self.command.argv, cwd=self.command.cwd or self.folder, env={**os.environ, **self.command.env},
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
        )
        self.session = self.process.pid
        self._note("started")
        try:
            machine.prefer(self.session)
            self.first_answer_ms = self._await_answer(begun, start_s_max)
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _await_answer(self, begun, start_s_max):
        while time.perf_counter() - begun < start_s_max:
            if self.process.poll() is not None:
                raise NotStarted(f"it ended with {self.process.returncode}: {self.last_words()}")
            try:
                status, _ = self.ask(self.probe, timeout=max(0.1, start_s_max - (time.perf_counter() - begun)))
                if status == 200:
                    return (time.perf_counter() - begun) * 1e3
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.001)
        raise NotStarted(f"no answer within {start_s_max} s")

    def last_words(self):
        self.log.flush()
        lines = Path(self.log.name).read_text(errors="replace").strip().splitlines()
        return " / ".join(line.strip() for line in lines[-4:])[:300]

    def body(self, word, stream=False, history=0):
        """A request that says `word` last, behind `history` messages of 300 characters."""
        messages = [
            {"role": ("user", "assistant")[number % 2], "content": f"Message {number}: " + "what was said. " * 19}
            for number in range(history)
        ]
        messages.append({"role": "user", "content": word})
        body = {"model": self.command.model, "messages": messages}
        return json.dumps(body | ({"stream": True} if stream else {}))

    def headers(self):
        return {
            "Content-Type": "application/json", "Authorization": "Bearer bench", "Connection": "close",
            **self.command.headers,
        }

    def ask(self, body, timeout=20.0):
        """Status and body of the answer to one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", self.command.path, body.encode(), self.headers())
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def load(self, body, connections, seconds, keys=0, most=0):
        """Runs wrk for a time, or until `most` answers have come. `keys`: each request names a random one."""
        before, after = body.split("order-000000") if keys else ("", "")
        script = Path(self.folder) / "load.lua"
        script.write_text(LUA % {"body": body, "keys": keys, "most": most, "before": before, "after": after})
        url = f"http://127.0.0.1:{self.port}{self.command.path}"
        shape = ["-t1", f"-c{connections}", f"-d{min(seconds, RUN_S_MAX)}s", "--timeout", "9s", "-s", str(script)]
        output, _ = self._tool(["wrk", *shape, url])
        found = re.search(r"^RESULT (.*)$", output, re.MULTILINE)
        if not found:
            raise RuntimeError(f"wrk failed: {output.strip()[:300]}")
        result = json.loads(found[1])
        seconds = max(result["us"] / 1e6, 1e-6)
        values = {
            "requests": result["requests"], "per_s": round(result["requests"] / seconds, 1),
            "not_200": result["status"], "broken": result["broken"],
        }
        if result["requests"]:
            values |= {"p50_ms": result["p50_us"] / 1e3, "p99_ms": result["p99_us"] / 1e3}
        return values

    def open_streams(self, **order):
        """Runs the client of streams. Besides what it says: the memory while all are open."""
        body = self.body("long", stream=True)
        headers = {"Host": f"127.0.0.1:{self.port}", "Content-Length": str(len(body)), **self.headers()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        request = f"POST {self.command.path} HTTP/1.1\r\n{lines}\r\n{body}"
        order = {"port": self.port, "request": request, "marker": self.command.marker, "at_once": 1024} | order
        output, rss_kb = self._tool([sys.executable, str(HERE / "streams.py"), json.dumps(order)],
                                    look_after_s=order.get("hold_s", 0) / 2)
        return json.loads(output.strip().splitlines()[-1]) | {"open_rss_kb": rss_kb}

    def rss_kb(self):
        return machine.session_rss_kb(self.session)

    def _tool(self, argv, look_after_s=None):
        """What a load generator prints; if wanted, the server's memory so long after its first line."""
        tool = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self._note("started", tool.pid)
        rss_kb = None
        try:
            machine.prefer(tool.pid)
            first = ""
            if look_after_s is not None:
                first = tool.stdout.readline()
                time.sleep(look_after_s)
                rss_kb = self.rss_kb()
            output = first + tool.communicate(timeout=4 * RUN_S_MAX)[0]
        finally:
            if tool.poll() is None:
                tool.kill()
                tool.wait()
            self._note("ended", tool.pid)
        return output, rss_kb

    def _note(self, what, pid=None):
        """For whoever must end what is left when this process is killed."""
        with open(Path(self.work) / "sessions", "a") as file:
            file.write(f"{what} {pid or self.session}\n")

    def stop(self):
        """Ends the server and all that it has started."""
        for number, patience_s in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0)):
            deadline = time.monotonic() + patience_s
            for pid in machine.session_pids(self.session):
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
            while time.monotonic() < deadline:
                self.process.poll()
                if not machine.session_pids(self.session):
                    break
                time.sleep(0.01)
        self.process.wait()
        self._note("ended")
        self.log.close()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
