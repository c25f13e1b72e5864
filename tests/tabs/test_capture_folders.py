"""Captures on disk: whole, private, and limited."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from pilothouse.tabs.capture_folders import CaptureFolders, capture_name


def _folders(root: Path, **limits: int) -> CaptureFolders:
    return CaptureFolders(root, **{"most_bytes": 1_000_000, **limits})


def _kept(root: Path) -> list[str]:
    return sorted(folder.name for folder in root.glob("*/*/*"))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("navigate", "003-navigate"),
        ("click Save all…", "003-click-Save-all"),
        ("click ../../etc/passwd", "003-click-etc-passwd"),
        ("…", "003-action"),
        ("x" * 200, f"003-{'x' * 40}"),
    ],
)
def test_a_capture_is_named_after_its_number_and_action(words: str, name: str) -> None:
    assert capture_name(3, words) == name


def test_a_capture_is_private_and_whole(tmp_path: Path) -> None:
    root = tmp_path / "data" / "captures"
    folders = _folders(root)
    folder = folders.session_folder("ann/../bob", "main") / "001-navigate"
    folders.write(folder, {"page.md": b"text", "receipt.json": b"{}"})
    assert root in folder.parents
    assert sorted(os.listdir(folder.parent)) == ["001-navigate"]
    assert (folder / "page.md").read_bytes() == b"text"
    for path in (root, *root.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_two_tabs_of_one_name_have_folders_of_their_own(tmp_path: Path) -> None:
    folders = _folders(tmp_path)
    first, second = (folders.session_folder("ann", "main") for _ in range(2))
    assert first != second


def test_the_oldest_captures_go_when_the_bytes_are_too_many(tmp_path: Path) -> None:
    folders = _folders(tmp_path / "captures", most_bytes=250)
    old, new = (folders.session_folder(owner, "main") for owner in ("ann", "bob"))
    folders.write(old / "001-a", {"a": b"x" * 100})
    for number in (1, 2, 3):
        folders.write(new / f"00{number}-b", {"b": b"x" * 100})
    assert _kept(folders.root) == ["002-b", "003-b"]
    assert not old.parent.exists(), "the folders of an owner without captures go, too"
    assert folders.count() == (2, 200)
    folders.write(new / "004-large", {"b": b"x" * 1000})
    assert _kept(folders.root) == ["004-large"]


def test_the_oldest_captures_go_when_the_files_are_too_many(tmp_path: Path) -> None:
    folders = _folders(tmp_path, most_files=5)
    session = folders.session_folder("ann", "main")
    for number in range(1, 5):
        folders.write(session / f"00{number}-a", {"a": b"x", "b": b"x"})
    assert _kept(tmp_path) == ["003-a", "004-a"]


def test_captures_of_an_earlier_daemon_count(tmp_path: Path) -> None:
    before = _folders(tmp_path)
    folder = before.session_folder("ann", "main") / "001-a"
    before.write(folder, {"a": b"x" * 100})
    after = _folders(tmp_path, most_bytes=150)
    assert after.count() == (1, 100)
    later = after.session_folder("ann", "main")
    assert later != folder.parent
    after.write(later / "001-b", {"a": b"x" * 100})
    assert _kept(tmp_path) == ["001-b"]


def test_captures_may_be_deleted_at_any_time(tmp_path: Path) -> None:
    folders = _folders(tmp_path / "captures", most_files=1)
    session = folders.session_folder("ann", "main")
    folders.write(session / "001-a", {"a": b"x"})
    shutil.rmtree(folders.root)
    folders.write(session / "002-a", {"a": b"x"})
    assert _kept(folders.root) == ["002-a"]


def test_a_capture_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    folders = _folders(tmp_path)
    session = folders.session_folder("ann", "main")
    with pytest.raises(OSError, match="No such file"):
        folders.write(session / "001-a", {"a": b"x", "no/such": b"x"})
    assert list(session.iterdir()) == []


def test_a_root_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "captures").symlink_to(tmp_path / "elsewhere")
    folders = _folders(tmp_path / "captures")
    with pytest.raises(OSError, match="link"):
        folders.write(folders.session_folder("ann", "main") / "001-a", {"a": b"x"})
    assert list((tmp_path / "elsewhere").iterdir()) == []
