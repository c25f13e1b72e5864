"""Evaluation: runs the agent's JavaScript in any frame, in the main world or in our isolated world.

Knows: how a program is sent, timed and terminated. Must not know: what the code is for.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.asyncio_tasks import result_of
from pilothouse.cdp import Reply, Session
from pilothouse.cdp.protocol import Runtime
from pilothouse.errors import (
    CdpError,
    CommandFailed,
    CommandTimeout,
    InterruptedByNavigation,
    ToolError,
    UsageError,
    WaitTimeout,
)
from pilothouse.page.blocked_time_deadline import Deadline
from pilothouse.page.script.agent_javascript_wrapper import (
    READ,
    JsProgram,
    is_syntax_error,
    parse_error,
    plain_program,
    programs,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Frame, Outcome
from pilothouse.supervisor.model import describe_pending_navigation

__all__ = ["Evaluation", "EvaluationResult"]

# Characters of JSON; a larger value is cut, with a note.
LIMIT = 50_000

PROBE_WITHIN_S = 0.5
TERMINATED_WITHIN_S = 3.0
# Timeout of the CDP command itself; the Deadline ends a call earlier, and knows the reason.
COMMAND_WITHIN_S = 3600.0

_GROUP = "pilothouse evaluate"

# The extension's message for a script that it refuses under "read only", because Chrome cannot
# prove that the script changes nothing.
_READS_ONLY = "Pilothouse refuses this script"

_FALSY = ("NaN", "-0", "0n")

# Chrome's errors for a terminated script: of callFunctionOn and of evaluate.
_TERMINATED = ("Execution was terminated", "Internal error")


class EvaluationResult(msgspec.Struct, frozen=True):
    """A value as JSON. What JSON cannot represent is described: {type, description, preview}.
    `type` is the JavaScript type of the whole value, `truthy` whether JavaScript counts it as
    true; `note` says what was left out, if anything."""

    value: Any
    type: str
    note: str = ""
    truthy: bool = True


class Evaluation:
    """Runs code in the frames of one tab."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds

    async def evaluate(
        self,
        code: str,
        *arguments: Any,
        frame_id: str = "",
        world: str = "main",
        timeout: float = 30.0,
        limit: int = LIMIT,
    ) -> Outcome[EvaluationResult]:
        """Evaluate an expression, a function called with `arguments`, statements, or a body with
        `return`; promises are awaited. No part of the code runs twice.

        Raises ToolError with message, stack and line when the code throws, and when it takes
        longer than `timeout` seconds: a script that is still running then is terminated.
        """
        if not code.strip():
            raise UsageError("code: it is empty", hint="pass an expression such as document.title")
        if world not in ("main", "isolated"):
            raise UsageError(
                f"world: unknown value {world!r}; expected main or isolated",
                hint="use main for the page's own variables, isolated for ours",
            )
        if not timeout > 0:
            raise UsageError(
                f"timeout: {timeout} is not positive; expected seconds", hint="use 30, for example"
            )
        given = [_argument(argument) for argument in arguments]
        frame = self._context.frame(frame_id)
        session = self._context.session_of(frame)
        deadline = Deadline(self._context, timeout)
        ways = programs(code, limit, arguments=bool(given))

        async def work() -> EvaluationResult:
            where = await self._where(frame, world)
            run = _EvaluationRun(self._context, session, where, given, deadline, code, limit)
            try:
                return await run.first_that_compiles(ways)
            except InterruptedByNavigation as error:
                raise ToolError(
                    "the page navigated to another document while the code ran",
                    hint="take a snapshot: the code itself may have caused the navigation",
                ) from error

        return await self._context.race(work, session)

    async def _where(self, frame: Frame, world: str) -> dict[str, Any]:
        """Return the parameter of the command that names the execution context."""
        if world == "isolated":
            return {"executionContextId": (await self._worlds.of(frame)).context_id}
        return {"uniqueContextId": await self._context.supervisor.main_world(frame.id)}


def _reads_only(details: Mapping[str, Any]) -> bool:
    exception = details.get("exception") or {}
    return _READS_ONLY in str(exception.get("description", ""))


