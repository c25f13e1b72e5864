"""Files that belong to one user: token files, and files written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.private_files import load_or_create_token, write_atomically
from tests.small_disk import small_disk


def test_a_token_is_made_once_and_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = load_or_create_token(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(token) == 43
    assert load_or_create_token(path) == token


def test_a_token_that_others_could_read_or_lay_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    load_or_create_token(path)
    path.chmod(0o640)
    with pytest.raises(PilothouseError, match="not a private token file of yours"):
        load_or_create_token(path)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PilothouseError, match="not a private token file of yours"):
        load_or_create_token(path)
    path.unlink()
    path.touch(0o600)
    with pytest.raises(PilothouseError, match="not a private token file of yours"):
        load_or_create_token(path)
    assert not os.path.lexists(tmp_path / "elsewhere")


def test_file_is_written_whole_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_file_that_must_be_new_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one", replace=False)
    with pytest.raises(FileExistsError):
        write_atomically(path, b"two", replace=False)
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_link_stays_a_link_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"one")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", b"two")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"two"
    with pytest.raises(OSError, match="No space left on device"):
        write_atomically("/dev/full", b"three")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_full_disk_leaves_the_older_file_and_no_draft() -> None:
    with small_disk() as disk:
        path = disk.path / "file"
        path.write_bytes(b"one")
        disk.fill()
        with pytest.raises(OSError, match="No space left on device"):
            write_atomically(path, b"x" * 9000)
        assert path.read_bytes() == b"one"
        assert disk.drafts() == []
