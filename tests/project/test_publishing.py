"""What a release is made of: workflows, one file, a bill of materials, entries for catalogues, and the index of the rehearsal."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from dradsl._version import __version__
from dradsl.lint.report.places import PROJECT_URL, REPOSITORY_URL
from maintenance.publishing import bill, entries, nightly, one_file, rehearsal
from maintenance.publishing.index_server import LocalIndex, form
from maintenance.publishing.locks import rows

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = entries.Release("1.2.3", "https://code.example.com/d", "https://docs.example.com/d")


def workflow(name: str) -> dict[Any, Any]:
    found = yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8"))
    result: dict[Any, Any] = found
    return result


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job.get("steps", ())]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_named_by_commit_and_version(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    assert lines
    pattern = r"\s*(- )?uses: ([\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+|\./\S+)"
    assert [line for line in lines if not re.fullmatch(pattern, line)] == []


def test_one_version_of_each_action() -> None:
    named: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action, commit in re.findall(r"uses: (\S+)@(\S+)", path.read_text("utf-8")):
            named.setdefault(action, set()).add(commit)
    assert {action: commits for action, commits in named.items() if len(commits) > 1} == {}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_only_what_they_need(path: Path) -> None:
    """They read; a job that writes says so. What others write into a request is no part of a script."""
    found = yaml.safe_load(path.read_text("utf-8"))
    assert found["permissions"] == {"contents": "read"}
    scripts = [
        step["run"]
        for job in found["jobs"].values()
        for step in job.get("steps", ())
        if "run" in step
    ]
    assert [script for script in scripts if "${{" in script] == []
    for job in found["jobs"].values():
        for step in job.get("steps", ()):
            if str(step.get("uses", "")).startswith("actions/checkout@"):
                writes = (
                    job.get("permissions", {}).get("contents") == "write" and "environment" in job
                )
                assert writes or step["with"]["persist-credentials"] is False


def test_ci_is_the_run_of_the_repository_on_all_systems_and_pythons() -> None:
    job = workflow("ci")["jobs"]["run"]
    assert [step["run"] for step in job["steps"] if "run" in step] == ["bash .ci/run"]
    axes = job["strategy"]["matrix"]
    assert [system.partition("-")[0] for system in axes["system"]] == ["ubuntu", "macos", "windows"]
    assert axes["python"] == list(rehearsal.MINORS)


def test_a_release_is_checked_first_and_a_person_approves_it() -> None:
    jobs = workflow("release")["jobs"]
    assert jobs["check"]["uses"] == "./.github/workflows/ci.yml"
    assert jobs["build"]["needs"] == "check"
    assert jobs["extension"]["needs"] == "build"  # whose wheel it brings along
    assert {jobs[name]["environment"] for name in ("index", "site")} == {"release"}
    assert {jobs[name]["needs"] for name in ("index", "site")} == {"release"}
    called = "\n".join(step.get("run", "") for step in steps("release"))
    for name in (".ci/build", ".ci/zipapp", ".ci/sbom", ".ci/entries", "twine check", "--draft"):
        assert name in called
    # Python 3: `on` is a key that YAML 1.1 reads as a boolean.
    assert workflow("release")[True]["push"]["tags"] == ["v*"]


def test_every_command_that_workflows_call_is_there() -> None:
    for path in WORKFLOWS:
        for name in re.findall(r"(?<![\w/])\.ci/[\w-]+(?!\S*\.txt)", path.read_text("utf-8")):
            if not name.startswith(".ci/lock"):
                assert os.access(ROOT / name, os.X_OK), name


def test_no_workflow_names_an_address() -> None:
    """Those of the project are in one module; the service knows where a workflow runs."""
    for path in [*WORKFLOWS, *(ROOT / ".github").rglob("*.yml")]:
        assert "://" not in path.read_text("utf-8"), path.name
    for path in sorted((ROOT / "packaging").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            assert "://" not in path.read_text("utf-8").replace("https?://", ""), path.name


def test_the_nightly_runs_every_part() -> None:
    job = workflow("nightly")["jobs"]["part"]
    assert job["strategy"]["matrix"]["part"] == list(nightly.PARTS)
    for part in nightly.PARTS:
        for words in nightly.commands(part, 0.01, 7):
            if words[:2] == [sys.executable, "-m"]:
                place = ROOT / words[2].replace(".", "/")
                assert (place / "__main__.py").is_file() or place.with_suffix(".py").is_file(), (
                    words
                )


def test_the_nightly_writes_what_commands_count(tmp_path: Path) -> None:
    counts, summary = tmp_path / "counts.json", tmp_path / "summary.md"
    call = [sys.executable, "-m", "maintenance.publishing.nightly", "trees", "fuzz"]
    call += ["--scale", "0.001", "--seed", "3", "--counts", str(counts), "--summary", str(summary)]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(counts.read_text("utf-8"))
    assert found["seed"] == 3
    trees, fuzz = found["commands"]
    assert trees["counts"] == ["5 trees, 0 failures"]
    assert len(fuzz["counts"]) >= 5
    assert "5 trees, 0 failures" in summary.read_text("utf-8")


def test_a_failure_of_a_nightly_command_is_one_of_the_run() -> None:
    """With its exit code and what it printed."""
    failing = "print('1 of 2 equal'); raise SystemExit(3)"
    found = nightly.outcome("kills", [sys.executable, "-c", failing])
    assert (found.exit_code, found.counts) == (3, ("1 of 2 equal",))


def test_issue_forms_ask_for_a_file() -> None:
    forms = [
        path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
    ]
    assert len(forms) == 2
    for path in forms:
        form_of = yaml.safe_load(path.read_text("utf-8"))
        assert {"name", "description", "body"} <= form_of.keys()
        named = [each["id"] for each in form_of["body"] if each["type"] != "markdown"]
        assert len(named) == len({*named})
    body = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/finding.yml").read_text("utf-8"))["body"]
    (file,) = (each for each in body if each.get("id") == "file")
    assert file["validations"]["required"] is True
    assert file["attributes"]["render"] == "yaml"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel, and the one file made of it and of what is installed here."""
    build = pytest.importorskip("hatchling.build", reason="building a wheel needs hatchling")
    folder = tmp_path_factory.mktemp("dist")
    script = f"import {build.__name__} as b; print(b.build_wheel({str(folder)!r}))"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    (wheel,) = folder.glob("*.whl")
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)  # noqa: S202 - our own wheel
    for name in (
        "click",
        "yaml",
        "jsonschema",
        "jsonschema_specifications",
        "referencing",
        "attr",
        "attrs",
    ):
        (source,) = __import__(name).__path__
        shutil.copytree(source, site / name)
    import typing_extensions

    shutil.copy(typing_extensions.__file__, site)
    one_file.pack(wheel, site, folder / "dradsl.pyz")
    return folder


