"""Load plugins: Python files and packages that add tools and toolsets.

    # ~/.config/pilothouse/plugins/weather.py
    async def weather(context, city: str) -> dict:
        '''Return the weather in a city.

        city: name of the city
        '''
        return {"text": f"It rains in {city}."}

    def register(ctx):
        ctx.register_tool(weather, tab=False)

A plugin is a file or a package in the folder `plugins` next to config.yaml, or an entry point of
the group `pilothouse.plugins`. Knows: where plugins are, whether a file can be trusted, and what a
plugin registers. Must not know: who uses its tools. A plugin that fails adds nothing, is reported,
and does not affect other plugins. The daemon loads only files that no other user can write.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import logging
import os
import re
import stat
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.settings import config_path
from pilothouse.tools.tool import Fields, Tool, ToolFlags, tool_from_function
from pilothouse.tools.toolsets import BUILT_IN, NameEntry, NameResolver, Toolset, collect_toolsets
from pilothouse.yaml_file import line_of, parse_file

__all__ = ["LoadedPlugins", "Plugin", "PluginContext", "load_plugins"]

_log = logging.getLogger(__name__)

GROUP = "pilothouse.plugins"
FOLDER = "plugins"
_SECTION = ("allow_override", "disable")
_FLAGS = ToolFlags.__struct_fields__
_TOOL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_TOOLSET = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
# Reserved for the tools and toolsets of MCP servers.
_RESERVED_PREFIXES = ("mcp_", "mcp-")

Function = Callable[..., Awaitable[Fields]]


class Plugin(msgspec.Struct, frozen=True):
    """One plugin: the tools and toolsets it added, and the problems while loading it."""

    name: str
    place: str
    tools: tuple[str, ...] = ()
    toolsets: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()


class LoadedPlugins(msgspec.Struct):
    """The tools and toolsets of all plugins."""

    tools: dict[str, Tool] = msgspec.field(default_factory=dict)
    toolsets: dict[str, Toolset] = msgspec.field(default_factory=dict)
    plugins: list[Plugin] = msgspec.field(default_factory=list)

    def troubles(self) -> list[str]:
        """Return the problems of all plugins, one line each."""
        return [f"plugin {one.name}: {problem}" for one in self.plugins for problem in one.troubles]


class _PluginSettings(msgspec.Struct, frozen=True):
    override: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()


class PluginContext:
    """What a plugin's `register(ctx)` function gets. `name` is the plugin's name."""

    def __init__(
        self, name: str, known: Mapping[str, Tool], brought: LoadedPlugins, override: frozenset[str]
    ) -> None:
        self.name = name
        self._known = known
        self._brought = brought
        self._override = override
        self.tools: dict[str, Tool] = {}
        self.toolsets: dict[str, Toolset] = {}
        self.troubles: list[str] = []

    def register_tool(self, function: Function, *, toolset: str = "", **flags: bool) -> None:
        """Add a tool: an async function with typed parameters and a docstring. Its home is
        `toolset`, by default a toolset with the plugin's name. A name that is taken is refused
        and reported; the plugin's other tools stay. Raises PilothouseError if the function cannot
        be a tool."""
        home = toolset or self.name
        self._check_name(home, _TOOLSET, "toolset")
        made = tool_from_function(_check_signature(function), home, _read_flags(flags), self.name)
        made.describe()  # builds the schema, so that a bad declaration fails now
        self._check_name(made.name, _TOOL, "tool")
        if self._is_name_free("tool", made.name, self._known, self._brought.tools, self.tools):
            self.tools[made.name] = made

    def register_toolset(
        self, name: str, about: str, tools: Sequence[str] = (), includes: Sequence[str] = ()
    ) -> None:
        """Add a toolset: names of tools, and names of other toolsets, tools or patterns."""
        self._check_name(name, _TOOLSET, "toolset")
        if self._is_name_free("toolset", name, BUILT_IN, self._brought.toolsets, self.toolsets):
            self.toolsets[name] = Toolset(
                name, "plugin", str(about), tuple(tools), tuple(includes), place=self.name
            )

    def _check_name(self, name: str, wanted: re.Pattern[str], kind: str) -> None:
        if not wanted.fullmatch(name) or name.startswith(_RESERVED_PREFIXES) or name == "all":
            raise PilothouseError(
                f"invalid {kind} name {name!r}", hint="use letters, digits, _ and -; not mcp_ first"
            )

    def _is_name_free(self, kind: str, name: str, *taken: Mapping[str, Any]) -> bool:
        ours, others, own = taken
        if name in others or name in own:
            whose = getattr(others.get(name), "source", "") or self.name
            self.troubles.append(f"the {kind} {name} already exists, from {whose}")
            return False
        if name in ours and name not in self._override:
            self.troubles.append(
                f"the {kind} {name} is built in; plugins.allow_override: [{name}] lets you "
                "replace it"
            )
            return False
        return True


def _check_signature(function: Function) -> Function:
    name = getattr(function, "__name__", repr(function))
    if not inspect.iscoroutinefunction(function):
        raise PilothouseError(f"{name}: expected an async function", hint="write async def")
    given = list(inspect.signature(function).parameters.values())
    if not given:
        raise PilothouseError(
            f"{name}: the function has no parameters",
            hint=f"write async def {name}(context, …): the first parameter gets the context",
        )
    for one in given[1:]:
        if one.annotation is inspect.Parameter.empty:
            raise PilothouseError(f"{name}: {one.name} has no type", hint=f"{one.name}: str")
    return function


def _read_flags(given: Mapping[str, bool]) -> ToolFlags:
    for name in given:
        if name not in _FLAGS:
            raise PilothouseError(
                f"register_tool: unknown flag {name!r}", hint=f"use one of {', '.join(_FLAGS)}"
            )
    return ToolFlags(**given)


def load_plugins(known: Mapping[str, Tool], config: Path | None = None) -> LoadedPlugins:
    """Load all plugins. `known` are the tools that exist already. A failing plugin does not raise:
    it is reported in the result."""
    config = config or config_path()
    brought = LoadedPlugins()
    found = [*_find_in_folder(config.parent / FOLDER, brought), *_find_entry_points()]
    if not found:
        _log_problems(brought)
        return brought
    try:
        allowed = _read_plugin_settings(config)
    except PilothouseError as error:
        allowed = _PluginSettings()
        brought.plugins.append(Plugin("plugins", str(config), troubles=(error.format_line(),)))
    for name, place, find in found:
        if name not in allowed.disabled:
            _load_one(name, place, find, known, brought, allowed.override)
    _drop_broken_toolsets(known, brought)
    _log_problems(brought)
    return brought


def _log_problems(brought: LoadedPlugins) -> None:
    for problem in brought.troubles():
        _log.warning("%s", problem)


def _load_one(
    name: str,
    place: str,
    find: Callable[[], Any],
    known: Mapping[str, Tool],
    brought: LoadedPlugins,
    override: frozenset[str],
) -> None:
    ctx = PluginContext(name, known, brought, override)
    if any(one.name == name for one in brought.plugins):
        problem = "another plugin has this name already"
        brought.plugins.append(Plugin(name, place, troubles=(problem,)))
        return
    try:
        register = find()
        register = getattr(register, "register", register)
        if not callable(register):
            raise PilothouseError("it has no function register(ctx)", hint="see docs/plugins.md")
        register(ctx)
    except (Exception, SystemExit) as error:  # noqa: BLE001
        # Plugin code can raise anything; that must affect only this plugin.
        reason = (
            error.format_line()
            if isinstance(error, PilothouseError)
            else _describe_error(error, place)
        )
        _log.warning("plugin %s failed", name, exc_info=error)
        brought.plugins.append(Plugin(name, place, troubles=(f"not loaded: {reason}",)))
        # Keep its name as an empty toolset, so that config.yaml may still name it and the
        # description says why it is empty.
        if (
            name not in BUILT_IN
            and _TOOLSET.fullmatch(name)
            and not name.startswith(_RESERVED_PREFIXES)
        ):
            empty = Toolset(name, "plugin", f"not loaded: {reason}", place=place)
            brought.toolsets.setdefault(name, empty)
        return
    brought.tools |= ctx.tools
    brought.toolsets |= ctx.toolsets
    brought.plugins.append(
        Plugin(name, place, tuple(ctx.tools), tuple(ctx.toolsets), tuple(ctx.troubles))
    )


def _drop_broken_toolsets(known: Mapping[str, Tool], brought: LoadedPlugins) -> None:
    """Remove toolsets that name unknown tools: they would break every selection that includes all
    plugins."""
    tools = {**known, **brought.tools}
    troubles: dict[str, list[str]] = {}
    left = True
    while left:
        left = False
        names = NameResolver(tools, {**collect_toolsets(tools), **brought.toolsets})
        for toolset in list(brought.toolsets.values()):
            try:
                names.select_tools(NameEntry(toolset.name), own=False)
            except PilothouseError as error:
                del brought.toolsets[toolset.name]
                troubles.setdefault(toolset.place, []).append(
                    f"{toolset.name}: {error.format_line()}"
                )
                left = True
    for index, plugin in enumerate(brought.plugins):
        problem = troubles.get(plugin.name, [])
        toolsets = tuple(name for name in plugin.toolsets if name in brought.toolsets)
        brought.plugins[index] = replace(
            plugin, toolsets=toolsets, troubles=(*plugin.troubles, *problem)
        )


def _describe_error(error: BaseException, place: str) -> str:
    """Return the error with the line of the plugin that raised it."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(place):
            line = trace.tb_lineno
        trace = trace.tb_next
    at = f" (line {line})" if line else ""
    return f"{type(error).__name__}: {error}{at}"


