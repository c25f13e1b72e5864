"""Records of actions on disk."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.input import action_records_on_disk as module
from pilothouse.page.input.action_records_on_disk import ActionRecorder, RecordSources


async def markdown() -> str:
    return '# Sign in\n- textbox "Password" [ref=e1]: geheim\n'


async def image() -> bytes:
    return b"\xff\xd8picture"


async def fails() -> str:
    raise RuntimeError("the page went away")


SOURCES = RecordSources(
    markdown, markdown, image, lambda: ["log: Bearer abcdefghijkl", "log: ready"]
)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]


async def test_an_action_is_kept_with_all_its_parts(tmp_path: Path) -> None:
    capture = ActionRecorder(tmp_path / "records")
    record = await capture.record(
        "click e1 <Save>",
        {"dialog": None, "typed": "hunter22"},
        url="https://a.example/?token=abcdef",
        title="Sign in",
        sources=SOURCES,
        secrets=["hunter22"],
    )
    assert record is not None
    assert record.folder.name == "000001-click-e1-save"
    assert set(record.files) == {
        "action.json",
        "page.md",
        "page.html",
        "screen.jpg",
        "console.txt",
    }
    (line,) = lines(capture.directory)
    assert (line["n"], line["folder"], line["title"]) == (1, record.folder.name, "Sign in")
    text = "".join(p.read_text("latin-1") for p in capture.directory.rglob("*") if p.is_file())
    for secret in ("geheim", "hunter22", "abcdef"):
        assert secret not in text
    assert "log: ready" in text


async def test_records_are_private(tmp_path: Path) -> None:
    capture = ActionRecorder(tmp_path / "records")
    await capture.record("click", sources=SOURCES)
    for path in (capture.directory, *capture.directory.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


async def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    capture = ActionRecorder(tmp_path / "records", keep=3)
    for number in range(6):
        await capture.record(f"click {number}")
    kept = ["000004-click-3", "000005-click-4", "000006-click-5"]
    assert sorted(p.name for p in capture.directory.iterdir() if p.is_dir()) == kept
    assert [line["folder"] for line in lines(capture.directory)] == kept


async def test_the_bytes_are_limited_too(tmp_path: Path) -> None:
    async def large() -> bytes:
        return os.urandom(40_000)

    capture = ActionRecorder(tmp_path / "records", limit_mb=0.1)
    for _ in range(5):
        await capture.record("click", sources=RecordSources(image=large))
    size = sum(p.stat().st_size for p in capture.directory.rglob("*") if p.is_file())
    assert size < 110_000
    assert len(lines(capture.directory)) == 2


async def test_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    await ActionRecorder(tmp_path).record("first")
    record = await ActionRecorder(tmp_path).record("second")
    assert record is not None
    assert record.number == 2
    assert [line["action"] for line in lines(tmp_path)] == ["first", "second"]


async def test_a_part_that_fails_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    record = await ActionRecorder(tmp_path).record("click", sources=RecordSources(fails, markdown))
    assert record is not None
    assert record.problems == ("page.md: RuntimeError: the page went away",)
    assert set(record.files) == {"action.json", "page.html"}


async def test_a_directory_that_cannot_be_had_does_not_fail_the_action(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert await ActionRecorder(tmp_path / "file").record("click") is None
    (tmp_path / "link").symlink_to(tmp_path)
    assert await ActionRecorder(tmp_path / "link").record("click") is None
    assert "could not record an action" in caplog.text


async def test_nothing_is_kept_while_paused(tmp_path: Path) -> None:
    capture = ActionRecorder(tmp_path / "records")
    capture.paused = True
    assert await capture.record("type a password") is None
    assert not capture.directory.exists()


async def test_records_made_at_once_have_numbers_of_their_own(tmp_path: Path) -> None:
    capture = ActionRecorder(tmp_path)
    records = await asyncio.gather(*(capture.record("click") for _ in range(5)))
    assert [r.number for r in records if r] == [1, 2, 3, 4, 5]


async def test_a_page_without_end_is_cut(tmp_path: Path) -> None:
    async def endless() -> str:
        return "x " * module.LONGEST_TEXT

    record = await ActionRecorder(tmp_path).record("look", sources=RecordSources(endless))
    assert record is not None
    text = (record.folder / "page.md").read_text()
    assert text.endswith("characters in all]")
    assert len(text) < module.LONGEST_TEXT + 100


async def test_half_a_line_in_the_index_does_not_matter(tmp_path: Path) -> None:
    capture = ActionRecorder(tmp_path)
    await capture.record("first")
    with (tmp_path / "index.jsonl").open("a") as index:
        index.write('{"n": 2, "fol')
    await capture.record("second")
    assert [line["action"] for line in lines(tmp_path)] == ["first", "second"]


def test_limits_must_make_sense(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="greater than 0"):
        ActionRecorder(tmp_path, keep=0)
