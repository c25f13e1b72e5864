"""The tools from the command line, with a real daemon behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Shell


@pytest.fixture
def config(shell: Shell) -> Iterator[Path]:
    """The file of choices, gone after each test."""
    path = Path(shell.environment["PILOTHOUSE_CONFIG"])
    yield path
    path.unlink(missing_ok=True)


def test_without_a_terminal_the_list_is_printed(shell: Shell, config: Path) -> None:
    ran = shell("tools")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split() == ["tool", "tokens", "cli", "mcp", "api-server", "acp", "side-panel"]
    (click,) = (line.split() for line in lines if line.startswith("  browser_click"))
    assert click[2:] == ["●"] * 5
    (execute,) = (line.split() for line in lines if line.startswith("  execute "))
    assert execute[:2] + execute[3:] == ["execute", "!", *["○"] * 5]
    assert any(line.startswith("mcp: ") and "about" in line for line in lines)
    assert shell("tools", "list").out == ran.out


def test_the_list_of_one_platform_says_why(shell: Shell, config: Path) -> None:
    config.write_text("tools:\n  deny: [browser_cdp]\n")
    out = shell("tools", "list", "--platform", "mcp").out
    assert "by default: mcp > browser" in out
    assert "denied by tools.deny (config.yaml:2): browser_cdp" in out
    lean = shell("tools", "list", "--toolsets", "lean", "--json").told["result"]
    assert lean["platforms"]["cli"]["tools"] == 3
    on = {tool["name"]: tool["on"]["cli"] for tool in lean["tools"]}
    assert (on["browser_click"]["on"], on["browser_click"]["listed"]) == (True, False)


def test_a_tool_is_switched_and_the_daemon_heeds_it_at_once(shell: Shell, config: Path) -> None:
    config.write_text("# mine\n")
    refused = shell("tool", "execute", "code=1+1")
    assert refused.code == 1
    assert "execute is off: dangerous: off until it is named explicitly" in refused.err
    assert "pilothouse tools enable execute --platform cli" in refused.err
    told = shell.json("tools", "enable", "execute", "--platform", "cli")
    assert told["changed"] == {"cli": ["execute"]}
    assert config.read_text().startswith("# mine\n")
    assert "is off" not in shell("tool", "execute", "code=1+1").err
    assert shell("tools", "enable", "execute", "--platform", "cli").out == "Already on.\n"
    assert "cli: off now: execute" in shell("tools", "disable", "execute").out


def test_disabling_and_enabling_again_leaves_no_trace(shell: Shell, config: Path) -> None:
    out = shell("tools", "disable", "web", "browser_cdp").out
    assert "mcp: off now: browser_cdp, web_search, web_extract" in out.replace(
        "web_search, web_extract, browser_cdp", "browser_cdp, web_search, web_extract"
    )
    assert shell("tools", "enable", "web", "browser_cdp").code == 0
    assert config.read_text() == ""
    config.write_text("# mine\n")
    assert shell("tools", "disable", "web", "--platform", "mcp").code == 0
    assert shell("tools", "enable", "web", "--platform", "mcp").code == 0
    assert config.read_text() == "# mine\n"


def test_what_cannot_follow_is_refused_and_nothing_is_written(shell: Shell, config: Path) -> None:
    config.write_text("tools:\n  deny: [web_search]\n")
    ran = shell("tools", "enable", "web_search")
    assert ran.code == 1
    assert "web_search cannot be switched on for cli: denied by tools.deny" in ran.err
    ran = shell("tools", "disable", "*")
    assert (ran.code, "no tool is left" in ran.err) == (1, True)
    ran = shell("tools", "disable", "brwser")
    assert (ran.code, "did you mean browser?" in ran.err) == (1, True)
    assert config.read_text() == "tools:\n  deny: [web_search]\n"


def test_why_is_explained_for_tools_toolsets_and_patterns(shell: Shell, config: Path) -> None:
    out = shell("tools", "explain", "browser_cookies").out
    assert "browser_cookies  in browser-data, about" in out
    assert "○ mcp        not in mcp by default" in out
    assert "pilothouse tools enable browser_cookies --platform mcp" in out
    told = shell.json("tools", "explain", "safe", "web_*", "tool:browser", "--platform", "mcp")
    assert [one["kind"] for one in told["explained"]] == ["composite toolset", "pattern", "tool"]
    assert told["tools"]["browser"]["on"]["mcp"]["reason"] == "not in mcp by default"
    ran = shell("tools", "explain", "nonsense")
    assert (ran.code, "unknown tool or toolset 'nonsense'" in ran.err) == (1, True)


def test_a_file_that_is_wrong_is_named_with_line_and_field(shell: Shell, config: Path) -> None:
    config.write_text("tools:\n  disable:\n    - browser: [x]\n")
    ran = shell("tools", "list")
    assert ran.code == 1
    assert f"{config}:3: tools.disable: expected a name, not a list" in ran.err


def test_wrong_words_are_wrong_usage(shell: Shell) -> None:
    assert shell("tools", "enable").code == 2
    assert shell("tools", "list", "web").code == 2
    assert shell("tools", "enable", "web", "--toolsets", "web").code == 2
    assert shell("tool", "browser_click", "ref").code == 2
    assert shell("tool", "browser_click", "ref:=e1").code == 2
    assert shell("tool", "browser_click", "-", stdin="[1]").code == 2


@pytest.mark.browser
def test_any_tool_is_called_and_its_answer_printed(shell: Shell, config: Path) -> None:
    page = "data:text/html,<title>Boats</title><button onclick=alert(1)>Go</button>"
    ran = shell("tool", "browser_navigate", f"url={page}")
    assert ran.code == 0, ran.err
    assert "Boats" in ran.out
    ran = shell("tool", "browser_snapshot", "interactive:=true")
    assert 'button "Go"' in ran.out
    told = shell("tool", "browser_snapshot", "-", "--json", stdin='{"interactive": true}').told
    assert told["result"]["success"]
    blocked = shell("tool", "browser_click", "ref=button=Go")
    assert blocked.code == 3
    assert "pilothouse dialog accept d-1" in blocked.out
    assert shell("tool", "browser_dialog", "action=accept").code == 0


@pytest.mark.browser
def test_a_refused_call_says_what_is_wrong(shell: Shell, config: Path) -> None:
    ran = shell("tool", "browser_clik")
    assert (ran.code, "did you mean browser_click?" in ran.err) == (1, True)
    told = shell("tool", "browser_click", "reff=e1", "--json").told
    assert told["ok"] is False
    assert "reff" in told["error"]["message"]
    ran = shell("tool", "web_search", "query=x", "--toolsets", "browser")
    assert "web_search is off: not in what --toolsets chose: browser" in ran.err
