"""Every tool and every verb, with right and wrong arguments, on all kinds of pages: each call is
answered, with success or with an error of ours."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from pilothouse.code.client.daemon_connection import Refused
from pilothouse.tabs import verbs
from pilothouse.tabs.verb import VERBS
from pilothouse.tools import catalog
from pilothouse.tools.json_safe import json_safe
from pilothouse.tools.tool import TOOLS, build_schema
from tests.daemon.daemon_process import Home, open_daemon
from tests.daemon.daemon_surfaces import SURFACES, Surface, surface
from tests.daemon.random_arguments import Call, one_call_of_each
from tests.page_server import Pages
from tests.soak_extent import repeats

assert catalog.DECLARED
assert verbs  # importing the verbs has declared them

pytestmark = [pytest.mark.early, pytest.mark.browser, pytest.mark.soak, pytest.mark.timeout(6000)]

TOOLSETS = "browser,browser-data,web,code"
ANSWERED_WITHIN_S = 40.0
CLI_CALLS = 12
AT_ONCE = 10

# An exception's own words, which say nothing to who called.
RAW = re.compile(
    r"\b(?:Key|Type|Value|Attribute|Index|Name|Assertion|Runtime|Unicode\w*|Recursion|Lookup"
    r"|Overflow|ZeroDivision|NotImplemented|Validation|OS|Cancelled)Error\b"
    r"|Traceback|internal error|unexpected keyword|positional argument|NoneType|has no attribute"
    r"|not subscriptable|not iterable|unhashable|codec can't|Errno|object at 0x"
)
# What the daemon writes when something of ours breaks.
BROKEN = re.compile("failed outside the tool gate|never retrieved|could not be sent")

PAGES = {
    "/plain.html": "<!doctype html><title>plain</title><h1>Go</h1><p>text of a page",
    "/form.html": """<!doctype html><title>form</title><form action=/plain.html>
<button id=go>Go</button><input id=name required><input type=password name=p><input type=number>
<select id=one><option>a<option>b</select><input type=file id=file><input type=checkbox></form>""",
    "/pictures.html": "<!doctype html><title>pictures</title><img src=/dot.gif alt=Dot id=go>"
    "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='><img src=/no.gif><svg id=name></svg>",
    "/frames.html": """<!doctype html><title>frames</title><p>Go<iframe srcdoc='<button id=go>Go'>
</iframe><iframe src=/form.html></iframe><iframe src='http://localhost:PORT/form.html'></iframe>
<div id=host></div><script>host.attachShadow({mode: 'closed'}).innerHTML = '<a href=#>Go</a>'
</script>""",
    "/asks.html": """<!doctype html><title>asks</title><button id=go onclick="confirm('Sure?')">
Go</button><input id=name onchange="alert('changed')"><a href=/file.bin id=file>file</a>
<script>onbeforeunload = (event) => event.preventDefault()</script>""",
    "/odd.html": """<!doctype html><title>odd \ufffd</title><body><p id=name></p><script>
