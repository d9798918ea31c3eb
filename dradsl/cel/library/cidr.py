"""Networks: `cidr("10.0.0.0/8")` (apiserver `pkg/cel/library/cidr.go`, Go's net/netip)."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/cidr.go)

from __future__ import annotations

from dradsl.cel.library.ip import IP, parse_ip
from dradsl.cel.runtime.operations import no_overload
from dradsl.cel.runtime.values import CelRuntimeError, Value
from dradsl.records import dataclass
from dradsl.values.gotext import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CIDR", "FUNCTIONS"]


@dataclass(frozen=True, slots=True)
class CIDR:
    """An address and the number of leading bits that name its network."""

    ip: IP
    bits: int
    type_name = "net.CIDR"
    go_type = "cel.CIDR"
    by_value = True  # as the key of a map

    def equals(self, other: Value) -> bool:
        """CEL's `==`."""
        if type(other) is not CIDR:
            raise no_overload()
        return self == other

    @property
    def cost_size(self) -> int:
        """What upstream takes for the size when it counts cost."""
        return -(-self.bits // 8)

    def __str__(self) -> str:
        return f"{self.ip.address}/{self.bits}"


def _parse(text: str) -> CIDR:
    from dradsl.cel.library.netip import parse_prefix

    failure = "network address parse error during conversion from string: "
    try:
        address, bits = parse_prefix(text)
    except ValueError as error:
        raise CelRuntimeError(f"{failure}{failure}{error}") from None
    if address.version == 6 and address.ipv4_mapped is not None:
        raise CelRuntimeError(f"{failure}IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return CIDR(IP(address), bits)


def _is_cidr(text: str) -> bool:
    try:
        _parse(text)
    except CelRuntimeError:
        return False
    return True


def _shares_prefix(left: IP, right: IP, bits: int) -> bool:
    if left.address.version != right.address.version:
        return False
    shift = left.address.max_prefixlen - bits
    return int(left.address) >> shift == int(right.address) >> shift


def _contains_ip(network: CIDR, ip: IP) -> bool:
    return _shares_prefix(network.ip, ip, network.bits)


def _contains_ip_text(network: CIDR, text: str) -> bool:
    try:
        ip = parse_ip(text)
    except CelRuntimeError:
        raise no_overload() from None  # upstream loses the reason here
    return _contains_ip(network, ip)


def _contains_cidr(network: CIDR, other: CIDR) -> bool:
    return network.bits <= other.bits and _shares_prefix(network.ip, other.ip, network.bits)


def _masked(network: CIDR) -> CIDR:
    address = network.ip.address
    shift = address.max_prefixlen - network.bits
    return CIDR(IP(type(address)(int(address) >> shift << shift)), network.bits)


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "string_to_cidr": _parse,
    "is_cidr": _is_cidr,
    "cidr_to_string": str,
    "cidr_contains_ip_string": _contains_ip_text,
    "cidr_contains_ip_ip": _contains_ip,
    "cidr_contains_cidr_string": lambda network, text: _contains_cidr(network, _parse(text)),
    "cidr_contains_cidr": _contains_cidr,
    "cidr_ip": lambda network: network.ip,
    "cidr_prefix_length": lambda network: network.bits,
    "cidr_masked": _masked,
}
