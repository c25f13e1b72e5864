"""What the doctor says of the relay and the extension."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.cli.doctor.relay_check import relay_state
from pilothouse.relay.extension.files import install, pairings_path
from pilothouse.relay.server.pairing_store import PairingStore
from tests.cli.conftest import Shell


def found(shell: Shell) -> dict[str, str]:
    checks = shell("doctor", "--json").told["result"]["checks"]
    (relay,) = (check for check in checks if check["name"] == "relay")
    return {key: str(value) for key, value in relay.items()}


def test_without_a_daemon_settings_and_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.yaml"
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(config))
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", str(tmp_path / "rt"))
    monkeypatch.setenv("PILOTHOUSE_DATA_DIR", str(tmp_path / "data"))
    assert relay_state() == ("ok", "closed; no extension is installed", "")
    config.write_text("relay:\n  enabled: true\n")
    copy = install()
    assert relay_state() == (
        "ok",
        f"opens with the daemon at port 19222; extension {copy.version} installed, paired",
        "",
    )
    # As after `extension unpair`: the copy has a secret that the relay does not know.
    PairingStore(pairings_path()).forget(copy.install)
    assert relay_state()[1].endswith("installed, not paired")
    config.write_text("relay:\n  port: -1\n")
    assert relay_state()[0] == "broken"


def test_with_a_daemon_the_port_and_who_is_there_are_told(shell: Shell) -> None:
    assert shell("daemon", "start").code == 0
    assert found(shell)["found"].startswith("closed; ")
    started = shell("relay", "start", "--port", "0", "--json").told["result"]
    relay = found(shell)
    assert relay["state"] == "ok"
    assert relay["found"].startswith(f"open at port {started['port']}, 0 clients; ")
    shell("relay", "stop")
    (shell.runtime / "relay.token").unlink()
