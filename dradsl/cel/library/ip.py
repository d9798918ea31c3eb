"""IP addresses: `ip("10.0.0.1")` (apiserver `pkg/cel/library/ip.go`, Go's net/netip)."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/ip.go)

from __future__ import annotations

from dradsl.cel.runtime.operations import no_overload
from dradsl.cel.runtime.values import CelRuntimeError, Value
from dradsl.records import dataclass
from dradsl.values.gotext import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ipaddress
    from collections.abc import Callable, Mapping

__all__ = ["FUNCTIONS", "IP", "parse_ip"]


@dataclass(frozen=True, slots=True)
class IP:
    """An IPv4 or IPv6 address without zone."""

    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    type_name = "net.IP"
    go_type = "cel.IP"
    by_value = True  # as the key of a map

    def __str__(self) -> str:
        return str(self.address)

    def equals(self, other: Value) -> bool:
        """CEL's `==`."""
        if type(other) is not IP:
            raise no_overload()
        return bool(self.address == other.address)

    @property
    def cost_size(self) -> int:
        """What upstream takes for the size when it counts cost: bytes."""
        return len(self.address.packed)


def parse_ip(text: str) -> IP:
    """The address in `text`.

    Raises:
        CelRuntimeError: if there is none, or one with a zone or of an IPv4 address in IPv6.
    """
    from dradsl.cel.library.netip import parse_address

    try:
        address, zone = parse_address(text)
    except ValueError as error:
        raise CelRuntimeError(
            f"IP Address {quote(text)} parse error during conversion from string: {error}"
        ) from None
    if zone:
        raise CelRuntimeError(f"IP address {quote(text)} with zone value is not allowed")
    if address.version == 6 and address.ipv4_mapped is not None:
        raise CelRuntimeError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return IP(address)


def _is_ip(text: str) -> bool:
    try:
        parse_ip(text)
    except CelRuntimeError:
        return False
    return True


def _global_unicast(value: IP) -> bool:
    address = value.address
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
        or str(address) == "255.255.255.255"
    )


def _link_local_multicast(value: IP) -> bool:
    packed = value.address.packed
    if len(packed) == 4:
        return packed[:3] == bytes((224, 0, 0))
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "string_to_ip": parse_ip,
    "is_ip": _is_ip,
    "ip_to_string": lambda value: str(value.address),
    "ip_family": lambda value: value.address.version,
    "ip_is_canonical": lambda text: str(parse_ip(text).address) == text,
    "ip_is_unspecified": lambda value: value.address.is_unspecified,
    "ip_is_loopback": lambda value: value.address.is_loopback,
    "ip_is_link_local_multicast": _link_local_multicast,
    "ip_is_link_local_unicast": lambda value: value.address.is_link_local,
    "ip_is_global_unicast": _global_unicast,
}
