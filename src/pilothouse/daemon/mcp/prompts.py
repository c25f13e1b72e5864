"""MCP prompts: common tasks that a person picks from a menu. Pure.

Knows: the tasks and their texts. Must not know: sessions, the code of tools, the SDK.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.errors import UsageError

__all__ = ["PROMPTS", "Prompt", "list_prompts", "render_prompt"]


class Prompt(msgspec.Struct, frozen=True):
    """One task. `arguments` maps names to descriptions; those in `optional` may be left out.
    `text` is the message to the model, with `{name}` for each argument."""

    name: str
    title: str
    about: str
    arguments: Mapping[str, str]
    text: str
    optional: tuple[str, ...] = ()


_URL = "address of the page"

PROMPTS: Mapping[str, Prompt] = {
    one.name: one
    for one in (
        Prompt(
            "fill_form",
            "Fill in a form",
            "Fill in the form on a page, and show it before it is sent.",
            {"url": _URL, "data": "what to fill in, in your own words"},
            "Open {url} with browser_navigate and fill in its form with this data:\n{data}\n\n"
            "Match the data to the fields by their labels. Fill all fields in one call of "
            "browser_fill_form. If the answer names invalid or newly required fields, fill "
            "those too. Do not invent data: list what is missing. Do not submit. Show me what "
            "every field holds and ask whether to send it.",
        ),
        Prompt(
            "collect_data",
            "Collect data from a site",
            "Read items of a list or table, over all its pages.",
            {"url": _URL, "what": "which items, and which facts about each"},
            "Open {url} with browser_navigate and collect: {what}\n\n"
            "Read the data from snapshots; use browser_find on long pages, and browser_extract or "
            "browser_evaluate where they are available and shorter. Follow the links to further "
            "pages of the list until there are none. Return one table, with the address of the "
            "page each row is from, and say how many rows there are and what was missing.",
        ),
        Prompt(
            "debug_page",
            "Find out why a page fails",
            "Look for errors in the console, the requests and the page itself.",
            {"url": _URL, "problem": "what goes wrong, and after which steps"},
            "Open {url} with browser_navigate and find out what is wrong with it. Reported "
            "problem: {problem}\n\n"
            "Reproduce it step by step. After each step read what changed, then the errors with "
            "browser_console, and failed requests with browser_network if it is available. Check "
            "your explanation with browser_evaluate. Report the steps, the first error that "
            "explains the problem, where it comes from, and how to fix it.",
            ("problem",),
        ),
    )
}
_MISSING = "not described: look for errors of any kind"


def list_prompts() -> list[dict[str, Any]]:
    """Return all prompts as MCP listings."""
    return [
        {
            "name": one.name,
            "title": one.title,
            "description": one.about,
            "arguments": [
                {"name": name, "description": about, "required": name not in one.optional}
                for name, about in one.arguments.items()
            ],
        }
        for one in PROMPTS.values()
    ]


def render_prompt(name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Fill in the arguments of a prompt. Raises ToolError that names the wrong argument."""
    found = PROMPTS.get(name)
    if found is None:
        near = difflib.get_close_matches(name, PROMPTS, 1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(PROMPTS)}"
        raise UsageError(f"name: unknown prompt {name!r}", hint=hint)
    takes = f"use only: {', '.join(found.arguments)}"
    for argument in given:
        if argument not in found.arguments:
            raise UsageError(f"prompt {name}: unknown argument {argument!r}", hint=takes)
    words = {}
    for argument in found.arguments:
        said = str(given.get(argument, "")).strip()
        if not said and argument not in found.optional:
            about = found.arguments[argument]
            raise UsageError(f"prompt {name}: missing argument {argument!r}", hint=f"give {about}")
        words[argument] = said or _MISSING
    content = {"type": "text", "text": found.text.format_map(words)}
    return {"description": found.about, "messages": [{"role": "user", "content": content}]}
