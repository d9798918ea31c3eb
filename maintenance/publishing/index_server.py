"""A package index on loopback: it takes uploads as twine makes them, and shows them as installers read them.

Only what a rehearsal needs: one user, files in memory, the plain HTML form of the simple API. Other packages are not found
here, so installers look for them where they are configured to.
"""

from __future__ import annotations

import hashlib
import html
import http.server
import re
import threading
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Self

__all__ = ["LocalIndex", "form"]


def form(content_type: str, body: bytes) -> dict[str, tuple[str | None, bytes]]:
    """The fields of a form (multipart/form-data): by name, the name of the file if it is one, and the value."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    found: dict[str, tuple[str | None, bytes]] = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            found[name] = part.get_filename(), content
    return found


class LocalIndex:
    """An index that serves while the `with` block runs; `asked` lists the paths that were read."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.needs: dict[str, str] = {}
        self.asked: list[str] = []
        index = self

        class Handler(_Handler):
            """Answers for this index."""

            of = index

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        """Where the index is, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def upload(self, fields: dict[str, tuple[str | None, bytes]]) -> tuple[int, str]:
        """Take a file; the status and why."""
        name, content = fields.get("content", (None, b""))
        if name is None or not re.fullmatch(r"[\w.+-]+\.(whl|tar\.gz)", name):
            return 400, "no file"
        told = fields.get("sha256_digest", (None, b""))[1].decode("ascii", "replace")
        if told != hashlib.sha256(content).hexdigest():
            return 400, "the checksum is that of another file"
        if self.files.get(name, content) != content:
            return 400, "a file of this name is here already"
        self.files[name] = content
        self.needs[name] = fields.get("requires_python", (None, b""))[1].decode("utf-8")
        return 200, "ok"

    def page(self, project: str) -> str | None:
        """The page of a project; None if nothing of it is here."""
        own = [name for name in self.files if re.split(r"-\d", name)[0].lower() == project]
        rows = [
            f'<a href="../../files/{name}#sha256={hashlib.sha256(self.files[name]).hexdigest()}"'
            f' data-requires-python="{html.escape(self.needs[name])}">{name}</a><br>'
            for name in sorted(own)
        ]
        return "<!doctype html>\n" + "\n".join(rows) if rows else None


class _Handler(http.server.BaseHTTPRequestHandler):
    of: LocalIndex

    def do_GET(self) -> None:
        self.of.asked.append(self.path)
        project = re.fullmatch(r"/simple/([a-z0-9-]+)/", self.path)
        page = self.of.page(project[1]) if project else None
        name = self.path.removeprefix("/files/")
        if page is not None:
            self._answer(200, page.encode(), "text/html")
        elif name in self.of.files:
            self._answer(200, self.of.files[name], "application/octet-stream")
        else:
            self._answer(404, b"not here", "text/plain")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        status, why = self.of.upload(form(self.headers.get("Content-Type", ""), body))
        self._answer(status, why.encode(), "text/plain")

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing: the rehearsal prints what counts."""
