"""What lives on this machine, as the tests look at it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from pathlib import Path

import psutil

__all__ = ["ended", "freeze_family", "gone", "mentioning"]


def mentioning(place: Path) -> list[psutil.Process]:
    """The living processes that name a path on their command line."""
    found = []
    for process in psutil.process_iter():
        try:
            if any(str(place) in arg for arg in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return [process for process in found if process.pid != os.getpid()]


def freeze_family(
    owner: subprocess.Popen[str],
) -> tuple[psutil.Process | None, list[psutil.Process]]:
    """Stop a process so that it starts nothing more; returns its guardian and its whole family."""
    os.kill(owner.pid, signal.SIGSTOP)
    family = psutil.Process(owner.pid).children(recursive=True)
    guardian = None
    for process in family:
        try:
            if any(arg.endswith("guardian.py") for arg in process.cmdline()):
                guardian = process
        except psutil.NoSuchProcess:
            continue
    return guardian, family


def ended(processes: list[psutil.Process], within: float = 5.0) -> bool:
    """Wait until none of them runs any more. Whoever adopted them may still have to reap them."""
    if not hasattr(os, "pidfd_open"):
        return not gone(processes, within)
    give_up = time.monotonic() + within
    for process in processes:
        if not process.is_running():
            continue  # its number may be another's by now
        try:
            watched = os.pidfd_open(process.pid)
        except (ProcessLookupError, FileNotFoundError):
            continue  # it has just gone, or its number is a thread's by now
        try:
            if not select.select([watched], [], [], max(0.0, give_up - time.monotonic()))[0]:
                return False
        finally:
            os.close(watched)
    return True


def gone(processes: list[psutil.Process], within: float = 5.0) -> list[psutil.Process]:
    """Wait until they are gone, zombies included; returns those that are not."""
    _, left = psutil.wait_procs(processes, timeout=within)
    return left
