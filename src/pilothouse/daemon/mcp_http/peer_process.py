"""Which process is at the other end of a connection from this machine (Linux).

Knows: the kernel's tables of sockets. Must not know: what the process is let do. Clients without a
session are told apart by it: a name that a product gives is the same for all of its instances.
"""

from __future__ import annotations

import ipaddress
import os
import sys

__all__ = ["peer_process", "socket_inode"]

Address = tuple[str, int]


def peer_process(theirs: Address, ours: Address) -> str:
    """The process that holds the other end, as `pid-start time`; empty if the system does not
    say. It looks through /proc: some milliseconds, so not in the event loop."""
    inode = 0
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/net/{name}", encoding="ascii") as file:
                inode = inode or socket_inode(file.read(), theirs, ours)
        except OSError:
            return ""  # not Linux, or no such protocol here
    return _holder(f"socket:[{inode}]") if inode else ""


def socket_inode(table: str, local: Address, remote: Address) -> int:
    """The inode of a connected socket in the text of /proc/net/tcp or tcp6; 0 if not there."""
    wanted = [_spelt(local), _spelt(remote)]
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[1:3] == wanted:
            return int(fields[9])
    return 0


def _spelt(address: Address) -> str:
    """An address as the kernel writes it: words of four bytes in the machine's own order."""
    packed = ipaddress.ip_address(address[0]).packed
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    said = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{said}:{address[1]:04X}"


def _holder(wanted: str) -> str:
    for pid in sorted(filter(str.isdigit, os.listdir("/proc")), key=int, reverse=True):
        try:
            names = os.listdir(f"/proc/{pid}/fd")
            if any(_link(f"/proc/{pid}/fd/{name}") == wanted for name in names):
                return f"{pid}-{_started(pid)}"
        except OSError:
            continue  # gone meanwhile, or somebody else's
    return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""  # closed meanwhile


def _started(pid: str) -> str:
    """When it started, in the kernel's ticks: numbers of processes are used again."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[19]
