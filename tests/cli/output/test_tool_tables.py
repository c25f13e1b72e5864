"""Tools and reasons as a person reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pilothouse.cli.output.tool_tables import mark, show_explained, show_tools


def listing(tmp_path: Path, platforms: dict[str, Any]) -> dict[str, Any]:
    verdict = {"on": True, "listed": False, "reason": "by \x1b[31mdefault", "hint": ""}
    tool = {"name": "sail", "about": "go", "toolset": "boats", "source": "", "dangerous": True}
    on = {name: verdict for name, told in platforms.items() if "error" not in told}
    return {
        "config": str(tmp_path / "config.yaml"),
        "platforms": platforms,
        "tools": [{**tool, "tokens": 7, "on": on}],
        "toolsets": [{"name": "boats", "kind": "plugin", "about": "", "tools": [], "includes": []}],
    }


def test_a_platform_that_has_an_error_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_tools(listing(tmp_path, {"cli": {"tools": 1, "tokens": 1234}, "mcp": {"error": "empty"}}))
    out = capsys.readouterr().out
    assert [line.split() for line in out.splitlines()][2] == ["sail", "!", "7", "◌", "✗"]
    assert "cli: 1 of 1 tool, about 1,234 tokens" in out
    assert "mcp: empty" in out


def test_a_reason_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_tools(listing(tmp_path, {"cli": {"tools": 1, "tokens": 5}}))
    out = capsys.readouterr().out
    assert "by ·[31mdefault" in out


def test_a_toolset_without_tools_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    one = {"name": "mcp-shop", "kind": "dynamic toolset", "about": "of shop", "tools": []}
    show_explained({"explained": [one], "tools": {}})
    assert capsys.readouterr().out == "mcp-shop  dynamic toolset  of shop\n  no tools yet\n"


def test_marks() -> None:
    assert [mark(True).plain, mark(True, False).plain, mark(False).plain] == ["●", "◌", "○"]
