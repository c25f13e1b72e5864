"""Write output that is too large for an answer to files: long texts, PDFs, response bodies.

Knows: the daemon's folder `outputs`. Must not know: which tool wrote what. Only the newest 50
files stay.
"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

from pilothouse.errors import ToolError, plural, write_hint
from pilothouse.page.local_files import save_file, write_file
from pilothouse.tools.context import ToolContext

__all__ = ["OUTPUT_SHOWN", "save", "truncate_output", "write_output", "write_output_in"]

OUTPUT_SHOWN = 10_000
FILES_KEPT = 50


async def write_output(context: ToolContext, ending: str, data: bytes) -> str:
    """Write a file into the daemon's output folder, readable by the user only; return its path."""
    return await asyncio.to_thread(write_output_in, Path(context.settings["outputs"]), ending, data)


def write_output_in(folder: Path, ending: str, data: bytes) -> str:
    """Write a file into a folder and delete all but its newest FILES_KEPT files. Raises
    ToolError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"could not create {folder}: {error.strerror}", hint=write_hint(error)
        ) from error
    written = write_file(f"{secrets.token_hex(6)}.{ending}", data, (folder,))
    found = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for old in found[:-FILES_KEPT]:
        old.unlink(missing_ok=True)
    return str(written)


async def save(context: ToolContext, path: str, data: bytes) -> str:
    """Write a file into a folder that the session may write to; return its path. Raises
    ToolError."""
    return str(await asyncio.to_thread(save_file, path, data, context.session.files))


async def truncate_output(context: ToolContext, text: str, shown: int = OUTPUT_SHOWN) -> str:
    """Return the text, cut to `shown` characters. A longer text is written to a file, and the last
    line names that file."""
    if len(text) <= shown:
        return text
    cut = f"{text[:shown]}\n… cut: {plural(len(text) - shown, 'more character')}"
    try:
        path = await write_output(context, "txt", text.encode("utf-8", "replace"))
    except ToolError as error:
        # The action has happened already, so return what fits although the file failed.
        return f"{cut}; {error.message}"
    return f"{cut}; all of it is in {path}"