# Finding plugins.


def _find_in_folder(
    folder: Path, brought: LoadedPlugins
) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield the plugins of the folder, by name. Those that another user could have written are
    reported instead."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        start = path / "__init__.py" if path.is_dir() else path
        if path.name.startswith(("_", ".")) or start.suffix != ".py" or not start.is_file():
            continue
        name = path.stem
        if trouble := next(filter(None, map(_untrusted_reason, (folder, *_files(path)))), ""):
            brought.plugins.append(Plugin(name, str(path), troubles=(trouble,)))
            continue
        yield name, str(path), partial(_import_module, name, start)


def _files(path: Path) -> Iterator[Path]:
    yield path
    # A symlink is only as safe as the folder it points into.
    yield path.resolve().parent
    if path.is_dir():
        yield from (one for one in path.rglob("*") if one.is_dir() or one.suffix in (".py", ".so"))


def _untrusted_reason(path: Path) -> str:
    """Return why a file or folder is not trusted, because another user could have written it; ""
    if it is."""
    found = path.stat()
    if found.st_uid not in (os.getuid(), 0):
        return f"not loaded: {path} belongs to another user"
    if stat.S_IMODE(found.st_mode) & 0o022:
        return f"not loaded: other users can write {path} (chmod go-w {path})"
    return ""


