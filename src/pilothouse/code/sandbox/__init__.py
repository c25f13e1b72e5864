"""Runs agent-written Python in confined processes, and always gets it stopped.

In the daemon:

    daemon_side_runner.py         Runner: runs code, forwards its calls, enforces time and quotas;
                                  returns a RunOutcome
    worker_pool.py                WorkerPool: keeps some workers ready
    zygote_and_worker_handles.py  Zygote and Worker: the daemon's side of the processes
    scratch.py                    the scratch directory of each worker
    wire.py                       messages between daemon and worker: a length, then JSON

In the other processes:

    zygote.py       forks workers from a process with all modules loaded
    worker.py       runs one program; code_compiler.py compiles it, run_globals.py holds its
                    globals, deadline.py (RunDeadline) raises RunTimeout in it
    confinement.py  confines the worker by means of the operating system (Limits, enter_sandbox());
                    seccomp.py and syscalls.py build its system call filter

The daemon sends {code} to a worker; the worker sends calls, output and finally the result.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.code.sandbox.code_compiler import FILE
    from pilothouse.code.sandbox.confinement import Limits, enter_sandbox
    from pilothouse.code.sandbox.daemon_side_runner import Runner, RunOutcome, Zygote
    from pilothouse.code.sandbox.scratch import find_quota_excess
    from pilothouse.code.sandbox.zygote_and_worker_handles import Worker

__all__ = [
    "FILE",
    "Limits",
    "RunOutcome",
    "Runner",
    "Worker",
    "Zygote",
    "enter_sandbox",
    "find_quota_excess",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "code_compiler": ("FILE",),
        "daemon_side_runner": (
            "RunOutcome",
            "Runner",
            "Zygote",
        ),
        "confinement": (
            "Limits",
            "enter_sandbox",
        ),
        "scratch": ("find_quota_excess",),
        "zygote_and_worker_handles": ("Worker",),
    },
)
