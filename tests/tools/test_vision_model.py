"""A model that looks at pictures: a mock on loopback that speaks chat completions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.tools.vision_model import ask_vision_model
from tests.page_server import Pages
from tests.tools.fake_tool_context import Daemon, context_for

SHOWN = {"image": {"data": "QQ==", "mimeType": "image/png"}}
PATH = "/v1/chat/completions"


@pytest.fixture(scope="module")
def model() -> Iterator[Pages]:
    """The mock model."""
    with Pages() as pages:
        yield pages


def _says(model: Pages, content: Any) -> None:
    model.add(PATH, json.dumps({"object": "chat.completion", "choices": [{"message": content}]}))


async def test_model_is_asked_with_picture_and_key(
    model: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCK_KEY", "k-1")
    _says(model, {"role": "assistant", "content": " It is a mock. "})
    vision = {"url": model.url("/v1/"), "model": "mock", "key_env": "MOCK_KEY"}
    told = await ask_vision_model(context_for(Daemon(), vision=vision), "What?", SHOWN)
    assert told == {"analysis": "It is a mock.", "model": "mock"}
    visit = model.visits[-1]
    assert visit.headers["Authorization"] == "Bearer k-1"
    sent = json.loads(visit.body)
    assert sent["messages"][0]["content"][1] == {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,QQ=="},
    }


async def test_answer_in_parts_is_put_together(model: Pages) -> None:
    _says(model, {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})
    vision = {"url": model.url("/v1"), "model": "mock"}
    told = await ask_vision_model(context_for(Daemon(), vision=vision), "What?", SHOWN)
    assert told["analysis"] == "ab"


@pytest.mark.parametrize("message", [{}, {"content": ""}, {"content": None}, {"content": ["x"]}])
async def test_model_without_an_answer(model: Pages, message: Any) -> None:
    _says(model, message)
    vision = {"url": model.url("/v1"), "model": "mock"}
    with pytest.raises(ToolError, match="returned no text"):
        await ask_vision_model(context_for(Daemon(), vision=vision), "What?", SHOWN)


@pytest.mark.parametrize("vision", [None, {}, {"url": "http://a/"}, {"model": "m"}])
async def test_what_to_set_up_is_said(vision: Any) -> None:
    with pytest.raises(ToolError, match="no vision model is configured") as refused:
        await ask_vision_model(context_for(Daemon(), vision=vision), "What?", SHOWN)
    assert "vision.url and vision.model" in refused.value.hint
