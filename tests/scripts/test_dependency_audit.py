"""The audit says what was found, and never that all is well when nobody could be asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.dependency_audit import Finding, exit_code, main, read_npm, read_pip

_CLEAN = {"dependencies": [{"name": "a", "version": "1", "vulns": []}]}
_BAD = {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1"}]}]}


def test_answers_of_pip_audit_are_read() -> None:
    assert read_pip("l", 0, json.dumps(_CLEAN), "") == Finding("l")
    assert read_pip("l", 1, json.dumps(_BAD), "") == Finding("l", ("a 1: PYSEC-1",))
    skipped = {"dependencies": [{"name": "b", "skip_reason": "not on PyPI"}]}
    assert read_pip("l", 0, json.dumps(skipped), "").trouble == (
        "1 of 1 packages were skipped: not on PyPI"
    )


def test_answers_of_npm_audit_are_read() -> None:
    assert read_npm("l", 0, '{"vulnerabilities": {}}', "") == Finding("l")
    bad = {"vulnerabilities": {"x": {"severity": "high"}}}
    assert read_npm("l", 1, json.dumps(bad), "") == Finding("l", ("x (high)",))


@pytest.mark.parametrize("out", ["", "{", "[]", '{"error": {}}', '{"message": ""}'])
def test_service_that_gives_no_answer_is_no_success(out: str) -> None:
    for read in (read_pip, read_npm):
        finding = read("l", 1, out, "Traceback\nConnectionError: refused\n")
        assert "ConnectionError: refused" in finding.trouble
        assert finding.line().startswith("NOT ASKED")
        assert exit_code([Finding("m"), finding]) == 2


def test_advisories_go_before_everything_else() -> None:
    assert exit_code([]) == 0
    assert exit_code([Finding("l"), Finding("m", ("x",)), Finding("n", trouble="away")]) == 1


def test_program_that_is_missing_is_reported_for_each_lock_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([str(tmp_path / "pip-audit")]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert "requirements/dev.lock" in "".join(lines)
    assert all(line.startswith("NOT ASKED") for line in lines)
