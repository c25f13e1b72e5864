"""Dialogs at awkward moments and under strict headers: while a page loads, by a real click, on
http and https, with policies that forbid what a bridge needs."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Page
from pilothouse.supervisor import Dialog, Options
from tests.browser.browser_with_dialog_places import PLACES, WITHIN_S, Stage, staged
from tests.soak_extent import MATRIX, matrix

pytestmark = [*MATRIX, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

MODES = ("auto", "native", "xhr", "debugger")

STRICT = {
    "plain": {},
    "connect_src_none": {"Content-Security-Policy": "connect-src 'none'"},
    "default_src_none": {
        "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; frame-src *"
    },
    "sync_xhr_off": {"Permissions-Policy": "sync-xhr=()"},
    "sandbox": {"Content-Security-Policy": "sandbox allow-scripts allow-modals"},
}
FORBID_REQUESTS = ("connect_src_none", "default_src_none", "sync_xhr_off")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    mode, scheme = request.param
    async with staged(Options(bridge=mode), https=scheme == "https") as made:
        yield made


def staged_as(*schemes: str) -> pytest.MarkDecorator:
    every = [(mode, scheme) for mode in MODES for scheme in schemes]
    ids = ["-".join(one) for one in every]
    return pytest.mark.parametrize("stage", every, indirect=True, scope="module", ids=ids)


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


INLINE = "<script>var got = prompt('while loading', 'dflt')</script>"


# A pair of mode and place stands in `test_dialog_matrix.py` already.
at_places = pytest.mark.parametrize(
    ("stage", "place"),
    [((m, "http"), place) for m, place in matrix(itertools.product(MODES, PLACES), tuple, 1)],
    indirect=["stage"],
    scope="module",
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
under_headers = pytest.mark.parametrize(
    ("stage", "place", "headers"),
    [
        ((mode, scheme), place, headers)
        for mode, scheme, place, headers in matrix(
            itertools.product(MODES, ("http", "https"), ("main", "oopif"), STRICT), tuple
        )
    ],
    indirect=["stage"],
    scope="module",
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)


@under_headers
async def test_dialog_works_under_strict_headers(stage: Stage, place: str, headers: str) -> None:
    """Where a policy forbids the request of a bridge, the browser's own dialog is shown."""
    stage.pages.add("/strict.html", "<script>var got = 0</script>", headers=STRICT[headers])
    url = stage.pages.url("/strict.html", host="localhost" if place == "oopif" else "127.0.0.1")
    if place == "oopif":
        frame = f'<iframe name="spot" allow="sync-xhr *" src="{url}"></iframe>'
        url = stage.pages.add("/outer.html", frame)
    tab = await stage.sup.open_tab("strict", url)
    spot = await stage.loaded(tab, "spot" if place == "oopif" else "")
    outcome = await stage.run(spot.id, "got = prompt('strict?', 'dflt')")
    (dialog,) = outcome.blocked_by
    assert isinstance(dialog, Dialog)
    assert (dialog.type, dialog.message, dialog.frame_id) == ("prompt", "strict?", spot.id)
    mode = stage.sup.setup.frame_mode if place == "oopif" else stage.sup.setup.page_mode
    assert dialog.via == ("native" if mode == "xhr" and headers in FORBID_REQUESTS else mode)
    await stage.sup.answer(accept=True, text="yes", dialog_id=dialog.id)
    assert (await stage.delivered(outcome.action_id))["result"]["value"] == "yes"
    assert await stage.value(spot.id, "got") == "yes"


