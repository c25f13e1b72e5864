"""`pilothouse relay token`: create, list, revoke, rotate, as a person types them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.cli.conftest import Shell


@pytest.fixture(autouse=True)
def relay(shell: Shell) -> Iterator[int]:
    """An open relay on a free port; the port."""
    yield int(shell("relay", "start", "--port", "0", "--json").told["result"]["port"])
    shell("relay", "stop")
    for name in ("relay.token", "relay.tokens.json", "relay.tokens.json.lock"):
        (shell.data / name).unlink(missing_ok=True)


async def comes(url: str) -> int:
    """The status with which a client is answered that wants to come in: 101 is welcome."""
    try:
        async with connect(url):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_token_is_shown_once_and_listed_without_its_secret(shell: Shell, tmp_path: Path) -> None:
    assert shell("relay", "token", "list").out.startswith("No tokens.")
    made = shell(
        "relay", "token", "create", "--owner", "shop", "--label", "scraper",
        "--files", str(tmp_path), "--json",
    ).told["result"]  # fmt: skip
    assert made["token"].startswith(f"token.{made['id']}.")
    listed = shell("relay", "token", "list", "--json").told["result"]
    assert [(one["id"], one["owner"], one["label"]) for one in listed] == [
        (made["id"], "shop", "scraper")
    ]
    assert listed[0]["files"] == [str(tmp_path.resolve())]
    shown = shell("relay", "token", "list").out
    assert f"{made['id']}  shop (scraper), owned" in shown
    assert made["token"] not in shown + json.dumps(listed)


def test_url_of_an_owner_holds_a_token_for_that_owner_alone(shell: Shell) -> None:
    own = parse_qs(urlsplit(shell("relay", "url").out.strip()).query)["token"]
    first, again = (shell("relay", "url", "--owner", "shop").out.strip() for _ in range(2))
    assert first == again
    assert parse_qs(urlsplit(first).query)["token"] != own
    assert asyncio.run(comes(first.replace("owner=shop", "owner=bank"))) == 403


def test_revoked_and_rotated_tokens_end_connections(shell: Shell, relay: int) -> None:
    async def ends(url: str, *words: str) -> str:
        async with connect(url) as client:
            said = (await asyncio.to_thread(shell, *words)).out
            with pytest.raises(ConnectionClosed):
                async with asyncio.timeout(20):
                    await client.recv()
        assert await comes(url) == 401
        return said

    made = shell("relay", "token", "create", "--owner", "shop", "--json").told["result"]
    url = f"ws://127.0.0.1:{relay}/cdp?browser=managed&token={made['token']}"
    said = asyncio.run(ends(url, "relay", "token", "revoke", made["id"]))
    assert said == f"Token {made['id']} is revoked; 1 client was disconnected.\n"
    owners = shell("relay", "url", "--browser", "managed", "--owner", "lab").out.strip()
    said = asyncio.run(ends(owners, "relay", "token", "rotate", "--owner", "lab"))
    assert said.startswith("The token in URLs of lab is replaced; 1 client was")
    own = shell("relay", "url", "--browser", "managed").out.strip()
    assert asyncio.run(ends(own, "relay", "token", "rotate")).startswith("Your token is replaced")
    assert asyncio.run(comes(shell("relay", "url", "--browser", "managed").out.strip())) == 101


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("token",), "WHAT is missing"),
        (("token", "revoke"), "ID is missing"),
        (("token", "list", "x"), "unexpected argument 'x'"),
        (("start", "list"), "unexpected argument 'list'"),
        (("token", "create"), "owner: missing; expected the name of an owner"),
        (("token", "revoke", "nope"), "unknown token 'nope'"),
        (("token", "create", "--owner", "a", "--files", "/nowhere"), "is not a folder"),
    ],
)
def test_what_is_wrong_is_said(shell: Shell, words: tuple[str, ...], says: str) -> None:
    told = shell("relay", *words)
    assert told.code != 0
    assert says in told.err
