"""The RPC method `run`: runs an agent's code on a tab and reports the result.

Knows: what code may call, and how a run is reported. Must not know: how code is sandboxed.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.code.client import add_answer_hints, describe_block, is_blocked
from pilothouse.code.sandbox import RunOutcome, Worker
from pilothouse.daemon.code_run_file_uploads import ScratchFolder, copy_uploads, remove_orphans
from pilothouse.daemon.code_run_images import RunImages
from pilothouse.errors import NotPermitted, TabNotFound, ToolError, UsageError
from pilothouse.page.local_files import save_file
from pilothouse.security.calls_allowed_in_code_runs import check_run_call
from pilothouse.security.file_access import FileAccess
from pilothouse.security.filenames import image_format
from pilothouse.supervisor import Outcome
from pilothouse.supervisor import agent_view as view
from pilothouse.tabs.hand_over import refuse_meanwhile
from pilothouse.tabs.open_and_close_requests import check_timeout, clamp_timeout
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import VERBS, invoke, plain
from pilothouse.tools.context import RUN_TOOLS, UseTool

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["run_code"]

_log = logging.getLogger(__name__)

# A call from code must end before its run, so that there is time to report it.
HEADROOM_S = 0.2
LONGER = "give a longer timeout (at most 300 s), or split the code into several runs"


class _RunContext(msgspec.Struct):
    """One run: its tab, worker, folders and screenshots.

    A run that may `use` tools does not hold its tab's lease: each of its calls takes the lease, as
    calls of tools do."""

    daemon: Daemon
    tab: OwnedTab
    access: FileAccess
    pictures: RunImages
    use: UseTool | None = None
    worker: Worker | None = None

    def set_worker(self, worker: Worker) -> None:
        self.worker = worker


async def run_code(daemon: Daemon, owner: str, params: dict[str, Any]) -> dict[str, Any]:
    """Run Python in a worker, or JavaScript in the page. Raises ToolError for bad requests."""
    code = params.get("code")
    if not isinstance(code, str) or not code.strip():
        raise UsageError("Missing required parameter 'code' for action 'run'", hint="give code")
    language = params.get("language", "python")
    if language not in ("python", "js"):
        raise UsageError(f"language: unknown value {language!r}", hint="use python or js")
    seconds = clamp_timeout(params.get("timeout"))
    tab = daemon.tabs.get(owner, params.get("name", "main"))
    run = _run_context(daemon, tab, params.get("cwd"))
    # A caller may pass its own state, which then follows it from tab to tab.
    own = params.get("state")
    if own is not None and not isinstance(own, dict):
        raise UsageError(f"state: expected an object, got {own!r}", hint="give an object")
    async with _hold_tab(run, seconds):
        refuse_meanwhile(tab)
        if language == "js":
            value = await invoke(tab, "evaluate", {"code": code, "timeout": seconds})
            _raise_if_blocked("the script", value)
            tab.note_capture("evaluate", value)
            ran = RunOutcome(value=value, has_value=value is not None)
        else:
            ran = await daemon.runner.run(
                code,
                lambda method, given, left: _redacted_call(run, method, given, left),
                seconds=seconds,
                tab=tab.name,
                state=tab.state if own is None else own,
                on_worker=run.set_worker,
                pictures=run.pictures.shown,
            )
            if ran.state is not None and own is None:
                tab.state = ran.state
    report = _report(run, ran)
    if own is not None:
        report["state"] = own if ran.state is None else ran.state
    return report


def _hold_tab(run: _RunContext, seconds: float) -> AbstractAsyncContextManager[None]:
    return nullcontext() if run.use else run.tab.lease.hold("run", seconds)


def _run_context(daemon: Daemon, tab: OwnedTab, working: Any) -> _RunContext:
    """Build the context of a run.

    A caller without roots (the command line, a Python program) sends its working directory."""
    files = daemon.files
    roots = files.roots(tab.owner)
    access = files.access(tab.owner, roots if roots.folders else files.working(working))
    shots = files.settings.screenshot_dir
    pictures = RunImages(access, shots, daemon.paths.root / "outputs")
    return _RunContext(daemon, tab, access, pictures, RUN_TOOLS.get())


async def _redacted_call(run: _RunContext, method: str, given: dict[str, Any], left: float) -> Any:
    """Run a call from code, with secrets redacted from its result and errors."""
    redactor = run.daemon.redactor
    with redactor.redact_errors():
        return redactor.redact(await _call(run, method, given, left))


async def _call(run: _RunContext, method: str, given: dict[str, Any], left: float) -> Any:
    """Run a call from code: a verb on its owner's tabs, `open`, `close` and a few others."""
    check_run_call(method, given)
    daemon, owner = run.daemon, run.tab.owner
    if method.startswith("tab."):
        return await _verb(run, method.removeprefix("tab."), given, left)
    if method == "tool":
        return await _tool(run, given)
    if method == "open":
        opened = await daemon.open(owner, given, None if run.use else run.tab)
        arrival = opened["details"].get("arrival")
        if is_blocked(arrival):
            raise _blocked_error("open", arrival)
        return opened
    answered = await daemon.methods[method](owner, given)
    if method == "page.cdp" and is_blocked(answered):
        raise _blocked_error(str(given.get("command")), answered)
    return answered


