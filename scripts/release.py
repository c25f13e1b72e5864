"""`./dev release`: check, build, describe and sign one release. Nothing is uploaded.

    ./dev release --dry-run     everything but the tag, in a temporary folder

Knows: the version, the changelog, the build. Must not know: where releases go. Each step prints
what it did, or why it was skipped; the first failure ends the release.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

__all__ = ["Failed", "changes", "checksums", "main", "version"]

ROOT = Path(__file__).parents[1]
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:(?:a|b|rc)\d+)?")


class Failed(Exception):
    """A step failed, so the release ends."""


def version(init: str) -> str:
    """Return the version of the package. Raises Failed if it is not a release version."""
    found = re.search(r'^__version__ = "([^"]*)"$', init, re.MULTILINE)
    if found is None or not _VERSION.fullmatch(found[1]):
        raise Failed(f"__version__: {found[1] if found else 'missing'!r}; expected such as 1.2.3")
    return found[1]


def changes(changelog: str, wanted: str) -> str:
    """Return the changelog's section for a version or Unreleased. Raises Failed if missing."""
    head = rf"^## (?:\[)?{re.escape(wanted)}(?:\])?(?: - \d{{4}}-\d{{2}}-\d{{2}})?$"
    found = re.search(head, changelog, re.MULTILINE)
    if found is None:
        raise Failed(f'CHANGELOG.md: there is no section "## {wanted} - YYYY-MM-DD"')
    text = re.split(r"^## ", changelog[found.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()
    if not re.search(r"^- ", text, re.MULTILINE):
        raise Failed(f"CHANGELOG.md: the section {wanted} lists no change")
    return text


def checksums(folder: Path) -> str:
    """Return the lines of SHA256SUMS for all files in a folder."""
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    return "".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in files)


def _run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(
            f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout)[-800:]}"
        )
    return done.stdout.strip()


class Release:
    """The steps of one release."""

    def __init__(
        self, into: Path, tools: Path | None, dry: bool, say: Callable[[str], object]
    ) -> None:
        self._into = into
        self._tools = tools
        self._dry = dry
        self._say = say
        self._version = ""

    def make(self) -> None:
        """Run all steps in order. Raises Failed."""
        self._version = version((ROOT / "src/pilothouse/__init__.py").read_text("utf-8"))
        self._say(f"version    {self._version}")
        changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
        try:
            notes, section = changes(changelog, self._version), self._version
        except Failed:
            if not self._dry:
                raise
            notes, section = changes(changelog, "Unreleased"), "Unreleased"
        self._say(f"changelog  {section}: {len(re.findall(r'^- ', notes, re.MULTILINE))} changes")
        if not self._dry and (dirty := _run("git", "status", "--porcelain")):
            raise Failed(f"git: uncommitted changes:\n{dirty}")
        self._build()
        self._check()
        self._describe()
        (self._into / "SHA256SUMS").write_text(checksums(self._into))
        self._say(f"checksums  {self._into / 'SHA256SUMS'}")
        self._tag()

    def _build(self) -> None:
        _run(sys.executable, "-m", "hatchling", "build", "-d", str(self._into))
        built = sorted(path.name for path in self._into.iterdir())
        stem = f"pilothouse-{self._version}"
        if built != [f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"]:
            raise Failed(f"build: expected a wheel and an sdist of {self._version}, got {built}")
        self._say(f"build      {', '.join(built)}")

    def _check(self) -> None:
        if self._tools is None:
            self._say("twine      left out: no --tools")
            return
        _run(str(self._tools / "twine"), "check", "--strict", *map(str, self._into.iterdir()))
        self._say("twine      passed")

    def _describe(self) -> None:
        if self._tools is None:
            self._say("SBOM       left out: no --tools")
            return
        sbom = self._into / f"pilothouse-{self._version}.cdx.json"
        lock = ROOT / "requirements" / "runtime.lock"
        project = ("--pyproject", str(ROOT / "pyproject.toml"), "-o", str(sbom))
        _run(str(self._tools / "cyclonedx-py"), "requirements", str(lock), *project)
        self._say(f"SBOM       {sbom.name}")

    def _tag(self) -> None:
        if self._dry:
            self._say("tag        left out: dry run")
            return
        if not subprocess.run(
            ["git", "config", "user.signingkey"], cwd=ROOT, capture_output=True, check=False
        ).stdout.strip():
            self._say("tag        skipped: git has no user.signingkey")
            return
        _run("git", "tag", "--sign", f"v{self._version}", "-m", f"Pilothouse {self._version}")
        self._say(f"tag        v{self._version}, signed")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main(words: list[str]) -> int:
    """Make a release; return the exit code."""
    parser = argparse.ArgumentParser(prog="./dev release")
    parser.add_argument("--dry-run", action="store_true", help="no tag, and no dist folder")
    parser.add_argument("--tools", type=Path, help="the folder with twine and cyclonedx-py")
    given = parser.parse_args(words)
    into = Path(tempfile.mkdtemp(prefix="release-")) if given.dry_run else ROOT / "dist"
    if not given.dry_run:
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir()
    try:
        Release(into, given.tools, given.dry_run, _say).make()
    except Failed as failed:
        sys.stderr.write(f"release: {failed}\n")
        return 1
    finally:
        if given.dry_run:
            shutil.rmtree(into)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
