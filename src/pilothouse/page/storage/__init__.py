"""TODO-MAP page/storage."""

from __future__ import annotations

from pilothouse.page.storage.cookies import Cookies
from pilothouse.page.storage.downloads import TabDownloads
from pilothouse.page.storage.state_file import origin_of
from pilothouse.page.storage.storage import WebStorage

__all__ = ["Cookies", "TabDownloads", "WebStorage", "origin_of"]
