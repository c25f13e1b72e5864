"""MCP prompts: common jobs that a person picks from a menu, as messages to the model. Pure.

Knows: the jobs and their words. Must not know: sessions, tools' code, the SDK.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.errors import ToolError

__all__ = ["PROMPTS", "Prompt", "listed_prompts", "prompt"]


class Prompt(msgspec.Struct, frozen=True):
    """One job. `arguments` are its names and what they mean; those in `optional` may be left out.
    `text` is the message, with `{name}` for each argument."""

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
            "explains the problem, where it comes from, and how to mend it.",
            ("problem",),
        ),
    )
}
_NOT_SAID = "not described: look for errors of any kind"


def listed_prompts() -> list[dict[str, Any]]:
    """All of them, as MCP lists them."""
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


def prompt(name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """One of them with its arguments filled in. Raises ToolError that names what is wrong."""
    found = PROMPTS.get(name)
    if found is None:
        near = difflib.get_close_matches(name, PROMPTS, 1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(PROMPTS)}"
        raise ToolError(f"name: there is no prompt {name!r}", hint=hint)
    takes = f"it takes: {', '.join(found.arguments)}"
    for argument in given:
        if argument not in found.arguments:
            raise ToolError(f"{name}: there is no argument {argument!r}", hint=takes)
    words = {}
    for argument in found.arguments:
        said = str(given.get(argument, "")).strip()
        if not said and argument not in found.optional:
            raise ToolError(f"{name}: {argument} is missing", hint=takes)
        words[argument] = said or _NOT_SAID
    content = {"type": "text", "text": found.text.format_map(words)}
    return {"description": found.about, "messages": [{"role": "user", "content": content}]}
