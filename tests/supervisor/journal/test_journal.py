"""The journal: bounded, redacted, and good enough to live it all again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.cdp.message import Command
from pilothouse.supervisor import Options, State, Supervisor
from pilothouse.supervisor.journal.journal import HIDDEN, Journal, read_journal, replay
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import events as ev
from scripts.supervisor_transcript_scenarios import Stage, native_dialogs, oopif_dialog
from tests.chromium import running_chromium
from tests.fake_chrome import FakeChrome
from tests.page_server import Pages
from tests.supervisor.step_driver_and_events import PAGE, TOP, Dialogue, alert, page

SECRET = "correct-horse-battery"


@asynccontextmanager
async def supervised(chrome: FakeChrome) -> AsyncIterator[Supervisor]:
    """A supervisor that nothing happens to but what a test feeds it."""
    async with await Connection.open(dial_websocket(chrome.websocket_url)) as connection:
        supervisor = Supervisor(connection, Options())
        yield supervisor
        await supervisor.close()


def lived(supervisor: Supervisor) -> list[State]:
    """Every state from now on, the present one first."""
    states = [supervisor.state]
    supervisor.observe(lambda event, state, effects: states.append(state))
    return states


def feed(supervisor: Supervisor, count: int) -> None:
    """A tab whose address changes."""
    for n in range(count):
        supervisor.feed(ev.OwnerSet(n, "TOP", TabKey(f"owner {n}")))
        supervisor.feed(ev.PolicySet(n, TabKey("ann"), supervisor.state.policy_of(TabKey())))


async def test_replay_gives_the_states_that_were_lived(fake_chrome: FakeChrome) -> None:
    async with supervised(fake_chrome) as supervisor:
        journal, states = Journal(supervisor), lived(supervisor)
        feed(supervisor, 5)
        assert replay(journal) == states


async def test_what_is_over_the_limit_is_forgotten_but_still_happened(
    fake_chrome: FakeChrome,
) -> None:
    async with supervised(fake_chrome) as supervisor:
        journal, states = Journal(supervisor, limit_bytes=1000), lived(supervisor)
        feed(supervisor, 50)
        assert journal.bytes <= 1000
        again = replay(journal)
        assert 1 < len(again) < 40
        assert again == states[-len(again) :]


async def test_what_is_too_old_is_forgotten(fake_chrome: FakeChrome) -> None:
    async with supervised(fake_chrome) as supervisor:
        journal = Journal(supervisor, max_age_s=2.0)
        feed(supervisor, 10)
        assert {entry.at for entry in journal.entries} == {7.0, 8.0, 9.0}


async def test_a_closed_journal_records_nothing_more(fake_chrome: FakeChrome) -> None:
    async with supervised(fake_chrome) as supervisor:
        closed = Journal(supervisor)
        closed.close()
        feed(supervisor, 3)
        assert closed.entries == ()


async def test_a_journal_without_messages_replays_as_well(fake_chrome: FakeChrome) -> None:
    async with supervised(fake_chrome) as supervisor:
        journal, states = Journal(supervisor, messages=False), lived(supervisor)
        feed(supervisor, 3)
        await supervisor.connection.send(Command("Browser.getVersion"))
        assert {entry.direction for entry in journal.entries} == {"event"}
        assert replay(journal) == states


@pytest.mark.parametrize(
    "command",
    [
        Command("Fetch.continueWithAuth", {"authChallengeResponse": {"password": SECRET}}),
        Command("Input.insertText", {"text": SECRET}),
        Command("Input.dispatchKeyEvent", {"key": SECRET, "text": SECRET, "unmodifiedText": "x"}),
        Command("Network.setCookie", {"name": "n", "value": SECRET}),
        Command("Storage.setCookies", {"cookies": [{"name": "n", "value": SECRET}]}),
        Command("Network.setExtraHTTPHeaders", {"headers": {"Authorization": SECRET}}),
        Command("Page.handleJavaScriptDialog", {"accept": True, "promptText": SECRET}),
        Command("Fetch.continueRequest", {"requestId": "1", "postData": SECRET}),
        Command("Fetch.fulfillRequest", {"requestId": "1", "body": SECRET}),
        Command("Runtime.evaluate", {"expression": f"log('{SECRET}')"}),
        Command("Page.navigate", {"url": f"https://ann:{SECRET}@host/"}),
        Command("Page.setDocumentContent", {"html": "x" * 300_000 + SECRET}),
    ],
    ids=lambda command: str(command.method),
)
async def test_secret_of_a_command_is_nowhere(
    fake_chrome: FakeChrome, tmp_path: Path, command: Command[object]
) -> None:
    async with supervised(fake_chrome) as supervisor:
        journal = Journal(supervisor)
        supervisor.connection.send(command)
        journal.export(tmp_path / "journal.jsonl")
        text = (tmp_path / "journal.jsonl").read_text()
        assert command.method in text
        assert SECRET not in text
        assert SECRET.encode() not in b"".join(entry.message for entry in journal.entries)


async def test_secret_of_an_answer_is_nowhere(fake_chrome: FakeChrome, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    async with supervised(fake_chrome) as supervisor:
        closed = ev.DialogClosed(5, PAGE, TOP, True, SECRET)
        supervisor.state = Dialogue(page(), alert(), closed, alert(kind="prompt")).state
        journal, states = Journal(supervisor), lived(supervisor)
        supervisor.feed(ev.InterruptAnswered(6, "i-1", "provide", {"password": SECRET}))
        supervisor.feed(ev.DialogAnswered(6, "d-9", True, SECRET, "agent"))
        supervisor.feed(closed)
        journal.export(path)
        assert replay(journal) == states
    assert SECRET not in path.read_text()
    assert [c.text for c in replay(read_journal(path))[-1].recent_dialogs] == [HIDDEN, HIDDEN]


async def test_flood_and_bodies_are_not_kept_and_failures_are(fake_chrome: FakeChrome) -> None:
    async with supervised(fake_chrome) as supervisor:
        journal = Journal(supervisor)
        for said in (
            {"method": "Runtime.consoleAPICalled", "params": {"type": "log"}},
            {"method": "Network.dataReceived", "params": {}},
            {"id": 1, "result": {"data": "picture"}},
            {"id": 2, "error": {"code": -32000, "message": "no"}},
            {"id": 3, "result": {"frameTree": {"frame": {"id": "F"}}}},
            {"method": "Page.frameDetached", "params": {"frameId": "F" * 600}},
        ):
            journal._on_message("receive", json.dumps(said, separators=(",", ":")).encode())
        kept = [json.loads(entry.message) for entry in journal.entries]
        assert [m.get("id") or m["method"] for m in kept] == [2, 3, "Page.frameDetached"]
        assert kept[2]["params"]["frameId"].endswith("... (600 characters)")


def test_reader_names_the_line_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    good = json.dumps({"t": 0, "d": "event", "m": {"event": "ConnectionRestored", "at": 1.0}})
    for bad in ("nonsense", "{}", '{"t":0,"d":"event","m":{"event":"Nonsense"}}', "[]"):
        path.write_text(f"{good}\n{bad}\n")
        with pytest.raises(ValueError, match=r"bad\.jsonl:2"):
            read_journal(path)


@pytest.mark.browser
async def test_scenario_lived_on_a_real_browser_is_lived_again_from_its_file(
    chromium_path: Path, pages: Pages, tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    with running_chromium(chromium_path, "--site-per-process") as endpoint:
        async with await Connection.open(dial_websocket(endpoint.websocket_url)) as connection:
            supervisor = Supervisor(connection, Options())
            journal, states = Journal(supervisor), lived(supervisor)
            await supervisor.start()
            await native_dialogs(Stage(supervisor, pages))
            await oopif_dialog(Stage(supervisor, pages))
            journal.close()
            journal.export(path)
            assert replay(journal) == states
            await supervisor.close()
    again = replay(read_journal(path))
    assert [_without_texts(state) for state in again] == [_without_texts(s) for s in states]
    assert '"ann"' not in path.read_text().replace('"owner":"ann"', "")


def _without_texts(state: State) -> State:
    recent = tuple(replace(closed, text="") for closed in state.recent_dialogs)
    return replace(state, recent_dialogs=recent)
