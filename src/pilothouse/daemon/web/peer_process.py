"""Finds the local process at the other end of a TCP connection (Linux only).

Knows: the kernel's socket tables in /proc. Must not know: what the process may do. It tells clients
of the protocol without sessions apart: all instances of a product send the same client name.
"""

from __future__ import annotations

import ipaddress
import os
import sys

__all__ = ["peer_process", "socket_inode"]

Address = tuple[str, int]


def peer_process(theirs: Address, ours: Address) -> str:
    """Return the process that holds the other end as `pid-starttime`, or an empty string.

    Searching /proc takes milliseconds: do not call this in the event loop."""
    inode = 0
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/net/{name}", encoding="ascii") as file:
                inode = inode or socket_inode(file.read(), theirs, ours)
        except OSError:
            return ""  # not Linux, or the kernel lacks this protocol
    return _find_holder(f"socket:[{inode}]") if inode else ""


def socket_inode(table: str, local: Address, remote: Address) -> int:
    """Find the inode of a connected socket in the text of /proc/net/tcp or tcp6; 0 if absent."""
    wanted = [_kernel_address(local), _kernel_address(remote)]
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[1:3] == wanted:
            return int(fields[9])
    return 0


def _kernel_address(address: Address) -> str:
    """Format an address as the kernel does: 32-bit words in the machine's byte order."""
    packed = ipaddress.ip_address(address[0]).packed
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    said = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{said}:{address[1]:04X}"


def _find_holder(wanted: str) -> str:
    for pid in sorted(filter(str.isdigit, os.listdir("/proc")), key=int, reverse=True):
        try:
            names = os.listdir(f"/proc/{pid}/fd")
            if any(_link(f"/proc/{pid}/fd/{name}") == wanted for name in names):
                return f"{pid}-{_start_time(pid)}"
        except OSError:
            continue  # it has ended, or belongs to another user
    return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""  # closed in the meantime


def _start_time(pid: str) -> str:
    """Return a process's start time in kernel ticks. It is needed because pids are reused."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[19]
