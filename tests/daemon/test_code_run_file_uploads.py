"""Files that code gives to a page: whose, for how long, and no others."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_READ = "tab.evaluate(\"document.querySelector('input').files[0].text()\")"
_GIVE = "open('a.txt', 'w').write('mine')\ntab.upload('input', 'a.txt')"


@pytest.fixture
def line(lived_in: Home, served: Pages) -> Iterator[DaemonClient]:
    """A line whose owner has a tab that takes a file."""
    served.add("/take.html", "<title>take</title><input type=file>")
    made = lived_in.line("")
    made.call("open", url=served.url("/take.html"))
    yield made
    made.call("close", all=True)


def _copies(home: Home) -> list[Path]:
    return sorted(home.paths.uploads.glob("run-*"))


def _error(line: DaemonClient, code: str) -> str:
    return str(line.call("run", code=code)["error"]["message"])


def test_the_page_keeps_a_file_that_the_run_has_taken_with_it(line: DaemonClient) -> None:
    assert "error" not in line.call("run", code=_GIVE)
    assert line.call("run", code=_READ)["value"] == "mine"


def test_links_out_of_the_scratch_directory_lead_nowhere(
    line: DaemonClient, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    code = f"import os\nos.symlink({str(secret)!r}, 'link')\ntab.upload('input', 'link')"
    assert "refused" in _error(line, code)


def test_the_directory_of_another_run_cannot_be_read(
    line: DaemonClient, lived_in: Home, served: Pages
) -> None:
    other = lived_in.line("")
    other.call("open", url=served.url("/take.html"))
    code = "open('theirs.txt', 'w').write('x')\ntab.wait_for(function='window.free', timeout=60)"
    thread = threading.Thread(target=lambda: other.call("run", code=code, timeout=60))
    thread.start()
    while not other.call("tabs")[0]["busy"]:
        os.sched_yield()  # bounded by the test's own timeout
    for place in lived_in.paths.scratch.glob("run-*"):
        said = _error(line, f"tab.upload('input', {str(place / 'theirs.txt')!r})")
        assert "refused: " in said
    other.call("page.cdp", command="Runtime.evaluate", params={"expression": "free = 1"})
    thread.join(60)
    assert not thread.is_alive()
    other.call("close", all=True)


def test_copies_go_when_their_tab_has_gone(
    line: DaemonClient, lived_in: Home, served: Pages
) -> None:
    line.call("run", code=_GIVE)
    before = _copies(lived_in)
    line.call("close")
    line.call("open", url=served.url("/take.html"))
    line.call("run", code=_GIVE)
    after = _copies(lived_in)
    assert len(after) == 1
    assert not set(before) & set(after)
    assert line.call("run", code=_READ)["value"] == "mine"


def test_copies_of_one_tab_have_an_end(line: DaemonClient, lived_in: Home) -> None:
    line.call("run", code=_GIVE)
    (copies,) = _copies(lived_in)
    for number in range(1000):
        (copies / str(number)).mkdir()
    assert "exceed 512 MB or 1000 files" in _error(line, _GIVE)
