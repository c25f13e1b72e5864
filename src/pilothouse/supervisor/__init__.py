"""WHAT IS TRUE: tabs, frames, dialogs and other interrupts of one browser, as a pure function of
what happened, with one shell around it.

Read in this order:

    events.py, effects.py   what happened, what to do: frozen values
    state.py                what is true: one frozen value
    step.py                 (state, event) -> (state, effects), out of targets.py, frames.py,
                            dialogs.py (policy.py decides) and interrupts.py
    decode.py               Chrome's events become ours
    instrument.py           what a fresh session is sent; bridge.py and bridge.js for dialogs
                            that the browser cannot hold
    supervisor.py           the shell (options.py), with wiring.py (its ears), actions.py (races),
                            answering.py, holder.py and console.py
    capabilities.py         what a backend can do and what follows; measure.py finds it out,
                            unheld.py looks after dialogs that a backend closes by itself
    registry.py             which owner uses which supervisor
    view.py                 what an agent reads of it
    journal.py              what happened, to be lived again; happenings.py says it in words
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.supervisor.actions import Outcome
    from pilothouse.supervisor.answering import Answered
    from pilothouse.supervisor.holder import Holder
    from pilothouse.supervisor.model import (
        ClosedDialog,
        Dialog,
        Frame,
        Interrupt,
        Policy,
        Rule,
        State,
        Tab,
    )
    from pilothouse.supervisor.options import Options
    from pilothouse.supervisor.registry import Line, Supervisors
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = [
    "Answered",
    "ClosedDialog",
    "Dialog",
    "Frame",
    "Holder",
    "Interrupt",
    "Line",
    "Options",
    "Outcome",
    "Policy",
    "Rule",
    "State",
    "Supervisor",
    "Supervisors",
    "Tab",
]

# Imported on first use: a browser is started before all this is read.
__getattr__ = lazy_exports(
    __name__,
    {
        "actions": ("Outcome",),
        "answering": ("Answered",),
        "holder": ("Holder",),
        "model": (
            "ClosedDialog",
            "Dialog",
            "Frame",
            "Interrupt",
            "Policy",
            "Rule",
            "State",
            "Tab",
        ),
        "options": ("Options",),
        "registry": (
            "Line",
            "Supervisors",
        ),
        "supervisor": ("Supervisor",),
    },
)
