"""The script that scores names and roles on pages in the form of the Web Platform Tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

PAGE = """<button class="ex" data-expectedlabel="Save" data-expectedrole="button">Save</button>
<img class="ex" alt="A boat" data-expectedlabel="A ship" data-expectedrole="img">"""


def test_each_way_is_scored_by_what_pages_expect(tmp_path: Path, chromium_path: Path) -> None:
    (tmp_path / "accname").mkdir()
    (tmp_path / "accname" / "some.html").write_text(PAGE)
    (tmp_path / "accname" / "none.html").write_text("<p>nothing is expected here")
    done = subprocess.run(
        [sys.executable, "-m", "scripts.score_wpt_names", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "names as expected, of 2: chrome 50.0 %, native 50.0 %, own 50.0 %",
        "roles as expected, of 2: chrome 100.0 %, native 100.0 %, own 100.0 %",
    ]
