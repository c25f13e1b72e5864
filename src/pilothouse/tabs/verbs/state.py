"""What is kept, and what the page is told of the world: cookies, storage, state, emulation,
files."""

from __future__ import annotations

from typing import Any

from pilothouse.errors import ToolError
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import verb

__all__ = [
    "clear_cookies",
    "cookies",
    "downloads",
    "emulate",
    "load_state",
    "save_download",
    "save_state",
    "set_cookies",
    "set_storage",
    "storage",
    "viewport",
]


@verb(free=True)
async def cookies(tab: OwnedTab, urls: list[str] | None = None) -> Any:
    """The cookies of your browser context, or those a request to `urls` would carry."""
    return await tab.page.cookies.get(urls)


@verb(changes=True, free=True)
async def set_cookies(tab: OwnedTab, cookies: list[dict[str, Any]]) -> Any:
    """Set cookies: name, value, and url or domain."""
    return {"set": await tab.page.cookies.set(cookies)}


@verb(changes=True, free=True)
async def clear_cookies(tab: OwnedTab, name: str = "", domain: str = "", path: str = "") -> Any:
    """Delete cookies by name, domain or path; without any of them, all."""
    if name or domain or path:
        return {"deleted": await tab.page.cookies.delete(name, domain, path)}
    return {"deleted": await tab.page.cookies.clear()}


@verb()
async def storage(tab: OwnedTab, kind: str = "local", key: str = "", frame_id: str = "") -> Any:
    """What the page keeps in its storage; one value, or all.

    kind: local or session; key: one entry
    """
    if key:
        return await tab.page.storage.get(key, kind, frame_id)
    return await tab.page.storage.items(kind, frame_id)


@verb(changes=True)
async def set_storage(
    tab: OwnedTab, key: str, value: str | None, kind: str = "local", frame_id: str = ""
) -> Any:
    """Set a value of the page's storage; null removes it.

    kind: local or session; key: the entry
    value: its new value
    """
    if value is None:
        return await tab.page.storage.remove(key, kind, frame_id)
    return await tab.page.storage.set(key, value, kind, frame_id)


@verb()
async def save_state(tab: OwnedTab, path: str = "") -> Any:
    """Cookies and storage as a file (or a value) that `load_state` takes."""
    return await tab.page.storage.save_state(path)


@verb(changes=True)
async def load_state(tab: OwnedTab, state: str | dict[str, Any]) -> Any:
    """Restore cookies and storage from a file or a value of `save_state`."""
    return await tab.page.storage.restore_state(state)


@verb(changes=True)
async def viewport(
    tab: OwnedTab, width: int, height: int, scale: float = 1.0, mobile: bool = False
) -> Any:
    """Set the size of the page.

    width: CSS pixels; height: CSS pixels; scale: device pixels in a CSS pixel
    mobile: as on a phone, with its viewport meta and overlay scrollbars
    """
    return await tab.page.emulation.viewport(width, height, scale=scale, mobile=mobile)


@verb(changes=True)
async def emulate(
    tab: OwnedTab,
    device: str = "",
    user_agent: str = "",
    locale: str = "",
    timezone: str = "",
    geolocation: list[float] | None = None,
    offline: bool | None = None,
    throttle: str = "",
    color_scheme: str = "",
    reduced_motion: str = "",
    media: str = "",
    cpu: float = 0,
    reset: bool = False,
) -> Any:
    """Tell the page something else about the world; without any, what it is told now.

    device: a device by name, such as iPhone 13; its size, scale, touch and user agent
    user_agent: what the browser says it is
    locale: such as de-AT
    timezone: such as Europe/Vienna
    geolocation: latitude and longitude, and accuracy in metres if wanted
    offline: whether the page is cut off from the network
    throttle: a slow network: none, 2g, slow-3g, fast-3g or 4g
    color_scheme: light, dark or no-preference
    reduced_motion: reduce or no-preference
    media: screen or print
    cpu: so many times slower, 1 to 100
    reset: end all emulation first
    """
    emulation = tab.page.emulation
    outcome: Any = None
    if reset:
        outcome = await emulation.reset()
    if device:
        outcome = await emulation.device(device)
    if user_agent:
        outcome = await emulation.user_agent(user_agent)
    if locale:
        outcome = await emulation.locale(locale)
    if timezone:
        outcome = await emulation.timezone(timezone)
    if geolocation is not None:
        if len(geolocation) not in (2, 3):
            raise ToolError("geolocation: latitude and longitude", hint="[48.2, 16.4]")
        outcome = await emulation.geolocation(*geolocation)
    if offline is not None:
        outcome = await emulation.offline(offline)
    if throttle:
        outcome = await emulation.throttle(throttle)
    wanted = {"color_scheme": color_scheme, "reduced_motion": reduced_motion, "type": media}
    if given := {name: value for name, value in wanted.items() if value}:
        outcome = await emulation.media(**given)
    if cpu:
        outcome = await emulation.cpu(cpu)
    return outcome if outcome is not None else emulation.status()


@verb(free=True)
async def downloads(tab: OwnedTab) -> Any:
    """The files this tab has downloaded, or is downloading, with the path of each."""
    return tab.page.downloads.all()


@verb(changes=True)
async def save_download(tab: OwnedTab, id: str, to: str = "") -> Any:
    """Move a downloaded file to another folder that may be written to.

    id: of the download; `downloads` lists it
    to: a name or a path; without it, the file stays where it was kept
    """
    return await tab.page.downloads.save_as(id, to)
