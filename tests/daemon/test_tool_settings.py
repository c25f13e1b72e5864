"""What was chosen, as it is now."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.daemon.tool_settings import ToolSettings
from pilothouse.errors import PilothouseError
from pilothouse.tools.tool import Tool
from pilothouse.tools.toolsets import Toolset
from tests.tools.no_op_tools import TOOLS, a_tool


class Listening:
    """Choices in a file of the test's own, and how often somebody was told of a change."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "config.yaml"
        self.tools: dict[str, Tool] = dict(TOOLS)
        self.told = 0
        self.tool_settings = ToolSettings(self.tools, self._tell, self.file)

    def _tell(self) -> None:
        self.told += 1

    def write(self, text: str) -> None:
        # A file of its own each time: its number changes even if the clock has not moved.
        new = self.file.with_name("new")
        new.write_text(text)
        new.replace(self.file)

    def listed(self, platform: str = "cli", owner: str = "me") -> set[str]:
        return set(self.tool_settings.selection(owner, platform).listed)


@pytest.fixture
def here(tmp_path: Path) -> Listening:
    return Listening(tmp_path)


def test_the_file_is_read_again_when_it_changed_and_everybody_is_told_once(
    here: Listening,
) -> None:
    assert "web_search" in here.listed()
    assert here.told == 0
    here.write("tools:\n  disable: [web]\n")
    assert "web_search" not in here.listed()
    assert "web_search" not in here.listed()
    assert here.told == 1
    here.file.unlink()
    assert "web_search" in here.listed()
    assert here.told == 2


def test_the_first_look_is_no_change(here: Listening) -> None:
    here.write("toolsets: [web]\n")
    assert here.listed() == {"web_search", "web_extract"}
    assert here.told == 0


@pytest.mark.parametrize(
    ("wrong", "line"), [("tools: [\n", 2), ("toolsets: [brwser]\n", 1), ("tools: 5\n", 1)]
)
def test_a_file_that_went_wrong_leaves_the_choices_as_they_were(
    here: Listening, wrong: str, line: int
) -> None:
    here.write("toolsets: [web]\n")
    here.listed()
    here.write(wrong)
    assert here.listed() == {"web_search", "web_extract"}
    assert here.tool_settings.file_error is not None
    assert here.tool_settings.file_error.message.startswith(f"{here.file}:{line}: ")
    here.write("toolsets: [search]\n")
    assert here.listed() == {"web_search"}
    assert here.tool_settings.file_error is None


def test_a_file_that_was_wrong_from_the_start_is_an_error_and_no_empty_list(
    here: Listening,
) -> None:
    here.write("tools: 5\n")
    with pytest.raises(PilothouseError, match="tools: expected fields"):
        here.listed()
    here.write("platform_toolsets:\n  mcp: [brwser]\n")
    with pytest.raises(PilothouseError, match="unknown tool or toolset 'brwser'"):
        here.listed("mcp")
    assert "web_search" in here.listed("cli")  # what means something holds
    assert here.tool_settings.file_error is not None


def test_a_gate_is_pushed_and_hides_at_once(here: Listening) -> None:
    assert "browser_cdp" in here.listed()
    here.tool_settings.disable("cdp", "no browser can be had")
    assert "browser_cdp" not in here.listed()
    here.tool_settings.disable("cdp", "no browser can be had")
    assert here.told == 1  # said once
    here.tool_settings.enable("cdp")
    assert "browser_cdp" in here.listed()
    here.tool_settings.enable("cdp")
    assert here.told == 2


def test_a_gate_of_one_owner_is_not_another_owners(here: Listening) -> None:
    here.tool_settings.disable("browser_cdp", "not for you", owner="ann")
    assert "browser_cdp" not in here.listed(owner="ann")
    assert "browser_cdp" in here.listed(owner="bob")
    here.tool_settings.forget_owner("ann")
    assert "browser_cdp" in here.listed(owner="ann")


def test_tools_that_come_and_go_are_seen(here: Listening) -> None:
    here.tools["mcp_shop_buy"] = a_tool("mcp_shop_buy", "mcp-shop", source="shop")
    assert "mcp_shop_buy" in here.listed()
    del here.tools["mcp_shop_buy"]
    assert "mcp_shop_buy" not in here.listed()


def test_toolsets_of_plugins_are_chosen_as_others(here: Listening) -> None:
    trip = Toolset("trip", "plugin", "before a trip", ("web_search",))
    here.tool_settings = ToolSettings(here.tools, path=here.file, plugins={"trip": trip})
    here.write("toolsets: [trip]\n")
    assert here.listed() == {"web_search"}


def test_what_was_resolved_is_not_resolved_again(here: Listening) -> None:
    first = here.tool_settings.selection("me", "cli")
    assert here.tool_settings.selection("another", "cli") is first
    for number in range(300):
        here.tool_settings.selection("me", "cli", ("web", "browser")[: number % 2 + 1])
        here.tool_settings.disable("execute", f"reason {number}")
    assert here.tool_settings.selection("me", "cli").verdicts["execute"].on is False
