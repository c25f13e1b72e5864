"""A session that is kept gets everything but the word to run, until it is let go."""

from __future__ import annotations

from pilothouse.cdp import Connection, SessionId
from pilothouse.cdp.protocol import Target
from pilothouse.cdp.websocket.transport import dial_websocket
from pilothouse.supervisor.new_target_hold import ResumeGate
from pilothouse.supervisor.session_setup import RESUME, SessionSetup, session_commands
from tests.fake_chrome import FakeChrome

PAGE = session_commands("page", SessionSetup("https://x.invalid/"))


async def test_only_a_waiting_session_that_somebody_keeps_is_not_let_run() -> None:
    async with FakeChrome() as chrome:
        connection = await Connection.open(dial_websocket(chrome.websocket_url))
        gate = ResumeGate(connection)
        assert gate.filter_commands(SessionId("s"), True, PAGE) == PAGE
        leave = gate.hold(lambda session: session == "s")
        assert gate.filter_commands(SessionId("s"), False, PAGE) == PAGE
        assert gate.filter_commands(SessionId("other"), True, PAGE) == PAGE
        kept = gate.filter_commands(SessionId("s"), True, PAGE)
        assert list(kept) == [command for command in PAGE if command is not RESUME]
        leave()
        assert gate.filter_commands(SessionId("s"), True, PAGE) == PAGE
        await connection.close()


async def test_a_kept_session_is_let_run_and_one_that_is_gone_does_no_harm() -> None:
    async with FakeChrome() as chrome:
        connection = await Connection.open(dial_websocket(chrome.websocket_url))
        gate = ResumeGate(connection)
        target = (await connection.send(Target.createTarget(url="about:blank")))["targetId"]
        made = await connection.send(Target.attachToTarget(targetId=target, flatten=True))
        gate.release(SessionId("gone"))
        gate.release(SessionId(made["sessionId"]))
        await chrome.heard("Runtime.runIfWaitingForDebugger")
        await connection.close()