async def _tool(run: _RunContext, given: dict[str, Any]) -> dict[str, Any]:
    """Call a tool of the session that the run belongs to. Raises ToolError if it fails."""
    if run.use is None:
        raise NotPermitted("code in a run cannot call 'tool'", hint="use tab, page or browser")
    name, arguments = given.get("name"), given.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise UsageError(
            "tools: expected a name (string) and arguments (object)",
            hint="call tools.browser_snapshot()",
        )
    answer = await run.use(name, arguments)
    if not answer["success"]:
        raise ToolError(str(answer.get("error", "it failed")), hint=str(answer.get("hint", "")))
    return answer


async def _verb(run: _RunContext, verb: str, given: dict[str, Any], left: float) -> Any:
    """Run a verb. The run holds the lease of its own tab; for another tab, wait for its lease."""
    daemon, owner = run.daemon, run.tab.owner
    tab = _tab(run, given.get("tab", "main"))
    given = {key: value for key, value in given.items() if key != "tab"}
    known = VERBS.get(verb)
    takes = {p.name: p.default for p in known.parameters} if known else {}
    wanted = check_timeout(given.pop("timeout", None))
    if "timeout" in takes:
        wanted = takes["timeout"] if wanted is None else wanted
        if wanted is not None:
            given["timeout"] = max(min(float(wanted), left - HEADROOM_S), 0.05)
    if verb == "upload":
        given["paths"] = await _copy_files(run, tab, given.get("paths"))
    elif verb == "answer" and isinstance(detail := given.get("detail"), dict) and "files" in detail:
        given["detail"] = {**detail, "files": await _copy_files(run, tab, detail["files"])}
    save = str(given.pop("save", "") or "") if verb in ("screenshot", "pdf") else ""
    if verb == "screenshot" and save:
        given["format"] = image_format(save, given.get("format", "png"))
    more: dict[str, Any] = {}
    own = tab is run.tab and run.use is None
    turn: AbstractAsyncContextManager[Any] = nullcontext()
    if not (own or known is None or known.free):
        turn = tab.lease.hold(f"{verb} of a run", max(left - HEADROOM_S, 0.05))
    async with turn:
        refuse_meanwhile(tab, verb)
        answered = await invoke(tab, verb, given)
        _raise_if_blocked(verb, answered)
        if verb == "screenshot":
            more = await run.pictures.keep(
                answered.value, tab.name, save, lambda: _for_model(tab, given)
            )
        elif save:
            data = answered.value.data
            more = {"path": str(await asyncio.to_thread(save_file, save, data, run.access))}
    tab.note_capture(verb, plain(answered), in_run=True)
    told = add_answer_hints(daemon.tab_calls.name_new_tabs(owner, plain(answered)), "python")
    return {**told, **more} if more else told


