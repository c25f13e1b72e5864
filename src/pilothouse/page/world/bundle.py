"""Bundles of our scripts: what a snapshot needs, and everything else.

Knows: which files of js/ form which bundle, and that the files of a bundle share one scope. Must
not know: what is in them, or who sends them (isolated_worlds.py).
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


def _minify(source: str) -> str:
    """Drop indents and comments: Chrome needs a millisecond for every 20 KB of a command."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


_PARTS = {
    part.name.removesuffix(".js"): part.read_text("utf-8")
    for part in sorted(_FOLDER.iterdir(), key=lambda part: part.name)
    if part.name.endswith(".js")
}
# The first bundle is sent to every frame; the second only where one of its functions is called.
_SNAPSHOT_PARTS = (
    "base", "document_ready", "used_css_properties", "interactive_elements", "action_effects",
    "invisible_text", "plain_elements", "names", "names_simple", "names_content", "certain_names",
    "roles", "element_states", "element_kinds", "default_layout", "shown_on_focus", "tree_walker",
    "document_walk", "warm_up",
)  # fmt: skip
# Names that a script declares at the top level, and functions it offers to Python.
_DECLARED = re.compile(r"^(?:const|function\*?|class) (\w+)", re.MULTILINE)
_OFFERED = re.compile(r"^ph\.(\w+) =", re.MULTILINE)


def _build_bundles() -> tuple[str, str]:
    """Wrap each bundle in a function scope of its own.

    The second bundle uses constants and functions of the first: the first one exports exactly
    those as `ph.shared`, and the second one destructures them.
    """
    snapshot = "\n".join(_PARTS[name] for name in _SNAPSHOT_PARTS)
    action = "\n".join(text for name, text in _PARTS.items() if name not in _SNAPSHOT_PARTS)
    used = set(re.findall(r"\w+", action)) - set(_DECLARED.findall(action))
    shared = ", ".join(name for name in _DECLARED.findall(snapshot) if name in used)
    return (
        "(() => {\nif (globalThis.ph) return;\nconst ph = globalThis.ph = {};\n"
        f"{snapshot}\nph.shared = {{ {shared} }};\n}})()",
        f"(() => {{\nconst {{ {shared} }} = ph.shared;\n{action}\n}})()",
    )


SNAPSHOT_BUNDLE, ACTION_BUNDLE = _build_bundles()
SNAPSHOT_BUNDLE_MINIFIED = _minify(SNAPSHOT_BUNDLE)
ACTION_BUNDLE_MINIFIED = _minify(ACTION_BUNDLE)
SNAPSHOT_FUNCTIONS = frozenset(_OFFERED.findall(SNAPSHOT_BUNDLE))
# Everything that can be called, by name.
JS_FUNCTIONS = frozenset(
    re.findall(r"\bph\.(\w+) = (?!globalThis)", f"{SNAPSHOT_BUNDLE}\n{ACTION_BUNDLE}")
)
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
