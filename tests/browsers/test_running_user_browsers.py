"""Browsers that run on this machine are found by their profiles and at the usual ports."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pilothouse.browsers.running_user_browsers import (
    PORTS,
    RunningBrowser,
    choose_running,
    default_profiles,
    find_running,
    listening_users,
    resolve_endpoint,
)
from pilothouse.errors import BrowserError
from tests.fake_chrome import FakeChrome

# As the kernel writes it: 127.0.0.1:9222 of user 1000 listens, :9223 of user 1001, :9224 is closed.
TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 0100007F:2406 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1
   1: 0100007F:2407 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 2
   2: 0100007F:2408 0100007F:0050 06 00000000:00000000 00:00000000 00000000  1000        0 3
"""


def profile(home: Path, port: int, place: str = "google-chrome") -> Path:
    made = home / ".config" / place
    made.mkdir(parents=True)
    (made / "DevToolsActivePort").write_text(f"{port}\n/devtools/browser/fake")
    return made


def test_the_usual_profiles_are_known_on_both_systems() -> None:
    linux = dict(default_profiles({"HOME": "/home/a"}, "linux"))
    assert linux["Chrome"] == Path("/home/a/.config/google-chrome")
    assert linux["Chromium (snap)"] == Path("/home/a/snap/chromium/common/chromium")
    mac = dict(default_profiles({"HOME": "/Users/a"}, "darwin"))
    assert mac["Chrome"] == Path("/Users/a/Library/Application Support/Google/Chrome")
    moved = dict(default_profiles({"HOME": "/home/a", "XDG_CONFIG_HOME": "/c"}, "linux"))
    assert moved["Chromium"] == Path("/c/chromium")


async def test_a_browser_is_found_by_its_profile_and_named_by_it(
    fake_chrome: FakeChrome, tmp_path: Path
) -> None:
    place = profile(tmp_path, fake_chrome.port)
    home = {"HOME": str(tmp_path)}
    found = await find_running(home, ports=(fake_chrome.port,))
    assert found == [
        RunningBrowser("Chrome", str(place), fake_chrome.port)
    ]  # once, though at its port too
    assert choose_running(found) is found[0]
    assert fake_chrome.connected == 0  # no WebSocket was opened: its user would be asked
    for named in (str(fake_chrome.port), fake_chrome.http_url, f"{fake_chrome.http_url}/"):
        assert resolve_endpoint(named, home) == str(place)
    for other in ("http://10.0.0.5:9222", fake_chrome.websocket_url, "/some/profile", "what?"):
        assert resolve_endpoint(other, home) == other


async def test_a_browser_is_found_at_a_usual_port(fake_chrome: FakeChrome, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    found = await find_running(home, ports=(fake_chrome.port,))
    assert [one.endpoint for one in found] == [f"http://127.0.0.1:{fake_chrome.port}"]
    assert resolve_endpoint(str(fake_chrome.port), home) == str(fake_chrome.port)


async def test_a_leftover_file_a_silent_port_and_another_server_are_no_browsers(
    tmp_path: Path, refusing_port: int
) -> None:
    profile(tmp_path, refusing_port)
    broken = profile(tmp_path, 1, "chromium") / "DevToolsActivePort"
    broken.write_text("nonsense")
    assert await find_running({"HOME": str(tmp_path)}, ports=(refusing_port,)) == []


def test_none_and_several_are_told_with_what_to_do() -> None:
    with pytest.raises(BrowserError, match="nothing answers at ports 9222 to 9229") as none:
        choose_running([])
    assert "chrome://inspect/#remote-debugging" in none.value.hint
    two = [
        RunningBrowser("Chrome", "/a", 9222),
        RunningBrowser("port 9223", "http://127.0.0.1:9223", 9223),
    ]
    with pytest.raises(BrowserError, match=r"2 browsers run .* Chrome: /a; port 9223") as many:
        choose_running(two)
    assert "connect to one of them" in many.value.hint
    assert PORTS == (9222, 9223, 9224, 9225, 9226, 9227, 9228, 9229)


def test_who_listens_at_a_port_is_read_from_the_kernels_table() -> None:
    assert listening_users(TABLE, 9222) == {1000}
    assert listening_users(TABLE, 9223) == {1001}
    assert listening_users(TABLE, 9224) == set()
    assert listening_users("garbage\nmore\n", 9222) == set()


@pytest.mark.boundary
async def test_a_port_of_another_user_is_not_taken_for_ones_own(
    fake_chrome: FakeChrome, tmp_path: Path
) -> None:
    """Another user could wait at a usual port for whoever comes by."""
    profile(tmp_path, fake_chrome.port)
    home = {"HOME": str(tmp_path)}
    assert await find_running(home, ports=(), user=os.getuid() + 1) == []
    assert await find_running(home, ports=(fake_chrome.port,), user=os.getuid() + 1) == []
