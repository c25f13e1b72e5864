"""The state of one browser as a pure function of what happened. No I/O, no clock, no tasks.

    events.py  `Event` and its subclasses: what happened, frozen values decode.py       turns
    Chrome's events into ours state.py        `State`: `Tab`, `Frame`, `Dialog`, `Interrupt`,
    `Download`, all frozen step.py         `step(state, event) -> (state, effects)`, made of
    tabs_and_sessions.py (tabs and sessions),
                    frames.py (the frame tree), dialogs.py and interrupts_and_downloads.py (with
                    downloads)
    effects.py              `Effect` and its subclasses: what the supervisor has to do
    dialog_policy_and_permissions.py  `Policy`: what happens to a dialog that nobody answers; page
                            permissions
    blockers.py             which dialogs and interrupts block a command
    dialog_bridge.py, dialog_bridge.js  hold dialogs in a script where the browser cannot
    pending_navigations.py  navigations that wait for a server; kept outside `State`

Chrome's event -> `decode` -> `Event` -> `step` -> a new `State`, and `Effect`s that the supervisor
(../supervisor.py) carries out. Timers, answers, failures and drops are events as well, so a journal
of events can be replayed.
"""

from __future__ import annotations

from pilothouse.supervisor.model.blockers import (
    Blocker,
    blockers,
    blocks_session,
    is_being_answered,
)
from pilothouse.supervisor.model.decode import (
    DECODED_METHODS,
    decode,
    decode_frame_tree,
    decode_page_prompt,
    parse_permission_request,
)
from pilothouse.supervisor.model.dialog_bridge import (
    READ_QUESTION_EXPRESSION,
    DialogMode,
    answer_commands,
    bridge_call_frame,
    bridge_pattern,
    install_commands,
    parse_question,
)
from pilothouse.supervisor.model.dialog_policy_and_permissions import (
    PERMISSION_FUNCTIONS,
    Action,
    Policy,
    Rule,
    permission_settings,
)
from pilothouse.supervisor.model.effects import Effect
from pilothouse.supervisor.model.events import (
    DialogClosed,
    DialogOpened,
    Event,
    InterruptClosed,
    InterruptOpened,
    OwnerSet,
    PolicySet,
)
from pilothouse.supervisor.model.interrupts_and_downloads import INTERRUPT_KINDS
from pilothouse.supervisor.model.pending_navigations import (
    NAVIGATION_METHODS,
    REQUEST_METHODS,
    PendingNavigations,
    describe_pending_navigation,
)
from pilothouse.supervisor.model.state import (
    ClosedDialog,
    Dialog,
    Download,
    Frame,
    Interrupt,
    PersonDecision,
    State,
    Tab,
    TabKey,
)
from pilothouse.supervisor.model.step import step

__all__ = [
    "DECODED_METHODS",
    "INTERRUPT_KINDS",
    "NAVIGATION_METHODS",
    "PERMISSION_FUNCTIONS",
    "READ_QUESTION_EXPRESSION",
    "REQUEST_METHODS",
    "Action",
    "Blocker",
    "ClosedDialog",
    "Dialog",
    "DialogClosed",
    "DialogMode",
    "DialogOpened",
    "Download",
    "Effect",
    "Event",
    "Frame",
    "Interrupt",
    "InterruptClosed",
    "InterruptOpened",
    "OwnerSet",
    "PendingNavigations",
    "PersonDecision",
    "Policy",
    "PolicySet",
    "Rule",
    "State",
    "Tab",
    "TabKey",
    "answer_commands",
    "blockers",
    "blocks_session",
    "bridge_call_frame",
    "bridge_pattern",
    "decode",
    "decode_frame_tree",
    "decode_page_prompt",
    "describe_pending_navigation",
    "install_commands",
    "is_being_answered",
    "parse_permission_request",
    "parse_question",
    "permission_settings",
    "step",
]
