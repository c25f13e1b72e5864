"""The tools, resources and prompts that the official conformance suite wants of a server, on our
own server with our own door: only what is asked for here is the suite's.

Knows: what the suite's scenarios ask. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.subscriptions import PromptsListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from pilothouse.daemon.mcp.sdk_server import (
    COMPLETE,
    COMPLETE_UNCACHED,
    McpRequestContext,
    McpServer,
)
from pilothouse.daemon.web.access import RequestGuard
from pilothouse.daemon.web.app import WebApp
from pilothouse.daemon.web.asgi import Receive, Scope, Send
from pilothouse.daemon.web.mcp_routes import McpRoutes
from tests.daemon.multi_round_conformance_tools import ROUNDS, asked_for, rounds

__all__ = [
    "DEFAULTS",
    "ENUMS",
    "FIXED",
    "PAUSE_S",
    "USER",
    "ConformanceApp",
    "ConformanceRoutes",
    "prompt_blocks",
    "prompt_listings",
    "resource_content",
    "resource_listings",
    "tool_listings",
]

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGA"
    "hKmMIQAAAABJRU5ErkJggg=="
)
WAV = base64.b64encode(
    b"RIFF&\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\2\0\0\0\0\0"
).decode()
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
PAUSE_S = 0.05


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _content(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"content": list(blocks), **COMPLETE}


def _resource(uri: str, mime: str, text: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
FIXED = {
    "test_simple_text": _content(_text("This is a simple text response for testing.")),
    "test_image_content": _content(IMAGE),
    "test_audio_content": _content({"type": "audio", "data": WAV, "mimeType": "audio/wav"}),
    "test_embedded_resource": _content(
        _resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": _content(
        _text("Multiple content types test:"),
        IMAGE,
        _resource(
            "test://mixed-content-resource",
            "application/json",
            json.dumps({"test": "data", "value": 123}),
        ),
    ),
    "test_error_handling": {
        "isError": True,
        **_content(_text("This tool intentionally returns an error for testing")),
    },
}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {
        "type": "string",
        "enum": ["active", "inactive", "pending"],
        "default": "active",
    },
    "verified": {"type": "boolean", "default": True},
}
_THREE = ["option1", "option2", "option3"]


def _titled(*names: str) -> list[dict[str, str]]:
    return [{"const": f"value{n}", "title": name} for n, name in enumerate(names, 1)]


ENUMS = {
    "untitledSingle": {"type": "string", "enum": _THREE},
    "titledSingle": {
        "type": "string",
        "oneOf": _titled("First Option", "Second Option", "Third Option"),
    },
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _THREE}},
    "titledMulti": {
        "type": "array",
        "items": {"anyOf": _titled("First Choice", "Second Choice", "Third Choice")},
    },
}
USER = {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"},
}
SCHEMAS: dict[str, dict[str, Any]] = {
    **dict.fromkeys((*FIXED, *ROUNDS), NOTHING),
    "test_tool_with_logging": NOTHING,
    "test_tool_with_progress": NOTHING,
    "test_reconnection": NOTHING,
    "test_missing_capability": NOTHING,
    "test_trigger_tool_change": NOTHING,
    "test_trigger_prompt_change": NOTHING,
    "test_header": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
    "test_sampling": {
        "type": "object",
        "properties": {"prompt": {"type": "string"}},
        "required": ["prompt"],
    },
    "test_elicitation": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    },
    "test_elicitation_sep1034_defaults": NOTHING,
    "test_elicitation_sep1330_enums": NOTHING,
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "address",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["address"]},
        "then": {"required": ["name"]},
        "else": {},
        "additionalProperties": False,
    },
}
RESOURCES = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched resource content."},
}
PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


def tool_listings() -> list[dict[str, Any]]:
    """The suite's tools."""
    return [
        {"name": name, "description": f"The suite's {name}", "inputSchema": schema}
        for name, schema in SCHEMAS.items()
    ]


