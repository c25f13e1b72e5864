"""The extension gets to the user: copied whole, paired, and safe from others."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.relay.extension import installation
from pilothouse.relay.server.pairing_store import PairingStore


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PILOTHOUSE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_id_is_that_of_the_key_in_the_manifest() -> None:
    manifest = json.loads((installation.source_dir() / "manifest.json").read_text())
    assert installation.id_of_key(manifest["key"]) == installation.EXTENSION_ID
    assert manifest["version"] == installation.source_version()


def test_installed_copy_is_whole_paired_and_the_users_alone(data: Path) -> None:
    done = installation.install()
    assert done.folder == data / "extension" == installation.default_folder()
    wanted = {
        p.relative_to(installation.source_dir()) for p in installation.source_dir().rglob("*")
    }
    copied = {p.relative_to(done.folder) for p in done.folder.rglob("*")}
    assert copied == wanted | {Path("pairing.json"), Path("scripts.json")}
    assert (mode(done.folder), mode(done.folder / "pairing.json")) == (0o700, 0o600)
    assert mode(installation.pairings_path()) == 0o600
    record = json.loads((done.folder / "pairing.json").read_text())
    assert record == {"install": done.install, "secret": done.secret, "port": 19222}
    assert PairingStore(installation.pairings_path()).secret_of(done.install) == done.secret
    assert len(done.secret) >= 43
    assert done.secret not in repr(done)


def test_upgrade_keeps_the_pairing_and_leaves_nothing_of_the_old(data: Path) -> None:
    first = installation.install(port=19300)
    (first.folder / "old.js").write_text("gone with the next version")
    again = installation.install()
    assert (again.install, again.secret, again.port) == (first.install, first.secret, 19300)
    assert (first.upgraded, again.upgraded) == (False, True)
    assert not (again.folder / "old.js").exists()
    assert sorted(p.name for p in data.iterdir() if not p.name.endswith(".lock")) == [
        "extension",
        "pairings.json",
    ]


def test_a_copy_whose_pairing_is_broken_is_paired_anew(data: Path) -> None:
    first = installation.install()
    (first.folder / "pairing.json").write_text("{")
    found = installation.installed()
    assert found is not None
    assert found.paired is False
    again = installation.install()
    assert again.secret != first.secret
    assert PairingStore(installation.pairings_path()).secret_of(again.install) == again.secret


def test_two_folders_have_two_secrets(data: Path, tmp_path: Path) -> None:
    one, two = installation.install(tmp_path / "one"), installation.install(tmp_path / "two")
    assert one.secret != two.secret
    assert PairingStore(installation.pairings_path()).installs() == [one.install, two.install]


def test_nothing_of_others_is_overwritten(data: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(PilothouseError, match="holds files that are not the Pilothouse extension"):
        installation.install(tmp_path / "mine")
    # Another extension is something else too.
    (tmp_path / "mine" / "manifest.json").write_text('{"version": "1", "key": "QUJD"}')
    with pytest.raises(PilothouseError, match="holds files that are not the Pilothouse extension"):
        installation.install(tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    assert not installation.pairings_path().exists()


def test_an_empty_folder_is_used(data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert installation.install(tmp_path / "empty").upgraded is False


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_wrong_port_is_refused_before_anything_is_written(data: Path, port: int) -> None:
    with pytest.raises(PilothouseError, match="out of range; expected 1 to 65535"):
        installation.install(port=port)
    assert not data.exists()


def test_a_folder_that_cannot_be_made_is_said(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PilothouseError):
        installation.install(tmp_path / "file" / "below")
    assert not installation.pairings_path().exists()


def test_what_is_not_there_is_not_installed(data: Path, tmp_path: Path) -> None:
    assert installation.installed() is None
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_text("[]")
    assert installation.installed(tmp_path / "odd") is None
