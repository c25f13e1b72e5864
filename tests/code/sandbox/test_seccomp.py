"""The system call filter, interpreted as the kernel does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.code.sandbox.seccomp import (
    ALLOWED,
    ARCHITECTURES,
    CONDITIONAL,
    REFUSED,
    make_filter,
)
from pilothouse.code.sandbox.syscalls import SYSCALLS

ALLOW, KILL, EPERM, ENOSYS, ENOTSUP = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026, 0x0005005F
MACHINES = list(ARCHITECTURES)
KERNEL = Path("/proc/kallsyms")

# Names in the kernel of what only 32-bit programs, or other machines, can call: the filter ends a
# process that tries. And names of the same call.
_ELSEWHERE = """
    adjtimex_time32 chown16 clock_adjtime32 clock_getres_time32 clock_gettime32
    clock_nanosleep_time32 clock_settime32 fadvise64_64 fchown16 fstatfs64 futex_time32
    futimesat_time32 getegid16 geteuid16 getgid16 getgroups16 gethostname getresgid16 getresuid16
    getuid16 io_getevents_time32 io_pgetevents_time32 ipc lchown16 llseek mmap_pgoff
    mq_timedreceive_time32 mq_timedsend_time32 nanosleep_time32 ni_syscall nice old_getrlimit
    old_msgctl old_readdir old_semctl old_shmctl oldumount olduname pciconfig_iobase pciconfig_read
    pciconfig_write ppoll_time32 pselect6_time32 recv recvmmsg_time32 rt_sigtimedwait_time32 rtas
    s390_ipc s390_pci_mmio_read s390_pci_mmio_write sched_rr_get_interval_time32
    semtimedop_time32 send setfsgid16 setfsuid16 setgid16 setgroups16 setregid16 setresgid16
    setresuid16 setreuid16 setuid16 sgetmask signal sigpending sigprocmask sigsuspend socketcall
    spu_create spu_run ssetmask statfs64 stime stime32 subpage_prot sync_file_range2 time32
    timer_gettime32 timer_settime32 timerfd_gettime32 timerfd_settime32 utime32
    utimensat_time32 utimes_time32 vm86 vm86old waitpid
