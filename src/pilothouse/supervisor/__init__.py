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

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pilothouse.supervisor.actions import Outcome as Outcome
    from pilothouse.supervisor.answering import Answered as Answered
    from pilothouse.supervisor.holder import Holder as Holder
    from pilothouse.supervisor.options import Options as Options
    from pilothouse.supervisor.policy import Policy as Policy
    from pilothouse.supervisor.policy import Rule as Rule
    from pilothouse.supervisor.registry import Line as Line
    from pilothouse.supervisor.registry import Supervisors as Supervisors
    from pilothouse.supervisor.state import ClosedDialog as ClosedDialog
    from pilothouse.supervisor.state import Dialog as Dialog
    from pilothouse.supervisor.state import Frame as Frame
    from pilothouse.supervisor.state import Interrupt as Interrupt
    from pilothouse.supervisor.state import State as State
    from pilothouse.supervisor.state import Tab as Tab
    from pilothouse.supervisor.supervisor import Supervisor as Supervisor

# Where they are; found when they are first asked for: a browser is started before all this is read.
_PLACES = {
    "Answered": "answering",
    "ClosedDialog": "state",
    "Dialog": "state",
    "Frame": "state",
    "Holder": "holder",
    "Interrupt": "state",
    "Line": "registry",
    "Options": "options",
    "Outcome": "actions",
    "Policy": "policy",
    "Rule": "policy",
    "State": "state",
    "Supervisor": "supervisor",
    "Supervisors": "registry",
    "Tab": "state",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
