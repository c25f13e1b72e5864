"""What goes wrong with toolsets elsewhere, each as a test that it does not here.

The numbers are those of the list of known defects that this part was built from: 28 to 35.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from pilothouse.daemon.tool_settings import ToolSettings
from pilothouse.errors import PilothouseError
from pilothouse.settings import load as load_settings
from pilothouse.tools.context import DaemonCall, ToolSession
from pilothouse.tools.gate import Gate
from pilothouse.tools.selection import Choices
from pilothouse.tools.tool import Tool
from pilothouse.tools.tool_config_file import SwitchChange, load, save
from pilothouse.tools.toolsets import PLATFORMS
from tests.tools.fake_tool_context import Daemon
from tests.tools.no_op_tools import TOOLS, a_tool, chosen, selected


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def from_file(file: Path, text: str) -> Choices:
    file.write_text(text)
    return load(file).choices


def refused(choices: Choices, platform: str = "cli") -> str:
    with pytest.raises(PilothouseError) as caught:
        selected(choices, platform)
    return caught.value.format_line()


# 28


def test_28_a_platform_that_lists_only_a_custom_toolset_gets_its_tools(file: Path) -> None:
    choices = from_file(
        file,
        "custom_toolsets:\n  mine: [web, browser_click]\nplatform_toolsets:\n  acp: [mine]\n",
    )
    assert set(selected(choices, "acp").listed) == {"web_search", "web_extract", "browser_click"}


def test_28_the_top_level_toolsets_are_read(file: Path) -> None:
    choices = from_file(file, "toolsets:\n  - search\n")
    assert [selected(choices, platform).listed for platform in PLATFORMS] == [("web_search",)] * 5


# 29


def test_29_a_single_tool_is_switched_off_while_its_toolset_is_on(file: Path) -> None:
    choices = from_file(file, "toolsets: [browser]\ntools:\n  disable: [browser_click]\n")
    assert "browser_click" not in selected(choices).usable
    assert "browser_snapshot" in selected(choices).usable


async def test_29_a_tool_that_is_switched_off_is_refused_at_dispatch_too(file: Path) -> None:
    answer = await called(file, "tools:\n  disable: [web_search]\n", "web_search")
    assert answer["error"].startswith("web_search is off: switched off by tools.disable")


# 30


def test_30_every_tool_has_one_home_and_may_be_listed_by_others() -> None:
    homes = [selected(flags=["search"]).listed, selected(flags=["web"]).listed]
    assert all("web_search" in listed for listed in homes)
    assert TOOLS["web_search"].toolset == "web"


def test_30_switching_off_a_toolset_takes_no_tool_that_lives_elsewhere() -> None:
    # A browser toolset that also lists web_search, as people want it.
    choices = chosen(
        ["browsing", "web"], custom={"browsing": ["browser", "web_search"]}, disable=["browser"]
    )
    assert set(selected(choices).listed) == {"web_search", "web_extract"}


# 31


def test_31_one_tool_more_in_a_toolset_does_not_drop_the_toolset() -> None:
    more = TOOLS | {"web_archive": a_tool("web_archive", "web", source="plugin")}
    for platform in PLATFORMS:
        before, after = selected(platform=platform), selected(platform=platform, tools=more)
        assert set(after.listed) == {*before.listed, "web_archive"}


def test_31_the_name_of_a_composite_does_not_switch_on_what_was_switched_off() -> None:
    choices = chosen(["debugging", "full", "all"], disable=["browser_click", "web"])
    assert not {"browser_click", "web_search"} & selected(choices).usable


def test_31_a_name_from_another_time_is_an_error_with_the_right_one() -> None:
    told = refused(chosen(["someone-cli"]))
    assert told.endswith("unknown tool or toolset 'someone-cli' (did you mean cli?)")


def test_31_nested_yaml_is_an_error_with_its_line_and_never_a_text(file: Path) -> None:
    with pytest.raises(PilothouseError) as caught:
        from_file(file, "platform_toolsets:\n  mcp:\n    - web\n    - browser: [click]\n")
    assert caught.value.message.startswith(f"{file}:4: platform_toolsets.mcp: expected a name")


@pytest.mark.parametrize("bundle", ["cli", "mcp", "full", "debugging"])
def test_31_a_bundle_in_the_disabled_list_is_an_error_and_not_no_tools(bundle: str) -> None:
    told = refused(chosen(disable=[bundle]))
    assert "/home/ann/config.yaml:1: tools.disable" in told
    assert "cannot be switched itself" in told


def test_31_every_platform_heeds_the_file(file: Path) -> None:
    text = "tools:\n  disable: [web_search]\n  platforms:\n" + "".join(
        f"    {platform}: {{disable: [browser_click]}}\n" for platform in PLATFORMS
    )
    choices = from_file(file, text)
    for platform in PLATFORMS:
        assert not {"web_search", "browser_click"} & selected(choices, platform).usable


def test_31_tools_of_a_disabled_server_cannot_be_called_by_any_way(file: Path) -> None:
    choices = from_file(file, "mcp_servers:\n  shop: {command: x, enabled: false}\n")
    told = "unknown tool or toolset 'mcp-shop'"
    with pytest.raises(PilothouseError, match=told):
        selected(choices, flags=["mcp-shop"])


# 32


def test_32_tools_that_come_later_come_to_people_who_moved_switches(file: Path) -> None:
    save(
        [SwitchChange("browser_click", False, "mcp"), SwitchChange("browser-data", True, "mcp")],
        file,
    )
    choices = load(file).choices
    later = TOOLS | {
        "web_archive": a_tool("web_archive", "web"),
        "browser_history": a_tool("browser_history", "browser-data"),
        "sail": a_tool("sail", "boats", source="boats"),
    }
    listed = selected(choices, "mcp", tools=later).listed
    assert {"web_archive", "browser_history", "sail"} <= set(listed)
    assert "browser_click" not in listed


def test_32_what_is_saved_is_the_difference_and_no_list_of_the_day(file: Path) -> None:
    save([SwitchChange("browser_click", False, "mcp")], file)
    assert (
        file.read_text()
        == "tools:\n  platforms:\n    mcp:\n      disable:\n        - browser_click\n"
    )


# 33


def test_33_what_was_switched_off_for_all_can_be_switched_on_again(file: Path) -> None:
    file.write_text("tools:\n  disable: [web_search]  # a while ago\n")
    save([SwitchChange("web_search", True, "mcp")], file)
    assert "web_search" in selected(load(file).choices, "mcp").usable
    assert "web_search" not in selected(load(file).choices, "cli").usable
    save([SwitchChange("web_search", None)], file)
    assert "web_search" in selected(load(file).choices, "cli").usable


def test_33_an_unknown_name_is_an_error_every_time_and_not_once_in_a_log() -> None:
    choices = chosen(enable=["serch"])
    assert {refused(choices, platform) for platform in PLATFORMS for _ in range(3)} == {
        "/home/ann/config.yaml:1: tools.enable: unknown tool or toolset 'serch' "
        "(did you mean search?)"
    }


# 34


async def called(
    file: Path, text: str, name: str, shut: dict[str, str] | None = None, owner: str = "me"
) -> dict[str, str]:
    """Call a tool whose name the agent has from an older list."""
    tool_settings = choosing_from(file, text)
    for key, reason in (shut or {}).items():
        tool_settings.disable(key, reason, "me")
    return await gate(tool_settings).use(ToolSession(owner), name, {})


def choosing_from(file: Path, text: str) -> ToolSettings:
    file.write_text(text)
    return ToolSettings(TOOLS, path=file)


def gate(tool_settings: ToolSettings) -> Gate:
    def switch(session: ToolSession, tool: Tool) -> tuple[str, str] | None:
        verdict = tool_settings.selection(
            session.owner, session.platform, session.toolsets
        ).verdicts[tool.name]
        return None if verdict.on else (verdict.reason, verdict.hint)

    return Gate(TOOLS, Daemon(), no_daemon, switch=switch)


def no_daemon(owner: str) -> DaemonCall:
    async def call(method: str, params: dict[str, object]) -> object:
        raise PilothouseError("there is no daemon here", hint="it is not needed")

    return call


async def test_34_a_tool_hidden_by_choice_or_gate_does_not_run_from_an_old_list(
    file: Path,
) -> None:
    assert (await called(file, "", "web_search"))["success"]
    assert not (await called(file, "tools:\n  deny: [web_search]\n", "web_search"))["success"]
    hidden = await called(file, "", "web_search", {"web_search": "no search engine is set up"})
    assert hidden["error"] == "web_search is off: no search engine is set up"


async def test_34_a_gate_of_one_session_does_not_leak_into_another(file: Path) -> None:
    shut = {"web_search": "this one has no eyes"}
    assert not (await called(file, "", "web_search", shut, owner="me"))["success"]
    assert (await called(file, "", "web_search", shut, owner="another"))["success"]


def test_34_a_gated_tool_appears_and_disappears_without_a_change_of_the_file(file: Path) -> None:
    changes: list[str] = []
    tool_settings = ToolSettings(TOOLS, lambda: changes.append("changed"), file)
    tool_settings.disable("cdp", "gone")
    seen = ["browser_cdp" in tool_settings.selection("me", "cli").listed]
    tool_settings.enable("cdp")
    seen.append("browser_cdp" in tool_settings.selection("me", "cli").listed)
    assert seen == [False, True]
    assert changes == ["changed", "changed"]


# 35


def test_35_asking_which_tools_there_are_asks_no_browser(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as endpoint:
        endpoint.setblocking(False)
        file.write_text(f"browser:\n  cdp_url: http://127.0.0.1:{endpoint.getsockname()[1]}\n")
        assert load_settings(file, {}).browser.cdp_url
        tool_settings = ToolSettings(TOOLS, path=file)
        assert "browser_cdp" in tool_settings.selection("me", "cli").listed
        tool_settings.disable("cdp", "gone")
        assert "browser_cdp" not in tool_settings.selection("me", "cli").listed
        with pytest.raises(BlockingIOError):
            endpoint.accept()  # nobody came


def test_35_a_reason_says_what_is_missing_and_not_something_else() -> None:
    shut = {"web_search": "no search engine is set up: search.backend in config.yaml"}
    assert selected(shut=shut).verdicts["web_search"].reason == shut["web_search"]