def resource_listings() -> list[dict[str, Any]]:
    """The suite's resources."""
    return [
        {"uri": uri, "name": uri, "description": uri, "mimeType": found["mimeType"]}
        for uri, found in RESOURCES.items()
    ]


def resource_content(uri: str) -> dict[str, Any] | None:
    """What one of the suite's resources holds; None for another one."""
    if uri in RESOURCES:
        return {"uri": uri, **RESOURCES[uri]}
    if uri.startswith("test://template/"):
        number = uri.split("/")[3]
        data = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
        return {"uri": uri, "mimeType": "application/json", "text": json.dumps(data)}
    return None


def prompt_listings() -> list[dict[str, Any]]:
    """The suite's prompts."""
    return [
        {
            "name": name,
            "description": name,
            "arguments": [{"name": one, "description": one, "required": True} for one in arguments],
        }
        for name, arguments in PROMPTS.items()
    ]


def prompt_blocks(name: str, given: Mapping[str, str]) -> list[dict[str, Any]]:
    """The content of one of the suite's prompts."""
    match name:
        case "test_simple_prompt":
            return [_text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            said = f"arg1='{given['arg1']}', arg2='{given['arg2']}'"
            return [_text(f"Prompt with arguments: {said}")]
        case "test_prompt_with_embedded_resource":
            words = "Embedded resource content for testing."
            return [
                _resource(given["resourceUri"], "text/plain", words),
                _text("Please process the embedded resource above."),
            ]
        case "test_prompt_with_image":
            return [IMAGE, _text("Please analyze the image above.")]
    raise MCPError(types.INVALID_PARAMS, f"there is no prompt {name}")


class _Fixtures(McpServer):
    """Our server with the suite's things beside ours."""

    def build(self) -> Server[Any]:
        server = super().build()
        ask = server.add_request_handler
        ask("prompts/list", types.PaginatedRequestParams, self._prompts)
        ask("prompts/get", types.GetPromptRequestParams, self._prompt)
        ask("completion/complete", types.CompleteRequestParams, self._complete)
        ask("resources/subscribe", types.SubscribeRequestParams, self._accept)
        ask("resources/unsubscribe", types.UnsubscribeRequestParams, self._accept)
        return server

    async def list_tools(
        self, asked: McpRequestContext, params: types.PaginatedRequestParams
    ) -> Any:
        ours = await super().list_tools(asked, params)
        return {**ours, "tools": [*tool_listings(), *ours["tools"]]}

    async def call_tool(self, asked: McpRequestContext, params: types.CallToolRequestParams) -> Any:
        given = params.arguments or {}
        match params.name:
            case name if name in FIXED:
                return FIXED[name]
            case name if name in ROUNDS:
                return rounds(name, params, asked.session.client_capabilities)
            case "test_tool_with_logging":
                return await self._logging(asked)
            case "test_tool_with_progress":
                for at in (0, 50, 100):
                    await asked.session.report_progress(at, 100)
                    await asyncio.sleep(PAUSE_S)
                return _content(_text("done"))
            case "test_reconnection":
                if asked.close_sse_stream is not None:
                    await asked.close_sse_stream()
                await asyncio.sleep(PAUSE_S)
                return _content(_text("Reconnection test completed successfully."))
            case "test_missing_capability":
                able = asked.session.client_capabilities
                if able is None or able.sampling is None:
                    code = types.MISSING_REQUIRED_CLIENT_CAPABILITY
                    data: Any = {"requiredCapabilities": {"sampling": {}}}
                    raise MCPError(code, "sampling is needed", data)
                return _content(_text("done"))
            case "test_trigger_prompt_change":
                await self._bus.publish(PromptsListChanged())
                return _content(_text("done"))
            case "test_trigger_tool_change":
                await self.notify_tools_changed()
                return _content(_text("done"))
            case "test_header":
                return _content(_text(given["region"]))
            case "test_sampling":
                return await self._sampling(asked, given["prompt"])
            case "test_elicitation":
                return await self._elicit(asked, "User response", given["message"], USER)
            case "test_elicitation_sep1034_defaults":
                return await self._elicit(asked, "Elicitation completed", "Defaults", DEFAULTS)
            case "test_elicitation_sep1330_enums":
                return await self._elicit(asked, "Elicitation completed", "Enums", ENUMS)
        return await super().call_tool(asked, params)

    async def _logging(self, asked: McpRequestContext) -> Any:
        for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            said = types.LoggingMessageNotificationParams(level="info", data=text)
            await asked.session.send_notification(
                types.LoggingMessageNotification(params=said), asked.request_id
            )
            await asyncio.sleep(PAUSE_S)
        return _content(_text("done"))

    async def _sampling(self, asked: McpRequestContext, prompt: str) -> Any:
        said = types.SamplingMessage(
            role="user", content=types.TextContent(type="text", text=prompt)
        )
        answer = await asked.session.send_request(
            types.CreateMessageRequest(
                params=types.CreateMessageRequestParams(messages=[said], max_tokens=100)
            ),
            types.CreateMessageResult,
            metadata=ServerMessageMetadata(related_request_id=asked.request_id),
        )
        spoken = answer.content.text if isinstance(answer.content, types.TextContent) else ""
        return _content(_text(f"LLM response: {spoken}"))

    async def _elicit(
        self, asked: McpRequestContext, head: str, message: str, fields: dict[str, Any]
    ) -> Any:
        schema = {"type": "object", "properties": fields, "required": []}
        if fields is USER:
            schema["required"] = list(fields)
        answer = await asked.session.elicit_form(message, schema, asked.request_id)
        said = f"{head}: action={answer.action}, content={json.dumps(answer.content)}"
        return _content(_text(said))

    async def list_resources(
        self, asked: McpRequestContext, params: types.PaginatedRequestParams
    ) -> Any:
        ours = await super().list_resources(asked, params)
        return {**ours, "resources": [*resource_listings(), *ours["resources"]]}

    async def read_resource(
        self, asked: McpRequestContext, params: types.ReadResourceRequestParams
    ) -> Any:
        uri = str(params.uri)
        if (found := resource_content(uri)) is not None:
            return {"contents": [found], **COMPLETE_UNCACHED}
        return await super().read_resource(asked, params)

    async def _prompts(self, asked: McpRequestContext, params: types.PaginatedRequestParams) -> Any:
        return {
            "prompts": prompt_listings(),
            **COMPLETE_UNCACHED,
        }

    async def _prompt(self, asked: McpRequestContext, params: types.GetPromptRequestParams) -> Any:
        if params.name == "test_input_required_result_prompt":
            if "user_context" not in (params.input_responses or {}):
                asks = asked_for("What context should the prompt use?", "context")
                return {"resultType": "input_required", "inputRequests": {"user_context": asks}}
            blocks = [_text("With the context that was given.")]
        else:
            blocks = prompt_blocks(params.name, params.arguments or {})
        return {"messages": [{"role": "user", "content": block} for block in blocks], **COMPLETE}

    async def _complete(self, asked: McpRequestContext, params: types.CompleteRequestParams) -> Any:
        return {
            "completion": {"values": ["paris", "park"], "total": 2, "hasMore": False},
            **COMPLETE,
        }

    async def _accept(self, asked: McpRequestContext, params: Any) -> Any:
        return {}


class ConformanceRoutes(McpRoutes):
    """MCP over HTTP with the suite's things."""

    def make_server(self) -> McpServer:
        return _Fixtures(self._session_for)


class ConformanceApp(WebApp):
    """Our web server; the suite holds no token, so it is put in here."""

    def __init__(self, token: str, port: int) -> None:
        super().__init__(RequestGuard(token, port, lambda cookie, csrf: False))
        self._given = (b"authorization", b"Bearer " + token.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["headers"] = [*scope["headers"], self._given]
        await super().__call__(scope, receive, send)
