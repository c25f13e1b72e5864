"""Closed shadow roots: no script can see them, so we fetch them with DOM.describeNode and pass them
to our isolated world.

Must not know: what is in the roots.
"""

from __future__ import annotations

import asyncio

from pilothouse.cdp.protocol import DOM, Runtime
from pilothouse.errors import CommandFailed
from pilothouse.page.world.isolated_worlds import IsolatedWorld

__all__ = ["ADOPT", "SUSPECT", "adopt_closed_roots"]

SUSPECT = "function(index) { return ph.suspect(index); }"
ADOPT = "function(root) { ph.adopt(this, root); }"


async def adopt_closed_roots(world: IsolatedWorld, suspects: int) -> int:
    """Inspect the elements that may have a closed root (`suspects` of them, as the walker
    numbered them), and pass the roots to our world. Return how many there were."""
    found = await asyncio.gather(*(_adopt(world, index) for index in range(suspects)))
    return sum(found)


async def _adopt(world: IsolatedWorld, index: int) -> int:
    session = world.session
    host = await session.send(
        Runtime.callFunctionOn(
            functionDeclaration=SUSPECT,
            executionContextId=world.context_id,
            arguments=[{"value": index}],
        )
    )
    handle = host["result"].get("objectId")
    if handle is None:
        return 0
    try:
        described = (await session.send(DOM.describeNode(objectId=handle, pierce=True)))["node"]
        closed = [r for r in described.get("shadowRoots", ()) if r["shadowRootType"] == "closed"]
        roots = []
        if closed:
            resolved = await session.send(
                DOM.resolveNode(
                    backendNodeId=closed[0]["backendNodeId"], executionContextId=world.context_id
                )
            )
            roots = [{"objectId": resolved["object"]["objectId"]}]
        await session.send(
            Runtime.callFunctionOn(
                functionDeclaration=ADOPT,
                objectId=handle,
                arguments=roots,  # type: ignore[arg-type]
            )
        )
        return len(roots)
    except CommandFailed:
        return 0  # the element was removed meanwhile
    finally:
        session.send(Runtime.releaseObject(objectId=handle))
