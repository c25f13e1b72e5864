"""Turns the agent's JavaScript into programs that Chrome can run, and Chrome's exceptions into
errors with the agent's own line numbers. Pure.

Knows: the forms that code comes in, and how wrapping it shifts line numbers. Must not know:
sessions, worlds, deadlines.

    expression   document.title            await fetch("/x").then(r => r.json())
    function     (a, b) => a + b           function () { ... }       called with the arguments
    script       const n = 3; n * 2        the value is that of its last expression
    body         if (x) return 1; return 2

Chrome compiles a program before it runs anything of it. So code that does not compile in one form
can safely be tried in the next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.page.world import js_function

__all__ = [
    "READ",
    "JsProgram",
    "ScriptError",
    "is_function",
    "is_syntax_error",
    "parse_error",
    "plain_program",
    "programs",
]

READ = js_function("read_value")

# Lines of our wrapper before the code.
_WRAPPER_LINES = 1

_STATEMENT = re.compile(
    r"\s*(?:const|let|var|if|for|while|do|switch|try|throw|return|class|function\s*\*?\s*\w+"
    r"|async\s+function\s+\w+)\b"
)
_COMMENTS = re.compile(r"(?:\s+|//[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_QUOTED = re.compile(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`""")
_ANONYMOUS = re.compile(r"<anonymous>:(\d+):(\d+)")
_LINES_SHOWN = 8

Params = Mapping[str, Any]


class JsProgram(msgspec.Struct, frozen=True):
    """One way to run the code. A `script` is sent with Runtime.evaluate, every other form with
    Runtime.callFunctionOn."""

    form: str
    source: str
    awaits: bool = False


class ScriptError(msgspec.Struct, frozen=True):
    """An exception, with the line of the agent's code that threw it (0: unknown)."""

    message: str
    stack: str
    line: int = 0
    code: str = ""

    def text(self) -> str:
        """Format it for the agent: message, line and stack."""
        where = f"\n  line {self.line}: {self.code}" if self.line else ""
        return f"{self.message}{where}{self.stack}"


def programs(code: str, limit: int, *, arguments: bool) -> list[JsProgram]:
    """Return the programs to try for `code`, the likeliest first."""
    bare = code.strip().rstrip(";").rstrip()
    start = _COMMENTS.sub("", bare, count=1)
    function = is_function(start)
    call = "await v(...args)" if function else "await v"
    if arguments:
        call = "await (typeof v === 'function' ? v(...args) : v)"
    # Our value reader comes after the code, so that it does not shift the code's line numbers.
    reader = f"({READ})"
    value = JsProgram(
        "function" if function else "expression",
        f"async function (...args) {{ const v = (\n{bare}\n); return {reader}({call}, {limit}); }}",
    )
    script = JsProgram("script", f"{{\n{code}\n}}", awaits="await" in code)
    body = JsProgram(
        "body",
        f"async function (...args) {{ const v = await (async function () {{\n{code}\n}})"
        f".apply(globalThis, args); return {reader}(v, {limit}); }}",
    )
    if arguments:
        return [value, body]
    if re.match(r"return\b", start):
        return [body]
    several = not function and start[:1] not in "{([" and (";" in bare or "\n" in bare)
    if several or (_STATEMENT.match(start) and not function):
        return [script, body]
    return [value, script, body]


def plain_program(code: str) -> JsProgram:
    """Return the code as an expression or function without promises and without our value reader,
    for "read only": Chrome can prove that simple code has no side effects."""
    bare = code.strip().rstrip(";").rstrip()
    called = "typeof v === 'function' ? v(...args) : v"
    return JsProgram("plain", f"function (...args) {{ const v = (\n{bare}\n); return {called}; }}")


def is_function(code: str) -> bool:
    """Whether the code looks like one function. Only its beginning is checked; a wrong guess fails
    to compile, and the next form is tried."""
    rest = re.sub(r"^async\b\s*", "", _QUOTED.sub("0", code))
    if re.match(r"function\s*\*?\s*\(|[\w$]+\s*=>", rest):
        return True
    if re.match(r"function\b", rest):
        return code.endswith("}")
    if not rest.startswith("("):
        return False
    depth = 0
    for at, char in enumerate(rest):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return re.match(r"\s*=>", rest[at + 1 :]) is not None
    return False


def is_syntax_error(details: Params) -> bool:
    """Whether an exception came from the compiler: then no part of the code has run."""
    exception = details.get("exception") or {}
    return (
        details.get("text") == "Uncaught"
        and exception.get("className") == "SyntaxError"
        and "stackTrace" not in details
    )


def parse_error(details: Params, code: str) -> ScriptError:
    """Convert Chrome's exceptionDetails to an error in terms of the agent's own code."""
    exception = details.get("exception") or {}
    lines = code.splitlines()
    said = str(exception.get("description") or _value(exception, details))
    message, _, rest = said.partition("\n    at ")
    frames = [f"at {frame}" for frame in rest.split("\n    at ") if frame] if rest else []
    if is_syntax_error(details):
        return _script_error(
            message, "", int(details.get("lineNumber", 0)) - _WRAPPER_LINES + 1, lines
        )
    shown: list[str] = []
    first = 0
    for frame in frames:
        location = _ANONYMOUS.search(frame)
        line = int(location[1]) - _WRAPPER_LINES if location else 0
        if location and not 1 <= line <= len(lines):
            # A line of our wrapper. V8 attributes some errors of one-line code to it.
            first = first or int(len(lines) == 1)
            continue
        if location:
            first = first or line
            frame = frame.replace(location[0], f"your code:{line}:{location[2]}")
        shown.append(f"\n    {frame}")
    return _script_error(message, "".join(shown[:_LINES_SHOWN]), first, lines)


def _script_error(message: str, stack: str, line: int, lines: list[str]) -> ScriptError:
    if not 1 <= line <= len(lines):
        return ScriptError(message, stack)
    return ScriptError(message, stack, line, lines[line - 1].strip()[:200])


def _value(exception: Params, details: Params) -> str:
    if "value" in exception:
        return f"the code threw {exception['value']!r}"
    return str(details.get("text", "the code threw something"))
