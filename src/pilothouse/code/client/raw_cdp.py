"""CDP itself on a tab, for code that needs what `tab` does not offer. `call` is all it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["RawPage"]


class RawPage:
    """The page behind a tab."""

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
        """Arm a wait for an event now; call what is returned to get its parameters."""
        key = self._call("page.expect", tab=self._tab, event=event, timeout=timeout)
        return lambda: self._call("page.expected", tab=self._tab, key=key)
