"""What follows from a user agent."""

from __future__ import annotations

import pytest

from pilothouse.page.emulation.devices import DEVICES
from pilothouse.page.emulation.user_agent_params import user_agent_params

WINDOWS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.7339.80 Safari/537.36"
)


def test_client_hints_of_a_chrome_fit_its_string() -> None:
    params = user_agent_params(WINDOWS)
    hints = params["userAgentMetadata"]
    assert params["platform"] == "Win32"
    assert (hints["platform"], hints["platformVersion"]) == ("Windows", "10.0.0")
    assert {"brand": "Google Chrome", "version": "140"} in hints["brands"]
    assert {"brand": "Chromium", "version": "140.0.7339.80"} in hints["fullVersionList"]
    assert (hints["mobile"], hints["formFactors"], hints["bitness"]) == (False, ["Desktop"], "64")


def test_edge_calls_itself_edge() -> None:
    brands = user_agent_params(WINDOWS + " Edg/140.0.0.0")["userAgentMetadata"]["brands"]
    assert {"brand": "Microsoft Edge", "version": "140"} in brands


@pytest.mark.parametrize(
    ("device", "model", "mobile", "form"),
    [("Pixel 8", "Pixel 8", True, "Mobile"), ("Galaxy Tab S9", "SM-X710", False, "Tablet")],
)
def test_an_android_names_its_model(device: str, model: str, mobile: bool, form: str) -> None:
    params = user_agent_params(DEVICES[device].user_agent.replace("{major}", "156"))
    hints = params["userAgentMetadata"]
    assert params["platform"] == "Linux armv81"
    assert (hints["platform"], hints["model"], hints["mobile"]) == ("Android", model, mobile)
    assert (hints["formFactors"], hints["platformVersion"]) == ([form], "14.0.0")


@pytest.mark.parametrize("device", ["iPhone 15", "iPad Mini"])
def test_a_browser_without_client_hints_gets_none(device: str) -> None:
    params = user_agent_params(DEVICES[device].user_agent)
    assert "userAgentMetadata" not in params
    assert params["platform"] == device.split()[0]


@pytest.mark.parametrize(
    ("agent", "platform", "system", "version"),
    [
        ("X (Macintosh; Intel Mac OS X 10_15_7) Chrome/156.0.0.0", "MacIntel", "macOS", "10.15.7"),
        ("X (X11; Linux x86_64) Chrome/156.0.0.0", "Linux x86_64", "Linux", ""),
        ("X (X11; CrOS x86_64) Chrome/156", "Linux x86_64", "Chrome OS", ""),
    ],
)
def test_the_system_is_read_from_the_string(
    agent: str, platform: str, system: str, version: str
) -> None:
    params = user_agent_params(agent)
    hints = params["userAgentMetadata"]
    assert (params["platform"], hints["platform"]) == (platform, system)
    assert (hints["platformVersion"], hints["fullVersion"]) == (version, "156.0.0.0")


def test_an_invented_agent_says_nothing_more() -> None:
    assert user_agent_params("robot") == {"userAgent": "robot"}
    assert user_agent_params("robot Chrome/1")["userAgentMetadata"]["platform"] == "Unknown"
