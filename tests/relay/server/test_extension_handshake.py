"""The first words with an extension, over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.relay.interfaces import Hello, HttpRefusal
from pilothouse.relay.server.extension_handshake import MAX_HELLO_BYTES
from pilothouse.relay.server.pairing_proofs_and_codes import compute_proof, derive_code_key
from tests.relay.relay_port_and_clients import EXTENSION_ID, Port, opened
from tests.tcp_proxy import TcpProxy

OURS = f"chrome-extension://{EXTENSION_ID}"


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[Port]:
    async with opened(tmp_path) as found:
        yield found


async def test_an_extension_that_proves_itself_is_heard(port: Port) -> None:
    peer = await port.lend(profile="Work", settings={"mode": "auto"}, product="Chrome/1")
    (visitor,) = port.extensions
    assert visitor.who == Hello("install-1", "1", "Chrome/1", "", "Work", {"mode": "auto"})
    peer.send(b'{"method":"tabCreated"}')
    assert await peer.text() == b'{"method":"tabCreated"}'
    assert visitor.frames == [b'{"method":"tabCreated"}']
    assert port.server.extensions() == [("install-1", "Work")]
    peer.close()
    assert await visitor.went()
    assert port.server.extensions() == []


async def test_what_follows_the_hello_at_once_is_not_lost(port: Port) -> None:
    peer = await port.knock()
    await port.hello(peer)
    peer.send(b"at once")
    assert json.loads(await peer.text())["method"] == "welcome"
    assert await peer.text() == b"at once"
    # Once it is known it may say as much as it likes.
    large = b"x" * (2 * MAX_HELLO_BYTES)
    peer.send(large)
    assert await peer.text() == large


async def test_another_extension_cannot_even_ask(port: Port) -> None:
    for origin in ("chrome-extension://" + "p" * 32, "https://evil.example", "null", OURS + "x"):
        lines = [f"Origin: {origin}", f"Referer: {OURS}/"]
        assert (await port.ask(port.upgrade("/extension", *lines)))[0] == 403
    assert (await port.ask(port.upgrade("/extension", f"Referer: {OURS}/")))[0] == 403
    assert port.extensions == []


@pytest.mark.parametrize("said", [{"proof": "0" * 64}, {"install": "install-2"}, {"nonce": ""}])
async def test_one_with_the_right_id_and_no_secret_is_sent_away_before_any_command(
    port: Port, said: dict[str, str]
) -> None:
    first = await port.lend()
    peer = await port.knock()
    await port.hello(peer, **said)
    peer.send(b'{"method":"cdpEvent","params":{}}')
    code, words = await peer.closed()
    assert code == 4003
    assert port.secret not in words
    # Who was there before is as before.
    first.send(b"still here")
    assert await first.text() == b"still here"
    assert len(port.extensions) == 1
    assert port.extensions[0].frames == [b"still here"]


async def test_a_message_before_the_hello_ends_it(port: Port) -> None:
    peer = await port.knock()
    peer.send(b'{"id":1,"result":{}}')
    assert (await peer.closed())[0] == 4003
    peer = await port.knock()
    peer.send(b"x" * (MAX_HELLO_BYTES + 1))
    assert (await peer.closed())[0] == 1009
    assert port.extensions == []


async def test_one_that_says_nothing_is_sent_away(tmp_path: Path) -> None:
    async with opened(tmp_path, hello_s=0.01) as port:
        peer = await port.knock()
        assert (await peer.closed())[0] == 4008
        assert port.extensions == []


async def test_the_same_install_takes_its_own_place_once_it_has_proven_itself(port: Port) -> None:
    first = await port.lend()
    second = await port.knock()
    first.send(b"a")
    assert await first.text() == b"a"
    await port.hello(second)
    assert json.loads(await second.text())["method"] == "welcome"
    assert (await first.closed())[0] == 4001
    assert await port.extensions[0].went()
    second.send(b"b")
    assert await second.text() == b"b"
    assert port.server.extensions() == [("install-1", "")]


async def test_the_one_before_is_gone_before_its_successor_is_there(port: Port) -> None:
    await port.lend()
    went: list[bool] = []
    port.on_lend = lambda hello: went.append(port.extensions[0].gone.done())
    await port.lend()
    assert went == [True]


async def test_several_profiles_lend_at_once(port: Port) -> None:
    port.pairings.add("install-2", port.secret)
    peers = [
        await port.lend(install="install-1", profile="Home"),
        await port.lend(install="install-1", profile="Work"),
        await port.lend(install="install-2", profile="Home"),
    ]
    assert len(port.server.extensions()) == 3
    for number, peer in enumerate(peers):
        peer.send(b"%d" % number)
        assert await peer.text() == b"%d" % number


async def test_a_code_pairs_a_stranger_for_good(port: Port) -> None:
    code = port.server.pairing_code()
    peer = await port.knock()
    challenge = json.loads(await peer.text())["params"]["nonce"]
    nonce = "n" * 40
    said = {"install": "stranger-1", "nonce": nonce, "version": "1", "wire": 2, "port": port.port}
    key = derive_code_key(code, challenge, nonce)
    proof = compute_proof(key, "extension", port.port, challenge, nonce)
    peer.say("hello", {**said, "codeProof": proof})
    welcome = json.loads(await peer.text())["params"]
    assert welcome["proof"] == compute_proof(key, "relay", port.port, nonce, challenge)
    assert port.pairings.secret_of("stranger-1") == welcome["secret"]
    again = await port.knock()
    await port.hello(again, key=welcome["secret"], install="stranger-1")
    assert json.loads(await again.text())["method"] == "welcome"


@pytest.mark.boundary
async def test_a_port_that_passes_everything_on_to_the_relay_gets_no_welcome(port: Port) -> None:
    async with TcpProxy(port.port) as middle:
        for claimed, code in ((middle.port, 4011), (port.port, 4003)):
            # The extension proves itself at the port that it dialled; what it says of the port can
            # be changed on the way, the proof cannot.
            peer = await port.connect(to=middle.port)
            peer.writer.write(port.upgrade("/extension", f"Origin: {OURS}"))
            assert (await peer.head())[0] == 101
            challenge = json.loads(await peer.text())["params"]["nonce"]
            nonce = "n" * 40
            proof = compute_proof(port.secret, "extension", middle.port, challenge, nonce)
            said = {"install": "install-1", "nonce": nonce, "version": "1", "wire": 2}
            peer.say("hello", {**said, "port": claimed, "proof": proof})
            assert (await peer.closed())[0] == code
    assert port.extensions == []


async def test_an_extension_of_another_version_is_told_what_to_do(port: Port) -> None:
    peer = await port.knock()
    await port.hello(peer, wire=1)
    code, words = await peer.closed()
    assert code == 4010
    assert "pilothouse extension install" in words


async def test_one_that_is_unpaired_is_hung_up_on_and_stays_a_stranger(port: Port) -> None:
    port.pairings.add("install-2", port.secret)
    gone, stays = await port.lend(profile="Home"), await port.lend(install="install-2")
    port.pairings.remove("install-1")
    assert port.server.disconnect_install("install-1") == 1
    assert (await gone.closed())[0] == 4003
    again = await port.knock()
    await port.hello(again, profile="Home")
    assert (await again.closed())[0] == 4003
    stays.send(b"still here")
    assert await stays.text() == b"still here"


async def test_whoever_lends_is_told_that_the_relay_ends(port: Port) -> None:
    peer = await port.lend()
    closing = asyncio.ensure_future(port.server.close())
    assert (await peer.closed())[0] == 4004
    peer.close()
    await closing


async def test_pairings_that_others_could_have_read_let_nobody_in(
    port: Port, caplog: pytest.LogCaptureFixture
) -> None:
    port.pairings.path.chmod(0o644)
    peer = await port.knock()
    await port.hello(peer)
    assert (await peer.closed())[0] == 4003
    assert "not a file of yours alone" in caplog.text
    assert port.secret not in caplog.text


async def test_one_that_the_relay_cannot_use_is_told_why(port: Port) -> None:
    port.on_lend = lambda hello: HttpRefusal(503, "the daemon is closing")
    peer = await port.lend()
    assert await peer.closed() == (4013, "the daemon is closing")

    def fails(hello: Hello) -> None:
        raise PilothouseError("the browser is too old", hint="update it")

    port.on_lend = fails
    peer = await port.lend()
    assert await peer.closed() == (4013, "the browser is too old (update it)")
    assert port.server.extensions() == []
