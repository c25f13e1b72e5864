"""How tabs and what they answer show themselves in a notebook: pictures as pictures, pages as text.

Knows: what notebooks ask objects for. Must not know: the socket. Results stay what they are for
code, mappings that JSON has. A page that is blocked or gone is told in words: nothing is raised
out of a notebook's questions.
"""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Callable
from typing import Any

from pilothouse.code.run_result import CallFailed
from pilothouse.errors import PilothouseError
from pilothouse.paths import write_atomically

__all__ = ["Picture", "Rich", "Snapshot", "item_html"]

# A notebook asks by itself: nobody would want to wait long for that.
LOOKS_FOR_S = 5.0


class Snapshot(dict[str, Any]):
    """What is on a page; `snapshot["text"]` is all of it as text, and so is `str(snapshot)`. An
    older one begins with the reason why it is no newer."""

    def __str__(self) -> str:
        text = str(self.get("text", ""))
        if self.get("stale") and self.get("boundary"):  # without one, the text says so itself
            return f"(older than the page: {self['stale']})\n{text}"
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Picture(dict[str, Any]):
    """An image of a page: `picture["data"]` in base64, with its `mime`, `width` and `height`."""

    # Whether the result of a run has it already.
    displayed = False

    @property
    def raw(self) -> bytes:
        """The image itself."""
        return base64.b64decode(self["data"])

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write the image to a file; its absolute path."""
        write_atomically(path, self.raw, 0o666)
        return os.path.abspath(path)

    def __repr__(self) -> str:
        kind = self.get("mime", "image/?")
        return f"<Picture {kind} {self.get('width', '?')}x{self.get('height', '?')}>"

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        return {"text/plain": repr(self), str(self.get("mime", "image/png")): self.get("data", "")}


class Rich:
    """A tab as notebooks show it: a picture above, the page's text below."""

    name: str
    _call: Callable[..., Any]

    def _looked(self, method: str) -> Any:
        """What the daemon says, or why it does not."""
        try:
            return self._call(method, tab=self.name, timeout=LOOKS_FOR_S)
        except (PilothouseError, CallFailed) as error:
            return f"{error.message} ({error.hint})" if error.hint else error.message

    def _repr_html_(self) -> str:
        taken = self._looked("tab.snapshot")
        return _text_html(taken if isinstance(taken, str) else taken.get("text", ""))

    def _repr_png_(self) -> bytes | None:
        taken = self._looked("tab.screenshot")
        return None if isinstance(taken, str) else base64.b64decode(taken["data"])

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        taken, below = self._looked("tab.screenshot"), self._repr_html_()
        if isinstance(taken, str):
            above = _text_html(taken)
            return {
                "text/plain": repr(self),
                "text/html": above if above == below else above + below,
            }
        # Notebooks choose one form: the HTML has both.
        above = item_html({"mimeType": "image/png", "data": taken["data"]})
        return {
            "text/plain": repr(self),
            "text/html": above + below,
            "image/png": taken["data"],
        }


def item_html(item: dict[str, Any]) -> str:
    """An item of a result as HTML: a picture, or a text."""
    if "data" not in item:
        return _text_html(str(item.get("text", "")))
    kind, data = html.escape(str(item["mimeType"])), html.escape(str(item["data"]))
    return f'<img src="data:{kind};base64,{data}" style="max-width:100%">'


def _text_html(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"
