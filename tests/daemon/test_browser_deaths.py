"""The browser is killed under every tool: each call is answered at once, and the next one works."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from pilothouse import connect
from pilothouse.code.client.daemon_connection import Refused
from pilothouse.tools import catalog
from pilothouse.tools.tool import TOOLS
from tests.browser.browser_with_dialog_places import show
from tests.daemon.daemon_process import Home, open_daemon
from tests.daemon.daemon_surfaces import SURFACES, Surface, surface
from tests.page_server import Pages
from tests.soak_extent import repeats

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

# From the death of the browser to the reply; and to the last of many, all at once.
ANSWERED_WITHIN_S = 1.0
ALL_ANSWERED_WITHIN_S = 3.0
STARTED_WITHIN_S = 30.0

_NEVER = "new Promise(() => {})"
_PAGE = """<!doctype html><title>doomed</title><button id=go>Go</button><input id=name>
<select id=one><option>a<option>b</select><input type=file id=file><img src=/favicon.ico>"""

# What each tool is given, or why it cannot meet a dying browser.
ARGUMENTS: dict[str, dict[str, Any] | str] = {
    "browser_click": {"ref": "#go"},
    "browser_type": {"ref": "#name", "text": "x"},
    "browser_press": {"key": "Tab"},
    "browser_scroll": {"direction": "down"},
    "browser_hover": {"ref": "#go"},
    "browser_select": {"ref": "#one", "values": ["b"]},
    "browser_fill_form": {"fields": [{"ref": "#name", "value": "x"}]},
    "browser_drag": {"ref": "#go", "to": "#name"},
    "browser_upload": {"ref": "#file", "paths": []},
    "browser_batch": {"steps": [{"tool": "browser_wait", "arguments": {"text": "never"}}]},
    "browser": {"action": "run", "code": "tab.wait_for(text='never')"},
    "execute": {"code": "tab.wait_for(text='never')"},
    "execute_code": {"code": "tools.browser_wait(text='never', tab='execute_code')"},
    "reset": "it asks no page",
    "browser_snapshot": {},
    "browser_find": {"query": "Go"},
    "browser_get_images": {},
    "browser_screenshot": {},
    "browser_vision": "it needs a model",
    "browser_navigate": {"url": "about:blank"},
    "browser_back": {},
    "browser_forward": {},
    "browser_reload": {},
    "browser_wait": {"text": "never"},
    "browser_tabs": {"action": "list"},
    "browser_downloads": {"wait": True},
    "browser_pdf": {},
    "browser_extract": {},
    "browser_cookies": {"action": "get"},
    "browser_storage": {"action": "get"},
    "browser_emulate": {"width": 500, "height": 400},
    "browser_console": {"expression": _NEVER},
    "browser_evaluate": {"expression": _NEVER},
    "browser_cdp": {
        "method": "Runtime.evaluate",
        "params": {"expression": _NEVER, "awaitPromise": True},
    },
    "browser_dialog": {"action": "accept"},
    "browser_interrupt": {},
    "browser_request_human": {"reason": "Stay with it"},
    "browser_network": {},
    "browser_route": {"action": "block", "pattern": "*.png"},
    "browser_connect": "it leaves the browser for another one",
    "browser_disconnect": "it asks no page",
    "web_search": "it asks no browser",
    "web_extract": "it asks no tab",
}


@pytest.fixture(scope="module")
def daemon(chromium_path: Path) -> Iterator[Home]:
    with open_daemon(chromium_path, browser=False) as made:
        yield made


@pytest.fixture
def doomed(pages: Pages) -> str:
    return pages.add("/doomed.html", _PAGE)


def browser_without_page(home: Home) -> psutil.Process:
    """The main process of the daemon's one browser."""
    for process in home.family()[1:]:
        try:
            if "--remote-debugging-pipe" in process.cmdline():
                return process
        except psutil.Error:
            continue
    raise AssertionError("the daemon has no browser")


def test_every_tool_has_something_to_be_killed_under() -> None:
    assert catalog.DECLARED
    assert set(ARGUMENTS) == set(TOOLS)


def _calls(url: str) -> dict[str, dict[str, Any]]:
    """The tools that meet the browser, each on a tab of its own."""
    calls: dict[str, dict[str, Any]] = {}
    for name, given in ARGUMENTS.items():
        if isinstance(given, str):
            continue
        if TOOLS[name].flags.tab:
            given = {**given, "tab": name}
        elif name == "browser":
            given = {**given, "name": name}
        elif name == "browser_batch":
            (step,) = given["steps"]
            given = {"steps": [{**step, "arguments": {**step["arguments"], "tab": name}}]}
        if name == "browser_navigate":
            given = {**given, "url": url}
        calls[name] = given
    return calls


async def _timed(used: Surface, tool: str, given: Mapping[str, Any]) -> tuple[float, Any]:
    async with asyncio.timeout(60):
        fields = await used.use(tool, given)
    return time.monotonic(), fields


