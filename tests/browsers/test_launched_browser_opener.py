"""Browsers we launch: real ones."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import time
from pathlib import Path

import psutil
import pytest

from pilothouse.browsers import Browsers, HeadlessKind, Proxy, Viewport
from pilothouse.browsers.launcher.browser_version import read_version
from pilothouse.browsers.stealth import BrowserBuild
from pilothouse.cdp import Status
from pilothouse.cdp.protocol import Page as ProtocolPage
from pilothouse.cdp.protocol import Runtime, Target
from pilothouse.errors import BrowserError
from tests.browsers.machine_processes import mentioning
from tests.browsers.page_commands import evaluate, new_page, open_url
from tests.page_server import Pages

pytestmark = pytest.mark.browser

SIZES = "[innerWidth, innerHeight, devicePixelRatio]"


async def test_new_page_has_the_viewport_that_was_asked_for(browsers: Browsers) -> None:
    """Issue 2: 1365x768 at scale 1.25 by default, to the pixel."""
    handle = await browsers.acquire(HeadlessKind())
    assert handle.product.startswith(("Chrome/", "HeadlessChrome/"))
    assert handle.owned
    assert await evaluate(await new_page(handle), SIZES) == [1365, 768, 1.25]
    other = await browsers.acquire(HeadlessKind(viewport=Viewport(801, 601, 2)))
    assert await evaluate(await new_page(other), SIZES) == [801, 601, 2]


async def test_a_program_that_became_another_behind_its_script_is_asked_again(
    browsers: Browsers, environ: dict[str, str], tmp_path: Path, chromium_path: Path
) -> None:
    said = tmp_path / "said"
    said.write_text("Chromium 99.0.0.1\n")
    script = tmp_path / "browser"
    script.write_text(
        f'#!/bin/sh\n[ "$*" = --version ] && exec cat {said}\nexec {chromium_path} "$@"\n'
    )
    script.chmod(0o700)
    assert read_version(script, environ)[0] == BrowserBuild("Chromium", "99.0.0.1")
    real = read_version(chromium_path, environ)[0]
    assert real is not None
    said.write_text(f"{real.name} {real.version}\n")
    handle = await browsers.acquire(HeadlessKind(executable=str(script)))
    agent = await evaluate(await new_page(handle), "navigator.userAgent")
    assert f"Chrome/{real.major}.0.0.0" in agent
    assert read_version(script, environ) == (real, True)


async def test_launched_browser_opens_no_port(browsers: Browsers) -> None:
    """F18: a port nobody opens cannot be in use; the pipe is the only way in."""
    handle = await browsers.acquire(HeadlessKind())
    main = psutil.Process(handle.pid)
    for process in [main, *main.children(recursive=True)]:
        listening = [c for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
        assert listening == []


async def test_sandbox_that_is_off_is_noted(browsers: Browsers) -> None:
    """S18: --no-sandbox warned."""
    handle = await browsers.acquire(HeadlessKind())
    if os.geteuid() == 0:
        assert handle.notes == ("sandbox off: running as root",)
    else:
        assert handle.notes == ()


async def test_denied_argument_starts_nothing(browsers: Browsers, root: Path) -> None:
    """S18."""
    with pytest.raises(BrowserError, match="--renderer-cmd-prefix is refused"):
        await browsers.acquire(HeadlessKind(args=("--renderer-cmd-prefix=/bin/true",)))
    assert os.listdir(root) == []


async def test_killed_browser_is_noticed_and_the_next_acquire_relaunches(
    browsers: Browsers, root: Path
) -> None:
    """F3: SIGKILL seen in less than 500 ms; the next call has a new browser in less than 5 s."""
    handle = await browsers.acquire(HeadlessKind())
    assert handle.pid is not None
    lost = asyncio.Event()
    handle.connection.on_status(lambda _: lost.set())
    async with asyncio.timeout(0.5):
        os.kill(handle.pid, signal.SIGKILL)
        await lost.wait()
    assert handle.connection.status is Status.CLOSED
    async with asyncio.timeout(5):
        again = await browsers.acquire(HeadlessKind())
    assert again.pid != handle.pid
    await again.connection.send(Target.createTarget(url="about:blank"))
    assert "about:blank" in [target.url for target in await again.targets()]
    assert len(os.listdir(root)) == 1
    await handle.release()
    assert again.alive


async def test_many_callers_share_one_browser(browsers: Browsers, root: Path) -> None:
    handles = await asyncio.gather(*(browsers.acquire(HeadlessKind()) for _ in range(8)))
    assert len({handle.pid for handle in handles}) == 1
    assert len(os.listdir(root)) == 1
    for handle in handles[:-1]:
        await handle.release()
    assert handles[-1].alive
    await handles[-1].release()
    assert os.listdir(root) == []
    assert mentioning(root) == []


@pytest.mark.parametrize("patience", [0.0, 0.02, 0.15])
async def test_launch_nobody_waits_for_any_more_leaves_nothing(
    browsers: Browsers, root: Path, patience: float
) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(patience):
            await browsers.acquire(HeadlessKind())
    await browsers.close()
    assert os.listdir(root) == []
    assert mentioning(root) == []


async def test_named_profile_is_kept_and_a_passing_one_is_not(
    browsers: Browsers, pages: Pages, environ: dict[str, str]
) -> None:
    url = pages.add("/", "<title>here</title>")
    for kind, kept in ((HeadlessKind(profile="work"), "yes"), (HeadlessKind(), None)):
        async with asyncio.timeout(30), await browsers.acquire(kind) as handle:
            page = await new_page(handle)
            await open_url(page, url)
            await evaluate(page, "document.cookie = 'kept=yes; max-age=9999'")
            await evaluate(page, "localStorage.setItem('kept', 'yes')")
        async with asyncio.timeout(30), await browsers.acquire(kind) as handle:
            page = await new_page(handle)
            await open_url(page, url)
            assert await evaluate(page, "localStorage.getItem('kept')") == kept
            assert await evaluate(page, "document.cookie") == ("kept=yes" if kept else "")
    profile = os.stat(f"{environ['HOME']}/.local/share/pilothouse/profiles/work")
    assert stat.S_IMODE(profile.st_mode) == 0o700


async def test_profile_of_a_living_browser_is_refused_with_its_pid(
    browsers: Browsers, root: Path, environ: dict[str, str]
) -> None:
    """F21, Must show 5: live refused with owner pid, one line, less than 5 s."""
    handle = await browsers.acquire(HeadlessKind(profile="work"))
    began = time.monotonic()
    async with Browsers(root=root, environ=environ) as other:
        with pytest.raises(BrowserError, match=f"pid {handle.pid}") as error:
            await other.acquire(HeadlessKind(profile="work"))
    assert time.monotonic() - began < 5
    assert "\n" not in error.value.format_line()
    assert handle.alive


async def test_profile_of_a_killed_browser_is_free_again(browsers: Browsers) -> None:
    """F21, F3: the lock a SIGKILL leaves is stale."""
    handle = await browsers.acquire(HeadlessKind(profile="work"))
    assert handle.pid is not None
    lost = asyncio.Event()
    handle.connection.on_status(lambda _: lost.set())
    os.kill(handle.pid, signal.SIGKILL)
    async with asyncio.timeout(10):
        await lost.wait()
        again = await browsers.acquire(HeadlessKind(profile="work"))
    assert again.pid != handle.pid
    await again.connection.send(Target.createTarget(url="about:blank"))
    assert "about:blank" in [target.url for target in await again.targets()]


@pytest.mark.parametrize(
    ("executable", "words"),
    [
        ("/nowhere/chrome", "does not exist"),
        ("/tmp", "is a directory"),
        ("chromium", "not an absolute path"),
        ("/bin/false", "ended with code 1"),
        (__file__, "not executable"),
    ],
)
async def test_wrong_executable_is_one_clear_line(
    browsers: Browsers, root: Path, executable: str, words: str
) -> None:
    """Must show 5: wrong path, directory instead of executable; less than 5 s."""
    async with asyncio.timeout(5):
        with pytest.raises(BrowserError, match=words) as error:
            await browsers.acquire(HeadlessKind(executable=executable))
    assert "\n" not in error.value.format_line()
    assert error.value.hint
    assert os.listdir(root) == []


async def test_reason_a_browser_gives_is_passed_on(browsers: Browsers, tmp_path: Path) -> None:
    broken = tmp_path / "chrome"
    broken.write_text(
        "#!/bin/sh\necho 'chrome: error while loading shared libraries: libx.so' >&2\n"
    )
    broken.chmod(0o755)
    async with asyncio.timeout(5):
        with pytest.raises(BrowserError, match=r"libx\.so") as error:
            await browsers.acquire(HeadlessKind(executable=str(broken)))
    assert "library is missing" in error.value.hint


async def test_headed_browser_without_a_display_says_so(
    root: Path, environ: dict[str, str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environ.pop(name, None)
    async with asyncio.timeout(20), Browsers(root=root, environ=environ) as browsers:
        with pytest.raises(BrowserError) as error:
            await browsers.acquire(HeadlessKind(headed=True))
    assert "display" in error.value.hint


async def test_traffic_goes_through_the_proxy_even_to_loopback_if_told(
    browsers: Browsers, pages: Pages
) -> None:
    proxy = Proxy("http://{}:{}".format(*pages.address), proxy_loopback=True)
    page = await new_page(await browsers.acquire(HeadlessKind(proxy=proxy)))
    # The pages' own server is the proxy, so it hears what was meant for another.
    await open_url(page, "http://127.0.0.1:9999/there")
    assert (await pages.visited("http://127.0.0.1:9999/there")).method == "GET"


async def test_snapshot_flag_reaches_worlds_of_ours_and_not_the_page(browsers: Browsers) -> None:
    page = await new_page(await browsers.acquire(HeadlessKind()))
    asked = "typeof document.body.computedRole"
    made = await page.send(ProtocolPage.createIsolatedWorld(frameId=page.target_id))
    world = made["executionContextId"]
    answer = await page.send(Runtime.evaluate(expression=asked, contextId=world))
    assert answer["result"].get("value") == "string"
    assert await evaluate(page, asked) == "undefined"
    assert await evaluate(page, "navigator.webdriver") is False
