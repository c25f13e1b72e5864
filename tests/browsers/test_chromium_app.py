"""Applications built on Chromium; the browser itself stands in for one."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pilothouse.browsers import AppKind, Browsers
from pilothouse.browsers.chromium_app import switch_value
from pilothouse.errors import BrowserError
from tests.browsers.machine_processes import ended, mentioning
from tests.chromium import ARGS

SANDBOX = ("--no-sandbox",) if os.geteuid() == 0 else ()


@pytest.fixture
def data_dir() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="ph-app-"))
    yield place
    for process in mentioning(place):
        process.kill()
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def app(chromium_path: Path) -> str:
    """The program itself, not a script that starts it."""
    real = Path("/usr/lib/chromium/chromium")
    return str(real if real.exists() else chromium_path)


def args(data_dir: Path) -> tuple[str, ...]:
    return (*ARGS, *SANDBOX, f"--user-data-dir={data_dir}")


def start(app: str, data_dir: Path, *more: str) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [app, *args(data_dir), *more], stdout=quiet, stderr=quiet, start_new_session=True
    )


def appeared(place: Path) -> None:
    """Wait until an application that was started by hand has made a file."""
    give_up = time.monotonic() + 20
    while not os.path.lexists(place):
        assert time.monotonic() < give_up, f"{place} did not appear"
        time.sleep(0.02)


@pytest.mark.browser
async def test_application_is_started_and_goes_on_after_an_orderly_release(
    browsers: Browsers, app: str, data_dir: Path, root: Path
) -> None:
    kind = AppKind(app, (*args(data_dir), "data:text/html,<title>Notes</title>"), target="notes")
    async with asyncio.timeout(30):
        handle = await browsers.acquire(kind)
        assert handle.owned
        assert handle.pid is not None
        assert "Notes" in (await handle.target()).url
        await handle.release()
    assert psutil.pid_exists(handle.pid)
    assert os.listdir(root) == []

    # Now that it runs, it is used as it is; it was started by us, so it can be ended.
    async with asyncio.timeout(30):
        again = await browsers.acquire(kind)
        assert (again.owned, again.pid, again.why_not_killed) == (True, handle.pid, "")
        assert again.notes == (f"reused the running application (pid {handle.pid})",)
        await again.release(kill=True)
    assert mentioning(data_dir) == []


@pytest.mark.browser
async def test_application_we_started_is_ended_when_asked(
    browsers: Browsers, app: str, data_dir: Path, root: Path
) -> None:
    fresh = data_dir / "not" / "there"  # it is made
    async with asyncio.timeout(30):
        handle = await browsers.acquire(AppKind(app, args(fresh)))
        assert handle.why_not_killed == ""
        await handle.release(kill=True)
    assert fresh.is_dir()
    assert mentioning(data_dir) == []
    assert os.listdir(root) == []


@pytest.mark.browser
async def test_application_that_died_is_started_again(
    browsers: Browsers, app: str, data_dir: Path
) -> None:
    async with asyncio.timeout(30):
        handle = await browsers.acquire(AppKind(app, args(data_dir)))
        assert handle.pid is not None
        lost = asyncio.Event()
        handle.connection.on_status(lambda _: lost.set())
        os.kill(handle.pid, signal.SIGKILL)
        await lost.wait()
        assert await asyncio.to_thread(ended, mentioning(data_dir))
        again = await browsers.acquire(AppKind(app, args(data_dir)))
        assert again.pid != handle.pid
        assert again.owned
        await again.release(kill=True)


@pytest.mark.browser
@pytest.mark.parametrize("way", ["program", "script"])
async def test_application_that_runs_without_debugging_is_refused_and_never_killed(
    browsers: Browsers, app: str, chromium_path: Path, data_dir: Path, way: str
) -> None:
    running = start(app, data_dir)
    await asyncio.to_thread(appeared, data_dir / "SingletonLock")
    path = app if way == "program" else str(chromium_path)
    async with asyncio.timeout(5):
        with pytest.raises(BrowserError, match=f"pid {running.pid}") as error:
            await browsers.acquire(AppKind(path, args(data_dir)))
    assert "close the application" in error.value.hint
    assert running.poll() is None
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


@pytest.mark.browser
async def test_application_started_by_hand_with_debugging_is_reused(
    browsers: Browsers, app: str, data_dir: Path
) -> None:
    running = start(app, data_dir, "--remote-debugging-port=0")
    await asyncio.to_thread(appeared, data_dir / "DevToolsActivePort")
    async with asyncio.timeout(20):
        handle = await browsers.acquire(AppKind(app, args(data_dir)))
    assert (handle.owned, handle.pid) == (False, running.pid)
    assert handle.why_not_killed == f"it was already running (pid {running.pid}); close it by hand"
    await handle.release(kill=True)
    assert running.poll() is None
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


@pytest.mark.browser
async def test_leftover_port_file_is_not_believed(
    browsers: Browsers, app: str, data_dir: Path
) -> None:
    """F21: the file a killed browser leaves names a port that may be anybody's by now."""
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        port = somebody.getsockname()[1]
        (data_dir / "DevToolsActivePort").write_text(f"{port}\n/devtools/browser/1")
        async with asyncio.timeout(30):
            handle = await browsers.acquire(AppKind(app, args(data_dir)))
    assert handle.owned
    await handle.release(kill=True)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nowhere/app", "does not exist"),
        ("/tmp", "is a directory"),
        ("app", "absolute path"),
        (__file__, "not executable"),
        ("/bin/false", "ended with code 1"),
    ],
)
async def test_wrong_path_is_one_clear_line(
    browsers: Browsers, root: Path, path: str, words: str
) -> None:
    """Must show 5: wrong path, directory instead of executable; less than 5 s."""
    async with asyncio.timeout(5):
        with pytest.raises(BrowserError, match=words) as error:
            await browsers.acquire(AppKind(path))
    assert "\n" not in error.value.format_line()
    assert error.value.hint
    assert os.listdir(root) == []


@pytest.mark.parametrize(
    ("folder", "words"), [("notes", "not an absolute path"), ("/dev/null/x", "--user-data-dir")]
)
async def test_folder_for_data_that_cannot_be_is_one_clear_line(
    browsers: Browsers, app: str, folder: str, words: str
) -> None:
    with pytest.raises(BrowserError, match=words) as error:
        await browsers.acquire(AppKind(app, (f"--user-data-dir={folder}",)))
    assert error.value.hint


async def test_fixed_debugging_port_is_never_asked_for(browsers: Browsers, app: str) -> None:
    """F18: Chrome lives on without debugging when its port is taken."""
    with pytest.raises(BrowserError, match="--remote-debugging-port is refused"):
        await browsers.acquire(AppKind(app, ("--remote-debugging-port=9222",)))


def test_last_switch_counts() -> None:
    assert switch_value(["--a=1", "--b=2", "--a=3"], "a") == "3"
    assert switch_value(["--ab=1"], "a") is None
