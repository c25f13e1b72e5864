"""JSON over HTTP from services the user has set up."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pilothouse.errors import ToolError
from pilothouse.tools.http_json import fetch_json, read_api_key
from tests.page_server import Pages


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
        (401, "who?", "it responded with status 401: who?", "check the key"),
        (429, "", "it responded with status 429: nothing", "wait a while"),
        (500, "x" * 1000, "it responded with status 500: xxx", "config.yaml"),
        (302, "", "it responded with status 302", "config.yaml"),
        (200, "<html>", "did not respond with JSON: <html>", "config.yaml"),
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
    with pytest.raises(ToolError, match="is not a URL"):
        await fetch_json(url, what="it")


async def test_service_that_is_not_there() -> None:
    with pytest.raises(ToolError, match=r"it at 127\.0\.0\.1:1 cannot be reached") as refused:
        await fetch_json("http://127.0.0.1:1/", what="it")
    assert refused.value.hint == "check that it runs there"


def test_key_comes_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_api_key({}, "vision") == ""
    monkeypatch.setenv("MOCK_KEY", "k-1")
    assert read_api_key({"key_env": "MOCK_KEY"}, "vision") == "k-1"
    monkeypatch.delenv("MOCK_KEY")
    with pytest.raises(
        ToolError, match=r"vision\.key_env: the environment variable MOCK_KEY is not set"
    ) as refused:
        read_api_key({"key_env": "MOCK_KEY"}, "vision")
    assert "vision.key_env" in refused.value.hint
