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
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from dradsl.kube.context import Context
    from dradsl.kube.validation.formats import Message

    Check: TypeAlias = Callable[[str, Path, Context], Iterator[FieldError]]

__all__ = ["FORMATS"]

_UUID_TEXT = "must be a lowercase UUID in 8-4-4-4-12 format"
_UUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _of(origin: str, messages: Callable[[str, Context], Iterable[Message]]) -> Check:
    """The check of a format; `messages` say what is wrong with a text."""

    def check(text: str, path: Path, context: Context) -> Iterator[FieldError]:
        for message in messages(text, context):
            yield invalid(path, "", text, message).with_origin(f"format=k8s-{origin}")

    return check


def _pool_name(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    origin = "format=k8s-resource-pool-name"
    if len(text.encode(errors="surrogatepass")) > 253:
        yield too_long(path, "pool-name-too-long", 253).with_origin(origin)
    for index, part in enumerate(text.split("/")):
        messages = dns_subdomain(part, "bytes") if part else ["must not be empty"]
        for message in messages:
            detail = of_part(f"segment {index}: ", message)
            yield invalid(path, "", part or text, detail).with_origin(origin)


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


def _extended_resource(text: str, context: Context) -> Iterator[Message]:
    if "/" not in text:
        yield "a name must be a domain-prefixed path, such as 'example.com/my-prop'"
    elif "kubernetes.io/" in text:
        yield 'must not have "kubernetes.io/" domain'
    if text.startswith("requests."):
        yield 'must not have "requests." prefix'
    yield from label_key(f"requests.{text}", context.rules)


FORMATS: Mapping[str, Check] = MappingProxyType(
    {
        "short-name": _of("short-name", lambda text, _: dns_label(text, "bytes")),
        "long-name": _of("long-name", lambda text, _: dns_subdomain(text, "bytes")),
        "long-name-caseless": _of(
            "long-name-caseless", lambda text, _: dns_subdomain_caseless(text)
        ),
        "label-key": _of("label-key", lambda text, context: label_key(text, context.rules)),
        "pool-name": _pool_name,
        "uuid": _of("uuid", lambda text, _: () if _UUID.fullmatch(text) else (_UUID_TEXT,)),
        "fully-qualified": _fully_qualified,
        "extended-resource": _of("extended-resource-name", _extended_resource),
    }
)
