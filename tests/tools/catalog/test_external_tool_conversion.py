"""Tools of other servers: names, filters, and what their results become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pilothouse.errors import ToolError
from pilothouse.tools.catalog.external_tool_conversion import (
    LONGEST_ABOUT,
    LONGEST_NAME,
    LONGEST_TEXT,
    MAX_TOOLS,
    is_included,
    local_tool_name,
    parse_result,
    tools_from_listing,
)
from pilothouse.tools.tool import ToolFlags

SCHEMA = {"type": "object"}


def _run(name: str) -> Any:
    async def run(context: object, given: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    return run


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("files", "read_file", "mcp_files_read_file"),
        ("my-files", "get-sum", "mcp_my-files_get-sum"),
        ("my.files", "read/file now", "mcp_my_files_read_file_now"),
        ("é", "ß", "mcp____"),
    ],
)
def test_names_are_such_as_every_model_takes(server: str, tool: str, name: str) -> None:
    assert local_tool_name(server, tool) == name


@given(some.text(), some.text())
def test_long_names_are_cut_and_stay_apart(server: str, tool: str) -> None:
    name = local_tool_name(server, tool)
    assert len(name) <= LONGEST_NAME
    assert name.replace("_", "").replace("-", "").isalnum() or name.strip("_-") == "mcp"
    long = "t" * LONGEST_NAME
    assert local_tool_name(server, long + "a") != local_tool_name(server, long + "b")


def test_include_goes_before_exclude_and_an_empty_one_lets_nothing_in() -> None:
    assert is_included("a", "read", None, ())
    assert not is_included("a", "read", (), ())
    assert is_included("a", "read", ("re*",), ("read",))
    assert not is_included("a", "write", ("re*",), ())
    assert not is_included("a", "read", None, ("mcp_a_*",))
    assert not is_included("a", "Read", ("read",), ())


def test_listing_becomes_tools_that_are_nobodys_words() -> None:
    listing = [
        {"name": "see", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
        {"name": "do", "description": "Does\x00 it.\x1b[2J", "inputSchema": SCHEMA},
    ]
    made = tools_from_listing("a", listing, _run)
    assert made["see"].flags == ToolFlags(reads=True, free=True, tab=False)
    assert made["see"].about == "see"
    assert made["do"].flags == ToolFlags(reads=True, changes=True, free=True, tab=False)
    assert made["do"].about == "Does it.[2J"
    assert (made["do"].name, made["do"].toolset, made["do"].source) == ("mcp_a_do", "mcp-a", "a")


def test_what_cannot_be_a_tool_is_left_out_and_the_rest_is_cut() -> None:
    fine = {"name": "fine", "inputSchema": SCHEMA, "description": "x" * 10_000}
    huge = {"type": "object", "description": "x" * 100_000}
    listing: list[dict[str, Any]] = [
        {},
        {"name": ""},
        {"name": 5, "inputSchema": SCHEMA},
        {"name": "no schema"},
        {"name": "huge", "inputSchema": huge},
        fine,
        {"name": "a b", "inputSchema": SCHEMA},
        {"name": "a_b", "inputSchema": SCHEMA},
    ]
    made = tools_from_listing("a", listing, _run)
    assert set(made) == {"fine", "a b"}
    assert len(made["fine"].about) < LONGEST_ABOUT + 100
    many = [{"name": f"t{number}", "inputSchema": SCHEMA} for number in range(1000)]
    assert len(tools_from_listing("a", many, _run)) == MAX_TOOLS


def test_results_become_fields() -> None:
    picture = {"type": "image", "data": "aa==", "mimeType": "image/png"}
    assert parse_result("a", _text("one")) == {"text": "one"}
    assert parse_result("a", {"content": []}) == {"text": ""}
    assert parse_result("a", {"content": [picture]}) == {
        "image": {"data": "aa==", "mimeType": "image/png"}
    }
    mixed = parse_result(
        "a",
        {
            "content": [
                {"type": "text", "text": "one"},
                picture,
                picture,
                {"type": "audio", "data": "bb==", "mimeType": "audio/wav"},
                {"type": "resource_link", "name": "log", "uri": "file:///log"},
                {"type": "resource", "resource": {"uri": "a:b", "text": "inside"}},
                {"type": "resource", "resource": {"uri": "a:c", "blob": "cc=="}},
            ],
            "structuredContent": {"n": 1},
        },
    )
    assert mixed["structured"] == {"n": 1}
    assert mixed["text"].splitlines() == [
        "one",
        "[image (image/png): not shown]",
        "[audio (audio/wav): not shown]",
        "log: file:///log",
        "inside",
        "[a:c: not a text]",
    ]


def test_what_is_said_twice_is_told_once() -> None:
    assert parse_result("a", _text('{"n": 1}', structuredContent={"n": 1})) == {
        "structured": {"n": 1}
    }
    assert parse_result("a", _text("all", structuredContent={"content": "all"})) == {"text": "all"}
    both = parse_result("a", _text("one is 1", structuredContent={"n": 1}))
    assert both == {"text": "one is 1", "structured": {"n": 1}}


def test_error_of_a_tool_is_an_error_with_its_words() -> None:
    with pytest.raises(ToolError, match="no luck") as failed:
        parse_result("a", _text("no luck", isError=True))
    assert failed.value.hint == "check the arguments: the MCP server a reported this error"
    with pytest.raises(ToolError, match="the tool failed"):
        parse_result("a", {"content": [], "isError": True})


def test_endless_text_is_cut() -> None:
    text = parse_result("a", _text("x" * (LONGEST_TEXT + 5)))["text"]
    assert text.endswith("x\n[cut: 5 characters more]")
