"""What an MCP client asked for when its session was set up: `pilothouse mcp --toolsets lean`. Pure.

Knows: the options, and how each is checked. Must not know: sessions, tools, browsers. What cannot
be had is refused when the session begins, where a person reads it, and not with the first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.errors import ToolError
from pilothouse.settings import IMAGE_MODES
from pilothouse.tabs.open_request import open_request
from pilothouse.tools.toolsets import PLATFORMS

__all__ = ["McpOptions", "mcp_options", "parse_toolsets", "sees_images"]

# What a session may prefer of the browser that its tabs are opened in.
_BROWSER = ("headed", "profile", "browser", "viewport", "cdp_url")


class McpOptions(msgspec.Struct, frozen=True):
    """The options of one session. `images` is empty where the settings decide; `opens` is what
    `open` is asked for where a call says nothing else."""

    platform: str = "mcp"
    toolsets: tuple[str, ...] = ()
    images: str = ""
    opens: Mapping[str, Any] = msgspec.field(default_factory=dict)
    # Folders of `--files`, and where `pilothouse mcp` was started.
    files: tuple[Path, ...] = ()
    working: Path | None = None


def mcp_options(params: Mapping[str, Any], platform: str = "mcp") -> McpOptions:
    """The options in the parameters of the daemon's `mcp` or `serve`; `platform` is the usual one.
    Raises ToolError that names the option."""
    asked = params.get("platform") or platform
    if asked not in PLATFORMS:
        raise ToolError(f"platform: there is no platform {asked!r}", hint=_one_of(PLATFORMS))
    images = params.get("images") or ""
    if images and images not in IMAGE_MODES:
        raise ToolError(f"images: unknown value {images!r}", hint=_one_of(IMAGE_MODES))
    return McpOptions(
        str(asked), parse_toolsets(params), str(images), _opens(params.get("browser"))
    )


def parse_toolsets(params: Mapping[str, Any]) -> tuple[str, ...]:
    """The toolsets a client asks for. Raises ToolError."""
    asked = params.get("toolsets") or ()
    if isinstance(asked, str):
        asked = asked.split(",")
    if not isinstance(asked, list | tuple) or not all(isinstance(one, str) for one in asked):
        raise ToolError("toolsets: names are wanted", hint="such as browser,debugging")
    return tuple(one.strip() for one in asked if one.strip())


def _opens(said: Any) -> dict[str, Any]:
    """What `open` is asked for by default. Raises ToolError for what it would refuse."""
    if said is None:
        return {}
    if not isinstance(said, Mapping):
        raise ToolError(f"browser: {said!r} will not do", hint="expected an object of options")
    for name in said:
        if name not in _BROWSER:
            raise ToolError(f"browser.{name}: there is no such option", hint=_one_of(_BROWSER))
    opens = {name: value for name, value in said.items() if value not in (None, "")}
    if endpoint := opens.pop("cdp_url", None):
        for name in ("profile", "headed", "browser"):
            if name in opens:
                raise ToolError(
                    f"{name}: a running browser is taken as it is",
                    hint=f"leave out {name} or cdp_url",
                )
        opens["app"] = {"cdp_url": endpoint}
    open_request(opens)
    return opens


def _one_of(names: tuple[str, ...]) -> str:
    return f"expected one of {', '.join(names)}"


def sees_images(images: str, experimental: Any) -> bool:
    """Whether a client is sent pictures. `images` is the option or setting; with `auto` the client
    decides by its capability `experimental: {"images": false}`. MCP has no other word for it."""
    if images in ("allow", "omit"):
        return images == "allow"
    said = experimental.get("images") if isinstance(experimental, Mapping) else None
    return said is not False
