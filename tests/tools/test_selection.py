"""Which tools somebody gets, and why."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.errors import PilothouseError
from pilothouse.tools import catalog
from pilothouse.tools.selection import Choices, Selection, check, resolve, toolsets_for
from pilothouse.tools.tool import TOOLS as DECLARED
from pilothouse.tools.tool import Tool
from pilothouse.tools.toolsets import PLATFORMS, NameEntry, NameResolver
from tests.tools.no_op_tools import TOOLS, a_tool, chosen, selected

assert catalog.DECLARED  # importing it has declared the tools


def refused(choices: Choices, platform: str = "cli", flags: Sequence[str] = ()) -> str:
    with pytest.raises(PilothouseError) as caught:
        selected(choices, platform, flags)
    return caught.value.format_line()


# The order.


def test_nobody_chose_then_the_platform_gets_its_own() -> None:
    assert set(selected(platform="mcp").listed) == {
        name for name, tool in TOOLS.items() if tool.toolset in ("browser", "web")
    }
    assert "browser_cookies" in selected(platform="cli").listed
    assert selected(platform="mcp").verdicts["web_search"].reason == "by default: mcp > web"


def test_flags_go_before_the_platform_and_the_platform_before_all() -> None:
    choices = chosen(["web"], platforms={"mcp": ["browser"]})
    assert set(selected(choices, "cli").listed) == {"web_search", "web_extract"}
    assert "browser_click" in selected(choices, "mcp").listed
    assert selected(choices, "mcp", ["search"]).listed == ("web_search",)
    reason = selected(choices, "cli").verdicts["web_search"].reason
    assert reason == "toolsets (config.yaml:1): web"


def test_switches_come_after_the_selection_and_those_of_the_platform_last() -> None:
    choices = chosen(
        ["web"],
        enable=["browser_click"],
        disable=["web_extract"],
        on={"mcp": {"enable": ["web_extract"], "disable": ["browser_click"]}},
    )
    assert set(selected(choices, "cli").listed) == {"web_search", "browser_click"}
    assert set(selected(choices, "mcp").listed) == {"web_search", "web_extract"}
    verdicts = selected(choices, "mcp").verdicts
    told = "switched off by tools.platforms.mcp.disable (config.yaml:1): browser_click"
    assert verdicts["browser_click"].reason == told
    assert verdicts["browser_click"].hint == "pilothouse tools enable browser_click --platform mcp"


def test_what_names_a_tool_more_exactly_wins_and_off_wins_over_on() -> None:
    assert selected(chosen(disable=["web"], enable=["web_search"])).verdicts["web_search"].on
    assert not selected(chosen(disable=["web"], enable=["web_*"])).verdicts["web_search"].on
    assert not selected(chosen(disable=["web_*"], enable=["web_*"])).verdicts["web_search"].on
    told = refused(chosen(disable=["web_search"], enable=["web_search"]))
    assert "web_search is switched on and off" in told


def test_deny_wins_over_every_way_to_switch_on() -> None:
    choices = chosen(
        ["web_search", "web"],
        enable=["web_search"],
        deny=["*_search"],
        on={"cli": {"enable": ["web_search"]}},
    )
    for flags in ([], ["web_search", "web"]):
        verdict = selected(choices, "cli", flags).verdicts["web_search"]
        assert verdict.reason == "denied by tools.deny (config.yaml:1): *_search"
        assert not verdict.on


def test_a_shut_gate_hides_a_tool_and_says_why() -> None:
    for key in ("browser_cdp", "cdp", "browser"):
        verdict = selected(shut={key: "no browser can be had"}).verdicts["browser_cdp"]
        assert (verdict.on, verdict.reason) == (False, "no browser can be had")
    assert selected(shut={"cdp": "no browser"}).verdicts["browser_click"].on


def test_a_gate_does_not_hide_the_better_reason() -> None:
    verdict = selected(chosen(["web"]), shut={"cdp": "no browser"}).verdicts["browser_cdp"]
    assert verdict.reason == "not in what toolsets (config.yaml:1) chose: web"


# For one session only.


def test_flags_are_not_made_more_by_what_was_saved_but_may_be_made_less() -> None:
    choices = chosen(enable=["browser_cookies"], disable=["web_extract"])
    assert selected(choices, flags=["web"]).listed == ("web_search",)
    hint = selected(choices, flags=["web"]).verdicts["browser_cookies"].hint
    assert hint == "--toolsets web,browser_cookies"


def test_a_switch_of_the_platform_takes_back_a_general_one_under_flags_too() -> None:
    choices = chosen(disable=["web_search"], on={"mcp": {"enable": ["web_search"]}})
    assert "web_search" in selected(choices, "mcp", ["web"]).listed
    assert "web_search" not in selected(choices, "cli", ["web"]).listed


# Dangerous tools.


@pytest.mark.parametrize("flags", [["all"], ["*"], ["full"], ["exec*"], ["co*"], ["cli"]])
def test_a_dangerous_tool_does_not_come_by_the_way(flags: list[str]) -> None:
    verdict = selected(flags=[*flags, "web"]).verdicts["execute"]
    assert (verdict.on, verdict.reason) == (False, "dangerous: off until it is named explicitly")
    assert "dangerous" in refused(Choices(), flags=["exec*"])  # nothing else was asked for


def test_a_dangerous_tool_is_on_where_it_is_named_itself() -> None:
    ways = [
        selected(flags=["execute"]),
        selected(flags=["code"]),
        selected(chosen(["all", "execute"])),
        selected(chosen(["mine"], custom={"mine": ["web", "execute"]})),
        selected(chosen(["mine"], custom={"mine": ["web", "code"]})),
        selected(chosen(enable=["execute"])),
        selected(chosen(enable=["code"])),
        selected(chosen(on={"cli": {"enable": ["execute"]}})),
    ]
    assert [way.verdicts["execute"].on for way in ways] == [True] * len(ways)


def test_enabling_by_a_pattern_does_not_name_a_dangerous_tool() -> None:
    assert not selected(chosen(enable=["exec*"])).verdicts["execute"].on


def test_a_home_where_others_live_too_does_not_name_the_dangerous_one() -> None:
    more = TOOLS | {"browser_format": a_tool("browser_format", dangerous=True)}
    assert not selected(flags=["browser"], tools=more).verdicts["browser_format"].on
    assert not selected(chosen(enable=["browser"]), tools=more).verdicts["browser_format"].on


# Short listings.


def test_lean_lists_three_tools_and_lets_the_batch_use_the_others() -> None:
    selection = selected(platform="mcp", flags=["lean"])
    assert selection.listed == ("browser_navigate", "browser_snapshot", "browser_batch")
    assert "browser_click" in selection.usable
    assert not selection.verdicts["web_search"].on
    assert "used through browser_batch" in selection.verdicts["browser_click"].reason


def test_what_is_listed_by_one_toolset_is_listed() -> None:
    assert "browser_click" in selected(flags=["lean", "browser"]).listed
    assert "browser_click" in selected(flags=["lean", "browser_click"]).listed
    choices = chosen(["lean"], enable=["browser_click"])
    assert "browser_click" in selected(choices).listed
    assert "browser_click" not in selected(choices, flags=["lean"]).listed


def test_the_default_listing_is_short() -> None:
    choices = Choices()
    found = resolve(DECLARED, toolsets_for(DECLARED, choices), choices, platform="mcp")
    assert set(found.listed) == {
        name for name, tool in DECLARED.items() if tool.toolset in ("browser", "web")
    }


# Servers and plugins.


def test_tools_of_servers_and_plugins_come_by_themselves_and_go_with_an_explicit_list() -> None:
    more = TOOLS | {
        "mcp_shop_buy": a_tool("mcp_shop_buy", "mcp-shop", source="shop"),
        "sail": a_tool("sail", "boats", source="boats"),
    }
    for platform in PLATFORMS:
        assert {"mcp_shop_buy", "sail"} <= set(selected(platform=platform, tools=more).listed)
    choices = chosen(["browser", "mcp-shop"])
    assert "mcp_shop_buy" in selected(choices, tools=more).listed
    assert "sail" not in selected(choices, tools=more).listed


def test_a_switch_for_a_tool_that_has_not_come_yet_is_kept() -> None:
    choices = chosen(disable=["mcp_shop_buy"], servers=["shop"])
    assert selected(choices).listed
    more = TOOLS | {"mcp_shop_buy": a_tool("mcp_shop_buy", "mcp-shop", source="shop")}
    assert not selected(choices, tools=more).verdicts["mcp_shop_buy"].on


# Nothing is left.


def test_nothing_left_is_an_error_that_says_why() -> None:
    told = refused(chosen(["web"], deny=["web"]))
    assert told.startswith(
        "no tool is left for clients of kind cli, of web (toolsets (config.yaml:1)): 2 denied by"
    )
    assert "remove it from /home/ann/config.yaml:1: tools.deny" in told
    assert "these toolsets have no tools yet" in refused(chosen(["mcp-shop"], servers=["shop"]))
    with pytest.raises(PilothouseError, match="there are no tools"):
        selected(tools={})


def test_an_unknown_platform_is_an_error_with_the_nearest() -> None:
    assert refused(Choices(), "mpc") == "unknown platform 'mpc' (did you mean mcp?)"
    assert "known: cli, mcp" in refused(Choices(), "zzz")


def test_everything_in_the_file_is_checked_not_only_what_is_used_now() -> None:
    def wrong(choices: Choices) -> str:
        with pytest.raises(PilothouseError) as caught:
            check(TOOLS, toolsets_for(TOOLS, choices), choices)
        return caught.value.format_line()

    assert selected(chosen(platforms={"acp": ["brwser"]})).listed  # it is another platform's
    told = wrong(chosen(platforms={"acp": ["brwser"]}))
    assert told.startswith("/home/ann/config.yaml:1: platform_toolsets.acp: unknown tool")
    assert "did you mean web" in wrong(chosen(custom={"mine": ["webb"]}))
    assert "tools.platforms.mcp.disable" in wrong(chosen(on={"mcp": {"disable": ["zzz"]}}))
    assert "tools.deny" in wrong(chosen(deny=["zzz"]))
    assert "did you mean mcp?" in wrong(chosen(platforms={"mpc": ["web"]}))
    assert "did you mean mcp?" in wrong(chosen(on={"mpc": {"disable": ["web"]}}))
    check(TOOLS, toolsets_for(TOOLS, chosen(["web"])), chosen(["web"]))


def test_a_selection_of_nothing_is_refused() -> None:
    assert "toolsets: empty; expected at least one toolset" in refused(chosen([]))
    assert "platform_toolsets.cli: empty; expected" in refused(chosen(platforms={"cli": []}))


def test_a_switch_can_be_set_and_taken_back() -> None:
    choices = Choices().with_switch("mcp", "web", False)
    assert "web_search" not in selected(choices, "mcp").listed
    assert "web_search" in selected(choices, "cli").listed
    assert selected(choices.with_switch("mcp", "web", True), "mcp").verdicts["web_search"].on
    assert choices.with_switch("mcp", "web", None).platform_switches["mcp"].disable == ()
    assert "web_search" not in selected(Choices().with_switch("", "web", False), "mcp").listed


# Whatever is defined and chosen.

NAMES = [f"{family}_{word}" for family in ("a", "b", "mcp_s") for word in ("x", "y", "z")]
HOMES = ["browser", "web", "code", "plug", "mcp-s"]
BUNDLES = [*PLATFORMS, "lean", "full", "debugging"]


World = tuple[dict[str, Tool], Choices, str, list[str], dict[str, str]]


def outcome(world: World) -> tuple[Selection | None, PilothouseError | None]:
    """What comes of a world: a selection, or an error."""
    tools, choices, platform, flags, shut = world
    try:
        toolsets = toolsets_for(tools, choices)
        made = resolve(tools, toolsets, choices, platform=platform, flags=flags, shut=shut)
    except PilothouseError as error:
        return None, error
    return made, None


def world_of(seed: int) -> World:
    """Random tools, and choices that name what is there; every third time also what is not.

    From a seed, as drawing each word one by one costs more than what is tested."""
    chance = Random(seed)
    careless = chance.random() < 0.33
    names = chance.sample(NAMES, chance.randint(1, 8))
    tools = {
        name: a_tool(
            name,
            chance.choice(HOMES),
            dangerous=chance.random() < 0.3,
            cdp=chance.random() < 0.3,
        )
        for name in names
    }
    homes = {tool.toolset for tool in tools.values()} | {"browser", "web", "code"}
    customs = [name for name in ("mine", "yours") if chance.random() < 0.5]
    single = [*names, *sorted(homes), f"tool:{names[0]}", f"{names[0][0]}*", "*"]
    any_name = [*single, *customs, *BUNDLES, "all", "toolset:web"]
    if careless:
        single += [*NAMES, *BUNDLES, "nonsense", "n*nsense"]
        any_name += [*NAMES, *HOMES, "mine", "safe", "nonsense", "n*nsense"]

    def some(words: list[str], least: int = 0) -> list[str]:
        return chance.choices(words, k=max(least, chance.choice((0, 0, 1, 2, 3))))

    def level() -> dict[str, list[str]]:
        off = some(single)
        return {"enable": [name for name in some(single) if name not in off], "disable": off}

    switches, least = level(), 0 if careless else 1
    platforms = [name for name in PLATFORMS if chance.random() < 0.3]
    choices = chosen(
        some(any_name, least) if chance.random() < 0.5 else None,
        platforms={name: some(any_name, least) for name in platforms},
        custom={name: some(any_name if careless else single, least) for name in customs},
        enable=switches["enable"],
        disable=switches["disable"],
        deny=some(single) if chance.random() < 0.5 else [],
        on={name: level() for name in platforms},
        servers=["s"] if chance.random() < 0.5 else [],
    )
    shut = {name: "shut now" for name in (*NAMES, *HOMES, "cdp") if chance.random() < 0.1}
    flags = some(any_name) if chance.random() < 0.5 else []
    return tools, choices, chance.choice(PLATFORMS), flags, shut


@settings(max_examples=500, deadline=None)
@given(st.integers(0, 2**32).map(world_of))
def test_whatever_is_chosen_every_tool_has_a_reason_deny_wins_and_nothing_is_silently_empty(
    world: World,
) -> None:
    tools, choices, platform, flags, shut = world
    made, error = outcome(world)
    if made is None:
        assert error is not None
        assert error.message
        assert error.hint
        return
    toolsets = toolsets_for(tools, choices)
    assert made.listed  # never silently empty
    assert list(made.verdicts) == list(tools)
    names = NameResolver(tools, toolsets)
    denied = {name for entry in choices.deny for name in names.match_switch(entry)}
    assert not denied & made.usable
    for name, verdict in made.verdicts.items():
        assert verdict.reason
        assert verdict.on or verdict.hint
        if verdict.on:
            assert not {name, tools[name].toolset} & shut.keys()
            assert not (tools[name].flags.cdp and "cdp" in shut)
        if flags and verdict.on:
            asked = [names.select_tools(NameEntry(flag), own=True) for flag in flags]
            assert any(name in picks for picks in asked)
        if verdict.on and tools[name].flags.dangerous:
            assert _was_named(name, tools[name].toolset, choices, platform, flags)


def _was_named(name: str, home: str, choices: Choices, platform: str, flags: list[str]) -> bool:
    """Whether a person wrote the name of a tool, or of its home, anywhere it counts."""
    level = choices.platform_switches.get(platform)
    written = [
        *flags,
        *(entry.name for entry in choices.toolsets or ()),
        *(entry.name for entry in choices.platform_toolsets.get(platform, ())),
        *(entry.name for custom in choices.custom.values() for entry in custom),
        *(entry.name for entry in choices.switches.enable),
        *(entry.name for entry in (level.enable if level else ())),
    ]
    return bool({name, home, f"tool:{name}", f"toolset:{home}"} & set(written))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32).map(world_of))
def test_the_same_choices_always_give_the_same_answer(
    world: World,
) -> None:
    (one, wrong), (other, wrong_again) = outcome(world), outcome(world)
    assert one == other
    assert str(wrong) == str(wrong_again)
