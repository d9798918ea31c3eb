"""docs/security.md, row by row: what each command opens, writes and starts on a hostile tree."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dradsl.lint.report.places import PROJECT_URL
from tests.project.test_docs import ALL

ROOT = Path(__file__).parents[2]

# Told of what a run does, from within: nothing that Python does escapes an audit hook.
WATCHED = """\
import json, os, sys
seen = []
def watch(event, words):
    if event == "open" and isinstance(words[0], (str, bytes)):
        flags = words[2] or 0
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        seen.append(("write" if writes else "read", os.fsdecode(os.path.abspath(words[0]))))
        seen.append(("real", os.fsdecode(os.path.realpath(words[0]))))
    elif event in ("os.listdir", "os.scandir") and isinstance(words[0], (str, bytes)):
        seen.append(("list", os.fsdecode(os.path.abspath(words[0]))))
        seen.append(("real", os.fsdecode(os.path.realpath(words[0]))))
    elif event in ("subprocess.Popen", "os.posix_spawn"):
        start, called = words[0], words[1]
        if os.fsdecode(called[3 % len(called)]).endswith("dradsl/confinement.py"):
            start = called[5]  # what Python gives its place to
        seen.append(("start", os.fsdecode(start)))
    elif event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"):
        for word in words:
            if isinstance(word, (str, bytes)):
                seen.append(("write", os.fsdecode(os.path.abspath(word))))
    elif event == "socket.__new__" and words[1] == 1:
        pass  # the pair by which asyncio wakes itself; to connect or to bind one is another event
    elif event.split(".")[0] in ("socket", "ftplib", "http", "smtplib", "urllib") or event in (
        "os.exec", "os.system", "os.fork", "os.forkpty", "os.spawn", "pty.spawn", "ctypes.dlopen",
    ):
        seen.append(("forbidden", event))
from dradsl.cli import main
sys.addaudithook(watch)
code = 0
try:
    main()
except SystemExit as end:
    code = end.code
sys.stdout.flush()
events = list(dict.fromkeys(seen))
with open(os.environ["TRACE"], "w") as file:
    json.dump({"code": code, "events": events}, file)