def _import_module(name: str, start: Path) -> Any:
    module_name = f"pilothouse_plugin_{re.sub(r'[^A-Za-z0-9_]', '_', name)}"
    inside = [str(start.parent)] if start.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(
        module_name, start, submodule_search_locations=inside
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def _find_entry_points() -> Iterator[tuple[str, str, Callable[[], Any]]]:
    # importlib.metadata takes longer than the rest of the daemon's start, and most users have no
    # such plugin. So scan for the group's name first.
    if not any(map(_declares_entry_points, sys.path)):
        return
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        yield point.name, point.value, point.load


def _declares_entry_points(place: str) -> bool:
    folder = Path(place or ".")
    try:
        found = [one for one in os.listdir(folder) if one.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False  # a zip archive or a missing folder: no plugin is installed there
    for one in found:
        try:
            if GROUP.encode() in (folder / one / "entry_points.txt").read_bytes():
                return True
        except OSError:
            continue  # a package without entry points
    return False


# The section `plugins:` of config.yaml.


def _read_plugin_settings(config: Path) -> _PluginSettings:
    document = parse_file(config) if config.exists() else None
    section = document.get("plugins") if isinstance(document, dict) else None
    if section is None:
        return _PluginSettings()
    where = f"{config}:{line_of(document, 'plugins')}"
    if not isinstance(section, dict):
        raise PilothouseError(
            f"{where}: plugins: expected fields, name: value",
            hint="indent them below it, such as disable: [weather]",
        )
    found: dict[str, frozenset[str]] = {}
    for key, value in section.items():
        where = f"{config}:{line_of(section, key)}"
        if key not in _SECTION:
            raise PilothouseError(
                f"{where}: plugins: unknown field {key!r}", hint=f"known: {', '.join(_SECTION)}"
            )
        if value is not None and not (
            isinstance(value, list) and all(isinstance(one, str) for one in value)
        ):
            raise PilothouseError(
                f"{where}: plugins.{key}: expected a list of names", hint=f"{key}: [web_search]"
            )
        found[key] = frozenset(value or ())
    return _PluginSettings(
        found.get("allow_override", frozenset()), found.get("disable", frozenset())
    )
