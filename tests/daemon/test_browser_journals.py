"""What happened in a browser can be exported and replayed; errors write it down by themselves."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.code.client.daemon_connection import Refused
from pilothouse.daemon.browser_journals import FILES_KEPT, BrowserJournals
from pilothouse.daemon.daemon import Daemon
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings
from pilothouse.supervisor import Options, Supervisor
from pilothouse.supervisor.journal import describe_journal, read_journal
from pilothouse.supervisor.journal.journal import replay
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import events as ev
from tests.daemon.daemon_process import Home
from tests.fake_chrome import FakeChrome
from tests.page_server import Pages


@pytest.mark.browser
def test_an_exported_journal_replays_what_happened_in_the_browser(
    lived_in: Home, served: Pages
) -> None:
    line, other = lived_in.line("ann"), lived_in.line("stranger")
    url = served.add(
        "/asks.html", "<title>Asks</title><button onclick=\"alert('sure?')\">Ask</button>"
    )
    line.call("open", url=url)
    line.call("tab.click", target="button=Ask")
    line.call("tab.handle_dialog", accept=True)
    with pytest.raises(Refused, match="no browser of yours"):
        other.call("journal.export")
    (file,) = line.call("journal.export")["files"]
    assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    journal = read_journal(Path(file))
    last = replay(journal)[-1]
    assert url in {tab.url for tab in last.tabs.values()}
    (closed,) = last.recent_dialogs
    assert (closed.dialog.message, closed.accepted, closed.closed_by) == ("sure?", True, "agent")
    assert not last.dialogs
    assert {"opened", "loads", "dialog", "dialog over"} <= {
        told.what for told in describe_journal(journal)
    }


async def _followed(fake_chrome: FakeChrome, journals: BrowserJournals) -> Supervisor:
    connection = await Connection.open(dial_websocket(fake_chrome.websocket_url))
    supervisor = Supervisor(connection, Options())
    journals.follow(supervisor)
    journals.follow(supervisor)
    return supervisor


async def _end(supervisor: Supervisor) -> None:
    await supervisor.close()
    await supervisor.connection.close()


async def test_an_internal_error_writes_the_journals_once_a_minute_and_a_refusal_does_not(
    fake_chrome: FakeChrome, tmp_path: Path
) -> None:
    daemon = Daemon(RuntimePaths(tmp_path), Settings())
    supervisor = await _followed(fake_chrome, daemon.browser_journals)

    async def refuse(owner: str, params: dict[str, Any]) -> None:
        raise ToolError("no", hint="ask again")

    async def fail(owner: str, params: dict[str, Any]) -> None:
        raise ZeroDivisionError

    daemon.methods.update(refuse=refuse, fail=fail)
    with pytest.raises(ToolError):
        await daemon.call("ann", "refuse", {})
    assert not daemon.paths.journals.exists()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await daemon.call("ann", "fail", {})
    (file,) = daemon.paths.journals.iterdir()
    assert replay(read_journal(file))[-1] == supervisor.state
    await _end(supervisor)


async def test_files_are_bounded_and_say_no_secret_and_ended_browsers_are_forgotten(
    fake_chrome: FakeChrome, tmp_path: Path
) -> None:
    journals = BrowserJournals(tmp_path, "events", lambda text: text.replace("geheim", "[secret]"))
    supervisor = await _followed(fake_chrome, journals)
    supervisor.feed(ev.OwnerSet(1.0, "TOP", TabKey("geheim")))
    supervisor.add_notice(TabKey("ann"), "no event")
    for _ in range(FILES_KEPT + 3):
        (file,) = journals.export()
    assert len(os.listdir(tmp_path)) == FILES_KEPT
    assert "geheim" not in file.read_text()
    assert "[secret]" in file.read_text()
    assert [json.loads(text)["d"] for text in file.read_text().splitlines()] == ["state", "event"]
    await _end(supervisor)
    assert len(journals) == 0
    with pytest.raises(PilothouseError, match="no browser of yours is running"):
        journals.export()


async def test_journals_can_be_off(fake_chrome: FakeChrome, tmp_path: Path) -> None:
    journals = BrowserJournals(tmp_path, "off")
    supervisor = await _followed(fake_chrome, journals)
    assert len(journals) == 0
    with pytest.raises(PilothouseError, match=r"daemon\.journal is off"):
        journals.export()
    await _end(supervisor)
