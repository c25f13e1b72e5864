"""What is too large for an answer, as files: the rest of a long text, a PDF.

Knows: the daemon's folder for them. Must not know: which tool wrote what. Only the newest are kept.
"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

from pilothouse.errors import ToolError
from pilothouse.page.local_files import save_file, write_file
from pilothouse.tools.context import ToolContext

__all__ = ["OUTPUT_SHOWN", "cut", "keep", "keep_in", "save"]

OUTPUT_SHOWN = 10_000
FILES_KEPT = 50


async def keep(context: ToolContext, ending: str, data: bytes) -> str:
    """Write a file that only the user can read; its path."""
    return await asyncio.to_thread(keep_in, Path(context.settings["outputs"]), ending, data)


def keep_in(folder: Path, ending: str, data: bytes) -> str:
    """The same in a folder, of which only the newest files are kept. Raises ToolError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"could not make {folder}: {error.strerror}", hint="free space on that disk"
        ) from error
    written = write_file(f"{secrets.token_hex(6)}.{ending}", data, (folder,))
    found = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for old in found[:-FILES_KEPT]:
        old.unlink(missing_ok=True)
    return str(written)


async def save(context: ToolContext, path: str, data: bytes) -> str:
    """Write a file where the session may; where it is. Raises ToolError."""
    return str(await asyncio.to_thread(save_file, path, data, context.session.files))


async def cut(context: ToolContext, text: str, shown: int = OUTPUT_SHOWN) -> str:
    """A text that is short enough for an answer; all of it is in a file that its end names."""
    if len(text) <= shown:
        return text
    try:
        path = await keep(context, "txt", text.encode("utf-8", "replace"))
    except ToolError as error:
        # The tool has done its work: what it shows must not be lost with the rest.
        return f"{text[:shown]}\n… cut: {len(text) - shown} more characters; {error.message}"
    return f"{text[:shown]}\n… cut: {len(text) - shown} more characters; all of it is in {path}"
