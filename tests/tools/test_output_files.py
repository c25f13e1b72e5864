"""What is too large for an answer is in a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pilothouse.errors import ToolError
from pilothouse.security.file_access import FileAccess
from pilothouse.tools.output_files import (
    FILES_KEPT,
    OUTPUT_SHOWN,
    save,
    truncate_output,
    write_output,
)
from tests.tools.fake_tool_context import Daemon, context_for


async def test_short_text_stays_as_it_is(tmp_path: Path) -> None:
    context = context_for(Daemon(), tmp_path)
    assert await truncate_output(context, "x" * OUTPUT_SHOWN) == "x" * OUTPUT_SHOWN
    assert not (tmp_path / "outputs").exists()


def test_long_text_is_cut_and_names_the_file_with_all_of_it(tmp_path: Path) -> None:
    context = context_for(Daemon(), tmp_path)
    text = "ä" * (OUTPUT_SHOWN + 5)
    told = asyncio.run(truncate_output(context, text))
    assert told.startswith("ä" * OUTPUT_SHOWN + "\n… cut: 5 more characters; ")
    path = Path(told.rpartition(" is in ")[2])
    assert path.read_text("utf-8") == text
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0


async def test_only_the_newest_files_are_kept(tmp_path: Path) -> None:
    context = context_for(Daemon(), tmp_path)
    paths = [
        await write_output(context, "txt", str(number).encode()) for number in range(FILES_KEPT + 3)
    ]
    left = {str(path) for path in (tmp_path / "outputs").iterdir()}
    assert left == set(paths[3:])


def test_files_are_saved_below_the_folders_a_client_named(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        root.mkdir()
    context = context_for(Daemon(), tmp_path)
    context.session.files = FileAccess(writes=(one, two))
    assert asyncio.run(save(context, "a.png", b"1")) == str(one / "a.png")
    assert asyncio.run(save(context, str(two / "b.png"), b"2")) == str(two / "b.png")
    assert (two / "b.png").read_bytes() == b"2"
    for outside in (str(tmp_path / "c.png"), "../c.png", str(two / "../c.png")):
        with pytest.raises(ToolError, match="is refused"):
            asyncio.run(save(context, outside, b"3"))
    assert not (tmp_path / "c.png").exists()
