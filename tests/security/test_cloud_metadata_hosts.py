"""Where clouds tell a machine its own keys, as the browser is told of it."""

from __future__ import annotations

from pilothouse.security.cloud_metadata_hosts import (
    METADATA_HOSTS,
    METADATA_PREFIXES,
    block_metadata_flag,
)
from pilothouse.security.hosts_and_ip_addresses import parse_origin


def test_browsers_we_start_do_not_even_look_metadata_services_up() -> None:
    switch = block_metadata_flag()
    assert switch.startswith("--host-resolver-rules=MAP 169.254.* ~NOTFOUND,")
    assert "MAP metadata.google.internal ~NOTFOUND" in switch


def test_every_name_is_looked_for_in_requests_and_in_look_ups() -> None:
    assert set(METADATA_HOSTS) < set(METADATA_PREFIXES)
    assert all(f"MAP {host} ~NOTFOUND" in block_metadata_flag() for host in METADATA_HOSTS)
    assert all(parse_origin(f"http://{host}/") for host in METADATA_HOSTS)
