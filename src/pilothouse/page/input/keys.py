"""Keys by name, as `Input.dispatchKeyEvent` wants them. Pure.

Names are those of `KeyboardEvent.key` and `KeyboardEvent.code`. Chords are joined by `+`: `Enter`,
`a`, `Control+A`, `Shift+ArrowLeft`, `ControlOrMeta+C`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from pilothouse.errors import UsageError

__all__ = [
    "Key",
    "chord_events",
    "find_key",
    "key_down",
    "key_up",
    "modifier_bits",
    "parse_chord",
    "typing_events",
]

MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_ALIASES = {
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


class Key(msgspec.Struct, frozen=True):
    """One key as `Input.dispatchKeyEvent` describes it."""

    key: str
    code: str
    virtual: int
    text: str = ""
    location: int = 0
    shifted: bool = False


_NAMED_KEYS: dict[str, tuple[str, int, str]] = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
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
# Punctuation of a US keyboard: plain, shifted, code, Windows virtual key code.
_PUNCTUATION = (
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
_KEYPAD_PUNCTUATION = (
    ("*", "Multiply", 106),
    ("+", "Add", 107),
    ("-", "Subtract", 109),
    (".", "Decimal", 110),
    ("/", "Divide", 111),
)
LEFT, RIGHT, KEYPAD = 1, 2, 3


def _build_keys() -> dict[str, Key]:
    keys = {}
    for mark, shifted, code, virtual in _PUNCTUATION:
        keys[mark] = Key(mark, code, virtual, mark)
        keys[shifted] = Key(shifted, code, virtual, shifted, shifted=True)
    for digit, shifted in enumerate(_SHIFTED_DIGITS):
        for text in (str(digit), shifted):
            code = f"Digit{digit}"
            keys[text] = Key(text, code, 48 + digit, text, shifted=text == shifted)
    for letter in "abcdefghijklmnopqrstuvwxyz":
        for text in (letter, letter.upper()):
            code, virtual = f"Key{letter.upper()}", ord(letter.upper())
            keys[text] = Key(text, code, virtual, text, shifted=text != letter)
    for name, (code, virtual, text) in _NAMED_KEYS.items():
        location = LEFT if name in MODIFIERS else 0
        keys[name] = Key(name, code, virtual, text, location)
    return keys


def _build_keys_by_code(keys: dict[str, Key]) -> dict[str, Key]:
    """Index keys by `KeyboardEvent.code`, including those whose names are taken (right Shift,
    keypad)."""
    found = {key.code: key for key in keys.values() if not key.shifted}
    for name in MODIFIERS:
        left = keys[name]
        found[f"{name}Right"] = Key(name, f"{name}Right", left.virtual, location=RIGHT)
    for digit in range(10):
        text, code = str(digit), f"Numpad{digit}"
        found[code] = Key(text, code, 96 + digit, text, KEYPAD)
    for text, word, virtual in _KEYPAD_PUNCTUATION:
        code = f"Numpad{word}"
        found[code] = Key(text, code, virtual, text, KEYPAD)
    found["NumpadEnter"] = Key("Enter", "NumpadEnter", 13, "\r", KEYPAD)
    return found


_KEYS = _build_keys()
_BY_CODE = _build_keys_by_code(_KEYS)
_SHIFTED = {
    _BY_CODE[key.code].key: key for key in _KEYS.values() if key.shifted and key.code in _BY_CODE
}
_CASEFOLDED = {name.casefold(): name for name in _NAMED_KEYS}


def find_key(name: str) -> Key | None:
    """Return the key of this name, character or code; None if no key types it."""
    found = _KEYS.get(name)
    if found is None:
        known = _ALIASES.get(name.casefold()) or _CASEFOLDED.get(name.casefold())
        found = _KEYS.get(known) if known else _BY_CODE.get(name)
    return found


def parse_chord(text: str) -> tuple[list[str], Key]:
    """Split `Control+Shift+K` into modifiers and key. Raises ToolError for an unknown key."""
    if not text:
        raise UsageError("key: empty", hint="give a key such as Enter, Escape, a or Control+A")
    head, plus, last = text.rpartition("+")
    if plus and not last:
        # The plus key itself: `+` or `Control++`.
        head, last = head.removesuffix("+"), "+"
    modifiers = list(dict.fromkeys(_parse_modifier(part) for part in head.split("+") if part))
    if len(last) == 1 and last.isalpha() and modifiers and "Shift" not in modifiers:
        last = last.lower()
    key = find_key(last)
    if key is None and len(last) == 1 and last.isprintable():
        key = Key(last, "", 0, last)
    if key is not None and "Shift" in modifiers:
        key = _SHIFTED.get(key.key, key) if key.location != KEYPAD else key
    if key is not None and key.shifted and "Shift" not in modifiers:
        # The character needs Shift on a US keyboard.
        modifiers.append("Shift")
    if key is None:
        raise UsageError(
            f"key: unknown key {last!r}",
            hint="use a name of KeyboardEvent.key, such as Enter, Escape, ArrowDown, F5 or a",
        )
    return modifiers, key


def _parse_modifier(name: str) -> str:
    known = _ALIASES.get(name.casefold(), name)
    if known not in MODIFIERS:
        raise UsageError(
            f"modifiers: unknown value {name!r}",
            hint=f"use {', '.join(MODIFIERS)} or ControlOrMeta",
        )
    return known


def modifier_bits(names: Sequence[str]) -> int:
    """Return the modifiers as CDP's bit field. Raises ToolError for an unknown one."""
    if isinstance(names, str):
        names = [part for part in names.split("+") if part]
    return sum(MODIFIERS[name] for name in {_parse_modifier(name) for name in names})


