"""Form fields: put a value in and read it back.

Knows: which fields take inserted text (trusted input, so that frameworks notice it), which must be
assigned as a whole, and how to read the value back. Must not know: how elements are found, which
keys there are. A receipt is only returned for a value that was read back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Unpack

from msgspec.structs import replace

from pilothouse.cdp.protocol import Input
from pilothouse.errors import CommandFailed, SessionGone, ToolError
from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    ReadyElement,
    Requirements,
)
from pilothouse.page.input.field_value_checks import (
    ValueCheck,
    as_checked,
    as_text,
    check_value,
    value_error,
)
from pilothouse.page.input.keyboard import focus_error, insert_in_document, send_keys
from pilothouse.page.input.keys import chord_events, parse_chord
from pilothouse.page.input.mouse import MouseInput
from pilothouse.page.input.receipt import VALUE_HIDDEN, Receipt
from pilothouse.page.input.select import SelectControls
from pilothouse.security.secrets import SecretText, reveal
from pilothouse.supervisor import Outcome

__all__ = ["FormFields"]

# Pages may reformat a value a little later, or show the chosen option only then.
SETTLES_WITHIN_S = 0.5
POLL_S = 0.03

_FIELD = Requirements(point=False, editable=True, control="field")
_CHECK = Requirements(point=False, control="check")
_PRESS = Requirements(arm=True, control="check")
_SEND = Requirements(arm=True)
_FOCUS = Requirements(point=False, control="focus")

_GONE = "the page navigated before the value could be read"


class FormFields:
    """The form fields of one tab."""

    def __init__(
        self,
        resolver: ElementResolver,
        runner: ActionRunner,
        mouse: MouseInput,
        select_controls: SelectControls,
    ) -> None:
        self._resolver = resolver
        self._runner = runner
        self._mouse = mouse
        self._select_controls = select_controls

    async def fill(
        self, target: Any, value: Any, *, submit: bool = False, **lookup: Unpack[ElementLookup]
    ) -> Outcome[Receipt]:
        """Set a field's value, whatever it held before; `submit` submits its form afterwards.

        It submits by Enter, or by the form's button where Enter does not submit. Values: text
        for text, date, number and color fields and editors; true or false for checkboxes; option
        names for lists. The receipt's value is what the field holds at the end.
        """

        async def work() -> Receipt:
            element = await self._resolver.resolve(target, _FIELD, **lookup)
            kind = element.facts["field"]
            button = await self._find_submit_button(element) if submit else None
            # By the resolved selector, without `lookup`: its frame and nth have been applied.
            if kind == "check":
                receipt = await self._set_checked(element.selector, as_checked(value), {})
                return await self._submit_form(receipt, button)
            bound = isinstance(value, SecretText) and value.is_restricted
            if kind in ("select", "choice"):
                if bound:
                    raise ToolError(
                        f"{element.describe()} is a list, and this secret is for text fields",
                        hint="take a snapshot and name a text field",
                    )
                receipt = await self._select_controls.select_in(
                    element, self._reveal(element, value)
                )
                return await self._submit_form(receipt, button)
            if kind not in ("text", "assign", "rich"):
                raise _no_text_error(element, kind)
            text = as_text(self._reveal(element, value), element.facts["type"])
            enter = submit and button is None
            receipt = await self._fill(element, text, "filled", enter, bound=bound)
            return await self._submit_form(receipt, button)

        return await self._runner.tab_context.race(work)

    async def clear(self, target: Any, **lookup: Unpack[ElementLookup]) -> Outcome[Receipt]:
        """Empty a field."""

        async def work() -> Receipt:
            element = await self._resolver.resolve(target, _FIELD, **lookup)
            kind = element.facts["field"]
            if kind not in ("text", "assign", "rich"):
                raise _no_text_error(element, kind)
            return await self._fill(element, as_text("", element.facts["type"]), "cleared", False)

        return await self._runner.tab_context.race(work)

    async def focus(self, target: Any, **lookup: Unpack[ElementLookup]) -> Outcome[Receipt]:
        """Focus an element."""

        async def work() -> Receipt:
            element = await self._resolver.resolve(target, _FOCUS, **lookup)
            had = False

            async def take() -> None:
                nonlocal had
                result = await self._call(element, "takeFocus", element.js_handle)
                if result["state"] == "unfocused":
                    raise focus_error(element, result)
                if result["state"] != "ok":
                    raise element.refusal_error(result)
                had = result["had"]

            receipt = await self._runner.perform("focused", element, take)
            return replace(receipt, action="already focused") if had else receipt

        return await self._runner.tab_context.race(work)

    async def check(self, target: Any, **lookup: Unpack[ElementLookup]) -> Outcome[Receipt]:
        """Check a checkbox, radio button or switch by a click, unless it is checked."""
        return await self._runner.tab_context.race(lambda: self._set_checked(target, True, lookup))

    async def uncheck(self, target: Any, **lookup: Unpack[ElementLookup]) -> Outcome[Receipt]:
        """Uncheck a checkbox or switch by a click, unless it is unchecked."""
        return await self._runner.tab_context.race(lambda: self._set_checked(target, False, lookup))

    # Submitting.

    async def _find_submit_button(self, element: ReadyElement) -> str | None:
        """Return the ref of the button that submits the form, if Enter in the field does not."""
        kind = element.facts["field"]
        if kind in ("assign", "rich") or (kind == "text" and element.facts["type"]):
            return None
        result = await self._call(element, "submitter", element.js_handle)
        if result["state"] == "ok":
            return self._resolver.ref(element.frame, result["number"])
        if result["state"] != "none":
            raise element.refusal_error(result)
        if kind == "text":
            return None
        raise ToolError(
            f"{element.describe()} is not in a form with a submit button",
            hint="nothing was filled; leave out submit, then click the element that submits",
        )

    async def _submit_form(self, receipt: Receipt, button: str | None) -> Receipt:
        """Click the submit button and merge both receipts into one."""
        if button is None:
            return receipt
        sent = await self._mouse.press_with_retry(button, _SEND, "submitted", self._mouse.press)
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

    def _reveal(self, element: ReadyElement, value: Any) -> Any:
        """Return the value with its secrets revealed, if the receiving document may have them."""
        return reveal(value, self._runner.tab_context.document_url(element.frame.id))

    async def _fill(
        self, element: ReadyElement, text: str, verb: str, submit: bool, *, bound: bool = False
    ) -> Receipt:
        secret = element.facts["type"] == "password"
        notes: list[str] = []

        async def work() -> str | None:
            before = await self._prepare(element, text)
            if element.facts["field"] != "assign":
                if bound:
                    await insert_in_document(self._runner, element, text)
                else:
                    await self._insert(element, text, before)
            held = await self._read_value(
                element, lambda value: self._check_value(element, text, value, before).accepted
            )
            if held is None:
                notes.append(_GONE)
                return None
            if held["blocked"]:
                raise ToolError(
                    f"{element.describe()} was not filled: the focus moved to {held['blocked']}",
                    hint="nothing was typed there; take a snapshot and fill the field that opened",
                )
            check = self._check_value(element, text, held["value"], before)
            if not check.accepted:
                raise _rejected_error(element, text, check, held["message"], secret)
            notes.extend(note for note in (check.note, _validation_note(held["message"])) if note)
            if submit:
                await send_keys(element.session, chord_events(*parse_chord("Enter")))
            return None if secret else str(held["value"])

        receipt = await self._runner.perform(verb, element, work)
        if secret:
            notes.append(VALUE_HIDDEN)
        if submit and not receipt.refused:
            receipt = replace(receipt, action=f"{verb} and submitted")
        return replace(receipt, notes=tuple(notes))

    @staticmethod
    def _check_value(element: ReadyElement, wanted: str, held: str, before: str) -> ValueCheck:
        secret = element.facts["type"] == "password"
        rich = element.facts["field"] == "rich"
        return check_value(wanted, held, before, rich=rich, secret=secret)

    async def _prepare(self, element: ReadyElement, text: str) -> str:
        """Focus the field and select its content, or assign the value; returns the value before."""
        result = await self._call(element, "prepare", element.js_handle, text)
        match result["state"]:
            case "ok":
                return str(result["before"])
            case "barred":
                raise value_error(element.describe(), text, result)
            case "unfocused":
                raise focus_error(element, result)
        raise element.refusal_error(result)

    async def _insert(self, element: ReadyElement, text: str, before: str) -> None:
        if text:
            await element.session.send(Input.insertText(text=text))
        elif before:
            await send_keys(element.session, chord_events(*parse_chord("Delete")))

    async def _read_value(
        self, element: ReadyElement, good: Callable[[Any], bool]
    ) -> dict[str, Any] | None:
        """Return what the field holds once it is `good` or time is up; None if it is gone."""
        loop = asyncio.get_running_loop()
        until = loop.time() + SETTLES_WITHIN_S
        blocked = ""
        while True:
            try:
                held = await self._call(element, "held", element.js_handle)
            except (CommandFailed, SessionGone):
                return None
            blocked = blocked or held["blocked"]
            over = blocked or loop.time() > until
            if held["state"] == "ok" and (over or good(held["value"])):
                return {**held, "blocked": blocked}
            if over:
                return None
            await asyncio.sleep(POLL_S)

    # Checks.

    async def _set_checked(self, target: Any, wanted: bool, lookup: ElementLookup) -> Receipt:
        element = await self._resolver.resolve(target, _CHECK, **lookup)
        now = element.facts["checked"]
        word = "checked" if wanted else "unchecked"
        if now is None:
            raise ToolError(
                f"{element.describe()} cannot be {word}",
                hint="choose a checkbox, a radio button or a switch",
            )
        if now == wanted:
            main = self._runner.tab_context.main()
            title = self._runner.tab_context.tab.title
            return Receipt(
                f"already {word}", element.describe(), url=main.url, title=title, value=wanted
            )
        if not wanted and element.role in ("radio", "menuitemradio"):
            raise ToolError(
                f"{element.describe()} cannot be unchecked: it is a radio button",
                hint="check another radio button of its group",
            )

        async def press(at: ReadyElement) -> Any:
            await self._mouse.press(at)
            held = await self._read_value(at, lambda value: value == wanted)
            return held["value"] if held else None

        # By its own ref, so that the press goes to the element that was checked above.
        receipt = await self._mouse.press_with_retry(
            element.selector, _PRESS, word, press, **_timeout_only(lookup)
        )
        if receipt.value is None:
            return replace(receipt, action=f"clicked to have {word}", notes=(_GONE,))
        if receipt.value != wanted:
            state = "checked" if receipt.value else "not checked"
            raise ToolError(
                f"{element.describe()} was clicked, but it is still {state}",
                hint="take a snapshot; the page may refuse it or ask a question first",
            )
        return receipt

    async def _call(self, element: ReadyElement, function: str, *arguments: Any) -> dict[str, Any]:
        assert element.world is not None
        result: dict[str, Any]
        result = await self._runner.worlds.call_in(element.world, function, *arguments, names=True)
        return result


def _timeout_only(lookup: ElementLookup) -> ElementLookup:
    return ElementLookup(timeout=lookup.get("timeout"))


def _no_text_error(element: ReadyElement, kind: str) -> ToolError:
    hints = {
        "file": "give it files with upload",
        "select": "choose an option with select",
        "choice": "choose an option with select",
        "check": "use uncheck",
    }
    return ToolError(
        f"{element.describe()} does not take text",
        hint=hints.get(kind, "fill an input, a textarea, an editor, a list or a checkbox"),
    )


def _rejected_error(
    element: ReadyElement, text: str, check: ValueCheck, message: str, secret: bool
) -> ToolError:
    wanted = "the value" if secret else repr(text[:120])
    says = f"; it says: {message}" if message else ""
    return ToolError(
        f"{element.describe()} did not accept {wanted}: {check.note}{says}",
        hint="give a value that the field accepts, or type it key by key",
    )


def _validation_note(message: str) -> str:
    return f"the field says: {message}" if message else ""
