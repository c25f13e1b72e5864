"""Two real MCP servers, one that crashes and one that is slow, in a real daemon: their tools come
and go, and ours stay and answer meanwhile."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from pilothouse.asyncio_tasks import Tasks
from pilothouse.code.client.daemon_connection import DaemonClient
from tests.browsers.machine_processes import ended
from tests.daemon.daemon_process import Home, at_home
from tests.daemon.npm_mcp_servers import SMALL, from_npm
from tests.npm_package_cache import program
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

WITHIN_S = 120.0
LOOK_EVERY_S = 0.05
SECRET = "sesame-open-1234"


def _node(script: str, *args: str, **more: Any) -> dict[str, Any]:
    return {"command": program("node"), "args": [from_npm(script), *args], **more}


def _small(*args: str, **more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(SMALL), *args], **more}


def _describe(home: Home, **servers: dict[str, Any]) -> str:
    """Write the file; JSON is YAML."""
    home.paths.prepare()
    path = home.paths.root / "config.yaml"
    path.write_text(json.dumps({"mcp_servers": servers}))
    return str(path)


def _until(look: Callable[[], Any]) -> Any:
    give_up = time.monotonic() + WITHIN_S
    while time.monotonic() < give_up:
        if found := look():
            return found
        time.sleep(LOOK_EVERY_S)
    raise AssertionError("it did not come")


def _names(line: DaemonClient, server: str = "") -> set[str]:
    return {one["name"] for one in line.call("tools") if one["name"].startswith(f"mcp_{server}")}


def _come(line: DaemonClient, *names: str) -> None:
    _until(lambda: set(names) <= _names(line))


def _use(line: DaemonClient, name: str, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = line.call("tool", name=name, arguments=arguments)
    return answer


@pytest.fixture(scope="module")
def served() -> Iterator[Pages]:
    """Pages for our own tools."""
    with Pages() as pages:
        yield pages


@pytest.fixture(scope="module")
def surrounded(chromium_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A daemon with two real servers, one that crashes, one that is slow, one that is not there."""
    shelf = tmp_path_factory.mktemp("shelf")
    (shelf / "note.txt").write_text("what the file says")
    with at_home(chromium_path) as home:
        config = _describe(
            home,
            files=_node("server-filesystem", str(shelf), exclude=["move_*"]),
            everything=_node("server-everything", include=["echo", "get-*"]),
            weak=_small(env={"WEAK_TOKEN": SECRET}),
            slow=_small(include=["sleep", "stopped"]),
            absent={"command": "no-such-program"},
        )
        home.start(PILOTHOUSE_CONFIG=config, SHELF=str(shelf))
        yield home


def _ours(line: DaemonClient, pages: Pages) -> None:
    """Our own tools are there, and do their work."""
    url = pages.add("/ours.html", "<title>ours</title>")
    assert _use(line, "browser_navigate", url=url)["title"] == "ours"
    assert "browser_click" in {one["name"] for one in line.call("tools")}


def test_tools_of_real_servers_stand_beside_ours(surrounded: Home, served: Pages) -> None:
    line = surrounded.line("reader")
    _ours(line, served)
    _come(line, "mcp_files_read_text_file", "mcp_everything_echo", "mcp_weak_pid", "mcp_slow_sleep")
    assert "mcp_files_move_file" not in _names(line, "files")
    assert all(
        name == "mcp_everything_echo" or name.startswith("mcp_everything_get-")
        for name in _names(line, "everything")
    )
    (shelf,) = _use(line, "mcp_files_list_allowed_directories")["text"].splitlines()[1:]
    read = _use(line, "mcp_files_read_text_file", path=f"{shelf}/note.txt")
    assert read == {"success": True, "text": "what the file says"}
    refused = _use(line, "mcp_files_read_text_file", path="/etc/passwd")
    assert refused["success"] is False
    assert "Access denied" in refused["error"]
    assert _use(line, "mcp_everything_echo", message="hi")["text"] == "Echo: hi"
    picture = _use(line, "mcp_everything_get-tiny-image")["image"]
    assert picture["mimeType"] == "image/png"
    city = _use(line, "mcp_everything_get-structured-content", location="Chicago")
    assert set(city["structured"]) == {"temperature", "conditions", "humidity"}
    _ours(line, served)


