"""Plugins: tools and toolsets that other people's Python brings.

    # ~/.config/pilothouse/plugins/weather.py
    async def weather(context, city: str) -> dict:
        '''The weather in a city.

        city: its name
        '''
        return {"text": f"It rains in {city}."}

    def register(ctx):
        ctx.register_tool(weather, tab=False)

A plugin is a file or a package in the folder `plugins` beside config.yaml, or an entry point of the
group `pilothouse.plugins`. Knows: where plugins lie, who may have written them, and what they
bring. Must not know: who uses it. A plugin that fails brings nothing, is told of, and hides nobody
else's; what runs in the daemon is only what nobody but its user can write.
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
from pilothouse.tools.tool import Fields, Flags, Tool, made_of
from pilothouse.tools.toolsets import BUILT_IN, Entry, Names, Toolset, gathered
from pilothouse.yaml_file import line_of, parse_file

__all__ = ["Brought", "Context", "Plugin", "bring"]

_log = logging.getLogger(__name__)

GROUP = "pilothouse.plugins"
FOLDER = "plugins"
_SECTION = ("allow_override", "disable")
_FLAGS = Flags.__struct_fields__
_TOOL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_TOOLSET = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
# These are given to what other MCP servers bring.
_TAKEN = ("mcp_", "mcp-")

Function = Callable[..., Awaitable[Fields]]


class Plugin(msgspec.Struct, frozen=True):
    """One plugin: what it brought, or what was wrong with it."""

    name: str
    place: str
    tools: tuple[str, ...] = ()
    toolsets: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()


class Brought(msgspec.Struct):
    """What all plugins brought."""

    tools: dict[str, Tool] = msgspec.field(default_factory=dict)
    toolsets: dict[str, Toolset] = msgspec.field(default_factory=dict)
    plugins: list[Plugin] = msgspec.field(default_factory=list)

    def troubles(self) -> list[str]:
        """What is to be told, one line each."""
        return [f"plugin {one.name}: {told}" for one in self.plugins for told in one.troubles]


class _Allowed(msgspec.Struct, frozen=True):
    override: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()


class Context:
    """What a plugin's `register` is given. `name` is the plugin's."""

    def __init__(
        self, name: str, known: Mapping[str, Tool], brought: Brought, override: frozenset[str]
    ) -> None:
        self.name = name
        self._known = known
        self._brought = brought
        self._override = override
        self.tools: dict[str, Tool] = {}
        self.toolsets: dict[str, Toolset] = {}
        self.troubles: list[str] = []

    def register_tool(self, function: Function, *, toolset: str = "", **flags: bool) -> None:
        """Bring a tool: an async function, declared as ours are with @tool. Its home is `toolset`,
        else one with the plugin's name. A name that is taken is refused and told; the rest of the
        plugin stays. Raises PilothouseError for what is no declaration."""
        home = toolset or self.name
        self._check(home, _TOOLSET, "toolset")
        made = made_of(_declarable(function), home, _flags(flags), self.name)
        made.described()  # a declaration that cannot be read is refused now
        self._check(made.name, _TOOL, "tool")
        if self._free("tool", made.name, self._known, self._brought.tools, self.tools):
            self.tools[made.name] = made

    def register_toolset(
        self, name: str, about: str, tools: Sequence[str] = (), includes: Sequence[str] = ()
    ) -> None:
        """Bring a toolset: names of tools, and of whatever else it includes."""
        self._check(name, _TOOLSET, "toolset")
        if self._free("toolset", name, BUILT_IN, self._brought.toolsets, self.toolsets):
            self.toolsets[name] = Toolset(
                name, "plugin", str(about), tuple(tools), tuple(includes), place=self.name
            )

    def _check(self, name: str, wanted: re.Pattern[str], kind: str) -> None:
        if not wanted.fullmatch(name) or name.startswith(_TAKEN) or name == "all":
            raise PilothouseError(
                f"{name!r} is no name for a {kind}", hint="letters, digits, _ and -; not mcp_ first"
            )

    def _free(self, kind: str, name: str, *taken: Mapping[str, Any]) -> bool:
        ours, others, own = taken
        if name in others or name in own:
            whose = getattr(others.get(name), "source", "") or self.name
            self.troubles.append(f"the {kind} {name} is there already, from {whose}")
            return False
        if name in ours and name not in self._override:
            self.troubles.append(
                f"the {kind} {name} is one of ours; plugins.allow_override: [{name}] lets it go"
            )
            return False
        return True


def _declarable(function: Function) -> Function:
    name = getattr(function, "__name__", repr(function))
    if not inspect.iscoroutinefunction(function):
        raise PilothouseError(f"{name}: an async function is wanted", hint="async def")
    given = list(inspect.signature(function).parameters.values())
    if not given:
        raise PilothouseError(
            f"{name}: it takes no context", hint="the first parameter is the context"
        )
    for one in given[1:]:
        if one.annotation is inspect.Parameter.empty:
            raise PilothouseError(f"{name}: {one.name} has no type", hint=f"{one.name}: str")
    return function


def _flags(given: Mapping[str, bool]) -> Flags:
    for name in given:
        if name not in _FLAGS:
            raise PilothouseError(f"there is no flag {name!r}", hint=f"known: {', '.join(_FLAGS)}")
    return Flags(**given)


def bring(known: Mapping[str, Tool], config: Path | None = None) -> Brought:
    """Everything that plugins bring, beside the tools that are known. Never raises for a plugin's
    sake."""
    config = config or config_path()
    brought = Brought()
    found = [*_in_folder(config.parent / FOLDER, brought), *_entry_points()]
    if not found:
        _tell(brought)
        return brought
    try:
        allowed = _allowed(config)
    except PilothouseError as error:
        allowed = _Allowed()
        brought.plugins.append(Plugin("plugins", str(config), troubles=(error.line(),)))
    for name, place, find in found:
        if name not in allowed.disabled:
            _bring_one(name, place, find, known, brought, allowed.override)
    _without_nonsense(known, brought)
    _tell(brought)
    return brought


def _tell(brought: Brought) -> None:
    for told in brought.troubles():
        _log.warning("%s", told)


def _bring_one(
    name: str,
    place: str,
    find: Callable[[], Any],
    known: Mapping[str, Tool],
    brought: Brought,
    override: frozenset[str],
) -> None:
    ctx = Context(name, known, brought, override)
    if any(one.name == name for one in brought.plugins):
        told = "another plugin of this name is there already"
        brought.plugins.append(Plugin(name, place, troubles=(told,)))
        return
    try:
        register = find()
        register = getattr(register, "register", register)
        if not callable(register):
            raise PilothouseError("it has no register(ctx)", hint="see docs/plugins.md")
        register(ctx)
    except (Exception, SystemExit) as error:  # noqa: BLE001
        # Other people's code: whatever it does, it is this plugin's own affair.
        reason = error.line() if isinstance(error, PilothouseError) else _told(error, place)
        _log.warning("plugin %s failed", name, exc_info=error)
        brought.plugins.append(Plugin(name, place, troubles=(f"it was not loaded: {reason}",)))
        # Its name means something nevertheless: who asks for it learns why it is empty.
        if name not in BUILT_IN and _TOOLSET.fullmatch(name) and not name.startswith(_TAKEN):
            empty = Toolset(name, "plugin", f"not loaded: {reason}", place=place)
            brought.toolsets.setdefault(name, empty)
        return
    brought.tools |= ctx.tools
    brought.toolsets |= ctx.toolsets
    brought.plugins.append(
        Plugin(name, place, tuple(ctx.tools), tuple(ctx.toolsets), tuple(ctx.troubles))
    )


def _without_nonsense(known: Mapping[str, Tool], brought: Brought) -> None:
    """Take out toolsets that mean nothing: whoever asks for all plugins would stumble."""
    tools = {**known, **brought.tools}
    troubles: dict[str, list[str]] = {}
    left = True
    while left:
        left = False
        names = Names(tools, {**gathered(tools), **brought.toolsets})
        for toolset in list(brought.toolsets.values()):
            try:
                names.picked(Entry(toolset.name), own=False)
            except PilothouseError as error:
                del brought.toolsets[toolset.name]
                troubles.setdefault(toolset.place, []).append(f"{toolset.name}: {error.line()}")
                left = True
    for index, plugin in enumerate(brought.plugins):
        told = troubles.get(plugin.name, [])
        toolsets = tuple(name for name in plugin.toolsets if name in brought.toolsets)
        brought.plugins[index] = replace(
            plugin, toolsets=toolsets, troubles=(*plugin.troubles, *told)
        )


def _told(error: BaseException, place: str) -> str:
    """What went wrong, and in which line of the plugin."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(place):
            line = trace.tb_lineno
        trace = trace.tb_next
    at = f" (line {line})" if line else ""
    return f"{type(error).__name__}: {error}{at}"


