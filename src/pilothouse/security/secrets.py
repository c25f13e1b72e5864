"""Secrets that agents use by name: Pilothouse types the value, and agents never see it.

    secrets = Secrets({"SHOP": "hunter2"})
    text = secrets.mark("{{secret:SHOP}}")                 # a SecretText: still the template
    reveal(text, "https://shop.example/")                  # hunter2
    secrets.redactor.redact("Hello hunter2")               # Hello [secret SHOP]

A text with secrets is passed around as its template. The code that types it asks for the value at
the moment of typing, with the URL of the document that receives it. Code that forgets this types
the template. This keeps secrets out of what agents read; it cannot know what a page does with them.

Knows: names, values and where each may be typed. Must not know: who asks, or how text is typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol

from pilothouse.errors import NotPermitted, ToolError
from pilothouse.security.redaction import Redactor

__all__ = ["AllowedOrigins", "SecretText", "Secrets", "reveal"]

_REFERENCE = re.compile(r"\{\{\s*secret\b([^{}]{0,200})\}\}?")
_NAME = re.compile(r"\s*:\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*")

# Parameters of verbs that may contain secrets.
_SECRET_FIELDS = {
    "type": ("text",),
    "fill": ("value",),
    "handle_dialog": ("text",),
    "answer": ("detail",),
}


class AllowedOrigins(Protocol):
    """The origins at which a secret may be typed."""

    def refusal(self, url: str) -> tuple[str, str] | None:
        """Return (origin of the URL, allowed origins) if it may not be typed there; else None."""


class SecretText(str):
    """A text with secrets. Its value as a string is the template.

    is_restricted: one of the secrets may be typed only at some origins
    """

    _secrets: Secrets
    is_restricted: bool

    def reveal(self, url: str) -> str:
        """Fill in the values for a document at `url`.

        Raises ToolError if one of the secrets may not be typed there.
        """
        return self._secrets.fill_in(str(self), url)


class Secrets:
    """The user's secrets. `origins` limits where some of them may be typed."""

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        origins: Mapping[str, AllowedOrigins] | None = None,
    ) -> None:
        self._values = dict(values or {})
        self._origins = dict(origins or {})
        self.redactor = Redactor(self._values)

    def __bool__(self) -> bool:
        return bool(self._values)

    def in_call(self, verb: str, params: Mapping[str, Any]) -> bool:
        """Return whether the parameters of a verb contain secrets."""
        return any(
            _REFERENCE.search(str(params.get(field, ""))) for field in _SECRET_FIELDS.get(verb, ())
        )

    def mark_in_call(self, verb: str, params: dict[str, Any]) -> dict[str, Any]:
        """Turn the parameters of a verb that contain secrets into SecretText.

        Raises ToolError for an unknown name.
        """
        fields = _SECRET_FIELDS.get(verb, ())
        return {key: self.mark(part) if key in fields else part for key, part in params.items()}

    def mark(self, value: Any) -> Any:
        """Turn all strings in a value that contain secrets into SecretText. Raises ToolError."""
        if isinstance(value, str):
            found = [self._name(match) for match in _REFERENCE.finditer(value)]
            if not found:
                return value
            text = SecretText(value)
            text._secrets = self
            text.is_restricted = any(name in self._origins for name in found)
            return text
        if isinstance(value, Mapping):
            return {key: self.mark(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.mark(part) for part in value]
        return value

    def fill_in(self, text: str, url: str) -> str:
        """Replace the secrets in a text by their values, for a document at `url`.

        Raises ToolError.
        """
        return _REFERENCE.sub(lambda match: self._value(self._name(match), url), text)

    def _name(self, match: re.Match[str]) -> str:
        named = _NAME.fullmatch(match[1])
        if named is None or not match[0].endswith("}}"):
            raise ToolError(f"{match[0]!r} does not name a secret", hint="write {{secret:NAME}}")
        if named[1] not in self._values:
            known = ", ".join(self._values) or "none; the user sets them under secrets:"
            raise ToolError(f"there is no secret {named[1]!r}", hint=f"known: {known}")
        return named[1]

    def _value(self, name: str, url: str) -> str:
        allowed = self._origins.get(name)
        if allowed is not None and (refused := allowed.refusal(url)):
            here, there = refused
            raise NotPermitted(
                f"the secret {name} may not be typed at {here}", hint=f"it is for {there}"
            )
        return self._values[name]


def reveal(value: Any, url: str) -> Any:
    """Fill in all secrets of a value for a document at `url`.

    Raises ToolError if one of them may not be typed there.
    """
    if isinstance(value, SecretText):
        return value.reveal(url)
    if isinstance(value, Mapping):
        return {key: reveal(part, url) for key, part in value.items()}
    if isinstance(value, list):
        return [reveal(part, url) for part in value]
    return value
