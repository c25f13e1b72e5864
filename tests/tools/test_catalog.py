"""Every promised tool is there, says what it does, and costs little to list."""

from __future__ import annotations

import json

import pytest

from pilothouse.daemon.mcp.tool_listing_and_content import tool_listing
from pilothouse.tools.catalog import DECLARED
from pilothouse.tools.tool import TOOLS, Tool
from scripts import generate_tool_docs

HOMES = {
    "browser": """browser_navigate browser_snapshot browser_click browser_type browser_scroll
        browser_back browser_press browser_get_images browser_vision browser_console browser_cdp
        browser_dialog browser_tabs browser_forward browser_reload browser_wait browser_hover
        browser_select browser_fill_form browser_drag browser_upload browser_downloads
        browser_screenshot browser_find browser_interrupt browser_batch browser_evaluate""",
    "browser-data": """browser_pdf browser_extract browser_network browser_route browser_cookies
        browser_storage browser_emulate""",
    "web": "web_search web_extract",
    "people": "browser_request_human",
    "code": "browser execute execute_code reset",
    "connect": "browser_connect browser_disconnect",
}
OURS = {name: home for home, names in HOMES.items() for name in names.split()}

# What agents of the seeds know already.
SEEDS = {
    "browser_navigate": {"url"},
    "browser_snapshot": {"full"},
    "browser_click": {"ref"},
    "browser_type": {"ref", "text"},
    "browser_scroll": {"direction"},
    "browser_press": {"key"},
    "browser_vision": {"question", "annotate"},
    "browser_console": {"clear", "expression"},
    "browser_cdp": {"method", "params", "target_id", "frame_id", "timeout"},
    "browser_dialog": {"action", "prompt_text", "dialog_id"},
    "browser": {
        "action", "name", "timeout", "url", "viewport", "wait_until", "dialogs", "app", "all",
        "kill", "code",
    },
    "execute": {"code", "timeout"},
    "execute_code": {"code"},
}  # fmt: skip

# Parameters whose names say everything there is to say.
PLAIN = {
    "tab", "url", "urls", "text", "query", "limit", "timeout", "format", "double", "button",
    "direction", "ref", "width", "height", "scale", "mobile", "method", "params", "code",
    "language", "action", "all", "name", "headers", "body", "type", "failed", "seconds",
    "username", "password", "question", "steps",
}  # fmt: skip

WIRE_LIMIT = 12 * 1024


def _ours() -> dict[str, Tool]:
    return {name: tool for name, tool in TOOLS.items() if not tool.source}


def _listing(tools: list[Tool]) -> int:
    """As long as MCP lists them."""
    return len(json.dumps([tool_listing(one) for one in tools], separators=(",", ":")).encode())


def test_every_promised_tool_has_its_home() -> None:
    assert {name: tool.toolset for name, tool in _ours().items()} == OURS
    assert len({module.__name__ for module in DECLARED}) == len(DECLARED)


@pytest.mark.parametrize("name", sorted(OURS))
def test_tool_says_what_it_does(name: str) -> None:
    tool = TOOLS[name]
    assert tool.about.endswith(".")
    assert 10 < len(tool.about) < 260
    for parameter, schema in tool.schema["properties"].items():
        said = schema.get("description") or schema.get("enum") or parameter in PLAIN
        assert said or "_" in parameter or schema.get("type") == "boolean", parameter
    assert tool.schema["additionalProperties"] is False


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_parameters_of_the_seeds_are_kept(name: str) -> None:
    assert TOOLS[name].schema["properties"].keys() >= SEEDS[name]


def test_flags_say_what_tools_do() -> None:
    tools = _ours()
    dangerous = {
        "browser", "execute", "execute_code", "reset", "browser_connect", "browser_disconnect",
    }  # fmt: skip
    assert {n for n, t in tools.items() if t.flags.dangerous} == dangerous
    assert {n for n, t in tools.items() if t.flags.cdp} == {"browser_cdp", "browser_dialog"}
    no_tab = {n for n, t in tools.items() if not t.flags.tab}
    assert no_tab == {
        "browser_tabs", "browser_batch", "web_search", "web_extract", "browser", "reset",
        "browser_connect", "browser_disconnect",
    }  # fmt: skip
    works_while_blocked = {
        "browser_dialog", "browser_interrupt", "browser_tabs", "browser_cdp", "browser_downloads",
        "browser_network", "browser_route", "browser_cookies", "reset",
        "browser_connect", "browser_disconnect",
    }  # fmt: skip
    assert {n for n, t in tools.items() if t.flags.free} == works_while_blocked
    only_look = {n for n, t in tools.items() if not t.flags.changes}
    assert only_look == {
        "browser_snapshot", "browser_find", "browser_get_images", "browser_screenshot",
        "browser_vision", "browser_wait", "browser_pdf", "browser_extract", "browser_network",
        "web_search", "web_extract",
    }  # fmt: skip
    no_loss = {n for n, t in tools.items() if t.flags.reversible}
    assert no_loss == {
        "browser_navigate", "browser_back", "browser_forward", "browser_scroll", "browser_hover",
        "browser_console", "browser_downloads", "browser_emulate", "browser_route",
    }  # fmt: skip
    without_words = {n for n, t in tools.items() if not t.flags.reads}
    assert without_words == {"browser_route", "browser_emulate", "reset", "browser_disconnect"}


def test_default_listing_is_small() -> None:
    tools = list(_ours().values())
    size = _listing([tool for tool in tools if tool.toolset == "browser"])
    assert size <= WIRE_LIMIT
    # As MCP clients get it, with the web beside it; web_search only where one is set up.
    homes = ("browser", "web")
    shown = [tool for tool in tools if tool.toolset in homes and tool.name != "web_search"]
    assert _listing(shown) <= WIRE_LIMIT


def test_every_ref_tab_and_choice_is_explained() -> None:
    for tool in _ours().values():
        assert tool.title, tool.name
        for name, schema in tool.schema["properties"].items():
            if name in ("ref", "tab"):
                assert schema["description"], tool.name
            assert "enum" not in schema or schema["type"] == "string", (tool.name, name)


def test_page_of_the_docs_is_up_to_date() -> None:
    written = generate_tool_docs.TARGET.read_text("utf-8")
    assert written == generate_tool_docs.source(), "run: python -m scripts.generate_tool_docs"


def test_page_of_the_docs_has_every_tool_and_parameter() -> None:
    page = generate_tool_docs.source()
    for tool in _ours().values():
        assert f"### `{tool.name}`" in page
        for parameter in tool.schema["properties"]:
            assert f"`{parameter}`" in page
