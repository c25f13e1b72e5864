"""What the README shows works as it stands."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.house_rules import ROOT

README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.browser
def test_the_python_example_runs_as_printed() -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        '- button "Sign in" [ref=e1]',
        "blocked by Name?",
        "(\"prompt 'Name?'\",) Ada",
    ]


def test_the_quickstart_is_two_commands() -> None:
    quickstart = README.partition("## Quickstart")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```sh\n(.*?)^```", quickstart, re.MULTILINE | re.DOTALL)
    assert [line.partition("#")[0].strip() for line in block.splitlines()] == [
        "./dev demo",
        "./dev test",
    ]
