"""Tool to ask a person: to do something in the tab, or a question.

Knows: the verb `request_human`, and how its result reads for an agent. Must not know: where the
person answers.
"""

from __future__ import annotations

from typing import Any

from pilothouse.code.client import is_blocked
from pilothouse.errors import WaitTimeout
from pilothouse.tools.blocked_calls import finish_call
from pilothouse.tools.catalog.snapshot_and_images import snapshot_new_page
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import drop_empty
from pilothouse.tools.tool import Fields, tool

__all__ = ["browser_request_human"]

# MCP clients give a call about a minute. Who waits longer asks again with the action_id.
_WAITS_S = 45.0


@tool("people", reads=True, changes=True)
async def browser_request_human(
    context: ToolContext,
    reason: str,
    choices: list[str] = [],  # noqa: B006
    timeout: float = 600.0,
) -> Fields:
    """Ask the user to do something in the tab (sign in, solve a captcha, pay) or to answer. Returns
    the outcome and what changed in the tab.

    reason: what to do, in a sentence
    choices: answers to choose from
    timeout: seconds until it expires
    """
    answer = await context.verb("request_human", reason=reason, choices=choices, within=timeout)
    if is_blocked(answer) and answer["action_id"]:
        answer = await _wait_for_person(context, answer)

    async def shape(result: Any) -> Fields:
        return await _format_result(context, result)

    return await finish_call(context, "browser_request_human", answer, shape)


async def _wait_for_person(context: ToolContext, blocked: Any) -> Any:
    """Return the result of the request, or the blocked answer if the person takes longer."""
    try:
        return await context.verb("result", action_id=blocked["action_id"], timeout=_WAITS_S)
    except WaitTimeout:
        return blocked


async def _format_result(context: ToolContext, result: Any) -> Fields:
    changed = dict(result["changed"])
    fields: Fields = {
        "outcome": result["outcome"],
        "answer": result["answer"],
        "changed": changed,
        # The person's words are the user's, not the page's.
        "trusted": ("outcome", "answer"),
    }
    page = await snapshot_new_page(context) if "url" in changed else {}
    return drop_empty(fields) | page
