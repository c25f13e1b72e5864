"""A typed function is a tool: its schema, its check and its words come from the declaration."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.tools.context import ToolContext
from pilothouse.tools.tool import TOOLS, Fields, ToolFlags, tool, tool_from_function
from tests.tools.fake_tool_context import Daemon, context_for


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """A part of something."""

    name: str
    size: int = 1


async def make(
    context: ToolContext,
    what: str,
    how: Literal["well", "badly"] = "well",
    often: int = 3,
    parts: list[Part] = [],  # noqa: B006
    note: str = "",
    place: str | list[str] | None = None,
) -> Fields:
    """Make something, as it is
    wanted.

    what: the thing
    parts: of what
    """
    return {"what": what, "how": how, "often": often, "parts": parts, "at": context.tab}


def test_schema_is_small_and_says_what_is_needed() -> None:
    made = tool_from_function(make, "craft", ToolFlags(tab=False))
    assert made.name == "make"
    assert made.about == "Make something, as it is wanted."
    assert made.schema == {
        "type": "object",
        "properties": {
            "what": {"type": "string", "description": "the thing"},
            "how": {"type": "string", "enum": ["badly", "well"], "default": "well"},
            "often": {"type": "integer", "default": 3},
            "parts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "size": {"type": "integer", "default": 1},
                    },
                    "required": ["name"],
                    "additionalProperties": False,
                },
                "description": "of what",
            },
            "note": {"type": "string"},
            "place": made.schema["properties"]["place"],
        },
        "required": ["what"],
        "additionalProperties": False,
    }


def test_tools_of_a_tab_take_its_name_and_do_not_see_it() -> None:
    made = tool_from_function(make, "craft", ToolFlags())
    assert made.schema["properties"]["tab"] == {"type": "string", "description": "tab name"}


async def test_what_is_given_is_checked_and_converted() -> None:
    made = tool_from_function(make, "craft", ToolFlags())
    given: dict[str, Any] = {"what": "it", "often": "7", "parts": [{"name": "a"}], "tab": "x"}
    told = await made.run(context_for(Daemon()), given)
    assert (told["often"], told["parts"], told["at"]) == (7, [Part("a")], "main")
    with pytest.raises(ToolError, match="make: unknown parameter 'wat'") as refused:
        await made.run(context_for(Daemon()), {"wat": 1})
    assert refused.value.hint == "did you mean what?"


def test_tool_is_declared_once_with_its_flags() -> None:
    async def a_tool_of_this_test(context: ToolContext) -> Fields:
        """Nothing."""
        return {}

    try:
        declare = tool("craft", reads=True, free=True, tab=False)
        assert declare(a_tool_of_this_test) is a_tool_of_this_test
        made = TOOLS["a_tool_of_this_test"]
        assert made.flags == ToolFlags(reads=True, free=True, tab=False)
        assert (made.toolset, made.source) == ("craft", "")
        with pytest.raises(PilothouseError, match="declared twice"):
            declare(a_tool_of_this_test)
    finally:
        del TOOLS["a_tool_of_this_test"]
