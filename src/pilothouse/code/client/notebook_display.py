"""Displays tabs and results in notebooks: pictures as images, pages as text.

Knows: the display methods of IPython (`_repr_html_` and others). Must not know: the socket. For
code, results stay plain mappings. If a page is blocked or closed, the display shows the error as
text: a display method must not raise.
"""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Callable
from typing import Any

from pilothouse.code.run_result import CallFailed
from pilothouse.errors import PilothouseError
from pilothouse.private_files import write_atomically

__all__ = ["Picture", "Rich", "Snapshot", "item_html"]

# Notebooks display values automatically, so that must not take long.
CALL_TIMEOUT_S = 5.0


class Snapshot(dict[str, Any]):
    """A snapshot of a page. `snapshot["text"]` and `str(snapshot)` are its text; that of a stale
    snapshot begins with the reason."""

    def __str__(self) -> str:
        text = str(self.get("text", ""))
        if self.get("stale") and self.get(
            "boundary"
        ):  # without a boundary, the text itself says so
            return f"(older than the page: {self['stale']})\n{text}"
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Picture(dict[str, Any]):
    """An image of a page: `picture["data"]` in base64, with its `mime`, `width` and `height`."""

    # Whether it is in the result of the run already.
    displayed = False

    @property
    def raw(self) -> bytes:
        """The bytes of the image."""
        return base64.b64decode(self["data"])

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write the image to a file and return the absolute path."""
        write_atomically(path, self.raw, 0o666)
        return os.path.abspath(path)

    def __repr__(self) -> str:
        kind = self.get("mime", "image/?")
        return f"<Picture {kind} {self.get('width', '?')}x{self.get('height', '?')}>"

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        return {"text/plain": repr(self), str(self.get("mime", "image/png")): self.get("data", "")}


class Rich:
    """Displays a tab in notebooks: a screenshot, and the page's text below it."""

    name: str
    _call: Callable[..., Any]

    def _call_or_explain(self, method: str) -> Any:
        """Return the result of a call, or the text of its error."""
        try:
            return self._call(method, tab=self.name, timeout=CALL_TIMEOUT_S)
        except (PilothouseError, CallFailed) as error:
            return f"{error.message} ({error.hint})" if error.hint else error.message

    def _repr_html_(self) -> str:
        taken = self._call_or_explain("tab.snapshot")
        return _text_html(taken if isinstance(taken, str) else taken.get("text", ""))

    def _repr_png_(self) -> bytes | None:
        taken = self._call_or_explain("tab.screenshot")
        return None if isinstance(taken, str) else base64.b64decode(taken["data"])

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        taken, below = self._call_or_explain("tab.screenshot"), self._repr_html_()
        if isinstance(taken, str):
            above = _text_html(taken)
            return {
                "text/plain": repr(self),
                "text/html": above if above == below else above + below,
            }
        # Notebooks choose one of the formats, so the HTML contains the picture and the text.
        above = item_html({"mimeType": "image/png", "data": taken["data"]})
        return {
            "text/plain": repr(self),
            "text/html": above + below,
            "image/png": taken["data"],
        }


def item_html(item: dict[str, Any]) -> str:
    """Return an item of a result, a picture or a text, as HTML."""
    if "data" not in item:
        return _text_html(str(item.get("text", "")))
    kind, data = html.escape(str(item["mimeType"])), html.escape(str(item["data"]))
    return f'<img src="data:{kind};base64,{data}" style="max-width:100%">'


def _text_html(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"
