"""The options of an MCP session, as `pilothouse mcp --toolsets lean` sends them. Pure.

Knows: the options and how each is checked. Must not know: sessions, tools, browsers. Invalid
options fail when the session begins, where a person sees the error, not at the agent's first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.errors import ToolError, UsageError
from pilothouse.settings import IMAGE_MODES
from pilothouse.tabs.open_and_close_requests import open_request
from pilothouse.tools.toolsets import PLATFORMS

__all__ = ["McpOptions", "mcp_options", "parse_toolsets", "sees_images"]

# The options that a session may set for the browser of its tabs.
_BROWSER = ("headed", "profile", "browser", "viewport", "cdp_url")


class McpOptions(msgspec.Struct, frozen=True):
    """The options of one session. `images` is empty if the settings decide; `opens` holds default
    parameters of `open`."""

    platform: str = "mcp"
    toolsets: tuple[str, ...] = ()
    images: str = ""
    opens: Mapping[str, Any] = msgspec.field(default_factory=dict)
    # Folders of `--files`, and where `pilothouse mcp` was started.
    files: tuple[Path, ...] = ()
    working: Path | None = None


def mcp_options(params: Mapping[str, Any], platform: str = "mcp") -> McpOptions:
    """Parse the parameters of the RPC methods `mcp` and `serve`; `platform` is the default.

    Raises ToolError that names the option."""
    asked = params.get("platform") or platform
    if asked not in PLATFORMS:
        raise UsageError(f"platform: unknown value {asked!r}", hint=_one_of(PLATFORMS))
    images = params.get("images") or ""
    if images and images not in IMAGE_MODES:
        raise UsageError(f"images: unknown value {images!r}", hint=_one_of(IMAGE_MODES))
    return McpOptions(
        str(asked), parse_toolsets(params), str(images), _opens(params.get("browser"))
    )


def parse_toolsets(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Parse the parameter `toolsets`: a list, or names with commas between. Raises ToolError."""
    asked = params.get("toolsets") or ()
    if isinstance(asked, str):
        asked = asked.split(",")
    if not isinstance(asked, list | tuple) or not all(isinstance(one, str) for one in asked):
        raise UsageError("toolsets: expected a list of names", hint="give browser,debugging")
    return tuple(one.strip() for one in asked if one.strip())


def _opens(said: Any) -> dict[str, Any]:
    """Parse the default parameters of `open`. Raises ToolError for those it would refuse."""
    if said is None:
        return {}
    if not isinstance(said, Mapping):
        raise UsageError(f"browser: expected an object, got {said!r}", hint=_one_of(_BROWSER))
    for name in said:
        if name not in _BROWSER:
            raise UsageError(f"browser.{name}: unknown option", hint=_one_of(_BROWSER))
    opens = {name: value for name, value in said.items() if value not in (None, "")}
    if endpoint := opens.pop("cdp_url", None):
        for name in ("profile", "headed", "browser"):
            if name in opens:
                raise ToolError(
                    f"{name}: cannot be set for a running browser (cdp_url)",
                    hint=f"leave out {name} or cdp_url",
                )
        opens["app"] = {"cdp_url": endpoint}
    open_request(opens)
    return opens


def _one_of(names: tuple[str, ...]) -> str:
    return f"use one of {', '.join(names)}"


def sees_images(images: str, experimental: Any) -> bool:
    """Return whether to send images to a client. `images` is the option or setting.

    With `auto` the client decides by its capability `experimental: {"images": false}`. MCP has no
    standard capability for this."""
    if images in ("allow", "omit"):
        return images == "allow"
    said = experimental.get("images") if isinstance(experimental, Mapping) else None
    return said is not False
