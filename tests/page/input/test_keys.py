"""Keys by name, as Chrome wants them."""

from __future__ import annotations

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.input.keys import (
    chord_events,
    find_key,
    key_down,
    modifier_bits,
    parse_chord,
    typing_events,
)


@pytest.mark.parametrize(
    ("text", "modifiers", "key", "code"),
    [
        ("a", [], "a", "KeyA"),
        ("A", ["Shift"], "A", "KeyA"),
        ("Shift+a", ["Shift"], "A", "KeyA"),
        ("Shift+1", ["Shift"], "!", "Digit1"),
        ("?", ["Shift"], "?", "Slash"),
        ("Control+A", ["Control"], "a", "KeyA"),
        ("ctrl+shift+k", ["Control", "Shift"], "K", "KeyK"),
        ("Control+Control+a", ["Control"], "a", "KeyA"),
        ("+", ["Shift"], "+", "Equal"),
        ("Control++", ["Control", "Shift"], "+", "Equal"),
        ("Control+plus", ["Control", "Shift"], "+", "Equal"),
        ("esc", [], "Escape", "Escape"),
        ("space", [], " ", "Space"),
        ("Shift+Tab", ["Shift"], "Tab", "Tab"),
        ("Digit1", [], "1", "Digit1"),
        ("Minus", [], "-", "Minus"),
        ("Shift+Minus", ["Shift"], "_", "Minus"),
        ("Numpad5", [], "5", "Numpad5"),
        ("Shift+Numpad5", ["Shift"], "5", "Numpad5"),
        ("NumpadEnter", [], "Enter", "NumpadEnter"),
        ("AltRight", [], "Alt", "AltRight"),
        ("F12", [], "F12", "F12"),
        ("é", [], "é", ""),
    ],
)
def test_chords_are_read_as_people_write_them(
    text: str, modifiers: list[str], key: str, code: str
) -> None:
    found, one = parse_chord(text)
    assert (found, one.key, one.code) == (modifiers, key, code)


@pytest.mark.parametrize("wrong", ["", "Nothing", "Control+Nothing", "Hyper+a", "Control+", "\x07"])
def test_what_is_no_key_is_refused(wrong: str) -> None:
    if wrong == "Control+":
        # That is the plus key with Control.
        assert parse_chord(wrong)[1].key == "+"
        return
    with pytest.raises(ToolError):
        parse_chord(wrong)


def test_events_of_a_chord_nest_and_carry_the_modifiers_held() -> None:
    events = chord_events(*parse_chord("Control+Shift+k"))
    assert [(e["type"], e["key"], e["modifiers"]) for e in events] == [
        ("rawKeyDown", "Control", 2),
        ("rawKeyDown", "Shift", 10),
        ("rawKeyDown", "K", 10),
        ("keyUp", "K", 10),
        ("keyUp", "Shift", 2),
        ("keyUp", "Control", 0),
    ]


def test_modifiers_that_are_held_already_stay_down() -> None:
    events = chord_events(*parse_chord("Shift+a"), held=8)
    assert [(e["type"], e["key"], e["modifiers"]) for e in events] == [
        ("keyDown", "A", 8),
        ("keyUp", "A", 8),
    ]


def test_a_modifier_alone_is_down_only_while_it_is_pressed() -> None:
    events = chord_events(*parse_chord("Control"))
    assert [(e["type"], e["modifiers"], e["location"]) for e in events] == [
        ("rawKeyDown", 2, 1),
        ("keyUp", 0, 1),
    ]


def test_text_comes_with_a_key_unless_it_is_a_command() -> None:
    letter, enter = find_key("a"), find_key("Enter")
    assert letter is not None
    assert enter is not None
    assert key_down(letter, 0)["text"] == "a"
    assert key_down(enter, 8)["text"] == "\r"
    assert "text" not in key_down(letter, 2)
    assert "text" not in key_down(parse_chord("Tab")[1], 0)
    assert key_down(letter, 0, repeat=True)["autoRepeat"] is True
    keypad = key_down(parse_chord("Numpad1")[1], 0)
    assert (keypad["isKeypad"], keypad["location"], keypad["windowsVirtualKeyCode"]) == (
        True,
        3,
        97,
    )


def test_editing_commands_go_along_on_a_mac_alone() -> None:
    letter = find_key("a")
    assert letter is not None
    assert key_down(letter, 4, mac=True)["commands"] == ["selectAll"]
    assert "commands" not in key_down(letter, 4, mac=False)
    assert "commands" not in key_down(letter, 0, mac=True)
    redo = key_down(parse_chord("Shift+z")[1], 12, mac=True)
    assert redo["commands"] == ["redo"]


def test_a_text_becomes_keys_and_what_no_key_types() -> None:
    strokes = list(typing_events("aB\r\nü🙂c"))
    said = [s if isinstance(s, str) else "+".join(e["key"] for e in s) for s in strokes]
    assert said == ["a+a", "Shift+B+B+Shift", "Enter+Enter", "ü🙂", "c+c"]


def test_control_characters_are_refused_before_anything_is_typed() -> None:
    with pytest.raises(ToolError, match=r"control character '\\x1b' at position 1"):
        typing_events("a\x1b")


def test_modifiers_are_counted_as_chrome_does() -> None:
    assert modifier_bits(["Control", "shift", "ctrl"]) == 10
    assert modifier_bits("Alt+Meta") == 5
    with pytest.raises(ToolError, match="unknown value"):
        modifier_bits(["Hyper"])
