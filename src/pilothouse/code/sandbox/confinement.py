"""Confines agent-written code by means of the operating system, never of the language.

Knows: the layers that Linux offers, and which of them are active. Must not know: what runs inside.
A layer that the kernel refuses is reported, never skipped silently. On systems without these layers
(macOS) only resource limits and a separate process group remain.

    limits      memory, CPU time, files and their size, threads
    privileges  none of root's, and none to gain from other programs
    network     no access except through the browser
    files       read Python's own files, write the scratch directory, nothing else
    processes   start none, signal or inspect none; file modes and times cannot be changed
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

__all__ = ["SANDBOX_LAYERS", "Limits", "enter_sandbox", "leave_network", "mount_scratch", "warm"]

SANDBOX_LAYERS = ("limits", "privileges", "network", "files", "processes")


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of a worker."""

    cpu_s: int = 310
    memory_bytes: int = 1 << 30
    files: int = 64
    file_bytes: int = 64 << 20
    threads: int = 64
    # For the whole scratch directory: the kernel's own limit is per file.
    scratch_bytes: int = 256 << 20
    scratch_files: int = 10_000
    # In memory the kernel enforces the quota, including deleted files that are still open. On disk
    # the directory is measured while the code runs.
    scratch_in_memory: bool = True
    # Endless loops get less CPU than the daemon, the browsers and other programs.
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
    """Move this process and its children into an empty network namespace. Returns success.

    Done once in the zygote, because creating a namespace is the slowest step of all.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC) != 0:
        # Root can do it without a user namespace; other users get neither.
        return bool(libc.unshare(_CLONE_NEWNET | _CLONE_NEWIPC) == 0)
    # Without a mapped user id the workers could not create user namespaces of their own.
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with contextlib.suppress(OSError):
            Path(f"/proc/self/{name}").write_text(text, "ascii")
    return True


def mount_scratch(scratch: Path, limits: Limits) -> bool:
    """Mount a tmpfs of limited size that only this process sees. Returns success.

    Must run before `enter_sandbox`, which forbids mounts.
    """
    if sys.platform != "linux" or not limits.scratch_in_memory:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) != 0:
        return False
    if libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None) != 0:
        return False
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    # Plus one inode for the directory itself.
    options = f"size={limits.scratch_bytes},nr_inodes={limits.scratch_files + 1},mode=700"
    return bool(libc.mount(b"tmpfs", bytes(scratch), b"tmpfs", flags, options.encode()) == 0)


def enter_sandbox(
    scratch: Path, limits: Limits, *, is_offline: bool = False
) -> tuple[list[str], list[str]]:
    """Confine this process for good. Returns the active layers and the missing ones."""
    active: set[str] = {"network"} if is_offline else set()
    if _limit(limits):
        active.add("limits")
    if sys.platform == "linux":
        active |= _enter_linux(scratch, limits)
    return [w for w in SANDBOX_LAYERS if w in active], [
        w for w in SANDBOX_LAYERS if w not in active
    ]


def _enter_linux(scratch: Path, limits: Limits) -> set[str]:
    libc = ctypes.CDLL(None, use_errno=True)
    active: set[str] = set()
    unprivileged = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    if libc.unshare(_CLONE_NEWUSER) == 0:
        # The limit counts per user: in a namespace of its own, other programs do not count.
        _set(resource.RLIMIT_NPROC, limits.threads)
    if _landlock(libc, scratch):
        active.add("files")
    if unprivileged and _drop_capabilities(libc):
        active.add("privileges")
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    # After the changes above, because some of them reset it.
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if unprivileged and _seccomp(libc):
        # Without sockets existing is no network either.
        active |= {"processes", "network"}
    return active


def _limit(limits: Limits) -> bool:
    os.nice(limits.nice)
    results = [
        _set(resource.RLIMIT_CPU, limits.cpu_s),
        _set(resource.RLIMIT_NOFILE, limits.files),
        _set(resource.RLIMIT_FSIZE, limits.file_bytes),
        _set(resource.RLIMIT_CORE, 0),
        # Last, because macOS refuses it.
        _set(resource.RLIMIT_AS, limits.memory_bytes),
    ]
    return all(results)


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
# Number of access rights by Landlock version.
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
        for folder in _python_folders():
            _allow(libc, ruleset, folder, _READ_FILE | _READ_DIRECTORY)
        for device in ("/dev/null", "/dev/urandom", "/dev/zero"):
            _allow(libc, ruleset, Path(device), _READ_FILE | _WRITE_FILE)
        _allow(libc, ruleset, scratch, every & ~_EXECUTE)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


@functools.cache
def _python_folders() -> list[Path]:
    """List the folders of modules, libraries and time zones, without nested ones."""
    libraries = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64")
    own = (str(Path(sys.base_prefix) / "lib"), *sys.path)
    existing = {
        Path(p).resolve() for p in (*own, *libraries, "/usr/share/zoneinfo") if Path(p).exists()
    }
    return [folder for folder in sorted(existing) if existing.isdisjoint(folder.parents)]


def _allow(libc: ctypes.CDLL, ruleset: int, folder: Path, access: int) -> None:
    try:
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # it does not exist
    try:
        if not folder.is_dir():
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
    """Compute in advance what is the same for all workers."""
    _python_folders()
    if platform.machine() in ARCHITECTURES:
        _packed_filter(platform.machine())
