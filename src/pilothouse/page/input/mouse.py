"""The mouse: click, hover, and the low-level moves that drags are made of.

Knows: which events make a press, and that they are sent without waiting in between. Must not know:
how elements are found. A guard in the page stops a press that would reach another element; then
the press is tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from pilothouse.cdp import Session
from pilothouse.cdp.protocol import Input
from pilothouse.errors import UsageError
from pilothouse.page.input.action_runner import ActionRunner, PressMissed
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    ReadyElement,
    Requirements,
)
from pilothouse.page.input.keys import modifier_bits
from pilothouse.page.input.receipt import Receipt
from pilothouse.supervisor import Outcome

if TYPE_CHECKING:
    from pilothouse.cdp.awaitable_reply import Reply

__all__ = ["MouseInput", "send_button", "send_move", "send_wheel"]

ATTEMPTS = 3
BUTTONS = {"left": 1, "right": 2, "middle": 4, "back": 8, "forward": 16}


class MouseInput:
    """The mouse of one tab."""

    def __init__(self, resolver: ElementResolver, runner: ActionRunner) -> None:
        self._resolver = resolver
        self._runner = runner

    async def click(
        self,
        target: Any,
        *,
        button: str = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        position: tuple[float, float] | None = None,
        hold_ms: float = 0,
        **lookup: Unpack[ElementLookup],
    ) -> Outcome[Receipt]:
        """Press and release a button on an element.

        `position` is counted from the element's top left corner, `hold_ms` is the time between
        press and release.
        """
        if button not in BUTTONS:
            raise UsageError(
                f"button: unknown value {button!r}", hint=f"use one of {', '.join(BUTTONS)}"
            )
        if not 1 <= count <= 3:
            raise UsageError(f"count: {count} is out of range", hint="use 1, 2 (double click) or 3")
        bits = modifier_bits(modifiers)
        requirements = Requirements(arm=True, position=position)

        words = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}[count]
        verb = words if button == "left" else f"{button}-{words}"

        async def press(element: ReadyElement) -> None:
            await self.press(element, button, count, bits, hold_ms)

        return await self._runner.tab_context.race(
            lambda: self.press_with_retry(target, requirements, verb, press, **lookup)
        )

    async def hover(
        self,
        target: Any,
        *,
        modifiers: Sequence[str] = (),
        position: tuple[float, float] | None = None,
        **lookup: Unpack[ElementLookup],
    ) -> Outcome[Receipt]:
        """Move the pointer over an element."""
        bits = modifier_bits(modifiers)
        requirements = Requirements(enabled=False, position=position)

        async def work() -> Receipt:
            element = await self._resolver.resolve(target, requirements, **lookup)

            async def glide() -> None:
                await send_move(element.session, element.x, element.y, modifiers=bits)

            return await self._runner.perform("hovered", element, glide)

        return await self._runner.tab_context.race(work)

    async def press_with_retry(
        self,
        target: Any,
        requirements: Requirements,
        verb: str,
        press: Callable[[ReadyElement], Awaitable[Any]],
        **lookup: Unpack[ElementLookup],
    ) -> Receipt:
        """Resolve the element, run `press` on it, and return the receipt.

        Resolves and presses again when the press would have reached another element.
        `requirements` must be armed. It does not race against dialogs: call it from inside an
        action that does.
        """
        # Only the last attempt passes PressMissed on to the caller.
        for last in (*[False] * (ATTEMPTS - 1), True):
            async with self._runner.pointer_lock():
                element = await self._resolver.resolve(target, requirements, **lookup)
                work = partial(press, element)
                # A bare point (`x,y`) has no element to guard.
                guarded = element.world is not None
                try:
                    return await self._runner.perform(verb, element, work, guarded=guarded)
                except PressMissed:
                    if last:
                        raise
        raise AssertionError  # pragma: no cover - the last try returns or raises

    async def press(
        self,
        element: ReadyElement,
        button: str = "left",
        count: int = 1,
        modifiers: int = 0,
        hold_ms: float = 0,
    ) -> None:
        """Move, press and release without waiting in between, since each wait costs a frame.

        With `hold_ms` the time counts from when the page has received the press: on busy
        machines that is later than when it was sent.
        """
        session, x, y = element.session, element.x, element.y
        sent: list[Reply[Any]] = [send_move(session, x, y, modifiers=modifiers)]
        for number in range(1, count + 1):
            down = send_button(session, "mousePressed", x, y, button, number, modifiers)
            sent.append(down)
            try:
                if hold_ms:
                    await down
                    await asyncio.sleep(hold_ms / 1000)
            finally:
                # Release even if the caller is cancelled: a button must never stay pressed.
                up = send_button(session, "mouseReleased", x, y, button, number, modifiers)
            sent.append(up)
        for reply in sent:
            await reply


def send_move(
    session: Session, x: float, y: float, *, buttons: int = 0, modifiers: int = 0
) -> Reply[Any]:
    """Move the pointer to a point of the session while `buttons` are held."""
    return session.send(
        Input.dispatchMouseEvent(
            type="mouseMoved",
            x=x,
            y=y,
            button="left" if buttons & 1 else "none",
            buttons=buttons,
            modifiers=modifiers,
        )
    )


def send_button(
    session: Session, kind: str, x: float, y: float, button: str, count: int, modifiers: int
) -> Reply[Any]:
    """Press (`mousePressed`) or release (`mouseReleased`) a button."""
    held = BUTTONS[button] if kind == "mousePressed" else 0
    return session.send(
        Input.dispatchMouseEvent(
            type=kind,
            x=x,
            y=y,
            button=button,
            buttons=held,
            clickCount=count,
            modifiers=modifiers,
        )
    )


def send_wheel(session: Session, x: float, y: float, dx: float, dy: float) -> Reply[Any]:
    """Turn the wheel over a point. Chrome never replies to this in a tab that is not painted."""
    return session.send(Input.dispatchMouseEvent(type="mouseWheel", x=x, y=y, deltaX=dx, deltaY=dy))
