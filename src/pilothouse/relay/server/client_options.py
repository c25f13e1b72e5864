"""Read a client's options from the query of its URL.

Knows: the fields and their values. Must not know: what they do. A refusal names the field and the
allowed values. It does not repeat the wrong value, which may be anything.
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
MAX_LABEL_LENGTH = 80
MAX_NAME_LENGTH = 200
MAX_TABS = 1000

# Clients use one of three names for the label; the first present counts.
_LABELS = ("label", "clientLabel", "client")
_CHOICES: dict[str, tuple[str, ...]] = {
    "browser": BROWSERS,
    "attach": get_args(AttachMode),
    "dialogs": get_args(DialogResponder),
}
_NAMES = ("owner", "profile")
_NOTHING: Mapping[str, str] = {}


def one_line(text: str, max_length: int = MAX_LABEL_LENGTH) -> str:
    """Return text from outside as one line of printable characters, cut to a length."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[
        :max_length
    ].strip()


def parse_client_spec(
    client_id: str,
    fields: Iterable[tuple[str, str]],
    defaults: Mapping[str, str] = _NOTHING,
    grant: Grant = OWN_GRANT,
) -> ClientSpec | HttpRefusal:
    """Read the options of a client; `defaults` fills in what is missing.

    Unknown fields are ignored: they may be for others. A token for one owner makes the client that
    owner.
    """
    values: dict[str, str] = {}
    tabs: list[str] = []
    for name, value in fields:
        if name == "tab":
            tabs.append(value)
        elif name == "tabs":
            tabs += value.split(",")
        elif name not in values:
            values[name] = value
        elif name in _CHOICES or name in _NAMES:
            return HttpRefusal(400, f"{name}: given twice; expected once")
    wanted: dict[str, Any] = dict(defaults)
    for name, allowed in _CHOICES.items():
        if values.get(name):
            if values[name] not in allowed:
                return HttpRefusal(
                    400, f"{name}: unknown value; expected one of {', '.join(allowed)}"
                )
            wanted[name] = values[name]
    for name in _NAMES:
        if values.get(name):
            if not _is_name(values[name]):
                return HttpRefusal(400, f"{name}: invalid value; expected {_NAME_FORM}")
            wanted[name] = values[name]
    if grant.owner:
        if wanted.get("owner", grant.owner) != grant.owner:
            return HttpRefusal(
                403,
                "owner: this token is for another owner",
                hint="leave owner out, or use a token of that owner",
            )
        wanted["owner"] = grant.owner
    given = tuple(dict.fromkeys(tab for tab in tabs if tab))
    if len(given) > MAX_TABS or not all(map(_is_name, given)):
        return HttpRefusal(
            400, f"tab: invalid value; expected {_NAME_FORM}, at most {MAX_TABS} of them"
        )
    label = next((one_line(values[name]) for name in _LABELS if values.get(name)), "")
    return ClientSpec(id=client_id, label=label, tabs=given, grant=grant, **wanted)


_NAME_FORM = f"a name of at most {MAX_NAME_LENGTH} printable characters"


def _is_name(text: str) -> bool:
    return text.isprintable() and len(text) <= MAX_NAME_LENGTH
