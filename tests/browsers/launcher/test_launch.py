"""Browsers that are started before there is an event loop."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from pilothouse.browsers import Browsers, HeadlessKind
from pilothouse.browsers.launcher.launch import EarlyLauncher
from pilothouse.cdp import Event
from pilothouse.cdp.protocol import Browser, Page
from pilothouse.errors import BrowserError
from tests.browsers.machine_processes import ended, mentioning
from tests.browsers.page_commands import new_page, open_url
from tests.page_server import Pages

pytestmark = pytest.mark.browser


def test_what_was_launched_ahead_is_taken_over_and_ends_with_its_last_user(
    root: Path, environ: dict[str, str]
) -> None:
    ahead = EarlyLauncher(root=root, environ=environ)
    ahead.launch(HeadlessKind())
    pid = ahead.launched[HeadlessKind()].pid

    async def use() -> tuple[int | None, int | None]:
        async with Browsers(early_launcher=ahead) as browsers:
            first = await browsers.acquire(HeadlessKind())
            used = first.pid
            await first.release()
            assert not psutil.pid_exists(pid)
            second = await browsers.acquire(HeadlessKind())
            return used, second.pid

    used, other = asyncio.run(use())
    assert used == pid
    assert other not in (None, pid)
    assert os.listdir(root) == []
    assert mentioning(root) == []


def test_one_that_nobody_comes_for_ends_by_itself(root: Path, environ: dict[str, str]) -> None:
    ahead = EarlyLauncher(root=root, environ=environ)
    ahead.launch(HeadlessKind())

    async def wait() -> None:
        async with Browsers(early_launcher=ahead) as browsers:
            browsers.prepare(HeadlessKind(), within=0.5)
            await asyncio.to_thread(ended, mentioning(root), 20.0)

    asyncio.run(wait())
    assert mentioning(root) == []


def test_what_cannot_be_launched_ahead_is_told_to_who_asks(
    root: Path, environ: dict[str, str]
) -> None:
    ahead = EarlyLauncher(root=root, environ=environ)
    for wrong in (HeadlessKind(args=("--headless",)), HeadlessKind(executable="/etc/passwd")):
        ahead.launch(wrong)
        assert ahead.launched == {}
        assert os.listdir(root) == []

        async def ask(wrong: HeadlessKind = wrong) -> None:
            async with Browsers(early_launcher=ahead) as browsers:
                with pytest.raises(BrowserError, match=r"refused|not executable"):
                    await browsers.acquire(wrong)

        asyncio.run(ask())


def test_a_program_the_system_refuses_leaves_nothing(
    root: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    broken = tmp_path / "browser"
    broken.write_bytes(b"\x7fELF this is none")
    broken.chmod(0o700)
    ahead = EarlyLauncher(root=root, environ=environ)
    ahead.launch(HeadlessKind(executable=str(broken)))
    assert ahead.launched == {}
    assert os.listdir(root) == []
    asyncio.run(ahead.guardian.close())


def test_an_owner_that_is_killed_before_it_has_a_loop_leaves_nothing(
    root: Path, environ: dict[str, str]
) -> None:
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from pilothouse.browsers.kinds import HeadlessKind\n"
        "from pilothouse.browsers.launcher.launch import EarlyLauncher\n"
        "ahead = EarlyLauncher(root=Path(sys.argv[1]))\n"
        "ahead.launch(HeadlessKind())\n"
        "assert 'asyncio' not in sys.modules\n"
        "print(ahead.launched[HeadlessKind()].pid, ahead.guardian.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root)], env=environ, capture_output=True, timeout=60
    )
    left = []
    for pid in done.stdout.split():
        if psutil.pid_exists(int(pid)):
            left.append(psutil.Process(int(pid)))
    assert len(done.stdout.split()) == 2, done.stderr
    assert ended(left, 10.0)
    assert os.listdir(root) == []


async def test_a_browser_leaves_neither_downloads_nor_crash_reports_in_the_home_directory(
    browsers: Browsers, root: Path, environ: dict[str, str]
) -> None:
    handle = await browsers.acquire(HeadlessKind())
    whole, home = asyncio.Event(), Path(environ["HOME"])

    def moved(event: Event[Any]) -> None:
        if event.params["state"] == "completed":
            whole.set()

    handle.connection.on(Browser.downloadProgress, moved)
    await handle.connection.send(
        Browser.setDownloadBehavior(behavior="default", eventsEnabled=True)
    )
    with Pages() as pages:
        page = await new_page(handle)
        await open_url(page, pages.add("/main.html", "<title>m</title>"))
        await page.send(Page.navigate(url=pages.add_download("/get", "content", "report.csv")))
        async with asyncio.timeout(20):
            await whole.wait()
    assert len(_found(root, "report.csv")) == 1, "it ends with the browser"
    assert _folders_with_files(home) <= {".cache"}


def _found(folder: Path, name: str) -> list[Path]:
    return list(folder.rglob(name))


def _folders_with_files(home: Path) -> set[str]:
    return {path.relative_to(home).parts[0] for path in home.rglob("*") if path.is_file()}
