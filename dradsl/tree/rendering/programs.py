"""The programs that a caller names for rendering, and how they are run: without network, plugins and surroundings.

They see an empty home, no PATH (no git, no other program), a proxy where nothing listens, and nothing of the
caller's environment. They get a time, room for what they print and, on Linux, a limit of memory, and the confinement
that the kernel allows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from dradsl.errors import DradslError
from dradsl.programs import ProgramError, ask, find_program
from dradsl.records import Record
from dradsl.text.documents import Stream, load
from dradsl.values.limits import MOST_MEMORY, MOST_OUTPUT

__all__ = [
    "NAMES",
    "BuildWithError",
    "NotRenderedError",
    "Programs",
    "RenderedText",
    "programs_of",
    "run",
    "said_of",
]

NAMES = ("helm", "kustomize")
_SHOWN_REASON = 300  # characters
_NOBODY = "http://127.0.0.1:9"  # the port of the discard protocol


class BuildWithError(DradslError, ValueError):
    """What names the programs cannot be used; the message says why."""


class NotRenderedError(Exception):
    """A chart or kustomization that no program gets; the message says why."""


class Programs(Record):
    """Absolute paths of programs; None for one that is not to be run."""

    helm: str | None = None
    kustomize: str | None = None


class RenderedText(Record):
    """What a program printed. Where it is `unknown`, that says why, and there is no text.

    `confined` is what the kernel kept the program from: `confinement.NETWORK`, `confinement.FILES`.
    """

    text: bytes = b""
    unknown: str | None = None
    confined: frozenset[str] = frozenset()

    def stream(self) -> Stream:
        """The text as documents."""
        return load(self.text)


def programs_of(entries: Iterable[str]) -> Programs:
    """The programs in entries `helm`, `kustomize` or `helm=PATH`; of a name without a path the PATH's one.

    Raises:
        BuildWithError: for another name, one that is given twice, and a program that is not there.
    """
    found: dict[str, str] = {}
    for entry in entries:
        name, equals, path = entry.partition("=")
        if name not in NAMES or (equals and not path):
            raise BuildWithError(
                f"expected helm, kustomize, helm=PATH or kustomize=PATH, not {entry!r}"
            )
        if name in found:
            raise BuildWithError(f"{name} is given twice")
        try:
            found[name] = os.path.abspath(path) if path else find_program(name)
        except ProgramError as error:
            raise BuildWithError(str(error)) from error
        if not os.path.isfile(found[name]) or not os.access(found[name], os.X_OK):
            raise BuildWithError(f"{path or name} is not a program")
    return Programs(found.get("helm"), found.get("kustomize"))


def run(words: Sequence[str], home: str, seconds: float) -> RenderedText:
    """What a program prints; it works in the folder `home`, which is its home too."""
    name = os.path.basename(words[0])
    if seconds <= 0:
        return RenderedText(unknown=f"{name} was not run: the time is over")
    try:
        answer = ask(
            (*_confining(home), *words),
            MOST_OUTPUT,
            seconds=seconds,
            environment=_environment(home),
            folder=home,
            memory=MOST_MEMORY,
        )
    except ProgramError as error:
        return RenderedText(unknown=f"{name} {error}")
    confined, errors = _confined(answer.errors)
    if answer.code:
        said = " ".join(errors.decode("utf-8", "replace").replace(home, "").split())
        said = said if len(said) <= _SHOWN_REASON else f"{said[:_SHOWN_REASON]}…"
        rejected = f"{name} rejects it: {said or f'exit code {answer.code}'}"
        return RenderedText(unknown=rejected, confined=confined)
    return RenderedText(answer.out, confined=confined)


def said_of(confined: frozenset[str] | None) -> str:
    """In words, what the kernel kept programs from."""
    from dradsl.confinement import FILES, NETWORK

    kept = confined or frozenset()
    without = [
        what for key, what in ((NETWORK, "a network"), (FILES, "other files")) if key in kept
    ]
    return (
        f"confined by the kernel: without {' and '.join(without)}"
        if without
        else "not confined by the kernel"
    )


def _confining(home: str) -> tuple[str, ...]:
    """What starts a program with the files of `home` only, where the kernel may do so."""
    if sys.platform != "linux" or not sys.executable:
        return ()
    from dradsl import confinement

    return sys.executable, "-I", "-S", confinement.__file__, os.path.realpath(home)


def _confined(errors: bytes) -> tuple[frozenset[str], bytes]:
    """What the first line on standard error says of confinement, and what the program itself said there."""
    from dradsl.confinement import HEAD

    if not errors.startswith(HEAD):
        return frozenset(), errors
    line, _, rest = errors.removeprefix(HEAD).partition(b"\n")
    return frozenset(line.decode().split()), rest


def _environment(home: str) -> dict[str, str]:
    """All that a program sees. Folders of it lie below `home`, and nothing is in them."""
    empty = os.path.join(home, "empty")
    os.makedirs(empty, exist_ok=True)
    made = {
        "HOME": empty,
        "PATH": empty,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "KUBECONFIG": os.path.join(empty, "kubeconfig"),
        "HELM_NO_PLUGINS": "1",
        "HELM_PLUGINS": os.path.join(empty, "plugins"),
        "KUSTOMIZE_PLUGIN_HOME": empty,
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GOMEMLIMIT": "2GiB",
    }
    made |= dict.fromkeys(("HELM_CONFIG_HOME", "HELM_CACHE_HOME", "HELM_DATA_HOME"), empty)
    made |= dict.fromkeys(("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), empty)
    for kind in ("HTTP", "HTTPS", "ALL"):
        made[f"{kind}_PROXY"] = made[f"{kind.lower()}_proxy"] = _NOBODY
    if os.name == "nt":
        made |= {"TEMP": home, "TMP": home, "USERPROFILE": empty}
        made |= {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return made