class _EvaluationRun(msgspec.Struct, frozen=True):
    """One call of `evaluate`: tries programs until one compiles, and reads its value."""

    context: TabContext
    session: Session
    where: dict[str, Any]
    given: list[Any]
    deadline: Deadline
    code: str
    limit: int

    async def first_that_compiles(self, ways: list[JsProgram]) -> EvaluationResult:
        refused: Mapping[str, Any] = {}
        left = list(ways)
        while left:
            way = left.pop(0)
            answer = await self._answer(self._send(way))
            details = answer.get("exceptionDetails")
            if details is None:
                return await self._read(way, answer["result"])
            if way.form in ("expression", "function") and _reads_only(details):
                # Nothing has run. Without our value reader and promises, Chrome may be able to
                # prove that the code changes nothing.
                left = [plain_program(self.code)]
                continue
            if not is_syntax_error(details):
                raise ToolError(
                    parse_error(details, self._code_of(way)).text(),
                    hint="the page's script threw this: correct the code",
                )
            # The last form is the most permissive, so its error is the one to report.
            refused = details
        error = parse_error(refused, self._code_of(ways[-1]))
        raise ToolError(error.text(), hint="nothing was run: correct the code and try again")

    def _code_of(self, way: JsProgram) -> str:
        """Return the code as the program contains it: expressions are stripped."""
        return self.code.strip() if way.form in ("expression", "function") else self.code

    def _send(self, way: JsProgram) -> Reply[Any]:
        if way.form != "script":
            return self.session.send(
                Runtime.callFunctionOn(
                    functionDeclaration=way.source,
                    arguments=self.given,
                    awaitPromise=True,
                    returnByValue=True,
                    **self.where,
                ),
                COMMAND_WITHIN_S,
            )
        where = dict(self.where)
        if "executionContextId" in where:
            where["contextId"] = where.pop("executionContextId")
        return self.session.send(
            Runtime.evaluate(
                expression=way.source,
                # Top-level await needs REPL mode, which does not await the script's value.
                replMode=True if way.awaits else None,
                awaitPromise=True,
                objectGroup=_GROUP,
                **where,
            ),
            COMMAND_WITHIN_S,
        )

    async def _read(self, way: JsProgram, result: Mapping[str, Any]) -> EvaluationResult:
        if way.form == "plain":
            return self._evaluated(self._primitive(result))
        if way.form != "script":
            return self._evaluated(result["value"])
        if "objectId" not in result:
            return self._evaluated(self._primitive(result))
        reader = f"async function () {{ return ({READ})(await this, {self.limit}); }}"
        reply = self.session.send(
            Runtime.callFunctionOn(
                functionDeclaration=reader,
                objectId=result["objectId"],
                awaitPromise=True,
                returnByValue=True,
            ),
            COMMAND_WITHIN_S,
        )
        answer = await self._answer(reply)
        self.session.send(Runtime.releaseObjectGroup(objectGroup=_GROUP))
        details = answer.get("exceptionDetails")
        if details is not None:
            raise ToolError(
                parse_error(details, self.code).text(),
                hint="the page's script threw this: correct the code",
            )
        return self._evaluated(answer["result"]["value"])

    def _primitive(self, result: Mapping[str, Any]) -> dict[str, Any]:
        kind, special = result["type"], result.get("unserializableValue")
        if special is not None:
            described = {"type": kind, "description": special}
            return {"type": kind, "value": described, "truthy": special not in _FALSY}
        value = result.get("value")
        if isinstance(value, str) and len(value) > self.limit:
            cut = len(value) - self.limit
            return {"type": kind, "value": value[: self.limit] + "…", "cut": cut, "truthy": True}
        kind = "null" if result.get("subtype") == "null" else kind
        return {"type": kind, "value": value, "truthy": bool(value)}

    def _evaluated(self, read: Mapping[str, Any]) -> EvaluationResult:
        cut = read.get("cut") or 0
        note = (
            f"the value is longer than {self.limit} characters: {cut} more characters, items or "
            "properties were left out; return less, or return it in parts"
        )
        return EvaluationResult(
            read.get("value"), read["type"], note if cut else "", read["truthy"]
        )

    async def _answer(self, reply: Reply[Any]) -> Mapping[str, Any]:
        """Await the reply; terminate the script if the deadline passes first."""
        waiting = self.context.supervisor.tasks.start(_settled(reply), "evaluate")
        while not waiting.done():
            left = self.deadline.left()
            if left == 0.0:
                raise await self._overdue(waiting)
            await asyncio.wait({waiting}, timeout=left)
        answer: Mapping[str, Any] | CdpError = result_of(waiting)
        if isinstance(answer, CommandFailed) and answer.detail in _TERMINATED:
            raise ToolError(
                "the script was terminated before it finished",
                hint="run it again: another call terminated it, because it hung the tab",
            )
        if isinstance(answer, CdpError):
            raise answer
        return answer

    async def _overdue(self, waiting: asyncio.Task[Any]) -> ToolError:
        """Find out why there is no reply: a navigation, a busy script, or a pending promise."""
        seconds = f"{self.deadline.seconds:g} s"
        supervisor = self.context.supervisor
        if pending := supervisor.navigations.waiting_for_server(self.session.id):
            # Do not terminate anything: it would hit the script of the next document.
            waiting.cancel()
            told = describe_pending_navigation(pending, supervisor.now())
            return WaitTimeout(
                f"no answer within {seconds}: the page is navigating ({told})",
                hint="wait for the new page, stop the navigation, or pass a longer timeout",
            )
        try:
            await self.session.send(Runtime.evaluate(expression="0"), PROBE_WITHIN_S)
        except CommandTimeout:
            await _settled(self.session.send(Runtime.terminateExecution(), TERMINATED_WITHIN_S))
            await asyncio.wait({waiting}, timeout=TERMINATED_WITHIN_S)
            waiting.cancel()
            return WaitTimeout(
                f"the script was still running after {seconds} and was terminated",
                hint="look for an endless loop, or pass a longer timeout; the tab is usable",
            )
        except CdpError as error:
            waiting.cancel()
            return WaitTimeout(f"no answer within {seconds}: {error.message}", hint=error.hint)
        waiting.cancel()
        return WaitTimeout(
            f"the code ran, but its promise was not settled within {seconds}",
            hint="check what it waits for, or pass a longer timeout",
        )


async def _settled(reply: Reply[Any]) -> Mapping[str, Any] | CdpError:
    """Return the reply, or its error as a value: it may arrive after the deadline, when no caller
    is left to handle an exception."""
    try:
        answer: Mapping[str, Any] = await reply
    except CdpError as error:
        return error
    return answer


def _argument(value: Any) -> dict[str, Any]:
    """Convert one argument for Chrome. Raises ToolError for what JSON cannot represent."""
    if isinstance(value, float) and not math.isfinite(value):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return {"unserializableValue": word}
    if value is not None and not isinstance(value, str | int | float | bool | list | dict | tuple):
        raise UsageError(
            f"arguments: cannot pass a {type(value).__name__}",
            hint="pass JSON values: numbers, texts, lists, objects",
        )
    return {"value": value}
