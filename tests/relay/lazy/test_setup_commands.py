"""Which commands can wait for a debugger, and what of them is repeated when it comes."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.relay.lazy.setup_commands import ADD_SCRIPT, CommandRecording, is_setup_command


def kept(*commands: tuple[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    recording = CommandRecording()
    for method, params in commands:
        recording.add(method, params)
    return [(c.method, dict(c.params)) for c in recording.commands()]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.enable", {}),
        ("Network.enable", {"maxTotalBufferSize": 0}),
        ("WebMCP.enable", {}),
        ("Audits.disable", {}),
        ("Accessibility.enable", {}),
        ("Page.getFrameTree", {}),
        ("Emulation.setEmulatedMedia", {"media": ""}),
        ("Emulation.setDeviceMetricsOverride", {"width": 8, "height": 6, "mobile": False}),
        ("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True}),
        ("Runtime.addBinding", {"name": "f"}),
        ("Runtime.runIfWaitingForDebugger", {}),
    ],
)
def test_a_command_that_sets_a_session_up_can_wait(method: str, params: dict[str, Any]) -> None:
    assert is_setup_command(method, params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Runtime.evaluate", {"expression": "1"}),
        ("Page.navigate", {"url": "about:blank"}),
        ("Page.captureScreenshot", {}),
        ("Page.bringToFront", {}),
        ("Input.dispatchKeyEvent", {"type": "keyDown"}),
        ("Network.getCookies", {}),
        ("Performance.getMetrics", {}),
        ("Accessibility.getFullAXTree", {}),
        ("DOM.getDocument", {}),
        # Its answer and the scripts that it tells of are data.
        ("Debugger.enable", {}),
        # In a context of now.
        ("Runtime.addBinding", {"name": "f", "executionContextId": 2**30}),
        ("Nonsense.enable", {}),
    ],
)
def test_a_command_that_reads_or_acts_cannot(method: str, params: dict[str, Any]) -> None:
    assert not is_setup_command(method, params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        (ADD_SCRIPT, {}),
        (ADD_SCRIPT, {"source": 1}),
        ("Page.setLifecycleEventsEnabled", {"enabled": 1}),
        ("Page.setFontFamilies", {}),
        ("Network.setExtraHTTPHeaders", {"headers": []}),
    ],
)
def test_a_command_without_what_it_must_carry_is_the_browsers_to_refuse(
    method: str, params: dict[str, Any]
) -> None:
    assert not is_setup_command(method, params)


def test_the_last_of_several_settings_counts_from_where_it_stands() -> None:
    media = "Emulation.setEmulatedMedia"
    assert kept(
        ("Page.enable", {}), (media, {"media": "print"}), ("Log.enable", {}), (media, {"media": ""})
    ) == [("Page.enable", {}), ("Log.enable", {}), (media, {"media": ""})]


def test_a_domain_that_is_enabled_twice_is_enabled_once_and_first() -> None:
    assert kept(
        ("Network.enable", {}), ("Page.enable", {}), ("Network.enable", {"maxPostDataSize": 9})
    ) == [("Network.enable", {"maxPostDataSize": 9}), ("Page.enable", {})]


@pytest.mark.parametrize(
    ("first", "undone_by"),
    [
        (("Page.enable", {}), "Page.disable"),
        (("Page.setLifecycleEventsEnabled", {"enabled": True}), "Page.disable"),
        (("Runtime.addBinding", {"name": "f"}), "Runtime.disable"),
        (("Network.setExtraHTTPHeaders", {"headers": {}}), "Network.disable"),
        (("Emulation.setDeviceMetricsOverride", {}), "Emulation.clearDeviceMetricsOverride"),
    ],
)
def test_what_was_undone_is_not_repeated(first: tuple[str, dict[str, Any]], undone_by: str) -> None:
    assert kept(("Log.enable", {}), first, (undone_by, {})) == [("Log.enable", {})]


def test_a_disable_without_an_enable_leaves_nothing() -> None:
    assert kept(("Fetch.disable", {}), ("Page.getFrameTree", {})) == []


def test_bindings_are_kept_by_name_and_world() -> None:
    add, remove = "Runtime.addBinding", "Runtime.removeBinding"
    f, g = {"name": "f"}, {"name": "g"}
    in_world = {"name": "f", "executionContextName": "w"}
    assert kept((add, f), (add, in_world), (add, g), (add, f)) == [
        (add, in_world),
        (add, g),
        (add, f),
    ]
    assert kept((add, f), (add, in_world), (add, g), (remove, f)) == [(add, g)]


def test_scripts_keep_all_they_carry_and_outlive_their_domain() -> None:
    recording = CommandRecording()
    first = {"source": "a", "worldName": "w", "includeCommandLineAPI": True}
    stubs = [recording.add_script(p) for p in (first, {"source": "b"}, {"source": "a"})]
    assert len(set(stubs)) == 3
    recording.add("Page.disable", {})
    assert recording.remove_script(stubs[1])
    assert not recording.remove_script(stubs[1])
    assert [(s.placeholder, dict(s.params)) for s in recording.scripts()] == [
        (stubs[0], first),
        (stubs[2], {"source": "a"}),
    ]
    assert recording.add_script({"source": "c"}) not in stubs
