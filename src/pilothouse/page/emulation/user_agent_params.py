"""Parameters that follow from a user agent. Pure.

Sites compare the User-Agent header with `navigator.platform`, `navigator.userAgentData` and the
Sec-CH-UA headers, so all of them are derived from the one string. Must not know: browsers.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["user_agent_params"]

_CHROME = re.compile(r"(?:Chrome|CriOS|Chromium)/(\d+)((?:\.\d+)*)")
_ANDROID = re.compile(r"Android (\d+)(?:\.(\d+))?[^;)]*(?:; ([^;)]+?))?(?: Build/[^)]*)?\)")
_MAC = re.compile(r"Mac OS X (\d+)[._](\d+)(?:[._](\d+))?")
_WINDOWS = re.compile(r"Windows NT (\d+\.\d+)")

# The GREASE brand: it exists so that no site relies on the list's order or length.
_GREASE_BRAND = ("Not:A-Brand", "8")


def user_agent_params(user_agent: str) -> dict[str, Any]:
    """Return the parameters of `Emulation.setUserAgentOverride` for a user agent.

    They are the string, the platform and, for a Chromium, its client hints. Other browsers
    have none.
    """
    params: dict[str, Any] = {"userAgent": user_agent}
    platform = _platform(user_agent)
    if platform:
        params["platform"] = platform
    chrome = _CHROME.search(user_agent)
    if chrome is not None and "CriOS" not in user_agent:
        params["userAgentMetadata"] = _client_hints(user_agent, chrome)
    return params


def _platform(agent: str) -> str:
    """Return `navigator.platform`."""
    for word, platform in (
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Linux armv81"),
        ("Windows", "Win32"),
        ("Macintosh", "MacIntel"),
        ("CrOS", "Linux x86_64"),
        ("Linux", "Linux x86_64"),
    ):
        if word in agent:
            return platform
    return ""


def _client_hints(agent: str, chrome: re.Match[str]) -> dict[str, Any]:
    major = chrome[1]
    full = (major + (chrome[2] or "")) if chrome[2].count(".") == 3 else f"{major}.0.0.0"
    named = "Google Chrome"
    for mark, brand in (("Edg", "Microsoft Edge"), ("OPR/", "Opera")):
        if mark in agent:
            named = brand
    brands = [("Chromium", major, full), (named, major, full)]
    android = _ANDROID.search(agent)
    mobile = "Mobile" in agent
    tablet = android is not None and not mobile
    desktop = not mobile and not tablet
    return {
        "brands": [
            {"brand": _GREASE_BRAND[0], "version": _GREASE_BRAND[1]},
            *({"brand": brand, "version": version} for brand, version, _ in brands),
        ],
        "fullVersionList": [
            {"brand": _GREASE_BRAND[0], "version": f"{_GREASE_BRAND[1]}.0.0.0"},
            *({"brand": brand, "version": version} for brand, _, version in brands),
        ],
        "fullVersion": full,
        "platform": _os_name(agent),
        "platformVersion": _os_version(agent, android),
        "architecture": "x86" if desktop else "",
        "bitness": "64" if desktop else "",
        "model": (android[3] or "") if android and android[3] != "K" else "",
        "mobile": mobile,
        "wow64": False,
        "formFactors": ["Desktop" if desktop else "Tablet" if tablet else "Mobile"],
    }


def _os_name(agent: str) -> str:
    """Return the operating system as Sec-CH-UA-Platform names it."""
    for word, system in (
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Macintosh", "macOS"),
        ("CrOS", "Chrome OS"),
        ("Linux", "Linux"),
    ):
        if word in agent:
            return system
    return "Unknown"


def _os_version(agent: str, android: re.Match[str] | None) -> str:
    if android is not None:
        return f"{android[1]}.{android[2] or 0}.0"
    if (mac := _MAC.search(agent)) is not None:
        return f"{mac[1]}.{mac[2]}.{mac[3] or 0}"
    if (windows := _WINDOWS.search(agent)) is not None:
        return f"{windows[1]}.0"
    return ""
