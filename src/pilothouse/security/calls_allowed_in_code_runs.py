"""Decides what code in a run may ask of the daemon: allowed methods and fields.

A run is agent-written code in a sandbox. Its only way out is a call to the daemon, which is not in
the sandbox. A field that makes the daemon start a program, connect to an address or open a file
would let the code escape. So a method or field is refused unless it is listed here. A test demands
a decision for every method of the daemon and every parameter of every verb.

Knows: names of methods and fields. Must not know: what they do. Pure.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pilothouse.errors import NotPermitted, ToolError

__all__ = ["ALLOWED", "REFUSED_FIELDS", "REFUSED_METHODS", "check_run_call"]

# Parameters of every verb.
_EVERY_VERB = "tab timeout"

_METHODS = {
    "open": "name url viewport wait_until dialogs timeout",
    "close": "name timeout",
    "tabs": "",
    # Titles and URLs of tabs that the user shares. Code outside the run can take one over.
    "relay.shared": "",
    # cdp_policy judges the command and its parameters.
    "page.cdp": "tab command params frame_id timeout",
    "page.expect": "tab event timeout",
    "page.expected": "tab key",
    # Only in runs of `execute_code`, and only the agent's own tools, without the dangerous ones.
    # Other runs have no tools (daemon/code_run_service.py).
    "tool": "name arguments",
}

_VERBS = {
    "answer": "interrupt_id action detail",
    "attr": "target name nth",
    "back": "wait_until",
    "box": "target nth",
    "changed": "",
    "check": "target frame nth",
    "clear": "target frame nth",
    "clear_cookies": "name domain path",
    "click": "target button count modifiers position hold_ms frame nth",
    "clipboard_read": "",
    "clipboard_write": "text",
    "console": "since level limit",
    "cookies": "urls",
    "count": "target",
    "dblclick": "target frame nth",
    "dialogs": "",
    "downloads": "",
    "drag": "source destination by steps frame nth",
    "emulate": "device user_agent locale timezone geolocation offline throttle color_scheme "
    "reduced_motion media cpu reset",
    "errors": "limit",
    "evaluate": "code args frame_id world",
    "extract": "format article selector limit",
    "fill": "target value submit frame nth",
    "focus": "target frame nth",
    "forward": "wait_until",
    "frames": "",
    "goto": "url wait_until",
    "handle_dialog": "accept text dialog_id",
    "har": "url",
    "hover": "target modifiers frame nth",
    "html": "target nth",
    "images": "backgrounds hidden",
    "is_checked": "target nth",
    "is_enabled": "target nth",
    "is_visible": "target nth",
    "key_down": "key",
    "key_up": "key",
    "load_state": "state",
    "observe": "include_all viewport_only",
    # Images, documents and downloads go to the folder that the settings name for them.
    "pdf": "paper landscape pages scale background save",
    "press": "keys target frame nth",
    "reload": "ignore_cache wait_until",
    "request": "id body",
    # Code may ask a person; only a person can answer (the method `handover`).
    "request_human": "reason choices within",
    "requests": "since url type failed limit",
    "result": "action_id again",
    "route": "pattern action status headers body url times",
    "routes": "",
    "save_download": "id to",
    "save_state": "path",
    "screenshot": "target full_page annotate format quality scale for_model save",
    "scroll": "dx dy target to frame nth",
    "scroll_into_view": "target frame nth",
    "select": "target values frame nth",
    "set_cookies": "cookies",
    "set_storage": "key value kind frame_id",
    "snapshot": "interactive depth root viewport budget find limit diff boxes hidden client",
    "stop": "",
    "storage": "kind key frame_id",
    "text": "target nth",
    "title": "",
    "type": "target text delay_ms submit frame nth",
    "uncheck": "target frame nth",
    "unroute": "id",
    # The files must be in the run's own scratch directory: the daemon copies them from there.
    "upload": "target paths how any_type frame nth",
    "url": "",
    "value": "target nth",
    "viewport": "width height scale mobile",
    "wait_for": "selector state text text_gone url function response request idle download popup",
    "wait_for_response": "pattern",
    "wait_for_url": "pattern",
}

# Methods that a run may call, with the fields it may set.
ALLOWED: Mapping[str, frozenset[str]] = {
    **{name: frozenset(fields.split()) for name, fields in _METHODS.items()},
    **{f"tab.{name}": frozenset(f"{_EVERY_VERB} {f}".split()) for name, f in _VERBS.items()},
}

_OPEN_OUTSIDE = "open it outside the run, then use browser.tab(name)"

# Fields of those methods that a run may not set, with a hint.
REFUSED_FIELDS: Mapping[str, Mapping[str, str]] = {
    "open": {
        # Starts a program outside the sandbox, or connects to any address of this machine.
        "app": _OPEN_OUTSIDE,
        # The user's logins.
        "profile": _OPEN_OUTSIDE,
        "browser": _OPEN_OUTSIDE,
        "target": _OPEN_OUTSIDE,
        # Launches another browser.
        "headed": _OPEN_OUTSIDE,
        "stealth": _OPEN_OUTSIDE,
    },
    "close": {
        "all": "close your tabs one by one: browser.close(name)",
        "kill": "end a program that was started outside the run, not in it",
    },
}

# Methods of the daemon that a run may not call, with a hint.
_DO_OUTSIDE = "call it outside the run"
REFUSED_METHODS: Mapping[str, str] = {
    # Another browser, or another program.
    "connect": _DO_OUTSIDE,
    "disconnect": _DO_OUTSIDE,
    # A run inside a run could outlive the limits of the outer one.
    "run": "call the function here, or use parallel()",
    "tools": "use tab, page or browser",
    "catalogue": "use tab, page or browser",
    # The daemon itself, its settings and its journal.
    "status": _DO_OUTSIDE,
    "stop": _DO_OUTSIDE,
    "journal": _DO_OUTSIDE,
    "journal.export": _DO_OUTSIDE,
    "verbs": "help(tab) lists them",
    # Only a person answers for a person.
    "handover": "ask the user to run `pilothouse handover`",
    "notices": _DO_OUTSIDE,
    # Ports and tokens.
    "relay.start": _DO_OUTSIDE,
    "relay.stop": _DO_OUTSIDE,
    "relay.status": _DO_OUTSIDE,
    "relay.url": _DO_OUTSIDE,
    "relay.pair": _DO_OUTSIDE,
    "relay.check_tokens": _DO_OUTSIDE,
    "relay.unpair": _DO_OUTSIDE,
    # About a client's connection, which a run does not have.
    "hello": _DO_OUTSIDE,
    "cancel": _DO_OUTSIDE,
    "mcp": _DO_OUTSIDE,
    "serve": _DO_OUTSIDE,
}


def check_run_call(method: str, given: Mapping[str, Any]) -> None:
    """Check a call of a run against the lists. Raises ToolError if it is not allowed."""
    allowed = ALLOWED.get(method)
    if allowed is None:
        raise NotPermitted(f"code in a run cannot call {method!r}", hint=_suggest(method))
    refused = REFUSED_FIELDS.get(method, {})
    for field in given:
        if field not in allowed:
            takes = ", ".join(sorted(allowed)) or "nothing"
            hint = refused.get(field, f"it takes: {takes}")
            raise NotPermitted(f"{method}: code in a run cannot set {field!r}", hint=hint)
    # A path here would name a file of the daemon's, not one in the scratch directory.
    if method == "tab.load_state" and not isinstance(given.get("state"), Mapping):
        raise _file_error(method, "state", "read the file in the code and give its content")
    if method == "tab.save_state" and given.get("path"):
        raise _file_error(method, "path", "write what save_state returns to a file in the code")


def _file_error(method: str, field: str, hint: str) -> ToolError:
    return NotPermitted(f"{method}: {field}: code in a run cannot give a file here", hint=hint)


def _suggest(method: str) -> str:
    if method in REFUSED_METHODS:
        return REFUSED_METHODS[method]
    near = difflib.get_close_matches(method, ALLOWED, 1)
    return f"did you mean {near[0]}?" if near else "use tab, page or browser"
