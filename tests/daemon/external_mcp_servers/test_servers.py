"""Other MCP servers: their tools come and go, and whatever they do, everybody else goes on."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from pilothouse.asyncio_tasks import Tasks
from pilothouse.daemon.external_mcp_servers.servers import ServerTimeouts
from pilothouse.tabs.progress import report_progress_to
from pilothouse.tools.tool import ToolFlags
from pilothouse.tools.tool_config_file import McpServerConfig
from tests.browsers.machine_processes import ended
from tests.daemon.npm_mcp_servers import QUICK, SMALL, lives, small

pytestmark = pytest.mark.timeout(180)

SECRET = "sesame-open-1234"


@contextmanager
def _over_http(where: Path, **environ: str) -> Iterator[str]:
    """The small server on loopback; its port stays the same when it is started again."""
    process = subprocess.Popen(
        [sys.executable, str(SMALL), "--http", str(where)],
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"open\n"
        yield f"http://127.0.0.1:{where.read_text()}/mcp"
    finally:
        process.kill()
        process.communicate()


async def test_tools_of_a_server_have_its_schema_and_are_nobodys_words() -> None:
    async with lives({"small": small()}) as (_, board):
        assert board.reasons["mcp-small"] == "the MCP server small is starting"
        await board.come("mcp_small_echo", "mcp_small_crash")
        echo, crash = board.tools["mcp_small_echo"], board.tools["mcp_small_crash"]
        assert echo.schema == {"type": "object", "properties": {"text": {"type": "string"}}}
        assert (echo.about, echo.toolset, echo.source) == ("It does echo.", "mcp-small", "small")
        assert echo.flags == ToolFlags(reads=True, free=True, tab=False)
        assert crash.flags == ToolFlags(reads=True, changes=True, free=True, tab=False)
        assert await board.use("mcp_small_echo", text="hello") == {"text": "hello"}


async def test_answers_have_text_pictures_and_structure() -> None:
    async with lives({"small": small()}) as (_, board):
        await board.come("mcp_small_show")
        shown = await board.use("mcp_small_show")
        assert shown["image"] == {"data": "iVBORw0KGgo=", "mimeType": "image/png"}
        assert shown["text"] == "a picture\n[image (image/png): not shown]"
        assert (await board.use("mcp_small_pid"))["structured"]["pid"] > 0
        failed = await board.use("mcp_small_fail", text="no luck")
        assert failed == {
            "error": "no luck",
            "hint": "check the arguments: the MCP server small reported this error",
        }


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        (("pid", "s*"), ("pid",), {"pid", "sleep", "show", "stopped", "surroundings"}),
        (("mcp_small_pid",), (), {"pid"}),
        (None, ("s*", "crash", "[efg]*"), {"pid"}),
        ((), (), set()),
    ],
)
async def test_only_the_tools_that_are_wanted_come(
    include: tuple[str, ...] | None, exclude: tuple[str, ...], left: set[str]
) -> None:
    async with lives({"small": small(include=include, exclude=exclude)}) as (_, board):
        await board.until(lambda: "mcp-small" not in board.reasons)
        assert board.usable == {f"mcp_small_{name}" for name in left}


async def test_server_that_crashes_takes_only_its_own_tools_and_comes_back() -> None:
    async with lives({"small": small(), "other": small("other")}) as (_, board):
        await board.come("mcp_small_pid", "mcp_other_pid")
        first = (await board.use("mcp_small_pid"))["structured"]["pid"]
        other = (await board.use("mcp_other_pid"))["structured"]["pid"]
        crashed = await board.use("mcp_small_crash")
        assert crashed["error"] == "the MCP server small ended during crash"
        await board.until(lambda: "mcp_small_pid" not in board.usable or len(board.seen) > 2)
        assert "mcp_other_pid" in board.usable
        assert (await board.use("mcp_other_pid"))["structured"]["pid"] == other
        await board.until(lambda: any("told to crash" in told for told in board.seen))
        await board.come("mcp_small_pid")
        assert (await board.use("mcp_small_pid"))["structured"]["pid"] not in (first, other)
        assert "it ended: it was told to crash (retrying)" in board.seen[-1]


async def test_slow_call_is_stopped_at_its_deadline_and_hinders_nobody() -> None:
    times = replace(QUICK, call=1.0)
    async with lives({"small": small()}, times) as (_, board):
        await board.come("mcp_small_sleep")
        slow = await board.use("mcp_small_sleep", seconds=600)
        assert slow["error"] == "sleep of the MCP server small took longer than 1 s"


async def test_call_that_is_given_up_is_cancelled_at_the_server() -> None:
    heard: list[str] = []
    async with lives({"small": small(), "other": small("other")}) as (_, board):
        await board.come("mcp_small_sleep", "mcp_other_echo")
        sleeps = asyncio.Event()

        def hear(text: str) -> None:
            heard.append(text)
            sleeps.set()

        with report_progress_to(hear):
            slow = Tasks().start(board.use("mcp_small_sleep", seconds=600), "a slow call")
        async with asyncio.timeout(60):
            await sleeps.wait()
            assert heard == ["it sleeps"]
            assert await board.use("mcp_other_echo", text="1") == {"text": "1"}
            assert await board.use("mcp_small_echo", text="2") == {"text": "2"}
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            while not json.loads((await board.use("mcp_small_stopped"))["text"]):
                pass


async def test_tools_that_a_server_grows_later_come_as_well() -> None:
    async with lives({"small": small()}) as (_, board):
        await board.come("mcp_small_grow")
        before = dict(board.tools)
        await board.use("mcp_small_grow", name="fins")
        await board.come("mcp_small_fins")
        assert all(board.tools[name] is tool for name, tool in before.items())


async def test_server_that_cannot_start_is_given_up_with_its_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    described = {
        "dies": small("dies", "--dies", env={"SMALL_TOKEN": SECRET}),
        "none": McpServerConfig("none", place="config.yaml:3", command="no-such-program"),
        "unset": small("unset", env={"A": "${NOBODY_SET_THIS}"}),
        "small": small(),
    }
    async with lives(described) as (servers, board):
        await board.come("mcp_small_pid")
        names = ("dies", "none", "unset")
        await board.until(
            lambda: all("given up" in board.reasons.get(f"mcp-{name}", "") for name in names)
        )
        assert board.usable == {name for name in board.tools if name.startswith("mcp_small_")}
        reasons = servers.reasons()
        assert "it ended: it cannot start without ***" in reasons["dies"]
        assert "command: program no-such-program not found" in reasons["none"]
        assert "config.yaml:3" in reasons["none"]
        assert (
            "mcp_servers.unset.env.A: environment variable NOBODY_SET_THIS is not set"
            in reasons["unset"]
        )
    assert SECRET not in "".join(board.seen) + caplog.text


async def test_server_that_never_greets_is_not_waited_for() -> None:
    described = {
        "mute": McpServerConfig(
            "mute", command=sys.executable, args=("-c", "import sys; sys.stdin.read()")
        ),
        "small": small(),
    }
    async with lives(described, ServerTimeouts()) as (_, board):
        await board.come("mcp_small_pid")
        assert board.reasons["mcp-mute"] == "the MCP server mute is starting"


async def test_secrets_are_in_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    env = {"SMALL_TOKEN": SECRET, "PLACE": "harbour-town"}
    async with lives({"small": small(env=env)}) as (_, board):
        await board.come("mcp_small_surroundings")
        around = json.loads((await board.use("mcp_small_surroundings"))["text"])
        assert around["SMALL_TOKEN"] == "***"
        assert around["PLACE"] == "harbour-town"
        failed = await board.use("mcp_small_fail", text=f"refused: {SECRET}")
        assert failed["error"] == "refused: ***"
    assert SECRET not in caplog.text


async def test_servers_have_only_what_they_were_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAEMON_SECRET", SECRET)
    monkeypatch.setenv("FOR_THEM", "what they need")
    env = {"GIVEN": "${FOR_THEM}"}
    async with lives({"small": small(env=env)}) as (_, board):
        await board.come("mcp_small_surroundings")
        around = json.loads((await board.use("mcp_small_surroundings"))["text"])
        assert around["GIVEN"] == "what they need"
        assert "DAEMON_SECRET" not in around


async def test_server_over_http_comes_and_goes_and_comes(tmp_path: Path) -> None:
    port = tmp_path / "port"
    headers = {"Authorization": f"Bearer {SECRET}"}
    with _over_http(port, SMALL_TOKEN=SECRET) as url:
        far = McpServerConfig("far", url=url, headers=headers)
        async with lives({"far": far, "small": small()}) as (servers, board):
            await board.come("mcp_far_echo", "mcp_small_echo")
            assert await board.use("mcp_far_echo", text="hello") == {"text": "hello"}
            assert (await board.use("mcp_far_fail", text=SECRET))["error"] == "***"
            await board.use("mcp_far_crash")
            await board.until(lambda: "mcp_far_echo" not in board.usable)
            assert "mcp_small_echo" in board.usable
            assert "error" in await board.use("mcp_far_echo", text="hello")
            with _over_http(port, SMALL_TOKEN=SECRET):
                await board.come("mcp_far_echo")
                assert await board.use("mcp_far_echo", text="again") == {"text": "again"}
                servers.set_servers({})
            assert board.tools == {}


async def test_wrong_key_is_told_without_the_key(tmp_path: Path) -> None:
    with _over_http(tmp_path / "port", SMALL_TOKEN="another") as url:
        far = McpServerConfig("far", url=url, headers={"Authorization": f"Bearer {SECRET}"})
        async with lives({"far": far}) as (_, board):
            await board.until(lambda: "unavailable" in board.reasons["mcp-far"])
            assert SECRET not in "".join(board.seen)


async def test_servers_that_are_described_anew_are_started_anew() -> None:
    async with lives({"small": small(), "other": small("other")}) as (servers, board):
        await board.come("mcp_small_pid", "mcp_other_pid")
        first = (await board.use("mcp_small_pid"))["structured"]["pid"]
        other = (await board.use("mcp_other_pid"))["structured"]["pid"]
        servers.set_servers({"small": small(exclude=("crash",)), "other": small("other")})
        assert "mcp_small_pid" not in board.tools
        await board.come("mcp_small_pid")
        assert "mcp_small_crash" not in board.tools
        assert (await board.use("mcp_small_pid"))["structured"]["pid"] != first
        assert (await board.use("mcp_other_pid"))["structured"]["pid"] == other
        servers.set_servers({"small": small(enabled=False)})
        assert board.tools == {}
        assert board.reasons == {}


async def test_tool_of_a_server_that_still_starts_is_waited_for() -> None:
    async with lives({"small": small()}, ServerTimeouts(wait_for_tool=60)) as (servers, board):
        await servers.wait_for_tool("mcp_small_pid")
        assert "mcp_small_pid" in board.usable
        await servers.wait_for_tool("mcp_nobody_pid")


async def test_server_that_does_not_want_to_end_is_ended_with_its_children(tmp_path: Path) -> None:
    async with lives({"deaf": small("deaf", "--deaf", str(tmp_path))}) as (_, board):
        await board.come("mcp_deaf_pid")
        family = [psutil.Process(int(pid)) for pid in (tmp_path / "pids").read_text().split()]
        assert len(family) == 2
    assert ended(family, 10.0)
