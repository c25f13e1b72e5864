"""Which program an executable is: asked once, and again when it is another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pilothouse.browsers.launcher.browser_version import forget_version, read_version
from pilothouse.browsers.stealth import BrowserBuild


class Program:
    """A script that says what it is, and counts how often it was asked."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "browser"
        self._count = folder / "count"
        self.environ = {"XDG_CACHE_HOME": str(folder / "cache"), "PATH": os.environ["PATH"]}
        self.says("Chromium 156.0.8078.79 built on Debian")

    def says(self, words: str, code: int = 0) -> None:
        self.path.write_text(f"#!/bin/sh\necho x >> {self._count}\necho '{words}'\nexit {code}\n")
        self.path.chmod(0o700)

    @property
    def asked(self) -> int:
        return len(self._count.read_text().splitlines())

    def build(self) -> BrowserBuild | None:
        return read_version(self.path, self.environ)[0]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_it_is_asked_once(program: Program) -> None:
    wanted = BrowserBuild("Chromium", "156.0.8078.79")
    asked = [read_version(program.path, program.environ) for _ in range(2)]
    assert asked == [(wanted, False), (wanted, True)]
    assert program.asked == 1


def test_another_file_is_asked_again(program: Program) -> None:
    program.build()
    program.says("Brave Browser 157.1.80.1")
    assert program.build() == BrowserBuild("Brave Browser", "157.1.80.1")
    assert program.asked == 2


def test_what_is_forgotten_is_asked_again(program: Program) -> None:
    forget_version(program.path, program.environ)
    program.build()
    forget_version(program.path, program.environ)
    program.build()
    assert program.asked == 2


def test_what_makes_no_sense_is_not_remembered(program: Program) -> None:
    program.says("hello")
    assert [program.build(), program.build()] == [None, None]
    assert program.asked == 2


def test_a_program_that_fails_is_not_remembered(program: Program) -> None:
    program.says("Chromium 156.0.8078.79", code=1)
    with pytest.raises(OSError, match="does not print its version"):
        program.build()
    program.says("Chromium 156.0.8078.79")
    assert program.build() is not None


@pytest.mark.parametrize("broken", ["", "{", "[1]", '{"x": 5}'])
def test_a_broken_memory_is_no_harm(program: Program, broken: str) -> None:
    program.build()
    kept = Path(program.environ["XDG_CACHE_HOME"]) / "pilothouse" / "builds.json"
    kept.write_text(broken)
    assert program.build() == BrowserBuild("Chromium", "156.0.8078.79")
    assert program.asked == 2
