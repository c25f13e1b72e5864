"""What the doctor says of the tool selection, the relay and the extension."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.cli.doctor.tool_and_relay_checks import check_relay, check_tools
from pilothouse.relay.extension.installation import install, pairings_path
from pilothouse.relay.server.pairing_store import PairingStore
from tests.cli.conftest import Shell


def found(shell: Shell, name: str) -> dict[str, str]:
    checks = shell("doctor", "--json").told["result"]["checks"]
    (check,) = (check for check in checks if check["name"] == name)
    return {key: str(value) for key, value in check.items()}


def test_without_a_daemon_settings_and_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.yaml"
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(config))
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", str(tmp_path / "rt"))
    monkeypatch.setenv("PILOTHOUSE_DATA_DIR", str(tmp_path / "data"))
    assert check_relay() == ("ok", "not running; no extension is installed", "")
    config.write_text("relay:\n  enabled: true\n")
    copy = install()
    assert check_relay() == (
        "ok",
        f"starts with the daemon at port 19222; extension {copy.version} installed, paired",
        "",
    )
    # As after `extension unpair`: the copy has a secret that the relay does not know.
    PairingStore(pairings_path()).remove(copy.install)
    assert check_relay()[1].endswith("installed, not paired")
    config.write_text("relay:\n  port: -1\n")
    assert check_relay()[0] == "broken"


def test_with_a_daemon_the_port_and_who_is_there_are_told(shell: Shell) -> None:
    assert shell("daemon", "start").code == 0
    assert found(shell, "relay")["found"].startswith("not running; ")
    started = shell("relay", "start", "--port", "0", "--json").told["result"]
    relay = found(shell, "relay")
    assert relay["state"] == "ok"
    assert relay["found"].startswith(f"running at port {started['port']}, 0 clients; ")
    shell("relay", "stop")
    (shell.data / "relay.token").unlink()


def test_without_a_daemon_the_file_alone_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.yaml"
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(config))
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", str(tmp_path / "rt"))
    assert check_tools()[0] == "ok"
    config.write_text("tools:\n  enabel: [x]\n")
    assert check_tools() == (
        "broken",
        f"{config}:2: tools: unknown field 'enabel'",
        "did you mean enable?",
    )


def test_with_a_daemon_every_platform_is_counted_and_an_empty_one_is_broken(shell: Shell) -> None:
    assert shell("daemon", "start").code == 0
    tools = found(shell, "tools")
    assert (tools["state"], tools["found"].split()[0]) == ("ok", "cli")
    config = Path(shell.environment["PILOTHOUSE_CONFIG"])
    config.write_text("platform_toolsets:\n  acp: [search]\ntools:\n  deny: [web_search]\n")
    tools = found(shell, "tools")
    assert tools["state"] == "broken"
    assert tools["found"].startswith("no tool is left for clients of kind acp, of search")
    config.unlink()
