"""The filter of system calls, run as the kernel runs it."""

from __future__ import annotations

import pytest

from pilothouse.code.seccomp import ARCHITECTURES, REFUSED, make_filter

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026


def verdict(machine: str, number: int, argument: int = 0, architecture: int | None = None) -> int:
    """What the kernel would answer."""
    given = {0: number, 4: architecture or ARCHITECTURES[machine], 16: argument}
    lines = make_filter(machine)
    at = accumulator = 0
    while True:
        code, if_true, if_false, operand = lines[at]
        at += 1
        if code == 0x20:
            accumulator = given[operand]
        elif code == 0x06:
            return operand
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_everything_on_the_list_is_refused(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    for name, numbers in REFUSED.items():
        if numbers[column]:
            assert verdict(machine, numbers[column]) == EPERM, name


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_reading_writing_and_threads_are_allowed(machine: str) -> None:
    read, write, clone = {"x86_64": (0, 1, 56), "aarch64": (63, 64, 220)}[machine]
    assert verdict(machine, read) == ALLOW
    assert verdict(machine, write) == ALLOW
    assert verdict(machine, clone, argument=0x10000) == ALLOW


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_a_clone_that_is_no_thread_is_refused(machine: str) -> None:
    clone = {"x86_64": 56, "aarch64": 220}[machine]
    assert verdict(machine, clone, argument=17) == EPERM
    assert verdict(machine, 435) == ENOSYS


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_a_worker_cannot_call_off_its_death_with_its_parent(machine: str) -> None:
    prctl = {"x86_64": 157, "aarch64": 167}[machine]
    assert verdict(machine, prctl, argument=1) == EPERM
    assert verdict(machine, prctl, argument=15) == ALLOW


def test_other_sets_of_numbers_are_no_way_round() -> None:
    assert verdict("x86_64", 1, architecture=0x40000003) == KILL
    assert verdict("x86_64", 0x40000000 | 57) == EPERM
    assert verdict("x86_64", 0x40000000 | 1) == EPERM
