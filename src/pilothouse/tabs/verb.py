"""What can be asked of a tab, declared once: a typed function is a verb; the house's methods, the
command line and the Python client all come from the same declaration.

    @verb()
    async def click(tab: OwnedTab, target: str, button: str = "left") -> Outcome[Receipt]:
        '''Click an element.'''

Knows: how parameters are checked and results become JSON. Must not know: any verb.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import difflib
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from pilothouse.errors import ToolError
from pilothouse.supervisor import Outcome

if TYPE_CHECKING:
    from pilothouse.tabs.tabs import OwnedTab

__all__ = ["VERBS", "Parameter", "Verb", "invoke", "plain", "verb"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a verb; `default` is `...` where one has to be given."""

    name: str
    kind: Any
    default: Any
    about: str = ""


@dataclass(frozen=True, slots=True)
class Verb:
    """A declared verb. `changes` says that it may change the page; `free` ones need no turn on
    the tab and work while something blocks it. `rest` is the parameter that Python code may give
    as any number of values."""

    name: str
    about: str
    function: Callable[..., Awaitable[Any]]
    parameters: tuple[Parameter, ...]
    asked: type
    changes: bool
    free: bool
    rest: str = ""


VERBS: dict[str, Verb] = {}

_KINDS = (
    ("str", "a text"),
    ("int", "a whole number"),
    ("float", "a number"),
    ("bool", "true or false"),
    ("array", "a list"),
    ("object", "a mapping"),
    ("null", "nothing"),
)


def verb(
    *, changes: bool = False, free: bool = False, name: str = "", rest: str = ""
) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
    """Declare a function as a verb under its own name."""

    def declare(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        called = name or function.__name__.rstrip("_")
        hints = get_type_hints(function)
        about = inspect.cleandoc(function.__doc__ or "")
        told = _parameters_told(about)
        parameters = tuple(
            Parameter(
                p.name,
                hints[p.name],
                ... if p.default is inspect.Parameter.empty else p.default,
                told.get(p.name, ""),
            )
            for p in list(inspect.signature(function).parameters.values())[1:]
        )
        fields = [
            (p.name, p.kind) if p.default is ... else (p.name, p.kind, _default(p.default))
            for p in parameters
        ]
        asked = msgspec.defstruct(called, fields, forbid_unknown_fields=True, kw_only=True)
        VERBS[called] = Verb(called, about, function, parameters, asked, changes, free, rest)
        return function

    return declare


def _default(value: Any) -> Any:
    if isinstance(value, list | dict):
        return msgspec.field(default_factory=lambda: type(value)(value))
    return value


def _parameters_told(about: str) -> dict[str, str]:
    """What the text says of each parameter: `target: the element`, in a line or after a `;`."""
    return dict(re.findall(r"(?:^|; )(\w+): (.+?)(?=; \w+: |$)", about, re.MULTILINE))


async def invoke(tab: OwnedTab, name: str, given: Mapping[str, Any]) -> Any:
    """Do a verb with parameters as they came. Raises ToolError that names what is wrong."""
    found = VERBS.get(name)
    if found is None:
        near = difflib.get_close_matches(name, VERBS, 1)
        hint = f"did you mean {near[0]}?" if near else "see the list of verbs"
        raise ToolError(f"a tab cannot {name!r}", hint=hint)
    asked = _checked(found, given)
    tab.used_at = asyncio.get_running_loop().time()
    await tab.page.start()  # popups came by themselves: nobody has started their log yet
    answer = await found.function(tab, **asked)
    if isinstance(answer, Outcome) and answer.action_id:
        tab.actions.add(answer.action_id)
    return answer


def _checked(found: Verb, given: Mapping[str, Any]) -> dict[str, Any]:
    known = [p.name for p in found.parameters]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"it takes: {', '.join(known) or 'none'}"
            raise ToolError(f"{found.name}: there is no parameter {name!r}", hint=hint)
    try:
        asked: Any = msgspec.convert(dict(given), found.asked, strict=False)
    except msgspec.ValidationError as error:
        raise ToolError(
            f"{found.name}: {_mistake(str(error))}", hint=f"it takes: {', '.join(known)}"
        ) from None
    return {name: getattr(asked, name) for name in known}


def _mistake(said: str) -> str:
    """A checker's words for a person: the parameter first, JSON's kinds by their usual names."""
    what, _, where = said.replace("`", "").partition(" - at $")
    for kind, name in _KINDS:
        what = re.sub(rf"\b{kind}\b", name, what)
    field = re.match(r"\.(\w+)", where)
    what = what[:1].lower() + what[1:]
    return f"{field[1]}: {what}" if field else what


def plain(value: Any) -> Any:
    """A result as JSON has it: blocked work says what blocks it, bytes are base64."""
    if isinstance(value, Outcome):
        if value.blocked_by:
            shown = [_interrupt(blocker) for blocker in value.blocked_by]
            return {"blocked_by": shown, "action_id": value.action_id}
        return plain(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        made = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        if callable(text := getattr(value, "text", None)):
            made |= {"text": text(), "changed": getattr(value, "changed", None)}
        return made
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    return value


def _interrupt(blocker: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": blocker.id, "origin": blocker.origin}
    if hasattr(blocker, "message"):
        shown |= {"kind": "dialog", "type": blocker.type, "message": blocker.message}
        if blocker.default_prompt:
            shown["default_prompt"] = blocker.default_prompt
    else:
        shown |= {"kind": blocker.kind, "answers": list(blocker.answers), **blocker.detail}
    return shown
