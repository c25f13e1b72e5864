"""Settings from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pilothouse.cli.commands.config import rows
from pilothouse.cli.main import main
from pilothouse.settings import load


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "sub" / "config.yaml"
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(path))
    for name in ("PILOTHOUSE_BROWSER", "PILOTHOUSE_CDP_URL", "PILOTHOUSE_STEALTH"):
        monkeypatch.delenv(name, raising=False)
    return path


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main(["config", *words, "--json"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_a_setting_is_written_read_and_listed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = asked(capsys, "set", "browser.stealth", "off")
    assert told == {"ok": True, "result": {"browser.stealth": "off", "path": str(file)}}
    assert asked(capsys, "get", "browser.stealth")["result"] == "off"
    assert asked(capsys, "list")["result"]["browser.stealth"] == "off"
    assert [name for name, _, changed in rows(load()) if changed] == ["browser.stealth"]


def test_the_path_is_told_before_there_is_a_file(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(capsys, "path")["result"] == {"path": str(file), "exists": False}


def test_a_wrong_name_or_value_is_refused_with_the_right_one(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "get", "browser.headles"]) == 1
    assert "did you mean browser.headless?" in capsys.readouterr().err
    assert main(["config", "set", "browser.stealth", "yes"]) == 1
    assert "one of off, minimal, full" in capsys.readouterr().err
    assert main(["config", "get"]) == 2
    assert main(["config", "set", "browser.stealth"]) == 2
    assert not file.exists()


def test_people_read_a_table(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "list"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["browser.headless", "true"] in lines
    assert ["browser.args", "(none)"] in lines


def test_what_comes_out_of_the_editor_is_checked(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = file.parent.parent / "editor.py"
    script.write_text("import sys; open(sys.argv[1], 'w').write('browser:\\n  stealth: loud\\n')")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    assert main(["config", "edit"]) == 1
    assert "config.yaml:2" in capsys.readouterr().err
    script.write_text("import sys; open(sys.argv[1], 'w').write('browser:\\n  stealth: full\\n')")
    assert main(["config", "edit"]) == 0
    assert load().browser.stealth == "full"
    monkeypatch.setenv("VISUAL", "/nowhere/editor")
    assert main(["config", "edit"]) == 1
    assert "/nowhere/editor" in capsys.readouterr().err
