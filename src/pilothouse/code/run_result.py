"""The result of a run as JSON: its value, error and state.

Knows: how to turn any object into JSON. Must not know: the socket. Values and errors are the
agent's own objects: their `repr` and `str` may fail, never return or be huge.
"""

from __future__ import annotations

import contextlib
import errno
import json
import re
import traceback
from collections.abc import Mapping
from pathlib import PurePath
from types import TracebackType
from typing import Any

from pilothouse.code.sandbox import FILE

__all__ = [
    "JAVASCRIPT_HINT",
    "JAVASCRIPT_HINT_CLI",
    "JAVASCRIPT_HINT_PYTHON_TOOL",
    "MAX_VALUE_CHARS",
    "RUN_HINTS",
    "CallFailed",
    "NoSuchAttribute",
    "describe_error",
    "image_item",
    "innermost_run_line",
    "is_javascript",
    "serialize_state",
    "to_json",
]

MAX_VALUE_CHARS = 1_000_000
MAX_REPR_CHARS = 10_000
MAX_MESSAGE_CHARS = 4_000
MAX_TRACE_FRAMES = 12

_SANDBOX_HINT = (
    "code in a run has no network, no processes and only the files of its scratch directory: "
    "use `tab`"
)
_QUOTA_HINT = (
    "the scratch directory holds 256 MB in 10,000 files, each of at most 64 MB: write less, or "
    "remove files that you no longer need"
)
_ASYNCIO_CALLS = ("gather(", "wait_for(", "create_task(", "ensure_future(")
_PARALLEL_HINT = "calls of tab have finished when they return: use parallel(lambda: …, lambda: …)"


JAVASCRIPT_HINT = (
    "the code is Python: run JavaScript in the page with tab.evaluate('…'), or all of it with "
    'language="js"'
)
# The same for the command line, and for tools that run only Python.
JAVASCRIPT_HINT_CLI = JAVASCRIPT_HINT.replace('language="js"', "--language js")
JAVASCRIPT_HINT_PYTHON_TOOL = JAVASCRIPT_HINT.replace('language="js"', "browser_evaluate")
# Hints that are the same words in every run: they cannot quote a page.
RUN_HINTS = frozenset({JAVASCRIPT_HINT, _SANDBOX_HINT, _QUOTA_HINT, _PARALLEL_HINT})
# Globals of JavaScript that are no names in Python.
_NAMES = (
    "document window navigator location localStorage sessionStorage globalThis undefined null true "
    "false require process setTimeout setInterval fetch Promise JSON Math Object Array"
)
_JAVASCRIPT_NAMES = frozenset(_NAMES.split())
_JAVASCRIPT = re.compile(
    r"^\s*(?:const|let|var)\s+[\w{\[$]|=>|===|!==|&&|\|\||\bfunction\b\s*\w*\s*\(|"
    r"\bnew\s+[A-Z]\w*\(|^\s*//|;\s*$|^\s*\}|\)\s*\{\s*$",
    re.MULTILINE,
)


def is_javascript(source: str) -> bool:
    """Return whether code that does not compile as Python looks like JavaScript."""
    return _JAVASCRIPT.search(source) is not None


class CallFailed(Exception):
    """A call of `tab` failed; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "", kind: str = "ToolError") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.hint = hint
        self.kind = kind


class NoSuchAttribute(CallFailed, AttributeError):
    """CallFailed for a missing attribute: `hasattr` and `getattr` with a default still work."""


def to_json(value: Any) -> Any:
    """Return the value as JSON can hold it, or its `repr`."""
    try:
        text = json.dumps(value, default=_json_default, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return _repr(value)
    if len(text) > MAX_VALUE_CHARS:
        return f"{text[:MAX_REPR_CHARS]}… (cut: the value has {len(text)} characters)"
    return json.loads(text)


def _json_default(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, PurePath):
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else _repr(value)


def _repr(value: Any) -> str:
    with contextlib.suppress(Exception):
        return repr(value)[:MAX_REPR_CHARS]
    return f"<{type(value).__name__}>"


def image_item(value: Any) -> dict[str, Any] | None:
    """Return a picture, such as the value of `tab.screenshot()`, as an item of the result. Returns
    None for any other value."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), str):
        return None
    mime = value.get("mimeType") or value.get("mime") or ""
    if value.get("type") == "image" or str(mime).startswith("image/"):
        return {"type": "image", "data": value["data"], "mimeType": mime or "image/png"}
    return None


