"""Tool sessions in the daemon: which tools they list, and which notices they get."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pilothouse.daemon.daemon import Daemon
from pilothouse.daemon.tool_service import ToolService
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings
from pilothouse.tools.context import ToolContext
from pilothouse.tools.selection import resolve, toolsets_for
from tests.tools.no_op_tools import a_tool


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.yaml"
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(path))
    return path


@pytest.fixture
async def tool_service(config: Path, tmp_path: Path) -> ToolService:
    """The context of a daemon whose door is shut, with one tool more than ours."""
    made = Daemon(RuntimePaths(tmp_path / "rt"), Settings()).tool_service
    made.add([a_tool("knot", "boats", source="boats", tab=False)])
    return made


def write(config: Path, text: str) -> None:
    new = config.with_name("new")
    new.write_text(text)
    new.replace(config)


async def use(tool_service: ToolService, name: str, **params: Any) -> dict[str, Any]:
    return await tool_service.call_tool("ann", {"name": name, "arguments": {}, **params})


async def test_a_session_is_shown_what_is_selected_for_its_platform(
    tool_service: ToolService,
) -> None:
    session = tool_service.session_for("ann", "mcp", ("lean",))
    shown = {tool.name for tool in tool_service.available_tools(session)}
    assert shown == {"browser_navigate", "browser_snapshot", "browser_batch"}
    listed = await tool_service.list_tools("ann", {"platform": "mcp"})
    assert "knot" in {tool["name"] for tool in listed}
    assert "execute" not in {tool["name"] for tool in listed}


async def test_what_is_off_is_refused_at_the_call_with_reason_and_hint(
    tool_service: ToolService, config: Path
) -> None:
    assert (await use(tool_service, "knot"))["success"]
    write(config, "tools:\n  disable: [knot]\n")
    answer = await use(tool_service, "knot")
    assert not answer["success"]
    assert answer["error"] == "knot is off: switched off by tools.disable (config.yaml:2): knot"
    assert answer["hint"] == "pilothouse tools enable knot --platform cli"


async def test_toolsets_may_be_given_for_one_call(tool_service: ToolService) -> None:
    assert not (await use(tool_service, "knot", toolsets=["web"]))["success"]
    assert (await use(tool_service, "knot", toolsets="web, boats"))["success"]
    assert (await use(tool_service, "knot"))["success"]
    answer = await use(tool_service, "knot", toolsets=["baots"])
    assert answer["error"] == "--toolsets: unknown tool or toolset 'baots'"
    assert answer["hint"] == "did you mean boats?"
    with pytest.raises(PilothouseError, match="expected a list of names"):
        await use(tool_service, "knot", toolsets={"a": 1})


async def test_calls_beside_each_other_have_the_toolsets_they_asked_for(
    tool_service: ToolService,
) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def waits(context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
        began.set()
        await go_on.wait()
        return {"then": await context.use("knot", {})}

    tool_service.add([replace(a_tool("wait", "piers", source="boats", tab=False), run=waits)])
    waiting = asyncio.ensure_future(use(tool_service, "wait", toolsets="piers"))
    async with asyncio.timeout(30):
        await began.wait()
        assert (await use(tool_service, "knot"))["success"]
        go_on.set()
        then = (await waiting)["then"]
    assert then["error"] == "knot is off: not in what --toolsets chose: piers"


async def test_two_sessions_of_one_owner_keep_their_own_toolsets(tool_service: ToolService) -> None:
    short, long = (
        tool_service.session_for("ann", "mcp", ("lean",)),
        tool_service.session_for("ann", "mcp"),
    )
    assert len(tool_service.available_tools(short)) == 3
    assert len(tool_service.available_tools(long)) > 3
    assert len(tool_service.available_tools(short)) == 3
    assert tool_service.session_for("ann", "mcp", ("lean",)) is short


async def test_a_change_is_told_to_lists_at_once_and_to_agents_with_the_next_answer(
    tool_service: ToolService, config: Path
) -> None:
    changes: list[int] = []
    tool_service.on_change.append(lambda: changes.append(1))
    tool_service.available_tools(tool_service.session_for("ann"))
    tool_service.disable("boats", "the harbour is closed")
    assert changes == [1]
    answer = await use(tool_service, "knot")
    assert answer["error"] == "knot is off: the harbour is closed"
    assert answer["notices"] == ["knot is off now: the harbour is closed"]
    tool_service.enable("boats")
    answer = await use(tool_service, "knot")
    assert (answer["success"], answer["notices"]) == (True, ["on now: knot"])
    assert changes == [1, 1]
    tool_service.remove(["knot"])
    tool_service.add([a_tool("sail", "boats", source="boats", tab=False)])
    answer = await use(tool_service, "sail")
    assert answer["notices"] == ["knot is off now: removed", "on now: sail"]


async def test_a_file_gone_wrong_is_told_and_changes_nothing(
    tool_service: ToolService, config: Path
) -> None:
    tool_service.available_tools(tool_service.session_for("ann"))
    write(config, "tools:\n  disable: [knott]\n")
    answer = await use(tool_service, "knot")
    assert answer["success"]
    assert answer["notices"] == [
        f"the previous tool settings stay in effect: {config}:2: tools.disable: "
        "unknown tool or toolset 'knott' (did you mean knot?)"
    ]


async def test_a_change_by_hand_is_seen_without_a_call(
    tool_service: ToolService, config: Path
) -> None:
    tool_service.tool_settings.read_choices()
    changed = asyncio.Event()
    tool_service.on_change.append(changed.set)
    tool_service.start()
    try:
        write(config, "toolsets: [web]\n")
        async with asyncio.timeout(30):
            await changed.wait()
    finally:
        await tool_service.close()


async def test_a_session_that_left_is_told_nothing(tool_service: ToolService) -> None:
    session = tool_service.session_for("ann")
    tool_service.available_tools(session)
    tool_service.disable("knot", "not for ann", owner="ann")
    tool_service.forget_session(session)
    tool_service.disable("boats", "closed")
    tool_service.enable("boats")
    assert "knot" in {
        tool.name for tool in tool_service.available_tools(tool_service.session_for("ann"))
    }


async def test_the_catalogue_is_enough_to_come_to_the_same_answer(
    tool_service: ToolService,
) -> None:
    tool_service.disable("cdp", "no browser")
    told = await tool_service.catalogue("ann", {})
    assert told["shut"]["cdp"] == "no browser"
    assert told["complaint"] == ""
    tools = {
        one["name"]: a_tool(
            one["name"], one["toolset"], one["source"], **dict.fromkeys(one["flags"], True)
        )
        for one in told["tools"]
    }
    choices = tool_service.tool_settings.read_choices().choices
    here = resolve(tools, toolsets_for(tools, choices), choices, platform="mcp", shut=told["shut"])
    assert here.listed == tool_service.tool_settings.selection("ann", "mcp").listed
