"""`pilothouse relay`: the port, who is on it, and the URL with the token."""

from __future__ import annotations

import json
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pilothouse.cli.command_invocation import Invocation
from pilothouse.cli.commands.relay import relay as command_relay
from pilothouse.cli.declarations.commands import find_command
from tests.cli.conftest import Shell


@pytest.fixture(autouse=True, scope="module")
def token_forgotten(shell: Shell) -> Iterator[None]:
    """The token outlives a daemon, so that clients find their way again; not the tests' one."""
    yield
    shell("relay", "stop")
    (shell.data / "relay.token").unlink(missing_ok=True)


@pytest.fixture
def relay(shell: Shell) -> Iterator[dict[str, Any]]:
    """An open relay on a free port; its status."""
    yield shell("relay", "start", "--port", "0", "--json").told["result"]
    shell("relay", "stop")


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return json.load(answer)


def test_without_a_daemon_status_fails_and_stop_has_nothing_to_do(shell: Shell) -> None:
    shell("daemon", "stop")
    told = shell("relay", "status", "--json")
    assert (told.code, told.told["error"]["kind"]) == (1, "NoDaemon")
    assert shell("relay", "stop").out == "The relay is not running.\n"


def test_port_is_closed_until_it_is_asked_for_and_after_it_is_stopped(shell: Shell) -> None:
    assert shell("daemon", "start").code == 0
    assert shell("relay", "status", "--json").told["result"]["open"] is False
    started = shell("relay", "start", "--port", "0", "--json").told["result"]
    assert started["open"] is True
    assert shell("relay", "stop").out == "The relay has stopped.\n"
    with pytest.raises(urllib.error.URLError):
        get(f"http://127.0.0.1:{started['port']}/")
    assert shell("relay", "stop").out == "The relay is not running.\n"


def test_url_lets_in_and_has_what_was_asked_for(shell: Shell, relay: dict[str, Any]) -> None:
    said = shell("relay", "url", "--browser", "managed", "--owner", "shop", "--label", "a test")
    url = urlsplit(said.out.strip())
    query = parse_qs(url.query)
    assert (url.scheme, url.hostname, url.port) == ("ws", "127.0.0.1", relay["port"])
    assert (query["browser"], query["owner"]) == (["managed"], ["shop"])
    assert (query["attach"], query["label"]) == (["owned"], ["a test"])
    version = get(f"http://{url.netloc}/json/version?{url.query}")
    assert parse_qs(urlsplit(version["webSocketDebuggerUrl"]).query) == query
    assert shell("relay", "url", "--json").told["result"]["url"].startswith("ws://127.0.0.1:")


def test_token_is_in_a_file_of_this_user_alone_and_in_no_other_answer(
    shell: Shell, relay: dict[str, Any]
) -> None:
    path = Path(relay["token_file"])
    token = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert token in shell("relay", "url").out
    for words in (["relay", "status"], ["relay", "clients"], ["status"], ["daemon", "logs"]):
        ran = shell(*words, "--json")
        assert token not in ran.out + ran.err
    ran = shell("relay", "start", "--port", "1", "--json")
    assert (ran.code, token in ran.out + ran.err) == (1, False)
    assert token not in (shell.runtime / "daemon.log").read_text()


def test_without_the_token_nothing_is_answered(relay: dict[str, Any]) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(f"http://127.0.0.1:{relay['port']}/json/version")
    with refused.value:
        assert refused.value.code == 401


def test_people_are_told_where_it_is_and_who_is_there(shell: Shell, relay: dict[str, Any]) -> None:
    said = shell("relay", "status").out
    assert f"127.0.0.1:{relay['port']}" in said
    assert "No Chrome is shared" in said
    assert "Run `pilothouse extension install`" in said
    assert shell("extension", "install").code == 0
    said = shell("relay", "status").out
    assert "the paired extension connects within seconds" in said
    assert "extension install" not in said
    assert "No client is connected" in shell("relay", "clients").out
    assert f"port {relay['port']}" in shell("status").out
    assert shell("relay", "clients", "--json").told["result"] == []


def test_wrong_wishes_are_named(shell: Shell, relay: dict[str, Any]) -> None:
    assert "one of" in shell("relay", "url", "--browser", "firefox").err
    ran = shell("relay", "start", "--port", "70000", "--json")
    assert ran.told["error"]["message"] == "--port: expected a number from 0 to 65535, got 70000"
    other = shell("relay", "start", "--port", "1", "--json")
    said = f"--port: the relay is already open at port {relay['port']}"
    assert other.told["error"]["message"] == said


class Answered(Invocation):
    """A command whose daemon says what the test wants."""

    def __init__(self, result: dict[str, Any], action: str) -> None:
        command = find_command("relay")
        assert command is not None
        super().__init__(command, {"action": action})
        self._result = result

    def connection(self, *, start: bool = True) -> Any:
        return None

    def request(self, method: str, params: dict[str, Any] | None = None, *, doing: str = "") -> Any:
        return self._result


def test_clients_chromes_and_conflicts_are_one_line_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    client = {"id": "c1", "label": "bob", "owner": "ann", "browser": "extension", "attach": "lazy"}
    other = {"id": "c2", "label": "", "owner": "relay-client-1", "browser": "managed"}
    lent = {"name": "Work", "profile": "Work", "version": "0.1.0", "product": "Chrome/1"}
    status = {
        "open": True,
        "port": 1,
        "mode": "multi-client",
        "clients": [client, {**other, "attach": "owned"}],
        "extensions": [{**lent, "connected": True}],
        "conflicts": ["bob typed in Flights 1.0 s after ann acted there"],
    }
    assert command_relay(Answered(status, "status")).print_result(False, []) == 0
    assert capsys.readouterr().out.splitlines() == [
        "● The relay listens at 127.0.0.1:1, multi-client.",
        "  Work is connected: Chrome/1, extension 0.1.0",
        "  bob as ann on the user's Chrome, lazy",
        "  c2 as relay-client-1 on a managed browser, owned",
        "  bob typed in Flights 1.0 s after ann acted there",
    ]
