"""Wires recorded from a real Chromium, replayed through the router."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import asdict

from pilothouse.cdp.message import SessionId
from pilothouse.cdp.router import (
    IgnoredMessage,
    ReplyReceived,
    Router,
    SentCommand,
    SessionRecord,
    SessionsChanged,
)
from scripts.cdp_transcript_scenarios import SCENARIOS
from scripts.record_transcript import LARGEST, play
from tests.cdp_transcripts import FOLDER, Line, read
from tests.chromium import running_chromium
from tests.page_server import Pages

RECORDED = sorted(FOLDER.glob("*.jsonl"))


@dataclass
class Replay:
    """What the router made of a transcript."""

    router: Router[SentCommand] = field(default_factory=Router)
    attached: list[SessionRecord] = field(default_factory=list)
    detached: list[SessionRecord] = field(default_factory=list)
    lost_commands: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)

    def play(self, line: Line) -> None:
        """One message, in its direction."""
        message = line.message
        if line.direction == "send":
            session_id = SessionId(message.get("sessionId", ""))
            pending = SentCommand(message["method"], session_id, line.at, "transcript")
            assert self.router.register(pending) == message["id"]
            return
        match self.router.receive(line.frame):
            case ReplyReceived(pending=answered):
                self.settled.append(answered.method)
            case SessionsChanged() as changed:
                self.attached += [changed.attached] if changed.attached else []
                self.detached += changed.detached
                self.lost_commands += [pending.method for pending in changed.lost_commands]
            case IgnoredMessage():
                pass  # The router's counts tell why.


def replay(path: Path) -> Replay:
    """The whole transcript."""
    played = Replay()
    for line in read(path):
        played.play(line)
    return played


def check_attach_and_navigate(played: Replay) -> None:
    assert [record.target_type for record in played.attached] == ["page"]
    assert played.detached == played.attached
    assert played.lost_commands == []


def check_oopif(played: Replay) -> None:
    page, middle, inner = played.attached
    assert [r.target_type for r in played.attached] == ["page", "iframe", "iframe"]
    assert (middle.parent, inner.parent) == (page.id, middle.id)
    assert middle.waiting_for_debugger
    # Chromium said a word about the middle frame only, or about the inner one first.
    assert sorted(r.id for r in played.detached) == sorted([middle.id, inner.id])
    assert list(played.router.sessions) == [page.id]


def check_crash(played: Replay) -> None:
    assert played.lost_commands == ["Runtime.evaluate", "Page.crash"]
    assert [record.crashed for record in played.router.sessions.values()] == [False]
    assert "Page.reload" in played.settled


CHECKS: dict[str, Callable[[Replay], None]] = {
    "attach_and_navigate": check_attach_and_navigate,
    "crash": check_crash,
    "oopif": check_oopif,
}


def check_all(name: str, played: Replay) -> None:
    """What holds for every story, then what holds for this one."""
    counts = asdict(played.router.counts)
    # A revived page answers the commands that died with it, long after we gave them up.
    assert counts.pop("late") <= (2 if name == "crash" else 0)
    assert set(counts.values()) == {0}
    assert played.router.pending == {}
    CHECKS[name](played)


def test_every_scenario_has_a_recording_and_a_check() -> None:
    assert sorted(SCENARIOS) == sorted(CHECKS) == [path.stem for path in RECORDED]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_wire_leaves_the_router_as_the_story_ends(path: Path) -> None:
    check_all(path.stem, replay(path))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recording_is_small_and_tells_nothing_of_its_machine(path: Path) -> None:
    text = path.read_text()
    assert len(text) < LARGEST
    assert re.findall(r"file://|/home/|/root/|/Users/|/usr/|user-data-dir", text) == []
    times = [line.at for line in read(path)]
    assert times == sorted(times)


@pytest.mark.browser
@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_scenario_played_today_ends_as_its_recording_does(
    name: str, chromium_path: Path, pages: Pages, tmp_path: Path
) -> None:
    path = tmp_path / "today.jsonl"
    with running_chromium(chromium_path, "--site-per-process") as endpoint:
        asyncio.run(play(name, endpoint, pages, path))
    check_all(name, replay(path))


def test_reader_names_the_line_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    good = json.dumps({"t": 0.1, "d": "send", "m": {}})
    for bad in ("nonsense", '{"t":0}', '{"t":0,"d":"sideways","m":{}}', '{"t":0,"d":"send","m":1}'):
        path.write_text(f"{good}\n{bad}\n")
        with pytest.raises(ValueError, match=r"bad\.jsonl:2"):
            read(path)
