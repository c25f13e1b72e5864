"""The verbs of a tab. A verb is a typed function, declared once: the RPC methods `tab.*`, the
command line and the Python client are all made from this declaration.

    @verb()
    async def click(tab: OwnedTab, target: str, button: str = "left") -> Outcome[Receipt]:
        '''Click an element.'''

Knows: how results become JSON. Must not know: any verb.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import difflib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.errors import ToolError, UsageError
from pilothouse.supervisor import Outcome
from pilothouse.tabs.progress import report_while_waiting
from pilothouse.tabs.verb_and_tool_declaration import Declaration, Parameter, check_arguments

if TYPE_CHECKING:
    from pilothouse.tabs.tabs import OwnedTab

__all__ = ["VERBS", "Parameter", "Verb", "invoke", "plain", "verb"]


class Verb(Declaration):
    """A declared verb. `changes`: it may change the page. `free`: it needs no lease of the tab, and
    works while a dialog blocks the page. `rest`: the parameter that Python code may pass as any
    number of positional arguments. `fields`: which parameters of the verb an error means by other
    names; of several, separated by `or`, the given one."""

    def __init__(
        self,
        function: Callable[..., Awaitable[Any]],
        name: str = "",
        *,
        changes: bool = False,
        free: bool = False,
        rest: str = "",
        fields: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(function, name)
        self.changes = changes
        self.free = free
        self.rest = rest
        self.fields = fields or {}

    def field_names(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Return the names that errors use, with those that the caller wrote."""
        names: dict[str, str] = {}
        for inner, outer in self.fields.items():
            choices = outer.split(" or ")
            names[inner] = next((one for one in choices if given.get(one)), choices[0])
        return names


VERBS: dict[str, Verb] = {}


def verb(
    *,
    changes: bool = False,
    free: bool = False,
    name: str = "",
    rest: str = "",
    fields: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
    """Declare a function as a verb, under its own name unless `name` is given."""

    def declare(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        said = Verb(function, name, changes=changes, free=free, rest=rest, fields=fields)
        VERBS[said.name] = said
        return function

    return declare


async def invoke(tab: OwnedTab, name: str, given: Mapping[str, Any]) -> Any:
    """Run a verb with unchecked arguments. Raises ToolError that names the wrong argument."""
    found = VERBS.get(name)
    if found is None:
        near = difflib.get_close_matches(name, VERBS, 1)
        hint = f"did you mean {near[0]}?" if near else "list all verbs with the method `verbs`"
        raise UsageError(f"unknown verb {name!r}", hint=hint)
    asked = check_arguments(found, given)
    if tab.secrets.in_call(found.name, asked):
        asked = tab.secrets.mark_in_call(found.name, asked)
        if tab.captures is not None:
            tab.captures.note_secret()
    tab.used_at = asyncio.get_running_loop().time()
    await tab.page.start()  # the page of a popup has not been started yet
    with report_while_waiting(tab.describe_pending_navigation):
        try:
            return await found.function(tab, **asked)
        except ToolError as error:
            error.with_field(found.field_names(given))
            raise


_PLAIN = frozenset((str, int, bool, float, type(None)))


def plain(value: Any) -> Any:
    """Convert a result to JSON types. A blocked outcome becomes `blocked_by`; bytes are base64."""
    if type(value) in _PLAIN:  # the most common case
        return value
    if isinstance(value, Outcome):
        if value.blocked_by:
            shown = [_interrupt(blocker) for blocker in value.blocked_by]
            return {"blocked_by": shown, "action_id": value.action_id}
        return plain(value.value)
    if (names := _fields(value)) is not None:
        made = {shown: plain(getattr(value, name)) for name, shown in names}
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
    return value


def _fields(value: Any) -> Iterable[tuple[str, str]] | None:
    """Return the fields of a struct or dataclass with their JSON names; None for other values."""
    if isinstance(value, msgspec.Struct):
        return zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(one.name, one.name) for one in dataclasses.fields(value)]
    return None


def _interrupt(blocker: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": blocker.id, "origin": blocker.origin}
    if hasattr(blocker, "message"):
        shown |= {"kind": "dialog", "type": blocker.type, "message": blocker.message}
        if blocker.default_prompt:
            shown["default_prompt"] = blocker.default_prompt
    else:
        shown |= {"kind": blocker.kind, "answers": list(blocker.answers), **blocker.detail}
    return shown
