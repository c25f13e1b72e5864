"""What every fresh session is sent."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.cdp.message import Command
from pilothouse.supervisor.session_setup import SessionSetup, fetch_command, session_commands

SETUP = SessionSetup("https://secret.invalid/")


def methods(kind: str, setup: SessionSetup = SETUP) -> list[str]:
    """Their names, in order."""
    return [command.method for command in session_commands(kind, setup)]


@pytest.mark.parametrize(
    "kind", ["page", "iframe", "worker", "shared_worker", "service_worker", "other"]
)
def test_target_is_let_go_last(kind: str) -> None:
    assert methods(kind)[-1] == "Runtime.runIfWaitingForDebugger"
    assert methods(kind).count("Runtime.runIfWaitingForDebugger") == 1


@pytest.mark.parametrize("kind", ["page", "iframe"])
def test_frames_below_wait_to_be_instrumented_in_turn(kind: str) -> None:
    assert "Target.setAutoAttach" in methods(kind)
    assert "Page.enable" in methods(kind)


def test_worker_gets_only_what_a_worker_has() -> None:
    """A command it does not know would be an error nobody needs."""
    assert methods("worker")[:-1] == ["Runtime.enable", "Log.enable"]
    assert methods("other") == ["Runtime.runIfWaitingForDebugger"]


def test_page_keeps_chromes_dialogs_and_a_foreign_frame_gets_the_bridge() -> None:
    assert "Page.addScriptToEvaluateOnNewDocument" not in methods("page")
    assert "Page.addScriptToEvaluateOnNewDocument" in methods("iframe")


def test_debugger_bridge_can_be_had_everywhere() -> None:
    setup = SessionSetup("https://secret.invalid/", page_mode="debugger", frame_mode="debugger")
    for kind in ("page", "iframe"):
        assert "Debugger.enable" in methods(kind, setup)


def test_one_filter_serves_passwords_and_the_bridge() -> None:
    (fetch,) = [c for c in session_commands("iframe", SETUP) if c.method == "Fetch.enable"]
    assert fetch.params is not None
    bridge, documents = fetch.params["patterns"]
    assert bridge["urlPattern"] == "https://secret.invalid/*"
    assert documents["resourceType"] == "Document"
    assert fetch.params["handleAuthRequests"] is True


def test_what_is_not_wanted_is_not_sent() -> None:
    setup = SessionSetup("https://secret.invalid/", auth=False, file_choosers=False)
    assert "Fetch.enable" not in methods("page", setup)
    assert "Page.setInterceptFileChooserDialog" not in methods("page", setup)


def test_own_commands_of_a_browser_come_before_its_pages_run() -> None:
    setup = SessionSetup("https://x.invalid/", page_setup=(Command("Emulation.mine"),))
    assert methods("page", setup)[-2:] == ["Emulation.mine", "Runtime.runIfWaitingForDebugger"]
    assert "Emulation.mine" not in methods("iframe", setup)


def test_scripts_of_a_browser_reach_frames_in_other_processes_too() -> None:
    script: Command[Any] = Command("Page.addScriptToEvaluateOnNewDocument", {"source": "0"})
    for kind in ("page", "iframe"):
        setup = SessionSetup("https://x.invalid/", page_setup=(script,))
        assert methods(kind, setup)[-2:] == [script.method, "Runtime.runIfWaitingForDebugger"]


def test_who_the_browser_says_it_is_reaches_everyone() -> None:
    name: Command[Any] = Command("Emulation.setUserAgentOverride", {"userAgent": "x"})
    size: Command[Any] = Command("Emulation.setDeviceMetricsOverride")
    setup = SessionSetup("https://x.invalid/", page_setup=(name, size))
    for kind in ("page", "iframe", "worker", "shared_worker", "service_worker"):
        assert methods(kind, setup).count(name.method) == 1
        assert (size.method in methods(kind, setup)) == (kind == "page")
    assert methods("other", setup) == ["Runtime.runIfWaitingForDebugger"]


def test_shared_workers_are_reached_only_for_that_and_nobody_listens_to_them() -> None:
    name: Command[Any] = Command("Emulation.setUserAgentOverride", {"userAgent": "x"})
    assert not SETUP.shared_workers
    assert SessionSetup("https://x.invalid/", page_setup=(name,)).shared_workers
    assert "Runtime.enable" not in methods("shared_worker")


WANTED = {"urlPattern": "*x*"}


def test_what_a_tab_wants_beside_comes_before_its_targets_run() -> None:
    extra: list[Command[Any]] = [Command("Network.enable")]
    for kind in ("page", "iframe", "worker", "service_worker"):
        sent = [c.method for c in session_commands(kind, SETUP, extra, [WANTED])]
        assert sent[-2:] == ["Network.enable", "Runtime.runIfWaitingForDebugger"]
        assert sent.count("Fetch.enable") == (kind != "worker")


def test_one_filter_serves_the_tab_as_well() -> None:
    (fetch,) = fetch_command("iframe", SETUP, [WANTED])
    assert fetch.params is not None
    assert len(fetch.params["patterns"]) == 3
    assert fetch.params["patterns"][-1] == WANTED
    (alone,) = fetch_command("service_worker", SETUP, [WANTED])
    assert alone.params == {"patterns": [WANTED]}


def test_filter_that_nobody_needs_any_more_is_taken_out() -> None:
    setup = SessionSetup("https://secret.invalid/", auth=False)
    assert [c.method for c in fetch_command("page", setup, [])] == ["Fetch.disable"]
    assert [c.method for c in fetch_command("service_worker", SETUP, [])] == ["Fetch.disable"]
    assert [c.method for c in fetch_command("page", SETUP, [])] == ["Fetch.enable"]
    assert fetch_command("worker", SETUP, [WANTED]) == ()
