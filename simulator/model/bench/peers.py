"""The peers: which, in which version, and how they are installed. None of their code is kept here."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Peer:
    name: str
    kind: str  # npm, pypi or crate
    package: str
    version: str
    program: str  # below the folder that it is installed in


PEERS = [
    Peer("llmposter", "crate", "llmposter", "0.5.0", "bin/llmposter"),
    Peer("vidaimock", "crate", "vidaimock", "0.3.1", "bin/vidaimock"),
    Peer("aimock", "npm", "@copilotkit/aimock", "1.43.0", "node_modules/@copilotkit/aimock/dist/cli.js"),
    Peer("mock-llm", "npm", "@dwmkerr/mock-llm", "0.1.29", "node_modules/@dwmkerr/mock-llm/dist/main.js"),
    Peer("llmock (npm)", "npm", "llmock", "3.3.6", "node_modules/llmock/src/server.ts"),
    Peer("fakellm", "pypi", "fakellm", "0.3.5", "bin/fakellm"),
    Peer("llm-mock-api", "pypi", "llm-mock-api", "0.1.2", "bin/llm-mock-api"),
    Peer("mockllm", "pypi", "mockllm", "0.0.8", "bin/mockllm"),
    Peer("llmock (PyPI)", "pypi", "llmock", "0.2.2", "bin/llmock"),
    Peer("ai-mock", "pypi", "ai-mock", "0.3.1", "bin/ai-mock"),
]


def folder(cache, peer):
    """Where a peer lives; the version is part of it, so that another one is another installation."""
    return Path(cache) / "peers" / peer.kind / f"{peer.package.replace('/', '_')}-{peer.version}"


def program(cache, name):
    """The program of an installed peer, or None."""
    peer = next(peer for peer in PEERS if peer.name == name)
    path = folder(cache, peer) / peer.program
    return path if path.exists() else None


def install(cache, crates):
    """Installs what is missing. A peer that cannot be installed is told about and left out."""
    for peer in PEERS:
        if program(cache, peer.name) or (peer.kind == "crate" and not crates):
            continue
        print(f"installing {peer.package} {peer.version} ({peer.kind})", flush=True)
        home = folder(cache, peer)
        home.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "CARGO_TARGET_DIR": str(Path(cache) / "cargo-target")}
        for command in _commands(peer, home):
            if subprocess.run(command, env=env, stdin=subprocess.DEVNULL).returncode:
                print(f"{peer.name} cannot be installed here and is left out", flush=True)
                break


def _commands(peer, home):
    if peer.kind == "npm":
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--silent"]
        yield ["npm", "install", "--prefix", str(home), *quiet, f"{peer.package}@{peer.version}"]
    elif peer.kind == "pypi":
        yield ["python3", "-m", "venv", str(home)]
        pip = [str(home / "bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
        yield [*pip, f"{peer.package}=={peer.version}"]
    else:
        # Minutes of compiling go behind everything else.
        build = ["nice", "-n", "19", "cargo", "install", "--quiet", "--locked", "--root", str(home)]
        yield [*build, f"{peer.package}@{peer.version}"]
