"""The record of a run as Markdown."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A value of a cell and the title of its column. `ratio`: whether times the anchor says something."""

    cell: str
    value: str
    title: str
    ratio: bool = True


def topics(settings):
    """The tables and their columns, for what may have been measured."""
    yield "Start and memory", start_and_memory(settings)
    yield "Whole answers", [
        *load("json", "answer"),
        Figure("context_c64", "cpu_us", "conversation of 64 KB: CPU, µs/answer"),
    ]
    yield "Streams", [*load("stream", "stream"), Figure("long_c1", "p50_ms", "200 events, 1 client: p50, ms")]
    yield "Gaps between events 10 ms apart", pacing(settings)
    yield "Choosing a conversation", choosing(settings)


def glance(settings):
    """The columns of the table that says most."""
    middle = settings.pace[len(settings.pace) // 2]
    most = settings.keys[-1]
    return [
        Figure("start", "ms", "start, ms"),
        Figure("idle", "mb", "idle, MB"),
        Figure("json_c64", "per_s", "answers/s"),
        Figure("json_c64", "cpu_us", "CPU, µs/answer"),
        Figure("stream_c64", "cpu_us", "CPU, µs/stream"),
        Figure("long_c1", "p50_ms", "200 events: p50, ms"),
        Figure(f"pace_{middle}", "p99_ms", f"10 ms gaps, {middle} streams: p99, ms"),
        Figure("streams", "kb_per_stream", "KB per open stream"),
        Figure(f"choose_{most}", "per_s", f"answers/s, one conversation of {most:,}"),
    ]


def start_and_memory(settings):
    return [
        Figure("start", "ms", "start to first answer, ms"),
        Figure("idle", "mb", "idle, MB"),
        Figure("memory", "mb", "after 100,000 answers, MB"),
        Figure("streams", "kb_per_stream", f"{settings.streams:,} open streams: KB each"),
        Figure("streams", "failed", f"{settings.streams:,} open streams: failed", ratio=False),
        Figure("streams", "p99_ms", f"{settings.streams:,} open streams: gaps of 1,000 ms, p99", ratio=False),
    ]


def load(cell, what):
    return [
        Figure(f"{cell}_c1", "per_s", f"1 client: {what}s/s"),
        Figure(f"{cell}_c1", "p50_ms", "1 client: p50, ms"),
        Figure(f"{cell}_c1", "p99_ms", "1 client: p99, ms"),
        Figure(f"{cell}_c64", "per_s", f"64 clients: {what}s/s"),
        Figure(f"{cell}_c64", "p50_ms", "64 clients: p50, ms"),
        Figure(f"{cell}_c64", "p99_ms", "64 clients: p99, ms"),
        Figure(f"{cell}_c64", "cpu_us", f"64 clients: CPU, µs/{what}"),
    ]


def pacing(settings):
    shown = (("mean_ms", "mean"), ("p50_ms", "p50"), ("p99_ms", "p99"), ("max_ms", "longest"))
    for count in settings.pace:
        at_once = f"{count} stream{'s' if count > 1 else ''}"
        for value, title in shown:
            yield Figure(f"pace_{count}", value, f"{at_once}: {title}, ms", ratio=False)


def choosing(settings):
    for keys in settings.keys:
        yield Figure(f"choose_{keys}", "per_s", f"of {keys:,}: answers/s")
        yield Figure(f"choose_{keys}", "cpu_us", f"of {keys:,}: CPU, µs/answer")
        yield Figure(f"choose_{keys}_start", "ms", f"of {keys:,}: start, ms", ratio=False)
        yield Figure(f"choose_{keys}_start", "mb", f"of {keys:,}: MB", ratio=False)


class Table:
    """The counted cells of a run, by server and cell. `names` are the servers, the first is the measure."""

    def __init__(self, cells, names, settings):
        self.cells = cells
        self.names = names
        self.settings = settings

    def by_topic(self, labels):
        """A table per topic, a row per server."""
        yield from self.rows("At a glance", glance(self.settings), labels)
        for topic, figures in topics(self.settings):
            yield from self.rows(topic, figures, labels)

    def rows(self, topic, figures, labels):
        figures = [figure for figure in figures if any((name, figure.cell) in self.cells for name in self.names)]
        if not figures:
            return
        yield f"\n#### {topic}\n"
        yield row(["server", *(figure.title for figure in figures)])
        yield row(["---", *("---:" for _ in figures)])
        for name in self.names:
            shown = [self.shown(name, figure) for figure in figures]
            if any(text != "–" for text in shown):
                yield row([labels[name], *shown])

    def side_by_side(self, names):
        """One table, a row per figure: for a look before and after a change."""
        others = names[1:]
        yield row(["", *names, *(f"{name} / {names[0]}" for name in others)])
        yield row(["---", *("---:" for _ in [*names, *others])])
        for topic, figures in topics(self.settings):
            figures = [figure for figure in figures if any((name, figure.cell) in self.cells for name in names)]
            if figures:
                yield row([f"**{topic}**", *("" for _ in [*names, *others])])
            for figure in figures:
                ratios = [self.ratio(name, figure, names[0]) for name in others]
                texts = [self.text(name, figure) for name in names]
                yield row([figure.title, *texts, *(factor(times) if times else "" for times in ratios)])

    def notes(self):
        """What the figures do not say: marks, shapes of streams, refusals and failures."""
        yield ""
        if any(cell["noisy"] for cell in self.cells.values()):
            yield f"`~`: anything else used {self.settings.quiet} cores or more meanwhile.\n"
        if len(self.names) > 1:
            yield f"In brackets, or as a ratio: times the {self.names[0]}. A dash: it cannot do that, or see below.\n"
        for name in self.names:
            said = [*self.shapes(name), *self.troubles(name)]
            if said:
                yield f"- {name}: " + "; ".join(said)

    def shapes(self, name):
        for cell in ("stream", "long"):
            values = self.cells.get((name, cell))
            if values and "events" in values:
                kind = "short" if cell == "stream" else "long"
                yield f"{kind} stream of {values['events']} events" + ("" if values["done"] else " without [DONE]")
        if not self.cells.get((name, "json"), {}).get("as_told", True):
            yield "answers with a text of its own"
        answers = self.cells.get((name, "memory"), {}).get("answers", 100_000)
        if answers < 99_000:
            yield f"memory after {answers:,} answers"

    def troubles(self, name):
        for (who, cell), values in self.cells.items():
            if who != name:
                continue
            if values.get("error"):
                yield f"{cell}: {values['error']}"
            if values.get("not_200") or values.get("broken"):
                yield f"{cell}: {values['not_200']} answers were not 200, {values['broken']} broke"
            if values.get("failed"):
                yield f"{cell}: " + ", ".join(f"{count} {why}" for why, count in values["why"].items() if count)
            if values.get("answers_after") is False:
                yield f"{cell}: no answer to what was asked after it"

    def shown(self, name, figure):
        times = self.ratio(name, figure, self.names[0])
        return self.text(name, figure) + (f" ({factor(times)})" if times and name != self.names[0] else "")

    def text(self, name, figure):
        values = self.cells.get((name, figure.cell), {})
        value = values.get(figure.value)
        if value is None:
            return "–"
        return ("~" if values["noisy"] else "") + number(value)

    def ratio(self, name, figure, base):
        if not figure.ratio:
            return None
        value, of = (self.cells.get((who, figure.cell), {}).get(figure.value) for who in (name, base))
        return value / of if value and of else None


def number(value):
    """Three digits that count."""
    if isinstance(value, int) or value >= 1000:
        return f"{value:,.0f}"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"


def factor(value):
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.095 else 3
    return f"{value:,.{digits}f}"


def row(texts):
    return "| " + " | ".join(texts) + " |"
