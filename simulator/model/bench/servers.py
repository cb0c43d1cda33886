"""Every server that is measured: how it is told what to answer, and how it is started.

All answer the same: 31 characters to `short` and to `order-NNNNNN`, 800 characters to `long`, in pieces of four
characters where the server lets one choose. Each is given the rules that it needs for that and no more; ours
carries a hundred conversations all the same.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import peers

SHORT = "It is done, and nothing is left"
LONG = "abc " * 200
CHAT = "/v1/chat/completions"


@dataclass(frozen=True)
class Wanted:
    """What a server is started for."""

    gap_ms: int = 0  # between the events of `long`
    keys: int = 0  # how many conversations can be told apart by `order-NNNNNN`
    stream: bool = False  # whether streams are asked for; one server wants to know when it starts


@dataclass
class Command:
    argv: list
    env: dict = field(default_factory=dict)
    cwd: str | None = None
    path: str = CHAT
    headers: dict = field(default_factory=dict)
    model: str = "gpt-4o"
    marker: str = "abc"  # what stands once in each event of the long text


def key(number):
    """The word that names conversation `number`; none is a part of another."""
    return f"order-{number:06d}"


def texts(wanted):
    """What is said and what is answered."""
    yield from ((key(number), SHORT) for number in range(wanted.keys))
    yield "short", SHORT
    yield "long", LONG


class Anchor:
    name = label = "anchor"

    def __init__(self, program):
        self.program = program

    def command(self, port, folder, wanted):
        headers = {"x-gap-ms": str(wanted.gap_ms)} if wanted.gap_ms else {}
        return Command([self.program, str(port)], headers=headers)


class Ours:
    def __init__(self, name, program, positional, conversations):
        self.name = self.label = name
        self.program = program
        self.positional = positional  # builds before the redesign take `--script FILE`
        self.conversations = conversations  # and know neither conversations nor pacing

    def command(self, port, folder, wanted):
        if wanted.gap_ms and not self.conversations:
            return None
        script = write(folder, "script.json", self.script(wanted))
        named = [script] if self.positional else ["--script", script]
        return Command([self.program, "model", *named, "--listen", f"127.0.0.1:{port}"])

    def script(self, wanted):
        stream = {"piece_chars": 4}
        said = texts(Wanted(keys=wanted.keys or 98))
        if not self.conversations:
            turns = [
                {"id": word, "when": {"user_contains": word}, "repeat": True, "answer": {"text": text}}
                for word, text in said
            ]
            return {"script": 1, "name": "bench", "turns": turns}
        conversations = []
        for word, text in said:
            paced = {"gap_ms": wanted.gap_ms} if word == "long" and wanted.gap_ms else {}
            turn = {"id": "answer", "repeat": True, "stream": stream | paced, "answer": {"text": text}}
            conversations.append({"id": word, "key": word, "turns": [turn]})
        return {"script": 1, "name": "bench", "conversations": conversations}


class Peer:
    """A peer and the function that writes its configuration. `None` instead of a command: it cannot do that."""

    def __init__(self, name, version, program, make):
        self.name = name
        self.label = f"{name} {version}"
        self.program = str(program)
        self.make = make

    def command(self, port, folder, wanted):
        return self.make(self.program, port, folder, wanted)


def llmposter(program, port, folder, wanted):
    streaming = {"chunk_size": 4} | ({"latency": wanted.gap_ms} if wanted.gap_ms else {})
    fixtures = [
        {"match": {"user_message": word}, "response": {"content": text}, "streaming": streaming}
        for word, text in texts(wanted)
    ]
    file = write(folder, "fixtures.yaml", {"fixtures": fixtures})
    return Command([program, "--fixtures", file, "--bind", "127.0.0.1", "--port", str(port)])


def vidaimock(program, port, folder, wanted):
    # It says a text of its own, word by word, at a pace of its own.
    if wanted.gap_ms or wanted.keys:
        return None
    return Command(
        [program, "--host", "127.0.0.1", "-p", str(port), "-w", "2", "--mode", "benchmark"],
        cwd=folder, marker='"content":"',
    )


def aimock(program, port, folder, wanted):
    fixtures = [{"match": {"userMessage": word}, "response": {"content": text}} for word, text in texts(wanted)]
    file = write(folder, "fixtures.json", {"fixtures": fixtures})
    options = ["-h", "127.0.0.1", "-p", str(port), "-f", file, "-c", "4", "--log-level", "silent"]
    return Command(["node", program, *options, *(["-l", str(wanted.gap_ms)] if wanted.gap_ms else [])])


def mock_llm(program, port, folder, wanted):
    def rule(word, text):
        message = {"role": "assistant", "content": text}
        answer = {
            "id": "chatcmpl-{{timestamp}}", "object": "chat.completion", "created": 1700000000,
            "model": "{{jmes request body.model}}",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
        condition = f"contains(body.messages[-1].content, '{word}')"
        return {"path": CHAT, "match": condition, "response": {"status": 200, "content": json.dumps(answer)}}

    file = write(folder, "mock-llm.yaml", {
        "streaming": {"chunkSize": 4, "chunkIntervalMs": wanted.gap_ms},
        "rules": [rule(word, text) for word, text in texts(wanted)],
    })
    return Command(["node", program, "--config", file], {"HOST": "127.0.0.1", "PORT": str(port)}, folder)


def llmock_npm(program, port, folder, wanted):
    # It picks one of its own texts, and streams them in about five pieces with its own pauses.
    if wanted.gap_ms or wanted.keys:
        return None
    settings = {
        "SERVER_HOST": "127.0.0.1", "SERVER_PORT": str(port), "LLM_URL_ENDPOINT": CHAT[1:],
        "MOCK_LLM_RESPONSE_TYPE": "stored", "RESPONSE_DELAY_MIN": "0", "RESPONSE_DELAY_MAX": "0",
        "VALIDATE_REQUESTS": "OFF", "LOG_REQUESTS": "OFF", "STREAM": "true" if wanted.stream else "false",
    }
    home = Path(program).parents[3]
    return Command([str(home / "node_modules/.bin/tsx"), program], settings, folder, marker='"content":"')


def fakellm(program, port, folder, wanted):
    if wanted.gap_ms not in (0, 10):  # the 10 ms are built in
        return None
    rules = [
        {"name": word, "when": {"messages_contain": word}, "respond": {"content": text}}
        for word, text in texts(wanted)
    ]
    file = write(folder, "fakellm.yaml", {"version": 1, "rules": rules})
    return Command([program, "serve", "--port", str(port), "--config", file], cwd=folder)


def llm_mock_api(program, port, folder, wanted):
    file = write(folder, "rules.json5", {"rules": [{"when": word, "reply": text} for word, text in texts(wanted)]})
    options = ["-H", "127.0.0.1", "-p", str(port), "-r", file, "-c", "4", "-l", str(wanted.gap_ms)]
    return Command([program, "start", *options, "--log-level", "none"], cwd=folder)


def mockllm(program, port, folder, wanted):
    if wanted.gap_ms:
        return None
    file = write(folder, "responses.yml", {
        "responses": dict(texts(wanted)),
        "defaults": {"unknown_response": "?"},
        "settings": {"lag_enabled": False},
    })
    # For the name of a real model it looks for a tokenizer on the network, at every request.
    return Command(
        [program, "start", "-r", file, "-h", "127.0.0.1", "-p", str(port)],
        cwd=folder, model="mock-llm", marker='"content":"',
    )


def llmock_pypi(program, port, folder, wanted):
    if wanted.keys:
        return None
    delay = ["--stream-chunk-delay-ms", str(wanted.gap_ms)] if wanted.gap_ms else []
    options = ["-p", str(port), "--response-style", "echo", "--log-level", "warning", *delay]
    return Command([program, "serve", *options], cwd=folder, marker='"content":"')


def ai_mock(program, port, folder, wanted):
    if wanted.gap_ms:
        return None
    responses = [{"type": "text", "input": word, "output": text} for word, text in texts(wanted)]
    file = write(folder, "responses.json", {"responses": responses})
    # It starts uvicorn by name.
    path = f"{Path(program).parent}:/usr/local/bin:/usr/bin:/bin"
    return Command(
        [program, "server", file, "-p", str(port)], {"PATH": path}, folder,
        path="/openai/chat/completions", marker='"content": "',
    )


MAKERS = {
    "llmposter": llmposter,
    "vidaimock": vidaimock,
    "aimock": aimock,
    "mock-llm": mock_llm,
    "llmock (npm)": llmock_npm,
    "fakellm": fakellm,
    "llm-mock-api": llm_mock_api,
    "mockllm": mockllm,
    "llmock (PyPI)": llmock_pypi,
    "ai-mock": ai_mock,
}


def installed_peers(cache):
    """The peers that are there, in the order of their table."""
    for peer in peers.PEERS:
        program = peers.program(cache, peer.name)
        if program:
            yield Peer(peer.name, peer.version, program, MAKERS[peer.name])


def write(folder, name, value):
    """Writes a configuration; JSON is YAML."""
    path = Path(folder) / name
    path.write_text(json.dumps(value))
    return str(path)
