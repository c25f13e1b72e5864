"""Verbs are declared once: their parameters are checked by name, their results become JSON."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from pilothouse.cdp import SessionId
from pilothouse.errors import ToolError
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.storage.state_file_format import OriginState, SavedState
from pilothouse.security.secrets import Secrets
from pilothouse.supervisor import Dialog, Interrupt, Outcome
from pilothouse.tabs import verbs
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import VERBS, invoke, plain

_DIALOG = Dialog(
    "d1", "prompt", "Name?", "you", SessionId("s"), "f", "http://a", "http://a/", "t1", 1.0
)
_PASSWORD = Interrupt(
    "i1", "auth", "t1", SessionId("s"), "f", "http://a", 1.0, "h", {"realm": "r"}, ("provide",)
)


class _Log:
    async def start(self) -> None:
        """A page that needs nothing."""


def _tab() -> OwnedTab:
    """As much of a tab as a verb that never reaches the page can ask for."""
    return cast(
        OwnedTab,
        SimpleNamespace(
            page=_Log(),
            used_at=0.0,
            tab_id="t1",
            supervisor=SimpleNamespace(actions=SimpleNamespace(parked_on=lambda tab: {})),
            secrets=Secrets(),
            describe_pending_navigation=lambda: "",
        ),
    )


async def _refusal(verb: str, **given: Any) -> ToolError:
    with pytest.raises(ToolError) as refused:
        await invoke(_tab(), verb, given)
    return refused.value


async def test_unknown_verb_is_refused_with_the_nearest_name() -> None:
    assert (await _refusal("clik")).hint == "did you mean click?"
    assert "list all verbs" in (await _refusal("xyzzy")).hint


async def test_unknown_parameter_is_refused_with_the_nearest_name() -> None:
    refused = await _refusal("click", target="e1", buton="left")
    assert refused.message == "click: unknown parameter 'buton'"
    assert refused.hint == "did you mean button?"
    assert "use only: keys, target" in (await _refusal("press", q="a")).hint


@pytest.mark.parametrize(
    ("verb", "given", "named"),
    [
        ("click", {}, "target"),
        ("click", {"target": "e1", "count": "many"}, "count"),
        ("click", {"target": "e1", "modifiers": "Shift"}, "modifiers"),
        ("fill", {"target": "e1"}, "value"),
        ("goto", {"url": None}, "url"),
        ("viewport", {"width": "wide", "height": 5}, "width"),
        ("set_cookies", {"cookies": {"a": 1}}, "cookies"),
        ("answer", {"interrupt_id": "i1", "action": "ok", "detail": 5}, "detail"),
    ],
)
async def test_parameter_that_is_missing_or_of_the_wrong_kind_is_named(
    verb: str, given: dict[str, Any], named: str
) -> None:
    refused = await _refusal(verb, **given)
    assert refused.message.startswith(f"{verb}: ")
    assert named in refused.message
    assert named in refused.hint


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"target": 5},
            "click: target: expected a string or an object or a list, got a whole number",
        ),
        ({"target": None}, "click: target: expected a string or an object or a list, got null"),
        ({"target": "e1", "nth": "x"}, "click: nth: expected a whole number or null, got a string"),
        ({}, "click: missing required field target"),
    ],
)
async def test_parameter_of_the_wrong_kind_is_told_in_words(
    given: dict[str, Any], said: str
) -> None:
    assert (await _refusal("click", **given)).message == said


def test_every_verb_has_a_sentence_a_deadline_it_may_take_and_known_parameters() -> None:
    assert set(verbs.__all__) == {
        "dialogs_console_and_network",
        "input",
        "navigation_waits_and_javascript",
        "snapshot_and_extraction",
        "storage_emulation_and_downloads",
    }
    assert len(VERBS) >= 65
    for name, verb in VERBS.items():
        assert verb.about.split("\n")[0].rstrip().endswith((".", ".)")), name
        assert not name.endswith("_")
        assert "tab" not in {p.name for p in verb.parameters}, name
        for parameter in verb.parameters:
            if parameter.name == "timeout":
                assert parameter.default is None or parameter.default == 30.0, name


def test_every_verb_is_done_by_name_on_a_real_page() -> None:
    done: set[str] = set()
    for file in (Path(__file__).parent / "verbs").glob("test_*.py"):
        done |= set(re.findall(r'room\.do\(\s*\w+,\s*"(\w+)"', file.read_text("utf-8")))
    assert set(VERBS) - done == set()


def test_texts_about_parameters_are_told_apart() -> None:
    told = {p.name: p.about for p in VERBS["wait_for"].parameters}
    assert told["selector"] == "CSS, text=…, button=… or a ref"
    assert told["state"] == "visible, hidden, attached or detached"
    assert told["text_gone"] == "text no longer visible in any frame"


async def test_lists_that_are_left_out_are_not_shared_between_calls() -> None:
    first = VERBS["click"].arguments_type(target="a")
    first.modifiers.append("Shift")
    assert VERBS["click"].arguments_type(target="b").modifiers == []


class _Struct(msgspec.Struct):
    name: str


@dataclasses.dataclass(frozen=True)
class _Inner:
    path: Path
    data: bytes


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ("text", "text"),
        (b"\x00\xff", "AP8="),
        ((1, (2,)), [1, [2]]),
        ({"b"}, ["b"]),
        (frozenset({"c"}), ["c"]),
        ({1: b"x"}, {"1": "eA=="}),
        (Path("/tmp/x"), "/tmp/x"),
        (_Struct("n"), {"name": "n"}),
        (_Inner(Path("/p"), b"x"), {"path": "/p", "data": "eA=="}),
        (Outcome(value=[b"x"]), ["eA=="]),
        (Outcome(value=None), None),
    ],
)
def test_results_of_every_kind_become_json(value: Any, shown: Any) -> None:
    assert plain(value) == shown
    json.dumps(plain(value))


def test_receipt_is_shown_with_its_text_and_whether_anything_changed() -> None:
    shown = plain(Outcome(Receipt("click", "button", new_tabs=("t2",))))
    assert shown["action"] == "click"
    assert shown["new_tabs"] == ["t2"]
    assert shown["changed"] is True
    assert isinstance(shown["text"], str)
    json.dumps(shown)


def test_saved_state_becomes_json() -> None:
    shown = plain(SavedState(origins=(OriginState("http://a", {"k": "v"}),)))
    assert shown["origins"] == [{"origin": "http://a", "local": {"k": "v"}, "session": None}]
    json.dumps(shown)


def test_blocked_work_says_what_blocks_it_and_how_to_ask_for_it_again() -> None:
    shown = plain(Outcome(blocked_by=(_DIALOG, _PASSWORD), action_id="a-1"))
    assert shown["action_id"] == "a-1"
    dialog, password = shown["blocked_by"]
    assert dialog == {
        "id": "d1",
        "origin": "http://a",
        "kind": "dialog",
        "type": "prompt",
        "message": "Name?",
        "default_prompt": "you",
    }
    assert password["kind"] == "auth"
    assert password["answers"] == ["provide"]
    assert password["realm"] == "r"
    json.dumps(shown)


async def test_result_of_an_action_of_another_tab_is_refused() -> None:
    async with asyncio.timeout(5):
        refused = await _refusal("result", action_id="a-1")
    assert refused.message == "there is no action a-1"
    assert refused.hint == "waiting actions: none"
