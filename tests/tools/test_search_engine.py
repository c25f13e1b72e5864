"""Search engines: mocks on loopback that answer in the shapes of the real ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.tools.search_engine import search
from tests.page_server import Pages


@pytest.fixture(scope="module")
def engine() -> Iterator[Pages]:
    """The mock engines."""
    with Pages() as pages:
        yield pages


async def _no_page(url: str) -> list[dict[str, Any]]:
    raise AssertionError(f"nobody should read {url}")


async def test_searxng_is_asked_for_json(engine: Pages) -> None:
    found = [
        {"title": "Boats", "url": "https://boats.test/", "content": "They float.", "score": 1},
        {"title": "No address"},
        {"title": "Ships", "url": "https://ships.test/"},
        {"title": "More", "url": "https://more.test/"},
    ]
    engine.add("/search", json.dumps({"query": "boats", "results": found}))
    settings = {"backend": "searxng", "url": engine.url("")}
    name, results = await search(settings, "boats & co", 2, _no_page)
    assert name == "searxng"
    assert results == [
        {"title": "Boats", "url": "https://boats.test/", "description": "They float."},
        {"title": "Ships", "url": "https://ships.test/", "description": ""},
    ]
    assert engine.visits[-1].path == "/search?q=boats+%26+co&format=json"


async def test_searxng_that_refuses_json_says_how_to_allow_it(engine: Pages) -> None:
    engine.add("/search", "Forbidden", status=403)
    with pytest.raises(ToolError, match="SearXNG refuses JSON") as refused:
        await search({"backend": "searxng", "url": engine.url("")}, "boats", 2, _no_page)
    assert "search.formats" in refused.value.hint


async def test_brave_is_asked_with_its_key(engine: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCK_KEY", "k-1")
    found = [{"title": "Boats", "url": "https://boats.test/", "description": "They <b>float</b>."}]
    engine.add("/brave", json.dumps({"type": "search", "web": {"results": found}}))
    settings = {"backend": "brave", "url": engine.url("/brave"), "key_env": "MOCK_KEY"}
    _, results = await search(settings, "boats", 50, _no_page)
    assert [one["title"] for one in results] == ["Boats"]
    visit = engine.visits[-1]
    assert visit.path == "/brave?q=boats&count=20"
    assert visit.headers["X-Subscription-Token"] == "k-1"
    engine.add("/brave", json.dumps({"type": "search"}))
    assert await search(settings, "nothing", 5, _no_page) == ("brave", [])


async def test_search_page_is_read_by_who_asks() -> None:
    asked: list[str] = []

    async def read(url: str) -> list[dict[str, Any]]:
        asked.append(url)
        return [{"title": "A", "url": "https://a.test/", "description": "d" * 600}]

    settings = {"backend": "page", "url": "https://search.test/?q={query}"}
    _, (found,) = await search(settings, "a b", 5, read)
    assert asked == ["https://search.test/?q=a%20b"]
    assert len(found["description"]) == 500


@pytest.mark.parametrize(
    ("settings", "error", "hint"),
    [
        ({}, "no search engine is configured", "search: {backend: searxng"),
        (
            {"backend": "searx"},
            "search.backend in config.yaml: unknown value 'searx'",
            "did you mean searxng?",
        ),
        (
            {"backend": "zzz"},
            "search.backend in config.yaml: unknown value 'zzz'",
            "one of searxng, brave, page",
        ),
        ({"backend": "searxng"}, "search.url: missing; searxng needs a URL", "config.yaml"),
        ({"backend": "page", "url": "https://a/"}, "has no {query}", "{query}"),
        ({"backend": "brave"}, "search.key_env: missing; Brave needs an API key", "search.key_env"),
        ({"backend": "brave", "key_env": "NO_SUCH_KEY"}, "NO_SUCH_KEY is not set", "set it"),
    ],
)
async def test_what_to_set_up_is_said(settings: dict[str, str], error: str, hint: str) -> None:
    with pytest.raises(ToolError, match=error) as refused:
        await search(settings, "boats", 5, _no_page)
    assert hint.replace("set it", "NO_SUCH_KEY") in refused.value.hint


@pytest.mark.parametrize("answer", ["[]", '{"results": 5}', "null"])
async def test_answers_of_another_shape_are_refused(engine: Pages, answer: str) -> None:
    engine.add("/search", answer)
    with pytest.raises(ToolError, match="SearXNG responded without results"):
        await search({"backend": "searxng", "url": engine.url("")}, "boats", 2, _no_page)
