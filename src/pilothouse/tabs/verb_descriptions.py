"""Short descriptions of actions, which the extension shows to the user of the browser. Pure.

Knows: the verbs of a tab and their receipts. Must not know: who reads the texts. They name elements
and sites, and never contain typed text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

__all__ = ["VERB_WORDS", "action_words", "quoted_name", "site_words"]

# Every verb has an entry (a test checks it). An empty one means: not worth showing.
VERB_WORDS: Mapping[str, str] = {
    "answer": "answered a question of the page",
    "attr": "read",
    "back": "went back",
    "box": "read",
    "changed": "",
    "check": "ticked",
    "clear": "cleared",
    "clear_cookies": "deleted cookies",
    "click": "clicked",
    "clipboard_read": "read the clipboard",
    "clipboard_write": "wrote to the clipboard",
    "console": "read the console",
    "cookies": "read cookies",
    "count": "read",
    "dblclick": "double-clicked",
    "dialogs": "",
    "downloads": "listed downloads",
    "drag": "dragged",
    "emulate": "changed how the page sees its device",
    "errors": "read the console",
    "evaluate": "ran a script",
    "extract": "read the page",
    "fill": "filled",
    "focus": "focused",
    "forward": "went forward",
    "frames": "",
    "goto": "went to",
    "handle_dialog": "answered a dialog",
    "har": "read the network log",
    "hover": "pointed at",
    "html": "read",
    "images": "listed the images",
    "is_checked": "read",
    "is_enabled": "read",
    "is_visible": "read",
    "key_down": "pressed a key",
    "key_up": "",
    "load_state": "set cookies and storage",
    "observe": "read the page",
    "pdf": "made a PDF",
    "press": "pressed a key in",
    "reload": "reloaded the page",
    "request": "read the network log",
    "request_human": "asked you",
    "requests": "read the network log",
    "result": "",
    "route": "changed how requests are answered",
    "routes": "",
    "save_download": "saved a download",
    "save_state": "read cookies and storage",
    "screenshot": "took a picture",
    "scroll": "scrolled",
    "scroll_into_view": "scrolled to",
    "select": "chose in",
    "set_cookies": "set cookies",
    "set_storage": "changed storage",
    "snapshot": "read the page",
    "stop": "stopped the loading",
    "storage": "read storage",
    "text": "read",
    "title": "read the title",
    "type": "typed in",
    "uncheck": "unticked",
    "unroute": "changed how requests are answered",
    "upload": "gave files to",
    "url": "",
    "value": "read",
    "viewport": "changed the size of the page",
    "wait_for": "waited",
    "wait_for_response": "waited",
    "wait_for_url": "waited",
}

# Verbs whose text is followed by the name of an element.
_OF_ELEMENTS = frozenset(
    {"attr", "box", "check", "clear", "click", "count", "dblclick", "drag", "fill", "focus",
     "hover", "html", "is_checked", "is_enabled", "is_visible", "press", "scroll_into_view",
     "select", "text", "type", "uncheck", "upload", "value"}
)  # fmt: skip
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"')
LONGEST_NAME = 60


def action_words(verb: str, params: Mapping[str, Any], answer: Any) -> str:
    """Describe what a verb did, such as `clicked "Search flights"`; may be empty."""
    words = VERB_WORDS.get(verb, verb)
    if verb == "goto":
        return f"{words} {site_words(str(params.get('url', '')))}"
    if verb not in _OF_ELEMENTS:
        return words
    met = answer.get("target") if isinstance(answer, Mapping) else None
    name = quoted_name(str(met or params.get("target") or params.get("source") or ""))
    return f"{words} {name}" if name else words.removesuffix(" in").removesuffix(" to")


def quoted_name(element: str) -> str:
    """Return the quoted name in `button "Save" [ref=e4]`; else the role or selector."""
    found = _NAME.search(element)
    name = found[1] if found and found[1] else re.sub(r"\s*\[ref=\w+\]", "", element)
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return f'"{short}"' if found and found[1] else short


def site_words(url: str) -> str:
    """Return the host of a URL. The full URL may contain secrets."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url.partition(":")[0] or "a page"
    except ValueError:
        return "a page"
