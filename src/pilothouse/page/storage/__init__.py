"""What the browser keeps for a tab: cookies, web storage, saved state, downloads.

    cookies.py                Cookies: get, set, delete, clear in the tab's browser context
    cookie_rules.py           validate_cookie() and the storageState form of cookies. Pure
    web_storage_and_state.py  WebStorage: localStorage and sessionStorage of frames; save_state()
                              and restore_state() for cookies and localStorage of whole origins
    state_file_format.py      SavedState and OriginState: Playwright's storageState JSON. Pure
    downloads.py              TabDownloads: list, await and save the tab's downloads

Cookies go through CDP commands to the browser context. Web storage of a frame goes through our
script in its isolated world. Storage of other origins is read and written on a hidden page
(page/internal_hidden_page.py), so the user's tab never navigates. Files are read and written
through page/local_files.py, which checks the file policy.
"""

from __future__ import annotations

from pilothouse.page.storage.cookies import Cookies
from pilothouse.page.storage.downloads import TabDownloads
from pilothouse.page.storage.state_file_format import origin_of
from pilothouse.page.storage.web_storage_and_state import WebStorage

__all__ = ["Cookies", "TabDownloads", "WebStorage", "origin_of"]
