"""The supervisor: tabs, frames, dialogs and other interrupts of one browser.

The state is a pure function of what happened (model/); the rest of the package does the I/O.

    model/                    pure: `Event` -> `step` -> `State` and `Effect`s
    supervisor.py             `Supervisor`: feeds events, runs effects, opens tabs (options.py)
    event_pump.py             `EventPump`: Chrome's events become ours; attaches again after a drop
    session_setup.py          pure: the commands that every new session gets, with
                              print_and_permission_requests.js
    extra_session_setup.py    `SessionHooks`: more setup per tab; one `Fetch.enable` per session
    new_target_hold.py        `ResumeGate`: who may hold a new target before it runs
    url_policy_enforcer.py    `UrlPolicyEnforcer`: blocks requests and documents
    interruptible_actions.py  `Actions`: races work against dialogs; `Outcome`; detects hung pages
    interrupt_responder.py    `InterruptResponder`: sends answers, closes tabs; `DialogResult`
    standby_connection.py     `StandbyConnection`: keeps dialogs answerable across a drop
    backend_dismissed_dialogs.py, ended_service_workers.py  workarounds for backends and for service
                              workers
    capabilities/             what the backend can do, and which dialog mode follows
    journal/                  what happened, to export and replay; console lines
    agent_view.py             pure: the state as an agent reads it
    supervisor_registry.py    `Supervisors`: which owner uses which supervisor

Chrome's event -> EventPump -> decode -> `Supervisor.feed` -> `step` -> new `State` and effects. An
effect sends commands or starts a timer; its reply or failure comes back as another event.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.supervisor.interrupt_responder import DialogResult
    from pilothouse.supervisor.interruptible_actions import Outcome
    from pilothouse.supervisor.model import (
        ClosedDialog,
        Dialog,
        Frame,
        Interrupt,
        Policy,
        Rule,
        State,
        Tab,
        TabKey,
    )
    from pilothouse.supervisor.options import Options
    from pilothouse.supervisor.standby_connection import StandbyConnection
    from pilothouse.supervisor.supervisor import Supervisor
    from pilothouse.supervisor.supervisor_registry import SupervisedConnection, Supervisors

__all__ = [
    "ClosedDialog",
    "Dialog",
    "DialogResult",
    "Frame",
    "Interrupt",
    "Options",
    "Outcome",
    "Policy",
    "Rule",
    "StandbyConnection",
    "State",
    "SupervisedConnection",
    "Supervisor",
    "Supervisors",
    "Tab",
    "TabKey",
]

# Imported on first use, so that a browser can start before all this is loaded.
__getattr__ = lazy_exports(
    __name__,
    {
        "interruptible_actions": ("Outcome",),
        "interrupt_responder": ("DialogResult",),
        "standby_connection": ("StandbyConnection",),
        "model": (
            "ClosedDialog",
            "Dialog",
            "Frame",
            "Interrupt",
            "Policy",
            "Rule",
            "State",
            "Tab",
            "TabKey",
        ),
        "options": ("Options",),
        "supervisor_registry": (
            "SupervisedConnection",
            "Supervisors",
        ),
        "supervisor": ("Supervisor",),
    },
)
