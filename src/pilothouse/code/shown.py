"""How a tab shows itself in a notebook: a picture above, the page's text below."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable
from typing import Any

__all__ = ["Rich"]


class Rich:
    """What notebooks ask an object for."""

    name: str
    _call: Callable[..., Any]

    def _repr_html_(self) -> str:
        taken = self._call("tab.snapshot", tab=self.name)
        return f"<pre>{html.escape(taken['text'])}</pre>"

    def _repr_png_(self) -> bytes:
        return base64.b64decode(self._call("tab.screenshot", tab=self.name)["data"])
