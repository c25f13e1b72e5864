"""`run`: agent-written code on a tab, from its request to the report of its end.

Knows: what code may call, and how a run is reported. Must not know: how it is kept in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.code.runner import Ran
from pilothouse.errors import ToolError
from pilothouse.supervisor import Outcome, view
from pilothouse.tabs.request import clamp_timeout
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import VERBS, invoke, plain

if TYPE_CHECKING:
    from pilothouse.house.house import House

__all__ = ["run_code"]

# A call ends before its run does: there must be time to report it.
HEADROOM_S = 0.2


async def run_code(house: House, owner: str, params: dict[str, Any]) -> dict[str, Any]:
    """Run Python in a worker, or JavaScript in the page. Raises ToolError for bad requests."""
    code = params.get("code")
    if not isinstance(code, str) or not code.strip():
        raise ToolError("Missing required parameter 'code' for action 'run'", hint="give code")
    language = params.get("language", "python")
    if language not in ("python", "js"):
        raise ToolError(f"language: {language!r} is not known", hint="python or js")
    seconds = clamp_timeout(params.get("timeout"))
    tab = house.tabs.get(owner, params.get("name", "main"))
    async with tab.lease.held("run", seconds):
        if language == "js":
            value = await invoke(tab, "evaluate", {"code": code, "timeout": seconds})
            _refuse_blocked("the script", value)
            ran = Ran(value=value, has_value=value is not None)
        else:
            ran = await house.runner.run(
                code,
                lambda method, given, left: _call(house, tab, method, given, left),
                seconds=seconds,
                tab=tab.name,
                state=tab.state,
            )
            if ran.state is not None:
                tab.state = ran.state
    return _report(tab, ran)


async def _call(
    house: House, held: OwnedTab, method: str, given: dict[str, Any], left: float
) -> Any:
    """What code may ask: verbs on its owner's tabs, and opening and closing them."""
    if method.startswith("tab."):
        return await _verb(house, held, method.removeprefix("tab."), given, left)
    if method == "open":
        return await house.open(held.owner, given, held)
    if method in ("close", "tabs", "page.cdp", "page.expect", "page.expected"):
        return await house.methods[method](held.owner, given)
    raise ToolError(f"code cannot call {method!r}", hint="use tab, page or browser")


async def _verb(house: House, held: OwnedTab, verb: str, given: dict[str, Any], left: float) -> Any:
    """A verb on the run's own tab, whose turn it has; on another one, in its turn."""
    tab = house.tabs.get(held.owner, given.get("tab", "main"))
    given = {key: value for key, value in given.items() if key != "tab"}
    known = VERBS.get(verb)
    takes = {p.name for p in known.parameters} if known else set()
    if "timeout" in takes:
        asked = given.get("timeout")
        usual = next((p.default for p in known.parameters if p.name == "timeout"), None)  # type: ignore[union-attr]
        wanted = asked if isinstance(asked, int | float) else usual
        if isinstance(wanted, int | float):
            given["timeout"] = max(min(float(wanted), left - HEADROOM_S), 0.05)
    if tab is held or known is None or known.free:
        answered = await invoke(tab, verb, given)
    else:
        async with tab.lease.held(f"{verb} of a run", max(left - HEADROOM_S, 0.05)):
            answered = await invoke(tab, verb, given)
    _refuse_blocked(verb, answered)
    return house.told(held.owner, plain(answered))


def _refuse_blocked(verb: str, answered: Any) -> None:
    if isinstance(answered, Outcome) and answered.blocked_by:
        answer = plain(answered)
        what = answer["blocked_by"][0]
        told = what.get("message") or what.get("kind")
        raise ToolError(
            f"{verb} is blocked by {what.get('type') or what['kind']} {told!r}",
            hint=f"tab.handle_dialog(accept=True), then tab.result({answer['action_id']!r})",
        )


def _report(tab: OwnedTab, ran: Ran) -> dict[str, Any]:
    content = [{k: v for k, v in item.items() if k != "printed"} for item in ran.output]
    if ran.has_value:
        content.append({"type": "text", "text": _text(ran.value)})
    error = ran.error
    if error is None and not content:
        content.append({"type": "text", "text": f'Ran code on tab "{tab.name}"'})
    shown = tab.shown()
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
    if error is not None:
        report["error"] = {**error, "message": _error_text(tab, ran)}
    return report


def _text(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _error_text(tab: OwnedTab, ran: Ran) -> str:
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
        parts.append(f'tab "{tab.name}" is alive, at {tab.shown()["url"]}')
    return "; ".join(part for part in parts if part)
