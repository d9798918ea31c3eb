"""URLs: `url("https://example.com/")` (apiserver `pkg/cel/library/urls.go`, Go's net/url)."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/urls.go)

from __future__ import annotations

import re

from dradsl.cel.runtime.operations import no_overload
from dradsl.cel.runtime.values import CelRuntimeError, Value
from dradsl.records import dataclass
from dradsl.values.gotext import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FUNCTIONS", "Url", "request_uri_error"]

_SCHEME = r"([A-Za-z][A-Za-z0-9+.-]*):"
_HEX = r"%(?:[0-9a-fA-F]{2})"
_HOST = r"[A-Za-z0-9._~!$&'()*+,;=:\[\]<>\"%\x80-\U0010ffff-]*"
_USER = r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*"
_PORT = r"(?::[0-9]*)?"
# What stands unescaped in a path that Go writes (shouldEscape, encodePath).
_PATH_PLAIN = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@"
)
# What may stand unescaped in a path as given, beyond those (validEncoded).
_PATH_VALID = _PATH_PLAIN | frozenset("!'()*[]%")


class _UrlError(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Url:
    """The parts of a URL that CEL can ask for; `text` is the whole as Go prints it."""

    scheme: str
    host: str
    path: str
    query: str
    text: str
    type_name = "kubernetes.URL"
    go_type = "cel.URL"

    def __str__(self) -> str:
        return self.text

    def equals(self, other: Value) -> bool:
        """CEL's `==`."""
        if type(other) is not Url:
            raise no_overload()
        return self.text == other.text


def request_uri_error(text: str) -> str | None:
    """Why `text` is no absolute URL or path, None if it is one (url.ParseRequestURI)."""
    try:
        _parse(text, request=True)
    except _UrlError as error:
        return f"parse {quote(text)}: {error}"
    return None


def _url(text: str) -> Url:
    problem = request_uri_error(text)
    if problem is None:
        try:
            return _parse(text, request=False)
        except _UrlError as error:
            problem = f"parse {quote(text)}: {error}"
    raise CelRuntimeError(f"URL parse error during conversion from string: {problem}")


def _parse(text: str, *, request: bool) -> Url:
    if any(letter < " " or letter == "\x7f" for letter in text):
        raise _UrlError("net/url: invalid control character in URL")
    if not text and request:
        raise _UrlError("empty url")
    rest, fragment = text, ""
    if not request:
        rest, _, fragment = text.partition("#")
        _check_escapes(fragment)
    if rest == "*":
        return Url("", "", "*", "", text)
    scheme, rest = _split_scheme(rest)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme, "", "", query, text)  # opaque
        if request:
            raise _UrlError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise _UrlError("first path segment in URL cannot contain colon")
    host = ""
    if (scheme or (not request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        host = _authority(scheme, authority)
    _check_escapes(rest)
    return Url(scheme, host, _escaped_path(rest), query, text)


def _split_scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise _UrlError("missing protocol scheme")
    found = re.match(_SCHEME, text)
    return (found[1].lower(), text[found.end() :]) if found else ("", text)


def _authority(scheme: str, authority: str) -> str:
    user, at, host = authority.rpartition("@")
    result = _host(scheme, host)
    if at:
        if not re.fullmatch(_USER, user):
            raise _UrlError("net/url: invalid userinfo")
        _check_escapes(user)
    return result


def _host(scheme: str, host: str) -> str:
    bracket = host.rfind("[")
    if bracket > 0:
        raise _UrlError("invalid IP-literal")
    if bracket == 0:
        return _bracketed(host)
    colon = host.find(":")
    if colon >= 0:
        if scheme not in ("http", "https"):
            colon = host.rfind(":")
        _check_port(host[colon:])
    return _unescaped_host(host)


def _bracketed(host: str) -> str:
    """A host that is an IPv6 address, with a zone after `%25` perhaps."""
    from dradsl.cel.library.netip import parse_address

    end = host.rfind("]")
    if end < 0:
        raise _UrlError("missing ']' in host")
    _check_port(host[end + 1 :])
    name, percent, zone = host[1:end].partition("%25")
    name = _unescaped_host(name) + _unescaped_host(percent + zone, zone=True)
    try:
        address, _ = parse_address(name)
    except ValueError as error:
        raise _UrlError(f"invalid host: {error}") from None
    if address.version == 4:
        raise _UrlError("invalid IP-literal")
    return f"[{name}]{host[end + 1 :]}"


def _check_port(port: str) -> None:
    if not re.fullmatch(_PORT, port):
        raise _UrlError(f"invalid port {quote(port)} after host")


def _unescaped_host(text: str, *, zone: bool = False) -> str:
    """Only letters beyond ASCII may be escaped in a host; in a zone, what may be in a host."""
    for found in re.finditer(r"%(..)?|[^%]", text, re.DOTALL):
        letter, escape = found[0], found[1]
        if letter[0] != "%":
            if letter < "\x80" and not re.fullmatch(_HOST, letter):
                raise _UrlError(f"invalid character {quote(letter)} in host name")
            continue
        if escape is None or not re.fullmatch(_HEX, letter):
            raise _UrlError(f"invalid URL escape {quote(text[found.start() :][:3])}")
        code = int(escape, 16)
        allowed = code == 0x20 or re.fullmatch(_HOST, chr(code)) if zone else code >= 0x80
        if escape != "25" and not allowed:
            raise _UrlError(f"invalid URL escape {quote(letter)}")
    from urllib.parse import unquote

    return unquote(text)


def _check_escapes(text: str) -> None:
    position = text.find("%")
    while position >= 0:
        if not re.match(_HEX, text[position:]):
            raise _UrlError(f"invalid URL escape {quote(text[position : position + 3])}")
        position = text.find("%", position + 1)


def _escaped_path(raw: str) -> str:
    if all(letter in _PATH_VALID for letter in raw):
        return raw
    from urllib.parse import unquote_to_bytes

    plain = unquote_to_bytes(raw)
    return "".join([chr(b) if chr(b) in _PATH_PLAIN else f"%{b:02X}" for b in plain])


def _hostname(value: Url) -> str:
    host = _without_port(value.host)
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def _without_port(host: str) -> str:
    colon = host.rfind(":")
    if colon >= 0 and re.fullmatch(_PORT, host[colon:]):
        return host[:colon]
    return host


def _port(value: Url) -> str:
    return value.host[len(_without_port(value.host)) + 1 :]


def _query(value: Url) -> Value:
    from urllib.parse import unquote_plus

    result: dict[Value, Value] = {}
    for pair in value.query.split("&"):
        if not pair or ";" in pair:
            continue
        key, _, text = pair.partition("=")
        try:
            _check_escapes(key)
            _check_escapes(text)
        except _UrlError:
            continue
        result.setdefault(unquote_plus(key), []).append(unquote_plus(text))
    return result


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "string_to_url": _url,
    "is_url_string": lambda text: request_uri_error(text) is None,
    "url_get_scheme": lambda value: value.scheme,
    "url_get_host": lambda value: value.host,
    "url_get_hostname": _hostname,
    "url_get_port": _port,
    "url_get_escaped_path": lambda value: value.path,
    "url_get_query": _query,
}
