"""Code in a real worker: its globals, output, values and errors."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pilothouse.errors import ToolError
from tests.code.worker_runs import Bench

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_print_and_display_come_in_order(bench: Bench) -> None:
    code = """
import sys
print("one")
print("two", 3, sep="-", end=";")
display("text")
display({"a": [1]})
display({"type": "image", "data": "aGk=", "mimeType": "image/webp"})
sys.stderr.write("four")
print()
"""
    ran = await bench.run(code)
    assert [item.get("text") or item.get("data") for item in ran.output] == [
        "one\ntwo-3;",
        "text",
        '{\n  "a": [\n    1\n  ]\n}',
        "aGk=",
        "four\n",
    ]
    assert ran.output[3] == {"type": "image", "data": "aGk=", "mimeType": "image/webp"}


async def test_a_screenshot_as_the_result_is_shown_as_a_picture(bench: Bench) -> None:
    picture = {"data": "aGk=", "mime": "image/png", "width": 2}
    ran = await bench.run("tab.screenshot()", {"tab.screenshot": picture})
    assert ran.output == [{"type": "image", "data": "aGk=", "mimeType": "image/png"}]
    assert (ran.value, ran.has_value) == ({"mime": "image/png", "width": 2}, False)


async def test_calls_reach_the_daemon_with_and_without_await(bench: Bench) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []
    ran = await bench.run(
        "a = tab.title()\nb = await tab.title()\n[a, b]",
        {"tab.title": "Home"},
        calls=calls,
    )
    assert ran.value == ["Home", "Home"]
    assert [method for method, _ in calls] == ["tab.title", "tab.title"]
    assert calls[0][1]["tab"] == "main"


async def test_a_refused_call_names_its_line_and_what_to_do(bench: Bench) -> None:
    refused = ToolError("nothing matches #go", hint="take a snapshot")
    error = await bench.error("x = 1\ntab.click('#go')", {"tab.click": refused})
    assert error["kind"] == "ToolError"
    assert error["message"] == "nothing matches #go"
    assert error["hint"] == "take a snapshot"
    assert (error["line"], error["text"]) == (2, "tab.click('#go')")


async def test_a_refused_call_can_be_caught(bench: Bench) -> None:
    code = "try:\n    tab.click('#go')\nexcept Exception as e:\n    kept = e.hint\nkept"
    assert await bench.value(code, {"tab.click": ToolError("no", hint="look")}) == "look"


async def test_a_fault_of_the_daemon_is_told_instead_of_waited_for(bench: Bench) -> None:
    error = await bench.error("tab.click('#go')", {"tab.click": KeyError("ours")})
    assert error["kind"] == "InternalError"
    assert error["message"] == "tab.click failed: internal error"


async def test_an_answer_that_cannot_go_is_told(bench: Bench) -> None:
    error = await bench.error("tab.title()", {"tab.title": object()})
    assert "cannot go" in error["message"]


async def test_arguments_that_cannot_go_are_refused_where_they_are(bench: Bench) -> None:
    error = await bench.error("x = {1, 2}\ntab.click(x)")
    assert error["line"] == 2
    assert "set is not JSON serializable" in error["message"]
    error = await bench.error("tab.fill('#a', 'x' * 9_000_000)")
    assert "at most 8 MB" in error["message"]


async def test_state_is_kept_and_may_be_replaced(bench: Bench) -> None:
    ran = await bench.run("state['n'] = state.get('n', 0) + 1", state={"n": 1, "m": 2})
    assert ran.state == {"n": 2, "m": 2}
    ran = await bench.run("state = {'new': (1, 2)}", state={"n": 1})
    assert ran.state == {"new": [1, 2]}
    ran = await bench.run("state = 5", state={"n": 1})
    assert ran.state == {"n": 1}
    ran = await bench.run("state['n'] = 2\n1 / 0", state={"n": 1})
    assert ran.state == {"n": 2}


async def test_state_that_cannot_be_kept_is_named(bench: Bench) -> None:
    ran = await bench.run("state['f'] = print\nstate['n'] = 1")
    assert ran.state == {"n": 1}
    assert ran.output[0]["text"] == "(state['f'] cannot be kept: only what JSON has)\n"


async def test_nothing_else_is_kept_from_run_to_run(bench: Bench) -> None:
    await bench.value("left = 1\nimport builtins\nbuiltins.left = 1\nopen('left', 'w')\n1")
    error = await bench.error("left")
    assert error["kind"] == "NameError"
    assert await bench.value("import os\nos.listdir('.')") == []


async def test_an_assertion_shows_its_line(bench: Bench) -> None:
    error = await bench.error("x = 1\nassert x == 2")
    assert error["message"] == "assertion failed: assert x == 2"
    assert error["line"] == 2


@pytest.mark.parametrize("code", ["import sys\nsys.exit()", "exit(0)", "raise SystemExit"])
async def test_an_early_exit_is_no_error(bench: Bench, code: str) -> None:
    ran = await bench.run(f"print('a')\n{code}\nprint('b')")
    assert ran.error is None
    assert [item["text"] for item in ran.output] == ["a\n"]


async def test_an_exit_with_words_is_one(bench: Bench) -> None:
    error = await bench.error("import sys\nsys.exit('not found')")
    assert error["kind"] == "SystemExit"
    assert "not found" in error["message"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("def f():\n    f()\nf()", "RecursionError"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import asyncio\nraise asyncio.CancelledError", "CancelledError"),
        ("async def f():\n    raise KeyError('x')\nawait f()", "KeyError"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("if x\n    y", "SyntaxError"),
        ("input('name?')", "EOFError"),
        ("class E(BaseException):\n    pass\nraise E", "E"),
        ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})", "Odd"),
        ("x = []\nwhile True:\n    x.append(bytearray(50_000_000))", "MemoryError"),
    ],
)
async def test_whatever_is_raised_is_told(bench: Bench, code: str, kind: str) -> None:
    assert (await bench.error(code))["kind"] == kind


async def test_a_mistake_names_its_line(bench: Bench) -> None:
    error = await bench.error("x = 1\nfor y in x\n    pass")
    assert (error["kind"], error["line"], error["text"]) == ("SyntaxError", 2, "for y in x")


async def test_huge_output_is_cut(bench: Bench) -> None:
    ran = await bench.run("for i in range(30_000):\n    print('x' * 100)\ndisplay('late')\n'value'")
    text = "".join(item["text"] for item in ran.output)
    assert len(text) < 1_100_000
    assert text.endswith("(output cut: it is longer than 1 MB)\n")
    assert ran.value == "value"


async def test_pictures_have_room_of_their_own(bench: Bench) -> None:
    code = "p = {'type': 'image', 'data': 'x' * 5_000_000}\nfor i in range(6):\n    display(p)"
    ran = await bench.run(code)
    assert [item["type"] for item in ran.output] == ["image"] * 4 + ["text"]
    assert "left out" in ran.output[-1]["text"]


async def test_a_huge_value_is_cut(bench: Bench) -> None:
    value = await bench.value("'x' * 50_000_000")
    assert "cut: the value has" in value[-100:]


async def test_coroutines_are_run_and_generators_shown(bench: Bench) -> None:
    assert await bench.value("async def main():\n    return 5\nmain()") == 5
    code = "import asyncio\nasync def main():\n    return await tab.title()\nasyncio.run(main())"
    assert await bench.value(code, {"tab.title": "Home"}) == "Home"
    assert (await bench.value("(i for i in range(3))")).startswith("<generator object")


async def test_threads_left_running_do_not_hold_up_the_end(bench: Bench) -> None:
    code = (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n'done'"
    )
    assert await bench.value(code) == "done"


async def test_calls_of_several_threads_go_at_the_same_time(bench: Bench) -> None:
    meeting = asyncio.Barrier(4)

    async def meet() -> str:
        # Nobody gets through before all are there.
        async with asyncio.timeout(30):
            await meeting.wait()
        return "met"

    code = "parallel(*[lambda: tab.title()] * 4)"
    assert await bench.value(code, {"tab.title": meet}) == ["met"] * 4


async def test_dataclasses_and_main_modules_work(bench: Bench) -> None:
    code = """
from __future__ import annotations
import pickle
from dataclasses import dataclass
@dataclass
class Point:
    x: int
def main():
    return pickle.loads(pickle.dumps(Point(3))).x
if __name__ == "__main__":
    result = main()
result
"""
    assert await bench.value(code) == 3