document.querySelector('p').textContent = 'half \\ud83d pair'; console.log('\\ud83d', NaN, window)
setTimeout(() => { throw new Error('\\ud83d') }); document.title = '\\ud83d'</script>""",
    "/empty.html": "",
}


@pytest.fixture(scope="module")
def daemon(chromium_path: Path) -> Iterator[Home]:
    with open_daemon(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def zoo() -> Iterator[list[str]]:
    """The addresses of all kinds of pages."""
    with Pages() as pages:
        pages.add("/dot.gif", b"GIF89a\x01\x00\x01\x00\x00\x00\x00,", headers={})
        pages.add_download("/file.bin", b"bytes", "file.bin")
        for path, body in PAGES.items():
            pages.add(path, body.replace("PORT", str(pages.port)))
        yield [pages.url(path) for path in PAGES]


SCHEMAS = {name: tool.schema for name, tool in TOOLS.items()}
VERB_SCHEMAS = {name: build_schema(verb) for name, verb in VERBS.items()}


def _urls(zoo: Sequence[str]) -> list[str]:
    """Addresses to give to tools, most of them good ones. None leads anywhere else."""
    wrong = ["", "nonsense://x", "http://127.0.0.1:1/", "javascript:alert(1)", "file:///etc/passwd"]
    return [*zoo, *zoo, "about:blank", "data:text/html,<p>Go", "http://[", "\ud800", *wrong]


def _fault(failed: bool, text: str) -> str:
    """What is wrong with an answer; empty if it is one of ours."""
    if found := RAW.search(text):
        return f"an exception's own words: {found[0]}"
    for field in ("error", "hint") if failed else ():
        if not re.search(rf'"{field}": ?"[^"]', text):
            return f"no {field}"
    return ""


class _Faults(list[str]):
    """The answers that are none of ours, one line each: a run shows all of them at once."""

    def look_at(self, call: object, failed: bool, text: str) -> None:
        """See whether an answer is one of ours."""
        if fault := _fault(failed, text):
            self.append(f"{fault}: {call!r:.400} was answered {text:.400}")

    def look_at_log(self, log: Path) -> None:
        """See whether something broke in the daemon: then there is a trace of it."""
        for line in log.read_text().splitlines():
            if "Traceback" in line or BROKEN.search(line):
                said = json.loads(line) if line.startswith("{") else {"text": line}
                trace = [part.strip() for part in said.get("trace", "").splitlines()]
                paths = [part for part in trace if part.startswith("File")][-2:]
                self.append(f"in the log: {said['text']}: {trace[-1:]} {paths}")


class _Client:
    """One session on a surface, used from a test that is not asynchronous."""

    def __init__(self, kind: str, daemon: Home) -> None:
        self._kind = kind
        self._runner = asyncio.Runner()
        self._opened = surface(kind, daemon, TOOLSETS)

    def __enter__(self) -> _Client:
        self._used: Surface = self._runner.run(self._opened.__aenter__())
        return self

    def __exit__(self, *exc: object) -> None:
        self._runner.run(self._opened.__aexit__(None, None, None))
        self._runner.close()

    def use(self, tool: str, given: dict[str, Any]) -> tuple[bool, str]:
        """Whether the call failed, and the whole text of its answer."""
        if self._kind == "http":  # there half a surrogate pair is no JSON, and answered as such
            given = json_safe(given)

        async def asked() -> tuple[bool, str]:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                return await self._used.answer(tool, given)

        try:
            return self._runner.run(asked())
        except TimeoutError:
            return True, f"not answered within {ANSWERED_WITHIN_S:g} s"
        except (AssertionError, Refused) as error:  # the answer is no result of a tool
            return True, repr(error)

    def start_at(self, page: str) -> None:
        """Have one tab, on this page."""
        self.use("reset", {"tabs": True})
        failed, text = self.use("browser_navigate", {"url": page})
        assert not failed or "blocked" in text, text


def _rounds(in_tests: int) -> settings:
    """How many examples; the same ones in every run."""
    return settings(
        max_examples=repeats(in_tests, 200),
        deadline=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("kind", SURFACES)
def test_every_tool_answers_whatever_it_is_given(kind: str, daemon: Home, zoo: list[str]) -> None:
    pages, faults = iter(zoo * 1000), _Faults()
    with _Client(kind, daemon) as client:

        @_rounds(2)
        @given(one_call_of_each(SCHEMAS, _urls(zoo)))
        def each(calls: list[Call]) -> None:
            client.start_at(next(pages))
            for call in calls:
                faults.look_at(call, *client.use(*call))

        each()
    faults.look_at_log(daemon.paths.log)
    assert not faults, "\n".join(faults)


def test_every_verb_answers_whatever_it_is_given(daemon: Home, zoo: list[str]) -> None:
    pages, faults, line = iter(zoo * 1000), _Faults(), daemon.line("verbs")

    def asked(method: str, **given: Any) -> tuple[bool, str]:
        try:
            return False, json.dumps(line.call(method, **given))
        except Refused as error:
            return True, json.dumps({"error": error.message, "hint": error.hint})

    @_rounds(2)
    @given(one_call_of_each(VERB_SCHEMAS, _urls(zoo)))
    def each(calls: list[Call]) -> None:
        asked("close", all=True)
        asked("open", url=next(pages), dialogs="dismiss")
        for call in calls:
            faults.look_at(call, *asked(f"tab.{call[0]}", **{"timeout": 1, **call[1]}))

    each()
    faults.look_at_log(daemon.paths.log)
    assert not faults, "\n".join(faults)


def test_every_tool_answers_in_a_batch(daemon: Home, zoo: list[str]) -> None:
    pages, faults = iter(zoo * 1000), _Faults()
    with _Client("rpc", daemon) as client:

        @_rounds(2)
        @given(one_call_of_each(SCHEMAS, _urls(zoo)))
        def each(calls: list[Call]) -> None:
            client.start_at(next(pages))
            # One half of a surrogate pair, and none of the steps would be done.
            steps = [
                {"tool": tool, "arguments": json_safe(asked)}
                for tool, asked in calls
                if tool != "browser_batch"
            ]
            for at in range(0, len(steps), AT_ONCE):
                some = steps[at : at + AT_ONCE]
                asked = {"steps": some, "stop_on_error": False}
                _, text = client.use("browser_batch", asked)
                results = json.loads(text).get("results", ()) if text[0] == "{" else ()
                if len(results) != len(some):
                    faults.append(f"{len(results)} answers of {len(some)}: {text:.400}")
                for step, result in zip(some, results, strict=False):
                    faults.look_at(step, not result["success"], json.dumps(result))

        each()
    faults.look_at_log(daemon.paths.log)
    assert not faults, "\n".join(faults)


def test_every_tool_answers_on_the_command_line(daemon: Home, zoo: list[str]) -> None:
    command = [sys.executable, "-m", "pilothouse", "--owner", "cli", "--json", "tool"]
    faults = _Faults()

    def used(tool: str, given: dict[str, Any]) -> None:
        done = subprocess.run(
            [*command, tool, "-", "--toolsets", TOOLSETS],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            env=daemon.environ(),
            timeout=ANSWERED_WITHIN_S,
            check=False,
        )
        said = done.stdout.replace('"message"', '"error"')
        faults.look_at((tool, given), done.returncode in (1, 2), f"{said}\n{done.stderr}")
        if done.returncode not in (0, 1, 2, 3) or json.loads(said)["ok"] != (done.returncode == 0):
            faults.append(f"{tool} {given} ended with {done.returncode}: {said}{done.stderr}")

    @_rounds(1)
    @given(one_call_of_each(SCHEMAS, _urls(zoo)))
    def each(calls: list[Call]) -> None:
        used("browser_navigate", {"url": zoo[1]})
        for call in calls[: repeats(CLI_CALLS, len(calls))]:
            used(*call)

    each()
    faults.look_at_log(daemon.paths.log)
    assert not faults, "\n".join(faults)
