"""Describe what a client did to a page, for the person whose browser it is. Pure.

Knows: which CDP methods act on or read a page, and how Chrome describes a node. Must not know:
sessions. Typed text never appears.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pilothouse.tabs.verb_descriptions import LONGEST_NAME, site_words

__all__ = ["DESCRIBED_METHODS", "action_words", "in_page", "node_name"]

_MOUSE = {"mousePressed": "clicked", "mouseWheel": "scrolled"}
_KEYS = ("keyDown", "rawKeyDown", "char")
_ACTIONS: Mapping[str, str] = {
    "Accessibility.getFullAXTree": "read the page",
    "DOM.setFileInputFiles": "gave files",
    "DOMSnapshot.captureSnapshot": "read the page",
    "Input.insertText": "typed",
    "Page.captureScreenshot": "took a picture",
    "Page.captureSnapshot": "read the page",
    "Page.navigateToHistoryEntry": "went back or forward",
    "Page.printToPDF": "made a PDF",
    "Page.reload": "reloaded",
    "Runtime.callFunctionOn": "ran a script",
    "Runtime.evaluate": "ran a script",
}
# Every method that has a description.
DESCRIBED_METHODS = frozenset(
    {*_ACTIONS, "Input.dispatchKeyEvent", "Input.dispatchMouseEvent", "Input.dispatchTouchEvent",
     "Page.navigate"}
)  # fmt: skip


def action_words(method: str, params: Mapping[str, Any]) -> str:
    """Describe a command; empty if it is no action by itself, such as a mouse move."""
    kind = params.get("type")
    match method:
        case "Input.dispatchMouseEvent":
            return _MOUSE.get(str(kind), "")
        case "Input.dispatchKeyEvent":
            return "typed" if kind in _KEYS else ""
        case "Input.dispatchTouchEvent":
            return "tapped" if kind == "touchStart" else ""
        case "Page.navigate":
            return f"went to {site_words(str(params.get('url', '')))}"
    return _ACTIONS.get(method, "")


def in_page(text: str, title: str) -> str:
    """Add the title of the page to a description."""
    if not title or text.startswith("went to"):
        return text
    return f"{text} in {title[:LONGEST_NAME]}"


def node_name(node: Mapping[str, Any]) -> str:
    """Return what a person would call an element: its label or text, from `DOM.describeNode`."""
    given = node.get("attributes") or []
    attributes = dict(zip(given[::2], given[1::2], strict=False))
    for name in ("aria-label", "alt", "title", "placeholder"):
        if attributes.get(name):
            return _quote(attributes[name])
    if str(node.get("nodeName")) == "INPUT" and attributes.get("type") in ("submit", "button"):
        return _quote(attributes.get("value") or "")
    return _quote(" ".join(_iter_texts(node)))


def _iter_texts(node: Mapping[str, Any]) -> Iterator[str]:
    if node.get("nodeType") == 3:
        yield str(node.get("nodeValue", ""))
    for child in node.get("children") or ():
        yield from _iter_texts(child)


def _quote(text: str) -> str:
    text = " ".join(text.split())
    short = text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
    return f'"{short}"' if short else ""
