"""Every error kind is in docs/errors.md; settings, variables, commands and tools have tests of
their own (tests/test_settings.py, tests/scripts)."""

from __future__ import annotations

import re

from pilothouse import errors
from tests.code_and_docs_rules import ROOT, markdown_files, python_files

PAGE = (ROOT / "docs" / "errors.md").read_text("utf-8")
_KIND = re.compile(r"""["']kind["']: ["']([A-Z]\w+)["']|\bkind ?= ?["']([A-Z]\w+)["']""")
# Kinds of something else: CDP's resource types.
_NOT_ERRORS = {"XHR"}


def _kinds() -> set[str]:
    """The kinds that the code writes by name, and the exceptions' names."""
    written = {
        found
        for source in python_files("src")
        for pair in _KIND.findall(source.text)
        for found in pair
        if found
    }
    classes = {name for name in errors.__all__ if name[0].isupper()}
    return (written | classes | {"Blocked", "Refused", "RunFailed"}) - _NOT_ERRORS


def test_every_error_kind_is_documented() -> None:
    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    documented = {kind for row in rows for kind in re.findall(r"`(\w+)`", row)}
    assert _kinds() - documented == set(), "describe these in docs/errors.md"
    assert documented - _kinds() == set(), "these are gone: take them out of docs/errors.md"


def test_every_picture_is_shown_in_some_page() -> None:
    pages = "".join(path.read_text("utf-8") for path in markdown_files())
    pictures = sorted((ROOT / "docs" / "pictures").iterdir())
    assert pictures
    assert [one.name for one in pictures if f"pictures/{one.name})" not in pages] == []
