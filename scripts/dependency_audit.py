"""`./dev audit`: check every locked package against the advisory databases of PyPI and npm.

Knows: the lock files, pip-audit and npm audit. Must not know: how packages are installed. Exit code
0: everything was checked and nothing found. 1: there are advisories. 2: something could not be
checked, for example because a service was unreachable.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Finding", "exit_code", "main", "read_npm", "read_pip"]

ROOT = Path(__file__).parents[1]
WITHIN_S = 300


class Finding(NamedTuple):
    """The result for one lock file."""

    lock: str
    advisories: tuple[str, ...] = ()
    # Why the lock file could not be checked; empty if it was.
    trouble: str = ""

    def line(self) -> str:
        """Return the result as one line of text."""
        if self.advisories:
            also = f"; {self.trouble}" if self.trouble else ""
            return f"FOUND      {self.lock}: {'; '.join(self.advisories)}{also}"
        if self.trouble:
            return f"NOT ASKED  {self.lock}: {self.trouble}"
        return f"clean      {self.lock}"


def read_pip(lock: str, code: int, out: str, err: str) -> Finding:
    """Parse the output of `pip-audit --format json`."""
    said = _object(out)
    if "dependencies" not in said:
        return Finding(lock, trouble=_reason(err, code))
    found = [
        f"{one['name']} {one['version']}: {', '.join(each['id'] for each in one['vulns'])}"
        for one in said["dependencies"]
        if one.get("vulns")
    ]
    skipped = [one for one in said["dependencies"] if "skip_reason" in one]
    trouble = ""
    if skipped:
        why = str(skipped[0]["skip_reason"])[:200]
        trouble = f"{len(skipped)} of {len(said['dependencies'])} packages were skipped: {why}"
    return Finding(lock, tuple(found), trouble)


def read_npm(lock: str, code: int, out: str, err: str) -> Finding:
    """Parse the output of `npm audit --json`."""
    said = _object(out)
    if "vulnerabilities" not in said:
        error = said.get("error")
        told = error.get("summary") if isinstance(error, dict) else said.get("message")
        return Finding(lock, trouble=str(told or "") or _reason(err, code))
    found = [f"{name} ({one['severity']})" for name, one in said["vulnerabilities"].items()]
    return Finding(lock, tuple(found))


def exit_code(findings: list[Finding]) -> int:
    """Return the exit code. Advisories take precedence over services that did not answer."""
    if any(finding.advisories for finding in findings):
        return 1
    return 2 if any(finding.trouble for finding in findings) else 0


def _object(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _reason(err: str, code: int) -> str:
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    lines = [line for line in lines if "complete log of this run" not in line]
    return f"the advisory service gave no answer (exit {code}): {lines[-1][:200] if lines else '-'}"


def _run(command: list[str], where: Path) -> tuple[int, str, str]:
    try:
        done = subprocess.run(
            command, cwd=where, capture_output=True, text=True, timeout=WITHIN_S, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, "", f"no answer within {WITHIN_S} s"
    except OSError as error:
        return -1, "", f"{command[0]}: {error.strerror}"
    return done.returncode, done.stdout, done.stderr


def main(words: list[str]) -> int:
    """Check each lock file. `words`: the path of pip-audit, then folders with package-lock.json."""
    pip_audit, *projects = words
    findings = []
    for lock in sorted((ROOT / "requirements").glob("*.lock")):
        asked = [pip_audit, "--require-hashes", "--disable-pip", "--progress-spinner", "off"]
        said = _run([*asked, "--format", "json", "-r", str(lock)], ROOT)
        findings.append(read_pip(f"requirements/{lock.name}", *said))
    for project in projects:
        said = _run(["npm", "audit", "--json", "--package-lock-only"], ROOT / project)
        findings.append(read_npm(f"{project}/package-lock.json", *said))
    for finding in findings:
        sys.stdout.write(finding.line() + "\n")
    return exit_code(findings)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
