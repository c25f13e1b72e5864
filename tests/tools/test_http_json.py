"""JSON over HTTP from services the user has set up."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pilothouse.errors import ToolError
from pilothouse.tools.http_json import fetch_json, key_from
from tests.pages import Pages


@pytest.fixture(scope="module")
def service() -> Iterator[Pages]:
    """A mock that speaks HTTP on loopback."""
    with Pages() as pages:
        yield pages


async def test_json_is_got_and_posted(service: Pages) -> None:
    url = service.add("/json", '{"a": [1]}')
    assert await fetch_json(f"{url}?q=1", what="it", headers={"X-Key": "k"}) == {"a": [1]}
    assert await fetch_json(url, what="it", body={"b": 2}) == {"a": [1]}
    got, posted = service.visits
    assert (got.method, got.path, got.headers["X-Key"]) == ("GET", "/json?q=1", "k")
    assert (posted.method, json.loads(posted.body)) == ("POST", {"b": 2})
    assert posted.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("status", "body", "error", "hint"),
    [
        (401, "who?", "it answered 401: who?", "check the key"),
        (429, "", "it answered 429: nothing", "wait a while"),
        (500, "x" * 1000, "it answered 500: xxx", "settings"),
        (302, "", "it answered 302", "settings"),
        (200, "<html>", "did not answer with JSON: <html>", "settings"),
    ],
)
async def test_answers_that_will_not_do(
    service: Pages, status: int, body: str, error: str, hint: str
) -> None:
    url = service.add("/bad", body, status=status, headers={"Location": "http://127.0.0.1:1/"})
    with pytest.raises(ToolError, match=error) as refused:
        await fetch_json(url, what="it")
    assert hint in refused.value.hint
    assert len(refused.value.message) < 400


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "127.0.0.1:80", "http://"])
async def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ToolError, match="is no address"):
        await fetch_json(url, what="it")


async def test_service_that_is_not_there() -> None:
    with pytest.raises(ToolError, match=r"it at 127\.0\.0\.1:1 cannot be reached") as refused:
        await fetch_json("http://127.0.0.1:1/", what="it")
    assert refused.value.hint == "is it running there?"


def test_key_comes_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_from({}, "vision") == ""
    monkeypatch.setenv("MOCK_KEY", "k-1")
    assert key_from({"key_env": "MOCK_KEY"}, "vision") == "k-1"
    monkeypatch.delenv("MOCK_KEY")
    with pytest.raises(ToolError, match="vision: the variable MOCK_KEY is not set") as refused:
        key_from({"key_env": "MOCK_KEY"}, "vision")
    assert "vision.key_env" in refused.value.hint
