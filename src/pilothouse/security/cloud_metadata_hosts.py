"""Where clouds tell a machine its own keys, as patterns for the browser: pure.

Knows: hosts, spelled as the browser spells them. Must not know: addresses in other spellings
(fence_addresses.py). It imports nothing: a browser is started with these before anything else is
there.
"""

from __future__ import annotations

__all__ = ["METADATA_HOSTS", "METADATA_PREFIXES", "unreachable"]

METADATA_HOSTS = (
    "metadata.google.internal",
    "metadata.goog",
    "metadata",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
)
# What every page's requests are looked through for. The browser spells addresses in one way only.
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
# The same for the browser's own look-ups of hosts, where `?` may be any sign, also none.
_UNREACHABLE = (
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


def unreachable() -> str:
    """A switch for browsers we start: metadata services are not even looked up."""
    rules = ",".join(f"MAP {host} ~NOTFOUND" for host in _UNREACHABLE)
    return f"--host-resolver-rules={rules}"
