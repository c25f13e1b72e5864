"""Which toolsets there are, and what names stand for."""

from __future__ import annotations

import pytest

from pilothouse.cli.declarations.tools import PLATFORMS as ON_THE_COMMAND_LINE
from pilothouse.errors import PilothouseError
from pilothouse.tools import catalog
from pilothouse.tools.tool import TOOLS as DECLARED
from pilothouse.tools.toolsets import (
    BUILT_IN,
    PLATFORMS,
    NameEntry,
    NameResolver,
    collect_toolsets,
    is_pattern,
)
from tests.tools.no_op_tools import TOOLS, a_tool, entries

assert catalog.DECLARED  # importing it has declared the tools


def picked(name: str, **custom: tuple[str, ...]) -> list[str]:
    made = {key: entries(f"custom_toolsets.{key}", *names) for key, names in custom.items()}
    names = NameResolver(TOOLS, collect_toolsets(TOOLS, made))
    return sorted(names.select_tools(NameEntry(name, "--toolsets"), own=True))


def refused(name: str, **custom: tuple[str, ...]) -> str:
    with pytest.raises(PilothouseError) as caught:
        picked(name, **custom)
    return caught.value.format_line()


@pytest.mark.parametrize("name", list(BUILT_IN))
def test_a_built_in_toolset_names_only_tools_and_toolsets_that_exist(name: str) -> None:
    toolset = BUILT_IN[name]
    assert [tool for tool in toolset.tools if tool not in DECLARED] == []
    known = {*BUILT_IN, *DECLARED, "*", "@dynamic", "@plugin"}
    assert set(toolset.includes + toolset.unlisted) <= known
    assert toolset.about


def test_every_declared_tool_lives_in_a_built_in_toolset() -> None:
    assert {tool.toolset for tool in DECLARED.values()} <= set(BUILT_IN)
    assert all(
        collect_toolsets(DECLARED)[tool.toolset].kind == "core" for tool in DECLARED.values()
    )


def test_safe_holds_only_tools_that_read_and_change_nothing() -> None:
    for name in BUILT_IN["safe"].tools:
        flags = DECLARED[name].flags
        assert (flags.reads, flags.changes, flags.dangerous) == (True, False, False), name


def test_the_command_line_offers_every_platform() -> None:
    assert ON_THE_COMMAND_LINE == PLATFORMS


def test_a_core_toolset_is_the_tools_at_home_in_it_and_those_it_lists() -> None:
    made = collect_toolsets(TOOLS)
    assert set(made["web"].tools) == {"web_search", "web_extract"}
    assert made["search"].tools == ("web_search",)
    assert made["code"].tools == ("browser", "execute")


def test_a_tool_from_elsewhere_makes_its_own_toolset() -> None:
    more = TOOLS | {
        "sail": a_tool("sail", "boats", source="plugin boats"),
        "mcp_shop_buy": a_tool("mcp_shop_buy", "mcp-shop", source="shop"),
    }
    made = collect_toolsets(more)
    assert (made["boats"].kind, made["boats"].tools) == ("plugin", ("sail",))
    assert (made["mcp-shop"].kind, made["mcp-shop"].tools) == ("dynamic", ("mcp_shop_buy",))


def test_a_servers_toolset_is_there_before_the_server_is() -> None:
    names = NameResolver(TOOLS, collect_toolsets(TOOLS, servers={"shop": "config.yaml:3"}))
    assert names.select_tools(NameEntry("mcp-shop"), own=True) == {}
    assert names.select_tools(NameEntry("mcp_shop_buy"), own=True) == {}
    assert names.select_tools(NameEntry("mcp_shop_*"), own=True) == {}
    with pytest.raises(PilothouseError, match="mcp_boat_sail"):
        names.select_tools(NameEntry("mcp_boat_sail"), own=True)


