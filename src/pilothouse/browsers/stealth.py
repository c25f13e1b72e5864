"""Chooses what a launched browser reports about itself: consistent, and nothing invented. Pure.

Knows: which switches and overrides of Chrome remove the word "Headless" and the automation flag
from what sites can read, at which level. Must not know: processes, sessions. No script is injected
into pages for it: every value is Chrome's own, so pages cannot detect a patch.

Measured on Chromium 156: an override per session does not change the requests for a worker's
script, nor anything in shared and service workers. So the user agent is set on the command line.
That switch makes Chrome withhold its detailed client hints everywhere, so each session gets them by
an override.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.browsers.kinds import HeadlessKind, Stealth

if TYPE_CHECKING:
    from pilothouse.cdp import Command

__all__ = [
    "BrowserBuild",
    "MachineInfo",
    "parse_build",
    "screen_info",
    "session_commands",
    "stealth_flags",
    "user_agent",
]

# A name, then four numbers: `Chromium 156.0.8078.79 built on Debian`.
_VERSION_OUTPUT = re.compile(r"^\s*([A-Za-z][A-Za-z ]*?) (\d+(?:\.\d+){3})\b", re.MULTILINE)

# Chrome reports the same for every processor and system release.
_SYSTEMS = {
    "Linux": "X11; Linux x86_64",
    "macOS": "Macintosh; Intel Mac OS X 10_15_7",
}
# Brand names of programs whose `--version` prints another name.
_BRANDS = {"Chromium": "", "Brave Browser": "Brave"}
_SUFFIXES = {"Microsoft Edge": " Edg/{major}.0.0.0"}

_NO_AUTOMATION = "--disable-blink-features=AutomationControlled"
# A mouse with hover: our input behaves so, even if the machine has no mouse.
_MOUSE = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,"
    "primaryPointerType=4,availablePointerTypes=4"
)

# Common screen sizes in CSS pixels; the first that is larger than the window is used.
_SCREENS = ((1920, 1080), (2560, 1440), (3840, 2160), (5120, 2880), (7680, 4320))

# The GREASE brand: Chrome derives it from its version with these characters and numbers, so that
# sites cannot rely on the order or length of the list.
_GREASE_CHARACTERS = " (:-./);=?_"
_GREASE_VERSIONS = ("8", "99", "24")
_ORDERS_OF_3 = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


class BrowserBuild(msgspec.Struct, frozen=True):
    """Name and version of a browser, as `--version` prints them."""

    name: str
    version: str

    @property
    def major(self) -> str:
        """The first number."""
        return self.version.partition(".")[0]


class MachineInfo(msgspec.Struct, frozen=True):
    """The machine that the browser runs on, in terms of client hints."""

    system: str
    architecture: str = "x86"
    bitness: str = "64"
    release: str = ""

    @classmethod
    def detect(cls) -> MachineInfo:
        """Describe this machine. Chrome reports no release on Linux."""
        mac = sys.platform == "darwin"
        arm = os.uname().machine.lower() in ("arm64", "aarch64", "armv7l")
        return cls(
            system="macOS" if mac else "Linux",
            architecture="arm" if arm else "x86",
            bitness="64" if sys.maxsize > 2**32 else "32",
            release=_mac_release() if mac else "",
        )


def _mac_release() -> str:
    import platform  # late: only macOS needs it

    return platform.mac_ver()[0]


def parse_build(output: str) -> BrowserBuild | None:
    """Parse the output of `--version`; None if it has no name and version."""
    found = _VERSION_OUTPUT.search(output)
    return BrowserBuild(found[1], found[2]) if found else None


def user_agent(build: BrowserBuild, machine: MachineInfo) -> str:
    """Return the user agent of this build when it is not headless."""
    suffix = _SUFFIXES.get(build.name, "").format(major=build.major)
    return (
        f"Mozilla/5.0 ({_SYSTEMS[machine.system]}) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{build.major}.0.0.0 Safari/537.36{suffix}"
    )


def stealth_flags(
    kind: HeadlessKind, build: BrowserBuild | None, machine: MachineInfo
) -> list[str]:
    """Return command line switches. Without a build the browser keeps its own user agent."""
    if kind.stealth == "off":
        return []
    chosen = [_NO_AUTOMATION]
    if not kind.headed:
        if build is not None:
            chosen.append(f"--user-agent={user_agent(build, machine)}")
        if kind.stealth == "full":
            chosen.append(_MOUSE)
    return chosen


def screen_info(level: Stealth, window: tuple[int, int], scale: float) -> str:
    """Return the value of `--screen-info`, the screen of a headless browser.

    At level full it is larger than the window, and its scale is that of the page. Otherwise
    cross-site frames would have another scale than the page.
    """
    if level != "full":
        return f"{{{window[0]}x{window[1]}}}"
    fits = (size for size in _SCREENS if size[0] > window[0] and size[1] > window[1])
    width, height = next(fits, window)
    return f"{{{round(width * scale)}x{round(height * scale)} devicePixelRatio={scale:g}}}"


def session_commands(
    kind: HeadlessKind, build: BrowserBuild | None, machine: MachineInfo, product: str, agent: str
) -> tuple[Command[Any], ...]:
    """Return the commands for every session before its target runs.

    product, agent: as the running browser reports them. If the user agent is not the one that we
    set, the user set another one, and it stays.
    """
    if kind.stealth == "off":
        return ()
    from pilothouse.cdp import Command  # late: not needed to start a browser

    chosen_commands: list[Command[Any]] = []
    if not kind.headed and build is not None and agent == user_agent(build, machine):
        running = BrowserBuild(build.name, product.rpartition("/")[2])
        sent = {"userAgent": agent, "userAgentMetadata": _client_hints(running, machine)}
        chosen_commands.append(Command("Emulation.setUserAgentOverride", sent))
    if kind.stealth == "full":
        chosen_commands.append(Command("Emulation.setFocusEmulationEnabled", {"enabled": True}))
    return tuple(chosen_commands)


def _client_hints(build: BrowserBuild, machine: MachineInfo) -> dict[str, Any]:
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


def _brands(build: BrowserBuild) -> list[tuple[str, str, str]]:
    """Return brands with short and full versions, in the order of this version."""
    seed = int(build.major)
    first, second = (_GREASE_CHARACTERS[(seed + more) % len(_GREASE_CHARACTERS)] for more in (0, 1))
    number = _GREASE_VERSIONS[seed % len(_GREASE_VERSIONS)]
    own = _BRANDS.get(build.name, build.name)
    names = [
        (f"Not{first}A{second}Brand", number, f"{number}.0.0.0"),
        ("Chromium", build.major, build.version),
        *([(own, build.major, build.version)] if own else []),
    ]
    order = _ORDERS_OF_3[seed % 6] if own else (seed % 2, (seed + 1) % 2)
    placed = dict(zip(order, names, strict=True))
    return [placed[at] for at in range(len(names))]