# Editing commands must be sent along with keys on a Mac; on other systems Chrome derives them.
_MAC_COMMANDS = {
    "Meta+a": "selectAll",
    "Meta+c": "copy",
    "Meta+v": "paste",
    "Meta+x": "cut",
    "Meta+z": "undo",
    "Shift+Meta+z": "redo",
    "Meta+ArrowLeft": "moveToLeftEndOfLine",
    "Meta+ArrowRight": "moveToRightEndOfLine",
    "Meta+ArrowUp": "moveToBeginningOfDocument",
    "Meta+ArrowDown": "moveToEndOfDocument",
    "Shift+Meta+ArrowLeft": "moveToLeftEndOfLineAndModifySelection",
    "Shift+Meta+ArrowRight": "moveToRightEndOfLineAndModifySelection",
    "Shift+Meta+ArrowUp": "moveToBeginningOfDocumentAndModifySelection",
    "Shift+Meta+ArrowDown": "moveToEndOfDocumentAndModifySelection",
    "Alt+ArrowLeft": "moveWordLeft",
    "Alt+ArrowRight": "moveWordRight",
    "Shift+Alt+ArrowLeft": "moveWordLeftAndModifySelection",
    "Shift+Alt+ArrowRight": "moveWordRightAndModifySelection",
    "Alt+Backspace": "deleteWordBackward",
    "Alt+Delete": "deleteWordForward",
    "Meta+Backspace": "deleteToBeginningOfLine",
}


def _mac_command(key: Key, bits: int) -> str:
    held = [name for name in ("Shift", "Control", "Alt", "Meta") if bits & MODIFIERS[name]]
    return _MAC_COMMANDS.get(
        "+".join((*held, key.key.lower() if len(key.key) == 1 else key.key)), ""
    )


def key_down(
    key: Key, bits: int, *, repeat: bool = False, mac: bool = sys.platform == "darwin"
) -> dict[str, Any]:
    """Return the event of a key going down while the modifiers `bits` are held."""
    # With Control, Alt or Meta a key triggers a shortcut and types no text.
    text = key.text if not bits & ~MODIFIERS["Shift"] else ""
    event = {"type": "keyDown" if text else "rawKeyDown", **_shared_fields(key, bits)}
    if text:
        event |= {"text": text, "unmodifiedText": text}
    if repeat:
        event["autoRepeat"] = True
    if mac and (command := _mac_command(key, bits)):
        event["commands"] = [command]
    return event


def key_up(key: Key, bits: int) -> dict[str, Any]:
    """Return the event of a key going up; `bits` are the modifiers held then."""
    return {"type": "keyUp", **_shared_fields(key, bits)}


def _shared_fields(key: Key, bits: int) -> dict[str, Any]:
    common: dict[str, Any] = {"modifiers": bits, "key": key.key, "code": key.code}
    common["windowsVirtualKeyCode"] = key.virtual
    if key.location:
        common["location"] = key.location
    if key.location == KEYPAD:
        common["isKeypad"] = True
    return common


def chord_events(modifiers: Sequence[str], key: Key, held: int = 0) -> list[dict[str, Any]]:
    """Return all events of a chord: modifiers down, key down and up, modifiers up.

    Modifiers in `held` are down already and stay down.
    """
    events, bits, pressed = [], held, []
    for name in modifiers:
        if bits & MODIFIERS[name]:
            continue
        bits |= MODIFIERS[name]
        pressed.append(_KEYS[name])
        events.append(key_down(_KEYS[name], bits))
    if key.key in MODIFIERS:
        bit = MODIFIERS[key.key]
        events += [key_down(key, bits | bit), key_up(key, bits & ~bit)]
    else:
        events += [key_down(key, bits), key_up(key, bits)]
    for modifier in reversed(pressed):
        bits &= ~MODIFIERS[modifier.key]
        events.append(key_up(modifier, bits))
    return events


def typing_events(text: str) -> Iterator[list[dict[str, Any]] | str]:
    """Yield the events of each key that types the text; characters without a key come as text.

    Raises ToolError for control characters, before anything is yielded.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for at, mark in enumerate(text):
        if ord(mark) < 32 and mark not in "\n\t":
            raise UsageError(
                f"text: control character {mark!r} at position {at}",
                hint="use press for keys such as Escape or Backspace",
            )
    return _stroke_events(text)


def _stroke_events(text: str) -> Iterator[list[dict[str, Any]] | str]:
    inserted = ""
    for mark in text:
        key = _KEYS.get({"\n": "Enter", "\t": "Tab"}.get(mark, mark))
        if key is None:
            inserted += mark
            continue
        if inserted:
            yield inserted
            inserted = ""
        yield chord_events(["Shift"] if key.shifted else [], key)
    if inserted:
        yield inserted
