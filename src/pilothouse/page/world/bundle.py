"""Our scripts as they are sent to a document: the eyes first, the hands where something is done.

Knows: which parts belong together, and that they share one scope. Must not know: what is in them,
or who sends them (worlds.py).
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from pilothouse.errors import ToolError

__all__ = [
    "ACTION_BUNDLE",
    "ACTION_BUNDLE_MINIFIED",
    "JS_FUNCTIONS",
    "READABILITY_FUNCTIONS",
    "SNAPSHOT_BUNDLE",
    "SNAPSHOT_BUNDLE_MINIFIED",
    "SNAPSHOT_FUNCTIONS",
    "call_declaration",
    "js_source",
    "readability_source",
]

_FOLDER = Path(__file__).with_name("js")
_READABILITY = Path("library/node_modules/@mozilla/readability/Readability.js")


def js_source(name: str) -> str:
    """Read one of our scripts: its path below page/world/js."""
    return (_FOLDER / name).read_text("utf-8")


def _packed(source: str) -> str:
    """Without indents and comments: Chrome takes a millisecond for every 20 KB of a command."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


_PARTS = {
    part.name.removesuffix(".js"): part.read_text("utf-8")
    for part in sorted(_FOLDER.iterdir(), key=lambda part: part.name)
    if part.name.endswith(".js")
}
# What a snapshot needs comes first; the rest is only sent to frames where something is done.
_EYES = (
    "base", "begun", "used", "acting", "effects", "hidden", "marks", "names", "names_simple",
    "names_content", "sure", "roles", "states", "kinds", "flow", "focus", "walk", "look", "warm",
)  # fmt: skip
_DECLARED = re.compile(r"^(?:const|function\*?|class) (\w+)", re.MULTILINE)
_OFFERED = re.compile(r"^ph\.(\w+) =", re.MULTILINE)


def _scopes() -> tuple[str, str]:
    """One scope for the first parts and one for the others; what these speak of is handed on."""
    eyes = "\n".join(_PARTS[name] for name in _EYES)
    hands = "\n".join(text for name, text in _PARTS.items() if name not in _EYES)
    spoken = set(re.findall(r"\w+", hands)) - set(_DECLARED.findall(hands))
    shared = ", ".join(name for name in _DECLARED.findall(eyes) if name in spoken)
    return (
        "(() => {\nif (globalThis.ph) return;\nconst ph = globalThis.ph = {};\n"
        f"{eyes}\nph.shared = {{ {shared} }};\n}})()",
        f"(() => {{\nconst {{ {shared} }} = ph.shared;\n{hands}\n}})()",
    )


SNAPSHOT_BUNDLE, ACTION_BUNDLE = _scopes()
SNAPSHOT_BUNDLE_MINIFIED = _packed(SNAPSHOT_BUNDLE)
ACTION_BUNDLE_MINIFIED = _packed(ACTION_BUNDLE)
SNAPSHOT_FUNCTIONS = frozenset(_OFFERED.findall(SNAPSHOT_BUNDLE))
# Everything that can be called, by name.
JS_FUNCTIONS = frozenset(
    re.findall(r"\bph\.(\w+) = (?!globalThis)", f"{SNAPSHOT_BUNDLE}\n{ACTION_BUNDLE}")
)
# What needs the library that finds articles. It is only sent to documents that are asked for one.
READABILITY_FUNCTIONS = frozenset({"article"})


@functools.cache
def readability_source() -> str:
    """Readability, as a property of ours. Read when it is first needed.

    Raises ToolError if it is not installed.
    """
    try:
        source = (Path(__file__).parent / _READABILITY).read_text("utf-8")
    except FileNotFoundError:
        raise ToolError(
            "Readability, the library that finds articles, is not installed",
            hint="install pilothouse again; in a checkout run ./dev test, which fetches it",
        ) from None
    return f"((module) => {{\n{source}\nph.Readability = Readability;\n}})()"


def call_declaration(function: str) -> str:
    """The function that calls one of ours in a world. Its text is always the same: the extension
    knows those that only read by it."""
    return f"function(...given) {{ return globalThis.ph ? ph.{function}(...given) : '\\0unmade'; }}"
