"""Ask a vision model about a screenshot, for clients that cannot display images.

    vision:
      url: http://127.0.0.1:11434/v1      # any OpenAI-compatible endpoint
      model: a-vision-model
      key_env: VISION_KEY                 # environment variable with its API key, if it needs one

Knows: the chat-completions request. Must not know: how screenshots are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pilothouse.errors import ToolError
from pilothouse.tools.context import ToolContext
from pilothouse.tools.http_json import fetch_json, read_api_key
from pilothouse.tools.tool import Fields

__all__ = ["ask_vision_model"]

ANSWERS_WITHIN_S = 120.0
MOST_TOKENS = 2000


async def ask_vision_model(context: ToolContext, question: str, shown: Mapping[str, Any]) -> Fields:
    """Return the configured model's answer to a question about an image. Raises ToolError, also if
    no model is configured."""
    settings = context.settings.get("vision") or {}
    url, model = str(settings.get("url") or ""), str(settings.get("model") or "")
    if not url or not model:
        raise ToolError(
            "this client does not accept images, and no vision model is configured",
            hint="set vision.url and vision.model (an OpenAI-compatible endpoint) in config.yaml, "
            "set mcp.images to allow if the client can show images, or use browser_snapshot",
            untrusted=(),
        )
    headers = {}
    if key := read_api_key(settings, "vision"):
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
    return {"analysis": _answer_text(answer), "model": model}


def _answer_text(answer: Any) -> str:
    try:
        content = answer["choices"][0]["message"]["content"]
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
    except (KeyError, IndexError, TypeError, AttributeError):
        content = None
    if not isinstance(content, str) or not content.strip():
        raise ToolError(
            "the vision endpoint returned no text", hint="check that vision.model accepts images"
        )
    return content.strip()
