"""What moving a switch comes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.cli.tool_switches import ToolSwitches
from pilothouse.errors import PilothouseError
from pilothouse.tools.tool_config_file import SwitchChange
from tests.cli.catalog_without_daemon import told


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def moved(catalogue: ToolSwitches, platform: str, name: str, on: bool | None) -> list[SwitchChange]:
    """The switches that are written for it."""
    change = catalogue.change(catalogue.choices, platform, [name], on)
    return catalogue.differences(change.choices)


def test_a_switch_is_written_only_where_the_default_says_else(file: Path) -> None:
    catalogue = ToolSwitches(told(file))
    assert moved(catalogue, "mcp", "browser_click", True) == []
    assert moved(catalogue, "mcp", "browser_click", False) == [
        SwitchChange("browser_click", False, "mcp")
    ]
    assert moved(catalogue, "mcp", "browser_cookies", True) == [
        SwitchChange("browser_cookies", True, "mcp")
    ]


def test_a_switch_back_takes_the_old_one_out_instead_of_adding_another(file: Path) -> None:
    file.write_text("tools:\n  platforms:\n    mcp: {disable: [browser_click]}\n")
    catalogue = ToolSwitches(told(file))
    assert moved(catalogue, "mcp", "browser_click", True) == [
        SwitchChange("browser_click", None, "mcp")
    ]
    assert moved(catalogue, "mcp", "browser_click", None) == [
        SwitchChange("browser_click", None, "mcp")
    ]


def test_a_toolset_is_switched_as_one_and_takes_its_tools_along(file: Path) -> None:
    file.write_text("tools:\n  platforms:\n    mcp: {enable: [web_search]}\n  disable: [web]\n")
    catalogue = ToolSwitches(told(file))
    assert moved(catalogue, "mcp", "web", False) == [SwitchChange("web_search", None, "mcp")]
    assert moved(catalogue, "mcp", "web", True) == [
        SwitchChange("web_search", None, "mcp"),
        SwitchChange("web", True, "mcp"),
    ]


def test_a_switch_for_all_takes_out_what_single_platforms_say_about_the_same(file: Path) -> None:
    file.write_text(
        "tools:\n  platforms:\n    mcp: {enable: [execute]}\n    acp: {disable: [web]}\n"
    )
    catalogue = ToolSwitches(told(file))
    assert moved(catalogue, "", "execute", False) == [SwitchChange("execute", None, "mcp")]
    assert moved(catalogue, "", "execute", True) == [
        SwitchChange("execute", True, ""),
        SwitchChange("execute", None, "mcp"),
    ]
    assert moved(catalogue, "", "web", True) == [SwitchChange("web", None, "acp")]


def test_what_does_not_follow_is_told_with_its_reason(file: Path) -> None:
    file.write_text("tools:\n  deny: [web_search]\n")
    catalogue = ToolSwitches(told(file))
    change = catalogue.change(catalogue.choices, "mcp", ["web_search"], True)
    (reason,) = change.unchanged.values()
    assert list(change.unchanged) == [("mcp", "web_search")]
    assert reason.reason == "denied by tools.deny (config.yaml:2): web_search"


def test_the_last_tool_cannot_be_switched_off(file: Path) -> None:
    file.write_text("toolsets: [search]\n")
    catalogue = ToolSwitches(told(file))
    with pytest.raises(PilothouseError, match="no tool is left"):
        catalogue.change(catalogue.choices, "", ["web_search"], False)
    with pytest.raises(PilothouseError, match="unknown tool or toolset 'serch'"):
        catalogue.change(catalogue.choices, "", ["serch"], False)


def test_a_gate_is_shown_and_does_not_count_as_a_choice(file: Path) -> None:
    catalogue = ToolSwitches(told(file, cdp="no browser"))
    assert catalogue.selection("mcp").verdicts["browser_cdp"].reason == "no browser"
    assert moved(catalogue, "mcp", "browser_cdp", True) == []


def test_what_is_saved_is_what_the_file_says_then(file: Path) -> None:
    catalogue = ToolSwitches(told(file))
    change = catalogue.change(catalogue.choices, "mcp", ["browser-data", "tool:browser"], True)
    written = catalogue.save(change.choices)
    assert {switch.name for switch in written} == {"browser-data", "tool:browser"}
    assert catalogue.differences(catalogue.choices) == []
    assert {"browser_cookies", "browser"} <= set(catalogue.selection("mcp").listed)
    before = file.stat()
    assert catalogue.save(catalogue.choices) == []
    assert file.stat() == before


def test_a_file_that_is_wrong_is_said_at_once(file: Path) -> None:
    file.write_text("platform_toolsets:\n  acp: [brwser]\n")
    with pytest.raises(PilothouseError, match=r"config\.yaml:2: platform_toolsets\.acp"):
        ToolSwitches(told(file))


def test_toolsets_of_plugins_are_known_here_too(file: Path) -> None:
    trip = {"name": "trip", "kind": "plugin", "about": "before a trip", "tools": ["web_search"]}
    more = {**told(file), "toolsets": [{**trip, "includes": ["browser-data"], "unlisted": []}]}
    catalogue = ToolSwitches(more)
    assert set(catalogue.selection("cli", ["trip"]).listed) == {"web_search", "browser_cookies"}
    assert "browser_cookies" in catalogue.selection("mcp").listed


def test_the_cost_is_about_what_the_listing_is_long(file: Path) -> None:
    catalogue = ToolSwitches(told(file))
    one = catalogue.tokens(["browser_click"])
    assert 15 < one < 60
    assert catalogue.tokens(["browser_click", "browser_cdp"]) > one
    assert catalogue.tokens([]) == 0
