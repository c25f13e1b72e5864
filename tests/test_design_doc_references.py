"""docs/design.md names code that exists."""

from __future__ import annotations

import re

import pytest

from tests.code_and_docs_rules import ROOT

DESIGN = (ROOT / "docs" / "design.md").read_text("utf-8")
_FILE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|js))`((?:,? `\w+`)*)")


def named() -> list[tuple[str, list[str]]]:
    """Each file that the page names, with the functions and classes named right after it."""
    return [(path, re.findall(r"\w+", names)) for path, names in _FILE.findall(DESIGN)]


def test_the_three_walks_are_there() -> None:
    walks = DESIGN.partition("## 3a.")[2].partition("\n## 4.")[0]
    assert [line for line in walks.splitlines() if line.startswith("**")] == [
        "**A click over MCP**",
        "**An alert**",
        "**A relay command over the extension**",
    ]
    assert len(_FILE.findall(walks)) > 30


@pytest.mark.parametrize(("path", "names"), named())
def test_a_named_file_exists_and_defines_what_is_named(path: str, names: list[str]) -> None:
    base = ROOT if path.startswith(("extension/", "tests/")) else ROOT / "src" / "pilothouse"
    text = (base / path).read_text("utf-8")
    for name in names:
        assert re.search(rf"^\s*(?:async )?(?:def|class) {name}\b", text, re.MULTILINE), name
