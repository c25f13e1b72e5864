"""An agent's code on a real Chromium: every form, every value, every way to go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.script.evaluate import Evaluation, EvaluationResult
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.supervisor import Outcome
from tests.browser.browser_with_dialog_places import WITHIN_S, Spot, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_STRICT = {"Content-Security-Policy": "default-src 'none'; require-trusted-types-for 'script'"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        html = "<title>lab</title><a id=i class='k l' href=/z data-q=1>A</a>"
        made.pages.add("/lab.html", html, headers=_STRICT)
        yield made


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def lab(stage: Stage) -> AsyncIterator[Evaluation]:
    tab = await stage.sup.open_tab("chemist", stage.pages.url("/lab.html"))
    await stage.loaded(tab)
    tab_context = TabContext(stage.sup, tab)
    yield Evaluation(tab_context, IsolatedWorlds(tab_context))
    await stage.clear()


def got(outcome: Outcome[EvaluationResult]) -> EvaluationResult:
    assert outcome.value is not None, outcome
    return outcome.value


async def value(lab: Evaluation, code: str, *arguments: Any, **options: Any) -> Any:
    return got(await lab.evaluate(code, *arguments, **options)).value


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("document.title", "lab"),
        ("document.title;", "lab"),
        ("1 + 1 // a sum", 2),
        ("{a: 1, b: [2, {c: null}]}", {"a": 1, "b": [2, {"c": None}]}),
        ("() => document.title", "lab"),
        ("/* why */ () => 4;", 4),
        ("async () => { await null; return 5 }", 5),
        ("function () { return this === window }", True),
        ("function named() { return 6 }", 6),
        ("function f() { return 7 }\nf()", 7),
        ("const a = 1; a + 1", 2),
        ("let a = [1]\na.push(2)\na", [1, 2]),
        ("return 8", 8),
        ("if (document.title) { return 9 }\nreturn 0", 9),
        ("const x = await Promise.resolve(3); x * 2", 6),
        ("await Promise.resolve({d: 1})", {"d": 1}),
        ("const p = await 1; Promise.resolve([p])", [1]),
        ("Promise.resolve('later')", "later"),
        ("(async () => { const y = await 2; return y })()", 2),
        ("for (let i = 0; i < 3; i++) { i }", 2),
        ("const f = () => { return 1 }; f()", 1),
        ("[1, 2].map(function (n) { return n * 2 })", [2, 4]),
        ("`a\n${1}`", "a\n1"),
        ("document.querySelectorAll('a').length", 1),
        ("null", None),
        ("document.body.getBoundingClientRect().x", 8),
        ("new URL('http://a/b')", "http://a/b"),
    ],
)
async def test_code_comes_in_any_form(lab: Evaluation, code: str, expected: object) -> None:
    assert await value(lab, code) == expected


async def test_a_function_takes_arguments(lab: Evaluation) -> None:
    assert await value(lab, "(a, {b}) => a + b", 1, {"b": 2}) == 3
    assert await value(lab, "function (n) { return n !== n }", float("nan")) is True
    assert await value(lab, "const [a] = args; return a", [5]) == [5]
    assert await value(lab, "parseInt", "12") == 12
    with pytest.raises(ToolError, match="argument"):
        await lab.evaluate("a => a", object())


@pytest.mark.parametrize(
    ("code", "kind", "description"),
    [
        ("document.querySelector('a')", "node", "a#i.k.l"),
        ("document", "node", "#document"),
        ("() => Map", "function", "function Map() { [native code] }"),
        ("new Date(0)", "date", "1970-01-01T00:00:00.000Z"),
        ("/a+/g", "regexp", "/a+/g"),
        ("12n", "bigint", "12n"),
        ("NaN", "number", "NaN"),
        ("-0", "number", "-0"),
        ("-1 / 0", "number", "-Infinity"),
        ("const z = 0; -1 / z", "number", "-Infinity"),
        ("Symbol('s')", "symbol", "Symbol(s)"),
        ("window", "window", "Window"),
        ("new Map([[1, {a: 2}]])", "map", "Map(1)"),
        ("new Set([1])", "set", "Set(1)"),
        ("new WeakMap()", "weakmap", "WeakMap"),
        ("new Uint8Array([1, 2])", "typedarray", "Uint8Array(2)"),
        ("screen", "object", "Screen"),
    ],
)
async def test_what_json_cannot_say_is_described(
    lab: Evaluation, code: str, kind: str, description: str
) -> None:
    for form in (code, f"({{inside: [{code}]}})" if code[0] not in "(c" else code):
        said = await value(lab, form)
        said = said["inside"][0] if "inside" in said else said
        assert (said["type"], said["description"]) == (kind, description)


async def test_structures_keep_what_they_hold(lab: Evaluation) -> None:
    assert (await value(lab, "new Map([[1, {a: 2}]])"))["preview"] == [[1, {"a": 2}]]
    rect = await value(lab, "document.body.getBoundingClientRect()")
    assert rect["left"] == 8
    assert await value(lab, "document.querySelector('a').dataset") == {"q": "1"}
    shared = "const o = {n: 1}; const c = {o, p: o}; c.self = c; c"
    said = await value(lab, shared)
    assert (said["o"], said["p"], said["self"]["type"]) == ({"n": 1}, {"n": 1}, "circular")
    assert (await value(lab, "document.querySelectorAll('a')"))[0]["description"] == "a#i.k.l"
    error = await value(lab, "new TypeError('odd')")
    assert error["description"].startswith("TypeError: odd")
    assert await value(lab, "({a: undefined, b: [undefined]})") == {"b": [None]}
    assert await value(lab, "JSON.parse('{\"__proto__\": 1}')") == {"__proto__": 1}
    bad = await value(lab, "({get a() { throw new Error('no') }, b: 1})")
    assert (bad["a"]["type"], bad["b"]) == ("error", 1)


async def test_undefined_is_told_apart_from_null(lab: Evaluation) -> None:
    assert got(await lab.evaluate("undefined")) == EvaluationResult(None, "undefined", truthy=False)
    assert got(await lab.evaluate("let a = 1")).type == "undefined"
    assert got(await lab.evaluate("null")).type == "null"


async def test_names_of_one_call_do_not_stay(lab: Evaluation) -> None:
    await lab.evaluate("const kept = 1; let also = 2; kept")
    assert await value(lab, "typeof kept + typeof also") == "undefinedundefined"


async def test_an_error_has_message_stack_and_line(lab: Evaluation) -> None:
    with pytest.raises(ToolError) as caught:
        await lab.evaluate("const a = 1;\nfunction inner() {\n  null.x\n}\ninner()")
    text = caught.value.message
    assert text.startswith("TypeError: Cannot read properties of null")
    assert "line 3: null.x" in text
    assert "at inner (your code:3:" in text
    assert "<anonymous>" not in text
    for code in (
        "() => {\n  throw new RangeError('far')\n}",
        "await 1\nthrow new RangeError('far')",
    ):
        with pytest.raises(ToolError, match=r"(?s)RangeError: far.*line 2: throw new RangeError"):
            await lab.evaluate(code)
    with pytest.raises(ToolError, match="threw 'plain'"):
        await lab.evaluate("throw 'plain'")
    with pytest.raises(ToolError, match="Error: late"):
        await lab.evaluate("Promise.reject(new Error('late'))")


async def test_code_that_does_not_compile_runs_not_at_all(lab: Evaluation) -> None:
    with pytest.raises(ToolError, match=r"(?s)SyntaxError.*line 2: oh no") as caught:
        await lab.evaluate("document.title = 'changed';\noh no")
    assert "nothing was run" in caught.value.hint
    assert await value(lab, "document.title") == "lab"
    await value(lab, "window.runs = 0")
    with pytest.raises(ToolError, match="SyntaxError"):
        await lab.evaluate("runs++, JSON.parse('{')")
    assert await value(lab, "runs") == 1


async def test_large_answers_are_cut_and_say_so(lab: Evaluation) -> None:
    said = got(await lab.evaluate("'x'.repeat(5000)", limit=1000))
    assert len(said.value) <= 1001
    assert "left out" in said.note
    said = got(await lab.evaluate("Array.from({length: 5000}, (_, i) => ({i}))", limit=1000))
    assert 20 < len(said.value) < 1000
    assert "left out" in said.note
    said = got(await lab.evaluate("const s = 'x'.repeat(5000); s", limit=1000))
    assert (len(said.value), bool(said.note)) == (1001, True)


async def test_an_endless_loop_is_ended_and_the_tab_lives(lab: Evaluation) -> None:
    for code in ("for (;;);", "() => { while (true); }"):
        with pytest.raises(ToolError, match="was terminated"):
            await asyncio.wait_for(lab.evaluate(code, timeout=0.4), WITHIN_S)
        assert await value(lab, "1 + 1") == 2


async def test_a_promise_that_never_settles_is_given_up(lab: Evaluation) -> None:
    with pytest.raises(ToolError, match="not settled"):
        await lab.evaluate("new Promise(() => {})", timeout=0.3)
    assert await value(lab, "new Promise(done => setTimeout(() => done('timer'), 20))") == "timer"


async def test_the_isolated_world_is_apart(lab: Evaluation) -> None:
    await lab.evaluate("window.secret = 1; JSON.stringify = () => 'mine'")
    assert await value(lab, "typeof secret", world="isolated") == "undefined"
    assert await value(lab, "JSON.stringify([1])", world="isolated") == "[1]"
    assert await value(lab, "const a = document.title; a", world="isolated") == "lab"


@pytest.mark.parametrize("where", ["same_origin", "oopif", "nested_oopif", "background"])
async def test_frames_and_background_tabs_run_code(stage: Stage, where: str) -> None:
    spot: Spot = await stage.go(where)
    tab_context = TabContext(stage.sup, spot.tab)
    evaluation = Evaluation(tab_context, IsolatedWorlds(tab_context))
    for world in ("main", "isolated"):
        code = "() => location.pathname + document.title"
        said = await value(evaluation, code, frame_id=spot.frame_id, world=world)
        assert said.endswith(".htmlpart")
    await asyncio.gather(*(stage.sup.close_tab(tab) for tab in (spot.tab, *spot.others)))


async def test_a_dialog_returns_at_once_and_the_value_comes_later(
    stage: Stage, lab: Evaluation
) -> None:
    outcome = await asyncio.wait_for(lab.evaluate("confirm('sure?') + 1", timeout=1.0), WITHIN_S)
    (dialog,) = outcome.blocked_by
    again = await asyncio.wait_for(lab.evaluate("1"), WITHIN_S)
    assert (again.action_id, len(again.blocked_by)) == ("", 1)
    still = await stage.sup.actions.result(outcome.action_id, 1.5)
    assert still.value is None  # the time of the dialog is not the code's
    await stage.sup.answer(accept=True, dialog_id=dialog.id)
    later: EvaluationResult = await stage.delivered(outcome.action_id)
    assert later.value == 2


async def test_code_that_leaves_the_page_is_told(stage: Stage) -> None:
    tab = await stage.sup.open_tab("leaver", stage.pages.url("/main.html"))
    await stage.loaded(tab)
    tab_context = TabContext(stage.sup, tab)
    with pytest.raises(ToolError, match="another document"):
        await Evaluation(tab_context, IsolatedWorlds(tab_context)).evaluate(
            "location = '/elsewhere.html'; new Promise(() => {})", timeout=WITHIN_S
        )
    await stage.sup.close_tab(tab)


async def test_bad_input_is_refused(lab: Evaluation) -> None:
    with pytest.raises(ToolError, match="empty"):
        await lab.evaluate("  ")
    with pytest.raises(ToolError, match="world"):
        await lab.evaluate("1", world="other")
    with pytest.raises(ToolError, match="no frame"):
        await lab.evaluate("1", frame_id="gone")
