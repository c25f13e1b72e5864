"""Runs a client's checks against an endpoint, and says where two runs differ.

    reference = direct(PLAYWRIGHT, "own", chromium)          # a Chromium with a debugging port
    told = await run(PLAYWRIGHT, endpoint, "own", site)      # the same script somewhere else
    surprises(reference, told, allowed)                      # what differs and is not on the list

    python -m tests.conformance.client_run_comparison                       # record anew what is
    direct

Knows: the scripts, how they are called and what they print. Must not know: the relay. What a plain
Chromium answers is kept in recorded/: it only changes with the scripts, the clients or the browser,
and where it does not fit them it is taken again (and kept below .dev).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

from tests.chromium import find_chromium, running_chromium
from tests.conformance.conformance_site import Site
from tests.conformance.known_differences import Difference
from tests.npm_package_cache import checksum, installed, made_whole, program
from tests.soak_extent import repeats

__all__ = [
    "CLIENTS",
    "FLAGS",
    "Client",
    "Outcome",
    "Rooms",
    "differ",
    "direct",
    "packages",
    "part",
    "run",
    "surprises",
]

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CACHE = ROOT / ".dev" / "conformance"
RECORDED = HERE / "recorded"
# Of every browser here. A page from the back-forward cache tells Playwright nothing of itself:
# goBack() hangs with every Chromium that has one, however it is connected.
FLAGS = ("--site-per-process", "--disable-back-forward-cache", "--hide-scrollbars")
RUN_WITHIN_S = 900.0
FEW = 20

Rooms = Literal["own", "shared"]


@dataclass(frozen=True, slots=True)
class Client:
    """A client and the script that calls its API."""

    name: str
    script: str

    def command(self, wish: Mapping[str, Any]) -> list[str]:
        """What runs the script."""
        said = json.dumps(wish)
        if self.script.endswith(".mjs"):
            return [program("node"), str(HERE / self.script), said]
        return [sys.executable, "-m", f"tests.conformance.{self.script.removesuffix('.py')}", said]

    def sources(self) -> list[Path]:
        """The files that decide what the script tells of one browser."""
        own = sorted((HERE / self.name).glob("*.mjs"))
        if self.script.endswith(".mjs"):
            own += [
                HERE / name
                for name in ("node_check_runner.mjs", "package.json", "package-lock.json")
            ]
        else:
            own.append(HERE / "python_check_runner.py")
        return [HERE / self.script, HERE / "conformance_site.py", *own]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check gave: a value or words of an error, as text."""

    text: str
    ms: int = 0


CLIENTS = {
    client.name: client
    for client in (
        Client("playwright", "playwright_checks.mjs"),
        Client("python", "playwright_python_checks.py"),
        Client("puppeteer", "puppeteer_checks.mjs"),
    )
}


def packages() -> Path:
    """The clients of npm."""
    return installed(HERE / "package.json", CACHE)


def direct(client: Client, rooms: Rooms, chromium: Path) -> dict[str, Outcome]:
    """What the checks give on a Chromium with a debugging port. Kept, so mostly only read."""
    key = _key(client, chromium)
    kept = RECORDED / f"{client.name}_{rooms}.jsonl"
    if kept.exists():
        first, _, lines = kept.read_text().partition("\n")
        if json.loads(first) == {"key": key}:
            return _read(lines)
    place = CACHE / f"{client.name}_{rooms}-{key}"
    if not place.exists():
        made_whole(place, lambda into: _record(client, rooms, chromium, into))
    return _read((place / "told.jsonl").read_text())


def _key(client: Client, chromium: Path) -> str:
    told = subprocess.run([str(chromium), "--version"], capture_output=True).stdout
    version = re.search(rb"\d+", told)  # what a client sees changes with it, not with a correction
    assert version is not None
    return hashlib.sha256(version[0] + checksum(*client.sources()).encode()).hexdigest()[:16]


def _record(client: Client, rooms: Rooms, chromium: Path, into: Path) -> None:
    with (
        Site() as site,
        running_chromium(chromium, *FLAGS) as endpoint,
        tempfile.TemporaryDirectory(prefix="ph-conformance-") as scratch,
    ):
        wish = _wish(f"http://127.0.0.1:{endpoint.port}", rooms, site, scratch)
        done = subprocess.run(
            client.command(wish),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_WITHIN_S,
        )
    told = _read(done.stdout)
    # A reference that was taken in a bad moment is none.
    late = [name for name, outcome in told.items() if _is_late(outcome)]
    if done.returncode or late or not told:
        raise RuntimeError(f"{client.name} on a plain Chromium: {late} {done.stderr[-2000:]}")
    (into / "told.jsonl").write_text(done.stdout)


