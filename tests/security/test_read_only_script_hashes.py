"""Which scripts run under "read only": those on the list and no others, in the relay and in the
extension alike."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pilothouse.page.world.bundle_lookup import SNAPSHOT_BUNDLE, call_declaration
from pilothouse.page.world.read_only_bundle_functions import read_only_script_table
from pilothouse.security.read_only_script_hashes import UTILITY, ReadOnlyScripts, digest
from tests.npm_package_cache import program
from tests.relay.extension_browser.test_agent_restrictions import modules

EXTENSION = Path(__file__).parents[2] / "extension"
PLAYWRIGHT = json.loads((EXTENSION / "background" / "read_only_scripts.json").read_text("utf-8"))
TITLE = "() => document.title"
ASKS = next(text for text in PLAYWRIGHT["reviewed"].values() if "params2.functionText" in text)
COUNTS = "({ elements }) => elements.length"
WALK, CLICKS = call_declaration("walk"), call_declaration("scrollBy")


def called(text: str, *arguments: Any) -> tuple[str, dict[str, Any]]:
    given = [{"value": one} for one in arguments]
    return "Runtime.callFunctionOn", {"functionDeclaration": text, "arguments": given}


def utility(*arguments: Any) -> tuple[str, dict[str, Any]]:
    method, params = called(UTILITY, True, True, *arguments)
    return method, {**params, "arguments": [{"objectId": "1"}, *params["arguments"]]}


def spelled(**fields: Any) -> dict[str, Any]:
    """An object as Playwright sends it."""
    return {"o": [{"k": name, "v": value} for name, value in fields.items()], "id": 1}


def evaluated(text: str) -> tuple[str, dict[str, Any]]:
    return "Runtime.evaluate", {"expression": text}


KNOWN = [
    called(WALK, {}),
    called(call_declaration("alone"), "walk", [{}]),
    evaluated(SNAPSHOT_BUNDLE),
    (
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": SNAPSHOT_BUNDLE, "worldName": "w"},
    ),
    utility(TITLE, 1),
    utility(ASKS, 2, spelled(functionText=COUNTS)),
]
UNKNOWN = [
    called(CLICKS, 0, 10),
    called(WALK + " "),
    called(call_declaration("alone"), "scrollIntoView", [{}]),
    called(call_declaration("alone")),
    evaluated("document.title"),
    evaluated(SNAPSHOT_BUNDLE.replace("ph", "hp", 1)),
    ("Page.addScriptToEvaluateOnNewDocument", {"source": "act()"}),
    ("Page.navigate", {"url": TITLE}),
    ("Runtime.callFunctionOn", {"functionDeclaration": 7}),
    ("Runtime.callFunctionOn", {}),
    utility("() => document.body.click()", 1),
    utility(),
    utility(TITLE + ";act()", 1),
    utility(ASKS, 2, spelled(functionText="({ elements }) => elements[0].click()")),
    utility(ASKS, 2, spelled(functionText=7)),
    utility(ASKS, 2, {"a": [spelled(arg=spelled(callbackText="act()"), functionText=COUNTS)]}),
    utility(ASKS, 2, {"functionText": "act()"}),
]

JUDGED = """
import { readFileSync } from "node:fs";
import { addReadOnlyScripts, isReadOnlyScript } from "%s";
const { tables, commands } = JSON.parse(readFileSync(0, "utf8"));
tables.forEach(addReadOnlyScripts);
const allowed = commands.map(([method, params]) => isReadOnlyScript(method, params));
process.stdout.write(JSON.stringify(allowed));
"""


def relay_judges(commands: list[Any], tables: list[Any], folder: Path) -> list[bool]:
    scripts = ReadOnlyScripts(*tables)
    return [scripts.is_read_only(method, params) for method, params in commands]


def extension_judges(commands: list[Any], tables: list[Any], folder: Path) -> list[bool]:
    module = modules(folder) / "background" / "read_only_script_hashes.js"
    ran = subprocess.run(
        [program("node"), "--input-type=module", "-e", JUDGED % module],
        input=json.dumps({"tables": tables, "commands": commands}),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    found: list[bool] = json.loads(ran.stdout)
    return found


Judge = Callable[[list[Any], list[Any], Path], list[bool]]
BOTH = pytest.mark.parametrize("judges", [relay_judges, extension_judges])


@BOTH
def test_known_readers_run_and_whatever_differs_by_a_letter_does_not(
    judges: Judge, tmp_path: Path
) -> None:
    tables = [PLAYWRIGHT, read_only_script_table()]
    assert judges(KNOWN, tables, tmp_path) == [True] * len(KNOWN)
    assert judges(UNKNOWN, tables, tmp_path) == [False] * len(UNKNOWN)
    assert judges(KNOWN, [], tmp_path) == [False] * len(KNOWN)


@BOTH
def test_a_library_is_known_whatever_its_options_unless_they_hold_code(
    judges: Judge, tmp_path: Path
) -> None:
    head, tail = "module; return new (module.exports.InjectedScript())(globalThis, ", ");\n})();\n"
    table = {"texts": [digest(head + tail)], "lengths": [len(head + tail)]}
    plain = '{"sdkLanguage":"python","frameSeq":3,"isUnderTest":false,"customEngines":[]}'
    held = [
        '{"customEngines":[{"name":"x","source":"act()"}]}',
        '{"a":act()}',
        '{"customEngines":["act()"]}',
        '{"a":null}',
        "{}); act(); ({}",
    ]
    commands = [evaluated(head + options + tail) for options in (plain, *held)]
    assert judges(commands, [table], tmp_path) == [True, *[False] * len(held)]


def test_every_listed_text_of_playwright_that_can_be_read_is_there_to_be_read() -> None:
    long = [text for text in PLAYWRIGHT["texts"] if text not in PLAYWRIGHT["reviewed"]]
    assert len(long) == 2, "the two libraries, and nothing else, are too long to be shown"
    assert all(digest(text) == name for name, text in PLAYWRIGHT["reviewed"].items())
