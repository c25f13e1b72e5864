"""A tool, declared once: a typed function. Its schema, its check, its place in the listing of MCP,
in the command line and in the docs all come from the declaration.

    @tool("browser", changes=True)
    async def browser_click(context: ToolContext, ref: str) -> Fields:
        '''Click an element.

        ref: from the snapshot, as e12
        '''
        return await context.verb("click", target=ref)

Knows: declarations. Must not know: any tool, or who may use it (gate.py).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.errors import PilothouseError
from pilothouse.tabs.declaration import Declared, Parameter, checked

if TYPE_CHECKING:
    from pilothouse.tools.context import ToolContext

__all__ = ["TOOLS", "Fields", "Flags", "Tool", "made_of", "schema_of", "tool"]

# What a tool answers with: the fields of its result, beside `success`.
Fields = dict[str, Any]
Run = Callable[["ToolContext", Mapping[str, Any]], Awaitable[Fields]]

# Tools that work on a tab take its name; without one they mean the session's current tab.
TAB = Parameter("tab", str, "", "tab name")
# What a parameter of this name means wherever its tool says nothing else about it.
USUAL = {"ref": "ref or selector"}
# Titles of tools whose name does not say it.
_TITLES = {
    "browser": "Browser tab and code",
    "browser_cdp": "Raw CDP command",
    "browser_get_images": "List images",
    "browser_navigate": "Go to URL",
    "browser_press": "Press key",
    "browser_type": "Fill field",
    "browser_vision": "Look at page",
    "browser_wait": "Wait for",
    "execute": "Run Python",
}


class Flags(msgspec.Struct, frozen=True):
    """What a tool does, so that everybody can know it without knowing the tool."""

    reads: bool = False  # its answer holds words of the page
    changes: bool = False  # the page, or what the browser keeps, may be another afterwards
    cdp: bool = False  # needs a CDP connection
    free: bool = False  # works while something blocks the page
    dangerous: bool = False  # only for those who named it
    tab: bool = True  # works on one tab
    outside: bool = False  # its answer also holds words from outside the browser
    # What it changes can be had back, or is no loss: the pointer, the scroll position, the address.
    reversible: bool = False


class Tool(msgspec.Struct, frozen=True):
    """Something an agent can call. `about` is what it is told, `toolset` its home, `source` who
    brought it: "" is us. Its schema is `given`, or is made when somebody wants to see it."""

    name: str
    about: str
    given: dict[str, Any] | Callable[[], dict[str, Any]]
    run: Run
    toolset: str
    flags: Flags = Flags()
    source: str = ""

    @property
    def title(self) -> str:
        """What people are shown as its name."""
        words = self.name.removeprefix("browser_").replace("_", " ")
        return _TITLES.get(self.name) or words[:1].upper() + words[1:]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its parameters."""
        return self.given() if callable(self.given) else self.given

    def described(self) -> dict[str, Any]:
        """All that others may know of it, as JSON has it."""
        return {
            "name": self.name,
            "about": self.about,
            "schema": self.schema,
            "toolset": self.toolset,
            "flags": [flag for flag in Flags.__struct_fields__ if getattr(self.flags, flag)],
            "source": self.source,
        }


TOOLS: dict[str, Tool] = {}


def tool(
    toolset: str,
    *,
    reads: bool = False,
    changes: bool = False,
    cdp: bool = False,
    free: bool = False,
    dangerous: bool = False,
    tab: bool = True,
    outside: bool = False,
    reversible: bool = False,
) -> Callable[[Callable[..., Awaitable[Fields]]], Callable[..., Awaitable[Fields]]]:
    """Declare a function as a tool under its own name."""
    flags = Flags(reads, changes, cdp, free, dangerous, tab, outside, reversible)

    def declare(function: Callable[..., Awaitable[Fields]]) -> Callable[..., Awaitable[Fields]]:
        made = made_of(function, toolset, flags)
        if made.name in TOOLS:
            raise PilothouseError(f"tool {made.name} is declared twice", hint="rename one")
        TOOLS[made.name] = made
        return function

    return declare


def made_of(
    function: Callable[..., Awaitable[Fields]], toolset: str, flags: Flags, source: str = ""
) -> Tool:
    """The tool that a function declares, without a place among ours."""
    said = Declared(function, extra=(TAB,) if flags.tab else ())

    async def run(context: ToolContext, given: Mapping[str, Any]) -> Fields:
        asked = checked(said, given)
        asked.pop("tab" if flags.tab else "", None)  # the context stands at it
        return await function(context, **asked)

    schema = cache(lambda: schema_of(said))
    return Tool(said.name, _summary(said.about), schema, run, toolset, flags, source)


def _summary(about: str) -> str:
    """The text without the lines on parameters: those are in the schema."""
    lines = [line for line in about.splitlines() if not re.match(r"\w+: ", line)]
    return " ".join(" ".join(lines).split())


def schema_of(said: Declared) -> dict[str, Any]:
    """The JSON schema of the parameters, as small as it can be: it is read by every agent."""
    made = msgspec.json.schema(said.asked)
    definitions = made.get("$defs", {})
    body = copy.deepcopy(definitions.get(said.asked.__name__, made))
    told = {p.name: p.about or USUAL.get(p.name, "") for p in said.parameters}
    properties = {
        name: {**_small(inner, definitions), **({"description": told[name]} if told[name] else {})}
        for name, inner in body.get("properties", {}).items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required := body.get("required"):
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def _small(inner: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Without what says nothing to an agent: titles, defaults that are nothing, null."""
    if reference := inner.get("$ref"):
        inner = definitions[reference.rpartition("/")[2]]
    small = {key: value for key, value in inner.items() if key not in ("title", "$defs")}
    if "type" not in small and all(isinstance(one, str) for one in small.get("enum", [None])):
        small = {"type": "string", **small}
    if small.get("default") in (None, "", [], {}, False) and "default" in small:
        del small["default"]
    if "anyOf" in small:
        kinds = [_small(one, definitions) for one in small["anyOf"] if one != {"type": "null"}]
        if {"type": "number"} in kinds:  # every integer is one
            kinds = [kind for kind in kinds if kind != {"type": "integer"}]
        plain = all(set(kind) == {"type"} for kind in kinds)
        if len(kinds) == 1:
            del small["anyOf"]
            small = {**kinds[0], **small}
        elif plain:
            del small["anyOf"]
            small = {"type": [kind["type"] for kind in kinds], **small}
        else:
            small["anyOf"] = kinds
    if "items" in small and isinstance(small["items"], dict):
        # Its fields say what it is: the declaration's own words would only repeat them.
        items = _small(small["items"], definitions)
        small["items"] = {key: value for key, value in items.items() if key != "description"}
    return small
