"""Runs users' modules and takes the apps out of them."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from dradsl.dsl.building.app import App
from dradsl.dsl.building.factories import Factory, ParameterError
from dradsl.dsl.building.imports import Importer, is_file
from dradsl.dsl.building.targets import modules_in, split
from dradsl.dsl.building.unused import said, unused_objects
from dradsl.dsl.data.places import is_ours, noting
from dradsl.errors import DradslError
from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType, ModuleType

    from dradsl.dsl.objects.manifest import Manifest

__all__ = [
    "BuildError",
    "LoadedApp",
    "LoadedApps",
    "factories_in",
    "load_apps",
    "traceback_of",
]


_STACK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class BuildError(DradslError):
    """A module that cannot be run, or that has no app; the message says where."""


class LoadedApp(Record):
    """An app, and where it was found.

    Args:
        app: the app itself.
        app_name: the variable that holds it, or the factory with its parameters. Where several
            variables do, it is `app`, else the first one: the same for each way to ask for it.
        module_name: the module as the call names it.
        by_name: whether that is a dotted name, not a file.
        file: the module's file; None for a module that has none.
        stack: the environment or cluster that the app is for, if there are several.
    """

    app: App
    app_name: str
    module_name: str
    by_name: bool
    file: Path | None
    stack: str = ""

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"{self.module_name}:{self.app_name}"


class LoadedApps(Record):
    """The apps of a call, in its order.

    Args:
        apps: the apps.
        around: further apps that the modules made, such as one with the platform's classes.
        unused: objects that were built, and that no app adds.
    """

    apps: tuple[LoadedApp, ...]
    around: tuple[App, ...] = ()
    unused: tuple[Manifest, ...] = ()

    def stacks(self) -> dict[str, tuple[LoadedApp, ...]]:
        """The apps by stack; apps without one go to each."""
        names = list(dict.fromkeys(one.stack for one in self.apps if one.stack)) or [""]
        return {name: tuple(one for one in self.apps if one.stack in ("", name)) for name in names}

    def forgotten(self) -> tuple[Manifest, ...]:
        """Those of `unused` in the files of the apps: what a library offers may go unused."""
        files = {str(one.file) for one in self.apps}
        return tuple(one for one in self.unused if one.place and one.place.path in files)


def load_apps(
    targets: Sequence[str],
    *,
    parameters: Mapping[str, object] | None = None,
    stacks: Mapping[str, Mapping[str, object]] | None = None,
) -> LoadedApps:
    """The apps of several modules, each once; a folder or package stands for the modules in it.

    Args:
        targets: `MODULE`, `MODULE:NAME`, `MODULE:FACTORY` (a file or a dotted name), folders, names of packages.
        parameters: what factories are called with: each gets those that it takes.
        stacks: name -> further parameters; factories are called for each of them.

    What the modules print goes to standard error, so that standard output holds manifests only.

    Raises:
        BuildError: if a module cannot be imported, raises, exits, or holds no app of that name; if an app has no
            objects; and for parameters that no factory takes.
    """
    each = stacks or {"": {}}
    given = {
        **(parameters or {}),
        **{key: value for one in each.values() for key, value in one.items()},
    }
    found: list[LoadedApp] = []
    importer = Importer()
    with noting() as made:
        for stack, more in each.items():
            loader = _Loader({**more, **(parameters or {})}, stack, importer)
            for target in targets:
                found += loader.apps(target)
    once = _once(found)
    called = {id(one.app) for one in once}
    around = [one for one in made if isinstance(one, App) and id(one) not in called]
    unused = tuple(unused_objects(made, [*(one.app for one in once), *around]))
    for name in given:
        if not loader.factories:
            raise BuildError(
                f"--set {name}: nothing here takes parameters; "
                "say MODULE:FUNCTION, and let the function return the App"
            )
        if not any(factory.takes(name) for factory in loader.factories):
            raise BuildError(f"--set: {loader.factories[0].unknown(name)}")
    for one in once:
        if not one.app.objects:
            named = one.module_name if one.app_name == "app" else one.label
            raise BuildError(
                f"{named}: the app has no objects: app.add was never called"
                + "".join(f"\n  {said(other)}" for other in unused)
            )
    return LoadedApps(once, tuple(around), unused)


def factories_in(targets: Sequence[str]) -> tuple[Factory, ...]:
    """The factories that `targets` name, not called.

    Raises:
        BuildError: as of `load_apps`.
    """
    loader = _Loader({}, "", Importer(), call=False)
    for target in targets:
        loader.apps(target)
    return tuple(loader.factories)


class _Loader:
    def __init__(
        self, given: Mapping[str, object], stack: str, importer: Importer, *, call: bool = True
    ) -> None:
        self._given = given
        self._stack = stack
        self._call = call
        self._importer = importer
        self.factories: list[Factory] = []

    def apps(self, target: str) -> list[LoadedApp]:
        """The apps of a target: of a module one, of a folder or package all."""
        name, attribute = split(target)
        modules = None if attribute else modules_in(name)
        if modules is None:
            return self._one(name, attribute)
        if not Path(name).is_dir() and (own := self._if_any(modules[0])):
            return own  # a package that has an app itself
        found = [app for module in modules for app in self._if_any(module)]
        if not found and not self.factories:
            raise BuildError(f"{name}: no module there has an App")
        return found

    def _if_any(self, name: str) -> list[LoadedApp]:
        """All apps of a module that may as well have none."""
        with self._running(name):
            module = self._importer.module(name)
            made = [] if _own_apps(module) else self._sole_factory(module, name)
            if made:
                return made
            apps = _apps_in(module)
            if apps:
                first = {id(value): key for key, value in reversed(apps.items())}
                return [
                    self._loaded(apps[key], module, name, key)
                    for key in apps
                    if key in first.values()
                ]
            return []

    def _one(self, name: str, attribute: str) -> list[LoadedApp]:
        with self._running(name):
            module = self._importer.module(name)
            if attribute:
                return self._named(module, name, attribute)
            made = [] if _own_apps(module) else self._sole_factory(module, name)
            return made or [self._loaded(_app_of(module, name), module, name, "")]

    def _named(self, module: ModuleType, name: str, attribute: str) -> list[LoadedApp]:
        found = getattr(module, attribute, None)
        if isinstance(found, App):
            return [self._loaded(found, module, name, attribute)]
        if _are_apps(found):
            return self._of_stacks(found, module, name, attribute)
        if found is None or not callable(found):
            raise BuildError(
                f"{name} has no App called {attribute}, and no function that makes one"
            )
        return self._made(found, module, name, attribute)

    def _sole_factory(self, module: ModuleType, name: str) -> list[LoadedApp]:
        """What the module's one function that says `-> App` or `-> dict[str, App]` makes, or its one dict of apps."""
        names = [
            key
            for key, value in vars(module).items()
            if _says_app(value, module) or (_are_apps(value) and not key.startswith("_"))
        ]
        return self._named(module, name, names[0]) if len(names) == 1 else []

    def _made(
        self, make: Callable[..., object], module: ModuleType, name: str, attribute: str
    ) -> list[LoadedApp]:
        factory = Factory(f"{name}:{attribute}", make)
        self.factories.append(factory)
        if not self._call:
            return [LoadedApp(App(), attribute, name, not is_file(name), _file_of(module))]
        given = {key: value for key, value in self._given.items() if factory.takes(key)}
        app = factory(given)
        if _are_apps(app):
            prefix = f"{self._stack}/" if self._stack else ""
            return self._of_stacks(app, module, name, attribute, prefix)
        if not isinstance(app, App):
            raise BuildError(f"{factory.name} returns {app!r}, not an App")
        # Two calls of a factory are two builds, unless the app says who it is.
        shown = self._stack or ",".join(f"{key}={value}" for key, value in sorted(given.items()))
        called = f"{attribute}({app.name or shown})" if app.name or shown else attribute
        file = _file_of(module)
        return [LoadedApp(app, called, name, not is_file(name), file, self._stack)]

    def _of_stacks(
        self,
        apps: Mapping[str, App],
        module: ModuleType,
        name: str,
        attribute: str,
        prefix: str = "",
    ) -> list[LoadedApp]:
        """Apps by the name of their stack, below the folder of their parameters."""
        found = []
        for stack, app in apps.items():
            if not _STACK.fullmatch(stack):
                raise BuildError(
                    f"{name}:{attribute}: {stack!r} cannot be the name of a folder; use letters, digits, - and _"
                )
            label, file = f"{attribute}[{prefix}{stack}]", _file_of(module)
            found.append(LoadedApp(app, label, name, not is_file(name), file, f"{prefix}{stack}"))
        return found

    def _loaded(self, app: App, module: ModuleType, name: str, attribute: str) -> LoadedApp:
        return LoadedApp(
            app=app,
            app_name=_name_of(app, module, attribute),
            module_name=name,
            by_name=not is_file(name),
            file=_file_of(module),
        )

    @contextlib.contextmanager
    def _running(self, name: str) -> Iterator[None]:
        """Where a user's code runs: its output goes to standard error, its errors become BuildError."""
        with (
            self._importer.at_work(name),
            contextlib.redirect_stdout(sys.stderr),
            warnings.catch_warnings(),
        ):
            # Python hides DeprecationWarning; those of handles tell what a driver no longer publishes.
            warnings.filterwarnings("default", r"\S+ publishes no |\S+ of \S+ is deprecated")
            try:
                yield
            except BuildError:
                raise
            except ParameterError as error:
                raise BuildError(str(error)) from error
            except (Exception, SystemExit) as error:
                raise BuildError(_explain(name, error)) from error


