"""The context in the daemon: sessions, what they are shown, what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pilothouse.daemon.daemon import Daemon
from pilothouse.daemon.tool_service import Tooling
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings
from pilothouse.tools.context import ToolContext
from pilothouse.tools.selection import resolve, toolsets_for
from tests.tools.made_up import a_tool


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.yaml"
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(path))
    return path


@pytest.fixture
async def tooling(config: Path, tmp_path: Path) -> Tooling:
    """The context of a daemon whose door is shut, with one tool more than ours."""
    made = Daemon(RuntimePaths(tmp_path / "rt"), Settings()).tooling
    made.add([a_tool("knot", "boats", source="boats", tab=False)])
    return made


def write(config: Path, text: str) -> None:
    new = config.with_name("new")
    new.write_text(text)
    new.replace(config)


async def use(tooling: Tooling, name: str, **params: Any) -> dict[str, Any]:
    return await tooling.use("ann", {"name": name, "arguments": {}, **params})


async def test_a_session_is_shown_what_is_selected_for_its_platform(tooling: Tooling) -> None:
    session = tooling.session_for("ann", "mcp", ("lean",))
    shown = {tool.name for tool in tooling.offered(session)}
    assert shown == {"browser_navigate", "browser_snapshot", "browser_batch"}
    listed = await tooling.listed("ann", {"platform": "mcp"})
    assert "knot" in {tool["name"] for tool in listed}
    assert "execute" not in {tool["name"] for tool in listed}


async def test_what_is_off_is_refused_at_the_call_with_reason_and_hint(
    tooling: Tooling, config: Path
) -> None:
    assert (await use(tooling, "knot"))["success"]
    write(config, "tools:\n  disable: [knot]\n")
    answer = await use(tooling, "knot")
    assert not answer["success"]
    assert answer["error"] == "knot is off: switched off by tools.disable (config.yaml:2): knot"
    assert answer["hint"] == "pilothouse tools enable knot --platform cli"


async def test_toolsets_may_be_given_for_one_call(tooling: Tooling) -> None:
    assert not (await use(tooling, "knot", toolsets=["web"]))["success"]
    assert (await use(tooling, "knot", toolsets="web, boats"))["success"]
    assert (await use(tooling, "knot"))["success"]
    answer = await use(tooling, "knot", toolsets=["baots"])
    assert answer["error"] == "--toolsets: there is no tool or toolset 'baots'"
    assert answer["hint"] == "did you mean boats?"
    with pytest.raises(PilothouseError, match="names are wanted"):
        await use(tooling, "knot", toolsets={"a": 1})


async def test_calls_beside_each_other_have_the_toolsets_they_asked_for(tooling: Tooling) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def waits(context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
        began.set()
        await go_on.wait()
        return {"then": await context.use("knot", {})}

    tooling.add([replace(a_tool("wait", "piers", source="boats", tab=False), run=waits)])
    waiting = asyncio.ensure_future(use(tooling, "wait", toolsets="piers"))
    async with asyncio.timeout(30):
        await began.wait()
        assert (await use(tooling, "knot"))["success"]
        go_on.set()
        then = (await waiting)["then"]
    assert then["error"] == "knot is off: not in what --toolsets chose: piers"


async def test_two_sessions_of_one_owner_keep_their_own_toolsets(tooling: Tooling) -> None:
    short, long = tooling.session_for("ann", "mcp", ("lean",)), tooling.session_for("ann", "mcp")
    assert len(tooling.offered(short)) == 3
    assert len(tooling.offered(long)) > 3
    assert len(tooling.offered(short)) == 3
    assert tooling.session_for("ann", "mcp", ("lean",)) is short


async def test_a_change_is_told_to_lists_at_once_and_to_agents_with_the_next_answer(
    tooling: Tooling, config: Path
) -> None:
    changes: list[int] = []
    tooling.on_change.append(lambda: changes.append(1))
    tooling.offered(tooling.session_for("ann"))
    tooling.shut("boats", "the harbour is closed")
    assert changes == [1]
    answer = await use(tooling, "knot")
    assert answer["error"] == "knot is off: the harbour is closed"
    assert answer["notices"] == ["knot is off now: the harbour is closed"]
    tooling.open("boats")
    answer = await use(tooling, "knot")
    assert (answer["success"], answer["notices"]) == (True, ["on now: knot"])
    assert changes == [1, 1]
    tooling.remove(["knot"])
    tooling.add([a_tool("sail", "boats", source="boats", tab=False)])
    answer = await use(tooling, "sail")
    assert answer["notices"] == ["knot is off now: it left", "on now: sail"]


async def test_a_file_gone_wrong_is_told_and_changes_nothing(
    tooling: Tooling, config: Path
) -> None:
    tooling.offered(tooling.session_for("ann"))
    write(config, "tools:\n  disable: [knott]\n")
    answer = await use(tooling, "knot")
    assert answer["success"]
    assert answer["notices"] == [
        f"the tools stay as they were: {config}:2: tools.disable: "
        "there is no tool or toolset 'knott' (did you mean knot?)"
    ]


async def test_a_change_by_hand_is_seen_without_a_call(tooling: Tooling, config: Path) -> None:
    tooling.choosing.chosen()
    changed = asyncio.Event()
    tooling.on_change.append(changed.set)
    tooling.start()
    try:
        write(config, "toolsets: [web]\n")
        async with asyncio.timeout(30):
            await changed.wait()
    finally:
        await tooling.close()


async def test_a_session_that_left_is_told_nothing(tooling: Tooling) -> None:
    session = tooling.session_for("ann")
    tooling.offered(session)
    tooling.shut("knot", "not for ann", owner="ann")
    tooling.leave(session)
    tooling.shut("boats", "closed")
    tooling.open("boats")
    assert "knot" in {tool.name for tool in tooling.offered(tooling.session_for("ann"))}


async def test_the_catalogue_is_enough_to_come_to_the_same_answer(tooling: Tooling) -> None:
    tooling.shut("cdp", "no browser")
    told = await tooling.catalogue("ann", {})
    assert told["shut"]["cdp"] == "no browser"
    assert told["complaint"] == ""
    tools = {
        one["name"]: a_tool(
            one["name"], one["toolset"], one["source"], **dict.fromkeys(one["flags"], True)
        )
        for one in told["tools"]
    }
    choices = tooling.choosing.chosen().choices
    here = resolve(tools, toolsets_for(tools, choices), choices, platform="mcp", shut=told["shut"])
    assert here.listed == tooling.choosing.selection("ann", "mcp").listed
