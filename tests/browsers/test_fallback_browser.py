"""Which browser is kind_to_launch for those who ask for none in particular."""

from __future__ import annotations

import pytest

from pilothouse.browsers import HeadlessKind, Viewport
from pilothouse.browsers.fallback_browser import default_kind, kind_to_launch
from pilothouse.settings import BrowserSettings, Settings


def test_settings_say_what_it_is_like() -> None:
    asked = BrowserSettings(
        headless=False, viewport_width=800, viewport_height=600, viewport_scale=2, profile="work"
    )
    wanted = default_kind(Settings(browser=asked))
    assert (wanted.headed, wanted.viewport, wanted.profile) == (True, Viewport(800, 600, 2), "work")
    assert kind_to_launch(Settings(browser=asked)) == wanted
    assert isinstance(kind_to_launch(Settings()), HeadlessKind)


@pytest.mark.parametrize(
    "asked", [BrowserSettings(cdp_url="http://127.0.0.1:9222"), BrowserSettings(kind="extension")]
)
def test_a_browser_that_runs_already_is_not_launched(asked: BrowserSettings) -> None:
    assert kind_to_launch(Settings(browser=asked)) is None
