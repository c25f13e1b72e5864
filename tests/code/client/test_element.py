"""Element: a ref string whose methods call the tab's with the ref as target."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pilothouse.code.client.element import Element, ref_of
from pilothouse.code.client.tab import Tab


class _Daemon:
    """Records calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def call(self, method: str, /, **params: Any) -> Any:
        self.calls.append((method, params))
        return {"data": "", "mime": "image/png"} if method == "tab.screenshot" else True


@pytest.mark.parametrize(("given", "ref"), [(12, "e12"), ("12", "e12"), ("f2e3", "f2e3")])
def test_numbers_are_refs(given: int | str, ref: str) -> None:
    assert ref_of(given) == ref


def test_an_element_is_its_ref() -> None:
    daemon = _Daemon()
    element = Tab(daemon.call).id(12)
    assert daemon.calls[0][0] == "tab.is_visible"
    assert element == "e12"
    assert json.dumps([element]) == '["e12"]'
    assert (str(element), repr(element)) == ("e12", "<Element e12>")
    assert type(str(element)) is str


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("click", ()), ("dblclick", ()), ("hover", ()), ("focus", ()), ("type", ("a",)),
        ("fill", ("a",)), ("clear", ()), ("press", ("Enter",)), ("select", ("a", "b")),
        ("check", ()), ("uncheck", ()), ("upload", ("a.txt",)), ("scroll_into_view", ()),
        ("screenshot", ()), ("text", ()), ("value", ()), ("attr", ("href",)), ("box", ()),
        ("is_visible", ()), ("uploadFile", ("a.txt",)), ("scrollIntoView", ()), ("isVisible", ()),
    ],
)  # fmt: skip
def test_each_method_is_the_tabs_with_the_element_as_target(
    method: str, given: tuple[str, ...]
) -> None:
    daemon = _Daemon()
    getattr(Element("e7", Tab(daemon.call, "shop")), method)(*given)
    ((called, params),) = daemon.calls
    names = {"uploadFile": "upload", "scrollIntoView": "scroll_into_view"}
    assert called == f"tab.{names.get(method, method.replace('isV', 'is_v'))}"
    assert (params["tab"], params["target"]) == ("shop", "e7")


def test_an_element_is_dragged_onto_another() -> None:
    daemon = _Daemon()
    tab = Tab(daemon.call)
    Element("e1", tab).drag(Element("e2", tab))
    ((_, params),) = daemon.calls
    assert (params["source"], params["destination"]) == ("e1", "e2")
