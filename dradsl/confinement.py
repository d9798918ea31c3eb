"""The start of a program with less than the rights of its user: `python -I -S confinement.py FOLDER PROGRAM [WORD]...`.

On Linux, as far as the kernel allows: a user and a network namespace of its own, in which there is no network, and
Landlock, which leaves it FOLDER, itself, and the programs and libraries of the system. A script may start what is
elsewhere, so it keeps the files. The first line on standard error names what holds. The program then takes the place of this one. It is a process of its own, because a process
with several threads cannot enter a user namespace.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

__all__ = ["FILES", "HEAD", "NETWORK"]

HEAD = b"\0confined:"
NETWORK = "network"
FILES = "files"

# linux/sched.h, linux/prctl.h, linux/landlock.h; the numbers of system calls are the same on every architecture.
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000
_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_DIR
# Version of the interface -> rights to files that it knows: all bits below this one.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_NEWEST_RIGHTS = 16
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/nix/store", "/gnu/store", "/snap", "/home/linuxbrew/.linuxbrew"),
)
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def _without_network(libc: CDLL) -> bool:
    flags = _CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC
    return bool(libc.unshare(flags) == 0)


def _with_files_of(libc: CDLL, folder: str, program: str) -> bool:
    """Leave this process the files of a folder, of a program and of the system."""
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    rights = (1 << _RIGHTS.get(version, _NEWEST_RIGHTS)) - 1
    # struct landlock_ruleset_attr: files, TCP, abstract sockets and signals, as far as the version knows them.
    wanted = struct.pack("=QQQ", rights, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(_CREATE_RULESET, wanted, len(wanted), 0)
    if ruleset < 0:
        return False
    allowed = {
        folder: rights,
        **dict.fromkeys(_SYSTEM, _READ),
        **dict.fromkeys((program, *_SYSTEM_FILES), _EXECUTE | _READ_FILE),
        **dict.fromkeys(_DEVICES, _READ_FILE | _WRITE_FILE),
    }
    for path, right in allowed.items():
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("=Qi", right, handle)  # struct landlock_path_beneath_attr
            libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
            os.close(handle)
    done = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    done = done and libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return bool(done)


def _is_script(program: str) -> bool:
    with contextlib.suppress(OSError), Path(program).open("rb") as file:
        return file.read(2) == b"#!"
    return False


def _start(folder: str, words: list[str]) -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    active = []
    if _without_network(libc):
        active.append(NETWORK)
    if not _is_script(words[0]) and _with_files_of(libc, folder, words[0]):
        active.append(FILES)
    os.write(2, HEAD + " ".join(active).encode() + b"\n")
    try:
        os.execv(words[0], words)  # noqa: S606 - no shell; the caller's own program
    except OSError as error:
        sys.exit(f"cannot be started: {error.strerror}")


if __name__ == "__main__":
    _start(sys.argv[1], sys.argv[2:])