@pytest.mark.parametrize("kind", SURFACES)
async def test_every_tool_is_answered_at_once_when_its_browser_is_killed(
    kind: str, daemon: Home, doomed: str
) -> None:
    calls = _calls(doomed)
    async with surface(kind, daemon) as used:
        for name in calls:
            opened = await used.use("browser_navigate", {"url": doomed, "tab": name})
            assert opened["success"], opened
        browser = browser_without_page(daemon)
        browser.suspend()  # so that every call that asks it something is under way
        replies = {
            name: asyncio.ensure_future(_timed(used, name, given)) for name, given in calls.items()
        }
        await used.ping()
        browser.kill()
        killed = time.monotonic()
        await asyncio.wait(replies.values())
        took = {n: r.result()[0] - killed for n, r in replies.items()}
        told = {n: r.result()[1] for n, r in replies.items()}
        # One that came after the death has started the next browser.
        failed = [name for name in told if not told[name]["success"]]
        assert {n: took[n] for n in failed if took[n] > ALL_ANSWERED_WITHIN_S} == {}
        under_way = {n: told[n] for n in told if took[n] > 0}
        for name in ("browser_wait", "browser_console", "browser_click", "execute"):
            assert under_way[name]["success"] is False, under_way[name]
            assert under_way[name].get("hint"), under_way[name]
        for fields in under_way.values():
            assert "ancelled" not in str(fields.get("error")), fields
        opened = await used.use("browser_navigate", {"url": doomed, "tab": "after"})
        assert opened["success"], opened


def _command(home: Home, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "pilothouse", *words],
        env=home.environ(PILOTHOUSE_OWNER="shell"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _busy(home: Home, owner: str, *calls: str) -> None:
    """Wait until these calls of an owner are under way."""
    line, give_up = home.line(owner), time.monotonic() + STARTED_WITHIN_S
    while sorted(tab["busy"] for tab in line.call("tabs") if tab["busy"]) != sorted(calls):
        assert time.monotonic() < give_up
        time.sleep(0.02)


async def test_commands_runs_and_python_clients_hear_of_a_killed_browser_too(
    daemon: Home, doomed: str
) -> None:
    def python() -> float:
        with connect("python", paths=daemon.paths, start=False) as client:
            tab = client.open(doomed)
            with pytest.raises(Refused) as refused:
                tab.wait_for(text="never")
            ended = time.monotonic()
            assert "open the tab again" in refused.value.hint
            assert client.open(doomed).title() == "doomed"
            return ended

    def command(*words: str) -> tuple[float, str]:
        with _command(daemon, *words) as process:
            _, told = process.communicate(timeout=60)
            assert process.returncode != 0
            return time.monotonic(), told.decode()

    line = daemon.line("shell")
    for name in ("waits", "runs"):
        await asyncio.to_thread(line.call, "open", name=name, url=doomed)
    scripted = asyncio.ensure_future(asyncio.to_thread(python))
    wait, run = ("wait", "--text", "never"), ("run", "-c", "tab.wait_for(text='never')")
    waiting = asyncio.ensure_future(asyncio.to_thread(command, *wait, "--tab", "waits"))
    running = asyncio.ensure_future(asyncio.to_thread(command, *run, "--tab", "runs"))
    await asyncio.to_thread(_busy, daemon, "shell", "wait_for", "run")
    await asyncio.to_thread(_busy, daemon, "python", "wait_for")
    browser_without_page(daemon).kill()
    killed = time.monotonic()
    (waited, told), (ran, said) = await waiting, await running
    for ended in (await scripted, waited, ran):
        assert ended - killed < ALL_ANSWERED_WITHIN_S
    assert "open the tab again" in told
    assert "open the tab again" in said or "went away" in said, said


@pytest.mark.soak
@pytest.mark.figures
@pytest.mark.timeout(7200)
async def test_a_browser_killed_at_any_moment_leaves_no_call_unanswered(
    daemon: Home, doomed: str
) -> None:
    chance, worst = random.Random(7), 0.0
    calls = list(_calls(doomed).items())
    async with (
        surface("stdio", daemon) as stdio,
        surface("http", daemon) as http,
        surface("rpc", daemon) as rpc,
    ):
        for _ in range(repeats(3, 500)):
            used, (name, given) = chance.choice((stdio, http, rpc)), chance.choice(calls)
            opened = await used.use("browser_navigate", {"url": doomed, "tab": name})
            assert opened["success"], (name, opened)
            browser = browser_without_page(daemon)
            reply = asyncio.ensure_future(_timed(used, name, given))
            await asyncio.sleep(chance.uniform(0, 0.2))
            browser.send_signal(signal.SIGKILL)
            killed = time.monotonic()
            ended, fields = await reply
            if not fields["success"]:
                assert ended - killed < ANSWERED_WITHIN_S, (name, ended - killed, fields)
                worst = max(worst, ended - killed)
    show(f"the slowest reply came {worst * 1000:.0f} ms after a kill")
