"""Pictures that code takes in a run: kept whole in a file, and shown to the model as a copy within
its limits.

Knows: how large a picture may be for a model, and where its file goes. Must not know: how it is
taken, or where the code is.
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

__all__ = ["RunImages", "format_of"]

KEPT = 100


class RunImages(msgspec.Struct):
    """The pictures of one run. `shown` are the items of the result, by the name of a picture;
    `saved` is `details.screenshots`."""

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
        """Write a picture of the tab `name` to its file, and have a copy for the model, which
        `again` takes if this one is too large; the fields that code gets besides. Raises
        ToolError."""
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
        return [{"type": "text", "text": f"{said}; it is too large to be shown"}]
    if copy is not taken:
        said += f"; shown at {copy.width}x{copy.height}"
    data = base64.b64encode(copy.data).decode()
    image = {"type": "image", "data": data, "mimeType": copy.mime}
    return [{"type": "text", "text": said}, image]


def format_of(path: str) -> str:
    """The format of a picture by the name of its file."""
    ending = path.rpartition(".")[2].lower()
    return {"jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"}.get(ending, "png")
