"""Secrets that agents know by name alone: typed for them, and never said to them.

    secrets = Secrets({"SHOP": "hunter2"})
    text = secrets.named("{{secret:SHOP}}")                # a SecretText: still the name
    reveal(text, "https://shop.example/")                  # hunter2
    secrets.redactor.redact("Hello hunter2")               # Hello [secret SHOP]

A text that names secrets travels as its template. Whoever types it asks for the value with the
URL of the document that receives it, at the moment of typing; whoever forgets to types the
template. This keeps a secret out of what agents read; what a page does with it, it cannot know.

Knows: names, values and where each may be typed. Must not know: who asks, or how text is typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol

from pilothouse.errors import ToolError
from pilothouse.security.redaction import Redactor

__all__ = ["Origins", "SecretText", "Secrets", "reveal"]

_ASKED = re.compile(r"\{\{\s*secret\b([^{}]{0,200})\}\}?")
_NAME = re.compile(r"\s*:\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*")

# Where the text of a verb may name a secret.
_TYPED = {
    "type": ("text",),
    "fill": ("value",),
    "handle_dialog": ("text",),
    "answer": ("detail",),
}


class Origins(Protocol):
    """Where a secret may be typed."""

    def refusal(self, url: str) -> tuple[str, str] | None:
        """The origin of a document that may not have it, and those that may; else None."""


class SecretText(str):
    """A text that names secrets; as a string it is the template. `bound` says that one of them
    may be typed at some origins only."""

    _secrets: Secrets
    bound: bool

    def revealed(self, url: str) -> str:
        """The text with the values, for a document at `url`. Raises ToolError where one of them
        may not be typed."""
        return self._secrets.filled(str(self), url)


class Secrets:
    """The user's secrets. `origins` are the only places that some of them may be typed at."""

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        origins: Mapping[str, Origins] | None = None,
    ) -> None:
        self._values = dict(values or {})
        self._origins = dict(origins or {})
        self.redactor = Redactor(self._values)

    def __bool__(self) -> bool:
        return bool(self._values)

    def given(self, verb: str, params: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a verb, with texts that name secrets as SecretText. Raises ToolError
        for a name that is not known."""
        fields = _TYPED.get(verb, ())
        if not any("secret" in str(params.get(field, "")) for field in fields):
            return params
        return {key: self.named(part) if key in fields else part for key, part in params.items()}

    def named(self, value: Any) -> Any:
        """A value with its texts as SecretText where they name secrets. Raises ToolError."""
        if isinstance(value, str):
            found = [self._name(match) for match in _ASKED.finditer(value)]
            if not found:
                return value
            text = SecretText(value)
            text._secrets = self
            text.bound = any(name in self._origins for name in found)
            return text
        if isinstance(value, Mapping):
            return {key: self.named(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.named(part) for part in value]
        return value

    def filled(self, text: str, url: str) -> str:
        """A text with the values of the secrets that it names, for a document at `url`. Raises
        ToolError."""
        return _ASKED.sub(lambda match: self._value(self._name(match), url), text)

    def _name(self, match: re.Match[str]) -> str:
        named = _NAME.fullmatch(match[1])
        if named is None or not match[0].endswith("}}"):
            raise ToolError(f"{match[0]!r} names no secret", hint="write {{secret:NAME}}")
        if named[1] not in self._values:
            known = ", ".join(self._values) or "none; the user sets them under secrets:"
            raise ToolError(f"there is no secret {named[1]!r}", hint=f"known: {known}")
        return named[1]

    def _value(self, name: str, url: str) -> str:
        allowed = self._origins.get(name)
        if allowed is not None and (refused := allowed.refusal(url)):
            here, there = refused
            raise ToolError(
                f"the secret {name} may not be typed at {here}", hint=f"it is for {there}"
            )
        return self._values[name]


def reveal(value: Any, url: str) -> Any:
    """A value with the secrets that it names, for a document at `url`. Raises ToolError where one
    of them may not be typed."""
    if isinstance(value, SecretText):
        return value.revealed(url)
    if isinstance(value, Mapping):
        return {key: reveal(part, url) for key, part in value.items()}
    if isinstance(value, list):
        return [reveal(part, url) for part in value]
    return value