def started(path: Path, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A call of the one file by a Python that sees no package; without libyaml, pydantic and rpds."""
    environment = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(cache), "HOME": str(cache)}
    call = [sys.executable, "-I", "-S", str(path), *words]
    return subprocess.run(call, capture_output=True, text=True, env=environment)


LINT = ("lint", "--isolated", str(ROOT / "examples/broken"), "--output-format", "json")


@pytest.mark.skipif(sys.platform != "linux", reason="the folder for caches is that of Linux")
def test_the_one_file_says_what_the_installed_one_says(built: Path, tmp_path: Path) -> None:
    first = started(built / "dradsl.pyz", tmp_path, *LINT)
    assert first.returncode == 1, first.stderr
    call = [sys.executable, "-m", "dradsl", *LINT]
    usual = subprocess.run(call, capture_output=True, text=True, cwd=ROOT)
    assert json.loads(first.stdout)["findings"] == json.loads(usual.stdout)["findings"]
    (content,) = (tmp_path / "dradsl").iterdir()
    before = content.stat().st_mtime_ns
    assert started(built / "dradsl.pyz", tmp_path, *LINT).stdout == first.stdout
    assert [each.name for each in (tmp_path / "dradsl").iterdir()] == [content.name]
    assert content.stat().st_mtime_ns == before
    assert content.stat().st_mode & 0o077 == 0
    for words in (("rule", "DRA201"), ("schema", "show", "gpu.nvidia.com")):
        assert started(built / "dradsl.pyz", tmp_path, *words).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the folder for caches is that of Linux")
def test_the_one_file_runs_nothing_that_others_can_write(built: Path, tmp_path: Path) -> None:
    """A folder for caches that is no folder, or that others may write into, is not used."""
    cache = tmp_path / "cache"
    cache.write_text("no folder")
    assert started(built / "dradsl.pyz", cache, *LINT).returncode == 1
    cache.unlink()
    (cache / "dradsl").mkdir(parents=True)
    (cache / "dradsl").chmod(0o777)
    assert started(built / "dradsl.pyz", cache, *LINT).returncode == 1
    assert list((cache / "dradsl").iterdir()) == []
    (cache / "dradsl").chmod(0o700)
    content = zipfile.ZipFile(built / "dradsl.pyz").read("CONTENT").decode()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (cache / "dradsl" / content).symlink_to(elsewhere)
    assert started(built / "dradsl.pyz", cache, *LINT).returncode == 1
    assert list(elsewhere.iterdir()) == []


def test_the_one_file_is_the_same_each_time(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    site.mkdir()
    (site / "a.py").write_text("A = 1\n")
    (site / "b.so").write_bytes(b"compiled")
    files: list[bytes] = []
    for name in ("one", "two"):
        os.utime(site / "a.py", (1, len(files) + 1))
        one_file.pack(wheel, site, tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    assert set(zipfile.ZipFile(tmp_path / "one").namelist()) == {
        "site/a.py",
        "__main__.py",
        "CONTENT",
    }


def test_an_older_python_is_named(tmp_path: Path) -> None:
    """The start script says so by itself; all of it has to be understood by that Python."""
    text = (ROOT / "packaging/onefile/__main__.py").read_text("utf-8")
    old = text.replace("sys.version_info < (3, 11)", "sys.version_info < (99, 0)")
    script = tmp_path / "start.py"
    script.write_text(old)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr
    compile(text, "start", "exec", dont_inherit=True)
    import ast

    ast.parse(text, feature_version=(3, 7))


def test_the_one_file_of_the_extension_has_what_the_server_needs() -> None:
    """All that pygls needs is in the lock, and nothing of it is missing."""
    names = {line.partition("==")[0] for line in one_file.requirements(editor=True).splitlines()}
    waiting, needed = ["pygls"], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            found = (
                re.match(r"[A-Za-z0-9._-]+", each)
                for each in requires(name) or ()
                if ";" not in each
            )
            waiting += [each[0].lower().replace("_", "-") for each in found if each]
    assert needed <= names, needed - names
    assert needed >= one_file.EDITOR


def test_what_is_left_out_of_the_one_file_is_what_is_compiled() -> None:
    locked = {row.name for row in rows("lock-wheel.txt")}
    assert locked >= one_file.COMPILED
    kept = re.findall(r"^([a-z0-9-]+)==", one_file.requirements(), re.MULTILINE)
    assert {*kept} == locked - one_file.COMPILED
    assert all("--hash=sha256:" in line for line in one_file.requirements().splitlines())


def test_the_bill_names_files_and_packages(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764547200")
    found = bill.bill(built)
    assert found == bill.bill(built)
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    assert found["metadata"]["timestamp"] == "2025-12-01T00:00:00Z"
    assert {each["name"] for each in found["components"]} == {
        row.name for row in rows("lock-wheel.txt")
    }
    for part in found["metadata"]["component"]["components"]:
        (digest,) = part["hashes"]
        assert digest["content"] == hashlib.sha256((built / part["name"]).read_bytes()).hexdigest()
    references = [each["bom-ref"] for each in found["components"]]
    assert found["dependencies"][0]["dependsOn"] == references
    assert re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", found["serialNumber"]
    )
    with pytest.raises(FileNotFoundError):
        bill.bill(ROOT / "packaging")


@pytest.fixture(scope="module")
def written(built: Path) -> Path:
    entries.write(entries.Release(__version__, RELEASE.repository, RELEASE.site), built)
    return built / "entries"


def test_the_manifest_for_krew(built: Path, written: Path) -> None:
    manifest = yaml.safe_load((written / "krew/dra.yaml").read_text("utf-8"))
    assert manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2"
    assert manifest["kind"] == "Plugin"
    assert manifest["metadata"]["name"] == "dra"
    spec = manifest["spec"]
    assert spec["version"] == f"v{__version__}"
    assert len(spec["shortDescription"]) <= 50
    (platform,) = spec["platforms"]
    archive = built / f"kubectl-dra-{__version__}.tar.gz"
    assert platform["uri"].startswith(RELEASE.repository)
    assert platform["uri"].endswith(f"/{archive.name}")
    assert platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    with tarfile.open(archive) as packed:
        assert {each["from"] for each in platform["files"]} == {*packed.getnames()}
        assert platform["bin"] in packed.getnames()


@pytest.mark.skipif(sys.platform == "win32", reason="the plugin is for systems with sh")
def test_the_plugin_of_the_archive_starts(built: Path, written: Path, tmp_path: Path) -> None:
    """As krew links it: by a link in another folder, by the first Python that is new enough."""
    with tarfile.open(built / f"kubectl-dra-{__version__}.tar.gz") as packed:
        packed.extractall(tmp_path / "store")  # noqa: S202 - our own; Python before 3.11.4 has no filter
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "kubectl-dra").symlink_to("../store/kubectl-dra")
    (programs / "python3").write_text("#!/bin/sh\nexit 1\n")  # one that is too old
    (programs / "python3").chmod(0o755)
    (programs / "python3.12").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    (programs / "python3.12").chmod(0o755)
    found = {"PATH": f"{programs}:/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    call = [str(programs / "kubectl-dra"), "--help"]
    done = subprocess.run(call, capture_output=True, text=True, env=found)
    assert "devices" in done.stdout, done.stderr
    assert "Usage: kubectl dra" in done.stdout
    assert "  migrate " not in done.stdout
    only = {**found, "PATH": f"{tmp_path / 'no'}"}
    done = subprocess.run(["/bin/sh", *call], capture_output=True, text=True, env=only)
    assert done.returncode in (2, 127)


def test_the_formula(built: Path, written: Path) -> None:
    text = (written / "homebrew/dradsl.rb").read_text("utf-8")
    assert text.startswith("# ")
    assert "class Dradsl < Formula" in text
    stanzas = dict(
        re.findall(r'^  (desc|homepage|url|version|sha256|license) "(.*)"$', text, re.MULTILINE)
    )
    assert len(stanzas["desc"]) < 80
    assert not stanzas["desc"].endswith(".")
    assert stanzas["version"] == __version__
    assert stanzas["homepage"] == RELEASE.site
    assert stanzas["url"] == f"{RELEASE.repository}/releases/download/v{__version__}/dradsl.pyz"
    assert stanzas["sha256"] == hashlib.sha256((built / "dradsl.pyz").read_bytes()).hexdigest()
    assert 'exec "#{python}" "#{libexec}/#{file}" "$@"' in text
    ruby = shutil.which("ruby")
    if ruby is not None:
        subprocess.run(
            [ruby, "-c", written / "homebrew/dradsl.rb"], check=True, capture_output=True
        )


CATALOGUE = {
    # What the catalogue's own schema asks of a row (SchemaStore, src/schemas/json/schema-catalog.json).
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "description", "url"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "description": {"type": "string"},
            "url": {"type": "string", "pattern": "^https://"},
            "fileMatch": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        },
    },
}


def test_rows_for_schema_store(written: Path) -> None:
    found = json.loads((written / "schemastore/catalog-entries.json").read_text("utf-8"))
    jsonschema.Draft7Validator(CATALOGUE).validate(found)
    for row in found:
        schema = ROOT / row["url"].removeprefix(f"{RELEASE.site}/")
        jsonschema.Draft202012Validator.check_schema(json.loads(schema.read_text("utf-8")))
    assert [row["fileMatch"] for row in found if "fileMatch" in row] == [[".dradsl.yaml"]]
    # Each entry is for files that people write.
    device = {"attributes": {"npu.example.org/model": {"type": "string"}}}
    driver = {
        "driver": "npu.example.org",
        "vendor": "Example",
        "summary": "cards",
        "completeness": "full",
    }
    examples: dict[str, Any] = {
        "dradsl": {"kube-version": "1.36", "custom-rules": ["rules.yaml"]},
        "dradsl driver schema": {
            **driver,
            "sources": [{"note": "a"}],
            "deviceTypes": {"npu": device},
        },
        "dradsl rules": yaml.safe_load(
            (ROOT / "examples/custom-rules/acme.yaml").read_text("utf-8")
        ),
    }
    for row in found:
        schema = json.loads((ROOT / row["url"].removeprefix(f"{RELEASE.site}/")).read_text("utf-8"))
        jsonschema.Draft202012Validator(schema).validate(examples[row["name"]])
        assert not jsonschema.Draft202012Validator(schema).is_valid({"unknown": 1})


def test_the_metadata_of_the_extension(written: Path) -> None:
    own = json.loads(entries.EXTENSION.read_text("utf-8"))
    found = json.loads((written / "vscode/package.json").read_text("utf-8"))
    assert own["version"] == __version__
    assert "private" not in found
    assert found["repository"]["url"] == f"{RELEASE.repository}.git"
    assert (ROOT / found["repository"]["directory"] / "package.json").samefile(entries.EXTENSION)
    for name in ("publisher", "license", "displayName", "description", "categories", "engines"):
        assert found[name] == own[name]


def test_entries_take_one_address_and_one_version(written: Path) -> None:
    """No template names another one, and none is left open."""
    for path in written.rglob("*"):
        if path.is_file() and path.name != "notes.md":
            text = path.read_text("utf-8")
            assert not re.search(r"\$\{[A-Z_]+\}", text), path.name
            hosts = {*re.findall(r"https://([\w.]+)", text)} - {"marketplace.visualstudio.com"}
            assert hosts <= {"code.example.com", "docs.example.com"}, path.name
    call = [sys.executable, "-m", "maintenance.publishing.entries", "--tag", "v0.0.0"]
    given = (
        []
        if REPOSITORY_URL and PROJECT_URL
        else ["--repository", "https://a", "--site", "https://b"]
    )
    done = subprocess.run([*call, *given], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "not that of version" in done.stderr


def test_the_sums_are_those_of_the_files(built: Path, written: Path) -> None:
    listed = (built / "SHA256SUMS").read_text("utf-8").splitlines()
    assert len(listed) >= 3
    for line in listed:
        digest, name = line.split("  ")
        assert digest == hashlib.sha256((built / name).read_bytes()).hexdigest()


def test_the_notes_are_the_part_for_readers() -> None:
    text = "# Changes\n\n## 1.1.0 (soon)\n\nNew.\n\n### All changes\n\n- this\n\n## 1.0.0\n\nOld.\n"
    assert entries.notes("1.1.0", text) == "New.\n"
    assert entries.notes("1.0.0", text) == "Old.\n"
    with pytest.raises(ValueError, match="no section"):
        entries.notes("2.0.0", text)
    own = entries.notes(__version__, (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert 5 < own.count("\n") < 60


def upload(index: LocalIndex, name: str, content: bytes, digest: str) -> int:
    """Send a file as twine does."""
    mark = "b0undary"
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="sha256_digest"\r\n\r\n{digest}\r\n',
        f'--{mark}\r\nContent-Disposition: form-data; name="requires_python"\r\n\r\n>=3.11\r\n',
        f'--{mark}\r\nContent-Disposition: form-data; name="content"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n",
    ]
    body = "".join(parts).encode() + content + f"\r\n--{mark}--\r\n".encode()
    kind = f"multipart/form-data; boundary={mark}"
    asked = urllib.request.Request(f"{index.address}/legacy/", body, {"Content-Type": kind})  # noqa: S310
    try:
        with urllib.request.urlopen(asked) as reply:  # noqa: S310
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_the_index_of_the_rehearsal() -> None:
    content = bytes(range(256)) * 3 + b"\r\n--x\n"
    digest = hashlib.sha256(content).hexdigest()
    name = "dradsl-1.0-py3-none-any.whl"
    with LocalIndex() as index:
        assert upload(index, name, content, "0" * 64) == 400
        assert upload(index, "../x.whl", content, digest) == 400
        assert upload(index, name, content, digest) == 200
        assert upload(index, name, b"other", hashlib.sha256(b"other").hexdigest()) == 400
        page = urllib.request.urlopen(f"{index.address}/simple/dradsl/").read().decode()  # noqa: S310
        assert f'href="../../files/{name}#sha256={digest}"' in page
        assert 'data-requires-python="&gt;=3.11"' in page
        got = urllib.request.urlopen(f"{index.address}/files/{name}").read()  # noqa: S310
        assert got == content
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{index.address}/simple/click/")  # noqa: S310
        assert index.asked[0] == "/simple/dradsl/"
    assert form("text/plain", b"") == {}


def test_the_rehearsal_says_what_failed_and_what_is_not_here(tmp_path: Path) -> None:
    with LocalIndex() as index:
        run = rehearsal.Rehearsal(tmp_path, index)
        (tmp_path / "home").mkdir()
        assert run.step("right", lambda: run.call([sys.executable, "-c", "print('yes')"]).strip())
        assert not run.step(
            "wrong", lambda: run.call([sys.executable, "-c", "raise SystemExit(4)"])
        )
        assert run.step("absent", lambda: rehearsal.found("no-such-program"))
        assert [row[1] for row in run.rows] == ["ok", "FAILED", "not here"]
        assert "exit code 4" in run.rows[1][3]
        with pytest.raises(rehearsal.FailedError):
            rehearsal.first_finding("All good: 1 file")
        text = rehearsal.table(run, {"3.11": sys.executable})
    assert "| wrong | FAILED |" in text


def test_the_image_is_built_by_a_program_that_can_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program(name: str, text: str) -> None:
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)

    monkeypatch.setenv("PATH", f"{tmp_path}")
    with LocalIndex() as index:
        run = rehearsal.Rehearsal(tmp_path, index)
        (tmp_path / "home").mkdir()
        with pytest.raises(rehearsal.MissingError, match=r"is on this machine$"):
            rehearsal.builder(run)
        program("docker", "exit 1")
        with pytest.raises(rehearsal.MissingError, match="cannot run here"):
            rehearsal.builder(run)
        program(
            "buildah", 'echo "$@" >> calls; case $1 in run) echo "f:1:1: DRA201"; exit 1;; esac'
        )
        (tmp_path / "clone").mkdir()
        said = rehearsal.image(run, "localhost/other")
    assert said == "built by buildah on localhost/other: f:1:1: DRA201"
    built = (tmp_path / "clone" / "calls").read_text("utf-8")
    assert built.startswith("build --build-arg BASE=localhost/other -t dradsl:")


def test_no_script_that_publishes_names_a_registry() -> None:
    for path in [
        *(ROOT / "maintenance/publishing").glob("*.py"),
        *(ROOT / ".ci").iterdir(),
        *WORKFLOWS,
    ]:
        found = re.findall(r"https?://([\w.-]+)", path.read_text("utf-8"))
        assert {*found} <= {"code.example.com", "docs.example.com", "127.0.0.1", "cyclonedx.org"}, (
            path.name
        )
