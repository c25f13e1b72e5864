"""What can be emulated, as CDP commands. Pure.

Knows: which values are valid, and which session must get which command. Chrome keeps most settings
per session: the page's own, and one for each OOPIF, which inherits none of them (measured on
Chromium 156). Must not know: sessions, browsers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from pilothouse.cdp.message import Command
from pilothouse.cdp.protocol import Emulation, Network
from pilothouse.errors import UsageError

__all__ = [
    "MEDIA",
    "PERMISSIONS",
    "PRESETS",
    "EmulatedSetting",
    "cpu",
    "geolocation",
    "locale",
    "media",
    "network",
    "permission",
    "timezone",
    "user_agent",
    "viewport",
]

Commands = tuple[Command[Any], ...]

# Pages of a smaller size show nothing; `open` has the same bound.
SMALLEST_SIDE = 100
LARGEST_SIDE = 10_000
TOUCH_POINTS = 5

# Latency in ms, bytes per second down and up; 0 ms and -1 mean no limit.
PRESETS: Mapping[str, tuple[float, float, float]] = {
    "none": (0, -1, -1),
    "2g": (800, 35_000, 30_000),
    "slow-3g": (400, 50_000, 50_000),
    "fast-3g": (150, 190_000, 90_000),
    "4g": (60, 1_100_000, 500_000),
}
MEDIA: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "color_scheme": ("prefers-color-scheme", ("light", "dark", "no-preference")),
    "reduced_motion": ("prefers-reduced-motion", ("reduce", "no-preference")),
    "contrast": ("prefers-contrast", ("more", "less", "no-preference")),
    "forced_colors": ("forced-colors", ("active", "none")),
    "type": ("", ("screen", "print")),
}
PERMISSIONS = (
    "accelerometer",
    "ambient-light-sensor",
    "background-fetch",
    "background-sync",
    "camera",
    "captured-surface-control",
    "clipboard-read",
    "clipboard-write",
    "display-capture",
    "geolocation",
    "gyroscope",
    "idle-detection",
    "keyboard-lock",
    "local-fonts",
    "local-network-access",
    "magnetometer",
    "microphone",
    "midi",
    "nfc",
    "notifications",
    "payment-handler",
    "periodic-background-sync",
    "persistent-storage",
    "pointer-lock",
    "push",
    "screen-wake-lock",
    "speaker-selection",
    "storage-access",
    "system-wake-lock",
    "top-level-storage-access",
    "window-management",
)
SETTINGS = ("granted", "denied", "prompt")
# Names that other tools use.
_SETTING_ALIASES = {"grant": "granted", "allow": "granted", "deny": "denied", "block": "denied"}

_LOCALE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|\d{3}))?")


class EmulatedSetting(msgspec.Struct, frozen=True):
    """One emulated setting: its status for callers (None: not shown), and its commands.

    `top` is for the page's own session, `each` for it and its OOPIFs, `workers` for its
    workers; `top_end` and `each_end` undo them.
    """

    status: Any
    top: Commands = ()
    each: Commands = ()
    workers: Commands = ()
    top_end: Commands = ()
    each_end: Commands = ()


def viewport(
    width: int, height: int, scale: float = 1.0, mobile: bool = False, touch: bool = False
) -> EmulatedSetting:
    """Emulate a viewport of this size. Raises ToolError."""
    for name, side in (("width", width), ("height", height)):
        _check_number(name, side, SMALLEST_SIDE, LARGEST_SIDE, whole=True)
    _check_number("scale", scale, 0.1, 10)
    across = width > height
    orientation = {
        "type": "landscapePrimary" if across else "portraitPrimary",
        "angle": 90 if across and mobile else 0,
    }
    metrics = Emulation.setDeviceMetricsOverride(
        width=width,
        height=height,
        deviceScaleFactor=scale,
        mobile=mobile,
        screenWidth=width,
        screenHeight=height,
        screenOrientation=orientation,  # type: ignore[arg-type]
    )
    touch_command = Emulation.setTouchEmulationEnabled(
        enabled=touch, maxTouchPoints=TOUCH_POINTS if touch else None
    )
    status = {"width": width, "height": height, "scale": scale, "mobile": mobile, "touch": touch}
    return EmulatedSetting(
        status,
        top=(metrics,),
        each=(touch_command,),
        top_end=(Emulation.clearDeviceMetricsOverride(),),
        each_end=(Emulation.setTouchEmulationEnabled(enabled=False),),
    )


def user_agent(params: Mapping[str, Any], tag: str) -> EmulatedSetting:
    """Emulate a user agent (`params`) and, in the same command, a language."""
    sent = {"userAgent": "", **params}
    if tag:
        short = tag.split("-")[0]
        sent["acceptLanguage"] = tag if tag == short else f"{tag},{short}"
    override: Command[Any] = Command("Emulation.setUserAgentOverride", sent)
    end: Command[Any] = Command("Emulation.setUserAgentOverride", {"userAgent": ""})
    return EmulatedSetting(
        sent["userAgent"] or None,
        each=(override,),
        workers=(override,),
        each_end=(end,),
    )


def locale(tag: str) -> EmulatedSetting:
    """Emulate the locale of numbers and dates. Raises ToolError."""
    if not isinstance(tag, str) or not _LOCALE.fullmatch(tag):
        raise UsageError(
            f"locale: {tag!r} is not a language tag", hint='give one such as "de-DE" or "pt-BR"'
        )
    tag = tag.replace("_", "-")
    return EmulatedSetting(
        tag,
        each=(Emulation.setLocaleOverride(locale=tag),),
        each_end=(Emulation.setLocaleOverride(),),
    )


def timezone(name: str) -> EmulatedSetting:
    """Emulate a time zone. Raises ToolError."""
    from zoneinfo import available_timezones

    known = available_timezones()
    if not isinstance(name, str) or not name or (known and name not in known):
        wanted = str(name).lower().split("/")[-1].replace(" ", "_")
        near = sorted(zone for zone in known if wanted and wanted in zone.lower())[:5]
        raise UsageError(
            f"timezone: unknown value {name!r}",
            hint=f"use one such as {', '.join(near) or 'Europe/Berlin'}",
        )
    return EmulatedSetting(
        name,
        each=(Emulation.setTimezoneOverride(timezoneId=name),),
        each_end=(Emulation.setTimezoneOverride(timezoneId=""),),
    )


def geolocation(latitude: float, longitude: float, accuracy: float = 10.0) -> EmulatedSetting:
    """Emulate a position. Raises ToolError."""
    _check_number("latitude", latitude, -90, 90)
    _check_number("longitude", longitude, -180, 180)
    _check_number("accuracy", accuracy, 0, 100_000)
    where = {"latitude": latitude, "longitude": longitude, "accuracy": accuracy}
    return EmulatedSetting(
        where,
        top=(Emulation.setGeolocationOverride(**where),),
        top_end=(Command("Emulation.clearGeolocationOverride"),),
    )


def network(
    offline: bool, latency: float = 0, download: float = -1, upload: float = -1
) -> EmulatedSetting:
    """Emulate a network: latency in ms, bytes per second (-1: no limit). Raises ToolError."""
    _check_number("latency", latency, 0, 60_000)
    for name, rate in (("download", download), ("upload", upload)):
        if rate != -1:
            _check_number(name, rate, 1, 1e10)

    def commands_for(down: bool, *limits: float) -> Commands:
        conditions = Network.emulateNetworkConditions(
            offline=down,
            latency=limits[0],
            downloadThroughput=limits[1],
            uploadThroughput=limits[2],
        )
        # Without Network.enable, requests of a page that is already running are not throttled.
        return Network.enable(), conditions

    return EmulatedSetting(
        {"offline": offline, "latency": latency, "download": download, "upload": upload},
        each=commands_for(offline, latency, download, upload),
        # Workers have no conditions of their own; with Network enabled they get those of their
        # page.
        workers=(Network.enable(),),
        each_end=commands_for(False, 0, -1, -1)[1:],
    )


def media(wanted: Mapping[str, str]) -> EmulatedSetting:
    """Emulate CSS media type and features. Raises ToolError."""
    features = []
    for name, value in wanted.items():
        feature, values = MEDIA[name]
        if value not in values:
            raise UsageError(
                f"{name}: unknown value {value!r}", hint=f"use one of {', '.join(values)}"
            )
        if feature:
            features.append({"name": feature, "value": value})
    send = Emulation.setEmulatedMedia
    command = send(media=wanted.get("type", ""), features=features)  # type: ignore[arg-type]
    return EmulatedSetting(dict(wanted), each=(command,), each_end=(send(media="", features=[]),))


def cpu(slowdown: float) -> EmulatedSetting:
    """Slow the CPU down by this factor. Raises ToolError."""
    _check_number("slowdown", slowdown, 1, 100)
    command = Emulation.setCPUThrottlingRate
    return EmulatedSetting(slowdown, each=(command(rate=slowdown),), each_end=(command(rate=1),))


def permission(name: str, setting: str) -> tuple[dict[str, Any], str]:
    """Return Chrome's descriptor of a permission, and the setting. Raises ToolError."""
    setting = _SETTING_ALIASES.get(setting, setting)
    _check_choice("permission", name, PERMISSIONS)
    _check_choice("setting", setting, SETTINGS)
    descriptor: dict[str, Any] = {"name": name}
    if name == "push":
        descriptor["userVisibleOnly"] = True
    return descriptor, setting


def _check_choice(field_name: str, value: str, allowed: Collection[str]) -> None:
    if value not in allowed:
        raise UsageError(
            f"{field_name}: unknown value {value!r}", hint=f"use one of {', '.join(allowed)}"
        )


def _check_number(
    name: str, value: float, least: float, most: float, *, whole: bool = False
) -> None:
    kinds: Sequence[type] = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, tuple(kinds)) or not least <= value <= most:
        kind = "a whole number" if whole else "a number"
        raise UsageError(
            f"{name}: expected {kind} from {least:g} to {most:g}, got {value!r}",
            hint="give a value in this range",
        )
