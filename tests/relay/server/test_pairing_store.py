"""The file of pairings: whose it is, and that it is never half written."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.relay.server.pairing_store import PairingStore


def test_what_is_kept_is_found_by_whoever_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "pairings.json"
    first, second = PairingStore(path), PairingStore(path)
    assert first.secret_of("install-1") is None
    assert first.installs() == []
    first.add("install-1", "one")
    second.add("install-2", "two")
    assert first.secret_of("install-2") == "two"
    first.add("install-1", "another")
    assert second.secret_of("install-1") == "another"
    assert second.installs() == ["install-1", "install-2"]
    assert second.remove("install-1")
    assert not second.remove("install-1")
    assert first.secret_of("install-1") is None


def test_the_file_is_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "pairings.json"
    PairingStore(path).add("install-1", "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    # Nothing half written is left behind.
    assert {found.name for found in path.parent.iterdir()} == {
        "pairings.json",
        "pairings.json.lock",
    }


def test_a_file_that_others_could_read_or_lay_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairings.json"
    pairings = PairingStore(path)
    pairings.add("install-1", "a-secret")
    path.chmod(0o640)
    with pytest.raises(PilothouseError, match="not a file of yours alone") as caught:
        pairings.secret_of("install-1")
    assert "a-secret" not in caught.value.format_line()
    path.unlink()
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text("{}")
    elsewhere.chmod(0o600)
    path.symlink_to(elsewhere)
    with pytest.raises(PilothouseError, match="not a file of yours alone"):
        pairings.add("install-1", "a-secret")
    assert elsewhere.read_text() == "{}"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', "[" * 50_000, "\x00"])
def test_what_is_no_list_of_pairings_is_refused_and_not_overwritten(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "pairings.json"
    path.touch(0o600)
    path.write_text(text)
    pairings = PairingStore(path)
    with pytest.raises(PilothouseError, match="does not hold pairings"):
        pairings.secret_of("install-1")
    with pytest.raises(PilothouseError, match="does not hold pairings"):
        pairings.add("install-1", "s")
    assert path.read_text() == text


def test_two_who_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pairings.json"
    names = [f"install-{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: PairingStore(path).add(name, "s"), names))
    assert sorted(json.loads(path.read_text())) == sorted(names)


@pytest.mark.parametrize(("install", "secret"), [("", "s"), ("../x", "s"), ("install-1", "")])
def test_what_is_no_pairing_is_not_kept(tmp_path: Path, install: str, secret: str) -> None:
    path = tmp_path / "pairings.json"
    with pytest.raises(ValueError, match="no install"):
        PairingStore(path).add(install, secret)
    assert not path.exists()
