"""What a run says at its end: values, errors and state, as JSON has them.

Knows: how anything becomes plain. Must not know: the socket. Values and errors are the agent's own
objects: their `repr` and `str` may fail, be endless or be huge.
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
    "JAVASCRIPT",
    "VALUE_KEPT",
    "CallFailed",
    "NoSuchAttribute",
    "described",
    "image_of",
    "is_javascript",
    "kept",
    "plain",
    "where",
]

VALUE_KEPT = 1_000_000
REPR_KEPT = 10_000
MESSAGE_KEPT = 4_000
TRACE_LINES = 12

_BEHIND_WALLS = (
    "code has no network, processes or files of its own but its scratch directory: use `tab`"
)
_FULL = (
    "the scratch directory holds 256 MB in 10,000 files, each of at most 64 MB: write less, or "
    "remove files that are done with"
)
_FOR_AWAITABLES = ("gather(", "wait_for(", "create_task(", "ensure_future(")
_FINISHED = "calls of tab have finished when they return: use parallel(lambda: …, lambda: …)"


JAVASCRIPT = (
    "the code is Python: run JavaScript in the page with tab.evaluate('…'), or all of it with "
    'language="js"'
)
# Names of JavaScript that Python has not.
_NAMES = (
    "document window navigator location localStorage sessionStorage globalThis undefined null true "
    "false require process setTimeout setInterval fetch Promise JSON Math Object Array"
)
_IN_THE_PAGE = frozenset(_NAMES.split())
_JAVASCRIPT = re.compile(
    r"^\s*(?:const|let|var)\s+[\w{\[$]|=>|===|!==|&&|\|\||\bfunction\b\s*\w*\s*\(|"
    r"\bnew\s+[A-Z]\w*\(|^\s*//|;\s*$|^\s*\}|\)\s*\{\s*$",
    re.MULTILINE,
)


def is_javascript(source: str) -> bool:
    """Whether code that is no Python looks like JavaScript."""
    return _JAVASCRIPT.search(source) is not None


class CallFailed(Exception):
    """A call of `tab` was refused; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "", kind: str = "ToolError") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.hint = hint
        self.kind = kind


class NoSuchAttribute(CallFailed, AttributeError):
    """The same for a name that an object has not: `hasattr` and `getattr` with a default work."""


def plain(value: Any) -> Any:
    """The value as JSON has it, or as text."""
    try:
        text = json.dumps(value, default=_odd, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return _repr(value)
    if len(text) > VALUE_KEPT:
        return f"{text[:REPR_KEPT]}… (cut: the value has {len(text)} characters)"
    return json.loads(text)


def _odd(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, PurePath):
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else _repr(value)


def _repr(value: Any) -> str:
    with contextlib.suppress(Exception):
        return repr(value)[:REPR_KEPT]
    return f"<{type(value).__name__}>"


def image_of(value: Any) -> dict[str, Any] | None:
    """A picture as an item of the result, if the value is one: what `tab.screenshot()` gives."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), str):
        return None
    mime = value.get("mimeType") or value.get("mime") or ""
    if value.get("type") == "image" or str(mime).startswith("image/"):
        return {"type": "image", "data": value["data"], "mimeType": mime or "image/png"}
    return None


def kept(state: dict[Any, Any]) -> tuple[dict[str, Any], list[str]]:
    """What of `state` can be kept for the next run, and the names of what cannot."""
    stays: dict[str, Any] = {}
    lost: list[str] = []
    for name, value in list(state.items()):
        try:
            stays[str(name)] = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            lost.append(f"state[{_repr(name)}]")
    if len(json.dumps(stays)) > VALUE_KEPT:
        return {}, [f"state: it is longer than {VALUE_KEPT // 1_000_000} MB"]
    return stays, lost


def where(trace: TracebackType | None) -> int:
    """The innermost line of the agent's own code; 0 if it has no part in it."""
    found = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def described(error: BaseException, lines: list[str], line: int = 0) -> dict[str, Any]:
    """The error with the agent's own line, which is what it can mend."""
    line = where(error.__traceback__) or line
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    told: dict[str, Any] = {
        "kind": type(error).__name__,
        "message": _message(error, text),
        "line": line,
        "text": text,
        "trace": _trace(error),
    }
    if isinstance(error, CallFailed):
        told |= {"kind": error.kind or told["kind"], "message": error.message}
    if hint := _hint(error, text):
        told["hint"] = hint
    return told


def _message(error: BaseException, text: str) -> str:
    said = ""
    with contextlib.suppress(Exception):
        said = str(error)[:MESSAGE_KEPT]
    if isinstance(error, AssertionError):
        return f"assertion failed: {said or text}"
    if isinstance(error, SystemExit):
        return f"the code ended itself: sys.exit({said})"
    return said or type(error).__name__


def _hint(error: BaseException, text: str) -> str:
    if isinstance(error, CallFailed):
        return error.hint
    if isinstance(error, OSError) and (
        error.errno in (errno.EPERM, errno.EACCES)
        or type(error).__name__ in ("URLError", "gaierror")
    ):
        return _BEHIND_WALLS
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG):
        return _FULL
    if isinstance(error, TypeError) and any(word in text for word in _FOR_AWAITABLES):
        return _FINISHED
    if isinstance(error, NameError) and (error.name or "") in _IN_THE_PAGE:
        return f"{error.name} is JavaScript; {JAVASCRIPT}"
    if isinstance(error, AttributeError | TypeError):
        with contextlib.suppress(Exception):  # the agent's own objects: anything may come
            return _takes(error)
    return ""


def _takes(error: AttributeError | TypeError) -> str:
    """What a tab has instead, or what its method takes."""
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
    """The traceback through the agent's own lines; ours would tell it nothing."""
    try:
        whole = traceback.TracebackException.from_exception(error)
        seen: set[int] = set()
        _only_own(whole, seen)
        return "".join(whole.format())[-MESSAGE_KEPT:]
    except Exception as failed:  # noqa: BLE001 - the agent's own `__str__` and the like
        return f"(no traceback: {type(failed).__name__})"


def _only_own(trace: traceback.TracebackException | None, seen: set[int]) -> None:
    if trace is None or id(trace) in seen:
        return
    seen.add(id(trace))
    own = [part for part in trace.stack if part.filename == FILE]
    trace.stack = traceback.StackSummary.from_list(own[-TRACE_LINES:])
    for other in (trace.__cause__, trace.__context__, *(trace.exceptions or ())):
        _only_own(other, seen)
