"""Words of a command line become options."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.cli.parser import CommandLineError, parse

ALT_META = {"target": "a", "modifiers": ["Alt", "Meta"]}


def options(*words: str) -> dict[str, Any]:
    return parse(words)[1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["click", "e12"], {"target": "e12"}),
        (["--tab", "shop", "click", "e12"], {"target": "e12", "tab": "shop"}),
        (["--json", "tabs"], {"json": True}),
        (["fill", "#q", "a b", "--submit"], {"target": "#q", "value": "a b", "submit": True}),
        (["press", "Enter", "--tab", "a", "e3"], {"keys": "Enter", "target": "e3", "tab": "a"}),
        (["select", "a", "--nth", "0", "r", "b"], {"target": "a", "values": ["r", "b"], "nth": 0}),
        (["type", "e3", "-5"], {"target": "e3", "text": "-5"}),
        (["type", "e3", "--", "--submit"], {"target": "e3", "text": "--submit"}),
        (["eval", "-"], {"code": "-"}),
        (["scroll", "--dy", "-300"], {"dy": -300.0}),
        (["drag", "e1", "--by=10,-5"], {"source": "e1", "by": [10.0, -5.0]}),
        (["hover", "a", "--modifiers=Alt", "--modifiers", "Meta"], ALT_META),
        (["cdp", "A.b", '{"c": 1}'], {"method": "A.b", "params": {"c": 1}}),
        (["run", "-c", "1"], {"code": "1"}),
        (["images", "--no-hidden"], {"hidden": False}),
        (["emulate", "--offline"], {"offline": True}),
        (["daemon", "logs", "-n", "3"], {"action": "logs", "lines": 3}),
        (["save-state"], {"file": "state.json"}),
        (["click", "--help"], {"help": True}),
    ],
)  # fmt: skip
def test_words_become_options(words: list[str], expected: dict[str, Any]) -> None:
    assert options(*words) == expected


@pytest.mark.parametrize(
    ("words", "says", "hint"),
    [
        ([], "missing command", "pilothouse --help"),
        (["snapshto"], "unknown command 'snapshto'", "did you mean snapshot?"),
        (["click"], "click: TARGET is missing", "pilothouse click TARGET"),
        (["click", "a", "b"], "click: 'b' is one word too many", "pilothouse click TARGET"),
        (["click", "a", "--buton"], "click: unknown option --buton", "did you mean --button?"),
        (["click", "a", "--button"], "--button: missing value", "write --button BUTTON"),
        (["click", "a", "--nth", "x"], "--nth: invalid value 'x'", "give a whole number"),
        (["scroll", "--dy", "x"], "--dy: invalid value 'x'", "give a number"),
        (["drag", "a", "--by", "1;2"], "--by: invalid value '1;2'", "give numbers such as 10,20"),
        (["cdp", "A.b", "{"], "PARAMS: invalid value '{'", "give JSON"),
        (["snapshot", "--diff=1"], "--diff: this option takes no value", "remove =1"),
        (["daemon", "burn"], "ACTION: unknown value 'burn'", "use one of start, stop, status, logs"),  # noqa: E501
        (["doctor", "--tab", "x"], "doctor: unknown option --tab", "pilothouse doctor --help"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said(words: list[str], says: str, hint: str) -> None:
    with pytest.raises(CommandLineError) as caught:
        parse(words)
    assert (caught.value.message, caught.value.hint) == (says, hint)