def test_names_stand_for_toolsets_tools_patterns_and_everything() -> None:
    assert picked("web") == ["web_extract", "web_search"]
    assert picked("browser_click") == ["browser_click"]
    assert picked("web_*") == ["web_extract", "web_search"]
    assert picked("all") == picked("*") == sorted(TOOLS)


def test_a_name_that_is_both_means_the_toolset_unless_it_says_else() -> None:
    assert "browser_click" in picked("browser")
    assert "browser" not in picked("browser")
    assert picked("tool:browser") == ["browser"]
    assert picked("toolset:browser") == picked("browser")
    assert NameResolver(TOOLS, collect_toolsets(TOOLS)).exact_name("browser") == "tool:browser"
    assert NameResolver(TOOLS, collect_toolsets(TOOLS)).exact_name("execute") == "execute"


def test_a_custom_toolset_may_name_toolsets_tools_customs_and_patterns() -> None:
    found = picked("mine", mine=("search", "browser_click", "other"), other=("*_cookies",))
    assert found == ["browser_click", "browser_cookies", "web_search"]


def test_a_pattern_means_toolsets_too() -> None:
    assert picked("we*") == ["web_extract", "web_search"]
    assert picked("min*", mine=("execute",)) == ["execute"]
    # Not those that only put together what is another's.
    assert picked("s*") == ["web_search"]


def test_toolsets_that_include_each_other_are_an_error_that_shows_the_circle() -> None:
    told = refused("one", one=("two",), two=("three", "web"), three=("one",))
    assert told.startswith("/home/ann/config.yaml:1: custom_toolsets.one: one includes itself:")
    assert "one -> two -> three -> one" in told


def test_a_toolset_reached_twice_is_no_circle() -> None:
    found = picked("top", top=("left", "right"), left=("web",), right=("web",))
    assert found == ["web_extract", "web_search"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("browsr", "browser"),
        ("browser_clik", "browser_click"),
        ("browser-click", "browser_click"),
        ("WEB", "web"),
        ("somebody-cli", "cli"),
        ("serch", "search"),
        ("tool:executte", "execute"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest(name: str, near: str) -> None:
    told = refused(name)
    assert told == f"--toolsets: unknown tool or toolset '{name}' (did you mean {near}?)"


def test_an_unknown_name_in_a_custom_toolset_is_said_with_its_place() -> None:
    told = refused("mine", mine=("web", "brwser"))
    assert told.startswith("/home/ann/config.yaml:2: custom_toolsets.mine: unknown tool")
    assert told.endswith("(did you mean browser?)")


def test_a_pattern_that_fits_nothing_is_an_error() -> None:
    assert "no tool matches 'zzz_*'" in refused("zzz_*")


@pytest.mark.parametrize("name", ["browser", "mcp", "all", "my*"])
def test_a_custom_toolset_cannot_take_a_name_that_means_something(name: str) -> None:
    with pytest.raises(PilothouseError, match="this name is already used"):
        collect_toolsets(TOOLS, {name: entries(f"custom_toolsets.{name}", "web")})


def test_what_only_puts_together_cannot_be_switched() -> None:
    names = NameResolver(TOOLS, collect_toolsets(TOOLS))
    for name, kind in (("cli", "platform"), ("debugging", "composite"), ("lean", "preset")):
        with pytest.raises(PilothouseError, match=f"{name} is a {kind} toolset"):
            names.match_switch(NameEntry(name, "tools.disable"))


def test_a_switch_means_the_tools_at_home_and_no_others() -> None:
    names = NameResolver(TOOLS, collect_toolsets(TOOLS))
    assert names.match_switch(NameEntry("web")) == {"web_search": 2, "web_extract": 2}
    assert names.match_switch(NameEntry("search")) == {"web_search": 2}
    assert names.match_switch(NameEntry("web_search")) == {"web_search": 3}
    assert names.match_switch(NameEntry("web_*")) == {"web_search": 1, "web_extract": 1}


def test_what_a_pattern_is() -> None:
    assert [is_pattern(name) for name in ("a*", "a?", "[ab]", "web")] == [True, True, True, False]
