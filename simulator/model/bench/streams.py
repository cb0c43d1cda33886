"""The client of paced streams: one process, one epoll loop, any number of streams at once.

Usage: streams.py JSON, with `port`, `request` (text), `streams`, `marker` (what stands once in each event of
text), `at_once` (the most that wait for the head of their answer), `rate` (streams opened in a second, 0: all
at once), `open_s` (the most that opening may take) and either `hold_s` (how long to read once all are open,
before closing them) or `until_s` (the most to wait for all of them to end).
"""

import gc
import json
import select
import socket
import sys
import time
from collections import Counter

LAST_CHUNK = b"\r\n0\r\n\r\n"


class Stream:
    __slots__ = ("socket", "head", "tail", "first", "last", "events")

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.head = b""
        self.tail = b""
        self.first = self.last = 0.0
        self.events = 0
        self.socket.connect_ex(("127.0.0.1", port))


class Client:
    def __init__(self, order):
        self.order = order
        self.request = order["request"].encode()
        self.marker = order["marker"].encode()
        self.marker_tail = len(self.marker) - 1
        self.epoll = select.epoll()
        self.streams = {}
        self.waiting = 0
        self.opened = self.ended = 0
        self.failures = Counter()
        self.gaps = []
        self.means = []
        self.silent = 0

    def run(self):
        begun = time.perf_counter()
        rate, wanted = self.order["rate"], self.order["streams"]
        asked = 0
        while asked < wanted or self.waiting:
            elapsed = time.perf_counter() - begun
            if elapsed > self.order["open_s"]:
                break
            due = wanted if not rate else min(wanted, int(elapsed * rate) + 1)
            while asked < due and self.waiting < self.order["at_once"]:
                self.open()
                asked += 1
            self.turn(0.002 if asked < wanted else 0.05)
        opening_s = time.perf_counter() - begun
        print(f"OPEN {self.opened}", flush=True)
        hold, until = self.order.get("hold_s"), self.order.get("until_s")
        deadline = time.perf_counter() + (hold or until)
        while time.perf_counter() < deadline and (hold or self.streams):
            self.turn(0.05)
        late = self.finish(hold)
        return self.report(wanted, asked, opening_s, late)

    def open(self):
        stream = Stream(self.order["port"])
        self.streams[stream.socket.fileno()] = stream
        self.epoll.register(stream.socket.fileno(), select.EPOLLOUT)
        self.waiting += 1

    def turn(self, seconds):
        for number, mask in self.epoll.poll(seconds):
            stream = self.streams[number]
            try:
                if mask & select.EPOLLOUT:
                    self.begin(number, stream)
                else:
                    self.read(number, stream)
            except OSError as error:
                self.fail(number, stream, error.strerror or "broken")

    def begin(self, number, stream):
        error = stream.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise OSError(error, "not connected")
        # It is far smaller than the buffer of a socket, so it is taken whole.
        stream.socket.send(self.request)
        self.epoll.modify(number, select.EPOLLIN)

    def read(self, number, stream):
        data = stream.socket.recv(65536)
        now = time.perf_counter()
        if not data:
            self.end(number, stream)
            return
        if stream.head is not None:
            data = self.headed(number, stream, data)
            if not data:
                return
        tail = stream.tail
        count = (tail[-self.marker_tail:] + data).count(self.marker)
        stream.tail = (tail + data)[-len(LAST_CHUNK):]
        if count:
            if stream.events:
                self.gaps.append((now - stream.last) * 1e3)
            else:
                stream.first = now
            self.gaps.extend([0.0] * (count - 1))
            stream.last = now
            stream.events += count
        # Some servers keep a connection open that was asked to be closed.
        if stream.tail == LAST_CHUNK:
            self.end(number, stream)

    def headed(self, number, stream, data):
        """What stands behind the head, once the head is whole."""
        head = stream.head + data
        end = head.find(b"\r\n\r\n")
        if end < 0:
            stream.head = head
            return b""
        self.waiting -= 1
        stream.head = None
        status = head[9:12]
        if status != b"200":
            self.close(number, stream)
            self.failures[f"status {status.decode(errors='replace')}"] += 1
            return b""
        self.opened += 1
        return head[end + 4:]

    def end(self, number, stream):
        if stream.head is not None:
            self.fail(number, stream, "closed without an answer")
            return
        self.close(number, stream)
        self.ended += 1
        self.account(stream)

    def fail(self, number, stream, why):
        if stream.head is not None:
            self.waiting -= 1
        self.close(number, stream)
        self.failures[why] += 1

    def account(self, stream):
        if stream.events > 1:
            self.means.append((stream.last - stream.first) / (stream.events - 1) * 1e3)
        if not stream.events:
            self.silent += 1

    def close(self, number, stream):
        self.epoll.unregister(number)
        stream.socket.close()
        del self.streams[number]

    def finish(self, hold):
        """Closes what is still open and says how many of these should have ended."""
        late = 0
        for number, stream in list(self.streams.items()):
            if stream.head is not None:
                self.failures["no answer in time"] += 1
            elif hold:
                self.account(stream)
            else:
                late += 1
            self.close(number, stream)
        return late

    def report(self, wanted, asked, opening_s, late):
        gaps = sorted(self.gaps)

        def at(share):
            return round(gaps[int(share * (len(gaps) - 1))], 2) if gaps else None

        failed = sum(self.failures.values()) + late + self.silent + wanted - asked
        return {
            "streams": wanted, "opened": self.opened, "opening_s": round(opening_s, 2), "failed": failed,
            "why": dict(self.failures) | {"late": late, "silent": self.silent, "not asked": wanted - asked},
            "ended": self.ended, "gaps": len(gaps), "merged": sum(gap == 0.0 for gap in gaps),
            "mean_ms": round(sum(self.means) / len(self.means), 3) if self.means else None,
            "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1.0),
        }


if __name__ == "__main__":
    gc.disable()
    print(json.dumps(Client(json.loads(sys.argv[1])).run()), flush=True)