"""
ONLY_ELSEWHERE = frozenset(_ELSEWHERE.split())
ALIASES = {
    "newfstat": "fstat",
    "newlstat": "lstat",
    "newstat": "stat",
    "newuname": "uname",
    "sendfile64": "sendfile",
    "umount": "umount2",
}


def verdict(machine: str, name: str | int, *arguments: int, architecture: int | None = None) -> int:
    """Return what the filter returns for a call."""
    number = SYSCALLS[name][MACHINES.index(machine)] if isinstance(name, str) else name
    given = {0: number, 4: architecture or ARCHITECTURES[machine]}
    for index in range(6):
        argument = arguments[index] if index < len(arguments) else 0
        given[16 + 8 * index] = argument & 0xFFFFFFFF
        given[20 + 8 * index] = argument >> 32 & 0xFFFFFFFF
    lines = make_filter(machine)
    at = accumulator = 0
    while True:
        code, if_true, if_false, operand = lines[at]
        at += 1
        if code == 0x20:
            accumulator = given[operand]
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x06:
            return operand
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            at += if_true if holds else if_false


def test_every_system_call_is_decided_once() -> None:
    decided = [*ALLOWED, *CONDITIONAL, *REFUSED]
    assert set(SYSCALLS) - set(decided) == set(), "decide in seccomp.py"
    assert set(decided) - set(SYSCALLS) == set(), "no such call: see syscalls.py"
    assert len(decided) == len(set(decided))


@pytest.mark.skipif(not KERNEL.exists(), reason="this kernel does not name its calls")
def test_every_system_call_of_the_running_kernel_is_decided() -> None:
    found = set()
    for line in KERNEL.read_text("ascii").splitlines():
        name = line.split()[2]
        for prefix in ("__x64_sys_", "__arm64_sys_"):
            if name.startswith(prefix) and "." not in name and "ia32_" not in name:
                found.add(name.removeprefix(prefix))
    missing = {ALIASES.get(name, name) for name in found} - set(SYSCALLS) - ONLY_ELSEWHERE
    assert missing == set(), "a newer kernel: decide in seccomp.py (until then they are refused)"


@pytest.mark.parametrize("machine", MACHINES)
def test_each_call_is_answered_as_decided(machine: str) -> None:
    for name, numbers in SYSCALLS.items():
        if numbers[MACHINES.index(machine)] < 0:
            continue
        actual = verdict(machine, name)
        if name in ALLOWED:
            assert actual == ALLOW, name
        elif name in REFUSED:
            assert actual == REFUSED[name] in (EPERM, ENOSYS, ENOTSUP), name


@pytest.mark.parametrize("machine", MACHINES)
def test_what_no_kernel_has_yet_is_refused(machine: str) -> None:
    known = {numbers[MACHINES.index(machine)] for numbers in SYSCALLS.values()}
    for number in set(range(1024)) - known:
        assert verdict(machine, number) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        pytest.param("clone", (0x3D0F00,), ALLOW, id="a thread"),
        pytest.param("clone", (17,), EPERM, id="a process"),
        pytest.param("clone", (0x10000000 | 0x10000,), EPERM, id="a user namespace"),
        pytest.param("clone3", (), ENOSYS, id="clone with flags in memory"),
        pytest.param("prctl", (1, 0), EPERM, id="outlive the parent"),
        pytest.param("prctl", (4, 1), EPERM, id="be looked into"),
        pytest.param("prctl", (15,), ALLOW, id="name a thread"),
        pytest.param("fcntl", (5, 8, 1), EPERM, id="F_SETOWN"),
        pytest.param("fcntl", (5, 15, 1), EPERM, id="F_SETOWN_EX"),
        pytest.param("fcntl", (5, 10, 9), EPERM, id="F_SETSIG"),
        pytest.param("fcntl", (5, 1024, 0), EPERM, id="F_SETLEASE"),
        pytest.param("fcntl", (5, 1026, 0), EPERM, id="F_NOTIFY"),
        pytest.param("fcntl", (5, 4, 0x2000 | 0x800), EPERM, id="O_ASYNC"),
        pytest.param("fcntl", (5, 4, 0x800), ALLOW, id="O_NONBLOCK"),
        pytest.param("fcntl", (5, 6, 1), ALLOW, id="a lock"),
        pytest.param("fcntl", (5, 8 | 1 << 32, 1), EPERM, id="F_SETOWN with rubbish above"),
        pytest.param("ioctl", (5, 0x5452), EPERM, id="FIOASYNC"),
        pytest.param("ioctl", (5, 0x8901), EPERM, id="FIOSETOWN"),
        pytest.param("ioctl", (5, 0x8902), EPERM, id="SIOCSPGRP"),
        pytest.param("ioctl", (5, 0x5412), EPERM, id="TIOCSTI"),
        pytest.param("ioctl", (5, 0x5401), ALLOW, id="isatty"),
        pytest.param("sendto", (3, 1 << 40, 1, 0, 0, 0), ALLOW, id="send"),
        pytest.param("sendto", (3, 1, 1, 0, 1 << 40, 0), EPERM, id="send to an address"),
        pytest.param("socketpair", (1, 1), ALLOW, id="a stream"),
        pytest.param("socketpair", (1, 1 | 0o2004000), ALLOW, id="a stream for asyncio"),
        pytest.param("socketpair", (1, 2), EPERM, id="datagrams"),
        pytest.param("socketpair", (1, 5), EPERM, id="packets"),
        pytest.param("socketpair", (30, 1), EPERM, id="another family"),
        pytest.param("prlimit64", (0, 7, 0, 1 << 40), ALLOW, id="read a limit"),
        pytest.param("prlimit64", (0, 7, 1 << 40, 0), EPERM, id="set a limit"),
        pytest.param("prlimit64", (1, 7, 0, 1 << 40), EPERM, id="the limit of another"),
    ],
)
def test_calls_are_judged_by_their_arguments(
    machine: str, name: str, arguments: tuple[int, ...], expected: int
) -> None:
    assert verdict(machine, name, *arguments) == expected


def test_other_sets_of_numbers_are_no_way_round() -> None:
    assert verdict("x86_64", 1, architecture=0x40000003) == KILL
    assert verdict("x86_64", 0x40000000 | 57) == EPERM
    assert verdict("x86_64", 0x40000000 | 1) == EPERM
