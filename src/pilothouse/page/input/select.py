"""Lists to choose from: native `<select>` elements and custom lists that pages build.

Knows: that a click opens a custom list, that its options may be anywhere in the document and arrive
late, and how to verify the choice. Must not know: which options a value means (option_matches.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Unpack

from msgspec.structs import replace

from pilothouse.cdp.protocol import Input
from pilothouse.errors import CommandFailed, ElementNotFound, SessionGone, ToolError, UsageError
from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    ReadyElement,
    Requirements,
)
from pilothouse.page.input.mouse import MouseInput
from pilothouse.page.input.option_matches import Option, match_options, parse_choices
from pilothouse.page.input.receipt import Receipt
from pilothouse.supervisor import Outcome

__all__ = ["SelectControls"]

# Options often arrive with a request.
OPTIONS_WITHIN_S = 2.0
TAKEN_WITHIN_S = 0.5
POLL_S = 0.03

_LIST = Requirements(point=False, control="select")
_PRESS = Requirements(arm=True)


class SelectControls:
    """The lists of one tab."""

    def __init__(self, resolver: ElementResolver, runner: ActionRunner, mouse: MouseInput) -> None:
        self._resolver = resolver
        self._runner = runner
        self._mouse = mouse

    async def select(
        self, target: Any, values: Any, **lookup: Unpack[ElementLookup]
    ) -> Outcome[Receipt]:
        """Select options by value, label or index (`2`, `"index=2"`).

        A list that takes several is set to exactly these. The receipt's value is what is
        selected now.
        """
        parse_choices(values)

        async def work() -> Receipt:
            element = await self._resolver.resolve(target, _LIST, **lookup)
            return await self.select_in(element, values)

        return await self._runner.tab_context.race(work)

    async def select_in(self, element: ReadyElement, values: Any) -> Receipt:
        """Select in a list that is already resolved. Does not race: call it inside an action."""
        wanted = parse_choices(values)
        match element.facts["field"]:
            case "select":
                return await self._select_native(element, wanted)
            case "choice" | "text":
                return await self._select_custom(element, wanted)
        raise ToolError(
            f"{element.describe()} is not a list of options",
            hint="click it to see whether it opens a list, then click the option",
        )

    # Native lists.

    async def _select_native(self, element: ReadyElement, wanted: Sequence[str | int]) -> Receipt:
        options = await self._wait_for_options(element, wanted)
        places = [option["index"] for option in options]
        changed = False

        async def work() -> Any:
            nonlocal changed
            found = await self._call(element, "choose", element.js_handle, places)
            if found["state"] != "ok":
                raise element.refusal_error(found)
            changed = found["changed"]
            return await self._wait_until_selected(element, places)

        receipt = await self._runner.perform("selected in", element, work)
        if not changed:
            return replace(receipt, action="already selected in")
        return receipt

    async def _wait_for_options(
        self, element: ReadyElement, wanted: Sequence[str | int]
    ) -> list[Option]:
        """Return the options that are meant, once they are there."""
        until = _now() + OPTIONS_WITHIN_S
        while True:
            found = await self._read_options(element)
            try:
                return match_options(
                    wanted, found["options"], multiple=found["multiple"], what=element.describe()
                )
            except ToolError:
                # Too many or too few choices for a single list will not change by waiting.
                hopeless = len(wanted) != 1 and not found["multiple"]
                if hopeless or _now() > until:
                    raise
            await asyncio.sleep(POLL_S)

    async def _wait_until_selected(self, element: ReadyElement, places: Sequence[int]) -> Any:
        """Return the selected labels; raises ToolError if the page resets the list."""
        until = _now() + TAKEN_WITHIN_S
        while True:
            try:
                found = await self._read_options(element)
            except (CommandFailed, SessionGone, ToolError):
                return None  # the choice navigated; the receipt says where
            chosen = [option for option in found["options"] if option["selected"]]
            labels = [option["label"] for option in chosen]
            if {option["index"] for option in chosen} == set(places):
                return labels if found["multiple"] else labels[0]
            if _now() > until:
                raise ToolError(
                    f"{element.describe()} did not keep the choice: the page set {labels}",
                    hint="take a snapshot; the page may refuse it",
                )
            await asyncio.sleep(POLL_S)

    # Custom lists.

    async def _select_custom(self, element: ReadyElement, wanted: Sequence[str | int]) -> Receipt:
        found = await self._read_options(element, mark=True)
        if len(wanted) != 1 and not found["multiple"]:
            match_options(wanted, [], multiple=False, what=element.describe())
        if not wanted:
            raise UsageError("values: empty", hint="name at least one option")
        shown, receipt = found["shows"], None
        labels: list[str] = []
        for one in wanted:
            option = await self._open_and_find(element, one)
            labels.append(option["label"])
            receipt = await self._click_option(element, option, shown)
        assert receipt is not None
        return replace(receipt, value=labels if found["multiple"] else labels[0])

    async def _open_and_find(self, element: ReadyElement, wanted: str | int) -> Option:
        """Open the list and return the option; searches by its name if the list is editable."""
        found = await self._read_options(element)
        if not found["open"]:
            await self._click(element.selector, "opened")
        searched = False
        until = _now() + OPTIONS_WITHIN_S
        while True:
            found = await self._read_options(element)
            try:
                (option,) = match_options(
                    [wanted], found["options"], multiple=True, what=element.describe()
                )
                return option
            except ToolError as error:
                if _now() > until and not found["options"]:
                    raise ToolError(
                        f"{element.describe()} shows no options after a click",
                        hint="take a snapshot; it may open in another way",
                    ) from error
                if _now() > until:
                    raise
                late = _now() > until - OPTIONS_WITHIN_S / 2
            if late and not searched and found["editable"] and isinstance(wanted, str):
                searched = True
                until += OPTIONS_WITHIN_S / 2
                await self._search(element, wanted)
            await asyncio.sleep(POLL_S)

    async def _search(self, element: ReadyElement, wanted: str) -> None:
        found = await self._call(element, "prepare", element.js_handle, wanted)
        if found["state"] == "ok":
            await element.session.send(Input.insertText(text=wanted))
            await self._call(element, "held", element.js_handle)

    async def _click_option(
        self, element: ReadyElement, option: Option, shown_before: str
    ) -> Receipt:
        """Click an option and check that the list shows it."""
        if option["selected"]:
            main, tab = self._runner.tab_context.main(), self._runner.tab_context.tab
            return Receipt("already selected in", element.describe(), url=main.url, title=tab.title)
        ref = self._resolver.ref(element.frame, option["number"])
        receipt = await self._click(ref, "selected")
        receipt = replace(receipt, action="selected in", target=element.describe())
        until = _now() + TAKEN_WITHIN_S
        while True:
            try:
                now = await self._call(element, "chosen", element.js_handle, option["number"])
            except (CommandFailed, SessionGone):
                return receipt
            if now["selected"] or (now["shows"] and option["label"] in now["shows"]):
                return receipt
            if _now() > until:
                break
            await asyncio.sleep(POLL_S)
        if option["role"] == "menuitem":
            return replace(receipt, notes=("it is a menu item: nothing stays selected",))
        if now["shows"] == shown_before:
            raise ToolError(
                f"the option {option['label']!r} was clicked, but {element.describe()} shows "
                f"{now['shows']!r}",
                hint="take a snapshot; the page may refuse it",
            )
        return replace(receipt, notes=(f"the list shows {now['shows']!r} now",))

    async def _click(self, ref: str, verb: str) -> Receipt:
        return await self._mouse.press_with_retry(ref, _PRESS, verb, self._mouse.press)

    # Page calls.

    async def _read_options(self, element: ReadyElement, *, mark: bool = False) -> dict[str, Any]:
        found = await self._call(element, "choices", element.js_handle, mark)
        if found["state"] != "ok":
            raise ElementNotFound(f"{element.describe()} is gone", hint="take a fresh snapshot")
        if element.world is not None and "next" in found:
            self._runner.worlds.reserve_numbers(element.world, found["next"])
        return found

    async def _call(self, element: ReadyElement, function: str, *arguments: Any) -> dict[str, Any]:
        assert element.world is not None
        found: dict[str, Any]
        found = await self._runner.worlds.call_in(element.world, function, *arguments, names=True)
        return found


def _now() -> float:
    return asyncio.get_running_loop().time()
