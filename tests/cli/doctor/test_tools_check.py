"""What the doctor says of the choice of tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.cli.doctor.tools_check import chosen_tools
from tests.cli.conftest import Shell


def found(shell: Shell) -> dict[str, str]:
    checks = shell("doctor", "--json").told["result"]["checks"]
    (tools,) = (check for check in checks if check["name"] == "tools")
    return {key: str(value) for key, value in tools.items()}


def test_without_a_daemon_the_file_alone_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.yaml"
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(config))
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", str(tmp_path / "rt"))
    assert chosen_tools()[0] == "ok"
    config.write_text("tools:\n  enabel: [x]\n")
    assert chosen_tools() == (
        "broken",
        f"{config}:2: tools: there is no field 'enabel'",
        "did you mean enable?",
    )


def test_with_a_daemon_every_platform_is_counted_and_an_empty_one_is_broken(shell: Shell) -> None:
    assert shell("daemon", "start").code == 0
    tools = found(shell)
    assert (tools["state"], tools["found"].split()[0]) == ("ok", "cli")
    config = Path(shell.environment["PILOTHOUSE_CONFIG"])
    config.write_text("platform_toolsets:\n  acp: [search]\ntools:\n  deny: [web_search]\n")
    tools = found(shell)
    assert tools["state"] == "broken"
    assert tools["found"].startswith("no tool is left for acp of search")
    config.unlink()
