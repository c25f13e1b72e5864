"""The screen of the tools, by keyboard only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from pilothouse.cli.tool_switches import ToolSwitches
from pilothouse.cli.tools_screen import ToolsScreen
from pilothouse.tools.tool_config_file import load
from tests.cli.catalog_without_daemon import told

COMMENTED = """\
# mine
tools:
  disable: [browser_cdp]  # it frightens me

# the browser
browser:
  headless: true
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(COMMENTED)
    return path


@asynccontextmanager
async def shown(
    file: Path, platform: str = "mcp"
) -> AsyncIterator[tuple[ToolsScreen, Pilot[None]]]:
    screen = ToolsScreen(ToolSwitches(told(file)), platform)
    async with screen.run_test(size=(120, 34)) as pilot:
        await pilot.pause()
        yield screen, pilot


def content(file: Path) -> str:
    return file.read_text()


def write(file: Path, text: str) -> None:
    file.write_text(text)


def head(screen: ToolsScreen) -> str:
    return str(screen.query_one("#head", Static).content)


def detail(screen: ToolsScreen) -> str:
    return str(screen.query_one("#detail", Static).content)


def rows(screen: ToolsScreen, column: str) -> list[str]:
    found = screen.query_one(f"#{column}", OptionList)
    return [str(found.get_option_at_index(i).prompt) for i in range(found.option_count)]


async def test_it_shows_platforms_toolsets_tools_reasons_and_the_cost(file: Path) -> None:
    async with shown(file) as (screen, pilot):
        assert "mcp: 7 of 11 tools, about " in head(screen)
        assert "tokens in every request" in head(screen)
        assert [row.split()[0] for row in rows(screen, "platforms")] == [
            "cli", "mcp", "api-server", "acp", "side-panel", "all",
        ]  # fmt: skip
        assert rows(screen, "toolsets")[0].split() == ["◐", "browser", "5/6"]
        assert rows(screen, "tools")[0].startswith("● browser_navigate")
        assert "by default: mcp > browser" in rows(screen, "tools")[0]
        await pilot.press("right", "end")
        assert "off for mcp: switched off by tools.disable (config.yaml:3): browser_cdp" in detail(
            screen
        )


async def test_a_tool_is_switched_the_cost_follows_and_the_file_keeps_its_comments(
    file: Path,
) -> None:
    async with shown(file) as (screen, pilot):
        before = head(screen)
        await pilot.press("right", "space")
        assert rows(screen, "tools")[0].startswith("○ browser_navigate")
        assert "mcp: 6 of 11 tools" in head(screen)
        assert head(screen) != before
        assert "1 unsaved" in head(screen)
        assert content(file) == COMMENTED
        await pilot.press("s")
        assert "unsaved" not in head(screen)
        await pilot.press("q")
    assert content(file) == COMMENTED.replace(
        "# it frightens me\n",
        "# it frightens me\n  platforms:\n    mcp:\n      disable:\n        - browser_navigate\n",
    )
    assert [switch.name for switch in screen.written] == ["browser_navigate"]


async def test_a_toolset_is_switched_as_one(file: Path) -> None:
    async with shown(file) as (screen, pilot):
        await pilot.press("down", "space")
        assert rows(screen, "toolsets")[1].startswith("● browser-data")
        await pilot.press("space")
        assert "unsaved" not in head(screen)
        await pilot.press("space", "s")
        await pilot.press("q")
    level = load(file).choices.platform_switches["mcp"]
    assert [entry.name for entry in level.enable] == ["browser-data"]


async def test_a_switch_is_taken_back(file: Path) -> None:
    async with shown(file) as (screen, pilot):
        await pilot.press("right", "end", "space")
        assert "1 unsaved" in head(screen)
        assert rows(screen, "tools")[-1].startswith("● browser_cdp")
        await pilot.press("d")
        assert "unsaved" not in head(screen)
        assert rows(screen, "tools")[-1].startswith("○ browser_cdp")


async def test_all_platforms_are_switched_at_once(file: Path) -> None:
    async with shown(file) as (screen, pilot):
        await pilot.press("left", "end")
        assert screen.platform == ""
        assert "all platforms" in head(screen)
        await pilot.press("right", "right", "end", "space", "s", "q")
    assert load(file).choices.switches.disable == ()
    assert "it frightens me" in content(file)


async def test_leaving_with_unsaved_switches_wants_to_be_said_twice(file: Path) -> None:
    async with shown(file) as (screen, pilot):
        await pilot.press("right", "space", "q")
        assert screen.is_running
        await pilot.press("q")
        await pilot.pause()
    assert screen.written == []
    assert content(file) == COMMENTED


async def test_what_would_leave_nothing_is_refused_and_said(file: Path) -> None:
    write(file, "toolsets: [search]\n")
    async with shown(file) as (screen, pilot):
        await pilot.press("down", "down", "down", "space")
        assert "unsaved" not in head(screen)
        assert any("no tool is left" in one.message for one in screen._notifications)


async def test_what_is_denied_stays_off_and_says_so(file: Path) -> None:
    write(file, "tools:\n  deny: [browser_navigate]\n")
    async with shown(file) as (screen, pilot):
        await pilot.press("right", "space")
        assert rows(screen, "tools")[0].startswith("○ browser_navigate")
        assert any("denied by tools.deny" in one.message for one in screen._notifications)
        await pilot.press("ctrl+q")


async def test_it_fits_a_small_terminal(file: Path) -> None:
    screen = ToolsScreen(ToolSwitches(told(file)), "cli")
    async with screen.run_test(size=(80, 24)) as pilot:
        await pilot.press("right", "down", "left", "left")
        assert screen.query_one("#tools", OptionList).size.width > 15
