"""What a client of the relay did to a page, in words for the person whose browser it is. Pure.

Knows: which CDP methods are an act or a look, and how Chrome describes a node. Must not know:
sessions. What was typed is never told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pilothouse.tabs.action_text import LONGEST_NAME, site_words

__all__ = ["TOLD", "action_words", "in_page", "node_name"]

_MOUSE = {"mousePressed": "clicked", "mouseWheel": "scrolled"}
_KEYS = ("keyDown", "rawKeyDown", "char")
_PLAIN: Mapping[str, str] = {
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
# Every method that has words.
TOLD = frozenset(
    {*_PLAIN, "Input.dispatchKeyEvent", "Input.dispatchMouseEvent", "Input.dispatchTouchEvent",
     "Page.navigate"}
)  # fmt: skip


def action_words(method: str, params: Mapping[str, Any]) -> str:
    """What a command does; empty if it is no act of its own, such as a move of the mouse."""
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
    return _PLAIN.get(method, "")


def in_page(words: str, title: str) -> str:
    """Words of an act with the page it was done in."""
    if not title or words.startswith("went to"):
        return words
    return f"{words} in {title[:LONGEST_NAME]}"


def node_name(node: Mapping[str, Any]) -> str:
    """What a person would call an element, by its label or text: as `DOM.describeNode` tells it."""
    given = node.get("attributes") or []
    attributes = dict(zip(given[::2], given[1::2], strict=False))
    for name in ("aria-label", "alt", "title", "placeholder"):
        if attributes.get(name):
            return _quoted(attributes[name])
    if str(node.get("nodeName")) == "INPUT" and attributes.get("type") in ("submit", "button"):
        return _quoted(attributes.get("value") or "")
    return _quoted(" ".join(_texts(node)))


def _texts(node: Mapping[str, Any]) -> Iterator[str]:
    if node.get("nodeType") == 3:
        yield str(node.get("nodeValue", ""))
    for child in node.get("children") or ():
        yield from _texts(child)


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    short = text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
    return f'"{short}"' if short else ""
