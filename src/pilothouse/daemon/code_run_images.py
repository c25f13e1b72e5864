"""Screenshots that code takes in a run: saved in full, and shown to the model as a smaller copy.

Knows: the size limits for models, and where files go. Must not know: how a screenshot is taken, or
where the code runs.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.page.local_files import save_file
from pilothouse.page.media import MODEL_BYTES, MODEL_EDGE, Screenshot
from pilothouse.security.file_access import FileAccess
from pilothouse.tools.output_files import write_output_in

__all__ = ["RunImages"]

KEPT = 100


class RunImages(msgspec.Struct):
    """The screenshots of one run. `shown` maps a screenshot's id to content items of the result;
    `saved` becomes `details.screenshots`."""

    access: FileAccess
    screenshots: Path | None
    temporary: Path
    shown: dict[str, list[dict[str, Any]]] = msgspec.field(default_factory=dict)
    saved: list[dict[str, Any]] = msgspec.field(default_factory=list)

    async def keep(
        self,
        taken: Screenshot,
        name: str,
        save: str,
        again: Callable[[], Awaitable[Screenshot | None]],
    ) -> dict[str, Any]:
        """Save a screenshot of the tab `name` and prepare the copy for the model.

        `again` takes that copy if this one is too large. Returns the extra fields that the code
        gets. Raises ToolError."""
        kind = taken.mime.rpartition("/")[2]
        path = await asyncio.to_thread(self._write, taken.data, name, kind, save)
        small = len(taken.data) <= MODEL_BYTES and max(taken.width, taken.height) <= MODEL_EDGE
        copy = taken if small else await again()
        about = {"dest": path, "mimeType": taken.mime, "bytes": len(taken.data)}
        self.saved.append({**about, "width": taken.width, "height": taken.height})
        key = f"p{len(self.saved)}"
        self.shown[key] = _items(taken, copy, path)
        if len(self.shown) > KEPT:
            del self.shown[next(iter(self.shown))]
        return {"path": path, "id": key}

    def _write(self, data: bytes, name: str, kind: str, save: str) -> str:
        if save:
            return str(save_file(save, data, self.access))
        if self.screenshots is None:
            return write_output_in(self.temporary, kind, data)
        self.screenshots.mkdir(parents=True, exist_ok=True)
        stem = f"{name.replace('/', '-')}-{time.strftime('%Y%m%d-%H%M%S')}"
        names = (f"{stem}{'' if n == 1 else f'-{n}'}.{kind}" for n in itertools.count(1))
        free = next(one for one in names if not (self.screenshots / one).exists())
        return str(save_file(free, data, FileAccess(writes=(self.screenshots,))))


def _items(taken: Screenshot, copy: Screenshot | None, path: str) -> list[dict[str, Any]]:
    said = f"Screenshot of {taken.width}x{taken.height} in {path}"
    if copy is None:
        return [{"type": "text", "text": f"{said}; too large to show"}]
    if copy is not taken:
        said += f"; shown at {copy.width}x{copy.height}"
    data = base64.b64encode(copy.data).decode()
    image = {"type": "image", "data": data, "mimeType": copy.mime}
    return [{"type": "text", "text": said}, image]
