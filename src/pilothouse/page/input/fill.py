"""Putting values into fields, and being sure that they are there.

Knows: which fields take inserted text (trusted input, so that frameworks see it) and which only
take their value as a whole, and how to read it back. Must not know: how elements are found, which
keys there are. A receipt is only given for a value that was read back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Unpack

from msgspec.structs import replace

from pilothouse.cdp.protocol import Input
from pilothouse.errors import CommandFailed, SessionGone, ToolError
from pilothouse.page.input.action_runner import Act
from pilothouse.page.input.actionability import Aim, Aimed, Need, Where
from pilothouse.page.input.field_values import Verdict, as_checked, as_text, barred, judge
from pilothouse.page.input.keyboard import insert_here, send_keys, unfocused
from pilothouse.page.input.keys import chord, chord_events
from pilothouse.page.input.mouse import Mouse
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.input.select import Choose
from pilothouse.security.secrets import SecretText, reveal
from pilothouse.supervisor import Outcome

__all__ = ["Fill"]

# Pages may put a value into shape a little later, or only then show what was chosen.
SETTLES_WITHIN_S = 0.5
LOOK_S = 0.03

_FIELD = Need(point=False, editable=True, control="field")
_CHECK = Need(point=False, control="check")
_PRESS = Need(arm=True, control="check")
_SEND = Need(arm=True)
_FOCUS = Need(point=False, control="focus")

_GONE = "the page went on before the value could be read"


class Fill:
    """The fields of one tab."""

    def __init__(self, aim: Aim, act: Act, mouse: Mouse, choose: Choose) -> None:
        self._aim = aim
        self._act = act
        self._mouse = mouse
        self._choose = choose

    async def fill(
        self, target: Any, value: Any, *, submit: bool = False, **where: Unpack[Where]
    ) -> Outcome[Receipt]:
        """Make a field hold a value, whatever it held; `submit` sends its form afterwards: by
        Enter, or by the form's button where Enter does not.

        Texts for all kinds of text, date, number and colour fields and editors; true and false
        for checkboxes; option names for lists. The receipt's value is what the field holds then.
        """

        async def work() -> Receipt:
            aimed = await self._aim.at(target, _FIELD, **where)
            kind = aimed.facts["field"]
            button = await self._button(aimed) if submit else None
            if kind == "check":
                receipt = await self._set_checked(aimed.said, as_checked(value), {})
                return await self._submitted(receipt, button)
            bound = isinstance(value, SecretText) and value.bound
            if kind in ("select", "choice"):
                if bound:
                    raise ToolError(
                        f"{aimed.shown()} takes choices, and this secret is for text fields only",
                        hint="take a snapshot and name the field it belongs in",
                    )
                receipt = await self._choose.on(aimed, self._revealed(aimed, value))
                return await self._submitted(receipt, button)
            if kind not in ("text", "assign", "rich"):
                raise _no_field(aimed, kind)
            text = as_text(self._revealed(aimed, value), aimed.facts["type"])
            enter = submit and button is None
            receipt = await self._fill(aimed, text, "filled", enter, bound=bound)
            return await self._submitted(receipt, button)

        return await self._act.tab_context.race(work)

    async def clear(self, target: Any, **where: Unpack[Where]) -> Outcome[Receipt]:
        """Empty a field."""

        async def work() -> Receipt:
            aimed = await self._aim.at(target, _FIELD, **where)
            kind = aimed.facts["field"]
            if kind not in ("text", "assign", "rich"):
                raise _no_field(aimed, kind)
            return await self._fill(aimed, as_text("", aimed.facts["type"]), "cleared", False)

        return await self._act.tab_context.race(work)

    async def focus(self, target: Any, **where: Unpack[Where]) -> Outcome[Receipt]:
        """Give an element the focus."""

        async def work() -> Receipt:
            aimed = await self._aim.at(target, _FOCUS, **where)
            had = False

            async def take() -> None:
                nonlocal had
                found = await self._call(aimed, "takeFocus", aimed.target)
                if found["state"] == "unfocused":
                    raise unfocused(aimed, found)
                if found["state"] != "ok":
                    raise aimed.refused(found)
                had = found["had"]

            receipt = await self._act.perform("focused", aimed, take)
            return replace(receipt, action="already focused") if had else receipt

        return await self._act.tab_context.race(work)

    async def check(self, target: Any, **where: Unpack[Where]) -> Outcome[Receipt]:
        """Switch a checkbox, a radio button or a switch on, by a click if it is off."""
        return await self._act.tab_context.race(lambda: self._set_checked(target, True, where))

    async def uncheck(self, target: Any, **where: Unpack[Where]) -> Outcome[Receipt]:
        """Switch a checkbox or a switch off, by a click if it is on."""
        return await self._act.tab_context.race(lambda: self._set_checked(target, False, where))

    # Forms.

    async def _button(self, aimed: Aimed) -> str | None:
        """The button that sends a field's form, where Enter in the field does not."""
        kind = aimed.facts["field"]
        if kind in ("assign", "rich") or (kind == "text" and aimed.facts["type"]):
            return None
        found = await self._call(aimed, "submitter", aimed.target)
        if found["state"] == "ok":
            return self._aim.ref(aimed.frame, found["number"])
        if found["state"] != "none":
            raise aimed.refused(found)
        if kind == "text":
            return None
        raise ToolError(
            f"{aimed.shown()} is in no form with a button that submits it",
            hint="nothing was filled; leave submit out, then click what sends it",
        )

    async def _submitted(self, receipt: Receipt, button: str | None) -> Receipt:
        """Send the form by its button: one receipt for both."""
        if button is None:
            return receipt
        sent = await self._mouse.press_on(button, _SEND, "submitted", self._mouse.press)
        word = "" if sent.refused else " and submitted"
        return replace(
            sent,
            action=f"{receipt.action}{word}",
            target=receipt.target,
            value=receipt.value,
            alerts=tuple(dict.fromkeys((*receipt.alerts, *sent.alerts))),
            notes=(*receipt.notes, *sent.notes),
        )

    # Values.

    def _revealed(self, aimed: Aimed, value: Any) -> Any:
        """A value with the secrets that it names, judged by the document that gets it."""
        return reveal(value, self._act.tab_context.document_url(aimed.frame.id))

    async def _fill(
        self, aimed: Aimed, text: str, verb: str, submit: bool, *, bound: bool = False
    ) -> Receipt:
        secret = aimed.facts["type"] == "password"
        notes: list[str] = []

        async def work() -> str | None:
            before = await self._prepare(aimed, text)
            if aimed.facts["field"] != "assign":
                if bound:
                    await insert_here(self._act, aimed, text)
                else:
                    await self._insert(aimed, text, before)
            held = await self._read(
                aimed, lambda value: self._judge(aimed, text, value, before).kept
            )
            if held is None:
                notes.append(_GONE)
                return None
            if held["blocked"]:
                raise ToolError(
                    f"{aimed.shown()} was not filled: the focus went to {held['blocked']}",
                    hint="nothing was put there; take a snapshot and fill what has opened",
                )
            verdict = self._judge(aimed, text, held["value"], before)
            if not verdict.kept:
                raise _not_taken(aimed, text, verdict, held["message"], secret)
            notes.extend(note for note in (verdict.note, _complaint(held["message"])) if note)
            if submit:
                await send_keys(aimed.session, chord_events(*chord("Enter")))
            return None if secret else str(held["value"])

        receipt = await self._act.perform(verb, aimed, work)
        if secret:
            notes.append("what it holds is not shown")
        if submit and not receipt.refused:
            receipt = replace(receipt, action=f"{verb} and submitted")
        return replace(receipt, notes=tuple(notes))

    @staticmethod
    def _judge(aimed: Aimed, wanted: str, held: str, before: str) -> Verdict:
        secret = aimed.facts["type"] == "password"
        rich = aimed.facts["field"] == "rich"
        return judge(wanted, held, before, rich=rich, secret=secret)

    async def _prepare(self, aimed: Aimed, text: str) -> str:
        """Focus and select, or set; the value it held before."""
        found = await self._call(aimed, "prepare", aimed.target, text)
        match found["state"]:
            case "ok":
                return str(found["before"])
            case "barred":
                raise barred(aimed.shown(), text, found)
            case "unfocused":
                raise unfocused(aimed, found)
        raise aimed.refused(found)

    async def _insert(self, aimed: Aimed, text: str, before: str) -> None:
        if text:
            await aimed.session.send(Input.insertText(text=text))
        elif before:
            await send_keys(aimed.session, chord_events(*chord("Delete")))

    async def _read(self, aimed: Aimed, good: Callable[[Any], bool]) -> dict[str, Any] | None:
        """What the field holds, once it is good or has had its time; None if it is gone."""
        loop = asyncio.get_running_loop()
        until = loop.time() + SETTLES_WITHIN_S
        blocked = ""
        while True:
            try:
                held = await self._call(aimed, "held", aimed.target)
            except (CommandFailed, SessionGone):
                return None
            blocked = blocked or held["blocked"]
            over = blocked or loop.time() > until
            if held["state"] == "ok" and (over or good(held["value"])):
                return {**held, "blocked": blocked}
            if over:
                return None
            await asyncio.sleep(LOOK_S)

    # Checks.

    async def _set_checked(self, target: Any, wanted: bool, where: Where) -> Receipt:
        aimed = await self._aim.at(target, _CHECK, **where)
        now = aimed.facts["checked"]
        word = "checked" if wanted else "unchecked"
        if now is None:
            raise ToolError(
                f"{aimed.shown()} cannot be {word}", hint="it is no checkbox, radio or switch"
            )
        if now == wanted:
            main = self._act.tab_context.main()
            title = self._act.tab_context.tab.title
            return Receipt(
                f"already {word}", aimed.shown(), url=main.url, title=title, value=wanted
            )
        if not wanted and aimed.role in ("radio", "menuitemradio"):
            raise ToolError(
                f"{aimed.shown()} cannot be unchecked: it is a radio button",
                hint="check another one of its group",
            )

        async def press(at: Aimed) -> Any:
            await self._mouse.press(at)
            held = await self._read(at, lambda value: value == wanted)
            return held["value"] if held else None

        # By its own ref: what is pressed is what was looked at.
        receipt = await self._mouse.press_on(aimed.said, _PRESS, word, press, **_patience(where))
        if receipt.value is None:
            return replace(receipt, action=f"clicked to have {word}", notes=(_GONE,))
        if receipt.value != wanted:
            state = "checked" if receipt.value else "not checked"
            raise ToolError(
                f"{aimed.shown()} was clicked, but it is {state} still",
                hint="the page may refuse it or ask something first: take a snapshot",
            )
        return receipt

    async def _call(self, aimed: Aimed, function: str, *arguments: Any) -> dict[str, Any]:
        assert aimed.world is not None
        found: dict[str, Any]
        found = await self._act.worlds.call_in(aimed.world, function, *arguments, names=True)
        return found


def _patience(where: Where) -> Where:
    return Where(timeout=where.get("timeout"))


def _no_field(aimed: Aimed, kind: str) -> ToolError:
    hints = {
        "file": "give it files with upload",
        "select": "choose an option with select",
        "choice": "choose an option with select",
        "check": "use uncheck",
    }
    return ToolError(
        f"{aimed.shown()} takes no text",
        hint=hints.get(kind, "fill an input, a textarea, an editor, a list or a checkbox"),
    )


def _not_taken(aimed: Aimed, text: str, verdict: Verdict, message: str, secret: bool) -> ToolError:
    wanted = "the value" if secret else repr(text[:120])
    says = f"; it says: {message}" if message else ""
    return ToolError(
        f"{aimed.shown()} did not take {wanted}: {verdict.note}{says}",
        hint="give a value it takes, or type it key by key",
    )


def _complaint(message: str) -> str:
    return f"the field says: {message}" if message else ""
