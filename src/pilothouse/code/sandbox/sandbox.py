"""What keeps agent-written code in its place: the operating system, never the language.

Knows: Linux's walls, and which of them stand. Must not know: what runs behind them. Each wall
that the kernel refuses is named in the report instead of being missing in silence. On systems
without them (macOS) only limits and a process group of its own remain.

    limits      memory, CPU time, files and their size, threads
    privileges  none of root's, and none to be had from other programs
    network     no way out but through the browser
    files       Python's own to read, the scratch directory to write, nothing else
    processes   none to be made, none to be signalled or looked into; modes and times of files stay
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import platform
import resource
import signal
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from pilothouse.code.sandbox.seccomp import ARCHITECTURES, make_filter

__all__ = ["WALLS", "Limits", "leave_network", "mount_scratch", "raise_walls", "warm"]

WALLS = ("limits", "privileges", "network", "files", "processes")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a worker may use."""

    cpu_s: int = 310
    memory_bytes: int = 1 << 30
    files: int = 64
    file_bytes: int = 64 << 20
    threads: int = 64
    # All of the scratch directory: the kernel's own limit is for each file.
    scratch_bytes: int = 256 << 20
    scratch_files: int = 10_000
    # In memory the kernel itself counts, also what was removed and is still open. Where it cannot,
    # and on disk, the directory is measured while the code runs.
    scratch_in_memory: bool = True
    # Endless loops stand back behind the daemon, the browsers and everybody else.
    nice: int = 10


_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_CLONE_NEWIPC = 0x08000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 1 << 14, 1 << 18
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38


def leave_network() -> bool:
    """Move this process, and all it forks, to where there is no network. Whether that worked.

    Once for all workers: making a network takes the kernel longer than anything else here."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC) != 0:
        # Root needs no user namespace for it; others get neither.
        return bool(libc.unshare(_CLONE_NEWNET | _CLONE_NEWIPC) == 0)
    # Somebody without a name in it could make no user namespaces for the workers.
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with contextlib.suppress(OSError):
            Path(f"/proc/self/{name}").write_text(text, "ascii")
    return True


def mount_scratch(scratch: Path, limits: Limits) -> bool:
    """Put a file system in memory where only this process sees it, with room for as much as the
    limits say. Whether that worked. Before any wall, for walls forbid it."""
    if sys.platform != "linux" or not limits.scratch_in_memory:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) != 0:
        return False
    if libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None) != 0:
        return False
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    # The directory itself is a file, too.
    most = f"size={limits.scratch_bytes},nr_inodes={limits.scratch_files + 1},mode=700"
    return bool(libc.mount(b"tmpfs", bytes(scratch), b"tmpfs", flags, most.encode()) == 0)


def raise_walls(
    scratch: Path, limits: Limits, *, off_line: bool = False
) -> tuple[list[str], list[str]]:
    """Wall this process in for good. Which walls stand, and which could not be had."""
    stand: set[str] = {"network"} if off_line else set()
    if _limit(limits):
        stand.add("limits")
    if sys.platform == "linux":
        stand |= _raise_linux(scratch, limits)
    return [w for w in WALLS if w in stand], [w for w in WALLS if w not in stand]


def _raise_linux(scratch: Path, limits: Limits) -> set[str]:
    libc = ctypes.CDLL(None, use_errno=True)
    stand: set[str] = set()
    unprivileged = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    if libc.unshare(_CLONE_NEWUSER) == 0:
        # Counted by user: only in a namespace of its own are other programs' threads left out.
        _set(resource.RLIMIT_NPROC, limits.threads)
    if _landlock(libc, scratch):
        stand.add("files")
    if unprivileged and _drop_capabilities(libc):
        stand.add("privileges")
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    # After the changes above, for some of them call it off.
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if unprivileged and _seccomp(libc):
        # Without sockets there is no network either.
        stand |= {"processes", "network"}
    return stand


def _limit(limits: Limits) -> bool:
    os.nice(limits.nice)
    held = [
        _set(resource.RLIMIT_CPU, limits.cpu_s),
        _set(resource.RLIMIT_NOFILE, limits.files),
        _set(resource.RLIMIT_FSIZE, limits.file_bytes),
        _set(resource.RLIMIT_CORE, 0),
        # Last, for macOS refuses it.
        _set(resource.RLIMIT_AS, limits.memory_bytes),
    ]
    return all(held)


def _set(what: int, amount: int) -> bool:
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (amount, amount))
        return True
    return False


def _drop_capabilities(libc: ctypes.CDLL) -> bool:
    version_3 = struct.pack("=Ii", 0x20080522, 0)
    return bool(libc.capset(version_3, bytes(24)) == 0)


# Landlock: read what Python itself is made of, write in the scratch directory, nothing else; where
# the kernel can, no TCP, and no signal to or abstract socket of a process outside.

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIRECTORY, _TRUNCATE = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14
# What there is to forbid, by the version of Landlock that first knew it.
_BITS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NET_SINCE, _NET = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11


def _landlock(libc: ctypes.CDLL, scratch: Path) -> bool:
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    every = (1 << _BITS_BY_VERSION[min(version, 5)]) - 1
    attributes = struct.pack("Q", every)
    if version >= _NET_SINCE:
        attributes += struct.pack("Q", _NET)
    if version >= _SCOPES_SINCE:
        attributes += struct.pack("Q", _SCOPES)
    ruleset = libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    try:
        for place in _python_places():
            _allow(libc, ruleset, place, _READ_FILE | _READ_DIRECTORY)
        for device in ("/dev/null", "/dev/urandom", "/dev/zero"):
            _allow(libc, ruleset, Path(device), _READ_FILE | _WRITE_FILE)
        _allow(libc, ruleset, scratch, every & ~_EXECUTE)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


@functools.cache
def _python_places() -> list[Path]:
    """Modules, the libraries they load, and time zones; none of them inside another."""
    libraries = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64")
    own = (str(Path(sys.base_prefix) / "lib"), *sys.path)
    there = {
        Path(p).resolve() for p in (*own, *libraries, "/usr/share/zoneinfo") if Path(p).exists()
    }
    return [place for place in sorted(there) if there.isdisjoint(place.parents)]


def _allow(libc: ctypes.CDLL, ruleset: int, place: Path, access: int) -> None:
    try:
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not there: nothing to allow
    try:
        if not place.is_dir():
            access &= _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
        libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", access, opened), 0)
    finally:
        os.close(opened)


def _seccomp(libc: ctypes.CDLL) -> bool:
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        return False
    length, packed = _packed_filter(machine)
    code = ctypes.create_string_buffer(packed, len(packed))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", length, ctypes.addressof(code)))
    return bool(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(head), 0, 0) == 0)


@functools.cache
def _packed_filter(machine: str) -> tuple[int, bytes]:
    program = make_filter(machine)
    return len(program), b"".join(struct.pack("HBBI", *line) for line in program)


def warm() -> None:
    """Work out once what is the same for all workers."""
    _python_places()
    if platform.machine() in ARCHITECTURES:
        _packed_filter(platform.machine())