# Where they lie.


def _in_folder(folder: Path, brought: Brought) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """The plugins of the folder, by name; those that others may have written are told of."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        start = path / "__init__.py" if path.is_dir() else path
        if path.name.startswith(("_", ".")) or start.suffix != ".py" or not start.is_file():
            continue
        name = path.stem
        if trouble := next(filter(None, map(_of_others, (folder, *_files(path)))), ""):
            brought.plugins.append(Plugin(name, str(path), troubles=(trouble,)))
            continue
        yield name, str(path), partial(_imported, name, start)


def _files(path: Path) -> Iterator[Path]:
    yield path
    # A link is no safer than where it leads.
    yield path.resolve().parent
    if path.is_dir():
        yield from (one for one in path.rglob("*") if one.is_dir() or one.suffix in (".py", ".so"))


def _of_others(path: Path) -> str:
    """Why a file or folder is not trusted: somebody else could have written it."""
    found = path.stat()
    if found.st_uid not in (os.getuid(), 0):
        return f"it is not loaded: {path} belongs to somebody else"
    if stat.S_IMODE(found.st_mode) & 0o022:
        return f"it is not loaded: others may write {path} (chmod go-w {path})"
    return ""


def _imported(name: str, start: Path) -> Any:
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


def _entry_points() -> Iterator[tuple[str, str, Callable[[], Any]]]:
    # To ask for them properly takes longer than the rest of a start; most have none.
    if not any(map(_names_group, sys.path)):
        return
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        yield point.name, point.value, point.load


def _names_group(place: str) -> bool:
    folder = Path(place or ".")
    try:
        found = [one for one in os.listdir(folder) if one.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False  # an archive, or nothing: no plugin is installed there
    for one in found:
        try:
            if GROUP.encode() in (folder / one / "entry_points.txt").read_bytes():
                return True
        except OSError:
            continue  # it has none
    return False


# What config.yaml says.


def _allowed(config: Path) -> _Allowed:
    document = parse_file(config) if config.exists() else None
    section = document.get("plugins") if isinstance(document, dict) else None
    if section is None:
        return _Allowed()
    where = f"{config}:{line_of(document, 'plugins')}"
    if not isinstance(section, dict):
        raise PilothouseError(f"{where}: plugins: fields are wanted", hint="indent them")
    found: dict[str, frozenset[str]] = {}
    for key, value in section.items():
        where = f"{config}:{line_of(section, key)}"
        if key not in _SECTION:
            raise PilothouseError(
                f"{where}: plugins: there is no field {key!r}", hint=f"known: {', '.join(_SECTION)}"
            )
        if value is not None and not (
            isinstance(value, list) and all(isinstance(one, str) for one in value)
        ):
            raise PilothouseError(
                f"{where}: plugins.{key}: a list of names is wanted", hint=f"{key}: [web_search]"
            )
        found[key] = frozenset(value or ())
    return _Allowed(found.get("allow_override", frozenset()), found.get("disable", frozenset()))
