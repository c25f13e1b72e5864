"""Keys by name, as Chrome wants them. Pure.

Names are those of `KeyboardEvent.key` and `KeyboardEvent.code`; chords are joined by `+`:
`Enter`, `a`, `Control+A`, `Shift+ArrowLeft`, `ControlOrMeta+C`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from pilothouse.errors import ToolError

__all__ = ["Key", "chord", "key_for", "modifier_bits"]

MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_SAME = {
    "ctrl": "Control",
    "control": "Control",
    "alt": "Alt",
    "option": "Alt",
    "shift": "Shift",
    "meta": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "win": "Meta",
    "controlormeta": "Meta" if sys.platform == "darwin" else "Control",
    "mod": "Meta" if sys.platform == "darwin" else "Control",
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "ins": "Insert",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "space": " ",
    "spacebar": " ",
    "pgup": "PageUp",
    "pgdn": "PageDown",
    "plus": "+",
}


@dataclass(frozen=True, slots=True)
class Key:
    """One key as `Input.dispatchKeyEvent` names it."""

    key: str
    code: str
    virtual: int
    text: str = ""
    location: int = 0


_NAMED: dict[str, tuple[str, int, str]] = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, "\t"),
    "Backspace": ("Backspace", 8, ""),
    "Escape": ("Escape", 27, ""),
    "Delete": ("Delete", 46, ""),
    "Insert": ("Insert", 45, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    "PageUp": ("PageUp", 33, ""),
    "PageDown": ("PageDown", 34, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "CapsLock": ("CapsLock", 20, ""),
    "ContextMenu": ("ContextMenu", 93, ""),
    "PrintScreen": ("PrintScreen", 44, ""),
    "Pause": ("Pause", 19, ""),
    "ScrollLock": ("ScrollLock", 145, ""),
    "NumLock": ("NumLock", 144, ""),
    "Control": ("ControlLeft", 17, ""),
    "Shift": ("ShiftLeft", 16, ""),
    "Alt": ("AltLeft", 18, ""),
    "Meta": ("MetaLeft", 91, ""),
    " ": ("Space", 32, " "),
    **{f"F{n}": (f"F{n}", 111 + n, "") for n in range(1, 25)},
}
# Marks of an American keyboard: plain, shifted, code, virtual key.
_MARKS = (
    ("`", "~", "Backquote", 192),
    ("-", "_", "Minus", 189),
    ("=", "+", "Equal", 187),
    ("[", "{", "BracketLeft", 219),
    ("]", "}", "BracketRight", 221),
    ("\\", "|", "Backslash", 220),
    (";", ":", "Semicolon", 186),
    ("'", '"', "Quote", 222),
    (",", "<", "Comma", 188),
    (".", ">", "Period", 190),
    ("/", "?", "Slash", 191),
)
_SHIFTED_DIGITS = ")!@#$%^&*("


def _typed() -> dict[str, Key]:
    keys = {}
    for mark, shifted, code, virtual in _MARKS:
        keys[mark] = Key(mark, code, virtual, mark)
        keys[shifted] = Key(shifted, code, virtual, shifted)
    for digit, shifted in enumerate(_SHIFTED_DIGITS):
        for text in (str(digit), shifted):
            keys[text] = Key(text, f"Digit{digit}", 48 + digit, text)
    for letter in "abcdefghijklmnopqrstuvwxyz":
        for text in (letter, letter.upper()):
            keys[text] = Key(text, f"Key{letter.upper()}", ord(letter.upper()), text)
    for name, (code, virtual, text) in _NAMED.items():
        location = 1 if name in MODIFIERS else 0
        keys[name] = Key(name, code, virtual, text, location)
    return keys


_KEYS = _typed()
_BY_CODE = {key.code: key for key in _KEYS.values() if not key.key.isupper()}
_FOLDED = {name.casefold(): name for name in _NAMED}


def key_for(name: str) -> Key | None:
    """The key of this name, mark or code; None for what no key types (then it is inserted)."""
    found = _KEYS.get(name)
    if found is None:
        known = _SAME.get(name.casefold()) or _FOLDED.get(name.casefold())
        found = _KEYS.get(known) if known else _BY_CODE.get(name)
    return found


def chord(text: str) -> tuple[list[str], Key]:
    """`Control+Shift+K` as its modifiers and the key. Raises ToolError for an unknown key."""
    if not text:
        raise ToolError("key: it is empty", hint="Enter, Escape, a, Control+A")
    head, plus, last = text.rpartition("+")
    if plus and not last:
        # The plus key itself: `+` or `Control++`.
        head, last = head.removesuffix("+"), "+"
    modifiers = [_modifier(part) for part in head.split("+") if part]
    if len(last) == 1 and last.isalpha() and modifiers and "Shift" not in modifiers:
        last = last.lower()
    key = key_for(last)
    if key is None and len(last) == 1:
        key = Key(last, "", 0, last)
    if key is None:
        raise ToolError(
            f"key: there is no key {last!r}",
            hint="names are those of KeyboardEvent.key: Enter, Escape, ArrowDown, F5, a",
        )
    return modifiers, key


def _modifier(name: str) -> str:
    known = _SAME.get(name.casefold(), name)
    if known not in MODIFIERS:
        raise ToolError(
            f"modifiers: {name!r} is none", hint=f"{', '.join(MODIFIERS)} or ControlOrMeta"
        )
    return known


def modifier_bits(names: Sequence[str]) -> int:
    """The modifiers as Chrome counts them. Raises ToolError for an unknown one."""
    if isinstance(names, str):
        names = [part for part in names.split("+") if part]
    return sum(MODIFIERS[name] for name in {_modifier(name) for name in names})
