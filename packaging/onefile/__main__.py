"""Starts dradsl from one file: its modules are unpacked once, into a folder of the user, and run from there.

Python keeps compiled modules beside unpacked ones, so the second start is nearly as fast as that of an installation. What
dradsl starts in processes of its own finds the same folder. `.ci/zipapp` puts this file and `CONTENT` into the archive.
"""

import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python has to be able to say this
    sys.exit("dradsl: needs Python 3.11 or newer, and this is %d.%d" % sys.version_info[:2])  # noqa: UP031

import shutil
import stat
import tempfile
import zipfile

ARCHIVE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = "kubectl-dra"  # the name by which kubectl starts its plugin


def cache() -> str:
    """The folder of the user for what can be made again."""
    if os.name == "nt":
        return os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches")
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def is_ours(folder: str) -> bool:
    """Say if the folder is a real one that nobody else can write into."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    return os.name == "nt" or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def unpack(target: str) -> None:
    """Write the modules of this file into an empty folder."""
    with zipfile.ZipFile(ARCHIVE) as packed:
        names = [each for each in packed.namelist() if each.startswith("site/")]
        packed.extractall(target, names)


def kept(content: str) -> "str | None":
    """The unpacked folder in the cache, made if it is not there; None if the cache cannot hold it."""
    base = os.path.join(cache(), "dradsl")
    if not os.path.isabs(base):
        return None
    target = os.path.join(base, content)
    try:
        os.makedirs(base, mode=0o700, exist_ok=True)
        if not is_ours(base):
            return None
        if not os.path.lexists(target):
            made = tempfile.mkdtemp(dir=base)  # for this user alone
            try:
                unpack(made)
                os.rename(made, target)
            except OSError:
                shutil.rmtree(made, ignore_errors=True)  # another process may have been first
    except OSError:
        return None
    return target if is_ours(target) else None


def main() -> None:
    """Run the command that the name of this file asks for."""
    with zipfile.ZipFile(ARCHIVE) as packed:
        content = packed.read("CONTENT").decode("ascii")
    target = kept(content)
    if target is None:
        import atexit

        target = tempfile.mkdtemp(prefix="dradsl-")
        atexit.register(shutil.rmtree, target, ignore_errors=True)
        unpack(target)
    sys.path[0] = os.path.join(target, "site")
    name = os.path.basename(sys.argv[0])
    if name.partition(".")[0] == PLUGIN:
        from dradsl.cli.kubectl_dra import start
    else:
        from dradsl.cli import start
    start()


if __name__ == "__main__":
    main()
