"""`pilothouse extension`: installing, pairing and asking, by a person and by a program."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.cli.main import main
from pilothouse.relay.extension.installation import EXTENSION_ID
from tests.cli.conftest import Shell


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose things are all in one folder, and for whom no daemon runs."""
    monkeypatch.setenv("PILOTHOUSE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", str(tmp_path / "rt"))
    return tmp_path


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main(["extension", *words, "--json"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    result: dict[str, Any] = told["result"]
    return result


def test_install_says_what_to_do_and_shows_no_secret(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extension", "install"]) == 0
    out = capsys.readouterr().out
    folder = home / "data" / "extension"
    assert str(folder) in out
    assert "Load unpacked" in out
    assert "Ctrl+L" in out, "file dialogs hide the folder"
    pairing = json.loads((folder / "pairing.json").read_text())
    assert pairing["secret"] not in out
    assert stat.S_IMODE((folder / "pairing.json").stat().st_mode) == 0o600


def test_install_again_keeps_the_pairing_and_says_so(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = asked(capsys, "install", "--port", "19300")
    assert (first["upgraded"], first["port"], first["id"]) == (False, 19300, EXTENSION_ID)
    before = (home / "data" / "extension" / "pairing.json").read_text()
    again = asked(capsys, "install")
    assert (again["upgraded"], again["port"]) == (True, 19300)
    assert (home / "data" / "extension" / "pairing.json").read_text() == before
    assert main(["extension", "install"]) == 0
    assert "press the reload button" in capsys.readouterr().out


def test_install_after_unpair_says_that_it_is_paired_anew(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(capsys, "install")
    asked(capsys, "unpair")
    assert asked(capsys, "status")["paired"] is False
    assert main(["extension", "install"]) == 0
    said = capsys.readouterr().out
    assert "paired again" in said
    assert "kept" not in said
    assert asked(capsys, "status")["paired"] is True


def test_path_is_a_path_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extension", "path"]) == 0
    assert capsys.readouterr().out == f"{home / 'data' / 'extension'}\n"
    told = asked(capsys, "path", "--to", str(home / "else"))
    assert told["path"] == str(home / "else")
    assert told["installed"] is False
    assert (Path(told["source"]) / "manifest.json").is_file()


def test_status_without_a_daemon_starts_none(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = asked(capsys, "status")
    assert (told["installed"], told["paired"], told["connected"]) == (False, False, False)
    assert told["relay"] == {"open": False}
    asked(capsys, "install")
    told = asked(capsys, "status")
    assert (told["installed"], told["paired"], told["outdated"]) == (True, True, False)
    assert not (home / "rt").exists()
    assert main(["extension", "status"]) == 0
    out = capsys.readouterr().out
    assert "paired." in out
    assert "pilothouse relay start" in out


def test_status_tells_a_copy_that_the_relay_does_not_know(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(capsys, "install")
    (home / "data" / "pairings.json").unlink()
    assert asked(capsys, "status")["paired"] is False


def test_a_folder_of_something_else_is_left_alone(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "letter.txt").write_text("dear")
    assert main(["extension", "install", "--to", str(home / "mine")]) == 1
    assert "holds files that are not the Pilothouse extension" in capsys.readouterr().err
    assert (home / "mine" / "letter.txt").read_text() == "dear"


def test_an_extension_that_is_unpaired_is_forgotten_and_its_secret_never_comes_back(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(capsys, "install")
    (row,) = asked(capsys, "list")["extensions"]
    assert (row["connected"], row["profiles"]) == (False, [])
    record = home / "data" / "extension" / "pairing.json"
    before = json.loads(record.read_text())
    assert row["id"] == before["install"]
    told = asked(capsys, "unpair")
    assert told == {"install": row["id"], "unpaired": True, "dropped": 0}
    assert asked(capsys, "list") == {"extensions": []}
    assert asked(capsys, "status")["paired"] is False
    # Installed anew, it has another name and another secret.
    asked(capsys, "install")
    after = json.loads(record.read_text())
    assert after["secret"] != before["secret"]
    pairings = (home / "data" / "pairings.json").read_text()
    assert before["secret"] not in pairings
    assert after["secret"] in pairings
    assert main(["extension", "list"]) == 0
    out = capsys.readouterr().out
    assert after["install"] in out
    assert after["secret"] not in out


def test_unpair_wants_to_know_which_one(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extension", "unpair"]) == 1
    assert "no extension is paired" in capsys.readouterr().err
    for folder in ("one", "two"):
        asked(capsys, "install", "--to", str(home / folder))
    assert main(["extension", "unpair"]) == 1
    assert "2 extensions are paired" in capsys.readouterr().err
    assert main(["extension", "unpair", "install-nobody"]) == 1
    assert "install-nobody" in capsys.readouterr().err
    (one, _) = asked(capsys, "list")["extensions"]
    assert asked(capsys, "unpair", one["id"])["unpaired"] is True
    assert len(asked(capsys, "list")["extensions"]) == 1


@pytest.mark.parametrize("words", [("--help",), ("install", "--help")])
def test_help_has_examples(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extension", *words]) == 0
    out = capsys.readouterr().out
    assert "extension install" in out
    assert "extension pair" in out


@pytest.fixture
def open_relay(shell: Shell) -> Iterator[Shell]:
    shell("relay", "start", "--port", "0")
    yield shell
    shell("relay", "stop")
    (shell.data / "relay.token").unlink()


def test_a_running_relay_gives_codes_and_is_asked_who_is_there(open_relay: Shell) -> None:
    told = open_relay("extension", "pair", "--json").told["result"]
    assert re.fullmatch(r"[A-Z0-9]{4}-[A-Z0-9]{4}", told["code"])
    said = open_relay("extension", "pair")
    assert said.code == 0
    assert "type this code" in said.out
    assert told["code"] not in said.out
    status = open_relay("extension", "status", "--json").told["result"]
    assert status["relay"] == {"open": True, "port": told["port"]}
    assert (status["connected"], status["chromes"]) == (False, [])
    assert "No extension has connected" in open_relay("extension", "status").out


def test_a_running_relay_forgets_one_that_is_unpaired(open_relay: Shell) -> None:
    wrong = open_relay("extension", "unpair", "install-nobody")
    assert wrong.code == 1
    assert "install-nobody" in wrong.err