def _once(found: Sequence[LoadedApp]) -> tuple[LoadedApp, ...]:
    """Each app once: as the app of the module that made it, where that is among them."""
    kept: dict[int, LoadedApp] = {}
    for one in found:
        other = kept.get(id(one.app))
        if other is None or (_is_maker(one) and not _is_maker(other)):
            kept[id(one.app)] = one
    return tuple(kept.values())


def _is_maker(one: LoadedApp) -> bool:
    place = one.app.place
    return place is not None and one.file is not None and Path(place.path) == one.file


def _says_app(value: object, module: ModuleType) -> bool:
    if not callable(value) or getattr(value, "__module__", None) != module.__name__:
        return False
    says = getattr(value, "__annotations__", {}).get("return")
    return says in (App, "App", "dradsl.App", dict[str, App], "dict[str, App]")


def _are_apps(value: object) -> TypeGuard[dict[str, App]]:
    """Whether it is a dict of apps by name."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(key, str) and isinstance(one, App) for key, one in value.items())
    )


def _explain(name: str, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"{_where(name, error)}: the module ends the program (exit code {error.code})"
    if isinstance(error, SyntaxError):
        return f"{_shown(error.filename or name)}:{error.lineno or 1}: {error.msg}"
    if isinstance(error, FileNotFoundError) and not error.filename:
        return str(error)
    meant = _meant(error)
    return f"{_where(name, error)}: {type(error).__name__}: {error}{meant}{_callers(error)}"


def _meant(error: BaseException) -> str:
    """What an import of a name that dradsl does not have was to be."""
    said = re.fullmatch(r"cannot import name '(\w+)' from '(dradsl[\w.]*)' .*", str(error))
    if not isinstance(error, ImportError) or said is None or said[2] not in sys.modules:
        return ""
    from dradsl.dsl.expressions.suggestions import did_you_mean

    module = sys.modules[said[2]]
    known = [name for name in dir(module) if not name.startswith("_")]
    if hasattr(module, "__path__"):
        known += [one.name for one in pkgutil.iter_modules(module.__path__)]
    held = [one for one in known if said[1] in one]
    return f'; did you mean "{held[0]}"?' if held else did_you_mean(said[1], known)


def _where(name: str, error: BaseException) -> str:
    """The innermost line of the user's own code that led to the error."""
    users = _users(error)
    return f"{_shown(users[-1][0])}:{users[-1][1]}" if users else name


