"""Agent-written Python compiled into a function: results, allowed code, syntax errors."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

import pytest

from pilothouse.code.sandbox.code_compiler import ENTRY, MAYBE, prepare


class _Maybe:
    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Generator[Any, None, Any]:
        if hasattr(self._value, "__await__"):
            return (yield from self._value.__await__())
        return self._value


def result(source: str, **names: Any) -> Any:
    program = prepare(source)
    scope: dict[str, Any] = {MAYBE: _Maybe, "__name__": "__main__", **names}
    exec(program.code, scope)
    if program.is_async:
        return asyncio.run(scope[ENTRY]())
    return scope[ENTRY]()


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("", None),
        ("# nothing but a comment", None),
        ("x = 5", None),
        ("1 + 1", 2),
        ("x = 2\nx * 3", 6),
        ("return 7\n8", 7),
        ("if True:\n    return 'early'\n'late'", "early"),
        ("for i in range(3):\n    if i == 1:\n        return i", 1),
        ("'a text alone'", "a text alone"),
        ("x = 1; x + 1", 2),
    ],
)
def test_return_or_the_last_expression_is_the_result(source: str, value: object) -> None:
    assert result(source) == value


@pytest.mark.parametrize(
    "source",
    [
        "await plain",
        "x = await plain\nx",
        "return await plain",
        "[await plain for _ in range(1)][0]",
        "async def f():\n    return await plain\nawait f()",
        "import asyncio\n(await asyncio.gather(asyncio.sleep(0, plain)))[0]",
        "await (await plain)",
    ],
)
def test_await_may_stand_before_plain_values_and_real_awaitables(source: str) -> None:
    assert result(source, plain=5) == 5


def test_async_for_with_and_comprehensions_work_at_the_top_level() -> None:
    source = """
import contextlib
async def numbers():
    for number in range(3):
        yield number
@contextlib.asynccontextmanager
async def place():
    yield "inside"
found = []
async for number in numbers():
    found.append(number)
async with place() as where:
    found.append(where)
found + [n async for n in numbers()]
"""
    assert result(source) == [0, 1, 2, "inside", 0, 1, 2]


def test_only_await_at_the_top_level_makes_the_program_asynchronous() -> None:
    source = "import asyncio\nasync def main():\n    return await plain\nasyncio.run(main())"
    assert not prepare(source).is_async
    assert result(source, plain=3) == 3
    assert prepare("lambda: 1").is_async is False


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\ndef f():\n    return x\nf()",
        "x = 1\n(lambda: x)()",
        "x = 1\n[x for _ in range(1)][0]",
        "x = 1\nsum(x for _ in range(1))",
        "x = 1\nclass A:\n    y = x\nA.y",
        "x = 1\nclass A:\n    def f(self):\n        return x\nA().f()",
        "def f():\n    return g()\ndef g():\n    return 1\nf()",
        "x = 0\ndef f():\n    global x\n    x += 1\nf()\nx",
        "x = 0\ndef f():\n    nonlocal x\n    x += 1\nf()\nx",
        "def f():\n x = 0\n def g():\n  nonlocal x\n  x += 1\n g()\n return x\nf()",
        "[y := 1 for _ in range(1)]\ny",
        "if (y := 1):\n    pass\ny",
        "for x in [1]:\n    pass\nx",
        "with open('/dev/null') as f:\n    x = 1\ndef g():\n    return x\ng()",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    kept = e\nint(bool(kept))",
        "import json as j\ndef f():\n    return j.loads('1')\nf()",
        "import os.path\ndef f():\n    return int(bool(os.path.sep))\nf()",
        "match [1, 2, 3]:\n    case [x, *rest]:\n        pass\ndef f():\n    return x\nf()",
        "match {'a': 1, 'b': 2}:\n    case {'b': _, **rest}:\n        pass\nrest['a']",
        "(a, b), *c = (1, 2), 3\ndef f():\n    return a\nf()",
    ],
)
def test_names_of_the_top_level_are_seen_everywhere_in_the_code(source: str) -> None:
    assert result(source) == 1


def test_a_name_of_the_scope_may_be_used_before_it_is_set_anew() -> None:
    assert result("before = tab\ntab = 'mine'\n[before, tab]", tab="given") == ["given", "mine"]
    assert result("count += 1\ncount", count=1) == 2


def test_names_of_functions_and_comprehensions_stay_inside() -> None:
    source = (
        "def f():\n    inner = 1\n    return inner\nf()\n[i for i in range(3)]\n'i' in globals()"
    )
    assert result(source) is False
    assert result("def f():\n    inner = 1\nf()\n'inner' in globals()") is False


def test_decorators_annotations_and_dataclasses_work() -> None:
    source = """
from dataclasses import dataclass
def twice(function):
    return lambda *args: 2 * function(*args)
@twice
def f(x: int) -> int:
    return x
@dataclass
class Point:
    x: int
    y: int = 2
count: int = 3
later: str
f(Point(1).y) + count
"""
    assert result(source) == 7


def test_imports_from_the_future_may_stand_in_front() -> None:
    source = (
        '"""About."""\nfrom __future__ import annotations\ndef f(x: Unknown):\n    return x\nf(1)'
    )
    assert result(source) == 1


def test_code_that_is_indented_as_a_whole_runs() -> None:
    assert result("\n    x = 1\n    if x:\n        x = 2\n    x\n") == 2


def test_a_script_that_asks_whether_it_is_the_main_one_is() -> None:
    assert result("def main():\n    return 1\nif __name__ == '__main__':\n    return main()") == 1


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("x = 1\nif x\n    y", 2, "expected ':'"),
        ("x = (1,\ny = 2", 1, "never closed"),
        ("a\nyield 1", 2, "'yield' outside function"),
        ("a\nfor x in y:\n    yield from x", 3, "'yield' outside function"),
        ("x = 1\nbreak", 2, "'break' outside loop"),
        ("def f():\n    await x", 2, "'await' outside async function"),
        ("x = 1\nfrom math import *", 2, "import *"),
        ("x = 1\n  y = 2", 2, "unexpected indent"),
    ],
)
def test_mistakes_are_told_with_the_agents_own_line(source: str, line: int, words: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        prepare(source)
    assert caught.value.lineno == line
    assert words in (caught.value.msg or "")


@pytest.mark.parametrize("source", ["x = '\0'", "(" * 5000 + ")" * 5000, "-" * 50_000 + "1"])
def test_code_no_compiler_takes_is_a_mistake_too(source: str) -> None:
    with pytest.raises(SyntaxError):
        prepare(source)
