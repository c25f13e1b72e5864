"""Forms of code, and errors in terms of it: pure."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.page.script.agent_javascript_wrapper import (
    is_function,
    is_syntax_error,
    parse_error,
    programs,
)


@pytest.mark.parametrize(
    "code",
    [
        "() => 1",
        "x => x",
        "async x => x",
        "(a, {b = ')'.length}) => a",
        "async ({a}) => { }",
        "function () { }",
        "async function f() { }",
        "function* () { }",
    ],
)
def test_functions_are_known_by_their_beginning(code: str) -> None:
    assert is_function(code)


@pytest.mark.parametrize(
    "code", ["(() => 1)()", "(1)", "f(x => x)", "asynchronous", "functional()", "(", "a.b"]
)
def test_what_only_holds_a_function_is_none(code: str) -> None:
    assert not is_function(code)


@pytest.mark.parametrize(
    ("code", "forms"),
    [
        ("document.title", ["expression", "script", "body"]),
        ("{a: 1}", ["expression", "script", "body"]),
        ("// why\n() => 1", ["function", "script", "body"]),
        ("const a = 1; a", ["script", "body"]),
        ("a(); b()", ["script", "body"]),
        ("if (x) return 1", ["script", "body"]),
        ("return 1", ["body"]),
    ],
)
def test_the_likeliest_form_is_tried_first(code: str, forms: list[str]) -> None:
    assert [program.form for program in programs(code, 100, arguments=False)] == forms


def test_arguments_need_a_function_or_a_body() -> None:
    forms = [program.form for program in programs("args[0]", 100, arguments=True)]
    assert forms == ["expression", "body"]


def test_the_code_begins_on_the_second_line_of_every_form() -> None:
    for program in programs("x.y", 100, arguments=False):
        assert program.source.splitlines()[1] == "x.y"


def details(text: str, description: str, name: str = "Error", **more: Any) -> dict[str, Any]:
    exception = {"className": name, "description": description}
    return {"text": text, "exception": exception, **more}


def test_only_the_compiler_is_believed_that_nothing_ran() -> None:
    said = details("Uncaught", "SyntaxError: bad", "SyntaxError", lineNumber=2)
    assert is_syntax_error(said)
    assert not is_syntax_error({**said, "stackTrace": {}})
    assert not is_syntax_error({**said, "text": "Uncaught (in promise)"})
    assert not is_syntax_error(details("Uncaught", "TypeError: x", "TypeError"))
    told = parse_error(said, "one\ntwo")
    assert (told.line, told.code) == (2, "two")
    assert told.text() == "SyntaxError: bad\n  line 2: two"


def test_a_stack_speaks_of_the_agents_lines_and_hides_the_wrapper() -> None:
    stack = (
        "Error: no\n    at f (<anonymous>:3:9)\n    at g (http://a/app.js:1:2)"
        "\n    at <anonymous>:9:1\n    at async <anonymous>:1:5"
    )
    told = parse_error(details("Uncaught", stack), "first\n  second()")
    assert (told.message, told.line, told.code) == ("Error: no", 2, "second()")
    assert told.stack == "\n    at f (your code:2:9)\n    at g (http://a/app.js:1:2)"


def test_an_error_placed_in_the_wrapper_is_in_the_only_line() -> None:
    told = parse_error(details("Uncaught", "ReferenceError: x\n    at <anonymous>:1:40"), "x")
    assert (told.line, told.stack) == (1, "")
    assert "\n  line 1: " in told.text()


def test_anything_can_be_thrown() -> None:
    assert parse_error({"exception": {"value": 5}}, "throw 5").text() == "the code threw 5"
    assert parse_error({"text": "Uncaught"}, "x").text() == "Uncaught"