def test_server_that_is_not_there_is_in_the_catalogue_with_its_reason(surrounded: Home) -> None:
    line = surrounded.line("asker")
    shut = _until(
        lambda: (
            (told := line.call("catalogue")["shut"].get("mcp-absent", ""))
            and "no-such-program" in told
            and told
        )
    )
    assert (
        "the MCP server absent is unavailable: command: program no-such-program not found" in shut
    )


def test_server_that_crashes_leaves_everybody_else_alone(surrounded: Home, served: Pages) -> None:
    line = surrounded.line("breaker")
    _come(line, "mcp_weak_pid", "mcp_everything_echo")
    before = _use(line, "mcp_weak_pid")["structured"]["pid"]
    for _ in range(3):
        crashed = _use(line, "mcp_weak_crash")
        assert crashed["error"] == "the MCP server weak ended during crash"
        gone = _use(line, "mcp_weak_pid")
        if not gone["success"]:  # it may be back already
            assert "the MCP server weak" in gone["error"]
        _ours(line, served)
        assert _use(line, "mcp_everything_echo", message="hi")["success"]
        _come(line, "mcp_weak_pid")
        now = _use(line, "mcp_weak_pid")["structured"]["pid"]
        assert now != before
        before = now
    assert SECRET not in surrounded.paths.log.read_text()


async def test_slow_server_delays_nobody(surrounded: Home, served: Pages) -> None:
    waiting, line = surrounded.line("patient"), surrounded.line("busy")
    await asyncio.to_thread(_come, line, "mcp_slow_sleep", "mcp_everything_echo")
    assert _names(line, "slow") == {"mcp_slow_sleep", "mcp_slow_stopped"}
    tasks = Tasks()
    slow = tasks.start(
        asyncio.to_thread(_use, waiting, "mcp_slow_sleep", seconds=600), "a slow call"
    )
    await asyncio.to_thread(_ours, line, served)
    assert (await asyncio.to_thread(_use, line, "mcp_everything_echo", message="1"))["success"]
    assert not slow.done()
    waiting.close()
    await tasks.close()


def test_tools_come_and_go_with_the_file(surrounded: Home) -> None:
    line = surrounded.line("writer")
    _come(line, "mcp_weak_pid", "mcp_everything_echo")
    path = Path(line.call("catalogue")["config"])
    described = json.loads(path.read_text())
    fewer = {name: one for name, one in described["mcp_servers"].items() if name != "weak"}
    path.write_text(json.dumps({"mcp_servers": {**fewer, "late": _small()}}))
    _come(line, "mcp_late_pid")
    assert _names(line, "weak") == set()
    assert "mcp_everything_echo" in _names(line)
    path.write_text(json.dumps(described))
    _come(line, "mcp_weak_pid")
    assert _names(line, "late") == set()


def test_servers_end_with_a_daemon_that_is_killed(home: Home, tmp_path: Path) -> None:
    config = _describe(home, deaf=_small("--deaf", str(tmp_path)))
    home.start(PILOTHOUSE_CONFIG=config)
    _come(home.line(), "mcp_deaf_pid")
    family = [psutil.Process(int(pid)) for pid in (tmp_path / "pids").read_text().split()]
    family += home.family()
    home.kill()
    assert ended(family, 15.0)


def test_first_call_of_a_cold_daemon_waits_for_its_server(home: Home) -> None:
    config = _describe(home, late=_small())
    home.start(PILOTHOUSE_CONFIG=config)
    line = home.line()
    answer = _until(lambda: (said := _use(line, "mcp_late_echo", text="early"))["success"] and said)
    assert answer["text"] == "early"