async def _for_model(tab: OwnedTab, given: dict[str, Any]) -> Any:
    """Take the same screenshot within a model's limits; None if that fails."""
    same: dict[str, Any] = {
        key: given[key] for key in ("target", "full_page", "annotate") if key in given
    }
    try:
        outcome = await invoke(tab, "screenshot", {**same, "for_model": True})
    except ToolError as error:
        _log.info("no copy of a screenshot for the model: %s", error.message)
        return None
    return outcome.value


async def _copy_files(run: _RunContext, tab: OwnedTab, paths: Any) -> Any:
    """Copy the files that code uploads, and return the paths of the copies."""
    if run.worker is None:
        return paths
    daemon, scratch = (
        run.daemon,
        ScratchFolder(run.worker.scratch, run.worker.folder),
    )
    copies = await asyncio.to_thread(
        copy_uploads, paths, scratch, daemon.paths.uploads, tab, run.access
    )
    await asyncio.to_thread(remove_orphans, daemon.paths.uploads, daemon.tabs.all())
    return copies


def _tab(run: _RunContext, name: str) -> OwnedTab:
    try:
        return run.daemon.tabs.get(run.tab.owner, name)
    except ToolError:
        if name not in (run.tab.name, run.tab.tab_id):
            raise
        raise TabNotFound(
            f'tab "{name}" was closed while the code ran', hint="open it again with browser.open"
        ) from None


def _raise_if_blocked(what: str, answered: Any) -> None:
    """Raise if a verb was blocked. A page's own value is never an Outcome, so it cannot fake it."""
    if isinstance(answered, Outcome) and answered.blocked_by:
        raise _blocked_error(what, plain(answered))


def _blocked_error(what: str, answer: dict[str, Any]) -> ToolError:
    message, hint = describe_block(what, answer)
    return ToolError(message, hint=hint)


def _report(run: _RunContext, ran: RunOutcome) -> dict[str, Any]:
    tab = run.tab
    content = [{k: v for k, v in item.items() if k != "printed"} for item in ran.output]
    if ran.has_value:
        content.append({"type": "text", "text": _format_value(ran.value)})
    error = ran.error
    if error is None and not content:
        content.append({"type": "text", "text": f'Ran code on tab "{tab.name}"'})
    shown = tab.describe()
    text = "\n".join(str(item["text"]).rstrip("\n") for item in content if "text" in item)
    report: dict[str, Any] = {
        "content": content,
        "value": ran.value,
        "details": {
            "action": "run",
            "name": tab.name,
            "browser": shown["browser"],
            "url": shown["url"],
            "result": text,
        },
    }
    if run.pictures.saved:
        report["details"]["screenshots"] = run.pictures.saved
    if error is not None:
        report["error"] = {**error, "message": _error_text(tab, ran)}
        if ran.timed_out and not error.get("hint"):
            report["error"]["hint"] = LONGER
    return report


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _error_text(tab: OwnedTab, ran: RunOutcome) -> str:
    assert ran.error is not None
    parts = [str(ran.error.get("message", ""))]
    if ran.error.get("line"):
        parts.append(f"at line {ran.error['line']}: {ran.error.get('text', '')}")
    if ran.in_flight:
        stalled = ", ".join(f"{call.method} ({call.seconds:.1f} s)" for call in ran.in_flight)
        parts.append(f"stalled on {stalled}")
    for dialog in view.pending_dialogs(tab.supervisor.state, tab.tab_id):
        parts.append(f"a {dialog['type']} dialog is open: {dialog['message']!r}")
    if ran.timed_out:
        parts.append(f'tab "{tab.name}" is alive, at {tab.describe()["url"]}')
    return "; ".join(part for part in parts if part)
