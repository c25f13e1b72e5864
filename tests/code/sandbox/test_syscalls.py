"""The table of system calls agrees with the kernel headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pilothouse.code.sandbox.syscalls import SYSCALLS

HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")


@pytest.mark.parametrize("column", [0, 1])
def test_every_number_has_one_name(column: int) -> None:
    numbers = [both[column] for both in SYSCALLS.values() if both[column] >= 0]
    assert len(numbers) == len(set(numbers))
    assert max(numbers) < 1024


def test_calls_since_2019_have_one_number_everywhere() -> None:
    for name, (x86, arm) in SYSCALLS.items():
        if x86 >= 424:
            assert x86 == arm, name


@pytest.mark.skipif(not HEADER.exists(), reason="the headers of the kernel are not here")
def test_the_numbers_are_those_of_the_headers() -> None:
    found = re.findall(r"#define __NR_(\w+)\s+(\d+)$", HEADER.read_text("ascii"), re.MULTILINE)
    assert found
    for name, number in found:
        assert SYSCALLS[name][0] == int(number), name
