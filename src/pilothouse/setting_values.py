"""The values of settings: converted from YAML, the environment and the command line, and back.

Knows: types, and the rules for dialogs. Must not know: which settings there are (settings.py).
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

import msgspec

from pilothouse.errors import PilothouseError

__all__ = [
    "DIALOG_POLICIES",
    "DialogRule",
    "convert_value",
    "describe_invalid",
    "parse_dialog_rules",
    "to_yaml",
    "unknown_setting_error",
]

DIALOG_POLICIES = ("must_respond", "auto_dismiss", "auto_accept")
DIALOG_TYPES = ("alert", "confirm", "prompt", "beforeunload")
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class DialogRule(msgspec.Struct, frozen=True):
    """An exception to `dialog_policy`: for dialogs of one type, of one origin, or both."""

    policy: Annotated[str, "How these dialogs are answered: one of the values of `dialog_policy`."]
    type: Annotated[str, "Type of dialog; empty: every type."] = ""
    origin: Annotated[str, "Scheme, host and port of the page; empty: every origin."] = ""


def unknown_setting_error(where: str, name: str, known: list[str]) -> PilothouseError:
    """Return the error for a setting that does not exist, with the one that was probably meant."""
    import difflib  # late: only mistakes need it

    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    return PilothouseError(f"{where}: there is no setting {name}", hint=hint)


def parse_dialog_rules(value: Any, where: str) -> tuple[DialogRule, ...]:
    """Parse dialog rules. A string is parsed as JSON: the command line passes it so."""
    field = f"{where}: browser.dialog_rules"
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value or "[]")
        except msgspec.DecodeError:
            value = None
    if not isinstance(value, list):
        raise PilothouseError(
            f"{field}: expected a list of rules",
            hint="write - {type: beforeunload, policy: auto_accept}",
        )
    return tuple(_parse_dialog_rule(rule, f"{field}[{index}]") for index, rule in enumerate(value))


def _parse_dialog_rule(rule: Any, field: str) -> DialogRule:
    if not isinstance(rule, dict) or not rule:
        raise PilothouseError(
            f"{field}: {describe_invalid(rule)}", hint="use the fields type, origin and policy"
        )
    for name, value in rule.items():
        if name not in DialogRule.__struct_fields__:
            raise unknown_setting_error(field, str(name), list(DialogRule.__struct_fields__))
        choices = {"type": DIALOG_TYPES, "policy": DIALOG_POLICIES}.get(name)
        if choices and value not in choices:
            raise PilothouseError(
                f"{field}.{name}: unknown value {value!r}",
                hint=f"use one of {', '.join(choices)}",
            )
    origin = str(rule.get("origin", "")).lower().rstrip("/")
    if "origin" in rule and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/?#@\s]+", origin):
        raise PilothouseError(
            f"{field}.origin: {rule['origin']!r} is not an origin",
            hint="use scheme, host and port, for example https://shop.example",
        )
    if "policy" not in rule or not (origin or "type" in rule):
        missing = "type or origin" if "policy" in rule else "policy"
        raise PilothouseError(
            f"{field}: {missing} is missing", hint="write {type: beforeunload, policy: auto_accept}"
        )
    return DialogRule(rule["policy"], rule.get("type", ""), origin)


def describe_invalid(value: Any) -> str:
    """Say what is wrong with a value of the wrong type."""
    return "the value is missing" if value is None else f"invalid value '{value}'"


def convert_value(value: Any, wanted: Any) -> Any:
    """Convert a value from YAML or from the environment; None if it is not of the wanted type."""
    text = str(value).strip().lower()
    if wanted is bool:
        if isinstance(value, bool):
            return value
        return True if text in _TRUE else False if text in _FALSE else None
    if wanted in (int, float):
        if isinstance(value, bool):
            return None
        try:
            number = float(value)
        except (TypeError, ValueError):
            return None
        if not math.isfinite(number) or (wanted is int and number != int(number)):
            return None
        return wanted(number)
    if wanted is str:
        if value is None:
            return ""
        plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        return str(value) if plain else None
    if isinstance(value, str):
        return tuple(value.split())
    return tuple(str(part) for part in value) if isinstance(value, list) else None


def to_yaml(made: Any) -> Any:
    """Return the value as a person would write it in YAML."""
    if isinstance(made, float) and made.is_integer():
        return int(made)
    if isinstance(made, tuple):
        return [_rule_to_yaml(one) if isinstance(one, DialogRule) else one for one in made]
    return made


def _rule_to_yaml(rule: DialogRule) -> dict[str, str]:
    fields = ("type", "origin", "policy")
    return {name: value for name in fields if (value := getattr(rule, name))}
