"""Scratch directories are gone afterwards, whatever was done to them."""

from __future__ import annotations

import os
from pathlib import Path

from pilothouse.code.sandbox import scratch


def test_a_directory_is_for_its_user_alone(tmp_path: Path) -> None:
    place = scratch.make(tmp_path)
    assert place.parent == tmp_path
    assert place.stat().st_mode & 0o777 == 0o700


def test_files_links_and_directories_go_and_what_links_lead_to_stays(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept", "utf-8")
    place = scratch.make(tmp_path)
    (place / "sub" / "deeper").mkdir(parents=True)
    (place / "sub" / "deeper" / "file").write_text("x", "utf-8")
    (place / "link").symlink_to(precious)
    (place / "sub" / "link").symlink_to(precious)
    (place / ".moved-1").mkdir()
    scratch.remove(place)
    assert not place.exists()
    assert (precious / "file").read_text("utf-8") == "kept"


def test_directories_deeper_than_a_path_can_say_go(tmp_path: Path) -> None:
    place = scratch.make(tmp_path)
    name = "d" * 200
    opened = os.open(place, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir(name, dir_fd=opened)
        inner = os.open(name, os.O_RDONLY, dir_fd=opened)
        os.close(opened)
        opened = inner
    os.close(opened)
    scratch.remove(place)
    assert not place.exists()


def test_directories_without_rights_go(tmp_path: Path) -> None:
    place = scratch.make(tmp_path)
    (place / "closed" / "inner").mkdir(parents=True)
    (place / "closed" / "inner" / "file").write_text("x", "utf-8")
    for closed in (place / "closed" / "inner", place / "closed", place):
        closed.chmod(0)
    scratch.remove(place)
    assert not place.exists()


def test_what_is_gone_already_is_no_error(tmp_path: Path) -> None:
    scratch.remove(tmp_path / "run-none")


def test_a_sweep_takes_what_was_left_behind_and_nothing_else(tmp_path: Path) -> None:
    scratch.make(tmp_path)
    scratch.make(tmp_path)
    (tmp_path / "other").mkdir()
    scratch.sweep(tmp_path)
    assert [place.name for place in tmp_path.iterdir()] == ["other"]


def test_what_is_too_much_is_said(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"x" * 100_000)
    (tmp_path / "a" / "link").symlink_to("/")
    assert scratch.find_quota_excess(tmp_path, 1 << 20, 10) == ""
    assert "more than 3 files" in scratch.find_quota_excess(tmp_path, 1 << 20, 3)
    assert "more than 0 MB" in scratch.find_quota_excess(tmp_path, 50_000, 10)


def test_a_file_with_holes_counts_as_what_it_takes(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    assert scratch.find_quota_excess(tmp_path, 1 << 20, 10) == ""


def test_what_cannot_be_measured_is_too_much(tmp_path: Path) -> None:
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=at)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    assert "cannot be measured" in scratch.find_quota_excess(tmp_path, 1 << 20, 1000)
    scratch.remove(tmp_path)


def test_what_is_gone_is_not_too_much(tmp_path: Path) -> None:
    assert scratch.find_quota_excess(tmp_path / "gone", 1, 1) == ""
