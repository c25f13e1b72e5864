"""What a client asks for, read from the query of its URL.

Knows: the fields and what each may be. Must not know: what comes of them. A value that is wrong is
refused with the field's name and what is allowed; it is not repeated, as it may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pilothouse.relay.interfaces import (
    OWN_GRANT,
    AttachMode,
    ClientSpec,
    DialogResponder,
    HttpRefusal,
)
from pilothouse.security.relay_tokens import Grant

__all__ = ["BROWSERS", "one_line", "parse_client_spec"]

BROWSERS = ("extension", "managed")
LONGEST_LABEL = 80
LONGEST_NAME = 200
MOST_TABS = 1000

# The seed's clients say it in one of three ways; the first that is there counts.
_LABELS = ("label", "clientLabel", "client")
_CHOICES: dict[str, tuple[str, ...]] = {
    "browser": BROWSERS,
    "attach": get_args(AttachMode),
    "dialogs": get_args(DialogResponder),
}
_NAMES = ("owner", "profile")
_NOTHING: Mapping[str, str] = {}


def one_line(text: str, longest: int = LONGEST_LABEL) -> str:
    """A text from outside as one line of printable characters, cut to its length."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:longest].strip()


def parse_client_spec(
    client_id: str,
    fields: Iterable[tuple[str, str]],
    defaults: Mapping[str, str] = _NOTHING,
    grant: Grant = OWN_GRANT,
) -> ClientSpec | HttpRefusal:
    """Who comes and what for: what is not said is as `defaults`. Fields that mean nothing here are
    somebody else's, and let be. A token for one owner makes a client that owner."""
    said: dict[str, str] = {}
    tabs: list[str] = []
    for name, value in fields:
        if name == "tab":
            tabs.append(value)
        elif name == "tabs":
            tabs += value.split(",")
        elif name not in said:
            said[name] = value
        elif name in _CHOICES or name in _NAMES:
            return HttpRefusal(400, f"{name}: it is given twice")
    wanted: dict[str, Any] = dict(defaults)
    for name, allowed in _CHOICES.items():
        if said.get(name):
            if said[name] not in allowed:
                return HttpRefusal(400, f"{name}: one of {', '.join(allowed)} is wanted")
            wanted[name] = said[name]
    for name in _NAMES:
        if said.get(name):
            if not _is_name(said[name]):
                return HttpRefusal(400, f"{name}: {_NAME_IS} is wanted")
            wanted[name] = said[name]
    if grant.owner:
        if wanted.get("owner", grant.owner) != grant.owner:
            return HttpRefusal(
                403, "owner: this token is for another one", hint="leave it out, or use its token"
            )
        wanted["owner"] = grant.owner
    given = tuple(dict.fromkeys(tab for tab in tabs if tab))
    if len(given) > MOST_TABS or not all(map(_is_name, given)):
        return HttpRefusal(400, f"tab: {_NAME_IS} is wanted, and at most {MOST_TABS} of them")
    label = next((one_line(said[name]) for name in _LABELS if said.get(name)), "")
    return ClientSpec(id=client_id, label=label, tabs=given, grant=grant, **wanted)


_NAME_IS = f"a name of at most {LONGEST_NAME} printable characters"


def _is_name(text: str) -> bool:
    return text.isprintable() and len(text) <= LONGEST_NAME
