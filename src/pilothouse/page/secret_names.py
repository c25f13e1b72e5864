"""Secrets that agents know by name alone: typed for them, and never said to them.

    secrets = Secrets({"SHOP": "hunter2"})
    secrets.filled("{{secret:SHOP}}", "https://shop.example/")     # hunter2
    secrets.hide("Hello hunter2")                                  # Hello [secret SHOP]

Knows: names, values and the spellings a value may come back in. Must not know: who asks. This
keeps a secret out of what agents read; what a page does with it, it cannot know.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.supervisor.fence_addresses import read_origin
from pilothouse.supervisor.fence_rules import OriginRule

__all__ = ["Secrets", "spellings"]

_ASKED = re.compile(r"\{\{\s*secret\b([^{}]{0,200})\}\}?")
_NAME = re.compile(r"\s*:\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*")
# Shorter pieces of an encoded secret would be found in anything.
SHORTEST_PIECE = 6

# Where the text of a verb may name a secret.
_TYPED = {
    "type": ("text",),
    "fill": ("value",),
    "handle_dialog": ("text",),
    "answer": ("detail",),
}


class Secrets:
    """The user's secrets. `origins` are the only places that some of them may be typed at."""

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        origins: Mapping[str, tuple[OriginRule, ...]] | None = None,
    ) -> None:
        self._values = dict(values or {})
        self._origins = dict(origins or {})
        forms = [(form, name) for name, value in self._values.items() for form in spellings(value)]
        # The longest first: one may be a part of another.
        forms.sort(key=lambda pair: len(pair[0]), reverse=True)
        self._names = dict(reversed(forms))
        self._found = re.compile("|".join(re.escape(form) for form, _ in forms)) if forms else None

    def __bool__(self) -> bool:
        return bool(self._values)

    # Typing.

    def given(self, verb: str, params: dict[str, Any], where: Callable[[], str]) -> dict[str, Any]:
        """The parameters of a verb with the values of secrets that it names; `where` tells the
        address they are typed at. Raises ToolError for a name that is not known, or may not be
        typed there."""
        fields = _TYPED.get(verb, ())
        if not any("secret" in str(params.get(field, "")) for field in fields):
            return params
        url = where()
        return {
            key: self._within(value, url) if key in fields else value
            for key, value in params.items()
        }

    def _within(self, value: Any, url: str) -> Any:
        if isinstance(value, str):
            return self.filled(value, url)
        if isinstance(value, Mapping):
            return {key: self._within(part, url) for key, part in value.items()}
        if isinstance(value, list):
            return [self._within(part, url) for part in value]
        return value

    def filled(self, text: str, url: str) -> str:
        """A text with the values of the secrets that it names."""
        if "secret" not in text:
            return text
        return _ASKED.sub(lambda match: self._value(match, url), text)

    def _value(self, match: re.Match[str], url: str) -> str:
        named = _NAME.fullmatch(match[1])
        if named is None or not match[0].endswith("}}"):
            raise ToolError(f"{match[0]!r} names no secret", hint="write {{secret:NAME}}")
        name = named[1]
        if name not in self._values:
            known = ", ".join(self._values) or "none; the user sets them under secrets:"
            raise ToolError(f"there is no secret {name!r}", hint=f"known: {known}")
        allowed = self._origins.get(name)
        origin = read_origin(url)
        if allowed is not None and not (origin and any(rule.matches(origin) for rule in allowed)):
            here = origin.shown if origin else "this page"
            raise ToolError(
                f"the secret {name} may not be typed at {here}",
                hint=f"it is for {', '.join(rule.said for rule in allowed)}",
            )
        return self._values[name]

    # Hiding.

    def hide(self, value: Any) -> Any:
        """Anything that is said, without secrets in any spelling we know."""
        return value if self._found is None else self._hidden(value)

    def _hidden(self, value: Any) -> Any:
        assert self._found is not None
        match value:
            case str():
                return self._found.sub(lambda match: f"[secret {self._names[match[0]]}]", value)
            case Mapping():
                return {self._hidden(key): self._hidden(part) for key, part in value.items()}
            case list() | tuple():
                return [self._hidden(part) for part in value]
            case int() if not isinstance(value, bool) and str(value) in self._names:
                return f"[secret {self._names[str(value)]}]"
        return value

    @contextlib.contextmanager
    def unsaid(self) -> Iterator[None]:
        """Errors from within say no secret either."""
        try:
            yield
        except PilothouseError as error:
            error.message, error.hint = self.hide(error.message), self.hide(error.hint)
            error.args = (error.message,)
            raise


def spellings(value: str) -> set[str]:
    """How a value may come back: as it is, in JSON, in HTML, in an address, in base64."""
    import html  # few have secrets

    inner = json.dumps(value)[1:-1]
    forms = {
        value,
        inner,
        json.dumps(value, ensure_ascii=False)[1:-1],
        html.escape(value),
        html.escape(value, quote=False),
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
        quote(value, safe="").lower() if "%" in quote(value, safe="") else value,
        repr(value)[1:-1],
    }
    raw = value.encode("utf-8", "surrogatepass")
    for before in range(3):
        # The same bytes look different at each of three places in a longer text.
        coded = base64.b64encode(b"\0" * before + raw).decode()
        start = (0, 2, 3)[before]
        end = len(coded.rstrip("=")) - (0 if (before + len(raw)) % 3 == 0 else 1)
        piece = coded[start:end]
        if len(piece) >= SHORTEST_PIECE:
            forms |= {piece, piece.replace("+", "-").replace("/", "_"), quote(piece, safe="")}
    forms |= {base64.b64encode(raw).decode(), raw.hex()}
    return {form for form in forms if form}
