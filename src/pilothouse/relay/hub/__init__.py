"""All outside CDP clients of one browser, beside the supervisor on the same connection.

    client --ClientCommand--> RelayClient --handler--> browser, on a session of the client's own
    client <--bytes---------- RelayClient <--Hub------ browser

Read in this order:

    hub.py                         Hub: lets clients in, routes replies and events to them by id and
                                   session
    client.py                      RelayClient: what a client has and what it may see
    session/                       ClientSession: one session of a client, and its states
    commands/                      one table per kind of session: which method does what
    browser_provider_callbacks.py  Upstream: what the hub needs from whoever opened the browser
    known_target_infos.py, client_target_discovery.py, synthetic_tab_targets.py
                                   which targets there are, for whom
    target_attachment.py           AutoAttacher: the sessions clients get; resume_barrier.py holds
                                   new targets until every client has set up its session
    lazy_sessions.py               LazyTab: a session without a debugger, built on ../lazy
    dialogs.py, dialog_attribution.py, auth_challenges.py  which client answers dialogs and logins
    navigation_policy.py, refusal_texts.py  the URL policy for clients, and the text of refusals
    client_files.py, downloads.py  folders for uploads and downloads of clients
    tab_and_context_tasks.py       work that takes time: closing tabs, disposing contexts, opening
                                   URLs
    tab_activity_and_conflicts.py, cdp_action_descriptions.py, unanswered_command_log.py
                                   for people: conflicts, actions, lost replies
"""

from __future__ import annotations

from pilothouse.relay.hub.client_files import ClientFiles, FileRules
from pilothouse.relay.hub.hub import Hub, Upstream

__all__ = ["ClientFiles", "FileRules", "Hub", "Upstream"]
