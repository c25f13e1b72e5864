"""Every error kind and every environment variable is documented, and every picture is shown.

Settings, commands and tools have tests of their own (tests/test_settings.py,
tests/cli/test_help.py, tests/tools/test_catalog.py)."""

from __future__ import annotations

import re

from pilothouse import errors
from tests.code_and_docs_rules import ROOT, markdown_files, python_files

PAGE = (ROOT / "docs" / "errors.md").read_text("utf-8")
_KIND = re.compile(r"""["']kind["']: ["']([A-Z]\w+)["']|\bkind ?= ?["']([A-Z]\w+)["']""")
# Kinds of something else: CDP's resource types.
_NOT_ERRORS = {"XHR"}

# How the code names an environment variable: by a prefix of ours and of others, or by reading it.
_VARIABLE = re.compile(
    r"""["'{$]((?:PILOTHOUSE|PUPPETEER|XDG)_[A-Z_]*[A-Z])\b|environ(?:\.get\(|\[)["']([A-Z_]+)["']"""
)
# Marks a browser's processes; Pilothouse sets it, and no user does.
_INTERNAL_VARIABLES = {"PILOTHOUSE_RUN"}


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


def test_every_environment_variable_that_the_product_reads_is_documented() -> None:
    pages = "".join(path.read_text("utf-8") for path in markdown_files())
    documented = set(re.findall(r"`([A-Z][A-Z_]+)`", pages))
    read = {
        name
        for source in python_files("src")
        for pair in _VARIABLE.findall(source.text)
        for name in pair
        if name
    }
    assert {"PILOTHOUSE_OWNER", "PILOTHOUSE_TOKEN", "XDG_DATA_HOME", "TZ"} <= read
    assert read - documented - _INTERNAL_VARIABLES == set(), "describe these in docs/"


def test_every_picture_is_shown_in_some_page() -> None:
    pages = "".join(path.read_text("utf-8") for path in markdown_files())
    pictures = sorted((ROOT / "docs" / "pictures").iterdir())
    assert pictures
    assert [one.name for one in pictures if f"pictures/{one.name})" not in pages] == []
