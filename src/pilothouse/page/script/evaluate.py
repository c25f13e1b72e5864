"""Running an agent's JavaScript in any frame, in the page's own world or in ours.

Knows: how a program is sent, timed and ended. Must not know: what the code is for.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp import Reply, Session
from pilothouse.cdp.protocol import Runtime
from pilothouse.errors import (
    CdpError,
    CommandFailed,
    CommandTimeout,
    InterruptedByNavigation,
    ToolError,
)
from pilothouse.page.deadline import Deadline
from pilothouse.page.script.programs import (
    READ,
    Program,
    compiles_not,
    plain_program,
    programs,
    thrown,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Frame, Outcome
from pilothouse.supervisor.model import describe_pending_navigation
from pilothouse.tasks import result_of

__all__ = ["Evaluation", "EvaluationResult"]

# Characters of JSON; more is cut, and said to be.
LIMIT = 50_000

PROBE_WITHIN_S = 0.5
ENDED_WITHIN_S = 3.0
LATE_S = 3600.0

_GROUP = "pilothouse evaluate"

# How a script is refused in the user's own Chrome that Chrome cannot prove to be a reader.
_READS_ONLY = "Pilothouse refuses this script"

_FALSY = ("NaN", "-0", "0n")

# What Chrome says of a script that was ended: called, evaluated.
_TERMINATED = ("Execution was terminated", "Internal error")


class EvaluationResult(msgspec.Struct, frozen=True):
    """A value as JSON. What JSON cannot say is described in place: {type, description, preview}.
    `type` is JavaScript's word for the whole, `truthy` its opinion; `note` says what was left
    out, if anything."""

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
        """The value of an expression, a function called with `arguments`, statements, or a body
        with `return`; promises are awaited. Nothing of the code runs twice.

        Raises ToolError with the message, the stack and the line when the code throws, and when
        it takes longer than `timeout`: a script that is still running then is ended.
        """
        if not code.strip():
            raise ToolError("code is empty", hint="give an expression such as document.title")
        if world not in ("main", "isolated"):
            raise ToolError(f"world: {world!r} is not known", hint='"main" or "isolated"')
        if not timeout > 0:
            raise ToolError(f"timeout: {timeout} is no time to wait", hint="seconds, more than 0")
        given = [_argument(argument) for argument in arguments]
        frame = self._context.frame(frame_id)
        session = self._context.session_of(frame)
        patience = Deadline(self._context, timeout)
        ways = programs(code, limit, arguments=bool(given))

        async def work() -> EvaluationResult:
            where = await self._where(frame, world)
            run = _Run(self._context, session, where, given, patience, code, limit)
            try:
                return await run.first_that_compiles(ways)
            except InterruptedByNavigation as error:
                raise ToolError(
                    "the page went to another document while the code ran",
                    hint="what the code did may have been the cause; look at the page as it is now",
                ) from error

        return await self._context.race(work, session)

    async def _where(self, frame: Frame, world: str) -> dict[str, Any]:
        """The context as a parameter of the command."""
        if world == "isolated":
            return {"executionContextId": (await self._worlds.of(frame)).context_id}
        return {"uniqueContextId": await self._context.supervisor.main_world(frame.id)}


def _reads_only(details: Mapping[str, Any]) -> bool:
    thrown_value = details.get("exception") or {}
    return _READS_ONLY in str(thrown_value.get("description", ""))


class _Run(msgspec.Struct, frozen=True):
    context: TabContext
    session: Session
    where: dict[str, Any]
    given: list[Any]
    patience: Deadline
    code: str
    limit: int

    async def first_that_compiles(self, ways: list[Program]) -> EvaluationResult:
        refused: Mapping[str, Any] = {}
        left = list(ways)
        while left:
            way = left.pop(0)
            answer = await self._answer(self._send(way))
            details = answer.get("exceptionDetails")
            if details is None:
                return await self._read(way, answer["result"])
            if way.form in ("expression", "function") and _reads_only(details):
                # Nothing has run. Without our reader and its promises Chrome may let it pass.
                left = [plain_program(self.code)]
                continue
            if not compiles_not(details):
                raise ToolError(
                    thrown(details, self._lines(way)).text(), hint="the page's script threw this"
                )
            # The last form allows most, so its complaint is the one that matters.
            refused = details
        said = thrown(refused, self._lines(ways[-1]))
        raise ToolError(said.text(), hint="nothing was run: mend the code and try again")

    def _lines(self, way: Program) -> str:
        """The code as the program has it: expressions lose their outer blanks."""
        return self.code.strip() if way.form in ("expression", "function") else self.code

    def _send(self, way: Program) -> Reply[Any]:
        if way.form != "script":
            return self.session.send(
                Runtime.callFunctionOn(
                    functionDeclaration=way.source,
                    arguments=self.given,
                    awaitPromise=True,
                    returnByValue=True,
                    **self.where,
                ),
                LATE_S,
            )
        where = dict(self.where)
        if "executionContextId" in where:
            where["contextId"] = where.pop("executionContextId")
        return self.session.send(
            Runtime.evaluate(
                expression=way.source,
                # Only so may a script await; but then what it ends with is not awaited.
                replMode=True if way.awaits else None,
                awaitPromise=True,
                objectGroup=_GROUP,
                **where,
            ),
            LATE_S,
        )

    async def _read(self, way: Program, result: Mapping[str, Any]) -> EvaluationResult:
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
            LATE_S,
        )
        answer = await self._answer(reply)
        self.session.send(Runtime.releaseObjectGroup(objectGroup=_GROUP))
        details = answer.get("exceptionDetails")
        if details is not None:
            raise ToolError(thrown(details, self.code).text(), hint="the page's script threw this")
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
            f"the value is larger than {self.limit} characters: {cut} more characters, items or "
            "properties were left out; return less, or in parts"
        )
        return EvaluationResult(
            read.get("value"), read["type"], note if cut else "", read["truthy"]
        )

    async def _answer(self, reply: Reply[Any]) -> Mapping[str, Any]:
        """The reply, or the end of what gives none in time."""
        waiting = self.context.supervisor.tasks.start(_settled(reply), "evaluate")
        while not waiting.done():
            left = self.patience.left()
            if left == 0.0:
                raise await self._overdue(waiting)
            await asyncio.wait({waiting}, timeout=left)
        answer: Mapping[str, Any] | CdpError = result_of(waiting)
        if isinstance(answer, CommandFailed) and answer.detail in _TERMINATED:
            raise ToolError(
                "the script was ended before it was done", hint="somebody ended what hung the tab"
            )
        if isinstance(answer, CdpError):
            raise answer
        return answer

    async def _overdue(self, waiting: asyncio.Task[Any]) -> ToolError:
        seconds = f"{self.patience.seconds:g} s"
        supervisor = self.context.supervisor
        if pending := supervisor.navigations.waiting_for_server(self.session.id):
            # Nothing is ended here: it would be the next document that ends.
            waiting.cancel()
            told = describe_pending_navigation(pending, supervisor.now())
            return ToolError(
                f"no answer within {seconds}: the page is navigating ({told})",
                hint="wait for the new page, stop the navigation, or give a longer timeout",
            )
        try:
            await self.session.send(Runtime.evaluate(expression="0"), PROBE_WITHIN_S)
        except CommandTimeout:
            await _settled(self.session.send(Runtime.terminateExecution(), ENDED_WITHIN_S))
            await asyncio.wait({waiting}, timeout=ENDED_WITHIN_S)
            waiting.cancel()
            return ToolError(
                f"the script was still running after {seconds} and was ended",
                hint="look for an endless loop, or give a longer timeout; the tab can be used",
            )
        except CdpError as error:
            waiting.cancel()
            return ToolError(f"no answer within {seconds}: {error.message}", hint=error.hint)
        waiting.cancel()
        return ToolError(
            f"the code ran, but its promise was not settled within {seconds}",
            hint="check what it waits for, or give a longer timeout",
        )


async def _settled(reply: Reply[Any]) -> Mapping[str, Any] | CdpError:
    """The reply or its error, as a value: it may come when nobody waits any more."""
    try:
        answer: Mapping[str, Any] = await reply
    except CdpError as error:
        return error
    return answer


def _argument(value: Any) -> dict[str, Any]:
    """One argument for Chrome. Raises ToolError for what JSON cannot say."""
    if isinstance(value, float) and not math.isfinite(value):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return {"unserializableValue": word}
    if value is not None and not isinstance(value, str | int | float | bool | list | dict | tuple):
        raise ToolError(
            f"an argument is a {type(value).__name__}", hint="pass JSON: numbers, text, lists, maps"
        )
    return {"value": value}
