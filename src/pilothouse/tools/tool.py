"""Declare a tool: a typed function with a docstring. The JSON schema, the argument check, the entry
in the MCP tool list, in the command line and in docs/tools.md all come from this declaration.

    @tool("browser", changes=True)
    async def browser_click(context: ToolContext, ref: str) -> Fields:
        '''Click an element.

        ref: ref from the snapshot, for example e12
        '''
        return await context.verb("click", target=ref)

Knows: declarations. Must not know: any particular tool, or who may use it (gate.py).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.errors import PilothouseError
from pilothouse.tabs.verb_and_tool_declaration import Declaration, Parameter, check_arguments

if TYPE_CHECKING:
    from pilothouse.tools.context import ToolContext

__all__ = ["TOOLS", "Fields", "Tool", "ToolFlags", "build_schema", "tool", "tool_from_function"]

# What a tool function returns: the fields of its answer, besides `success`.
Fields = dict[str, Any]
RunFunction = Callable[["ToolContext", Mapping[str, Any]], Awaitable[Fields]]

# Every tool that works on a tab takes its name. The default is the session's current tab.
TAB = Parameter("tab", str, "", "tab name")
# Description of a parameter with this name when the tool's docstring does not describe it.
DEFAULT_DESCRIPTIONS = {"ref": "ref or selector", "timeout": "seconds"}
# Titles of tools whose name is not descriptive enough.
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


class ToolFlags(msgspec.Struct, frozen=True):
    """Properties of a tool that the gate, the MCP listing and the docs read."""

    reads: bool = False  # the answer contains page content, which is untrusted
    changes: bool = False  # may change the page or the browser's state
    cdp: bool = False  # needs a CDP connection
    free: bool = False  # works while a dialog or another interrupt blocks the page
    dangerous: bool = False  # off unless the user names it explicitly
    tab: bool = True  # works on one tab, takes the parameter `tab`
    outside: bool = False  # the answer also contains text from outside the browser
    # The change can be undone or loses nothing: pointer, scroll position, URL.
    reversible: bool = False


class Tool(msgspec.Struct, frozen=True):
    """A function an agent can call. `about` is its description, `toolset` its home toolset,
    `source` the plugin or MCP server it comes from ("" for built-in tools). `given` is the JSON
    schema, or a function that builds it on first use."""

    name: str
    about: str
    given: dict[str, Any] | Callable[[], dict[str, Any]]
    run: RunFunction
    toolset: str
    flags: ToolFlags = ToolFlags()
    source: str = ""

    @property
    def title(self) -> str:
        """Return the human-readable name."""
        words = self.name.removeprefix("browser_").replace("_", " ")
        return _TITLES.get(self.name) or words[:1].upper() + words[1:]

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the parameters."""
        return self.given() if callable(self.given) else self.given

    def describe(self) -> dict[str, Any]:
        """Return the tool as JSON, as the daemon's `catalogue` method lists it."""
        return {
            "name": self.name,
            "about": self.about,
            "schema": self.schema,
            "toolset": self.toolset,
            "flags": [flag for flag in ToolFlags.__struct_fields__ if getattr(self.flags, flag)],
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
    """Declare the decorated function as a built-in tool, named like the function."""
    flags = ToolFlags(reads, changes, cdp, free, dangerous, tab, outside, reversible)

    def declare(function: Callable[..., Awaitable[Fields]]) -> Callable[..., Awaitable[Fields]]:
        made = tool_from_function(function, toolset, flags)
        if made.name in TOOLS:
            raise PilothouseError(f"tool {made.name} is declared twice", hint="rename one")
        TOOLS[made.name] = made
        return function

    return declare


def tool_from_function(
    function: Callable[..., Awaitable[Fields]], toolset: str, flags: ToolFlags, source: str = ""
) -> Tool:
    """Build a tool from a function, without registering it in `TOOLS`."""
    declaration = Declaration(function, extra=(TAB,) if flags.tab else ())

    def run(context: ToolContext, given: Mapping[str, Any]) -> Awaitable[Fields]:
        arguments = check_arguments(declaration, given)
        arguments.pop("tab" if flags.tab else "", None)  # the context stands at it
        return function(context, **arguments)

    schema = cache(lambda: build_schema(declaration))
    return Tool(declaration.name, _summary(declaration.about), schema, run, toolset, flags, source)


def _summary(about: str) -> str:
    """Return the docstring without its parameter lines, which go into the schema."""
    lines = [line for line in about.splitlines() if not re.match(r"\w+: ", line)]
    return " ".join(" ".join(lines).split())


def build_schema(declaration: Declaration) -> dict[str, Any]:
    """Build the JSON schema of the parameters. It is kept as small as possible, because every
    agent pays for it in every request."""
    made = msgspec.json.schema(declaration.arguments_type)
    definitions = made.get("$defs", {})
    body = copy.deepcopy(definitions.get(declaration.arguments_type.__name__, made))
    descriptions = {
        p.name: p.about or DEFAULT_DESCRIPTIONS.get(p.name, "") for p in declaration.parameters
    }
    properties = {
        name: {
            **_simplify(inner, definitions),
            **({"description": descriptions[name]} if descriptions[name] else {}),
        }
        for name, inner in body.get("properties", {}).items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required := body.get("required"):
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def _simplify(inner: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Remove what tells an agent nothing: titles, empty defaults, null alternatives."""
    if reference := inner.get("$ref"):
        inner = definitions[reference.rpartition("/")[2]]
    small = {key: value for key, value in inner.items() if key not in ("title", "$defs")}
    if "type" not in small and all(isinstance(one, str) for one in small.get("enum", [None])):
        small = {"type": "string", **small}
    if small.get("default") in (None, "", [], {}, False) and "default" in small:
        del small["default"]
    if "anyOf" in small:
        kinds = [_simplify(one, definitions) for one in small["anyOf"] if one != {"type": "null"}]
        if {"type": "number"} in kinds:  # every integer is a number
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
        # The field names describe the item; the class docstring would only repeat them.
        items = _simplify(small["items"], definitions)
        small["items"] = {key: value for key, value in items.items() if key != "description"}
    return small
