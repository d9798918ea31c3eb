"""The formats of declarative rules: what is wrong with a text, in the words of these rules.

Source: apimachinery pkg/api/validate at 0.37.2.
"""

from __future__ import annotations

from types import MappingProxyType

from dradsl.kube.errors import FieldError, Path, invalid, too_long
from dradsl.kube.validation.formats import (
    c_identifier,
    dns_label,
    dns_subdomain,
    dns_subdomain_caseless,
    label_key,
    of_part,
)
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dradsl.kube.context import Context
    from dradsl.kube.validation.formats import Message

__all__ = ["FORMATS"]

_UUID_TEXT = "must be a lowercase UUID in 8-4-4-4-12 format"
_UUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _short_name(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    for message in dns_label(text, "bytes"):
        yield invalid(path, "", text, message).with_origin("format=k8s-short-name")


def _long_name(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    for message in dns_subdomain(text, "bytes"):
        yield invalid(path, "", text, message).with_origin("format=k8s-long-name")


def _long_name_caseless(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    for message in dns_subdomain_caseless(text):
        yield invalid(path, "", text, message).with_origin("format=k8s-long-name-caseless")


def _label_key(text: str, path: Path, context: Context) -> Iterator[FieldError]:
    for message in label_key(text, context.rules):
        yield invalid(path, "", text, message).with_origin("format=k8s-label-key")


def _pool_name(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    origin = "format=k8s-resource-pool-name"
    if len(text.encode(errors="surrogatepass")) > 253:
        yield too_long(path, "pool-name-too-long", 253).with_origin(origin)
    for index, part in enumerate(text.split("/")):
        messages = dns_subdomain(part, "bytes") if part else ["must not be empty"]
        for message in messages:
            detail = of_part(f"segment {index}: ", message)
            yield invalid(path, "", part or text, detail).with_origin(origin)


def _uuid(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    if not _UUID.fullmatch(text):
        yield invalid(path, "", text, _UUID_TEXT).with_origin("format=k8s-uuid")


def _fully_qualified(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    def wrong(value: str, detail: Message) -> FieldError:
        return invalid(path, "", value, detail).with_origin(origin)

    origin = "format=k8s-resource-fully-qualified-name"
    parts = text.split("/")
    if len(parts) == 2 and not parts[0]:
        yield wrong("", "prefix must not be empty")
    elif len(parts) == 2:
        if len(parts[0].encode(errors="surrogatepass")) > 63:
            yield too_long(path, "", 63).with_origin(origin)
        for message in dns_subdomain(parts[0], "bytes"):
            yield wrong(parts[0], of_part("prefix: ", message))
    if len(parts) == 2 and not parts[1]:
        yield wrong("", "name must not be empty")
    elif len(parts) <= 2:
        if len(parts[-1].encode(errors="surrogatepass")) > 32:
            yield too_long(path, "", 32).with_origin(origin)
        for message in c_identifier(parts[-1]):
            yield wrong(parts[-1], message)
    if len(parts) == 1:
        yield wrong(text, "a fully qualified name must be a domain and a name separated by a slash")


def _extended_resource(text: str, path: Path, context: Context) -> Iterator[FieldError]:
    details: list[Message] = []
    if "/" not in text:
        details.append("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    elif "kubernetes.io/" in text:
        details.append('must not have "kubernetes.io/" domain')
    if text.startswith("requests."):
        details.append('must not have "requests." prefix')
    details += label_key(f"requests.{text}", context.rules)
    for detail in details:
        yield invalid(path, "", text, detail).with_origin("format=k8s-extended-resource-name")


FORMATS: Mapping[str, Callable[[str, Path, Context], Iterator[FieldError]]] = MappingProxyType(
    {
        "short-name": _short_name,
        "long-name": _long_name,
        "long-name-caseless": _long_name_caseless,
        "label-key": _label_key,
        "pool-name": _pool_name,
        "uuid": _uuid,
        "fully-qualified": _fully_qualified,
        "extended-resource": _extended_resource,
    }
)
