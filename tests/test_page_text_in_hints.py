"""Hints are our own words: agents are told them outside of the marks around what a page says. Every
hint that is not a constant stands here, with what was decided about it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.boundary

_PACKAGE = Path(__file__).parent.parent / "src" / "pilothouse"
_ROOMS = ("page", "security", "supervisor", "tabs", "tools")

# These may quote a page: their errors say so (`untrusted`).
_PAGE = {
    ("page/input/option_matches.py", "f'use one of {describe_options(options)}'"),
    (
        "page/storage/downloads.py",
        "f\"wait longer; in progress: {', '.join(under_way) or 'none'}\"",
    ),
    (
        "page/input/field_value_checks.py",
        "f'use a value from {low} to {high}; nothing was changed'",
    ),
    ("page/input/actionability_errors.py", "hint"),
    ("tools/catalog/input.py", "f'{error.hint}; filled before it: {done}'"),
    ("tools/catalog/page_data_and_emulation.py", "f'downloads: {listed}'"),
}
# These hold constants, numbers, ids that we gave, names of the caller or of the user's settings.
_OURS = {
    ("page/input/keyboard.py", "hint"),
    ("page/storage/downloads.py", "hint"),
    ("tabs/hand_over.py", "f'give 1 to {_MAX_REQUEST_S:g} seconds'"),
    ("tabs/hand_over.py", "f'open requests: {listed}' if listed else 'nothing waits for a person'"),
    ("tools/catalog/dialogs.py", "f\"give one of: {', '.join(answers)}\""),
    (
        "tools/catalog/dialogs.py",
        "f\"give one of: {', '.join(mine)}\" if mine else 'go on: no call is blocked'",
    ),
    ("tools/catalog/dialogs.py", "hint"),
    ("tools/plugins.py", "f\"use one of {', '.join(_FLAGS)}\""),
    (
        "tools/plugins.py",
        "f'write async def {name}(context, …): the first parameter gets the context'",
    ),
    (
        "tools/toolsets.py",
        "f'name the tools or their toolsets: `pilothouse tools explain {toolset.name}`'",
    ),
    ("page/local_files.py", "write_hint(error)"),
    ("page/local_files.py", "write_hint(error, 'upload a smaller file')"),
    ("page/local_files.py", "write_hint(error, 'use another folder')"),
    ("tools/output_files.py", "write_hint(error)"),
    ("page/input/option_matches.py", "f'use {places}'"),
    ("page/emulation/commands.py", "f\"use one of {', '.join(allowed)}\""),
    ("page/emulation/commands.py", "f\"use one of {', '.join(values)}\""),
    ("page/emulation/commands.py", "f\"use one such as {', '.join(near) or 'Europe/Berlin'}\""),
    ("page/script/console_messages.py", "f\"use one of {', '.join(LEVELS)}\""),
    ("page/storage/cookie_rules.py", "hint"),
    (
        "page/storage/downloads.py",
        "'wait for it' if download.state == 'inProgress' else 'start it again'",
    ),
    ("page/storage/downloads.py", "DOWNLOADS_OFF"),
    ("page/input/drag.py", "f'use 1 to {MOST_STEPS}'"),
    ("page/emulation/emulation.py", "f\"use one of {', '.join(DEVICES)}\""),
    ("page/emulation/emulation.py", "f\"use one of {', '.join(settings.MEDIA)}\""),
    ("page/emulation/emulation.py", "f\"use one of {', '.join(settings.PRESETS)}\""),
    ("page/emulation/emulation.py", "f'use one of these: {there}'"),
    (
        "page/emulation/emulation.py",
        "already_set if _ALREADY_SET in error.detail else 'check that this browser supports it'",
    ),
    ("page/script/evaluate.py", "error.hint"),
    ("page/input/field_value_checks.py", "f'write {wanted}'"),
    (
        "page/input/form_fields.py",
        "hints.get(kind, 'fill an input, a textarea, an editor, a list or a checkbox')",
    ),
    ("page/input/element_facts.py", "f\"one of {', '.join(FACTS)}\""),
    ("page/input/keyboard.py", "f'use 0 to {SLOWEST_MS}'"),
    ("page/input/keyboard.py", "f'use 1 to {MOST_PRESSES}'"),
    ("page/input/keys.py", "f\"use {', '.join(MODIFIERS)} or ControlOrMeta\""),
    ("page/input/mouse.py", "f\"use one of {', '.join(BUTTONS)}\""),
    ("page/navigation/navigate.py", "f\"use one of {', '.join(STATES)}\""),
    ("page/network/request_log.py", "f'use r{first} to r{last}'"),
    ("page/local_files.py", "f'check the path for a typo{start}'"),
    ("page/local_files.py", "hint"),
    ("page/local_files.py", "read_hint(error)"),
    ("page/media/screenshot_size_and_annotation.py", "f\"use one of {', '.join(FORMATS)}\""),
    (
        "page/media/screenshot_size_and_annotation.py",
        "f'use a part of the page: {metrics.width:g}x{metrics.height:g} CSS pixels'",
    ),
    (
        "page/input/actionability_errors.py",
        "'nth counts from 0; -1 is the last' if not last else f'nth is 0 to {last}'",
    ),
    (
        "page/input/actionability_errors.py",
        "f\"use the ref of the one you mean, or '{selector} >> nth=0' for the first of them\"",
    ),
    ("page/network/route_rules.py", "f\"use {', '.join(REASONS)}\""),
    ("page/network/route_rules.py", "f\"use {', '.join(TYPES)}\""),
    ("page/network/routes.py", "error.hint"),
    ("page/network/routes.py", "known"),
    ("page/input/scroll.py", "f\"use one of {', '.join(EDGES)}\""),
    ("page/input/scroll.py", "f'give a number of pixels up to {FARTHEST}'"),
    ("page/input/selectors.py", "f'use {instead}'"),
    ("page/storage/state_file_format.py", "_HINT"),
    ("page/storage/web_storage_and_state.py", "f\"use one of {', '.join(KINDS)}\""),
    ("page/navigation/request_and_download_waits.py", "hint"),
    ("page/input/upload.py", "f\"use one of {', '.join(METHODS)}\""),
    ("page/input/upload.py", "f'give 1 to {MOST_FILES} files'"),
    ("page/navigation/wait_and_frame_poller.py", "self._hint"),
    ("page/navigation/waits.py", "f\"use one of {', '.join(STATES)}\""),
    ("page/navigation/waits.py", "hint"),
    ("security/cdp_policy.py", "decision.instead or 'work in a browser without a kept profile'"),
    (
        "security/profile_policy.py",
        "f'ask the user to allow it in config.yaml: profiles: {{{profile}: [{listed}]}}; and to restart the daemon'",  # noqa: E501
    ),
    ("security/calls_allowed_in_code_runs.py", "_suggest(method)"),
    ("security/calls_allowed_in_code_runs.py", "hint"),
    ("security/secrets.py", "f'it is for {there}'"),
    ("security/secrets.py", "f'known: {known}'"),
    # Names of permissions and answers.
    ("supervisor/interrupt_responder.py", "hint"),
    ("supervisor/interruptible_actions.py", "f'waiting actions: {known}'"),
    ("supervisor/interrupt_responder.py", "f'give dialog_id: {names}'"),
    ("supervisor/interrupt_responder.py", "f'pending dialogs: {names}'"),
    ("supervisor/interrupt_responder.py", "f'pending: {known}'"),
    ("supervisor/url_policy_enforcer.py", "hint_for_verdict(verdict)"),
    ("security/url_policy.py", "hint"),
    ("tabs/verb_and_tool_declaration.py", "_hint(found, str(error))"),
    ("tabs/verb_and_tool_declaration.py", "hint"),
    ("tabs/open_and_close_requests.py", "hint"),
    ("tabs/open_and_close_requests.py", "f\"use one of {', '.join(STEALTH_LEVELS)}\""),
    ("tabs/open_and_close_requests.py", "f\"use one of {', '.join(WAITS)}\""),
    ("tabs/open_and_close_requests.py", "f\"use only: {', '.join(known)}\""),
    ("tabs/open_and_close_requests.py", "f'leave out {name}, or use browser: managed'"),
    ("tabs/owned_tab_and_browser.py", "f'open it first; your tabs: {names}'"),
    ("tabs/tabs.py", "why[1]"),
    ("tabs/verb.py", "hint"),
    ("tabs/verbs/navigation_waits_and_javascript.py", "f\"give one of {', '.join(ways)}\""),
    ("tabs/verbs/navigation_waits_and_javascript.py", "f\"use one of {', '.join(STATES)}\""),
    ("tabs/verbs/navigation_waits_and_javascript.py", "f'waiting actions: {known}'"),
    ("tabs/verbs/dialogs_console_and_network.py", "f'pending dialogs: {names}'"),
    ("tabs/verbs/dialogs_console_and_network.py", "f'pending: {known}'"),
    # Folders of the session.
    ("tools/catalog/input.py", "hint"),
    (
        "tools/catalog/external_tool_conversion.py",
        "f'check the arguments: the MCP server {server} reported this error'",
    ),
    ("tools/tool_config_file.py", "hint"),
    ("tools/catalog/code_and_batch.py", "f'give 1 to {MAX_STEPS}'"),
    ("tools/catalog/code_and_batch.py", "f'use only: name, {near}'"),
    (
        "tools/http_json.py",
        "f'set {variable} and restart the daemon, or change {section}.key_env'",
    ),
    ("tools/http_json.py", "hints.get(status, 'check its URL in config.yaml')"),
    (
        "tools/gate.py",
        "f\"report this bug in {tool.source or 'Pilothouse'}: the tool must return a dict\"",
    ),
    ("tools/gate.py", "hint"),
    ("tools/gate.py", "refused[1]"),
    ("tools/catalog/navigation_and_tabs.py", "ask"),
    ("tools/catalog/navigation_and_tabs.py", "f'{hint}your tabs: {listed}'"),
    ("tools/catalog/page_data_and_emulation.py", "f'give the storage key to {action}'"),
    ("tools/catalog/dialogs.py", "f'pending: {names}'"),
    ("tools/plugins.py", "f\"known: {', '.join(_SECTION)}\""),
    ("tools/plugins.py", "f'{key}: [web_search]'"),
    ("tools/plugins.py", "f'{one.name}: str'"),
    ("tools/search_engine.py", "SETUP"),
    ("tools/search_engine.py", "hint"),
    ("tools/selection.py", "hint"),
    ("tools/selection.py", "hint or 'see what there is: pilothouse tools list --toolsets all'"),
    (
        "tools/toolsets.py",
        "f'choose another name: a {made[name].kind} toolset has it' if name in made else 'choose a name without *, ? and ['",  # noqa: E501
    ),
    ("tools/toolsets.py", "hint"),
    ("tools/catalog/web_search_and_extract.py", "f'give 1 to {MAX_URLS}'"),
}


def _hints() -> dict[tuple[str, str], list[ast.Call]]:
    """Every hint that is not a constant, and the calls that give it."""
    found: dict[tuple[str, str], list[ast.Call]] = {}
    for path in (path for room in _ROOMS for path in (_PACKAGE / room).rglob("*.py")):
        place = path.relative_to(_PACKAGE).as_posix()
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            for keyword in call.keywords if isinstance(call, ast.Call) else ():
                if keyword.arg == "hint" and not isinstance(keyword.value, ast.Constant):
                    assert isinstance(call, ast.Call)
                    found.setdefault((place, ast.unparse(keyword.value)), []).append(call)
    return found


def test_whether_a_hint_may_quote_a_page_was_decided_for_every_one() -> None:
    undecided = sorted(set(_hints()) - _PAGE - _OURS)
    assert undecided == [], "can a page have a word in it? Then give `untrusted`, and list it here"
    assert sorted((_PAGE | _OURS) - set(_hints())) == [], "these are gone: take them off the list"


def test_errors_whose_hint_may_quote_a_page_say_so() -> None:
    for place, calls in _hints().items():
        if place in _PAGE:
            for call in calls:
                assert any(keyword.arg == "untrusted" for keyword in call.keywords), place
