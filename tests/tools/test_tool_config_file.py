"""What a person chose, from the file and back into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse import settings
from pilothouse.errors import PilothouseError
from pilothouse.tools.tool_config_file import McpServerConfig, SwitchChange, ToolConfig, load, save
from pilothouse.tools.toolsets import NameEntry

WHOLE = """\
toolsets: [browser, web]
platform_toolsets:
  mcp:
    - lean
    - shopping   # ours
custom_toolsets:
  shopping: [browser, web_search, "mcp_shop_*"]
tools:
  enable: execute reset
  disable: [browser_cdp]
  platforms:
    mcp: {disable: [browser-data]}
  deny: ["*_upload"]
mcp_servers:
  files: {command: npx, args: [-y, server, 7], env: {DEBUG: 1}, exclude: ["write_*"]}
  shop:
    url: https://shop.example/mcp
    headers: {Authorization: Bearer abc}
    include: [buy]
  asleep: {command: sleep, enabled: false}
policies:
  deny: [evil.example]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def read(file: Path, text: str) -> ToolConfig:
    file.write_text(text)
    return load(file)


def names(entries: tuple[NameEntry, ...] | None) -> list[str]:
    return [entry.name for entry in entries or ()]


def test_every_section_is_read_with_its_lines(file: Path) -> None:
    found = read(file, WHOLE)
    choices = found.choices
    assert names(choices.toolsets) == ["browser", "web"]
    assert choices.platform_toolsets["mcp"][1] == NameEntry(
        "shopping", "platform_toolsets.mcp", f"{file}:5"
    )
    assert names(choices.custom["shopping"]) == ["browser", "web_search", "mcp_shop_*"]
    assert names(choices.switches.enable) == ["execute", "reset"]
    assert choices.switches.disable == (NameEntry("browser_cdp", "tools.disable", f"{file}:10"),)
    assert names(choices.platform_switches["mcp"].disable) == ["browser-data"]
    assert names(choices.deny) == ["*_upload"]
    assert choices.servers == {"files": f"{file}:15", "shop": f"{file}:16"}


def test_servers_are_read_whole(file: Path) -> None:
    servers = read(file, WHOLE).servers
    assert servers["files"] == McpServerConfig(
        "files",
        f"{file}:15",
        command="npx",
        args=("-y", "server", "7"),
        env={"DEBUG": "1"},
        exclude=("write_*",),
    )
    assert servers["shop"].headers == {"Authorization": "Bearer abc"}
    assert servers["shop"].include == ("buy",)
    assert not servers["asleep"].enabled


def test_policies_are_passed_on_with_their_lines(file: Path) -> None:
    found = read(file, WHOLE).policies
    assert found["deny"] == ["evil.example"]
    assert settings.line_of(found, "deny") == 22


def test_the_settings_leave_these_sections_alone(file: Path) -> None:
    file.write_text(WHOLE)
    assert settings.load(file, {}) == settings.load(file.with_name("none.yaml"), {})


def test_without_a_file_or_with_an_empty_one_nothing_is_chosen(file: Path) -> None:
    assert load(file).choices.toolsets is None
    for text in (
        "",
        "# nothing\n",
        "tools:\ntoolsets:\nplatform_toolsets:\n",
        "tools: {enable: }\n",
    ):
        found = read(file, text).choices
        assert (found.toolsets, found.switches.enable, found.deny) == (None, (), ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- a\n", ": expected sections with fields"),
        ("toolsets: 7\n", ":1: toolsets: expected a list of names"),
        ("toolsets: []\n", ":1: toolsets: the list is empty"),
        ("toolsets:\n  - web\n  - browser: true\n", ":3: toolsets: expected a name, not a list"),
        ("toolsets: [web, [browser]]\n", ":1: toolsets: expected a name, not a list inside"),
        ("toolsets: [web, 7]\n", ":1: toolsets: expected a name, not 7"),
        ("toolsets: [web, '']\n", ":1: toolsets: expected a name, not ''"),
        ("toolsets: [*]\n", ":1: expected alphabetic or numeric character, but found"),
        ("platform_toolsets: [web]\n", ":1: platform_toolsets: expected fields"),
        ("platform_toolsets:\n  mpc: [web]\n", ":2: platform_toolsets: unknown platform 'mpc'"),
        ("platform_toolsets:\n  mcp:\n", ":2: platform_toolsets.mcp: the list is empty"),
        ("custom_toolsets:\n  mine: []\n", ":2: custom_toolsets.mine: the list is empty"),
        ("custom_toolsets:\n  7: [web]\n", ":2: custom_toolsets: 7 is not a name"),
        ("tools:\n  enabel: [web]\n", ":2: tools: unknown field 'enabel'"),
        ("tools:\n  platforms:\n    zzz: {}\n", ":3: tools.platforms: unknown platform 'zzz'"),
        (
            "tools:\n  platforms:\n    mcp:\n      deny: [web]\n",
            ":4: tools.platforms.mcp: unknown field 'deny'",
        ),
        ("mcp_servers:\n  a b: {command: x}\n", ":2: mcp_servers.a b: invalid name"),
        ("mcp_servers:\n  a: {}\n", ":2: mcp_servers.a: expected command or url; neither is"),
        (
            "mcp_servers:\n  a: {command: x, url: y}\n",
            ":2: mcp_servers.a: expected command or url; both",
        ),
        ("mcp_servers:\n  a: {url: ftp://x}\n", ":2: mcp_servers.a.url: 'ftp://x' is not a URL"),
        ("mcp_servers:\n  a: {command: [x]}\n", ":2: mcp_servers.a.command: expected text"),
        (
            "mcp_servers:\n  a: {command: x, args: y}\n",
            ":2: mcp_servers.a.args: expected a list of texts",
        ),
        (
            "mcp_servers:\n  a: {command: x, env: {A: []}}\n",
            ":2: mcp_servers.a.env.A: expected text",
        ),
        ("mcp_servers:\n  a: {command: x, enabled: no way}\n", ":2: mcp_servers.a.enabled: 'no"),
        ("mcp_servers:\n  a: {command: x, cwd: y}\n", ":2: mcp_servers.a: unknown field 'cwd'"),
        (
            "mcp_servers:\n  a: {command: x, include: []}\n",
            ":2: mcp_servers.a.include: the list is",
        ),
    ],
)
def test_a_mistake_is_named_with_file_line_and_field(file: Path, text: str, told: str) -> None:
    with pytest.raises(PilothouseError) as caught:
        read(file, text)
    assert caught.value.message.startswith(f"{file}{told}"), caught.value.message
    assert caught.value.hint


