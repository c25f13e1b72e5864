"""A stand-in for a language model: it speaks a real API on a real socket, and thinks with a script.

    with ScriptedModel(script) as model:
        ...                                   # an agent's program asks http://127.0.0.1:PORT
    model.talks                               # what it was asked, in order

No model is here: `script` is a function that is given the talk so far (the tools on offer, the
calls made and what came of them) and gives the next turn, so a test decides what a model would.
Everything else is as it is in earnest: the agent's program sends the whole conversation again at
each turn, and is answered piece by piece by server-sent events.

Knows: HTTP and the Messages API, as far as an agent's program needs them. Must not know: browsers.
Whatever else is asked of this server, and whoever takes it for a proxy to the world, is refused and
noted in `strays`.
"""

from __future__ import annotations

import http.server
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Call", "Result", "ScriptedModel", "Talk", "Words"]

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A turn: words, and a tool to be called."""

    tool: str
    arguments: Mapping[str, Any]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A turn: the last one."""

    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a call, as a model sees it."""

    tool: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation so far."""

    asked: str
    tools: Mapping[str, Message] = field(default_factory=dict)
    results: tuple[Result, ...] = ()


Script = Callable[[Talk], Call | Words]


class ScriptedModel:
    """The server. It runs in threads of its own."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.talks: list[Talk] = []
        self.turns: list[Call | Words] = []
        self.strays: list[str] = []
        self.errors: list[BaseException] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        if self.errors:
            raise self.errors[0]

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def turn(self, request: Message) -> Iterator[Message]:
        """The events that answer a request; called by the server's threads."""
        talk = _talk(request)
        turn = self.script(talk)
        self.talks.append(talk)
        self.turns.append(turn)
        return _events(f"{len(self.turns):02}", str(request["model"]), turn)


# The Messages API: a conversation comes in, a message goes out in pieces.


def _talk(request: Message) -> Talk:
    calls: dict[str, str] = {}
    results: list[Result] = []
    asked: list[str] = []
    for message in request["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            match block["type"]:
                case "tool_use":
                    calls[block["id"]] = block["name"]
                case "tool_result":
                    is_error = bool(block.get("is_error"))
                    tool = calls[block["tool_use_id"]]
                    results.append(Result(tool, _text(block.get("content")), is_error))
                case "text" if message["role"] == "user":
                    asked.append(block["text"])
    tools = {tool["name"]: tool for tool in request.get("tools", ())}
    return Talk("\n".join(asked), tools, tuple(results))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or () if block["type"] == "text")


def _events(number: str, model: str, turn: Call | Words) -> Iterator[Message]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    yield {
        "type": "message_start",
        "message": {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        },
    }
    blocks = [_text_block(turn.words if isinstance(turn, Call) else turn.text)]
    if isinstance(turn, Call):
        blocks.append(_call_block(f"toolu_{number}", turn))
    for index, (begin, pieces) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": begin}
        for piece in pieces:
            yield {"type": "content_block_delta", "index": index, "delta": piece}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if isinstance(turn, Call) else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": usage}
    yield {"type": "message_stop"}


def _text_block(text: str) -> tuple[Message, list[Message]]:
    pieces = [{"type": "text_delta", "text": piece} for piece in _halves(text)]
    return {"type": "text", "text": ""}, pieces


def _call_block(number: str, call: Call) -> tuple[Message, list[Message]]:
    said = json.dumps(dict(call.arguments))
    pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in _halves(said)]
    return {"type": "tool_use", "id": number, "name": call.tool, "input": {}}, pieces


def _halves(text: str) -> tuple[str, str]:
    """A model does not say everything at once."""
    return text[: len(text) // 2], text[len(text) // 2 :]


# The server.


class _Server(http.server.ThreadingHTTPServer):
    """Joins all its threads at the end: none may outlive the test."""

    daemon_threads = False
    block_on_close = True

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Answerer)

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.model.errors.append(error)


class _Answerer(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.partition("?")[0] != "/v1/messages":
            self._refuse()
            return
        events = self.server.model.turn(json.loads(body))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()

    def _refuse(self) -> None:
        self.server.model.strays.append(f"{self.command} {self.path}")
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD = do_PUT = do_CONNECT = do_OPTIONS = _refuse

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: `talks` and `strays` tell."""