def serialize_state(state: dict[Any, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the part of `state` that JSON can hold, and the names of the other entries."""
    stored: dict[str, Any] = {}
    lost: list[str] = []
    for name, value in list(state.items()):
        try:
            stored[str(name)] = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            lost.append(f"state[{_repr(name)}]")
    if len(json.dumps(stored)) > MAX_VALUE_CHARS:
        return {}, [f"state: it is longer than {MAX_VALUE_CHARS // 1_000_000} MB"]
    return stored, lost


def innermost_run_line(trace: TracebackType | None) -> int:
    """Return the innermost line of the agent's code in a traceback; 0 if there is none."""
    found = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def describe_error(error: BaseException, lines: list[str], line: int = 0) -> dict[str, Any]:
    """Describe an error, with the line of the agent's code where it was raised."""
    line = innermost_run_line(error.__traceback__) or line
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    fields: dict[str, Any] = {
        "kind": type(error).__name__,
        "message": _message(error, text),
        "line": line,
        "text": text,
        "trace": _trace(error),
    }
    if isinstance(error, CallFailed):
        fields |= {"kind": error.kind or fields["kind"], "message": error.message}
    if hint := _hint(error, text):
        fields["hint"] = hint
    return fields


def _message(error: BaseException, text: str) -> str:
    said = ""
    with contextlib.suppress(Exception):
        said = str(error)[:MAX_MESSAGE_CHARS]
    if isinstance(error, AssertionError):
        return f"assertion failed: {said or text}"
    if isinstance(error, SystemExit):
        return f"the code called sys.exit({said})"
    return said or type(error).__name__


def _hint(error: BaseException, text: str) -> str:
    if isinstance(error, CallFailed):
        return error.hint
    if isinstance(error, OSError) and (
        error.errno in (errno.EPERM, errno.EACCES)
        or type(error).__name__ in ("URLError", "gaierror")
    ):
        return _SANDBOX_HINT
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG):
        return _QUOTA_HINT
    if isinstance(error, TypeError) and any(word in text for word in _ASYNCIO_CALLS):
        return _PARALLEL_HINT
    if isinstance(error, NameError) and (error.name or "") in _JAVASCRIPT_NAMES:
        return f"{error.name} is JavaScript; {JAVASCRIPT_HINT}"
    if isinstance(error, AttributeError | TypeError):
        with contextlib.suppress(
            Exception
        ):  # attributes of the agent's own objects may raise anything
            return _usage_hint(error)
    return ""


def _usage_hint(error: AttributeError | TypeError) -> str:
    """Name a similar method of Tab, or the parameters of the called one."""
    import difflib

    from pilothouse.code.client import Tab

    if isinstance(error, TypeError):
        called = re.match(r"(?:Run)?Tab\.(\w+)\(\)", str(error))
        if called is None:
            return ""
        code = getattr(Tab, called[1]).__wrapped__.__code__
        return f"it takes: {', '.join(code.co_varnames[1 : code.co_argcount])}"
    if not isinstance(error.obj, Tab):
        return ""
    near = difflib.get_close_matches(error.name or "", dir(Tab), 1)
    return f"did you mean tab.{near[0]}?" if near else "help(tab) lists what there is"


def _trace(error: BaseException) -> str:
    """Format the traceback with only the frames of the agent's code."""
    try:
        whole = traceback.TracebackException.from_exception(error)
        seen: set[int] = set()
        _keep_run_frames(whole, seen)
        return "".join(whole.format())[-MAX_MESSAGE_CHARS:]
    except Exception as failed:  # noqa: BLE001 - the agent's own `__str__` may raise anything
        return f"(no traceback: {type(failed).__name__})"


def _keep_run_frames(trace: traceback.TracebackException | None, seen: set[int]) -> None:
    if trace is None or id(trace) in seen:
        return
    seen.add(id(trace))
    own = [part for part in trace.stack if part.filename == FILE]
    trace.stack = traceback.StackSummary.from_list(own[-MAX_TRACE_FRAMES:])
    for other in (trace.__cause__, trace.__context__, *(trace.exceptions or ())):
        _keep_run_frames(other, seen)
