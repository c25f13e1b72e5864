"""What opens in a page is the doing of who acts there, else of whose script runs there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from pilothouse.relay.hub.dialog_attribution import (
    ACTION_WINDOW_S,
    MAX_COMMANDS,
    SCRIPT_WINDOW_S,
    DialogAttribution,
)


@dataclass(eq=False)
class Somebody:
    """As much of a client as matters."""

    is_gone: bool = False


@dataclass(eq=False)
class On:
    """As much of a session as matters."""

    client: Somebody
    target: str = "PAGE"
    parent: On | None = None
    forwards: bool = True


class Scene:
    """Commands, which of them are unanswered, and a clock."""

    def __init__(self) -> None:
        self.causes = DialogAttribution()
        self.unanswered: set[tuple[Somebody, int]] = set()
        self.now = 100.0

    def record_command(
        self, session: On, number: int, *, is_action: bool = False, waits: bool = True
    ) -> None:
        self.causes.record_command(cast(Any, session), number, self.now, is_action=is_action)
        if waits:
            self.unanswered.add((session.client, number))

    def cause(self, target: str = "PAGE") -> Any:
        waits: Any = lambda client, number: (client, number) in self.unanswered  # noqa: E731
        return self.causes.find_client(target, waits, self.now)


def test_who_clicks_comes_before_who_runs_scripts_later() -> None:
    scene, clicks, reads = Scene(), Somebody(), Somebody()
    scene.record_command(On(clicks), 1, is_action=True)
    scene.record_command(On(reads), 1)
    assert scene.cause() is clicks
    assert scene.cause("OTHER") is None


def test_script_counts_while_it_runs_and_only_for_a_while() -> None:
    scene, runs = Scene(), Somebody()
    scene.record_command(On(runs), 1, waits=False)
    assert scene.cause() is None
    scene.record_command(On(runs), 2)
    assert scene.cause() is runs
    scene.now += SCRIPT_WINDOW_S + 1
    assert scene.cause() is None


def test_click_counts_for_a_moment_after_its_answer_and_as_long_as_it_has_none() -> None:
    scene, clicks = Scene(), Somebody()
    scene.record_command(On(clicks), 1, is_action=True, waits=False)
    assert scene.cause() is clicks
    scene.now += ACTION_WINDOW_S + 1
    assert scene.cause() is None
    scene.record_command(On(clicks), 2, is_action=True)
    scene.now += 3600
    assert scene.cause() is clicks


def test_script_in_a_frame_of_a_page_is_one_in_the_page() -> None:
    scene, runs = Scene(), Somebody()
    browser = On(runs, "BROWSER", forwards=False)
    page = On(runs, "PAGE", browser)
    scene.record_command(On(runs, "FRAME", page), 1)
    assert scene.cause() is runs


def test_who_is_gone_has_done_nothing() -> None:
    scene, gone = Scene(), Somebody(is_gone=True)
    scene.record_command(On(gone), 1, is_action=True)
    assert scene.cause() is None


def test_only_so_much_is_kept() -> None:
    scene, first, other = Scene(), Somebody(), Somebody()
    scene.record_command(On(first), 1, is_action=True)
    for number in range(MAX_COMMANDS):
        scene.record_command(On(other, "ELSEWHERE"), number)
    assert scene.cause() is None
