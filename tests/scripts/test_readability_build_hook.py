"""What is built carries the library that finds articles, in the version that is locked."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = "pilothouse/page/world/library/node_modules/@mozilla/readability"


def test_wheel_and_sdist_carry_the_locked_library_and_its_licence(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True, timeout=100,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as built:
        names = set(built.namelist())
        about = json.loads(built.read(f"{LIBRARY}/package.json"))
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as source:
        there = {name.partition("/src/")[2] for name in source.getnames()}
    carried = {f"{LIBRARY}/{file}" for file in ("Readability.js", "LICENSE.md", "package.json")}
    for files in (names, there):
        assert {name for name in files if "node_modules" in name} == carried
    lock = json.loads(
        (ROOT / "src/pilothouse/page/world/library/package-lock.json").read_text("utf-8")
    )
    assert about["version"] == lock["packages"]["node_modules/@mozilla/readability"]["version"]
