"""Our JavaScript in every frame of a tab: one isolated world per document.

    js/                      the scripts as ES modules; bundles/ has what is made of them
    bundle_lookup.py         reads the bundles: SNAPSHOT_BUNDLE (what a snapshot needs, sent
                             first) and ACTION_BUNDLE (everything else, sent on first use);
                             Readability is a third part, sent for articles only
    isolated_worlds.py       IsolatedWorlds creates an IsolatedWorld per frame and document, and
                             calls the functions of the bundles in it (`ph.walk`, `ph.probe`, ...)
    preloaded_worlds.py      PreloadedWorlds: worlds that new documents get while they load,
                             learned from Runtime.executionContextCreated
    iframe_elements.py       FrameElements: which <iframe> element holds which frame
    closed_shadow_roots.py   hands closed shadow roots, which no script can see, to our world
    layout_counters.py       LayoutCounters: how often Chrome has computed styles and layouts;
                             the walk cache of page/snapshot compares them
    read_only_bundle_functions.py     which functions of the bundles only read: the table that the
                             extension uses to enforce "read only"

A caller has a Frame, gets `await worlds.of(frame)`, and calls `worlds.call_in(world, "walk", ...)`.
Calls go out as Runtime.callFunctionOn; results come back as JSON values. When the document goes
away, the world goes with it and the call raises InterruptedByNavigation.
"""

from __future__ import annotations

from pilothouse.page.world.bundle_lookup import js_function
from pilothouse.page.world.closed_shadow_roots import adopt_closed_roots
from pilothouse.page.world.iframe_elements import FrameElements
from pilothouse.page.world.isolated_worlds import (
    PRESS_BINDING,
    CachedWalk,
    IsolatedWorld,
    IsolatedWorlds,
    PageDocument,
)
from pilothouse.page.world.read_only_bundle_functions import read_only_script_table

__all__ = [
    "PRESS_BINDING",
    "CachedWalk",
    "FrameElements",
    "IsolatedWorld",
    "IsolatedWorlds",
    "PageDocument",
    "adopt_closed_roots",
    "js_function",
    "read_only_script_table",
]