@at_places
async def test_dialog_of_an_inline_script_is_held_while_loading(stage: Stage, place: str) -> None:
    """Instrumented before the first script, popups and other processes too."""
    pages = stage.pages
    pages.add("/inline.html", INLINE)
    inline = pages.url("/inline.html", host="localhost" if "oopif" in place else "127.0.0.1")
    frame = f'<iframe name="spot" src="{inline}"></iframe>'
    mid = pages.url("/inline_mid.html", host="a.localhost")
    pages.add("/inline_mid.html", frame)
    quoted = INLINE.replace('"', "&quot;")
    bodies = {
        "same_origin": frame,
        "oopif": frame,
        "nested_oopif": f'<iframe src="{mid}"></iframe>',
        "srcdoc": f'<iframe name="spot" srcdoc="{quoted}"></iframe>',
        "popup": f"<script>onclick = () => open({inline!r})</script>",
    }
    url = pages.add("/outer.html", bodies[place]) if place in bodies else inline
    if place == "background":
        await stage.sup.open_tab("load", pages.url("/main.html"))
    tab = await stage.sup.open_tab("load", url)
    if place == "popup":
        top = await stage.loaded(tab)
        await stage.run(top.id, "onclick(); 0", gesture=True)
    dialog = await stage.sup.wait_for(lambda s: next(iter(s.dialogs.values()), None), WITHIN_S)
    assert (dialog.type, dialog.message) == ("prompt", "while loading")
    assert (dialog.tab == tab) == (place != "popup")
    await stage.sup.answer(accept=True, text="loaded", dialog_id=dialog.id)
    spot = await stage.loaded(dialog.tab, "spot" if place in bodies and place != "popup" else "")
    assert dialog.frame_id == spot.id
    assert await stage.value(spot.id, "got") == "loaded"


@at_places
async def test_dialog_of_a_real_click_is_held(stage: Stage, place: str) -> None:
    spot = await stage.go(place)
    await stage.value(spot.frame_id, "ask = () => { got = confirm('clicked?') }; 0")
    outcome = await stage.click(spot)
    dialog = await stage.dialog(spot.tab)
    assert (dialog.message, dialog.frame_id) == ("clicked?", spot.frame_id)
    await stage.sup.answer(accept=True, dialog_id=dialog.id)
    if outcome.action_id:
        await stage.delivered(outcome.action_id)
    assert await stage.value(spot.frame_id, "got") is True


@staged_as("http")
async def test_statements_of_the_page_that_call_a_debugger_do_not_stop_it(stage: Stage) -> None:
    html = "<script>function trap() { debugger; return eval('debugger; 1') } trap()</script>"
    tab = await stage.sup.open_tab("trap", stage.pages.add("/trap.html", html))
    top = await stage.loaded(tab)
    assert await stage.value(top.id, "for (let i = 0; i < 50; i++) trap(); 'through'") == "through"


@staged_as("http")
async def test_the_bridge_looks_like_the_real_thing(stage: Stage) -> None:
    spot = await stage.go("oopif")
    look = "[prompt.name, prompt.length, String(Object.keys(prompt)), typeof prompt.prototype]"
    assert await stage.value(spot.frame_id, look) == ["prompt", 0, "", "undefined"]


@pytest.mark.parametrize(
    "stage", [("xhr", "http"), ("debugger", "http")], indirect=True, scope="module", ids=str
)
async def test_a_question_is_answered_before_the_next_document_is_let_in(stage: Stage) -> None:
    """Cut off by the new document, a frame would show a native dialog as it dies, and Chromium
    crashes over that (2 % of navigations on a busy machine)."""
    spot = await stage.go("nested_oopif")
    said: list[tuple[str, dict[str, Any]]] = []
    stop = stage.sup.connection.trace(lambda way, frame: said.append((way, json.loads(frame))))
    assert (await stage.run(spot.frame_id, "confirm('leave?')")).blocked_by
    url = stage.pages.url("/elsewhere.html")
    await stage.sup.session(spot.tab).send(Page.navigate(url=url), WITHIN_S)
    await stage.sup.wait_for(lambda s: s.tabs[spot.tab].url == url, WITHIN_S)
    stop()
    answers = ("Fetch.fulfillRequest", "Debugger.evaluateOnCallFrame")
    # The debugger mode evaluates twice: it reads the question, then it writes the answer.
    answer = [m["id"] for way, m in said if way == "send" and m["method"] in answers][-1]
    answered = next(
        i for i, (way, m) in enumerate(said) if (way, m.get("id")) == ("receive", answer)
    )
    assert "error" not in said[answered][1]
    let_in = [
        i
        for i, (way, m) in enumerate(said)
        if way == "send" and m["method"] == "Fetch.continueRequest"
    ]
    assert let_in
    assert answered < let_in[0]
