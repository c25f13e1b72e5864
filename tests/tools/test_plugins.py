"""Plugins: what other people's Python brings, and that it can spoil nothing but itself."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.daemon.daemon import Daemon
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings
from pilothouse.tools import catalog
from pilothouse.tools.context import ToolContext, ToolSession
from pilothouse.tools.gate import Gate
from pilothouse.tools.plugins import LoadedPlugins, load_plugins
from pilothouse.tools.selection import Choices, resolve, toolsets_for
from pilothouse.tools.tool import TOOLS, ToolFlags
from tests.tools.fake_tool_context import Daemon as TableDaemon

assert catalog.DECLARED

GOOD = """
async def weather(context, city: str, days: int = 1) -> dict:
    '''The weather in a city.

    city: its name
    '''
    return {"text": f"{context.session.owner}: rain in {city} for {days}"}

def register(ctx):
    ctx.register_tool(weather, reads=True, tab=False)
"""

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Iterator[Put]:
    """Writes a plugin, or another file below the folder of the configuration."""
    before = set(sys.modules)

    def write(name: str, text: str, mode: int = 0o600) -> Path:
        path = tmp_path / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        path.chmod(mode)
        return path

    (tmp_path / "plugins").mkdir(mode=0o700)
    yield write
    for name in set(sys.modules) - before:
        if name.startswith("pilothouse_plugin_"):
            del sys.modules[name]


def _brought(tmp_path: Path) -> LoadedPlugins:
    return load_plugins(TOOLS, tmp_path / "config.yaml")


async def _use(brought: LoadedPlugins, name: str, **given: Any) -> dict[str, Any]:
    async def nothing(method: str, params: dict[str, Any]) -> Any:
        raise AssertionError(method)

    gate = Gate({**TOOLS, **brought.tools}, TableDaemon(), lambda owner: nothing)
    return await gate.use(ToolSession("ann"), name, given)


async def test_file_in_the_folder_brings_a_tool_declared_as_ours_are(
    tmp_path: Path, put: Put
) -> None:
    put("plugins/weather.py", GOOD)
    brought = _brought(tmp_path)
    assert brought.troubles() == []
    tool = brought.tools["weather"]
    assert (tool.about, tool.toolset, tool.source) == (
        "The weather in a city.",
        "weather",
        "weather",
    )
    assert tool.flags == ToolFlags(reads=True, tab=False)
    assert tool.schema["properties"]["city"] == {"type": "string", "description": "its name"}
    assert tool.schema["required"] == ["city"]
    answer = await _use(brought, "weather", city="Ystad")
    assert answer == {"success": True, "text": "ann: rain in Ystad for 1"}
    wrong = await _use(brought, "weather", town="Ystad")
    assert wrong["error"] == "weather: unknown parameter 'town'"


def test_package_in_the_folder_may_have_parts(tmp_path: Path, put: Put) -> None:
    put("plugins/sky/__init__.py", "from .parts import register\n")
    put("plugins/sky/parts.py", GOOD)
    brought = _brought(tmp_path)
    assert brought.troubles() == []
    assert brought.tools["weather"].toolset == "sky"


def test_installed_package_brings_tools_by_an_entry_point(
    tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("site/weather_for_pilots.py", GOOD)
    put("site/weather_for_pilots-1.dist-info/METADATA", "Name: weather-for-pilots\nVersion: 1\n")
    put(
        "site/weather_for_pilots-1.dist-info/entry_points.txt",
        "[pilothouse.plugins]\nskies = weather_for_pilots:register\nlost = not_there:register\n",
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    brought = _brought(tmp_path)
    assert brought.tools["weather"].source == "skies"
    assert brought.troubles() == [
        "plugin lost: not loaded: ModuleNotFoundError: No module named 'not_there'"
    ]
    put("config.yaml", "plugins: {disable: [skies, lost]}")
    assert _brought(tmp_path) == LoadedPlugins()


def test_toolsets_of_plugins_are_chosen_as_others(tmp_path: Path, put: Put) -> None:
    put(
        "plugins/sky.py",
        GOOD + "    ctx.register_toolset('trip', 'before a trip', ['weather'], ['web'])\n",
    )
    brought = _brought(tmp_path)
    tools = {**TOOLS, **brought.tools}
    toolsets = {**toolsets_for(tools, Choices()), **brought.toolsets}
    assert (toolsets["trip"].kind, toolsets["trip"].about) == ("plugin", "before a trip")
    chosen = resolve(tools, toolsets, Choices(), platform="cli", flags=["trip"])
    assert set(chosen.listed) == {"weather", "web_search", "web_extract"}
    assert "weather" in resolve(tools, toolsets, Choices(), platform="mcp").listed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def register(ctx):\n    1 / 0\n", "ZeroDivisionError: division by zero (line 2)"),
        ("raise SystemExit('bye')\n", "SystemExit: bye (line 1)"),
        ("def register(ctx:\n", "SyntaxError"),
        ("x = 1\n", "it has no function register(ctx)"),
        (
            "def tool(context): pass\ndef register(ctx): ctx.register_tool(tool)\n",
            "tool: expected an async function",
        ),
        (
            "async def tool(context, a): pass\ndef register(ctx): ctx.register_tool(tool)\n",
            "tool: a has no type",
        ),
        (
            "async def tool(): pass\ndef register(ctx): ctx.register_tool(tool)\n",
            "tool: the function has no parameters",
        ),
        (
            "async def tool(context): pass\ndef register(ctx): ctx.register_tool(tool, red=True)\n",
            "register_tool: unknown flag 'red'",
        ),
        (
            "async def mcp_a_b(context): pass\ndef register(ctx): ctx.register_tool(mcp_a_b)\n",
            "invalid tool name 'mcp_a_b'",
        ),
        ("def register(ctx): ctx.register_toolset('all', '')\n", "invalid toolset name 'all'"),
    ],
)
def test_plugin_that_fails_is_told_of_and_hides_nobody(
    tmp_path: Path, put: Put, text: str, reason: str
) -> None:
    put("plugins/bad.py", text)
    put("plugins/weather.py", GOOD)
    brought = _brought(tmp_path)
    assert set(brought.tools) == {"weather"}
    (told,) = brought.troubles()
    assert told.startswith(f"plugin bad: not loaded: {reason}")
    assert brought.toolsets["bad"].about.startswith(f"not loaded: {reason}")


def test_plugin_that_fails_half_way_brings_nothing(tmp_path: Path, put: Put) -> None:
    put("plugins/half.py", GOOD + "    raise ValueError('no')\n")
    brought = _brought(tmp_path)
    assert brought.tools == {}
    assert brought.troubles() == ["plugin half: not loaded: ValueError: no (line 11)"]


OURS = """
async def web_search(context, query: str) -> dict:
    return {"text": "mine"}

