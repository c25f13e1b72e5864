"""What is made of a level of stealth. What a real browser then says:
test_browser_fingerprint.py."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.browsers import AppKind, ConnectedKind, HeadlessKind
from pilothouse.browsers.stealth import (
    BrowserBuild,
    MachineInfo,
    parse_build,
    screen_info,
    session_commands,
    stealth_flags,
    user_agent,
)

LINUX = MachineInfo("Linux")
BUILD = BrowserBuild("Chromium", "156.0.8078.79")
PLAIN = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/156.0.0.0 Safari/537.36"
)


def sent(
    kind: HeadlessKind, agent: str = PLAIN, build: BrowserBuild | None = BUILD
) -> dict[str, dict[str, Any]]:
    """The commands by method."""
    made = session_commands(kind, build, LINUX, "Chrome/156.0.8078.79", agent)
    return {command.method: dict(command.params or {}) for command in made}


@pytest.mark.parametrize(
    ("said", "build"),
    [
        ("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)\n", BUILD),
        ("Google Chrome 150.0.7000.12 \n", BrowserBuild("Google Chrome", "150.0.7000.12")),
        ("warning: x\nMicrosoft Edge 151.0.1.2", BrowserBuild("Microsoft Edge", "151.0.1.2")),
        ("a shell, version 5.2", None),
        ("", None),
    ],
)
def test_what_a_program_says_it_is_is_read(said: str, build: BrowserBuild | None) -> None:
    assert parse_build(said) == build


def test_level_off_leaves_everything_to_chrome() -> None:
    assert stealth_flags(HeadlessKind(stealth="off"), BUILD, LINUX) == []
    assert sent(HeadlessKind(stealth="off")) == {}
    assert screen_info("off", (800, 600), 2) == "{800x600}"


def test_user_agent_is_that_of_the_very_build_in_a_window() -> None:
    assert user_agent(BUILD, LINUX) == PLAIN
    assert f"--user-agent={PLAIN}" in stealth_flags(HeadlessKind(), BUILD, LINUX)
    assert user_agent(BrowserBuild("Microsoft Edge", "151.0.1.2"), LINUX).endswith(" Edg/151.0.0.0")
    assert "Macintosh" in user_agent(BUILD, MachineInfo("macOS"))


def test_window_that_is_shown_has_its_own_name_already() -> None:
    kind = HeadlessKind(headed=True)
    assert stealth_flags(kind, BUILD, LINUX) == ["--disable-blink-features=AutomationControlled"]
    assert sent(kind) == {}
    assert list(sent(HeadlessKind(headed=True, stealth="full"))) == [
        "Emulation.setFocusEmulationEnabled"
    ]


def test_hints_tell_the_version_that_runs() -> None:
    (override,) = sent(HeadlessKind()).values()
    hints = override["userAgentMetadata"]
    assert override["userAgent"] == PLAIN
    assert hints["fullVersion"] == "156.0.8078.79"
    assert [entry["brand"] for entry in hints["brands"]] == ["Not:A-Brand", "Chromium"]
    assert [entry["version"] for entry in hints["fullVersionList"]] == ["8.0.0.0", BUILD.version]
    assert (hints["platform"], hints["architecture"], hints["mobile"]) == ("Linux", "x86", False)


@pytest.mark.parametrize("major", range(140, 152))
def test_brand_of_a_build_is_in_its_hints_once(major: int) -> None:
    build = BrowserBuild("Google Chrome", f"{major}.0.1.2")
    made = session_commands(
        HeadlessKind(), build, LINUX, f"Chrome/{major}.0.1.2", user_agent(build, LINUX)
    )
    params = made[0].params
    assert params is not None
    names = [entry["brand"] for entry in params["userAgentMetadata"]["brands"]]
    assert len(names) == 3
    assert {"Chromium", "Google Chrome"} < set(names)
    assert [e["brand"] for e in params["userAgentMetadata"]["fullVersionList"]] == names


def test_browser_that_was_given_another_name_keeps_it() -> None:
    assert sent(HeadlessKind(), agent="Mine/1.0") == {}
    assert sent(HeadlessKind(), build=None) == {}
    assert not any("--user-agent" in flag for flag in stealth_flags(HeadlessKind(), None, LINUX))


@pytest.mark.parametrize(
    ("window", "shown"),
    [
        ((1365, 855), "{2400x1350 devicePixelRatio=1.25}"),
        ((1920, 1167), "{3200x1800 devicePixelRatio=1.25}"),
        ((9000, 9000), "{11250x11250 devicePixelRatio=1.25}"),
    ],
)
def test_screen_of_level_full_is_larger_than_the_window(
    window: tuple[int, int], shown: str
) -> None:
    assert screen_info("full", window, 1.25) == shown


def test_browsers_we_did_not_launch_have_no_level() -> None:
    for kind in (ConnectedKind("9222"), AppKind("/opt/app")):
        assert not hasattr(kind, "stealth")
