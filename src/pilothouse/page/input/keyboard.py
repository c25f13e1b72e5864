"""The keyboard: chords, typed text, and keys that are held down.

Knows: that keys go to the focused element in whichever frame has the focus, and that all events of
a chord are sent without waiting in between. Must not know: which keys there are (keys.py), or what
a field's value means.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from msgspec.structs import replace

from pilothouse.cdp import Session
from pilothouse.cdp.protocol import Input
from pilothouse.errors import CommandFailed, SessionGone, ToolError, UsageError
from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    ReadyElement,
    Requirements,
)
from pilothouse.page.input.keys import (
    MODIFIERS,
    Key,
    chord_events,
    key_down,
    key_up,
    parse_chord,
    typing_events,
)
from pilothouse.page.input.receipt import VALUE_HIDDEN, Receipt
from pilothouse.page.world import FrameElements
from pilothouse.security.secrets import SecretText, reveal
from pilothouse.supervisor import Frame, Outcome

__all__ = ["KeyboardInput", "focus_error", "insert_in_document", "send_keys"]

# Send at most this many keys before waiting for replies; more would only queue up in Chrome.
KEYS_AT_ONCE = 32
MOST_PRESSES = 100
LONGEST = 20_000
SLOWEST_MS = 5_000

_FOCUS = Requirements(point=False, control="focus")


class KeyboardInput:
    """The keyboard of one tab."""

    def __init__(
        self, resolver: ElementResolver, runner: ActionRunner, frame_elements: FrameElements
    ) -> None:
        self._resolver = resolver
        self._runner = runner
        self._frame_elements = frame_elements
        self._held: dict[str, Key] = {}

    @property
    def held_modifiers(self) -> int:
        """The modifiers that are held down now, as bits."""
        return sum({MODIFIERS[k.key] for k in self._held.values() if k.key in MODIFIERS})

    async def press(
        self,
        keys: str,
        target: Any = None,
        *,
        count: int = 1,
        **lookup: Unpack[ElementLookup],
    ) -> Outcome[Receipt]:
        """Press a key or a chord such as `Control+A`, on an element or on the focused one."""
        modifiers, key = parse_chord(keys)
        if not 1 <= count <= MOST_PRESSES:
            raise UsageError(f"count: {count} is out of range", hint=f"use 1 to {MOST_PRESSES}")
        events = chord_events(modifiers, key, self.held_modifiers) * count

        async def work() -> Receipt:
            element = await self._resolve_focus(target, lookup)

            async def press() -> None:
                await self._take_focus(element, target)
                await send_keys(element.session, events)

            times = f" {count} times" if count > 1 else ""
            return await self._runner.perform(f"pressed {keys}{times} on", element, press)

        return await self._runner.tab_context.race(work)

    async def type(
        self,
        target: Any,
        text: str,
        *,
        delay_ms: float = 0,
        submit: bool = False,
        **lookup: Unpack[ElementLookup],
    ) -> Outcome[Receipt]:
        """Type text key by key, after what the field already holds.

        Without a target it types into the focused element. A line break is Enter; `submit`
        presses Enter at the end.
        """
        if not isinstance(text, str) or len(text) > LONGEST:
            raise UsageError(
                "text: expected a string"
                if not isinstance(text, str)
                else f"text: longer than {LONGEST} characters",
                hint="give a string; use fill for long texts",
            )
        if not 0 <= delay_ms <= SLOWEST_MS:
            raise UsageError(f"delay_ms: {delay_ms} is out of range", hint=f"use 0 to {SLOWEST_MS}")
        enter = [chord_events([], parse_chord("Enter")[1])] if submit else []
        context = self._runner.tab_context

        async def work() -> Receipt:
            element = await self._resolve_focus(target, lookup)
            before: dict[str, Any] = {}
            typed = text

            async def type_keys() -> Any:
                nonlocal typed
                before.update(await self._take_focus(element, target, at_end=True))
                # Reveal secrets only now, for the document that receives them: its parent page may
                # belong to another site.
                typed = reveal(text, context.document_url(element.frame.id))
                # Restricted secrets must not be typed: any frame could take the focus between two
                # keys.
                if isinstance(text, SecretText) and text.is_restricted:
                    await insert_in_document(self._runner, element, typed)
                    await self._send_strokes(element.session, enter, delay_ms)
                else:
                    await self._send_strokes(
                        element.session, [*typing_events(typed), *enter], delay_ms
                    )
                return await self._read_back(element)

            receipt = await self._runner.perform("typed into", element, type_keys)
            return _add_typing_notes(receipt, element, typed, before)

        return await self._runner.tab_context.race(work)

    async def down(
        self, key: str, target: Any = None, **lookup: Unpack[ElementLookup]
    ) -> Outcome[Receipt]:
        """Hold a key down until `up`; a second call repeats the key."""
        one = _parse_single_key(key)

        async def work() -> Receipt:
            element = await self._resolve_focus(target, lookup)

            async def press() -> None:
                await self._take_focus(element, target)
                repeat = one.code in self._held
                self._held[one.code] = one
                await send_keys(
                    element.session, [key_down(one, self.held_modifiers, repeat=repeat)]
                )

            return await self._runner.perform(f"holds {key} down on", element, press)

        return await self._runner.tab_context.race(work)

    async def up(self, key: str = "") -> Outcome[Receipt]:
        """Release a held key; without a name, all of them."""
        one = _parse_single_key(key) if key else None
        if one is not None and one.code not in self._held:
            held = ", ".join(k.key for k in self._held.values())
            hint = f"release one of these: {held}" if held else "go on: no key is held down"
            raise ToolError(f"key: {key} is not held down", hint=hint)

        async def work() -> Receipt:
            element = await self._resolve_focus(None, {})

            async def release() -> None:
                events = []
                for key_to_release in [one] if one else list(self._held.values()):
                    self._held.pop(key_to_release.code, None)
                    events.append(key_up(key_to_release, self.held_modifiers))
                await send_keys(element.session, events)

            return await self._runner.perform(f"let {key or 'all keys'} go on", element, release)

        return await self._runner.tab_context.race(work)

    # Focus.

    async def _resolve_focus(self, target: Any, lookup: ElementLookup) -> ReadyElement:
        if target is None:
            return await self.focused_element()
        return await self._resolver.resolve(target, _FOCUS, **lookup)

    async def focused_element(self) -> ReadyElement:
        """Return the focused element, in the frame that has the focus."""
        context, worlds = self._runner.tab_context, self._runner.worlds
        frame = context.main()
        while True:
            world = await worlds.of(frame)
            result = await worlds.call_in(world, "focused", names=True)
            worlds.reserve_numbers(world, result["next"])
            inner = await self._child_frame_of(frame, result["number"]) if result["frame"] else None
            if inner is None:
                number = result["number"]
                selector = self._resolver.ref(frame, number) if number else "focus"
                name, role = result["name"], result["role"]
                return ReadyElement(
                    frame, world.session, world, number, role, name, 0, 0, selector, result
                )
            frame = inner

    async def _child_frame_of(self, parent: Frame, number: int) -> Frame | None:
        """Return the child frame whose frame element has this number; None if there is none."""
        for frame in self._runner.tab_context.frames():
            if frame.parent == parent.id and await self._frame_elements.of(frame) == (
                parent.id,
                number,
            ):
                return frame
        return None

    async def _take_focus(
        self, element: ReadyElement, target: Any, *, at_end: bool = False
    ) -> Mapping[str, Any]:
        """Focus the element unless it has the focus already."""
        if target is None or element.world is None:
            return {}
        worlds = self._runner.worlds
        result: dict[str, Any]
        result = await worlds.call_in(
            element.world, "takeFocus", element.js_handle, at_end, names=True
        )
        if result["state"] == "unfocused":
            raise focus_error(element, result)
        if result["state"] != "ok":
            raise element.refusal_error(result)
        return result

    async def _send_strokes(
        self, session: Session, strokes: Sequence[list[dict[str, Any]] | str], delay_ms: float
    ) -> None:
        pending: list[dict[str, Any]] = []
        for stroke in strokes:
            if isinstance(stroke, str):
                # `Input.insertText` does not queue behind key events, so wait for those first.
                await send_keys(session, pending)
                pending = []
                await session.send(Input.insertText(text=stroke))
            else:
                pending += stroke
            if delay_ms or len(pending) >= KEYS_AT_ONCE:
                await send_keys(session, pending)
                pending = []
                await asyncio.sleep(delay_ms / 1000)
        await send_keys(session, pending)

    async def _read_back(self, element: ReadyElement) -> Any:
        if element.world is None or not element.number or not element.facts.get("field"):
            return None
        try:
            held = await self._runner.worlds.call_in(element.world, "held", element.js_handle)
        except (CommandFailed, SessionGone):
            return None  # the page navigated; the receipt says so
        return held.get("value")


async def insert_in_document(runner: ActionRunner, element: ReadyElement, text: str) -> None:
    """Insert text into an element from inside its own document.

    Key events go to whichever frame has the focus, and any frame can take it at any moment. This
    text cannot reach another frame. Raises ToolError when the element does not accept it.
    """
    if element.world is None or not element.number:
        raise ToolError("target: this secret needs a field", hint="name the field in target")
    result = await runner.worlds.call_in(
        element.world, "insertHere", element.js_handle, text, names=True
    )
    if result["state"] == "unfocused":
        raise focus_error(element, result)
    if result["state"] != "ok":
        raise element.refusal_error(result)


async def send_keys(session: Session, events: Sequence[Mapping[str, Any]]) -> None:
    """Send key events in one go, then wait until the page has received them all."""
    replies = [session.send(Input.dispatchKeyEvent(**event)) for event in events]
    for reply in replies:
        await reply


def focus_error(element: ReadyElement, result: Mapping[str, Any]) -> ToolError:
    """Return the error for an element that does not keep the focus."""
    return ToolError(
        f"{element.describe()} does not keep the focus: it is on {result['to']}",
        hint="click the element first, then press or type without a target",
    )


def _parse_single_key(name: str) -> Key:
    modifiers, key = parse_chord(name)
    if modifiers and not key.shifted:
        raise UsageError(
            f"key: {name!r} is a chord; expected one key", hint="hold its keys one by one"
        )
    return key


def _add_typing_notes(
    receipt: Receipt, element: ReadyElement, text: str, before: Mapping[str, Any]
) -> Receipt:
    if element.facts.get("type") == "password":
        return replace(receipt, value=None, notes=(VALUE_HIDDEN,))
    held = receipt.value
    first = text.partition("\n")[0]
    if not isinstance(held, str) or not first or first in held or receipt.navigated:
        return receipt
    was = "still" if held == before.get("before") else "now"
    return replace(receipt, notes=(f"the text is not in the field: it holds {held[:120]!r} {was}",))
