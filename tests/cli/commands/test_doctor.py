"""The doctor's report."""

from __future__ import annotations

import json

from pilothouse.cli.commands.doctor import run_checks
from pilothouse.cli.doctor.checks import Finding
from tests.cli.cli_process import run


def test_each_check_is_reported_by_name() -> None:
    checks = [("a", lambda: Finding("ok", "fine")), ("b", lambda: Finding("warn", "so", "do so"))]
    assert run_checks(checks) == [
        {"name": "a", "state": "ok", "found": "fine", "mend": ""},
        {"name": "b", "state": "warn", "found": "so", "mend": "do so"},
    ]


async def test_something_broken_is_exit_code_one_and_says_how_to_mend_it() -> None:
    code, out, err = await run("doctor", "--json", PILOTHOUSE_BROWSER="/nowhere/chromium")
    told = json.loads(out)
    assert (code, err, told["ok"]) == (1, "", False)
    assert told["error"]["message"] == "broken: browser"
    (browser,) = (found for found in told["result"]["checks"] if found["name"] == "browser")
    assert browser["mend"] == "check the path for a typo"
    code, out, err = await run("doctor", PILOTHOUSE_BROWSER="/nowhere/chromium")
    assert code == 1
    assert "→ check the path for a typo" in out
    assert "1 broken" in out
