"""Eyes for agents without any: a model that looks at a picture and answers a question about it.

    vision:
      url: http://127.0.0.1:11434/v1      # any OpenAI-compatible endpoint
      model: a-model-that-sees
      key_env: VISION_KEY                 # the variable with its key, if it wants one

Knows: the chat-completions request. Must not know: how pictures are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pilothouse.errors import ToolError
from pilothouse.tools.context import ToolContext
from pilothouse.tools.http_json import fetch_json, key_from
from pilothouse.tools.tool import Fields

__all__ = ["asked"]

ANSWERS_WITHIN_S = 120.0
MOST_TOKENS = 2000


async def asked(context: ToolContext, question: str, shown: Mapping[str, Any]) -> Fields:
    """What the configured model says to a question about a picture. Raises ToolError, also with
    what to set up if none is configured."""
    settings = context.settings.get("vision") or {}
    url, model = str(settings.get("url") or ""), str(settings.get("model") or "")
    if not url or not model:
        raise ToolError(
            "this client takes no images, and no vision model is set up",
            hint="set vision.url and vision.model (an OpenAI-compatible endpoint) in config.yaml, "
            "set mcp.images to allow if the client can show images, or use browser_snapshot",
            quotes=(),
        )
    headers = {}
    if key := key_from(settings, "vision"):
        headers["Authorization"] = f"Bearer {key}"
    image = shown["image"]
    address = f"data:{image['mimeType']};base64,{image['data']}"
    content = [
        {"type": "text", "text": question},
        {"type": "image_url", "image_url": {"url": address}},
    ]
    body = {
        "model": model,
        "max_tokens": MOST_TOKENS,
        "messages": [{"role": "user", "content": content}],
    }
    answer = await fetch_json(
        url.rstrip("/") + "/chat/completions",
        what="the vision endpoint",
        body=body,
        headers=headers,
        timeout=ANSWERS_WITHIN_S,
    )
    return {"analysis": _words(answer), "model": model}


def _words(answer: Any) -> str:
    try:
        content = answer["choices"][0]["message"]["content"]
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
    except (KeyError, IndexError, TypeError, AttributeError):
        content = None
    if not isinstance(content, str) or not content.strip():
        raise ToolError(
            "the vision endpoint gave no answer", hint="check that vision.model can see"
        )
    return content.strip()
