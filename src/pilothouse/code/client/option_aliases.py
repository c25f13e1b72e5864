"""Accepts other spellings of options: `waitUntil` for `wait_until`, `selector` for `target`.

Knows: names of parameters. Must not know: any verb.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

__all__ = ["either_spelling", "method_of_other_name"]

P = ParamSpec("P")
R = TypeVar("R")

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_CO_VARARGS = 0x04


def either_spelling(method: Callable[P, R]) -> Callable[P, R]:
    """Make a method accept its options also under the names that other tools use."""
    code = method.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = frozenset(code.co_varnames[:count])
    rest = code.co_varnames[count] if code.co_flags & _CO_VARARGS else ""

    @functools.wraps(method)
    def wrapper(*args: Any, **named: Any) -> Any:
        if named and not named.keys() <= names:
            if rest in named:
                more = named.pop(rest)
                args += tuple(more) if isinstance(more, list | tuple) else (more,)
            named = {_own_spelling(name, names): value for name, value in named.items()}
        return method(*args, **named)

    return wrapper


def _own_spelling(name: str, names: frozenset[str]) -> str:
    if name in names:
        return name
    snake = _CAPITAL.sub(r"_\1", name).lower()
    if snake in names:
        return snake
    return "target" if snake == "selector" and "target" in names else name


# Method names of other tools that differ in more than spelling.
_OTHER_NAMES = {"upload_file": "upload"}


def method_of_other_name(of: object, name: str) -> Any:
    """Return the method that other tools call `name`: `waitFor` is `wait_for`. For `__getattr__`,
    so that `dir()` and `help()` show each method once. Raises AttributeError."""
    snake = _CAPITAL.sub(r"_\1", name).lower()
    ours = _OTHER_NAMES.get(snake, snake)
    if ours == name or ours.startswith("_") or not callable(getattr(type(of), ours, None)):
        raise AttributeError(
            f"{type(of).__name__!r} object has no attribute {name!r}", name=name, obj=of
        )
    return getattr(of, ours)
