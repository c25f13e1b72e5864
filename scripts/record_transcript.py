"""Play a scenario on a real Chromium and record its CDP messages.

    python -m scripts.record_transcript NAME... | all

Writes tests/transcripts/NAME.jsonl. A scenario under a supervisor is written to
tests/transcripts/supervisor/NAME.jsonl, with its last state in NAME.json. Ports, the browser's
build and local paths are replaced, so that two recordings differ only where Chromium behaves
differently.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.supervisor import Options, Supervisor
from pilothouse.supervisor.journal.journal import Journal, read_journal, replay
from scripts.cdp_transcript_scenarios import SCENARIOS
from scripts.supervisor_transcript_scenarios import SUPERVISED, WITHIN_S, Stage
from tests.cdp_transcripts import FOLDER, record
from tests.chromium import Endpoint, find_chromium, running_chromium
from tests.page_server import Pages
from tests.supervisor.state_summary import summary

LARGEST = 60 * 1024


def _cleaner(pages: Pages) -> Callable[[str], str]:
    private = re.compile(re.escape(tempfile.gettempdir()) + r"/[^\"]*")
    port = re.compile(rf":{pages.port}\b")
    return lambda text: port.sub(":8000", private.sub("/tmp/profile", text))


async def play(name: str, endpoint: Endpoint, pages: Pages, path: Path) -> None:
    """Run one scenario and record its CDP messages."""
    async with await Connection.open(dial_websocket(endpoint.websocket_url)) as connection:
        with record(connection, path, _cleaner(pages)):
            await SCENARIOS[name](connection, pages)


async def play_supervised(name: str, endpoint: Endpoint, pages: Pages, path: Path) -> None:
    """Play one scenario under a supervisor; export its journal and a summary of the last state."""
    story, clean = SUPERVISED[name], _cleaner(pages)
    async with await Connection.open(dial_websocket(endpoint.websocket_url)) as connection:
        with tempfile.TemporaryDirectory(prefix="ph-downloads-") as folder:
            options = Options(downloads=folder if story.downloads else "")
            supervisor = Supervisor(connection, options)
            journal = Journal(supervisor)
            await supervisor.start()
            await supervisor.wait_for(lambda state: state.contexts, WITHIN_S)
            await story.play(Stage(supervisor, pages))
            journal.close()
            await supervisor.close()
            journal.export(path, lambda value: json.loads(clean(json.dumps(value))))
    ended = json.dumps(summary(replay(read_journal(path))[-1]), indent=1)
    path.with_suffix(".json").write_text(f"{ended}\n")


def main() -> int:
    """Record the named scenarios."""
    parser = argparse.ArgumentParser(description="record transcripts from a real Chromium")
    choices = dict.fromkeys(SCENARIOS, (play, FOLDER))
    choices |= {f"supervisor/{name}": (play_supervised, FOLDER) for name in SUPERVISED}
    parser.add_argument("names", nargs="+", choices=[*choices, "all"], metavar="NAME")
    names: list[str] = parser.parse_args().names
    executable = find_chromium()
    if executable is None:
        print("no Chromium found; set PILOTHOUSE_BROWSER", file=sys.stderr)
        return 1
    for name in choices if "all" in names else names:
        player, folder = choices[name]
        path = folder / f"{name}.jsonl"
        with running_chromium(executable, "--site-per-process") as endpoint, Pages() as pages:
            asyncio.run(player(path.stem, endpoint, pages, path))
        size = path.stat().st_size
        print(f"{name}: {len(path.read_text().splitlines())} messages, {size} bytes")
        if size > LARGEST:
            print(f"{name} is larger than {LARGEST} bytes", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
