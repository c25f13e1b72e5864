"""Lists the metadata services of clouds, which give a machine its credentials. Pure.

Knows: hosts, as the browser normalizes them. Must not know: addresses in other notations
(hosts_and_ip_addresses.py does). Imports nothing: the launcher needs this before anything else is
loaded.
"""

from __future__ import annotations

__all__ = ["METADATA_HOSTS", "METADATA_PREFIXES", "block_metadata_flag"]

METADATA_HOSTS = (
    "metadata.google.internal",
    "metadata.goog",
    "metadata",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
)
# Prefixes of hosts in request URLs. The browser normalizes addresses to one notation.
METADATA_PREFIXES = (
    "169.254.",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "[fd00:ec2:",
    "[fd20:ce::254]",
    "[fd00:42::42]",
    "[::ffff:a9fe:",
    "[::ffff:6464:64c8]",
    "[::ffff:a83f:8110]",
    *METADATA_HOSTS,
)
# The same for --host-resolver-rules, where `?` matches any character, or none.
_RESOLVER_PATTERNS = (
    "169.254.*",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00?ec2?*",
    "fd20?ce??254",
    "fd00?42??42",
    "??ffff?a9fe?*",
    "??ffff?6464?64c8",
    "??ffff?a83f?8110",
    *METADATA_HOSTS,
)


def block_metadata_flag() -> str:
    """Return a switch that makes a launched browser unable to resolve metadata services."""
    rules = ",".join(f"MAP {host} ~NOTFOUND" for host in _RESOLVER_PATTERNS)
    return f"--host-resolver-rules={rules}"
