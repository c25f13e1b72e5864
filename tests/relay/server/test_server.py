"""The relay's port as a whole: routes, tokens, slots, and that nobody can bring it down."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import psutil
import pytest
from websockets.asyncio.client import connect

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.relay.interfaces import ClientSpec, HttpRefusal
from pilothouse.relay.server.auth import PROTOCOL, ROUTES, TOKEN_PROTOCOL
from pilothouse.security.relay_tokens import TokenBook, make_url_token
from tests.relay.relay_port_and_clients import EXTENSION_ID, Port, opened


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[Port]:
    async with opened(tmp_path) as found:
        yield found


# Who is let in.


async def test_every_route_wants_the_token_and_no_answer_without_it_holds_it(port: Port) -> None:
    for path, kind in ROUTES.items():
        for given in ((), ("Authorization: Bearer wrong",)):
            lines = list(given)
            if kind == "extension":
                lines.append("Origin: https://evil.example")
            for request in (port.head(path, *lines), port.upgrade(path, *lines)):
                status, headers, body = await port.ask(request)
                assert status == (403 if kind == "extension" else 401)
                assert port.token.encode() not in body
                assert port.token not in str(headers)
    for path in ("/token", "/json/new", "/.well-known/x", "/logs/cdp"):
        assert (await port.ask(port.head(path)))[0] == 404
    assert port.clients == []


@pytest.mark.parametrize("path", ["/json/version", "/cdp", "/extension"])
@pytest.mark.parametrize("host", ["[::1", "evil.example", "", "127.0.0.1:1@{port}", "127.0.0.1"])
async def test_a_wrong_host_is_refused_on_pages_and_upgrades_and_the_server_goes_on(
    port: Port, path: str, host: str
) -> None:
    host = host.format(port=port.port) or " "
    lines = [port.bearer, f"Origin: chrome-extension://{EXTENSION_ID}"]
    for request in (port.head(path, *lines, host=host), port.upgrade(path, *lines, host=host)):
        assert (await port.ask(request))[0] == 403
    assert (await port.get("/"))["status"] == "ok"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://localhost:3000", "null", "chrome-extension://x"]
)
async def test_pages_get_nothing_even_with_the_token(port: Port, origin: str) -> None:
    lines = [port.bearer, f"Origin: {origin}"]
    for path in ROUTES:
        for request in (
            port.head(path, *lines),
            port.upgrade(path, *lines),
            port.head(path, *lines, "Content-Type: text/plain", method="POST"),
            port.head(path, *lines, "Access-Control-Request-Method: GET", method="OPTIONS"),
        ):
            status, headers, body = await port.ask(request)
            assert status == 403
            assert port.token.encode() not in body
            assert not [name for name in headers if name.startswith("access-control")]
    assert port.clients == []


async def test_it_listens_at_loopback_alone_whatever_is_asked_for(port: Port) -> None:
    found = psutil.Process().net_connections("tcp")
    at = {c.laddr.ip for c in found if c.status == "LISTEN" and c.laddr.port == port.port}
    assert at == {"127.0.0.1"}
    for host in ("0.0.0.0", "*", "::"):
        with pytest.raises(ToolError, match="not a loopback address"):
            await port.server.start(host, 0)
    with pytest.raises(PilothouseError, match=f"port {port.port} is taken by"):
        await port.server.start("localhost", port.port)


# Tokens for one owner.


async def test_token_of_an_owner_makes_a_client_that_owner_and_no_other(port: Port) -> None:
    token = make_url_token(port.token, "shop")
    for path in ("/cdp", "/json/version"):
        ask = port.upgrade if path == "/cdp" else port.head
        status, _, body = await port.ask(ask(f"{path}?token={token}&owner=bank"))
        assert (status, b"this token is for another owner" in body) == (403, True)
    url = f"ws://127.0.0.1:{port.port}/cdp?token={token}"
    for query in ("", "&owner=shop"):
        async with connect(url + query):
            spec = port.clients[-1].who
            assert isinstance(spec, ClientSpec)
            assert (spec.owner, spec.grant.shared) == ("shop", False)


async def test_token_of_an_owner_tells_nothing_of_other_clients(port: Port) -> None:
    token = make_url_token(port.token, "shop")
    await port.join("label=secret%20plans")
    _, _, body = await port.ask(port.head(f"/client-slot?token={token}"))
    assert b"secret plans" not in body
    assert "secret plans" in str(await port.get("/client-slot"))


async def test_clients_are_hung_up_on_when_their_token_is_revoked(port: Port) -> None:
    url = f"ws://127.0.0.1:{port.port}/cdp?token="
    async with (
        connect(url + make_url_token(port.token, "shop")) as shop,
        connect(url + make_url_token(port.token, "lab")) as lab,
        connect(url + port.token) as own,
    ):
        port.book = replace(port.book, generations={"shop": 1})
        assert port.server.check_tokens() == 1
        await shop.wait_closed()
        assert (shop.close_code, shop.close_reason) == (4003, "its token was revoked")
        await lab.send("x")
        assert await lab.recv() == "x"
        port.book = TokenBook("another-token-of-the-user-that-is-long-enough")
        assert port.server.check_tokens() == 2
        await lab.wait_closed()
        await own.wait_closed()
    assert (await port.ask(port.upgrade("/cdp", port.bearer)))[0] == 401


async def test_a_token_that_is_revoked_while_its_client_joins_lets_nobody_in(port: Port) -> None:
    port.gate.clear()
    asked = asyncio.ensure_future(port.ask(port.upgrade("/cdp", port.bearer)))
    async with asyncio.timeout(10):
        while not len(port.server.slots):  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
    port.book = TokenBook("another-token-of-the-user-that-is-long-enough")
    port.gate.set()
    status, _, body = await asked
    assert (status, b"revoked" in body) == (401, True)
    assert len(port.server.slots) == 0


# What is said.


async def test_version_leads_to_the_socket_with_token_and_query(port: Port) -> None:
    for path in ("/json/version", "/json/version/"):
        found = await port.get(f"{path}?label=a%20b&browser=managed")
        assert found["Browser"] == "Chrome/156.0.1"
        url = urlsplit(found["webSocketDebuggerUrl"])
        assert url.netloc == f"127.0.0.1:{port.port}"
        assert dict(parse_qsl(url.query)) == {
            "token": port.token,
            "label": "a b",
            "browser": "managed",
        }
        async with connect(found["webSocketDebuggerUrl"]) as client:
            await client.send("x")
            assert await client.recv() == "x"
        spec = port.clients[-1].who
        assert isinstance(spec, ClientSpec)
        assert (spec.label, spec.browser) == ("a b", "managed")
    assert len({str(one.who) for one in port.clients}) == 2


async def test_every_page_has_something_to_say(port: Port) -> None:
    for path, kind in ROUTES.items():
        if kind == "page":
            await port.get(path)
    port.facts = HttpRefusal(503, "no extension is connected", "load it")
    assert (await port.get("/"))["extension"] is False
    assert (await port.get("/extension/status")) == {"connected": False}
    assert (await port.get("/client-slot"))["mode"] == "multi-client"
    for path in ("/json/version", "/json/list", "/restrictions"):
        status, _, body = await port.ask(port.head(path, port.bearer))
        assert status == 503
        assert json.loads(body) == {"error": "no extension is connected", "hint": "load it"}


@pytest.mark.parametrize("query", ["attach=never", "dialogs=me", "browser=firefox", "owner=%00"])
async def test_a_wrong_wish_is_refused_with_its_name(port: Port, query: str) -> None:
    for request in (
        port.upgrade(f"/cdp?{query}", port.bearer),
        port.head(f"/json/version?{query}", port.bearer),
    ):
        status, _, body = await port.ask(request)
        assert status == 400
        assert json.loads(body)["error"].startswith(query.partition("=")[0])
    assert (await port.get("/client-slot"))["clients"] == []


async def test_the_token_may_come_as_a_subprotocol(port: Port) -> None:
    url = f"ws://127.0.0.1:{port.port}/cdp"
    given = [f"{TOKEN_PROTOCOL}{port.token}"]
    for offered in ([PROTOCOL, *given], given):
        async with connect(url, subprotocols=offered) as client:  # type: ignore[arg-type]
            assert client.subprotocol == offered[0]


async def test_who_cannot_join_hears_why_by_http(port: Port) -> None:
    port.on_join = lambda spec, line: HttpRefusal(404, "no such profile", "ask for another")
    status, _, body = await port.ask(port.upgrade("/cdp", port.bearer))
    assert (status, json.loads(body)["error"]) == (404, "no such profile")

    def lost(spec: object, line: object) -> None:
        raise PilothouseError("the browser is gone", hint="open it")

    port.on_join = lost
    status, _, body = await port.ask(port.upgrade("/cdp", port.bearer))
    assert (status, json.loads(body)) == (503, {"error": "the browser is gone", "hint": "open it"})
    assert (await port.get("/client-slot"))["clients"] == []


async def test_a_fault_of_ours_ends_one_connection_and_is_in_the_log(
    port: Port, caplog: pytest.LogCaptureFixture
) -> None:
    other = await port.join()

    def broken(spec: object, line: object) -> None:
        raise ZeroDivisionError

    port.on_join = broken
    status, _, body = await port.ask(port.upgrade("/cdp", port.bearer))
    assert (status, json.loads(body)) == (
        500,
        {"error": "internal error; see pilothouse daemon logs"},
    )
    assert "ZeroDivisionError" in caplog.text
    other.send(b"still here")
    assert await other.text() == b"still here"
    assert len((await port.get("/client-slot"))["clients"]) == 1


# Slots.


async def test_two_clients_are_in_at_once_and_one_that_goes_leaves_the_other(port: Port) -> None:
    first, second = await port.join("label=one"), await port.join("client=two")
    slot = await port.get("/client-slot")
    assert slot["busy"] is False
    assert [one["label"] for one in slot["clients"]] == ["one", "two"]
    first.close()
    await port.clients[0].went()
    assert [one["label"] for one in (await port.get("/client-slot"))["clients"]] == ["two"]
    second.send(b"x")
    assert await second.text() == b"x"


async def test_in_single_active_the_second_waits_for_the_first(tmp_path: Path) -> None:
    async with opened(tmp_path, "single-active") as port:
        first = await port.join("label=one")
        status, _, body = await port.ask(port.upgrade("/cdp", port.bearer))
        assert status == 409
        said = json.loads(body)
        assert said["error"] == "Another CDP client is already connected"
        assert "/client-slot" in said["hint"]
        slot = await port.get("/client-slot")
        assert (slot["mode"], slot["busy"]) == ("single-active", True)
        assert slot["activeClientId"] == slot["clients"][0]["id"]
        first.send(b"x")
        assert await first.text() == b"x"
        first.close()
        await port.clients[0].went()
        assert (await port.get("/client-slot"))["busy"] is False
        await port.join()


async def test_the_slot_is_taken_while_somebody_joins(tmp_path: Path) -> None:
    async with opened(tmp_path, "single-active") as port:
        port.gate.clear()
        peer = await port.connect()
        peer.writer.write(port.upgrade("/cdp", port.bearer))
        assert (await port.get("/client-slot"))["busy"] is True
        assert (await port.ask(port.upgrade("/cdp", port.bearer)))[0] == 409
        port.gate.set()
        assert (await peer.head())[0] == 101


async def test_a_dead_client_loses_the_slot_when_another_asks_for_it(tmp_path: Path) -> None:
    async with opened(tmp_path, "single-active", dead_s=0.0) as port:
        dead = await port.join("label=dead")
        gone: list[bool] = []
        port.on_join = lambda spec, line: gone.append(port.clients[0].gone.done())
        await port.join("label=new")
        # Who comes after it comes when it is gone.
        assert gone == [True]
        assert await dead.closed() == (4002, "it was silent for too long")
        (client,) = (await port.get("/client-slot"))["clients"]
        assert client["label"] == "new"


# S7.


async def test_neither_token_nor_secret_is_in_any_log_or_answer(
    port: Port, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    token, told = port.token, b""
    right = f"token={token}"
    for request in (
        port.head("/", port.bearer),
        port.head(f"/?{right}"),
        port.head("/json/list", port.bearer),
        port.head("/client-slot", port.bearer),
        port.head("/extension/status", port.bearer),
        port.head("/attached-tabs", port.bearer),
        port.head("/restrictions", port.bearer),
        port.head(f"/{token}"),
        port.head(f"/cdp/{token}?{right}"),
        port.head(f"/cdp?{right}"),
        port.head(f"/cdp?{right}x"),
        port.head(f"/?{right}", method="POST"),
        port.head(f"/?{right}", host=token),
        port.head(f"/?{right}", f"Origin: https://{token}"),
        port.head(f"/?{right}", token),
        port.upgrade(f"/cdp?attach={token}&{right}"),
        port.upgrade(f"/cdp?owner={token * 10}&{right}"),
        port.upgrade(f"/cdp?{right}", "Sec-WebSocket-Version: 1"),
        port.upgrade(f"/json?{right}"),
        port.upgrade(f"/extension?{right}"),
        f"GET /?{right} HTTP/9\r\n\r\n".encode(),
        token.encode() + b"\r\n\r\n",
    ):
        status, headers, body = await port.ask(request)
        assert status
        if b"webSocketDebuggerUrl" not in body:
            told += str(headers).encode() + body
    client = await port.join(right)
    client.close()
    await port.clients[0].went()
    lent = await port.lend()
    lent.close()
    stranger = await port.knock()
    await port.hello(stranger, proof="no")
    told += str(await stranger.closed()).encode()
    code = port.server.pairing_code()
    shown = capfd.readouterr()
    for secret in (token, port.secret, code):
        for text in (told.decode(), caplog.text, shown.out, shown.err, repr(port.server)):
            assert secret not in text
    assert not [one for one in psutil.process_iter(["cmdline"]) if token in str(one.info)]
