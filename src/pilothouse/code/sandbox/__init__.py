"""TODO-MAP code/sandbox."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.code.sandbox.program import FILE
    from pilothouse.code.sandbox.runner import Ran, Runner, Zygote
    from pilothouse.code.sandbox.sandbox import Limits, raise_walls
    from pilothouse.code.sandbox.scratch import over_quota
    from pilothouse.code.sandbox.worker_process import Worker

__all__ = ["FILE", "Limits", "Ran", "Runner", "Worker", "Zygote", "over_quota", "raise_walls"]

__getattr__ = lazy_exports(
    __name__,
    {
        "program": ("FILE",),
        "runner": (
            "Ran",
            "Runner",
            "Zygote",
        ),
        "sandbox": (
            "Limits",
            "raise_walls",
        ),
        "scratch": ("over_quota",),
        "worker_process": ("Worker",),
    },
)
