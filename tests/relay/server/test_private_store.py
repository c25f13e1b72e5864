"""A private file holds one value: nobody else reads it, and writers do not lose each other's."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.relay.server.private_store import MAX_FILE_BYTES, PrivateStore, write_private


def store(path: Path) -> PrivateStore[dict[str, int]]:
    return PrivateStore(path, dict[str, int], "numbers", "remove it")


def test_a_value_is_read_back_and_the_file_is_private(tmp_path: Path) -> None:
    numbers = store(tmp_path / "new" / "numbers.json")
    assert numbers.read() is None
    with numbers.lock():
        numbers.write({"a": 1})
    assert numbers.read() == {"a": 1}
    assert stat.S_IMODE(numbers.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(numbers.path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", ["", "[]", '{"a": "x"}', "[" * 50_000, "\x00"])
def test_other_content_is_refused_with_the_hint(tmp_path: Path, content: str) -> None:
    numbers = store(tmp_path / "numbers.json")
    numbers.path.touch(0o600)
    numbers.path.write_text(content)
    with pytest.raises(PilothouseError, match="does not hold numbers") as caught:
        numbers.read()
    assert caught.value.hint == "remove it"


def test_a_longer_file_than_any_store_needs_is_refused(tmp_path: Path) -> None:
    numbers = store(tmp_path / "numbers.json")
    write_private(numbers.path, b"{" + b" " * MAX_FILE_BYTES + b"}")
    with pytest.raises(PilothouseError, match="does not hold numbers"):
        numbers.read()


def test_a_file_that_others_can_read_or_a_link_is_refused(tmp_path: Path) -> None:
    numbers = store(tmp_path / "numbers.json")
    numbers.write({"a": 1})
    numbers.path.chmod(0o604)
    with pytest.raises(PilothouseError, match="not a file of yours alone"):
        numbers.read()
    elsewhere = tmp_path / "elsewhere.json"
    numbers.path.rename(elsewhere)
    elsewhere.chmod(0o600)
    numbers.path.symlink_to(elsewhere)
    with pytest.raises(PilothouseError, match="not a file of yours alone"):
        numbers.read()


def test_writers_with_the_lock_do_not_lose_each_others_changes(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"

    def add(number: int) -> None:
        numbers = store(path)
        with numbers.lock():
            numbers.write({**(numbers.read() or {}), str(number): number})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    assert store(path).read() == {str(number): number for number in range(40)}


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    numbers = store(tmp_path / "file" / "numbers.json")
    with pytest.raises(PilothouseError, match="could not lock"), numbers.lock():
        pass
    with pytest.raises(PilothouseError, match="could not write"):
        write_private(numbers.path, b"{}")
