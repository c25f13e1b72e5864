"""The table of devices."""

from __future__ import annotations

import pytest

from pilothouse.page.emulation.devices import DEVICES, find_device


def test_a_dozen_devices_make_sense() -> None:
    assert len(DEVICES) >= 12
    for device in DEVICES.values():
        assert 1 <= device.scale <= 4
        assert device.mobile == bool(device.user_agent) == device.touch
        assert device.mobile == (device.width < device.height)
        assert "{" not in device.user_agent.replace("{major}", "")


@pytest.mark.parametrize("name", ["iPhone 15", "iphone15", "IPHONE-15"])
def test_a_device_is_found_however_it_is_spelt(name: str) -> None:
    assert find_device(name) is DEVICES["iPhone 15"]


def test_an_unknown_device_is_not_guessed() -> None:
    assert find_device("iPhone 150") is None
