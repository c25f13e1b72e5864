"""The calls that Playwright's methods make; tests/tools runs them on real pages."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.playwright_compat import PlaywrightPage, ScreenshotBytes
from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import CallFailed, to_json
from tests.code.fake_daemon_client import Answering


def _page(**answers: Any) -> tuple[PlaywrightPage, Answering]:
    daemon = Answering(**answers)

    def page_of(name: str) -> PlaywrightPage:
        return PlaywrightPage(daemon, Tab(daemon, name), page_of)

    return page_of("shop"), daemon


@pytest.mark.parametrize(
    ("name", "given", "options", "method", "expected"),
    [
        ("goto", ("http://a/",), {"timeout": 500}, "goto", {"url": "http://a/", "timeout": 0.5}),
        ("goto", ("b",), {"wait_until": "networkidle"}, "goto", {"wait_until": "networkidle0"}),
        ("go_back", (), {}, "back", {"timeout": 30.0}),
        ("go_forward", (), {}, "forward", {}),
        ("reload", (), {}, "reload", {}),
        ("click", ("#a",), {"timeout": 100}, "click", {"target": "#a", "timeout": 0.1}),
        ("dblclick", ("#a",), {}, "dblclick", {"target": "#a"}),
        ("fill", ("#a", "v"), {}, "fill", {"value": "v"}),
        ("type", ("#a", "v"), {}, "type", {"text": "v"}),
        ("press", ("#a", "Enter"), {}, "press", {"keys": "Enter", "target": "#a"}),
        ("hover", ("#a",), {}, "hover", {}),
        ("focus", ("#a",), {}, "focus", {}),
        ("check", ("#a",), {}, "check", {}),
        ("uncheck", ("#a",), {}, "uncheck", {}),
        ("select_option", ("#a", "l"), {}, "select", {"values": "l"}),
        ("drag_and_drop", ("#a", "#b"), {}, "drag", {"source": "#a", "destination": "#b"}),
        ("set_viewport_size", ({"width": 1, "height": 2},), {}, "viewport", {"height": 2}),
        ("evaluate", ("(a) => a", 5), {}, "evaluate", {"args": [5]}),
        ("wait_for_url", ("**/a",), {}, "wait_for_url", {"pattern": "**/a"}),
        ("wait_for_function", ("x",), {}, "wait_for", {"function": "x"}),
        ("wait_for_load_state", ("networkidle",), {}, "wait_for", {"idle": True}),
        ("get_attribute", ("#a", "href"), {}, "attr", {"name": "href", "nth": 0}),
        ("close", (), {}, "close", {"name": "shop"}),
    ],
)
def test_methods_call_verbs(
    name: str,
    given: tuple[Any, ...],
    options: dict[str, Any],
    method: str,
    expected: dict[str, Any],
) -> None:
    page, daemon = _page()
    getattr(page, name)(*given, **options)
    called, params = daemon.calls[-1]
    assert called == method
    assert {key: params[key] for key in expected} == expected


def test_elements_are_found_in_every_way() -> None:
    page, _ = _page(count=0)
    assert repr(page.get_by_role("link", name="Go")) == "<Locator 'role=link[name=Go]'>"
    assert repr(page.get_by_text("Go", exact=True)) == "<Locator 'text=\"Go\"'>"
    for name, kind in (
        ("label", "label"),
        ("placeholder", "placeholder"),
        ("alt_text", "alt"),
        ("title", "title"),
        ("test_id", "testid"),
    ):
        assert repr(getattr(page, f"get_by_{name}")("x")) == f"<Locator '{kind}=x'>"
    assert page.query_selector("p") is None
    assert page.query_selector_all("p") == []


def test_address_title_and_content_are_texts() -> None:
    page, _ = _page(url="http://a/", title="A", html="<html></html>")
    assert (page.url, page.title(), page.content()) == ("http://a/", "A", "<html></html>")


def test_screenshot_is_bytes_that_show_themselves_in_a_line(tmp_path: Path) -> None:
    page, _ = _page(screenshot={"data": base64.b64encode(b"PNG!").decode(), "mime": "image/png"})
    shot = page.screenshot(path=str(tmp_path / "a.png"), full_page=True)
    assert (shot, repr(shot)) == (b"PNG!", "<screenshot of 4 bytes>")
    assert isinstance(shot, ScreenshotBytes)
    assert (tmp_path / "a.png").read_bytes() == b"PNG!"


def test_keys_and_pointer() -> None:
    page, daemon = _page()
    page.keyboard.press("Control+A")
    page.keyboard.type("abc")
    page.keyboard.down("Shift")
    page.keyboard.up("Shift")
    page.mouse.click(1, 2)
    page.mouse.dblclick(1, 2)
    page.mouse.move(3, 4)
    page.mouse.wheel(0, 100)
    assert [method for method, _ in daemon.calls] == [
        "press", "type", "key_down", "key_up", "click", "click", "hover", "scroll",
    ]  # fmt: skip


def test_context_has_the_tabs_and_what_they_share() -> None:
    inbox = {"target": "ABCDEF0123456789", "title": "Inbox", "url": "http://mail/"}
    shared = {"tabs": [{**inbox, "shared_by": "the user picked this tab"}]}
    page, daemon = _page(tabs=[{"name": "main"}, {"name": "tab2"}], **{"relay.shared": shared})
    context = page.context
    *mine, other = context.pages
    assert [one.tab.name for one in mine] == ["main", "tab2"]
    assert (other.url, other.title(), other.id) == ("http://mail/", "Inbox", "ABCDEF01")
    with pytest.raises(CallFailed, match="not adopted yet") as refused:
        other.click("button")
    assert refused.value.hint.endswith('action="adopt", target="ABCDEF01"')
    assert not hasattr(page, "isoformat")
    assert to_json(page) == repr(page), "a page as the value of a run becomes its repr"
    assert context.new_page().tab.name == "tab3"
    assert ("open", {"name": "tab3"}) in daemon.calls
    context.cookies("http://a/")
    assert daemon.calls.pop() == ("cookies", {"tab": "shop", "urls": ["http://a/"]})
    context.add_cookies([{"name": "a"}])
    context.clear_cookies(name="a")
    context.storage_state()
    context.set_offline(True)
    context.set_geolocation({"latitude": 1, "longitude": 2})
    assert daemon.calls[-1][1]["geolocation"] == [1, 2]


@pytest.mark.parametrize(
    ("name", "instead"),
    [("on", "tab.dialogs"), ("clik", "page.click"), ("frame_locator", "refs"), ("zzz", "tab")],
)
def test_what_is_missing_says_what_to_use(name: str, instead: str) -> None:
    page, _ = _page()
    with pytest.raises(CallFailed, match=f"page has no '{name}' here") as failed:
        getattr(page, name)
    assert instead in failed.value.hint


def test_raw_cdp_stays_there() -> None:
    page, daemon = _page()
    page.cdp("Page.reload")
    assert daemon.calls[-1][1]["command"] == "Page.reload"
    assert not hasattr(page, "__await__")