def _is_late(outcome: Outcome) -> bool:
    # One whose end was late leaves its client there, to the harm of those that follow.
    ended_late = "(and its end: " in outcome.text
    return ended_late or (
        outcome.text.startswith("error")
        and ("ms exceeded" in outcome.text or "within the limit" in outcome.text)
    )


async def run(
    client: Client, endpoint: str, rooms: Rooms, site: Site, only: Iterable[str] = ()
) -> dict[str, Outcome]:
    """What the checks give on an endpoint."""
    with tempfile.TemporaryDirectory(prefix="ph-conformance-") as scratch:
        wish = {**_wish(endpoint, rooms, site, scratch), "only": list(only) or None}
        process = await asyncio.create_subprocess_exec(
            *client.command(wish),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(RUN_WITHIN_S):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    if process.returncode:
        raise RuntimeError(f"{client.name} ended with {process.returncode}: {err.decode()[-2000:]}")
    return _read(out.decode())


def _wish(endpoint: str, rooms: Rooms, site: Site, scratch: str) -> dict[str, Any]:
    return {
        "endpoint": endpoint,
        "rooms": rooms,
        "site": site.url("/"),
        "sockets": site.sockets,
        "scratch": scratch,
        "packages": str(packages()),
    }


def _read(lines: str) -> dict[str, Outcome]:
    told: dict[str, Outcome] = {}
    for line in lines.splitlines():
        said = json.loads(line)
        name = said.get("name")
        if name is None:
            continue
        text = f"error: {said['error']}" if "error" in said else json.dumps(said["value"])
        if "left" in said:
            text += f" (and its end: {said['left']})"
        told[name] = Outcome(text, said["ms"])
    return told


def _spelt(text: str) -> str:
    # Playwright ends this sentence with a full stop or without, by which of two messages is first.
    return text.replace("because of a navigation.", "because of a navigation")


def surprises(
    reference: Mapping[str, Outcome],
    told: Mapping[str, Outcome],
    allowed: Mapping[str, Difference],
) -> list[str]:
    """One line for each check whose difference is not on the list, or that is there for nothing."""
    lines = []
    for name in {**reference, **told}:
        plain = reference[name].text if name in reference else "nothing"
        relayed = told[name].text if name in told else "nothing"
        difference = allowed.get(name)
        if difference is None and _spelt(plain) != _spelt(relayed):
            lines.append(f"{name}:\n  directly:          {plain}\n  through the relay: {relayed}")
        elif difference is not None and plain == relayed and not difference.sometimes:
            lines.append(f"{name}: is on the list of differences and does not differ")
        elif difference is not None and difference.shows not in relayed:
            lines.append(f"{name}: differs in another way than listed: {relayed}")
    return lines


def part(checks: Iterable[str], which: int) -> list[str]:
    """Which checks are run: all of them in a soak, else about twenty, spread over the script; not
    the same ones for each `which`."""
    listed = list(checks)
    step = repeats(max(len(listed) // FEW, 1), 1)
    return listed[which % step :: step]


def differ(lines: list[str]) -> None:
    """Fail with what differs."""
    if lines:
        pytest.fail("\n".join([f"{len(lines)} checks differ:", *lines]), pytrace=False)


def main() -> None:
    """Keep in recorded/ what every client sees of a Chromium it is connected to."""
    chromium = find_chromium()
    assert chromium is not None
    RECORDED.mkdir(exist_ok=True)
    for client in CLIENTS.values():
        for rooms in get_args(Rooms):
            direct(client, rooms, chromium)
            place = CACHE / f"{client.name}_{rooms}-{_key(client, chromium)}" / "told.jsonl"
            kept = RECORDED / f"{client.name}_{rooms}.jsonl"
            if place.exists():
                kept.write_text(
                    json.dumps({"key": _key(client, chromium)}) + "\n" + place.read_text()
                )


if __name__ == "__main__":
    main()
