"""File uploads: to a file input, through a file chooser, or dropped on a drop zone.

Knows: the three methods, what an input accepts, and how to verify that the files arrived. Must not
know: which files may be uploaded (the `check` callable decides), nor how elements are found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from pilothouse.cdp import Session
from pilothouse.cdp.protocol import DOM, Input, Runtime
from pilothouse.errors import CommandFailed, ElementNotFound, SessionGone, ToolError, UsageError
from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    ReadyElement,
    Requirements,
)
from pilothouse.page.input.field_value_checks import accepts_file
from pilothouse.page.input.mouse import MouseInput
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.world import IsolatedWorld
from pilothouse.supervisor import Interrupt, Outcome, State

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import InputDragData

__all__ = ["Uploads"]

METHODS = ("auto", "input", "chooser", "drop")
MOST_FILES = 100
CHOOSER_WITHIN_S = 3.0
TAKEN_WITHIN_S = 3.0
POLL_S = 0.03
COPY = 1

_INPUT = Requirements(visible=False, point=False, control="file")
_PRESS = Requirements(arm=True)
_ZONE = Requirements(enabled=False)


class Uploads:
    """File uploads in one tab. `check` returns a path that Chrome may read, or raises."""

    def __init__(
        self,
        resolver: ElementResolver,
        runner: ActionRunner,
        mouse: MouseInput,
        check: Callable[[str | Path], Path],
    ) -> None:
        self._resolver = resolver
        self._runner = runner
        self._mouse = mouse
        self._check = check

    async def upload(
        self,
        target: Any,
        paths: str | Path | Sequence[str | Path],
        *,
        how: str = "auto",
        any_type: bool = False,
        **lookup: Unpack[ElementLookup],
    ) -> Outcome[Receipt]:
        """Give files to a file input (or its label), a button that opens a chooser, or a drop zone.

        `how` forces one of these methods; `any_type` ignores the input's `accept` attribute. The
        receipt's value is the names of the files that arrived.
        """
        if how not in METHODS:
            raise UsageError(f"how: unknown value {how!r}", hint=f"use one of {', '.join(METHODS)}")
        given = [paths] if isinstance(paths, str | Path) else list(paths)
        if not 1 <= len(given) <= MOST_FILES:
            raise UsageError(
                f"paths: {len(given)} files is out of range", hint=f"give 1 to {MOST_FILES} files"
            )
        files = [await asyncio.to_thread(self._check, path) for path in given]

        async def work() -> Receipt:
            batch = _UploadFiles(files, any_type)
            self._close_choosers()
            if how in ("auto", "input"):
                element = await self._resolver.resolve(target, _INPUT, **lookup)
                if element.facts["field"] == "file":
                    return await self._set_input_files(element, batch)
                if how == "input":
                    raise ToolError(
                        f"{element.describe()} is not a file input", hint="use how=auto"
                    )
            # Buttons open choosers; anything else is tried as a drop zone first, because a click on
            # it may do something unrelated.
            presses = how == "chooser" or (how == "auto" and _is_button(element))
            if not presses:
                receipt = await self._drop_files(target, batch, lookup)
                if receipt is not None:
                    return receipt
                if how == "drop":
                    raise ToolError(
                        f"{target!r} does not accept dropped files",
                        hint="name the drop zone, or its file input",
                    )
            return await self._upload_through_chooser(target, batch, lookup)

        return await self._runner.tab_context.race(work)

    def _close_choosers(self) -> None:
        """Cancel file choosers of this tab that earlier clicks opened."""
        supervisor, tab = self._runner.tab_context.supervisor, self._runner.tab_context.tab_id
        for waiting in list(supervisor.state.interrupts.values()):
            if (waiting.kind, waiting.tab) == ("file_chooser", tab):
                supervisor.answer_interrupt(waiting.id, "cancel")

    # A file input.

    async def _set_input_files(self, element: ReadyElement, batch: _UploadFiles) -> Receipt:
        world = await self._world(element)
        batch.check(
            element.describe(),
            await self._runner.worlds.call_in(world, "fileInput", element.js_handle),
        )
        notes: list[str] = []

        async def work() -> list[str]:
            handle = await self._object_id(element, world)
            await world.session.send(DOM.setFileInputFiles(files=batch.paths, objectId=handle))
            world.session.send(Runtime.releaseObject(objectId=handle))
            return await self._wait_until_taken(element.describe(), world, batch, notes)

        receipt = await self._runner.perform("uploaded to", element, work)
        return replace(receipt, notes=tuple(notes))

    async def _object_id(self, element: ReadyElement, world: IsolatedWorld) -> str:
        """Return the element's remote object id for CDP."""
        answer = await world.session.send(
            Runtime.callFunctionOn(
                functionDeclaration="function(target) { return ph.element(target); }",
                executionContextId=world.context_id,
                arguments=[{"value": element.js_handle}],
            )
        )
        handle = answer["result"].get("objectId")
        if handle is None:
            raise ElementNotFound(f"{element.describe()} is gone", hint="take a fresh snapshot")
        return handle

    async def _wait_until_taken(
        self, what: str, world: IsolatedWorld, batch: _UploadFiles, notes: list[str]
    ) -> list[str]:
        """Return the names that the input has, or had at its change event; pages may empty it at
        once."""
        loop = asyncio.get_running_loop()
        until = loop.time() + TAKEN_WITHIN_S
        while True:
            try:
                found = await self._runner.worlds.call_in(world, "filesGiven")
            except (CommandFailed, SessionGone):
                notes.append("the page navigated before the files could be read back")
                return batch.names
            if batch.names in (found["given"], found["now"]):
                if not found["now"]:
                    notes.append("the page took them and emptied the input")
                return batch.names
            if loop.time() > until:
                raise ToolError(
                    f"{what} did not accept the files: it has {found['now'] or 'none'}",
                    hint="take a snapshot; the page may refuse them",
                )
            await asyncio.sleep(POLL_S)

    # A file chooser.

    async def _upload_through_chooser(
        self, target: Any, batch: _UploadFiles, lookup: ElementLookup
    ) -> Receipt:
        supervisor, tab = self._runner.tab_context.supervisor, self._runner.tab_context.tab_id
        notes: list[str] = []

        async def press(element: ReadyElement) -> list[str] | None:
            # Only a chooser that opens after this press counts.
            known = set(supervisor.state.interrupts)

            def opened(state: State) -> Interrupt | None:
                fresh = (i for key, i in state.interrupts.items() if key not in known)
                return next((i for i in fresh if (i.kind, i.tab) == ("file_chooser", tab)), None)

            await self._mouse.press(element)
            try:
                chooser = await supervisor.wait_for(opened, CHOOSER_WITHIN_S)
            except TimeoutError:
                return None
            return await self._answer_chooser(element, chooser, batch, notes)

        receipt = await self._mouse.press_with_retry(
            target, _PRESS, "uploaded through", press, **lookup
        )
        if receipt.value is None:
            raise ToolError(
                f"{receipt.target} opened no file chooser when it was clicked",
                hint="name the file input, the button that opens it, or the drop zone (how=drop)",
            )
        return replace(receipt, notes=tuple(notes))

    async def _answer_chooser(
        self, element: ReadyElement, chooser: Interrupt, batch: _UploadFiles, notes: list[str]
    ) -> list[str]:
        """Answer the chooser once it is known that its input accepts the files."""
        supervisor = self._runner.tab_context.supervisor
        try:
            world, takes = await self._find_chooser_input(chooser)
            batch.check(f"what {element.describe()} opens", takes)
        except ToolError:
            supervisor.answer_interrupt(chooser.id, "cancel")
            raise
        supervisor.answer_interrupt(chooser.id, "upload", files=batch.paths)
        return await self._wait_until_taken(element.describe(), world, batch, notes)

    async def _find_chooser_input(self, chooser: Interrupt) -> tuple[IsolatedWorld, dict[str, Any]]:
        """Return the isolated world of the chooser's input, and what the input accepts."""
        frame = self._runner.tab_context.frame(chooser.frame_id)
        world = await self._runner.worlds.of(frame)
        node = chooser.detail.get("node")
        if not node:
            raise ToolError(
                "a script opened the chooser without a file input: it cannot be given files",
                hint="name a file input or a drop zone",
            )
        session: Session = world.session
        self._runner.worlds.install_actions(world)
        resolved = await session.send(
            DOM.resolveNode(backendNodeId=node, executionContextId=world.context_id)
        )
        handle = resolved["object"]["objectId"]
        answer = await session.send(
            Runtime.callFunctionOn(
                functionDeclaration="function() { return ph.takes(this); }",
                objectId=handle,
                returnByValue=True,
            )
        )
        session.send(Runtime.releaseObject(objectId=handle))
        return world, answer["result"]["value"]

    # A drop zone.

    async def _drop_files(
        self, target: Any, batch: _UploadFiles, lookup: ElementLookup
    ) -> Receipt | None:
        """Drop the files; None if nothing there accepts them."""
        element = await self._resolver.resolve(target, _ZONE, **lookup)
        world = await self._world(element)
        data: InputDragData = {"items": [], "files": batch.paths, "dragOperationsMask": COPY}

        async def over(kind: str) -> dict[str, Any]:
            await element.session.send(
                Input.dispatchDragEvent(type=kind, x=element.x, y=element.y, data=data)
            )
            state: dict[str, Any] = await self._runner.worlds.call_in(world, "dragState")
            return state

        async def work() -> list[str] | None:
            await self._runner.worlds.call_in(world, "dragWatch")
            ended = False
            try:
                await over("dragEnter")
                # A page accepts a drop by cancelling `dragover`.
                if not (await over("dragOver"))["welcome"]:
                    return None
                ended = True
                state = await over("drop")
            finally:
                if not ended:
                    element.session.send(
                        Input.dispatchDragEvent(
                            type="dragCancel", x=element.x, y=element.y, data=data
                        )
                    )
                self._runner.worlds.notify(world, "dragEnd")
            if not state["dropped"] or state["files"] != batch.names:
                raise ToolError(
                    f"{element.describe()} accepted the drag, but did not get all the files",
                    hint="take a snapshot; name the file input or another drop zone",
                )
            return batch.names

        receipt = await self._runner.perform("dropped files on", element, work)
        return receipt if receipt.value is not None else None

    async def _world(self, element: ReadyElement) -> IsolatedWorld:
        return element.world or await self._runner.worlds.of(element.frame)


class _UploadFiles:
    """The files of one upload."""

    def __init__(self, files: Sequence[Path], any_type: bool) -> None:
        self.paths = [str(file) for file in files]
        self.names = [file.name for file in files]
        self._any_type = any_type

    def check(self, what: str, takes: dict[str, Any]) -> None:
        """Raise ToolError if the input does not accept the files."""
        if takes["state"] != "ok":
            raise ToolError(f"{what} is no longer a file input", hint="take a fresh snapshot")
        if takes["folder"]:
            raise ToolError(
                f"{what} takes a whole folder",
                hint="choose another input; only files can be uploaded",
            )
        if len(self.names) > 1 and not takes["multiple"]:
            raise ToolError(f"paths: {what} takes one file", hint="give one file")
        wrong = [name for name in self.names if not accepts_file(takes["accept"], name)]
        if wrong and not self._any_type:
            raise ToolError(
                f"paths: {what} accepts {takes['accept']}, not {', '.join(wrong)}",
                hint="give another file, or any_type=true to try anyway",
            )


def _is_button(element: ReadyElement) -> bool:
    return element.role in ("button", "link", "menuitem") or element.facts["local"] in (
        "button",
        "a",
    )
