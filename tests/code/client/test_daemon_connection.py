"""A client's line to the daemon: to a stand-in for its messages, to the real one for its start."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, time
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from tests.code.worker_runs import alive

Answer = Callable[[dict[str, Any]], list[dict[str, Any]]]


class StandIn:
    """Listens where a daemon would, and answers as it is told."""

    def __init__(self, paths: RuntimePaths, answer: Answer) -> None:
        paths.prepare()
        self._answer = answer
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(paths.socket))
        self._server.listen()
        self.clients: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with client.makefile("rb") as lines:
            for line in lines:
                for answer in self._answer(json.loads(line)):
                    client.sendall(json.dumps({"jsonrpc": "2.0", **answer}).encode() + b"\n")

    def hang_up(self) -> None:
        for client in self.clients:
            client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join(10)
        for client in self.clients:
            client.close()


@pytest.fixture
def paths(tmp_path: Path) -> RuntimePaths:
    return RuntimePaths(tmp_path / "daemon")


def hello(request: dict[str, Any]) -> dict[str, Any]:
    return {"id": request["id"], "result": {"owner": request["params"]["owner"] or "owner-1"}}


@pytest.fixture
def late() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def stand_in(paths: RuntimePaths, late: list[dict[str, Any]]) -> Iterator[StandIn]:
    def answer(request: dict[str, Any]) -> list[dict[str, Any]]:
        number, params = request["id"], request["params"]
        match request["method"]:
            case "hello":
                return [hello(request)]
            case "echo":
                return [{"id": number, "result": params}]
            case "refuse":
                data = {"kind": "ToolError", "hint": "do otherwise"}
                return [{"id": number, "error": {"code": -32000, "message": "no", "data": data}}]
            case "slow":
                progress = {"method": "progress", "params": {"id": number, "text": "half"}}
                return [progress, {"id": number, "result": "done"}]
            case "swap":
                # The first waits until the second is there; both are answered backwards.
                late.append({"id": number, "result": params["n"]})
                return late[::-1] if len(late) == 2 else []
        return []

    made = StandIn(paths, answer)
    yield made
    made.close()


@pytest.mark.usefixtures("stand_in")
def test_a_call_is_answered(paths: RuntimePaths) -> None:
    line = DaemonClient("me", paths=paths)
    assert line.owner == "me"
    assert line.call("echo", text="é\n", method="GET") == {"text": "é\n", "method": "GET"}
    line.close()


@pytest.mark.usefixtures("stand_in")
def test_a_refusal_has_its_kind_and_its_hint(paths: RuntimePaths) -> None:
    line = DaemonClient(paths=paths)
    with pytest.raises(Refused, match="no") as caught:
        line.call("refuse")
    assert (caught.value.kind, caught.value.hint) == ("ToolError", "do otherwise")
    assert caught.value.__notes__ == ["hint: do otherwise"], "tracebacks show it"
    line.close()


@pytest.mark.usefixtures("stand_in")
def test_dates_and_paths_are_sent_as_text_and_other_objects_are_refused_by_name(
    paths: RuntimePaths,
) -> None:
    line = DaemonClient(paths=paths)
    sent = line.call("echo", day=date(2026, 12, 31), at=time(14, 30), file=Path("a/b"))
    assert sent == {"day": "2026-12-31", "at": "14:30:00", "file": "a/b"}
    with pytest.raises(Refused, match="fill: value: cannot be sent: a value of type bytes") as odd:
        line.call("tab.fill", target="#a", value=b"x")
    assert odd.value.kind == "UsageError"
    assert line.call("echo", still="there") == {"still": "there"}
    line.close()


@pytest.mark.usefixtures("stand_in")
def test_progress_is_passed_on(paths: RuntimePaths) -> None:
    told: list[dict[str, Any]] = []
    line = DaemonClient(paths=paths, on_progress=told.append)
    assert line.call("slow") == "done"
    assert told == [{"id": 2, "text": "half"}]
    line.close()


@pytest.mark.usefixtures("stand_in")
def test_threads_share_a_line_and_get_each_their_own(paths: RuntimePaths) -> None:
    line = DaemonClient(paths=paths)
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(line.call, "swap", n=n) for n in (1, 2)]
        assert [future.result(30) for future in waiting] == [1, 2]
    line.close()


def test_a_daemon_that_goes_in_the_middle_is_told_to_all_who_wait(
    paths: RuntimePaths, stand_in: StandIn
) -> None:
    line = DaemonClient(paths=paths)
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(line.call, "never") for _ in range(2)]
        while line._count < 3:
            os.sched_yield()
        stand_in.hang_up()
        for future in waiting:
            error = future.exception(30)
            assert isinstance(error, PilothouseError)
            assert "stopped during the call" in error.message
    line.close()


@pytest.mark.usefixtures("stand_in")
def test_hanging_up_wakes_whoever_waits(paths: RuntimePaths) -> None:
    line = DaemonClient(paths=paths)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(line.call, "never")
        while line._count < 2:
            os.sched_yield()
        line.close()
        assert isinstance(waiting.exception(30), PilothouseError)


def test_without_a_daemon_and_without_leave_to_start_one_it_says_so(paths: RuntimePaths) -> None:
    with pytest.raises(PilothouseError, match="no daemon is running"):
        DaemonClient(paths=paths, start=False)


def test_a_door_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    paths = RuntimePaths(tmp_path / ("x" * 120))
    with pytest.raises(PilothouseError, match=r"daemon\.sock"):
        DaemonClient(paths=paths, start=False)


def test_a_daemon_that_does_not_start_says_why(paths: RuntimePaths, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("browser:\n  headles: true\n", "utf-8")
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from pilothouse.code.client.daemon_connection import DaemonClient\n"
        "from pilothouse.errors import PilothouseError\nfrom pilothouse.paths import RuntimePaths\n"
        "try:\n    DaemonClient(paths=RuntimePaths(Path(sys.argv[1])))\n"
        "except PilothouseError as error:\n    sys.stdout.write(error.format_line())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(paths.root)],
        env={**os.environ, "PILOTHOUSE_CONFIG": str(config)},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert "the daemon did not start" in done.stdout
    assert f"{config}:2: there is no setting browser.headles" in done.stdout
    assert "did you mean browser.headless?" in done.stdout


def test_many_who_find_nobody_home_start_one_daemon(paths: RuntimePaths) -> None:
    with ThreadPoolExecutor(8) as pool:
        lines = list(pool.map(lambda n: DaemonClient(f"owner-{n}", paths=paths), range(8)))
    pids = {line.hello["pid"] for line in lines}
    assert len(pids) == 1
    (pid,) = pids
    assert [line.owner for line in lines] == [f"owner-{n}" for n in range(8)]
    lines[0].call("stop")
    with pytest.raises(PilothouseError, match="stopped during the call"):
        _call_until_it_fails(lines[1])
    for line in lines:
        line.close()
    # While the old one closes, the next caller waits for it and then starts its own.
    line = DaemonClient(paths=paths)
    second = line.hello["pid"]
    assert second != pid
    assert not alive(pid)
    line.call("stop")
    line.close()
    while alive(second):  # bounded by the test's own timeout
        os.sched_yield()


def _call_until_it_fails(line: DaemonClient) -> None:
    while True:
        line.call("status")


def test_a_warm_call_needs_no_asyncio() -> None:
    code = (
        "import sys, pilothouse.code.client.daemon_connection, pilothouse.code.client.tab\n"
        "print('asyncio' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.strip() == "False"
