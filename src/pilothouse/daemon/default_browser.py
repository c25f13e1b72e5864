"""Which browser is opened for those who ask for none in particular. Pure.

Knows: the settings for browsers. Must not know: tabs, requests. It is imported before the rest of
the daemon, which may start that browser while it is still coming together.
"""

from __future__ import annotations

from pilothouse.browsers import Headless, Viewport
from pilothouse.settings import Settings

__all__ = ["default_kind", "kind_to_launch"]


def default_kind(settings: Settings) -> Headless:
    """A browser of our own, as the settings want it."""
    asked = settings.browser
    return Headless(
        headed=not asked.headless,
        viewport=Viewport(asked.viewport_width, asked.viewport_height, asked.viewport_scale),
        args=asked.args,
        profile=asked.profile or None,
        executable=asked.executable or None,
        stealth=asked.stealth,  # type: ignore[arg-type]
    )


def kind_to_launch(settings: Settings) -> Headless | None:
    """What will be kind_to_launch for whoever opens a tab; None where tabs are opened in a browser that
    runs already."""
    asked = settings.browser
    return None if asked.cdp_url or asked.kind == "extension" else default_kind(settings)
