"""Choosing from lists: the browser's own, and those that pages build of other elements.

Knows: that a list of the page's own is opened by a click, that its options may be anywhere in the
document and come late, and how to see whether a choice was taken. Must not know: which options are
meant by what (choices.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Unpack

from msgspec.structs import replace

from pilothouse.cdp.protocol import Input
from pilothouse.errors import CommandFailed, SessionGone, ToolError
from pilothouse.page.input.action_runner import Act
from pilothouse.page.input.actionability import Aim, Aimed, Need, Where
from pilothouse.page.input.mouse import Mouse
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.input.select_options import Option, as_wanted, match_options
from pilothouse.supervisor import Outcome

__all__ = ["Choose"]

# Options often come with a request.
OPTIONS_WITHIN_S = 2.0
TAKEN_WITHIN_S = 0.5
LOOK_S = 0.03

_LIST = Need(point=False, control="select")
_OPEN = Need(arm=True)


class Choose:
    """The lists of one tab."""

    def __init__(self, aim: Aim, act: Act, mouse: Mouse) -> None:
        self._aim = aim
        self._act = act
        self._mouse = mouse

    async def select(self, target: Any, values: Any, **where: Unpack[Where]) -> Outcome[Receipt]:
        """Choose options by value, label or place (`2`, `"index=2"`); several where a list takes
        several, and then these alone. The receipt's value is what is chosen now."""
        as_wanted(values)

        async def work() -> Receipt:
            aimed = await self._aim.at(target, _LIST, **where)
            return await self.on(aimed, values)

        return await self._act.tab_context.race(work)

    async def on(self, aimed: Aimed, values: Any) -> Receipt:
        """The same for a list at hand. Not raced: for the inside of an action."""
        wanted = as_wanted(values)
        match aimed.facts["field"]:
            case "select":
                return await self._native(aimed, wanted)
            case "choice" | "text":
                return await self._custom(aimed, wanted)
        raise ToolError(
            f"{aimed.shown()} is no list to choose from",
            hint="click it to see whether it opens one, then click the option",
        )

    # The browser's own lists.

    async def _native(self, aimed: Aimed, wanted: Sequence[str | int]) -> Receipt:
        options = await self._awaited(aimed, wanted)
        places = [option["index"] for option in options]
        changed = False

        async def work() -> Any:
            nonlocal changed
            found = await self._call(aimed, "choose", aimed.target, places)
            if found["state"] != "ok":
                raise aimed.refused(found)
            changed = found["changed"]
            return await self._verified(aimed, places)

        receipt = await self._act.perform("selected in", aimed, work)
        if not changed:
            return replace(receipt, action="already selected in")
        return receipt

    async def _awaited(self, aimed: Aimed, wanted: Sequence[str | int]) -> list[Option]:
        """The options that are meant, once they are there."""
        until = _now() + OPTIONS_WITHIN_S
        while True:
            found = await self._choices(aimed)
            try:
                return match_options(
                    wanted, found["options"], multiple=found["multiple"], what=aimed.shown()
                )
            except ToolError:
                hopeless = len(wanted) != 1 and not found["multiple"]
                if hopeless or _now() > until:
                    raise
            await asyncio.sleep(LOOK_S)

    async def _verified(self, aimed: Aimed, places: Sequence[int]) -> Any:
        """The chosen labels; a page may set a list back in its own time."""
        until = _now() + TAKEN_WITHIN_S
        while True:
            try:
                found = await self._choices(aimed)
            except (CommandFailed, SessionGone, ToolError):
                return None  # the choice led elsewhere: the receipt tells where
            chosen = [option for option in found["options"] if option["selected"]]
            labels = [option["label"] for option in chosen]
            if {option["index"] for option in chosen} == set(places):
                return labels if found["multiple"] else labels[0]
            if _now() > until:
                raise ToolError(
                    f"{aimed.shown()} did not keep the choice: the page set it to {labels}",
                    hint="the page may refuse it; take a snapshot",
                )
            await asyncio.sleep(LOOK_S)

    # Lists that pages make.

    async def _custom(self, aimed: Aimed, wanted: Sequence[str | int]) -> Receipt:
        found = await self._choices(aimed, mark=True)
        if len(wanted) != 1 and not found["multiple"]:
            match_options(wanted, [], multiple=False, what=aimed.shown())
        if not wanted:
            raise ToolError("values: nothing is chosen", hint="name the options")
        shown, receipt = found["shows"], None
        labels: list[str] = []
        for one in wanted:
            option = await self._opened(aimed, one)
            labels.append(option["label"])
            receipt = await self._take(aimed, option, shown)
        assert receipt is not None
        return replace(receipt, value=labels if found["multiple"] else labels[0])

    async def _opened(self, aimed: Aimed, wanted: str | int) -> Option:
        """The option that is meant, after a click on the list and, where it can be searched,
        after its name was put in."""
        found = await self._choices(aimed)
        if not found["open"]:
            await self._click(aimed.said, "opened")
        searched = False
        until = _now() + OPTIONS_WITHIN_S
        while True:
            found = await self._choices(aimed)
            try:
                (option,) = match_options(
                    [wanted], found["options"], multiple=True, what=aimed.shown()
                )
                return option
            except ToolError as error:
                if _now() > until and not found["options"]:
                    raise ToolError(
                        f"{aimed.shown()} shows no options after a click",
                        hint="take a snapshot: it may need another way to be opened",
                    ) from error
                if _now() > until:
                    raise
                late = _now() > until - OPTIONS_WITHIN_S / 2
            if late and not searched and found["editable"] and isinstance(wanted, str):
                searched = True
                until += OPTIONS_WITHIN_S / 2
                await self._search(aimed, wanted)
            await asyncio.sleep(LOOK_S)

    async def _search(self, aimed: Aimed, wanted: str) -> None:
        found = await self._call(aimed, "prepare", aimed.target, wanted)
        if found["state"] == "ok":
            await aimed.session.send(Input.insertText(text=wanted))
            await self._call(aimed, "held", aimed.target)

    async def _take(self, aimed: Aimed, option: Option, shown_before: str) -> Receipt:
        """Click an option and see whether the list shows it."""
        if option["selected"]:
            main, tab = self._act.tab_context.main(), self._act.tab_context.tab
            return Receipt("already selected in", aimed.shown(), url=main.url, title=tab.title)
        ref = self._aim.ref(aimed.frame, option["number"])
        receipt = await self._click(ref, "selected")
        receipt = replace(receipt, action="selected in", target=aimed.shown())
        until = _now() + TAKEN_WITHIN_S
        while True:
            try:
                now = await self._call(aimed, "chosen", aimed.target, option["number"])
            except (CommandFailed, SessionGone):
                return receipt
            if now["selected"] or (now["shows"] and option["label"] in now["shows"]):
                return receipt
            if _now() > until:
                break
            await asyncio.sleep(LOOK_S)
        if option["role"] == "menuitem":
            return replace(receipt, notes=("it is an item of a menu: nothing stays selected",))
        if now["shows"] == shown_before:
            raise ToolError(
                f"the option {option['label']!r} was clicked, but {aimed.shown()} shows "
                f"{now['shows']!r}",
                hint="the page may refuse it; take a snapshot",
            )
        return replace(receipt, notes=(f"the list shows {now['shows']!r} now",))

    async def _click(self, ref: str, verb: str) -> Receipt:
        return await self._mouse.press_on(ref, _OPEN, verb, self._mouse.press)

    # Looking.

    async def _choices(self, aimed: Aimed, *, mark: bool = False) -> dict[str, Any]:
        found = await self._call(aimed, "choices", aimed.target, mark)
        if found["state"] != "ok":
            raise ToolError(f"{aimed.shown()} is gone", hint="take a fresh snapshot")
        if aimed.world is not None and "next" in found:
            self._act.worlds.used(aimed.world, found["next"])
        return found

    async def _call(self, aimed: Aimed, function: str, *arguments: Any) -> dict[str, Any]:
        assert aimed.world is not None
        found: dict[str, Any]
        found = await self._act.worlds.call_in(aimed.world, function, *arguments, names=True)
        return found


def _now() -> float:
    return asyncio.get_running_loop().time()