def test_an_unquoted_star_is_explained(file: Path) -> None:
    with pytest.raises(PilothouseError) as caught:
        read(file, "toolsets: [*]\n")
    assert caught.value.hint == 'put quotes around a word that begins with "*"'


# Back into the file.

COMMENTED = """\
# head
tools:
  # about disable
  disable:
    - a   # why a
    # about b
    - b   # why b

# Section two
browser:
  headless: true # eol
"""


def written(file: Path, text: str, *switches: SwitchChange) -> str:
    file.write_text(text)
    save(switches, file)
    return file.read_text()


def test_a_switch_is_added_and_everything_else_stays(file: Path) -> None:
    after = written(file, COMMENTED, SwitchChange("c", False))
    assert after == COMMENTED.replace("# why b\n", "# why b\n    - c\n")


def test_a_switch_is_taken_out_and_what_is_written_about_others_stays(file: Path) -> None:
    assert written(file, COMMENTED, SwitchChange("b", None)) == COMMENTED.replace(
        "    - b   # why b\n", ""
    )
    assert written(file, COMMENTED, SwitchChange("a", None)) == COMMENTED.replace(
        "    - a   # why a\n", ""
    )


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# mine\n",
        "browser:\n  headless: true # eol\n",
        COMMENTED,
        "tools:\n  deny: [x]\n  platforms:\n    cli:\n      enable: [y]\n",
    ],
)
@pytest.mark.parametrize("platform", ["", "mcp"])
def test_a_switch_that_is_set_and_taken_back_leaves_no_trace(
    file: Path, before: str, platform: str
) -> None:
    once = written(
        file, before, SwitchChange("c", False, platform), SwitchChange("d", True, platform)
    )
    after = written(
        file, once, SwitchChange("c", None, platform), SwitchChange("d", None, platform)
    )
    assert after == before


def test_an_empty_list_stays_only_where_a_comment_hangs_on_it(file: Path) -> None:
    plain = "tools:\n  disable: [a]\n  enable: [b]\n\n# two\nbrowser:\n  args: []\n"
    after = written(file, plain, SwitchChange("a", None))
    assert after == plain.replace("  disable: [a]\n", "")
    about = "tools:\n  enable: [b]\n  # why a is off\n  disable: [a]\n"
    after = written(file, about, SwitchChange("a", None))
    assert after == about.replace("[a]", "[]")


def test_a_switch_that_is_turned_round_changes_its_list(file: Path) -> None:
    after = written(file, COMMENTED, SwitchChange("b", True))
    assert "\n  enable:\n    - b\n\n# Section two\n" in after
    assert names(load(file).choices.switches.disable) == ["a"]
    assert names(load(file).choices.switches.enable) == ["b"]


def test_a_switch_of_a_platform_has_its_own_place(file: Path) -> None:
    after = written(
        file, COMMENTED, SwitchChange("web", False, "mcp"), SwitchChange("x", True, "mcp")
    )
    assert "\n# Section two\nbrowser:\n" in after
    level = load(file).choices.platform_switches["mcp"]
    assert (names(level.enable), names(level.disable)) == (["x"], ["web"])


def test_lists_keep_the_way_they_are_written(file: Path) -> None:
    flow = "tools:\n  disable: [a, b]  # both\n\n# two\nbrowser:\n  args: []\n"
    assert "disable: [a, b, c] # both\n\n# two" in written(file, flow, SwitchChange("c", False))
    flat = "tools:\n  disable:\n  - a\nmcp_servers:\n  s:\n    command: x\n    args:\n    - y\n"
    assert written(file, flat, SwitchChange("b", False)) == flat.replace(
        "  - a\n", "  - a\n  - b\n"
    )
    assert names(_switched(file, "tools:\n  disable: a, b\n", "c")) == ["a", "b", "c"]


def _switched(file: Path, text: str, name: str) -> tuple[NameEntry, ...]:
    written(file, text, SwitchChange(name, False))
    return load(file).choices.switches.disable


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.yaml"
    assert save([SwitchChange("execute", True)], path) == path
    assert path.read_text() == "tools:\n  enable:\n    - execute\n"


def test_saving_what_was_saved_changes_nothing(file: Path) -> None:
    once = written(file, COMMENTED, SwitchChange("c", False))
    assert written(file, once, SwitchChange("c", False)) == once


def test_a_file_that_is_wrong_is_not_written_to(file: Path) -> None:
    text = "tools:\n  enabel: [a]\n"
    file.write_text(text)
    with pytest.raises(PilothouseError, match="enabel"):
        save([SwitchChange("c", False)], file)
    assert file.read_text() == text
