"""Plain requests to the API server of a control plane."""

from __future__ import annotations

import contextlib
import http.client
import json
import ssl
import threading
from typing import Any

__all__ = ["Api", "Json", "RejectedError"]

_CONTENT_TYPES = {"PATCH": "application/merge-patch+json"}

Json = dict[str, Any]


class RejectedError(Exception):
    """The API server does not take an object."""


class Api:
    """One API server; may be used by several threads."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._token = token
        self._own = threading.local()
        self._paths: dict[str, dict[str, tuple[str, bool]]] = {}

    def call(
        self, method: str, path: str, body: Any = None, content_type: str = ""
    ) -> tuple[int, Json]:
        """Status code and decoded body. A body that is text is sent as it is."""
        text = body if isinstance(body, str | None) else json.dumps(body)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": content_type or _CONTENT_TYPES.get(method, "application/json"),
        }
        data = None if text is None else text.encode("utf-8", "surrogatepass")
        for last in (False, True):
            connection = self._connection()
            try:
                connection.request(method, path, data, headers)
                reply = connection.getresponse()
                return reply.status, _decoded(reply.read())
            except (http.client.HTTPException, ConnectionError) as error:
                # A server closes a connection that was idle; one that closes it twice crashed over the request.
                self._close()
                if last and isinstance(error, http.client.RemoteDisconnected):
                    return 500, {"message": "the request crashed"}
                if last:
                    raise
        raise AssertionError

    def ready(self, path: str = "/readyz") -> bool:
        """Whether a health check answers well."""
        try:
            return self.call("GET", path)[0] == 200
        except (OSError, http.client.HTTPException):
            self._close()
            return False

    def path_of(self, obj: Json, namespace: str = "default") -> str | None:
        """The path of the objects of a kind; None if the server does not serve it.

        `namespace` is for an object that names none.
        """
        version, kind = str(obj.get("apiVersion")), str(obj.get("kind"))
        start = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if version not in self._paths:
            served = self.call("GET", start)[1].get("resources") or ()
            self._paths[version] = {
                one["kind"]: (one["name"], one["namespaced"])
                for one in served
                if "/" not in one["name"]
            }
        found = self._paths[version].get(kind)
        if found is None:
            return None
        metadata = obj.get("metadata")
        named = metadata.get("namespace") if isinstance(metadata, dict) else None
        inside = f"/namespaces/{named or namespace}" if found[1] else ""
        return f"{start}{inside}/{found[0]}"

    def create(self, obj: Json, namespace: str = "default") -> Json:
        """A new object; RejectedError if the server does not take it."""
        path = self.path_of(obj, namespace)
        if path is None:
            raise RejectedError(f"{obj.get('apiVersion')} {obj.get('kind')} is not served")
        code, reply = self.call("POST", path, obj)
        if code >= 400:
            raise RejectedError(f"POST {path}: {code} {reply.get('message')}")
        return reply

    def items(self, path: str) -> list[Json]:
        """All objects at a path."""
        return self.call("GET", path)[1].get("items") or []

    def _connection(self) -> http.client.HTTPSConnection:
        found: http.client.HTTPSConnection | None = getattr(self._own, "connection", None)
        if found is None:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE  # the server signs its own certificate
            found = http.client.HTTPSConnection(
                "127.0.0.1", self._port, timeout=30, context=context
            )
            self._own.connection = found
        return found

    def _close(self) -> None:
        with contextlib.suppress(AttributeError):
            self._own.connection.close()
            del self._own.connection


def _decoded(text: bytes) -> Json:
    """A body as JSON; health checks answer in plain words."""
    try:
        decoded = json.loads(text or b"{}")
    except ValueError:
        return {"message": text.decode(errors="replace")}
    return decoded if isinstance(decoded, dict) else {"message": decoded}
