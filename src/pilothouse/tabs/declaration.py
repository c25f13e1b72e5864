"""A typed function as a declaration: its parameters, what is said of them, how they are check_arguments.

Verbs of a tab and tools of an agent are both declared so. Knows: signatures and docstrings. Must
not know: any verb or tool.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from pilothouse.errors import UsageError

__all__ = ["Declaration", "NonNegativeFloat", "NonNegativeInt", "Parameter", "check_arguments"]

# Bounds belong to the declaration: they are check_arguments before anything is done, and MCP clients read
# them in the schema.
NonNegativeInt = Annotated[int, msgspec.Meta(ge=0)]
NonNegativeFloat = Annotated[float, msgspec.Meta(ge=0)]

_KINDS = (
    ("str", "a text"),
    ("int", "a whole number"),
    ("float", "a number"),
    ("bool", "true or false"),
    ("array", "a list"),
    ("object", "a mapping"),
    ("null", "nothing"),
)


# How msgspec says that a number is below its bound.
_BOUND = re.compile(r">= (-?[\d.]+)")


class Parameter(msgspec.Struct, frozen=True):
    """One parameter; `default` is `...` where one has to be given."""

    name: str
    kind: Any
    default: Any
    about: str = ""


class Declaration:
    """What a function says of itself; its first parameter is what it works on and not asked for.
    `extra` parameters are asked for beside its own. It is read when it is first needed: there are
    many functions, and a daemon that starts has no time for those that nobody has called yet."""

    def __init__(
        self, function: Callable[..., Any], name: str = "", extra: tuple[Parameter, ...] = ()
    ) -> None:
        self.function = function
        self.name = name or function.__name__.rstrip("_")
        self._extra = extra

    @cached_property
    def about(self) -> str:
        """Its own words."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it asks for, in order."""
        hints = get_type_hints(self.function)
        told = _parameters_told(self.about)
        own = (
            Parameter(
                p.name,
                hints[p.name],
                ... if p.default is inspect.Parameter.empty else p.default,
                told.get(p.name, ""),
            )
            for p in list(inspect.signature(self.function).parameters.values())[1:]
        )
        return (*own, *self._extra)

    @cached_property
    def asked(self) -> type:
        """The type that checks what is given."""
        bounded = get_type_hints(self.function, include_extras=True)
        kinds = {p.name: bounded.get(p.name, p.kind) for p in self.parameters}
        fields = [
            (p.name, kinds[p.name])
            if p.default is ...
            else (p.name, kinds[p.name], _default(p.default))
            for p in self.parameters
        ]
        return msgspec.defstruct(self.name, fields, forbid_unknown_fields=True, kw_only=True)


def _default(value: Any) -> Any:
    if isinstance(value, list | dict):
        return msgspec.field(default_factory=lambda: type(value)(value))
    return value


def _parameters_told(about: str) -> dict[str, str]:
    """What the text says of each parameter: `target: the element`, in a line or after a `;`."""
    return dict(re.findall(r"(?:^|; )(\w+): (.+?)(?=; \w+: |$)", about, re.MULTILINE))


def check_arguments(found: Declaration, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as the function wants them. Raises UsageError that names what is wrong."""
    known = [p.name for p in found.parameters]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"it takes: {', '.join(known) or 'none'}"
            raise UsageError(
                f"{found.name}: there is no parameter {name!r}", hint=hint, untrusted=()
            )
    for name, value in given.items():
        if not _is_unicode(value):
            raise UsageError(
                f"{found.name}: {name}: it holds half of a surrogate pair",
                hint="send whole characters, as UTF-8 has them",
                untrusted=(),
            )
    try:
        asked: Any = msgspec.convert(dict(given), found.asked, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{found.name}: {_mistake(str(error))}", hint=_hint(found, str(error)), untrusted=()
        ) from None
    return {name: getattr(asked, name) for name in known}


def _is_unicode(value: Any) -> bool:
    """Whether UTF-8 can write every text in a value: no browser could be sent any other."""
    if isinstance(value, str):
        try:
            return value.isascii() or bool(value.encode())
        except UnicodeEncodeError:
            return False
    if isinstance(value, Mapping):
        return all(_is_unicode(key) and _is_unicode(inner) for key, inner in value.items())
    return not isinstance(value, list | tuple) or all(_is_unicode(inner) for inner in value)


def _hint(found: Declaration, said: str) -> str:
    """What would be right there: the words that may be said, or the fields there are."""
    where = re.search(r"\$\.(\w+)", said)
    kind = next((p.kind for p in found.parameters if where and p.name == where[1]), None)
    wrong = re.search(r"enum value '(.*?)'|unknown field `(.*?)`|required field `(.*?)`", said)
    choices = _choices(kind)
    if wrong is None or not choices:
        about = next((p.about for p in found.parameters if where and p.name == where[1]), "")
        listed = f"it takes: {', '.join(p.name for p in found.parameters)}"
        return f"{where[1]}: {about}" if where and about and _BOUND.search(said) else listed
    near = difflib.get_close_matches(next(filter(None, wrong.groups()), ""), choices, 1)
    listed = f"it takes: {', '.join(choices)}"
    return f"did you mean {near[0]}? {listed}" if near and wrong[3] is None else listed


def _choices(kind: Any) -> list[str]:
    """The words a parameter may be, or the fields of what it holds."""
    if get_origin(kind) is Literal:
        return [str(one) for one in get_args(kind) if one != ""]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return list(kind.__struct_fields__)
    return [choice for inner in get_args(kind) for choice in _choices(inner)]


def _mistake(said: str) -> str:
    """A checker's words for a person: the parameter first, JSON's kinds by their usual names."""
    said = re.sub(r"Invalid enum value ('.*?')", r"\1 is not known", said)
    what, _, where = said.replace("`", "").partition(" - at $")
    what = _BOUND.sub(lambda found: f"of at least {float(found[1]):g}", what)
    for kind, name in _KINDS:
        what = re.sub(rf"\b{kind}\b", name, what)
    field = re.match(r"\.(\w+)", where)
    what = what[:1].lower() + what[1:]
    return f"{field[1]}: {what}" if field else what
