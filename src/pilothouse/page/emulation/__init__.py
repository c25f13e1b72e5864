"""Emulation for one tab: device, locale, time zone, location, network, media, CPU, permissions.

    emulation.py          TabEmulation: applies settings to the tab's sessions, and to later ones
    commands.py           functions that validate a setting and return an EmulatedSetting: which CDP
                          commands go to which sessions, and which undo them. Pure
    devices.py            DEVICES: screens and user agents of common devices. Pure
    user_agent_params.py  user_agent_params(): a user agent -> platform and client hints. Pure

TabEmulation.<setting>() -> commands.<setting>() -> EmulatedSetting -> CDP commands to the page, its
OOPIFs and its workers. A session hook sends the active settings to sessions that attach later.
`reset()` sends the commands that undo them. Permissions belong to the browser context and go to the
browser session instead.
"""

from __future__ import annotations

from pilothouse.page.emulation.emulation import TabEmulation

__all__ = ["TabEmulation"]
