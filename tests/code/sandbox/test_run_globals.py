"""The globals of agent-written code, and the calls that they make."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.run_result import CallFailed
from pilothouse.code.sandbox.run_globals import display_item, make_scope, parallel, wait


class Recorder:
    """Records calls and output."""

    def __init__(self, **answers: Any) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.said: list[dict[str, Any]] = []
        self.answers = answers

    def call(self, method: str, /, **params: Any) -> Any:
        self.calls.append((method, params))
        return self.answers.get(method.replace(".", "_"))

    def send_output(self, message: dict[str, Any]) -> None:
        self.said.append(message)

    def log(self, level: str, text: str) -> None:
        self.said.append({"log": f"{level}: {text}"})


def test_the_scope_has_what_was_promised() -> None:
    state = {"n": 1}
    scope = make_scope(Recorder(), "shop", state)
    promised = {"tab", "page", "browser", "display", "wait", "parallel", "state", "json", "re"}
    promised |= {"math", "datetime", "URL", "playwright_page", "console"}
    assert promised <= scope.keys()
    assert scope["tab"].name == "shop"
    assert scope["state"] is state
    assert scope["URL"]("https://a.b/c?d=e").path == "/c"
    assert scope["urljoin"]("https://a.b/c", "d") == "https://a.b/d"


def test_raw_cdp_is_called_on_the_tab() -> None:
    daemon = Recorder(page_cdp={"ok": True})
    page = make_scope(daemon, "shop", {})["page"]
    assert page.cdp("Page.reload", ignoreCache=True) == {"ok": True}
    page.cdp("Emulation.x", {"method": "GET"}, frame_id="F1")
    assert daemon.calls == [
        (
            "page.cdp",
            {
                "tab": "shop",
                "command": "Page.reload",
                "params": {"ignoreCache": True},
                "frame_id": "",
            },
        ),
        (
            "page.cdp",
            {
                "tab": "shop",
                "command": "Emulation.x",
                "params": {"method": "GET"},
                "frame_id": "F1",
            },
        ),
    ]


def test_an_event_is_expected_before_it_is_waited_for() -> None:
    daemon = Recorder(page_expect="key-1", page_expected={"id": 5})
    arrived = make_scope(daemon, "shop", {})["page"].expect("Page.loadEventFired", timeout=3)
    assert [method for method, _ in daemon.calls] == ["page.expect"]
    assert arrived() == {"id": 5}
    assert daemon.calls[-1] == ("page.expected", {"tab": "shop", "key": "key-1"})


def test_the_browser_opens_lists_and_closes_tabs() -> None:
    opened = {"details": {"title": "A"}}
    daemon = Recorder(tabs=[{"name": "main"}], open=opened)
    browser = make_scope(daemon, "main", {})["browser"]
    second = browser.open("second", "https://a.b/", wait_until="load")
    assert (second.name, second.opened) == ("second", {"title": "A"})
    assert browser.tab("third").name == "third"
    assert browser.tabs() == [{"name": "main"}]
    browser.close("second")
    assert daemon.calls == [
        ("open", {"name": "second", "url": "https://a.b/", "wait_until": "load"}),
        ("tabs", {}),
        ("close", {"name": "second"}),
    ]


def test_the_signal_tells_that_the_time_is_up() -> None:
    expired = False
    scope = make_scope(Recorder(), "main", {}, lambda: expired)
    other = scope["browser"].tab("other")
    assert not scope["tab"].signal.aborted
    expired = True
    assert scope["tab"].signal.aborted
    assert other.signal.aborted


def test_a_screenshot_shows_itself_once_unless_it_is_silent() -> None:
    daemon = Recorder(tab_screenshot={"data": "aGk=", "mime": "image/png"})
    scope = make_scope(daemon, "main", {})
    silent = scope["tab"].screenshot(fullPage=True, silent=True)
    assert daemon.calls[-1][1]["full_page"] is True
    assert daemon.said == []
    scope["display"](silent)
    assert len(daemon.said) == 1
    scope["display"](scope["tab"].screenshot())
    assert len(daemon.said) == 2


def test_files_that_the_code_wrote_are_named_from_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "c.txt", "d.txt"):
        Path(name).write_text(name)
    daemon = Recorder()
    tab = make_scope(daemon, "main", {})["tab"]
    tab.upload("#f", "a.txt", Path("/b.txt"))
    tab.uploadFile("#f", ["c.txt"])
    tab.upload_file("#f", paths=["d.txt", "of the session.txt"])
    assert [params["paths"] for _, params in daemon.calls] == [
        [f"{tmp_path}/a.txt", "/b.txt"],
        f"{tmp_path}/c.txt",
        [f"{tmp_path}/d.txt", "of the session.txt"],
    ]


def test_playwrights_page_says_why_it_is_not_there() -> None:
    with pytest.raises(CallFailed, match="relay"):
        make_scope(Recorder(), "main", {})["playwright_page"].goto("x")


class _Picture:
    data = b"hi"
    mime = "image/jpeg"


@pytest.mark.parametrize(
    ("value", "item"),
    [
        ("plain", {"type": "text", "text": "plain"}),
        (5, {"type": "text", "text": "5"}),
        ({"é": 1}, {"type": "text", "text": '{\n  "é": 1\n}'}),
        ({1, 2}, {"type": "text", "text": "{1, 2}"}),
        (_Picture(), {"type": "image", "data": "aGk=", "mimeType": "image/jpeg"}),
        (
            {"data": "aGk=", "mime": "image/png"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        ),
    ],
)
def test_display_shows_texts_pictures_and_everything_else(value: object, item: object) -> None:
    daemon = Recorder()
    make_scope(daemon, "main", {})["display"](value)
    assert daemon.said == [{"display": item}]
    assert display_item(value) == item


def test_wait_takes_seconds_or_a_condition() -> None:
    began = time.monotonic()
    assert wait(0.02) is None
    assert time.monotonic() - began >= 0.02
    found = iter([None, 0, "found"])
    assert wait(lambda: next(found), interval=0) == "found"
    assert wait(-1) is None


def test_a_condition_that_never_holds_is_given_up_with_its_last_value() -> None:
    with pytest.raises(TimeoutError, match=r"waited 0\.05 s; the last value was \[\]"):
        wait(list, timeout=0.05, interval=0)


def test_a_condition_may_be_asynchronous() -> None:
    async def holds() -> str:
        await asyncio.sleep(0)
        return "held"

    assert wait(holds) == "held"

    async def inside_a_loop() -> Any:
        return wait(holds)

    assert asyncio.run(inside_a_loop()) == "held"


def test_parallel_is_at_the_same_time_and_in_order() -> None:
    meeting = threading.Barrier(3, timeout=10)
    assert parallel(*[lambda n=n: (meeting.wait(), n)[1] for n in range(3)]) == [0, 1, 2]
    assert parallel() == []


def test_parallel_runs_asynchronous_functions() -> None:
    async def one() -> int:
        await asyncio.sleep(0)
        return 1

    assert parallel(one, lambda: 2) == [1, 2]


def test_parallel_ends_all_before_it_raises() -> None:
    done = []
    gate = threading.Event()

    def fails() -> None:
        gate.set()
        raise KeyError("first")

    def works() -> None:
        gate.wait(10)
        done.append(1)

    with pytest.raises(KeyError, match="first"):
        parallel(fails, works)
    assert done == [1]


def test_parallel_wants_functions_not_their_results() -> None:
    with pytest.raises(TypeError, match="lambda"):
        parallel({"clicked": True})  # type: ignore[arg-type]


def test_console_writes_to_the_log_and_not_to_the_result() -> None:
    daemon = Recorder()
    console = make_scope(daemon, "main", {})["console"]
    console.log("tide", 3)
    console.warn("low")
    console.error({"a": 1})
    console.debug()
    assert daemon.said == [
        {"log": "info: tide 3"},
        {"log": "warning: low"},
        {"log": "error: {'a': 1}"},
        {"log": "debug: "},
    ]


def test_a_screenshot_is_shown_by_its_name_once() -> None:
    daemon = Recorder(tab_screenshot={"data": "aGk=", "mime": "image/png", "id": "p1"})
    scope = make_scope(daemon, "main", {})
    scope["display"](scope["tab"].screenshot())
    assert daemon.said == [{"display": {"type": "image", "picture": "p1"}}]
