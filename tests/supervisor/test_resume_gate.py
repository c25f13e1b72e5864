"""A session that is kept gets everything but the word to run, until it is let go."""

from __future__ import annotations

from pilothouse.cdp import Connection, SessionId
from pilothouse.cdp.protocol import Target
from pilothouse.cdp.websocket.transport import dial_websocket
from pilothouse.supervisor.resume_gate import Turnstile
from pilothouse.supervisor.session_setup import RUN, Setup, session_commands
from tests.fake_chrome import FakeChrome

PAGE = session_commands("page", Setup("https://x.invalid/"))


async def test_only_a_waiting_session_that_somebody_keeps_is_not_let_run() -> None:
    async with FakeChrome() as chrome:
        connection = await Connection.open(dial_websocket(chrome.websocket_url))
        turnstile = Turnstile(connection)
        assert turnstile.pass_through(SessionId("s"), True, PAGE) == PAGE
        leave = turnstile.keep(lambda session: session == "s")
        assert turnstile.pass_through(SessionId("s"), False, PAGE) == PAGE
        assert turnstile.pass_through(SessionId("other"), True, PAGE) == PAGE
        kept = turnstile.pass_through(SessionId("s"), True, PAGE)
        assert list(kept) == [command for command in PAGE if command is not RUN]
        leave()
        assert turnstile.pass_through(SessionId("s"), True, PAGE) == PAGE
        await connection.close()


async def test_a_kept_session_is_let_run_and_one_that_is_gone_does_no_harm() -> None:
    async with FakeChrome() as chrome:
        connection = await Connection.open(dial_websocket(chrome.websocket_url))
        turnstile = Turnstile(connection)
        target = (await connection.send(Target.createTarget(url="about:blank")))["targetId"]
        made = await connection.send(Target.attachToTarget(targetId=target, flatten=True))
        turnstile.release(SessionId("gone"))
        turnstile.release(SessionId(made["sessionId"]))
        await chrome.heard("Runtime.runIfWaitingForDebugger")
        await connection.close()
