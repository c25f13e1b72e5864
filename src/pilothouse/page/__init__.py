"""EYES AND HANDS on one page: what an agent reads and does, in every frame of a tab.

`page.py` has it all in one object. Its parts, each a family of its own:

    the ground    place.py (one tab), worlds.py (our JavaScript in each frame), announced.py,
                  scripting.py (scripts/*.js), owners.py (where frames stand), shadows.py
    seeing        snapshot.py: walking.py, kept.py, listeners.py; nodes.py, render.py, diff.py;
                  refs.py
                  screenshot.py, picture.py, pictures.py, pdf.py, images.py
                  extract.py, markdown.py; evaluate.py, programs.py; inspect.py; console.py
    acting        targets.py, aim.py, refusals.py: which element is meant, is it ready
                  act.py, receipt.py: what came of it
                  mouse.py, keyboard.py, keys.py, fill.py, field_values.py, choose.py,
                  choices.py, scroll.py, drag.py, upload.py, clipboard.py
    going         navigate.py, lifecycle.py, addresses.py; waits.py, waiting.py,
                  traffic_waits.py, inflight.py, ears.py, patience.py
    requests      network.py and network_*.py, har.py, routes.py, route_rules.py,
                  url_patterns.py
    what is kept  cookies.py, cookie_rules.py, storage.py, state_file.py, backstage.py,
                  downloads.py, paths.py, filenames.py, capture.py
    the world     emulation.py, conditions.py, devices.py, user_agents.py
"""

from __future__ import annotations

from pilothouse.page.input import Receipt
from pilothouse.page.page import Page
from pilothouse.page.snapshot import Snapshot, SnapshotOptions

__all__ = ["Page", "Receipt", "Snapshot", "SnapshotOptions"]
