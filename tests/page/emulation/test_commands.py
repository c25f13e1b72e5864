"""What can be emulated, as commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.emulation import commands as conditions


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: conditions.viewport(0, 600), "width"),
        (lambda: conditions.viewport(800, 20_000), "height"),
        (lambda: conditions.viewport(True, 600), "width"),
        (lambda: conditions.viewport(800.5, 600), "width"),  # type: ignore[arg-type]
        (lambda: conditions.viewport(800, 600, 0), "scale"),
        (lambda: conditions.locale("german"), "locale"),
        (lambda: conditions.locale("de-DE; q=1"), "locale"),
        (lambda: conditions.timezone("Nowhere/Town"), "timezone"),
        (lambda: conditions.timezone(""), "timezone"),
        (lambda: conditions.geolocation(91, 0), "latitude"),
        (lambda: conditions.geolocation(0, float("nan")), "longitude"),
        (lambda: conditions.network(False, -1), "latency"),
        (lambda: conditions.network(False, 0, 0), "download"),
        (lambda: conditions.media({"color_scheme": "pink"}), "color_scheme"),
        (lambda: conditions.cpu(0.5), "slowdown"),
        (lambda: conditions.permission("telepathy", "granted"), "permission"),
        (lambda: conditions.permission("camera", "perhaps"), "setting"),
    ],
)
def test_a_bad_value_is_refused_by_its_name(make: Callable[[], Any], told: str) -> None:
    with pytest.raises(ToolError, match=f"^{told}: ") as refused:
        make()
    assert refused.value.hint


def test_an_unknown_zone_gets_near_ones() -> None:
    with pytest.raises(ToolError) as refused:
        conditions.timezone("Berlin")
    assert "Europe/Berlin" in refused.value.hint


def test_size_is_for_the_page_and_touch_for_every_frame() -> None:
    wide = conditions.viewport(852, 393, 3, True, True)
    (metrics,) = wide.top
    assert metrics.params is not None
    assert metrics.params["screenOrientation"] == {"type": "landscapePrimary", "angle": 90}
    assert [c.method for c in wide.each] == ["Emulation.setTouchEmulationEnabled"]
    assert [c.method for c in wide.top_end] == ["Emulation.clearDeviceMetricsOverride"]


def test_a_language_travels_with_the_user_agent() -> None:
    both = conditions.user_agent({"userAgent": "X", "platform": "P"}, "de-DE")
    (command,) = both.each
    assert command.params == {"userAgent": "X", "platform": "P", "acceptLanguage": "de-DE,de"}
    assert both.workers == both.each
    assert both.status == "X"
    assert conditions.user_agent({}, "fr").status is None


def test_a_locale_is_spelt_one_way() -> None:
    assert conditions.locale("pt_BR").status == "pt-BR"


def test_a_line_is_watched_before_it_is_cut() -> None:
    cut = conditions.network(True)
    assert [c.method for c in cut.each] == ["Network.enable", "Network.emulateNetworkConditions"]
    assert [c.method for c in cut.workers] == ["Network.enable"]
    (back,) = cut.each_end
    assert back.params is not None
    assert back.params["offline"] is False


@pytest.mark.parametrize(("word", "setting"), [("allow", "granted"), ("deny", "denied")])
def test_a_permission_is_set_by_any_usual_word(word: str, setting: str) -> None:
    assert conditions.permission("push", word) == (
        {"name": "push", "userVisibleOnly": True},
        setting,
    )
