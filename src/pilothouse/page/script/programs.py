"""Agent-written JavaScript as programs Chrome can run, and what they say as text. Pure.

Knows: the forms code comes in, and what wrapping it does to its line numbers. Must not know:
sessions, worlds, deadlines.

    expression   document.title            await fetch("/x").then(r => r.json())
    function     (a, b) => a + b           function () { ... }       called with the arguments
    script       const n = 3; n * 2        the value is that of its last expression
    body         if (x) return 1; return 2

Each form is compiled before anything of it runs: what does not compile as one is tried as the next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.page.world import js_source

__all__ = [
    "READ",
    "Program",
    "ScriptError",
    "compiles_not",
    "is_function",
    "plain_program",
    "programs",
    "thrown",
]

READ = js_source("main_world/value.js").strip()

# The wrapper is one line, so that the code begins on the second one.
_BEFORE = 1

_STATEMENT = re.compile(
    r"\s*(?:const|let|var|if|for|while|do|switch|try|throw|return|class|function\s*\*?\s*\w+"
    r"|async\s+function\s+\w+)\b"
)
_COMMENTS = re.compile(r"(?:\s+|//[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_QUOTED = re.compile(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`""")
_ANONYMOUS = re.compile(r"<anonymous>:(\d+):(\d+)")
_LINES_SHOWN = 8

Params = Mapping[str, Any]


class Program(msgspec.Struct, frozen=True):
    """One way to run the code. A `script` is evaluated, anything else called."""

    form: str
    source: str
    awaits: bool = False


class ScriptError(msgspec.Struct, frozen=True):
    """What the code threw, with the place in the agent's own lines (0: not there)."""

    message: str
    stack: str
    line: int = 0
    code: str = ""

    def text(self) -> str:
        """All of it for the agent."""
        where = f"\n  line {self.line}: {self.code}" if self.line else ""
        return f"{self.message}{where}{self.stack}"


def programs(code: str, limit: int, *, arguments: bool) -> list[Program]:
    """The ways to run `code`, the likeliest first."""
    bare = code.strip().rstrip(";").rstrip()
    start = _COMMENTS.sub("", bare, count=1)
    function = is_function(start)
    call = "await v(...args)" if function else "await v"
    if arguments:
        call = "await (typeof v === 'function' ? v(...args) : v)"
    # The reader comes after the code: its lines must not count before it.
    reader = f"({READ})"
    value = Program(
        "function" if function else "expression",
        f"async function (...args) {{ const v = (\n{bare}\n); return {reader}({call}, {limit}); }}",
    )
    script = Program("script", f"{{\n{code}\n}}", awaits="await" in code)
    body = Program(
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


def plain_program(code: str) -> Program:
    """An expression or a function without promises or a reader: the least that can be sent."""
    bare = code.strip().rstrip(";").rstrip()
    called = "typeof v === 'function' ? v(...args) : v"
    return Program("plain", f"function (...args) {{ const v = (\n{bare}\n); return {called}; }}")


def is_function(code: str) -> bool:
    """Whether the code is one function, by its beginning: what follows is for the compiler."""
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


def compiles_not(details: Params) -> bool:
    """Whether an exception came from the compiler: then nothing of the code has run."""
    exception = details.get("exception") or {}
    return (
        details.get("text") == "Uncaught"
        and exception.get("className") == "SyntaxError"
        and "stackTrace" not in details
    )


def thrown(details: Params, code: str) -> ScriptError:
    """What went wrong, in terms of the agent's own code."""
    exception = details.get("exception") or {}
    lines = code.splitlines()
    said = str(exception.get("description") or _value(exception, details))
    message, _, rest = said.partition("\n    at ")
    frames = [f"at {frame}" for frame in rest.split("\n    at ") if frame] if rest else []
    if compiles_not(details):
        return _placed(message, "", int(details.get("lineNumber", 0)) - _BEFORE + 1, lines)
    shown: list[str] = []
    first = 0
    for frame in frames:
        place = _ANONYMOUS.search(frame)
        line = int(place[1]) - _BEFORE if place else 0
        if place and not 1 <= line <= len(lines):
            first = first or int(len(lines) == 1)  # our wrapper; V8 places some errors there
            continue
        if place:
            first = first or line
            frame = frame.replace(place[0], f"your code:{line}:{place[2]}")
        shown.append(f"\n    {frame}")
    return _placed(message, "".join(shown[:_LINES_SHOWN]), first, lines)


def _placed(message: str, stack: str, line: int, lines: list[str]) -> ScriptError:
    if not 1 <= line <= len(lines):
        return ScriptError(message, stack)
    return ScriptError(message, stack, line, lines[line - 1].strip()[:200])


def _value(exception: Params, details: Params) -> str:
    if "value" in exception:
        return f"the code threw {exception['value']!r}"
    return str(details.get("text", "the code threw something"))
