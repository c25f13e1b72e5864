"""Common devices: screen sizes and user agents.

Sizes are CSS pixels of the whole screen in portrait. A phone's browser shows a little less; pages
are built for the width. `{major}` in a user agent stands for the running browser's version.
"""

from __future__ import annotations

import msgspec

__all__ = ["DEVICES", "Device", "find_device"]

_IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS {os} like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/{version} Mobile/15E148 Safari/604.1"
)
_IPAD = (
    "Mozilla/5.0 (iPad; CPU OS {os} like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/{version} Mobile/15E148 Safari/604.1"
)
_ANDROID = (
    "Mozilla/5.0 (Linux; Android {os}; {model}) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/{{major}}.0.0.0 {mobile}Safari/537.36"
)


class Device(msgspec.Struct, frozen=True):
    """A screen and its user agent; an empty user agent means the browser's own."""

    name: str
    width: int
    height: int
    scale: float
    mobile: bool = True
    touch: bool = True
    user_agent: str = ""


def _iphone(name: str, width: int, height: int, scale: float, version: str) -> Device:
    agent = _IPHONE.format(os=version.replace(".", "_"), version=version)
    return Device(name, width, height, scale, user_agent=agent)


def _ipad(name: str, width: int, height: int, version: str) -> Device:
    agent = _IPAD.format(os=version.replace(".", "_"), version=version)
    return Device(name, width, height, 2, user_agent=agent)


def _android(
    name: str, width: int, height: int, scale: float, os: str, model: str, tablet: bool = False
) -> Device:
    agent = _ANDROID.format(os=os, model=model, mobile="" if tablet else "Mobile ")
    return Device(name, width, height, scale, user_agent=agent)


DEVICES = {
    device.name: device
    for device in (
        _iphone("iPhone SE", 375, 667, 2, "17.5"),
        _iphone("iPhone 13", 390, 844, 3, "17.5"),
        _iphone("iPhone 15", 393, 852, 3, "17.5"),
        _iphone("iPhone 15 Pro Max", 430, 932, 3, "17.5"),
        _iphone("iPhone 16 Pro", 402, 874, 3, "18.2"),
        _ipad("iPad Mini", 744, 1133, "17.5"),
        _ipad("iPad Pro 11", 834, 1194, "17.5"),
        _android("Pixel 8", 412, 915, 2.625, "14", "Pixel 8"),
        _android("Pixel 9 Pro", 410, 914, 3.125, "15", "Pixel 9 Pro"),
        _android("Galaxy S24", 360, 780, 3, "14", "SM-S921B"),
        _android("Galaxy A54", 412, 915, 2.625, "14", "SM-A546B"),
        _android("Galaxy Tab S9", 800, 1280, 2, "14", "SM-X710", tablet=True),
        Device("Laptop", 1440, 900, 2, mobile=False, touch=False),
        Device("Desktop", 1920, 1080, 1, mobile=False, touch=False),
    )
}


def find_device(name: str) -> Device | None:
    """Return the device of this name, ignoring case, spaces and punctuation."""
    plain = {_plain(known): device for known, device in DEVICES.items()}
    return plain.get(_plain(name))


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())
