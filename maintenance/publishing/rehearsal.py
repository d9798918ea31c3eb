"""A release, rehearsed on this machine: `.ci/rehearse [--report FILE] [--keep FOLDER] [--python PROGRAM]...
[--image-base IMAGE]`.

Builds the last commit at its tag in a clean clone, publishes to a package index on loopback, and goes through each door by
which a user comes in: pip, pipx and uv with each Python at hand, pre-commit, the steps of the action, the job for GitLab,
Helm's post-renderer, kubectl's plugin, the one file and the image. Nothing leaves the machine. What dradsl depends on comes
from where pip is configured to find packages. A door whose program is not here is named, and is no failure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl._version import __version__
from maintenance.publishing.index_server import LocalIndex
from maintenance.publishing.locks import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

TAG = f"v{__version__}"
MINORS = ("3.11", "3.12", "3.13", "3.14")
EXPECTED = "DRA201"
"""What every door has to find in the manifest."""
MANIFEST = ROOT / "examples" / "broken" / "attribute-name.yaml"
_EXAMPLE = ("--repository", "https://code.example.com/x", "--site", "https://docs.example.com/x")
_NOT_OURS = ("PYTHON", "VIRTUAL_ENV", "GIT_", "PIPX_", "UV_", "PRE_COMMIT_")


class FailedError(Exception):
    """A call that did not end, or did not print, as it had to."""


class MissingError(Exception):
    """A program that is not on this machine."""


@dataclass
class Rehearsal:
    """The folders of a rehearsal, and what came of each step."""

    work: Path
    index: LocalIndex
    rows: list[tuple[str, str, float, str]] = field(default_factory=list)

    @property
    def clone(self) -> Path:
        """The clean clone, which is at the tag."""
        return self.work / "clone"

    @property
    def dist(self) -> Path:
        """The files of the release."""
        return self.work / "dist"

    def tool(self, name: str) -> str:
        """A program of the environment with the tools."""
        return str(scripts(self.work / "tools") / name)

    def environment(self) -> dict[str, str]:
        """That of a user who has the index configured, and nothing of ours; caches are new."""
        kept = {key: text for key, text in os.environ.items() if not key.startswith(_NOT_OURS)}
        return {
            **kept,
            "HOME": str(self.work / "home"),
            "XDG_CACHE_HOME": str(self.work / "home" / ".cache"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_EXTRA_INDEX_URL": f"{self.index.address}/simple/",
            "UV_INDEX": f"{self.index.address}/simple/",
            "UV_PYTHON_DOWNLOADS": "never",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def call(
        self,
        words: Sequence[str],
        *,
        codes: Sequence[int] = (0,),
        folder: Path | None = None,
        more: Mapping[str, str] | None = None,
    ) -> str:
        """The output of a program, which has to end with one of the codes."""
        done = subprocess.run(
            list(words),
            cwd=folder or self.work,
            env={**self.environment(), **(more or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in codes:
            said = (done.stderr or done.stdout).strip()[-1500:]
            raise FailedError(f"{' '.join(words)[:200]}: exit code {done.returncode}\n{said}")
        return done.stdout + done.stderr

    def step(self, name: str, action: Callable[[], str]) -> bool:
        """Run a step and note what came of it: what it says, or why it could not."""
        asked, start = len(self.index.asked), time.monotonic()
        try:
            result, said = "ok", action()
        except MissingError as error:
            result, said = "not here", str(error)
        except (FailedError, OSError, KeyError, ValueError) as error:
            result, said = "FAILED", f"{type(error).__name__}: {error}"
        took = time.monotonic() - start
        self.rows.append((name, result, took, said.partition("\n")[0]))
        files = sum(path.startswith("/files/") for path in self.index.asked[asked:])
        more = f", {files} file(s) from the index" if files else ""
        print(f"{result:8} {took:6.1f} s  {name}: {said}{more}", flush=True)
        return result != "FAILED"


def scripts(environment: Path) -> Path:
    """Where an environment of Python has its programs."""
    return environment / ("Scripts" if os.name == "nt" else "bin")


def found(name: str) -> str:
    """A program on the PATH."""
    path = shutil.which(name)
    if path is None:
        raise MissingError(f"{name} is not on this machine")
    return path


def first_finding(output: str) -> str:
    """The line of a report with the finding that is expected."""
    for line in output.splitlines():
        if EXPECTED in line:
            return line.strip()[:110]
    raise FailedError(f"no {EXPECTED} in: {output.strip()[-500:]}")


def pythons(named: Sequence[str]) -> dict[str, str]:
    """Minor version -> program, of those that are named, on the PATH, or in the folder of pyenv."""
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    tried = [*named, *(f"python{each}" for each in MINORS), sys.executable]
    tried += [str(path) for path in sorted(home.glob("versions/3.*/bin/python3"))]
    ask = "import sys; print('%d.%d' % sys.version_info[:2], getattr(sys, '_base_executable', sys.executable))"
    result: dict[str, str] = {}
    for program in tried:
        path = shutil.which(program)
        if path is None:
            continue
        done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
        minor, _, real = done.stdout.strip().partition(" ")
        if done.returncode == 0 and minor in MINORS:
            result.setdefault(minor, real)
    return dict(sorted(result.items(), key=lambda each: MINORS.index(each[0])))


def clone(run: Rehearsal) -> str:
    """A clean clone at the tag; the tag is made there if the repository has none yet."""
    run.call(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(run.clone)])
    if not run.call(["git", "-C", str(run.clone), "tag", "--list", TAG]).strip():
        run.call(["git", "-C", str(run.clone), "tag", TAG])
    run.call(["git", "-C", str(run.clone), "checkout", "--quiet", "--detach", TAG])
    commit = run.call(["git", "-C", str(run.clone), "rev-parse", "HEAD"]).strip()
    return f"{TAG} is {commit[:12]}"


def tools(run: Rehearsal) -> str:
    """The programs that build, publish and install, in the versions of their lock."""
    run.call([sys.executable, "-m", "venv", "tools"])
    lock = str(run.clone / ".ci" / "lock-publish.txt")
    run.call(
        [run.tool("python"), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock],
        more={"PIP_EXTRA_INDEX_URL": ""},
    )
    return "hatchling, twine, pipx, uv and pre-commit"


def build(run: Rehearsal) -> str:
    """All files of the release."""
    python, out = run.tool("python"), str(run.dist)
    run.call(["bash", ".ci/build", out], folder=run.clone, more={"PYTHON": python})
    (wheel,) = run.dist.glob("*.whl")
    run.call(
        ["sh", ".ci/zipapp", str(wheel), "-o", f"{out}/dradsl.pyz"],
        folder=run.clone,
        more={"PYTHON": python},
    )
    run.call(["sh", ".ci/sbom", out], folder=run.clone, more={"PYTHON": python})
    run.call(
        ["sh", ".ci/entries", "--folder", out, "--tag", TAG, *_EXAMPLE],
        folder=run.clone,
        more={"PYTHON": python},
    )
    return ", ".join(sorted(each.name for each in run.dist.iterdir()))


def publish(run: Rehearsal) -> str:
    """Check the metadata and upload, as the workflow does."""
    files = [
        str(each) for each in run.dist.iterdir() if re.search(r"\.whl$|^dradsl.*\.gz$", each.name)
    ]
    run.call([run.tool("twine"), "check", "--strict", *files])
    words = ["upload", "--non-interactive", "--repository-url", f"{run.index.address}/legacy/"]
    run.call(
        [run.tool("twine"), *words, *files],
        more=dict.fromkeys(("TWINE_USERNAME", "TWINE_PASSWORD"), "-"),
    )
    return f"{len(run.index.files)} files at a loopback address"


def is_ours(run: Rehearsal, python: str) -> None:
    """Fail unless what a Python imports is byte for byte in the wheel that was built."""
    ask = "import dradsl, pathlib; print(pathlib.Path(dradsl.__file__).parent)"
    home = Path(run.call([python, "-P", "-c", ask]).strip())
    (wheel,) = run.dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            if (
                name.startswith("dradsl/")
                and packed.read(name) != (home.parent / name).read_bytes()
            ):
                raise FailedError(f"{name} is not that of the wheel")


def by_pip(run: Rehearsal, minor: str, python: str) -> str:
    """`pip install dradsl` in a new environment."""
    home = run.work / f"pip-{minor}"
    run.call([python, "-m", "venv", str(home)])
    run.call([str(scripts(home) / "python"), "-m", "pip", "install", "--quiet", "dradsl"])
    is_ours(run, str(scripts(home) / "python"))
    words = [str(scripts(home) / "dradsl"), "lint", "--isolated", MANIFEST.name]
    return first_finding(run.call(words, codes=(1,), folder=user(run)))


def by_pipx(run: Rehearsal, minor: str, python: str) -> str:
    """`pipx install dradsl`."""
    places = {"PIPX_HOME": f"pipx-{minor}", "PIPX_BIN_DIR": f"pipx-{minor}-bin"}
    places = {key: str(run.work / name) for key, name in places.items()}
    run.call([run.tool("pipx"), "install", "--quiet", "--python", python, "dradsl"], more=places)
    is_ours(run, str(scripts(Path(places["PIPX_HOME"], "venvs", "dradsl")) / "python"))
    words = [str(Path(places["PIPX_BIN_DIR"], "dradsl")), "lint", "--isolated", MANIFEST.name]
    return first_finding(run.call(words, codes=(1,), folder=user(run)))


def by_uv(run: Rehearsal, minor: str, python: str) -> str:
    """`uvx dradsl lint`, without an installation before it."""
    cache = {"UV_CACHE_DIR": str(run.work / f"uv-{minor}")}
    words = ["tool", "run", "--python", python, "dradsl", "lint", "--isolated", MANIFEST.name]
    return first_finding(
        run.call([run.tool("uv"), *words], codes=(1,), folder=user(run), more=cache)
    )


def by_file(run: Rehearsal, minor: str, python: str) -> str:
    """The one file: once to unpack, once more as it starts from then on."""
    cache = {"XDG_CACHE_HOME": str(run.work / f"file-{minor}")}
    words = [python, str(run.dist / "dradsl.pyz"), "lint", "--isolated", MANIFEST.name]
    seconds = []
    for _ in range(2):
        start = time.monotonic()
        said = run.call(words, codes=(1,), folder=user(run), more=cache)
        seconds.append(time.monotonic() - start)
    return f"first {seconds[0]:.1f} s, then {seconds[1]:.1f} s: {first_finding(said)}"


def user(run: Rehearsal) -> Path:
    """The folder of a user: one manifest."""
    folder = run.work / "user"
    folder.mkdir(exist_ok=True)
    shutil.copy(MANIFEST, folder)
    return folder


def yaml_of(run: Rehearsal, path: Path) -> list[dict[str, Any]]:
    """The documents of a file, read by what the first door installed."""
    ask = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))"
    (home, *_) = sorted(run.work.glob("pip-*"))
    return list(json.loads(run.call([str(scripts(home) / "python"), "-c", ask, str(path)])))


def pre_commit(run: Rehearsal) -> str:
    """The hooks as the page on pre-commit configures them, in a repository of a user."""
    page = (ROOT / "docs" / "how-to" / "pre-commit.md").read_text(encoding="utf-8")
    (text,) = re.findall(
        r"^```yaml title=\"\.pre-commit-config\.yaml\"\n(.*?)^```", page, re.MULTILINE | re.DOTALL
    )
    folder = run.work / "hooked"
    folder.mkdir()
    shutil.copy(MANIFEST, folder)
    settings = re.sub(r"repo: \S+", f"repo: {run.clone}", re.sub(r"rev: \S+", f"rev: {TAG}", text))
    (folder / ".pre-commit-config.yaml").write_text(settings, encoding="utf-8")
    for words in (["init", "--quiet"], ["add", "--all"]):
        run.call(["git", *words], folder=folder)
    return first_finding(
        run.call([run.tool("pre-commit"), "run", "--all-files"], codes=(1,), folder=folder)
    )


def action(run: Rehearsal) -> str:
    """The steps of action.yml with its own defaults, as a runner sets them up."""
    (document,) = yaml_of(run, run.clone / "action.yml")
    defaults = {
        name: str(each.get("default", "")) for name, each in _mapping(document["inputs"]).items()
    }
    base = {"RUNNER_TEMP": str(run.work / "runner"), "GITHUB_ACTION_PATH": str(run.clone)}
    Path(base["RUNNER_TEMP"]).mkdir()
    said = ""
    steps = _mapping(document["runs"])["steps"]
    for number, step in enumerate(steps):
        given = {
            name: defaults[str(text).removeprefix("${{ inputs.").removesuffix(" }}")]
            for name, text in step["env"].items()
        }
        if "PYTHON" in given:
            given["PYTHON"] = sys.executable
        codes = (1,) if number == len(steps) - 1 else (0,)
        script = ["bash", "-eo", "pipefail", "-c", step["run"]]
        said = run.call(script, codes=codes, folder=user(run), more={**base, **given})
    return first_finding(said)


def gitlab(run: Rehearsal) -> str:
    """The script of the component for GitLab, in a work tree of a user."""
    head, jobs = yaml_of(run, run.clone / "templates" / "lint" / "template.yml")
    commit = run.call(["git", "-C", str(run.clone), "rev-parse", "HEAD"]).strip()
    values = {
        name: str((each or {}).get("default", ""))
        for name, each in _mapping(_mapping(head["spec"])["inputs"]).items()
    }
    values |= {"source": str(run.clone), "commit": commit}
    (job,) = _mapping(jobs).values()
    given = {
        name: values[str(text).removeprefix("$[[ inputs.").removesuffix(" ]]")]
        for name, text in job["variables"].items()
    }
    folder = run.work / "merge-request"
    folder.mkdir()
    shutil.copy(MANIFEST, folder)
    (run.work / "image").mkdir()
    (run.work / "image" / "python3").symlink_to(sys.executable)  # that of the image of the job
    path = f"{run.work / 'image'}{os.pathsep}{os.environ['PATH']}"
    script = "\n".join(job["script"])
    run.call(
        ["bash", "-eo", "pipefail", "-c", script],
        codes=(1,),
        folder=folder,
        more={"PATH": path, **given},
    )
    report = json.loads((folder / "gl-code-quality.json").read_text(encoding="utf-8"))
    return first_finding(
        "\n".join(f"{each['check_name']} {each['description']}" for each in report)
    )


def helm(run: Rehearsal) -> str:
    """The example of a chart through the post-renderer, by Helm itself if it is here."""
    folder = run.clone / "examples" / "migrations" / "post-render"
    (home, *_) = sorted(run.work.glob("pip-*"))
    path = f"{scripts(home)}{os.pathsep}{os.environ['PATH']}"
    program = found("helm")
    version = run.call([program, "version", "--short"]).strip()
    if not version.startswith("v3"):
        raise MissingError(f"Helm {version} takes post-renderers as plugins: not rehearsed")
    words = [program, "template", "release", "chart", "--post-renderer"]
    out = run.call([*words, "./helm-3/dradsl-post-render.sh"], folder=folder, more={"PATH": path})
    if "resourceClaimTemplateName" not in out:
        raise FailedError(f"no claim in what Helm prints: {out[-300:]}")
    return f"Helm {version}: claims are in what it prints"


def plugin(run: Rehearsal) -> str:
    """`kubectl dra` from the archive for krew, on the PATH of kubectl."""
    found("kubectl")
    folder = run.work / "krew"
    folder.mkdir()
    run.call(
        ["tar", "-xzf", str(run.dist / f"kubectl-dra-{__version__}.tar.gz"), "-C", str(folder)]
    )
    (run.work / "plugins").mkdir()
    (run.work / "plugins" / "kubectl-dra").symlink_to(folder / "kubectl-dra")
    path = f"{run.work / 'plugins'}{os.pathsep}{os.environ['PATH']}"
    dump = str(run.clone / "examples" / "tutorials" / "pending" / "dump.yaml")
    said = run.call(["kubectl", "dra", "why", "ml/train", dump], codes=(0, 1), more={"PATH": path})
    if "none of 2 nodes has the devices" not in said:
        raise FailedError(f"another answer: {said[-300:]}")
    words = ["kubectl", "dra", "lint", "--isolated", MANIFEST.name]
    return first_finding(run.call(words, codes=(1,), folder=user(run), more={"PATH": path}))


def krew(run: Rehearsal) -> str:
    """The manifest for krew, installed by krew from the archive."""
    program = found("krew")
    entries = run.dist / "entries" / "krew" / "dra.yaml"
    archive = str(run.dist / f"kubectl-dra-{__version__}.tar.gz")
    root = str(run.work / "krew-root")
    more = {"KREW_ROOT": root, "PATH": f"{root}/bin{os.pathsep}{os.environ['PATH']}"}
    run.call([program, "install", "--manifest", str(entries), "--archive", archive], more=more)
    words = ["kubectl", "dra", "lint", "--isolated", MANIFEST.name]
    return first_finding(run.call(words, codes=(1,), folder=user(run), more=more))


def image(run: Rehearsal, base: str | None) -> str:
    """The image, by a program that can build one here, on another base if one is named; then lint in it."""
    given = ["--build-arg", f"BASE={base}"] if base else []
    name, program = builder(run)
    tag, place = f"dradsl:{__version__}", f"{user(run)}:/src:ro"
    run.call([program, "build", *given, "-t", tag, "."], folder=run.clone)
    lint = ["lint", "--isolated", MANIFEST.name]
    if name == "buildah":  # which has no entrypoint of its own
        box = run.call([program, "from", "--quiet", tag]).strip()
        words = [program, "run", "-v", place, box, "--", "/opt/dradsl/bin/dradsl", *lint]
    else:
        words = [program, "run", "--rm", "-v", place, tag, *lint]
    said = first_finding(run.call(words, codes=(1,)))
    return f"built by {name}{f' on {base}' if base else ''}: {said}"


def builder(run: Rehearsal) -> tuple[str, str]:
    """The name and the path of a program that builds images here."""
    without_daemon = False
    for name in ("podman", "buildah", "docker"):
        program = shutil.which(name)
        if program is None:
            continue
        try:
            run.call([program, "info"])
        except FailedError:
            without_daemon = True
            continue
        return name, program
    more = ", but one that cannot run here (docker without its daemon)" if without_daemon else ""
    raise MissingError(f"none of podman, buildah and docker is on this machine{more}")


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FailedError(f"not a mapping: {value!r}")
    return value


def doors(
    run: Rehearsal, there: Mapping[str, str], base: str | None
) -> Iterator[tuple[str, Callable[[], str]]]:
    """All that a user may do with the published release."""
    for way, enter in (("pip", by_pip), ("pipx", by_pipx), ("uvx", by_uv), ("one file", by_file)):
        for minor, python in there.items():
            yield f"{way}, Python {minor}", partial(enter, run, minor, python)
    for name, step in (
        ("pre-commit", pre_commit),
        ("steps of the action", action),
        ("job for GitLab", gitlab),
        ("Helm's post-renderer", helm),
        ("kubectl dra, from the archive", plugin),
        ("kubectl dra, by krew", krew),
    ):
        yield name, partial(step, run)
    yield "image", partial(image, run, base)


def table(run: Rehearsal, there: Mapping[str, str]) -> str:
    """What came of it, in Markdown."""
    rows = [
        f"{TAG}, with Python {', '.join(there)}",
        "",
        "| Step | Result | s | |",
        "| --- | --- | --- | --- |",
    ]
    rows += [f"| {a} | {b} | {c:.1f} | {d.replace('|', '/')} |" for a, b, c, d in run.rows]
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}" for name, data in run.index.files.items()]
    return "\n".join([*rows, "", "```text", *sums, "```", ""])


def main() -> int:
    """Rehearse; 1 if a step failed."""
    parser = argparse.ArgumentParser(prog=".ci/rehearse", description=__doc__)
    parser.add_argument("--python", action="append", default=[], help="one more Python to try")
    parser.add_argument("--image-base", help="build the image on this one, not on that of the file")
    parser.add_argument("--report", type=Path, help="append the table to this file")
    parser.add_argument("--keep", type=Path, help="a folder that stays, with all that was made")
    given = parser.parse_args()
    with ExitStack() as stack:
        work = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (work / "home").mkdir(parents=True)
        run = Rehearsal(work.resolve(), stack.enter_context(LocalIndex()))
        there = pythons(given.python)
        steps = (("clone", clone), ("tools", tools), ("build", build), ("publish", publish))
        if all(run.step(name, partial(step, run)) for name, step in steps):
            for name, door in doors(run, there, given.image_base):
                run.step(name, door)
        text = table(run, there)
    if given.report is not None:
        with given.report.open("a", encoding="utf-8") as out:
            out.write(text)
    failed = [name for name, result, _, _ in run.rows if result == "FAILED"]
    missing = [name for name, result, _, _ in run.rows if result == "not here"]
    print(f"{len(run.rows)} steps, {len(failed)} failed, {len(missing)} without their program")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
