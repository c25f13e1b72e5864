"""Bundles of our scripts: what a snapshot needs, everything else, and single functions.

`python -m scripts.bundle_page_scripts` makes them from the modules in js/. Knows: which bundle
has which function. Must not know: what is in them, or who sends them (isolated_worlds.py).
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from pilothouse.errors import ToolError

__all__ = [
    "ACTION_BUNDLE",
    "JS_FUNCTIONS",
    "READABILITY_FUNCTIONS",
    "SNAPSHOT_BUNDLE",
    "SNAPSHOT_FUNCTIONS",
    "call_declaration",
    "js_function",
    "readability_source",
]

_BUNDLES = Path(__file__).with_name("bundles")
_READABILITY = Path("library/node_modules/@mozilla/readability/Readability.js")


def _read(name: str) -> str:
    return (_BUNDLES / name).read_text("utf-8").rstrip("\n")


def js_function(name: str) -> str:
    """Read a script that is one function expression (js/main_world/), for the sender to call."""
    return _read(f"{name}.js")


# The first bundle is sent to every frame; the second only where one of its functions is called.
SNAPSHOT_BUNDLE = _read("snapshot.js")
ACTION_BUNDLE = _read("action.js")
_CALLS: dict[str, list[str]] = json.loads(_read("calls.json"))
SNAPSHOT_FUNCTIONS = frozenset(_CALLS["snapshot"])
# Everything that can be called, by name.
JS_FUNCTIONS = SNAPSHOT_FUNCTIONS | frozenset(_CALLS["action"])
# These need Readability, which is only sent to documents that are asked for their article.
READABILITY_FUNCTIONS = frozenset({"article"})


@functools.cache
def readability_source() -> str:
    """Read Mozilla's Readability library and wrap it so that it becomes `ph.Readability`.

    Raises ToolError if it is not installed.
    """
    try:
        source = (Path(__file__).parent / _READABILITY).read_text("utf-8")
    except FileNotFoundError:
        raise ToolError(
            "the Readability library, which finds articles, is not installed",
            hint="reinstall pilothouse; in a checkout run ./dev test, which downloads it",
        ) from None
    return f"((module) => {{\n{source}\nph.Readability = Readability;\n}})()"


def call_declaration(function: str) -> str:
    """Return the function declaration that calls `ph.<function>` in a world.

    The text never varies: the extension recognises read-only calls by its digest.
    """
    return f"function(...given) {{ return globalThis.ph ? ph.{function}(...given) : '\\0unmade'; }}"
