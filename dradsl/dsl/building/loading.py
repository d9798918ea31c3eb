"""Runs a user's module and takes the app out of it."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.dsl.building.app import App
from dradsl.dsl.objects.places import is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["BuildError", "LoadedApp", "load_app"]


class BuildError(Exception):
    """A module that cannot be run, or that has no app; the message says where."""


@dataclass(frozen=True, slots=True)
class LoadedApp:
    """An app, and where it was found.

    Args:
        app: the app itself.
        app_name: the variable that holds it. Where several do, it is `app`, else the first one:
            the same for each way to ask for it.
        module_name: the module as the call names it.
        by_name: whether that is a dotted name, not a file.
        file: the module's file; None for a module that has none.
    """

    app: App
    app_name: str
    module_name: str
    by_name: bool
    file: Path | None


def load_app(target: str, *, allow_empty: bool = False) -> LoadedApp:
    """The app of `MODULE` or `MODULE:NAME`; MODULE is a file or a dotted name.

    What the module prints goes to standard error, so that standard output holds manifests only.

    Raises:
        BuildError: if it cannot be imported, raises, exits, or holds no app of that name; and
            unless `allow_empty`, if the app has no objects.
    """
    module_name, _, attribute = _split(target)
    with (
        _importing_from(_folder(module_name)),
        contextlib.redirect_stdout(sys.stderr),
        warnings.catch_warnings(),
    ):
        # Python hides DeprecationWarning; those of handles tell what a driver no longer publishes.
        warnings.filterwarnings("default", r"\S+ publishes no |\S+ of \S+ is deprecated")
        try:
            module = _import(module_name)
        except (Exception, SystemExit) as error:
            raise BuildError(_explain(module_name, error)) from error
    app = _app_of(module, module_name, attribute)
    if not app.objects and not allow_empty:
        raise BuildError(
            f"{target}: the app has no objects, app.add was never called; "
            "if it should have none, use --allow-empty"
        )
    return LoadedApp(
        app=app,
        app_name=_name_of(app, module, attribute),
        module_name=module_name,
        by_name=not _is_file(module_name),
        file=_file_of(module),
    )


def _split(target: str) -> tuple[str, str, str]:
    # A Windows path holds a colon too: only what follows the last one can be a name.
    head, colon, tail = target.rpartition(":")
    if colon and tail.isidentifier() and head:
        return head, colon, tail
    return target, "", ""


def _is_file(name: str) -> bool:
    return name.endswith(".py") or "/" in name or "\\" in name


def _folder(name: str) -> Path:
    return Path(name).resolve().parent if _is_file(name) else Path.cwd()


@contextlib.contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Modules beside the user's can be imported; nothing is left behind, no `__pycache__` either."""
    before, writes = sys.path[:], sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.path[:] = before
        sys.dont_write_bytecode = writes


def _import(name: str) -> ModuleType:
    if not _is_file(name):
        return importlib.import_module(name)
    path = Path(name)
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {name}")
    own_name = path.stem if path.stem.isidentifier() else "dradsl_build_module"
    spec = importlib.util.spec_from_file_location(own_name, path.resolve())
    if spec is None or spec.loader is None:
        raise ImportError(f"{name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    previous = sys.modules.get(own_name)
    sys.modules[own_name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        # The name may be another module's: "json.py" is a fair name for a script.
        if previous is not None:
            sys.modules[own_name] = previous
        else:
            sys.modules.pop(own_name, None)
    return module


def _explain(name: str, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"{_where(name, error)}: the module ends the program (exit code {error.code})"
    if isinstance(error, SyntaxError):
        return f"{_shown(error.filename or name)}:{error.lineno or 1}: {error.msg}"
    if isinstance(error, FileNotFoundError) and not error.filename:
        return str(error)
    return f"{_where(name, error)}: {type(error).__name__}: {error}"


def _where(name: str, error: BaseException) -> str:
    """The innermost line of the user's own code that led to the error."""
    users = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith("<")
        and frame.f_code.co_filename != importlib.__file__
        and not is_ours(frame)
    ]
    return f"{_shown(users[-1][0])}:{users[-1][1]}" if users else name


def _shown(path: str) -> str:
    with contextlib.suppress(ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return path


def _app_of(module: ModuleType, name: str, attribute: str) -> App:
    if attribute:
        found = getattr(module, attribute, None)
        if isinstance(found, App):
            return found
        raise BuildError(f"{name} has no App called {attribute}")
    app = getattr(module, "app", None)
    if isinstance(app, App):
        return app
    apps = {key: value for key, value in vars(module).items() if isinstance(value, App)}
    if len({id(value) for value in apps.values()}) == 1:
        return next(iter(apps.values()))
    if apps:
        raise BuildError(f"{name} has several apps: say {name}:{next(iter(apps))} or another one")
    raise BuildError(f"{name} has no App: write app = App(), and add objects to it")


def _name_of(app: App, module: ModuleType, attribute: str) -> str:
    names = [key for key, value in vars(module).items() if value is app]
    return "app" if "app" in names else next(iter(names), attribute or "app")


def _file_of(module: ModuleType) -> Path | None:
    spec = module.__spec__
    return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None
