"""State verbs: cookies, storage, state files, emulation, downloads."""

from __future__ import annotations

from typing import Any

from pilothouse.errors import UsageError
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
    """Read the cookies of your browser context.

    urls: only cookies that a request to these URLs would send
    """
    return await tab.page.cookies.get(urls)


@verb(changes=True, free=True)
async def set_cookies(tab: OwnedTab, cookies: list[dict[str, Any]]) -> Any:
    """Set cookies.

    cookies: objects with name, value, and url or domain
    """
    return {"set": await tab.page.cookies.set(cookies)}


@verb(changes=True, free=True)
async def clear_cookies(tab: OwnedTab, name: str = "", domain: str = "", path: str = "") -> Any:
    """Delete cookies by name, domain or path; without any of these, all cookies."""
    if name or domain or path:
        return {"deleted": await tab.page.cookies.delete(name, domain, path)}
    return {"deleted": await tab.page.cookies.clear()}


@verb()
async def storage(tab: OwnedTab, kind: str = "local", key: str = "", frame_id: str = "") -> Any:
    """Read the page's local or session storage.

    kind: local or session; key: only this entry; all entries without it
    frame_id: the frame whose storage is read; by default the main frame
    """
    if key:
        return await tab.page.storage.get(key, kind, frame_id)
    return await tab.page.storage.items(kind, frame_id)


@verb(changes=True)
async def set_storage(
    tab: OwnedTab, key: str, value: str | None, kind: str = "local", frame_id: str = ""
) -> Any:
    """Set an entry of the page's storage; null removes it.

    kind: local or session; key: the entry
    value: the new value
    """
    if value is None:
        return await tab.page.storage.remove(key, kind, frame_id)
    return await tab.page.storage.set(key, value, kind, frame_id)


@verb()
async def save_state(tab: OwnedTab, path: str = "") -> Any:
    """Save cookies and storage for `load_state`, to a file or as the returned value.

    path: the file to write; without it the state is returned
    """
    return await tab.page.storage.save_state(path)


@verb(changes=True, fields={"path": "state"})
async def load_state(tab: OwnedTab, state: str | dict[str, Any]) -> Any:
    """Restore cookies and storage that `save_state` saved.

    state: a file, or the value that `save_state` returned
    """
    return await tab.page.storage.restore_state(state)


@verb(changes=True)
async def viewport(
    tab: OwnedTab, width: int, height: int, scale: float = 1.0, mobile: bool = False
) -> Any:
    """Set the viewport size of the page.

    width: CSS pixels; height: CSS pixels; scale: device pixels per CSS pixel
    mobile: behave like a phone: viewport meta tag, overlay scrollbars
    """
    return await tab.page.emulation.viewport(width, height, scale=scale, mobile=mobile)


@verb(
    changes=True,
    fields={
        "preset": "throttle",
        "slowdown": "cpu",
        "type": "media",
        "latitude": "geolocation: latitude",
        "longitude": "geolocation: longitude",
        "accuracy": "geolocation: accuracy",
    },
)
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
    """Emulate a device, locale, place or network. Without parameters, return what is emulated.

    device: a device by name, such as iPhone 13: its size, scale, touch and user agent
    user_agent: the User-Agent string
    locale: such as de-AT
    timezone: such as Europe/Vienna
    geolocation: latitude, longitude and optionally accuracy in metres
    offline: true: no network
    throttle: network speed: none, 2g, slow-3g, fast-3g or 4g
    color_scheme: light, dark or no-preference
    reduced_motion: reduce or no-preference
    media: CSS media type: screen or print
    cpu: slow the CPU down by this factor, 1 to 100
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
            raise UsageError(
                "geolocation: expected latitude, longitude and, if known, accuracy in metres",
                hint="give [48.2, 16.4]",
            )
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
    """List the downloads of this tab, finished and running, with their paths."""
    return tab.page.downloads.all()


@verb(changes=True, fields={"path": "to"})
async def save_download(tab: OwnedTab, id: str, to: str = "") -> Any:
    """Move a downloaded file to another folder.

    id: the download's id; `downloads` lists it
    to: a file name, or a path in a writable folder; without it, the file stays
    """
    return await tab.page.downloads.save_as(id, to)
