"""A daemon that is used for long stays as it was: memory, descriptors, tables, processes.

Under `./dev soak daemon` it is 100,000 calls (PILOTHOUSE_SOAK_CALLS says otherwise) and the slope
of its memory is judged; in the tests it is a few hundred, which say nothing about memory.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import psutil
import pytest

from pilothouse.code.client.daemon_connection import DaemonClient
from tests.daemon.daemon_process import Home
from tests.page_server import Pages
from tests.soak_extent import repeats

pytestmark = [pytest.mark.browser, pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

SAMPLES = 100
CALMS_WITHIN_S = 20.0
# Fewer calls say more about what a new process does than about what grows.
JUDGED_FROM = 5_000
MB_PER_10_000 = 1.0

_PAGE = """<title>soak</title>
<button onclick="n.textContent = Number(n.textContent) + 1">Go</button>
<p id=n>0</p><input id=i><a href="#x">link</a><ul><li>one<li>two<li>three</ul>"""


class _Client:
    """One owner at work on tabs of its own, and one that comes and goes."""

    def __init__(self, line: DaemonClient, url: str, seed: int) -> None:
        self.line = line
        self.calls = 0
        self._url = url
        self._chance = random.Random(seed)
        for name in ("one", "two", "three"):
            line.call("open", name=name, url=url)

    def once(self) -> None:
        """One of each, so that whatever is made at first is there."""
        for number in range(len(_CHOICES)):
            self._do(_CHOICES[number], "one")

    def work(self, calls: int) -> None:
        """Some calls, at random."""
        while self.calls < calls:
            self._do(self._chance.choice(_CHOICES), self._chance.choice(("one", "two", "three")))

    def _do(self, what: str, tab: str) -> None:
        call = self.line.call
        self.calls += 1
        if what == "click":
            assert call("tab.click", tab=tab, target="button=Go")["action"] == "clicked"
        elif what == "snapshot":
            assert "Go" in call("tab.snapshot", tab=tab)["text"]
        elif what == "evaluate":
            assert call("tab.evaluate", tab=tab, code="document.title") == "soak"
        elif what == "run":
            assert call("run", name=tab, code="print(1); tab.title()")["value"] == "soak"
        else:
            call("open", name="passing", url=self._url)
            call("close", name="passing")
            self.calls += 1


_CHOICES = (
    *("click",) * 8, *("evaluate",) * 6, *("snapshot",) * 4, "run", "open and close",
)  # fmt: skip


def _slope(samples: Sequence[tuple[int, float]]) -> float:
    """Megabytes per 10,000 calls: the straight line through samples of (calls, MB)."""
    calls = sum(x for x, _ in samples) / len(samples)
    size = sum(y for _, y in samples) / len(samples)
    across = sum((x - calls) ** 2 for x, _ in samples)
    return sum((x - calls) * (y - size) for x, y in samples) / across * 10_000


def test_slope_is_that_of_a_straight_line() -> None:
    assert _slope([(0, 50.0), (5_000, 51.0), (10_000, 52.0)]) == pytest.approx(2.0)
    assert _slope([(0, 50.0), (10_000, 50.0)]) == 0


def test_daemon_does_not_grow_however_many_calls_come(
    lived_in: Home, served: Pages, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = int(os.environ.get("PILOTHOUSE_SOAK_CALLS") or repeats(300, 100_000))
    url = served.add("/soak.html", _PAGE)
    assert lived_in.process is not None
    daemon = psutil.Process(lived_in.process.pid)
    clients = [
        _Client(lived_in.line(owner), url, seed) for seed, owner in enumerate(("ann", "bob"))
    ]
    for client in clients:
        client.once()
    line = lived_in.line("watcher")
    before, descriptors = line.call("status")["sizes"], daemon.num_fds()
    samples = _worked(clients, wanted // 2, daemon)
    assert _calm(lambda: daemon.num_fds() <= descriptors), daemon.num_fds() - descriptors
    assert _calm(lambda: line.call("status")["sizes"]["tasks"] <= before["tasks"])
    after = line.call("status")["sizes"]
    assert {**after, "journal": 0, "tasks": 0} == {**before, "journal": 0, "tasks": 0}
    assert after["journal"] <= 3 * 400
    done = sum(client.calls for client in clients)
    # Journals, logs and pools fill up once; what grows without end still grows in this half.
    slope = _slope([sample for sample in samples if sample[0] >= done / 2])
    course = ", ".join(f"{samples[at * (len(samples) - 1) // 8][1]:.2f}" for at in range(9))
    with capsys.disabled():
        sys.stdout.write(
            f"\n{done} calls: {course} MB; {slope:+.2f} MB per 10,000 calls in the second half; "
            f"{daemon.num_fds()} descriptors ({descriptors} before)\n"
        )
    if done >= JUDGED_FROM:
        assert slope < MB_PER_10_000, samples


def _worked(
    clients: Sequence[_Client], calls: int, daemon: psutil.Process
) -> list[tuple[int, float]]:
    """All at work at once; the daemon's memory meanwhile, by the number of calls."""
    every = max(calls * len(clients) // SAMPLES, 1)
    samples: list[tuple[int, float]] = []
    with ThreadPoolExecutor(len(clients)) as threads:
        working = {threads.submit(client.work, calls) for client in clients}
        while working:
            done = sum(client.calls for client in clients)
            if not samples or done >= samples[-1][0] + every:
                samples.append((done, daemon.memory_info().rss / 1e6))
            ended, working = wait(working, 0.05, FIRST_COMPLETED)
            for client in ended:
                client.result()
    samples.append((sum(client.calls for client in clients), daemon.memory_info().rss / 1e6))
    return samples


def _calm(question: Callable[[], bool]) -> bool:
    give_up = time.monotonic() + CALMS_WITHIN_S
    while not question():
        if time.monotonic() > give_up:
            return False
    return True
