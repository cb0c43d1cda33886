"""What the kernel says of processes and of the machine. Times are seconds, memory is kibibytes."""

import functools
import gzip
import os
import resource
import time
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1


def session_pids(session):
    """The living processes of a session. Every server is started in one of its own, so this is all it has begun."""
    return [pid for pid, fields in _processes() if int(fields[3]) == session and fields[0] != "Z"]


def session_rss_kb(session):
    """Resident memory of a session, to the page where the kernel tells."""
    return sum(_rss_kb(pid) for pid in session_pids(session))


def own_cpu_s():
    """Our own time and that of our children that have ended, the load generators among them."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


def busy_s():
    """What all cores together were not idle; what a hypervisor took away counts, as it disturbs as well."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = (int(field) for field in file.readline().split()[1:9])
    ticks = user + nice + system + steal
    # The work of the loopback device. Most kernels charge it to the process that it interrupts, where it is
    # subtracted with that process; the others would let each load look like a disturbance of itself.
    if not _interrupts_apart():
        ticks += irq + softirq
    return ticks / TICKS_PER_S


def describe():
    """One line on the machine."""
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo") as file:
        memory_gb = int(file.readline().split()[1]) / 1024 / 1024
    return f"{CORES} x {model}, {memory_gb:.0f} GB, Linux {os.uname().release}"


def prefer(pid):
    """Lets a process go before others where that is permitted; on a quiet machine it changes nothing."""
    try:
        with open(f"/proc/{pid}/autogroup", "w") as file:
            file.write("-10")
    except OSError:
        pass
    try:
        os.setpriority(os.PRIO_PROCESS, pid, -10)
    except OSError:
        pass


class Meter:
    """Where the time of the processors goes between its start and its stop."""

    def __init__(self, session=None):
        self.session = session
        self.begun = self._read()

    def stop(self):
        """`server_cpu_s`, `tool_cpu_s`, and `noise`: the cores that anything else kept busy."""
        wall, busy, everyone, server, own = (now - then for now, then in zip(self._read(), self.begun))
        # The kernel samples how busy the machine is and so overlooks short bursts. The sum over the processes
        # is exact, but it holds those only that can be seen from here.
        others = max(busy, everyone) - server - own
        return {
            "server_cpu_s": round(server, 2), "tool_cpu_s": round(own, 3), "wall_s": round(wall, 3),
            "noise": round(max(0.0, others / wall), 3),
        }

    def _read(self):
        everyone = server = 0
        for _, fields in _processes():
            ticks = sum(int(field) for field in fields[11:15])
            everyone += ticks
            if int(fields[3]) == self.session:
                server += ticks
        return time.perf_counter(), busy_s(), everyone / TICKS_PER_S, server / TICKS_PER_S, own_cpu_s()


def wait_until_quiet(session, limit, patience_s):
    """Waits at most `patience_s` until less than `limit` cores are busy with anything but this session."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        meter = Meter(session)
        time.sleep(0.4)
        if meter.stop()["noise"] < limit:
            return


@functools.cache
def _interrupts_apart():
    """Whether this kernel keeps the time of interrupts apart from that of processes."""
    option = "CONFIG_IRQ_TIME_ACCOUNTING=y"
    try:
        return option in gzip.open("/proc/config.gz", "rt").read().split()
    except OSError:
        pass
    try:
        return option in Path(f"/boot/config-{os.uname().release}").read_text().split()
    except OSError:
        return False


def _processes():
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = _stat(name)
            if fields:
                yield int(name), fields


def _stat(pid):
    """The fields of /proc/PID/stat behind the name, which may hold anything: the state is the first."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            text = file.read()
    except OSError:
        return None
    return text[text.rindex(")") + 2:].split()


def _rss_kb(pid):
    # The counter in `status` lags behind by some pages per thread; the roll-up walks the pages.
    for name, field in (("smaps_rollup", "Rss:"), ("status", "VmRSS:")):
        try:
            with open(f"/proc/{pid}/{name}") as file:
                for line in file:
                    if line.startswith(field):
                        return int(line.split()[1])
        except OSError:
            continue
    return 0
