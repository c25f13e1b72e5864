"""Code in a run may ask the daemon for what is listed, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.daemon.daemon import Daemon
from pilothouse.errors import ToolError
from pilothouse.paths import RuntimePaths
from pilothouse.security.calls_allowed_in_code_runs import (
    ALLOWED,
    REFUSED_FIELDS,
    REFUSED_METHODS,
    check_run_call,
)
from pilothouse.settings import Settings
from pilothouse.tabs import verbs
from pilothouse.tabs.open_and_close_requests import CloseRequest, OpenRequest
from pilothouse.tabs.verb import VERBS

# What the daemon answers before it looks into its table of methods.
assert verbs  # importing the verbs has declared them
OF_THE_CONNECTION = {"hello", "cancel", "mcp", "serve"}


def daemon_methods(root: Path) -> set[str]:
    return {*Daemon(RuntimePaths(root), Settings()).methods, *OF_THE_CONNECTION}


def test_every_method_of_the_daemon_is_decided(tmp_path: Path) -> None:
    known = daemon_methods(tmp_path) | {f"tab.{name}" for name in VERBS}
    decided = {*ALLOWED, *REFUSED_METHODS}
    assert known - decided == set(), (
        "decide in calls_allowed_in_code_runs.py whether code may call these"
    )
    assert decided - known == set(), (
        "these methods are gone: take them out of calls_allowed_in_code_runs.py"
    )
    assert set(ALLOWED) & set(REFUSED_METHODS) == set()


@pytest.mark.parametrize("name", VERBS)
def test_every_parameter_of_every_verb_is_decided(name: str) -> None:
    takes = {parameter.name for parameter in VERBS[name].parameters} | {"tab", "timeout"}
    decided = {*ALLOWED[f"tab.{name}"], *REFUSED_FIELDS.get(f"tab.{name}", {})}
    assert decided == takes, "decide in calls_allowed_in_code_runs.py"


@pytest.mark.parametrize(("method", "asked"), [("open", OpenRequest), ("close", CloseRequest)])
def test_every_field_of_open_and_close_is_decided(
    method: str, asked: type[OpenRequest | CloseRequest]
) -> None:
    decided = {*ALLOWED[method], *REFUSED_FIELDS[method]}
    assert decided == {*asked.__struct_fields__}
    assert ALLOWED[method].isdisjoint(REFUSED_FIELDS[method])


def test_open_takes_what_a_run_may_choose_and_no_more() -> None:
    wanted = {"name", "url", "viewport", "wait_until", "dialogs", "timeout"}
    assert ALLOWED["open"] == wanted


@pytest.mark.parametrize("method", [*REFUSED_METHODS, "", "tab.", "open ", "Open", "page.close"])
def test_what_is_not_listed_is_refused(method: str) -> None:
    with pytest.raises(ToolError, match="cannot call") as refused:
        check_run_call(method, {})
    assert refused.value.hint


@pytest.mark.parametrize(
    ("method", "field"),
    [(method, field) for method, fields in REFUSED_FIELDS.items() for field in fields],
)
def test_a_refused_field_is_refused_whatever_it_holds(method: str, field: str) -> None:
    for value in ("", None, {}, {"path": "/bin/true"}):
        with pytest.raises(ToolError, match=f"cannot set '{field}'"):
            check_run_call(method, {"name": "x", field: value})


@pytest.mark.parametrize("method", ALLOWED)
def test_a_field_nobody_decided_on_is_refused(method: str) -> None:
    with pytest.raises(ToolError, match="cannot set 'new'"):
        check_run_call(method, {"new": 1})


def test_a_mistyped_verb_is_named_with_the_right_one() -> None:
    with pytest.raises(ToolError) as refused:
        check_run_call("tab.clik", {"target": "e1"})
    assert "tab.click" in refused.value.hint


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("tab.load_state", {"state": "/etc/passwd"}),
        ("tab.load_state", {"state": "state.json"}),
        ("tab.load_state", {}),
        ("tab.save_state", {"path": "state.json"}),
    ],
)
def test_no_file_of_the_daemon_is_named_by_a_state(method: str, given: dict[str, object]) -> None:
    with pytest.raises(ToolError, match="cannot give a file"):
        check_run_call(method, given)