"""

CLAIM = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: x, annotations: {see: "http://127.0.0.1:9/x"}}
spec: {devices: {requests: [{name: r, deviceClassName: gpu.nvidia.com}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: y}
spec: {devices: {requests: [{name: r, exactly: {deviceClassname: gpu.nvidia.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.nvidia.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""
MODULE = """\
from dradsl import App, Request, ResourceClaim
app = App()
app.add(ResourceClaim("x", namespace="ml", requests=[Request("r", "gpu.nvidia.com")]))
"""
OUT = ("../outside", "../../..", "./linked", "./held", "./rooted", "./deep/up")
# Everything in it that names a program, an address or a file elsewhere. {trap} leaves a trace.
TREE = {
    "a.yaml": CLAIM,
    "beside.yaml": CLAIM.replace("name: p}", "name: q}"),  # of no kustomization: it is rewritten
    "s.yaml": SLICE,
    "w.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: w}\nspec: {containers: [{name: c, image: i}]}\n",
    "module.py": MODULE,
    "tags.yaml": "a: !!python/object/apply:os.system ['touch {trace}']\n",
    "kustomization.yaml": (
        "resources: [a.yaml, https://127.0.0.1:9/x.yaml, 'git::ssh://127.0.0.1/x', ../outside/secret.yaml]\n"
        "bases: ['github.com/a/b?ref=main']\ngenerators: [function.yaml]\ntransformers: [function.yaml]\n"
        "helmCharts: [{name: c, repo: 'http://127.0.0.1:9', version: '1'}]\n"
        "openapi: {path: http://127.0.0.1:9/o.json}\n"
    ),
    "function.yaml": (
        "apiVersion: x/v1\nkind: F\nmetadata:\n  name: f\n  annotations:\n"
        "    config.kubernetes.io/function: |\n      exec: {path: {trap}}\n"
    ),
    "chart/Chart.yaml": (
        "apiVersion: v2\nname: c\nversion: 1.0.0\n"
        "dependencies: [{name: d, version: '1', repository: 'http://127.0.0.1:9'}]\n"
    ),
    "chart/values.yaml": "resources: {limits: {nvidia.com/gpu: 1}}\npostRenderer: {trap}\n",
    "chart/templates/pod.yaml": CLAIM + 'x: {{ exec "{trap}" }}\n',
    # What a caller may have rendered: all else here is not handed over.
    "plain/chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    "plain/kustomization.yaml": "resources: [a.yaml]\ncrds: [crd.json]\n",
    "plain/a.yaml": CLAIM,
    # What Kustomize reads and a plain reader does not: each would start {trap}, or connect.
    "case/kustomization.yaml": (
        "resources: [a.yaml]\nhelmCharts: [{name: c, releaseName: r}]\n"
        'helmcharts: [{name: c, releaseName: "--post-renderer={trap}"}]\nGenerators: [g]\n'
    ),
    "case/a.yaml": CLAIM,
    "case/charts/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    "case/charts/c/values.yaml": "a: 1\n",
    "folders/kustomization.yaml": "generators: [gen]\ntransformers: [gen]\nvalidators: [gen]\n",
    "folders/gen/kustomization.yaml": "resources: [h.yaml]\n",
    "folders/gen/h.yaml": (
        "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: h}\nname: c\n"
        "repo: http://127.0.0.1:9\nreleaseName: --post-renderer={trap}\n"
    ),
    "large/kustomization.yaml": "resources: [below]\n",
    "large/below/kustomization.yaml": "helmCharts: [{name: c, repo: 'http://127.0.0.1:9'}]\n",
    "schema/Chart.yaml": "apiVersion: v2\nname: s\nversion: 1.0.0\n",
    "schema/values.schema.json": '{"$ref": "http://127.0.0.1:9/schema.json"}',
    "plain/crd.json": "{}",
    "moved/ollama/Chart.yaml": "apiVersion: v2\nname: ollama\nversion: 1.0.0\n",
    "moved/ollama/values.yaml": "ollama: {gpu: {enabled: true, number: 1}}\n",
    "moved/kustomization.yaml": "resources: [pod.yaml]\n",
    "moved/pod.yaml": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: moved}\nspec:\n  containers:\n  - name: c\n"
        "    image: x:1\n    resources: {limits: {nvidia.com/gpu: 1}}\n"
    ),
    "plugins/x/plugin.yaml": "name: x\ncommand: {trap}\nhooks: {install: {trap}}\n",
    # Controllers whose paths lead out of the tree, by steps up and by the link.
    "controllers.yaml": "---\n".join(
        [
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
            f"metadata: {{name: k{number}, namespace: f}}\n"
            f"spec: {{path: {path}, sourceRef: {{kind: GitRepository, name: g}}}}\n"
            for number, path in enumerate(OUT)
        ]
        + [
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            f"metadata: {{name: a{number}}}\nspec: {{source: {{repoURL: x, path: {path}}}}}\n"
            for number, path in enumerate(OUT)
        ]
        + [
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
            f"metadata: {{name: h{number}}}\nspec: {{chart: {{spec: {{chart: {path}, "
            f"valuesFiles: [{path}/secret.yaml], sourceRef: {{kind: GitRepository, name: g}}}}}}}}\n"
            for number, path in enumerate(OUT)
        ]
    ),
    "team.yaml": (
        "rules: [{code: ACME001, name: acme, severity: error, kinds: [Pod], cel: 'true', message: m,\n"
        "  url: 'http://127.0.0.1:9/x', examples: {good: [{apiVersion: v1, kind: Pod, metadata: {name: a},\n"
        "  spec: {containers: []}}]}}]\n"
    ),
    ".dradsl.yaml": "select: [ALL]\nper-file-ignores: {'*': [DRA003]}\n",
    "git": "#!/bin/sh\ntouch {trace}\n",
    "kubectl": "#!/bin/sh\ntouch {trace}\n",
}
NAMED = "a.yaml"
# The words of each row's call; those that are not here are the row's own, then the tree.
CALLS = {
    "lint": "lint .",
    "lint --fix": "lint --fix --unsafe-fixes .",
    "lint --write": "lint --baseline base.json --write .",
    "lint --since": "lint --since HEAD .",
    "lint --build-with": "lint --build-with helm --build-with kustomize .",
    "convert": "convert .",
    "migrate --output": "migrate --output out .",
    "migrate --set=form=kustomize": "migrate --set form=kustomize --output out a.yaml",
    "migrate --post-render": "migrate --post-render",
    "migrate --build-with": "migrate --scan --build-with helm --build-with kustomize .",
    "simulate": "simulate --slices s.yaml a.yaml",
    "simulate --from-cluster": "simulate --from-cluster a.yaml",
    "why": "why a.yaml s.yaml",
    "why --from-cluster": "why --from-cluster",
    "devices": "devices s.yaml",
    "devices --from-cluster": "devices --from-cluster",
    "devices --by=claim": "devices --by claim s.yaml",
    "record": "record s.yaml",
    "record --from-cluster": "record --from-cluster",
    "to-python": "to-python a.yaml",
    "new": "new gpu --slices s.yaml",
    "new --output": "new gpu --output base.json",
    "new --for --write": "new gpu --for w.yaml --write",
    "build": "build module.py",
    "build --output": "build module.py --output out",
    "schema": "schema",
    "schema show": "schema show gpu.nvidia.com",
    "schema infer": "schema infer s.yaml",
    "schema check": "schema check s.yaml",
    "schema check --against": "schema check gpu.nvidia.com --against gpu.nvidia.com --context .",
    "schema export --as=python": "schema export --as python gpu.nvidia.com",
    "schema export": "schema export gpu.nvidia.com",
    "cel check": "cel check true",
    "cel eval": "cel eval --slices s.yaml true",
    "cel explain": "cel explain true",
    "cel fmt": "cel fmt true",
    "rule": "rule DRA301",
    "rule --select": "rule --select DRA3",
    "rule test": "rule test team.yaml",
    "lsp": "lsp",
    "completion": "completion bash",
}


def converse(words: list[str], tree: Path, environment: dict[str, str]) -> str:
    """Talk to the language server as an editor with the tree open would; what it says on standard error."""
    address = (tree / NAMED).as_uri()
    place = {"textDocument": {"uri": address}, "position": {"line": 1, "character": 8}}
    opened = {"uri": address, "languageId": "yaml", "version": 1, "text": CLAIM}
    questions = ("hover", "completion", "definition", "documentSymbol", "formatting")
    params = {**place, "options": {"tabSize": 2, "insertSpaces": True}}
    asked: list[dict[str, object]] = [
        {"id": name, "method": f"textDocument/{name}", "params": params} for name in questions
    ]
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "rootUri": tree.as_uri()}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
        {"id": 2, "method": "workspace/executeCommand", "params": {"command": "dradsl.lint"}},
        *asked,
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", WATCHED, *words],
        cwd=tree,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            process.stdin.flush()
            while "id" in message:
                length = 0
                while (line := process.stdout.readline().strip()) or not length:
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.partition(b":")[2])
                    assert line or length, process.stderr.read()
                answer = json.loads(process.stdout.read(length))
                assert "error" not in answer, answer
                if answer.get("id") == message["id"]:
                    break
        process.stdin.close()
        return process.stderr.read().decode()


@functools.cache
def rows() -> dict[str, tuple[str, str, str, str]]:
    """The table of the page: command -> trusts, reads, writes, starts."""
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    found = re.findall(r"^\| `([^`]+)` \|(.+)\|$", text, re.MULTILINE)
    cells = {name: [cell.strip() for cell in rest.split("|")] for name, rest in found}
    return {name: (each[0], each[1], each[2], each[3]) for name, each in cells.items()}


def test_every_command_has_a_row() -> None:
    named = {tuple(word for word in row.split() if not word.startswith("--")) for row in rows()}
    assert named == set(ALL)


def test_only_these_rows_start_a_program() -> None:
    """And no module but these knows how to."""
    assert {row: starts for row, (*_, starts) in rows().items() if starts != "nothing"} == {
        "lint --since": "`git`",
        "lint --build-with": "`helm`, `kustomize`",
        "migrate --write": "`git`",
        "migrate --build-with": "`helm`, `kustomize`",
        **dict.fromkeys((row for row in CALLS if row.endswith(" --from-cluster")), "`kubectl`"),
    }
    starting = re.compile(
        r"^\s*(?:import|from) (?:subprocess|socket|urllib\.request|http|ssl|ctypes)\b|os\.(?:system|exec|spawn|popen|fork)|create_subprocess",
        re.MULTILINE,
    )
    modules = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "dradsl").rglob("*.py")
        if starting.search(path.read_text("utf-8"))
    }
    assert modules == {
        "dradsl/confinement.py",  # called by what starts programs that render
        "dradsl/programs.py",
        "dradsl/tree/git/snapshots.py",
        "dradsl/values/deadline.py",  # ends a thread of its own; starts nothing
    }


def hostile_tree(folder: Path) -> tuple[Path, Path, Path]:
    """A tree, the folder of programs on the PATH, and the file that a program would leave."""
    tree, programs, trace = folder / "tree", folder / "bin", folder / "trace"
    programs.mkdir()
    trap = f"#!/bin/sh\n: > {trace}\n"
    for name in ("evil", "kpt", "curl", "ssh", "docker"):
        (programs / name).write_text(trap)
    # These may be started, but not told to start something, to connect or to fetch.
    told = "*post-renderer*|--enable-helm|--enable-alpha*|--enable-exec|pull|--untar*|--validate"
    for name in ("helm", "kustomize"):
        (programs / name).write_text(
            '#!/bin/sh\nfor word in "$@"; do case "$word" in\n--) break;;\n'
            f"{told}) : > {trace};;\nesac; done\n"
        )
    answer = json.dumps({"apiVersion": "v1", "kind": "List", "items": [_slice()]})
    (programs / "kubectl").write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
    for path in programs.iterdir():
        path.chmod(0o755)
    for name, text in TREE.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            text.replace("{trap}", str(programs / "evil")).replace("{trace}", str(trace))
        )
    for name in ("git", "kubectl"):
        (tree / name).chmod(0o755)
    (folder / "outside").mkdir()
    (folder / "outside" / "secret.yaml").write_text(CLAIM)
    (tree / "link.yaml").symlink_to("../outside/secret.yaml")
    (folder / "outside" / "inner").mkdir()
    (folder / "outside" / "inner" / "secret.yaml").write_text(CLAIM)
    # Links to folders: at the top, further down, in charts, to the root and to what is above.
    for name, target in (
        ("linked", "../outside"),
        ("chain", "linked/inner"),
        ("root", "/"),
        ("deep/up", "../.."),
        ("deep/er/absolute", str(folder / "outside")),
        ("plain/linked", "../../outside"),
        ("held/templates", "../../outside"),
        ("rooted/templates", "/"),
        ("slides/templates/more", "../../../outside"),
    ):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).symlink_to(target)
    for name in ("held", "rooted", "slides"):
        (tree / name / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n")
    return tree, programs, trace


# What dradsl and its dependencies import, by the names of modules of a tree.
MODULES = ("click", "yaml", "dradsl_rules", "pygls", "lsprotocol", "re2", "rpds", "sitecustomize")


def put_modules(tree: Path, trace: Path) -> None:
    """Modules that leave a trace when they are imported."""
    for name in MODULES:
        (tree / f"{name}.py").write_text(f"open({str(trace)!r}, 'w').close()\n")


@pytest.mark.parametrize("start", ["-m", "script", "-m and a path", "script and a path"])
@pytest.mark.parametrize("words", ["lint --isolated .", "rule", "migrate --scan ."])
def test_modules_of_the_tree_are_not_imported(words: str, start: str, tmp_path: Path) -> None:
    """Neither of the working directory, nor where PYTHONPATH leads into the tree; dradsl itself is found."""
    tree, trace = tmp_path / "tree", tmp_path / "trace"
    tree.mkdir()
    (tree / "a.yaml").write_text(CLAIM)
    put_modules(tree, trace)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if start.endswith("path"):
        (tree / "sitecustomize.py").unlink()  # Python's own start imports it, before dradsl
        environment["PYTHONPATH"] = os.pathsep.join(("", ".", str(tree), str(ROOT)))
    script = "import sys; sys.path.pop(0); from dradsl.cli import start; start()"
    call = ["-m", "dradsl"] if start.startswith("-m") else ["-c", script]
    done = subprocess.run(
        [sys.executable, *call, *words.split()],
        cwd=tree,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert done.returncode in (0, 1), done.stderr
    assert not trace.exists()


def _slice() -> object:
    import yaml

    return yaml.safe_load(SLICE)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("row", rows())
def test_row(row: str, tmp_path: Path) -> None:
    _trusts, reads, writes, starts = rows()[row]
    tree, programs, trace = hostile_tree(tmp_path)
    if not row.startswith("build"):  # a module may import its neighbours
        put_modules(tree, trace)
    if row == "lint --build-with":
        with (tree / "large" / "below" / "kustomization.yaml").open("a") as file:
            file.write("#" * (17 << 20))
    words = CALLS.get(row, f"{row} .").split()
    scratch, told = tmp_path / "scratch", tmp_path / "told.json"
    scratch.mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "PATH": f"{programs}:.::{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TMPDIR": str(scratch),
        "TRACE": str(told),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.pop("DRADSL_DEBUG", None)
    if "`git`" in starts:
        for call in (
            "init -q",
            "add -A",
            "-c user.name=x -c user.email=x@example.com commit -qm x",
        ):
            subprocess.run(["git", *call.split()], cwd=tree, check=True, capture_output=True)
    before, outside = contents(tree), contents(tmp_path / "outside")
    if row == "lsp":
        said = converse(words, tree, environment)
    else:
        said = subprocess.run(
            [sys.executable, "-P", "-c", WATCHED, *words],
            cwd=tree,
            env=environment,
            input=CLAIM,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        ).stderr
    assert told.exists(), said
    run = json.loads(told.read_text())
    assert run["code"] in (0, 1), said
    seen: dict[str, set[str]] = {
        kind: set() for kind in ("read", "list", "real", "write", "start", "forbidden")
    }
    for what, name in run["events"]:
        seen[what].add(name)
    assert seen["forbidden"] == set()
    assert not trace.exists()
    allowed = {f"`{Path(name).name}`" for name in seen["start"]}
    assert allowed == (set() if starts == "nothing" else set(starts.split(", ")))
    assert all(
        Path(name).is_absolute() and tree not in Path(name).parents for name in seen["start"]
    )

    # Where it writes. git gets an empty repository of its own in the folder for temporary files.
    elsewhere = {name for name in seen["write"] if not _below(name, tree) and name != os.devnull}
    assert all(starts != "nothing" and _below(name, scratch) for name in elsewhere), elsewhere
    assert list(scratch.iterdir()) == []
    assert contents(tmp_path / "outside") == outside
    after = contents(tree)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if writes == "nothing":
        assert changed == set()
    elif writes.startswith("the file of"):
        assert changed == {"base.json"}
    elif writes.startswith("the folder of"):
        assert changed
        assert all(name.startswith("out/") for name in changed)
    else:
        assert changed
        assert ("beside" in writes) or changed <= set(before)

    # What it reads: the tree, and dradsl's own installation.
    own = [
        tree,
        ROOT / "dradsl",
        ROOT / "rules",
        ROOT / "schemas",
        Path(sys.prefix),
        Path(sys.base_prefix),
        *map(Path, filter(None, sys.path)),
    ]
    strange = {
        name
        for name in seen["read"] | seen["list"]
        if not any(_below(name, folder) for folder in own)
        and not _below(name, scratch)
        and not name.startswith(("/dev/", "/proc/", "/usr/", "/etc/ld", "/etc/localtime"))
    }
    # Where the repository is, the folders above tell.
    looked = {str(folder / ".git") for folder in tree.parents} if "`git`" in starts else set()
    assert strange <= looked
    known = seen["read"] | seen["list"] | seen["real"]
    assert not any(_below(name, tmp_path / "outside") for name in known)
    assert not {"/", str(tmp_path)} & (seen["list"] | seen["real"])
    assert str(tree / "link.yaml") not in seen["read"]
    if not reads.startswith("the tree"):
        files = {name for name in seen["read"] if _below(name, tree) and Path(name).is_file()}
        assert files == set()


def _below(name: str, folder: Path) -> bool:
    return folder == Path(name) or folder in Path(name).parents


def test_each_claim_names_a_test_that_exists() -> None:
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    section = text.partition("## The tests of these claims")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert len(lines) > 20
    named = [re.fullmatch(r"\| .+ \| `(tests/\S+\.py)::(test_\w+)` \|", line) for line in lines]
    for line, found in zip(lines, named, strict=True):
        assert found is not None, line
        source = (ROOT / found[1]).read_text("utf-8")
        assert re.search(rf"^def {found[2]}\(", source, re.MULTILINE), line
    assert len({found.groups() for found in named if found}) == len(lines)


def test_who_to_write_to() -> None:
    """As soon as there is an address, both pages have to name it."""
    for page in (ROOT / "SECURITY.md", ROOT / "docs" / "security.md"):
        text = page.read_text("utf-8")
        if PROJECT_URL is None:
            assert "No address of the" in text
            assert "maintainers of the place" in text
        else:
            assert PROJECT_URL in text
