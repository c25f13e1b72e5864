"""What a browser of our own says about itself: the same everywhere, and nothing made up. Pure.

Knows: which of Chrome's switches and overrides take the word "Headless" and the flag of automation
out of what sites read, at which level. Must not know: processes, sessions. No script is put into
pages for it: every value is Chrome's own, so there is nothing to be caught patching.

Measured on Chromium 156: an override for each session leaves the requests for a worker's script
and everything in shared and service workers as they were, so the name goes on the command line.
That switch in turn makes Chrome keep back its detailed client hints everywhere, so these are given
back to each session.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.browsers.kinds import Headless, Stealth

if TYPE_CHECKING:
    from pilothouse.cdp import Command

__all__ = ["Build", "Machine", "commands", "read_build", "screen", "switches", "user_agent"]

# A name, then four numbers: `Chromium 156.0.8078.79 built on Debian`.
_SAID = re.compile(r"^\s*([A-Za-z][A-Za-z ]*?) (\d+(?:\.\d+){3})\b", re.MULTILINE)

# Chrome says the same whatever the processor or the release of the system.
_SYSTEMS = {
    "Linux": "X11; Linux x86_64",
    "macOS": "Macintosh; Intel Mac OS X 10_15_7",
}
# What a program calls itself, and what its brand is where that is something else.
_BRANDS = {"Chromium": "", "Brave Browser": "Brave"}
_SUFFIXES = {"Microsoft Edge": " Edg/{major}.0.0.0"}

_NO_AUTOMATION = "--disable-blink-features=AutomationControlled"
# A mouse that points and hovers: ours does, though the machine may have none.
_MOUSE = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,"
    "primaryPointerType=4,availablePointerTypes=4"
)

# Sizes of usual screens in CSS pixels; the first that is larger than the window is taken.
_SCREENS = ((1920, 1080), (2560, 1440), (3840, 2160), (5120, 2880), (7680, 4320))

# The brand that means nothing: Chrome makes it of its version by these characters and numbers, so
# that nobody counts on the list's order or length.
_MARKS = " (:-./);=?_"
_MEANINGLESS = ("8", "99", "24")
_ORDERS_OF_3 = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


class Build(msgspec.Struct, frozen=True):
    """Which program it is, as it says itself: a name and four numbers."""

    name: str
    version: str

    @property
    def major(self) -> str:
        """The first number."""
        return self.version.partition(".")[0]


class Machine(msgspec.Struct, frozen=True):
    """The machine the browser runs on, in the words of client hints."""

    system: str
    architecture: str = "x86"
    bitness: str = "64"
    release: str = ""

    @classmethod
    def here(cls) -> Machine:
        """This one. Chrome tells no release on Linux."""
        mac = sys.platform == "darwin"
        arm = os.uname().machine.lower() in ("arm64", "aarch64", "armv7l")
        return cls(
            system="macOS" if mac else "Linux",
            architecture="arm" if arm else "x86",
            bitness="64" if sys.maxsize > 2**32 else "32",
            release=_mac_release() if mac else "",
        )


def _mac_release() -> str:
    import platform  # on Linux nobody needs it

    return platform.mac_ver()[0]


def read_build(said: str) -> Build | None:
    """What a program's `--version` tells; None if that makes no sense."""
    found = _SAID.search(said)
    return Build(found[1], found[2]) if found else None


def user_agent(build: Build, machine: Machine) -> str:
    """What this very build says in a window."""
    suffix = _SUFFIXES.get(build.name, "").format(major=build.major)
    return (
        f"Mozilla/5.0 ({_SYSTEMS[machine.system]}) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{build.major}.0.0.0 Safari/537.36{suffix}"
    )


def switches(kind: Headless, build: Build | None, machine: Machine) -> list[str]:
    """What goes on the command line. Without a build the browser keeps its own name."""
    if kind.stealth == "off":
        return []
    chosen = [_NO_AUTOMATION]
    if not kind.headed:
        if build is not None:
            chosen.append(f"--user-agent={user_agent(build, machine)}")
        if kind.stealth == "full":
            chosen.append(_MOUSE)
    return chosen


def screen(level: Stealth, window: tuple[int, int], scale: float) -> str:
    """The screen of a browser without one, as `--screen-info` wants it.

    At level full it is larger than the window, and its scale is the page's: only so do frames of
    other sites have the same scale as the page.
    """
    if level != "full":
        return f"{{{window[0]}x{window[1]}}}"
    fits = (size for size in _SCREENS if size[0] > window[0] and size[1] > window[1])
    width, height = next(fits, window)
    return f"{{{round(width * scale)}x{round(height * scale)} devicePixelRatio={scale:g}}}"


def commands(
    kind: Headless, build: Build | None, machine: Machine, product: str, agent: str
) -> tuple[Command[Any], ...]:
    """What every session is sent before its target runs. `product` and `agent` are what the
    running browser says: if it is not as we made it, it was given another name, and keeps that."""
    if kind.stealth == "off":
        return ()
    from pilothouse.cdp import Command  # a browser is started before there is anything to send

    made: list[Command[Any]] = []
    if not kind.headed and build is not None and agent == user_agent(build, machine):
        running = Build(build.name, product.rpartition("/")[2])
        sent = {"userAgent": agent, "userAgentMetadata": _hints(running, machine)}
        made.append(Command("Emulation.setUserAgentOverride", sent))
    if kind.stealth == "full":
        made.append(Command("Emulation.setFocusEmulationEnabled", {"enabled": True}))
    return tuple(made)


def _hints(build: Build, machine: Machine) -> dict[str, Any]:
    brands = _brands(build)
    return {
        "brands": [{"brand": name, "version": short} for name, short, _ in brands],
        "fullVersionList": [{"brand": name, "version": full} for name, _, full in brands],
        "fullVersion": build.version,
        "platform": machine.system,
        "platformVersion": machine.release,
        "architecture": machine.architecture,
        "bitness": machine.bitness,
        "model": "",
        "mobile": False,
        "wow64": False,
        "formFactors": ["Desktop"],
    }


def _brands(build: Build) -> list[tuple[str, str, str]]:
    """Names with short and full versions, in the order of this version."""
    seed = int(build.major)
    first, second = (_MARKS[(seed + more) % len(_MARKS)] for more in (0, 1))
    number = _MEANINGLESS[seed % len(_MEANINGLESS)]
    own = _BRANDS.get(build.name, build.name)
    names = [
        (f"Not{first}A{second}Brand", number, f"{number}.0.0.0"),
        ("Chromium", build.major, build.version),
        *([(own, build.major, build.version)] if own else []),
    ]
    order = _ORDERS_OF_3[seed % 6] if own else (seed % 2, (seed + 1) % 2)
    placed = dict(zip(order, names, strict=True))
    return [placed[at] for at in range(len(names))]
