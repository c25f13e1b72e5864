"""Raw CDP commands and events of a tab, for what `tab` does not offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["RawPage"]


class RawPage:
    """Sends CDP commands to a tab and waits for its events."""

    def __init__(self, call: Callable[..., Any], tab: str) -> None:
        self._call = call
        self._tab = tab

    def __repr__(self) -> str:
        return f"<RawPage of tab {self._tab}>"

    def cdp(self, method: str, params: dict[str, Any] | None = None, /, **more: Any) -> Any:
        """Send a CDP command on the tab's session: `page.cdp("Page.reload")`."""
        frame_id = more.pop("frame_id", "")
        sent = {**(params or {}), **more}
        return self._call("page.cdp", tab=self._tab, command=method, params=sent, frame_id=frame_id)

    def expect(self, event: str, timeout: float = 30.0) -> Callable[[], Any]:
        """Start to wait for an event. Returns a function that waits and returns the parameters."""
        key = self._call("page.expect", tab=self._tab, event=event, timeout=timeout)
        return lambda: self._call("page.expected", tab=self._tab, key=key)