async def more(context) -> dict:
    return {"text": "more"}

def register(ctx):
    ctx.register_tool(web_search, tab=False)
    ctx.register_tool(more, tab=False)
    ctx.register_toolset("browser", "mine")
"""


async def test_our_tools_are_only_replaced_where_config_allows_it(tmp_path: Path, put: Put) -> None:
    put("plugins/engine.py", OURS)
    brought = _brought(tmp_path)
    assert set(brought.tools) == {"more"}
    assert brought.toolsets == {}
    assert brought.troubles() == [
        "plugin engine: the tool web_search is built in; "
        "plugins.allow_override: [web_search] lets you replace it",
        "plugin engine: the toolset browser is built in; "
        "plugins.allow_override: [browser] lets you replace it",
    ]
    put("config.yaml", "plugins:\n  allow_override: [web_search]\n")
    brought = _brought(tmp_path)
    assert (await _use(brought, "web_search", query="x"))["text"] == "mine"
    assert len(brought.troubles()) == 1


def test_of_two_plugins_with_one_name_for_a_tool_the_first_has_it(tmp_path: Path, put: Put) -> None:
    put("plugins/a.py", GOOD)
    put("plugins/b.py", GOOD)
    put("config.yaml", "plugins: {allow_override: [weather]}")
    brought = _brought(tmp_path)
    assert brought.tools["weather"].source == "a"
    assert brought.troubles() == ["plugin b: the tool weather already exists, from a"]


def test_toolset_that_means_nothing_is_left_out(tmp_path: Path, put: Put) -> None:
    put(
        "plugins/odd.py",
        """
        def register(ctx):
            ctx.register_toolset("typo", "", includes=["brwser"])
            ctx.register_toolset("upon-typo", "", includes=["typo"])
            ctx.register_toolset("circle", "", includes=["circle"])
            ctx.register_toolset("fine", "", includes=["web"])
        """,
    )
    brought = _brought(tmp_path)
    assert set(brought.toolsets) == {"fine"}
    told = "\n".join(brought.troubles())
    assert "unknown tool or toolset 'brwser' (did you mean browser?)" in told
    assert "upon-typo" in told
    assert "circle includes itself" in told
    tools = {**TOOLS, **brought.tools}
    assert resolve(
        tools, {**toolsets_for(tools, Choices()), **brought.toolsets}, Choices(), platform="mcp"
    ).listed


@pytest.mark.parametrize("which", ["plugins/weather.py", "plugins"])
def test_what_others_may_write_is_not_loaded(tmp_path: Path, put: Put, which: str) -> None:
    path = put("plugins/weather.py", f"open({str(tmp_path / 'ran')!r}, 'w').close()\n{GOOD}")
    (tmp_path / which).chmod(0o770 if which == "plugins" else 0o620)
    brought = _brought(tmp_path)
    assert brought.tools == {}
    (told,) = brought.troubles()
    assert told == (
        f"plugin weather: not loaded: other users can write {tmp_path / which} "
        f"(chmod go-w {tmp_path / which})"
    )
    assert not (tmp_path / "ran").exists()
    path.chmod(0o600)
    (tmp_path / "plugins").chmod(0o700)
    assert set(_brought(tmp_path).tools) == {"weather"}


def test_part_of_a_package_that_others_may_write_is_enough(tmp_path: Path, put: Put) -> None:
    put("plugins/sky/__init__.py", "from .parts import register\n")
    put("plugins/sky/parts.py", GOOD, 0o666)
    assert _brought(tmp_path).tools == {}


def test_link_is_no_safer_than_where_it_leads(tmp_path: Path, put: Put) -> None:
    put("shared/weather.py", GOOD)
    (tmp_path / "plugins/weather.py").symlink_to(tmp_path / "shared/weather.py")
    assert set(_brought(tmp_path).tools) == {"weather"}
    (tmp_path / "shared").chmod(0o777)
    assert _brought(tmp_path).tools == {}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_others_is_not_loaded(tmp_path: Path, put: Put) -> None:
    os.chown(put("plugins/weather.py", GOOD), 12345, 12345)
    (told,) = _brought(tmp_path).troubles()
    assert told.endswith("weather.py belongs to another user")


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("plugins: [weather]", "config.yaml:1: plugins: expected fields"),
        ("plugins:\n  allow: [x]", "config.yaml:2: plugins: unknown field 'allow'"),
        ("plugins: {disable: weather}", "plugins.disable: expected a list of names"),
    ],
)
def test_wrong_section_is_told_of_and_allows_nothing(
    tmp_path: Path, put: Put, text: str, trouble: str
) -> None:
    put("config.yaml", text)
    put("plugins/weather.py", GOOD)
    brought = _brought(tmp_path)
    assert set(brought.tools) == {"weather"}
    assert trouble in brought.troubles()[0]


def test_files_that_are_no_plugins_are_left_alone(tmp_path: Path, put: Put) -> None:
    for name in ("_private.py", ".hidden.py", "notes.txt", "folder/notes.txt"):
        put(f"plugins/{name}", "1 / 0")
    assert _brought(tmp_path) == LoadedPlugins()
    assert load_plugins(TOOLS, tmp_path / "nowhere" / "config.yaml") == LoadedPlugins()


def test_tool_context_can_be_named_as_a_type(tmp_path: Path, put: Put) -> None:
    put(
        "plugins/typed.py",
        """
        from __future__ import annotations
        from pilothouse.tools.context import ToolContext

        async def typed(context: ToolContext, on: bool = False) -> dict:
            return await context.verb("title")

        def register(ctx):
            ctx.register_tool(typed)
        """,
    )
    tool = _brought(tmp_path).tools["typed"]
    assert set(tool.schema["properties"]) == {"on", "tab"}
    assert ToolContext.__name__ == "ToolContext"


async def test_daemon_has_the_tools_and_tells_of_what_failed(
    tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("plugins/weather.py", GOOD)
    put("plugins/bad.py", "1 / 0\n")
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(tmp_path / "config.yaml"))
    tool_service = Daemon(RuntimePaths(tmp_path / "rt"), Settings()).tool_service
    asked = {"name": "weather", "arguments": {"city": "Ystad"}}
    answer = await tool_service.call_tool("ann", asked)
    assert answer["text"] == "ann: rain in Ystad for 1"
    told = "not loaded: ZeroDivisionError: division by zero (line 1)"
    assert answer["notices"] == [f"plugin bad: {told}"]
    assert "notices" not in await tool_service.call_tool("ann", asked)
    plugins = {one["name"]: one for one in (await tool_service.catalogue("ann", {}))["plugins"]}
    assert plugins["weather"]["tools"] == ("weather",)
    assert plugins["bad"]["troubles"] == (told,)
    listed = {one["name"] for one in await tool_service.list_tools("ann", {"platform": "mcp"})}
    assert {"weather", "browser_click"} <= listed
