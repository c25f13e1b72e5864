"""TODO-MAP relay/extension."""

from __future__ import annotations

from pilothouse.relay.extension.files import (
    EXTENSION_ID,
    data_dir,
    default_folder,
    install,
    installed,
    is_known,
    pairings_path,
    source_dir,
    source_version,
)
from pilothouse.relay.extension.registry import COMES_WITHIN_S, Lending
from pilothouse.relay.extension.status import Showing, User, client_users, owner_users

__all__ = [
    "COMES_WITHIN_S",
    "EXTENSION_ID",
    "Lending",
    "Showing",
    "User",
    "client_users",
    "data_dir",
    "default_folder",
    "install",
    "installed",
    "is_known",
    "owner_users",
    "pairings_path",
    "source_dir",
    "source_version",
]
