"""The browser for calls that name none. Pure.

Knows: the browser settings. Must not know: tabs, requests. It is a module of its own because the
daemon launches this browser before it imports anything else.
"""

from __future__ import annotations

from pilothouse.browsers import HeadlessKind, Viewport
from pilothouse.settings import Settings

__all__ = ["default_kind", "kind_to_launch"]


def default_kind(settings: Settings) -> HeadlessKind:
    """Return the managed browser that the settings describe."""
    asked = settings.browser
    return HeadlessKind(
        headed=not asked.headless,
        viewport=Viewport(asked.viewport_width, asked.viewport_height, asked.viewport_scale),
        args=asked.args,
        profile=asked.profile or None,
        executable=asked.executable or None,
        stealth=asked.stealth,  # type: ignore[arg-type]
    )


def kind_to_launch(settings: Settings) -> HeadlessKind | None:
    """Return the browser to launch early; None if tabs open in a browser that already runs."""
    asked = settings.browser
    return None if asked.cdp_url or asked.kind == "extension" else default_kind(settings)
