"""Finding an installed browser, and what is said when the path is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.browsers import find_browser
from pilothouse.browsers.launcher.browser_executable import check_executable
from pilothouse.errors import BrowserError


def program(place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    return place


def test_named_browser_wins(tmp_path: Path) -> None:
    named = program(tmp_path / "mine")
    assert find_browser({"PILOTHOUSE_BROWSER": str(named), "PATH": "/usr/bin"}) == named


def test_the_browser_of_puppeteer_is_used_unless_ours_is_named(tmp_path: Path) -> None:
    theirs, ours = program(tmp_path / "theirs"), program(tmp_path / "ours")
    program(tmp_path / "google-chrome")
    environ = {"PUPPETEER_EXECUTABLE_PATH": str(theirs), "PATH": str(tmp_path)}
    assert find_browser(environ) == theirs
    assert find_browser({**environ, "PILOTHOUSE_BROWSER": str(ours)}) == ours
    with pytest.raises(BrowserError, match="PUPPETEER_EXECUTABLE_PATH: /nope does not exist"):
        find_browser({"PUPPETEER_EXECUTABLE_PATH": "/nope", "PATH": str(tmp_path)})


def test_chrome_on_the_path_is_preferred_to_brave(tmp_path: Path) -> None:
    program(tmp_path / "brave-browser")
    chrome = program(tmp_path / "google-chrome")
    assert find_browser({"PATH": str(tmp_path)}) == chrome


def test_missing_file_directory_and_plain_file_are_told_apart(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    for path, words in (
        (tmp_path / "none", "does not exist"),
        (tmp_path, "is a directory"),
        (plain, "is not executable"),
        (Path("chromium"), "not an absolute path"),
    ):
        with pytest.raises(BrowserError, match=words) as error:
            check_executable(str(path), "browser")
        assert error.value.hint
        assert "\n" not in error.value.format_line()


def test_app_bundle_names_the_program_inside(tmp_path: Path) -> None:
    inner = program(tmp_path / "Notes.app" / "Contents" / "MacOS" / "Notes")
    with pytest.raises(BrowserError) as error:
        check_executable(str(tmp_path / "Notes.app"), "application")
    assert str(inner) in error.value.hint
