"""Declarations: a typed function with its parameters, their descriptions and their checks.

Verbs of a tab and tools of an agent are both declared in this way. Knows: signatures and
docstrings. Must not know: any verb or tool.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from pilothouse.errors import UsageError

__all__ = ["Declaration", "NonNegativeInt", "Parameter", "check_arguments"]

# Bounds are part of the declaration: calls are checked before they run, and MCP clients see the
# bounds in the schema.
NonNegativeInt = Annotated[int, msgspec.Meta(ge=0)]

# msgspec's type names, and how our errors call them.
_KINDS = (
    ("str", "a string"),
    ("int", "a whole number"),
    ("float", "a number"),
    ("bool", "true or false"),
    ("array", "a list"),
    ("object", "an object"),
    ("null", "null"),
)


# msgspec's wording for a number below its bound.
_BOUND = re.compile(r">= (-?[\d.]+)")


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a declaration. `default` is `...` if it is required."""

    name: str
    kind: Any
    default: Any
    about: str = ""


class Declaration:
    """A function's name, description and parameters, read from its signature and docstring.

    The function's first parameter (the tab or the tool context) is not part of it. `extra` adds
    parameters. Everything is read on first use, because a starting daemon has no time to inspect
    every function."""

    def __init__(
        self, function: Callable[..., Any], name: str = "", extra: tuple[Parameter, ...] = ()
    ) -> None:
        self.function = function
        self.name = name or function.__name__.rstrip("_")
        self._extra = extra

    @cached_property
    def about(self) -> str:
        """The docstring of the function."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, in order."""
        texts = _parameter_texts(self.about)
        own = (
            Parameter(name, kind, default, texts.get(name, ""))
            for name, kind, default in _read_signature(self.function)
        )
        return (*own, *self._extra)

    @cached_property
    def arguments_type(self) -> type:
        """A msgspec struct that checks the arguments of a call."""
        bounded = {name: kind for name, kind, _ in _read_signature(self.function, bounds=True)}
        kinds = {p.name: bounded.get(p.name, p.kind) for p in self.parameters}
        fields = [
            (p.name, kinds[p.name])
            if p.default is ...
            else (p.name, kinds[p.name], _default(p.default))
            for p in self.parameters
        ]
        return msgspec.defstruct(self.name, fields, forbid_unknown_fields=True, kw_only=True)


def _read_signature(
    function: Callable[..., Any], *, bounds: bool = False
) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, type and default of each parameter, without the first one.

    `**options: Unpack[Options]` stands for the keys of the TypedDict `Options`, which may all be
    left out. A key's default is None if its type allows that, else the empty value of its type."""
    hints = get_type_hints(function, include_extras=bounds)
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (options,) = get_args(hints[parameter.name])
            for name, kind in get_type_hints(options, include_extras=bounds).items():
                yield name, kind, None if NoneType in get_args(kind) else kind()
        else:
            given = parameter.default is not inspect.Parameter.empty
            yield parameter.name, hints[parameter.name], parameter.default if given else ...


def _default(value: Any) -> Any:
    if isinstance(value, list | dict):
        return msgspec.field(default_factory=lambda: type(value)(value))
    return value


def _parameter_texts(about: str) -> dict[str, str]:
    """Find the text of each parameter in a docstring: `target: the element`, on its own line or
    after a `;`."""
    return dict(re.findall(r"(?:^|; )(\w+): (.+?)(?=; \w+: |$)", about, re.MULTILINE))


def check_arguments(found: Declaration, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check and convert the arguments of a call. Raises UsageError that names the wrong one."""
    known = [p.name for p in found.parameters]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"use only: {', '.join(known) or 'none'}"
            raise UsageError(f"{found.name}: unknown parameter {name!r}", hint=hint, untrusted=())
    for name, value in given.items():
        if not _is_unicode(value):
            raise UsageError(
                f"{found.name}: {name}: contains a lone surrogate; expected valid Unicode",
                hint="send complete characters that UTF-8 can encode",
                untrusted=(),
            )
    try:
        arguments: Any = msgspec.convert(dict(given), found.arguments_type, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{found.name}: {_mistake(str(error))}", hint=_hint(found, str(error)), untrusted=()
        ) from None
    return {name: getattr(arguments, name) for name in known}


def _is_unicode(value: Any) -> bool:
    """Return whether UTF-8 can encode every string in a value. CDP cannot send other strings."""
    if isinstance(value, str):
        try:
            return value.isascii() or bool(value.encode())
        except UnicodeEncodeError:
            return False
    if isinstance(value, Mapping):
        return all(_is_unicode(key) and _is_unicode(inner) for key, inner in value.items())
    return not isinstance(value, list | tuple) or all(_is_unicode(inner) for inner in value)


def _hint(found: Declaration, said: str) -> str:
    """Return a hint for msgspec's error `said`: the choices, the fields, or the parameters."""
    where = re.search(r"\$\.(\w+)", said)
    kind = next((p.kind for p in found.parameters if where and p.name == where[1]), None)
    wrong = re.search(r"enum value '(.*?)'|unknown field `(.*?)`|required field `(.*?)`", said)
    choices = _choices(kind)
    if wrong is None or not choices:
        about = next((p.about for p in found.parameters if where and p.name == where[1]), "")
        listed = f"use only: {', '.join(p.name for p in found.parameters)}"
        return f"{where[1]}: {about}" if where and about and _BOUND.search(said) else listed
    near = difflib.get_close_matches(next(filter(None, wrong.groups()), ""), choices, 1)
    listed = f"{'use one of' if wrong[1] else 'use only:'} {', '.join(choices)}"
    return f"did you mean {near[0]}? {listed}" if near and wrong[3] is None else listed


def _choices(kind: Any) -> list[str]:
    """Return the allowed values of a parameter, or the field names of its struct."""
    if get_origin(kind) is Literal:
        return [str(one) for one in get_args(kind) if one != ""]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return list(kind.__struct_fields__)
    return [choice for inner in get_args(kind) for choice in _choices(inner)]


def _mistake(said: str) -> str:
    """Rewrite msgspec's error: the parameter first, types by their usual names."""
    said = re.sub(r"Invalid enum value ('.*?')", r"unknown value \1", said)
    said = said.removeprefix("Object ").replace(" | ", " or ")
    what, _, where = said.replace("`", "").partition(" - at $")
    what = _BOUND.sub(lambda found: f"of at least {float(found[1]):g}", what)
    for kind, name in _KINDS:
        what = re.sub(rf"\b{kind}\b", name, what)
    field = re.match(r"\.(\w+)", where)
    what = what[:1].lower() + what[1:]
    return f"{field[1]}: {what}" if field else what