def _callers(error: BaseException) -> str:
    """The further lines of the user's own code, innermost first."""
    outer = _users(error)[-2::-1]
    return "".join(f"\n  called from {_shown(path)}:{line}" for path, line in outer)


def _users(error: BaseException) -> list[tuple[str, int]]:
    found = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if _is_users(frame)
    ]
    return list(dict.fromkeys(found))


def _is_users(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    loads = file.startswith("<") or file in (importlib.__file__, contextlib.__file__)
    return not loads and not is_ours(frame)


def traceback_of(error: BaseException) -> str:
    """The traceback of what a module raised, from the first line of the user's own code on."""
    begin = error.__traceback__
    while begin is not None and not _is_users(begin.tb_frame):
        begin = begin.tb_next
    return "".join(traceback.format_exception(type(error), error, begin)).rstrip()


def _shown(path: str) -> str:
    with contextlib.suppress(ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return path


def _apps_in(module: ModuleType) -> dict[str, App]:
    return {key: value for key, value in vars(module).items() if isinstance(value, App)}


def _own_apps(module: ModuleType) -> dict[str, App]:
    """The apps of a module without those that it imported, such as the platform's that its own use."""
    return {name: app for name, app in _apps_in(module).items() if not _is_imported(app, module)}


def _is_imported(app: App, module: ModuleType) -> bool:
    """Whether another module, in whose file the app was made, has it under a name."""
    if app.place is None:
        return False
    return any(
        other is not module
        and getattr(other, "__file__", None) == app.place.path
        and any(value is app for value in vars(other).values())
        for other in list(sys.modules.values())
    )


def _app_of(module: ModuleType, name: str) -> App:
    apps = _own_apps(module) or _apps_in(module)
    if "app" in apps:
        return apps["app"]
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
