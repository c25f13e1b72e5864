"""TODO-MAP supervisor/model."""

from __future__ import annotations

from pilothouse.supervisor.model.auto_dismissed import watch_unheld
from pilothouse.supervisor.model.blockers import Blocker, being_answered, blockers, in_the_way
from pilothouse.supervisor.model.decode import (
    FOLLOWED,
    decode,
    decode_frame_tree,
    decode_prompt,
    read_permission,
)
from pilothouse.supervisor.model.dialog_bridge import (
    READ_QUESTION,
    Mode,
    answer_commands,
    install_commands,
    is_our_pause,
    pattern,
    read_question,
)
from pilothouse.supervisor.model.effects import Effect
from pilothouse.supervisor.model.events import (
    DialogOpened,
    Event,
    InterruptClosed,
    InterruptOpened,
    OwnerSet,
    PolicySet,
)
from pilothouse.supervisor.model.pending_navigations import (
    METHODS,
    WHILE_PENDING,
    Navigations,
    waiting_words,
)
from pilothouse.supervisor.model.policy import ASKED_BY, Action, Policy, Rule, decided
from pilothouse.supervisor.model.state import (
    ClosedDialog,
    Dialog,
    Download,
    Frame,
    Interrupt,
    State,
    Tab,
)
from pilothouse.supervisor.model.step import step

__all__ = [
    "ASKED_BY",
    "FOLLOWED",
    "METHODS",
    "READ_QUESTION",
    "WHILE_PENDING",
    "Action",
    "Blocker",
    "ClosedDialog",
    "Dialog",
    "DialogOpened",
    "Download",
    "Effect",
    "Event",
    "Frame",
    "Interrupt",
    "InterruptClosed",
    "InterruptOpened",
    "Mode",
    "Navigations",
    "OwnerSet",
    "Policy",
    "PolicySet",
    "Rule",
    "State",
    "Tab",
    "answer_commands",
    "being_answered",
    "blockers",
    "decided",
    "decode",
    "decode_frame_tree",
    "decode_prompt",
    "in_the_way",
    "install_commands",
    "is_our_pause",
    "pattern",
    "read_permission",
    "read_question",
    "step",
    "waiting_words",
    "watch_unheld",
]
