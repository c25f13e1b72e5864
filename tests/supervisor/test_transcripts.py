"""Journals recorded from a real Chromium, lived again without one: through `decode` and `step`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pilothouse.cdp import Command, Connection, dial_websocket
from pilothouse.cdp.message import SessionId
from pilothouse.cdp.protocol import Target
from pilothouse.supervisor.journal.journal import JournalEntry, read_journal, replay
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.decode import DECODED_METHODS, decode, decode_frame_tree
from pilothouse.supervisor.model.state import State
from pilothouse.supervisor.model.step import step
from scripts.record_transcript import play_supervised
from scripts.supervisor_transcript_scenarios import SUPERVISED
from tests.cdp_transcripts import FOLDER
from tests.chromium import Endpoint, running_chromium
from tests.page_server import Pages
from tests.supervisor.state_summary import summary

RECORDED = sorted((FOLDER / "supervisor").glob("*.jsonl"))
LARGEST = 40 * 1024
WITHIN_S = 20.0


def meaning(entry: JournalEntry) -> ev.Event | None:
    """What a recorded frame means, if it is one `decode` reads."""
    if entry.direction != "receive":
        return None
    message: dict[str, Any] = json.loads(entry.message)
    session = SessionId(message.get("sessionId", ""))
    tree = message.get("result", {}).get("frameTree")
    if tree is not None:
        return decode_frame_tree(tree, session, entry.at)
    method = message.get("method", "")
    return (
        decode(method, message["params"], session, entry.at) if method in DECODED_METHODS else None
    )


def same(event: ev.Event, recorded: ev.Event) -> bool:
    """Whether they tell the same, a moment apart."""
    if isinstance(event, ev.FrameTreeLoaded) and isinstance(recorded, ev.FrameTreeLoaded):
        return all(map(same, event.frames, recorded.frames))
    return replace(event, at=recorded.at) == recorded


def live_again(path: Path) -> State:
    """Frames become events; answers, timers and the bridge are taken as they were recorded."""
    record = read_journal(path)
    state, told = record.base, None
    for entry in record.entries:
        if entry.event is None:
            assert told is None or entry.direction == "send", "a frame was not fed to `step`"
            told = meaning(entry) or told
            continue
        if told is not None:
            assert same(told, entry.event), f"{told} became {entry.event}"
        state, _ = step(state, entry.event if told is None else replace(told, at=entry.event.at))
        told = None
    return state


def expected(path: Path) -> dict[str, Any]:
    """The state the story ended in when it was recorded."""
    ended: dict[str, Any] = json.loads(path.with_suffix(".json").read_text())
    return ended


def test_every_story_has_a_recording() -> None:
    assert sorted(SUPERVISED) == [path.stem for path in RECORDED]
    assert len(RECORDED) >= 20


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recording_ends_as_the_story_did(path: Path) -> None:
    assert summary(live_again(path)) == expected(path)
    assert summary(replay(read_journal(path))[-1]) == expected(path)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recording_is_small_and_tells_nothing_private(path: Path) -> None:
    text = path.read_text() + path.with_suffix(".json").read_text()
    assert path.stat().st_size < LARGEST
    assert re.findall(r"file://|/home/|/root/|/Users/|/usr/|user-data-dir|opensesame", text) == []
    assert set(re.findall(r"localhost:(\d+)|127\.0\.0\.1:(\d+)", text)) <= {
        ("8000", ""),
        ("", "8000"),
    }


@pytest.fixture(scope="module")
def endpoint(chromium_path: Path) -> Iterator[Endpoint]:
    with running_chromium(chromium_path, "--site-per-process") as made:
        yield made


async def _closed(connection: Connection, target: str) -> None:
    gone = connection.root.expect(
        Target.targetDestroyed, lambda params: params["targetId"] == target, WITHIN_S
    )
    await connection.send(Target.closeTarget(targetId=target))
    await gone


async def _made_as_new(endpoint: Endpoint) -> None:
    """Leave one blank tab and no permission, as a new browser has."""
    async with (
        asyncio.timeout(WITHIN_S),
        await Connection.open(dial_websocket(endpoint.websocket_url)) as connection,
    ):
        root = connection.root
        await root.send(Target.setDiscoverTargets(discover=True))
        found = (await root.send(Target.getTargets()))["targetInfos"]
        await root.send(Target.createTarget(url="about:blank"))
        for info in found:
            if info["type"] == "page":
                await _closed(connection, info["targetId"])
        await root.send(Command("Browser.resetPermissions"))


@pytest.mark.browser
@pytest.mark.parametrize("name", sorted(SUPERVISED))
def test_story_played_today_ends_as_its_recording_does(
    name: str, endpoint: Endpoint, pages: Pages, tmp_path: Path
) -> None:
    path = tmp_path / "today.jsonl"
    try:
        asyncio.run(play_supervised(name, endpoint, pages, path))
    finally:
        asyncio.run(_made_as_new(endpoint))
    assert summary(live_again(path)) == expected(FOLDER / "supervisor" / f"{name}.jsonl")
