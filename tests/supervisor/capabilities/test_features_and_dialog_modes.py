"""What follows from what a backend can do."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pilothouse.supervisor.capabilities.features_and_dialog_modes import (
    CHROMIUM_FEATURES,
    BackendFeatures,
    choose_dialog_modes,
    needs_probe,
)

HOLDS = replace(CHROMIUM_FEATURES, probed=True)
DISMISSES = replace(HOLDS, keeps_dialogs_open=False, takes_answers=False)
SILENT = replace(DISMISSES, reports_dialogs=False)


@pytest.mark.parametrize(
    ("found", "page", "frame", "respond"),
    [
        (HOLDS, "native", "xhr", "native"),
        (replace(HOLDS, xhr_bridge=False), "native", "debugger", "native"),
        (
            replace(HOLDS, xhr_bridge=False, debugger_bridge=False),
            "native",
            "native",
            "native",
        ),
        (replace(HOLDS, takes_answers=False), "debugger", "debugger", "bridge"),
        (DISMISSES, "debugger", "debugger", "bridge"),
        (replace(DISMISSES, debugger_bridge=False), "xhr", "xhr", "bridge"),
        (replace(DISMISSES, debugger_bridge=False, xhr_bridge=False), "native", "native", "no"),
        (SILENT, "debugger", "debugger", "bridge"),
    ],
)
def test_dialogs_are_held_by_the_cheapest_way_that_works(
    found: BackendFeatures, page: str, frame: str, respond: str
) -> None:
    can = choose_dialog_modes("Chrome/156", found)
    assert (can.page_mode, can.frame_mode, can.dialog_respond) == (page, frame, respond)


@pytest.mark.parametrize("mode", ["native", "debugger", "xhr"])
def test_what_was_asked_for_is_obeyed_everywhere(mode: str) -> None:
    can = choose_dialog_modes("Chrome/156", HOLDS, mode)
    assert (can.page_mode, can.frame_mode) == (mode, mode)
    assert can.why == f"{mode} was asked for"


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("native", DISMISSES),
        ("debugger", replace(HOLDS, debugger_bridge=False)),
        ("xhr", replace(HOLDS, xhr_bridge=False)),
    ],
)
def test_what_was_asked_for_and_cannot_work_is_said_to_be_unanswerable(
    mode: str, found: BackendFeatures
) -> None:
    can = choose_dialog_modes("Chrome/156", found, mode)
    assert can.dialog_respond == "no"
    assert "cannot be answered" in can.why


def test_backend_that_nothing_holds_a_dialog_on_says_so_openly() -> None:
    mute = replace(SILENT, debugger_bridge=False, xhr_bridge=False)
    shown = choose_dialog_modes("Other/1", mute).to_dict()
    assert shown["dialog_detect"] is False
    assert shown["dialog_respond"] == "no"
    assert "cannot be answered" in shown["why"]


def test_backend_that_dismisses_still_tells_of_dialogs_when_no_bridge_works() -> None:
    shown = choose_dialog_modes(
        "Other/1", replace(DISMISSES, debugger_bridge=False, xhr_bridge=False)
    ).to_dict()
    assert shown["dialog_detect"] is True
    assert shown["dialog_respond"] == "no"


def test_agent_sees_every_ability_in_one_flat_look() -> None:
    assert choose_dialog_modes("Chrome/156", DISMISSES).to_dict() == {
        "backend": "Chrome/156",
        "measured": True,
        "dialog_detect": True,
        "dialog_respond": "bridge",
        "beforeunload_respond": "no",
        "dialog_mode": {"page": "debugger", "oopif": "debugger"},
        "dialog_bridges": ["debugger", "xhr"],
        "frame_tree": True,
        "oopif_evaluate": True,
        "downloads": True,
        "extensions": True,
        "why": "the backend answers dialogs by itself; the debugger bridge holds them",
    }


def test_doubt_about_the_measurement_is_shown() -> None:
    assert (
        choose_dialog_modes("App/1", replace(CHROMIUM_FEATURES, note="not measured")).to_dict()[
            "note"
        ]
        == "not measured"
    )


@pytest.mark.parametrize(
    ("product", "owned", "needed"),
    [
        ("Chrome/156.0.1.2", True, False),
        ("HeadlessChrome/156.0.1.2", True, False),
        ("Electron/40", True, True),
        ("", True, True),
        # Lightpanda calls itself Chrome: a name proves nothing about a browser of others.
        ("Chrome/124.0.6367.29", False, True),
    ],
)
def test_only_a_chrome_that_we_launched_is_trusted_untried(
    product: str, owned: bool, needed: bool
) -> None:
    assert needs_probe(product, owned=owned) is needed
